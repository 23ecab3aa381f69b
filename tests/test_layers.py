#!/usr/bin/env python3
"""tools/check_layers.py: every kind of violation, planted in a small tree, is found; what the table allows is not."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(os.environ["ROOT"]) / "tools" / "check_layers.py"

# A core archive behind a custom target, as the interposer has it, and an archive made by a custom target, as libtacit.a.
PROJECT = """
cmake_minimum_required(VERSION 3.25)
set(CMAKE_C_COMPILER_WORKS TRUE)
project(planted C)
file(WRITE ${{PROJECT_BINARY_DIR}}/.cmake/api/v1/query/codemodel-v2 "")
add_library(vocabulary STATIC src/vocabulary/base/base.c)
add_library(report STATIC src/surface/report/report.c)
add_library(recorder OBJECT src/interpose/recorder/recorder.c)
add_custom_target(archives)
{planted}
"""


class Tree(unittest.TestCase):
    root: Path

    def setUp(self):
        self.addCleanup(self.plant())

    @classmethod
    def plant(cls):
        """What takes the tree away again."""
        folder = tempfile.TemporaryDirectory()
        cls.root = Path(folder.name)
        for file in ["graphs/match/match.h", "graphs/graph/graph.h", "graphs/flow/flow.h", "surface/report/html.h",
                     "interpose/all.h", "interpose/layer/interests.h", "vocabulary/base/base.c", "surface/report/report.c",
                     "interpose/recorder/recorder.c", "graphs/match/match.c"]:
            cls.write(file, "")
        return folder.cleanup

    @classmethod
    def write(cls, file, text):
        path = cls.root / "src" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def check(self, *arguments):
        return subprocess.run([sys.executable, SCRIPT, "--root", self.root, *arguments], capture_output=True, text=True)

    def refused(self, done, *words):
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("layers: 1 violation(s)", done.stdout)
        for word in words:
            self.assertIn(word, done.stdout)

    def allowed(self, done):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Includes(Tree):
    def including(self, line, file="graphs/match/match.cpp"):
        self.write(file, f"#include <vector>\n#include {line}\n")
        return self.check()

    def test_a_room_includes_itself_and_what_its_row_names(self):
        self.allowed(self.including('"graphs/match/match.h"'))
        self.allowed(self.including('"match.h"'))
        self.allowed(self.including('"graphs/graph/graph.h"'))

    def test_a_room_further_on_in_the_data_flow(self):
        self.refused(self.including('"graphs/flow/flow.h"'), "src/graphs/match/match.cpp: room 'match'", "graphs/flow/flow.h")

    def test_another_wing_in_quotes(self):
        self.refused(self.including('"surface/report/html.h"'), "room 'match' may not include 'surface/report/html.h'")

    def test_another_wing_in_angle_brackets(self):
        self.refused(self.including("<surface/report/html.h>"), "room 'match' may not include 'surface/report/html.h'")

    def test_a_path_that_goes_up(self):
        self.refused(self.including('"../../surface/report/html.h"'), "without '..'")
        self.refused(self.including('"../graph/graph.h"'), "without '..'")

    def test_a_room_of_which_there_is_no_file(self):
        self.refused(self.including('"surface/report/missing.h"'), "may not include")

    def test_a_file_of_a_wing(self):
        self.refused(self.including('"interpose/all.h"'), "room 'match' may not include 'interpose/all.h'")

    def test_a_file_of_the_own_wing(self):
        self.refused(self.including('"interpose/all.h"', "interpose/layer/layer.cpp"), "room 'layer' may not include")

    def test_a_file_of_a_wing_joins_the_rooms_of_its_wing_alone(self):
        self.allowed(self.including('"interpose/all.h"', "interpose/all.cpp"))
        self.allowed(self.including('"interpose/layer/interests.h"', "interpose/all.cpp"))
        self.refused(self.including('"graphs/match/match.h"', "interpose/all.cpp"), "a file of wing 'interpose'")

    def test_mpi_and_llvm_where_they_are_not_seen(self):
        self.refused(self.including("<mpi.h>"), "includes <mpi.h>")
        self.refused(self.including("<llvm/IR/Module.h>"), "includes llvm/IR/Module.h")
        self.refused(self.including("<tacit/tacit.h>"), "public header")

    def test_a_question_for_the_mpi_library(self):
        self.write("graphs/match/match.cpp", "#if defined(OPEN_MPI) && 1\n#endif\n")
        self.refused(self.check(), "src/graphs/match/match.cpp: asks which MPI library")

    def test_a_key_for_attributes(self):
        for call in ["MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, drop, &key, nullptr);", "PMPI_Comm_create_keyval (copy, drop, &key, 0);"]:
            self.write("graphs/match/match.cpp", call + "\n")
            self.refused(self.check(), "src/graphs/match/match.cpp: makes a key for attributes")
        self.write("graphs/match/match.cpp", "case mpi_call::Win_create_keyval: // named, not called\n")
        self.allowed(self.check())
        self.write("runtime/mpi/attributes.h", "MPI_Comm_create_keyval(copy, drop, key, nullptr);\n")
        self.write("graphs/match/match.cpp", "")
        self.allowed(self.check())

    def test_two_types_of_one_name(self):
        text = "namespace tacit::graphs {{\n{0}\nstruct piece {{\n  int one;\n}};\n{1}\n}} // namespace tacit::graphs\n"
        self.write("graphs/match/match.h", text.format("", ""))
        self.write("graphs/graph/graph.h", text.format("namespace {", "} // namespace"))
        self.allowed(self.check())
        self.write("surface/trial/trial.h", text.format("", ""))
        self.allowed(self.check())
        self.write("graphs/flow/flow.h", text.format("", ""))
        self.refused(self.check(), "src/graphs/match/match.h: tacit::graphs::piece is another type in src/graphs/flow/flow.h")

    def test_a_room_that_is_not_in_the_table(self):
        self.refused(self.including("<vector>", "graphs/attic/attic.cpp"), "room 'graphs/attic' is not in the table")


class Links(Tree):
    """One tree for all, so that CMake looks for the compiler once."""

    def setUp(self):
        pass

    @classmethod
    def setUpClass(cls):
        cls.addClassCleanup(cls.plant())

    def building(self, planted):
        build = self.root / "build"
        (self.root / "CMakeLists.txt").write_text(PROJECT.format(planted=planted))
        done = subprocess.run(["cmake", "-S", self.root, "-B", build], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.check("--build", build)

    def test_what_the_table_allows(self):
        self.allowed(self.building("add_library(match STATIC src/graphs/match/match.c)\n"
                                   "target_link_libraries(match vocabulary)"))

    def test_a_library_that_is_named(self):
        self.refused(self.building("add_library(match STATIC src/graphs/match/match.c)\ntarget_link_libraries(match report)"),
                     "target match: links report", "['match'] may not see ['report']")

    def test_an_archive_that_is_named_by_its_path(self):
        self.refused(self.building("add_library(match SHARED src/graphs/match/match.c)\n"
                                   "target_link_libraries(match $<TARGET_FILE:report>)"), "target match: links report")

    def test_an_archive_behind_a_custom_target(self):
        self.refused(self.building("add_library(match STATIC src/graphs/match/match.c)\nadd_dependencies(archives report)\n"
                                   "add_dependencies(match archives)"), "target match: links report")

    def test_a_custom_target_that_packs_an_archive(self):
        packed = "add_custom_target(packed DEPENDS $<TARGET_OBJECTS:recorder>)\nadd_dependencies(packed recorder {})"
        self.refused(self.building(packed.format("report")), "target packed: links report", "['recorder']")
        self.allowed(self.building(packed.format("vocabulary")))

    def test_a_part_of_a_room(self):
        self.write("graphs/match/races.c", "")
        self.addCleanup((self.root / "src/graphs/match/races.c").unlink)
        self.refused(self.building("add_library(match STATIC src/graphs/match/match.c)"),
                     "target match: compiles only a part of room 'match', without src/graphs/match/races.c")


if __name__ == "__main__":
    unittest.main()
