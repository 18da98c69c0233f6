"""Coach a system: a player that bids by it, what its judgement does, and what the book learns from it."""
