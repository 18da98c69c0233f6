"""Check passes by general rules: where the tree passes too, its lines say what a pass shows, and every pass must."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from agents.systems.audit.checks import Lines, Place, ViolationCount, auction_text
from agents.systems.audit.probes import ProbeAuction, Responses, Simulator
from agents.systems.engine.compiled import END_RULE, FIRST_RULE, RULE_CALL, RULE_LINE, RULE_SPAN, SPAN_CALL
from bridge_env.hands.deals import hand_text
from bridge_env.hands.features import LENGTH
from bridge_env.rules.calls import PASS

_SUITS = slice(1, 5)  # of what a seat has shown
_NAMES = "♣♦♥♠"
_NOBODY = np.empty(0, np.int64)


class PassChecks:
    """Count the hands that pass by general rules and lack a suit that a pass shows there by the tree."""

    def __init__(self, simulator: Simulator, lines: Lines) -> None:
        self.simulator, self.lines = simulator, lines
        self._general = np.array([general for general, _ in lines.places], np.bool_)
        self._tally: dict[tuple[Place, str], ViolationCount] = defaultdict(ViolationCount)

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
                found = self._tally[place, f"{least[suit]}+{_NAMES[suit]}"]
                found.rows += len(mine)
                found.bad += len(lacks)
                if len(lacks) and not found.example:
                    held = hand_text(responses.hands.held[responses.hand[mine[lacks[0]]]])
                    found.example = f"{held} after {auction_text(probe)}"

    def _tree_pass(self, responses: Responses, probe: int) -> Place | None:
        """Return the first line of the tree that passes where a probe leads."""
        compiled = self.simulator.system.compiled
        for node in sorted(responses.probes[probe].nodes):
            for rule in range(*compiled.parts[node, [FIRST_RULE, END_RULE]].tolist()):
                if compiled.rules[rule, RULE_SPAN] == SPAN_CALL and compiled.rules[rule, RULE_CALL] == PASS:
                    return False, int(compiled.rules[rule, RULE_LINE])
        return None

    def findings(self) -> Iterator[tuple[Place, str]]:
        for (place, shows), found in self._tally.items():
            if found.is_finding:
                of = f"{found.percent} of the hands that pass by general rules"
                yield place, f"a pass shows {shows} by this line, and {of} have not, such as {found.example}"
