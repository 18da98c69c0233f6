"""Train a network as ``policy:champion`` was trained: imitation, then two leagues. Three to four hours on two cores.

    python examples/train_a_champion.py mine auctions.pbn           # imitate these records first
    python examples/train_a_champion.py mine system:two-over-one    # or a bidder, on boards that it bids
    python examples/train_a_champion.py mine nothing                # or begin from nothing

Stop it when you like; the same command goes on. The network is ``mine/league/second/policy.npz``.
"""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

IMITATION, FIRST, SECOND = "imitation", "first", "second"
SETTINGS = {
    IMITATION: ["--role", "stranger", "--epochs", "10"],  # some minutes
    # Half of the time each. More deals in the second: the first learns its 75,000 by heart.
    FIRST: ["--pool", "policy:acol,policy:standard", "--drawn", "8", "--iterations", "4000"],
    SECOND: [
        "--pool", "policy:two-over-one,policy:acol,policy:standard", "--estimated", "500000", "--drawn", "16",
        "--keep", "0.3", "--learning-rate", "2e-4", "--iterations", "4600",
    ],
}  # fmt: skip
COMMAND = "import sys; from training.cli import main; sys.exit(main())"


def bridge_env(*words: object) -> None:
    """Run a command of bridge-env; end with it if it fails or is stopped."""
    code = subprocess.run([sys.executable, "-c", COMMAND, *map(str, words)], check=False).returncode
    if code:
        raise SystemExit(code)


def league(folder: Path, name: str, start: object, settings: Sequence[str]) -> Path:
    """Begin a league, go on with it, or do nothing if it has ended; return its network."""
    run = folder / "league" / name
    if not (run / "panel.json").exists():
        begin = ["--start", start, "--out", folder, "--name", name, *settings]
        bridge_env("train", "league", *(["--resume", run] if (run / "manifest.json").exists() else begin))
    return run / "policy.npz"


def main(folder: Path, records: Sequence[str], more: Mapping[str, Sequence[str]] | None = None) -> Path:
    """Train a champion in ``folder``; return its file. ``more`` are other settings for the stages."""
    settings = {stage: [*words, *(more or {}).get(stage, ())] for stage, words in SETTINGS.items()}
    start = "nothing"
    if list(records) != ["nothing"]:
        bridge_env("fit", "policy", *records, "--out", folder / IMITATION, *settings[IMITATION])
        start = f"policy:{folder / IMITATION / 'policy.npz'}"
    first = league(folder, FIRST, start, settings[FIRST])
    return league(folder, SECOND, f"policy:{first}", settings[SECOND])


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    print(main(Path(sys.argv[1]), sys.argv[2:]))
