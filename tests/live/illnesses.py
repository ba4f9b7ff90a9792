# SPDX-License-Identifier: MIT
"""Sick and healthy processes to observe, each with pmctop's verdict in JSON, and a
witness: what /proc and the cgroup's files have to show if the process is what its name says.

    with started("fsync") as sick:          # raises CannotBeMade, with the reason
        seen = Seen(sick)                   # what the kernel counts in the next WATCH_S
        assert ILLNESSES["fsync"].witness(seen), seen

The load programs are in tests/load. setpriv ends them with the thread that has started them.
"""
import collections
import contextlib
import glob
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import typing

from programs import BUILD, LOAD, alive, state_of

WATCH_S = 0.8
LOOK_S = 0.01  # between two looks at states
FOREVER = "1000000000"
TICKS = os.sysconf("SC_CLK_TCK")
CPUS = sorted(os.sched_getaffinity(0))
ONE, TWO = str(CPUS[-1]), ",".join(map(str, CPUS[-2:]))


class CannotBeMade(Exception):
    """The reason why this machine cannot have the illness."""


class Sick(typing.NamedTuple):
    """The process and the thread to look at, and all processes that were started."""
    pid: int
    tid: int
    pids: list


def read(path):
    """The text of a file, "" if there is none or the task has ended."""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def named(text, name):
    """The number behind a name, as in status, io and cpu.stat; 0 without it."""
    for line in text.splitlines():
        words = line.replace(":", " ").split()
        if words[:1] == [name]:
            return int(words[1])
    return 0


def children_of(pid):
    return [int(child) for path in glob.glob(f"/proc/{pid}/task/*/children")
            for child in read(path).split()]


def cgroup_of(pid):
    """The directory of the cgroup that confine made for the process, or None."""
    for line in read("/proc/self/mounts").splitlines():
        directory = f"{line.split()[1]}/pmctop-load-{pid}"
        if line.split()[2].startswith("cgroup") and os.path.exists(directory):
            return directory
    return None


def datagrams_sent():
    """By UDP, in this network namespace."""
    names, values = [line.split() for line in read("/proc/net/snmp").splitlines()
                     if line.startswith("Udp:")]
    return int(values[names.index("OutDatagrams")])


def counts_of(pid):
    """What the kernel has counted for a process and its living threads, since they began."""
    stat = read(f"/proc/{pid}/stat").rsplit(")", 1)[-1].split()
    counts = collections.Counter()
    if stat:
        counts.update(minor=int(stat[7]), major=int(stat[9]),
                      child_s=(int(stat[13]) + int(stat[14])) / TICKS)
    for task in glob.glob(f"/proc/{pid}/task/*"):
        ran, waited, _ = (read(f"{task}/schedstat") or "0 0 0").split()
        status = read(f"{task}/status")
        counts.update(run_s=int(ran) / 1e9, runq_s=int(waited) / 1e9,
                      switches=named(status, "voluntary_ctxt_switches") +
                      named(status, "nonvoluntary_ctxt_switches"))
    io = read(f"/proc/{pid}/io")
    counts.update(resident_bytes=named(read(f"/proc/{pid}/status"), "VmRSS") * 1024,
                  read_bytes=named(io, "read_bytes"), write_bytes=named(io, "write_bytes"))
    if cgroup := cgroup_of(pid):
        counts.update(throttled=named(read(f"{cgroup}/cpu.stat"), "nr_throttled"),
                      reclaimed=int(read(f"{cgroup}/memory.failcnt") or 0) +
                      named(read(f"{cgroup}/memory.events"), "max"))
    return counts


class Seen:
    """What was counted in WATCH_S: `own` of the process to look at, `counts` of all that were
    started and still live (seen.major is seen.counts["major"]), forks and datagrams of the machine.
    How often each state and wchan of the thread was seen."""

    def __init__(self, sick):
        self.processes = len(sick.pids)
        self.states, self.wchans, self.looks = collections.Counter(), collections.Counter(), 0
        before, began = self._counts(sick), time.monotonic()
        while time.monotonic() < began + WATCH_S:
            self._look(sick)
            time.sleep(LOOK_S)
        after = self._counts(sick)
        self.wall_s = time.monotonic() - began
        for pid, counts in after.items():
            counts.subtract(before[pid])
        machine, self.own = after.pop("machine"), after[sick.pid]
        self.machine_forks, self.machine_datagrams = machine["forks"], machine["datagrams"]
        self.counts = collections.Counter()
        for pid, counts in after.items():
            if alive(pid):
                self.counts.update(counts)

    @staticmethod
    def _counts(sick):
        machine = collections.Counter(forks=named(read("/proc/stat"), "processes"),
                                      datagrams=datagrams_sent())
        return {"machine": machine, **{pid: counts_of(pid) for pid in sick.pids}}

    def _look(self, sick):
        task = f"/proc/{sick.pid}/task/{sick.tid}"
        self.looks += 1
        self.states[state_of(f"{sick.pid}/task/{sick.tid}")] += 1
        self.wchans[read(f"{task}/wchan")] += 1

    def __getattr__(self, name):
        return self.counts[name]

    def state(self, letter):
        """The share of looks that saw this state."""
        return self.states[letter] / self.looks

    def wchan(self, part):
        """The share of looks that saw a wchan with this part in its name."""
        return sum(count for name, count in self.wchans.items() if part in name) / self.looks

    def share(self, name):
        """A count of seconds of all processes, as a share of the time."""
        return self.counts[name] / self.wall_s

    def own_share(self, name):
        """The same of the process to look at."""
        return self.own[name] / self.wall_s

    def __str__(self):
        return " ".join([f"{self.wall_s:.2f} s: machine_forks {self.machine_forks} "
                         f"machine_datagrams {self.machine_datagrams}"] +
                        [f"{name} {count:.4g}" for name, count in self.counts.items() if count] +
                        [f"own_{name} {self.own[name]:.4g}" for name in ("run_s", "runq_s")] +
                        [f"{name} {count}" for name, count in
                         [*self.states.most_common(), *self.wchans.most_common(4)] if name != "0"])


def program(name, *arguments):
    return [os.path.join(LOAD, name), *arguments]


def confined(version, controller, amount, command):
    return program("confine", str(version), controller, str(amount), *command)


def pinned(cpus, *command):
    return ["taskset", "-c", cpus, *command]


def script(place, interpreter, text):
    """A file with the text, and the command that runs it."""
    path = os.path.join(place, "main")
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    return [interpreter, path]


def python(place, text):
    return script(place, sys.executable, text)


SPIN = program("spin")
SOURCES, COMPILED = 4, 5000
FUNCTIONS = 20


def compile_commands(place, jobs=2):
    """make -j JOBS of C files that take gcc a tenth of a second each."""
    for tool in "make", "cc":
        if not shutil.which(tool):
            raise CannotBeMade(f"no {tool}")
    for i in range(SOURCES):
        with open(f"{place}/{i}.c", "w", encoding="ascii") as file:
            file.writelines(f"int f{j}(int *x, int n) {{ int s = {i}; for (int i = 0; i < n; i++) "
                            f"s += x[i] * x[(i + {j}) % n]; return s; }}\n"
                            for j in range(FUNCTIONS))
    with open(f"{place}/Makefile", "w", encoding="ascii") as file:
        file.write(f"JOBS := $(shell seq {COMPILED})\n.PHONY: all $(JOBS)\nall: $(JOBS)\n"
                   f"$(JOBS):\n\t@cc -O2 -c -o /dev/null $$(($@ % {SOURCES})).c\n")
    return [["make", "-s", f"-j{jobs}", "-C", place]]


COPIES = """
a, b = bytearray(1 << 30), bytearray(1 << 30)
print("ready", flush=True)
while True:
    a[:] = b
"""
# 2^24 ways to divide the letters into groups, again and again.
REGEX = """
import re
print("ready", flush=True)
while True:
    re.match("(a+)+$", 24 * "a" + "b")
"""
JIT = """
function mix(n) {
    let x = 1;
    for (let i = 0; i < n; i++) {
        x ^= x << 13;
        x ^= x >>> 17;
        x ^= x << 5;
    }
    return x;
}
require("fs").writeSync(1, "ready\\n");
for (let sum = 0; ; sum ^= mix(1e7));
"""
# 50 MB a second, up to 3 GB.
LEAK = """
import time
held = []
print("ready", flush=True)
while True:
    held.append(5_000_000 * b"x")
    time.sleep(0.1)
    if len(held) == 600:
        held.clear()
"""
UDP = """
import os, socket
receiver = socket.socket(type=socket.SOCK_DGRAM)
receiver.bind(("127.0.0.1", 0))
if os.fork():
    print("ready", flush=True)
    while True:
        receiver.recv(2048)
sender = socket.socket(type=socket.SOCK_DGRAM)
sender.connect(receiver.getsockname())
while True:
    sender.send(64 * b"x")
"""
FEW_FORKS = "echo ready; while :; do /bin/true; /bin/true; sleep 0.005; done"
STOPPED_READER = """
exec 3>&1 > >(exec gzip >/dev/null 3>&-)
while [ "$(cat /proc/$!/comm)" != gzip ]; do sleep 0.1; done
kill -STOP $!
echo ready >&3
exec cat /dev/zero 3>&-
"""
DIRECT_READS = """
dd if=/dev/zero of={place}/file bs=1M count=3072 conv=fsync status=none
echo ready
exec dd if={place}/file of=/dev/null bs=4k iflag=direct
"""


class Illness(typing.NamedTuple):
    """The word; commands(directory) whose last one is looked at; and the witness, a function of
    Seen. `last_thread`: look at the last thread rather than the first. `stop`: send SIGSTOP."""
    verdict: str
    commands: typing.Callable
    witness: typing.Callable
    last_thread: bool = False
    stop: bool = False


# The limits are far from what is usual, and other work on the machine shifts few of them: counts
# are compared with the CPU time of the same process. run_delay (runq_s) grows only when a thread
# gets a CPU, so a starved one is recognized by its state R and little CPU time.
MANY = 1000


def switches(rate):
    """One switch in less than 20 us of CPU time, and no more of them than was asked for."""
    return Illness(
        "thrashing switches", lambda _: [program("pingpong", "-c", ONE, "-r", str(rate // 2), FOREVER)],
        lambda seen: max(MANY, seen.run_s / 20e-6) < seen.switches < 1.5 * rate * seen.wall_s)


def syncs(seen):
    return (seen.states["D"] >= 3 and seen.states["D"] > 4 * seen.states["S"]
            and seen.write_bytes > 10 * 4096)


def throttled(version):
    return Illness("throttled", lambda _: [confined(version, "cpu", 10, SPIN)],
                   lambda seen: seen.throttled >= 3 and seen.share("run_s") < 0.3)


def thrashing(version):
    return Illness(
        "memory-pressure",
        lambda place: [confined(version, "memory", 16, program("thrash", f"{place}/file", "64"))],
        lambda seen: seen.major > 100 and seen.reclaimed > 100 and seen.read_bytes > 100 * 4096)


ILLNESSES = {
    "switches-47k": switches(47000),
    "switches-14k": switches(14000),
    "forks": Illness("forks", lambda _: [program("swarm", "-r", "500", FOREVER)],
                     lambda seen: seen.machine_forks / seen.wall_s > 200
                     and seen.share("child_s") > 0.1),
    "faults": Illness("faulting", lambda _: [program("faults")],
                      lambda seen: seen.minor > max(MANY, seen.run_s / 50e-6)),
    "fsync": Illness("disk", lambda place: [program("syncer", f"{place}/file")], syncs),
    "mutex": Illness("lock", lambda _: [program("mutex", "-t", "16")],
                     lambda seen: seen.wchan("futex") > 0.5 and seen.share("run_s") < 1.3,
                     last_thread=True),
    "spinners": Illness("runq", lambda _: [pinned(TWO, *SPIN)] * 8,
                        lambda seen: seen.state("R") > 0.9
                        and seen.share("run_s") < 0.4 * seen.processes),
    "nice": Illness("runq", lambda _: [pinned(ONE, *SPIN),
                                       pinned(ONE, "nice", "-n", "19", *SPIN)],
                    lambda seen: seen.state("R") > 0.9 and seen.own_share("run_s") < 0.3),
    "throttled-v1": throttled(1),
    "throttled-v2": throttled(2),
    "vfork": Illness("blocked", lambda _: [program("vforker")],
                     lambda seen: seen.state("D") > 0.7
                     and seen.read_bytes + seen.write_bytes == 0),
    "thrash-v1": thrashing(1),
    "thrash-v2": thrashing(2),
    "fsync-storm": Illness("disk",
                           lambda place: [program("syncer", f"{place}/{i}") for i in range(4)],
                           syncs),
    "vfork-storm": Illness("blocked", lambda _: [program("vforker", "2")] * 4,
                           lambda seen: seen.machine_forks / seen.wall_s > 500
                           and seen.state("D") > 0.3),
}

# pmctop is not expected to name these processes within two refreshes: that needs counters of the CPU,
# or more refreshes, or the process does its work or sleeps. The word is the nearest one.
OTHERS = {
    "loop": Illness("cpu", lambda _: [SPIN],
                    lambda seen: seen.state("R") > 0.9 and seen.own_share("run_s") > 0.25
                    and seen.minor < MANY),
    "memcpy": Illness("memory", lambda place: [python(place, COPIES)],
                      lambda seen: seen.own_share("run_s") > 0.25 and seen.minor < MANY),
    "false-sharing": Illness("memory", lambda _: [program("neighbours")],
                             lambda seen: seen.own_share("run_s") > 0.25 and seen.minor < MANY),
    "regex": Illness("cpu", lambda place: [python(place, REGEX)],
                     lambda seen: seen.own_share("run_s") > 0.25),
    "node": Illness("cpu", lambda place: [script(place, "node", JIT)],
                    lambda seen: seen.own_share("run_s") > 0.25),
    "leak": Illness("none", lambda place: [python(place, LEAK)],
                    lambda seen: seen.resident_bytes > 10 << 20),
    "udp": Illness("kernel", lambda place: [python(place, UDP)],
                   lambda seen: seen.machine_datagrams / seen.wall_s > 10000),
    "stopped-reader": Illness("stopped", lambda _: [["bash", "-c", STOPPED_READER]],
                              lambda seen: seen.wchan("pipe_write") > 0.9 and seen.run_s < 0.01),
    "vfork-long": Illness("blocked", lambda _: [program("vforker", "600000")],
                          lambda seen: seen.state("D") > 0.9 and seen.run_s < 0.01),
    "pool": Illness("lock", lambda _: [program("mutex", "-t", "9", "-s")],
                    lambda seen: seen.wchan("futex") > 0.9 and seen.run_s < 0.01,
                    last_thread=True),
    "forks-300": Illness("forks", lambda place: [script(place, "sh", FEW_FORKS)],
                         lambda seen: seen.machine_forks / seen.wall_s > 150),
    "dd": Illness("disk", lambda place: [script(place, "sh", DIRECT_READS.format(place=place))],
                  lambda seen: seen.read_bytes > 1000 * 4096 and seen.states["D"] >= 3),
    "build": Illness("none", lambda place: compile_commands(place, 4),
                     lambda seen: seen.share("child_s") > 0.05 and seen.share("run_s") < 0.1),
}

# No illness: pmctop names none of these processes, nor of their children.
HEALTHY = {
    "idle": Illness("none", lambda _: [program("crowd", "-p", "4", "-s", "8", "-b", "0")],
                    lambda seen: seen.share("run_s") < 0.05 and seen.state("S") > 0.8),
    "compile": Illness("none", compile_commands,
                       lambda seen: seen.share("child_s") > 0.05 and seen.share("run_s") < 0.1),
    "server": Illness("fine", lambda _: [program("server", "-r", "5000")],
                      lambda seen: 0.1 < seen.share("run_s") < 0.8
                      and seen.switches > MANY),
    "stopped": Illness("stopped", lambda _: [SPIN],
                       lambda seen: seen.state("T") == 1 and seen.run_s + seen.runq_s == 0,
                       stop=True),
    "traced": Illness("stopped", lambda _: [program("traced")],
                      lambda seen: seen.state("t") == 1
                      and seen.own["run_s"] + seen.own["runq_s"] == 0),
}

# These print nothing: their behaviour has begun when the process has its name, and the number of
# children. The others print "ready".
SILENT = {"spin": 0, "pingpong": 1, "swarm": 1, "make": 1}


def _wait_until_ready(process, words, shown):
    """Returns when the behaviour has begun. `shown`: the words that run. Status 77 of a load
    program: this machine lacks something."""
    silent = [(os.path.basename(name), SILENT[os.path.basename(word)])
              for word, name in zip(words, shown) if os.path.basename(word) in SILENT]
    while silent and process.poll() is None:
        if (read(f"/proc/{process.pid}/comm").strip() == silent[0][0]
                and len(children_of(process.pid)) >= silent[0][1]):
            return
        time.sleep(LOOK_S)
    if silent or process.stdout.readline() != "ready\n":
        status, reason = process.wait(), process.stderr.read().strip()
        if status == 77:
            raise CannotBeMade(reason)
        raise RuntimeError(f"{' '.join(words)}: status {status}, {reason}")


def _end(processes):
    cgroups = [cgroup_of(process.pid) for process in processes]
    for process in processes:
        for pid in (*children_of(process.pid), process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        process.stderr.close()
    while any(cgroup and os.path.exists(cgroup) for cgroup in cgroups):
        time.sleep(LOOK_S)


@contextlib.contextmanager
def started(name, disguise=lambda words, place: words, **options):
    """Starts the processes of an illness, or of a healthy machine; yields Sick. disguise() returns
    the words to run in place of a command's. `options` are those of Popen. Raises CannotBeMade,
    with the reason."""
    illness = {**ILLNESSES, **OTHERS, **HEALTHY}[name]
    processes, place = [], tempfile.mkdtemp(prefix="illness-", dir=BUILD)
    os.chmod(place, 0o777)
    try:
        for words in illness.commands(place):
            shown = disguise(words, place)
            processes.append(subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *shown], stdin=subprocess.DEVNULL, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options))
            _wait_until_ready(processes[-1], words, shown)
        pid = processes[-1].pid
        if illness.stop:
            os.kill(pid, signal.SIGSTOP)
            while state_of(pid) != "T":
                time.sleep(LOOK_S)
        tids = sorted(map(int, os.listdir(f"/proc/{pid}/task")))
        yield Sick(pid, tids[-1 if illness.last_thread else 0],
                   [each for process in processes
                    for each in (process.pid, *children_of(process.pid))])
    finally:
        _end(processes)
        shutil.rmtree(place, ignore_errors=True)
