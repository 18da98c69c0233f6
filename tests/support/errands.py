"""Errands of a server, in a module that a new process loads in no time."""

import time


def sleeping(seconds, tell):
    """Tells that half is done, and takes its time."""
    tell(1, 2)
    time.sleep(seconds)
    return "awake"


def failing(tell):
    """Comes to no end."""
    raise RuntimeError("on purpose")
