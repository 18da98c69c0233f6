"""``pip install -e`` adds a plain path, which type checkers follow; of an import hook they see nothing but Any."""

import shutil
import subprocess
import sys
import zipfile

import pytest
from support.places import ROOT

PACKAGES = ("bridge_env", "agents", "training", "bridge_table")


@pytest.mark.skipif(not (ROOT / "pyproject.toml").is_file(), reason="needs a checkout")
def test_an_editable_install_is_a_path(tmp_path):
    pytest.importorskip("setuptools", minversion="77")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    for package in PACKAGES:
        (tmp_path / package).mkdir()
        for name in ("__init__.py", "py.typed"):
            shutil.copy(ROOT / package / name, tmp_path / package)
    code = "from setuptools import build_meta; print(build_meta.build_editable('wheels'))"
    (tmp_path / "wheels").mkdir()
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True, timeout=120)
    (wheel,) = (tmp_path / "wheels").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" not in name]
        assert len(names) == 1
        assert archive.read(names[0]).decode().strip() == str(tmp_path)
