"""``python -m training.studies.card_choices PLAYER …``: what other choices of cards gain at the same decisions."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import numpy as np

from training.cli.arguments import natural, positive
from training.studies.card_choices.choices import Choices, choices

_EXAMPLES = """\
examples:
  python -m training.studies.card_choices montecarlo montecarlo?most=5         do more deals help?
  python -m training.studies.card_choices montecarlo rule --boards 20 --each 5
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study and print its table."""
    parser = argparse.ArgumentParser(
        prog="python -m training.studies.card_choices",
        description="Ask card players at the same decisions after the opening lead, and value each card double dummy "
        "on the true deal. All are compared with the first.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("players", nargs="+", metavar="PLAYER", help="card players, as for 'bridge-env play'")
    parser.add_argument("--boards", type=positive, default=60, help="boards of the training split (60)")
    parser.add_argument("--each", type=positive, default=4, help="decisions drawn on each, at most 36 (4)")
    parser.add_argument("--system", default="system:sayc", help="who bids at all four seats (system:sayc)")
    parser.add_argument("--seed", type=natural, default=1, help="random seed (1)")
    args = parser.parse_args(argv)
    try:
        found = choices(args.players, args.boards, args.each, args.seed, args.system, progress=_tell)
    except ValueError as error:
        parser.error(str(error))
    print(file=sys.stderr)
    print(f"{len(found[0].cards):,} decisions; {args.boards} boards of the training split, seed {args.seed}")
    for one in found:
        print(line(one, found[0]))
    return 0


def line(one: Choices, first: Choices) -> str:
    """Tell of one player beside the first."""
    tricks, gained = one.over(first)
    other = (one.cards != first.cards).mean()
    per = f"{one.seconds / len(one.cards):.2f} s"
    return f"{one.player}: {other:.1%} other cards, {mean(tricks)} tricks, {mean(gained)} IMPs a decision, {per}"


def mean(values: np.ndarray) -> str:
    """Write a mean with its standard error, signed."""
    return f"{values.mean():+.3f} ± {values.std() / max(1, len(values)) ** 0.5:.3f}"


def _tell(player: str, done: int, of: int) -> None:
    print(f"\r{player}: {done} of {of} ", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
