"""The matrices of seed 004's evaluation, fetched once into a cache of the user's and never part of the project.

They come from Debian's source packages, which hold them unchanged: METIS's example graphs (mdual, copter2) and the
example matrices of Mongoose in SuiteSparse (bcspwr10 of HB, NotreDame_www of Barabasi, as in the SuiteSparse collection).
The sums are those of Debian's .dsc files.
"""
import hashlib
import os
import sys
import tarfile
import urllib.request
from pathlib import Path

POOL = "https://deb.debian.org/debian/pool/main/"
ARCHIVES = {
    "m/metis/metis_5.1.0.dfsg.orig.tar.xz": (
        "c50a88b92b01fa3972c5c92cf50117f126c62589b8f793657c7d865c59c23615",
        ["metis-5.1.0/graphs/mdual.graph", "metis-5.1.0/graphs/copter2.graph"]),
    "s/suitesparse/suitesparse_5.12.0+dfsg.orig.tar.xz": (
        "bb106c43049138c19675cd70322e72ff8e4fd8bdcab3a096307fd78488913faf",
        ["SuiteSparse-5.12.0/Mongoose/Matrix/NotreDame_www.mtx", "SuiteSparse-5.12.0/Mongoose/Matrix/bcspwr10.mtx"]),
}


def cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "tacit" / "matrices"


def fetch(archive: str, checksum: str, members: list[str], into: Path) -> None:
    print(f"fetching {POOL}{archive}", file=sys.stderr)
    packed = into / Path(archive).name
    with urllib.request.urlopen(POOL + archive, timeout=120) as answer:
        packed.write_bytes(answer.read())
    if hashlib.sha256(packed.read_bytes()).hexdigest() != checksum:
        packed.unlink()
        raise SystemExit(f"{archive} is not what Debian's .dsc says: its sha256 differs")
    with tarfile.open(packed) as tar:
        for name in members:
            (into / Path(name).name).write_bytes(tar.extractfile(name).read())
    packed.unlink()


def matrices() -> list[Path]:
    """All of them, fetched if need be; fewer, and a word about it, without a network."""
    into = cache()
    into.mkdir(parents=True, exist_ok=True)
    found = []
    for archive, (checksum, members) in ARCHIVES.items():
        files = [into / Path(name).name for name in members]
        try:
            if not all(f.exists() for f in files):
                fetch(archive, checksum, members, into)
            found += files
        except OSError as error:
            print(f"left out {', '.join(f.stem for f in files)}: {error}", file=sys.stderr)
    return found


if __name__ == "__main__":
    print(*matrices(), sep="\n")
