#!/usr/bin/env python3
"""Every reason code is emitted somewhere, and numbers and names stand once."""
import os
import re
import unittest
from pathlib import Path

ROOT = Path(os.environ["SOURCE_FOLDER"])
ROW = re.compile(r"^TACIT_REASON\((\d+), (\w+),", re.MULTILINE)


# What asks for a code, or puts it into words, does not emit it.
ASKED = re.compile(r"\bcase (?:\w+::)*reason::\w+|[=!]= (?:\w+::)*reason::\w+|\breason::\w+ [=!]= ")
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)


def code_of(text):
    """The text without comments; strings stay."""
    return COMMENT.sub(lambda found: found[0] if found[0].startswith('"') else " ", text)


class Reasons(unittest.TestCase):
    rows = ROW.findall((ROOT / "src/vocabulary/calls/reasons.def").read_text(encoding="utf-8"))

    def test_codes_are_emitted(self):
        sources = "".join(ASKED.sub("", code_of(p.read_text(encoding="utf-8"))) for p in sorted((ROOT / "src").rglob("*"))
                          if p.suffix in {".c", ".cpp", ".h"})
        named = set(re.findall(r"\breason::(\w+)", sources))
        spelled = {int(number) for number in re.findall(r"\bTACIT-(\d{3})\b", sources)}  # in C, which has no names for them
        for number, name in self.rows:
            self.assertTrue(name in named or int(number) in spelled, f"TACIT-{int(number):03} {name} is never emitted")

    def test_mentions_are_no_emissions(self):
        for text in ("// reason::cycle", "/* \n reason::cycle */", "case reason::cycle:", "d.code == reason::cycle"):
            self.assertNotIn("cycle", ASKED.sub("", code_of(text)), text)
        for text in ("return reason::cycle; // often", 'say("//", reason::cycle)', 'fputs("TACIT-118 /* */", f)'):
            self.assertRegex(ASKED.sub("", code_of(text)), "cycle|TACIT-118")

    def test_numbers_and_names_stand_once_and_in_order(self):
        numbers = [int(number) for number, _ in self.rows]
        self.assertEqual(numbers, sorted(set(numbers)))
        self.assertEqual(len({name for _, name in self.rows}), len(self.rows))


if __name__ == "__main__":
    unittest.main()
