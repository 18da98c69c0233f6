"""Hands and deals: text, features, packed bytes, the canonical form."""
