"""Self-play of bidding systems: proposals, generations, verdicts."""
