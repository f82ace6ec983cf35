#!/usr/bin/env bash
# Configuring where no library can be found names every one of them, with its Debian package: those that tools/setup
# installs.
#   missing_test.sh SOURCE_DIR
set -euo pipefail
source=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

if cmake -S "$source" -B "$scratch" -G Ninja -DCRATON_BUILD_TESTS=ON -DCMAKE_IGNORE_PREFIX_PATH='/usr;/' \
  >"$scratch/out" 2>&1; then
  echo "configured without libraries" >&2
  exit 1
fi
grep -q '^ *libhwy was not found: apt-get install libhwy-dev$' "$scratch/out"
grep -o 'was not found: apt-get install .*' "$scratch/out" | sed 's/.* //' | sort >"$scratch/named"
# The headers of Python are asked for with its extension only, which needs nanobind of a .venv.
grep -o '^[a-z0-9-]*-dev\b' "$source/tools/setup" | grep -v python3-dev | sort >"$scratch/installed"
diff "$scratch/named" "$scratch/installed"
