"""The cache of compiled kernels: a change to any kernel makes it anew."""

import shutil
import subprocess
import sys
from pathlib import Path

from support.places import ROOT

from bridge_env import kernels


def _copy(tmp_path: Path) -> Path:
    for package in kernels.PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_the_hash_follows_the_kernels_and_nothing_else(tmp_path):
    root = _copy(tmp_path)
    before = kernels._sources_hash(root)
    assert before == kernels._sources_hash(ROOT)
    (root / "bridge_env" / "calls.py").write_text("# no kernel here\n")
    assert kernels._sources_hash(root) == before
    auction = root / "bridge_env" / "auction.py"
    auction.write_text(auction.read_text() + "\n# a change\n")
    assert kernels._sources_hash(root) != before


def test_kernels_are_kept_where_one_says(tmp_path):
    program = "from bridge_env.kernels import njit\nimport numba; print(numba.config.CACHE_DIR)"
    environment = {"PATH": "", "HOME": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "here")}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=True)
    folder = Path(done.stdout.strip())
    assert folder.parent == tmp_path / "here"
    assert folder.is_dir()
