"""Find a hand for a line that the common hands never come to; or the lines that take every such hand before it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from agents.hierarchy.engine.compiled import END_RULE, FIRST_RULE, RULE_LINE, Compiled
from agents.hierarchy.sound.scenes import Hands, Scene, Theatre, arrays, draw_hands
from bridge_env.features import HCP, LENGTH, POINTS, hand_features

_MOST_SCENES = 24  # of one line, in which a hand is looked for
_MOST_HANDS = 12_000  # looked at in one scene


class Reserve:
    """Many hands of all kinds, from which to look for some."""

    def __init__(self, count: int = 300_000, seed: int = 2) -> None:
        self.held = draw_hands(count, seed)
        self.features = hand_features(self.held)

    def within(self, shown: NDArray[np.int16]) -> NDArray[np.int64]:
        """Hands, by number, in ranges of strength and lengths: int16 (5, 2)."""
        f = self.features
        fit = np.maximum(f[:, HCP], f[:, POINTS]) >= shown[0, 0]
        fit &= f[:, HCP] <= shown[0, 1]
        for suit in range(4):
            fit &= (f[:, LENGTH + suit] >= shown[1 + suit, 0]) & (f[:, LENGTH + suit] <= shown[1 + suit, 1])
        return np.flatnonzero(fit)


class Partner:
    """Tells whether partner makes the calls of scenes with any hand; what it finds it keeps."""

    def __init__(self, theatre: Theatre, reserve: Reserve) -> None:
        self.theatre, self.reserve = theatre, reserve
        self._known: dict[tuple[tuple[int, ...], int, int], bool] = {}

    def can(self, scene: Scene) -> bool:
        """Does some hand make partner's last call, and those before it?"""
        at = len(scene.calls) - 2
        if at < 0:
            return True
        key = scene.calls[: at + 1], scene.side, scene.vulnerability
        if key not in self._known:
            before = Scene(scene.calls[:at], scene.side, scene.vulnerability)
            hands = self.reserve.within(_shown(self.theatre, before)[at % 4])[:_MOST_HANDS]
            drawn = Hands.of(self.reserve.held[hands])
            coming = _as_called(self.theatre, drawn, before, np.arange(len(hands)))
            before.coming = coming
            self._known[key] = bool(len(coming)) and scene.calls[at] in self.theatre.see([before], drawn).call
        return self._known[key]


def reach(theatre: Theatre, reserve: Reserve, line: int, scenes: Sequence[Scene]) -> Counter[int]:
    """Look for a hand that comes to a line of the tree, in scenes that lead to its nodes.

    Returns:
        The lines that took the hands which have what it asks for and have bid as its path says (-1: a general rule),
        and how many; itself among them where it is reached.
    """
    compiled = theatre.system.compiled
    takers: Counter[int] = Counter()
    for scene in _spread(scenes, _MOST_SCENES):
        part = next(node for node in scene.nodes if line in lines_at(compiled, node))
        first, end = compiled.parts[part, FIRST_RULE], compiled.parts[part, END_RULE]
        hands = reserve.within(_shown(theatre, scene)[len(scene.calls) % 4])[:_MOST_HANDS]
        if not len(hands):
            continue
        drawn = Hands.of(reserve.held[hands])
        state, calls, _ = arrays([scene])
        wanted = np.zeros(len(hands), np.bool_)
        for rule in range(first, end):
            if compiled.rules[rule, RULE_LINE] == line:
                wanted |= theatre.positions.asked(drawn.features, state[0], calls[0], part, rule)
        coming = _as_called(theatre, drawn, scene, np.flatnonzero(wanted))
        if not len(coming):
            continue
        seen = theatre.see([Scene(scene.calls, scene.side, scene.vulnerability, coming=coming)], drawn)
        lines = np.where(seen.rule < 0, -1, compiled.rules[seen.rule, RULE_LINE])
        lines[seen.rule >= compiled.parts[len(compiled.children), FIRST_RULE]] = -1
        takers.update(lines.tolist())
        if line in lines:
            break
    return takers


def _shown(theatre: Theatre, scene: Scene) -> NDArray[np.int16]:
    """What the seats have shown in a scene: (4, 5, 2)."""
    at = Scene(scene.calls, scene.side, scene.vulnerability, coming=np.empty(0, np.int64))
    found: NDArray[np.int16] = theatre.see([at]).shown[0]
    return found


def _as_called(theatre: Theatre, drawn: Hands, scene: Scene, hands: NDArray[np.int64]) -> NDArray[np.int64]:
    """Those of the hands that make their seat's own calls up to a scene."""
    for at in range(len(scene.calls) % 4, len(scene.calls), 4):
        if not len(hands):
            break
        before = Scene(scene.calls[:at], scene.side, scene.vulnerability, coming=hands)
        seen = theatre.see([before], drawn)
        hands = hands[seen.call == scene.calls[at]]
    return hands


def lines_at(compiled: Compiled, node: int) -> set[int]:
    """The lines of the tree that may call at a node."""
    first, end = compiled.parts[node, FIRST_RULE : END_RULE + 1]
    return set(compiled.rules[first:end, RULE_LINE].tolist())


def _spread(scenes: Sequence[Scene], most: int) -> Sequence[Scene]:
    if len(scenes) <= most:
        return scenes
    return [scenes[k] for k in np.linspace(0, len(scenes) - 1, most).astype(int)]
