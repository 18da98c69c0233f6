"""Bid by example: case bases, measures of similarity, and the bidder ``cases:FILE``."""
