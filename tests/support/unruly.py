"""Bidders as somebody might write them, with faults: named in specs as ``python:support.unruly:raises``.

All pass, but for some hands (about one in eight), with which they do what their name says.
"""

from __future__ import annotations

import os
import time

import numpy as np

from bridge_env.rules.calls import PASS


def unlucky(view):
    """Return which rows (N,) hold a hand with which these bidders fail."""
    return (view.hand @ np.arange(1, 53)) % 8 == 0


class Unruly:
    """Passes; where there are unlucky rows, ``fault(calls, rows)`` returns the calls."""

    def __init__(self, fault):
        self.fault = fault

    def bid(self, view, key):
        calls, rows = np.full(len(view), PASS), np.flatnonzero(unlucky(view))
        return self.fault(calls, rows) if len(rows) else calls


def made(value):
    """Return a fault that makes this call."""

    def fault(calls, rows):
        calls[rows] = value
        return calls

    return fault


def _raise(calls, rows):
    raise KeyError("the third suit")


def _hang(calls, rows):
    time.sleep(600)


def _die(calls, rows):
    os._exit(7)


def _lose_count(calls, rows):
    return calls[:-1] if len(calls) > 1 else np.zeros(2, int)


raises, dies, miscounts = Unruly(_raise), Unruly(_die), Unruly(_lose_count)
out_of_range, negative, illegal = Unruly(made(99)), Unruly(made(-1)), Unruly(made(2))
says_nothing = Unruly(lambda calls, rows: None)


class Always:
    """Has its fault with every hand."""

    def __init__(self, fault):
        self.fault = fault

    def bid(self, view, key):
        return self.fault(np.full(len(view), PASS), np.arange(len(view)))


stuck, broken, cheat = Always(_hang), Always(_raise), Always(made(2))


class Boasts(Unruly):
    """Explains a call that is not legal."""

    def explain(self, view, key):
        return "XX\n  for it never hurts"


boasts = Boasts(made(PASS))
