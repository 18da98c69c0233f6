"""The boards of a match: cut from the library's endless sequence, or read from a PBN file."""

import numpy as np
import pytest

from bridge_env.double_dummy import Library, builtin_library, write_library
from bridge_env.hands import canonical
from bridge_env.hands.deals import deal_text
from bridge_env.records.pbn import Board, write_boards
from training.evaluation import duplicate
from training.evaluation.boards import BoardsError, library_boards, pbn_boards


@pytest.fixture
def small(tmp_path):
    """A library of 60 deals, so that its boards come round soon."""
    write_library(
        tmp_path / "small.bdl", builtin_library().owners(range(60)), builtin_library().tricks_at(range(60)), {"s": 1}
    )
    return Library.open(tmp_path / "small.bdl")


def same(one, other):
    names = ("owner", "dealer", "vulnerability", "number", "base", "tricks")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


def test_any_cut_of_the_sequence_has_the_same_boards(small):
    every = library_boards(400, 3, "judging", library=small)
    for start, count in ((0, 7), (7, 150), (157, 1), (158, 242), (399, 1)):
        assert same(
            library_boards(count, 3, "judging", start=start, library=small), every.take(slice(start, start + count))
        )
    assert len(library_boards(0, 3)) == 0
    assert not np.array_equal(library_boards(50, 4, "judging", library=small).owner, every.owner[:50])


@pytest.mark.parametrize("split", ["training", "judging"])
def test_boards_stay_on_their_side_of_the_split(small, split):
    boards = library_boards(600, 5, split, library=small)
    assert (canonical.is_judging(boards.owner) == (split == "judging")).all()
    assert boards.share_in_training() == (split == "training")


def test_images_are_exact_and_do_not_repeat(small):
    deals = len(small.split("judging"))
    boards = library_boards(96 * deals, 6, "judging", library=small)
    keys = canonical.canonical_key(boards.owner)
    assert (keys == canonical.canonical_key(small.owners(boards.base))).all()
    assert len({row.tobytes() for row in boards.owner}) == 96 * deals  # every image of every deal once
    assert len(np.unique(boards.base)) == deals
    assert (small.tables_of(boards.owner) == boards.tricks).all()
    first_round = boards.take(slice(0, deals))
    assert (first_round.owner == small.owners(first_round.base)).all()


def test_boards_that_cannot_be_had(small, tmp_path):
    for count, start in ((-1, 0), (5, -1)):
        with pytest.raises(BoardsError, match="both must be 0 or more"):
            library_boards(count, 1, start=start)
    with pytest.raises(ValueError, match="neither"):
        library_boards(5, 1, "neither", library=small)
    rest = small.split("training")
    write_library(tmp_path / "none.bdl", small.owners(rest), small.tricks_at(rest), {})
    with pytest.raises(BoardsError, match=r"none\.bdl: no deal of it is in the split 'judging'"):
        library_boards(5, 1, library=Library.open(tmp_path / "none.bdl"))


@pytest.fixture
def event(tmp_path):
    """Twelve boards of the library, one of them twice, with dealers and vulnerabilities of their own; and a bad one."""
    owner = builtin_library().owners([*range(11), 0])
    path = tmp_path / "event.pbn"
    write_boards(path, [Board(o, (i * 3) % 4, (i * 7) % 4, 40 + i) for i, o in enumerate(owner)])
    text = path.read_text()
    path.write_text(text + '\n[Event "bad"]\n[Board "99"]\n[Dealer "N"]\n[Vulnerable "None"]\n[Deal "N:AK... - - -"]\n')
    return path


def test_boards_of_a_file_are_played_as_they_stand(event):
    result = duplicate.match("system:sayc", "pass", pbn_boards(event))
    boards = result.boards
    assert len(boards) == 12
    assert boards.dealer.tolist() == [(i * 3) % 4 for i in range(12)]
    assert boards.vulnerability.tolist() == [(i * 7) % 4 for i in range(12)]
    facts = result.summary()
    assert (facts["boards"], facts["deals"], facts["dealer_and_vulnerability"]) == (12, 11, "of the file")
    assert facts["problems"] == list(boards.problems)
    assert len(facts["problems"]) == 1
    assert facts["problems"][0].startswith(f"{event}:")
    assert 0 < facts["share_in_training"] <= 1
    assert result.rows()[0]["deal"] == deal_text(builtin_library().owners([0])[0])
    tricks = builtin_library().tricks_at([*range(11), 0])
    for table in result.tables:
        at = np.flatnonzero(table.contracts.bid >= 0)
        assert (table.tricks[at] == tricks[at, table.contracts.declarer[at], table.contracts.bid[at] % 5]).all()


def test_files_without_a_board_are_refused(tmp_path):
    path = tmp_path / "empty.pbn"
    path.write_text("% PBN 2.1\n")
    with pytest.raises(BoardsError, match=r"empty\.pbn: no board can be read \(it holds none\)"):
        pbn_boards(path)
    path.write_text('[Board "1"]\n[Deal "N:AK... - - -"]\n')
    with pytest.raises(BoardsError, match=r"no board can be read \(.*empty\.pbn:\d+: "):
        pbn_boards(path)
    with pytest.raises(FileNotFoundError):
        pbn_boards(tmp_path / "missing.pbn")
