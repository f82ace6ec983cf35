#!/usr/bin/env python3
"""Runs the golden tests: text files that show a command and what it answers.

    tests/golden/run.py build/release/cli/craton             all of them
    tests/golden/run.py build/release/cli/craton fit_gmm     those whose name contains the word
    tests/golden/run.py build/release/cli/craton --update    rewrite the answers of those that fail

Every *.test runs in a folder of its own, which holds the CSV files of examples/data. In it

    # text         is a comment
    file NAME      makes a file of the lines that follow, each behind "| "
    $ COMMAND      runs a line of bash
    > TEXT         is a line expected on stdout
    ! TEXT         is a line expected on stderr
    ? NUMBER       is the exit code expected, 0 if not given
    not sanitizer  leaves the rest out when the command was built with a sanitizer

"..." in a line stands for any text, and a line of nothing else for any number of lines.
"""
import argparse
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent.parent / "examples" / "data"
SECONDS = 60  # a command that takes longer has hung


class Step:
    """A command with the answer expected, and where that answer lies in the file."""

    def __init__(self, command, line):
        self.command, self.line, self.end = command, line, line
        self.answer = {">": [], "!": []}
        self.code = 0


def parse(path):
    """The files to make and the steps to run, in order: (name, lines) or Step."""
    parts = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        kind, _, rest = line.partition(" ")
        if kind == "file":
            parts.append((rest, []))
        elif kind == "|":
            parts[-1][1].append(rest)
        elif kind == "$":
            parts.append(Step(rest, number))
        elif kind in (">", "!"):
            parts[-1].answer[kind].append(rest)
            parts[-1].end = number
        elif kind == "?":
            parts[-1].code = int(rest)
            parts[-1].end = number
        elif line == "not sanitizer":
            parts.append(None)
        elif line and kind != "#":
            sys.exit(f"{path}:{number}: cannot read this line: {line}")
    return parts


def pattern(lines):
    text = ""
    for line in lines:
        if line == "...":
            text += r"(?:.*\n)*?"
        else:
            text += ".*".join(re.escape(part) for part in line.split("...")) + r"\n"
    return re.compile(text)


def run(step, folder, environment):
    done = subprocess.run(["bash", "-c", step.command], cwd=folder, env=environment, timeout=SECONDS,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    return {">": done.stdout, "!": done.stderr}, done.returncode


def differences(step, answer, code):
    problems = []
    if code != step.code:
        problems.append(f"exit code {code}, expected {step.code}")
    for kind, name in ((">", "stdout"), ("!", "stderr")):
        text = answer[kind] if answer[kind].endswith("\n") or not answer[kind] else answer[kind] + "\n"
        if not pattern(step.answer[kind]).fullmatch(text):
            problems += list(difflib.unified_diff(step.answer[kind], text.splitlines(),
                                                  f"expected {name}", name, lineterm=""))
    return problems


def rewritten(step, answer, code):
    """The step with the answer given; digits that another processor may change become "..."."""
    lines = [f"$ {step.command}"]
    for kind in (">", "!"):
        for line in answer[kind].splitlines():
            line = re.sub(r"(\d\.\d{6})\d{5,}", r"\1...", line)
            line = re.sub(r"\b[0-9a-f]{32}\b", "...", line)
            lines.append(f"{kind} {line}".rstrip())
    return lines + ([f"? {code}"] if code else [])


def check(path, arguments):
    """Runs one file; returns what went wrong, as text."""
    environment = dict(os.environ, LC_ALL="C.UTF-8",
                       PATH=f"{arguments.craton.resolve().parent}:{os.environ['PATH']}")
    report, source = [], path.read_text().splitlines()
    with tempfile.TemporaryDirectory() as folder:
        for data in DATA.glob("*.csv"):
            shutil.copy(data, folder)
        changes = []
        for part in parse(path):
            if part is None:
                if arguments.sanitizer:
                    break
            elif isinstance(part, tuple):
                pathlib.Path(folder, part[0]).write_text("".join(line + "\n" for line in part[1]))
            else:
                answer, code = run(part, folder, environment)
                problems = differences(part, answer, code)
                if problems:
                    report += [f"{path.name}:{part.line}: $ {part.command}", *problems, ""]
                    changes.append((part, rewritten(part, answer, code)))
    if arguments.update and changes:
        for step, lines in reversed(changes):
            source[step.line - 1:step.end] = lines
        path.write_text("\n".join(source) + "\n")
    return "\n".join(report)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("craton", type=pathlib.Path)
    parser.add_argument("word", nargs="?", default="")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--sanitizer", action="store_true")
    arguments = parser.parse_args()
    paths = [path for path in sorted(HERE.glob("*.test")) if arguments.word in path.name]
    failed = [report for report in (check(path, arguments) for path in paths) if report]
    print("\n".join(failed) + f"{len(paths) - len(failed)} of {len(paths)} golden files passed")
    sys.exit(bool(failed) or not paths)


if __name__ == "__main__":
    main()
