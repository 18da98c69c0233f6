"""PBN: boards from and to Portable Bridge Notation."""

from bridge_env.records.pbn import board_text, iter_boards, read_boards, write_boards

__all__ = ["board_text", "iter_boards", "read_boards", "write_boards"]
