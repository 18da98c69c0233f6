"""Boards whose cards are really played."""
