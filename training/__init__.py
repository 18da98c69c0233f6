"""Matches, self-play and the command line."""
