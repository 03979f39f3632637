# The two commands of the README: `make run` and `make test`. They need Python 3.11 or newer, pip and make.

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check --no-input
PYTEST_ARGS ?= --numprocesses auto --maxprocesses 4

# A stamp is named for what it was installed from, so that pip runs again when a lock changes and only then.
key = $(shell cat $(1) | cksum | tr -s ' \t' '-')
RUN_STAMP := $(VENV)/.run-$(call key,requirements/base.txt pyproject.toml)
DEV_STAMP := $(VENV)/.dev-$(call key,requirements/dev.txt pyproject.toml)
BENCH_VENV := var/bench-venv
BENCH_STAMP := $(BENCH_VENV)/.bench-$(call key,requirements/bench.txt)
LOCK_VENV := $(VENV)/lock

.DEFAULT_GOAL := help
.PHONY: help run test check fix browser lock bench clean

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*##  */  make \1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 16

run: $(RUN_STAMP)  ## web server, worker and demo round on this machine; PORT=8100 chooses the port
	@$(PY) -m tastebench_site.serve --demo

test: $(DEV_STAMP) browser  ## all tests, on SQLite; PYTEST_ARGS="tests/gold -x" chooses
	@$(PY) -m pytest $(PYTEST_ARGS)

check: $(DEV_STAMP)  ## lint, format, types, layers, templates, migrations
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check
	TB_VAR_DIR=$(VENV)/check $(VENV)/bin/mypy .
	$(VENV)/bin/lint-imports
	$(VENV)/bin/djlint templates --lint --quiet
	TB_VAR_DIR=$(VENV)/check $(PY) manage.py check --fail-level WARNING
	TB_VAR_DIR=$(VENV)/check $(PY) manage.py makemigrations --check --dry-run

fix: $(DEV_STAMP)  ## format Python, mend what the linter can
	$(VENV)/bin/ruff check --fix
	$(VENV)/bin/ruff format

browser: $(DEV_STAMP)  ## make sure that a headless Chromium is there for the tests
	@$(PY) -m tests.chromium

lock:  ## renew requirements/*.txt from requirements/*.in
	$(call checked_python)
	@test -x $(LOCK_VENV)/bin/uv || { $(PYTHON) -m venv $(LOCK_VENV) && $(LOCK_VENV)/bin/pip install --quiet uv; }
	@for name in base dev bench; do \
		constraint=$$([ $$name = base ] || echo "--constraint requirements/base.txt"); \
		$(LOCK_VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --upgrade \
			--no-emit-index-url --no-emit-find-links --no-header $$constraint \
			requirements/$$name.in --output-file requirements/$$name.txt || exit 1; \
	done

bench: $(BENCH_STAMP)  ## print speed and memory beside peers; BENCH_ARGS="--pairs 100000" for less
	@for name in gold_throughput score_throughput; do \
		$(BENCH_VENV)/bin/python -m benchmarks.$$name $(BENCH_ARGS) || exit 1; \
	done

clean:  ## remove the virtual environment and caches; var/ stays
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

define checked_python
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	echo "TasteBench needs Python 3.11 or newer; '$(PYTHON)' is `$(PYTHON) --version 2>&1`."; \
	echo "Name another one: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
endef

$(PY):
	$(call checked_python)
	@echo "Making $(VENV) …"
	@$(PYTHON) -m venv $(VENV)

$(RUN_STAMP): | $(PY)
	@echo "Installing what TasteBench runs on …"
	@$(PIP) install --quiet --require-hashes -r requirements/base.txt
	@$(PIP) install --quiet --no-deps --no-build-isolation -e .
	@rm -f $(VENV)/.run-* && touch $@

$(DEV_STAMP): | $(PY)
	@echo "Installing what checks and tests need …"
	@$(PIP) install --quiet --require-hashes -r requirements/dev.txt
	@$(PIP) install --quiet --no-deps --no-build-isolation -e .
	@rm -f $(VENV)/.dev-* && touch $@

# The peers are not needed to run or test the product, so they live apart.
$(BENCH_STAMP):
	$(call checked_python)
	@$(PYTHON) -m venv $(BENCH_VENV)
	@$(BENCH_VENV)/bin/pip install --quiet --require-hashes -r requirements/bench.txt
	@rm -f $(BENCH_VENV)/.bench-* && touch $@
