#!/usr/bin/env python3
"""Two nodes on one machine: network, mount, UTS, IPC and PID namespaces with a cable between them, Open MPI over TCP.

    bench/two_nodes.py                    patterns and neighborhoods of several ranks a node, by hand, by tacit and by MPI's calls;
                                          writes bench/results/two-nodes-<machine>.json
    bench/two_nodes.py --check PROGRAM…   runs programs on two ranks a node, forms of two levels, then loses a node, as a test

Each node has a name, a network, System V shared memory, a /dev/shm and process numbers of its own, so that MPI and tacit see two machines
and no rank maps memory of one on the other node; processors are shared, and the network is as fast as the kernel. Needs root
(namespaces) and Open MPI; says why and succeeds where it may not.
"""
import argparse
import json
import os
import re
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measured import ROOT, dirty, git, machine, user_environment, write_result

ADDRESSES = ("10.213.78.1", "10.213.78.2")
SUBNET = "10.213.78.0/24"
WITH_TWO_LEVELS = ("broadcast", "scatter", "gather", "allgather", "transpose")
PATTERNS = (*WITH_TWO_LEVELS, "allreduce-linear", "allreduce-tree")
# What crosses a network that is slow for each message goes through leaders.
SLOW_NETWORK = {"TACIT_MESSAGE_COST": "20000,30000,0.1,0.01"}


class Trouble(Exception):
    pass


class NotPermitted(Exception):
    pass


def call(*command, environment: dict | None = None) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        raise Trouble(f"{shlex.join(str(word) for word in command)}\nfailed:\n{(done.stdout + done.stderr)[-2000:]}")
    return done.stdout


class Nodes:
    """The two nodes, while the `with` lasts. `shape`: how tc forms what each sends; nothing: as fast as it goes."""

    def __init__(self, work: Path, addresses=ADDRESSES, subnet=SUBNET, shape: tuple = ()):
        self.networks = [f"tacit-{os.getpid()}-{side}" for side in "ab"]
        self.cable = [f"tc{os.getpid() % 100000}{side}" for side in "ab"]
        self.work, self.addresses, self.subnet, self.shape = work, addresses, subnet, shape
        self.holders, self.first = [], [] # what holds the namespaces of a node, and the first process in them

    def __enter__(self):
        look_around()
        try:
            self._connect()
        except Trouble as trouble:
            self.__exit__()
            raise NotPermitted(str(trouble).replace("\n", " ")) from None
        return self

    def __exit__(self, *_):
        for pid in [pid for node in range(len(self.holders)) for pid in self.processes(node)]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        for holder in self.holders:
            holder.kill()
            holder.wait()
        for name in self.networks:
            subprocess.run(["ip", "netns", "del", name], capture_output=True)

    def _connect(self):
        # The first node keeps the numbers of this process's, so that its launcher can name a process of the second one to enter that.
        numbers = ((), ("--pid", "--fork", "--kill-child", "--mount-proc"))
        for name in self.networks:
            call("ip", "netns", "add", name)
        call("ip", "link", "add", self.cable[0], "netns", self.networks[0], "type", "veth", "peer", "name", self.cable[1],
             "netns", self.networks[1])
        for name, end, address, own in zip(self.networks, self.cable, self.addresses, numbers):
            call("ip", "-n", name, "addr", "add", f"{address}/24", "dev", end)
            call("ip", "-n", name, "link", "set", end, "up")
            call("ip", "-n", name, "link", "set", "lo", "up")
            if self.shape:
                call("ip", "netns", "exec", name, "tc", "qdisc", "add", "dev", end, "root", *self.shape)
            self.holders.append(subprocess.Popen(
                ["ip", "netns", "exec", name, "unshare", "--mount", "--uts", "--ipc", *own, "sh", "-c",
                 f"hostname {name} && mount -t tmpfs tmpfs /dev/shm && echo ready && exec sleep infinity"],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
            if self.holders[-1].stdout.readline().strip() != "ready":
                raise Trouble(f"no namespaces: {self.holders[-1].stderr.read()}")
            holder = self.holders[-1].pid
            self.first.append(int(Path(f"/proc/{holder}/task/{holder}/children").read_text()) if own else holder)
        self.work.mkdir(parents=True, exist_ok=True)
        self.agent = self.work / "agent" # what mpirun starts its part on the other node with, instead of ssh
        self.agent.write_text(f'#!/bin/sh\nshift\nexec {shlex.join(self.entering(1))} sh -c "$*"\n')
        self.agent.chmod(0o755)

    def entering(self, node: int) -> list[str]:
        return ["nsenter", "--target", str(self.first[node]), "--net", "--mount", "--uts", "--ipc", "--pid", "--wdns=/"]

    def processes(self, node: int) -> list[int]:
        """All that run on a node, but for what makes it one."""
        def name_space(pid):
            try:
                return os.readlink(f"/proc/{pid}/ns/uts")
            except OSError:
                return None
        own = name_space(self.holders[node].pid)
        return [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and own and name_space(pid) == own
                and int(pid) not in (self.holders[node].pid, *self.first)]

    def shared_memory(self, node: int) -> list[str]:
        return call(*self.entering(node), "ls", "/dev/shm").split()

    def command(self, each: int, program: list, before: tuple = (), mca: tuple = ()) -> list[str]:
        """Of a run with so many ranks on each node. `before`: stands in front of the launcher."""
        settings = {"plm_rsh_agent": self.agent, "pml": "ob1", "btl": "tcp,vader,self", "btl_tcp_if_include": self.subnet,
                    "oob_tcp_if_include": self.subnet,
                    "osc": "^rdma,ucx"} # Open MPI 4.1: one has no windows over TCP, the other crashes while it makes one
        if 2 * each > os.cpu_count():
            settings["mpi_yield_when_idle"] = "1"
        settings.update(setting.split("=", 1) for setting in mca)
        words = [*self.entering(0), *before, "mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
                 "-np", 2 * each, "--host", ",".join(f"{address}:{each}" for address in self.addresses)]
        words += [word for name, value in settings.items() for word in ("--mca", name, value)]
        return [str(word) for word in [*words, *program]]


def look_around() -> None:
    if os.geteuid() != 0:
        raise NotPermitted("network namespaces need root")
    for program, package in (("ip", "iproute2"), ("unshare", "util-linux"), ("nsenter", "util-linux"),
                             ("mpirun.openmpi", "openmpi-bin")):
        if not shutil.which(program):
            raise NotPermitted(f"{program} is missing ({package})")


def run(nodes: Nodes, each: int, program: list, limit: float = 120, **environment) -> str:
    done = subprocess.run(nodes.command(each, program, before=("timeout", str(limit))), capture_output=True, text=True, cwd=nodes.work,
                          env={**user_environment(), "TACIT_EXPECTED_RANKS": str(2 * each), **environment})
    if done.returncode != 0:
        raise Trouble(f"{shlex.join(str(word) for word in program)} with {each} ranks a node ended with {done.returncode}:\n"
                      f"{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout


# --- as a test


def lose_a_node(nodes: Nodes, endless: list) -> None:
    """All processes of the second node die while ranks exchange: the job ends, says so, and leaves nothing behind."""
    with tempfile.TemporaryFile("w+") as said:
        job = subprocess.Popen(nodes.command(2, endless), stdout=said, stderr=said, cwd=nodes.work, env=user_environment())
        until, all_there = time.monotonic() + 60, None
        while not all_there or time.monotonic() < all_there + 1.5: # some runs done
            if not all_there and len(ranks_of(nodes, endless[0])) == 4:
                all_there = time.monotonic()
            if job.poll() is not None or time.monotonic() > until:
                raise Trouble(f"the job to lose a node of did not start: {text_of(said)}")
            time.sleep(0.1)
        for pid in nodes.processes(1):
            os.kill(pid, signal.SIGKILL)
        try:
            code = job.wait(60)
        except subprocess.TimeoutExpired:
            raise Trouble("the job goes on a minute after one of its nodes died") from None
        if code == 0 or not re.search(r"\bdaemons?\b", text_of(said)):
            raise Trouble(f"the job ended with {code} and says nothing of a node: {text_of(said)}")
    for _ in range(100):
        left = [pid for node in (0, 1) for pid in nodes.processes(node)]
        if not left:
            break
        time.sleep(0.1)
    else:
        raise Trouble(f"processes {left} are left behind")
    if names := nodes.shared_memory(0):
        raise Trouble(f"/dev/shm of the surviving node holds {names}")


def ranks_of(nodes: Nodes, program: Path) -> list[int]:
    def runs_it(pid):
        try:
            return os.readlink(f"/proc/{pid}/exe") == str(program.resolve())
        except OSError:
            return False
    return [pid for node in (0, 1) for pid in nodes.processes(node) if runs_it(pid)]


def text_of(file) -> str:
    file.seek(0)
    return file.read()[-3000:]


def check(nodes: Nodes, programs: list[Path], patterns: Path, tacit: Path | None) -> None:
    for program in programs:
        run(nodes, 2, [program])
        print(f"{program.name}: passed on 2 x 2 ranks")
    one = result_of(run(nodes, 4, [patterns, "transpose", "graph", 64, 3, 3], **SLOW_NETWORK))
    if one["wrong"] or not one["chosen"].startswith("two-level"):
        raise Trouble(f"a transpose among 2 x 4 ranks: {one['said']}")
    for pattern in WITH_TWO_LEVELS:
        one = result_of(run(nodes, 3, [patterns, pattern, "graph", 1000, 3, 3], TACIT_PLAN="two-level"))
        if one["wrong"] or not one["chosen"].startswith("two-level"):
            raise Trouble(f"{pattern} by two levels among 2 x 3 ranks: {one['said']}")
    print("two levels: chosen and right")
    if tacit:
        one = neighborhood(nodes, tacit, 4, "irregular", [64], 0, SLOW_NETWORK)[0]
        if not one["aggregated"]:
            raise Trouble(f"an irregular neighborhood among 2 x 4 ranks: {one}")
        print("a neighborhood between nodes: aggregated and right")
    lose_a_node(nodes, [patterns, "transpose", "graph", 64, 1000, 1000000])
    print("a node lost in schedules: the job ends and leaves nothing")
    for program in programs:
        if program.name == "test_neighbor_calls":
            lose_a_node(nodes, [program, "--gtest_filter=neighbor.operations_of_one_plan_move_their_buffers", "--gtest_repeat=-1",
                                "--gtest_brief=1"])
            print("a node lost in neighborhood collectives: the job ends and leaves nothing")


# --- as a measurement


def result_of(text: str) -> dict:
    """`plans`: names, drivers and prices in us of all that was compared, the cheapest first; `chosen`: what runs in the end; `tried`: the
    run until which variants are measured."""
    values = re.search(r"^result (\S+) (\S+) (\S+) (\d+)$", text, re.MULTILINE)
    if not values:
        raise Trouble(f"no result in:\n{text}")
    said = next((json.loads(line) for line in text.splitlines() if line.startswith('{"ranks"')), {})
    tried = re.search(r"^feedback(?: after|: \d+ variants are tried until run) (\d+)", text, re.MULTILINE)
    return {"us": float(values[1]) * 1e6, "wrong": int(values[4]), "said": text, "tried": int(tried[1]) if tried else 0,
            "plans": [(one["plan"], one["driver"], round(one["nanoseconds"] / 1000, 2)) for one in said.get("predicted", ())],
            "chosen": f"{said['plan']} by {said['driver']}" if "plan" in said else ""}


def compare(nodes: Nodes, program: Path, each: int, pattern: str, size: int, rounds: int, environment: dict) -> dict:
    """`graph`: as users have it, when it has measured its variants. `two-level` and `flat`: the cheapest plan of two levels and of one, as
    far as predictions tell, whatever was chosen."""
    runs = 50 if size <= 65536 else 10

    def one(way: str, before: int = 0, plan: tuple = (), blocks: int = 10) -> dict:
        forced = {"TACIT_PLAN": plan[0], "TACIT_DRIVER": plan[1], "TACIT_TUNE": "off"} if plan else {}
        words = [program, pattern, way, size, blocks, runs, before]
        result = result_of(run(nodes, each, words, **environment, **forced))
        if result["wrong"]:
            raise Trouble(f"{pattern} {way} of {size} bytes: {result['wrong']} values are wrong")
        return result
    first = one("graph", blocks=1)
    settled = 2 * first["tried"] # where ranks share cores, how many runs are tried depends on their time
    plans = {"two-level": next((plan for plan in first["plans"] if plan[0].startswith("two-level")), ()),
             "flat": next((plan for plan in first["plans"] if not plan[0].startswith("two-level")), ())}
    ways = ["hand", "graph", "mpi", *(plans if plans["two-level"] else ())]
    times, chosen = {way: [] for way in ways}, []
    for round_ in range(rounds):
        first_way = round_ % len(ways)
        for way in ways[first_way:] + ways[:first_way]:
            result = one("graph", plan=plans[way]) if way in plans else one(way, settled if way == "graph" else 0)
            times[way].append(result["us"])
            if way == "graph":
                chosen.append(result["chosen"])
    gains = [hand / graph for hand, graph in zip(times["hand"], times["graph"])]
    row = {"pattern": pattern, "ranks": 2 * each, "bytes": size, "predicted": {f"{plan} by {by}": us for plan, by, us in first["plans"]},
           "chosen": chosen, **{way: round(statistics.median(values), 2) for way, values in times.items()},
           "gain": round(statistics.median(gains), 3), "gains": [round(gain, 3) for gain in gains]}
    levels = ""
    if plans["two-level"]:
        of_levels = [flat / two for flat, two in zip(times["flat"], times["two-level"])]
        row |= {"flat_plan": " by ".join(plans["flat"][:2]), "gain_of_two_levels": round(statistics.median(of_levels), 3)}
        levels = f"; two levels {row['two-level']:.1f}, {row['gain_of_two_levels']:.2f} of {row['flat_plan']}"
    print(f"{pattern:18} 2 x {each} ranks {size:8} B: by hand {row['hand']:9.1f} us, graph {row['graph']:9.1f}, MPI {row['mpi']:9.1f}, "
          f"gain {row['gain']:.2f}, {', '.join(dict.fromkeys(chosen))}{levels}", file=sys.stderr)
    return row


def irregular(ranks: int) -> str:
    """Some three in five of the others, with blocks of 1 to 4 values: what rank 1 gets is not what it gives."""
    return "".join(f"{here} {there} {1 + (3 * here + there) % 4}\n" for here in range(ranks) for there in range(ranks)
                   if here != there and (7 * here + 5 * there + here * there) % 5 < 3)


NEIGHBORHOODS = {"halo": [], "halo with corners": ["--reach", 1], "irregular": []}


def neighborhood(nodes: Nodes, tacit: Path, each: int, name: str, sizes: list[int], seconds: float, environment: dict) -> list[dict]:
    """Every variant of an exchange with neighbors in one run, each byte checked (`tacit bench neighbor`); 10th percentiles in us. A row
    of the grid of a halo is a node."""
    words = ["--cart", f"2x{each}", *NEIGHBORHOODS[name]]
    if name == "irregular":
        (nodes.work / "edges").write_text(irregular(2 * each))
        words = ["--graph", nodes.work / "edges"]
    words += ["--bytes", ",".join(map(str, sizes)), "--seconds", seconds, "--json", "--"]
    command = nodes.command(each, [], before=("timeout", 300, tacit, "bench", "neighbor", *words))
    done = subprocess.run(command, capture_output=True, text=True, cwd=nodes.work, env={**user_environment(), **environment})
    if done.returncode != 0:
        raise Trouble(f"tacit bench neighbor, {name}, {each} ranks a node:\n{(done.stdout + done.stderr)[-3000:]}")
    rows = []
    for one in json.loads(done.stdout)["runs"][0]["sizes"]:
        choice = next(variant for variant in one["variants"] if variant["choice"])
        us = {variant["name"]: round(variant["p10"] * 1e6, 2) for variant in one["variants"] if not variant["fault"]}
        wrong = [f"{variant['name']}: {variant['fault']}" for variant in one["variants"] if variant["fault"]]
        rows.append({"neighborhood": name, "ranks": 2 * each, "bytes": one["bytes"], "chosen": line_of(choice["detail"], "predicted: "),
                     "aggregated": line_of(choice["detail"], "aggregated: ") != "", "us": us, "wrong": wrong})
    return rows


def line_of(text: str, start: str) -> str:
    return next((line.removeprefix(start) for line in text.splitlines() if line.startswith(start)), "")


def compare_neighborhoods(nodes: Nodes, tacit: Path, each: int, arguments, environment: dict) -> list[dict]:
    rows = []
    for name in NEIGHBORHOODS:
        for row in neighborhood(nodes, tacit, each, name, arguments.bytes, arguments.seconds, environment):
            ours, hand, mpi = (row["us"].get(way) for way in ("tacit's choice", "Irecv, Isend, Waitall", "MPI_Neighbor_alltoallv"))
            if not ours or not hand:
                raise Trouble(f"a neighborhood is wrong: {row['wrong']}")
            row |= {"gain": round(hand / ours, 3)} | ({"gain_of_mpi": round(mpi / ours, 3)} if mpi else {})
            rows.append(row)
            print(f"{name:18} 2 x {each} ranks {row['bytes']:8} B: by hand {hand:9.1f} us, tacit {ours:9.1f}, MPI {mpi or 0:9.1f}, gain "
                  f"{row['gain']:.2f}, {row['chosen'].split(';')[0]}{', aggregated' * row['aggregated']}", file=sys.stderr)
    return rows


def measure(nodes: Nodes, program: Path, tacit: Path, arguments) -> dict:
    facts = machine()
    cache = {"XDG_CACHE_HOME": str(nodes.work / "cache")}
    shutil.rmtree(nodes.work / "cache", ignore_errors=True)
    clean = {**user_environment(), **cache}
    call(*nodes.entering(0), tacit, "platform", environment=clean)
    call(*nodes.command(1, [], before=(tacit, "platform", "--")), environment=clean)
    models = {file.name.replace(nodes.networks[0], "NODE"): json.loads(file.read_text("utf-8"))
              for file in sorted((nodes.work / "cache" / "tacit").glob("platform-*.json"))}
    if len(models) != 2:
        raise Trouble(f"there are prices of {', '.join(models)}, not of a node and of the network")
    for name, model in models.items():
        if model["core_share_percent"] < 70: # tacit takes its defaults then
            raise Trouble(f"the machine is busy: ranks had {model['core_share_percent']} % of a core while {name} was measured")
    rows = [compare(nodes, program, each, pattern, size, arguments.rounds, cache) for each in arguments.each for pattern in PATTERNS
            for size in arguments.bytes]
    neighborhoods = [row for each in arguments.each for row in compare_neighborhoods(nodes, tacit, each, arguments, cache)]
    return {"machine": facts, "commit": git("rev-parse", "--short", "HEAD"), "dirty": dirty(), "models": models,
            "command": shlex.join(["bench/two_nodes.py", *sys.argv[1:]]), "rows": rows, "neighborhoods": neighborhoods}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", nargs="*", type=Path, metavar="PROGRAM")
    parser.add_argument("--patterns", type=Path, default=ROOT / "build" / "release" / "bin" / "s1_patterns")
    parser.add_argument("--tacit", type=Path, help="the command, which tries neighborhoods (default: beside the patterns; as a test: none)")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "two-nodes", help="where the launcher's agent is written")
    parser.add_argument("--each", nargs="+", type=int, default=[2, 3, 4], help="ranks of a node")
    parser.add_argument("--bytes", nargs="+", type=int, default=[64, 4096, 65536])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2, help="of a neighborhood and size")
    parser.add_argument("--stdout", action="store_true", help="write no result file")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # leaves no namespaces behind
    try:
        with Nodes(arguments.work.resolve()) as nodes:
            if arguments.check is not None:
                check(nodes, [program.resolve() for program in arguments.check], arguments.patterns.resolve(),
                      arguments.tacit and arguments.tacit.resolve())
            else:
                patterns = arguments.patterns.resolve()
                tacit = (arguments.tacit or patterns.parent / "tacit").resolve()
                write_result("two-nodes", measure(nodes, patterns, tacit, arguments), arguments.stdout)
    except NotPermitted as reason:
        print(f"skipped: {reason}")
    except Trouble as trouble:
        print(f"two_nodes: {trouble}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
