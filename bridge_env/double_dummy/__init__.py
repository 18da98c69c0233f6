"""Get double-dummy tricks from a library of solved deals, or from an exact solver."""

from bridge_env.double_dummy.exact import ExactDoubleDummy as ExactDoubleDummy
from bridge_env.double_dummy.library import Library as Library
from bridge_env.double_dummy.library import LibraryError as LibraryError
from bridge_env.double_dummy.library import builtin_library as builtin_library
from bridge_env.double_dummy.library import write_library as write_library
