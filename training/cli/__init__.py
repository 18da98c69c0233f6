"""The command line, ``bridge-env``."""

from training.cli.app import main

__all__ = ["main"]
