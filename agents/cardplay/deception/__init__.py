"""Play through a model of what an opponent believes."""
