#!/usr/bin/env bash
# Does a person earn more than 50 000 dollars a year? The raw adult data of the UCI repository: no
# header, words and numbers together, ? for what is not known. Every command is shown before it runs.
#
#   examples/adult.sh FOLDER [path of the craton command]     FOLDER has adult-train.csv, adult-test.csv
set -euo pipefail

folder=$(realpath "${1:?give the folder of adult-train.csv and adult-test.csv}")
craton=$(realpath -m "${2:-$(dirname "$0")/../build/release/cli/craton}")
[ -x "$craton" ] || craton=$(command -v craton)
craton() { "$craton" "$@"; }
run() {
  printf '\n$ %s\n\n' "$*"
  eval "$@"
}

mkdir -p adult
cd adult
run craton fit nb "$folder/adult-train.csv" --target 15 -o adult.craton
printf '\n# The labels of adult-test end in a dot.\n'
run "sed 's/\.\$//' '$folder/adult-test.csv' > test.csv"
run craton score adult.craton test.csv
printf '\n# Why are the first five what they are?\n'
run "craton predict adult.craton test.csv --explain 3 | sed -n 1,6p"
printf '\n# The same labels, with probabilities that can be trusted.\n'
run craton fit nb "$folder/adult-train.csv" --target 15 --calibrate leave-one-out -o honest.craton --quiet
run craton score honest.craton test.csv
