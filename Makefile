# A fresh machine needs Python 3.11, git and make. Two commands do the rest: `make demo` and `make test`.
.DEFAULT_GOAL := help
.PHONY: help setup demo test test-deep scenarios check format reference bench pins clean

BIN := .venv/bin
PYTEST := $(BIN)/python -m pytest

help: ## List what can be made
	@awk 'BEGIN { FS = ":.*## " } /^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Bring .venv to the pins (PostgreSQL included); returns at once if it is there
	@bash scripts/setup.sh

demo: setup ## Play two support conversations on a fresh database and tell the story
	@$(BIN)/seihon demo

test: setup ## Run every test on SQLite and on PostgreSQL; ARGS="-k deletion" narrows it
	@$(PYTEST) -n 2 $(ARGS)

test-deep: setup ## Run everything with the deep profile of the property tests and the long tests
	@SEIHON_DEEP=1 $(PYTEST) -n 2 --timeout 3600 $(ARGS)

scenarios: setup ## List the reported faults that the suite keeps out, by theme
	@$(PYTEST) -q --scenarios

check: setup ## Formatting, lint, types, import direction
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/pyright
	@$(BIN)/lint-imports --no-logo

format: setup ## Format and fix what can be fixed
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

reference: setup ## Write docs/reference.md from the code
	@$(BIN)/python scripts/reference.py

bench: setup ## Measure speed against the plain drivers, as ratios in one run
	@$(BIN)/python benchmarks/speed.py $(ARGS)
	@$(BIN)/python benchmarks/forgetting.py $(FORGETTING)

pins: setup ## Recompile requirements/ from pyproject.toml; ARGS=--upgrade renews every version
	@bash scripts/pins.sh $(ARGS)

clean: ## Remove .venv and every cache
	@rm -rf .venv .pytest_cache .ruff_cache .import_linter_cache .hypothesis build dist
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
