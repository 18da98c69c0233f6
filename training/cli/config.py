"""Take options from the fields of a config, and from a file: TOML, or the manifest of a run."""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from training.running.settings import Settings, did_you_mean

C = TypeVar("C", bound=Settings)
_HELP = "take options from this file: TOML such as 'boards = 8192', or a run's folder or manifest.json"


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


def read_run_fields(
    args: argparse.Namespace, kind: type[C], may_change: Sequence[str], read: Callable[[Path], C] | None = None
) -> C:
    """Take the defaults, or the config of the run to resume; override them by the command line.

    Args:
        read: reads the config of a run (default: from its manifest).

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
    if args.resume.is_dir():
        lock.hold(args.resume)  # before anything is read: nobody else goes on with it meanwhile
    config = runs.config_of(args.resume, kind) if read is None else read(args.resume)
    changed = [name for name, value in given_fields(args, kind).items() if value != getattr(config, name)]
    fixed = sorted(set(changed) - set(may_change))
    if fixed:
        raise runs.RunError(
            f"--{fixed[0].replace('_', '-')} cannot change on --resume; these can: {', '.join(may_change)}"
        )
    return read_fields(args, config)


def given_fields(args: argparse.Namespace, kind: type[Any]) -> dict[str, Any]:
    """Return the fields of a config that the command line gives."""
    return {f.name: getattr(args, f.name) for f in fields(kind) if getattr(args, f.name) is not None}


# --- a file --------------------------------------------------------------------------------------------------


def add_config_file(parser: argparse.ArgumentParser) -> None:
    """Add ``--config FILE`` to a command; ``parsed`` honours it."""
    parser.add_argument("--config", action=_Config, type=Path, metavar="FILE", help=_HELP)


def parsed(parser: argparse.ArgumentParser, argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse a command line; where it names a ``--config``, the file says what the line leaves open.

    A faulty line or file ends the process, as argparse does it.
    """
    args = parser.parse_args(argv)
    if getattr(args, "config", None) is None:
        return args
    if getattr(args, "resume", None) is not None:
        parser.error("--config is for a new run; --resume keeps the options of its run")
    return parser.parse_args(argv)  # now that the file's options are the defaults


class _Config(argparse.Action):
    """Makes the options in a file the command's defaults."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, path: Any, _: Any = None
    ) -> None:
        setattr(namespace, self.dest, path)
        try:
            parser.set_defaults(**_values(parser, read_options(path)))
        except ValueError as error:
            parser.error(f"--config {path}: {error}")


def read_options(path: Path) -> Mapping[str, Any]:
    """Read the options in a file, by name: those of TOML, or the ``config`` of a manifest.

    Raises:
        ValueError: there is no such file, or it is no TOML, or no manifest with a config.
    """
    from training.running import runs

    if path.is_dir() or path.name == runs.MANIFEST:
        folder = path if path.is_dir() else path.parent
        manifest = runs.read_manifest(folder)
        if "config" not in manifest:
            raise ValueError(f"{folder} has no {runs.MANIFEST} with a config")
        config: Mapping[str, Any] = manifest["config"]
        return config
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"this is no TOML{_instead(path)}: {error}") from None


def _instead(path: Path) -> str:
    """What to write in place of another format, where the name tells that it is one."""
    other = {".yaml": "YAML", ".yml": "YAML", ".json": "JSON"}.get(path.suffix.lower())
    return f" but {other}; write 'boards = 8192' for 'boards: 8192', and strings in quotes" if other else ""


def _values(parser: argparse.ArgumentParser, told: Mapping[str, Any]) -> dict[str, Any]:
    """What the file says, by the name under which the command finds it; nothing of that is required any more."""
    options = {
        name.lstrip("-").replace("-", "_"): action for name, action in parser._option_string_actions.items()
        if action.dest not in ("help", "config", "resume")
    }  # fmt: skip
    values = {}
    for written, value in told.items():
        name = written.replace("-", "_")
        if value is None:  # a manifest says so of what was not given
            continue
        if name not in options:
            raise ValueError(
                f"this command has no option --{name.replace('_', '-')}{did_you_mean(name, list(options))}"
            )
        action = options[name]
        values[action.dest] = _value(parser, action, name, value)
        action.required = False
    return values


def _value(parser: argparse.ArgumentParser, action: argparse.Action, name: str, value: Any) -> Any:
    """What one option says, as the command line would give it."""
    if action.nargs == 0:
        if not isinstance(value, bool):
            raise ValueError(f"{name} is a switch: write true or false, not {value!r}")
        return action.const if value else action.default
    several = action.nargs in ("+", "*")
    if isinstance(value, Mapping | bool) or isinstance(value, list) != several:
        raise ValueError(f"{name} takes {'a list' if several else 'one value'}, not {value!r}")
    try:
        words = [parser._get_value(action, str(word)) for word in (value if several else [value])]
        for word in words:
            parser._check_value(action, word)
    except argparse.ArgumentError as error:
        raise ValueError(f"{name}: {error.message}") from None
    if isinstance(action, argparse._AppendAction):
        return [words]
    return words if several else words[0]
