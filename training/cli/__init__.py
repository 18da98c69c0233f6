"""``bridge-env``: one file a command, and what commands share."""

from training.cli.entry import main

__all__ = ["main"]
