"""The model card of a fitted estimator: what it learned from, how good it is on unseen deals, where it errs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bridge_env.files import atomic_write
from training.estimators.config import EstimatorConfig
from training.estimators.verdict import Hits, Verdict
from training.running import runs
from training.running.pages import drawn

CARD, VERDICT = "README.md", "verdict.json"
_PUBLISHED = {
    "suits": ("best published, spades alone (2009)", 53.11, 96.48, 99.88),
    "no trump": ("best published (2009)", 37.80, 84.31, 97.34),
}

Sizes = Sequence[tuple[int, tuple[Hits, ...]]]


def write_report(
    folder: Path, config: EstimatorConfig, verdict: Verdict, metrics: Sequence[Mapping[str, Any]], sizes: Sizes
) -> None:
    """Write the card, its numbers and its plots into the run's folder.

    Args:
        sizes: verdicts of the same network after fewer training deals; may be empty.
    """
    content = {"verdict": asdict(verdict), "sizes": [[n, [vars(hit) for hit in hits]] for n, hits in sizes]}
    atomic_write(folder / VERDICT, json.dumps(content, indent=1) + "\n")
    _plots(folder, verdict, sizes)
    manifest = runs.read_manifest(folder)
    atomic_write(folder / CARD, _card(config, verdict, metrics, sizes, manifest))


def hits_table(hits: Sequence[Hits]) -> list[str]:
    """Markdown rows of hits beside the published ones."""
    lines = ["| | exact % | within one % | within two % | mean error, tricks |", "| --- | ---: | ---: | ---: | ---: |"]
    for hit in hits:
        cells = (f"{share:.2f} ± {error:.2f}" for share, error in zip(hit.within, hit.errors, strict=True))
        lines.append(f"| **{hit.group}** | {' | '.join(cells)} | {hit.mean_error:.3f} |")
        name, *published = _PUBLISHED[hit.group]
        lines.append(f"| {name} | {' | '.join(f'{share:.2f}' for share in published)} | |")
    return lines


def _card(
    config: EstimatorConfig, verdict: Verdict, metrics: Sequence[Mapping[str, Any]], sizes: Sizes,
    manifest: Mapping[str, Any],
) -> str:  # fmt: skip
    machine, versions = manifest.get("machine", {}), manifest.get("versions", {})
    made_by = runs.command_line("bridge-env fit estimators", config)
    minutes = metrics[-1]["seconds"] / 60 if metrics else 0.0
    lines = [
        "# A trick estimator", "",
        f"Made by `{made_by}` in {minutes:.0f} minutes, torch threads: {config.threads}, on a machine of "
        f"{machine.get('cores')} cores (torch {versions.get('torch')}); seed {config.seed}.",
        "It gives a distribution over 0..13 tricks for each of the 20 entries of a double-dummy table. Suits share",
        "their weights and the table may be turned: both symmetries are built in, so that there is nothing to average",
        "over permutations when it predicts.", "",
        f"Judged on {verdict.deals:,} deals of the library that are for judging, none permuted: they and their images",
        "are never trained on. Hits are of the distribution's median, ± standard error over deals.", "",
        *hits_table(verdict.hits), "",
        f"Log loss: {', '.join(f'{hit.group} {hit.log_loss:.3f}' for hit in verdict.hits)} nats an entry. "
        f"Speed: {verdict.deals_a_second:,.0f} deals a second, all 20 entries, in numpy on this machine's cores.", "",
        "## Expected scores", "",
        "Undoubled contracts, all declarers and strains, not vulnerable and vulnerable; points. The spread is the",
        "standard deviation of the exact scores.", "",
        "| level | mean error | bias | spread |", "| ---: | ---: | ---: | ---: |",
        *(f"| {x.level} | {x.mean_error:.1f} | {x.bias:+.2f} | {x.spread:.1f} |" for x in verdict.levels), "",
        "## Are its chances right?", "",
        "| stated | so | entries |", "| ---: | ---: | ---: |",
        *(f"| {said:.3f} | {was:.3f} | {count:,} |" for said, was, count in verdict.reliability), "",
        "![reliability](reliability.png)", "", "## Where it errs", "",
        "![error by true tricks](by_tricks.png)", "",
        "By the longest suit that any hand of the deal holds:", "",
        "| longest suit | deals | suits exact · within one % | no trump exact · within one % |",
        "| --- | ---: | ---: | ---: |",
        *(f"| {name} | {count:,} | " + " | ".join(f"{h.within[0]:.1f} · {h.within[1]:.1f}" for h in hits) + " |"
          for name, count, hits in verdict.by_shape), "",
        "The deals whose tables surprised it most (mean surprise in nats an entry), with the entry it missed most:", "",
        "| deal | entry | tricks | estimate | surprise | longest suit |", "| --- | --- | ---: | ---: | ---: | ---: |",
        *(f"| `{w['deal']}` | {w['contract']} | {w['tricks']} | {w['estimate']} | {w['mean_surprise']:.2f} "
          f"| {w['longest_suit']} |" for w in verdict.worst), "",
        "## Limits", "",
        "Estimates of random deals; freak shapes and slams are rarer there and worse estimated, as the plot shows.",
        "No match is scored with estimates.", "",
    ]  # fmt: skip
    if sizes:
        lines += [
            "## More deals", "", "The same network after fewer training deals, as many epochs:", "",
            "| training deals | suits exact % | no trump exact % |", "| ---: | ---: | ---: |",
            *(f"| {n:,} | {hits[0].within[0]:.2f} | {hits[1].within[0]:.2f} |" for n, hits in sizes), "",
            "![accuracy by number of training deals](sizes.png)", "",
        ]  # fmt: skip
    return "\n".join(lines)


def _plots(folder: Path, verdict: Verdict, sizes: Sizes) -> None:
    with drawn(folder / "reliability.png", 4.6, 4.2) as axes:
        axes.plot([0, 1], [0, 1], color="0.6", linewidth=0.8)
        axes.plot(*zip(*((said, was) for said, was, _ in verdict.reliability), strict=True), "o-")
        axes.set(xlabel="stated chance", ylabel="how often it was so")
    with drawn(folder / "by_tricks.png", 7.5, 3.6) as axes:
        for name, rows in verdict.by_tricks.items():
            tricks = [row["tricks"] for row in rows]
            line = axes.plot(tricks, [row["exact"] for row in rows], "o-", label=f"{name}, exact")
            within = [row["within_one"] for row in rows]
            axes.plot(tricks, within, "--", color=line[0].get_color(), label=f"{name}, within one")
        axes.set(xlabel="true tricks", ylabel="% of medians", ylim=(0, 101))
        axes.legend(fontsize="small")
    if sizes:
        with drawn(folder / "sizes.png", 5.5, 3.6) as axes:
            for at, name in enumerate(("suits", "no trump")):
                axes.semilogx([n for n, _ in sizes], [hits[at].within[0] for _, hits in sizes], "o-", label=name)
            axes.set(xlabel="training deals (logarithmic)", ylabel="% exact")
            axes.legend()
