"""Ask players for cards and survive their faults: a stuck, failing or cheating player loses only its own board."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bridge_env.cards import card_text
from bridge_env.faults import BidderUnreachable, last_line
from bridge_env.play_view import PlayView
from bridge_env.protocols import CardPlayer
from training.running.patience import TookTooLong, within

SECONDS_A_CARD = 120.0
_FAULT = np.int8(-1)


@dataclass(eq=False)
class Guard:
    """Gives a player's cards, -1 where there is none that can be played; what was wrong stands in ``faults``.

    A player that does not answer in time is left alone in a thread of its own, which ends with the process.
    """

    seconds: float = SECONDS_A_CARD  # what a player may take for each row it is asked about
    faults: dict[int, str] = field(default_factory=dict)  # row -> what was wrong there

    def __call__(
        self, player: CardPlayer, view: PlayView, key: NDArray[np.uint64], rows: NDArray[np.int64]
    ) -> NDArray[np.int8]:
        mask = view.mask.copy()  # the player may write to its own
        cards, why = self._asked(player, view, key)
        if cards is not None:
            legal = _legal(mask, cards)
            for at in np.flatnonzero(~legal):
                card = card_text(int(cards[at])) if 0 <= cards[at] < 52 else cards[at]
                self.faults[int(rows[at])] = f"{_name(player)} played {card}, which is not legal"
            return np.where(legal, cards, _FAULT).astype(np.int8)
        if len(rows) == 1:
            self.faults[int(rows[0])] = f"{_name(player)} {why}"
            return np.full(1, _FAULT)
        # Which of the boards it is, shows when it is asked about them one by one.
        return np.concatenate([
            self(player, view.take(np.array([at])), key[at : at + 1], rows[at : at + 1]) for at in range(len(rows))
        ])  # fmt: skip

    def _asked(
        self, player: CardPlayer, view: PlayView, key: NDArray[np.uint64]
    ) -> tuple[NDArray[np.integer] | None, str]:
        """The cards, or None and why there are none."""
        try:
            answer = within(self.seconds * len(view), lambda: np.asarray(player.play(view, key)))
        except TookTooLong:
            return None, f"gave no card within {self.seconds:g} seconds"
        except (KeyboardInterrupt, BidderUnreachable):  # who is not there will not be there for the next board
            raise
        except BaseException as error:  # a user's player may fail in any way
            return None, f"failed: {last_line(error)}"
        if answer.shape != (len(view),) or not np.issubdtype(answer.dtype, np.integer):
            return None, f"was asked for {len(view)} cards and gave {answer.dtype} {answer.shape}"
        return answer, ""


def _legal(mask: NDArray[np.bool_], cards: NDArray[np.integer]) -> NDArray[np.bool_]:
    inside = (cards >= 0) & (cards < 52)
    legal: NDArray[np.bool_] = inside & mask[np.arange(len(mask)), np.where(inside, cards, 0)]
    return legal


def _name(player: CardPlayer) -> str:
    return f"player {type(player).__module__}.{type(player).__qualname__}"
