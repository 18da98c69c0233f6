"""Choices of card players beside each other, at the same decisions, valued double dummy on the true deal."""
