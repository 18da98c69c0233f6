"""Keep figures as their commands made them: ``make results-check`` compares, ``make results`` makes stale ones again.

python docs/figures.py                     what differs, what is stale, how many figures have no source
python docs/figures.py --list              also each figure without a source
python docs/figures.py --renew [PAGE ...]  run the commands of stale pages, or of these, and fill the tables
python docs/figures.py --fill              fill the tables of all pages from panels
python docs/figures.py --record PAGE ...   a page was just made by its command: note its hash and its bidders

``results/pages.json`` lists pages that one command makes, each with a hash of its text and of all that it was made
with: bidders, and files or folders. A page whose command cannot be run again names the commit it was made at. Tables
elsewhere stand below ``<!-- figures of FOLDER: columns against rows -->`` (or ``rows against columns``) and are filled
from all ``panel.json`` in that folder of ``results/``. "Figures of commit `1a2b3c4`." marks a section, or a page, as
history. Any other figure has a source if a page that its section links holds it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import resource
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from bridge_env.files import write_whole
from bridge_env.schema import Either, Whole, read_json
from training.match import panel

ROOT = Path(__file__).parents[1]
WITHOUT_SOURCE = 3
"""So many figures may be without a source; lower it when there are fewer."""
_ENTRY = {"command": str, "sha256": str, "seconds?": Whole(0), "commit?": str, "made_with?": {...: Either(str, None)}}
_FIGURE = re.compile(r"(?<!\w)[+-]\d+\.\d+(?: ± \d*\.\d+)?|\b\d+\.\d+ ± \d*\.\d+")
_SPEC = re.compile(r"`([a-z]+:[^` ]+|pass|doubler|random)`")
_MARK = re.compile(r"<!-- figures of (\S+): (columns against rows|rows against columns) -->")
_HISTORY = re.compile(r"[Ff]igures of commit `[0-9a-f]{7,40}`")
_LINK = re.compile(r"\]\(([^)#:]+\.md)")


def text_of(path: Path) -> str:
    """What a page says."""
    return path.read_text(encoding="utf-8")


def listed(root: Path) -> dict[str, Any]:
    """The pages that one command makes."""
    shape = {...: _ENTRY}
    return dict(read_json(root / "results" / "pages.json", shape))


def pages(root: Path) -> list[str]:
    """All pages that may hold figures."""
    found = [root / "README.md", *(root / "docs").glob("*.md"), *(root / "results").rglob("*.md")]
    return sorted(path.relative_to(root).as_posix() for path in found if path.is_file())


def sha256(text: str) -> str:
    """A hash of a page."""
    return hashlib.sha256(text.encode()).hexdigest()


@lru_cache(maxsize=256)
def version(root: Path, name: str) -> str:
    """What tells one state of a bidder, a file or a folder from another; "gone" where there is none."""
    path = root / name
    if not path.exists():
        try:
            return panel.version(name)
        except ValueError:
            return "gone"
    files = [path] if path.is_file() else sorted(inner for inner in path.rglob("*") if inner.is_file())
    parts = b"".join(hashlib.sha256(file.read_bytes()).digest() for file in files if "__pycache__" not in file.parts)
    return hashlib.sha256(parts).hexdigest()[:16]


def made_with(root: Path, page: str, entry: dict[str, Any]) -> list[tuple[str, str | None]]:
    """Names and versions of all that a page was made with, those in the panel beside it included."""
    found = list(entry.get("made_with", {}).items())
    beside = (root / page).with_name("panel.json")
    if page.endswith("/panel.md") and beside.is_file():
        for key in panel.read(beside):
            spec, was, opponent, theirs, _, _, *over = json.loads(key)
            found += [(spec, was), (opponent, theirs), *([(over[0], over[1])] if over else [])]
        if "--against" not in entry["command"]:  # it plays all that there are: newcomers have no line yet
            names = {name for name, _ in found}
            found += [(name, None) for _, name in panel.opponents() if name not in names]
    return sorted(set(found), key=str)


def stale(root: Path, page: str, entry: dict[str, Any]) -> list[str]:
    """Names of what a page was made with that is another version now."""
    return sorted({name for name, was in made_with(root, page, entry) if version(root, name) != was})


class Tables:
    """The panels of a folder, to look figures up in."""

    def __init__(self, root: Path, folder: str) -> None:
        self.lines: dict[tuple[str, str], panel.Line] = {}
        self.gains: dict[tuple[str, str, str], panel.Line] = {}
        for file in sorted((root / "results" / folder).rglob("panel.json")):
            for key, line in panel.read(file).items():
                spec, _, opponent, _, _, _, *over = json.loads(key)
                self.lines[spec, opponent] = line
                if over:
                    self.gains[spec, over[0], opponent] = line

    def figure(self, ours: str, theirs: str, decimals: int) -> str | None:
        """What the cell of two headings says: IMPs a board, a gain ("A over B"), or code words; None if not played."""
        (a, *more), (b, *_) = _SPEC.findall(ours), _SPEC.findall(theirs)
        over = more if "` over `" in ours else []
        words = "code words" in ours + theirs
        line, sign = (self.gains.get((a, over[0], b)) if over else self.lines.get((a, b))), 1
        if line is None and not over:
            line, sign = self.lines.get((b, a)), -1
        if line is None or (words and (over or sign < 0)):
            return None
        if words:
            return f"{line.code_words:.1f}"
        mean, error = (line.gain, line.gain_error) if over else (sign * line.mean_imps, line.standard_error)
        return f"{mean:+.{decimals}f} ± {error:.{decimals}f}"


class Page:
    """A page: what it should say, what is wrong with it, and what is left when figures with a source are taken out."""

    def __init__(self, root: Path, name: str) -> None:
        self.root, self.name, self.cells = root, name, 0
        self.filled: list[str] = []
        self.rest: list[str] = []
        self.problems: list[str] = []
        mark, header = None, None
        for line in text_of(self.root / self.name).split("\n"):
            found = _MARK.fullmatch(line)
            if found:
                mark, header = found, None
            elif mark and line.startswith("|"):
                if header is None:
                    header = line.split("|")
                else:
                    self._row(mark, header, line.split("|"))
                    continue
            elif header is not None:
                mark = header = None
            self.filled.append(line)
            self.rest.append(line)

    def _row(self, mark: re.Match[str], header: list[str], cells: list[str]) -> None:
        tables = panels(self.root, mark[1])
        left = list(cells)
        for at, head in enumerate(header[2:-1], 2):
            ours, theirs = (head, cells[1]) if mark[2].startswith("columns") else (cells[1], head)
            if at >= len(cells) - 1 or not (_SPEC.search(ours) and _SPEC.search(theirs)):
                continue
            there = re.search(r"[+-]?\d+\.(\d+)(?: ± \d*\.\d+)?", cells[at])
            says = tables.figure(ours, theirs, len(there[1]) if there else 2)
            if says is None and there:
                self.problems.append(
                    f"{self.name}: nothing in results/{mark[1]} says {ours.strip()} against {theirs.strip()}"
                )
            elif says is not None:
                cells[at] = cells[at].replace(there[0], says) if there else f" {says} "
                left[at] = ""
                self.cells += 1
        self.filled.append("|".join(cells))
        self.rest.append("|".join(left))

    def without_source(self) -> tuple[list[str], int]:
        """Figures that no page linked in their section holds, each with its line; and how many are history."""
        found, old = [], 0
        marked: dict[int, bool] = {}  # by level of the headings that the line stands under: is it history?
        for start, section in self._sections():
            level = len(section[0]) - len(section[0].lstrip("#"))
            marked = {above: is_old for above, is_old in marked.items() if above < level}
            marked[level] = any(_HISTORY.search(line) for line in section)
            beside = [(self.root / self.name).parent / target for target in _LINK.findall("\n".join(section))]
            numbers = [row for path in beside if path.is_file() for row in rows_of(path)]
            for at, line in enumerate(section, start):
                figures = _FIGURE.findall(line)
                if any(marked.values()):
                    old += len(figures)
                else:
                    found += [f"{self.name}:{at}: {figure}" for figure in figures if not held(figure, numbers)]
        return found, old

    def _sections(self) -> Iterator[tuple[int, list[str]]]:
        """The number of its first line, and the lines, of each section; a heading begins one."""
        start, fenced = 0, False
        for number, line in enumerate(self.rest):
            fenced ^= line.startswith("```")
            if number > start and not fenced and re.match(r"#+ ", line):
                yield start + 1, self.rest[start:number]
                start = number
        yield start + 1, self.rest[start:]


@lru_cache(maxsize=8)
def panels(root: Path, folder: str) -> Tables:
    """The panels of a folder."""
    return Tables(root, folder)


@lru_cache(maxsize=128)
def rows_of(path: Path) -> list[list[str]]:
    """The decimal numbers of each line of a page."""
    return [row for row in (re.findall(r"[+-]?\d*\.\d+", line) for line in text_of(path).split("\n")) if row]


def held(figure: str, rows: list[list[str]]) -> bool:
    """Whether a line holds the figure, and its error next to it, to as many decimals or more."""
    parts = re.findall(r"[+-]?\d*\.\d+", figure)
    return any(
        all(_rounds(mine, other) for mine, other in zip(parts, row[at:], strict=False))
        for row in rows
        for at in range(len(row) - len(parts) + 1)
    )


def _rounds(mine: str, other: str) -> bool:
    decimals = len(mine.split(".")[1])
    if len(other.split(".")[1]) < decimals:
        return False
    value, rounded = float(mine), float(f"{float(other):.{decimals}f}")
    return value == rounded if mine[0] in "+-" else value == abs(rounded)


def panel_problems(root: Path, entries: dict[str, Any]) -> Iterator[str]:
    """Panels without a page, and pages of panels whose table is not that of the JSON beside them."""
    for file in sorted((root / "results").rglob("panel.json")):
        page = file.with_name("panel.md")
        name = page.relative_to(root).as_posix()
        if name not in entries or not page.is_file():
            yield f"{file.relative_to(root)}: its page {name} is missing, or is not in results/pages.json"
            continue
        lines = list(panel.read(file).values())
        if {line for line in text_of(page).split("\n") if line.startswith("|")} != set(panel.markdown(lines)):
            yield f"{name}: its table differs from panel.json beside it"


def check(root: Path, most: int, tell_all: bool = False) -> int:
    """Compare all pages with what they were made from; print what is stale and what has no source."""
    entries = listed(root)
    problems, loose, old = list(panel_problems(root, entries)), [], 0
    cells = 0
    for name, entry in entries.items():
        if not (root / name).is_file():
            problems.append(f"results/pages.json: there is no {name}")
        elif sha256(text_of(root / name)) != entry["sha256"]:
            problems.append(
                f"{name}: differs from what `{entry['command']}` made; --renew it, or --record it if it did"
            )
    for name in pages(root):
        page = Page(root, name)
        if name in entries:
            old += len(_FIGURE.findall(text_of(root / name))) if "commit" in entries[name] else 0
            continue
        problems += page.problems
        cells += page.cells
        if "\n".join(page.filled) != text_of(root / name):
            problems.append(f"{name}: a table differs from its panel.json; `python docs/figures.py --fill` mends it")
        more, history = page.without_source()
        loose += more
        old += history
    if len(loose) > most:
        problems.append(
            f"{len(loose)} figures without a source, at most {most} may be: make them by a command, link the page that "
            'holds them, or say of which commit they are ("Figures of commit `1a2b3c4`.")'
        )
    print(f"{len(entries)} pages as their commands made them, {cells} cells filled from panels")
    print(f"{old} figures of earlier commits, {len(loose)} without a source (at most {most})")
    if tell_all:
        print("\n".join(loose))
    tell_stale(root, entries)
    print("\n".join(problems), file=sys.stderr, end="\n" if problems else "")
    return 1 if problems else 0


def tell_stale(root: Path, entries: dict[str, Any]) -> list[str]:
    """Print what was made with another version, by which command, and how long that takes; return the pages."""
    found = {name: names for name, entry in entries.items() if (names := stale(root, name, entry))}
    again = [name for name in found if "seconds" in entries[name]]
    if found:
        minutes = sum(entries[name]["seconds"] for name in again) / 60
        print(f"stale: {len(found)} pages; `make results` makes {len(again)} again, {minutes:.0f} minutes of one core")
    for name, names in found.items():
        how = f"{entries[name]['seconds']} s of the processor: " if name in again else "not by `make results`: "
        print(f"  {name} (other versions: {', '.join(names)})\n      {how}{entries[name]['command']}")
    return again


def record(root: Path, names: list[str], seconds: int = 0) -> None:
    """Note hashes and versions of pages that were just made. A panel that goes on takes a part of its time only."""
    entries = listed(root)
    version.cache_clear()
    for name in names:
        entry = entries[name]
        entry["sha256"] = sha256(text_of(root / name))
        entry["made_with"] = {what: version(root, what) for what in entry.get("made_with", {})}
        if "seconds" in entry:
            entry["seconds"] = max(entry["seconds"], seconds)
    write_whole(root / "results" / "pages.json", json.dumps(entries, indent=1, ensure_ascii=False) + "\n")


def renew(root: Path, names: list[str]) -> int:
    """Run the commands of pages, all that are stale if none is named; then fill the tables."""
    entries = listed(root)
    for name in names or tell_stale(root, entries):
        print(f"\n{entries[name]['command']}", flush=True)
        program, *words = shlex.split(entries[name]["command"])
        begun = _processor()
        run = [sys.executable, "-c", "import sys; from training.cli import main; sys.exit(main())", *words]
        if program != "bridge-env" or subprocess.run(run, cwd=root, check=False).returncode:
            print(f"{name}: its command failed; nothing is recorded of it", file=sys.stderr)
            return 1
        record(root, [name], round(_processor() - begun))
    return fill(root)


def fill(root: Path) -> int:
    """Fill the tables of all pages from panels."""
    for name in set(pages(root)) - set(listed(root)):
        text = "\n".join(Page(root, name).filled)
        if text != text_of(root / name):
            write_whole(root / name, text)
    return 0


def _processor() -> float:
    """Seconds of the processor that ended commands took: a busy machine does not count."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(words: list[str], root: Path = ROOT, most: int = WITHOUT_SOURCE) -> int:
    """Do what the words of the command say."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--list", action="store_true", help="list each figure without a source")
    parser.add_argument("--renew", nargs="*", metavar="PAGE", help="make stale pages again, or these; fill the tables")
    parser.add_argument("--fill", action="store_true", help="fill the tables from the panels that are there")
    parser.add_argument("--record", nargs="+", metavar="PAGE", help="note that a page was just made by its command")
    args = parser.parse_args(words)
    try:
        if args.record:
            record(root, args.record)
        if args.fill:
            return fill(root)
        if args.renew is not None:
            return renew(root, args.renew)
        return check(root, most, args.list)
    except (ValueError, KeyError) as error:  # a file that is damaged, a network whose book is gone, an unknown page
        print(f"figures: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
