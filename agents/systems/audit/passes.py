"""Check passes by general rules: where the tree passes too, its lines say what a pass shows, and every pass must."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from agents.systems.audit.checks import Lines, Place, auction_text
from agents.systems.audit.probes import ProbeAuction, Responses, Simulator
from agents.systems.engine.compiled import END_RULE, FIRST_RULE, RULE_CALL, RULE_LINE, RULE_SPAN, SPAN_CALL
from bridge_env.hands.deals import hand_text
from bridge_env.hands.features import LENGTH
from bridge_env.rules.calls import PASS

_SUITS = slice(1, 5)  # of what a seat has shown
_NAMES = "♣♦♥♠"
_SHARE, _FEWEST = 0.05, 5  # of the hands that pass by general rules, that must lack a suit for a finding
_NOBODY = np.empty(0, np.int64)


class PassChecks:
    """Count the hands that pass by general rules and lack a suit that a pass shows there by the tree."""

    def __init__(self, simulator: Simulator, lines: Lines) -> None:
        self.simulator, self.lines = simulator, lines
        self._general = np.array([general for general, _ in lines.places], np.bool_)
        self._count: dict[tuple[Place, str], int] = defaultdict(int)
        self._lacking: dict[tuple[Place, str], int] = defaultdict(int)
        self._example: dict[tuple[Place, str], str] = {}

    def see(self, responses: Responses) -> None:
        passed = (responses.rule >= 0) & (responses.call == PASS) & responses.hands.likely[responses.hand]
        rows = np.flatnonzero(passed)
        rows = rows[self._general[responses.rule[rows]]]
        places = {
            k: place for k in np.unique(responses.probe[rows]).tolist() if (place := self._tree_pass(responses, k))
        }
        if not places:
            return
        after = []
        for k in places:
            probe = responses.probes[k]
            after.append(ProbeAuction((*probe.calls, PASS), probe.side, probe.vulnerability, coming=_NOBODY))
        shown = self.simulator.see(after).shown
        for number, (k, place) in enumerate(places.items()):
            probe = responses.probes[k]
            least = shown[number, len(probe.calls) % 4, _SUITS, 0]
            mine = rows[responses.probe[rows] == k]
            cards = responses.features[mine, LENGTH : LENGTH + 4]
            for suit in np.flatnonzero(least >= 4).tolist():
                lacks = np.flatnonzero(cards[:, suit] < least[suit])
                key = place, f"{least[suit]}+{_NAMES[suit]}"
                self._count[key] += len(mine)
                self._lacking[key] += len(lacks)
                if len(lacks):
                    held = hand_text(responses.hands.held[responses.hand[mine[lacks[0]]]])
                    self._example.setdefault(key, f"{held} after {auction_text(probe)}")

    def _tree_pass(self, responses: Responses, probe: int) -> Place | None:
        """Return the first line of the tree that passes where a probe leads."""
        compiled = self.simulator.system.compiled
        for node in sorted(responses.probes[probe].nodes):
            for rule in range(*compiled.parts[node, [FIRST_RULE, END_RULE]].tolist()):
                if compiled.rules[rule, RULE_SPAN] == SPAN_CALL and compiled.rules[rule, RULE_CALL] == PASS:
                    return False, int(compiled.rules[rule, RULE_LINE])
        return None

    def findings(self) -> Iterator[tuple[Place, str]]:
        for key, count in self._count.items():
            if self._lacking[key] >= max(_SHARE * count, _FEWEST):
                place, shows = key
                share = f"{100 * self._lacking[key] / count:.0f}%"
                why = f"a pass shows {shows} by this line, and {share} of the hands that pass by general rules have not"
                yield place, f"{why}, such as {self._example[key]}"
