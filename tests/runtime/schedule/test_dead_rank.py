#!/usr/bin/env python3
"""A rank that ends in the middle of compiling in parts ends the run, whatever message it ends in: no rank waits for ever.

test_dead_rank.py PROGRAM LAUNCHER…"""
import subprocess
import sys

LIMIT = 60  # for what hangs; a run takes less than a second


def main():
    program, *launcher = sys.argv[1:]
    for call in range(0, 100, 4):
        done = subprocess.run([*launcher, "-n", "4", program, str(call)], capture_output=True, text=True, timeout=LIMIT,
                              stdin=subprocess.DEVNULL, check=False)
        if "nobody has ended" in done.stdout:
            if done.returncode != 0 or call < 8:
                sys.exit(f"after {call} messages: code {done.returncode}\n{done.stdout}{done.stderr}")
            print(f"ended in every fourth of {call} messages")
            return
        if done.returncode == 0:
            sys.exit(f"a rank ended in message {call}, and the run succeeded\n{done.stdout}{done.stderr}")
    sys.exit("a compilation of 100 messages")


main()
