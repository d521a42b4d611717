PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
FULL := $(VENV)/.full
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
# One process per core, each with one thread: more only wait for one another. A file stays in one
# process, which starts its browser or cluster and compiles its loops once; processes that tests
# start find the modules compiled.
TESTS := PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 OMP_NUM_THREADS=1 \
	$(BIN)/python -m pytest -q -n auto --dist loadfile

.DEFAULT_GOAL := demo
.PHONY: help demo test test-all coverage check docs bench extras wheel clean

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## */\t/' | expand -t 12

demo: $(READY)  ## fit a real table and show what comes out
	$(BIN)/python examples/demo.py

test: $(FULL)  ## the tests, doctests included
	$(TESTS) $(ARGS)

test-all: $(FULL)  ## the same, with every setting and more examples of each law
	SUFFICE_EXHAUSTIVE=1 $(TESTS) $(ARGS)

coverage: $(FULL)  ## the tests, and which lines none of them reaches; takes half as long again
	$(TESTS) --cov --cov-report=term:skip-covered $(ARGS)

check: $(FULL)  ## lint, types, import contract
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@if command -v tsc >/dev/null; then tsc -p src/suffice/web/assets; fi

docs: $(FULL)  ## the site, in docs/_build/html; every example runs
	$(BIN)/sphinx-build -W --keep-going -q -j auto docs docs/_build/html

bench: $(READY)  ## against scikit-learn and the machine's own limits, in one run
	$(PIP) -e ".[bench]"
	$(BIN)/python benchmarks/run.py $(ARGS)

extras: $(FULL)  ## JupyterLab, Spark and PyTorch, so that their tests run too
	$(PIP) -e ".[jupyter]"
	$(PIP) -e ".[spark,torch]"

wheel: $(FULL)  ## the package, in dist/
	$(BIN)/python -m build --no-isolation --wheel

clean:  ## remove what the other commands made
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) -e ".[files,plot,cli,demo]"
	touch $(READY)

$(FULL): $(READY)
	$(PIP) -e ".[files,plot,cli,test,check,docs]"
	touch $(FULL)
