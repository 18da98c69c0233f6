"""Report how far a run has come."""

from __future__ import annotations

from pathlib import Path


class Progress:
    """Receive what a run does; this one shows nothing, and a command line shows bars."""

    def folder(self, folder: Path) -> None:
        """Report the run's folder, as soon as it is there."""

    def stage(self, what: str, total: float | None = None, unit: str = "board") -> None:
        """Begin a stage of the run, of ``total`` units where that is known; with the unit ``%`` it is 100."""

    def add(self, count: float) -> None:
        """Report units of the stage that were just done."""

    def to(self, done: float) -> None:
        """Report all units of the stage that are done."""

    def say(self, what: str) -> None:
        """Report what the stage does at the moment."""

    def note(self, text: str) -> None:
        """Report the latest figures."""
