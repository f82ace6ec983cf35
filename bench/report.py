"""What a run of a suite was, as JSON for programs and as Markdown for people."""
import datetime
import os
import pathlib
import platform
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def results(quick):
    """Where results go: those of a smoke test are none."""
    return ROOT / "build/bench-quick" if quick else ROOT / "bench/results"


def conditions():
    """Where and when: figures of other machines and days are other figures."""
    def git(*arguments):
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else None
    models = [line.split(":")[1].strip() for line in open("/proc/cpuinfo") if "model name" in line]
    return dict(
        date=datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        commit=git("rev-parse", "HEAD"), changed=bool(git("status", "--porcelain", "-uno")),
        cpu=models[0] if models else platform.processor(), cores=os.cpu_count(),
        load=os.getloadavg()[0], python=platform.python_version(), system=platform.platform())


def spread(ratio, unit="×"):
    if ratio is None:
        return "too short to tell"
    if ratio["rounds"] == 1:
        return f"{ratio['median']:.2f}{unit} (1 round)"
    return f"{ratio['median']:.2f}{unit} ({ratio['min']:.2f} to {ratio['max']:.2f})"


def verdict(ratio, race=True):
    if ratio is None or not race:
        return ""
    if ratio["median"] < 1:
        return "**LOSS**"
    return "faster" if ratio["min"] > 1 else "faster, not in every round"


def milliseconds(entry):
    return f"{1e3 * entry['wall']:.3g}" if "wall" in entry else "–"


def share(ours):
    """Of the machine's float product rate."""
    if "share" not in ours:
        return "–"
    return f"{spread(ours['share'], '')} of {ours['peak']['median'] / 1e9:.0f} GFlop/s"


def errors(entry, ours):
    """Of densities and the like: their quality is the digits that are right."""
    return " / ".join(f"{10 ** -e['quality']:.1g}" if "quality" in e else "–" for e in (entry, ours))


def row(case, who, entry, ours):
    told = errors(entry, ours) if case.get("errors") else share(ours)
    memory = "–"
    if "peak_mb" in entry and "peak_mb" in ours:
        memory = " / ".join(f"{e['above_load_mb']:.0f} ({e['peak_mb']:.0f})" for e in (entry, ours))
    head = [case["name"], str(case["threads"]), who]
    if entry["status"] != "counted":
        return [*head, milliseconds(entry), milliseconds(ours), told,
                f"{entry['status']}: {entry['why']}", "–", memory, ""]
    if ours["status"] != "counted":
        return [*head, milliseconds(entry), milliseconds(ours), told,
                f"craton {ours['status']}", "–", memory, ""]
    return [*head, milliseconds(entry), milliseconds(ours), told, spread(entry["ratio"]),
            spread(entry["cpu_ratio"]), memory, verdict(entry["ratio"], case.get("race", True))]


SHARE = "share of NumPy's float product rate"
HEAD = ["case", "threads", "rival", "rival ms", "craton ms", SHARE,
        "time: rival / craton", "CPU time: rival / craton", "MB above load (peak), rival / craton", ""]


def markdown(result):
    at = result["conditions"]
    lines = [
        f"# {result['suite']}: craton and its rivals", "",
        f"{at['date']}, {at['cpu']}, {at['cores']} cores, load {at['load']:.1f} at the start, commit"
        f" {(at['commit'] or 'unknown')[:12]}{' with changes' if at['changed'] else ''}.",
        "Written by bench/run.py; bench/README.md says how it is measured. A ratio is the median of"
        " its rounds, with the least and the greatest; above 1 craton is faster.", "",
        *(f"- {who}: {version}" for who, version in result["versions"].items())]
    for kind in dict.fromkeys(case["kind"] for case in result["cases"]):
        cases = [case for case in result["cases"] if case["kind"] == kind]
        told = "error: rival / craton" if cases[0].get("errors") else SHARE
        head = [told if name == SHARE else name for name in HEAD]
        lines += ["", f"## {kind}", "", table_line(head), table_line(["---"] * len(head))]
        for case in cases:
            lines += rows(case)
    if result["skipped"]:
        lines += ["", "## Skipped", ""]
        lines += [f"- {case['name']}: {case['why']}" for case in result["skipped"]]
    return "\n".join(lines) + "\n"


def rows(case):
    ours = case["contestants"]["craton"]
    if ours["status"] != "counted":
        why = f"craton {ours['status']}: {ours['why']}"
        yield table_line([case["name"], str(case["threads"]), "craton", "–", milliseconds(ours), "–",
                          why, "–", "–", ""])
    if ours["status"] in ("unsupported", "failed"):
        return  # nobody else was asked
    for who, entry in case["contestants"].items():
        if who != "craton":
            yield table_line(row(case, who, entry, ours))


def table_line(cells):
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def console(case):
    """One case, as it is finished."""
    ours = case["contestants"]["craton"]
    lines = [f"\n{case['name']} ({case['kind']}; {case['threads']} threads)"]
    if case["expected"] is not None:
        lines.append(f"  quality {case['expected']:.9g} by {case['expected_by']}")
    for who, entry in case["contestants"].items():
        if entry["status"] != "counted":
            text = f"{entry['status']}: {entry['why']}"
        elif who == "craton" or "ratio" not in entry:
            text = f"quality {entry['quality']:.9g}" if "quality" in entry else ours["status"]
            text += f"  share of the float product rate {share(entry)}" if "share" in entry else ""
        else:
            ratio, cpu = spread(entry["ratio"]), spread(entry["cpu_ratio"])
            text = f"{ratio}  CPU {cpu}  {verdict(entry['ratio'], case.get('race', True)).strip('*')}"
        lines.append(f"  {who:14}{milliseconds(entry):>9} ms  {text}")
    return "\n".join(lines)
