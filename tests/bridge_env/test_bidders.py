"""Conformance of all bidders, one line in ``SPECS`` each, and messages for bad specs."""

import pickle
import re
from functools import cache
from importlib.metadata import EntryPoint

import numpy as np
import pytest
from support.bidders import positions

from agents.cases.base import save as save_cases
from agents.maps.atlas import save as save_maps
from agents.networks import file as networks_file
from bridge_env.bidders import registry
from bridge_env.bidders.builtin import DoublerBidder, PassBidder, RandomBidder
from bridge_env.bidders.protocols import Bidder
from bridge_env.bidders.registry import SpecError, player_at
from bridge_env.bidders.view import view_of
from bridge_env.hands.deals import random_deals
from bridge_env.rng import streams
from bridge_env.rules.auction import MAX_CALLS, Auctions, one_auction
from bridge_env.rules.calls import DOUBLE, NUM_CALLS, PASS, parse_call

SPECS = [
    "pass",
    "random",
    "doubler",
    "python:bridge_env.bidders.builtin:RandomBidder",
    "python:test_bidders:make_timid",
    "python:test_bidders:BOLD",
    "system:sayc",
    "pair:system:sayc,pass",
    "pair:random,system:sayc",
    "policy:FILE",
    "policy:BELIEF",
    "policy:polish",
    "policy:by-the-book",
    "reason:policy:by-the-book?samples=4",
    "reason:policy:BELIEF?samples=4",
    "cases:TREES",
    "som:MAPS",
    "som:LEARNED",
    "reason:sayc?samples=4",
    "reason:empty?samples=4",
    "pair:reason:sayc?samples=4&looks=2,system:sayc",
]


class Bold:
    """A user's own bidder: always the cheapest bid."""

    def bid(self, view, key):
        return np.where(view.mask[:, 3:].any(axis=1), view.mask[:, 3:].argmax(axis=1) + 3, PASS).astype(np.int8)


BOLD = Bold()


def make_timid():
    return PassBidder()


def write_files(folder):
    """Write the files that the words of specs mean, with random weights or fitted to fifty boards."""
    from support.learners import observation_policy, small_atlas, small_base, with_belief

    networks_file.save(observation_policy().networks, folder / "FILE.npz")
    networks_file.save(with_belief(), folder / "BELIEF.npz")
    save_cases(small_base(folder), folder / "TREES.npz")
    for word, inputs in (("MAPS", "published"), ("LEARNED", "learned")):
        save_maps(small_atlas(inputs), folder / f"{word}.npz")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("bidders")
    write_files(path)
    return path


@pytest.fixture(params=SPECS)
def bidder(request, folder):
    return registry.make(
        re.sub(r"\b(FILE|BELIEF|TREES|MAPS|LEARNED)\b", lambda word: str(folder / f"{word[0]}.npz"), request.param)
    )


def enough(bidder, count):
    """Return a number of positions: fewer for bidders that take milliseconds each."""
    return max(2, count // 200) if getattr(player_at(bidder, 0), "slow", False) else count


known_positions = cache(positions)  # for tests that leave them alone


def test_calls_are_legal_and_of_the_right_kind(bidder):
    count = enough(bidder, 1_000)
    auctions, owner, key = known_positions(count, seed=1)
    view = view_of(auctions, owner)
    calls = bidder.bid(view, key)
    assert isinstance(bidder, Bidder)
    assert isinstance(calls, np.ndarray)
    assert calls.dtype == np.int8
    assert calls.shape == (count,)
    assert view.mask[np.arange(count), calls].all()


def test_the_same_key_makes_the_same_call_and_the_view_is_not_changed(bidder):
    auctions, owner, key = known_positions(enough(bidder, 200), seed=2)
    view = view_of(auctions, owner)
    copy = pickle.loads(pickle.dumps(view))
    first = bidder.bid(view, key)
    np.testing.assert_array_equal(bidder.bid(view, key), first)
    for name in ("hand", "history", "length", "dealer", "vulnerability", "seat", "mask"):
        np.testing.assert_array_equal(getattr(view, name), getattr(copy, name))


def test_a_batch_equals_its_rows_in_any_order_and_any_cut(bidder):
    count = enough(bidder, 120)
    auctions, owner, key = known_positions(count, seed=3)
    view = view_of(auctions, owner)
    calls = bidder.bid(view, key)
    order = np.random.default_rng(3).permutation(count)
    np.testing.assert_array_equal(bidder.bid(view.take(order), key[order]), calls[order])
    for rows in np.array_split(order, 7):
        np.testing.assert_array_equal(bidder.bid(view_of(auctions, owner, rows), key[rows]), calls[rows])
    for row in order[:20]:
        one = np.array([row])
        np.testing.assert_array_equal(bidder.bid(view_of(auctions, owner, one), key[one]), calls[one])


def test_an_empty_batch_has_no_calls(bidder):
    auctions, owner, key = known_positions(5, seed=4)
    nobody = np.zeros(5, bool)
    for view in (view_of(auctions, owner, nobody), view_of(auctions, owner).take(nobody)):
        calls = bidder.bid(view, key[nobody])
        assert calls.dtype == np.int8
        assert calls.shape == (0,)


def test_a_pickled_copy_calls_the_same(bidder):
    auctions, owner, key = known_positions(enough(bidder, 120), seed=5)
    view = view_of(auctions, owner)
    copy = pickle.loads(pickle.dumps(bidder))
    np.testing.assert_array_equal(copy.bid(view, key), bidder.bid(view, key))


def test_the_hand_alone_decides_and_not_the_seat(bidder):
    """Turning the table by two seats changes nothing but names, save for a pair whose players differ."""
    if type(bidder).__name__ == "PairBidder":
        pytest.skip("the two players of a pair differ")
    auctions, owner, key = known_positions(enough(bidder, 200), seed=6)
    turned = Auctions.replay(auctions.history, (auctions.dealer + 2) % 4, auctions.vulnerability)
    across = bidder.bid(view_of(turned, (owner + 2) % 4), key)
    np.testing.assert_array_equal(across, bidder.bid(view_of(auctions, owner), key))


@pytest.mark.parametrize("wild", [False, True], ids=["from the start", "after wild histories"])
def test_auctions_end(bidder, wild):
    count = enough(bidder, 100)
    if wild:
        auctions, owner, key = positions(count, seed=7)
    else:
        owner, key = random_deals(7, 0, count), streams.key("test", 7, np.arange(count))
        auctions = Auctions(np.arange(count) % 4, np.arange(count) // 4 % 4)
    for _ in range(MAX_CALLS + 1):
        rows = np.flatnonzero(~auctions.done)
        if not rows.size:
            break
        auctions.step(bidder.bid(view_of(auctions, owner, rows), streams.key(key[rows], auctions.length[rows])), rows)
    assert auctions.done.all()
    assert auctions.length.max() <= MAX_CALLS


def test_random_takes_every_legal_call_equally_often():
    auction = one_auction([parse_call(c) for c in ("6NT", "X")], dealer=0)
    owner = np.repeat(random_deals(1, 0, 1), 12_000, axis=0)
    view = view_of(auction, owner[:1]).take(np.zeros(12_000, np.int64))
    calls = RandomBidder().bid(view, streams.key("test", np.arange(12_000)))
    found = np.bincount(calls, minlength=NUM_CALLS)
    legal = np.flatnonzero(view.mask[0])
    assert len(legal) == 7  # Pass, XX and 7C to 7NT
    assert found.sum() == found[legal].sum()
    assert np.abs(found[legal] - 12_000 / 7).max() < 5 * (12_000 / 7) ** 0.5


def test_doubler_doubles_opposing_bids_from_2nt_up():
    def answer(*words):
        auction = one_auction([parse_call(w) for w in words], dealer=0)
        return int(DoublerBidder().bid(view_of(auction, random_deals(1, 0, 1)), streams.key(0))[0])

    assert answer("2NT") == DOUBLE
    assert answer("2S") == PASS
    assert answer() == PASS
    assert answer("2NT", "P") == PASS  # partner's
    assert answer("2NT", "P", "P") == DOUBLE
    assert answer("2NT", "X", "P") == PASS  # doubled already
    assert answer("7NT") == DOUBLE


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("", "names no bidder; there are pass, random, doubler"),
        ("nonsense:x", "names no bidder; there are pass"),
        ("pass:3", "'pass' takes no argument"),
        ("python:", "write python:package.module:factory"),
        ("python:math", "write python:package.module:factory"),
        ("python:no_such_module_anywhere:f", "No module named 'no_such_module_anywhere'"),
        ("python:math:nothing", "has no attribute 'nothing'"),
        ("python:math:pi", "'float' object is not callable"),
        ("python:math:sqrt", "TypeError: math.sqrt"),
        ("python:builtins:dict", "gave dict, which has no method bid"),
        (3, "neither a spec string nor a Bidder"),
        (PassBidder, "neither a spec string nor a Bidder"),
    ],
)
def test_bad_specs_are_refused_with_the_reason(spec, message):
    with pytest.raises(SpecError, match=message) as caught:
        registry.make(spec)
    assert repr(spec) in str(caught.value)


@pytest.mark.parametrize("spec", ["system:", "system:no_such_system", "pair:", "pair:pass", "pair:pass,pass,pass",
                                  "pair:pass,nonsense", "system:no/such/file.bidding", "policy:",
                                  "policy:no.npz", "cases:", "cases:no.npz", "som:", "som:no.npz",
                                  "reason:", "reason:nobody", "reason:sayc?speed=3"])  # fmt: skip
def test_bad_specs_of_published_factories(spec):
    with pytest.raises(SpecError):
        registry.make(spec)


def nobody(argument, **_):
    """A factory that makes no bidder."""


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("no_such_package.registry:make", r"cannot load no_such_package\.registry"),
        ("test_bidders:nobody", "gave NoneType, which has no method bid"),
    ],
)
def test_a_published_factory_that_fails_is_named(value, message, monkeypatch):
    broken = EntryPoint("broken", value, registry.ENTRY_POINT_GROUP)
    monkeypatch.setattr(registry, "_published", lambda: {"broken": broken})
    with pytest.raises(SpecError, match=f"'broken:x': .*({message})"):
        registry.make("broken:x")


def test_a_short_name_of_two_bidders_is_refused():
    with pytest.raises(SpecError, match=r"system:champion, a system, and policy:champion"):
        registry.make("champion")
    for name in ("sayc", "acol"):
        assert type(registry.make(name)) is type(registry.make(f"system:{name}"))


def test_a_bidder_is_returned_as_it_is_and_a_factory_called():
    assert registry.make(BOLD) is BOLD
    assert registry.make("python:test_bidders:Bold").__class__.__name__ == "Bold"
    assert registry.make(" random ") == RandomBidder()
