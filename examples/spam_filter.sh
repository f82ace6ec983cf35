#!/usr/bin/env bash
# A spam filter: from messages to labels, with the words that decide. Every command is shown before it
# runs. Files land in spam-filter/.
#
#   examples/spam_filter.sh [path of the craton command]
set -euo pipefail

craton=$(realpath -m "${1:-$(dirname "$0")/../build/release/cli/craton}")
[ -x "$craton" ] || craton=$(command -v craton)
craton() { "$craton" "$@"; }
data=$(realpath "$(dirname "$0")/data/mail.csv")
run() {
  printf '\n$ %s\n\n' "$*"
  eval "$@"
}

mkdir -p spam-filter
cd spam-filter
cp "$data" .

printf '\n# Learn from messages that somebody has sorted.\n'
run craton fit multinomial-nb mail.csv --target label -o spam.craton --plot words.svg

printf '\n# How often is it right? Every fold learns its own words.\n'
run craton cv multinomial-nb mail.csv --target label --folds 5

printf '\n# Two new messages: what are they, and why?\n'
run "printf 'body\nDear customer: you have won a watch. Reply 0906\nThe cake for Monday is in the folder\n' > new.csv"
run craton predict spam.craton new.csv --explain 3

printf '\n# Are pairs of words, or presence instead of counts, worth it?\n'
run craton compare multinomial-nb bernoulli-nb complement-nb mail.csv --target label
run craton cv multinomial-nb mail.csv --target label --grid ngram_max=1,2 --grid alpha=0.1,1

printf '\n# It learns on, with words that it has never seen.\n'
run "printf 'label,body\nspam,Cryptocurrency doubles your money overnight\n' > more.csv"
run craton learn spam.craton more.csv -o more.craton --quiet
run "printf 'body\ncryptocurrency money\n' | craton predict more.craton - --explain 2"
