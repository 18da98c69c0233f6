"""What is told where something is not installed: a command that works where the user is."""

from __future__ import annotations

from pathlib import Path

import bridge_env
from bridge_env.io import optional_dependencies

ROOT = Path(bridge_env.__file__).parent.parent


def test_in_the_checkout_beside_it_and_without_one(monkeypatch, tmp_path):
    if (ROOT / "constraints.txt").is_file():
        monkeypatch.chdir(ROOT)
        assert optional_dependencies.how_to_install("rl") == 'pip install -e ".[rl]" -c constraints.txt'
        monkeypatch.chdir(tmp_path)
        assert optional_dependencies.how_to_install("rl") == f'pip install -e "{ROOT}[rl]" -c "{ROOT}/constraints.txt"'
    monkeypatch.setattr(
        optional_dependencies, "__file__", str(tmp_path / "site-packages" / "bridge_env" / "optional_dependencies.py")
    )
    assert optional_dependencies.how_to_install("rl") == 'pip install "bridge-env[rl]"'


def test_what_is_missing():
    assert optional_dependencies.missing("rl", "numpy") == ""
    assert optional_dependencies.missing("rl", "numpy", "nothing_of_the_kind").startswith(
        "nothing_of_the_kind is not installed; install with: pip"
    )


def test_the_package_names_what_it_shows():
    assert "show" in dir(bridge_env)
    assert "show" not in vars(bridge_env) or callable(bridge_env.show)
