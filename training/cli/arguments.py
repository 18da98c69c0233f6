"""Kinds of arguments that commands share."""

from __future__ import annotations

import argparse


def positive(text: str) -> int:
    """A whole number from 1 up."""
    return _from(1, text)


def natural(text: str) -> int:
    """A whole number from 0 up."""
    return _from(0, text)


def _from(least: int, text: str) -> int:
    if not text.isdecimal() or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least} up")
    return int(text)
