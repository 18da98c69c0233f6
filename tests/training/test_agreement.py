"""Agreement with recorded auctions, on a file made here and on WBridge5's where it is at hand."""

import numpy as np
import pytest
from support.places import SHARED

from bridge_env.hands.deals import random_deals
from bridge_env.records.pbn import Board, write_boards
from training.evaluation.boards import BoardsError
from training.evaluation.duplicate import match
from training.evaluation.recorded_calls import agreement, share_table

WBRIDGE5 = SHARED / "wbridge5.pbn.gz"


@pytest.fixture
def recorded(tmp_path):
    """Sixty boards as ``system:sayc`` bids them at all four seats."""
    result = match("system:sayc", "system:sayc", 60, 4)
    boards = result.boards
    history = result.tables[0].history
    path = tmp_path / "sayc.pbn"
    write_boards(
        path,
        [
            Board(boards.owner[i], int(boards.dealer[i]), int(boards.vulnerability[i]), number=i + 1,
                  auction=tuple(int(c) for c in history[i] if c >= 0))
            for i in range(60)
        ],
    )  # fmt: skip
    return path, history


@pytest.mark.parametrize("rounds", ["openings", "all"])
def test_a_bidder_agrees_with_itself(recorded, rounds):
    found, problems = agreement("system:sayc", [recorded[0]], rounds)
    assert found[0].right == found[0].calls >= 60
    assert found[0].right_bids == found[0].bids > 0
    assert "| 100.0 ± 0.0 |" in share_table(found)[2]
    assert not problems


def test_positions_are_counted(recorded):
    path, history = recorded
    calls = int((history >= 0).sum())
    passes = int((history == 0).sum())
    found = agreement("pass", [path], "all")[0][0]
    assert (found.calls, found.right, found.bids, found.right_bids) == (calls, passes, calls - passes, 0)
    (opened,) = agreement("pass", [path], "openings")[0]
    first_bid = np.where((history >= 3).any(axis=1), (history >= 3).argmax(axis=1), 3)
    assert opened.calls == int((first_bid + 1).sum())


def test_a_file_without_an_auction_is_an_error(tmp_path):
    path = tmp_path / "deals.pbn"
    write_boards(path, [Board(random_deals(0, 0, 1)[0], 0, 0, number=1)])
    with pytest.raises(BoardsError, match="no board has both"):
        agreement("pass", [path])


@pytest.mark.weekly
@pytest.mark.slow
@pytest.mark.skipif(not WBRIDGE5.exists(), reason="the recorded boards of WBridge5 are not at hand")
def test_sayc_opens_as_wbridge5_does():
    (found,) = agreement("system:sayc", [WBRIDGE5])[0]
    assert found.calls > 14_000
    assert found.right > 0.89 * found.calls
