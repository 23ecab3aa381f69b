#!/usr/bin/env python3
"""Every commit that a result file names is in the history of what is checked out, or the file says why not.

    tests/check_results.py FOLDER     FOLDER: the project's; looks at bench/results/*.json

A number is worth something if the sources that it was measured with can be read, and commits that were rewritten before they landed are
gone. Where one is, the file has a "commit_note". Exits 77 (skipped) where there is no git, no repository, or a history that was cut.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

SKIPPED = 77
HASH = re.compile(r"[0-9a-f]{7,40}")


def git(folder: Path, *words):
    try:
        return subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True)
    except FileNotFoundError:
        sys.exit(SKIPPED)


def commits(value):
    """All that stand as a commit of something anywhere in the file; some have a word behind the hash."""
    if isinstance(value, dict):
        for name, one in value.items():
            if "commit" in name and name != "commit_note" and isinstance(one, str):
                yield from HASH.findall(one)[:1]
            else:
                yield from commits(one)
    elif isinstance(value, list):
        for one in value:
            yield from commits(one)


def main() -> int:
    folder = Path(sys.argv[1])
    if git(folder, "rev-parse", "--is-shallow-repository").stdout.strip() != "false":
        print("no whole history here")
        return SKIPPED
    known = git(folder, "rev-list", "HEAD").stdout.split()
    faults = []
    for file in sorted((folder / "bench/results").glob("*.json")):
        result = json.loads(file.read_text())
        missing = sorted({one for one in commits(result) if not any(whole.startswith(one) for whole in known)})
        note = result.get("commit_note", "") if isinstance(result, dict) else ""
        if missing and not note:
            faults.append(f"{file.name}: {', '.join(missing)} is not in the history, and no commit_note says why")
        if note and not missing:
            faults.append(f"{file.name}: has a commit_note, though its commits are in the history")
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
