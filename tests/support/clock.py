"""A clock that counts how often it is asked, so that a test of a budget in seconds does not depend on the machine."""

from types import SimpleNamespace


class Clock:
    """Goes on by ``step`` seconds whenever it is asked."""

    def __init__(self, step):
        self.step, self.now = step, 0.0

    def __call__(self):
        self.now += self.step
        return self.now


def set_clock(monkeypatch, step, *modules):
    """Give modules that say ``time.perf_counter()`` such a clock, the same for all."""
    time = SimpleNamespace(perf_counter=Clock(step))
    for module in modules:
        monkeypatch.setattr(module, "time", time)
