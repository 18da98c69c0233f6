"""``python -m studies.maps_2007 FILE…``: let maps play boards with a no-trump opener, judge them, and write tables."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from agents.maps.atlas import load
from studies.maps_2007 import study
from studies.maps_2007.picture import draw_maps
from studies.tables import command_line, write_tables
from training.maps.judge import held_out_examples
from training.runtime.pages import table


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study; return its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m studies.maps_2007",
        description="Repeat BridgeSOM (2007): play 1NT openers' deals against the maps' teacher and system:sayc.",
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="maps (.npz) of 'bridge-env fit maps'")
    parser.add_argument("--expert", metavar="SPEC", help="compare with this system (two-over-one, or sayc)")
    parser.add_argument("--match-boards", type=int, default=5000, metavar="N", help="boards with six maps (5000)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="random seed (1)")
    parser.add_argument("--out", type=Path, default=Path("results/maps/study-2007"), help="folder (%(default)s)")
    args = parser.parse_args(argv)
    results: dict[str, list[Any]] = {"no-trump boards": [], "six maps": [], "sureness": []}
    tables: dict[str, list[str]] = {"No-trump boards": []}
    try:
        atlases = {path: load(path) for path in args.files}
    except (ValueError, OSError) as error:
        parser.error(str(error))
    args.out.mkdir(parents=True, exist_ok=True)
    for number, (path, atlas) in enumerate(atlases.items(), 1):
        found = study.no_trump_matches(path, atlas, args.seed)
        results["no-trump boards"] += found
        for row in found:
            print(f"{row.file} against {row.opponents}: {row.mean:+.2f} ± {row.error:.2f} IMPs a board")
        draw_maps(atlas, args.out / f"maps-{number}.png")
        if study.is_recorded(atlas):
            continue
        matches = study.six_map_matches(atlas, args.match_boards)
        expert = args.expert or ("system:two-over-one" if atlas.reader == "system:sayc" else "system:sayc")
        bins = study.by_sureness(atlas, held_out_examples(atlas.reader, args.seed), expert)
        cells = ((m.maps, m.opponents, f"{m.mean:+.2f} ± {m.error:.2f}", f"{m.boards:,}") for m in matches)
        tables[f"{path}: six maps"] = table(("maps", "opponents", "IMPs a board", "boards"), cells, left=2)
        tables[f"{path}: right where they are sure? The expert is {expert}"] = study.bin_table(bins)
        results["six maps"].append(matches)
        results["sureness"].append(bins)
    tables["No-trump boards"] = study.result_table(results["no-trump boards"])
    content = {
        "no-trump boards": [asdict(row) for row in results["no-trump boards"]],
        **{name: [[asdict(row) for row in part] for part in results[name]] for name in ("six maps", "sureness")},
    }
    write_tables(args.out, command_line("studies.maps_2007", argv), tables, content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
