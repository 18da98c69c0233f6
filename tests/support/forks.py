"""Python processes that begin with numba loaded, which is most of what starting one costs.

``Forks`` starts a process that loads numba and nothing of this project. It forks for each program, which so finds an
interpreter like a new one: with the environment, the folder and the arguments that it is given.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any


class Forks:
    """Where programs are run; ``close`` it at the end."""

    def __init__(self) -> None:
        words = {"PATH": "", "OPENBLAS_NUM_THREADS": "1"}  # no threads, which a fork would lose
        self._server = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=words
        )

    def close(self) -> None:
        self._server.communicate(timeout=60)

    def run(
        self, program: str | Path, *arguments: str, cwd: Path | None = None, check: bool = True, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a program, or a file, as ``python -c program`` would in this environment alone."""
        (done,) = self.run_together([program], *arguments, cwd=cwd, **environment)
        if check and done.returncode:
            raise AssertionError(done.stderr)
        return done

    def run_together(
        self, programs: Sequence[str | Path], *arguments: str, cwd: Path | None = None, **environment: str
    ) -> list[subprocess.CompletedProcess[str]]:
        """Run programs at the same time, and wait for all."""
        with tempfile.TemporaryDirectory() as folder:
            asked = [
                {"program": str(program), "file": isinstance(program, Path), "arguments": arguments,
                 "cwd": str(cwd or folder), "environment": {"PATH": "", **environment}, "told": f"{folder}/{number}"}
                for number, program in enumerate(programs)
            ]  # fmt: skip
            assert self._server.stdin is not None
            assert self._server.stdout is not None
            self._server.stdin.write(json.dumps(asked) + "\n")
            self._server.stdin.flush()
            codes = json.loads(self._server.stdout.readline())
            return [
                subprocess.CompletedProcess(
                    [each["program"]], code, *(Path(f"{each['told']}.{kind}").read_text() for kind in ("out", "err"))
                )
                for each, code in zip(asked, codes, strict=True)
            ]


def _serve() -> None:
    import numba

    numba.njit(lambda x: x)(1)  # what a first kernel needs is loaded
    del sys.path[0]  # this file's folder
    for line in sys.stdin:
        children = []
        for asked in json.loads(line):
            child = os.fork()
            if not child:
                _become(asked)
            children.append(child)
        print(json.dumps([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]), flush=True)


def _become(asked: dict[str, Any]) -> None:
    """Run a program in place of this one, and end."""
    import runpy

    import numba

    code = 1
    for descriptor, kind in ((1, "out"), (2, "err")):
        os.dup2(os.open(f"{asked['told']}.{kind}", os.O_WRONLY | os.O_CREAT), descriptor)
    try:
        os.environ.clear()
        os.environ.update(asked["environment"])
        os.chdir(asked["cwd"])
        sys.path[:0] = ["", *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
        sys.dont_write_bytecode = "PYTHONDONTWRITEBYTECODE" in os.environ
        tempfile.tempdir = None
        numba.config.reload_config()
        sys.argv = ["-c", *asked["arguments"]]
        if asked["file"]:
            runpy.run_path(asked["program"], run_name="__main__")
        else:
            sys.modules["__main__"] = main = ModuleType("__main__")
            exec(compile(asked["program"], "<string>", "exec"), vars(main))
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    _serve()
