"""Explain calls in a player's words: what they show and deny, and which hand would bid otherwise."""
