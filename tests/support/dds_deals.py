"""Deals with known tables: the DDS project's own list, and the sample of the 2009 slides."""

from __future__ import annotations

import numpy as np
from support.places import DATA

from bridge_env.hands.deals import parse_deal

DDS_LIST = DATA / "dds_list100.txt"
SLIDES_DEAL = "N:T97.AQJT.J.T7532 AK854.53.Q98.AJ8 3.K762.6432.KQ94 QJ62.984.AKT75.6"
SLIDES_TABLE = [[9, 2, 8, 0, 2], [4, 11, 4, 11, 9], [9, 2, 8, 0, 2], [4, 11, 4, 11, 9]]


def dds_list() -> tuple[np.ndarray, np.ndarray]:
    """The DDS project's 100 deals and tables; theirs are strain by strain, S H D C NT, seats N E S W."""
    lines = DDS_LIST.read_text().splitlines()
    deals = [parse_deal(line.split('"')[1]) for line in lines if line.startswith("PBN")]
    tables = [[int(n) for n in line.split()[1:]] for line in lines if line.startswith("TABLE")]
    theirs = np.array(tables, np.int8).reshape(-1, 5, 4)
    return np.stack(deals), theirs[:, [3, 2, 1, 0, 4]].transpose(0, 2, 1)
