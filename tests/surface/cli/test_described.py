#!/usr/bin/env python3
"""The manual page, the completions and docs/settings.md say what the command line says."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

TACIT = os.environ["COMMAND_FILE"]
ROOT = Path(os.environ["SOURCE_FOLDER"])
COMMANDS = [[], ["run"], ["analyze"], ["generate"], ["explain"], ["doctor"], ["view"], ["selftest"], ["platform"],
            ["bench"], ["bench", "neighbor"]]


def tacit(*words):
    return subprocess.run([TACIT, *words], capture_output=True, text=True, check=True).stdout


def names_of_options(command):
    """Of each option its names, which are at the beginning of a line of help, without what follows them."""
    lines = [line.strip() for line in tacit(*command, "--help").splitlines() if line.startswith("  -")]
    return [set(re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", line.split("  ")[0])) for line in lines]


def options_in_help(command):
    return set().union(*names_of_options(command))


class Described(unittest.TestCase):
    def test_every_command_and_option_is_in_the_manual(self):
        page = tacit("describe", "man").replace("\\-", "-")
        for command in COMMANDS:
            if command:
                self.assertIn(f".SS tacit {' '.join(command)}\n", page)
            for name in options_in_help(command):
                self.assertIn(f"\\fB{name}\\fR", page, command)
        self.assertIn("TACIT_OVERLAP", page)
        self.assertNotIn("describe", page)

    def test_every_option_is_in_the_documentation(self):
        pages = "".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("cli.md", "platform.md"))
        told = set(re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", pages)) | {"--help"}
        for command in COMMANDS:
            self.assertEqual([names for names in names_of_options(command) if not names & told], [], command)

    @unittest.skipUnless(shutil.which("groff"), "groff is missing")
    def test_the_manual_is_without_faults_of_form(self):
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z"], input=tacit("describe", "man"), capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    # What a shell offers for the last word of a line; FILES stands for names of files.
    ASK = {
        "bash": 'compopt() { echo FILES; }; source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tacit; '
                'printf "%s\\n" "${COMPREPLY[@]}"',
        # Outside of its editor zsh has no compadd; what the function would hand over is printed instead.
        "zsh": 'compadd() { shift; print -l -- ${(M)@:#$PREFIX*} }; _files() { print FILES }; _normal() { print FILES }; '
               '_describe() { local -a all=(${${(P)argv[-1]}%%:*}); print -l -- ${(M)all:#$PREFIX*} }; '
               'file=$1; shift; words=("$@"); CURRENT=$#; PREFIX=$words[-1]; source $file',
        "fish": 'cd (mktemp -d); touch FILES; source $argv[1]; '
                'complete -C (string join " " -- $argv[2..]) | string replace -r "\\t.*" ""',
    }

    # What lines become in a real zsh, at its prompt, by a press of the tab key.
    AT_THE_PROMPT = r"""
zmodload zsh/zpty || exit 1
zpty z zsh -f -i
zpty -w z "stty -echo; PS1=; RPS1=; unset zle_bracketed_paste; fpath=(${1:h} \$fpath); autoload -Uz compinit; compinit -u -D
shown() { print -rn -- \"<\$BUFFER>\"; zle kill-buffer; }; zle -N shown; bindkey '^I' complete-word; bindkey '^G' shown; print RE\ADY"
zpty -r z said '*READY*'
for line in "${@:2}"; do
  zpty -w -n z "$line"$'\t\a'
  zpty -r z said '*\<*\>*'
  print -r -- "${${said##*\<}%\>*}"
done
zpty -d z
"""

    @unittest.skipUnless(shutil.which("zsh"), "zsh is missing")
    def test_zsh_completes_at_its_prompt(self):
        expected = {"tacit ru": "tacit run ", "tacit bench ": "tacit bench neighbor ",
                    "tacit generate --form ri": "tacit generate --form ring ", "tacit explain cyc": "tacit explain cycle ",
                    "tacit analyze --po": "tacit analyze --policy ", "tacit run -- /etc/pass": "tacit run -- /etc/pass"}
        with tempfile.TemporaryDirectory() as folder:
            file, ask = Path(folder) / "_tacit", Path(folder) / "ask.zsh"
            file.write_text(tacit("describe", "zsh"))
            ask.write_text(self.AT_THE_PROMPT)
            done = subprocess.run(["zsh", "-f", ask, file, *expected], capture_output=True, text=True, timeout=60,
                                  env=os.environ | {"HOME": folder, "TERM": "dumb"})
        lines = done.stdout.replace("\r", "").splitlines()
        for typed, line, wanted in zip(expected, lines, expected.values(), strict=True):
            self.assertTrue(line.startswith(wanted), f"{typed} became {line}")

    def complete(self, line, shell="bash"):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "tacit.completion"
            file.write_text(tacit("describe", shell))
            name = [] if shell != "zsh" else ["zsh"]
            done = subprocess.run([shell, "-c", self.ASK[shell], *name, file, *line], capture_output=True, text=True,
                                  env=os.environ | {"HOME": folder, "XDG_CONFIG_HOME": folder})
        self.assertEqual(done.stderr, "", shell)
        return set(done.stdout.split())

    def test_all_shells_complete_arguments(self):
        for shell in self.ASK:
            with self.subTest(shell=shell):
                if not shutil.which(shell):
                    self.skipTest(f"{shell} is missing")
                self.assertEqual(self.complete(["tacit", "help", "an"], shell), {"analyze"})
                self.assertEqual(self.complete(["tacit", "help", "bench", ""], shell), {"neighbor"})
                self.assertEqual(self.complete(["tacit", "generate", "bc"], shell), {"bcast"})
                self.assertEqual(self.complete(["tacit", "generate", "--form", "ri"], shell), {"ring"})
                self.assertEqual(self.complete(["tacit", "explain", "TACIT-00"], shell),
                                 {word for word in tacit("explain").split() if word.startswith("TACIT-00")})
                self.assertIn("cycle", self.complete(["tacit", "explain", "cyc"], shell))
                self.assertIn("FILES", self.complete(["tacit", "analyze", ""], shell))
                self.assertNotIn("FILES", self.complete(["tacit", "explain", ""], shell))
                self.assertIn("FILES", self.complete(["tacit", "generate", "-o", ""], shell))

    def test_bash_completes_commands_options_and_values(self):
        self.assertEqual(self.complete(["tacit", "ana"]), {"analyze"})
        self.assertEqual(self.complete(["tacit", "bench", ""]), {"neighbor"})
        self.assertEqual(self.complete(["tacit", "analyze", "--format", ""]), {"text", "json", "dot", "html", "goal"})
        self.assertEqual(self.complete(["tacit", "run", "--", "--"]), {"FILES"})
        for command in COMMANDS:
            self.assertEqual(self.complete(["tacit", *command, "-"]), options_in_help(command), command)

    def test_zsh_and_fish_know_every_option(self):
        zsh, fish = tacit("describe", "zsh"), tacit("describe", "fish")
        for command in COMMANDS:
            for name in options_in_help(command):
                self.assertIn(f"'{name}:", zsh)
                self.assertRegex(fish, f" -l {name[2:]} " if name.startswith("--") else f" -s {name[1:]} ")
        self.assertEqual([line for line in fish.splitlines() if not line.startswith(("complete ", "#"))], [])
        for shell, text in (("zsh", zsh), ("fish", fish)):
            with self.subTest(shell=shell):
                if not shutil.which(shell):
                    self.skipTest(f"{shell} is missing")
                done = subprocess.run([shell, "-n", "/dev/stdin"], input=text, capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""), shell)

    def test_the_table_of_settings_in_the_documentation(self):
        page = (ROOT / "docs/settings.md").read_text(encoding="utf-8")
        self.assertIn(tacit("describe", "settings"), page, "write the output of `tacit describe settings` into docs/settings.md")


if __name__ == "__main__":
    unittest.main()
