"""Learning by a book: penalties, how a run begins, and how a book learns from a player that bids by it."""

import json
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from support.learners import by_book, random_networks, run_league, same

from agents.networks import file as networks_file
from agents.networks.bidder import NetworkBidder
from agents.networks.book import Terms
from agents.networks.file import book_of
from agents.networks.shipped import read_networks
from agents.systems.bidder import deal_features
from agents.systems.library.shipped import hierarchy_of
from bridge_env.bidders.registry import SpecError
from bridge_env.hands.deals import hand_text
from bridge_env.rng import streams
from bridge_env.rules.auction import Auctions
from bridge_env.rules.calls import PASS, parse_call
from tests.golden.runs import SHORT
from training.cli.app import main
from training.coaching import run as coaching
from training.coaching.config import CoachConfig
from training.coaching.judgement import FEWEST, Departures, find_departures, judgement_of, unused_lines
from training.configs import LeagueConfig
from training.evaluation.boards import library_boards
from training.evaluation.duplicate import match as play_match
from training.evaluation.network_opponents import start_networks
from training.evaluation.partnership_match import BoardRange
from training.evaluation.truth import SystemConsistency, of_match
from training.evolution.config import EvolveConfig
from training.evolution.generations import numbered
from training.evolution.refine.decisions import UNIT, UNTRIED, by_judgement, preferences, tables_of
from training.evolution.refine.line_steps import step_gains_task
from training.evolution.refine.tasks import count_task
from training.evolution.run import check_start
from training.league.decision_log import Decisions, GreedyAuctions, SampledAuctions
from training.league.rollout import extra_costs
from training.league.train_league import by_the_book

SMALL = LeagueConfig(
    start="policy:champion-plain", book="sayc", iterations=2, boards=32, estimated=0, evaluate=1, judged=12,
    panel="pass", samples_per_side=4,
)  # fmt: skip


def guidance(*rows):
    """What a book adds to the outputs: its own call and, of others, by how much they mislead (0 unless named)."""
    out = np.zeros((len(rows), 38), np.float32)
    for row, (own, misled) in zip(out, rows, strict=True):
        for call, size in misled.items():
            row[call] = -4.0 * size
        row[own] = 2.0
    return out


def test_a_sampled_auction_pays_for_departures_beyond_those_of_the_greedy_one():
    """One board, North-South: at its first call the greedy auction keeps to the book, later it departs truthfully."""
    unused = np.empty((0, 38), np.float32)
    made = Decisions(  # the book bids 1C, then passes
        np.array([0, 0]), np.array([0, 2]), np.array([3, 7], np.int8), unused, guidance((3, {5: 2}), (0, {7: 0, 8: 1}))
    )
    greedy = GreedyAuctions.of(Auctions.replay(np.array([[3, 0, 7, 0]]), 0, 0), made, 4)
    later = Decisions(  # of the first sampled auction: its second call, and a third
        np.array([0, 0]), np.array([2, 4]), np.array([9, 6], np.int8), unused, guidance((9, {}), (9, {9: 0, 6: 3}))
    )
    auctions = Auctions.replay(np.array([[5, 0, 9, 0], [3, 0, 8, 0], [3, 0, 0, -1]]), 0, 0)
    board, left = np.zeros(3, np.int64), np.array([0, 2, 2])
    sampled = SampledAuctions(auctions, board, board, left, later, 0.0)
    for departure, misinformation in ((1.0, 0.0), (0.0, 1.0), (0.5, 2.0)):
        config = LeagueConfig(departure=departure, misinformation_penalty=misinformation)
        departures, misled = np.array([2 - 1, 1 - 1, 0 - 1]), np.array([2 + 3 - 0, 1 - 0, 0])
        cost = extra_costs(greedy, sampled, Terms(2.0, 4.0), config)
        np.testing.assert_allclose(cost, departure * departures + misinformation * misled)


def test_a_run_with_a_small_one_begins_with_judgement():
    start = by_the_book(read_networks("champion-plain"), LeagueConfig(book="sayc"))
    match = play_match(NetworkBidder(start), "system:sayc", 1000, 3)
    truth, own = of_match(match, book_of("sayc")), of_match(play_match("system:sayc", "pass", 300), book_of("sayc"))
    assert own.departures == 0
    assert 0.3 < truth.departures < 1.5
    assert truth.share > 0.9
    assert match.mean_imps > 3 * match.standard_error


def test_a_stopped_run_by_a_book_goes_on_to_the_same_weights(tmp_path):
    start = by_the_book(random_networks(3), SMALL)
    once = run_league(tmp_path / "once", SMALL, start)
    stops = iter([False, True])
    part = run_league(tmp_path / "part", SMALL, start, stop=lambda: next(stops))
    assert part.state.iteration == 1
    same(once, run_league(tmp_path / "part", SMALL, start))
    made = networks_file.load(tmp_path / "once" / "policy.npz")
    assert made.book.digest == book_of("sayc").digest
    rows = [json.loads(line) for line in (tmp_path / "once" / "metrics.jsonl").open()]
    assert all(0.5 < row["truth"] <= 1 for row in rows)


def test_a_network_by_a_book_starts_no_other_run(tmp_path):
    path = tmp_path / "mine.npz"
    networks_file.save(by_book(), path)
    with pytest.raises(SpecError, match="bids by a book"):
        start_networks(f"policy:{path}")
    assert start_networks(f"policy:{path}", by_book=True).book is not None


def test_a_network_by_a_book_is_read_by_its_book(tmp_path):
    from agents.registry import make_reason, make_system, system_of

    path = tmp_path / "mine.npz"
    networks_file.save(by_book(system="acol"), path)
    spec = f"policy:{path}"
    assert system_of(spec).system.name == hierarchy_of("acol").system.name
    assert make_system("sayc", opponents=spec).opponents[0].system.name == hierarchy_of("acol").system.name
    assert make_reason(spec).belief is not None


def test_a_call_is_explained_by_the_book_or_by_judgement(tmp_path, capsys):
    path = tmp_path / "mine.npz"
    networks_file.save(by_the_book(read_networks("champion-plain"), LeagueConfig(book="champion")), path)
    bid = ["bid", f"policy:{path}", "--hand"]
    assert main([*bid, "K5.AQ9763.4.KJ82", "--auction", "1S"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("2H\n")
    assert "because   champion, line" in out
    assert "follows   the book" in out
    assert main([*bid, "K9532.AJ652.7.62", "--auction", "1C"]) == 0  # Michaels by the book
    out = capsys.readouterr().out
    assert out.startswith("1S\n")
    assert "the book bids 2♣ here" in out
    assert "tells     1♠: " in out
    deals = re.search(r"IMPs over 2♣, on (\d+) deals", out)
    assert deals is not None
    assert 64 <= int(deals[1]) <= 5 * 256


@pytest.fixture(scope="module")
def judge(tmp_path_factory):
    """A player by sayc, and one whose prior is so large that it is sayc."""
    folder = tmp_path_factory.mktemp("judges")
    for name, prior in (("free", 1.0), ("bound", 1000.0)):
        networks = by_the_book(read_networks("champion-plain"), LeagueConfig(book="sayc", prior=prior))
        networks_file.save(networks, folder / f"{name}.npz")
    return lambda name: f"policy:{folder / name}.npz"


BOARDS = BoardRange(5, "training", 0, 400)


def test_a_player_that_bids_as_the_system_departs_nowhere(judge):
    us = them = numbered("sayc")
    assert not any(sum(counted.values()) for counted in count_task(us, them, BOARDS, judge("bound")))
    paths, contexts = count_task(us, them, BOARDS, judge("free"))
    assert sum(paths.values()) > 100
    assert sum(contexts.values()) > 20


def test_labels_follow_the_players_judgement_at_the_play_outs_prices(judge):
    table = tables_of(numbered("sayc"), numbered("acol"), BOARDS)[0]
    decisions = table.decisions()
    board, number = decisions.row[:300], decisions.number[:300]
    legal, _ = table.legal_calls(board, number)
    made = table.history[board, number]
    worth = by_judgement(judge("free"), table, board, number, legal)
    assert (worth[np.arange(300), made] == 0).all()
    assert (worth[~legal] == UNTRIED).all()
    tried = legal & (np.arange(38) != made[:, None])
    np.testing.assert_array_equal(worth[tried] * UNIT, np.rint(worth[tried] * UNIT))
    liked = preferences(judge("free"), table, board, number)
    liked -= liked[np.arange(300), made][:, None]
    assert worth[tried & (liked > 0)].mean() > worth[tried & (liked < -4)].mean() + 0.5


@pytest.mark.slow
def test_steps_that_the_player_likes_are_counted(judge):
    us = them = numbered("sayc")
    some = BoardRange(5, "training", 0, 120)
    free, bound = (step_gains_task(us, them, some, 0, judge(name)) for name in ("free", "bound"))
    plain = step_gains_task(us, them, some, 0)
    assert free.keys() == plain.keys() == bound.keys()
    assert all((a.gain, a.decisions) == (plain[change].gain, plain[change].decisions) for change, a in free.items())
    assert all(0 <= gain.preferred <= gain.decisions for gain in free.values())
    assert sum(gain.preferred for gain in free.values()) > 0
    assert sum(gain.preferred for gain in bound.values()) == 0  # bound to the system, it likes no change of it


def test_amendment_wants_a_player_by_a_book(judge):
    for options, message in (
        ({"operators": "amendment"}, "go together"),
        ({"player": "policy:champion"}, "go together"),
        ({"operators": "amendment", "player": "policy:champion"}, "bids by no book"),
        ({"operators": "amendment", "player": "system:sayc"}, "bids by no book"),
    ):
        with pytest.raises(ValueError, match=message):
            check_start(EvolveConfig(**options))
    check_start(EvolveConfig(operators="amendment", player=judge("free")))


def test_departures_are_worth_what_the_two_auctions_score():
    player = by_the_book(read_networks("champion-plain"), LeagueConfig(book="sayc")).player
    opponent = read_networks("two-over-one").player
    boards = library_boards(400, 2, "training")
    key = streams.key("test", np.arange(400))
    found = find_departures(player, opponent, boards, key)
    assert found.decisions > 1500
    assert 100 < len(found.board) < 500
    assert (found.book != found.call).all()
    np.testing.assert_array_equal(found.auctions.history[found.board, found.length], found.call)
    assert sum(found.fired.values()) == found.decisions
    assert sum(found.fired.values()) - sum(found.followed.values()) == len(found.board)
    again = find_departures(player, opponent, boards.take(np.unique(found.board)), key[np.unique(found.board)])
    assert len(again.auctions) == len(np.unique(found.board))
    never, seldom = unused_lines(found, player)
    assert len(never) > 100
    assert all(followed <= 0.2 * fired for _, fired, followed in seldom)


def test_kinds_of_departure_are_chosen_on_some_boards_and_judged_on_others():
    """Passes of openings that gain, and raises to two spades that gain only where they are chosen."""
    player = read_networks("by-the-book").player
    count = 2 * FEWEST * 16
    boards = library_boards(count, 2, "training")
    opening = np.arange(count) % 2 == 0
    chooses = (boards.base // 4) % 2 == 0
    history = np.where(opening[:, None], [[PASS, PASS, PASS, PASS]], [[parse_call("1S"), PASS, PASS, PASS]])
    auctions = Auctions.replay(history, boards.dealer, boards.vulnerability)
    length = np.where(opening, 0, 2)
    seat = (boards.dealer + length) & 3
    found = Departures(
        board=np.arange(count), length=length,
        book=np.where(opening, parse_call("1C"), parse_call("2S")).astype(np.int8),
        call=np.full(count, PASS, np.int8), worth=np.where(opening, 2, np.where(chooses, 1, -3)),
        features=deal_features(boards.owner)[np.arange(count), seat], auctions=auctions, boards=boards,
        fired=Counter(), followed=Counter(), decisions=2 * count,
    )  # fmt: skip
    first, second = judgement_of(found, player).kinds
    assert (first.after, first.book, first.made, first.worth) == ("opening", "1♣", "Pass", 2.0)
    assert (second.after, second.book, second.worth) == ("1♠ (Pass)", "2♠", -3.0)
    assert first.count == int((opening & ~chooses).sum())
    assert 0 <= first.cards <= 1
    owner = boards.owner == seat[:, None]
    assert first.examples[0] in {hand_text(hand) for hand in owner[opening & ~chooses]}


@pytest.mark.weekly
@pytest.mark.slow
def test_a_coach_from_a_file_to_its_report_and_on(one_ray, tmp_path, monkeypatch, capsys):
    for name, sizes in (("league", {"judged": 40}), ("evolve", {"boards": 256, "positions": 6})):
        usual = getattr(CoachConfig, name)
        monkeypatch.setattr(CoachConfig, name, lambda *options, u=usual, s=sizes: replace(u(*options), **s))
    mine = tmp_path / "mine.bidding"
    mine.write_text(SHORT)
    tiny = ["--iterations", "2", "--rollout", "64", "--estimated", "0", "--generations", "1", "--study", "384",
            "--confirm", "256", "--terms", "40", "--counted", "100", "--judge", "8"]  # fmt: skip
    assert main(["coach", str(mine), *tiny, "--out", str(tmp_path), "--workers", "1"]) == 0
    folder = tmp_path / "coach" / "mine"
    report = (folder / "report.md").read_text()
    assert str(folder / "report.md") in capsys.readouterr().out
    for heading in ("How strong", "What judgement does", "Amendments", "Lines that never came up"):
        assert f"## {heading}" in report
    assert "None gained enough to be kept." not in report
    assert networks_file.load(folder / "mine.npz").book is not None
    for name in ("mine-amended", "mine-cards"):
        assert main(["check", str(folder / f"{name}.bidding")]) == 0
    assert "weigh" in (folder / "mine-cards.bidding").read_text()
    assert "amended book with scorecards of at most 40 terms" in report
    assert main(["coach", "--resume", str(folder), "--iterations", "3", "--rounds", "2", "--workers", "1"]) == 0
    assert networks_file.load(folder / "mine.npz").trained["iterations"] == 3
    second = networks_file.load(folder / "mine-2.npz")
    assert second.book is not None
    assert second.book.digest == book_of(str(folder / "mine-amended.bidding")).digest
    assert "mine.npz" in second.trained["start"]
    assert main(["check", str(folder / "mine-amended-2.bidding")]) == 0
    assert "### Round 2: the amended book" in (folder / "report.md").read_text()


def test_a_player_bids_on_the_mildest_terms_that_are_true_enough(monkeypatch):
    networks, terms = by_book(), []

    def of_pair(bidder, book, boards, seed):
        if not isinstance(bidder, NetworkBidder):
            return SystemConsistency(0.96, 0.001, 0.0, 5.0)
        terms.append(bidder.networks.terms.truth)
        return SystemConsistency(0.93 + 0.002 * terms[-1], 0.001, 0.7, 5.0)

    monkeypatch.setattr(coaching.truth, "of_pair", of_pair)
    found = coaching.choose_terms(networks, seed=1)
    assert found.terms == Terms(2.0, 12.0)  # 0.96 less 0.008 is enough: 0.950 at 10, 0.954 at 12
    assert terms == [8.0, 10.0, 12.0]
