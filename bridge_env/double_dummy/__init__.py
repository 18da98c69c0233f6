"""Get double-dummy tricks from a library of solved deals, from an exact solver, or from both in turn."""

from bridge_env.double_dummy.canonical import (
    CanonicalForm,
    canonical_form,
    canonical_key,
    is_judging,
    permute_tricks,
    rotate_tricks,
)
from bridge_env.double_dummy.cascade import Cascade
from bridge_env.double_dummy.exact import ExactDoubleDummy
from bridge_env.double_dummy.library import (
    CorruptLibrary,
    ForeignFile,
    Library,
    LibraryError,
    NewerLibrary,
    TruncatedLibrary,
    embedded,
    write_library,
)

__all__ = [
    "CanonicalForm",
    "Cascade",
    "CorruptLibrary",
    "ExactDoubleDummy",
    "ForeignFile",
    "Library",
    "LibraryError",
    "NewerLibrary",
    "TruncatedLibrary",
    "canonical_form",
    "canonical_key",
    "embedded",
    "is_judging",
    "permute_tricks",
    "rotate_tricks",
    "write_library",
]
