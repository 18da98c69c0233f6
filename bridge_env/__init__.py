"""Contract-bridge bidding as a Gymnasium environment, with rules, scoring and double-dummy results."""

import sys as _sys
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from gymnasium.envs.registration import register as _register

if _TYPE_CHECKING:
    from bridge_env.display.notebook import show as show

__version__ = "0.1.0"

_register(
    id="bridge_env/Bidding-v0",
    entry_point="bridge_env.envs.single:BiddingEnv",
    vector_entry_point="bridge_env.envs.vector:BiddingVectorEnv",
)


def __getattr__(name: str) -> _Any:
    """Import ``show`` at its first use, so that the package loads fast."""
    if name == "show":
        from bridge_env.display.notebook import show

        return show
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _drawing(thing: _Any) -> str:
    """Return what ``show`` draws, as HTML."""
    from bridge_env.display.notebook import show

    return show(thing).drawing


def _draw_in_notebooks() -> None:
    """Let IPython, where it runs, draw batches of auctions and boards, and boards of records, as ``show`` does."""
    ipython = _sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is None:
        return
    formatter = shell.display_formatter.formatters["text/html"]
    for module, name in (("rules.auction", "Auctions"), ("double_dummy.boards", "Boards"), ("records.board", "Board")):
        formatter.for_type_by_name(f"bridge_env.{module}", name, _drawing)


_draw_in_notebooks()


def __dir__() -> list[str]:
    """List ``show`` too, which is imported at its first use."""
    return sorted({*globals(), "show"})
