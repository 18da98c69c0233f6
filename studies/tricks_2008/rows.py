"""Define the networks of the study of 2008, with their published figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

NO_TRUMP, SPADES = 4, 3
STRAINS = {NO_TRUMP: "no trump", SPADES: "spades"}

#: Steps of Rprop by row; others take 1000. On 41,105 deals (a tenth of them held out) the 52 inputs were at their best
#: after 450 and 52x4-26 after 575, when it had begun to learn its deals by heart; with the lead exchanged it still
#: gained at 700. 26x4 is the slowest by far: it still gained at 2,500 on 20,000 deals, as the methods did at 800.
#: Small networks are cheap; 20-10-5-1 and 32 still gained after 2,000 and 3,000.
EPOCHS = {
    "26x4": 4000, "52x4-13": 1500, "52x4-26": 1500, "104+68": 1500, "52x4+84": 1500,
    "20-10-5-1": 6000, "36": 3000, "32": 6000, "68": 3000, "52+36": 1500, "52+32": 2000,
}  # fmt: skip

Figures = tuple[float | None, float | None, float]  # percent within two, within one, exact; None: not at hand


@dataclass(frozen=True, eq=False)
class Row:
    """Describe a network of the study.

    Attributes:
        name: for ``--rows``.
        architecture: as ``blocks.parse`` reads it.
        parts: of its input, see ``codings``.
        inputs: the same in words.
        published: its figures by (strain, lead exchanged), which are repeated.
    """

    name: str
    architecture: str
    parts: tuple[str, ...]
    inputs: str
    published: Mapping[tuple[int, bool], Figures]

    @property
    def epochs(self) -> int:
        """Return the steps of Rprop, see ``EPOCHS``."""
        return EPOCHS.get(self.name, 1000)

    @property
    def tanh(self) -> bool:
        """Return whether all units are tanh, since inputs may be negative."""
        return any(part in ("52a", "52b", "52c") for part in self.parts)


@dataclass(frozen=True)
class Job:
    """Name a network to train and judge: a row of the study in one strain, with or without the lead exchanged."""

    row: Row
    strain: int
    exchange: bool

    @property
    def name(self) -> str:
        """Return the name, also of the file and of the random stream."""
        return f"{self.row.name}-{'nt' if self.strain == NO_TRUMP else 'spades'}{'-exchanged' * self.exchange}"

    @property
    def published(self) -> Figures:
        """Return percent within two, within one, exact."""
        return self.row.published[self.strain, self.exchange]


def _row(
    name: str, architecture: str, parts: str, inputs: str, no_trump: Figures | None, spades: Figures,
    exchanged: Figures | None = None,
) -> Row:  # fmt: skip
    published = {(NO_TRUMP, False): no_trump, (SPADES, False): spades, (SPADES, True): exchanged}
    there = {which: figures for which, figures in published.items() if figures is not None}
    return Row(name, architecture, tuple(parts.split(" + ")), inputs, there)


def _exact(percent: float) -> Figures:
    return (None, None, percent)


ROWS = {
    row.name: row
    for row in (
        _row("26x4", "(26x4)-(13x4)-(7x4)-13-1", "26x4", "26x4",
             (93.87, 75.70, 31.04), (97.67, 84.24, 36.82), _exact(39.90)),
        _row("52a", "52-25-1", "52a", "52: 1, .8, -1, -.8", (95.81, 79.95, 34.02), (98.47, 86.83, 39.16)),
        _row("52b", "52-25-1", "52b", "52: 1, .8, -1, -1", (95.97, 80.46, 34.35), (98.52, 87.09, 39.47)),
        _row("52c", "52-25-1", "52c", "52: 1, 1, -1, -1",
             (96.07, 80.88, 34.66), (98.77, 88.00, 40.13), _exact(39.29)),
        _row("104", "104-30-4-1", "104", "104", (95.64, 79.63, 33.74), (98.61, 87.17, 39.21), _exact(41.92)),
        _row("52x4-13", "(52x4)-(13x4)-13-1", "52x4", "52x4",
             (97.34, 84.31, 37.80), (99.78, 95.00, 50.03), _exact(50.62)),
        _row("52x4-26", "(52x4)-(26x4)-26-13-1", "52x4", "52x4",
             None, (99.80, 95.54, 50.91), (99.88, 96.48, 53.11)),
        _row("1-1", "1-1", "work NS", "NS sum of Work points", (93.73, 76.41, 31.37), (76.22, 49.55, 16.93)),
        _row("4-1", "4-1", "work", "Work points a hand", (93.73, 76.34, 31.31), (76.22, 49.64, 16.91)),
        _row("20-1", "20-1", "20", "Work points + 16 suit lengths", (93.73, 76.34, 31.32), (97.00, 82.21, 35.29)),
        _row("20-10-5-1", "20-10-5-1", "20", "Work points + 16 suit lengths",
             (94.24, 77.78, 32.78), (98.75, 88.21, 40.30), _exact(40.62)),
        _row("36", "36-25-1", "points", "9 point counts", (94.87, 78.30, 32.39), (76.83, 49.77, 16.75)),
        _row("32", "32-25-1", "shape", "8 distributional methods", (94.94, 77.71, 32.50), (98.56, 88.07, 39.94)),
        _row("68", "68-25-1", "methods", "all 17 methods", (96.03, 81.34, 35.41), (98.78, 89.24, 41.50)),
        _row("52+36", "(52+36)-25-1", "52c + points", "52 + point counts",
             (96.33, 81.39, 35.01), (98.72, 87.90, 40.07)),
        _row("52+32", "(52+32)-25-1", "52c + shape", "52 + distributional methods",
             (96.86, 83.02, 36.67), (99.68, 94.28, 48.63)),
        _row("52+102", "(52+102)-77-38-19-1", "52c + pairs", "52 + all 17, of hands and pairs",
             (96.06, 81.21, 35.15), (99.49, 92.22, 45.33)),
        _row("104+68", "(104+68)-50-10-1", "104 + methods", "104 + all 17", None, _exact(45.34), _exact(45.54)),
        _row("52x4+84", "(52x4+84)-(13x4+21)-26-1", "52x4 + 84", "52x4 + all 17 + 16 suit lengths",
             None, _exact(51.40), _exact(52.47)),
    )
}  # fmt: skip


def jobs(names: Iterable[str] | None = None) -> list[Job]:
    """Return the networks of the rows ``names`` (default: of all) with published figures, in the order of the table.

    Raises:
        ValueError: no such row.
    """
    wanted = list(ROWS) if names is None else list(names)
    unknown = [name for name in wanted if name not in ROWS]
    if unknown:
        raise ValueError(f"the study has no row {unknown[0]!r}; choose among: {', '.join(ROWS)}")
    return [
        Job(row, strain, exchange) for name, row in ROWS.items() if name in wanted for strain, exchange in row.published
    ]
