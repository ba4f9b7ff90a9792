#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tests/run: one by one, it sets perf_event_paranoid.
"""What can be counted (-p, -t, -u, -C, -G, --, all), by root and by ordinary users.

Prints TAP. BUILD is the build directory. Software events are enough: no PMU is needed. As root it
starts pmctop as an ordinary user, sets perf_event_paranoid and restores it. Without root these
checks are skipped.
"""
import contextlib
import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skip_reason  # noqa: E402
import setuid_process  # noqa: E402
from frames import (  # noqa: E402
    Charge, Charged, broken_sums, check, check_unless, finish, for_all, frames_of, skip, stolen_ns,
    wait_for_lines)

BUILD = for_all(os.path.abspath(os.environ.get("BUILD", "build")))
PMCTOP = os.path.join(BUILD, "pmctop")
LOAD = os.path.join(BUILD, "load")
PARANOID = "/proc/sys/kernel/perf_event_paranoid"
ROOT = skip_reason.other_users() is None
NOBODY = 65534
PATIENCE_S = 180
USER = {"user": NOBODY, "group": NOBODY, "extra_groups": [],
        "env": dict(os.environ, PATH="/usr/bin:/bin")} if ROOT else {}

# (user, perf_event_paranoid, mode without a target). Some kernels have the levels 3 and 4, at which
# an ordinary user may count nothing.
MAY = (
    ("root", 2, "system"),
    ("root", 4, "system"),
    ("user", -1, "system"),
    ("user", 0, "system"),
    ("user", 1, "task"),
    ("user", 2, "task"),
    ("user", 3, "task or proc"),
    ("user", 4, "task or proc"),
    ("user with CAP_PERFMON", 2, "system"),
)

# (arguments, user, status, a word of the message)
GONE, NOT_OURS = "(gone)", "(not ours)"
BAD = (
    (["-p", GONE], "root", 2, GONE),
    (["-p", GONE], "user", 2, GONE),
    (["-t", GONE], "root", 2, GONE),
    (["-p", NOT_OURS], "user", 3, NOT_OURS),
    (["-p", "2"], "user", 3, "kernel thread"),
    (["-p", "0"], "root", 2, "0"),
    (["-p", "-1"], "root", 2, "-1"),
    (["-p", "1x"], "root", 2, "1x"),
    (["-p", "99999999999999999999"], "root", 2, "9999"),
    (["-t", "x"], "root", 2, "x"),
    (["-u", "nosuchuser"], "root", 2, "nosuchuser"),
    (["-G", "/no/such/cgroup"], "root", 2, "/no/such/cgroup"),
    (["-C", "4095"], "root", 2, "4095"),
    (["-C", "0-x"], "root", 2, "0-x"),
    (["--count", "nobody"], "root", 2, "nobody"),
    (["--", "no-such-command"], "user", 127, "no-such-command"),
    (["--", "/tmp"], "user", 126, "/tmp"),
)

LAUNCHES = (
    ("exit 0", 0),
    ("exit 7", 7),
    ("kill -9 $$", 137),
    ("kill -TERM $$", 143),
)


def options_of(user):
    return {} if user == "root" else USER


def run(*arguments, program=PMCTOP, **options):
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=PATIENCE_S,
                          stdin=subprocess.DEVNULL, **options)


@contextlib.contextmanager
def load(*command, **options):
    """A load program, until the end of the block."""
    process = subprocess.Popen([os.path.join(LOAD, command[0]), *command[1:]], text=True,
                               stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, **options)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def paranoid_set(level):
    with open(PARANOID, "w", encoding="ascii") as file:
        file.write(str(level))


def clock_ns(task):
    return task["events"]["task-clock"] or 0


SHARE = 0.1  # the scheduler charges at its ticks


def watch(pid, *arguments, program=PMCTOP, **options):
    """Returns three frames, the task's time and Charge in the last two, and the status."""
    frames, scheduler = [], Charged([pid])
    with subprocess.Popen([program, "--format", "json", "-S", "software", "-d", "0.4", "-n", "3",
                           *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          stdin=subprocess.DEVNULL, text=True, **options) as pmctop:
        for line in pmctop.stdout:
            frames.append(json.loads(line))
    scheduler.stop()
    seen = sum(clock_ns(task) for frame in frames[1:] for task in frame["tasks"]
               if task["pid"] == pid)
    ran = (scheduler.between(pid, frames[0]["time"], frames[-1]["time"]) if frames
           else Charge(0, 0))
    return frames, seen, ran, pmctop.returncode


def check_levels():
    """The mode of each user at each level."""
    with tempfile.TemporaryDirectory() as place, load("spin", **USER) as spin:
        os.chmod(place, 0o755)
        capable = shutil.copy(PMCTOP, place)
        granted = subprocess.run(["setcap", "cap_perfmon+ep", capable], capture_output=True,
                                 text=True, check=False)
        for user, level, wanted in MAY:
            name = f"{user}, paranoid {level}"
            program = PMCTOP
            if "CAP" in user:
                program = capable
                if granted.returncode != 0:
                    skip(name, granted.stderr.strip())
                    continue
            paranoid_set(level)
            for arguments in [], ["-p", str(spin.pid)]:
                part = f"{name}{', attached' if arguments else ''}"
                frames, seen, ran, status = watch(spin.pid, *arguments, program=program,
                                                  **options_of(user))
                last = frames[-1] if frames else {"mode": None, "notes": []}
                check(f"{part}: three refreshes and status 0", status == 0 and len(frames) == 3
                      and not any(broken_sums(f) for f in frames), (status, len(frames)))
                check(f"{part}: the time of the busy loop is the scheduler's",
                      ran.agrees(seen, SHARE), (last["mode"], seen, ran, last["notes"]))
                if arguments:
                    continue
                check(f"{name}: mode {wanted}", last["mode"] in wanted.split(" or "), last["mode"])
                reasons = [note for note in last["notes"] if note.startswith("perf_event_paranoid=")]
                check(f"{name}: " + ("no note" if wanted == "system"
                                     else "one note has the reason and the remedy"),
                      len(reasons) == (wanted != "system"), last["notes"])


def bad_input():
    gone = subprocess.Popen(["true"])
    gone.wait()
    with load("spin") as spin:
        replaced = {GONE: str(gone.pid), NOT_OURS: str(spin.pid)}
        for arguments, user, status, word in BAD:
            if user == "user" and not ROOT:
                skip(f"pmctop {' '.join(arguments)} by another user", "needs root")
                continue
            if word == "kernel thread" and skip_reason.pid_namespace():
                skip(f"pmctop {' '.join(arguments)}", skip_reason.pid_namespace())
                continue
            arguments = [replaced.get(a, a) for a in arguments]
            result = run("-b", "-n", "1", "-d", "0.1", *arguments, **options_of(user))
            lines = result.stderr.splitlines()
            check(f"{user}: pmctop {' '.join(arguments)}: status {status}, one line with the reason",
                  result.returncode == status and len(lines) == 1
                  and replaced.get(word, word) in lines[0] and not result.stdout,
                  (result.returncode, result.stderr, result.stdout[:200]))


def launch(user):
    """A command runs in the same way for any user."""
    options = options_of(user)
    for script, status in LAUNCHES:
        result = run("--format", "json", "-d", "0.1", "--", "sh", "-c", script, **options)
        check(f"{user}: the status of sh -c '{script}' is passed on: {status}",
              result.returncode == status, (result.returncode, result.stderr))
    stolen = stolen_ns()
    result = run("--format", "json", "-S", "software", "-d", "0.2", "--",
                 os.path.join(LOAD, "tree"), "-s", "3", "2000000", **options)
    stolen = stolen_ns() - stolen
    frames = frames_of(result.stdout)
    live = [frame for frame in frames if not frame.get("summary")]
    summaries = [frame for frame in frames if frame.get("summary")]
    check(f"{user}: the frames of a family are conserved, with one summary at the end",
          result.returncode == 3 and live and len(summaries) == 1
          and not any(broken_sums(f) for f in frames), (result.returncode, len(frames)))
    parts = sum(clock_ns(task) for frame in live for task in frame["tasks"])
    whole = sum(clock_ns(task) for frame in summaries for task in frame["tasks"])
    check(f"{user}: the summary is their sum", 0.99 * whole <= parts <= 1.01 * whole and whole > 0,
          (parts, whole))
    charged = Charge(sum(f["user_s"] + f["system_s"] for f in summaries) * 1e9, stolen)
    check(f"{user}: and the CPU time that the kernel charged", charged.agrees(whole, SHARE),
          (whole, charged))
    # "exe" is a process before its main().
    comms = {task["comm"] for frame in live for task in frame["tasks"]}
    check(f"{user}: no other task has a row",
          comms and all(str(comm).startswith(("tree", "exe")) for comm in comms), comms)


def crowd():
    """Thousands of threads, most of them asleep, and few descriptors."""
    busy, sleeping = 50, 5000
    with load("crowd", "-s", str(sleeping), "-b", str(busy), **USER) as process:
        if process.stdout.readline() != "ready\n":
            skip("thousands of threads", "this machine allows fewer")
            return
        result = subprocess.run(
            ["sh", "-c", f"ulimit -n 256; exec {PMCTOP} --format json -S software -H -d 2 -n 4 "
             f"-p {process.pid}"], capture_output=True, text=True, timeout=PATIENCE_S, **USER)
    frames = frames_of(result.stdout)
    check("5,050 threads and 256 descriptors: no error",
          result.returncode == 0 and len(frames) == 4, (result.returncode, result.stderr))
    # On a busy machine not every thread runs in each refresh.
    rows = {task["tid"] for frame in frames[1:] for task in frame["tasks"]
            if task["comm"] == "busy" and clock_ns(task) > 0}
    check(f"the {busy} busy threads have rows", len(rows) == busy, len(rows))
    threads = frames[-1].get("threads", {"ran": 0, "counted": 0})
    check("a note has the number of counted threads", threads["counted"] == threads["ran"] or any(
        f"the {threads['counted']} busiest of {threads['ran']} threads that ran" in note
        for note in frames[-1]["notes"]), (threads, frames[-1]["notes"]))


def guises(user):
    """Tasks that change their name, program or pid, all at once. Each prints its own identity."""
    options = options_of(user)
    stolen = stolen_ns()
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        pmctop = subprocess.Popen([PMCTOP, "--format", "json", "-S", "software", "-H", "-d", "0.2"],
                                  stdout=output, **options)
        wait_for_lines(output, 1)
        runs = [subprocess.Popen([os.path.join(LOAD, "guise"), *words], stdout=subprocess.PIPE,
                                 text=True, **options)
                for words in (["rename"], ["thread"], ["exec", os.path.join(LOAD, "spin"), "3"],
                              ["zombie"], ["reuse"])]
        identities = [json.loads(line) for process in runs for line in process.communicate()[0]
                .splitlines()]
        wait_for_lines(output, 2)
        pmctop.send_signal(signal.SIGTERM)
        pmctop.wait()
        output.seek(0)
        frames = frames_of(output.read())
    stolen = stolen_ns() - stolen
    for truth in identities:
        seen = [task for frame in frames for task in frame["tasks"]
                if (task["pid"], task["tid"]) == (truth["pid"], truth["tid"])
                and task["comm"] == truth["comm"]]
        ran = sum(clock_ns(task) for task in seen) / 1e9
        # A task has its new name from the refresh after the change. spin gets three seconds of CPU
        # time, the others 0.4 s.
        most = (3.1 if truth["comm"] == "spin" else 1.1) + stolen / 1e9
        check(f"{user}: {truth['comm']} has a row with its name, pid and time",
              0.1 < ran < most, (truth, ran))
        if truth["comm"] == "undead":
            check(f"{user}: a zombie's row is marked as exited", seen and seen[-1].get("exited"),
                  seen[-1:])


def kernel_threads():
    result = run("--format", "json", "-S", "software", "-d", "1", "-n", "3")
    wrong, rows = [], 0
    for frame in frames_of(result.stdout):
        for task in frame["tasks"]:
            try:
                with open(f"/proc/{task['pid']}/stat", encoding="utf-8", errors="replace") as stat:
                    comm, rest = stat.read().split("(", 1)[1].rsplit(")", 1)
            except OSError:
                continue
            if int(rest.split()[6]) & 0x00200000:  # PF_KTHREAD
                rows += 1
                # A worker's name has its current work behind the first '-'. Records cut names at 15
                # bytes, /proc does not for kernel threads.
                name = str(task["comm"]).split("-")[0]
                if task["user"] != "root" or comm[:15].split("-")[0] != name[:15]:
                    wrong.append((task["pid"], task["comm"], comm, task["user"]))
    check_unless(skip_reason.pid_namespace(), "kernel threads have rows, with their names and user root",
                 rows and not wrong, (rows, wrong))


def setuid():
    """A program with the set-user-ID bit of root, started by an ordinary user."""
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        program = shutil.copy(os.path.join(LOAD, "spin"), os.path.join(place, "spin-setuid"))
        os.chmod(program, 0o4755)
        spin = subprocess.Popen([program], **USER)
        try:
            while os.readlink(f"/proc/{spin.pid}/exe") != program:
                time.sleep(0.01)
            if os.stat(f"/proc/{spin.pid}").st_uid != 0:
                skip("a setuid program", "nosuid")
                return
            frames, seen, ran, _ = watch(spin.pid)
            users = {task["user"] for frame in frames for task in frame["tasks"]
                     if task["pid"] == spin.pid}
            check("a setuid program is its owner's, with the scheduler's time",
                  users == {"root"} and ran.agrees(seen, SHARE), (users, seen, ran))
            result = run("-b", "-n", "1", "-d", "0.1", "-p", str(spin.pid), **USER)
            check("its user may not count it: one line reports that",
                  result.returncode == 3 and len(result.stderr.splitlines()) == 1,
                  (result.returncode, result.stderr))
        finally:
            spin.kill()
            spin.wait()
        result = run("--format", "json", "-d", "0.2", "--", program, "0.5", **USER)
        check("started by pmctop of that user, it is counted as far as possible, and its status passed on",
              result.returncode == 0 and frames_of(result.stdout), (result.returncode,
                                                                    result.stderr))


# Short-lived children, and their pids.
CHILDREN = """
pids = []
for _ in range(100):
    pid = os.fork()
    if pid == 0:
        for _ in range(10000):
            pass
        os._exit(0)
    os.waitpid(pid, 0)
    pids.append(pid)
print(*pids, flush=True)
sys.stdin.readline()
"""


def after_setuid():
    """Children that end before their first refresh. Their parent's user was read long before."""
    with setuid_process.start(CHILDREN) as dropped, \
         subprocess.Popen([PMCTOP, "--format", "json", "-S", "software", "-d", "0.2"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          stdin=subprocess.DEVNULL, text=True) as pmctop:
        frame, seen, rows = None, 0, []
        while seen < 10:  # pmctop reads the user after 0.25, 1.25 and 5.25 s
            frame = json.loads(pmctop.stdout.readline())
            seen += any(task["pid"] == dropped.pid for task in frame["tasks"])
        setuid_process.drop(dropped)
        pids = {int(pid) for pid in dropped.stdout.readline().split()}
        ended = time.time()
        while frame["time"] < ended:
            frame = json.loads(pmctop.stdout.readline())
            rows += [task for task in frame["tasks"] if task["pid"] in pids]
        users = {task["user"] for task in rows}
        check_unless(frame["mode"] != "system" and "whole CPUs cannot be counted",
                     "after setuid() ended children have the new user too",
                     len(rows) >= len(pids) / 2 and users == {pwd.getpwuid(NOBODY).pw_name},
                     (len(rows), users))
        pmctop.kill()
        dropped.kill()


def restricted():
    """-u, -C and -G."""
    name = pwd.getpwuid(NOBODY).pw_name
    with load("spin", "-c", "0", **USER) as spin, load("spin", "-c", "0") as other:
        for user in name, str(NOBODY):
            frames, seen, ran, _ = watch(spin.pid, "-u", user)
            users = {task["user"] for frame in frames for task in frame["tasks"]}
            check(f"-u {user}: that user's rows alone", users == {name}
                  and ran.agrees(seen, SHARE), (users, seen, ran))
        frames, seen, ran, _ = watch(spin.pid, "-C", "0")
        cpus = {cpu["cpu"] for frame in frames for cpu in frame["cpus"]}
        check("-C 0: that CPU alone", cpus == {0} and ran.agrees(seen, SHARE),
              (cpus, seen, ran))
        frames, seen, _, _ = watch(spin.pid, "-p", f"{spin.pid},{other.pid}")
        pids = {task["pid"] for frame in frames for task in frame["tasks"]}
        check("-p with two pids: these rows alone", pids == {spin.pid, other.pid}, pids)
        check_cgroup(spin)


def check_cgroup(spin):
    """-G, with a new cgroup."""
    with open("/proc/mounts", encoding="utf-8") as mounts:
        roots = [line.split()[1] for line in mounts if line.split()[2] == "cgroup2"]
    name = f"pmctop-test-{os.getpid()}"
    path = os.path.join(*roots[:1], name)
    try:
        os.mkdir(path)
    except OSError as error:
        skip("-G", error)
        return
    try:
        with open(f"{path}/cgroup.procs", "w", encoding="ascii") as procs:
            procs.write(str(spin.pid))
        # The name in /proc/PID/cgroup; and the path, if cgroup2 is mounted at its usual place.
        for argument in [f"/{name}"] + [path] * (roots[:1] == ["/sys/fs/cgroup"]):
            frames, seen, ran, _ = watch(spin.pid, "-G", argument)
            pids = {task["pid"] for frame in frames for task in frame["tasks"]}
            check(f"-G {argument}: that cgroup's rows alone", pids == {spin.pid}
                  and ran.agrees(seen, SHARE), (pids, seen, ran))
    finally:
        spin.kill()
        spin.wait()
        os.rmdir(path)


with open(PARANOID, encoding="ascii") as level_now:
    PARANOID_WAS = level_now.read().strip()
try:
    if ROOT:
        try:
            paranoid_set(2)
        except OSError as error:
            skip("each level of perf_event_paranoid", error)
        else:
            check_levels()
            paranoid_set(2)
        guises("root")
        kernel_threads()
        setuid()
        after_setuid()
        restricted()
        launch("root")
    else:
        skip("perf_event_paranoid, users, cgroups, kernel threads", "needs root")
    bad_input()
    guises("user")
    launch("user")
    crowd()
finally:
    if ROOT:
        paranoid_set(PARANOID_WAS)
finish()
