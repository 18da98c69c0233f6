"""Names and docstrings of the packages use plain words: those of ``WORDS`` stay out of them."""

import ast
import re

import pytest
from support.places import ROOT

PACKAGES = ("bridge_env", "agents", "training", "bridge_table", "studies")
WORDS = ("told", "kept", "asked", "gone", "gives", "said", "stray", "strays", "strayed", "apart", "tells", "stands")
_BEFORE = r"\b(?:of|to|by|for|from|with|as|than|on|in)\s+"  # after these, "who" and "what" are no relative pronouns
IN_TEXT = re.compile(
    rf"\b(?i:{'|'.join(WORDS)})\b(?!(?<=stands) for\b)"  # "X stands for a double" is plain
    rf"|(?:(?:^|[.:;]\s+)Who|{_BEFORE}who)\b"  # "by who bids"; in "a player who bids" it is a pronoun
    r"|\b(?:the|a)\s+whole(?=\s+(?:of|is|has)\b|[.,;:)]|$)|\bwholes\b"  # "the whole of it"; not "the whole deal"
    rf"|(?:(?:^|[.:;]\s+)What|(?:{_BEFORE}|\band\s+)what)\s+(?:is|was|are|were)\b"  # "with what is known"
)
#: Uses that are right: (package, a part of the finding) and the reason.
EXCEPTIONS = {("bridge_env", "a match gives it fewer boards"): "somebody gives something to somebody"}


def names_of(nodes):
    """Return the names of classes, functions and arguments, and those that are assigned or imported as."""
    found = set()
    for node in nodes:
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found.add(name)
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                found.add(name)
            case ast.alias(asname=str(name)) | ast.MatchAs(name=str(name)):
                found.add(name)
    return found


def is_banned(name):
    """Return whether a part of a name, between underscores or capitals, is a word of the list."""
    parts = [part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Za-z][a-z]*", name)]
    return bool({*WORDS, "who"}.intersection(parts)) or parts[-1:] == ["whole"]


def docstrings_of(nodes):
    """Return the docstrings of a module and of its classes and functions, each on one line."""
    holders = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    texts = [ast.get_docstring(node) or "" for node in nodes if isinstance(node, holders)]
    return [" ".join(text.split()) for text in texts]


def findings(package):
    """Return ``file: name`` or ``file: words around`` for all words of the list in a package, but the exceptions."""
    excepted = [text for place, text in EXCEPTIONS if place == package]
    found = []
    for path in sorted((ROOT / package).rglob("*.py")):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        here = [name for name in sorted(names_of(nodes)) if is_banned(name)]
        for text in docstrings_of(nodes):
            here += [text[max(0, hit.start() - 40) : hit.end() + 40] for hit in IN_TEXT.finditer(text)]
        file = path.relative_to(ROOT).as_posix()
        found += [f"{file}: {item}" for item in here if not any(text in f"{file}: {item}" for text in excepted)]
    return found


@pytest.mark.parametrize("package", PACKAGES)
def test_names_and_docstrings_use_plain_words(package):
    found = findings(package)
    assert not found, "\n".join(["CONTRIBUTING.md, 'Words', has other words", *found])


def test_the_list_finds_its_words_and_no_others():
    assert all(map(is_banned, ("told", "was_asked", "StrayLine", "TOLD", "who_bids", "the_whole")))
    assert not any(map(is_banned, ("telling", "whole_deal", "stand", "restated")))
    for text in (
        "Return what the hand tells.",
        "calls of who opened",
        "with what is known",
        "as it stands",
        "the whole.",
    ):
        assert IN_TEXT.search(text), text
    for text in ("a player who opened", "the whole deal", "N stands for North", "Return what each call shows."):
        assert not IN_TEXT.search(text), text
