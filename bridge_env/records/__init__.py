"""Boards in files: PBN and LIN."""

from bridge_env.records.board import BadBoard, Board, Problem, ReadResult
from bridge_env.records.read import read_records

__all__ = ["BadBoard", "Board", "Problem", "ReadResult", "read_records"]
