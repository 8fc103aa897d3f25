# `make demo` and `make test` need Python 3.11 or newer and nothing else; they set up .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed
CONSTRAINTS := constraints.txt
GROUP := dev
PYTEST := $(BIN)/pytest -q -n auto --dist worksteal

# Folders of tests/unit that take seconds, for `make quick`.
QUICK := $(addprefix tests/unit/,base checking expr formalism language linking mechanics numerics system)
# What `make test-lowest` and `make test-pythons` run: all that the core dependencies do for mbx.
PORTABLE := $(QUICK) tests/conformance tests/commands $(addprefix tests/unit/,analyses cli verify) \
	$(addprefix tests/unit/codegen/,native test_html.py test_json.py test_latex.py test_numpy.py)
# Packages that have to be covered, and percentage of lines and branches that their unit tests run.
CORE := expr mechanics numerics formalism
COVERED := 82
EMPTY :=
COMMA := ,
CORE_FILES := $(subst $(EMPTY) $(EMPTY),$(COMMA),$(foreach one,$(CORE),src/mbx/$(one)/*))
PYTHONS ?= python3.11 python3.12 python3.13

.PHONY: demo test quick papers test-all test-lowest test-pythons portable coverage core-coverage \
	fuzz mutants lint types layers \
	unit spec bench schema tables clean
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

# the inner loop, within a minute
quick: lint types layers
	$(PYTEST) $(QUICK)

# what `make test` leaves out and takes no more than some seconds each; tests/tiers.py
papers: $(INSTALLED)
	$(PYTEST) -m '(papers or full) and not slow'

test-all: lint types layers spec
	$(PYTEST) -m ''

test-lowest:
	$(MAKE) portable VENV=.venv-lowest CONSTRAINTS=constraints-lowest.txt GROUP=portable

test-pythons:
	@set -e; for python in $(PYTHONS); do \
	  $(MAKE) portable PYTHON=$$python VENV=.venv-$$python GROUP=portable; \
	done

portable: $(INSTALLED)
	$(BIN)/python --version
	$(PYTEST) $(PORTABLE)

# Which lines the tests of `make test` do not run; fails where the core is covered less than by
# its own unit tests alone, which is what `make core-coverage` measures.
coverage: $(INSTALLED)
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -q -n auto --dist worksteal
	$(BIN)/coverage combine -q
	$(BIN)/coverage report
	$(BIN)/coverage report --include='$(CORE_FILES)' --fail-under=$(COVERED) --format=total

core-coverage: $(INSTALLED)
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -q -n auto --dist worksteal $(addprefix tests/unit/,$(CORE))
	$(BIN)/coverage combine -q
	$(BIN)/coverage report --include='$(CORE_FILES)' --fail-under=$(COVERED)

fuzz: $(INSTALLED)
	PYTHONPATH=tests $(BIN)/python -m fuzz $(FUZZ)

# which of some single changes of the code the tests do not notice; tests/mutation
mutants: $(INSTALLED)
	PYTHONPATH=tests $(BIN)/python -m mutation $(MUTANTS)

lint: $(INSTALLED)
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(INSTALLED)
	$(BIN)/mypy

layers: $(INSTALLED)
	$(BIN)/lint-imports --no-logo

unit: $(INSTALLED)
	$(PYTEST)

spec: $(INSTALLED)
	$(BIN)/sphinx-build -q -W --keep-going -b html spec spec/_build/html

bench: $(INSTALLED)
	@set -e; for script in benchmarks/bench_*.py; do $(BIN)/python "$$script"; done

schema: $(INSTALLED)
	$(BIN)/python -m mbx.cli.schema_files

tables: $(INSTALLED)
	$(BIN)/python -m mbx.language.text.parse

$(INSTALLED): pyproject.toml $(CONSTRAINTS)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "mbx needs Python 3.11 or newer: make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt --upgrade pip
	$(BIN)/python -m pip install -q --disable-pip-version-check -c $(CONSTRAINTS) --group $(GROUP)
	$(BIN)/python -m pip install -q --disable-pip-version-check -c $(CONSTRAINTS) --no-build-isolation -e .
	@touch $@

clean:
	rm -rf .venv .venv-* build dist spec/_build spec/coverage.md .coverage .hypothesis .mypy_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
