"""Sweep over settings and seeds: the trials, their processes, and the table at the end."""
