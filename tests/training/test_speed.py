"""How networks multiply is found out once in a process."""

import pytest

from agents.networks import products
from training.running.speed import use_fastest


def test_speeds_are_measured_once(monkeypatch):
    pytest.importorskip("torch")
    asked = []
    monkeypatch.setattr(products, "use_fastest", lambda torch: bool(asked.append(torch)))
    use_fastest.cache_clear()
    try:
        assert [use_fastest(), use_fastest()] == [False, False]
    finally:
        use_fastest.cache_clear()
    assert len(asked) == 1
