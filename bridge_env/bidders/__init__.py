"""Bidders: their protocols, the views that they bid from, the built-in ones, the registry, errors, the loop."""
