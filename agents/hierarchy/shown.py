"""Read what the calls of a system show, and sample deals that fit them."""

from agents.hierarchy.inverse.shown import CallsShow, Memory, sample_view, shown_by_calls

__all__ = ["CallsShow", "Memory", "sample_view", "shown_by_calls"]
