"""Read PBN, LIN, links or bare deals, and report what could not be read."""

from __future__ import annotations

import html
import io
import re
from collections import Counter

from bridge_env.records import lin, pbn
from bridge_env.records.board import BadBoard, Problem, ReadResult
from bridge_env.records.links import LinkError, lin_of_link
from bridge_env.records.text import Source, text_lines, without_percents

_DEAL = re.compile(r'\[\s*Deal\s*[:=]?\s*"|(?:^|\|)\s*md\s*\|', re.MULTILINE | re.IGNORECASE)
_COMMENT = re.compile(r"^%.*|\{[^{}]*\}", re.MULTILINE)
_TAG = re.compile(r'^\s*\[\s*[A-Za-z]\w*\s*"', re.MULTILINE)
_VALUE = re.compile(r"(?:^|\|)\s*(?:md|mb|pn|vg|qx|st|rh|ah|sv|pc)\s*\|", re.MULTILINE | re.IGNORECASE)
_LINK = re.compile(
    r"(?:https?://|www\.|\bbridgebase\.com/)(?:(?!https?://)[^\s\"'<>|])*(?:[?&]|&amp;)"
    r"(?:lin=|myhand=|[nesw]=(?=[SHDC2-9AKQJT.%-]{8}))",
    re.IGNORECASE,
)
_BAR = re.compile("%(?:25)*7C", re.IGNORECASE)
_ENTITY = re.compile("&(?:#[0-9]{2,5}|#x[0-9A-F]{2,4}|[A-Z]{2,8});", re.IGNORECASE)
_NEXT_LINK = re.compile(r"\s(?=https?://|www\.)|$")
_CLOSING = {'"': '"', "'": "'", "(": ")", "<": ">", ">": "<"}  # behind a link, by what stands before it


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
    text = html.unescape(text) if _ENTITY.search(text) else text
    lines = text.split("\n")
    link, tag, value = _LINK.search(text), _TAG.search(text), _VALUE.search(text)
    without_links = "\n".join(line for line in lines if _LINK.search(line) is None) if link else text
    if _DEAL.search(without_links):  # links beside it are text, and comments may have LIN
        content = _COMMENT.sub("", without_links)
        tag, value = _TAG.search(content), _VALUE.search(content)
    elif link is not None and all(link.start() < other.start() for other in (tag, value) if other is not None):
        return _read_links(source, lines, faults)
    is_lin = value is not None and (tag is None or value.start() < tag.start())
    boards_of_lines = lin.boards_of_lines if is_lin else pbn.boards_of_lines
    return boards_of_lines(source, lines, faults)


def _read_links(source: Source, lines: list[str], faults: list[BadBoard]) -> ReadResult:
    """Read the links of each line as a line of LIN; other text is reported where a line has no link."""
    texts = []
    for number, line in enumerate(lines, 1):
        rest, boards = html.unescape(line), list[str]()
        while link := _LINK.search(rest):
            end = rest.find(_CLOSING.get(rest[: link.start()][-1:], "\n"), link.end())
            if end < 0:
                end = _NEXT_LINK.search(rest, link.end()).start()  # type: ignore[union-attr]
            try:
                boards.append(lin_of_link(rest[link.start() : end]).replace("\n", " "))
            except LinkError as error:
                faults.append(BadBoard(number, str(error)))
            rest = rest[end:]
        if rest == html.unescape(line) and re.sub("<[^>]*>", "", rest).strip():
            faults.append(BadBoard(number, f"text without a link: {line.strip()[:80]!r}"))
        texts.append("".join(boards))
    return lin.boards_of_lines(source, texts, faults)


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
