"""The soak: memory is measured over a whole family of processes, and a program that grows is found."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.reliability import soak
from tests.reliability.soak import Growth

pytestmark = pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs Linux's /proc")
CHILD = "import time; keep = bytearray(b'x' * (40 << 20)); time.sleep(60)"
FAMILY = f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {CHILD!r}]); time.sleep(60)"
GROWS = "import time; keep = [b'x' * 1000]\nwhile True: keep.append(bytearray(b'x' * (1 << 20))); time.sleep(0.02)"


@contextlib.contextmanager
def running(program):
    process = subprocess.Popen([sys.executable, "-c", program], text=True, start_new_session=True)
    with soak._ended(process):
        yield process, lambda: "it did"


def test_what_a_family_holds():
    with running(FAMILY) as (process, _):
        until = time.monotonic() + 30
        while (held := soak.held(process.pid)) < 40 and time.monotonic() < until:
            time.sleep(0.1)
        assert 40 < held < 120


def test_a_program_that_grows_is_found(monkeypatch):
    still = "import time; time.sleep(60)"
    programs = {"still": lambda folder: running(still), "grows": lambda folder: running(GROWS)}
    monkeypatch.setattr(soak, "_programs", lambda: programs)
    monkeypatch.setattr(soak, "_EVERY", 0.05)
    told = []
    still, grows = soak.soak(0.06, told.append)
    assert len(told) == 2
    assert grows.growth > soak.MOST
    assert still.late < still.early * 1.5
    page = soak.markdown([still, grows], "python -m x --soak 0.06")
    assert page.splitlines()[2].startswith("**Too much**")
    assert "| grows |" in page


def test_a_program_that_ends_is_told(monkeypatch):
    monkeypatch.setattr(soak, "_programs", lambda: {"short": lambda folder: running("import sys; sys.exit(3)")})
    with pytest.raises(ValueError, match=r"short ended after .* with 3"):
        soak.soak(1, print)


def test_growth_within_the_limit():
    page = soak.markdown([Growth("env", 100.0, 104.0, 600.0, "steps")], "x")
    assert "At most +4.0% of memory between a tenth of 10 minutes and their end." in page
