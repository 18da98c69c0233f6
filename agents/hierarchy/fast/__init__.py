"""Boards in bulk: what is known of an auction serves every board that comes to it."""
