"""Train a network as ``policy:champion`` was trained: imitation, then ten leagues. Ten hours on two cores.

    python examples/train_a_champion.py mine auctions.pbn           # imitate these records first
    python examples/train_a_champion.py mine system:two-over-one    # or a bidder, on boards that it bids
    python examples/train_a_champion.py mine nothing                # or begin from nothing

Stop it when you like; the same command continues. Each league writes ``mine/league/NAME/policy.npz``. The second, after
three hours, loses 0.13 IMPs a board to the eighth and makes twice as many artificial calls. The leagues after it teach
natural calls twice, the last two take large batches. (The champion's own penalty rose from 0.6 to 3 in its third
league.)
"""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

IMITATION = "imitation"
IMITATE = ["--role", "stranger", "--epochs", "10"]  # some minutes
MORE_DEALS = [
    "--pool", "policy:two-over-one,policy:acol,policy:standard", "--estimated", "500000", "--samples-per-side", "16",
    "--decision-fraction", "0.3", "--learning-rate", "2e-4",
]  # fmt: skip
CALM = [*MORE_DEALS, "--batch", "4096", "--average", "0.98", "--last-rate", "0.05", "--iterations", "2400"]
# Two more strangers, which learned to answer the champion. The later of two equal options counts.
AMONG_FIVE = [
    *CALM, "--pool", "policy:two-over-one,policy:acol,policy:standard,policy:two-over-one-met,policy:acol-met",
    "--iterations", "1800", "--seed", "3",
]  # fmt: skip
LARGE_BATCHES = [
    *AMONG_FIVE,
    "--estimated",
    "800000",
    "--batch",
    "16384",
    "--learning-rate",
    "3e-4",
    "--last-rate",
    "0.03",
]
#: Each begins with the network of the one before.
LEAGUES = {
    # It overfits to its 75,000 deals.
    "first": ["--pool", "policy:acol,policy:standard", "--samples-per-side", "8", "--iterations", "4000"],
    "second": [*MORE_DEALS, "--iterations", "4600"],
    # A penalty for artificial calls, lowered and then removed.
    "natural": [*CALM, "--artificial-penalty", "2"],
    "less-natural": [*CALM, "--artificial-penalty", "0.5"],
    "free": CALM,
    "natural-again": [*CALM, "--artificial-penalty", "1.5", "--iterations", "1600"],
    "less-natural-again": [*AMONG_FIVE, "--artificial-penalty", "0.5"],
    "free-again": AMONG_FIVE,
    "large": [*LARGE_BATCHES, "--iterations", "3300", "--seed", "7"],
    "large-again": [*LARGE_BATCHES, "--iterations", "2050", "--seed", "8"],
}
COMMAND = "import sys; from training.cli import main; sys.exit(main())"


def bridge_env(*words: object) -> None:
    """Run a command of bridge-env; exit with its code if it fails or is stopped."""
    code = subprocess.run([sys.executable, "-c", COMMAND, *map(str, words)], check=False).returncode
    if code:
        raise SystemExit(code)


def league(folder: Path, name: str, start: object, settings: Sequence[str]) -> Path:
    """Begin or continue a league unless it has ended; return its network."""
    run = folder / "league" / name
    if not (run / "panel.json").exists():
        begin = ["--start", start, "--out", folder, "--name", name, *settings]
        bridge_env("train", "league", *(["--resume", run] if (run / "manifest.json").exists() else begin))
    return run / "policy.npz"


def main(folder: Path, records: Sequence[str], more: Mapping[str, Sequence[str]] | None = None) -> Path:
    """Train a champion in ``folder``; return its file. ``more`` are other settings for the stages."""
    more = more or {}
    start = "nothing"
    if list(records) != ["nothing"]:
        bridge_env("fit", "policy", *records, "--out", folder / IMITATION, *IMITATE, *more.get(IMITATION, ()))
        start = f"policy:{folder / IMITATION / 'policy.npz'}"
    for name, settings in LEAGUES.items():
        trained = league(folder, name, start, [*settings, *more.get(name, ())])
        start = f"policy:{trained}"
    return trained


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    print(main(Path(sys.argv[1]), sys.argv[2:]))
