"""A file that keeps the boards of a match as soon as they are played, so that it goes on where it was interrupted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bridge_env.cards import RANKS, SUITS
from training.cardplay.result import PlayedBoard, board_row


class Kept:
    """A file of lines of JSON: the match, then a line for every board."""

    def __init__(self, path: Path, header: dict[str, Any]) -> None:
        self.path, self.header = path, header

    def read(self) -> Iterator[tuple[int, PlayedBoard]]:
        """The boards that are in the file; makes it where there is none."""
        lines = self.path.read_text(encoding="utf-8").splitlines(keepends=True) if self.path.exists() else []
        if lines and not lines[-1].endswith("\n"):  # a line that was being written when the run was killed
            self.path.write_text("".join(lines[:-1]), encoding="utf-8")
            lines = lines[:-1]
        if not lines:
            self.path.write_text(json.dumps(self.header) + "\n", encoding="utf-8")
            return
        found = json.loads(lines[0])
        if found != self.header:
            what = next(name for name in self.header if found.get(name) != self.header[name])
            raise ValueError(
                f"{self.path} holds another match: its {what} is {found.get(what)!r}, not {self.header[what]!r}"
            )
        for line in lines[1:]:
            row = json.loads(line)
            cards = [tuple(_card_number(word) for word in text.split()) for text in row["cards"]]
            first, second = row["tricks"]
            yield int(row["board"]), PlayedBoard((cards[0], cards[1]), (first, second), row["fault"])

    def add(self, boards: dict[int, PlayedBoard]) -> None:
        """Append some boards."""
        with self.path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(board_row(number, board)) + "\n" for number, board in boards.items())


def _card_number(word: str) -> int:
    return 13 * SUITS.index(word[0]) + RANKS.index(word[1])
