#!/usr/bin/env python3
"""The commands that need no MPI, through the real binary."""
import json
import os
import resource
import signal
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

TACIT = os.environ["COMMAND_FILE"]
EXAMPLES = Path(os.environ["SOURCE_FOLDER"]) / "examples" / "graphs"
# Any library does where nothing is recorded.
SOME_LIBRARY = next(str(p) for p in Path("/usr/lib").rglob("libm.so.6"))

EARLY_SIGNALS = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int at(const char* moment) {
  const char* wanted = getenv("SIGNAL_MOMENT");
  return wanted && strcmp(wanted, moment) == 0;
}
int posix_spawnp(pid_t* pid, const char* file, const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* how,
                 char* const words[], char* const environment[]) {
  int (*real)(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*, char* const[],
              char* const[]);
  *(void**)&real = dlsym(RTLD_NEXT, "posix_spawnp");
  const int started = strcmp(words[0], "env") == 0 || strcmp(words[0], "sleep") == 0;
  if (started && at("before"))
    kill(getpid(), SIGTERM);
  const int error = real(pid, file, actions, how, words, environment);
  if (started && at("after"))
    kill(getpid(), SIGTERM);
  return error;
}
"""


def tacit(*words, **more):
    return subprocess.run([TACIT, *map(str, words)], capture_output=True, text=True, **more)


def play(goal):
    """Runs a schedule in GOAL, sends buffered; the operations in the order in which they ended, as (rank, label, words)."""
    operations, waits, rank = {}, {}, None
    for line in goal.splitlines():
        words = line.split()
        if not words or words[0] in ("//", "num_ranks", "}"):
            continue
        if words[0] == "rank":
            rank = words[1]
        elif words[1] == "requires":
            waits.setdefault((rank, words[0]), set()).add((rank, words[2]))
        else:
            assert (rank, words[0][:-1]) not in operations, line
            operations[rank, words[0][:-1]] = words[1:]
    assert all(one in operations for pair in waits.items() for one in (pair[0], *pair[1]))
    done, travelling = {}, set()
    while True:
        before = len(done)
        for (rank, label), words in operations.items():
            if (rank, label) in done or any(one not in done for one in waits.get((rank, label), ())):
                continue
            if words[0] == "send":
                assert (rank, words[3], words[5], words[1]) not in travelling
                travelling.add((rank, words[3], words[5], words[1]))
            elif words[0] == "recv":
                if (words[3], rank, words[5], words[1]) not in travelling:
                    continue
                travelling.remove((words[3], rank, words[5], words[1]))
            done[rank, label] = words
        if len(done) == before:
            assert not travelling and len(done) == len(operations), (travelling, set(operations) - set(done))
            return [(rank, label, words) for (rank, label), words in done.items()]


class Analyze(unittest.TestCase):
    def golden(self, name, *parts, code=0, options=()):
        done = tacit("analyze", EXAMPLES / name, *options)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        for part in parts:
            self.assertIn(part, done.stdout + done.stderr)

    def test_butterfly_is_an_alltoall(self):
        self.golden("butterfly.tacit", "8 messages do the work of one alltoall on all 4 ranks, 1 B per block.",
                    "rank 0           0x1      1  rank 1      0x1", "TACIT-005, line 10", "rank 0        1–3")

    def test_binomial_tree_is_a_broadcast(self):
        self.golden("broadcast.tacit", "3 messages do the work of one bcast on all 4 ranks, root 0, 64 B per block.", "rank 3       0, 2")

    def test_mixture(self):
        self.golden("mixture.tacit", "one bcast on all 4 ranks, root 2, 32 B per block and one gather on all 4", "in no collective",
                    "rank 3          0x40      4  rank 1     0x40", "TACIT-020")

    def test_patterns_of_ones_own(self):
        shapes = EXAMPLES.parent / "patterns" / "shapes.txt"
        with tempfile.TemporaryDirectory() as folder:
            ring = Path(folder) / "ring.tacit"

            def write(bytes_of_last):
                ring.write_text("tacit graph 1\nranks 3\n" + "".join(
                    f"rank {r} {{\n send 0x0+{bytes_of_last if r == 2 else 8} to {(r + 1) % 3}\n"
                    f" recv 0x100+{bytes_of_last if r == 0 else 8} from {(r + 2) % 3}\n}}\n" for r in range(3)))

            write(8)
            done = tacit("analyze", ring, "--patterns", shapes)
            self.assertEqual(done.returncode, 0, done.stderr)
            for part in ("ring shift on all 3 ranks", "block 8 B", "TACIT-058", "each rank passes its block to the next"):
                self.assertIn(part, " ".join(done.stdout.split()))
            self.assertIn("halo of a square grid", done.stdout.split("Not found")[1])
            self.assertIn("ring shift on all 3 ranks",
                          tacit("analyze", ring, env=os.environ | {"TACIT_PATTERNS": str(shapes)}).stdout)
            found = json.loads(tacit("analyze", ring, "--patterns", shapes, "--json").stdout)["described"]
            self.assertEqual([(f["pattern"], f["lengths"]) for f in found], [("ring shift", {"block": 8})])
            self.assertIn("ring shift", tacit("analyze", ring, "--patterns", shapes, "--format", "html").stdout)
            write(9)
            done = tacit("analyze", ring, "--patterns", shapes)
            self.assertIn("rank 2 sends 9 B to rank 0, which is another length", " ".join(done.stdout.split()))
            broken = Path(folder) / "broken.txt"
            broken.write_text('tacit patterns 1\npattern "x"\neach r: sends block to (r + 1 % p\n')
            done = tacit("analyze", ring, "--patterns", broken)
            self.assertEqual(done.returncode, 1)
            self.assertIn("line 4, column 1: expected ')', found the end of the file", done.stderr)

    def test_one_broken_example_per_diagnostic(self):
        self.golden("broken-cycle.tacit", "error TACIT-001", code=1)
        self.golden("broken-unmatched.tacit", "error TACIT-002", "differs in tag", code=1)
        self.golden("broken-truncation.tacit", "error TACIT-003", "16 B into 8 B", code=1)
        self.golden("broken-race.tacit", "error TACIT-004", "[0x4, 0x8)", code=1)
        self.golden("broken-buffering.tacit", "warning TACIT-005")
        self.golden("broken-order.tacit", "error TACIT-006", code=1)
        self.golden("broken-operation.tacit", "error TACIT-007", "peer 5", code=1)
        self.golden("broken-tag.tacit", "TACIT-007, line 5", "negative tag -1", code=1)
        self.golden("broken-put.tacit", "TACIT-007, line 4", "put of 8 B into 4 B", "the same length", code=1)
        self.golden("broken-communicator.tacit", "TACIT-080: line 5, column 6: communicator 'row' names rank 1 twice",
                    "TACIT-080: line 6, column 17: there is no rank 9", "from 0 to 3", code=1)
        self.golden("broken-budget.tacit", "TACIT-008", options=("--budget", "4"))
        self.golden("broken-syntax.tacit", "TACIT-080: line 4, column 21: expected '+', found 'to'", code=1)
        self.assertEqual(len(list(EXAMPLES.glob("broken-*"))), 12, "every broken example is tested above")

    def test_json(self):
        done = tacit("analyze", EXAMPLES / "butterfly.tacit", "--format", "json")
        report = json.loads(done.stdout)
        self.assertEqual([f["pattern"] for f in report["findings"]], ["alltoall"])
        self.assertEqual(len(report["transfers"]), 12)
        self.assertEqual(report["problems"][0]["line"], 10)
        self.assertFalse(report["plan"]["as_written"])

    def test_html_is_one_well_formed_file_that_loads_nothing(self):
        for example in sorted(EXAMPLES.glob("*.tacit")):
            done = tacit("analyze", example, "--format", "html")
            if not done.stdout:
                self.assertIn(example.name, ("broken-syntax.tacit", "broken-communicator.tacit"))
                continue
            page = xml.fromstring(done.stdout.removeprefix("<!DOCTYPE html>\n"))
            names = {e.tag for e in page.iter()}
            self.assertTrue({"h1", "table"} <= names and ("svg" in names or "broken" in example.name), example.name)
            self.assertFalse({"script", "link", "iframe", "img", "object"} & names, example.name)
            for element in page.iter():
                for attribute, value in element.attrib.items():
                    self.assertFalse(attribute.startswith("on") or attribute == "src", (example.name, attribute))
                    if attribute == "href":
                        self.assertTrue(value.startswith("#"), value)
            targets = {e.get("id") for e in page.iter()}
            for link in page.iter("a"):
                self.assertIn(link.get("href")[1:], targets)

    def test_dot(self):
        done = tacit("analyze", EXAMPLES / "broadcast.tacit", "--format", "dot")
        self.assertTrue(done.stdout.startswith('digraph "broadcast.tacit" {'))
        self.assertEqual(done.stdout.count("penwidth"), 3)

    def test_goal_runs_to_its_end_with_the_same_messages(self):
        for example in sorted(EXAMPLES.glob("*.tacit")):
            done = tacit("analyze", example, "--format", "goal")
            self.assertEqual(done.returncode, tacit("analyze", example).returncode)
            if done.returncode == 0:
                play(done.stdout)
            else:
                self.assertEqual(done.stdout, "", example)
        for words in (["bcast", "--form", "pipelined"], ["alltoall", "--form", "bruck", "-p", "9", "--random", "30", "--dependent"]):
            graph = tacit("generate", *words).stdout
            ends = play(tacit("analyze", "-", "--format", "goal", input=graph).stdout)
            self.assertEqual(sum(one[2][0] == "send" for one in ends), graph.count(": send"))

    def test_goal_of_epochs(self):
        puts = "tacit graph 1\nranks 3\nrank 0 {\nfence\nput 0x10+8 to 1 at 0x100+8\nfence\n}\nrank 1 {\nfence\nfence\n" \
            "send 0x100+8 to 2\n}\nrank 2 {\nfence\nfence\nrecv 0x100+8 from 1\n}\n"
        ends = [(rank, label) for rank, label, _ in play(tacit("analyze", "-", "--format", "goal", input=puts).stdout)]
        arrived = next(k for k, (rank, label) in enumerate(ends) if rank == "1" and label.startswith("o"))
        self.assertLess(arrived, ends.index(("1", "b1")))  # the put, in the epoch of its origin
        two = "tacit graph 1\nranks 3\ncomm pair = 0, 1\nrank 0 {\nfence\nfence comm pair\n}\nrank 1 {\nfence\nfence comm pair\n}\n" \
            "rank 2 {\nfence\n}\n"
        done = tacit("analyze", "-", "--format", "goal", input=two)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn("fences on different communicators", done.stderr)

    def test_predictions_for_other_numbers_of_ranks(self):
        graph = tacit("generate", "bcast", "--form", "linear", "-p", "6", "--root", "2").stdout
        done = tacit("analyze", "-", "--predict", "16,256", "--json", input=graph)
        found = json.loads(done.stdout)
        self.assertEqual((found["pattern"], found["form"], [one["ranks"] for one in found["predictions"]]), ("bcast", "linear", [16, 256]))
        many = {form: price["ns"] for form, price in found["predictions"][1]["forms"].items()}
        self.assertGreater(many["linear"], 5 * many["binomial"])
        text = tacit("analyze", "-", "--predict", "256", input=graph).stdout
        self.assertRegex(text, r"linear .* 1\.00x  as written\n  binomial .*x  fastest")
        unknown = tacit("analyze", EXAMPLES / "mixture.tacit", "--predict", "16")
        self.assertEqual((unknown.returncode, unknown.stdout), (1, ""))
        self.assertIn("no algorithm that tacit knows", unknown.stderr)
        exchange = tacit("generate", "alltoall", "--form", "linear", "-p", "4").stdout
        large = json.loads(tacit("analyze", "-", "--predict", "65536", "--json", input=exchange).stdout)["predictions"][0]["forms"]
        self.assertGreater(large["linear"]["at_least_ns"], 1e6)
        self.assertIn("too many to play", large["linear"]["not_played"])
        for wrong in (["--predict", "1"], ["--predict", "x"], ["--predict", "8", "--message-cost", "1,2"]):
            self.assertEqual(tacit("analyze", "-", *wrong, input=graph).returncode, 2, wrong)

    def test_options_reach_the_passes(self):
        without = json.loads(tacit("analyze", EXAMPLES / "butterfly.tacit", "--format", "json", "--disable", "detect",
                                   "--disable", "rendezvous").stdout)
        self.assertEqual((without["findings"], without["problems"]), ([], []))
        for wrong in (["--disable", "nothing"], ["--policy", "x"], ["--density", "2"], ["--budget", "-1"], ["--format", "pdf"]):
            done = tacit("analyze", EXAMPLES / "butterfly.tacit", *wrong)
            self.assertEqual(done.returncode, 2, wrong)
            self.assertTrue(done.stderr.startswith(f"tacit: {wrong[0]}: "), done.stderr)
            self.assertIn("'tacit analyze --help' says what is expected", done.stderr)

    def test_standard_input_and_progress(self):
        text = (EXAMPLES / "broadcast.tacit").read_text()
        done = tacit("analyze", "-", "--progress", input=text)
        self.assertIn("standard input: communication graph", done.stdout)
        self.assertIn("tacit: flow", done.stderr)
        self.assertNotIn("tacit:", tacit("analyze", "-", input=text).stderr)

    def test_files_that_cannot_be_read_or_written(self):
        self.assertEqual(tacit("analyze", "/nonexistent").returncode, 2)
        with tempfile.TemporaryDirectory() as folder:
            empty = tacit("analyze", folder)
            self.assertEqual(empty.returncode, 2)
            self.assertIn("there is no recording", empty.stderr)
            target = Path(folder) / "there" / "out.html"
            failed = tacit("analyze", EXAMPLES / "broadcast.tacit", "-o", target)
            self.assertEqual(failed.returncode, 1)
            self.assertIn(str(target), failed.stderr)
        full = tacit("analyze", EXAMPLES / "broadcast.tacit", "-o", "/dev/full")
        self.assertEqual(full.returncode, 1)
        self.assertIn("could not write /dev/full: No space left on device; make room", full.stderr)

    def test_a_failed_write_leaves_the_old_file_and_no_other(self):
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "out.txt"
            target.write_text("old")
            # A limit on the file size stands for a full disk.
            limited = f"ulimit -f 1; trap '' XFSZ; exec '{TACIT}' analyze '{EXAMPLES}/mixture.tacit' --format html -o '{target}'"
            done = subprocess.run(["bash", "-c", limited], capture_output=True, text=True)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertEqual(target.read_text(), "old")
            self.assertEqual([p.name for p in Path(folder).iterdir()], ["out.txt"])


class Generate(unittest.TestCase):
    def test_ranks_that_do_nothing_cost_next_to_nothing(self):
        """In time of the processor, which does not depend on what else runs; a microsecond for each rank is too much. What the kernel takes
        for memory is not counted: with a sanitizer it is most of all."""
        ranks = 1 << 23
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = tacit("analyze", "-", input=f"tacit graph 1\nranks {ranks}\n",
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (60, 60)))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, 5)
        self.assertIn(f"{ranks:,} ranks form no collective", done.stdout)

    def test_what_is_generated_is_found_again(self):
        for pattern, form, found in (("bcast", "ring", "bcast"), ("scatter", "binomial", "scatter"), ("gather", "linear", "gather"),
                                     ("allgather", "bruck", "allgather"), ("alltoall", "pairwise", "alltoall"),
                                     ("barrier", "dissemination", "barrier")):
            graph = tacit("generate", pattern, "--form", form, "-p", 6, "--random", 4, "--seed", 3)
            self.assertEqual(graph.returncode, 0, graph.stderr)
            report = json.loads(tacit("analyze", "-", "--format", "json", input=graph.stdout).stdout)
            self.assertIn(found, [f["pattern"] for f in report["findings"]], (pattern, form))

    def test_the_same_seed_gives_the_same_graph(self):
        a, b, c = (tacit("generate", "bcast", "--random", 5, "--seed", s).stdout for s in (1, 1, 2))
        self.assertEqual(a, b)
        self.assertNotEqual(a, c)

    def test_what_does_not_exist_is_refused(self):
        for words in (["sort"], ["bcast", "--form", "bruck"], ["alltoall", "--form", "butterfly", "-p", "3"], ["bcast", "-p", "0"]):
            done = tacit("generate", *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertTrue(done.stderr, words)


class Explain(unittest.TestCase):
    def test_every_way_to_name_a_code(self):
        texts = {tacit("explain", name).stdout for name in ("TACIT-041", "tacit-41", "41", "041", "observed_probe")}
        self.assertEqual(len(texts), 1)
        self.assertIn("MPI_Iprobe", texts.pop())

    def test_all_codes_are_listed_and_explained(self):
        pages = json.loads(tacit("explain", "--json").stdout)
        self.assertGreater(len(pages), 30)
        self.assertEqual(len(tacit("explain").stdout.splitlines()), len(pages))
        self.assertTrue(all(page["text"] for page in pages))
        self.assertEqual(tacit("explain", "TACIT-999").returncode, 2)


class Run(unittest.TestCase):
    """How the command line is changed, and what happens around the program; nothing is recorded here."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name in ("mpiexec", "srun"):
            launcher = self.folder / name
            launcher.write_text('#!/bin/sh\nwhile [ "$1" = -n ]; do shift 2; done\nexec "$@"\n')
            launcher.chmod(0o755)
        program = self.folder / "app"
        program.write_text("#!/bin/sh\nexit 5\n")
        program.chmod(0o755)

    def tacit_run(self, *words, variables=None, **more):
        environment = dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}")
        environment.pop("LD_PRELOAD", None)
        environment |= variables or {}
        return tacit("run", "--interposer", SOME_LIBRARY, *words, cwd=self.folder, env=environment, **more)

    def dry(self, *words):
        done = self.tacit_run("--dry-run", "-o", "x", "--", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        marks = f"env LD_PRELOAD={SOME_LIBRARY} TACIT_RECORD={self.folder}/x"
        return done.stdout.strip().replace(marks, "ENV")

    def test_the_recorder_is_put_before_each_program(self):
        for line, expected in (
            ("mpiexec -n 4 ./app -n 3", "mpiexec -n 4 ENV ./app -n 3"),
            ("mpiexec -n 2 ./app 1 : -n 2 ./app 2", "mpiexec -n 2 ENV ./app 1 : -n 2 ENV ./app 2"),
            ("mpiexec --mca btl tcp,self -x PATH --bind-to core ./app", "mpiexec --mca btl tcp,self -x PATH --bind-to core ENV ./app"),
            ("mpiexec -genv A B -ppn 2 -hosts a,b app", "mpiexec -genv A B -ppn 2 -hosts a,b ENV app"),
            ("mpiexec --unknown value ./app", "mpiexec --unknown value ENV ./app"),
            ("mpiexec --hostfile=hosts -np 2 env A=b ./app", "mpiexec --hostfile=hosts -np 2 ENV env A=b ./app"),
            ("srun -n 4 -J env ./app : x", "srun -n 4 -J env ENV ./app : x"),
            ("timeout 10 mpiexec -n 2 ./app", "timeout 10 mpiexec -n 2 ENV ./app"),
            ("./app mpi", "ENV ./app mpi"),
        ):
            self.assertEqual(self.dry(*line.split()), expected)

    def test_a_line_without_a_program_is_refused_with_a_remedy(self):
        for line in ("mpiexec -n 4", "mpiexec -n 4 ./missing", "mpiexec --app file", "missing-program"):
            done = self.tacit_run("--dry-run", "--", *line.split())
            self.assertEqual(done.returncode, 2, line)
            self.assertRegex(done.stderr, "program", line)

    def test_apply_does_not_speak_of_recording(self):
        for line in ("mpiexec -n 4 ./missing", "missing-program"):
            done = self.tacit_run("--apply", "--", *line.split())
            self.assertEqual(done.returncode, 2, line)
            self.assertNotRegex(done.stderr, "(?i)record|analyze", line)
        self.assertIn("TACIT_APPLY=1", self.tacit_run("--apply", "--", "mpiexec", "-n", "4", "./missing").stderr)
        self.assertIn("TACIT_RECORD=", self.tacit_run("--", "mpiexec", "-n", "4", "./missing").stderr)

    def test_exit_code_and_folder_without_a_recording(self):
        done = self.tacit_run("--", "mpiexec", "-n", "2", "./app")
        self.assertEqual(done.returncode, 5)
        self.assertIn("nothing was recorded (exit code 5)", done.stderr)
        self.assertFalse((self.folder / "app.tacit").exists())

    def test_signals_are_handed_on(self):
        script = self.folder / "waits"
        script.write_text("#!/bin/bash\ntrap 'echo got TERM; exit 9' TERM\necho ready\nwhile :; do sleep 0.05; done\n")
        script.chmod(0o755)
        child = subprocess.Popen([TACIT, "run", "--interposer", SOME_LIBRARY, "--", "./waits"], cwd=self.folder,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(child.stdout.readline(), "ready\n")
        child.send_signal(signal.SIGTERM)
        out, _ = child.communicate()
        self.assertEqual((child.returncode, out), (9, "got TERM\n"))

    def test_a_signal_while_the_program_is_started_reaches_it(self):
        """A library around posix_spawn sends the signal before there is a process, and before its number is known."""
        source = self.folder / "early.c"
        source.write_text(EARLY_SIGNALS)
        library = self.folder / "early.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
        # Under AddressSanitizer its run time is not the first library then.
        sanitizer = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        for moment in ("before", "after"):
            done = self.tacit_run("--", "sleep", "30", variables={"LD_PRELOAD": str(library), "SIGNAL_MOMENT": moment,
                                                                  "ASAN_OPTIONS": sanitizer})
            self.assertEqual(done.returncode, 128 + signal.SIGTERM, moment + done.stderr)

    def test_a_script_without_a_shell_line_is_run_by_the_shell(self):
        script = self.folder / "plain"
        script.write_text("exit 7\n")
        script.chmod(0o755)
        self.assertEqual(self.tacit_run("--", "./plain").returncode, 7)

    def test_apply_sets_its_variable_and_records_only_where_told(self):
        done = self.tacit_run("--apply", "--dry-run", "--", "./app")
        self.assertIn("TACIT_APPLY=1", done.stdout)
        self.assertNotIn("TACIT_RECORD", done.stdout)
        both = self.tacit_run("--apply", "-o", "here", "--dry-run", "--", "./app")
        self.assertIn("TACIT_APPLY=1", both.stdout)
        self.assertIn("TACIT_RECORD=", both.stdout)

    def test_wrong_usage(self):
        self.assertEqual(tacit().returncode, 2)
        self.assertEqual(tacit("run").returncode, 2)
        self.assertIn("there is no command 'frobnicate'", tacit("frobnicate").stderr)
        self.assertEqual(tacit("frobnicate").returncode, 2)
        self.assertEqual(tacit("view", self.folder).returncode, 2)
        self.assertIn("check the name", tacit("view", self.folder / "missing").stderr)
        one_rank = tacit("analyze", self.folder / "rank-00000.rec")
        self.assertEqual(one_rank.returncode, 2)
        self.assertIn("name its folder", one_rank.stderr)
        self.assertRegex(tacit("--version").stdout, r"^tacit \d+\.\d+\.\d+$")
        self.assertEqual(tacit("-V").stdout, tacit("--version").stdout)


class Doctor(unittest.TestCase):
    def test_unknown_variables_are_reported(self):
        done = tacit("doctor", "--interposer", SOME_LIBRARY, "sh", env=dict(os.environ, TACIT_TYPO="1"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("TACIT_TYPO is no variable of tacit", done.stdout)

    def test_misspelt_variables_and_values_are_answered_with_what_exists(self):
        wrong = dict(os.environ, TACIT_POLICI="data", TACIT_POLICY="date", TACIT_DENSITY="0.5")
        for words in (["--interposer", SOME_LIBRARY, "sh"], []):
            done = tacit("doctor", *words, env=wrong)
            self.assertEqual(done.returncode, 1)
            self.assertIn("TACIT_POLICI is no variable of tacit (did you mean TACIT_POLICY?)", done.stdout)
            self.assertIn("(did you mean data?)", done.stdout)
            self.assertIn('TACIT_POLICY is "date", but must be data or keep_sync', done.stdout)
            self.assertNotIn("TACIT_DENSITY is", done.stdout)

    def test_what_is_set_is_listed(self):
        done = tacit("doctor", "--json", env=dict(os.environ, TACIT_BUDGET="100", TACIT_RMA_MODEL="separate", TACIT_REPLACE="false"))
        self.assertEqual(done.returncode, 0, done.stdout)
        values = {row["variable"]: row["value"] for row in json.loads(done.stdout)}
        self.assertEqual((values["TACIT_BUDGET"], values["TACIT_RMA_MODEL"], values["TACIT_REPLACE"]), ("100", "separate", "false"))
        self.assertEqual(values["TACIT_DRIVER"], os.environ.get("TACIT_DRIVER", ""))


class Words(unittest.TestCase):
    def refused(self, *words):
        done = tacit(*words)
        self.assertEqual(done.returncode, 2, done.stdout)
        return done.stderr

    def test_help_is_the_help_of_the_command(self):
        self.assertEqual(tacit("help", "run").stdout, tacit("run", "--help").stdout)
        self.assertEqual(tacit("help", "bench", "neighbor").stdout, tacit("bench", "neighbor", "--help").stdout)
        self.assertEqual(tacit("help").stdout, tacit("--help").stdout)
        self.assertIn("there is no command 'rum' (did you mean run?)", self.refused("help", "rum"))

    def test_mistyped_words_are_answered_with_the_nearest(self):
        self.assertIn("there is no command 'anaylze' (did you mean analyze?)", self.refused("anaylze", "x"))
        self.assertIn("there is no command 'neighbour' (did you mean neighbor?)", self.refused("bench", "neighbour"))
        self.assertIn("there is no option '--ouput' (did you mean --output?)", self.refused("analyze", "--ouput=x", "y"))
        self.assertIn("there is no option '--forse' (did you mean --force?)", self.refused("run", "--forse", "--", "ls"))
        self.assertIn("there is no reason code 'cicle' (did you mean cycle?)", self.refused("explain", "cicle"))
        self.assertIn("there is no reason code 'TACIT-999';", self.refused("explain", "TACIT-999"))
        self.assertIn("there is no pattern 'alltoal' (did you mean alltoall?)", self.refused("generate", "alltoal"))
        self.assertNotIn("did you mean", self.refused("frobnicate"))
        for option, typed, meant in (("--policy", "date", "data"), ("--disable", "detekt", "detect"), ("--format", "jsn", "json")):
            self.assertIn(f"(did you mean {meant}?)", self.refused("analyze", "x", option, typed))

    def test_a_link_of_another_name_is_the_command(self):
        with tempfile.TemporaryDirectory() as folder:
            link = Path(folder) / "tacit-0.1"
            link.symlink_to(TACIT)
            done = subprocess.run([link, "--version"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, tacit("--version").stdout))

    def test_explain_knows_patterns_and_settings(self):
        self.assertIn("bcast (MPI_Bcast)", tacit("explain", "bcast").stdout)
        self.assertIn("It must be data or keep_sync; without it, data.", tacit("explain", "TACIT_POLICY").stdout)
        self.assertEqual(json.loads(tacit("explain", "--json", "tacit_policy").stdout)["variable"], "TACIT_POLICY")


if __name__ == "__main__":
    unittest.main()
