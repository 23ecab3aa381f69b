#!/usr/bin/env python3
"""Every relative link of the Markdown files in a folder leads to a file of that folder, and to a heading of it if it names one.
Every source file that they name by its folder and name, such as `programs/bytes.c`, exists, however the folder is reached;
documents that are installed stand without the sources and may name any. Decisions stand in the order of their numbers.

    tests/check_links.py FOLDER [NAME…]     NAME: only these files and folders inside of it

Prints every broken link and name and exits 1 if there is one. Changes and decisions tell of what was; their names are not checked.
"""
import fnmatch
import itertools
import re
import sys
from pathlib import Path

LINK = re.compile(r'\]\(([^)\s]+)[^)]*\)|(?:src|href)="([^"]+)"')
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"`([\w.*+-]+(?:/[\w.*+-]+)+\.(?:c|cpp|h|f90|F90|py|def))`")
HISTORY = {"CHANGELOG.md", "decisions.md"}
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)


def anchors(page: Path):
    """Names of headings as forges make them: lower case, spaces as dashes, without punctuation."""
    headings = HEADING.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def problem(page: Path, link, folder: Path):
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.is_relative_to(folder):
        return "leads out of the folder"
    if not target.exists():
        return "leads nowhere"
    if anchor and target.suffix == ".md" and anchor not in anchors(target):
        return "names no heading there"
    return None


def sources(folder: Path):
    """The paths of all files that may be named, each with a slash in front. Folders of builds stand beside them."""
    roots = [path for path in folder.iterdir() if path.is_dir() and path.name != "build" and not path.name.startswith(".")]
    return [f"/{path.relative_to(folder)}" for root in roots for path in root.rglob("*.*")]


def missing_names(page: Path, files):
    for name in sorted(set(NAMED.findall(FENCE.sub("", page.read_text(encoding="utf-8"))))):
        if not fnmatch.filter(files, f"*/{name}"):
            yield name


def pages(folder: Path, names):
    for root in [folder / name for name in names] or [folder]:
        yield from sorted(root.rglob("*.md")) if root.is_dir() else [root]


def out_of_order(page: Path):
    """Decisions stand by their numbers, each of which is given once."""
    numbers = [int(number) for number in re.findall(r"^(\d+)\. ", page.read_text(encoding="utf-8"), re.MULTILINE)]
    for before, number in itertools.pairwise(numbers):
        if number <= before:
            yield f"{page.name}: {number} stands behind {before}"


def main() -> int:
    folder = Path(sys.argv[1]).resolve()
    links = [(page, a or b) for page in pages(folder, sys.argv[2:]) for a, b in LINK.findall(page.read_text(encoding="utf-8"))]
    links = [(page, link) for page, link in links if not re.match(r"[a-z]+:", link)]
    broken = [(page, link, why) for page, link in links if (why := problem(page, link, folder))]
    for page, link, why in broken:
        print(f"{page.relative_to(folder)}: {link} {why}")
    files = sources(folder)
    named = pages(folder, sys.argv[2:]) if (folder / "src").is_dir() else []
    missing = [(page, name) for page in named if page.name not in HISTORY for name in missing_names(page, files)]
    for page, name in missing:
        print(f"{page.relative_to(folder)}: there is no {name}")
    disorder = [fault for page in pages(folder, sys.argv[2:]) if page.name == "decisions.md" for fault in out_of_order(page)]
    print("".join(fault + "\n" for fault in disorder), end="")
    print(f"links: {len(broken)} of {len(links)} broken")
    return 1 if broken or missing or disorder or not links else 0


if __name__ == "__main__":
    sys.exit(main())
