"""What both HTTP servers share: reading requests, routes, refusing pages of other sites, one computation at a time."""
