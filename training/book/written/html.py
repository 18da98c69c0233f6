"""A book as one page for the web: the tree to unfold, nothing to load from elsewhere."""

from __future__ import annotations

import re
from html import escape

from agents.hierarchy.language.tree import Step
from agents.hierarchy.telling import wording
from training.book.measured.measure import Figures
from training.book.measured.points import Entry, Point
from training.book.written.book import LEGEND, Book, made, usual

STYLE = """\
:root{color-scheme:light dark;--c:#187a33;--d:#c75a00;--h:#c4122f;--s:#1d3fa8;--line:#8884;--dim:#777}
@media (prefers-color-scheme:dark){:root{--c:#5fce7d;--d:#ffa353;--h:#ff6f83;--s:#8fb0ff;--line:#8886;--dim:#aaa}}
body{font:16px/1.45 system-ui,sans-serif;margin:0 auto;max-width:60rem;padding:.6rem 1rem 4rem}
h1{margin:.4rem 0}h2{margin:1.6rem 0 .4rem;font-size:1.15rem;border-bottom:1px solid var(--line)}
p{margin:.4rem 0}.facts,.dim{color:var(--dim);font-size:.88rem}
details details,details>.call,details>.facts{margin-left:.9rem}
details,.call{border-left:2px solid var(--line);padding:.15rem 0 .15rem .55rem;margin-top:.15rem}
summary{cursor:pointer}summary:hover{background:#8882}
.bid{font-weight:700;display:inline-block;min-width:3.2rem}.share{float:right;color:var(--dim);font-size:.88rem}
.flag{font-size:.78rem;border:1px solid var(--line);border-radius:.6rem;padding:0 .4rem;margin-left:.3rem;white-space:nowrap}
.gain{color:var(--c)}.loss{color:var(--h)}code{white-space:nowrap}
.c{color:var(--c)}.d{color:var(--d)}.h{color:var(--h)}.s{color:var(--s)}
table{border-collapse:collapse;width:100%;font-size:.92rem}td,th{text-align:left;padding:.2rem .4rem;border-bottom:1px solid var(--line)}
.wide{overflow-x:auto}
"""  # noqa: E501


def rich(text: str) -> str:
    """Escaped, with coloured suit symbols."""
    return re.sub(
        "![cdhs]", lambda m: f'<span class="{m[0][1]}">{wording.SYMBOLS[m[0]]}</span>', escape(text, quote=True)
    )


def document(title: str, body: list[str]) -> str:
    """A page that needs nothing else."""
    return "\n".join([
        "<!DOCTYPE html>", '<html lang="en">', "<head>", '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title>", f"<style>\n{STYLE}</style>", "</head>",
        "<body>", *body, "</body>", "</html>",
    ]) + "\n"  # fmt: skip


def html(book: Book) -> str:
    root = book.points.root
    body = [f"<h1>{rich(book.system.name)}</h1>", *(f"<p>{rich(c)}</p>" for c in book.system.comments)]
    body += [f'<p class="facts">{rich(fact)}</p>' for fact in [*book.facts(), LEGEND]]
    body += ["<h2>We open</h2>", *_below(book, root, theirs=False)]
    if theirs := _below(book, root, theirs=True):
        body += ["<h2>They open</h2>", *theirs]
    if book.system.blocks:
        body += [
            "<h2>General rules</h2>",
            '<p class="dim">For auctions that the tree does not hold. Shares: of all calls.</p>',
        ]
    for block, entries in book.general():
        note = f' <span class="dim">{rich(block.note)}</span>' if block.note else ""
        leaves = [leaf(_summary(book, entry), _facts(book, entry)) for entry in entries]
        body += branch(f"When {rich(wording.promise(block.when))}{note}", *leaves)
    return document(f"{book.system.name}: the book", body)


def _below(book: Book, point: Point, *, theirs: bool | None = None) -> list[str]:
    """Calls at a point with all that follows them; ``theirs`` picks whose first call it is (None: both)."""
    out = []
    entries = {e.step: e for e in book.calls(point)} if theirs is not True else {}
    for step, entry in entries.items():
        child = point.children.get(step)
        out += branch(_summary(book, entry), _facts(book, entry), *(_below(book, child) if child else []))
    for step, child in point.children.items():
        if step not in entries and theirs in (None, step.theirs) and book.leads_on(child):
            out += branch(passing(step), "", *_below(book, child))
    visits, aside = book.measured.visits[point.index], book.measured.general[point.index]
    if entries and visits and aside / visits >= 0.005:
        share = f'<span class="share">{aside / visits:.1%}</span>'
        out.append(f'<div class="call dim">{share}other hands, by the general rules</div>')
    return out


def branch(summary: str, *inside: str) -> list[str]:
    """Something to unfold."""
    return ["<details>", f"<summary>{summary}</summary>", *inside, "</details>"]


def leaf(summary: str, facts: str) -> str:
    """A call that nothing follows."""
    return f'<div class="call">{summary}{facts}</div>'


def passing(step: Step) -> str:
    """The summary of a call that the book does not print, but what follows it."""
    return f'<span class="bid">{rich(wording.call(step) if step.theirs else f"after {wording.call(step)}")}</span>'


def called(figures: Figures, name: str) -> str:
    """How often a call is made, and its name, as its summary begins."""
    return f'<span class="share">{escape(made(figures))}</span><span class="bid">{rich(name)}</span>'


def for_example(hands: list[str]) -> list[str]:
    """A sentence with example hands; none without any."""
    return [f"For example {', '.join(map(hand, hands))}."] if hands else []


def _summary(book: Book, entry: Entry) -> str:
    flags = "".join(f'<span class="flag">{wording.FLAG_TEXT[flag]}</span>' for flag in entry.flags)
    notes = ", ".join(dict.fromkeys(line.note for line in entry.lines if line.note))
    note = f" <i>{rich(notes)}</i>" if notes else ""
    what = " / ".join(dict.fromkeys(wording.promise(line.constraint) for line in entry.lines))
    return f"{called(book.figures(entry), wording.call(entry.step))} {rich(what)}{note}{flags}"


def _facts(book: Book, entry: Entry) -> str:
    figures, said = book.figures(entry), book.said[entry.index]
    parts = [] if said is None else [f"Shows {rich(str(said))}."]
    if figures.made:
        of = "calls" if entry.point is None else "times"
        parts.append(f"{figures.made:,} of {figures.chances:,} {of}. Nine in ten hold {rich(usual(figures))}.")
    parts += for_example(figures.examples[: book.examples])
    worth = book.worth.get(entry.index)
    if worth is not None:
        kind = "gain" if (worth.mean or 0.0) >= 0 else "loss"
        parts.append(
            f'Worth <span class="{kind}">{worth}</span> IMPs on {worth.boards:,} boards, '
            f"{worth.per_thousand:+.0f} on 1,000 of all kinds."
        )
    return f'<div class="facts">{" ".join(parts)}</div>' if parts else ""


def hand(text: str) -> str:
    suits = zip(("!s", "!h", "!d", "!c"), text.split("."), strict=True)
    return "<code>" + " ".join(f"{rich(mark)}{escape(cards) or '-'}" for mark, cards in suits) + "</code>"
