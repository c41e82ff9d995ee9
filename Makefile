# Two commands do everything on a fresh machine with Python >= 3.11, make and git: `make run`, `make test`.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
NODE_OK := $(shell node -e 'process.exit(+process.versions.node.split(".")[0] >= 20 ? 0 : 1)' 2>/dev/null && echo yes)
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: run test check bench format setup setup-dev node clean

run: setup
	@$(BIN)/numen demo

test: setup-dev node
	@$(BIN)/python -m pytest

check: setup-dev
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench: setup-dev node
	@$(BIN)/python -m tests.bench

format: setup-dev
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

setup: $(VENV)/.runtime

setup-dev: $(VENV)/.dev

$(VENV)/.runtime: requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "Numen needs Python 3.11 or newer, and none was found. Install it, or run: make PYTHON=/path/to/python3"; exit 1; }
	@echo "Setting up in $(VENV) (once; about a minute) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) -r requirements.lock
	@$(PIP) --no-deps -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements-dev.lock
	@$(PIP) -r requirements-dev.lock
	@touch $@

# The independent servers and clients that Numen is tested against run on Node.
node:
ifeq ($(NODE_OK),yes)
	@test tests/node/node_modules/.package-lock.json -nt tests/node/package-lock.json || \
		{ echo "Fetching the Node test servers (once) ..."; npm ci --prefix tests/node --no-audit --no-fund --loglevel=error && touch tests/node/node_modules/.package-lock.json; }
else
	@echo "Node >= 20 was not found: the tests against independent servers will be skipped."
endif

clean:
	@rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
