"""Bid by self-organizing maps: choose a state's map, find its unit there; the bidder ``som:FILE``."""
