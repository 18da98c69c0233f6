"""Add a convention to a system and measure what it is worth.

    python examples/write_a_convention.py

The convention: two diamonds shows both majors (Ekrens) instead of a weak two.
"""

from agents.systems.bidder import Hierarchy, HierarchyBidder
from agents.systems.language.text import parse_system, system_text
from agents.systems.library.shipped import read_system
from training.evaluation import match

CONVENTION = """\
2D    5-10 hcp, 4+ H, 4+ S                 ; both majors !artificial
  2H    0-14 hcp, H >= S
  2S    0-14 hcp
  4H    15+ hcp, H >= S
  4S    15+ hcp
"""


def main(boards: int = 5_000):
    """Return a match of sayc with the convention against sayc."""
    # The first line that fits the hand counts, so the convention goes before the other openings.
    mine = parse_system(CONVENTION + system_text(read_system("sayc")), name="sayc with Ekrens")
    ours, theirs = Hierarchy(mine), Hierarchy(read_system("sayc"))
    return match(
        HierarchyBidder(ours, ours, (theirs, theirs)), HierarchyBidder(theirs, theirs, (ours, ours)), boards, 1
    )


if __name__ == "__main__":
    result = main()
    print(f"{result.mean_imps:+.3f} ± {result.standard_error:.3f} IMPs a board over {len(result.boards):,} boards")
