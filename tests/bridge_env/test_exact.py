"""Exact double-dummy tricks against the DDS project's own tables, and the ways of asking for them."""

from __future__ import annotations

import multiprocessing
import pickle
import subprocess
import sys

import numpy as np
import pytest
from reference.symmetries import permute_suits, permute_tricks, rotate_tricks
from support.dds_deals import SLIDES_DEAL, SLIDES_TABLE, dds_list
from support.places import ROOT

from bridge_env.double_dummy import ExactDoubleDummy, LibraryThenSolver, builtin_library
from bridge_env.double_dummy import exact as exact_module
from bridge_env.hands.deals import parse_deal, random_deals, rotate_deals
from bridge_env.rules import cards


@pytest.fixture(scope="module")
def solver() -> ExactDoubleDummy:
    return ExactDoubleDummy()


def test_tables_of_the_dds_project(solver):
    deals, tables = dds_list()
    assert len(deals) == 100
    np.testing.assert_array_equal(solver.tricks(deals[:8]), tables[:8])


@pytest.mark.slow
def test_more_tables_of_the_dds_project(solver):
    deals, tables = dds_list()
    np.testing.assert_array_equal(solver.tricks(deals[60:]), tables[60:])


def test_the_sample_deal_of_the_2009_slides(solver):
    np.testing.assert_array_equal(solver.tricks(parse_deal(SLIDES_DEAL)), [SLIDES_TABLE])


def test_asked_contracts_only():
    deals, tables = dds_list()
    rows = np.array([0, 1, 2, 0, 3, 4, 0, 1])  # the first row again at the fourth and seventh
    declarer = np.array([0, 1, 2, 0, 3, 0, 2, 1])
    strain = np.array([3, 4, 0, 3, 1, 2, 3, 0])
    solver = ExactDoubleDummy()
    found = solver.tricks_for(deals[rows], declarer, strain)
    assert found.dtype == np.int8
    np.testing.assert_array_equal(found, tables[rows, declarer, strain])
    known = sum(int((table >= 0).sum()) for table in solver._cache.values())
    assert known == 7  # eight rows, one of them twice


def test_what_is_known_is_not_solved_again(monkeypatch):
    deals, tables = dds_list()
    solver = ExactDoubleDummy(cache_size=2)
    solver.tricks(deals[:3])
    monkeypatch.setattr(solver, "_solve", lambda deals, missing, tricks: missing.any() and pytest.fail("solved again"))
    np.testing.assert_array_equal(solver.tricks(deals[1:3]), tables[1:3])
    np.testing.assert_array_equal(solver.tricks_for(deals[2], 1, 3), tables[2:3, 1, 3])
    with pytest.raises(pytest.fail.Exception, match="solved again"):
        solver.tricks(deals[0])  # the oldest went when the third came


def test_no_deals():
    solver = ExactDoubleDummy()
    assert solver.tricks(np.empty((0, 52), np.uint8)).shape == (0, 4, 5)
    assert solver.tricks_for(np.empty((0, 52), np.uint8), [], []).shape == (0,)


def test_what_is_not_a_deal_or_a_contract_is_refused(solver):
    deal = random_deals(0, 0, 1)
    with pytest.raises(cards.DealError, match="not a deal"):
        solver.tricks(np.where(deal == 3, 255, deal))
    with pytest.raises(cards.DealError, match="shape"):
        solver.tricks_for(deal[:, :51], 0, 0)
    with pytest.raises(ValueError, match="declarer"):
        solver.tricks_for(deal, 4, 0)
    with pytest.raises(ValueError, match="strain"):
        solver.tricks_for(deal, 0, -1)
    with pytest.raises(ValueError):
        solver.tricks_for(deal, [0, 1], [0, 1])


def test_default_threads(monkeypatch):
    monkeypatch.delenv("BRIDGE_ENV_SOLVER_THREADS", raising=False)
    monkeypatch.delenv("RAY_RAYLET_PID", raising=False)
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: None)
    assert exact_module.default_threads() >= 1
    monkeypatch.setattr(multiprocessing, "parent_process", object)
    assert exact_module.default_threads() == 1
    monkeypatch.setenv("BRIDGE_ENV_SOLVER_THREADS", "3")
    assert ExactDoubleDummy().threads == 3
    assert ExactDoubleDummy(threads=2).threads == 2
    monkeypatch.setenv("BRIDGE_ENV_SOLVER_THREADS", "many")
    with pytest.raises(ValueError, match="many"):
        exact_module.default_threads()
    with pytest.raises(ValueError, match="thread"):
        ExactDoubleDummy(threads=0)


def test_pickles_without_its_memory(solver):
    again = pickle.loads(pickle.dumps(solver))
    assert again.threads == solver.threads
    assert not again._cache


class Counting:
    """Counts the deals that reach the solver."""

    def __init__(self) -> None:
        self.deals = 0

    def tricks(self, owner):
        self.deals += len(owner)
        return np.full((len(owner), 4, 5), 7, np.int8)

    def tricks_for(self, owner, declarer, strain):
        return self.tricks(owner)[np.arange(len(owner)), declarer, strain]


def test_only_deals_that_the_library_lacks_are_solved():
    library, counting = builtin_library(), Counting()
    source = LibraryThenSolver(counting)
    known = permute_suits(rotate_deals(library.owners([3, 9]), 1), (2, 0, 3, 1))
    deals = np.concatenate([known[:1], random_deals(7, 0, 2), known[1:]])
    tables = permute_tricks(rotate_tricks(library.tricks_at([3, 9]), 1), (2, 0, 3, 1))
    found = source.tricks(deals)
    np.testing.assert_array_equal(found[[0, 3]], tables)
    assert (found[1:3] == 7).all()
    assert counting.deals == 2
    some = source.tricks_for(deals, [0, 1, 2, 3], [4, 3, 2, 1])
    np.testing.assert_array_equal(some, [tables[0, 0, 4], 7, 7, tables[1, 3, 1]])
    assert counting.deals == 4


def test_the_library_does_without_endplay():
    code = (
        "import sys\n"
        "from bridge_env.double_dummy import LibraryThenSolver, builtin_library\n"
        "deals = builtin_library().owners([0, 7])\n"
        "source = LibraryThenSolver()\n"
        "assert (source.tricks(deals) == builtin_library().tricks_at([0, 7])).all()\n"
        "source.tricks_for(deals, 0, 4)\n"
        "heavy = {m.partition('.')[0] for m in sys.modules} & {'endplay', 'matplotlib', 'torch', 'ray'}\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
