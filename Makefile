# Two commands for a fresh machine that has Python 3.11+ and make:
#   make study   set up, run the main job, print the report's path last
#   make test    set up, run every check and test
# Slow ones: make reproduce (the papers' tables), make bench (against peers).

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check
CORES  := $(shell $(PYTHON) -c "import os; print(os.cpu_count() or 1)")

.PHONY: study test check bench reproduce clean

study: $(VENV)/.study
	@$(BIN)/rubricate study --report build/report

test: check
	@$(BIN)/python -m pytest -q -n $(CORES) --dist loadfile

check: $(VENV)/.dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache

bench: $(VENV)/.bench
	@$(BIN)/python -m benchmarks

# The last output is committed: the cells as JSON, and the page that shows them.
PAPERS := yang-liu-1999 joachims-2000 sun-lim-2001 yang-1999
REPRODUCTIONS := docs/reproductions

reproduce: $(VENV)/.dev
	@for paper in $(PAPERS); do \
	  echo "$$paper …" >&2; \
	  $(BIN)/rubricate reproduce $$paper --json --figures $(REPRODUCTIONS)/$$paper > $(REPRODUCTIONS)/$$paper.new && \
	  mv $(REPRODUCTIONS)/$$paper.new $(REPRODUCTIONS)/$$paper.json && \
	  $(BIN)/rubricate reproduce $$paper --from $(REPRODUCTIONS)/$$paper.json --figures $(REPRODUCTIONS)/$$paper --markdown > $(REPRODUCTIONS)/$$paper.md || exit 1; \
	done

$(VENV)/bin/python:
	@$(PYTHON) -c "import sys; sys.exit('Rubricate needs Python 3.11 or newer; this is ' + sys.version.split()[0] + '. Try: make PYTHON=python3.12 …') if sys.version_info < (3, 11) else None"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.study: $(VENV)/bin/python pyproject.toml constraints.txt
	@$(PIP) install --quiet --constraint constraints.txt --editable ".[report,frames]"
	@touch $@

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml constraints.txt
	@$(PIP) install --quiet --constraint constraints.txt --editable ".[dev]"
	@touch $@ $(VENV)/.study

$(VENV)/.bench: $(VENV)/bin/python pyproject.toml constraints.txt
	@$(PIP) install --quiet --constraint constraints.txt --editable ".[bench]"
	@touch $@ $(VENV)/.dev $(VENV)/.study

clean:
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
