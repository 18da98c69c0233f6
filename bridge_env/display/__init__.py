"""Hands, auctions, boards and results as text and HTML."""
