"""The table's server in this process, and its clients; without starlette, what imports this is skipped."""

from __future__ import annotations

import re
from contextlib import ExitStack

import numpy as np
import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from anyio.from_thread import BlockingPortal, start_blocking_portal
from starlette.testclient import TestClient

from bridge_env.hands.deals import deal_text, random_deals
from bridge_env.rules.cards import SEATS, card_text
from bridge_table.app import make_app

TOKEN = "a-key-for-tests"
HOST = "http://127.0.0.1"
_stack = ExitStack()
_portals: list[BlockingPortal] = []


def client_of(app):
    """Return a client of an app."""
    if not _portals:
        _portals.append(_stack.enter_context(start_blocking_portal()))
    found = TestClient(app, base_url=HOST)
    found.portal = _portals[0]
    return found


def end_loop() -> None:
    """End the loop; the next client begins another."""
    _portals.clear()
    _stack.close()


class Visitor:
    """Speaks to a server as the page does, and stores every answer."""

    def __init__(self, client, key=TOKEN):
        self.client, self.key, self.traffic = client, key, []

    def get(self, path, status=200, **query):
        return self._checked(self.client.get(f"/{self.key}/api/{path}", params=query), status)

    def post(self, path, status=200, **fields):
        return self._checked(self.client.post(f"/{self.key}/api/{path}", json=fields), status)

    def _checked(self, response, status):
        self.traffic.append(response.text)
        assert response.status_code == status, response.text
        found = response.json()
        if status != 200:
            assert is_sentence(found["error"]), found
        return found

    def bid_out(self, state, choose):
        """Go on until the auction is over; ``choose(state)`` returns a person's call."""
        return self._go_on(state, "bidding", "call", choose)

    def play_out(self, state, choose, cards=52):
        """Play ``cards`` cards, or until the board is over; ``choose(state)`` returns a person's card."""
        return self._go_on(state, "playing", "card", choose, state["at"] + cards)

    def _go_on(self, state, phase, what, choose, end=1000):
        seat = {} if state["seat"] is None else {"seat": state["seat"]}
        while state["phase"] == phase and state["at"] < end:
            where = f"tables/{state['table']}"
            if state["chooser"] is None:
                state = self.post(f"{where}/step", at=state["at"], **seat)
            else:
                mine = {"seat": state["chooser"]}
                look = self.get(where, **mine)
                state = self.post(f"{where}/{what}", **{what: choose(look)}, at=look["at"], **mine)
                seat = mine
        return state


def is_sentence(text):
    """Words that begin with a capital letter or a quotation mark, and end with a stop."""
    return len(text.split()) >= 3 and text.endswith(".") and "Traceback" not in text


def cards_of(hand):
    """The cards of ``AKQ2.T98.J7.A543`` as ``{"SA", ...}``; a hand that has been played in may hold fewer."""
    return {suit + rank for suit, ranks in zip("SHDC", hand.split("."), strict=True) for rank in ranks}


def cards_in(texts):
    """Every card in what a server has sent, by itself or in a hand."""
    sent = " ".join(texts)
    hands = re.findall(r"[2-9TJQKA]*\.[2-9TJQKA]*\.[2-9TJQKA]*\.[2-9TJQKA]*", sent)
    return set().union(*map(cards_of, hands)) | set(re.findall(r'"([SHDC][2-9TJQKA])"', sent))


def dealt(owner):
    """The cards of every seat, by its letter."""
    return {SEATS[s]: {card_text(int(c)) for c in np.flatnonzero(np.asarray(owner) == s)} for s in range(4)}


def client(**options):
    """Return a client of a new server."""
    return client_of(make_app(TOKEN, **options))


def visitor_of(**options):
    """Return a visitor of a new server."""
    return Visitor(client(**options))


def board(number, **fields):
    """A board as the memory takes it, its deal named by its number."""
    return {
        "number": number, "source": "a random deal", "deal": deal_text(random_deals(1, number, 1)[0]), "dealer": "S",
        "vulnerability": "None", "people": "S", "north_south": "system:sayc", "east_west": "system:sayc",
        "control": "system:sayc", "player": "rule", "calls": "1S Pass 2S Pass Pass Pass", "cards": "", "claimed": None,
        "contract": "2S S", "tricks": 8, "score": 110, "result": "2S S =", "other": "3S S -1", "imps": 4, "helped": 0,
        **fields,
    }  # fmt: skip


def mistake(due=None, cost=5):
    """A mistake on a board, as the memory takes it."""
    return {
        "part": "call", "number": 0, "kind": "openings", "seat": "S", "hand": "AKQ32.98.J72.A54", "made": "1S",
        "better": "1NT", "accepted": "1NT 2NT", "usual": "1NT", "cost": cost, "due": due,
    }  # fmt: skip
