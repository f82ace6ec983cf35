#!/usr/bin/env bash
# Where does one class end and the next begin? Gaussians with one covariance make straight borders,
# with their own curved ones. Every command is shown before it runs. Files land in discriminant/.
#
#   examples/discriminant.sh [path of the craton command]
set -euo pipefail

craton=$(realpath -m "${1:-$(dirname "$0")/../build/release/cli/craton}")
[ -x "$craton" ] || craton=$(command -v craton)
craton() { "$craton" "$@"; }
data=$(realpath "$(dirname "$0")/data/people.csv")
run() {
  printf '\n$ %s\n\n' "$*"
  eval "$@"
}

mkdir -p discriminant
cd discriminant
cp "$data" .

printf '\n# Height alone: the height at which the odds are even, in closed form.\n'
run craton fit linear-discriminant people.csv --target sex --features height_cm -o height.craton --quiet --plot height.svg
run craton describe height.craton --boundary
run craton fit quadratic-discriminant people.csv --target sex --features height_cm -o own.craton --quiet
run craton describe own.craton --boundary

printf '\n# Height and weight: a line with one covariance, a conic with two.\n'
run craton fit linear-discriminant people.csv --target sex --missing skip -o line.craton --plot line.svg
run craton fit quadratic-discriminant people.csv --target sex --missing skip -o conic.craton --quiet --plot conic.svg
run craton describe conic.craton --boundary

printf '\n# Are two covariances worth their parameters?\n'
run craton select quadratic-discriminant people.csv --target sex --missing skip --covariance-type full,diag,spherical
