"""Make options from the fields of a config; read them, and check them against a run that is resumed."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import MISSING, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from training.running.settings import Settings

C = TypeVar("C", bound=Settings)


def add_fields(parser: argparse.ArgumentParser, config: type[Any]) -> None:
    """Add an option for every field of a config, with its help and its default."""
    for item in fields(config):
        assert item.default is not MISSING
        default = "" if item.default == "" else f" (default {item.default})"
        text = f"{item.metadata['help']}{default}".replace("%", "%%")
        parser.add_argument(f"--{item.name.replace('_', '-')}", type=type(item.default), default=None, help=text)


def add_run_options(parser: argparse.ArgumentParser, kind: str, may_change: Sequence[str]) -> None:
    """Add ``--name``, ``--out`` and ``--resume`` to a command that writes run folders."""
    parser.add_argument("--name", help=f"name of the run folder below results/{kind} (default: run-001, run-002 ...)")
    parser.add_argument("--out", type=Path, default=Path("results"), help="parent of the run folders (default results)")
    parser.add_argument(
        "--resume", type=Path, metavar="FOLDER", help=f"resume this run; may change: {', '.join(may_change)}"
    )


def read_fields(args: argparse.Namespace, config: C) -> C:
    """The config with what the command line says, checked.

    Raises:
        ValueError: a number or name that makes no sense.
    """
    out = replace(config, **given_fields(args, type(config)))
    out.check()
    return out


def read_run_fields(args: argparse.Namespace, kind: type[C], may_change: Sequence[str]) -> C:
    """Take the defaults, or the config of the run to resume; override them by the command line.

    Raises:
        RunError: ``--resume`` names no such run, or an option may not change.
        ValueError: a number or name that makes no sense.
    """
    from training.running import lock, runs

    if args.resume is None:
        runs.check_name(args.name)
        return read_fields(args, kind())
    if args.name is not None:
        raise runs.RunError("--name is for a new run; --resume continues in its folder")
    fixed = sorted(set(given_fields(args, kind)) - set(may_change))
    if fixed:
        raise runs.RunError(
            f"--{fixed[0].replace('_', '-')} cannot change on --resume; these can: {', '.join(may_change)}"
        )
    if args.resume.is_dir():
        lock.hold(args.resume)  # before anything is read: nobody else goes on with it meanwhile
    config = runs.config_of(args.resume, kind)
    return read_fields(args, config)


def given_fields(args: argparse.Namespace, kind: type[Any]) -> dict[str, Any]:
    """Return the fields of a config that the command line gives."""
    return {f.name: getattr(args, f.name) for f in fields(kind) if getattr(args, f.name) is not None}
