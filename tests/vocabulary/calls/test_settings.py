#!/usr/bin/env python3
"""Whatever the sources read from the environment stands in the table of settings, and the other way round; where programs that link none
of the table read a variable, the words and the default that they write again are those of its row."""
import os
import re
import unittest
from pathlib import Path

ROOT = Path(os.environ["SOURCE_FOLDER"])
TABLE = ROOT / "src/vocabulary/calls/settings.def"
SOURCES = {".c", ".h", ".cpp", ".hpp"}
READS = re.compile(r'(?:getenv|GetEnv|size_setting|count_setting|switch_setting|word_setting|from_environment)\s*\(\s*"(TACIT_\w+)"')
ASKS = re.compile(r"\bsetting::(\w+)")
BY_HAND = re.compile(r'\btacit_(size|count|switch|word)_setting\(\s*"')
ROW = re.compile(r'^TACIT_SETTING\((\w+), "(\w+)", "\w*", "[^"]*",\s*(\w+)\((.*?)\), "([^"]*)",\s', re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"(?:(?:std::)?size_t)?\{?(\d+)\}?(?:\s*<<\s*(\d+))?\s*\}?$")


def texts(*folders):
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in SOURCES:
                yield path, path.read_text(encoding="utf-8")


def arguments(text, begin):
    """Those of the call whose opening parenthesis is at `begin`."""
    found, depth, quoted = [""], 0, False
    for c in text[begin:]:
        quoted ^= c == '"'
        if not quoted:
            depth += (c in "({[") - (c in ")}]")
        if depth == 0:
            return [a.strip() for a in found]
        if c == "," and depth == 1 and not quoted:
            found.append("")
        elif found != [""] or c != "(":
            found[-1] += c
    raise ValueError("no end")


def number_of(word, text):
    """What a number, or the constant of that name in this file, comes to; None for what is neither."""
    if named := re.search(rf"\b{re.escape(word)} = ([^,;}}]+(?:\}}[^,;}}]*)?)", text):
        word = named[1].strip()
    plain = NUMBER.match(word)
    return int(plain[1]) << int(plain[2] or 0) if plain else None


def amount(text):
    return int(text.rstrip("KMG")) << {"K": 10, "M": 20, "G": 30}.get(text[-1:], 0) if text else 0


def difference(kind, given, text, form, values, default):
    """How a call that reads a variable by hand differs from its row; an empty text: not at all."""
    if kind == "switch":
        return "" if (form, values, default) == ("words", '"0 1"', "0") else "is a switch, which is off without the variable"
    said = re.findall(r'"([^"]*)"', values)
    if kind == "word":
        listed = re.findall(r"\b" + given[1] + r"\[\] = \{([^}]*)\}", text)
        words = re.findall(r'"([^"]*)"', listed[0]) if len(listed) == 1 else []
        spoken = f"{', '.join(words[:-1])} or {words[-1]}" if words else ""
        same = form == "words" and said[0].split() == words and int(given[2]) == len(words) and given[4] == f'"{spoken}"'
        return "" if same else f"takes {words}, says {given[4]}"
    if form != {"size": "bytes", "count": "number"}[kind] or [given[2]] != [f'"{words}"' for words in said]:
        return f"expects {given[2]}"
    normal = number_of(given[1], text)
    return "" if normal == amount(default) else f"is {normal} without the variable"


class Settings(unittest.TestCase):
    rows = dict(re.findall(r'^TACIT_SETTING\((\w+), "(\w+)"', TABLE.read_text(encoding="utf-8"), re.MULTILINE))

    def test_variables_that_are_read_have_a_row(self):
        for path, text in texts("src", "include", "tests"):
            for variable in READS.findall(text):
                self.assertIn(variable, self.rows.values(), f"{path.relative_to(ROOT)} reads {variable}; add a row to {TABLE}")

    def test_words_and_defaults_that_are_written_again(self):
        rows = {m[2]: m.groups()[2:] for m in ROW.finditer(TABLE.read_text(encoding="utf-8"))}
        self.assertEqual(len(rows), len(self.rows))
        seen = set()
        for path, text in texts("src/compiler/hooks", "src/compiler/coalesce"):
            for call in BY_HAND.finditer(text):
                given = arguments(text, call.end() - 2 - (text[call.end() - 2] != "("))
                variable = given[0].strip('"')
                seen.add(variable)
                self.assertEqual(difference(call[1], given, text, *rows[variable]), "", f"{path.relative_to(ROOT)}, {variable}")
        self.assertLess({"TACIT_OVERLAP_MEMORY", "TACIT_COALESCE_FACTOR", "TACIT_PIPELINE", "TACIT_CHECK"}, seen)

    def test_differences_are_found(self):
        constants = 'enum { few = 4000, much = 64 << 20 }; const char* words[] = {"never", "always"};'
        for kind, given, form, values, default, same in [
                ("size", ["", "much", '"bytes"'], "bytes", '"bytes"', "64M", True),
                ("size", ["", "much", '"bytes"'], "bytes", '"bytes"', "32M", False),
                ("size", ["", "few", '"bytes"'], "bytes", '"a number of bytes"', "4000", False),
                ("count", ["", "0", '"ranks"'], "number", '1, 9, "ranks"', "", True),
                ("count", ["", "0", '"ranks"'], "number", '1, 9, "ranks"', "2", False),
                ("switch", [""], "words", '"0 1"', "0", True),
                ("switch", [""], "words", '"0 1"', "1", False),
                ("word", ["", "words", "2", "0", '"never or always"'], "words", '"never always"', "", True),
                ("word", ["", "words", "2", "0", '"never or always"'], "words", '"never always measured"', "", False),
                ("word", ["", "words", "2", "0", '"always or never"'], "words", '"never always"', "", False)]:
            self.assertEqual(difference(kind, given, constants, form, values, default) == "", same, (kind, given, values, default))

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
