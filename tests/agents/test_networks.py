"""Networks that bid: what they see, sums that are exact, files, also of networks over the observations of the env."""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from reference.network_inputs import inputs_on, number
from support.bidders import longest_auction
from support.learners import observation_policy, outputs_of_integers, random_layers, random_networks, views

from agents.networks import file as networks_file
from agents.networks.bidder import NetworkBidder
from agents.networks.inputs import MOST_ON, NUM_INPUTS, inputs_of
from agents.networks.network import TOP, UNIT, Network, NetworkError, quantized, set_matmul
from agents.networks.shipped import network_path, read_networks, role, shipped_networks
from agents.registry import make_policy
from bridge_env.bidders.observation import observe
from bridge_env.bidders.view import view_of
from bridge_env.io.files import FileError
from bridge_env.rules.auction import Auctions


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "network.npz"
    networks_file.save(random_networks(), path)
    return path


def test_inputs_are_those_of_the_table():
    view, _ = views(300, seed=1)
    numbers, starts = inputs_of(view)
    for i in range(len(view)):
        calls = [int(c) for c in view.history[i, : view.length[i]]]
        names = inputs_on(view.hand[i], calls, int(view.dealer[i]), int(view.vulnerability[i]), int(view.seat[i]))
        on = numbers[starts[i] : starts[i + 1]].tolist()
        assert len(on) == len(set(on))
        assert set(on) == {number(name) for name in names}


def test_the_longest_auction_has_room():
    calls = longest_auction()[:-1]
    auctions = Auctions.replay(np.array([calls]), 0, 3)
    owner = np.repeat(np.arange(4, dtype=np.uint8), 13)[None]
    numbers, starts = inputs_of(view_of(auctions, owner))
    assert starts[1] <= MOST_ON
    names = inputs_on(view_of(auctions, owner).hand[0], calls, 0, 3, int(auctions.turn[0]))
    assert set(numbers.tolist()) == {number(name) for name in names}


def test_outputs_are_those_of_integers():
    """The same sums in integers of 64 bits, which cannot round."""
    network = random_networks(seed=5, widths=(20, 30)).policy
    view, _ = views(200, seed=5)
    numbers, starts = inputs_of(view)
    for i in range(len(view)):
        signal = np.zeros(NUM_INPUTS, np.int64)
        signal[numbers[starts[i] : starts[i + 1]]] = 1
        outputs = network.outputs(numbers[starts[i] : starts[i + 1]], np.array([0, starts[i + 1] - starts[i]]))
        np.testing.assert_array_equal(outputs[0], outputs_of_integers(network, signal))


@pytest.mark.parametrize("widths", [(40,), (33, 65), (640, 384, 384)])
def test_products_of_torch_are_the_same_numbers(widths):
    """Also where every number that is passed on is as large as it gets."""
    torch = pytest.importorskip("torch")
    seen = inputs_of(views(100, seed=7)[0])
    network = random_networks(seed=7, widths=widths, spread=3.0).policy
    first, *others = network.layers
    full = Network((replace(first, bias=np.full_like(first.bias, 2**20)), *others))
    for one in (network, full):
        expected = one.outputs(*seen)
        set_matmul(lambda a, b: torch.mm(torch.from_numpy(a), torch.from_numpy(b)).numpy())
        try:
            np.testing.assert_array_equal(one.outputs(*seen), expected)
        finally:
            set_matmul(np.matmul)


def test_rounding_changes_outputs_little():
    layers = random_layers(seed=6)
    view, _ = views(300, seed=6)
    numbers, starts = inputs_of(view)
    signal = np.zeros((len(view), NUM_INPUTS))
    for i in range(len(view)):
        signal[i, numbers[starts[i] : starts[i + 1]]] = 1
    for n, (weight, bias) in enumerate(layers):
        signal = (np.clip(signal, 0, TOP * UNIT) if n else signal) @ weight + bias
    np.testing.assert_allclose(quantized(layers, MOST_ON).outputs(numbers, starts), signal, atol=0.06)


def test_floats_make_the_same_network_again():
    network = random_networks(seed=7).policy
    again = quantized(network.floats(), MOST_ON)
    for ours, theirs in zip(network.layers, again.layers, strict=True):
        np.testing.assert_array_equal(ours.weight, theirs.weight)
        np.testing.assert_array_equal(ours.bias, theirs.bias)


@pytest.mark.parametrize(("value", "says"), [(np.nan, "not numbers"), (np.inf, "not numbers"), (1e9, "too large")])
def test_weights_that_make_no_network(value, says):
    layers = random_layers()
    layers[1][0][0, 0] = value
    with pytest.raises(NetworkError, match=says):
        quantized(layers, MOST_ON)


def test_the_highest_legal_output_is_called():
    bidder = NetworkBidder(random_networks())
    view, key = views(1_000, seed=1)
    outputs = bidder.networks.policy.outputs(*inputs_of(view))
    expected = [max(np.flatnonzero(mask), key=lambda call: o[call]) for o, mask in zip(outputs, view.mask, strict=True)]
    np.testing.assert_array_equal(bidder.bid(view, key), expected)
    chances = bidder.probabilities(view)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    assert (chances[~view.mask] == 0).all()
    np.testing.assert_array_equal(chances.argmax(axis=1), expected)


def test_what_was_saved_is_loaded(file):
    ours, again = random_networks(), networks_file.load(file)
    assert again.trained == {"by": "nobody"}
    assert again.belief is None
    for a, b in zip(ours.policy.layers, again.policy.layers, strict=True):
        np.testing.assert_array_equal(a.weight, b.weight)
        np.testing.assert_array_equal(a.bias, b.bias)
        assert a.scale == b.scale
    first = file.read_bytes()
    networks_file.save(again, file)
    assert file.read_bytes() == first


@pytest.mark.parametrize("name", shipped_networks())
def test_shipped_networks_are_small_and_say_what_they_are(name):
    networks = read_networks(name)
    assert network_path(name).stat().st_size < (1_500_000 if networks.book is None else 2_000_000)
    assert role(networks) in ("stranger", "gatekeeper", "champion")
    assert networks.trained["by"]


def hostile(file, change):
    """The file with one member changed or added."""
    with np.load(file) as members:
        arrays = {name: members[name] for name in members.files}
    change(arrays)
    np.savez(file, **arrays)


def header_with(**entries):
    def change(arrays):
        header = json.loads(arrays["header"].tobytes())
        header.update(entries)
        arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)

    return change


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda a: a.pop("bias_0"), "checksum|missing"),
        (lambda a: a.update(weight_0=a["weight_0"] + np.int16(1)), "checksum"),
        (header_with(version=1), "version"),
        (header_with(format="bridge-env cases"), "not a bridge-env network file"),
        (header_with(scales=[1.0]), "checksum"),
        (lambda a: a.update(header=np.frombuffer(b"\xff\xfe", np.uint8)), "or it is damaged"),
    ],
)
def test_damaged_files_are_refused(file, change, says):
    hostile(file, change)
    with pytest.raises(FileError, match=says):
        networks_file.load(file)


@pytest.fixture
def observer(tmp_path):
    path = tmp_path / "policy.npz"
    networks_file.save(observation_policy().networks, path)
    return path


def test_outputs_over_observations_are_those_of_integers():
    policy = observation_policy(seed=3)
    seen = observe(views(300, seed=3)[0])
    np.testing.assert_array_equal(policy.outputs(seen), outputs_of_integers(policy.networks.policy, seen))


def test_a_saved_policy_bids_alike(observer):
    view, key = views(300, seed=6)
    again = make_policy(str(observer))
    assert again.networks.trained == {"by": "nobody"}
    np.testing.assert_array_equal(again.bid(view, key), observation_policy().bid(view, key))
    networks_file.save(random_networks(), observer)  # of the other layout
    np.testing.assert_array_equal(
        make_policy(str(observer)).networks.policy.layers[0].weight, random_networks().policy.layers[0].weight
    )


@pytest.mark.weekly
@pytest.mark.slow
def test_it_needs_neither_torch_nor_sb3(observer):
    code = f"""
import sys
sys.modules.update(torch=None, stable_baselines3=None, sb3_contrib=None)
from training.evaluation.duplicate import match
assert len(match("policy:{observer}", "pass", 50).imps) == 50
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
