"""Boards of the envs' deal sources: the door to ``bridge_env.boards``."""

from bridge_env.boards import UNSAID, Boards, boards_of

__all__ = ["UNSAID", "Boards", "boards_of"]
