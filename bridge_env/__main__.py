"""``python -m bridge_env``: the command line, as ``bridge-env``."""

import importlib
import sys

if __name__ == "__main__":
    # By name: the rules import nothing that stands above them, and this file belongs to the command.
    sys.exit(importlib.import_module("training.cli.app").main())
