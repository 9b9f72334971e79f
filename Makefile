# Each target makes the environment it needs, in .venv; nothing is installed by hand, and a second run is quick.

# The first interpreter on the PATH that is of a version we run on; PYTHON=... chooses another.
SUITABLE := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))
PYTHON ?= $(firstword $(foreach name,python3 python3.13 python3.12 python3.11,\
            $(shell $(name) -c '$(SUITABLE)' 2>/dev/null && echo $(name))))

VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help install demo test lint format clean

help:
	@echo "make demo    index a bundled sample history, serve it and ask it a few questions"
	@echo "make test    run all tests"
	@echo "make lint    check style, types and the direction of imports"
	@echo "make format  let the formatter have its way"
	@echo "make clean   remove the environment and everything that tools left behind"

install: $(INSTALLED)

$(INSTALLED): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "relore needs Python 3.11, 3.12 or 3.13 on the PATH." >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	@# uv resolves and installs in seconds what takes pip a minute, and pip does where there is no uv to be had.
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt uv || true
	if [ -x $(BIN)/uv ]; then \
	  $(BIN)/uv pip install --quiet --python $(BIN)/python -c constraints.txt -b constraints.txt -e '.[dev]'; \
	else \
	  PIP_CONSTRAINT=constraints.txt $(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]'; \
	fi
	@touch $(INSTALLED)

demo: $(INSTALLED)
	$(BIN)/relored demo

test: $(INSTALLED)
	$(BIN)/python -m pytest

lint: $(INSTALLED)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports
	$(BIN)/pyright --pythonpath $(BIN)/python

format: $(INSTALLED)
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
