"""Write the systems of a partnership into the folder of a run."""

from __future__ import annotations

from pathlib import Path

from agents.hierarchy.language.text import system_text
from bridge_env.files import atomic_write
from training.match.duel import Partnership

_OF_PLAYERS = ("-first", "-second")


def write_systems(folder: Path, name: str, pair: Partnership) -> list[Path]:
    """Write a pair's system as NAME.bidding, or its two as NAME-first.bidding and NAME-second.bidding."""
    files = [folder / f"{name}{which}.bidding" for which in (("",) if pair.first == pair.second else _OF_PLAYERS)]
    for file, system in zip(files, (pair.first, pair.second), strict=False):
        atomic_write(file, system_text(system))
    for other in {folder / f"{name}{which}.bidding" for which in ("", *_OF_PLAYERS)} - {*files}:
        other.unlink(missing_ok=True)  # of a generation in which partners differed, or did not
    return files
