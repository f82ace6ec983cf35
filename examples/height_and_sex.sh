#!/usr/bin/env bash
# Is a person of 172 cm a woman or a man? Bayes' rule with a Gaussian for each sex. Every command is
# shown before it runs. Pictures and files land in height-and-sex/.
#
#   examples/height_and_sex.sh [path of the craton command]
set -euo pipefail

craton=$(realpath -m "${1:-$(dirname "$0")/../build/release/cli/craton}")
[ -x "$craton" ] || craton=$(command -v craton)
craton() { "$craton" "$@"; }
data=$(realpath "$(dirname "$0")/data/people.csv")
run() {
  printf '\n$ %s\n\n' "$*"
  eval "$@"
}

mkdir -p height-and-sex
cd height-and-sex
cp "$data" .
run head -4 people.csv

printf '\n# Height alone: two Gaussians, each times the share of its sex; where they cross, the odds are even.\n'
run craton fit gaussian-nb people.csv --target sex --features height_cm -o height.craton --plot height.svg
printf 'height_cm\n160\n168\n172\n180\n' > new.csv
run craton predict height.craton new.csv --proba

printf '\n# Height and weight; who was not weighed is judged by height.\n'
run craton fit gaussian-nb people.csv --target sex -o both.craton --quiet --plot both.svg
run craton score both.craton people.csv

printf '\n# One variance for both sexes: the border is a straight line.\n'
run craton fit gaussian-nb people.csv --target sex --variance shared -o line.craton --quiet --plot line.svg
run craton score line.craton people.csv

echo
echo "Look at height-and-sex/height.svg and both.svg in a browser."
