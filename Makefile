# Faultbook: `make run` serves the catalog, `make test` proves it. Every target installs what it needs first.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-builtin-rules --no-print-directory
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
DATA := $(if $(KB_DATA_DIR),$(KB_DATA_DIR),var)
PORT ?= 8000
# Processes that share one test run; each has its own database and directories.
JOBS ?= 2
PYTEST := env -u DJANGO_SETTINGS_MODULE $(BIN)/python -m pytest
# What collectstatic depends on: our own files, and the installed packages that bring some.
STATIC := $(shell find static -type f 2>/dev/null) requirements.lock

.PHONY: help install install-dev lock static run wheel check format messages test soak pictures bench accuracy lighthouse

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "make %-12s %s\n", $$1, $$2 }'

# --- environment ---------------------------------------------------------------------------------------------------

$(BIN)/python:
	tests/tools/make-venv $(VENV)

$(VENV)/.dependencies: requirements.lock | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	touch $@

$(VENV)/.package: pyproject.toml $(VENV)/.dependencies
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	touch $@

$(VENV)/.development: requirements-dev.lock $(VENV)/.package
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	touch $@

install: $(VENV)/.package ## a virtual environment with the pinned dependencies and the program faultbook
install-dev: $(VENV)/.development ## the same with the tools for tests

lock: $(BIN)/python ## choose the newest allowed versions and write both lock files
	tests/tools/lock $(BIN)/python

# --- run -----------------------------------------------------------------------------------------------------------

$(DATA)/.static-collected: $(STATIC) $(VENV)/.package
	$(BIN)/faultbook collectstatic --no-input --verbosity 0
	mkdir -p $(DATA)
	touch $@

static: $(DATA)/.static-collected ## hashed and compressed static files

run: install static ## the catalog with the datasets seed, starter and harvest on http://127.0.0.1:$PORT/ (8000)
	@$(BIN)/faultbook migrate --verbosity 0
	@$(BIN)/faultbook import_dataset fixtures/datasets/seed/seed-record.json --dataset seed
	@$(BIN)/faultbook import_dataset fixtures/datasets/starter --dataset starter
# What was harvested is an addition: without it the catalog serves all the same.
	@$(BIN)/faultbook harvest faultbook --with-dependencies --stdlib --import --confirm \
		|| echo 'The harvest failed; the catalog serves without it. It is tried again by the next make run.' >&2
	@exec $(BIN)/faultbook serve --bind 127.0.0.1:$(PORT)

wheel: $(BIN)/python ## the package for other machines, in dist/
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .

# --- proof ---------------------------------------------------------------------------------------------------------

check: install-dev ## linters, types, import contracts, migrations, templates
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	tests/tools/check-django $(BIN)
	tests/tools/check-templates $(BIN)

format: install-dev ## rewrite Python and templates in the one style
	$(BIN)/ruff check --fix-only --exit-zero .
	$(BIN)/ruff format .
	git ls-files -- 'templates/*.html' | xargs --no-run-if-empty $(BIN)/djade --target-version 5.2

messages: install-dev ## bring the catalogs of messages up to date; LANGUAGE=de begins one
	$(BIN)/python -m tests.tools.messages $(LANGUAGE)

# The suite runs whole on SQLite, after everything that touches the database has run on PostgreSQL.
test: check ## everything: checks, then the tests on PostgreSQL and on SQLite
	tests/tools/ensure-programs
	tests/tools/with-postgres $(PYTEST) -n $(JOBS) --database-only
	$(PYTEST) -n $(JOBS)

soak: install-dev ## the tests with the full counts; takes hours
	tests/tools/ensure-programs
	KB_SOAK=1 tests/tools/with-postgres $(PYTEST) --database-only
	KB_SOAK=1 $(PYTEST)

pictures: install-dev ## the pages in every window, looked over and kept in var/pictures/; takes an hour
	KB_SOAK=1 $(PYTEST) tests/look

bench: install-dev ## measure; BENCH="--records 200000" for other sizes
	tests/tools/with-postgres $(BIN)/python -m benchmarks $(BENCH)

accuracy: install-dev ## how often the right record comes first; downloads 573 MB of wheels once
	$(BIN)/python -m benchmarks.accuracy $(ACCURACY)

lighthouse: install-dev ## scores of four pages, median of five; downloads 275 MB of npm packages once
	$(BIN)/python -m benchmarks.lighthouse
