#!/usr/bin/env python3
"""Every reason code that is not reserved is emitted somewhere, and numbers and names stand once."""
import os
import re
import unittest
from pathlib import Path

ROOT = Path(os.environ["SOURCE_FOLDER"])
ROW = re.compile(r"^TACIT_(REASON|RESERVED)\((\d+), (\w+),", re.MULTILINE)


class Reasons(unittest.TestCase):
    rows = ROW.findall((ROOT / "src/vocabulary/calls/reasons.def").read_text(encoding="utf-8"))

    def test_codes_are_emitted_unless_they_are_reserved(self):
        sources = "".join(p.read_text(encoding="utf-8") for p in sorted((ROOT / "src").rglob("*"))
                          if p.suffix in {".c", ".cpp", ".h"})
        named = set(re.findall(r"\breason::(\w+)", sources))
        spelled = {int(number) for number in re.findall(r"\bTACIT-(\d{3})\b", sources)}  # in C, which has no names for them
        for kind, number, name in self.rows:
            emitted = name in named or int(number) in spelled
            self.assertEqual(emitted, kind == "REASON", f"TACIT-{int(number):03} {name}: emit it, or make its row a TACIT_RESERVED")

    def test_numbers_and_names_stand_once_and_in_order(self):
        numbers = [int(number) for _, number, _ in self.rows]
        self.assertEqual(numbers, sorted(set(numbers)))
        self.assertEqual(len({name for _, _, name in self.rows}), len(self.rows))


if __name__ == "__main__":
    unittest.main()
