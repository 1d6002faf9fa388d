# `make run` opens the application, `make test` passes the tests; both set up what they need first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
# A file is one process's; in the order of collection, where no file that takes long comes last.
SIDE_BY_SIDE := -n auto --dist loadfile --no-loadscope-reorder
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help install run demo check test golden exact browser eval bench wheel format clean chromium

help:  ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-9s %s\n", $$1, $$2}'

install: $(READY)  ## make the environment in .venv: 2.8 or 6.0 GB, which of them it says before it starts

$(READY): pyproject.toml constraints.txt .ci/install.py
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "gear_app needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Try: make $(MAKECMDGOALS) PYTHON=python3.12")'
	@echo "[1/4] making the environment in $(VENV)"
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/python .ci/install.py

demo: install  ## make the demo workspace, if there is none
	@echo "making sure that the demo collections are there (about a minute the first time)"
	@$(BIN)/gear-app demo

run: demo  ## open the application with the demo collections ready
	@$(BIN)/gear-app serve $(ARGS)

check: install  ## formatting, lint, types, and who may import whom
	@echo "checking format, lint, types and imports"
	@$(BIN)/ruff format --check --quiet gear_app tests app.py .ci
	@$(BIN)/ruff check --quiet gear_app tests app.py .ci
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-cache | tail -n 3

test: install chromium  ## all tests, the browser's and the real models' included
	@echo "running all tests (about twenty minutes on two cores)"
	@$(BIN)/python -m pytest -q $(SIDE_BY_SIDE) $(ARGS)

GOLDEN := tests/test_golden.py tests/test_golden_screens.py tests/browser/test_golden_screens.py tests/lessons/test_truth.py
golden: install chromium  ## write the golden traces and what screens say of them anew; review the difference like code
	@GEAR_GOLDEN=write $(BIN)/python -m pytest -q $(GOLDEN)

exact: install  ## compare every what-if with the run made so: all settings, all demo questions
	@GEAR_WHAT_IF=all $(BIN)/python -m pytest -q -n auto -k single_stop tests/runs/test_what_if_settings.py

browser: install chromium  ## only the tests in a real browser; pictures go to tests/screenshots
	@$(BIN)/python -m pytest -q $(SIDE_BY_SIDE) -m browser $(ARGS)

eval: install  ## measure the methods on the shared question sets; resumable; writes docs/results
	@$(BIN)/python -m tests.bench.results $(ARGS)

bench: install  ## measure the promised speeds and print tables
	@for file in tests/bench/bench_*.py; do echo "$$file"; $(BIN)/python $$file || exit 1; done

wheel: install  ## build the wheel, and install it into empty environments with pip, uv and pipx: half an hour, 7 GB each
	@GEAR_WHEEL=install $(BIN)/python -m pytest -q tests/test_wheel.py $(ARGS)

format: install  ## format the code
	@$(BIN)/ruff format --quiet gear_app tests app.py .ci
	@$(BIN)/ruff check --quiet --fix gear_app tests app.py .ci

chromium: install
	@$(BIN)/python tests/browser/chromium.py

clean:  ## remove the environment and everything that was generated
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist tests/screenshots tests/cluster/target
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
