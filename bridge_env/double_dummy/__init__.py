"""Get double-dummy tricks from a library of solved deals, or from an exact solver."""

from bridge_env.double_dummy.exact import ExactDoubleDummy as ExactDoubleDummy
from bridge_env.double_dummy.library import Library as Library
from bridge_env.double_dummy.library import LibraryError as LibraryError
from bridge_env.double_dummy.library import builtin_library as builtin_library
from bridge_env.double_dummy.library import write_library as write_library
from bridge_env.hands.canonical import CanonicalForm as CanonicalForm
from bridge_env.hands.canonical import canonical_form as canonical_form
from bridge_env.hands.canonical import canonical_key as canonical_key
from bridge_env.hands.canonical import is_judging as is_judging
