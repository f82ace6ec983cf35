"""Writes docs/errors.md from the catalogue of the built command:

    tools/generate_errors.py build/release/cli/craton

With --check it only says whether the file is up to date.
"""

import json
import subprocess
import sys
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "docs" / "errors.md"

HEADER = """# Errors

Every error of craton has a code that stays the same from version to version. The command line prints it in brackets,
`craton: error [not-finite]: ...`, and exits with the number below; in Python it is `error.code`. `craton explain CODE` says
the same as this page, which `tools/generate_errors.py` makes from craton/base/error_catalogue.cc.

| code | exit code | cause | what to do |
|---|---|---|---|
"""


def page(command):
    answer = subprocess.run([command, "explain", "--json"], check=True, capture_output=True)
    rows = [
        f"| `{e['code']}` | {e['exit_code']} | {e['cause']} | {e['fix']} |\n"
        for e in json.loads(answer.stdout)
    ]
    return HEADER + "".join(rows)


if __name__ == "__main__":
    text = page(sys.argv[1])
    if "--check" not in sys.argv:
        TARGET.write_text(text)
    elif not TARGET.exists() or TARGET.read_text() != text:
        sys.exit("generate_errors: docs/errors.md is not what the catalogue gives; run this again")
