"""Take the options of a command from a file: TOML, or the manifest of a run."""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bridge_env.files import text_bounded
from training.running.settings import did_you_mean

_LARGEST = 1 << 20  # bytes of a file
_HELP = "take options from this file: TOML such as 'boards = 8192', or a run's folder or manifest.json"


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
        return tomllib.loads(text_bounded(path, _LARGEST, ValueError))
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
