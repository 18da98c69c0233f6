"""Change systems, tidy them, and find the auctions that a change affects."""
