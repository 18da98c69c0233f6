"""``bridge-env`` as its user types it."""

from training.cli.entry import main


def run(capsys, *words):
    """Exit code, and what went to stdout and stderr."""
    try:
        code = main([str(word) for word in words])
    except SystemExit as ended:  # by argparse
        code = ended.code
    return (code, *capsys.readouterr())


def refused(capsys, *words):
    """The error that ``words`` end in, before anything is printed."""
    code, out, err = run(capsys, *words)
    assert (code, out) == (2, "")
    return err
