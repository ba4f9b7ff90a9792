#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tests/run: alone, it uses all CPUs.
"""An independent witness of every figure of every row, in every refresh.

The witness (witness_trace.py, witness_states.py) records what the kernel reports of each switch and
wake-up, beside pmctop and without its code. pmctop prints JSON beside loads of many kinds
(witness_loads.py). Each figure is compared with the range in which the truth is: pmctop cuts an
interval between two moments, which uprobes have, and some switches have no record. A figure is

- wrong, if it has no mark and is off by more than SHARE of the interval (counts: SHARE, and one);
- too high, if "?" says that it is a lower bound, and it is above the truth by as much;
- else right, marked (~, ?) or unknown (null).

    witness_test.py                       a short run
    witness_test.py --minutes 30          all combinations, and the table
    witness_test.py --scene losses        one of SPECIAL in witness_scenes.py
    witness_test.py --perf                with a second listener (witness_perf.py)

Prints TAP, and the table as comments. BUILD is the build directory. Needs root, tracefs, uprobes.
"""
import argparse
import collections
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import witness_loads as loads  # noqa: E402
from frames import check, finish, frames_of, skip_all  # noqa: E402
from pmctop import ENVIRONMENT  # noqa: E402
from programs import PMCTOP  # noqa: E402
from witness_perf import Stalls  # noqa: E402
from witness_scenes import SHORT, SPECIAL, TRACED, long_scenes  # noqa: E402
from witness_states import ENDED, RUNS, UNKNOWN, History, Window  # noqa: E402
from witness_trace import Recorder, Refused  # noqa: E402

SHARE = 0.02
HISTOGRAM = 0.19  # the width of a class of pmctop's latencies
# The handlers of a tracepoint run one after the other: two listeners of one event have times that
# differ by up to 15 us here.
HANDLER_NS = 20_000
MARKED_MOST = 0.05  # share of marked figures of tasks that ran
BEFORE_S = 0.7  # from the recorder's start to pmctop's
# An interval lasts from reading to reading of its CPUs, on average. In windows it is the time that they stand
# for: the last of 8 parts can be missed on a CPU.
STRAY_NS, STRAY_SHARE = 20_000_000, 1 / 8
FIRST_REFRESHES = 2  # pmctop learns in them that the kernel hides switches: marks are counted apart
EXAMPLES = 4
RUNS_MUCH = 0.05  # share of the time
NEVER = 1 << 62
ROLLUPS = {"cgroup": "cgroup", "command": "comm"}  # the member of a row that names it
STILL = ", did not run"  # kinds of figures of tasks that had no CPU in the interval
REALTIME_NS = time.time_ns() - time.monotonic_ns()

# JSON's name: the name in witness_states.TIMES or COUNTS
OF_TIME = {"cpu_percent": "run", "runq_percent": "runq", "preempted_percent": "preempted",
           "blocked_percent": "blocked", "uninterruptible_percent": "uninterruptible"}
OF_COUNT = {"cs_per_s": "switches", "voluntary_cs_per_s": "voluntary",
            "involuntary_cs_per_s": "involuntary", "forks_per_s": "forks"}
WITHIN = {"disk_percent": "blocked", "lock_percent": "blocked", "paging_percent": "blocked",
          "throttled_percent": "runq"}
PERCENTILES = {"wakeup_p50": 50, "wakeup_p99": 99, "wakeup_max": 100}
SUMS = ("cpu_percent", "runq_percent", "cs_per_s", "voluntary_cs_per_s", "involuntary_cs_per_s")


class Kind:
    """The result of one kind of figure."""

    def __init__(self):
        self.counts = collections.Counter()
        self.examples = {"wrong": [], "? too high": []}  # (by how many tolerances, text)

    def add(self, verdict, ran):
        """`ran`: it is a figure of a task that ran, which should be known."""
        self.counts["compared"] += 1
        self.counts[verdict] += 1
        if ran:
            self.counts["ran"] += 1
            self.counts["marked"] += verdict not in ("right", "wrong")

    def example(self, verdict, size, text):
        """Of each task the worst one."""
        task = text.split(":")[0].split(" ")[-2:]
        examples = self.examples[verdict]
        if same := [one for one in examples if one[1].split(":")[0].split(" ")[-2:] == task]:
            if same[0][0] >= size:
                return
            examples.remove(same[0])
        examples.append((size, text))
        examples.sort(key=lambda one: -one[0])
        del examples[EXAMPLES:]

    def merge(self, other):
        self.counts.update(other.counts)
        for verdict, examples in other.examples.items():
            for example in examples:
                self.example(verdict, *example)


def mark_of(states, name, value):
    """None, "~", "?" or "-"."""
    if value is None:
        return "-"
    state = states.get(name, "valid")
    return {"valid": None, "lost": "?"}.get(state, "~" if state.startswith("scaled") else "-")


class Comparison:
    """The rows of pmctop's refreshes beside the witness's history."""

    def __init__(self, scene, history, cuts, owners=()):
        self.scene, self.history, self.cuts, self.owners = scene, history, cuts, owners
        self.kinds = collections.defaultdict(Kind)
        self.missing = Kind()
        self.reused = 0  # rows of a number that several tasks have in the interval: not compared
        self.summary = self.still = ""
        self.forks_below = collections.Counter()
        self.widths = []  # ns between the two moments of a cut
        self.first, self.later = True, collections.Counter()  # marks after the first refreshes
        self.stalls = 0  # times of two listeners that differ

    def refreshes(self, frames):
        """The first cut is before the first refresh."""
        lost = sum(frame["lost_records"] > 0 for frame in frames)
        self.summary = f"{len(frames)} refreshes, {lost} with lost records"
        self.widths = [end - begin for begin, end in self.cuts]
        for number, frame in enumerate(frames):
            self._refresh(number, frame, Window(*self.cuts[number:number + 2]))

    def strays(self, frames):
        """By how many ns at most an interval is shorter or longer than its cuts allow."""
        worst = 0
        for before, after, frame in zip(self.cuts, self.cuts[1:], frames):
            lasted = frame["interval_s"] * 1e9
            worst = max(worst, after[0] - before[1] - lasted, lasted - (after[1] - before[0]))
        return worst

    def _refresh(self, number, frame, window):
        self.first = number < FIRST_REFRESHES
        # Shares and rates of windows are of the time that they stand for: compared as if of all.
        least, most = (end - begin for begin, end in (window.inner, window.outer))
        frame["interval_s"] = min(max(frame["interval_s"] * 1e9, least), most) / 1e9
        self._sums(number, frame, window)
        if self.scene.by == "thread":
            self._rows(number, frame, window)
        else:
            self._rollups(number, frame, window)

    def _rollups(self, number, frame, window):
        """Rows of names or cgroups that tasks take and leave in the interval."""
        shares = collections.defaultdict(lambda: [0, 0])
        for task, owners in self.owners:
            if not task.lives(window.outer):
                continue
            if self.scene.by == "command":
                owners = names_in(task, owners, window)
            for owner, (least, most) in shares_of(task, owners, window).items():
                shares[owner][0] += least
                shares[owner][1] += most
        self.still = ""
        for row in frame["tasks"]:
            owner = name_of(row[ROLLUPS[self.scene.by]])
            value = row["metrics"]["cpu_percent"]
            if any(shares[owner]):
                self._time(f"{self.scene.name} refresh {number + 1} {owner}",
                           "roll-ups: cpu_percent", value,
                           mark_of(row.get("states", {}), "cpu_percent", value),
                           shares.pop(owner), frame["interval_s"], True)
        for owner, (least, _) in shares.items():
            if owner and not frame["lost_records"] and least > SHARE * frame["interval_s"] * 1e9:
                self._missing(number, owner, least)

    def _rows(self, number, frame, window):
        rows = collections.Counter(row["tid"] for row in frame["tasks"])
        living = self.history.living(window.outer)
        self.forks_below = forks_below(living, window)
        for row in frame["tasks"]:
            known = self.history.tasks.get(row["tid"], [])
            tasks = [task for task in known if task.lives(window.outer)]
            who = f"{self.scene.name} refresh {number + 1} {row['tid']} {row['comm']}"
            if rows[row["tid"]] > 1 or len(tasks) > 1:
                self.reused += 1
            elif known:
                self._row(who, frame, row, window, tasks or known[:1])
        for task in living:
            # Lost records may be all that a task has: its time is unattributed.
            known = task.tid in rows or frame["lost_records"]
            least = 0 if known else window.times([task])["run"][0]
            if least > SHARE * frame["interval_s"] * 1e9:
                self._missing(number, f"{task.tid} {task.name}", least)

    def _missing(self, number, who, least):
        self.missing.add("wrong", True)
        self.missing.example("wrong", least, f"{self.scene.name} refresh {number + 1} {who}: ran "
                             f"{least / 1e6:.1f} ms and has no row")

    def _row(self, who, frame, row, window, tasks):
        times, interval_s = window.times(tasks), frame["interval_s"]
        ran = times["run"][0] > 0
        self.still = "" if times["run"][1] else STILL
        for name, value in row["metrics"].items():
            mark = mark_of(row.get("states", {}), name, value)
            if name in OF_TIME:
                self._time(who, name, value, mark, times[OF_TIME[name]], interval_s, ran)
            elif name in WITHIN:
                most = times[WITHIN[name]][1]
                self._time(who, name, value, mark, (0, most), interval_s, ran)
            elif name in OF_COUNT:
                kind = OF_COUNT[name]
                least, most = window.count(tasks[0].counts[kind],
                                           tasks[0].hidden if kind != "forks" else ())
                if kind == "forks":
                    least, most = self._forks(tasks[0], window, least, most)
                self._count(who, name, value, mark, (least, most), interval_s, ran)
            elif name in PERCENTILES:
                self._latency(who, name, value, mark, tasks[0], window, ran)
            elif name == "state":
                self._state(who, value, mark, tasks[0], frame, window, ran)
        self._identity(who, row, times, interval_s)

    def _identity(self, who, row, times, interval_s):
        """run + runq + blocked is the life, if all three have no mark."""
        parts = [row["metrics"].get(name)
                 for name in ("cpu_percent", "runq_percent", "blocked_percent")]
        marks = [mark_of(row.get("states", {}), name, value) for name, value in
                 zip(("cpu_percent", "runq_percent", "blocked_percent"), parts)]
        if marks == [None] * 3:
            self._time(who, "run + runq + blocked", sum(parts), None, times["life"], interval_s,
                       times["run"][0] > 0)

    def _forks(self, task, window, least, most):
        """Forks of tasks that begin or end in the interval are attributed to their ancestors."""
        ended = task.now == ENDED and task.times[-1] < window.outer[1]
        if ended or task.times[0] > window.outer[0]:
            least = 0
        return least, most + self.forks_below[task]

    def _time(self, who, name, percent, mark, truth, interval_s, ran):
        ns = None if percent is None else percent / 100 * interval_s * 1e9
        self._judge(who, name, ns, mark, truth, SHARE * interval_s * 1e9, ran, 1e6, "ms")

    def _count(self, who, name, rate, mark, truth, interval_s, ran):
        count = None if rate is None else rate * interval_s
        self._judge(who, name, count, mark, truth, 1 + SHARE * truth[1], ran, 1, "")

    def _judge(self, who, name, value, mark, truth, tolerance, ran, unit, word):
        kind, (least, most) = self.kinds[name + self.still], truth
        off = 0 if value is None else max(least - value, value - most, 0)
        text = "" if value is None else (
            f"{who}: {name} {mark or ''}{value / unit:.2f}{word}, true {least / unit:.2f} to "
            f"{most / unit:.2f}{word}")
        verdict = mark or "right"
        if mark is None:
            kind.counts["open"] += most - least > 2 * tolerance
            verdict = "wrong" if off > tolerance else "right"
        elif mark == "?" and value - most > tolerance:
            verdict = "? too high"
        kind.add(verdict, ran)
        if ran and not self.first and name not in WITHIN:
            self.later.update(ran=1, marked=verdict not in ("right", "wrong"))
        if verdict in kind.examples:
            kind.example(verdict, off / tolerance, text)

    def _state(self, who, value, mark, task, frame, window, ran):
        """/proc is read between the cut and the "time" of the refresh."""
        read_ns = frame["time"] * 1e9 - REALTIME_NS
        letters = task.letters(window.inner[1], max(read_ns, window.outer[1]))
        kind = self.kinds["state" + self.still]
        wrong = mark is None and value not in letters
        kind.add("wrong" if wrong else mark or "right", ran and task.now != ENDED)
        if wrong:
            kind.example("wrong", 1, f"{who}: state {value}, true {''.join(sorted(letters))}")

    def _latency(self, who, name, value, mark, task, window, ran):
        """Classes of a histogram are HISTOGRAM wide. Hidden switches may have more of them."""
        if task.amounts(*window.outer)[UNKNOWN]:
            self.kinds[name].counts["open"] += 1
            return
        ranges = []
        for begin, end in (window.inner, window.outer):
            waits = [(least, most) for time_ns, least, most in task.latencies
                     if begin < time_ns <= end]
            if waits:
                place = min(len(waits) - 1, int(len(waits) * PERCENTILES[name] / 100))
                ranges += [sorted(wait[0] for wait in waits)[max(0, place - 1)],
                           sorted(wait[1] for wait in waits)[min(len(waits) - 1, place + 1)]]
        ns = None if value is None else value * 1e3
        most = max(ranges, default=0)
        self._judge(who, name, ns, mark, (min(ranges, default=0), most),
                    HISTOGRAM * most + HANDLER_NS, ran and ranges, 1e3, "us")

    def _sums(self, number, frame, window):
        """The rows of CPUs, and the sum of the machine."""
        self.still = ""
        who, interval_s = f"{self.scene.name} refresh {number + 1}", frame["interval_s"]
        busy = [0, 0]
        for cpu in frame["cpus"]:
            track = self.history.cpus.get(cpu["cpu"])
            if track is None:
                continue
            inner, outer = track.amounts(*window.inner), track.amounts(*window.outer)
            truth = inner[RUNS], outer[RUNS] + outer[UNKNOWN]
            busy = [total + part for total, part in zip(busy, truth)]
            value = cpu["metrics"].get("cpu_percent")
            self._time(f"{who} CPU {cpu['cpu']}", "CPU rows: cpu_percent", value,
                       mark_of(cpu.get("states", {}), "cpu_percent", value), truth, interval_s,
                       True)
        totals = frame["totals"]
        value = totals["metrics"].get("cpu_percent")
        self._time(who, "totals: cpu_percent", value,
                   mark_of(totals.get("states", {}), "cpu_percent", value),
                   busy, interval_s, True)


def name_of(text):
    """/proc adds the kind of work to the names of kernel workers."""
    return text.split("-")[0] if text and text.startswith("kworker/") else text


def names_in(task, names, window):
    """A task that began in the interval has the last name that it got: most fork and exec."""
    if task.times[0] > window.inner[0]:
        names = [name for name in names if name[0] <= window.outer[1]][-1:]
        names = [(0, 0, name) for _, _, name in names]
    return [(begin, end, name_of(name)) for begin, end, name in names]


def shares_of(task, owners, window):
    """{owner: (least ns, most ns)} that a task ran while it had it. `owners` has (a time before the
    change, one after it, owner), in order."""
    found = {}
    for (begin, begun, owner), (end, ended, _) in zip(owners, [*owners[1:], (NEVER, NEVER, None)]):
        inner = max(begun, window.inner[0]), min(end, window.inner[1])
        outer = max(begin, window.outer[0]), min(ended, window.outer[1])
        least = task.amounts(*inner)[RUNS] if inner[0] < inner[1] else 0
        most = task.amounts(*outer) if outer[0] < outer[1] else {}
        before = found.get(owner, (0, 0))
        found[owner] = (before[0] + least,
                        before[1] + most.get(RUNS, 0) + most.get(UNKNOWN, 0))
    return found


def forks_below(living, window):
    """{task: the most forks of its descendants}"""
    found = collections.Counter()
    for task in living:
        forks = window.count(task.counts["forks"])[1]
        while forks and (task := task.parent):
            found[task] += forks
    return found


def columns(scene):
    return ["-S", "waiting", "-m", "cs_per_s", "--by", scene.by, "--budget", str(scene.budget),
            *scene.options]


def owners_of(scene, history, moves):
    """(task, its owners) of tasks that change their roll-up: what beside() yields, or names."""
    if scene.by == "cgroup":
        return [(history.tasks[tid][0], owners) for tid, owners in moves]
    if scene.by != "command":
        return []
    leaders = {task.pid: task for tasks in history.tasks.values() for task in tasks
               if task.pid == task.tid}
    return [(task, [(time_ns, time_ns, name) for time_ns, name in leaders[task.pid].names])
            for tasks in history.tasks.values() for task in tasks if task.pid in leaders]


def run_scene(scene, with_perf=False, recorded=None):
    """A Comparison of one run of pmctop, or the reason why there is none."""
    recorder = Recorder(PMCTOP)
    try:
        with loads.all_running(scene.loaded) as pids, tempfile.TemporaryFile() as output:
            recorder.watched = loads.threads_of(set(pids.values()))
            recorder.start()
            time.sleep(BEFORE_S)
            refreshes = max(3, round(scene.seconds / scene.interval_s))
            command = [*TRACED, *scene.prefix, PMCTOP, "-b", "--format", "json", "-d",
                       str(scene.interval_s), "-n", str(refreshes), *columns(scene)]
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output,
                                       stderr=subprocess.DEVNULL, env=ENVIRONMENT)
            with contextlib.ExitStack() as stack:
                stalls = stack.enter_context(Stalls()) if with_perf else None
                moves = stack.enter_context(scene.beside(process)) if scene.beside else None
                process.wait()
            recorder.stop()
            output.seek(0)
            frames = frames_of(output.read().decode("utf-8"))
        events = recorder.events()
        history = History(events, recorder.threads)
    finally:
        recorder.close()
    cuts = history.cuts_of(process.pid)
    if recorder.lost:
        return f"the witness lost {recorder.lost} records"
    if not frames or len(cuts) != len(frames) + 1:
        return f"{len(frames)} refreshes, {len(cuts)} cuts"
    if stalls:
        found = stalls.of(events)
        if found is None:
            return "perf has no records"
        history.blur(found)
    comparison = Comparison(scene, history, cuts, owners_of(scene, history, moves))
    comparison.stalls = len(found) if stalls else 0
    stray_ns = STRAY_NS + (STRAY_SHARE * scene.interval_s * 1e9 if scene.budget else 0)
    if comparison.strays(frames) > stray_ns:
        return f"an interval differs from its cuts by {comparison.strays(frames) / 1e6:.1f} ms"
    comparison.refreshes(frames)
    if recorded is not None:
        recorded.append((frames, history))
    return comparison


def print_table(title, kinds):
    heads = "compared", "right", "wrong", "~", "?", "? too high", "-", "open", "ran", "marked"
    print(f"# {title}\n# {'kind':38}" + "".join(f"{head:>11}" for head in heads))
    for name, kind in sorted(kinds.items()):
        print(f"# {name:38}" + "".join(f"{kind.counts[head]:11}" for head in heads))
    for name, kind in sorted(kinds.items()):
        for verdict, examples in kind.examples.items():
            for _, text in examples:
                print(f"#   {verdict}: {text}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--scene", choices=SPECIAL, action="append")
    parser.add_argument("--perf", action="store_true", help="with a second listener")
    parser.add_argument("--each", action="store_true", help="a table for each scene")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # loads and the ftrace instance end, too
    scenes = ([SPECIAL[name] for name in options.scene] if options.scene else
              long_scenes(options.minutes) if options.minutes else SHORT)
    together, missing, widths, failures = collections.defaultdict(Kind), Kind(), [], []
    beside, marks = [], collections.defaultdict(collections.Counter)
    later = collections.Counter()
    for scene in scenes:
        try:
            comparison = run_scene(scene, options.perf)
        except Refused as why:
            skip_all(str(why))
        if isinstance(comparison, str):
            failures.append(f"{scene.name}: {comparison}")
            continue
        history = comparison.history
        print(f"# {scene.name}: {comparison.summary}; {history.switches} switches, "
              f"{history.breaks} hidden, {comparison.stalls} stalls; a cut took {max(comparison.widths) / 1e6:.2f} ms at most",
              flush=True)
        if options.each:
            print_table(scene.name, comparison.kinds)
        for name, kind in comparison.kinds.items():
            together[name].merge(kind)
        marks[f"{'loaded' if scene.loaded else 'quiet'}, {scene.interval_s} s, "
              f"budget {scene.budget}"].update(marks_of(comparison.kinds))
        later.update(comparison.later)
        missing.merge(comparison.missing)
        beside += history.beside_schedstat(RUNS_MUCH)
        widths += comparison.widths
    check("the witness has the run times of schedstat, of tasks that run much",
          beside and max(beside)[0] < SHARE, sorted(beside, reverse=True)[:3])
    print(f"# {len(beside)} tasks beside schedstat; worst: {max(beside, default=None)}")
    for name, counts in marks.items():
        print(f"# {name}: {counts['marked']} of {counts['ran']} figures of tasks that ran have a "
              f"mark: {counts['marked'] / max(counts['ran'], 1):.1%}")
    report(together, missing, widths, failures)
    print(f"# after the first {FIRST_REFRESHES} refreshes: {later['marked']} of {later['ran']}: "
          f"{later['marked'] / max(later['ran'], 1):.1%}")
    check(f"at most {MARKED_MOST:.0%} of the figures of tasks that ran have a mark, later",
          later["marked"] <= MARKED_MOST * later["ran"], later)
    finish()


def marks_of(kinds):
    """How many figures of tasks that ran there are, and how many have a mark."""
    counts = collections.Counter()
    for name, kind in kinds.items():
        if name not in WITHIN:
            counts.update(ran=kind.counts["ran"], marked=kind.counts["marked"])
    return counts


def report(kinds, missing, widths, failures):
    kinds["tasks without a row"] = missing
    print_table("all scenes", kinds)
    widths.sort()
    if widths:
        print(f"# cuts: median {widths[len(widths) // 2] / 1e6:.3f} ms, "
              f"longest {widths[-1] / 1e6:.3f} ms")
    check("the witness has records of every scene", not failures, failures)
    for name, kind in sorted(kinds.items()):
        check(f"{name}: no figure without a mark is off by more than {SHARE:.0%} of the interval",
              not kind.counts["wrong"], f"{kind.counts['wrong']} of {kind.counts['compared']}")
        check(f"{name}: no lower bound is above the truth", not kind.counts["? too high"],
              f"{kind.counts['? too high']} of {kind.counts['compared']}")
    counts = marks_of(kinds)
    ran, marked = counts["ran"], counts["marked"]
    print(f"# {marked} of {ran} figures of tasks that ran have a mark: {marked / max(ran, 1):.1%} "
          f"(without {', '.join(WITHIN)}, which are made of samples)")


if __name__ == "__main__":
    main()
