"""Refine systems: value alternative calls, and find readable rules that gain by them."""
