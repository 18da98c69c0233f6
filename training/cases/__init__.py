"""Fit case bases to recorded auctions, and let them learn from boards that they bid."""
