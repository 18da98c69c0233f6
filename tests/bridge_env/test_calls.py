"""Calls and contracts: numbers and texts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge_env.rules.calls import (
    CALL_NAMES,
    DOUBLE,
    FIRST_BID,
    NUM_BIDS,
    NUM_CALLS,
    PASS,
    REDOUBLE,
    STRAINS,
    CallError,
    Contract,
    bid_call,
    call_text,
    first_calls,
    level_of,
    parse_call,
    parse_result,
    strain_of,
)

contracts = st.builds(Contract, st.integers(0, NUM_BIDS - 1), st.integers(0, 2), st.integers(0, 3))


def test_the_38_calls():
    assert len(CALL_NAMES) == len(set(CALL_NAMES)) == NUM_CALLS == 38
    assert [call_text(c) for c in (0, 1, 2, 3, 4, 7, 8, 37)] == ["Pass", "X", "XX", "1C", "1D", "1NT", "2C", "7NT"]
    for level in range(1, 8):
        for strain, name in enumerate(STRAINS):
            call = bid_call(level, strain)
            assert (level_of(call), strain_of(call)) == (level, strain)
            assert call_text(call) == f"{level}{name}"


@given(st.integers(0, NUM_CALLS - 1), st.sampled_from([str.lower, str.upper, str.title, "  {} ".format]))
def test_calls_round_trip_through_text(call, change):
    assert parse_call(change(call_text(call))) == call
    assert parse_call(call) == call


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("P", PASS), ("pass", PASS), ("--", PASS), ("X", DOUBLE), ("Dbl", DOUBLE), ("double", DOUBLE), ("d", DOUBLE),
        ("XX", REDOUBLE), ("Rdbl", REDOUBLE), ("redouble", REDOUBLE), ("r", REDOUBLE),
        ("1N", 7), ("1nt", 7), ("7N", 37), ("3h", 15), (0, 0), (37, 37),
    ],
)  # fmt: skip
def test_synonyms(text, call):
    assert parse_call(text) == call


@pytest.mark.parametrize("text", ["", "8C", "0NT", "1", "1Z", "NT", "1NTX", "1CC", "XXX", "pas", "4SX", "1 N T"])
def test_texts_that_are_no_calls(text):
    with pytest.raises(CallError, match=f"^{text!r} is not a call; use Pass, X, XX or a bid from 1C to 7NT"):
        parse_call(text)


@pytest.mark.parametrize("function", [parse_call, call_text])
def test_numbers_that_are_no_calls(function):
    for number in (-1, 38, 1000):
        with pytest.raises(CallError, match="numbers go from 0"):
            function(number)


@given(contracts)
def test_contracts_round_trip_through_text(contract):
    assert Contract.parse(str(contract)) == contract
    assert Contract.parse(str(contract).lower()) == contract
    assert 1 <= contract.level <= 7
    assert bid_call(contract.level, contract.strain) - FIRST_BID == contract.bid


@pytest.mark.parametrize(
    ("text", "contract", "tricks"),
    [
        ("Pass", "Pass", None), ("passed out", "Pass", None), ("4SX N", "4SX N", None), ("4s dbl by n", "4SX N", None),
        ("3N W", "3NT W", None), ("1CXXE", "1CXX E", None), ("7NT RDBL S", "7NTXX S", None), ("4S**E-2", "4SXX E", 8),
        ("4SXE-1", "4SX E", 9), ("3NTN=", "3NT N", 9), ("3nw+1", "3NT W", 10), ("4SWx-4", "4SX W", 6),
        ("4\u2660N", "4S N", None),
    ],
)  # fmt: skip
def test_contracts_and_results(text, contract, tricks):
    found = parse_result(text)
    assert (str(found[0]), found[1]) == (contract, tricks)
    assert Contract.parse(text) == found[0]
    assert parse_result(text + "?") is parse_result("7NTN+1") is None


@pytest.mark.parametrize("text", ["", "4S", "8C N", "4SXXX N", "NT N", "4S Q", "4X N"])
def test_texts_that_are_no_contracts(text):
    with pytest.raises(CallError, match=f"^{text!r} is not a contract with its declarer"):
        Contract.parse(text)


def test_first_calls_cut_auctions_off():
    history = np.array([[3, 0, 8, -1], [0, 0, 0, 0]], np.int8)
    cut = first_calls(history, np.array([1, 4]))
    assert cut.tolist() == [[3, -1, -1, -1], [0, 0, 0, 0]]
    assert cut.dtype == np.int8
    assert history[0, 1] == 0
