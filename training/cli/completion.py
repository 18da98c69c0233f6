"""``bridge-env completion``: what a shell needs to complete commands, options and files."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

SHELLS = ("bash", "zsh", "fish")

_EPILOG = """\
Put it where your shell finds it, and open a new one:
  bridge-env completion bash > ~/.local/share/bash-completion/completions/bridge-env
  bridge-env completion zsh  > ~/.zfunc/_bridge-env      with 'fpath+=~/.zfunc' before 'compinit' in ~/.zshrc
  bridge-env completion fish > ~/.config/fish/completions/bridge-env.fish
"""


def add_completion(subparsers: Any, whole: Callable[[], argparse.ArgumentParser]) -> None:
    """Add the subcommand; ``whole`` gives the parser of all commands."""
    parser = subparsers.add_parser(
        "completion",
        help="print what completes commands in your shell",
        description="Print a script with which your shell completes commands, options and files.",
        epilog=_EPILOG,
    )
    parser.add_argument("shell", choices=SHELLS, help="your shell")
    parser.set_defaults(handler=lambda args: _run(args, whole))


def _run(args: argparse.Namespace, whole: Callable[[], argparse.ArgumentParser]) -> int:
    from bridge_env.optional_dependencies import missing

    if wanting := missing("completion", "shtab"):
        raise ValueError(wanting)
    import shtab

    parser = whole()
    _complete_files(parser, shtab.FILE)
    print(shtab.complete(parser, shell=args.shell), end="")
    return 0


def _complete_files(parser: argparse.ArgumentParser, files: Any) -> None:
    """Let arguments that name files, and specs, which may, be completed as such."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                _complete_files(below, files)
        elif action.type is Path or (action.choices is None and not action.option_strings):
            action.complete = files  # type: ignore[attr-defined] # shtab looks for it
