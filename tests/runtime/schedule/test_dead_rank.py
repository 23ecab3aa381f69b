#!/usr/bin/env python3
"""A rank that ends in the middle of compiling, in parts or in the background, ends the run, whatever message it ends in: no rank waits
for ever.

test_dead_rank.py PROGRAM LAUNCHER…"""
import subprocess
import sys

LIMIT = 60  # for what hangs; a run takes less than a second


def end_in_each(how, program, launcher):
    """Ends a rank in every fourth message, until there is none of that number."""
    for call in range(0, 400, 4):
        done = subprocess.run([*launcher, "-n", "4", program, how, str(call)], capture_output=True, text=True, timeout=LIMIT,
                              stdin=subprocess.DEVNULL, check=False)
        if "nobody has ended" in done.stdout:
            if done.returncode != 0 or call < 8:
                sys.exit(f"{how}, after {call} messages: code {done.returncode}\n{done.stdout}{done.stderr}")
            print(f"{how}: ended in every fourth of {call} messages")
            return
        if done.returncode == 0:
            sys.exit(f"{how}: a rank ended in message {call}, and the run succeeded\n{done.stdout}{done.stderr}")
    sys.exit(f"{how}: a compilation of 400 messages")


def main():
    program, *launcher = sys.argv[1:]
    for how in ("parts", "background"):
        end_in_each(how, program, launcher)


main()
