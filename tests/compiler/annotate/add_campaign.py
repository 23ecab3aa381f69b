#!/usr/bin/env python3
"""Adds campaigns of random annotated programs (random_programs.py --json FILE) to the result file, each as a piece; pieces that are there
already (same seeds, MPI and messages) are replaced by longer ones.

Usage: add_campaign.py --mpi "Open MPI 4.1.4" FILE...      [--result bench/results/random-annotations.json]
"""
import argparse
import json
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[3]
KEPT = ("last_commit_of_compiler", "first_seed", "last_seed", "programs_per_seed", "ranks", "environment", "mismatches", "minutes")


def piece_of(campaign, mpi):
    waits = any("eager_limit" in pair or "RNDV" in pair for pair in campaign["environment"])
    count = (campaign["last_seed"] - campaign["first_seed"] + 1) * campaign["programs_per_seed"]
    return {"mpi": mpi, "messages": "rendezvous" if waits else "eager", "programs": count, **{name: campaign[name] for name in KEPT},
            "kinds": campaign["programs"], "places_changed": campaign["places_changed"]}


def identity(piece):
    return piece["mpi"], piece["messages"], piece["first_seed"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", required=True)
    parser.add_argument("--result", type=Path, default=ROOT / "bench" / "results" / "random-annotations.json")
    parser.add_argument("campaigns", nargs="+", type=Path)
    asked = parser.parse_args()
    result = json.loads(asked.result.read_text())
    kinds, places = Counter(result["kinds"]), Counter(result["places_changed"])
    pieces = {identity(piece): piece for piece in result["pieces"]}
    for file in asked.campaigns:
        new = piece_of(json.loads(file.read_text()), asked.mpi)
        old = pieces.get(identity(new), {"kinds": {}, "places_changed": {}, "programs": 0})
        if new["programs"] < old["programs"]:
            continue
        kinds += Counter(new["kinds"]) - Counter(old["kinds"])
        places += Counter(new["places_changed"]) - Counter(old["places_changed"])
        pieces[identity(new)] = new
    result["pieces"] = sorted(pieces.values(), key=identity)
    result["programs"] = sum(piece["programs"] for piece in result["pieces"])
    result["kinds"], result["places_changed"] = dict(sorted(kinds.items())), dict(sorted(places.items()))
    result["mismatches"] = [found for piece in result["pieces"] for found in piece["mismatches"]]
    asked.result.write_text(json.dumps(result, indent=1) + "\n")
    print(f"{result['programs']} programs, {len(result['mismatches'])} mismatches")


if __name__ == "__main__":
    main()
