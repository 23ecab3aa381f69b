#!/usr/bin/env python3
"""Whatever the sources read from the environment stands in the table of settings, and the other way round."""
import os
import re
import unittest
from pathlib import Path

ROOT = Path(os.environ["SOURCE_FOLDER"])
TABLE = ROOT / "src/vocabulary/calls/settings.def"
SOURCES = {".c", ".h", ".cpp", ".hpp"}
READS = re.compile(r'(?:getenv|GetEnv|size_setting|switch_setting|word_setting|from_environment)\s*\(\s*"(TACIT_\w+)"')
ASKS = re.compile(r"\bsetting::(\w+)")


def texts(*folders):
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in SOURCES:
                yield path, path.read_text(encoding="utf-8")


class Settings(unittest.TestCase):
    rows = dict(re.findall(r'^TACIT_SETTING\((\w+), "(\w+)"', TABLE.read_text(encoding="utf-8"), re.MULTILINE))

    def test_variables_that_are_read_have_a_row(self):
        for path, text in texts("src", "include", "tests"):
            for variable in READS.findall(text):
                self.assertIn(variable, self.rows.values(), f"{path.relative_to(ROOT)} reads {variable}; add a row to {TABLE}")

    def test_rows_are_read_by_somebody(self):
        read = set()
        for _, text in texts("src", "include", "tests"):
            read |= set(READS.findall(text)) | {self.rows.get(name) for name in ASKS.findall(text)}
        self.assertEqual(set(self.rows.values()) - read, set(), "nothing reads these settings")

    def test_a_variable_is_called_as_its_row(self):
        for name, variable in self.rows.items():
            self.assertEqual(variable, "TACIT_" + name.upper())


if __name__ == "__main__":
    unittest.main()
