"""Scores against Law 77, IMPs against Law 78B, field scoring by hand-worked fields, par against DDS."""

import re

import numpy as np
import pytest
from reference.scoring import law_77, naive_par
from support.places import DATA

from bridge_env.double_dummy import builtin_library
from bridge_env.rules.calls import STRAINS, Contract, parse_call
from bridge_env.rules.par import par, par_contracts
from bridge_env.rules.scoring import IMP_STEPS, SCORE_TABLE, imps, matchpoint_percent, matchpoints, score

# From the printed table of scores: (contract, tricks, not vulnerable, vulnerable).
WELL_KNOWN = [
    ("1C", 7, 70, 70), ("1NT", 7, 90, 90), ("2S", 8, 110, 110), ("3NT", 10, 430, 630), ("4S", 11, 450, 650),
    ("6C", 12, 920, 1370), ("7NT", 13, 1520, 2220), ("2SX", 8, 470, 670), ("1NTXX", 7, 560, 760),
    ("4SXX", 10, 880, 1080), ("4S", 9, -50, -100), ("4SX", 6, -800, -1100), ("7NTXX", 0, -7000, -7600),
]  # fmt: skip

# The WBF's table: from, to, IMPs.
WBF_IMPS = [
    (0, 10, 0), (20, 40, 1), (50, 80, 2), (90, 120, 3), (130, 160, 4),
    (170, 210, 5), (220, 260, 6), (270, 310, 7), (320, 360, 8), (370, 420, 9),
    (430, 490, 10), (500, 590, 11), (600, 740, 12), (750, 890, 13), (900, 1090, 14),
    (1100, 1290, 15), (1300, 1490, 16), (1500, 1740, 17), (1750, 1990, 18), (2000, 2240, 19),
    (2250, 2490, 20), (2500, 2990, 21), (3000, 3490, 22), (3500, 3990, 23), (4000, 15200, 24),
]  # fmt: skip


def split(contract):
    """'4SX' -> (bid, doubling)."""
    plain = contract.rstrip("X")
    return parse_call(plain) - 3, len(contract) - len(plain)


def test_all_2940_scores_are_those_of_the_oracle():
    for (bid, doubling, vulnerable, tricks), points in np.ndenumerate(SCORE_TABLE):
        assert law_77(bid // 5 + 1, STRAINS[bid % 5], doubling, bool(vulnerable), tricks) == points
    assert SCORE_TABLE.size == 2940
    with pytest.raises(ValueError, match="read-only"):
        SCORE_TABLE[0, 0, 0, 0] = 1


@pytest.mark.parametrize(("contract", "tricks", "not_vulnerable", "vulnerable"), WELL_KNOWN)
def test_well_known_scores(contract, tricks, not_vulnerable, vulnerable):
    bid, doubling = split(contract)
    assert SCORE_TABLE[bid, doubling, :, tricks].tolist() == [not_vulnerable, vulnerable]


def test_score_broadcasts_and_signs():
    bid, doubling = split("4S")
    assert score(bid, doubling, [0, 1, 2, 3], 0, 10).tolist() == [420, -420, 420, -420]
    assert score(bid, 0, [[0], [1]], [0, 1, 2, 3], 10).tolist() == [[420, 620, 420, 620], [-420, -420, -620, -620]]
    assert score(bid, 0, 0, 0, np.arange(14, dtype=np.int8)).dtype == np.int16
    assert score([-1, bid], [0, 0], [-1, 1], 3, [0, 9]).tolist() == [0, 100]
    assert int(score(bid, 1, 3, 2, 9)) == 200


@pytest.mark.parametrize("place", range(5))
@pytest.mark.parametrize("end", [0, 1])
def test_score_refuses_numbers_out_of_range(place, end):
    wrong = [0, 0, 0, 0, 7]
    wrong[place] = ((-2, 35), (-1, 3), (-1, 4), (-1, 4), (-1, 14))[place][end]
    with pytest.raises(ValueError, match="out of range"):
        score(*wrong)


def test_imps_match_the_wbf_table_at_every_edge():
    for low, high, worth in WBF_IMPS:
        assert imps([low, high]).tolist() == [worth, worth]
        assert imps(high + 9) == worth  # no score lies between
    assert imps(30000) == 24
    assert len(IMP_STEPS) == 24


def test_imps_are_symmetric_monotone_and_int8():
    d = np.arange(-16000, 16001, 10)
    assert imps(d).dtype == np.int8
    assert (imps(d) == -imps(-d)).all()
    assert (np.diff(imps(d).astype(int)) >= 0).all()
    assert imps(np.int16(-32768)) == -24
    assert imps([19.9, 20.0, -20.0]).tolist() == [0, 1, -1]


FIELD = np.array([[420, 450, -50, 420, 170], [100, 100, 100, 100, 100]])


def test_matchpoints_by_hand():
    assert matchpoints(FIELD).tolist() == [[5, 8, 0, 5, 2], [4, 4, 4, 4, 4]]
    assert matchpoint_percent(FIELD)[0].tolist() == [62.5, 100.0, 0.0, 62.5, 25.0]


def test_field_scores_are_antisymmetric_and_conserved():
    scores = np.random.default_rng(1).integers(-60, 61, (40, 12)) * 10
    assert (matchpoints(scores) + matchpoints(-scores) == 22).all()
    assert (matchpoints(scores).sum(axis=1) == 12 * 11).all()
    assert matchpoint_percent([[420]]).tolist() == [[50.0]]


DDS_VULNERABILITY = {0: 0, 1: 3, 2: 1, 3: 2}  # none, both, NS, EW


def dds_list():
    """(tricks (4, 5), dealer, vulnerability, PAR strings, PAR2 strings) of the DDS project's 100 deals."""
    for line in (DATA / "dds_list100.txt").read_text().splitlines():
        word, _, rest = line.partition(" ")
        if word == "PBN":
            dealer, vulnerability = (int(x) for x in rest.split()[:2])
        elif word == "TABLE":  # strains S H D C NT, seats N E S W inside
            tricks = np.array(rest.split(), int).reshape(5, 4)[[3, 2, 1, 0, 4]].T
        elif word == "PAR":
            both = re.findall('"(.*?)"', rest)
        elif word == "PAR2":
            yield tricks, dealer, DDS_VULNERABILITY[vulnerability], both, re.findall('"(.*?)"', rest)


def dds_par_contracts(text):
    """'NS:EW 45N,W 3Sx' as {(bid, doubling, declarer)}."""
    found = set()
    for part in text.partition(":")[2].split(","):
        seats, contract = part.split()
        strain = "CDHSN".index(contract.rstrip("x")[-1])
        for level in re.findall(r"\d", contract):
            bid = 5 * (int(level) - 1) + strain
            found |= {(bid, int(contract.endswith("x")), "NESW".index(seat)) for seat in seats}
    return found


def test_par_scores_and_contracts_of_dds():
    cases = list(dds_list())
    assert len(cases) == 100
    tricks = np.array([c[0] for c in cases])
    scores = par(tricks, [c[1] for c in cases], [c[2] for c in cases])
    assert scores.dtype == np.int16
    assert scores.tolist() == [int(c[4][0]) for c in cases]
    for table, dealer, vulnerability, both, _ in cases:
        value, contracts = par_contracts(table, dealer, vulnerability)
        assert both[dealer & 1] == f"{'NE'[dealer & 1]}{'SW'[dealer & 1]} {value if dealer % 2 == 0 else -value}"
        ours = {(c.bid, c.doubling, c.declarer) for c in contracts}
        assert ours == dds_par_contracts(both[2 + (dealer & 1)]), (both, contracts)


def test_par_agrees_with_the_naive_auction():
    """Real tables and nonsense alike: doubling is a decision in the oracle, not an assumption."""
    rng = np.random.default_rng(2)
    tables = np.concatenate([builtin_library().tricks_at(range(60)), rng.integers(0, 14, (60, 4, 5))])
    for i, table in enumerate(tables):
        dealer, vulnerability = int(rng.integers(4)), i % 4
        expected = naive_par(table.tolist(), dealer, vulnerability)
        assert int(par(table[None], dealer, vulnerability)[0]) == expected, (table, dealer, vulnerability)


def test_par_of_a_board_that_nobody_bids():
    assert par_contracts(np.full((4, 5), 6), 2, 3) == (0, [Contract(-1)])


@pytest.mark.parametrize(
    ("tricks", "dealer", "vulnerability", "message"),
    [
        (np.zeros((4, 5)), 0, 0, "shape"),
        (np.full((1, 4, 5), 14), 0, 0, "0..13"),
        (np.zeros((1, 4, 5)), 4, 0, "dealer"),
        (np.zeros((1, 4, 5)), 0, -1, "vulnerability"),
    ],
)
def test_par_refuses_numbers_out_of_range(tricks, dealer, vulnerability, message):
    with pytest.raises(ValueError, match=message):
        par(tricks, dealer, vulnerability)
