# `make demo` and `make test` need Python 3.11 or newer and nothing else; they set up .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed

.PHONY: demo test test-all fuzz lint types layers unit spec bench schema tables clean
.DELETE_ON_ERROR:

demo: $(INSTALLED)
	$(BIN)/mbx check library/four_bar/model.mb
	@echo
	$(BIN)/mbx convert library/simple_pendulum/model.mb --to lagrange
	@echo
	$(BIN)/mbx convert library/rolling_disc/model.mb --to kane
	@echo
	$(BIN)/mbx forms library/dc_motor/model.mb
	@echo
	$(BIN)/mbx verify library/four_bar/model.mb
	@echo
	@echo 'A model with two mistakes:'
	$(BIN)/mbx check tests/fixtures/demo_error.mb; test $$? -eq 1

test: lint types layers unit spec

test-all: lint types layers spec
	$(BIN)/pytest -q -n auto -m ''

fuzz: $(INSTALLED)
	PYTHONPATH=tests $(BIN)/python -m fuzz $(FUZZ)

lint: $(INSTALLED)
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(INSTALLED)
	$(BIN)/mypy

layers: $(INSTALLED)
	$(BIN)/lint-imports --no-logo

unit: $(INSTALLED)
	$(BIN)/pytest -q -n auto

spec: $(INSTALLED)
	$(BIN)/sphinx-build -q -W --keep-going -b html spec spec/_build/html

bench: $(INSTALLED)
	@set -e; for script in benchmarks/bench_*.py; do $(BIN)/python "$$script"; done

schema: $(INSTALLED)
	$(BIN)/python -m mbx.cli.schema_files

tables: $(INSTALLED)
	$(BIN)/python -m mbx.language.text.tables

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "mbx needs Python 3.11 or newer: make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt --upgrade pip
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt --group dev
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt --no-build-isolation -e .
	@touch $@

clean:
	rm -rf $(VENV) build dist spec/_build spec/coverage.md .coverage .hypothesis .mypy_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
