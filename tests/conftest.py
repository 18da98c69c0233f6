"""What all tests rely on."""

import gc
import os
import shutil
import signal
import sys

import pytest
from hypothesis import settings

settings.register_profile("busy", deadline=None)  # other work on the machine says nothing of what is tested
settings.load_profile("busy")

# Before numpy is loaded: its threads gain nothing on so small arrays, and spin while others work on this machine.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")


def pytest_configure() -> None:
    """Handle signals as usual, even where a runner in the background ignores them; compile a kernel in one worker."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        from support import compile_lock

        compile_lock.register()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_collection_finish() -> None:
    """Look for dead circles of objects more seldom: among all that tests keep, that took a seventh of their time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


@pytest.fixture(scope="session", autouse=True)
def _loop_ends():
    yield
    if "support.table" in sys.modules:
        sys.modules["support.table"].end_loop()


@pytest.fixture(scope="module")
def one_ray():
    """A Ray of two cores that the tests of a file share: what they start as a cluster joins it."""
    pytest.importorskip("ray")
    from training.runtime.cluster import Cluster

    with Cluster(2):
        yield


_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")  # as in the Makefile
_FOUND = [os.environ.get("CHROMIUM"), *map(shutil.which, _NAMES)]
CHROMIUM = next(filter(None, _FOUND), None)  # else the one that playwright installed, if it did


@pytest.fixture(scope="session")
def browser():
    """Return Chromium, or skip."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright of the extra 'browser' is missing")
    with api.sync_playwright() as play:
        try:
            found = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        except api.Error as error:
            pytest.skip(f"no Chromium here: {str(error).splitlines()[0]}")
        yield found
        found.close()


#: What `make test` does not install, and its tests are skipped without: `make browser` does.
_LEFT_OUT = ("playwright", "axe_playwright_python")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Where nothing may be missing, a module of tests that lacks a library is an error."""
    report = yield
    _refuse_missing(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Where nothing may be missing, a test that lacks a library fails."""
    report = yield
    _refuse_missing(report)
    return report


def _refuse_missing(report) -> None:
    if report.outcome != "skipped" or not os.environ.get("BRIDGE_ENV_NOTHING_MISSING"):
        return
    reason = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)
    if "could not import" in reason and not any(name in reason for name in _LEFT_OUT):
        report.outcome = "failed"
        report.longrepr = f"{reason}: 'make test' should have installed it"
