# Every target sets up .venv by itself; nothing but Python 3.11 or newer needs to be there.
PYTHON ?= python3
BIN := .venv/bin
# each process takes half of the tests in order, so that a file's tests share what they set up, and helps when it is done
PYTEST := -m pytest -n 2 --dist worksteal

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-cpus test-seeds test-python test-oldest coverage lint docs bench bench-smoke papers dist clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 14

demo: .venv/ready-run ## recover the map of Europe from answers alone; leaves demo/map.png
	$(BIN)/ordinate demo

# each of the two processes has one core: further threads of BLAS and OpenMP would wait for it in a loop
test test-python test-oldest: export OPENBLAS_NUM_THREADS ?= 1
test test-python test-oldest: export OMP_NUM_THREADS ?= 1
# tests start many processes, which begin sooner where Python keeps what it has parsed
test test-python test-oldest: export PYTHONDONTWRITEBYTECODE :=

test: .venv/ready-test ## run the tests and the examples in the docstrings; OPTIONS="-k soe" are those of pytest
	$(BIN)/python $(PYTEST) $(OPTIONS)

test-cpus: .venv/ready-test ## run the tests of the rooms with solvers as five kinds of processor would
	$(BIN)/python tests/processors.py

# left out: engine, whose workers are processes of their own that draw the usual numbers; docs and benchmarks, which draw
# none; papers, whose figures are those of fixed seeds
SEEDS ?= 1000 7000 13000
FIXED := engine docs benchmarks papers data
RANDOM := $(filter-out $(addprefix tests/,$(FIXED)),$(patsubst %/,%,$(wildcard tests/*/))) $(wildcard tests/test_*.py)
test-seeds: .venv/ready-test ## run the tests with random data on other data than usual; SEEDS="1 2" shifts the seeds
	@set -e; for shift in $(SEEDS); do echo "== seeds + $$shift"; \
	  ORDINATE_TEST_SEEDS=$$shift $(BIN)/python $(PYTEST) -m 'not usual_data' $(RANDOM); done

# Python notices an index outside of its array, and coverage sees which lines run
COMPILED = $(shell grep -rl 'import njit' src/ordinate | sed -E 's,src/ordinate/(.*)/_?(.*)\.py,tests/\1/test_\2.py,')
test-python: .venv/ready-test ## run the tests of compiled functions with Python in place of Numba
	NUMBA_DISABLE_JIT=1 $(BIN)/python $(PYTEST) -m 'not compiled' -W 'ignore:overflow:RuntimeWarning' $(OPTIONS) \
	  $(COMPILED) tests/*/test_objective.py

coverage: ## say which lines no test runs; takes twice as long as the tests
	$(MAKE) test OPTIONS="--cov --cov-report= --cov-fail-under=0"
	$(MAKE) test-python OPTIONS="--cov --cov-append --cov-report=term:skip-covered"

# the scripts of papers and benchmarks are not part of the package, and are for whoever has the newest versions;
# old versions warn of what newer ones do; old processors add to what is tested, and nothing to the time
test-oldest: .venv-oldest/ready ## run the package's with the oldest versions that pyproject.toml allows, as on an old processor
	.venv-oldest/bin/python tests/processors.py haswell $(PYTEST) -W default::DeprecationWarning \
	  --ignore tests/papers --ignore tests/benchmarks

lint: .venv/ready-lint ## check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: .venv/ready-docs ## build docs/_build/html; a warning is an error
	@rm -rf docs/api/generated  # pages of names that are gone would stay
	$(BIN)/python -m sphinx -E -W --keep-going -q -b html docs docs/_build/html

bench: .venv/ready-run ## run every benchmark
	@set -e; for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python "$$script"; done

papers: .venv/ready-papers ## list the experiments of the papers, with what they cost
	@$(BIN)/python -m papers.run

bench-smoke: .venv/ready-run ## a minute before a release: ratios to peers, which may not be worse than the last release's
	$(BIN)/python benchmarks/smoke.py

dist: .venv/ready-dist ## build the wheel and the source archive, and check them
	rm -rf dist
	$(BIN)/python -m build --quiet
	$(BIN)/python -m twine check --strict dist/*

clean: ## remove what the other targets left, except .venv and .venv-oldest
	rm -rf demo dist docs/_build docs/auto_examples docs/auto_pages docs/api/generated docs/sg_execution_times.rst
	rm -rf .coverage* .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find src tests docs examples -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamp of each set of dependencies is younger than pyproject.toml once they are installed.
.venv/ready-run: EXTRA :=
.venv/ready-test: EXTRA := [test]
.venv/ready-papers: EXTRA := [papers]
.venv/ready-lint: EXTRA := [lint]
.venv/ready-docs: EXTRA := [docs]
.venv/ready-dist: EXTRA := [dist]
.venv/ready-%: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".$(EXTRA)"
	@touch $@

.venv-oldest/ready: pyproject.toml .ci/oldest.py | .venv-oldest/bin/python
	.venv-oldest/bin/python .ci/oldest.py > .venv-oldest/constraints.txt
	.venv-oldest/bin/python -m pip install --quiet --disable-pip-version-check --prefer-binary \
	  --constraint .venv-oldest/constraints.txt --editable ".[test]"
	@touch $@

.venv/bin/python .venv-oldest/bin/python: %/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Ordinate needs Python 3.11 or newer; try: make PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $*
