# SPDX-License-Identifier: MIT
"""What each task did, from the records of the witness (witness_trace.py).

A task is in one state at each moment. Where the records leave it open, the state is one of the
states in OPEN: a kernel may hide switches and wake-ups (core/attrib), and a waking takes a moment until the
task is in a run queue. So an amount of time is a range: its least and its most.
"""
import bisect
import collections

import witness_trace as trace

RUNS, PREEMPTED, WOKEN, FORKED, SLEEPS, DISK, STOPPED, IDLE, ENDED = "RQWNSDTIX"
BLOCKED, RUNNABLE = SLEEPS + DISK + STOPPED + IDLE, PREEMPTED + WOKEN + FORKED
# Open: anything; sleeps or is woken; in state D or woken; born, and not yet runnable.
UNKNOWN, WAKES, WAKES_DISK, BORN = "?wdn"
LETTERS = {RUNS: "R", PREEMPTED: "R", WOKEN: "R", FORKED: "R", BORN: "R", WAKES: "RS",
           STOPPED: "Tt", WAKES_DISK: "RD", ENDED: "ZX", UNKNOWN: "RSDTtIZX", SLEEPS: "SI"}
SAMPLED = {"S": SLEEPS, "D": DISK, "T": STOPPED, "t": STOPPED, "I": IDLE}
EARLY_NS = 200_000  # a task may be woken so long before its switch, on its way to sleep
CLONE_THREAD = 0x10000

# name: (states that have it for certain, states that may have it)
TIMES = {
    "run": (RUNS, UNKNOWN),
    "runq": (RUNNABLE, UNKNOWN + WAKES + WAKES_DISK + BORN),
    "preempted": (PREEMPTED, UNKNOWN),
    "blocked": (BLOCKED, UNKNOWN + WAKES + WAKES_DISK),
    "uninterruptible": (DISK, UNKNOWN + WAKES_DISK),
    "life": (RUNS + RUNNABLE + BLOCKED + UNKNOWN + WAKES + WAKES_DISK, BORN),
}
COUNTS = ("switches", "voluntary", "involuntary", "forks")


def state_after(bits):
    """The state of a task that leaves its CPU with prev_state."""
    for bit, state in ((0x30, ENDED), (2, DISK), (12, STOPPED), (0x80, IDLE), (0x41, SLEEPS)):
        if bits & 0xff & bit:
            return state
    return PREEMPTED


class Track:
    """States of a task or CPU: states[i] from times[i] on."""

    def __init__(self, time_ns, state):
        self.times, self.states = [time_ns], [state]

    def set(self, time_ns, state):
        if time_ns <= self.times[-1]:
            self.states[-1] = state
        elif state != self.states[-1]:
            self.times.append(time_ns)
            self.states.append(state)

    def blur(self, begin, end):
        """Its state is unknown in that time."""
        first, last = (bisect.bisect_right(self.times, time_ns) for time_ns in (begin, end))
        if first == 0:
            return
        after = self.states[last - 1]
        self.times[first:last] = [begin, end]
        self.states[first:last] = [UNKNOWN, after]

    def amounts(self, begin, end):
        """{state: ns} in a window."""
        found = collections.Counter()
        i = max(bisect.bisect_right(self.times, begin) - 1, 0)
        while i < len(self.times) and self.times[i] < end:
            until = self.times[i + 1] if i + 1 < len(self.times) else end
            found[self.states[i]] += max(0, min(until, end) - max(self.times[i], begin))
            i += 1
        return found

    def letters(self, begin, end):
        """The letters of /proc that it may have had in a window."""
        first = max(bisect.bisect_right(self.times, begin) - 1, 0)
        last = bisect.bisect_right(self.times, end)
        return {letter for state in self.states[first:last]
                for letter in LETTERS.get(state, state)}


class Task(Track):
    def __init__(self, tid, time_ns, state=UNKNOWN):
        super().__init__(time_ns, state)
        self.tid, self.pid, self.parent = tid, 0, None
        self.names = []  # (time from which it has it, name)
        self.known_ns = self.woken_ns = self.early_ns = 0
        self.counts = {name: [] for name in COUNTS}  # their times
        self.hidden = []     # times of switches that no record has
        self.latencies = []  # (time of the switch, least, most)
        self.ran = []        # Samples

    @property
    def now(self):
        return self.states[-1]

    def lives(self, window):
        """Whether it lived at some time of a window."""
        return self.times[0] < window[1] and (self.now != ENDED or self.times[-1] > window[0])

    @property
    def name(self):
        return self.names[-1][1] if self.names else ""


class History:
    """All tasks and CPUs, and (begin, end) of each cut by the thread that made it."""

    def __init__(self, events, threads):
        self._of = {}          # tid -> its living Task
        self.tasks = collections.defaultdict(list)  # tid -> all Tasks of that number
        self.cpus = {}         # CPU -> Track of RUNS, IDLE, UNKNOWN
        self.cpu_switches = collections.defaultdict(list)
        self.cuts, self.breaks, self.switches = collections.defaultdict(list), 0, 0
        self._current = {}     # CPU -> (tid, since)
        self._threads = threads
        self._begin = events[0][0]
        apply = (self._switch, self._waking, self._wakeup, self._wakeup_new, self._new_task,
                 lambda *_: None, self._rename, self._cut, self._counted, self._sample)
        for time_ns, kind, cpu, *values in events:
            apply[kind](time_ns, cpu, *values)
        for tasks in self.tasks.values():
            self._settle(tasks[0])

    def _task(self, tid):
        task = self._of.get(tid)
        if task is None:
            task = self._of[tid] = Task(tid, self._begin)
            task.pid, name = self._threads.get(tid, (0, ""))
            task.names.append((self._begin, name))
            self.tasks[tid].append(task)
        return task

    def _break(self, cpu, time_ns):
        """Another task than the current one leaves: when the current one left is unknown."""
        tid, since = self._current[cpu]
        self.breaks += 1
        self.cpus[cpu].set(since, UNKNOWN)
        if tid and self._task(tid).now == RUNS and self._task(tid).times[-1] <= since:
            self._task(tid).set(since, UNKNOWN)
            self._task(tid).hidden.append(time_ns)
        return since

    def _switch(self, time_ns, cpu, prev, bits, following):
        track = self.cpus.setdefault(cpu, Track(self._begin, UNKNOWN))
        tid, since = self._current.get(cpu, (prev, self._begin))
        self.switches += 1
        if tid != prev:
            since = self._break(cpu, time_ns)
        if prev:
            task = self._task(prev)
            if task.now != RUNS:
                task.set(max(since, task.times[-1]), UNKNOWN)
            self._leave(task, time_ns, bits)
        track.set(time_ns, RUNS if following else IDLE)
        self.cpu_switches[cpu].append(time_ns)
        if following:
            self._come(self._task(following), time_ns)
        self._current[cpu] = following, time_ns

    def _leave(self, task, time_ns, bits):
        state = state_after(bits)
        task.counts["switches"].append(time_ns)
        task.counts["involuntary" if state == PREEMPTED else "voluntary"].append(time_ns)
        early = task.early_ns > time_ns - EARLY_NS and state in BLOCKED
        if early:
            task.woken_ns = time_ns
            state = WAKES_DISK if state == DISK else WAKES
        task.set(time_ns, state)
        task.known_ns, task.early_ns = time_ns, 0
        if state == ENDED:
            self._of.pop(task.tid, None)

    def _come(self, task, time_ns):
        since = task.times[-1]
        if task.now == RUNS:
            task.set(since, UNKNOWN)
            task.hidden.append(time_ns)
        elif task.now in BLOCKED:  # a wake-up without a record
            task.set(max(since, task.known_ns), WAKES_DISK if task.now == DISK else WAKES)
            task.latencies.append((time_ns, 0, time_ns - task.times[-1]))
        elif task.now in WAKES + WAKES_DISK:
            task.latencies.append((time_ns, 0, time_ns - task.woken_ns))
        elif task.now == WOKEN:
            task.latencies.append((time_ns, time_ns - since, time_ns - task.woken_ns))
        task.set(time_ns, RUNS)
        task.early_ns = 0

    def _waking(self, time_ns, _cpu, tid):
        task = self._task(tid)
        if task.now == RUNS:
            task.early_ns = time_ns
        elif task.now in BLOCKED:
            task.woken_ns = time_ns
            task.set(time_ns, WAKES_DISK if task.now == DISK else WAKES)

    def _wakeup(self, time_ns, _cpu, tid):
        task = self._task(tid)
        if task.now in BLOCKED + UNKNOWN:
            task.woken_ns = time_ns
        if task.now in BLOCKED + UNKNOWN + WAKES + WAKES_DISK:
            task.set(time_ns, WOKEN)

    def _wakeup_new(self, time_ns, _cpu, tid):
        self._task(tid).set(time_ns, FORKED)

    def _new_task(self, time_ns, _cpu, creator, tid, name, flags):
        parent = self._task(creator)
        task = self._of[tid] = Task(tid, time_ns, BORN)
        task.names.append((time_ns, _text(name)))
        task.pid, task.parent = (parent.pid, parent) if flags & CLONE_THREAD else (tid, parent)
        self.tasks[tid].append(task)
        if not flags & CLONE_THREAD:
            parent.counts["forks"].append(time_ns)

    def _rename(self, time_ns, _cpu, tid, name):
        self._task(tid).names.append((time_ns, _text(name)))

    def _sample(self, _time_ns, _cpu, tid, sample):
        task = self._of.get(tid)
        if task is None and sample.state == "Z":
            return
        task = self._task(tid)
        task.ran.append(sample)
        if not task.parent and sample.parent:
            task.parent = self._task(sample.parent)
        state = SAMPLED.get(sample.state)
        if not state or sample.after_ns <= task.times[-1]:
            return
        if task.now in WOKEN + FORKED:  # it has got a CPU, and has left it
            task.hidden.append(sample.after_ns)
            task.set(task.times[-1], UNKNOWN)
        if task.now in BLOCKED:
            task.known_ns = sample.after_ns
        elif task.now == UNKNOWN and len(task.times) > 1:
            task.set(sample.after_ns, state)
            task.known_ns = sample.after_ns

    def blur(self, stalls):
        """Opens what lies between the times of two listeners (witness_perf.py)."""
        for begin, end, kind, cpu, tids in stalls:
            if kind == trace.SWITCH:
                self.cpus[cpu].blur(begin, end)
            for task in (task for tid in tids if tid for task in self.tasks.get(tid, ())):
                task.blur(begin, end)
                at = bisect.bisect_left(task.latencies, (begin,))
                if at < len(task.latencies):
                    time_ns, least, most = task.latencies[at]
                    task.latencies[at] = (time_ns, max(0, least - (end - begin)),
                                          most + end - begin)

    @staticmethod
    def _settle(task):
        """The state of a task before its first record, if it was the same in all samples."""
        until = task.times[1] if len(task.times) > 1 else float("inf")
        samples = [sample for sample in task.ran if sample.after_ns < until]
        before = {SAMPLED.get(sample.state) for sample in samples}
        if task.states[0] != UNKNOWN or len(before) != 1 or None in before:
            return
        following = task.states[1] if len(task.times) > 1 else WAKES
        if following not in (WAKES, WAKES_DISK, WOKEN):  # its wake-up has no record
            task.times.insert(1, samples[-1].after_ns)
            task.states.insert(1, WAKES)
        task.states[0] = before.pop()

    def living(self, window):
        return [task for tasks in self.tasks.values() for task in tasks if task.lives(window)]

    def beside_schedstat(self, share):
        """[(share of the time by which the two differ, text)] of tasks that ran for such a share:
        the witness and /proc/TID/schedstat, over the whole scene."""
        found = []
        for task in (tasks[0] for tasks in self.tasks.values() if len(tasks) == 1):
            if len(task.ran) < 10:
                continue
            first, last = task.ran[2], task.ran[-2]
            amounts = task.amounts(first.after_ns, last.after_ns)
            ran_ns, wall_ns = last.ran_ns - first.ran_ns, last.after_ns - first.after_ns
            off = max(amounts[RUNS] - ran_ns, ran_ns - amounts[RUNS] - amounts[UNKNOWN], 0)
            if ran_ns > share * wall_ns:
                found.append((off / wall_ns, f"{task.tid} {task.name}: schedstat "
                              f"{ran_ns / 1e6:.1f} ms, witness {amounts[RUNS] / 1e6:.1f} ms and "
                              f"{amounts[UNKNOWN] / 1e6:.1f} ms open, of {wall_ns / 1e6:.1f} ms"))
        return sorted(found, reverse=True)

    def _cut(self, time_ns, _cpu, tid):
        self.cuts[tid].append((time_ns, time_ns))

    def _counted(self, time_ns, _cpu, tid):
        if self.cuts[tid] and self.cuts[tid][-1][0] == self.cuts[tid][-1][1]:
            self.cuts[tid][-1] = self.cuts[tid][-1][0], time_ns

    def cuts_of(self, pid):
        """The cuts of a pmctop: this process, or one that it started."""
        for tid, cuts in self.cuts.items():
            task = self._task(tid)
            while task:
                if pid in (task.pid, task.tid):
                    return cuts
                task = task.parent
        return []


def _text(name):
    return name.split(b"\0")[0].decode("utf-8", "replace")


class Window:
    """One interval of pmctop: begins and ends within two cuts, so amounts are (least, most)."""

    def __init__(self, before, after):
        self.inner, self.outer = (before[1], after[0]), (before[0], after[1])

    def times(self, tracks):
        """{name: (least ns, most ns)} of TIMES, the sum of these tracks."""
        inner, outer = collections.Counter(), collections.Counter()
        for track in tracks:
            inner.update(track.amounts(*self.inner))
            outer.update(track.amounts(*self.outer))
        return {name: (sum(inner[state] for state in sure),
                       sum(outer[state] for state in sure + maybe))
                for name, (sure, maybe) in TIMES.items()}

    def count(self, times, hidden=()):
        """(least, most) of a list of times."""
        def within(listed, window):
            return bisect.bisect_right(listed, window[1]) - bisect.bisect_left(listed, window[0])
        return within(times, self.inner), within(times, self.outer) + within(hidden, self.outer)
