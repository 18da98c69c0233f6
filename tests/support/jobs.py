"""Background jobs, in a module that a new process loads in no time."""

import time


def sleeping(seconds, progress):
    """Report half of it, then sleep."""
    progress(1, 2)
    time.sleep(seconds)
    return "awake"


def failing(progress):
    """Raise an error."""
    raise RuntimeError("on purpose")
