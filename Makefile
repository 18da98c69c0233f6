# Two commands do all set-up: `make selfplay` runs the main job, `make test` the tests. Both make .venv first.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SIDE_BY_SIDE = -n $$($(BIN)/python -c "import os; print(min(4, os.cpu_count() or 1))") --dist loadfile
# `make test MARK="not weekly"` runs the slow tests, too, as CI does.
MARK = not slow
KERNEL_TESTS := $(addprefix tests/,bridge_env/test_auction.py bridge_env/test_solver.py bridge_env/test_play.py bridge_env/test_scoring.py \
	bridge_env/test_compiled.py bridge_env/test_sampling.py agents/test_rule_order.py agents/test_positions.py agents/test_systems_at_tables.py agents/test_networks.py \
	agents/test_book_bidder.py)
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt
# pip would make bytecode on one core. Some packages hold files for other Pythons, which say so.
BYTECODE = $(BIN)/python -m compileall -qq -j 0 $(VENV) || true

# Tests and Ray start hundreds of processes; where nothing may be kept, each would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help selfplay test test-slow test-weekly test-bounds test-libraries browser chromium lint docs check clean

help:
	@echo "make selfplay   install (a minute or two, once), then evolve partnerships against a league (some minutes)"
	@echo "make test       install the tools for developers, then run the tests (some minutes, more the first time)"
	@echo "make test-slow  the slow tests, some minutes more"
	@echo "make test-weekly  the dearest of them, and the tests of compiled code with checks of bounds"
	@echo "make test-bounds  the tests of compiled code once more, with checks of bounds"
	@echo "make test-libraries  the env in other libraries, each installed into an environment of its own"
	@echo "make browser    install what the slow tests of the table's page need: playwright and Chromium"
	@echo "make lint       ruff, mypy, the import contracts, and the documentation strictly"
	@echo "make docs       the documentation as a site: build/site/index.html"
	@echo "make check      lint and the tests that CI runs"
	@echo "make clean      remove .venv and what tools left behind"

selfplay: $(VENV)/.train
	$(BIN)/bridge-env evolve

test: $(VENV)/.dev
	BRIDGE_ENV_NOTHING_MISSING=1 $(BIN)/python -m pytest -m "$(MARK)" $(SIDE_BY_SIDE)

# Each worker reads all tests that it may be given: the files without slow ones would take it eight seconds.
test-slow: $(VENV)/.dev
	BRIDGE_ENV_NOTHING_MISSING=1 $(BIN)/python -m pytest -m "slow and not weekly" $(SIDE_BY_SIDE) \
		$$(grep -rl --include="test_*.py" "mark\.slow" tests | sort)

test-weekly: $(VENV)/.dev test-bounds
	BRIDGE_ENV_NOTHING_MISSING=1 $(BIN)/python -m pytest -m weekly $(SIDE_BY_SIDE)

# Compiled code that reads or writes beyond an array says nothing; with numba's checks it does.
test-bounds: $(VENV)/.dev
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -m "not slow" $(SIDE_BY_SIDE) $(KERNEL_TESTS)

# The examples of other libraries, each in an environment of its own: half an hour the first time.
test-libraries: $(VENV)/.dev
	$(BIN)/python -m tests.libraries

PATIENCE := -o Acquire::http::Timeout=20 -o Acquire::Retries=1

# Where Chromium cannot be had, the tests of pages are skipped, with a word. Its shell without windows takes half the time.
browser: $(VENV)/.dev chromium
	$(PIP) --editable ".[browser]"

chromium:
	@for program in chromium-headless-shell chromium chromium-browser google-chrome; do command -v $$program >/dev/null && exit; done; \
	[ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get $(PATIENCE) update -qq && \
	for package in chromium-headless-shell chromium; do \
		DEBIAN_FRONTEND=noninteractive apt-get $(PATIENCE) install -qq -y --no-install-recommends $$package >/dev/null && exit; \
	done; \
	echo "no Chromium: install it with your system's packages, or set CHROMIUM to its program"

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

docs: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "open build/site/index.html"

check: lint test browser test-slow

# A stamp says what is installed. Touching pyproject.toml or the constraints installs again.
$(VENV)/.python:
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.train: $(VENV)/.python pyproject.toml constraints.txt
	@echo "installing bridge-env with Ray into $(VENV) (once)"
	$(PIP) --editable ".[ray]"
	@$(BYTECODE)
	touch $@

$(VENV)/.dev: $(VENV)/.python pyproject.toml constraints.txt
	@echo "installing bridge-env with Ray and the tools for developers into $(VENV) (once)"
	$(PIP) --editable ".[dev]"
	@$(BYTECODE)
	touch $@ $(VENV)/.train

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
