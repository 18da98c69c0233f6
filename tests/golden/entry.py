"""Every name of the project that the golden tests use: if a module moves, only this file changes."""

from __future__ import annotations

from typing import Any

import gymnasium

import bridge_env  # noqa: F401 - registers the env
from bridge_env.bidders import make
from bridge_env.calls import call_text
from bridge_env.cards import SEATS, VULNERABILITIES, hand_text, random_deals
from bridge_env.double_dummy.estimator import builtin_estimator
from bridge_env.double_dummy.exact import ExactDoubleDummy
from bridge_env.double_dummy.library import builtin_library
from bridge_env.double_dummy.library_then_solver import library_then_solver
from bridge_env.lin import lin_text, read_lin, viewer_link
from bridge_env.par import par, par_contracts
from bridge_env.pbn import board_text, read_boards
from bridge_env.scoring import imps, matchpoints, score
from training.match.boards import library_boards
from training.match.match import play

__all__ = [
    "SEATS",
    "VULNERABILITIES",
    "ExactDoubleDummy",
    "board_text",
    "builtin_estimator",
    "builtin_library",
    "call_text",
    "hand_text",
    "imps",
    "library_boards",
    "library_then_solver",
    "lin_text",
    "make",
    "make_vec",
    "matchpoints",
    "par",
    "par_contracts",
    "play",
    "random_deals",
    "read_boards",
    "read_lin",
    "score",
    "shipped_networks",
    "shipped_systems",
    "viewer_link",
]  # fmt: skip


def make_vec(num_envs: int, **arguments: Any) -> Any:
    """Return the vector env."""
    return gymnasium.make_vec(
        "bridge_env/Bidding-v0", num_envs=num_envs, vectorization_mode="vector_entry_point", **arguments
    )


def shipped_systems() -> list[str]:
    """Return the specs of the systems of the package."""
    from agents.hierarchy import shipped

    return [f"system:{name}" for name in shipped.shipped_systems()]


def shipped_networks() -> list[str]:
    """Return the specs of the networks of the package."""
    from agents.networks import shipped

    return [f"policy:{name}" for name in shipped.shipped_networks()]


def board_fields(board: Any) -> dict[str, Any]:
    """Return what a board of a record holds."""
    return {
        "owner": board.owner, "dealer": board.dealer, "vulnerability": board.vulnerability, "number": board.number,
        "auction": board.auction, "contract": str(board.contract), "tricks": board.tricks, "play": board.play,
        "tags": dict(board.tags), "sections": dict(board.sections), "notes": dict(board.notes),
    }  # fmt: skip


def random_record(pbn: bool, seed: int) -> Any:
    """Return a board of a record, drawn by chance."""
    from support import lin as lin_support
    from support import pbn as pbn_support

    return (
        pbn_support.random_board(seed, {"Event": "Cup", "Site": f"Room {seed}"})
        if pbn
        else lin_support.played_board(seed)
    )
