"""Get double-dummy tricks from a library of solved deals, from an exact solver, or from both in turn."""

from bridge_env.double_dummy.canonical import (
    CanonicalForm,
    canonical_form,
    canonical_key,
    is_judging,
)
from bridge_env.double_dummy.cascade import Cascade
from bridge_env.double_dummy.exact import ExactDoubleDummy
from bridge_env.double_dummy.library import (
    Library,
    LibraryError,
    embedded,
    write_library,
)

__all__ = [
    "CanonicalForm",
    "Cascade",
    "ExactDoubleDummy",
    "Library",
    "LibraryError",
    "canonical_form",
    "canonical_key",
    "embedded",
    "is_judging",
    "write_library",
]
