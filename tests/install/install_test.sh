#!/usr/bin/env bash
# A user's view: install the build into an empty prefix, build examples/cpp against it, run it.
#   install_test.sh BUILD_DIR SOURCE_DIR
set -euo pipefail
build=$1 source=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix

cmake --install "$build" --prefix "$prefix" >/dev/null
test -f "$prefix/include/craton/core/version.h"
if [ -e "$build/cli/craton" ]; then "$prefix/bin/craton" --version; fi

# A copy, so that nothing but the prefix can be found.
cp -r "$source/examples/cpp" "$scratch/example"
cmake -S "$scratch/example" -B "$scratch/build" -G Ninja --log-level=WARNING \
  -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release
grep -q "^craton_DIR:PATH=$prefix/" "$scratch/build/CMakeCache.txt"
cmake --build "$scratch/build"
cd "$scratch" && ./build/example && ./build/own_em
