"""``bridge-env`` as its user types it."""

from training.cli.app import main


def run(capsys, *words):
    """Return the exit code, and what went to stdout and stderr."""
    return (main([str(word) for word in words]), *capsys.readouterr())


def refused(capsys, *words):
    """Return the error that ``words`` end in, before anything is printed."""
    code, out, err = run(capsys, *words)
    assert (code, out) == (2, "")
    return err
