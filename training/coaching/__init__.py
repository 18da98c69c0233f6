"""Coach a system: a player that bids by it, what the book leaves on the table, and amendments that are worth it."""
