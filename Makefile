# One word a chore; `make` prints what there is.
.DEFAULT_GOAL := help
.PHONY: help install engine images sandbox sandbox-image service-image sandbox-venv compose compose-down manifest-tools page page-or-say demo demo-repair up test lint stubs lock docs bench clean

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PAGE := gateway/web/out/index.html
PROBLEM ?= Optimise hospital shift scheduling
export PATH := $(CURDIR)/$(BIN):$(PATH)

help: ## what there is
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

install: $(STAMP) ## the virtual environment, with everything pinned
$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Gymwright needs Python 3.11 or newer; set PYTHON" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --editable .
	@touch $@

page: $(PAGE) ## the web page, which the gateway serves
$(PAGE): $(shell find gateway/web -type d \( -name node_modules -o -name .next -o -name out \) -prune -o -type f ! -name next-env.d.ts ! -name '*.tsbuildinfo' -print)
	@PYTHON=$(PYTHON) gateway/web/build.sh

page-or-say:
	@$(MAKE) --no-print-directory page || echo "The web page could not be built; everything else works without it."

engine: ## a Docker engine on this machine (Debian, as root)
	deploy/docker/engine.sh

images: sandbox-image service-image ## both images; BASE_IMAGE names another base

sandbox-image: ## the image of the boxes
	PYTHON=$(PYTHON) deploy/docker/build.sh

service-image: page-or-say ## the image of the six services
	PYTHON=$(PYTHON) deploy/docker/service.sh

sandbox-venv: ## the boxes' libraries for the local driver, where there is no Docker
	PYTHON=$(PYTHON) deploy/docker/sandbox-venv.sh

sandbox: ## boxes: the image where a Docker engine answers, else the local ones
	@if timeout 10 docker info >/dev/null 2>&1; then $(MAKE) --no-print-directory sandbox-image; else $(MAKE) --no-print-directory sandbox-venv; fi

demo: install sandbox ## one run from a sentence to a report, with all six services
	$(BIN)/gymwright run --local "$(PROBLEM)"

demo-repair: ## the same with prepared faulty drafts, to see the repair loop
	@echo "The drafts of this run are prepared (examples/repair), with faults put in on purpose; no model wrote them."
	@$(MAKE) --no-print-directory install sandbox
	@$(BIN)/gymwright run --local --script examples/repair "$(PROBLEM)"

up: install sandbox page-or-say ## all six services and the web page on loopback, until Ctrl-C
	$(BIN)/gymwright up

compose: images ## all six services in containers, until make compose-down
	deploy/compose.sh up

compose-down: ## stop them; what they made stays in Docker's volumes
	deploy/compose.sh down

manifest-tools: ## kubectl and the checkers of deploy/k8s, beside our own environment
	PYTHON=$(PYTHON) deploy/k8s/tools.sh

test: install lint page sandbox-venv manifest-tools ## everything CI runs
	@if timeout 10 docker info >/dev/null 2>&1; then $(MAKE) --no-print-directory images; fi
	$(BIN)/python -m pytest $(PYTEST)
	$(BIN)/python -m pip install --quiet --upgrade --target .cache/pytest --constraint requirements.lock \
		pytest pytest-asyncio pytest-timeout hypothesis
	PYTHONPATH=.cache/pytest .sandbox-venv/bin/python -m pytest tests/inside

lint: install ## ruff, mypy --strict, the walls, the protos and their stubs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	cd proto && $(CURDIR)/$(BIN)/buf lint
	$(BIN)/python proto/stubs.py --check

stubs: install ## generate gymwright/v1 from proto/
	$(BIN)/python proto/stubs.py

lock: ## pin again what pyproject.toml asks for (needs uv)
	uv pip compile pyproject.toml --all-extras --python-version 3.11 --no-header --no-annotate --upgrade -o requirements.lock
	uv pip compile pyproject.toml --extra services --python-version 3.11 --no-header --no-annotate \
		--constraint requirements.lock -o deploy/docker/service.lock

bench: install sandbox ## the short forms of all measurements
	@for bench in box check faults mutants verdicts training quality settings; do echo "== $$bench"; $(BIN)/python -m benchmarks.$$bench --short || exit 1; done

clean: ## what was built or downloaded here, except runs/
	rm -rf $(VENV) .sandbox-venv .cache .mypy_cache .ruff_cache .pytest_cache build dist gateway/web/node_modules gateway/web/.next gateway/web/out *.egg-info
