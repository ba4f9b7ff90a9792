#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Clocks, and sums of all tasks, in time and pid namespaces and with hidepid; roll-ups by cgroup
when a loop is moved.

Prints TAP. BUILD is the build directory. Needs root, for the namespaces and to move a task.
"""
import contextlib
import os
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skip_reason  # noqa: E402
from frames import check, check_unless, finish, frames_of, skip, skip_all, wait_for_lines  # noqa: E402
from programs import BUILD, NOBODY  # noqa: E402

PMCTOP = os.path.join(BUILD, "pmctop")
METRICS = "cpu_percent,runq_percent,blocked_percent,kernel_percent"
COUNT = [PMCTOP, "--format", "json", "-d", "0.5", "-m", METRICS]
LOOP = [sys.executable, "-c", "while True: pass"]
# In system calls nearly all the time.
CALLS = [sys.executable, "-c", "import os\nwhile True: os.stat('/')"]
# Much of a CPU, also on a busy machine.
PREFERRED = ["nice", "-n", "-10"]
AS_NOBODY = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]


@contextlib.contextmanager
def running(command):
    with subprocess.Popen(command) as process:
        try:
            yield process.pid
        finally:
            process.kill()


def frames(prefix, *options):
    run = subprocess.run([*prefix, *COUNT, *options], stdin=subprocess.DEVNULL,
                         capture_output=True, text=True, timeout=180, check=False)
    return frames_of(run.stdout), run.stderr


def refusal(*unshare):
    done = subprocess.run(["unshare", *unshare, "true"], capture_output=True, text=True,
                          check=False)
    return done.stderr.strip() if done.returncode else None


def is_exact(row, *metrics):
    return not any((row.get("states") or {}).get(metric) for metric in metrics)


def time_namespaces():
    """A loop runs, waits for a CPU, or is blocked: never more than the interval in all."""
    for offset in "86400", "-60":
        unshare = ["--time", "--monotonic", offset, "--fork"]
        name = f"time namespace {offset} s"
        why = refusal(*unshare)
        if why:
            skip(name, why)
            continue
        with running(LOOP) as loop:
            seen, errors = frames(["unshare", *unshare], "-n", "6", "-p", str(loop))
        rows = [row for frame in seen[1:] for row in frame["tasks"] if row["pid"] == loop]
        parts = [[row["metrics"][metric] for metric in METRICS.split(",")[:3]] for row in rows]
        check(f"{name}: the loop has its waits", len(rows) == 5 and
              all(None not in part for part in parts), (parts, errors))
        exact = [part for row, part in zip(rows, parts)
                 if is_exact(row, "cpu_percent", "runq_percent", "blocked_percent")]
        check(f"{name}: its exact parts add up to its life",
              all(98 < sum(part) < 102 for part in exact), parts)


def busiest_ms(frame):
    """The CPU time of the task that ran most."""
    shares = [row["metrics"]["cpu_percent"] or 0 for row in frame["tasks"]]
    return max(shares, default=0) / 100 * frame["interval_s"] * 1000


def pid_namespace():
    """A loop in user mode inside, one in the kernel outside. Times of less than 3 ticks are unknown,
    and so are the next ones after less than 2."""
    script = f'"$@" & loop=$!; {PMCTOP} --format json -n 6 -d 0.5 -m {METRICS}; kill $loop'
    with running([*PREFERRED, *CALLS]):
        run = subprocess.run(["unshare", "--pid", "--fork", "--mount-proc", "sh", "-c", script,
                              "sh", *PREFERRED, *LOOP], stdin=subprocess.DEVNULL, capture_output=True,
                             text=True, timeout=180, check=False)
    seen = frames_of(run.stdout)
    kernel = [frame["totals"]["metrics"]["kernel_percent"] for frame in seen[1:]]
    ran = [busiest_ms(frame) for frame in seen]
    known = [share for share, before, now in zip(kernel, ran, ran[1:]) if before > 20 and now > 30]
    check("pid namespace: kernel% of the machine is that of the tasks inside",
          len(kernel) == 5 and known and None not in known and
          all(share is None or share < 30 for share in kernel), (kernel, ran, run.stderr))
    check("pid namespace: kernel% of its CPUs is unknown",
          all(cpu["metrics"]["kernel_percent"] is None for frame in seen[1:]
              for cpu in frame["cpus"]), kernel)


def cpu_s(pid):
    with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
        return int(file.read().split()[0]) / 1e9


def outside_of_a_pid_namespace():
    """A loop outside is no idle time. The kernel has its time too, of a little more than the
    refreshes, and beside it others run."""
    with running([*PREFERRED, *LOOP]) as loop:
        begin, before = time.monotonic(), cpu_s(loop)
        seen, errors = frames(["unshare", "--pid", "--fork", "--mount-proc"], "-n", "6")
        share = (cpu_s(loop) - before) / (time.monotonic() - begin)
    wall = sum(frame["interval_s"] for frame in seen)
    parts = [frame["totals"].get("others", {"events": {"task-clock": 0}}) for frame in seen]
    others = sum(part["events"]["task-clock"] for part in parts) / 1e9
    check("pid namespace: the time of a loop outside is that of others", len(seen) == 6 and
          others > (share - 0.1) * wall, (share, others, wall, errors))
    check("pid namespace: the CPUs have it", sum(
        cpu["metrics"]["cpu_percent"] / 100 * frame["interval_s"]
        for frame in seen for cpu in frame["cpus"]) > (share - 0.1) * wall, seen)
    check("pid namespace: a finding says so, and none that it is idle",
          all(any("outside of this pid namespace" in finding["sentence"]
                  for finding in frame["findings"]) for frame in seen) and
          not any(finding["verdict"] == "idle" for frame in seen
                  for finding in frame["findings"]), [frame["findings"] for frame in seen])
    check("pid namespace: the waits of the machine are no exact sum",
          not any(is_exact(frame["totals"], "runq_percent") for frame in seen),
          [frame["totals"] for frame in seen])


def hidden_tasks():
    """Loops of root that an ordinary user does not see."""
    mount = "mount -t proc -o hidepid=2 proc /proc && exec \"$@\""
    inside = ["unshare", "--mount", "--propagation", "private", "sh", "-ec", mount, "sh"]
    with running(LOOP), running(LOOP), running(LOOP):
        seen, errors = frames([*inside, *AS_NOBODY], "-n", "3")
    if not seen or seen[0]["mode"] == "system":
        skip("hidepid: the waits of the machine are no exact sum", "all CPUs are counted")
        return
    totals = [frame["totals"] for frame in seen[1:]]
    check("hidepid: the waits of the machine are no exact sum",
          len(totals) == 2 and not any(is_exact(total, "runq_percent") for total in totals),
          (totals, errors))


def cgroup2_root():
    with open("/proc/mounts", encoding="utf-8", errors="replace") as lines:
        return next((line.split()[1] for line in lines if line.split()[2] == "cgroup2"), None)


def moved_loop():
    """It is in both rows in the refresh of the move, and in the second one alone after it."""
    root = cgroup2_root()
    names = [f"pmctop-test-{os.getpid()}-{i}" for i in "ab"]
    paths = [os.path.join(root or "", name) for name in names]
    what = "a loop moves to another cgroup"
    if not root:
        skip(what, "no cgroup2 is mounted")
        return
    try:
        for path in paths:
            os.mkdir(path)
    except OSError as error:
        skip(what, error)
        return
    with tempfile.NamedTemporaryFile("w+") as out:
        with running(LOOP) as loop:
            enter = [os.path.join(path, "cgroup.procs") for path in paths]
            with open(enter[0], "w", encoding="ascii") as procs:
                procs.write(str(loop))
            with subprocess.Popen([*COUNT, "--by", "cgroup", "-n", "8"], stdout=out,
                                  stdin=subprocess.DEVNULL) as pmctop:
                wait_for_lines(out, 4)
                with open(enter[1], "w", encoding="ascii") as procs:
                    procs.write(str(loop))
                pmctop.wait()
        out.seek(0)
        seen = frames_of(out.read())
    for path in paths:
        for _ in range(100):
            with contextlib.suppress(OSError):
                os.rmdir(path)
                break
            time.sleep(0.1)
    rows = [[row for row in frame["tasks"] if (row["cgroup"] or "").lstrip("/") in names]
            for frame in seen]
    in_order = ["".join(sorted(row["cgroup"][-1] for row in of)) for of in rows]
    check(f"{what}: each refresh has its rows", "".join(in_order).strip("a").strip("b") == "" and
          in_order.count("ab") <= 1 and in_order[-1] == "b", in_order)
    check(f"{what}: two rows are no exact figures",
          all(not is_exact(row, "cpu_percent") for of in rows if len(of) == 2 for row in of), rows)


if skip_reason.other_users():
    skip_all(skip_reason.other_users())
check_unless(skip_reason.system_wide(PMCTOP), "all CPUs are counted", True)
time_namespaces()
check_unless(refusal("--pid", "--fork", "--mount-proc"), "a pid namespace can be made", True)
if not refusal("--pid", "--fork", "--mount-proc"):
    pid_namespace()
    outside_of_a_pid_namespace()
if skip_reason.mounts():
    skip("hidepid", skip_reason.mounts())
else:
    hidden_tasks()
moved_loop()
finish()
