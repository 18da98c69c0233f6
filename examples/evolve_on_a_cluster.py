"""Evolve partnerships on a running Ray cluster, or on this machine.

    ray start --head                                       # here; then ray start --address=HEAD:6379 on the others
    python examples/evolve_on_a_cluster.py auto

Needs the extra ``ray``: pip install -e ".[ray]" -c constraints.txt. Without an address it starts Ray on this machine.
"""

import sys
from pathlib import Path
from typing import Any

from training.evolution.config import EvolveConfig
from training.evolution.run import EvolveResult, evolve


def main(address: str | None = None, out: Path = Path("results"), **settings: Any) -> EvolveResult:
    """Evolve partnerships; the same seed makes the same systems on any number of machines."""
    return evolve(EvolveConfig(**settings), out=out, address=address)


if __name__ == "__main__":
    result = main(*sys.argv[1:2])
    for row in result.rows:
        print(f"{row.what}: {row.mean:+.3f} ± {row.error:.3f} IMPs a board")
    print(result.report)
