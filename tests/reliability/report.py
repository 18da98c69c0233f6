"""The page of the table of reliability."""

from __future__ import annotations

import platform
from collections.abc import Sequence

from tests.reliability.study import Settings
from tests.reliability.tally import Row


def text(row: Row) -> str:
    """A row in a line, for the terminal; its failures below it."""
    if row.left_out:
        return f"{row.what:<40} left out: {row.left_out}"
    counts = f"{row.taken:>7,} taken {row.refused:>7,} refused {row.failed:>5,} failed"
    line = f"{row.what:<40} {counts} {row.seconds:>7.1f} s"
    return "\n".join([line, *(f"  {told}" for told in row.failures)])


def markdown(rows: Sequence[Row], settings: Settings, command: str, minutes: float) -> str:
    """The page."""
    tried, failed = sum(row.tried for row in rows), sum(row.failed for row in rows)
    out = [
        "# What goes wrong",
        "",
        f"**{failed:,} of {tried:,} cases failed.**",
        "",
        f"Made by `{command}` in {minutes:.0f} minutes ({platform.system()} {platform.machine()}, Python "
        f"{platform.python_version()}). The seed {settings.seed} names every case.",
        "",
        "Taken: the case was harmless, and went well. Refused: an error said what is wrong. Failed: anything else,",
        "such as another error, a wrong result, or more than twenty seconds of processor time.",
        "",
        "| tried | cases | taken | refused | failed | expected |",
        "| --- | ---: | ---: | ---: | ---: | --- |",
    ]
    for row in rows:
        if row.left_out:
            out.append(f"| {row.what} | | | | | left out: {row.left_out} |")
        else:
            counts = " | ".join(f"{number:,}" for number in (row.tried, row.taken, row.refused, row.failed))
            out.append(f"| {row.what} | {counts} | {row.expected} |")
    told = [f"- {row.what}: {failure}" for row in rows for failure in row.failures]
    if told:
        out += ["", "## Failures", "", *told]
    out += [
        "",
        "Kills are SIGKILL at moments that the seed names. A full disk is a limit on how large files may grow. The",
        "places that cannot be written to are folders of the system that refuse even root.",
        "",
        "Whether memory grows is told by `python -m tests.reliability --soak 60`, in soak.md.",
        "",
    ]
    return "\n".join(out)
