"""The command line ``bridge-env``: the subcommands, their parser, and how errors end.

Nothing heavy is imported until a subcommand runs, so that ``--help`` answers at once.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shlex
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

from training.cli import terminal
from training.cli.bench import add_bench
from training.cli.bid import add_bid
from training.cli.book import add_book
from training.cli.check import add_check
from training.cli.coach import add_coach
from training.cli.completion import add_completion
from training.cli.config import parsed
from training.cli.deals import add_deal, add_library, add_solve
from training.cli.evolve import add_evolve
from training.cli.exam import add_exam
from training.cli.fit import add_fit
from training.cli.manage import add_manage
from training.cli.match import add_match
from training.cli.panel import add_panel
from training.cli.read import add_read
from training.cli.report import add_report
from training.cli.serve import add_serve
from training.cli.table import add_table
from training.cli.train import add_train
from training.running.cluster import ClusterError
from training.running.lock import release_all
from training.running.runs import version_of
from training.running.settings import did_you_mean
from training.running.stopping import INTERRUPTED, termination_as_interrupt
from training.running.stopping import code as stop_code

_TRACEBACK = "BRIDGE_ENV_TRACEBACK"
_CHOICE = re.compile(r"invalid choice: '(.*?)'.*choose from (.*?)\)?$")

_EXAMPLES = f"""\
examples:
  bridge-env deal --n 2                                       deal two random deals
  bridge-env bid system:sayc --hand AKQ2.T98.J7.A543          ask for one call and its reason
  bridge-env match system:sayc pass --boards 1000             play one bidder against another
  bridge-env panel system:sayc                                play a bidder against all strangers and systems
  bridge-env exam system:sayc                                 compare a bidder with the textbooks
  bridge-env table                                            bid and play in the browser
  bridge-env serve system:sayc                                answer other bridge programs
  bridge-env book sayc                                        print a system as notes, with figures
  bridge-env check mine.bidding                               list all faults of a system of yours
  bridge-env evolve                                           let partnerships learn from each other

'bridge-env COMMAND --help' explains each command. Set {_TRACEBACK}=1 to see where in the code an error arose.
"""

_OTHER_AGENTS = """\
the import name 'agents' belongs to another package here: {where}
(openai-agents installs one of that name). Give bridge-env a virtual environment of its own, or remove the
other package and install bridge-env again:
  pip uninstall openai-agents && pip install --force-reinstall --no-deps bridge-env"""


class _Foreign(ImportError):
    """The packages on the path are not this project's."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``bridge-env`` with ``argv`` (default: the process's) and return its exit code.

    0 success, 1 what was looked at or run is at fault, 2 an error that the message explains, 130 stopped by Ctrl-C,
    143 by SIGTERM, 129 by SIGHUP.
    """
    terminal.prepare()
    args = parsed(command_parser(), argv)
    args.again = shlex.join(["bridge-env", *(sys.argv[1:] if argv is None else argv)])
    with termination_as_interrupt():
        return _run(args)


def _run(args: argparse.Namespace) -> int:
    """Run the command's handler; return its exit code, or that of the error that ends it."""
    try:
        _check_agents()
        if prepare := getattr(args, "prepare", None):  # before anything has made a kernel
            prepare(args)
        _look_in_current_folder()
        with terminal.words_aside(args):
            code: int = args.handler(args)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as "head", has seen enough
        terminal.abandon_output()
        return 0
    except KeyboardInterrupt:
        kept = _kept(args)
        with contextlib.suppress(OSError):  # the terminal may be gone
            print(f"\nbridge-env: stopped{'; ' if kept else ''}{kept}", file=sys.stderr)
        return stop_code(INTERRUPTED)
    except (ValueError, OSError, MemoryError, ClusterError, _Foreign) as error:
        if os.environ.get(_TRACEBACK):
            raise
        from bridge_env.bidder_errors import BidderError

        of_the_world = isinstance(error, (OSError, MemoryError, ClusterError, BidderError))  # what was asked is right
        with contextlib.suppress(OSError):
            print(f"bridge-env: error: {_told(error)}", file=sys.stderr)
            if of_the_world and (kept := _kept(args)):
                print(kept, file=sys.stderr)
        _flush()
        return 2
    finally:
        release_all()
    return stop_code(code)


def _kept(args: argparse.Namespace) -> str:
    """Where the command keeps what it has done, and how to go on; empty where it keeps nothing.

    A handler says so by ``args.kept``: a path, and the command that goes on.
    """
    where, command = getattr(args, "kept", None) or (None, "")
    there = where is not None and Path(where).exists()
    return f"what was done before is kept in {where}; go on: {command}" if there else ""


def _flush() -> None:
    """Flush the output; abandon it if that fails."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        terminal.abandon_output()


def _told(error: Exception) -> str:
    from bridge_env.bidder_errors import printable

    text = str(error)
    if isinstance(error, OSError) and error.filename is not None:
        text = f"{error.filename}: {error.strerror}"
    elif isinstance(error, MemoryError):
        text = f"there is not enough memory for this; ask for less at once ({error})"
    return printable(text)


class Parser(argparse.ArgumentParser):
    """An ``ArgumentParser`` that asks "did you mean"; its subparsers are such, too. Text keeps lines of its own.

    Options are spelled with dashes; ``--learning_rate`` is read as ``--learning-rate``.
    """

    def __init__(self, *args: Any, **named: Any) -> None:
        if "\n" in f"{named.get('description')}{named.get('epilog')}":
            named["formatter_class"] = argparse.RawDescriptionHelpFormatter
        super().__init__(*args, **{**named, "allow_abbrev": False})

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        found, left = super().parse_known_args(self._spelled(sys.argv[1:] if args is None else args), namespace)
        unknown = [word.partition("=")[0] for word in left if word.startswith("-") and len(word) > 1]
        if unknown and self._subparsers is None:  # else a subparser has looked at them
            self.error(f"there is no option {unknown[0]}{did_you_mean(unknown[0], self._option_string_actions)}")
        return found, left

    def _spelled(self, words: Sequence[str]) -> list[str]:
        """The words of a command line, with the options of this parser spelled as it knows them."""
        out = list(words)
        for at, word in enumerate(out):
            if word == "--":
                break
            name, equals, value = word.partition("=")
            dashed = name.replace("_", "-")
            if (
                name.startswith("--")
                and name not in self._option_string_actions
                and dashed in self._option_string_actions
            ):
                out[at] = f"{dashed}{equals}{value}"
        return out

    def error(self, message: str) -> NoReturn:
        choice = _CHOICE.search(message)
        if choice is not None:
            message += did_you_mean(choice[1], re.findall(r"[\w.:-]+", choice[2]))
        super().error(message)


def command_parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="bridge-env",
        description="Contract-bridge bidding: deals, bidding systems, duplicate matches, self-play.",
        epilog=_EXAMPLES,
    )
    version = f"bridge-env {version_of('bridge-env') or '(not installed)'}"
    parser.add_argument("--version", action="version", version=version, help="show the version")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for add in (
        add_deal,
        add_read,
        add_solve,
        add_library,
        add_bid,
        add_check,
        add_manage,
        add_match,
        add_panel,
        add_exam,
        add_table,
        add_serve,
        add_book,
        add_evolve,
        add_coach,
        add_report,
        add_train,
        add_fit,
        add_bench,
    ):
        add(subparsers)
    add_completion(subparsers, command_parser)
    return parser


def _check_agents() -> None:
    """Check that ``agents`` is this project's, without importing it: another package's code may do anything."""
    spec = find_spec("agents")
    where = spec.origin if spec is not None else None
    if where is None or "agents.text_api" not in Path(where).read_text(encoding="utf-8"):
        raise _Foreign(_OTHER_AGENTS.format(where=where))


def _look_in_current_folder() -> None:
    """Let ``python:module:factory`` import from the current folder, if there is one still."""
    from bridge_env import bidders

    with contextlib.suppress(FileNotFoundError):
        bidders.FOLDERS[:] = [os.getcwd()]
