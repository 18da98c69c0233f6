"""Contract-bridge bidding as a Gymnasium environment, with rules, scoring and double-dummy results."""

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
    # The env reports misuse itself. Without wrappers, all of its methods can be called.
    order_enforce=False,
    disable_env_checker=True,
)


def __getattr__(name: str) -> _Any:
    """Import ``show`` at its first use, so that the package loads fast."""
    if name == "show":
        from bridge_env.display.notebook import show

        return show
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List ``show`` too, which is imported at its first use."""
    return sorted({*globals(), "show"})
