"""Bidders of one's own: Python files, functions of observations, ONNX files, and errors in them."""

import pickle
import sys

import numpy as np
import pytest
from support.bidders import positions

import agents
from agents.outputs import Outputs
from bridge_env.bidders import registry
from bridge_env.bidders.errors import BidderError
from bridge_env.bidders.observation import observe
from bridge_env.bidders.registry import SpecError
from bridge_env.bidders.view import view_of
from bridge_env.io.optional_dependencies import missing
from training.evaluation.duplicate import match

MINE = """
import numpy as np
import {beside}

class Mine:
    def bid(self, view, key):
        return np.full(len(view), {beside}.PASS, np.int8)
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    """A file of a bidder, which imports what lies beside it."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "beside_the_bidder.py").write_text("PASS = 0\n")
    path = tmp_path / "my_own_file.py"
    path.write_text(MINE.format(beside="beside_the_bidder"))
    yield path
    for name in ("my_own_file", "beside_the_bidder"):
        sys.modules.pop(name, None)


def turns(count=300, seed=1):
    auctions, owner, key = positions(count, seed)
    return view_of(auctions, owner), key


def test_a_file_bids_and_is_imported_once(file):
    one, other = (registry.make(f"python:{file}:Mine") for _ in range(2))
    assert type(one) is type(other)
    assert match(f"python:{file}:Mine", "pass", 4).mean_imps == 0
    assert type(pickle.loads(pickle.dumps(one))) is type(one)


def test_a_file_may_not_have_the_name_of_another_module(file):
    namesake = file.with_name("random.py")
    namesake.write_text(MINE.format(beside="beside_the_bidder"))
    with pytest.raises(SpecError, match="another module is named 'random'; rename the file"):
        registry.make(f"python:{namesake}:Mine")


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("python:{file}", "write python:package.module:factory or python:my_file.py:MyBidder"),
        ("python:{file}x.py:Mine", "there is no file .*x.py"),
        ("python:{file}:Yours", "has no attribute 'Yours'"),
    ],
)
def test_errors_of_files(spec, says, file):
    with pytest.raises(SpecError, match=says):
        registry.make(spec.format(file=file))


def test_a_file_that_fails_is_named_and_read_anew(file):
    file.write_text("1 / 0")
    with pytest.raises(SpecError, match=r"my_own_file\.py:Mine': ZeroDivisionError"):
        registry.make(f"python:{file}:Mine")
    file.write_text(MINE.format(beside="beside_the_bidder") + "# mended")
    registry.make(f"python:{file}:Mine")


def test_the_highest_legal_output_of_a_function_is_called():
    weights = np.random.default_rng(1).normal(size=(480, 38)).astype(np.float32)
    view, key = turns(9_000)  # more than are observed at a time
    calls = Outputs(lambda seen: seen @ weights).bid(view, key)
    expected = np.where(view.mask, observe(view).astype(np.float32) @ weights, -np.inf).argmax(axis=1)
    np.testing.assert_array_equal(calls, expected)


@pytest.mark.parametrize(
    ("outputs", "says"),
    [
        (lambda seen: seen, r"outputs of shape \(1, 480\) for 1 turns"),
        (lambda seen: np.full((len(seen), 38), np.nan), "outputs that are no finite numbers"),
    ],
)
def test_errors_of_outputs(outputs, says):
    with pytest.raises(BidderError, match=says):
        agents.call(Outputs(outputs), hand="AKQ2.T98.J7.A543")


@pytest.fixture
def exported(tmp_path):
    """Writes a module to a file of ONNX."""
    for package in ("onnxruntime", "onnx", "torch"):
        pytest.importorskip(package)
    import torch

    def export(module, shape=(2, 480), **options):
        path = tmp_path / "net.onnx"
        names = {"input_names": ["seen"], "output_names": ["calls"], "dynamo": False}
        torch.onnx.export(module, (torch.zeros(shape),), str(path), **names, **options)
        return path

    return export


OPEN = {"dynamic_axes": {"seen": {0: "n"}, "calls": {0: "n"}}}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_onnx_file_bids_as_its_module(exported):
    import torch

    torch.manual_seed(1)
    module = torch.nn.Sequential(torch.nn.Linear(480, 32), torch.nn.Tanh(), torch.nn.Linear(32, 38))
    mine = agents.make(f"policy:{exported(module, **OPEN)}")
    view, key = turns()
    expected = Outputs(lambda seen: module(torch.from_numpy(seen)).detach().numpy()).bid(view, key)
    np.testing.assert_array_equal(mine.bid(view, key), expected)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(mine)).bid(view, key), expected)
    assert agents.registry.system_of(f"policy:{mine.path}") is None  # as a partner or opponent
    with pytest.raises(SpecError, match="has no belief"):
        agents.make(f"reason:policy:{mine.path}")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_onnx_file_of_another_shape(exported):
    import torch

    for module, shape, options in (
        (torch.nn.Linear(480, 38), (1, 480), {}),  # one turn alone
        (torch.nn.Linear(480, 37), (2, 480), OPEN),
        (torch.nn.Linear(479, 38), (2, 479), OPEN),
    ):
        path = exported(module, shape, **options)
        with pytest.raises(SpecError, match=r"one input \(N, 480\) and an output \(N, 38\) are wanted"):
            agents.make(f"policy:{path}")


def test_a_damaged_onnx_file(tmp_path):
    (tmp_path / "net.onnx").write_bytes(b"nothing of the kind")
    says = "onnxruntime cannot read it"
    if missing("onnx", "onnxruntime"):
        says = "onnxruntime is not installed; install with"
    with pytest.raises(SpecError, match=says):
        agents.make(f"policy:{tmp_path / 'net.onnx'}")
