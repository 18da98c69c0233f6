"""Options of specs: one reader for bidders, card players and seats."""

from __future__ import annotations

import pytest

from agents.options import read_options
from bridge_env.bidders.registry import SpecError
from bridge_table.programs.seat import SeatOptions as Seat

CHOICES = {"tournament": ("imps", "mp")}


def test_a_value_takes_the_type_of_its_default_and_the_rest_stays():
    usual = Seat(retries=5)
    read = read_options("parallel=3&timeout=2&tournament=mp", "x", usual, CHOICES, "a seat")
    assert read == Seat(parallel=3, timeout=2.0, retries=5, tournament="mp")
    assert isinstance(read.timeout, float)
    assert read_options("", "x", usual, CHOICES, "a seat") == usual


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("paralel=3", "'paralel' is not an option of a seat; its options are parallel, timeout"),
        ("tournament=fax", "tournament must be imps or mp, not 'fax'"),
        ("retries=some", "retries must be a whole number, not 'some'"),
        ("retries=1.5", "retries must be a whole number, not '1.5'"),
        ("timeout=soon", "timeout must be a number, not 'soon'"),
    ],
)
def test_a_faulty_option_is_named_with_what_would_do(text: str, says: str):
    with pytest.raises(SpecError, match=f"^'my spec': {says}"):
        read_options(text, "my spec", Seat(), CHOICES, "a seat")
