# make demo | test | docs | lint | bench | bench-all | experiments | oldest | interop | drill | sanitize: each works alone in a fresh clone; the first one
# creates .venv and builds the package.
PYTHON ?= python3
WERROR ?= ON
DATA ?= $(or $(STREED_DATA),../shared/data)

VENV := .venv
PEERS := .venv-peers
OLDEST := .venv-oldest
SITE := .venv-docs
INTEROP := .venv-interop
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
SOURCES := $(shell find core bindings src -type f -not -name '*.pyc' -not -name '*.so' 2>/dev/null) CMakeLists.txt pyproject.toml
CXX_SOURCES := $(shell find core bindings tests/core -name '*.[ch]pp')
CHECKED := src tests examples $(wildcard benchmarks experiments docs/*.py)
GALLERY := $(wildcard docs/gallery docs/notebooks)

.PHONY: demo test docs lint bench bench-all experiments oldest interop drill sanitize clean

demo: $(or $(wildcard $(VENV)/.installed),$(VENV)/.demo)
	$(BIN)/python examples/demo.py

# In two processes, each with tests that follow one another; the one that ends first takes over what the other one has left.
WORKERS ?= 2

test: lint
	@echo "Running the driver of the core"
	@$$(find build -path 'build/sanitize*' -prune -o -name streed_driver -print | head -1) > build/driver.log || { tail -1 build/driver.log; exit 1; }
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

# What is checked is kept in build/cppcheck, so that only changed files are read again. The kernels are checked once, as the widest
# instruction set includes them. Suppressed: members of plain structs, vectors
# that depend on one another in a constructor, and bytes read as numbers in kernels.
CPPCHECK := --quiet --std=c++20 --language=c++ -I core --enable=warning,performance,portability --inline-suppr \
    --suppress=uninitMemberVarNoCtor --suppress=invalidPointerCast --suppress=useInitializationList \
    --suppress=missingIncludeSystem \
    $(foreach folder,core core/priced core/thresholds,-i$(folder)/kernels/baseline.cpp -i$(folder)/kernels/avx2.cpp -i$(folder)/kernels/avx512bw.cpp) \
    --cppcheck-build-dir=build/cppcheck -j2 --error-exitcode=1

lint: $(VENV)/.installed
	$(BIN)/ruff check $(CHECKED) $(GALLERY)
	$(BIN)/ruff format --check $(CHECKED) $(GALLERY)
	$(BIN)/mypy $(CHECKED)
	@$(BIN)/clang-format --dry-run -Werror $(CXX_SOURCES)
	mkdir -p build/cppcheck
	$(BIN)/cppcheck $(CPPCHECK) core bindings tests/core

bench: $(VENV)/.installed $(PEERS)/.installed
	$(BIN)/python -m benchmarks accuracy --data $(DATA) --peer-python $(PEERS)/bin/python

# Every study in quick form, compared with the last run that was kept; KEEP=1 keeps this one.
bench-all: $(VENV)/.installed
	$(BIN)/python -m benchmarks all --data $(DATA) $(if $(KEEP),--keep)

# The paper's studies; FULL=1 for the whole of them, which takes hours.
experiments: $(VENV)/.installed $(PEERS)/.installed
	$(BIN)/python -m experiments all $(if $(FULL),,--quick) --data $(DATA) --peer-python $(PEERS)/bin/python

# The documentation site, in build/site; warnings of Sphinx are errors. The programs of the gallery run.
docs:
	test -x $(SITE)/bin/python || $(PYTHON) -m venv $(SITE)
	$(SITE)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(SITE)/bin/python -m pip install --quiet --disable-pip-version-check '.[docs]'
	$(SITE)/bin/python -m sphinx -W --keep-going -b html docs build/site
	@echo "Open build/site/site/index.html"

# The oldest versions that pyproject.toml allows, in an environment of their own, with libraries of their time.
oldest:
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet 'scikit-learn==1.6.0' 'numpy==1.26.0' 'pandas==2.1.0' \
	    'polars==1.0.0' 'matplotlib==3.8.0' 'scipy<1.12' 'pyparsing<3.2' 'pytest>=8.2,<9' hypothesis .
	$(OLDEST)/bin/python -m pytest tests/unit tests/estimators

# Tools that read trees of scikit-learn, and notebooks, that are too heavy for `make test`; dtreeviz needs Graphviz (`dot`).
interop:
	$(PYTHON) -m venv $(INTEROP)
	$(INTEROP)/bin/python -m pip install --quiet dtreeviz hypothesis ipykernel nbconvert supertree treelite 'pytest>=8.2' '.[onnx,pandas,plot]' shap
	STREED_INTEROP=1 $(INTEROP)/bin/python -m pytest tests/interop

# What happens to solves on a cluster whose workers, schedulers and clients are stopped and killed, three times, with the times
# that are asked for: for an idle machine.
drill: $(VENV)/.installed
	for run in 1 2 3; do STREED_DRILL=1 $(BIN)/python -m pytest -q -s tests/distributed || exit 1; done

# The core under the sanitizers of GCC or Clang. Threads: a driver without Python, three times, since a race or a wait for ever may need
# luck; one instruction set is enough, as all of them share the same. Addresses and undefined behaviour, with the library's own assertions: the same driver, then the unit tests and properties that
# call the engine, on a copy of the package with the checked module. Every finding ends it. Takes long.
SANITIZED := build/sanitize-address
CHECKED_TESTS ?= tests/properties tests/unit/test_core_fuzz.py tests/unit/test_engines_fuzz.py tests/unit/test_front_fuzz.py \
    tests/unit/test_fast_paths.py tests/unit/test_native.py tests/unit/test_recount.py tests/unit/test_route.py tests/unit/test_matrix.py \
    tests/unit/test_front_trees.py tests/unit/test_worst_leaf.py tests/unit/test_early_end.py tests/unit/test_tasks.py \
    tests/unit/test_threshold_columns.py tests/unit/test_node_targets.py tests/unit/test_tuning.py tests/estimators/test_cuts.py \
    tests/estimators/test_numbers.py
SANITIZERS = $(shell $(CXX) -print-file-name=libasan.so):$(shell $(CXX) -print-file-name=libubsan.so)

sanitize: $(VENV)/.installed
	PATH="$(abspath $(BIN)):$$PATH" cmake -S . -B build/sanitize-thread -G Ninja -DSTREED_PYTHON=OFF -DSTREED_TESTS=ON \
	    -DSTREED_WERROR=$(WERROR) -DSTREED_SANITIZE=thread -DSTREED_COMPILER_AVX2=OFF \
	    -DSTREED_COMPILER_AVX512BW=OFF -DSTREED_COMPILER_AVX512=OFF
	PATH="$(abspath $(BIN)):$$PATH" cmake --build build/sanitize-thread
	for run in 1 2 3; do TSAN_OPTIONS=halt_on_error=1 timeout 900 build/sanitize-thread/streed_driver || exit 1; done
	PATH="$(abspath $(BIN)):$$PATH" cmake -S . -B $(SANITIZED) -G Ninja -DSTREED_PYTHON=ON -DSTREED_TESTS=ON \
	    -DSTREED_WERROR=$(WERROR) -DSTREED_SANITIZE=address,undefined -DPython_EXECUTABLE=$(abspath $(BIN)/python)
	PATH="$(abspath $(BIN)):$$PATH" cmake --build $(SANITIZED)
	timeout 900 $(SANITIZED)/streed_driver
	rm -rf $(SANITIZED)/package && mkdir -p $(SANITIZED)/package && cp -r src/streed $(SANITIZED)/package/
	cp $(SANITIZED)/_core*.so $(SANITIZED)/package/streed/
	LD_PRELOAD=$(SANITIZERS) ASAN_OPTIONS=detect_leaks=0:halt_on_error=1 PYTHONPATH=$(SANITIZED)/package \
	    $(BIN)/python -m pytest -q -p no:cacheprovider $(CHECKED_TESTS)

clean:
	rm -rf $(VENV) $(SITE) $(PEERS) $(OLDEST) $(INTEROP) build

# Built without isolation, so that build/ is kept and a second build compiles only what has changed. What pip and the compiler say is in
# build/install.log; steps and compiled files are shown line by line (awk of Debian would wait for a full buffer).
INSTALL = mkdir -p build && PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m pip install --verbose --disable-pip-version-check \
    --no-build-isolation --config-settings=cmake.define.
SHOWN = 2>&1 | tee build/install.log | grep --line-buffered -oE \
    '^ *(\[[0-9]+/[0-9]+\]|(Downloading|Collecting|Installing|Building|Successfully) ).{0,90}|.*: error:.*|^ERROR.*' || \
    { echo "Not installed; build/install.log says why"; exit 1; }

$(VENV)/.demo $(VENV)/.installed: SHELL := /bin/bash
$(VENV)/.demo $(VENV)/.installed: .SHELLFLAGS := -o pipefail -c

# The demo needs the kernels of this machine only; those of other instruction sets, and the baseline with -O3, follow with .installed.
$(VENV)/.demo: $(VENV)/.tools $(SOURCES)
	@echo "Building streed (a few minutes of one core) and installing what the demo needs"
	@$(INSTALL)STREED_ALL_LEVELS=OFF '.[plot,pandas]' $(SHOWN)
	@touch $@

$(VENV)/.installed: $(VENV)/.tools $(SOURCES)
	@echo "Building streed (a few minutes of one core) and installing what developers need"
	@$(INSTALL)STREED_WERROR=$(WERROR) --config-settings=cmake.define.STREED_TESTS=ON '.[dev]' $(SHOWN)
	@touch $@

$(VENV)/.tools:
	@echo "Creating $(VENV) with the tools that build"
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade pip
	$(PIP) scikit-build-core nanobind cmake ninja
	touch $@

# Other packages, for comparison, in an environment of their own. The benchmark leaves out those that cannot be installed.
$(PEERS)/.installed:
	$(PYTHON) -m venv $(PEERS)
	for peer in pystreed pydl8.5 gosdt highspy pycontree imodels six numba; do \
	    $(PEERS)/bin/python -m pip install --quiet $$peer || echo "$$peer cannot be installed here"; done
	touch $@
