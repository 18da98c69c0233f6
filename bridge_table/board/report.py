"""Write a report of a problem: one file that says what a person saw, and by which versions."""

from __future__ import annotations

import json
import platform
from typing import Any

from bridge_table.board.table import Table
from bridge_table.board.views import state
from training.runtime.runs import code_hash, version_of

_PACKAGES = ("bridge-env", "numpy", "numba", "starlette", "uvicorn", "msgspec")


def problem_report(table: Table, seat: int | None, seed: int | None = None) -> dict[str, Any]:
    """Return a file with the board, its auction and the versions; hands that ``seat`` may not see are not in it.

    Args:
        seed: of the deals, by which ``bridge-env table --seed`` deals the board again; None: not for this person.

    Raises:
        RequestError: the seat may not look at the table.
    """
    setup = table.setup
    found = {
        "versions": {name: version_of(name) for name in _PACKAGES} | {"python": platform.python_version()},
        "code": code_hash(),
        "system": platform.platform(),
        "bidders": {"NS": setup.north_south, "EW": setup.east_west, "control": setup.control, "cards": setup.player},
        "seed": seed,
        "state": state(table, seat),
        "review": table.review,
    }
    return {"name": f"problem-board-{table.deal.number}.json", "text": json.dumps(found, indent=1, ensure_ascii=False)}
