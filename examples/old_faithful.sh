#!/usr/bin/env bash
# How long does the geyser Old Faithful sleep? Densities of its eruptions with kernels of several
# widths and with bars, and the time to the next one by the rows around. Every command is shown
# before it runs. Pictures and files land in old-faithful/.
#
#   examples/old_faithful.sh [path of the craton command]
set -euo pipefail

craton=$(realpath -m "${1:-$(dirname "$0")/../build/release/cli/craton}")
[ -x "$craton" ] || craton=$(command -v craton)
craton() { "$craton" "$@"; }
data=$(realpath "$(dirname "$0")/data/faithful.csv")
run() {
  printf '\n$ %s\n\n' "$*"
  eval "$@"
}

mkdir -p old-faithful
cd old-faithful
cp "$data" .
run head -4 faithful.csv

printf '\n# Short eruptions and long ones. A rule that takes them for one Gaussian is too wide.\n'
run craton fit kde faithful.csv --features eruptions --bandwidth sj-ste -o kde.craton
run craton plot kde.craton faithful.csv --picture density -o density.svg --quiet
run craton plot kde.craton faithful.csv --picture bandwidths -o bandwidths.svg --quiet

printf '\n# The same as bars.\n'
run craton fit histogram faithful.csv --features eruptions --bins fd -o bars.craton --quiet
run craton describe bars.craton --table cells
run craton plot bars.craton faithful.csv --picture density -o bars.svg --quiet

printf '\n# Both columns at once, with lines that enclose 25 to 95 %% of the rows.\n'
run craton fit kde faithful.csv -o both.craton --quiet
run craton plot both.craton faithful.csv --picture density -o contours.svg --quiet

printf '\n# How long until the next one, after so many minutes?\n'
run craton fit kernel-regression faithful.csv --target waiting --degree 1 -o wait.craton
printf 'eruptions\n2\n3\n4.5\n' > new.csv
run craton predict wait.craton new.csv --diagnose
run craton plot wait.craton faithful.csv -o wait.svg --quiet

echo
echo "Look at old-faithful/density.svg, bandwidths.svg, contours.svg and wait.svg in a browser."
