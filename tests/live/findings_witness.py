# SPDX-License-Identifier: MIT
"""What /proc shows of each task and of the machine 20 times a second, without any code of pmctop,
and whether it confirms a finding.

A finding is about an interval. What the witness saw from a second before it to a second after it
must be at least half of the limit of the rule. Then the finding is confirmed, or only "less" if
that is not half of the figure in the sentence. It is "unjudged" where the witness did not see the
task for most of the interval, or has no measure of its kind: hardware counters.
"""
import bisect
import collections
import contextlib
import glob
import itertools
import math
import os
import re
import time
import typing

TICKS = os.sysconf("SC_CLK_TCK")
KEPT_S = 20
MARGIN_S = 1
PRESSURE_S = 2.1  # the kernel adds pressure up every 2 s, also for readers
GAP_S = 0.3  # what happens in so long without a look is unknown
SHORT_WAITS = 100  # in a window: fewer are long enough to be seen
LOCKED = 2  # the value of a futex that is a lock with waiters


class Look(typing.NamedTuple):
    """Counts are those since the task's begin; `locked`: it waits for a lock."""
    time: float
    state: str
    locked: bool
    cpu_s: float
    delay_s: float
    runs: int
    faults: int
    major: int
    user_s: float
    system_s: float


class Account(typing.NamedTuple):
    """A process at one look. `reaped_s`: CPU time of the children that it has waited for."""
    parent: int
    state: str
    own_s: float
    reaped_s: float


def pread(descriptor):
    return os.pread(descriptor, 4096, 0).decode("ascii", "replace")


def read(path):
    with contextlib.suppress(OSError), open(path, encoding="ascii", errors="replace") as file:
        return file.read()
    return ""


class Files:
    """Open files of a directory in /proc."""

    def __init__(self, directory, names):
        self._opened = []
        try:
            for name in names:
                self._opened.append(os.open(f"{directory}/{name}", os.O_RDONLY))
                setattr(self, name, self._opened[-1])
        except OSError:
            self.close()
            raise

    def close(self):
        for descriptor in self._opened:
            os.close(descriptor)
        self._opened = []

    def words(self):
        """The words of stat from the state on."""
        return pread(self.stat).rpartition(")")[2].split()


class Task:
    def __init__(self, pid, tid):
        self.files = Files(f"/proc/{pid}/task/{tid}", ("stat", "schedstat", "wchan", "syscall"))
        self.looks = collections.deque()
        self.born = self.ended = None

    def _is_locked(self, state):
        if state not in "SD":
            return False
        function = pread(self.files.wchan)
        if "futex" not in function:
            return any(part in function for part in ("mutex", "rwsem", "flock", "posix_lock"))
        call = pread(self.files.syscall).split()
        return "_pi" in function or (len(call) > 3 and int(call[3], 16) == LOCKED)

    def look(self, now):
        ran, delay, runs = pread(self.files.schedstat).split()
        words = self.files.words()
        self.born = self.born or now - time.clock_gettime(time.CLOCK_BOOTTIME) + \
            int(words[19]) / TICKS
        self.looks.append(Look(now, words[0], self._is_locked(words[0]), int(ran) / 1e9,
                               int(delay) / 1e9, int(runs), int(words[7]) + int(words[9]),
                               int(words[9]), int(words[11]) / TICKS, int(words[12]) / TICKS))
        while self.looks[0].time < now - KEPT_S:
            self.looks.popleft()


class Process:
    def __init__(self, pid):
        self.pid, self.files = pid, Files(f"/proc/{pid}", ("stat",))
        self.tids, self.listed = set(), 0

    def account(self):
        words = self.files.words()
        own, reaped = (sum(map(int, words[at:at + 2])) / TICKS for at in (11, 13))
        return Account(int(words[1]), words[0], own, reaped), int(words[17])


class Machine(typing.NamedTuple):
    time: float
    counts: dict  # seconds by the CPU's name ("cpu": of all) and kind, and counts by their name


def cpus_of(machine):
    return [name[0] for name in machine.counts if name[1:] == ("unused",) and name[0] != "cpu"]


def machine_now(now):
    counts = {}
    for line in read("/proc/stat").splitlines():
        name, *numbers = line.split()
        if name.startswith("cpu"):
            for kind, ticks in zip(("user", "nice", "system", "idle", "iowait", "irq", "softirq",
                                    "steal"), numbers):
                counts[name, kind] = int(ticks) / TICKS
            counts[name, "unused"] = counts[name, "idle"] + counts[name, "iowait"]
        elif name in ("ctxt", "processes"):
            counts[name] = int(numbers[0])
    return Machine(now, counts)


def quotas():
    """The cpu.stat of cgroups with a CPU quota."""
    mounts = [line.split()[1] for line in read("/proc/self/mounts").splitlines()
              if line.split()[2].startswith("cgroup")]
    limits = [path for root in mounts for name in ("cpu.max", "cpu.cfs_quota_us")
              for path in glob.glob(f"{root}/**/{name}", recursive=True)]
    return [os.path.join(os.path.dirname(path), "cpu.stat") for path in limits
            if read(path).split()[:1] not in (["max"], ["-1"], [])]


def slow_now(now, cpu_stats):
    """What is read less often: throttling, pressure, memory, faults."""
    counts = {}
    for path in cpu_stats:
        for name, number in map(str.split, read(path).splitlines()):
            scale = {"throttled_usec": 1e6, "throttled_time": 1e9}.get(name)
            if scale:
                counts["throttled", path] = int(number) / scale
    for name in "io", "memory":
        if found := re.search(r"some .*total=(\d+)", read(f"/proc/pressure/{name}")):
            counts[name] = int(found[1]) / 1e6
    for name, number in re.findall(r"^(\w+):? +(\d+)", read("/proc/meminfo") +
                                   read("/proc/vmstat"), re.M):
        if name in ("MemTotal", "MemAvailable", "SwapTotal", "SwapFree", "pgfault"):
            counts[name] = int(number)
    return Machine(now, counts)


class Witness:
    """look() is to be called 20 times a second. look_s is the CPU time of all looks."""

    def __init__(self):
        self.tasks, self.processes, self.turn, self.look_s = {}, {}, 0, 0.0
        self.machine, self.slow, self.tables = (collections.deque() for _ in range(3))
        self.cpu_stats, self.dead = [], collections.deque()

    def _list_threads(self, process, now):
        process.listed = now
        with contextlib.suppress(OSError):
            process.tids = set(map(int, os.listdir(f"/proc/{process.pid}/task")))
        for tid in process.tids - self.tasks.keys():
            with contextlib.suppress(OSError):
                self.tasks[tid] = Task(process.pid, tid)

    def _look_at_processes(self, now):
        table = {}
        for pid in {int(name) for name in os.listdir("/proc") if name.isdigit()} | \
                self.processes.keys():
            try:
                process = self.processes.get(pid) or Process(pid)
                self.processes[pid] = process
                table[pid], threads = process.account()
                if threads != len(process.tids) or now > process.listed + 1:
                    self._list_threads(process, now)
            except (OSError, IndexError):
                if pid in self.processes:
                    self.processes.pop(pid).files.close()
        self.tables.append((now, table))

    def _look_at_tasks(self, now):
        for tid, task in list(self.tasks.items()):
            if task.ended:
                continue
            try:
                task.look(now)
            except (OSError, IndexError, ValueError):
                task.ended = now
                task.files.close()
                self.dead.append((now, tid, task))
        while self.dead and self.dead[0][0] < now - KEPT_S:
            _, tid, task = self.dead.popleft()
            if self.tasks.get(tid) is task:
                del self.tasks[tid]

    def look(self):
        began, now = time.thread_time(), time.time()
        self._look_at_processes(now)
        self._look_at_tasks(now)
        self.machine.append(machine_now(now))
        if self.turn % 8 == 0:
            self.cpu_stats = quotas()
        if self.turn % 4 == 0:
            self.slow.append(slow_now(now, self.cpu_stats))
        for kept in self.machine, self.slow, self.tables:
            while kept[0][0] < now - KEPT_S:
                kept.popleft()
        self.turn += 1
        self.look_s += time.thread_time() - began


def around(series, begin, end):
    """The members of a series in a window, with the last one before it and the first one after."""
    times = [member[0] for member in series]
    return list(itertools.islice(series, max(0, bisect.bisect_right(times, begin) - 1),
                                 bisect.bisect_left(times, end) + 1))


class Measure(typing.NamedTuple):
    """`seen` must be half of `limit` and, unless 0, of `stated`, the figure in the sentence."""
    what: str
    seen: float
    limit: float
    stated: float = 0


def number_of(pattern, text):
    """The number that the pattern finds: 46.7k is 46700. 0: none."""
    found = re.search(pattern, text)
    return float(found[1]) * {"k": 1e3, "M": 1e6}.get(found[2], 1) if found else 0


class Window:
    """What the witness saw around an interval. `seen_all` becomes False if it missed something."""

    def __init__(self, witness, finding, begin, end):
        self.witness, self.finding, self.interval_s = witness, finding, end - begin
        self.inner, self.begin, self.end = (begin, end), begin - MARGIN_S, end + MARGIN_S
        self.sentence, self.pid = finding["sentence"], finding.get("pid", 0)
        self.seen_all = self._covers([moment for moment, _ in witness.tables])

    def _covers(self, times, born=0, ended=math.inf):
        """Whether there was a look every GAP_S of the interval, within the task's life."""
        begin, end = max(self.inner[0], born), min(self.inner[1], ended)
        moments = [begin, *(moment for moment in times if begin < moment < end), end]
        return end <= begin or (any(begin - GAP_S < moment < end + GAP_S for moment in times) and
                                max(b - a for a, b in zip(moments, moments[1:])) < GAP_S)

    def machine(self, name, slow=False, margin_s=0):
        """How much a count of the machine grew."""
        found = [member.counts[name] for member in
                 around(self.witness.slow if slow else self.witness.machine,
                        self.begin - margin_s, self.end + margin_s) if name in member.counts]
        return found[-1] - found[0] if found else 0

    def throttled_s(self):
        """The most that a cgroup was throttled. One that is new began with 0."""
        slow = around(self.witness.slow, self.begin, self.end)
        counts = {name: count for each in slow for name, count in each.counts.items()
                  if name[0] == "throttled"}
        return max((count - slow[0].counts.get(name, 0) for name, count in counts.items()),
                   default=0)

    def looks(self):
        """The looks at the main thread of the finding."""
        task = self.witness.tasks.get(self.finding["tid"])
        if not task:
            self.seen_all = False
            return []
        looks = [Look(task.born, "", False, *[0] * 7), *task.looks]
        found = around(looks if task.looks[0].time < task.born + 1 else task.looks,
                       self.begin, self.end)
        self.seen_all &= self._covers([look.time for look in found], task.born,
                                      task.ended or math.inf)
        return found

    def growth(self, *names):
        looks = self.looks()
        return sum(getattr(looks[-1], name) - getattr(looks[0], name) for name in names) \
            if looks else 0

    def _life(self):
        """The looks in the window, and its part in which the thread lived."""
        looks = [look for look in self.looks()
                 if look.state and self.begin <= look.time <= self.end]
        return looks, looks and (min(self.end, looks[-1].time + GAP_S) -
                                 max(self.begin, looks[0].time - GAP_S))

    def state_s(self, wanted, sign=1):
        """The time in states: the estimate and two standard deviations, or (-1) less these."""
        looks, life_s = self._life()
        if not looks:
            return 0
        n, share = len(looks), sum(map(wanted, looks)) / len(looks)
        doubt = 2 * math.sqrt(share * (1 - share) / n)
        return max(0, min(1, share + sign * doubt)) * life_s

    def blocked_s(self, wanted):
        """The time in states of blocked tasks. Short waits on the CPU of the witness are over
        before its look. So of a thread with many of them it is also the blocked time (the life
        without CPU time and run_delay), by the looks at which it was blocked."""
        looks, life_s = self._life()
        if not looks or self.growth("runs") < SHORT_WAITS:
            return self.state_s(wanted)
        blocked = [look for look in looks if look.state != "R"]
        share = (sum(map(wanted, blocked)) + 1) / (len(blocked) + 1)
        return max(self.state_s(wanted),
                   share * max(0, life_s - self.growth("cpu_s", "delay_s")))

    def _tree(self, table):
        """The CPU time of a process by itself, and with its descendants; None: there is none."""
        if self.pid not in table:
            return None
        below, children = [self.pid], collections.defaultdict(list)
        for pid, account in table.items():
            children[account.parent].append(pid)
        for pid in below:
            below += children[pid]
        return table[self.pid].own_s, sum(table[pid].own_s + table[pid].reaped_s for pid in below)

    def family_s(self):
        """The CPU time that a process and its descendants used: (its own, theirs). One that is
        waited for is in the time of its parent, and one that is not is lost, so the sum may fall.
        It grows at most by the CPUs' time, but one that moves meanwhile may be in it twice."""
        tables = around(self.witness.tables, self.begin, self.end)
        seen = [(moment, self._tree(table)) for moment, table in tables]
        there = [(moment, sums) for moment, sums in seen if sums]
        self.seen_all &= bool(seen and seen[-1][1])
        if not there:
            return 0, 0
        if not seen[0][1]:
            there.insert(0, (seen[0][0], (0, 0)))
        own_s = there[-1][1][0] - there[0][1][0]
        grown = sum(min(max(0, after[1] - before[1]), os.cpu_count() * (now - then) + 2 / TICKS)
                    for (then, before), (now, after) in zip(there, there[1:]))
        return own_s, max(0, grown - own_s)

    def used(self):
        """The least share of the CPUs' time that was used in any time as long as the interval."""
        series = around(self.witness.machine, self.begin, self.end)
        shares = []
        for first in series:
            later = [each for each in series if each.time >= first.time + self.interval_s]
            for last in later[:1]:
                unused = last.counts["cpu", "unused"] - first.counts["cpu", "unused"]
                shares.append(1 - unused / (last.time - first.time) / len(cpus_of(last)))
        return max(0, min(shares, default=1))

    def names_most(self):
        """Whether the sentence is about a sum, and names who has most of it."""
        return "; most: " in self.sentence

    def has_ended(self):
        task = self.witness.tasks.get(self.finding["tid"])
        return not task or task.ended is not None and task.ended <= self.end

    def stated_s(self):
        """The share of the time in the sentence."""
        return number_of(r"([\d.]+)() % of the time", self.sentence) / 100 * self.interval_s


def is_ready(look):
    return look.state == "R"


def in_disk_sleep(look):
    return look.state == "D"


def waits_for_cpu_s(window):
    """A thread that got CPUs has its waits in run_delay, but that may be wrong, so it was in state
    R as well. One that got none was in state R without CPU time."""
    starved = window.state_s(is_ready, -1) - window.growth("cpu_s")
    return max(min(window.growth("delay_s"), window.state_s(is_ready)), starved)


def judge_runq(window):
    return [Measure("s ready without a CPU", waits_for_cpu_s(window), 0.25 * window.interval_s,
                    window.stated_s())]


def judge_throttled(window):
    return [Measure("s throttled of a cgroup", window.throttled_s(), 0.1 * window.interval_s),
            Measure("s in state R", window.state_s(is_ready),
                    0.1 * window.interval_s, window.stated_s())]


def judge_lock(window):
    return [Measure("s at locks", window.blocked_s(lambda look: look.locked),
                    0.25 * window.interval_s, window.stated_s())]


def judge_disk(window):
    if "majflt" in window.sentence:
        return [Measure("major faults", window.growth("major"), 100 * window.interval_s)]
    return [Measure("s in state D", window.blocked_s(in_disk_sleep),
                    0.25 * window.interval_s, window.stated_s())]


def judge_memory(window):
    return [*judge_disk(window), Measure("major faults", window.growth("major"), 1)]


def judge_forks(window):
    return [Measure("forks", window.machine("processes"), 100 * window.interval_s,
                    number_of(r"starts ~?([\d.]+)(\w?)", window.sentence) * window.interval_s),
            Measure("CPU s of descendants", window.family_s()[1], 0.1 * window.interval_s,
                    number_of(r"take ([\d.]+)()", window.sentence) * window.interval_s)]


def of_named(window, what, seen):
    """What a sentence about a sum states of the task that has most of it, in its last word. The
    last look at a short process misses much of what it did."""
    if not window.names_most() or window.has_ended():
        return []
    stated = number_of(r"; most: .* [~?]?([\d.]+)(\w?)$", window.sentence) * window.interval_s
    return [Measure(f"{what} of the one that has most", seen(), stated, stated)]


def judge_switches(window):
    alone = "switches too often" in window.sentence
    if window.pid and not window.names_most():
        stated = number_of(r"\(~?([\d.]+)(\w?)/s", window.sentence) if alone else 0
        return [Measure("switches", window.growth("runs"), 5000 * window.interval_s,
                        stated * window.interval_s)]
    return [Measure("switches", window.machine("ctxt"), 40000 * window.interval_s),
            *of_named(window, "switches", lambda: window.growth("runs"))]


def judge_faults(window):
    of_one = window.pid and not window.names_most()
    faults = window.growth("faults") if of_one else window.machine("pgfault", True)
    return [Measure("faults", faults, 100000 * window.interval_s,
                    number_of(r"flt/s ~?([\d.]+)(\w?)", window.sentence) * window.interval_s),
            *of_named(window, "faults", lambda: window.growth("faults"))]


def judge_kernel(window):
    if window.pid:
        system_s, all_s = window.growth("system_s"), window.growth("system_s", "user_s")
    else:
        system_s = window.machine(("cpu", "system"))
        all_s = system_s + window.machine(("cpu", "user")) + window.machine(("cpu", "nice"))
    return [Measure("CPU s", all_s, 0.5 * window.interval_s),
            Measure("kernel%", 100 * system_s / max(all_s, 1e-9), 30,
                    number_of(r"kernel% ~?([\d.]+)()", window.sentence))]


def judge_stopped(window):
    return [Measure("s in states T, t", window.state_s(lambda look: look.state in "Tt"),
                    0.98 * window.interval_s)]


def judge_use(window):
    limit, stated = 0.5 * window.interval_s, window.finding["cpus"] * window.interval_s
    if not window.pid:
        looks = around(window.witness.machine, window.begin, window.end)
        used_s = (looks[-1].time - looks[0].time) * len(cpus_of(looks[0])) - \
            window.machine(("cpu", "unused"))
        return [Measure("CPU s of the machine", used_s, limit, stated)]
    own, theirs = window.family_s()
    seen = own if "descendant" not in window.sentence else \
        theirs if re.search(r"descendants? of", window.sentence) else own + theirs
    return [Measure("CPU s", seen, limit, stated)]


def judge_idle(window):
    return [Measure("5 % / used CPU time", 0.05 / max(window.used(), 0.001), 1)]


def judge_steal(window):
    cpus = os.cpu_count()
    return [Measure("s stolen", window.machine(("cpu", "steal")), 0.1 * cpus * window.interval_s,
                    number_of(r"took ([\d.]+)()", window.sentence) / 100 * cpus *
                    window.interval_s)]


def judge_zombies(window):
    limit = 3 if "the first for at least" not in window.sentence else 1
    stated = number_of(r"for (?:at least )?(\d+)() ended", window.sentence)
    seen = max((sum(each.parent == window.pid and each.state == "Z" for each in table.values())
                for _, table in around(window.witness.tables, window.begin, window.end)), default=0)
    return [Measure("zombies at once", seen, min(limit, stated), stated)]


def judge_machine(window):
    interval_s, sentence = window.interval_s, window.sentence
    if found := re.match(r"(CPU )(\d+) spends ([\d.]+)% in (softirqs|interrupts)", sentence):
        seen = window.machine((f"cpu{found[2]}", "softirq" if found[4] == "softirqs" else "irq"))
        return [Measure(f"s in {found[4]}", seen, 0.05 * interval_s,
                        float(found[3]) / 100 * interval_s)]
    if found := re.search(r"([\d.]+)% of the time \((io|memory) pressure\)", sentence):
        seen = window.machine(found[2], True, PRESSURE_S)
        return [Measure(f"s of {found[2]} pressure", seen,
                        {"io": 0.1, "memory": 0.01}[found[2]] * interval_s,
                        float(found[1]) / 100 * interval_s),
                *of_named(window, "% s in state D", lambda: 100 * window.blocked_s(in_disk_sleep))]
    if found := re.match("(memory|swap) is nearly full", sentence):
        left, whole, limit = {"memory": ("MemAvailable", "MemTotal", 0.1),
                              "swap": ("SwapFree", "SwapTotal", 0.2)}[found[1]]
        least = min(each.counts[left] / each.counts[whole]
                    for each in around(window.witness.slow, window.begin, window.end))
        return [Measure(f"{limit} / what is free", limit / max(least, 0.001), 1)]
    if "(steal)" in sentence:
        return [Measure("s stolen", window.machine(("cpu", "steal")),
                        0.05 * os.cpu_count() * interval_s)]
    return judge_zombies(window) if "ended child" in sentence else []


JUDGES = {"runq": judge_runq, "throttled": judge_throttled, "lock": judge_lock, "disk": judge_disk,
          "blocked": judge_disk, "memory-pressure": judge_memory, "forks": judge_forks,
          "thrashing switches": judge_switches, "faulting": judge_faults,
          "kernel-heavy": judge_kernel, "stopped": judge_stopped, "use": judge_use,
          "idle": judge_idle, "steal": judge_steal, "machine": judge_machine}


def judge(witness, finding, begin, end):
    """("confirmed", "less", "false" or "unjudged", the measures) of a finding about an interval.
    The witness must have looked for MARGIN_S since its end."""
    window = Window(witness, finding, begin, end)
    measures = JUDGES.get(finding["kind"], lambda _: [])(window)
    if not measures:
        return "unjudged", []
    if all(each.seen >= each.limit / 2 for each in measures):
        return ("confirmed" if all(each.seen >= each.stated / 2 for each in measures) else
                "less"), measures
    return "false" if window.seen_all else "unjudged", measures


def busiest_cpu(witness, begin, end):
    """The greatest share of an interval that a CPU was busy."""
    looks = around(witness.machine, begin, end)
    if len(looks) < 2:
        return 0

    def at(cpu, moment):
        after = next((i for i, look in enumerate(looks) if look.time >= moment), len(looks) - 1)
        left, right = looks[max(after - 1, 0)], looks[max(after, 1)]
        part = (moment - left.time) / (right.time - left.time)
        unused = left.counts[cpu, "unused"], right.counts[cpu, "unused"]
        return unused[0] + (unused[1] - unused[0]) * part
    return max(1 - (at(cpu, end) - at(cpu, begin)) / (end - begin) for cpu in cpus_of(looks[0]))
