PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test check bench wheel clean

demo: $(READY)  ## fit a real table and show what comes out
	$(BIN)/python examples/demo.py

test: $(READY)  ## all tests, doctests included
	$(BIN)/python -m pytest -q -n auto --cov --cov-report=term:skip-covered $(ARGS)

check: $(READY)  ## lint, types, import contract
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)  ## against scikit-learn and the machine's own limits, in one run
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[bench]"
	$(BIN)/python benchmarks/run.py $(ARGS)

wheel: $(READY)
	$(BIN)/python -m build --no-isolation --wheel

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[files,plot,cli,test,check]"
	touch $(READY)
