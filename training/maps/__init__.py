"""Fit self-organizing maps to the calls of a system or to recorded auctions."""
