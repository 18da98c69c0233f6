"""``bridge-env match`` and ``panel``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Literal

from bridge_env.io.files import atomic_write
from training.cli.options import AtLeast2, BoardOptions, Count, JsonFile, Seed, Several
from training.cli.output import Bar, can_resume, print_text, write_json


def match(
    a: str,
    b: str,
    /,
    *,
    boards: BoardOptions = BoardOptions(),
    json: JsonFile | None = None,
    report: Path | None = None,
    workers: Count = 1,
    keep: Path | None = None,
    play: str | None = None,
    play_b: str | None = None,
    only: Literal["all", "makes", "down-1", "down-more"] = "all",
) -> int:
    """Play a duplicate match of teams of four, A against B; report IMPs per board and standard error.

    A SPEC names a bidder:

        system:sayc             a bidding system that comes with the package: standard American
        system:two-over-one     another: two over one game forcing; the default
        system:FILE.bidding     a bidding system in a file of yours
        system:sayc?without=splinter    a system without a convention
        policy:champion         a network that learned in the league; policy:polish and others learned from records
        policy:FILE             a network of yours ('bridge-env fit policy' and 'bridge-env train' make them)
        reason:sayc             samples deals, looks ahead, and departs from the system where that gains
        reason:empty            the same without any system
        cases:FILE              makes the call of the most similar cases ('bridge-env fit cases' makes a case base)
        som:FILE                makes the call of similar hands, by self-organizing maps ('bridge-env fit maps')
        pass, random, doubler   always passes; any legal call; passes but doubles opposing bids from 2NT up
        pair:SPEC,SPEC          a partnership of two bidders: the first sits N or E, the second S or W
        seat:URL                another program, over HTTP: seat:http://127.0.0.1:8085
        python:module:factory   your own: factory() returns an object with bid(view, key)

    For example:

        bridge-env match system:sayc pass
        bridge-env match reason:sayc system:sayc --boards 500 --workers 2
        bridge-env match system:mine.bidding system:sayc --boards 10000 --seed 2 --json result.json
        bridge-env match policy:champion system:sayc --boards 5000 --report match.html
        bridge-env match python:mybots:make_bot system:sayc --deals event.pbn
        bridge-env match system:sayc system:sayc --boards 50 --play montecarlo --play-b rule --keep match.jsonl

    Every board is bid twice: A sits North-South at one table and East-West at the other. The score is A's gain in IMPs
    at exact double-dummy tricks. Without --deals, the match uses solved boards that training never sees. With --play,
    card players also play each hand, seeing only what a player may see; the score at the tricks taken is then printed
    beside the double-dummy score. Card players: montecarlo, rule, deceptive, random, and A+B for declarer and defence.

    Args:
        a: SPEC of the first team
        b: SPEC of the second team
        json: write the result and a row for every board to this file; -: to standard output
        report: write a page (.html): where the IMPs were won and lost, and boards to click through
        workers: number of processes; does not change the result
        keep: save each board to this file, and resume from it: its auctions, or with --play its cards
        play: play every hand with this card player
        play_b: card player for B (default: the same)
        only: play only boards whose contract makes, or goes down, double dummy at both tables
    """
    from training.evaluation.duplicate import match as play_match
    from training.evaluation.duplicate import seat_teams

    seat_teams(a, b)  # a faulty spec is an error before any work
    if play is None and (play_b or only != "all"):
        raise ValueError("--play-b and --only go with --play")
    for option, path in (("keep", keep), ("json", json), ("report", report)):
        if path is not None and not path.parent.is_dir():
            raise ValueError(f"--{option} {path}: there is no folder {path.parent}")
    dealt = boards.read(1000)
    if keep is not None:
        can_resume(keep)
    with Bar(len(dealt), "board", brief=True) as bar:
        result = play_match(
            a, b, dealt, boards.seed, workers=workers, log=keep if play is None else None, progress=bar.add
        )  # fmt: skip
    print_text(str(result), json)
    played = None
    if play is not None:
        from training.evaluation.cardplay import Teams, boards_of_fate, play_hands

        rows = boards_of_fate(result, only)
        if not len(rows):
            raise ValueError(f"none of {len(dealt)} boards fits --only {only}; ask for more --boards")
        teams = Teams((a, b), (play, play_b or play))
        with Bar(len(rows), "board", brief=True) as bar:
            played = play_hands(result, teams, rows=rows, log=keep, workers=workers, progress=bar.add)
        print_text(str(played), json)
    if json is not None:
        content = {**result.summary(), "rows": result.rows()}
        write_json(json, content if played is None else content | {"play": {**played.summary(), "rows": played.rows()}})
    if report is not None:
        from training.evaluation.report import report as make_page

        with Bar(None, "board", "report", brief=True) as bar:
            made = make_page(result, played, progress=bar.add)
        atomic_write(report, made.page)
        print_text(f"{report}: a page with {made.shown:,} of {made.boards:,} boards", json)
    return 0


def panel(
    spec: str,
    /,
    *,
    against: Annotated[list[str] | None, Several] = None,
    boards: AtLeast2 = 20_000,
    seed: Seed = 1,
    workers: Count = 1,
    over: str | None = None,
    truth: bool = False,
    out: Path | None = None,
) -> int:
    """Play a bidder against all strangers and the shipped systems, on boards that training never sees.

        bridge-env panel system:two-over-one                     play against all: some minutes
        bridge-env panel policy:champion --workers 2 --out results/panel
        bridge-env panel policy:mine/policy.npz --against policy:polish system:sayc --boards 5000
        bridge-env panel policy:by-the-book --against policy:humans --truth
        bridge-env panel reason:policy:champion --over policy:champion --against policy:humans --boards 1000 --workers 2

    Strangers are networks that learned from the auctions of other programs or of people. Gatekeepers are strangers that
    serve only to judge: no run trains against them. With --out, finished lines are saved, and the same command
    continues after Ctrl-C or a bidder's fault. Artificial calls of the bidder's side are counted: a bid of a suit with
    fewer than four cards in it (three to raise partner's suit), a double up to the three level, a redouble, and a 2C
    opening or response to 1NT with fewer than five clubs.

    Args:
        spec: the bidder ('bridge-env match --help' lists them)
        against: play only these opponents (default: all of the panel)
        boards: judging boards against each opponent
        seed: random seed of the boards
        workers: number of processes
        over: let this bidder play the same boards, and report the gain over it
        truth: also report the share of hands that are what they showed by the book, and as printed (minutes)
        out: save finished lines and the page in this folder, and resume from it
    """
    from training.evaluation.panel import opponents
    from training.evaluation.panel import panel as play_panel
    from training.evaluation.truth import book_behind, truth_lines
    from training.runtime.runs import hold, portable

    if truth:
        book_behind(spec)  # a bidder without a book is an error before anything is played
    log = None
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        hold(out)
        log = out / "panel.json"
        can_resume(log)
    specs = against or [opponent for _, opponent in opponents()]
    matches = sum(opponent != spec for opponent in specs) * (2 if over else 1)
    with Bar(boards * matches, "board") as bar:
        result = play_panel(spec, specs, boards, seed, over=over, workers=workers, log=log, progress=bar)
    sections = ["\n".join(truth_lines(spec, boards, seed))] if truth else []
    print("\n\n".join([str(result), *sections]))
    if out is not None:
        words = ["bridge-env", "panel", spec, *(["--over", over] if over else [])]
        words += [*(["--against", *against] if against else []), *["--truth"] * truth]
        command = shlex.join([*map(portable, words), "--boards", str(boards), "--seed", str(seed)])
        atomic_write(out / "panel.md", result.page(sections, command))
    return 0
