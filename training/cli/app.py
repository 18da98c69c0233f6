"""The command line ``bridge-env``: its commands, options from files, and how errors end.

A command is a function: its docstring is its help, its keywords are its options. Nothing heavy is imported until a
command runs, so that ``--help`` answers at once.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tomllib
from collections.abc import Sequence
from inspect import isfunction
from pathlib import Path
from typing import Any, Literal

from cyclopts import App, CycloptsError, Parameter
from cyclopts.config import Dict
from rich.console import Console
from rich.text import Text

from training.cli import bench, bid, deals, fit, learn, match, output, serve, systems
from training.runtime.cluster import ClusterError
from training.runtime.processes import interrupted_code, termination_as_interrupt
from training.runtime.runs import MANIFEST, read_manifest, version_of

_COMMANDS = (
    deals.deal, deals.read, deals.solve, deals.library, bid.bid, systems.check, systems.book, systems.exam, match.match,
    match.panel, learn.evolve, learn.train, learn.coach, learn.report, fit.fit, serve.table, serve.serve, serve.manage,
    serve.seat, bench.bench,
)  # fmt: skip
_HELP = """\
Contract-bridge bidding: deals, bidding systems, duplicate matches, self-play. For example:

    bridge-env bid system:sayc --hand AKQ2.T98.J7.A543    ask for a call and its reason
    bridge-env match system:sayc pass --boards 1000       play one bidder against another
    bridge-env table                                      bid and play in the browser
    bridge-env evolve                                     let partnerships learn

'bridge-env COMMAND --help' explains each command. --config FILE takes options from
TOML lines such as 'boards = 8192', or from the folder of a run."""
app = App(
    name="bridge-env",
    help=_HELP,
    version=lambda: f"bridge-env {version_of('bridge-env') or '(not installed)'}",
    default_parameter=Parameter(negative=(), allow_repeating=True),  # the last one counts
    help_format="markdown",
    error_formatter=lambda error: Text(f"bridge-env: error: {error}"),  # not markup
    error_console=Console(stderr=True, soft_wrap=True),
    exit_on_error=False,
    result_action="return_value",
)
for _command in _COMMANDS:
    app.command(_command)


@app.command
def completion(shell: Literal["bash", "zsh", "fish"], /) -> int:
    """Print a script with which your shell completes commands, options and files.

        bridge-env completion bash > ~/.local/share/bash-completion/completions/bridge-env
        bridge-env completion zsh  > ~/.zfunc/_bridge-env      with 'fpath+=~/.zfunc' before 'compinit' in ~/.zshrc
        bridge-env completion fish > ~/.config/fish/completions/bridge-env.fish

    Args:
        shell: your shell
    """
    print(app.generate_completion(shell=shell))
    return 0


def _head_examples() -> None:
    """Put "For example:" before examples that follow a summary: cyclopts would flow them into a paragraph."""
    for name in app:
        for command in (app[name], *app[name].subapps):
            function = command.default_command
            summary, _, rest = (function.__doc__ or "").partition("\n\n")
            if isfunction(function) and rest.startswith(" " * 8):
                function.__doc__ = f"{summary}\n\n    For example:\n\n{rest}"


_head_examples()


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``bridge-env`` with ``argv`` (default: the process's) and return its exit code.

    0 success, 1 what was looked at or run is at fault, 2 an error that the message explains, 130 stopped by Ctrl-C,
    143 by SIGTERM, 129 by SIGHUP.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    output.begin(words)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # and not what a test or a notebook puts in its place
            stream.reconfigure(errors="replace")  # a plain locale has no suits and no ±: better "?" than no result
    with termination_as_interrupt():
        return _run(words)


def _run(words: list[str]) -> int:
    """Run one command; return its exit code, or that of the error that ends it."""
    try:
        app.config = _options_from_files(words)
        command, bound, _ = app.parse_args(words)
        if command.__module__.startswith("training."):  # not --help or --version, which should answer at once
            if command is bid.bid:
                bid.avoid_compiling(bound.arguments)
            from bridge_env.bidders import registry  # here: it loads numba, and --help should answer at once

            with contextlib.suppress(FileNotFoundError):  # python:module:factory imports from the current folder
                registry.FOLDERS[:] = [os.getcwd()]
        code = command(*bound.args, **bound.kwargs)
        sys.stdout.flush()
    except CycloptsError:  # its message is printed already
        return 2
    except BrokenPipeError:  # the reader, such as "head", has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print(f"\nbridge-env: stopped{output.how_to_resume('; ')}", file=sys.stderr)
        return interrupted_code()
    except (ValueError, OSError, MemoryError, ClusterError, ImportError) as error:
        print(f"bridge-env: error: {_message(error)}{output.how_to_resume(chr(10))}", file=sys.stderr)
        return 2
    return int(code or 0)


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, MemoryError):
        return f"there is not enough memory for this; ask for less at once ({error})"
    return str(error)


def _options_from_files(words: list[str]) -> list[Any]:
    """Take ``--config FILE`` out of ``words``; return what it and the run behind ``--resume`` set, for cyclopts.

    Raises:
        ValueError: the file is missing or no TOML.
    """
    sources = []
    for option in ("--config", "--resume"):
        at = next((i for i, word in enumerate(words) if word.partition("=")[0] == option), None)
        if at is None:
            continue
        count = 1 if "=" in words[at] else 2
        path = Path("".join(words[at : at + count]).removeprefix(option).removeprefix("="))
        if option == "--config":
            del words[at : at + count]
        elif not path.is_dir():
            continue  # the command's own error is better
        sources.append(Dict(_read_options(path), use_commands_as_keys=False, source=str(path)))
    return sources


def _read_options(path: Path) -> dict[str, Any]:
    """Return the options in a TOML file, or the config in the manifest of a run's folder."""
    if path.is_dir() or path.name == MANIFEST:
        config: dict[str, Any] = read_manifest(path if path.is_dir() else path.parent).get("config", {})
        return {name.replace("_", "-"): value for name, value in config.items() if value is not None}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: this is no TOML ({error}); write lines such as boards = 8192") from None
