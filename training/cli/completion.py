"""``bridge-env completion``."""

from __future__ import annotations

from typing import Literal


def completion(shell: Literal["bash", "zsh", "fish"], /) -> int:
    """Print a script with which your shell completes commands, options and files.

        bridge-env completion bash > ~/.local/share/bash-completion/completions/bridge-env
        bridge-env completion zsh  > ~/.zfunc/_bridge-env      with 'fpath+=~/.zfunc' before 'compinit' in ~/.zshrc
        bridge-env completion fish > ~/.config/fish/completions/bridge-env.fish

    Args:
        shell: your shell
    """
    from training.cli.app import app  # here: app names this module

    print(app.generate_completion(shell=shell))
    return 0
