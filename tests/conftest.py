"""What all tests rely on."""

import signal


def pytest_configure() -> None:
    """A runner that works in the background hands down an ignored Ctrl-C; the tests of stopping need it as usual."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
