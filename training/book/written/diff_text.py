"""What evolution changed, as Markdown and as a page for the web."""

from __future__ import annotations

from html import escape

from agents.hierarchy.language.tree import Line, Step
from agents.hierarchy.telling import wording
from training.book.written.book import table
from training.book.written.diff import Change, Difference
from training.book.written.html import document, rich

_TITLES = {
    "added": "New lines",
    "removed": "Lines dropped",
    "changed": "Lines changed",
    "moved": "Lines moved",
    "context": "General rules in another context",
}
_HEADS = ("Call", "Change", "Comes up", "Worth", "per 1,000")


def diff_markdown(difference: Difference) -> str:
    parts = [f"# {difference.a} to {difference.b}", *_facts(difference)]
    for title, changes in _sections(difference):
        rows = [[call, " · ".join([*what, *aside]), *figures] for call, what, aside, figures in map(_row, changes)]
        parts += [f"## {title}", table(_HEADS, rows)]
    return wording.symbols("\n\n".join(parts)) + "\n"


def diff_html(difference: Difference) -> str:
    body = [f"<h1>{rich(difference.a)} to {rich(difference.b)}</h1>"]
    body += [f'<p class="facts">{rich(fact)}</p>' for fact in _facts(difference)]
    for title, changes in _sections(difference):
        body += [f"<h2>{escape(title)}</h2>", '<div class="wide"><table>']
        body.append("<tr>" + "".join(f"<th>{escape(head)}</th>" for head in _HEADS) + "</tr>")
        for call, what, aside, figures in map(_row, changes):
            change = "<br>".join(rich(text) for text in [*what, *aside])
            cells = [rich(call.replace("*", "")), change, *(escape(text) for text in figures)]
            body.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
        body.append("</table></div>")
    return document(f"{difference.a} to {difference.b}", body)


def _facts(d: Difference) -> list[str]:
    if not d.changes:
        none = "The systems bid alike: no line differs."
        order = "No line differs, but the order of lines under different headings, or what leads to them, does."
        return [order if d.unseen else none]
    result = (
        f"Against {d.control}, {d.source}: {d.a} {d.results[0]:+.3f}, {d.b} {d.results[1]:+.3f} IMPs a board; "
        f"the difference {d.gain[0]:+.3f} ± {d.gain[1]:.3f}."
    )
    about = (
        f"Worth: IMPs by which {d.b} does better than {d.b} with this one change taken back, on a board whose auction "
        f"it alters ± standard error, and on 1,000 boards of all kinds. With fewer than 30 such boards no figure is "
        f"given. Single changes need not add up to the difference."
    )
    return [result, about, wording.TERMS]


def _sections(d: Difference) -> list[tuple[str, list[Change]]]:
    out = [("New conventions and sequences", [c for c in d.changes if c.convention])]
    out += [(title, [c for c in d.changes if c.kind == kind and not c.convention]) for kind, title in _TITLES.items()]
    return [(title, changes) for title, changes in out if changes]


def _row(change: Change) -> tuple[str, list[str], list[str], list[str]]:
    """The call, the change, what came with it, and the figures."""
    worth = change.worth
    figures = ["", "", ""]
    if worth is not None:
        figures[0] = f"{worth.boards:,} boards"
        if worth.mean is not None:
            figures[1:] = [str(worth), f"{worth.per_thousand:+.1f}"]
    return _call(change), _what(change), [f"{_lead(path)}{_said(line)}" for path, line in change.followers], figures


def _call(change: Change) -> str:
    line = change.line
    context = "" if change.block is None else f"when {wording.promise(change.block.when)}: "
    if line is None or not line.path:
        return context.removesuffix(": ") or "general rules"
    return f"{context}{_lead(change.path)}**{wording.call(line.path[-1])}**"


def _lead(path: tuple[Step, ...]) -> str:
    return f"{wording.path(path)} - " if path else ""


def _said(line: Line) -> str:
    return f"{wording.call(line.path[-1])}: {_promise(line)}"


def _promise(line: Line) -> str:
    return wording.promise(line.constraint) + wording.aside(wording.remark(line))


def _what(change: Change) -> list[str]:
    old, new = change.old, change.new
    if change.kind in ("changed", "context") and old is not None and new is not None:
        return [f"{_promise(old)} → {_promise(new)}"]
    if change.kind == "moved" and new is not None:
        return [f"{_promise(new)} (another place in the order)"]
    line = change.line
    return [_promise(line)] if line is not None else []
