#!/usr/bin/env python3
"""What is said about a call at compile time is worded in remarks.def: no sentence stands in the sources of the overlap pass or of
annotations, the table has each once, and each is said somewhere, with as many values as it has placeholders."""
import os
import re
import unittest
from pathlib import Path

ROOT = Path(os.environ["SOURCE_FOLDER"])
ROOMS = ("src/compiler/pass", "src/compiler/annotate")
ROW = re.compile(r'^TACIT_REMARK\((\w+),((?:\s*"(?:\\.|[^"\\])*")+)\)', re.MULTILINE)
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"' r"|'(?:\\.|[^'\\\n])+'" r"|//[^\n]*|/\*.*?\*/|^[ \t]*#[^\n]*", re.DOTALL | re.MULTILINE)

# Texts that are no remarks: code and comments that are written into programs; what options say of themselves; the command line; words
# of others' formats.
WRITTEN = re.compile(r"^/\* tacit: |\*/(?:\\n)?$|\btacit_\w|\(long long\)|^MPI_\w+$")
OPTION = re.compile(r"\b(?:OptionCategory category|cl::desc)\(")
COMMAND_LINE = {"src/compiler/annotate/main.cpp"}
OF_OTHERS = {"Flang function root ", "dummy arg data/", "direct data/", "GCC ivdep", "GCC unroll", "clang loop", "mpi ", " transformed",
             r"digraph wait_graph {\n  node [shape=box];\n", r"\n\\ No newline at end of file\n"}

SENTENCE = re.compile(r"[A-Za-z`']{1,} [a-z`']{2,}|^(?:\\n| )?[a-z]{2,} $|^ [a-z]{2,} ?$")
WORDED = re.compile(r"\b(?:wording|pieces_of|add)\(")
# What takes a reason, or puts it into words: every text in it is said to somebody.
SAYS = re.compile(r"\b(?:stays|stop|unknown|unreadable|refuse|complain|said\.push_back|faults\.push_back)\(|"
                  r"\b(?:obstacle|finding|refusal|conflict)\{")


def plain(text):
    """(the text with blanks for comments, directives and literals, {where a literal begins: its contents})"""
    literals = {}

    def blank(found):
        if found[0].startswith('"'):
            literals[found.start()] = found[0][1:-1]
        return re.sub(r"[^\n]", " ", found[0])

    return TOKEN.sub(blank, text), literals


def end_of(code, begin):
    """Behind the bracket that closes the one in front of `begin`."""
    depth = 1
    for at in range(begin, len(code)):
        depth += (code[at] in "({[") - (code[at] in ")}]")
        if depth == 0:
            return at
    raise ValueError("no end")


def within(pattern, code):
    return [(found.end(), end_of(code, found.end())) for found in pattern.finditer(code)]


def remarks_in(text):
    """The literals of a source that are remarks, each with its line."""
    code, literals = plain(text)
    said, options = within(SAYS, code), within(OPTION, code)
    for at, literal in literals.items():
        if WRITTEN.search(literal) or literal in OF_OTHERS or any(begin <= at < end for begin, end in options):
            continue
        if SENTENCE.search(literal) or (re.search("[a-z]{2}", literal) and any(begin <= at < end for begin, end in said)):
            yield text.count("\n", 0, at) + 1, literal


def arguments(text, code, begin, end):
    """The parts of text between `begin` and `end` at commas that stand in no bracket."""
    parts, depth, last = [], 0, begin
    for at in range(begin, end):
        depth += (code[at] in "({[") - (code[at] in ")}]")
        if code[at] == "," and depth == 0:
            parts.append((last, at))
            last = at + 1
    return [(text[a:b].strip(), a, b) for a, b in [*parts, (last, end)] if text[a:b].strip()]


def values_given(text):
    """(name of a remark, how many values it gets) for each that is put into words."""
    code, _ = plain(text)
    for begin, end in within(WORDED, code):
        given = arguments(text, code, begin, end)
        for place, (which, _, last) in enumerate(given):
            for name in re.findall(r"\bremark::(\w+)", which) if "wording(" not in which else []:
                values = given[place + 1:]
                inner = text.index("{", values[0][1]) + 1 if values else last
                yield name, len(arguments(text, code, inner, end_of(code, inner))) if values else 0


class Remarks(unittest.TestCase):
    maxDiff = None
    table = [(name, "".join(re.findall(r'"((?:\\.|[^"\\])*)"', words)))
             for name, words in ROW.findall((ROOT / "src/vocabulary/calls/remarks.def").read_text(encoding="utf-8"))]
    sources = {str(p.relative_to(ROOT)): p.read_text(encoding="utf-8")
               for room in ROOMS for p in sorted((ROOT / room).iterdir()) if p.suffix in {".cpp", ".h"}}

    def test_no_remark_stands_in_the_sources(self):
        self.assertGreater(len(self.sources), 40)
        found = [(path, *remark) for path, text in self.sources.items() if path not in COMMAND_LINE for remark in remarks_in(text)]
        self.assertEqual(found, [], "word them in src/vocabulary/calls/remarks.def")

    def test_remarks_are_found(self):
        for planted in ('return stays(at, what, reason::jumps, "labels");',
                        'return obstacle{reason::in_macro,\n                "it comes out of a macro", at};',
                        'made.refused = obstacle{r, name + " changes", {}};',
                        'stop(reason::unknown_effect, name(a, ")") + " throws", at);',
                        'const std::string what = "window " + text;',
                        'return callee ? callee->getName() : "a function";',
                        'text += wording(remark::started) + "; posted already";',
                        'into.said.push_back({severity::remark, at, reason::none, "moved", "", {}});',
                        'complain(function, "variadic", true);',
                        'llvm::errs() << "tacit: cannot write " << path;',
                        'llvm::errs() << "tacit: warning: " << name << " stays blocking\\n";',
                        'return conflict{reason::unknown_effect, "store", {}};'):
            self.assertEqual(len(list(remarks_in(planted))), 1, planted)

    def test_other_texts_are_none(self):
        for text in ("// it comes out of a macro", '/* stop("labels") */', '#include "compiler/pass/a few words.h"',
                     'file.insert(at, "/* tacit: complete before what follows. */\\n" + code);',
                     'cl::opt<int> few("few", llvm::cl::desc("smallest window worth a move"));',
                     'code += "tacit_local_put(" + name + ", MPI_REQUEST_NULL);\\n";',
                     'return stays(at, use.name, why, wording(remark::in_macro), "", {});',
                     "const char quote = '\"'; // \"it comes out of a macro\""):
            self.assertEqual(list(remarks_in(text)), [], text)

    def test_each_is_said(self):
        said = set(re.findall(r"\bremark::(\w+)", "".join(plain(text)[0] for text in self.sources.values())))
        self.assertEqual({name for name, _ in self.table}, said)

    def test_each_gets_its_values(self):
        wanted = {name: text.count("{") for name, text in self.table}
        given = [(path, *said) for path, text in self.sources.items() for said in values_given(text)]
        self.assertEqual([said for said in given if said[2] != wanted[said[1]]], [])
        self.assertGreater(len({name for _, name, _ in given}), 150)

    def test_values_are_counted(self):
        for text, found in [("wording(remark::store)", [("store", 0)]), ('wording(remark::moved, {"a, b"})', [("moved", 1)]),
                            ("add(text, remark::split, {f(a, b), c})", [("split", 2)]),
                            ("wording(far ? remark::a : remark::b, {x})", [("a", 1), ("b", 1)]),
                            ("wording(remark::a, {x, wording(remark::b, {y, z})})", [("a", 2), ("b", 2)])]:
            self.assertEqual(sorted(values_given(text)), found, text)

    def test_each_stands_once(self):
        texts = [text for _, text in self.table]
        self.assertEqual([text for text in texts if texts.count(text) > 1], [])
        self.assertGreater(len(texts), 150)


if __name__ == "__main__":
    unittest.main()
