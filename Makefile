# The commands of everyday work; `make` alone lists them.
.DEFAULT_GOAL := help
.PHONY: help quickstart build test test-all browser asan tsan fuzz format check-format check build-times wheel \
        python-generate errors-generate docs-generate sklearn-tests bench-io bench-kmeans bench-gmm bench-nb bench-classes bench-preparation bench-linear bench-text bench-kde bench-predict bench-products bench-scaling clean

TARGET := csv
SECONDS := 300
release := build/release
python := $(CURDIR)/.venv/bin/python
ctest := ctest --output-on-failure --no-tests=error -j$(shell nproc)
configure := cmake --log-level=WARNING --preset
# The extension and the Python sources lie side by side in the build tree.
pytest := env PYTHONPATH=$(CURDIR)/$(release)/python $(python) -m pytest -q
of_package := python/tests tests/docs
of_command := tests/cli tests/model_file tests/bench tests/tools

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

quickstart:  ## set up, build the command, and run examples/quickstart.sh
	@tools/timed start
	@tools/timed set-up tools/setup --build
	@tools/timed configure $(configure) release -DPython_EXECUTABLE=$(python)
	@tools/timed build cmake --build --preset release --target craton_cli
	@tools/timed walk env PATH="$(CURDIR)/$(release)/cli:$$PATH" examples/quickstart.sh
	@tools/timed table

build:  ## the library, the command, the Python extension and the tests, in build/release
	@tools/setup
	@$(configure) release -DPython_EXECUTABLE=$(python)
	@cmake --build --preset release

test:  ## what CI runs: set up, build, C++ and Python tests; says where the time went
	@tools/timed start
	@tools/timed set-up tools/setup
	@tools/timed configure $(configure) release -DPython_EXECUTABLE=$(python)
	@tools/timed build cmake --build --preset release
	@tools/timed 'C++ tests' $(ctest) --test-dir $(release) -LE slow
	@tools/timed 'Python tests' tools/side_by_side "$(pytest) $(of_package) -m 'not slow'" \
	  "$(pytest) $(of_command) -m 'not slow'"
	@tools/timed table

test-all:  ## everything: the checks, slow tests, sanitizers, the wheel
	@$(MAKE) check
	@tools/check_headers --all
	@$(MAKE) test
	@$(ctest) --test-dir $(release) -L slow --no-tests=ignore
	@$(pytest) $(of_package) $(of_command) -m slow || [ $$? = 5 ]  # 5: there are none
	@$(MAKE) browser
	@$(MAKE) asan
	@$(MAKE) tsan
	@$(MAKE) wheel

browser:  ## reports in Chromium: sorting, filtering, printing, no requests, hostile names
	@tools/setup --browser
	@$(pytest) tests/browser

asan:  ## all C++ tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@tools/setup
	@$(configure) asan
	@cmake --build --preset asan
	@$(ctest) --test-dir build/asan -E '^kill_saves$$'  # watches the file from outside: nothing to sanitize

tsan:  ## the parallel primitives under ThreadSanitizer, and a planted race that it must report
	@tools/setup
	@$(configure) tsan -DCRATON_BUILD_CLI=OFF
	@cmake --build --preset tsan --target engine_test planted_race
	@$(ctest) --test-dir build/tsan -L tsan

fuzz:  ## one parser under libFuzzer: make fuzz TARGET=csv SECONDS=300
	@tools/setup --fuzz
	@$(configure) fuzz
	@cmake --build --preset fuzz --target fuzz_$(TARGET)
	@tests/fuzz/run $(TARGET) $(SECONDS)

format:  ## rewrite the C++ files as clang-format wants them
	@tools/check_format --fix

check-format:  ## are they?
	@tools/check_format

check: check-format  ## formatting, layers, types and headers; prints the longest files
	@tools/check_layers
	@tools/check_types
	@tools/check_headers
	@tools/check_sizes

build-times:  ## where the time of the last build went, the longest first
	@tools/build_times

# The compiler and warnings as errors as in the release preset: ccache then has the objects already.
wheel: build  ## the Python package, in dist/
	@CXX=c++ $(python) -m pip wheel -q . --no-build-isolation --no-deps -w dist \
	  --config-settings=cmake.define.CRATON_WERROR=ON
	@ls dist/*.whl

python-generate: build  ## write the Python classes and their types anew from the registry
	@PYTHONPATH=$(CURDIR)/$(release)/python $(python) tools/generate_python.py
	@PYTHONPATH=$(CURDIR)/$(release)/python $(python) tools/generate_stubs.py

errors-generate: build  ## write docs/errors.md anew from the catalogue
	@$(python) tools/generate_errors.py $(release)/cli/craton

docs-generate: errors-generate  ## write the reference pages of docs/ anew
	@PYTHONPATH=$(CURDIR)/$(release)/python $(python) tools/generate_reference.py $(release)/cli/craton
	@$(python) tools/generate_gallery.py $(release)/cli/craton

sklearn-tests: build  ## scikit-learn's own tests with craton in its place: into docs/from-scikit-learn.md
	@PYTHONPATH=$(CURDIR)/$(release)/python $(python) tools/run_sklearn_tests --write-docs

bench-io: build  ## reading CSV: ratios to a bare loop, pandas, polars and DuckDB
	@tools/setup --bench
	@cmake --build --preset release --target bench_io
	@$(python) bench/io/run.py

# DATA is a folder of real tables (bench/README.md); without it those cases are skipped.
bench = PYTHONPATH=$(CURDIR)/$(release)/python $(python) bench/run.py $(if $(DATA),--data $(DATA))

bench-kmeans: build  ## k-means: ratios to its rivals; DATA=FOLDER, BENCH='--threads 1,2'
	@tools/setup --bench
	@$(bench) kmeans $(BENCH)

bench-gmm: build  ## mixtures, likewise
	@tools/setup --bench
	@$(bench) gmm $(BENCH)

bench-nb: build  ## naive Bayes, likewise
	@tools/setup --bench
	@$(bench) nb $(BENCH)

bench-classes: build  ## discriminants and mixtures of any family, likewise; these beside a kernel written by hand too
	@tools/setup --bench
	@cmake --build --preset release --target bench_mixtures
	@$(release)/bench/bench_mixtures
	@$(bench) classes $(BENCH)
	@$(bench) mixtures $(BENCH)

bench-preparation: build  ## missing values filled in and columns scaled, beside a pipeline of steps
	@tools/setup --bench
	@$(bench) preparation $(BENCH)

bench-linear: build  ## linear models, likewise
	@tools/setup --bench
	@$(bench) linear $(BENCH)

bench-text: build  ## texts, likewise, on one thread and on two
	@tools/setup --bench
	@$(bench) text --threads 1,2 $(BENCH)

bench-kde: build  ## kernel density estimates, likewise; errors are found by the bench
	@tools/setup --bench
	@$(bench) kde $(BENCH)

bench-predict: build  ## a single row: from C++, with its allocations, and from Python beside scikit-learn
	@cmake --build --preset release --target bench_predict
	@PYTHONPATH=$(CURDIR)/$(release)/python $(python) bench/predict/run.py $(BENCH)

bench-products: build  ## products and factorisations of matrices: ratios to OpenBLAS and LAPACK
	@cmake --build --preset release --target bench_products
	@$(python) bench/products/run.py $(BENCH)

bench-scaling: build  ## the time of a k-means iteration against rows and clusters
	@cmake --build --preset release --target draw_scaling
	@$(python) bench/scaling.py $(BENCH)

clean:  ## remove what was built (not .venv)
	@rm -rf build dist
