"""Which bidders and which boards: what the commands that bid boards share."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from training.cli.arguments import positive

if TYPE_CHECKING:
    from training.match.boards import Boards

SPECS = """\
A SPEC names a bidder:
  system:sayc             a bidding system that comes with the package: standard American
  system:two-over-one     another: two over one game forcing; the default
  policy:champion         a network that learned in the league; policy:polish and others learned from recorded auctions
  policy:FILE             a network of yours ('bridge-env fit policy' and 'bridge-env train' make them)
  system:FILE.bidding     a bidding system in a file of yours
  system:sayc?without=splinter    a system without a convention
  reason:sayc             thinks before it calls: samples deals, looks ahead, departs from the system where that pays
  reason:sayc?samples=128&look=minimax    options: samples or seconds, look=systems|minimax,
                          caution, margin, candidates, near, trust, recall
  reason:empty            the same without any system
  cases:FILE              makes the call of the most similar cases in a case base ('bridge-env fit cases' makes one)
  pages:BOOK.md           bids only by the pages that 'bridge-env book SYSTEM --out BOOK.md' printed
  som:FILE                makes the call of similar hands, found by self-organizing maps ('bridge-env fit maps')
  pass, random, doubler   always passes; any legal call; passes but doubles opposing bids from 2NT up
  pair:SPEC,SPEC          a partnership of two different bidders: the first sits N or E, the second S or W
  seat:URL                another program, asked over HTTP: seat:http://127.0.0.1:8085
  python:module:factory   your own: factory() gives an object with bid(view, key)
"""


def add_board_options(group: Any, count: str) -> None:
    group.add_argument("--boards", type=positive, metavar="N", help=f"number of boards ({count})")
    group.add_argument("--seed", type=int, default=1, help="random seed of the boards and the bidders (1)")
    group.add_argument("--deals", metavar="FILE.pbn", help="take the boards from this PBN file")


def boards_of(args: argparse.Namespace, default: int) -> Boards:
    from training.match.boards import library_boards, pbn_boards

    if args.deals is None:
        return library_boards(args.boards or default, args.seed)
    boards = pbn_boards(args.deals, args.boards)
    for problem in boards.problems:
        print(f"left out: {problem}", file=sys.stderr)
    return boards
