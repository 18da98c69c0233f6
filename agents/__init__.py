"""Make agents that bid, by ``make(spec)``, and get their calls in plain text, by ``call`` and ``calls``.

The import name ``agents`` is also used by another package (openai-agents): install one of the two in an environment.
"""

from agents.text_api import call, calls
from bridge_env.bidders.registry import SpecError, make

__all__ = ["SpecError", "call", "calls", "make"]
