"""The league: what is drawn, what it is worth, that it learns, and that a run is a function of its settings."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from support.command import refused
from support.learners import Here, random_networks, run_league, same

from agents.networks import file as networks_file
from agents.networks.bidder import NetworkBidder
from agents.networks.file import Networks
from agents.networks.tables import all_by, branch
from bridge_env.bidders.registry import SpecError
from bridge_env.bidders.view import view_of
from bridge_env.double_dummy.library import builtin_library
from bridge_env.hands.canonical import canonical_key, is_judging, key_is_judging
from bridge_env.hands.packing import pack_records, unpack_deals
from bridge_env.rng import streams
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import DOUBLE, PASS, parse_call
from bridge_env.rules.scoring import imps, score
from training.cli.app import main
from training.configs import LeagueConfig
from training.evaluation import panel
from training.evaluation.duplicate import match as play_match
from training.evaluation.network_opponents import refuse_gatekeepers
from training.league import contract_pretraining, deal_pool
from training.league import league as league_module
from training.league import rollout as rollout_module
from training.league.critic_inputs import CRITIC_INPUTS, UNDOUBLED, critic_rows
from training.league.deal_pool import NUM_CURVE_DEALS, curve_boards, solved_deals
from training.league.league import League, earlier_versions
from training.league.learner import Learner
from training.league.rollout import Opponent, branch_points, draw_deals, rollout, seating, thinning_factor
from training.league.train_league import LeagueResult
from training.runtime import runs

torch.set_num_threads(1)  # sums in another order make other weights
SMALL = LeagueConfig(start="nothing", iterations=6, boards=64, evaluate=3, judged=50, panel="", layers="24,16")


@pytest.fixture(autouse=True)
def _soon(monkeypatch):
    """What a league does for hundreds of iterations, it does here for few."""
    monkeypatch.setattr(deal_pool, "_PART", 1_000)
    monkeypatch.setattr(contract_pretraining, "ROLLOUTS", 2)
    monkeypatch.setattr(league_module, "SILENT_ITERATIONS", 1)
    monkeypatch.setattr(league_module, "ADD_VERSION_EVERY", 2)


def test_sampled_auctions_leave_the_greedy_one_as_often_as_their_chances_say():
    """Two decisions of one side; over evenly spread points, every way to leave comes as often as its chance."""
    history = np.full((1, 8), -1, np.int8)
    history[0, :4] = [3, PASS, PASS, PASS]
    at = np.full((1, 8), -1, np.int32)
    at[0, 0], at[0, 2] = 0, 1
    chances = np.zeros((2, 38), np.float32)
    chances[0, [3, 4, 0]] = 0.5, 0.3, 0.2  # the likeliest is 1C
    chances[1, [0, 8]] = 0.6, 0.4  # the likeliest is to pass
    counts = {}
    drawn, points = 4, 500
    for u in (np.arange(points) + 0.5) / points:
        out = np.empty((2 * drawn, 4), np.int32)
        found = branch_points(
            history, np.zeros(1, np.int16), np.array([4], np.int16), np.array([1], np.int8), at, chances,
            np.array([[u, u]]), drawn, out,
        )  # fmt: skip
        for row in out[:found].tolist():
            counts[tuple(row)] = counts.get(tuple(row), 0) + 1
    shares = {key: count / (drawn * points) for key, count in counts.items()}
    expected = {(0, 0, 0, 4): 0.3, (0, 0, 0, 0): 0.2, (0, 0, 2, 8): 0.5 * 0.4}
    assert shares == pytest.approx(expected, abs=0.002)


def test_only_sides_of_the_learner_are_sampled():
    seated, sides = seating(100, [Opponent(0.3, None), Opponent(0.2, None)])
    assert [(seated == k).any(axis=1).sum() for k in (1, 2)] == [30, 20]
    assert (sides == 3).sum() == 50
    for row in range(50):
        assert seated[row, {1: 0, 2: 1}[int(sides[row])]] == 0


def test_branches_are_auctions_that_went_another_way():
    networks = random_networks(seed=2)
    deals = draw_deals(streams.key("branch", np.arange(50)), solved_deals())
    auctions, bidder = all_by(networks.policy, deals.owner, deals.dealer, deals.vulnerability), NetworkBidder(networks)
    slow = Auctions(deals.dealer, deals.vulnerability)
    while not slow.done.all():
        rows = np.flatnonzero(~slow.done)
        slow.step(bidder.bid(view_of(slow, deals.owner, rows), np.zeros(len(rows), np.uint64)), rows)
    np.testing.assert_array_equal(auctions.history, slow.history)
    rows, length = np.arange(50), auctions.length // 2
    left = branch(auctions, rows, length.astype(np.int64), np.full(50, PASS, np.int8))
    for row in range(50):
        calls = [*auctions.calls(row)[: length[row]], PASS]
        again = Auctions.replay(np.array([calls]), int(deals.dealer[row]), int(deals.vulnerability[row]))
        np.testing.assert_array_equal(left.history[row], again.history[0])
        np.testing.assert_array_equal(left.state[row], again.state[0])


def test_no_deal_that_judges_is_played():
    """Neither boards of the judging split, nor those on which the curve is judged, nor images of them."""
    deals = draw_deals(streams.key("deals", np.arange(300)), solved_deals())
    assert not is_judging(deals.owner).any()
    assert len(np.unique(deals.dealer * 4 + deals.vulnerability)) == 16
    played = canonical_key(unpack_deals(deal_pool.deal_pool(500, seed=3)[:, :13]))
    assert len(played) == len(solved_deals()) + 500
    assert not key_is_judging(played).any()
    curve = curve_boards(NUM_CURVE_DEALS + 50, seed=1)  # beyond NUM_CURVE_DEALS they come as images
    assert not np.isin(canonical_key(curve.owner), played).any()


def test_what_fails_counts_as_doubled_where_it_is_to():
    deals = draw_deals(streams.key("doubled", np.arange(40)), solved_deals())
    calls = np.array([[parse_call(c) for c in ("7NT", "Pass", "Pass", "Pass")]] * 40)
    auctions = Auctions.replay(calls, deals.dealer, deals.vulnerability)
    took = deals.tricks[np.arange(40), deals.dealer, 4]
    for doubled in (False, True):
        expected = score(34, np.where(doubled & (took < 13), 1, 0), deals.dealer, deals.vulnerability, took)
        np.testing.assert_array_equal(deals.points(auctions, np.arange(40), np.full(40, doubled)), expected)


def test_advantages_are_imps_where_the_critic_expects_nothing():
    learner = Learner(SMALL, None)
    for parameter in learner.critic.parameters():
        parameter.data.zero_()  # a critic that expects nothing: advantages are the rewards
    config = replace(SMALL, boards=40, samples_per_side=3, decision_fraction=1.0, double_failing=0.0)
    policy, critic, figures = rollout(*learner.players(), [], config, 0, solved_deals())
    assert figures["chosen"] == len(policy)
    open_ = policy.log_chance < -1e-3  # where there is more than one legal call
    assert open_.sum() > 900
    np.testing.assert_allclose(policy.weight[open_], 1)
    assert policy.mask[np.arange(len(policy)), policy.call].all()
    assert np.isfinite(policy.log_chance).all()
    for imps_ in (policy.advantage, critic.target):
        np.testing.assert_array_equal(imps_, np.rint(imps_))
    assert 2 < np.abs(policy.advantage).max() <= 24


def test_thinning_leaves_the_share_that_it_should():
    interest = np.random.default_rng(1).gamma(0.5, 2.0, 5_000).astype(np.float32)
    for share in (0.1, 0.5, 0.9):
        assert np.minimum(1, interest * thinning_factor(interest, share)).mean() == pytest.approx(share, abs=0.01)


def test_the_critic_sees_what_the_contract_is_worth():
    deals = draw_deals(streams.key("critic", np.arange(30)), solved_deals())
    calls = np.array([[parse_call("3NT"), DOUBLE]] * 30)
    auctions = Auctions.replay(calls, deals.dealer, deals.vulnerability)
    best = np.full(30, 140)
    numbers, starts = critic_rows(auctions, deals, np.arange(30), best)
    assert numbers.max() < CRITIC_INPUTS
    took = deals.tricks[np.arange(30), deals.dealer, 4]
    worth = score(14, 1, deals.dealer, deals.vulnerability, took).astype(int)
    seat = auctions.turn
    mine = imps(np.where(seat % 2 == 0, worth - best, best - worth))
    for i in range(30):
        on = numbers[starts[i] : starts[i + 1]]
        assert UNDOUBLED + 24 + int(mine[i]) in on.tolist()


@pytest.mark.skipif(torch.cuda.is_available(), reason="a CUDA device is here")
def test_a_missing_device_is_refused_before_anything_runs(tmp_path, capsys):
    assert "finds no CUDA device" in refused(capsys, "train", "league", "--device", "cuda", "--out", tmp_path)
    assert not list(tmp_path.iterdir())


def learn(config, pool, records, iterations, monkeypatch):
    """Return the policy after some rollouts of the records as they are, without their images."""
    monkeypatch.setattr(rollout_module, "NUM_SYMMETRIES", 1)
    learner = Learner(config, None)
    for number in range(iterations):
        learner.learn(rollout(*learner.players(), pool, config, number, records), number)
    return learner.players()[0]


class Leaper:
    """Bids 7NT as soon as it may."""

    def bid(self, view, key):
        return np.where(view.mask[:, 37], 37, PASS).astype(np.int8)


LEAPER = Leaper()
TOY = LeagueConfig(
    start="nothing", iterations=400, layers="32", batch=256, learning_rate=3e-3, average=0.9, entropy=0.01, boards=128,
    decision_fraction=0.5, double_failing=0.0,
)  # fmt: skip


def test_only_doubling_pays(monkeypatch):
    """Opponents leap to 7NT and take nine tricks at most: the learner learns to double them."""
    library = builtin_library()
    owner = library.owners(library.split("training")[:8])
    records = pack_records(owner, np.full((8, 4, 5), 6, np.int8))
    pool = [Opponent(1.0, "python:test_league:LEAPER")]
    policy = learn(TOY, pool, records, 40, monkeypatch)
    bidder = NetworkBidder(Networks(policy))
    for row in range(8):
        auctions = Auctions.replay(np.array([[37]]), row % 4, row // 4)
        assert bidder.bid(view_of(auctions, owner[row : row + 1]), np.zeros(1, np.uint64))[0] == DOUBLE


def test_a_learner_that_is_sure_of_every_call_learns_nothing_and_goes_on():
    """No sampled auction leaves the greedy one: there is nothing to learn from."""
    learner = Learner(TOY, None)
    with torch.no_grad():
        for bias in (list(learner.policy.parameters())[-1], learner.average[-1]):
            bias[PASS] += 200
    before = [p.clone() for p in learner.policy.parameters()]
    experience = rollout(*learner.players(), [], replace(TOY, boards=64), 0, solved_deals())
    assert not len(experience.policy)
    assert learner.learn(experience, 0)["steps"] == 0
    assert all(torch.equal(old, new) for old, new in zip(before, learner.policy.parameters(), strict=True))


def test_a_killed_run_goes_on_from_its_checkpoint(tmp_path):
    """Killed after an evaluation: what came after it is done again, the same, whenever tasks run."""

    class Killed(Exception):
        pass

    def kill(state, figures):
        if state.iteration == 5:
            raise Killed

    (tmp_path / "killed").mkdir()
    league = League(tmp_path / "killed", SMALL, None)
    with pytest.raises(Killed):
        for _ in league.run(Here(False), lambda: False, kill):
            pass
    again, once = run_league(tmp_path / "killed", SMALL), run_league(tmp_path / "once", SMALL, eager=True)
    same(once, again)
    assert (tmp_path / "once" / "policy.npz").read_bytes() == (tmp_path / "killed" / "policy.npz").read_bytes()
    rows, others = (
        [{name: value for name, value in row.items() if name not in ("seconds", "waited")} for row in run.state.metrics]
        for run in (once, again)
    )
    assert rows == others
    assert [row["iteration"] for row in rows] == [0, 3, 6]


def test_a_run_from_a_network_begins_as_that_network(tmp_path):
    start = random_networks(seed=3)
    league = League(tmp_path, replace(SMALL, start="policy:somebody"), start)
    assert (play_match(NetworkBidder(league.networks()), NetworkBidder(start), 50).imps == 0).all()
    assert [o.player for o in league.pool(0)] == [start.player]


def test_the_pool_holds_the_latest_versions_and_some_older_ones():
    assert earlier_versions(0, 10, 4) == []
    assert earlier_versions(39, 10, 4) == [10, 20, 30]
    assert earlier_versions(1000, 10, 4) == [10, 980, 990, 1000]
    assert earlier_versions(1000, 10, 0) == []
    assert len(set(earlier_versions(5000, 10, 7))) == 7


def test_a_result_is_a_table():
    pytest.importorskip("pandas")
    line = panel.PanelRow("start", "pass", 0.5, 0.1, 20, 30.5)
    frame = LeagueResult(
        Path("x"), SMALL, 6, [], Path("x/policy.npz"), [line], Path("x/report.md"), Path("x/curve.png")
    ).to_dataframe()
    assert frame[["opponent", "mean_imps", "standard_error"]].to_numpy().tolist() == [["pass", 0.5, 0.1]]


def test_gatekeepers_are_refused(tmp_path, capsys):
    path = tmp_path / "judge.npz"
    networks = random_networks()
    networks_file.save(Networks(networks.policy, None, {"role": "gatekeeper"}), path)
    for spec in (f"policy:{path}", "policy:wbridge5", "reason:policy:humans?samples=4"):
        with pytest.raises(SpecError, match="gatekeeper"):
            refuse_gatekeepers([spec])
        for words in (["--start", spec], ["--pool", f"pass,{spec}"], ["--panel", spec]):
            assert "gatekeeper" in refused(capsys, "train", "league", "--out", tmp_path / "runs", *words)
    with pytest.raises(SpecError, match="gatekeeper"):
        refuse_gatekeepers(["pair:pass,policy:polish"])
    for words in (["--opponents", "policy:humans"], ["--control", "policy:polish"]):
        assert "gatekeeper" in refused(capsys, "train", "ppo", "--out", tmp_path / "runs", *words)
    assert "gatekeeper" in refused(capsys, "fit", "policy", "policy:humans", "--out", tmp_path / "runs")
    assert "gatekeeper" in refused(
        capsys, "fit", "policy", "system:sayc", "--start", "policy:polish", "--out", tmp_path / "runs"
    )
    assert not (tmp_path / "runs").exists()


def test_pretraining_values_every_call():
    deals = draw_deals(streams.key("lessons", np.arange(40)), solved_deals())
    opened = Auctions.replay(np.array([[parse_call("1S"), PASS]] * 40), deals.dealer, deals.vulnerability)
    value = contract_pretraining.call_values(opened, deals, np.arange(40))

    def points(bid, declarer):
        took = deals.tricks[np.arange(40), declarer, bid % 5]
        return (1 - 2 * (deals.dealer & 1)) * score(bid, 0, declarer, deals.vulnerability, took).astype(int)

    now = points(3, deals.dealer)
    for call, declarer in (("4S", deals.dealer), ("3NT", deals.dealer ^ 2), ("2C", deals.dealer ^ 2)):
        number = parse_call(call)
        np.testing.assert_array_equal(value[:, number], imps(points(number - 3, declarer) - now))
    assert (value[:, PASS] == 0).all()


def test_pretraining_teaches_to_bid_what_makes(monkeypatch):
    """After a minute of it a small network beats passing by far, with silent opponents; random weights do not."""
    config = LeagueConfig(start="nothing", boards=512, layers="48", batch=512)
    for rollouts, least, most in ((60, 1.5, 24.0), (0, -24.0, -3.0)):
        monkeypatch.setattr(contract_pretraining, "ROLLOUTS", rollouts)
        trained = contract_pretraining.pretrain(config)
        assert least < play_match(NetworkBidder(trained), "pass", 400).mean_imps < most


def test_a_run_from_nothing_meets_silence_first(tmp_path, monkeypatch):
    monkeypatch.setattr(league_module, "SILENT_ITERATIONS", 4)
    league = run_league(tmp_path / "run", SMALL)
    assert [o.player for o in league.pool(3)] == [None]
    assert [o.share for o in league.pool(4)] == [league_module.EARLIER / 2] * 2  # after iterations 2 and 4


@pytest.mark.slow
def test_the_command_from_nothing_to_the_panel(one_ray, tmp_path, capsys):
    words = ["train", "league", "--start", "nothing", "--iterations", "3", "--estimated", "200", "--boards", "64",
             "--evaluate", "2", "--judged", "40", "--layers", "16", "--judge", "40",
             "--out", str(tmp_path), "--name", "tiny", "--workers", "1"]  # fmt: skip
    assert main(words) == 0
    folder = tmp_path / "league" / "tiny"
    assert "abroad: gatekeepers" in capsys.readouterr().out
    assert (folder / "learning_curve.png").stat().st_size > 1000
    report = (folder / "report.md").read_text()
    assert "policy:polish" in report
    assert str(tmp_path) not in report
    points = [json.loads(line) for line in (folder / "metrics.jsonl").open()]
    assert [row["iteration"] for row in points] == [0, 2, 3]
    assert main(["train", "league", "--resume", str(folder), "--iterations", "4", "--judge", "40"]) == 0
    assert main(["train", "league", "--resume", str(folder), "--layers", "8"]) == 2
    assert runs.read_manifest(folder)["config"]["iterations"] == 4
