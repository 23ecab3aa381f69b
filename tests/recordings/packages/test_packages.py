#!/usr/bin/env python3
"""Real programs of Debian's packages under `tacit run`: what the report says against what their sources say.

    test_packages.py [--write] [--keep FOLDER] [NAME…]

truth/NAME.json holds what a program's source says: what its point-to-point messages are (`truths`), which collectives of MPI it
calls, what is outside the model. A truth speaks of the activities of a report in which all that `where` names is found: one of
the functions, sizes in a range. A claim is true if it is in `is` or `also` of the truths that speak of the activity; `wanted`
ones have to be found. `advice`: one call for a round may be advised with a condition only, never, or without one. --write keeps
what comes out in bench/results/packages-truth.json, which also says what the first report of all had missed.
Environment: COMMAND_FILE, MPI_LAUNCHER. Returns 77 if a program is not installed."""
import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
RESULTS = HERE.parents[2] / "bench" / "results" / "packages-truth.json"
sys.path.insert(0, str(HERE / "inputs"))
sys.path.insert(0, str(HERE.parents[2] / "bench"))
from generate import GENERATED  # noqa: E402  (a folder of inputs, not a package)
from measured import dirty, git, machine  # noqa: E402  (a folder of scripts, not a package)

SECONDS = 900


def versions(package):
    form = "${db:Status-Abbrev}${Version}"
    done = subprocess.run(["dpkg-query", "-W", "-f", form, package], capture_output=True, text=True)
    return done.stdout[3:] if done.returncode == 0 and done.stdout.startswith("ii") else None


def report(program, folder):
    for name in program["inputs"]:
        if name in GENERATED:
            (folder / name).write_text(GENERATED[name]())
        else:
            shutil.copy(HERE / "inputs" / name, folder)
    command = [os.environ["COMMAND_FILE"], "run", "--force", "-o", "out", "--", *shlex.split(os.environ["MPI_LAUNCHER"]), "-n",
               str(program["ranks"]), *program["command"]]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, timeout=SECONDS)
    if done.returncode != 0:
        sys.exit(f"{program['name']} failed under tacit:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return json.loads((folder / "out" / "report.json").read_text())


def speaks_of(truth, found, activity):
    where = truth["where"]
    if "bytes" in where:
        low, high = where["bytes"]
        if activity["largest"] < low or activity["smallest"] > high:
            return False
    if "functions" in where:
        functions = [found["sites"][site]["function"] for site in activity["sites"]]
        return any(name in function for name in where["functions"] for function in functions)
    return True


def claim_of(activity):
    """What the activity is said to be one of; nothing if it is said to be no collective and no halo."""
    if activity["pattern"]:
        return {activity["pattern"]}
    if activity["shape"]:
        return set(activity["shape"])
    return {"neighbor exchange"} if activity["kind"] == "neighbor exchange" else set()


def faults_of(activity, truths):
    claim, advice = claim_of(activity), activity["could_become"]
    allowed = {name for truth in truths for name in truth["is"] + truth["also"]}
    if claim and not claim & allowed:
        yield f"claimed {' or '.join(sorted(claim))}: {activity['sentence']}"
    if activity["kind"] == "neighbor exchange" and advice:
        rules = {truth["advice"] for truth in truths}
        if rules == {"never"}:
            yield f"advised to be one call: {activity['sentence']}"
        if rules == {"conditional"} and not advice["condition"]:
            yield f"advice without its condition: {activity['sentence']}"


def judge(program, found):
    claims, false, hit = 0, [], set()
    for activity in found["activities"]:
        truths = [truth for truth in program["truths"] if speaks_of(truth, found, activity)]
        claim = claim_of(activity)
        claims += bool(claim)
        false += faults_of(activity, truths)
        hit |= {truth["what"] for truth in truths if claim & set(truth["is"])}
    called = {use["call"] for use in found["collectives"]}
    false += [f"{call} is not listed" for call in program["collectives"] if call not in called]
    outside = set(found["totals"]["unmodelled_names"])
    false += [f"{call} is not said to be outside the model" for call in program["unmodelled"] if call not in outside]
    wanted = [truth["what"] for truth in program["truths"] if truth["wanted"]]
    return {"package": program["package"], "version": versions(program["package"]), "field": program["field"],
            "ranks": program["ranks"], "command": " ".join(program["command"]),
            "messages": found["totals"]["messages"], "activities": [a["title"] for a in found["activities"]],
            "claims": claims, "false": false, "wanted": wanted, "missed": [w for w in wanted if w not in hit]}


def say(name, result):
    print(f"{name}: {result['claims']} claims, {len(result['false'])} false; "
          f"{len(result['wanted']) - len(result['missed'])} of {len(result['wanted'])} found")
    for title in result["activities"]:
        print(f"  said: {title}")
    for what in result["missed"]:
        print(f"  missed: {what}")
    for what in result["false"]:
        print(f"  FALSE: {what}")


def write(results):
    """Keeps what the file says of the first report."""
    first = {key: value for key, value in json.loads(RESULTS.read_text()).items()
             if key in ("truths_corrected_after_the_first_report", "first_report")}
    total = {"programs": len(results), "claims": sum(r["claims"] for r in results.values()),
             "false": sum(len(r["false"]) for r in results.values()),
             "wanted": sum(len(r["wanted"]) for r in results.values()),
             "missed": sum(len(r["missed"]) for r in results.values())}
    result = {"what": "programs of Debian's packages under tacit run: claims, and what of their truth is found",
              "machine": machine(), "commit": git("rev-parse", "--short", "HEAD"), "dirty": dirty(),
              "command": "ctest --preset release -C packages_results -R '^packages_results$'",
              "total": total, **first, "programs": results}
    RESULTS.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--keep", type=Path, help="where the programs run and the reports stay")
    options = parser.parse_args()
    known = {path.stem: json.loads(path.read_text()) for path in sorted((HERE / "truth").glob("*.json"))}
    results, absent = {}, 0
    for name in options.names or known:
        program = known[name]
        if versions(program["package"]) is None or shutil.which(program["command"][0]) is None:
            print(f"{name}: not installed: apt-get install {program['package']}")
            absent += 1
            continue
        with tempfile.TemporaryDirectory() as scratch:
            folder = options.keep / name if options.keep else Path(scratch)
            folder.mkdir(parents=True, exist_ok=True)
            results[name] = judge(program, report(program, folder))
        say(name, results[name])
    if options.write and not absent and not any(result["false"] for result in results.values()):
        write(results)
    if not results and absent:
        sys.exit(77)
    sys.exit(1 if any(result["false"] for result in results.values()) else 0)


if __name__ == "__main__":
    main()
