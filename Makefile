# make demo | test | lint | bench | experiments | oldest: each works alone in a fresh clone; the first one creates .venv and builds the package.
PYTHON ?= python3
WERROR ?= ON
DATA ?= $(or $(STREED_DATA),../shared/data)

VENV := .venv
PEERS := .venv-peers
OLDEST := .venv-oldest
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
SOURCES := $(shell find core bindings src -type f -not -name '*.pyc' -not -name '*.so' 2>/dev/null) CMakeLists.txt pyproject.toml
CHECKED := src tests examples $(wildcard benchmarks experiments docs/*.py)

.PHONY: demo test lint bench experiments oldest clean

demo: $(VENV)/.installed
	$(BIN)/python examples/demo.py

test: lint
	$(BIN)/python -m pytest

lint: $(VENV)/.installed
	$(BIN)/ruff check $(CHECKED)
	$(BIN)/ruff format --check $(CHECKED)
	$(BIN)/mypy $(CHECKED)

bench: $(VENV)/.installed $(PEERS)/.installed
	$(BIN)/python -m benchmarks accuracy --data $(DATA) --peer-python $(PEERS)/bin/python

# The paper's studies; FULL=1 for the whole of them, which takes hours.
experiments: $(VENV)/.installed $(PEERS)/.installed
	$(BIN)/python -m experiments all $(if $(FULL),,--quick) --data $(DATA) --peer-python $(PEERS)/bin/python

# The oldest versions that pyproject.toml allows, in an environment of their own, with libraries of their time.
oldest:
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet 'scikit-learn==1.6.0' 'numpy==1.26.0' 'pandas==2.1.0' \
	    'polars==1.0.0' 'matplotlib==3.8.0' 'scipy<1.12' 'pyparsing<3.2' 'pytest>=8.2,<9' hypothesis .
	$(OLDEST)/bin/python -m pytest tests/unit tests/estimators

clean:
	rm -rf $(VENV) $(PEERS) $(OLDEST) build

# Built without isolation, so that build/ is kept and a second build compiles only what has changed.
$(VENV)/.installed: $(VENV)/.tools $(SOURCES)
	PATH="$(abspath $(BIN)):$$PATH" $(PIP) --no-build-isolation \
	    --config-settings=cmake.define.STREED_WERROR=$(WERROR) '.[dev]'
	touch $@

$(VENV)/.tools:
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade pip
	$(PIP) scikit-build-core nanobind cmake ninja
	touch $@

# Other packages, for comparison, in an environment of their own. The benchmark leaves out those that cannot be installed.
$(PEERS)/.installed:
	$(PYTHON) -m venv $(PEERS)
	for peer in pystreed pydl8.5 gosdt highspy; do \
	    $(PEERS)/bin/python -m pip install --quiet $$peer || echo "$$peer cannot be installed here"; done
	touch $@
