"""Fitting trick estimators: the torch network is the numpy one, it learns, resumes, and never sees judging deals."""

import dataclasses
import json

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from bridge_env.double_dummy import Library, builtin_library, write_library  # noqa: E402
from bridge_env.double_dummy.estimator import TrickEstimator, load_estimator  # noqa: E402
from bridge_env.hands.canonical import is_judging  # noqa: E402
from bridge_env.hands.deals import random_deals  # noqa: E402
from studies import estimator as study  # noqa: E402
from studies.tables import run_study  # noqa: E402
from training.cli.app import main  # noqa: E402
from training.configs import EstimatorConfig  # noqa: E402
from training.estimators import fit  # noqa: E402
from training.estimators.fit import Network  # noqa: E402
from training.estimators.judge import hits_of, judge  # noqa: E402
from training.runtime.runs import Progress  # noqa: E402

SMALL = EstimatorConfig(epochs=3, deals=700, batch=64, hidden=8, width=12, blocks=1)

QUIET = Progress()


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    """The path of a library with a small part of the package's deals."""
    path, rows = tmp_path_factory.mktemp("few") / "few.bdl", np.arange(5_000)
    write_library(path, builtin_library().owners(rows), builtin_library().tricks_at(rows), {"source": "a part"})
    return path


def test_torch_and_numpy_compute_the_same():
    network = Network(hidden=8, depth=3, width=12, blocks=2, seed=5)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(0.1 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(1)))
    deals = fit.Deals(random_deals(1, 0, 100), np.zeros((100, 5, 4), np.int8))
    suits, _ = deals.tensors()
    with torch.no_grad():
        theirs = network(suits.float()).softmax(-1).numpy().transpose(0, 2, 1, 3)
    np.testing.assert_allclose(
        TrickEstimator(network.weights()).distribution(deals.owner), theirs, atol=1e-5
    )  # float32: the order of sums differs


def test_training_never_sees_a_judging_deal():
    learn, held = fit.training_deals(SMALL)
    assert len(learn.owner) + len(held.owner) == 700
    assert not is_judging(np.concatenate([learn.owner, held.owner])).any()
    both = {deal.tobytes() for deal in learn.owner} & {deal.tobytes() for deal in held.owner}
    assert not both
    more, _ = fit.training_deals(dataclasses.replace(SMALL, deals=900))
    assert {deal.tobytes() for deal in more.owner} >= {deal.tobytes() for deal in learn.owner[200:]} - both


def test_too_many_and_too_few_deals():
    with pytest.raises(ValueError, match="training deals"):
        fit.training_deals(dataclasses.replace(SMALL, deals=10**7))
    with pytest.raises(ValueError, match=r"deals are too few: .* --batch is"):
        fit.training_deals(dataclasses.replace(SMALL, deals=50))


def test_it_learns_what_can_be_learned(tmp_path):
    """A game in which declarer's side takes as many tricks as it holds cards of the suit; at no trump, its aces."""
    owner = random_deals(11, 0, 2500)
    side = owner.reshape(-1, 4, 13) & 1
    ours = np.stack([(side == declarer & 1) for declarer in range(4)], axis=1)  # (N, 4, 4 suits, 13)
    tricks = np.concatenate([ours.sum(-1), ours[..., 12].sum(-1, keepdims=True)], axis=2)
    write_library(tmp_path / "toy.bdl", owner, tricks.astype(np.int8), {"source": "a toy"})
    config = EstimatorConfig(
        epochs=6,
        library=str(tmp_path / "toy.bdl"),
        batch=64,
        hidden=16,
        depth=2,
        width=24,
        blocks=1,
        learning_rate=1e-2,
    )
    estimator = fit.fit(config, QUIET)
    toy = Library.open(tmp_path / "toy.bdl")
    assert min(hit.within[0] for hit in judge(estimator, toy)) > 95
    rows = toy.split("judging")
    levels = study.score_errors(estimator.distribution(toy.owners(rows)), toy.tricks_at(rows))
    assert len(levels) == 7
    assert max(error for error, _, _ in levels) < 25


def test_judgements_count_right(few):
    """Of a distribution with 0.7 for the truth, and 0.3 for one trick more."""
    library = Library.open(few)
    tricks = np.maximum(library.tricks_at(library.split("judging")), 0)
    stated = np.zeros((*tricks.shape, 14), np.float32)
    np.put_along_axis(stated, tricks[..., None].astype(np.intp), 0.7, -1)
    more = np.minimum(tricks + 1, 13).astype(np.intp)
    np.put_along_axis(stated, more[..., None], np.where(tricks == 13, 1.0, 0.3)[..., None], -1)
    hits = hits_of(stated, tricks)
    assert [hit.within[0] for hit in hits] == [100, 100]
    assert hits[0].log_loss == pytest.approx(-np.log(0.7), abs=0.01)
    bins = study.reliability(stated, tricks)
    assert [(round(mean, 2), frequency) for mean, frequency, _ in bins if 0.1 < mean < 0.9] == [(0.3, 0), (0.7, 1)]


def test_the_study_writes_its_tables(few, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(study, "builtin_library", lambda: Library.open(few))
    run_study("studies.estimator", study.judge, ["--out", str(tmp_path)])
    assert "| best published (2009) | 37.80 |" in capsys.readouterr().out
    assert "| 8 or more |" in (tmp_path / "tables.md").read_text()
    assert (tmp_path / "reliability.png").read_bytes().startswith(b"\x89PNG")


def test_what_is_too_sure_is_cooled():
    config = dataclasses.replace(SMALL, deals=400, epochs=20, learning_rate=2e-2, hidden=16, width=32)
    said = []

    class Said(Progress):
        def note(self, text):
            said.append(float(text.split("loss ")[1].split()[0]))

    estimator, (_, held) = fit.fit(config, Said()), fit.training_deals(config)
    assert estimator.trained["temperature"] > 1.2
    chances = estimator.distribution(held.owner).transpose(0, 2, 1, 3)
    loss = -np.log(np.take_along_axis(chances, held.tricks[..., None].astype(np.intp), -1)).mean()
    assert loss < said[-1] - 0.01


def test_the_command_fits_and_names_what_is_wrong(few, tmp_path, capsys):
    out = tmp_path / "mine"
    words = ["fit", "estimators", "--deals", "700", "--batch", "64", "--epochs", "1", "--hidden", "4", "--width", "8"]
    words += ["--library", str(few)]
    assert main([*words, "--out", str(out)]) == 0
    assert {p.name for p in out.iterdir()} >= {"estimator.npz", "results.json"}
    assert [hit["group"] for hit in json.loads((out / "results.json").read_text())["hits"]] == ["suits", "no trump"]
    assert load_estimator(out / "estimator.npz").trained["deals"] == 686
    for wrong, reason in ((["--depth", "1"], "--depth is 1"), (["--deals", "99999999"], "training deals")):
        assert main(["fit", "estimators", *wrong]) == 2
        assert reason in capsys.readouterr().err
    assert not (tmp_path / "results").exists()
