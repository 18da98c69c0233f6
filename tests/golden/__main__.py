"""``python -m tests.golden``: make digests anew, print which changed, and store them."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # tests/support, as pytest has it

from tests.golden import digests
from tests.golden.kinds import KINDS, cases


def main() -> int:
    """Make the digests of some cases or all, print the differences, and store them unless ``--check``."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="KIND[/CASE]", help=f"of {', '.join(KINDS)} (all)")
    parser.add_argument(
        "--slow", action="store_true", help="the slow cases too; a case that is named in full is made anyway"
    )
    parser.add_argument("--check", action="store_true", help="store nothing; exit with 1 if anything differs")
    parser.add_argument(
        "--dump", type=Path, metavar="FOLDER", help="write the values there, to compare two commits by diff"
    )
    args = parser.parse_args()
    stored, changed = digests.read(), 0
    for kind, name in [*cases(False), *cases(True)]:
        full = f"{kind}/{name}"
        if args.names and kind not in args.names and full not in args.names:
            continue
        if name in KINDS[kind].SLOW and not (args.slow or full in args.names):
            continue
        began = time.process_time()
        values = KINDS[kind].CASES[name]()
        found = digests.differences(stored.get(kind, {}).get(name, {}), values)
        changed += len(found)
        print(f"{full}: {time.process_time() - began:.1f} s, {len(values)} items, {len(found)} changed", flush=True)
        for text in found[:20] if name in stored.get(kind, {}) else ():
            print(f"  {text}")
        stored.setdefault(kind, {})[name] = {item: digests.digest(value) for item, value in values.items()}
        if args.dump is not None:
            _dump(args.dump / kind / name.replace("/", "_"), values)
    if not args.check:
        digests.write({k: {n: d for n, d in stored[k].items() if n in KINDS[k].CASES} for k in stored if k in KINDS})
    return int(args.check and changed > 0)


def _dump(folder: Path, values: object) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    assert isinstance(values, dict)
    for item, value in values.items():
        entries = value if isinstance(value, digests.Series) else [value]
        text = "\n".join(digests.digest(v) if isinstance(v, digests.Running) else str(v) for v in entries)
        (folder / f"{item.replace('/', '_')}.txt").write_text(text + "\n")


if __name__ == "__main__":
    sys.exit(main())
