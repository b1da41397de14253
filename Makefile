# The commands of the project. `make setup` prepares a machine, everything else sets up by itself first.

PYTHON ?= $(shell sh .ci/python)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Where everything is installed, its parts are too.
DEMO_READY := $(if $(wildcard $(READY)),$(READY),$(VENV)/.ready-demo)
DOCS_READY := $(if $(wildcard $(READY)),$(READY),$(VENV)/.ready-docs)
TYPINGS := .typings/.ready
PYTEST := $(BIN)/python -m pytest
# Tests start hundreds of processes: what they import is compiled once.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup conformance gallery demo test tests checks quick test-objects lint types bench fuzz generate check wheel clean

help:
	@echo "make setup      virtual environment with everything, engine; the other commands set up what they need by themselves"
	@echo "make demo       sample logs -> Spark -> Parquet, quarantine and a first look"
	@echo "make test       everything that CI runs: drift, lint, types, tests with and without the engine, wheel"
	@echo "make quick      units, vectors and one read through Spark, in about a minute"
	@echo "make thorough   all tests, also those marked thorough, with ten times the examples"
	@echo "make bench      speed as ratios against peers and bounds; writes bench-report/"
	@echo "make fuzz       fuzzing of the engine and the Python surfaces; FUZZ_SECONDS=60; writes fuzz-report/"
	@echo "make campaign   damaged inputs of every format, DAMAGES=100000 of each; writes campaign-report/"
	@echo "make kills      appenders of a log, KILLS=400 of them killed; what they acknowledged has to be there;"
	@echo "                a quarter as many ingests: every record is once in table or quarantine"
	@echo "make cluster    jobs on a standalone cluster of Spark on this machine, packed in each way"
	@echo "make conformance  Kaitai's test suite, a checkout that KAITAI_TESTS names; rewrites its scores"
	@echo "make gallery    Kaitai's formats, a checkout that KAITAI_FORMATS names: their score, and which types can be rows"
	@echo "make docs       the documentation as a site, in site/; fails for links that lead nowhere"
	@echo "make generate   specs/ -> generated/"
	@echo "make studio-test  the studio's page in headless Chromium"
	@echo "make cookbook-test  the recipes of the cookbook, beside the packages of their formats"
	@echo "make test-lowest  with the lowest versions of the dependencies;  make lock  pins those that CI installs"
	@echo "make test-free-threaded  the engine in a Python without the global lock;  FREE_THREADED=python3.14t"
	@echo "make same       compares the working tree with the revision BASE=HEAD: what is generated and read, and speeds"
	@echo "make check      fails where generated/ differs from specs/"

setup: $(READY)

# New discovery packages of Spark need a new editable install, so they are prerequisites too.
INSTALLED := pyproject.toml setup.py $(wildcard runtime/engine/*.c runtime/engine/*.h runtime/engine/*.def generated/*/pyspark_*/__init__.py runtime/spark/live/pyspark_*/__init__.py) .ci/setup

$(READY): GROUP := test
$(VENV)/.ready-demo: GROUP := demo
$(VENV)/.ready-docs: GROUP := docs
$(READY) $(VENV)/.ready-demo $(VENV)/.ready-docs: $(INSTALLED) .ci/requirements.lock
	@PYTHON="$(PYTHON)" VENV="$(VENV)" GROUP="$(GROUP)" sh .ci/setup
	@touch $@

demo: $(DEMO_READY)
	@$(BIN)/python -m wireloom.demo

# All at once: tests that wait for Java and for servers leave the processors to the checks.
test: setup $(TYPINGS)
	@sh .ci/check-java
	@$(MAKE) --no-print-directory --jobs 2 tests checks

# Some tests run the type checker, with what it has cached.
tests: types
	$(PYTEST) -n 2 --dist loadgroup tests

# Each prints what it has to say at its end; those that fail soon are first.
checks: setup
	@$(MAKE) --no-print-directory --output-sync lint check docs studio-test wheel test-objects

# Fewer examples of each property, and one read through Spark.
quick: setup
	@WIRELOOM_HYPOTHESIS=quick $(PYTEST) -n 2 --dist loadgroup -q -m "not slow" tests/cases tests/unit tests/vectors \
		tests/spark/live/test_spark.py::test_times_are_instants

# All tests, those marked `thorough` too, with ten times the examples of `make test`.
.PHONY: thorough
thorough: setup
	WIRELOOM_HYPOTHESIS=thorough $(PYTEST) -n 2 --dist loadgroup tests
	@WIRELOOM_HYPOTHESIS=thorough $(MAKE) --no-print-directory test-objects QUICK_ONES=

# What reads and writes, once more on the object parser alone, as on a machine where the engine could not be built. The
# campaigns read everything with both readers in any case.
READS_AND_WRITES := $(addprefix tests/unit/,append command inspecting kinesis kpl messages objects reading s2 writing) tests/cases tests/vectors \
	$(patsubst %,tests/limits/test_%.py,boundaries claims codec_claims computed computed_integers cut_off \
	grown_lists holes memory ranges)
# What reads nothing, or depends on no reader: specs, processes, storage, types, and what never asks whether the engine is
# there. What compares the readers has compared them already, as most tests with the files of peers: here it would compare
# one with itself.
READS_NOTHING := $(patsubst %,--ignore=tests/unit/command/test_%.py,specs processes extras overwriting interrupt ingest \
	sentences terminal_text text) \
	--ignore=tests/unit/inspecting/test_agreement.py \
	$(patsubst %,--ignore=tests/unit/reading/test_%.py,any_storage codecs credentials object_store paths registry storage) \
	$(patsubst %,--ignore=tests/unit/s2/test_%.py,commands compression examples frames json live messages requests sse) \
	$(patsubst %,--ignore=tests/unit/objects/test_%.py,depth expressions following framing nested_writes reading \
	series_sized streams stuffing) \
	$(patsubst %,--ignore=tests/unit/messages/test_%.py,decoders_agree engine_columns engine_decoder framing json_text \
	objects_fields objects_reading objects_writing rare_values repeating) \
	-k "not type_checker and not both_readers_agree and not partitions_of_one_task and not (test_peers and not written)"
# Slow tests read with the object parser in `make thorough` only.
QUICK_ONES := -m "not slow"
test-objects: setup
	WIRELOOM_ENGINE=objects $(PYTEST) -n 2 --dist loadgroup $(QUICK_ONES) $(READS_NOTHING) $(READS_AND_WRITES)

# The studio's page, driven in the Chromium of this machine. Where there is none, this says so.
.PHONY: studio-test
studio-test: setup
	@PYTHON="$(BIN)/python" VENV="$(VENV)" LAYER="$(VENV)-studio" EXTRA="studio browser" sh .ci/studio

# The recipes of the cookbook, compared with the packages of their formats.
.PHONY: cookbook-test
cookbook-test: setup
	@VENV="$(VENV)" LAYER="$(VENV)-cookbook" EXTRA=cookbook sh .ci/layer
	@$(VENV)-cookbook/bin/python -m pytest -q -rs tests/docs/test_cookbook_peers.py

# The documentation as a site, in site/.
.PHONY: docs
docs: $(DOCS_READY) $(TYPINGS)
	@PYTHON="$(BIN)/python" sh .ci/docs

# What the type checkers and the documentation import: links to the entries of runtime/, whose time changes with them.
$(TYPINGS): .ci/typings runtime
	@sh .ci/typings
	@touch $@

lint: setup $(TYPINGS)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@PYTHONPATH=.typings $(BIN)/lint-imports --no-cache --no-logo

types: setup $(TYPINGS)
	@$(BIN)/mypy

generate: setup
	@$(BIN)/wireloom generate

check: setup
	@$(BIN)/wireloom generate --check

# What a change of structure must leave as it is: generated files, what is read, speeds; compared with the revision BASE.
.PHONY: same
BASE ?= HEAD
same: setup $(TYPINGS)
	@$(BIN)/python -m tests.same --base $(BASE)

wheel: setup
	@PYTHON="$(BIN)/python" sh .ci/wheel

conformance: setup
	@$(BIN)/python -m tests.conformance

gallery: setup
	@$(BIN)/python -m tests.conformance.gallery

# The peers want other versions of what the tests need, so they get an environment of their own on top of $(VENV). One
# that cannot be installed is reported as absent.
bench: setup
	-@VENV="$(VENV)" LAYER="$(VENV)-bench" EXTRA=bench sh .ci/layer
	@$(VENV)-bench/bin/python -m tests.bench $(BENCH)

# Without atheris the Python surfaces are reported as absent.
FUZZ_SECONDS ?= 60
fuzz: setup
	-@VENV="$(VENV)" LAYER="$(VENV)-fuzz" EXTRA=fuzz sh .ci/layer
	@FUZZ_SECONDS=$(FUZZ_SECONDS) $(VENV)-fuzz/bin/python -m tests.fuzz

clean:
	rm -rf $(VENV) $(VENV)-bench $(VENV)-fuzz $(VENV)-studio $(VENV)-cookbook build dist bench-report demo-data fuzz-report campaign-report site .typings *.egg-info

# Fifty per format are part of `make test`; this is for the night.
DAMAGES ?= 100000
.PHONY: campaign
campaign: setup
	@$(BIN)/python -m tests.campaigns --damages $(DAMAGES)

# A few are part of `make test`.
KILLS ?= 400
.PHONY: kills
kills: setup
	@$(BIN)/python -m tests.kills --kills $(KILLS)
	@$(BIN)/python -m tests.kills.ingests --kills $$(( ($(KILLS) + 3) / 4 ))
	@$(BIN)/python -m tests.kills.streams --kills $$(( ($(KILLS) + 3) / 4 ))
	@$(BIN)/python -m tests.kills.streams --writers 3 --kills $$(( ($(KILLS) + 3) / 4 ))
	@$(BIN)/python -m tests.kills.streams --servers --writers 2 --kills $$(( ($(KILLS) + 39) / 40 ))
	@$(BIN)/python -m tests.kills.streams --spark --kills $$(( ($(KILLS) + 39) / 40 ))
	@$(BIN)/python -m tests.kills.streams --spark --writers 4 --kills $$(( ($(KILLS) + 39) / 40 ))

# Jobs on a cluster of Spark, packed in each way of docs/spark.md; `make thorough` runs one of them.
.PHONY: cluster
cluster: setup
	@WIRELOOM_HYPOTHESIS=thorough WIRELOOM_CLUSTER=all $(PYTEST) tests/spark/test_cluster.py

# The lowest versions of the runtime dependencies that pyproject.toml allows.
.PHONY: test-lowest
test-lowest: setup
	@PYTHON="$(BIN)/python" sh .ci/lowest

# Needs a free-threaded Python, such as python3.14t.
FREE_THREADED ?= python3.14t
.PHONY: test-free-threaded
test-free-threaded:
	@PYTHON="$(FREE_THREADED)" sh .ci/free-threaded

# The versions that CI installs; UPGRADE=1 takes the newest of all.
.PHONY: lock
lock: setup
	@PYTHON="$(BIN)/python" VENV="$(VENV)" UPGRADE="$(UPGRADE)" sh .ci/lock
