#!/usr/bin/env bash
# A user's view: install the build into an empty prefix, build examples/cpp against it, with CMake
# and by pkg-config, and run them.
#   install_test.sh BUILD_DIR SOURCE_DIR
set -euo pipefail
build=$1 source=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix

cmake --install "$build" --prefix "$prefix" >/dev/null
test -f "$prefix/include/craton/base/version.h"
if [ -e "$build/cli/craton" ]; then
  "$prefix/bin/craton" --version
  for file in man/man1/craton.1 bash-completion/completions/craton zsh/site-functions/_craton \
    fish/vendor_completions.d/craton.fish; do test -s "$prefix/share/$file"; done
fi

# A copy, so that nothing but the prefix can be found.
cp -r "$source/examples/cpp" "$scratch/example"
cp "$source/tests/models/0.1.0/gmm-full.craton" "$scratch/gmm.craton"
cmake -S "$scratch/example" -B "$scratch/build" -G Ninja --log-level=WARNING \
  -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release
grep -q "^craton_DIR:PATH=$prefix/" "$scratch/build/CMakeCache.txt"
cmake --build "$scratch/build"
cd "$scratch"
./build/example
./build/own_em
./build/embed gmm.craton 4 3.5 | tee by_cmake

pc=$(dirname "$(find "$prefix" -name craton.pc)")
flags=$(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs craton)
grep -q -- "-I$prefix/include" <<<"$flags"
c++ -std=c++20 -O1 example/embed.cc -o embed $flags
./embed gmm.craton 4 3.5 | diff by_cmake -
