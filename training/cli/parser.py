"""The parser of the command line: what it does not know, it answers with what was probably meant.

Options are spelled with dashes; ``--learning_rate`` is read as ``--learning-rate``.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from training.running.settings import did_you_mean

_CHOICE = re.compile(r"invalid choice: '(.*?)'.*choose from (.*?)\)?$")


class Parser(argparse.ArgumentParser):
    """An ``ArgumentParser`` that asks "did you mean"; its subparsers are such, too. Text keeps lines of its own."""

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
