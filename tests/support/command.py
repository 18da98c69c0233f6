"""``bridge-env`` as its user types it."""

import sys

from training.cli.app import main

MAIN = "import sys; from training.cli.app import main; sys.exit(main())"
BRIDGE_ENV = [sys.executable, "-c", MAIN]
"""The command as the words of another process."""


def run(capsys, *words):
    """Return the exit code, and what went to stdout and stderr."""
    return (main([str(word) for word in words]), *capsys.readouterr())


def refused(capsys, *words):
    """Return the error that ``words`` end in, before anything is printed."""
    code, out, err = run(capsys, *words)
    assert (code, out) == (2, "")
    return err
