"""Runs: their folders, their processes, their cluster."""
