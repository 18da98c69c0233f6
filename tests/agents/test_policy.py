"""``policy:FILE``: exact arithmetic, the file, and what a damaged or hostile file gets for an answer."""

import io
import json
import os
import pickle
import subprocess
import sys
import zipfile
from itertools import pairwise

import numpy as np
import pytest
from support.positions import positions

from agents import outputs
from agents.bidder_files import BidderFileError
from agents.policy import Policy, load, policy, save
from agents.registry import make_policy
from bridge_env.bidders import SpecError
from bridge_env.calls import NUM_CALLS
from bridge_env.observation import OBSERVATION_SIZE, observe
from bridge_env.view import view_of


def random_policy(seed=1, widths=(64, 32), spread=0.2):
    rng = np.random.default_rng(seed)
    sizes = [OBSERVATION_SIZE, *widths, NUM_CALLS]
    layers = [(rng.normal(0, spread, (a, b)), rng.normal(0, spread, b)) for a, b in pairwise(sizes)]
    return policy(layers, {"by": "nobody", "steps": 3})


def views(count, seed):
    auctions, owner, key = positions(count, seed)
    return view_of(auctions, owner), key


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "policy.npz"
    save(random_policy(), path)
    return path


# --- what it calls -------------------------------------------------------------------------------------------


def test_the_highest_legal_output_is_called():
    bidder = random_policy()
    view, key = views(2_000, seed=1)
    outputs = bidder.logits(observe(view))
    expected = [max(np.flatnonzero(mask), key=lambda call: o[call]) for o, mask in zip(outputs, view.mask, strict=True)]
    np.testing.assert_array_equal(bidder.bid(view, key), expected)


def test_in_a_tie_the_lowest_legal_call():
    flat = policy([(np.zeros((OBSERVATION_SIZE, NUM_CALLS)), np.zeros(NUM_CALLS))])
    view, key = views(200, seed=2)
    np.testing.assert_array_equal(flat.bid(view, key), view.mask.argmax(axis=1))


def test_outputs_are_those_of_the_perceptron_to_a_thousandth():
    rng = np.random.default_rng(3)
    layers = [(rng.normal(0, 0.1, (480, 64)), rng.normal(0, 0.1, 64)), (rng.normal(0, 0.1, (64, 38)), np.ones(38))]
    view, _ = views(300, seed=3)
    x = observe(view).astype(float)
    plain = np.maximum(x @ layers[0][0] + layers[0][1], 0) @ layers[1][0] + layers[1][1]
    np.testing.assert_allclose(policy(layers).logits(observe(view)), plain, atol=2e-3)


@pytest.mark.parametrize("spread", [0.02, 0.2, 1.0])
def test_outputs_have_the_same_bits_in_any_batch(spread):
    """Not only the calls: sums are exact, so BLAS may add in any order."""
    bidder = random_policy(seed=4, widths=(33, 65), spread=spread)
    seen = observe(views(257, seed=4)[0])
    whole = bidder.logits(seen)
    for size in (1, 2, 3, 7, 16, 64, 250):
        parts = [bidder.logits(seen[at : at + size]) for at in range(0, len(seen), size)]
        np.testing.assert_array_equal(np.concatenate(parts), whole)
    order = np.random.default_rng(4).permutation(len(seen))
    np.testing.assert_array_equal(bidder.logits(np.asfortranarray(seen[order])), whole[order])


def test_long_batches_are_cut(monkeypatch):
    bidder = random_policy()
    view, key = views(500, seed=5)
    whole = bidder.bid(view, key)
    monkeypatch.setattr(outputs, "_ROWS", 64)
    np.testing.assert_array_equal(bidder.bid(view, key), whole)


@pytest.mark.parametrize(
    ("layers", "says"),
    [
        ([], "0 layers"),
        ([(np.zeros((480, 38)), np.zeros(38))] * 17, "17 layers"),
        ([(np.zeros((479, 38)), np.zeros(38))], "layer 0 is"),
        ([(np.zeros((480, 38)), np.zeros(37))], "layer 0 is"),
        ([(np.zeros((480, 8)), np.zeros(8)), (np.zeros((9, 38)), np.zeros(38))], "layer 1 is"),
        ([(np.zeros((480, 37)), np.zeros(37))], "37 outputs"),
        ([(np.full((480, 38), np.nan), np.zeros(38))], "not below 128"),
        ([(np.zeros((480, 38)), np.full(38, -np.inf))], "not below 128"),
        ([(np.full((480, 38), 200.0), np.zeros(38))], "not below 128"),
        ([(np.full((480, 480), 100.0), np.zeros(480))] * 2 + [(np.full((480, 38), 100.0), np.zeros(38))], "exactly"),
    ],
)
def test_layers_that_make_no_policy(layers, says):
    with pytest.raises(ValueError, match=says):
        policy(layers)


# --- the file ------------------------------------------------------------------------------------------------


def test_what_was_saved_is_loaded(file):
    bidder, again = random_policy(), load(file)
    assert isinstance(again, Policy)
    assert again.trained == {"by": "nobody", "steps": 3}
    for ours, theirs in zip(bidder.layers, again.layers, strict=True):
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(a, b)
    first = file.read_bytes()
    save(again, file)
    assert file.read_bytes() == first
    assert os.listdir(file.parent) == ["policy.npz"]


def test_the_same_through_the_registry(file):
    view, key = views(300, seed=6)
    np.testing.assert_array_equal(make_policy(str(file)).bid(view, key), random_policy().bid(view, key))
    assert make_policy(str(file), partner="pass", opponents="system:sayc") is not None


def test_the_header_is_json_that_anyone_can_read(file):
    with np.load(file) as members:
        header = json.loads(members["header"].tobytes())
    assert header["format"] == "bridge-env policy"
    assert header["layers"] == [[480, 64], [64, 32], [32, 38]]
    assert header["observation"] == "openspiel-480/1"


def test_it_needs_neither_torch_nor_sb3(file):
    code = f"""
import sys
sys.modules.update(torch=None, stable_baselines3=None, sb3_contrib=None)
from agents.registry import make_policy
from training.match.duplicate import match
match = play(make_policy({str(file)!r}), "pass", 50)
assert len(match.imps) == 50
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def refused(path, says):
    with pytest.raises(BidderFileError, match=says) as caught:
        load(path)
    assert isinstance(caught.value, SpecError)
    assert str(path) in str(caught.value)


def test_files_that_are_something_else(tmp_path):
    refused(tmp_path / "nothing.npz", "there is no such file")
    refused(tmp_path, "cannot be read")
    for content in (b"", b"hello", b"PK\x03\x04", pickle.dumps([1])):
        (tmp_path / "other").write_bytes(content)
        refused(tmp_path / "other", "this is not a policy file")
    np.savez(tmp_path / "foreign.npz", weights=np.zeros(3))
    refused(tmp_path / "foreign.npz", "'header' is missing")


def test_a_file_cut_or_changed_anywhere_is_refused(file):
    good = file.read_bytes()
    for cut in range(0, len(good), max(1, len(good) // 100)):
        file.write_bytes(good[:cut])
        refused(file, "policy")
    rng = np.random.default_rng(7)
    for at in rng.integers(len(good), size=200):
        file.write_bytes(good[:at] + bytes([good[at] ^ (1 << int(rng.integers(8)))]) + good[at + 1 :])
        try:
            again = load(file)
        except BidderFileError:
            continue
        for ours, theirs in zip(random_policy().layers, again.layers, strict=True):  # a byte that says nothing
            np.testing.assert_array_equal(ours[0], theirs[0])
            np.testing.assert_array_equal(ours[1], theirs[1])


class Bomb:
    def __reduce__(self):
        return os.system, ("touch bomb-went-off",)


def members_of(file):
    with np.load(file) as members:
        return dict(members)


def test_pickles_are_not_loaded(file, monkeypatch):
    monkeypatch.chdir(file.parent)
    np.savez(file, **(members_of(file) | {"weight_0": np.array([Bomb()], object)}))
    refused(file, "pickle")
    with zipfile.ZipFile(file, "w") as archive:  # not even an npy in it
        archive.writestr("header", pickle.dumps(Bomb()))
    refused(file, "policy")
    assert not os.path.exists("bomb-went-off")


def test_headers_that_lie(file):
    members = members_of(file)
    header = json.loads(members["header"].tobytes())
    for change, says in (
        ({"format": "other"}, "not a policy file"),
        ({"version": 2}, "its version is 2"),
        ({"observation": "mine"}, "its observation is 'mine'"),
        ({"activation": "tanh"}, "its activation"),
        ({"trained": {"by": "me"}}, "checksum"),
        ({"sha256": 3}, "checksum"),
    ):
        text = np.frombuffer(json.dumps(header | change).encode(), np.uint8)
        np.savez(file, **(members | {"header": text}))
        refused(file, says)
    for text in (b"[]", b"3", b"{", b"[" * 100_000, b"\xff"):
        np.savez(file, **(members | {"header": np.frombuffer(text, np.uint8)}))
        refused(file, "policy")
    np.savez(file, **(members | {"weight_0": members["weight_0"].astype(np.float64)}))
    refused(file, "not float32")
    np.savez(file, **(members | {"more": members["bias_0"]}))
    refused(file, "checksum")


def test_a_file_that_would_unpack_to_gigabytes_is_refused(tmp_path):
    path = tmp_path / "large.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("header.npy", "w") as member:
        for _ in range(300):
            member.write(bytes(1 << 20))
    refused(path, "too large")


def test_an_array_that_claims_a_huge_shape_is_refused(tmp_path):
    path = tmp_path / "huge.npz"
    content = io.BytesIO()
    np.lib.format.write_array_header_1_0(content, {"descr": "<f4", "fortran_order": False, "shape": (1 << 40, 1 << 10)})
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.npy", content.getvalue())
    refused(path, "policy")
