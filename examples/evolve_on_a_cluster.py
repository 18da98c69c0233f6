"""Evolve partnerships on a Ray cluster that already runs, or on this machine.

    ray start --head                                       # here; then ray start --address=HEAD:6379 on the others
    python examples/evolve_on_a_cluster.py auto

Needs the extra ``ray``: pip install -e ".[ray]" -c constraints.txt. Without an address it starts Ray on this machine.
"""

import sys
from pathlib import Path

from training.cli import main as bridge_env


def main(address: str | None = None, out: Path = Path("results"), *more: str) -> int:
    """Evolve; the same seed gives the same systems on any number of machines."""
    words = ["evolve", "--out", str(out), *(["--address", address] if address else []), *more]
    return bridge_env(words)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
