#!/usr/bin/env bash
# A first walk with craton: from a table to a model, its picture, and new rows. Every command is
# shown before it runs, so that you can copy it. Pictures and files land in quickstart/.
#
#   examples/quickstart.sh [path of the craton command]
set -euo pipefail

craton=$(realpath -m "${1:-$(dirname "$0")/../build/release/cli/craton}")
cd "$(dirname "$0")/.."
if [ ! -x "$craton" ]; then craton=$(command -v craton) || {
  echo "quickstart: there is no craton command; build it first: make build" >&2
  exit 1
}; fi
craton() { "$craton" "$@"; }

say() { printf '\n\033[1m# %s\033[0m\n' "$*"; }
run() {
  printf '$ %s\n\n' "$*"
  eval "$@"
}
if [ ! -t 1 ] || [ -n "${NO_COLOR-}" ]; then say() { printf '\n# %s\n' "$*"; }; fi

mkdir -p quickstart
data=examples/data/islands.csv

say "1. The data: wing and tail of 400 birds from some islands. How many colonies are there?"
run head -4 $data

say "2. Fit mixtures of 1 to 8 Gaussians. BIC weighs fit against size: the lowest is best."
run craton select gmm $data --n-components 1..8 --plot quickstart/bic.svg

say "3. Four. Fit that model, keep it, and draw it."
run craton fit gmm $data --n-components 4 --n-init 5 -o quickstart/birds.craton --plot quickstart/birds.svg

say "4. The model file has all that is needed to use it later, here or from Python or C++."
run craton describe quickstart/birds.craton

say "5. To which colony does each bird belong, and how sure is that?"
run "craton predict quickstart/birds.craton $data --proba -o quickstart/labels.csv"
run head -4 quickstart/labels.csv

say "6. How well does it fit? On birds that it has not seen, this is the honest number."
run craton score quickstart/birds.craton $data

say "7. A mixture is a density, so new birds can be drawn from it."
run craton sample quickstart/birds.craton -n 4 --seed 7

say "8. The same data by k-means, through a pipe this time."
run "cat $data | craton fit kmeans - --n-clusters 4 --n-init 5 --plot quickstart/kmeans.svg"

say "Look at quickstart/bic.svg, birds.svg and kmeans.svg in a browser."
echo "Next: export PATH=$PWD/build/release/cli:\$PATH"
echo "      craton compare nb linear-discriminant yours.csv --target COLUMN   which model is good?"
echo "      craton models                                                     what there is
      pip install .                                                     the same from Python"
