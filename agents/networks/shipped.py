"""Find and read networks: those that come with the package, by name, and other files; and the roles they have."""

from __future__ import annotations

import difflib
import os
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from agents.bidder_files import cached_by_mtime
from agents.networks.file import Networks, belief_path, book_path, load
from agents.options import read_options
from bridge_env.bidders.registry import SpecError

# Roles, as files name them. A stranger learned from auctions of others; a gatekeeper is one that serves only to judge:
# nothing may train against it or be tuned on it. A league begins with a start and makes champions.
GATEKEEPER, STRANGER, CHAMPION, START = "gatekeeper", "stranger", "champion", "start"
_FOLDER = files("agents.networks") / "shipped"


def shipped_networks() -> list[str]:
    """Return names of the networks that come with the package."""
    folder = Path(str(_FOLDER))
    return sorted(path.stem for path in folder.glob("*.npz") if "." not in path.stem)


def network_path(argument: str) -> Path:
    """Return the file that ``NAME`` or ``FILE`` names; options behind a ``?`` are left aside.

    Raises:
        SpecError: there is neither.
    """
    name = argument.partition("?")[0]
    shipped = Path(str(_FOLDER)) / f"{name}.npz"
    if "/" not in name and "\\" not in name and os.path.isfile(shipped):  # never raises on long names
        return shipped
    path = Path(name)
    if os.path.isfile(path):
        return path
    near = difflib.get_close_matches(name, shipped_networks(), n=1)
    raise SpecError(
        f"policy:{argument}: there is no such file, and no such network is shipped ({', '.join(shipped_networks())})"
        + (f"; did you mean {near[0]}?" if near else "")
    )


_read = cached_by_mtime(load, 64, beside=lambda path: (belief_path(path), book_path(path)))


def read_networks(argument: str) -> Networks:
    """Read the networks that ``NAME`` or ``FILE`` names; one by a book with its terms, as in ``by-the-book?truth=16``.

    Raises:
        FileError: it is damaged.
        SpecError: no network is called so, or it takes no such terms.
    """
    networks = _read(network_path(argument))
    spec, options = f"policy:{argument}", argument.partition("?")[2]
    if not options:
        return networks
    if networks.book is None:
        raise SpecError(f"{spec}: only a network that bids by a book takes terms")
    return replace(networks, terms=read_options(options, spec, networks.terms, {}, "a network by a book"))


def role(networks: Networks) -> str:
    """Return the role that the file names; empty where it names none."""
    return str(networks.trained.get("role", ""))
