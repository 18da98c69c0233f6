"""Measure a system's calls: its points, the hands behind each call, what they show, what a treatment is worth."""
