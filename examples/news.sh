#!/usr/bin/env bash
# News in folders: a classifier that sorts them, and clusters that are found without labels. Every
# command is shown before it runs. Files land in news-desk/.
#
#   examples/news.sh [path of the craton command]
set -euo pipefail

craton=$(realpath -m "${1:-$(dirname "$0")/../build/release/cli/craton}")
[ -x "$craton" ] || craton=$(command -v craton)
craton() { "$craton" "$@"; }
here=$(realpath "$(dirname "$0")")
run() {
  printf '\n$ %s\n\n' "$*"
  eval "$@"
}

mkdir -p news-desk
cd news-desk
run "python3 $here/data/make_news.py news"
run "ls news; cat news/sport/001.txt"

printf '\n# A file is a document, and its folder is the label.\n'
run craton fit complement-nb news --target label --stop-words english --stemmer english -o desk.craton
run craton plot desk.craton --picture words -o words.svg
run craton cv complement-nb news --target label --stop-words english --stemmer english

printf '\n# Which desk is this for?\n'
run "printf 'The keeper saved a penalty in the last minute\n' | craton predict desk.craton - --from lines --explain 3"

printf '\n# The counts themselves, for other programs.\n'
run craton vectorize news -o counts.mtx --stop-words english --min-df 2

printf '\n# Without labels: the angles between TF-IDF rows tell documents apart.\n'
run craton fit kmeans news --n-clusters 4 --metric cosine --n-init 5 --idf smooth --text-norm l2 --stop-words english -o groups.craton --plot groups.svg --quiet
run "craton describe groups.craton --table words"
printf '\n# Do the clusters agree with the folders? The adjusted Rand index is 1 if they do, and 0 by chance.\n'
run craton cv kmeans news --target label --n-clusters 4 --n-init 5 --idf smooth --text-norm l2 --stop-words english --metric ari
