"""Choose cards by a model of what an opponent believes."""
