# breakfix: play, test, prove, lint, census, pictures, bench, wheelhouse. Each target sets up what it needs. Written for GNU make 3.81, which is
# the one that macOS ships. Variables: PYTHON=an interpreter, ARGS=arguments for breakfix, pytest or the bench.

VENV := .venv
BIN := $(VENV)/bin
ARGS :=

# A stamp is newer than the files that decide what is installed, so that a second run starts at once. An environment
# that was moved here with its folder, or whose Python has gone, is made anew.
PLAY_READY := $(VENV)/.ready-play
TEST_READY := $(VENV)/.ready-test
SETUP := pyproject.toml constraints.txt .ci/environment
ifneq ($(shell test -x $(BIN)/python && cat $(VENV)/.place),$(CURDIR))
SETUP += moved
endif

.PHONY: play test prove lint census pictures bench wheelhouse constraints clean moved help

play: $(PLAY_READY)
	@$(BIN)/breakfix $(ARGS)

test: $(TEST_READY)
	$(BIN)/python -m pytest -n auto --dist loadgroup $(ARGS)

# Every packaged scenario over all of its seeds; `make test` takes a tenth of them.
prove: $(TEST_READY)
	BREAKFIX_LONG=1 $(BIN)/python -m pytest -n auto --dist loadgroup tests/scenarios/test_library.py -k proved $(ARGS)

lint: $(TEST_READY)
	$(BIN)/ruff check .
	$(BIN)/mypy --strict
	$(BIN)/lint-imports

# docs/census.md: which looks each fault changes.
census: $(TEST_READY)
	$(BIN)/python -m tests.census

# docs/pictures: what the README shows, taken of the real program.
pictures: $(TEST_READY)
	$(BIN)/python -m tests.pictures

bench: $(TEST_READY)
	$(BIN)/python -m tests.bench.bench $(ARGS)

# Everything that a machine of this kind without a network needs, whichever Python from 3.11 to 3.14 it has. For
# another kind of machine: make wheelhouse ARGS="--platform manylinux_2_28_aarch64 --platform manylinux2014_aarch64"
wheelhouse: $(PLAY_READY)
	rm -rf build/lib dist/wheelhouse
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist/wheelhouse .
	for version in 3.11 3.12 3.13 3.14; do \
	    $(BIN)/python -m pip download --quiet --only-binary=:all: --python-version $$version $(ARGS) \
	        --constraint constraints.txt --dest dist/wheelhouse dist/wheelhouse/breakfix-*.whl || exit 1; \
	done
	@echo 'In this folder: python3 -m venv ~/breakfix && ~/breakfix/bin/pip install --no-index --find-links . breakfix && ~/breakfix/bin/breakfix' > dist/wheelhouse/README
	@echo "dist/wheelhouse is ready: `ls dist/wheelhouse/*.whl | wc -l` wheels. Copy the folder; its README holds the line to run there."

# After a change of a pin in pyproject.toml: resolve everything anew in an empty environment and write it down.
constraints:
	rm -rf build/constraints && mkdir -p build
	python3 -m venv build/constraints
	build/constraints/bin/python -m pip install --quiet --editable '.[test]'
	{ sed -n '/^#/p' constraints.txt; \
	  build/constraints/bin/python -m pip freeze --all --exclude-editable --exclude pip; } > build/constraints.txt
	mv build/constraints.txt constraints.txt

clean:
	rm -rf $(VENV) build dist *.egg-info .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

help:
	@echo 'make play | test | prove | lint | census | pictures | bench | wheelhouse | constraints | clean'

$(PLAY_READY): $(SETUP)
	@VENV=$(VENV) sh .ci/environment
	@touch $@

$(TEST_READY): $(SETUP)
	@VENV=$(VENV) sh .ci/environment test
	@touch $@ $(PLAY_READY)

moved:
