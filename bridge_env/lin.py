"""LIN: boards from and to the format of Bridge Base Online."""

from bridge_env.records.lin import LinError, board_of_link, iter_lin, lin_text, read_lin, viewer_link, write_lin

__all__ = ["LinError", "board_of_link", "iter_lin", "lin_text", "read_lin", "viewer_link", "write_lin"]
