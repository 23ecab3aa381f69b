#!/usr/bin/env python3
"""`tacit platform`: measures once, keeps the model, says what is wrong with what it finds, and what to do."""
import json
import os
import resource
import shlex
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

TACIT = os.environ["COMMAND_FILE"]
LAUNCHER = shlex.split(os.environ["MPI_LAUNCHER"])


class Platform(unittest.TestCase):
    """One measurement for all tests: it takes seconds."""

    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.cache = Path(cls.folder)
        cls.first = cls.platform("--json", "--progress")

    @classmethod
    def platform(cls, *words, cache=None, launcher=LAUNCHER, **more):
        return subprocess.run([TACIT, "platform", *map(str, words), *(["--", *launcher] if launcher else [])],
                              capture_output=True, text=True,
                              env={**os.environ, "XDG_CACHE_HOME": str(cache or cls.cache)}, **more)

    def kept(self):
        files = list((self.cache / "tacit").glob("platform-*"))
        self.assertEqual(len(files), 1, files)  # and no temporary file beside it
        return files[0]

    def other_cache(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "tacit").mkdir()
        return folder, folder / "tacit" / self.kept().name

    def test_measures_what_is_promised(self):
        self.assertEqual(self.first.returncode, 0, self.first.stderr)
        model = json.loads(self.first.stdout)
        self.assertEqual(model["machine"]["mpi"].split()[0], {"openmpi": "Open", "mpich": "MPICH"}[os.environ["MPI_FAMILY"]])
        for entry in model["messages"]:
            for name in ("one_way", "send", "receive", "gap"):
                low, median, high = entry[name]
                self.assertTrue(0 < low <= median <= high, (entry, name))
        self.assertGreater(model["eager_limit"], 64)
        self.assertLess(model["eager_limit"], 1 << 20)
        self.assertFalse(model["eager_always"])
        self.assertGreater(model["flag"][1], 0)
        self.assertEqual(model["window"], "unified")
        self.assertEqual(len(model["puts"]), len(model["messages"]))
        self.assertEqual(len(model["memory"]), len(model["messages"]))

    def test_is_kept_and_shown_again_without_a_launcher(self):
        self.assertEqual(json.loads(self.kept().read_text()), json.loads(self.first.stdout))
        again = self.platform("--json", launcher=None)
        self.assertEqual((again.returncode, again.stdout), (0, self.first.stdout), again.stderr)

    def test_shows_a_table_and_a_plot(self):
        text = self.platform(launcher=None).stdout
        for part in ("latency L", "eager limit", "one way", "bandwidth", "put and flush", "measured 2"):
            self.assertIn(part, text)
        page = xml.fromstring(self.platform("--format", "html", launcher=None).stdout.removeprefix("<!DOCTYPE html>\n"))
        self.assertEqual(len([e for e in page.iter("svg")]), 1)
        self.assertGreaterEqual(len([e for e in page.iter("path")]), 7)

    def test_measures_between_two_hosts_beside_what_is_kept_of_one(self):
        folder, file = self.other_cache()
        file.write_text(self.kept().read_text())
        between = json.loads(self.kept().read_text()) | {"one_host": False}
        (folder / "between").write_text(json.dumps(between))
        program = folder / "measures"  # as if the launcher named two hosts
        program.write_text(f"""#!/bin/sh
case "$*" in *--library*) echo '{between["machine"]["mpi"]}'; exit;; *--places*) exit;; esac
hosts=
for word in "$@"; do
  case $word in --hosts) hosts=2;; --progress) break;; esac
  case $before in --output) to=$word;; esac
  before=$word
done
if [ "$hosts" ]; then echo 2 > "$to"; else echo measured >> {folder}/times; cp {folder}/between "$to"; fi
""")
        program.chmod(0o755)
        launcher = ["sh", "-c", 'shift 2; exec "$@"', "sh"]  # without the number of ranks
        for _ in range(2):
            done = self.platform("--json", "--program", program, cache=folder, launcher=launcher)
            self.assertEqual((done.returncode, json.loads(done.stdout)), (0, between), done.stderr)
        self.assertEqual((folder / "times").read_text(), "measured\n")
        self.assertEqual({f.name for f in (folder / "tacit").iterdir()}, {file.name, file.stem + "-network.json"})
        done = self.platform("--json", "--program", program, cache=folder, launcher=None)
        self.assertTrue(json.loads(done.stdout)["one_host"], done.stderr)

    def test_measures_cores_that_share_no_cache_beside_those_that_do(self):
        folder, file = self.other_cache()
        model = json.loads(self.kept().read_text())
        apart = model | {"one_cache": False}
        (folder / "one-cache").write_text(json.dumps(model))
        (folder / "two-caches").write_text(json.dumps(apart))
        program = folder / "measures"  # as if on a machine with two caches
        program.write_text(f"""#!/bin/sh
case "$*" in *--library*) echo '{model["machine"]["mpi"]}'; exit;; *--places*) echo one-cache 0,1; echo two-caches 0,2; exit;; esac
for word in "$@"; do
  case $before in --output) to=$word;; --place) place=$word;; --cores) cores=$word;; esac
  before=$word
done
echo $place:$cores >> {folder}/times; cp {folder}/$place "$to"
""")
        program.chmod(0o755)
        fake = ("--mpi", os.environ["MPI_FAMILY"], "--program", program)
        self.assertEqual(json.loads(self.platform("--json", "--kept", *fake, cache=folder, launcher=None).stdout)["measured"], "")
        for _ in range(2):
            done = self.platform("--json", *fake, cache=folder, launcher=None)
            self.assertEqual((done.returncode, json.loads(done.stdout)), (0, [model, apart]), done.stderr)
        self.assertEqual(sorted(set((folder / "times").read_text().split())), ["one-cache:0,1", "two-caches:0,2"])
        self.assertEqual({f.name for f in (folder / "tacit").iterdir()}, {file.name, file.stem + "-caches.json"})
        self.assertEqual(json.loads(self.platform("--json", "--kept", *fake, cache=folder, launcher=None).stdout), [model, apart])
        self.assertIn("share no cache", self.platform(*fake, cache=folder, launcher=None).stdout)

    def test_is_what_predictions_go_by(self):
        def predicted(*words):
            graph = subprocess.run([TACIT, "generate", "alltoall", "--form", "linear", "-p", "4"], capture_output=True, text=True).stdout
            return subprocess.run([TACIT, "analyze", "-", "--predict", "16", "--ranks-per-node", "16", "--json", *map(str, words)],
                                  input=graph, capture_output=True, text=True)
        forms = json.loads(predicted("--platform", self.kept()).stdout)["predictions"][0]["forms"]
        model = json.loads(self.kept().read_text())
        both = Path(self.enterContext(tempfile.TemporaryDirectory())) / "both.json"  # as of a machine with two caches
        both.write_text(json.dumps([model, model | {"one_cache": False}]))
        self.assertEqual(json.loads(predicted("--platform", both).stdout)["predictions"][0]["forms"], forms)
        self.assertTrue({price["driver"] for price in forms.values()} <= {"p2p", "shm"}, forms)
        broken = Path(self.enterContext(tempfile.TemporaryDirectory())) / "broken.json"
        broken.write_text("{}")
        said = predicted("--platform", broken)
        self.assertEqual((said.returncode, said.stdout), (1, ""))
        self.assertIn("is no model of a machine", said.stderr)
        self.assertEqual(predicted("--platform", self.kept(), "--message-cost", "1,1,1,1").returncode, 2)

    def test_says_that_nothing_is_kept(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        done = self.platform("--kept", cache=folder)
        self.assertEqual(done.returncode, 0)
        self.assertIn("the documented defaults, because there is no", done.stdout)
        self.assertEqual(list(folder.iterdir()), [])

    def test_names_damage_and_foreign_models(self):
        folder, file = self.other_cache()
        good = self.kept().read_text()
        for text, word in ((good[:500], "is damaged"), (good.replace('"cores": ', '"cores": 1'), "of another machine"),
                           (good.replace('"format": 1', '"format": 99'), "reads format 1"), ("", "is damaged")):
            file.write_text(text)
            done = self.platform("--kept", cache=folder)
            self.assertEqual(done.returncode, 0)
            self.assertIn(word, done.stdout.replace("\n  ", " "))

    def test_names_the_remedy_if_nothing_can_be_written(self):
        file = Path(self.enterContext(tempfile.NamedTemporaryFile()).name)
        done = self.platform("--kept", "-o", "/dev/full")
        self.assertEqual(done.returncode, 1)
        self.assertIn("make room", done.stderr)
        done = self.platform("--kept", "--json", "-o", file / "x")
        self.assertEqual(done.returncode, 1)
        self.assertIn("could not write", done.stderr)

    def test_survives_a_full_disk(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))

        # The measurement itself has room; the model has not.
        roomy = ["sh", "-c", 'ulimit -S -f unlimited; exec "$@"', "sh", *LAUNCHER]
        done = self.platform("--json", "-o", "/dev/null", cache=folder, launcher=roomy, preexec_fn=limit)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("XDG_CACHE_HOME", done.stderr)
        self.assertEqual(list((folder / "tacit").iterdir()), [])

    def test_bad_usage(self):
        for words, part in ((("--mpi", "nothing"), "no program that measures for 'nothing'"),
                            (("--format", "pdf"), "pdf"), (("--program", "/no/such"), "no program '/no/such'")):
            done = self.platform(*words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(part, done.stderr)
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        done = self.platform("--again", cache=folder, launcher=["false"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("failed", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
