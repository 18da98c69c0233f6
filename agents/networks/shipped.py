"""List the networks of the package, and which of them training may use."""

from __future__ import annotations

import difflib
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from agents.networks.file import Networks, belief_path, load
from bridge_env.bidders import SpecError

GATEKEEPER = "gatekeeper"  # the role of a network that nothing may train against or be tuned on
_FOLDER = files("agents.networks") / "shipped"


def shipped_networks() -> list[str]:
    """Names of the networks that come with the package."""
    folder = Path(str(_FOLDER))
    return sorted(path.stem for path in folder.glob("*.npz") if "." not in path.stem)


def network_path(argument: str) -> Path:
    """Return the file that ``NAME`` or ``FILE`` names.

    Raises:
        SpecError: there is neither.
    """
    shipped = Path(str(_FOLDER)) / f"{argument}.npz"
    if "/" not in argument and "\\" not in argument and shipped.is_file():
        return shipped
    path = Path(argument)
    if path.is_file():
        return path
    near = difflib.get_close_matches(argument, shipped_networks(), n=1)
    raise SpecError(
        f"policy:{argument}: there is no such file, and no such network is shipped ({', '.join(shipped_networks())})"
        + (f"; did you mean {near[0]}?" if near else "")
    )


def read_networks(argument: str) -> Networks:
    """Read the networks that ``NAME`` or ``FILE`` names.

    Raises:
        SpecError: there is no such file, or it is damaged.
    """
    path = network_path(argument)
    belief = belief_path(path)
    return _read(str(path), path.stat().st_mtime_ns, belief.stat().st_mtime_ns if belief.is_file() else 0)


@lru_cache(maxsize=64)
def _read(path: str, changed: int, belief_changed: int) -> Networks:
    """The times of change keep files that were written anew from being served as they were."""
    return load(path)


def role(networks: Networks) -> str:
    """``gatekeeper``, ``stranger`` or ``champion``, as the file says; empty where it does not."""
    return str(networks.trained.get("role", ""))
