"""Bidding by example: cases, what is similar to what, and the bidder ``cases:FILE``."""
