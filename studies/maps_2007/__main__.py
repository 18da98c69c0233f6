"""Let maps play boards with a no-trump opener, judge them, and write tables."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from agents.maps.atlas import load
from studies.maps_2007 import study
from studies.maps_2007.picture import draw_maps
from studies.tables import Found, run_study
from training.maps.judge import held_out_examples
from training.runtime.pages import table


def repeat(
    file: Path, /, *files: Path, expert: str | None = None, match_boards: int = 5000, seed: int = 1,
    out: Path = Path("results/maps/study-2007"),
) -> Found:  # fmt: skip
    """Repeat BridgeSOM (2007): play 1NT openers' deals against the maps' teacher and system:sayc.

    Args:
        file: maps (.npz) of 'bridge-env fit maps'
        files: more of them
        expert: compare with this system (default: two-over-one, or sayc)
        match_boards: boards with six maps
        seed: random seed
        out: folder for the results
    """
    results: dict[str, list[Any]] = {"no-trump boards": [], "six maps": [], "sureness": []}
    tables: dict[str, list[str]] = {"No-trump boards": []}
    atlases = {path: load(path) for path in (file, *files)}
    out.mkdir(parents=True, exist_ok=True)
    for number, (path, atlas) in enumerate(atlases.items(), 1):
        found = study.no_trump_matches(path, atlas, seed)
        results["no-trump boards"] += found
        for row in found:
            print(f"{row.file} against {row.opponents}: {row.mean:+.2f} ± {row.error:.2f} IMPs a board")
        draw_maps(atlas, out / f"maps-{number}.png")
        if study.is_recorded(atlas):
            continue
        matches = study.six_map_matches(atlas, match_boards)
        other = expert or ("system:two-over-one" if atlas.reader == "system:sayc" else "system:sayc")
        bins = study.by_sureness(atlas, held_out_examples(atlas.reader, seed), other)
        cells = ((m.maps, m.opponents, f"{m.mean:+.2f} ± {m.error:.2f}", f"{m.boards:,}") for m in matches)
        tables[f"{path}: six maps"] = table(("maps", "opponents", "IMPs a board", "boards"), cells, left=2)
        tables[f"{path}: right where they are sure? The expert is {other}"] = study.bin_table(bins)
        results["six maps"] += matches
        results["sureness"] += bins
    tables["No-trump boards"] = study.result_table(results["no-trump boards"])
    return out, tables, {name: [asdict(row) for row in part] for name, part in results.items()}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study; return its exit code."""
    return run_study("studies.maps_2007", repeat, argv)


if __name__ == "__main__":
    sys.exit(main())
