"""The report of the study of 2008: published figures beside ours, as Markdown, JSON and a plot."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bridge_env.files import atomic_write
from studies.tricks_2008.rows import NO_TRUMP, SPADES, STRAINS, Job, jobs

Records = Mapping[str, Mapping[str, Any]]  # by the name of the job
_KINDS = ("within_two", "within_one", "exact")
_NEAR = 2.0  # points: what the repetition aims at
_MISSING = "—"
REMARKS = "remarks.md"  # in the folder of the results, by hand: what explains them

_HOW = """\
North-South's tricks are estimated, with West on lead (South declares), from all four hands. {deals}

- Each network is trained by Rprop on the whole batch (first step 0.1, at most 50, weight decay 1e-4 beside the *sum*
  of squared errors, as in SNNS) for as many epochs as the last table says, and has the weights of the epoch that was
  best on a tenth of the training deals, held out. Judging deals choose nothing.
- All units are logistic, and tanh where the 52 inputs are negative. First weights are uniform within one over the root
  of a unit's inputs. The output is scaled to 0.1 .. 0.9 and rounded to tricks.
- ± is the standard error of ours, in points; what the published figures were judged on adds its own.
- Lead exchanged: every deal stands there twice, as it is and turned by half, so that the same inputs always belong to
  the defender who leads; the network learns both, and is judged on both. A deal then counts with the mean of its two.
- Codings, scales, and what is chosen where the study's text was not at hand: `studies/tricks_2008/codings.py`. The
  methods that see shape are those of `studies.tricks_2008.evaluation`; of some only the name is the study's.
- No suit is permuted, in training or judging.
"""


def write(out: Path, results: Sequence[Mapping[str, Any]], manifest: Mapping[str, Any], command: str) -> None:
    """Write ``README.md``, ``results.json`` and ``study.png`` into ``out``; ``REMARKS`` there end the first."""
    records = {str(record["network"]): record for record in results}
    content = {"manifest": manifest, "command": command, "rows": [_as_json(job, records) for job in jobs()]}
    atomic_write(out / "results.json", json.dumps(content, indent=1) + "\n")
    plot(records, out / "study.png")
    remarks = out / REMARKS
    added = "\n" + remarks.read_text(encoding="utf-8") if remarks.exists() else ""
    atomic_write(out / "README.md", markdown(records, manifest, command) + added)


def markdown(records: Records, manifest: Mapping[str, Any], command: str) -> str:
    """The tables; rows that have not run are there, with a dash."""
    plain = [job for job in jobs() if not job.exchange and job.published[0] is not None]
    both = {job.row.name: job for job in jobs() if job.exchange}
    cores, versions = manifest.get("machine", {}).get("cores"), manifest.get("versions", {})
    seconds = sum(record["fit"]["seconds"] for record in records.values())
    lines = [
        "# The study of 2008 again", "",
        f"`{command}`: {seconds / 60:.0f} minutes of one core in all, on a machine of {cores} "
        f"(torch {versions.get('torch')}).", "",
        _HOW.format(deals=_deals_text(records)),
        verdict(records), "",
        "## Percent of deals", "",
        "| network | inputs | strain | published ≤2 · ≤1 · exact | ours ≤2 · ≤1 · exact | difference |",
        "| --- | --- | --- | --- | --- | --- |",
        *(_line(job, records) for job in plain), "",
        "## Spades, exact, without and with the lead exchanged", "",
        "| network | inputs | published | ours | difference | published, exchanged | ours, exchanged | difference |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
        *(_exchange_line(Job(job.row, SPADES, False), job, records) for job in both.values()), "",
        "With the lead exchanged, within two and within one:", "",
        *(_exchanged_text(job, records) for job in both.values()), "",
        "![exact, published and ours](study.png)", "",
        "## How each was trained", "",
        "| network | strain | weights | epochs | best at | minutes of a core |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
        *(_training_line(job, records[job.name]) for job in jobs() if job.name in records), "",
    ]  # fmt: skip
    return "\n".join(lines)


def differences(records: Records) -> dict[str, float]:
    """Ours less the published figure, exact, of each job that has run."""
    return {job.name: records[job.name]["figures"]["exact"] - job.published[2] for job in jobs() if job.name in records}


def verdict(records: Records) -> str:
    """Return how many are near what was published, and which are not."""
    all_of_them = differences(records)
    far = {name: difference for name, difference in all_of_them.items() if abs(difference) > _NEAR}
    names = ", ".join(f"{name} {difference:+.1f}" for name, difference in far.items())
    near = (
        f"{len(all_of_them) - len(far)} of {len(all_of_them)} networks are exact as often as published, to {_NEAR:g} "
    )
    return near + "points." + (f" The others (points): {names}." if far else "")


def _deals_text(records: Records) -> str:
    for record in records.values():
        made = record["settings"]
        return (
            f"{made['training']:,} solved deals train, a tenth of them held out, and {made['judging']:,} others judge, "
            "apart by a hash of the canonical form, so that no image of a deal is on both sides."
        )
    return ""


def _line(job: Job, records: Records) -> str:
    row = job.row
    published = " · ".join(f"{figure:.2f}" for figure in job.published if figure is not None)
    ours, difference = _MISSING, _MISSING
    if job.name in records:
        figures = records[job.name]["figures"]
        ours = " · ".join(f"{figures[kind]:.2f}" for kind in _KINDS) + f" ± {figures['exact_error']:.2f}"
        pairs = zip(_KINDS, job.published, strict=True)
        difference = " · ".join(f"{figures[kind] - figure:+.2f}" for kind, figure in pairs if figure is not None)
    cells = (row.architecture, row.inputs, STRAINS[job.strain], published, ours, difference)
    return "| " + " | ".join(cells) + " |"


def _exchange_line(plain: Job, exchanged: Job, records: Records) -> str:
    cells = [plain.row.architecture, plain.row.inputs]
    for job in (plain, exchanged):
        cells.append(f"{job.published[2]:.2f}")
        if job.name in records:
            figures = records[job.name]["figures"]
            cells.append(f"{figures['exact']:.2f} ± {figures['exact_error']:.2f}")
            cells.append(f"{figures['exact'] - job.published[2]:+.2f}")
        else:
            cells += [_MISSING, _MISSING]
    return "| " + " | ".join(cells) + " |"


def _exchanged_text(job: Job, records: Records) -> str:
    two, one, _ = job.published
    published = "" if two is None else f" (published {two:.2f} · {one:.2f})"
    if job.name not in records:
        return f"- {job.row.architecture}: {_MISSING}{published}"
    figures = records[job.name]["figures"]
    west = f"; exact of the deals as they are, West leading: {figures['exact_west']:.2f}"
    return f"- {job.row.architecture}: {figures['within_two']:.2f} · {figures['within_one']:.2f}{published}{west}"


def _training_line(job: Job, record: Mapping[str, Any]) -> str:
    fit = record["fit"]
    name = f"{job.row.architecture}, {job.row.inputs}{', lead exchanged' * job.exchange}"
    return (
        f"| {name} | {STRAINS[job.strain]} | {record['weights']:,} | {record['settings']['epochs']:,} "
        f"| {fit['best_epoch']:,} | {fit['seconds'] / 60:.1f} |"
    )


def _as_json(job: Job, records: Records) -> dict[str, Any]:
    published = dict(zip(_KINDS, job.published, strict=True))
    ours = dict(records[job.name]) if job.name in records else None
    names = {"network": job.name, "architecture": job.row.architecture, "inputs": job.row.inputs}
    return names | {"strain": STRAINS[job.strain], "exchange": job.exchange, "published": published, "ours": ours}


def plot(records: Records, path: Path) -> None:
    """Percent exact, published and ours, row by row, as a PNG."""
    from matplotlib.figure import Figure  # the figure itself: no window system, no global state

    figure = Figure(figsize=(12, 6.5), layout="constrained")
    groups = {
        "no trump": [job for job in jobs() if job.strain == NO_TRUMP],
        "spades": [job for job in jobs() if job.strain == SPADES and not job.exchange],
        "spades, lead exchanged": [job for job in jobs() if job.exchange],
    }
    for axes, (title, shown) in zip(figure.subplots(1, 3), groups.items(), strict=True):
        names = [f"{job.row.architecture}\n{job.row.inputs}" for job in shown]
        places = list(range(len(shown)))[::-1]
        axes.plot([job.published[2] for job in shown], places, "o", color="0.55", label="published")
        here = [(place, records[job.name]["figures"]) for place, job in zip(places, shown, strict=True)
                if job.name in records]  # fmt: skip
        axes.errorbar(
            [figures["exact"] for _, figures in here], [place for place, _ in here],
            xerr=[2 * figures["exact_error"] for _, figures in here], fmt="x", color="tab:blue", label="ours ± 2 SE",
        )  # fmt: skip
        axes.set_yticks(places, names, fontsize=6.5)
        axes.set_title(title)
        axes.set_xlabel("percent exact")
        axes.grid(axis="both", color="0.9")
        axes.legend(fontsize=7)
    figure.savefig(path, dpi=110)
