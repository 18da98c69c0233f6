"""Bidding by self-organizing maps: which map a state belongs to, its unit there, and the bidder ``som:FILE``."""
