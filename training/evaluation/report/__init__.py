"""The report of a match as one HTML file: figures, where the IMPs went, and boards to click through."""
