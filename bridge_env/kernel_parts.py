"""Compile a kernel that only kernels call as a part of these, for ``kernels.njit``: without machine code of its own.

numba optimizes every function, turns it into machine code, and then does both again for each of its callers, which
hold a copy of it. For our kernels that was a third of the time to compile. Callers run as fast either way.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import llvmlite.binding as llvm
from numba.core.codegen import JITCodeLibrary

_in_memory: set[str] = set()  # names of all in the machine code that was made, or loaded, while parts were made


class Part(JITCodeLibrary):
    """The code of a function, for its callers to copy. It becomes machine code when its address is asked for."""

    _made = False

    def _optimize_final_module(self) -> None:
        pass  # callers optimize their copies

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()  # type: ignore[no-untyped-call]
        self._verify_declare_only_symbols()  # type: ignore[no-untyped-call]
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return the address of a function, 0 if it is not of this code; make the machine code that it needs."""
        self._ensure_finalized()  # type: ignore[no-untyped-call]
        if not self._made and any(f.name == name and not f.is_declaration for f in self._final_module.functions):
            self._made = True
            super()._optimize_final_module()  # type: ignore[no-untyped-call]
            super()._finalize_final_module()  # type: ignore[no-untyped-call]
            _note(self._final_module)
        address: int = super().get_pointer_to_function(name)  # type: ignore[no-untyped-call]
        return address

    def serialize_using_object_code(self) -> Any:
        """Return what a cache keeps; ``_unserialize`` reads it."""
        self._ensure_finalized()  # type: ignore[no-untyped-call]
        if self._made:
            return super().serialize_using_object_code()  # type: ignore[no-untyped-call]
        return self.name, "part", self._get_module_for_linking().as_bitcode()  # type: ignore[no-untyped-call]

    @classmethod
    def _unserialize(cls, codegen: Any, state: Any) -> Any:
        name, kind, data = state
        if kind != "part":
            with making(codegen, parts=False):
                usual = JITCodeLibrary._unserialize(codegen, state)  # type: ignore[no-untyped-call]
            _note(usual._shared_module)
            return usual
        part = codegen.create_library(name)
        part._final_module = part._shared_module = llvm.parse_bitcode(data)
        part._finalized = True
        return part


def _note(module: Any) -> None:
    _in_memory.update(value.name for value in module.global_variables if not value.is_declaration)


@contextmanager
def making(codegen: Any, parts: bool) -> Iterator[None]:
    """Let numba's ``codegen`` make parts meanwhile, or usual code. Hold numba's lock.

    An environment, which numba writes beside machine code, has no place in a part; ``set_environments`` does it later.
    """

    def set_env(name: str, env: Any) -> None:
        if name in _in_memory:
            type(codegen).set_env(codegen, name, env)

    before = codegen._library_class, vars(codegen).pop("set_env", None)
    codegen._library_class = Part if parts else JITCodeLibrary
    if parts:
        codegen.set_env = set_env
    try:
        yield
    finally:
        codegen._library_class = before[0]
        vars(codegen).pop("set_env", None)
        if before[1] is not None:
            codegen.set_env = before[1]


def set_environments(result: Any) -> None:
    """Set the environments of all parts that a compiled function holds."""
    for env in result._find_referenced_environments():
        result.library.codegen.set_env(env.env_name, env)
