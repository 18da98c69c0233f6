"""Read PBN, LIN, links or bare deals, and report what could not be read."""

from __future__ import annotations

import html
import io
import re
from collections import Counter

from bridge_env.records import lin, pbn
from bridge_env.records.board import BadBoard, Problem, ReadResult, merge_results
from bridge_env.records.links import VIEWER, LinkError, lin_of_link
from bridge_env.records.text import Source, text_lines, without_percents

_DEAL = re.compile(r'\[\s*Deal\s*[:=]?\s*"|(?:^|\|)\s*md\s*\|', re.MULTILINE | re.IGNORECASE)
_COMMENT = re.compile(r"^%.*|\{[^{}]*\}", re.MULTILINE)
_TAG = re.compile(r'^\s*\[\s*[A-Za-z]\w*\s*"', re.MULTILINE)
_VALUE = re.compile(r"(?:^|\|)\s*(?:md|mb|pn|vg|qx|st|rh|ah|sv|pc)\s*\|", re.MULTILINE | re.IGNORECASE)
_LINK = re.compile(
    r"(?:https?://|www\.|\bbridgebase\.com/)(?:(?!https?://)[^\s\"'<>|])*(?:[?&]|&amp;)"
    r"(?:lin=|[nesw]=(?=[SHDC2-9AKQJT.%+ -]{8}))",
    re.IGNORECASE,
)
_BAR = re.compile("%(?:25)*7C", re.IGNORECASE)
_ENTITY = re.compile("&(?:#[0-9]{2,5}|#x[0-9A-F]{2,4}|[A-Z]{2,8});", re.IGNORECASE)
_NEXT_LINK = re.compile(r"\s(?=https?://|www\.)")
_FORUM_LINK = re.compile(r"\[hv=([^\]]*)\](?:[\d|]*\[/hv\])?", re.IGNORECASE)
_CLOSING = {'"': '"', "'": "'(?![A-Za-z])", "<": "[<>]", ">": "<", "=": r"\]", "]": r"\[/"}  # by what opens


def read_records(source: Source) -> ReadResult:
    """Read all boards of a file or stream, by what it contains.

    That is PBN, LIN, percent-encoded or not, links to Bridge Base Online's viewer, alone or in other text, or deals
    ``N:AK... ...``, one a line.

    Raises:
        OSError: the file is missing or cannot be read.
    """
    faults: list[BadBoard] = []
    text = "\n".join(text_lines(source, faults))
    while _BAR.search(text) and "|" not in text and _LINK.search(text) is None:
        text = without_percents(text)
    text = _ENTITY.sub(_sign, text)
    text = _FORUM_LINK.sub(rf"{VIEWER}?\1 ", text)
    lines = dict(enumerate(text.split("\n"), 1))
    without_links = [line for line in lines.values() if _LINK.search(line) is None]
    link, tag, value = _LINK.search(text), _TAG.search(text), _VALUE.search(text)
    if not any(map(_DEAL.search, without_links)):
        if link is not None and all(link.start() < other.start() for other in (tag, value) if other is not None):
            return _read_links(source, lines, faults)
    elif _LINK.match(text.strip()):  # in other files links beside deals are text
        links = {number: line for number, line in lines.items() if _LINK.match(line.strip())}
        result = _boards_of_lines(source, [*(lines | dict.fromkeys(links, "%")).values()], faults)
        return merge_results(result, _read_links(source, links, []))
    return _boards_of_lines(source, [*lines.values()], faults)


def _sign(entity: re.Match[str]) -> str:
    """Return the sign of ``&amp;``; those that open or close comments stay as they are."""
    sign = html.unescape(entity[0])
    return entity[0] if sign in "{};%" else sign


def _boards_of_lines(source: Source, lines: list[str], faults: list[BadBoard]) -> ReadResult:
    """Read PBN or LIN, by what comes first; links and comments may have either in them."""
    text = "\n".join(lines)
    content = _COMMENT.sub("", "\n".join(line for line in lines if _LINK.search(line) is None))
    tag, value = _TAG.search(content), _VALUE.search(content)
    if tag is None and value is None:
        tag, value = _TAG.search(text), _VALUE.search(text)
    is_lin = value is not None and (tag is None or value.start() < tag.start())
    boards_of_lines = lin.boards_of_lines if is_lin else pbn.boards_of_lines
    return boards_of_lines(source, lines, faults)


def _read_links(source: Source, lines: dict[int, str], faults: list[BadBoard]) -> ReadResult:
    """Read the links of lines by their numbers; other text is reported where a line has no link."""
    texts = []
    for number, line in lines.items():
        rest = html.unescape(line)
        if _LINK.search(rest) is None and re.sub("<[^>]*>", "", rest).strip():
            faults.append(BadBoard(number, f"text without a link: {line.strip()[:80]!r}"))
        while link := _LINK.search(rest):
            end = _end_of_link(rest, link)
            try:
                texts.append((number, lin_of_link(rest[link.start() : end]).replace("\n", " ")))
            except LinkError as error:
                faults.append(BadBoard(number, str(error)))
            rest = rest[end:]
    return lin.boards_of_links(source, texts, faults)


def _end_of_link(text: str, link: re.Match[str]) -> int:
    """Return the place behind a link: before what closes what opens in front of it, or before the next link."""
    opening, start = text[: link.start()][-1:], link.end()
    if opening in _CLOSING and (found := re.compile(_CLOSING[opening]).search(text, start)):
        return found.start()
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if depth < 0 or _NEXT_LINK.match(text, place):
            return place
    return len(text)


def read_text(text: str) -> ReadResult:
    """Read all boards of a text, as ``read_records`` does of a file."""
    return read_records(io.StringIO(text))


def report(result: ReadResult) -> str:
    """Count the boards that were read and left out, and the problems by their kinds with the first of each."""
    lost = sum(problem.board for problem in result.problems)
    called = sum(board.auction is not None for board in result.boards)
    partial = f"{len(result.partial):,} partial deals, " * bool(result.partial)
    boards = f"{len(result.boards):,} board{'s' * (len(result.boards) != 1)}"
    lines = [f"{boards} read, {called:,} of them with an auction; {partial}{lost:,} left out"]
    first: dict[str, Problem] = {problem.kind: problem for problem in reversed(result.problems)}
    kinds = Counter(problem.kind for problem in result.problems)
    for kind, count in sorted(kinds.items(), key=lambda item: (-item[1], item[0])):
        lines.append(f"  {count:,} {kind}, such as {first[kind]}")
    return "\n".join(lines)
