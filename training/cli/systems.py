"""``bridge-env check``, ``book`` and ``exam``."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from bridge_env.io.files import atomic_write
from training.cli.options import Count, CountOrZero, JsonFile, Seed, Several
from training.cli.output import Bar, print_text, write_json

if TYPE_CHECKING:
    from agents.systems.lint import Finding


def check(system: str, /, *systems: str, sound: bool = False, mend: Path | None = None, base: str | None = None) -> int:
    """Read bidding systems and list all their faults at once.

        bridge-env check mine.bidding
        bridge-env check *.bidding
        bridge-env check --sound sayc
        bridge-env check --sound mine.bidding --mend better.bidding
        bridge-env check --sound mine-amended.bidding --base mine.bidding --mend sound.bidding

    Listed are, with line numbers: lines that cannot be read, lines that no auction reaches, duplicate lines, lines that
    no hand fits, alone or after the calls of their auction, and lines that no hand reaches because the lines above them
    take every hand. A system with a fault of the first two kinds cannot be used; the exit code is then 2.

    With --sound, thousands of hands of all kinds are tried at every position of the system's tree (half a minute), and
    what no pair would agree to play is listed:

    - a label that its hands do not keep ("take-out" without shape, "values" without points);
    - a suit bid on a doubleton that is not a named convention, an artificial call without a name;
    - a call that forces with one hand and not with another, an asking call that partner may pass;
    - a weak opening in fourth seat, on a bad suit, or alike at every vulnerability; a better suit that is bid lower;
    - 6NT or 7NT on fewer points than the quantitative raise asks for;
    - a line that no hand reaches after the calls of its auction, or that answers a call which partner never makes.

    The exit code is 1 if anything is found.

    Args:
        system: a bidding system: FILE.bidding, or a shipped one such as sayc
        systems: more of them
        sound: list unsound bidding too
        mend: write the system to this file without the lines that no hand reaches
        base: with --mend, also take back the unsound changes made to this system
    """
    from agents.systems.lint import check_system, sound_findings

    paths = [_system_file(name) for name in (system, *systems)]
    if base is not None and mend is None:
        raise ValueError("--base says what to take back; --mend FILE says where to write the system")
    if mend is not None and len(paths) != 1:
        raise ValueError(f"--mend writes one system; {len(paths)} are given")
    worst = 0
    for path in paths:
        found = check_system(path)
        faults = sum(finding.fault for finding in found)
        notes = len(found) - faults
        _print_findings(path, found)
        if sound and not faults:
            with Bar(what="looking at positions", brief=True) as bar:
                unsound = sound_findings(path, lambda done, of: bar.share(done / of))
            _print_findings(path, unsound)
            print(f"{path}: {len(unsound)} unsound, {notes} notes", file=sys.stderr)
            worst = max(worst, int(bool(unsound)))
        else:
            print(f"{path}: {f'{faults} faults' if faults else 'no faults'}, {notes} notes", file=sys.stderr)
        worst = max(worst, 2 * bool(faults))
    if mend is not None and worst < 2:
        _mend(paths[0], mend, None if base is None else _system_file(base))
    return worst


def _print_findings(path: Path, found: list[Finding]) -> None:
    for finding in found:
        print(f"{finding.file or path}:{finding.line}: {'' if finding.fault else 'note: '}{finding.text}")


def _mend(path: Path, out: Path, base: Path | None) -> None:
    from agents.systems.audit.mend import as_sound_as, without_dead
    from agents.systems.language.text import load_system, system_text
    from agents.systems.library.shipped import with_general

    own = load_system(path)
    mended = with_general(own)
    if base is not None:
        with Bar(what="reverting unsound changes", brief=True) as bar:
            mended, back = as_sound_as(with_general(load_system(base)), mended, lambda done, of: bar.share(done / of))
        for change in back:
            print(f"taken back: {change}")
    with Bar(what="dropping lines", brief=True) as bar:
        mended = without_dead(mended, lambda done, of: bar.share(done / of))
    atomic_write(out, system_text(mended if own.blocks else replace(mended, blocks=())))
    print(f"{out}: written", file=sys.stderr)


def _system_file(system: str) -> Path:
    """Return the file of a system that is a path or the name of a shipped one."""
    from agents.systems.library.shipped import shipped_systems, system_path
    from bridge_env.bidders.registry import SpecError, full_spec

    if system not in shipped_systems() and (path := Path(system)).exists():
        return path
    head, _, argument = full_spec(system).partition(":")
    if head != "system":
        raise SpecError(f"{system!r} is no bidding system; give a file, as mine.bidding, or a shipped one, as sayc")
    return system_path(argument)


def book(
    system: str | None = None,
    /,
    *,
    diff: tuple[str, str] | None = None,
    out: Path | None = None,
    levels: Count | None = None,
    once_in: CountOrZero = 2000,
    deals: Count = 100_000,
    seed: Seed = 1,
    worth: bool = False,
    judgement: bool = False,
    control: str = "sayc",
    boards: Count = 10_000,
) -> int:
    """Print a bidding system for players: a convention card, and notes by auction with figures.

        bridge-env book sayc                                  print Markdown at the terminal
        bridge-env book sayc --levels 3 --worth --out sayc.html
        bridge-env book mine.bidding --out mine.json          the same as JSON, for other programs
        bridge-env book --diff sayc mine.bidding              print what the second changes in the first
        bridge-env book policy:champion --levels 2            measure what a network's calls mean
        bridge-env book policy:by-the-book --judgement        show where a network leaves its book, and what that gains

    The same seed makes the same book. A network has no rules: its book describes what the hands behind each call have
    in common, and how many hands on other deals fit that.

    Args:
        system: a shipped system's name, FILE.bidding, or a network (policy:NAME or policy:FILE)
        diff: two systems: print what the second changes in the first, and what that gains
        out: write to this file, as its ending says: .md, .html or .json (default: Markdown to standard output)
        levels: depth of the tree to print: 1 openings, 2 responses and overcalls, 3 ...
        once_in: leave out calls made less often than once in so many deals; 0: none
        deals: random deals to measure on
        seed: random seed of deals and boards
        worth: add the IMPs that each call gains against the control pair
        judgement: only show the calls by which a network gains most over its book's, with hands
        control: the control pair's system
        boards: judging boards for IMPs
    """
    from training.book.model import FORMATS, render_book

    if (system is None) == (diff is None):
        raise ValueError("name a system, or two with --diff A B: bridge-env book sayc")
    form = next((name for name, suffix in FORMATS.items() if out is None or out.suffix == suffix), None)
    if form is None:
        raise ValueError(f"{out}: give a name that ends in {', '.join(FORMATS.values())}")
    network = system is not None and system.startswith("policy:")
    if worth and network:
        raise ValueError("--worth takes a call out of a system; a network has no lines to take out")
    if diff:
        if form != "markdown":
            raise ValueError(f"{out}: a difference is Markdown; give a name that ends in .md")
        from training.book.diff import compare_systems
        from training.runtime.pages import render

        difference = compare_systems(_system(diff[0]), _system(diff[1]), _system(control), boards, seed)
        return _write(render("difference.md", **difference), out)
    assert system is not None
    if judgement:
        from training.coaching.judgement import judgement_page

        return _write(judgement_page(system, boards, seed), out)
    settings: dict[str, Any] = {"levels": levels, "once_in": once_in}
    if network:
        from agents.networks.shipped import read_networks
        from training.book.model import HOLDOUT
        from training.book.network_book import make_network_book
        from training.runtime.processes import use_fast_matmul

        player = read_networks(system.removeprefix("policy:")).player
        use_fast_matmul()
        with Bar(deals + HOLDOUT, "deal", brief=True) as bar:
            model = make_network_book(system, player, deals, seed, tick=bar.add, **settings)
        return _write(render_book(model, form), out)
    from training.book.system_book import add_worth, make_book

    with Bar(deals, "deal", brief=True) as bar:
        made = make_book(_system(system), deals, seed, tick=bar.add, **settings)
    if worth:
        with Bar(len(made.graph.entries), "call", brief=True) as bar:
            add_worth(made, _system(control), boards, seed, bar.add)
    return _write(render_book(made.model(), form), out)


def _system(name: str) -> Any:
    from agents.systems.library.shipped import read_system

    return read_system(name.removeprefix("system:"))


def _write(text: str, out: Path | None) -> int:
    if out is None:
        print(text, end="")
    else:
        atomic_write(out, text)
        print(f"{out}: {len(text):,} characters")
    return 0


def exam(
    spec: str,
    /,
    *specs: str,
    key: Literal["sayc", "2/1", "all"] | None = None,
    area: Annotated[list[str] | None, Several] = None,
    file: Annotated[list[Path] | None, Several] = None,
    wrong: bool = False,
    json: JsonFile | None = None,
) -> int:
    """Let bidders answer the textbook exam, and print their scores by area.

        bridge-env exam system:sayc system:two-over-one          print the score by area
        bridge-env exam system:mine.bidding --wrong              list every wrong answer, with the reason
        bridge-env exam policy:champion --area openings slam     ask in these areas only
        bridge-env exam system:mine.bidding --file mine.exam     sit another exam: a file, or a folder of .exam files

    The exam holds positions in which books on five-card majors agree, with the calls that they accept: ten points for a
    best call, five for a reasonable one. Some positions are for Standard American (sayc) or two over one (2/1) only.
    The header of a system names its key; without one, either answer counts. A system answers only the positions
    whose conventions it has. The exam measures agreement with the books, not strength.

    Args:
        spec: the bidder ('bridge-env match --help' lists them)
        specs: more of them
        key: use this key (default: the one that the system names)
        area: ask in these areas only; a wrong name lists them
        file: sit this exam instead of the textbook's
        wrong: list the wrong answers, with the reasons
        json: write scores and answers to this file too; -: to standard output
    """
    from training.exam.run import ExamConfig, wrong_text
    from training.exam.run import exam as sit_exam

    result = sit_exam(ExamConfig([spec, *specs], key, area or (), file or ()))
    print_text("\n\n".join([str(result), *(wrong_text(paper) for paper in result.papers if wrong)]), json)
    if json is not None:
        write_json(json, result.record())
    return 0
