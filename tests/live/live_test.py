#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tests/run: alone, it measures how busy the machine is.
"""pmctop -b on the kernel that runs here, against what that kernel says itself.

Prints TAP. BUILD is the build directory. Needs the right to count system-wide; without it all that
asks for it is skipped by name.
"""
import glob
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import confined  # noqa: E402
import dropper  # noqa: E402
from frames import (  # noqa: E402
    Charge, Charged, broken_sums, check, check_unless, finish, for_all, frames_of, skip, stolen_ns,
    wait_for_lines)

BUILD = for_all(os.path.abspath(os.environ.get("BUILD", "build")))
PMCTOP = os.path.join(BUILD, "pmctop")
LOAD = os.path.join(BUILD, "load")
NOBODY = 65534
PATIENCE_S = 180
SWARM = 10000
STARVED_S = 1  # of waiting for a CPU while the swarm lasts


def run(*arguments, **options):
    return subprocess.run([PMCTOP, *arguments], capture_output=True, text=True, timeout=PATIENCE_S,
                          stdin=subprocess.DEVNULL, **options)


def busy_loops():
    spins = [subprocess.Popen([os.path.join(LOAD, "spin")]) for _ in range(os.cpu_count())]
    scheduler = Charged([spin.pid for spin in spins])
    try:
        # The first interval may begin before a loop does, so it is not compared.
        pmctop = subprocess.Popen([PMCTOP, "--format", "json", "-d", "0.5", "-n", "6"],
                                  stdout=subprocess.PIPE, text=True)
        seen, frames = {}, []
        for line in pmctop.stdout:
            frames.append(json.loads(line))
            if len(frames) == 1:
                # Whoever samples switches after us must not be able to blind us.
                rival = subprocess.Popen([PMCTOP, "-b", "-d", "0.3"], stdout=subprocess.DEVNULL)
                continue
            for task in frames[-1]["tasks"]:
                seen[task["pid"]] = seen.get(task["pid"], 0) + task["events"]["task-clock"]
        pmctop.wait()
        rival.terminate()
        rival.wait()
    finally:
        scheduler.stop()
        for spin in spins:
            spin.kill()
            spin.wait()
    charged = {spin.pid: scheduler.between(spin.pid, frames[0]["time"], frames[-1]["time"])
               for spin in spins}
    check("six refreshes, every one conserved",
          len(frames) == 6 and not any(broken_sums(f) for f in frames),
          [broken_sums(f) for f in frames])
    alone = min(charge.ran_ns for charge in charged.values()) > 2e9
    lost = sum(frame["lost_records"] for frame in frames)
    name = "each busy loop has the time that the scheduler charged it, to 5 %"
    good = all(charged[pid].agrees(seen.get(pid, 0), 0.05) for pid in charged)
    if lost and not alone:
        skip(name, f"something else is busy here: {lost} records were lost")
    else:
        check(name, good, ({pid: seen.get(pid) for pid in charged}, charged, lost))
    top = [task["comm"] for task in frames[-1]["tasks"][:len(spins)]]
    if alone:
        check("busy loops stand on top", all(comm == "spin" for comm in top), top)
    else:
        skip("busy loops stand on top", "something else is busy here")
    idle = sum(cpu["idle"]["events"]["task-clock"] for frame in frames for cpu in frame["cpus"])
    total = sum(frame["totals"]["events"]["task-clock"] for frame in frames)
    check_unless(confined.pid_namespace(), "no CPU is idle meanwhile", idle < 0.05 * total, (idle, total))


def waited_s(pid):
    """For how long a process was ready to run and did not, of its threads the one that most did."""
    waited = 0
    for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
        with open(path, encoding="ascii") as stat:
            waited = max(waited, int(stat.read().split()[1]) / 1e9)
    return waited


def swarm_watched():
    """The frames that saw a swarm, what the swarm was charged, and how long pmctop waited."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        pmctop = subprocess.Popen([PMCTOP, "--budget", "0", "--format", "json", "-d", "1"],
                                  stdout=output)
        wait_for_lines(output, 1)
        stolen = stolen_ns()
        swarm = subprocess.run([os.path.join(LOAD, "swarm"), str(SWARM), "1"],
                               capture_output=True, text=True, check=True)
        charge = Charge(json.loads(swarm.stdout)["cpu_ns"], stolen_ns() - stolen)
        wait_for_lines(output, 2)  # one may have been under way
        waited = waited_s(pmctop.pid)
        pmctop.send_signal(signal.SIGTERM)
        check("SIGTERM ends a batch run with status 0", pmctop.wait() == 0, pmctop.returncode)
        output.seek(0)
        return frames_of(output.read()), charge, waited


def swarm():
    frames, charge, waited = swarm_watched()
    lost = sum(frame["lost_records"] for frame in frames)
    broken = [sums for frame in frames if (sums := broken_sums(frame))]
    check("every refresh is conserved", not broken, broken)
    kids = [task for frame in frames for task in frame["tasks"] if task["comm"] == "swarm-kid"]
    pids = {task["pid"] for task in kids}
    cpu_ns = sum(task["events"]["task-clock"] for task in kids)
    for name, good, detail in (
        (f"{SWARM} processes of a millisecond are all seen under their name",
         len(pids) == SWARM, len(pids)),
        ("with the CPU time that the scheduler charged them, to 5 %",
         charge.agrees(cpu_ns, 0.05), (cpu_ns, charge)),
        ("and no record was lost", not lost, lost),
    ):
        if lost and waited >= STARVED_S:
            # A pmctop that gets no CPU loses records, and says so.
            skip(name, f"pmctop waited {waited:.1f} s for a CPU and lost {lost} records")
        else:
            check(name, good, (detail, waited))


def container(pid):
    """Moves a process into a cgroup that looks like docker's; its directories, or none."""
    for root in ("", "/unified", "/memory", "/pids"):
        if not os.path.exists(f"/sys/fs/cgroup{root}/cgroup.procs"):
            continue
        top = f"/sys/fs/cgroup{root}/pmctop-live-{os.getpid()}"
        made = [top, top + "/docker", top + "/docker/" + 64 * "a"]
        try:
            for directory in made:
                os.mkdir(directory)
            with open(made[-1] + "/cgroup.procs", "w", encoding="ascii") as procs:
                procs.write(str(pid))
            return made
        except OSError:
            remove(made)
    return []


def remove(directories):
    for directory in reversed(directories):
        try:
            os.rmdir(directory)
        except OSError:
            pass


def rollups():
    dropped = dropper.start("while True: pass")
    spin = subprocess.Popen([os.path.join(LOAD, "spin"), "-n", "2"])
    directories = []
    try:
        pmctop = subprocess.Popen([PMCTOP, "--format", "json", "--by", "tree", "-d", "0.5"],
                                  stdout=subprocess.PIPE, text=True)
        frames = [json.loads(pmctop.stdout.readline())]
        while not any(task["pid"] == dropped.pid for task in frames[-1]["tasks"]):
            frames.append(json.loads(pmctop.stdout.readline()))
        directories = container(dropped.pid)
        dropper.drop(dropped)
        # It is asked for again after 0.25, 1.25, 5.25 and 21.25 s.
        for line in pmctop.stdout:
            frames.append(json.loads(line))
            user = [t["user"] for t in frames[-1]["tasks"] if t["pid"] == dropped.pid]
            if len(frames) == 200 or (len(frames) > 4 and user == ["nobody"]):
                break
        pmctop.terminate()
        pmctop.wait()
        check("the roots of a tree add up", not any(broken_sums(f) for f in frames),
              [broken_sums(f) for f in frames])
        rows = {task["pid"]: task for task in frames[-1]["tasks"]}
        ours, theirs = rows.get(os.getpid()), rows.get(spin.pid)
        children = [task for task in rows.values() if task["parent"] == spin.pid]
        check("in a tree a parent has the time of its children, asleep or not",
              ours and theirs and theirs["parent"] == os.getpid() and children
              and ours["events"]["task-clock"] >= theirs["events"]["task-clock"]
              > children[0]["events"]["task-clock"], (ours, theirs, children))
        users = [task["user"] for frame in frames for task in frame["tasks"]
                 if task["pid"] == dropped.pid]
        check("setuid() without an exec: root's first, then the other user's",
              users[0] == "root" and users[-1] == "nobody", users)
        if directories:
            cgroup = rows[dropped.pid]["cgroup"]
            check("a process that was moved is in its container",
                  cgroup.endswith("/docker/" + 64 * "a"), cgroup)
            table = run("-b", "-n", "1", "-d", "0.5", "--by", "cgroup").stdout
            check("which is called as docker calls it", " docker:aaaaaaaaaaaa\n" in table, table)
        else:
            skip("a container", "no cgroup can be made here")
        table = run("-b", "-n", "1", "-d", "0.5", "--by", "user", "-s", "user").stdout
        check("users are rows", "\nUSER " in table and "\nnobody " in table
              and "\nroot " in table, table)
        table = run("-b", "-n", "1", "-d", "0.5", "--by", "socket").stdout
        check("sockets are rows", "\nSOCKET " in table and "\n     0 " in table, table)
    finally:
        for process in (dropped, spin):
            process.kill()
            process.wait()
        remove(directories)


def cpu_ticks():
    with open("/proc/stat", encoding="ascii") as stat:
        return [int(n) for n in stat.readline().split()[1:9]]


def idle_share():
    frames, ticks = [], []
    pmctop = subprocess.Popen([PMCTOP, "--format", "json", "-d", "1", "-n", "4"],
                              stdout=subprocess.PIPE, text=True)
    for line in pmctop.stdout:
        ticks.append(cpu_ticks())
        frames.append(json.loads(line))
    pmctop.wait()
    grown = [b - a for a, b in zip(ticks[0], ticks[-1])]
    told, stolen = (grown[3] + grown[4]) / sum(grown), grown[7] / sum(grown)
    total = sum(frame["totals"]["events"]["task-clock"] for frame in frames[1:])
    idle, nobodys = (
        sum(frame["totals"][part]["events"]["task-clock"] for frame in frames[1:]) / total
        for part in ("idle", "unattributed"))
    # Where a kernel is silent about its idle task, a part of its time is nobody's: never another's.
    check_unless(confined.pid_namespace(),
                 "the machine's idle share is that of /proc/stat, within 5 points",
                 idle - stolen - 0.05 < told < idle + nobodys + 0.05,
                 (idle, nobodys, stolen, told))
    check("and what is nobody's is little", nobodys < 0.10, nobodys)


def processes():
    """But for those that have ended and that nobody has asked for yet: they never run again."""
    return {int(name) for name in os.listdir("/proc") if name.isdigit() and not is_zombie(name)}


def is_zombie(pid):
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] == b"Z"
    except OSError:
        return True


def command_line(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read(4096).rstrip(b"\0 ").replace(b"\0", b" ")
    except OSError:
        return None
    return words.decode("utf-8", "replace") or None


def everybody(name, **options):
    """Also those that do nothing, with what they were called with."""
    sleeper = subprocess.Popen(["sleep", "1234"], **options)
    before = processes()
    frame = frames_of(run("--format", "json", "-c", "-i", "-d", "0.7", "-n", "3", **options).stdout)[-1]
    after = processes()
    tasks = {task["pid"]: task for task in frame["tasks"]}
    told = tasks.get(sleeper.pid, {})
    there = before & after
    check(f"{name}: a process that sleeps has a row, with its command line and zeros",
          told.get("cmdline") == "sleep 1234" and told["events"]["task-clock"] == 0
          and told["metrics"]["cpu_percent"] == 0, told)
    check(f"{name}: so has every process", there <= tasks.keys(), there - tasks.keys())
    differ = {pid: (tasks[pid]["cmdline"], command_line(pid)) for pid in there & tasks.keys()
              if tasks[pid]["cmdline"] != command_line(pid)}
    # Some say there what they do, and a process may begin another program just then.
    check(f"{name}: with the command line that /proc shows", len(differ) <= 2, differ)
    check(f"{name}: and the sums are right", not broken_sums(frame), broken_sums(frame))
    sleeper.kill()
    sleeper.wait()


def refusal(name, wanted, **options):
    result = run("--format", "json", "-d", "0.2", "-n", "2", **options)
    frames = frames_of(result.stdout)
    good = result.returncode == 0 and len(frames) == 2 and frames[-1]["mode"] == "task"
    notes = frames[-1]["notes"] if frames else []
    check(name, good and any(wanted in note for note in notes) and not broken_sums(frames[-1]),
          (result.returncode, result.stderr, notes))
    check("and what /proc tells is shown", good and frames[-1]["cpus"] and frames[-1]["tasks"],
          frames[-1:])


def bad_usage():
    for arguments, status, word in (
        (["--nonsense"], 2, "nonsense"),
        (["-d", "0", "-b"], 2, "0.1"),
        (["0"], 2, "0.1"),
        (["-d", "fast", "-b"], 2, "fast"),
        (["-n", "-1", "-b"], 2, "-1"),
        (["-n", "x", "-b"], 2, "x"),
        (["--format", "yaml"], 2, "yaml"),
        (["-S", "overvue", "-b"], 2, "overview"),
        (["-s", "nothing", "-b"], 2, "nothing"),
        (["-s", "nothing", "-b", "-e", "nothings"], 2, "did you mean 'nothings'"),
        (["-e", "", "-b"], 2, "--event"),
        (["-e", "cycles,{branches", "-b"], 2, "position"),
        (["-m", "=1", "-b"], 2, "--metric"),
        (["-m", "icp", "-b"], 2, "did you mean 'ipc'"),
        (["-m", "x=cycles/", "-b"], 2, "position"),
        (["--list", "event"], 2, "did you mean 'events'"),
        (["--list", "events", "a", "b"], 2, "'b'"),
        (["--list", "events", "no such thing"], 1, "no such thing"),
        (["--config", "/no/such/file", "-b"], 2, "/no/such/file"),
        (["--config", "/tmp", "-b"], 2, "directory"),
        (["1", "2", "3"], 2, "3"),
        (["-o", "/no/such/place/file", "-b", "-n", "1"], 1, "/no/such/place/file"),
    ):
        result = run(*arguments)
        lines = result.stderr.splitlines()
        check(f"pmctop {' '.join(arguments)}: status {status} and one line that says why",
              result.returncode == status and len(lines) == 1 and word in lines[0]
              and not result.stdout, (result.returncode, result.stderr))


def cpu_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def lists(denial):
    """Without the right to count system-wide (`denial`), standard error may have the reason."""
    expected = ("", f"pmctop: {denial}\n") if denial else ("",)
    for what, name in (("events", "page-faults"), ("metrics", "ipc"), ("presets", "overview"),
                       ("columns", "command"), ("pmus", "software")):
        result = run("--list", what)
        lines = result.stdout.splitlines()
        check(f"--list {what}: an entry a line, {name} among them, nothing else said",
              result.returncode == 0 and result.stderr in expected
              and name in (line.split()[0] for line in lines),
              (result.returncode, result.stderr, lines[:10]))
    result = run("--list", "events", "page-faults")
    check_unless(denial, "software events can be counted", result.stdout.startswith("page-faults ")
          and result.stdout.split()[1] == "ok", result.stdout)
    if os.path.isdir("/sys/kernel/tracing/events/sched"):
        began = cpu_of_children()
        names = [line.split()[0] for line in run("--list", "events", "sched:*").stdout.splitlines()]
        took = cpu_of_children() - began
        check("tracepoints are listed by a pattern, and soon",
              "sched:sched_switch" in names and took < 2, (names, took))
    else:
        skip("tracepoints", "no tracefs here")
    shell = subprocess.run(["sh", "-c", f"{PMCTOP} --list events | head -n 1"],
                           capture_output=True, text=True, timeout=PATIENCE_S)
    check("a reader that has enough ends a list without a word",
          len(shell.stdout.splitlines()) == 1 and shell.stderr in expected, shell.stderr)


def configuration():
    with tempfile.TemporaryDirectory() as home:
        path = os.path.join(home, "pmctop", "pmctop.conf")
        os.mkdir(os.path.dirname(path))
        with open(path, "w", encoding="ascii") as config:
            config.write("[pmctop]\ndelay = 0.1\ndelya = 1\n"
                         "[presets]\nmine = faults_per_s, rate\nbad = ipx\n"
                         "plain = faults_per_s, cpu_percent\n"
                         "[metrics]\nrate = page-faults / interval_s\n")
        environment = dict(os.environ, XDG_CONFIG_HOME=home)
        environment.pop("PMCTOPRC", None)
        result = run("--list", "presets", env=environment)
        said = result.stderr.splitlines()
        check("a configuration is found; its bad lines are named, the rest holds",
              result.stdout.startswith("mine ") and len(said) == 2
              and f"{path}:3: " in result.stderr and "'delay'" in result.stderr
              and f"{path}:6: " in result.stderr and "'ipc'" in result.stderr, said)
        result = run("-S", "plain", "-b", "-n", "1", env=environment)
        check("its preset can be chosen", result.returncode == 0, result.stderr)
        with open(path, "w", encoding="ascii") as config:
            config.write("[keys]\nnosuch = x\n[pmctop]\ndelay = 0.1\nsort = -nosuch\n"
                         "preset = nosuch\ntheme = nosuch\nthis\n")
        result = run("-b", "-n", "1", env=environment)
        said = result.stderr.splitlines()
        check("what means nothing here is named by its line, in their order, and left out",
              result.returncode == 0 and len(said) == 5
              and all(line.startswith(f"pmctop: {path}:{n}: ")
                      for line, n in zip(said, (2, 5, 6, 7, 8))),
              (result.returncode, said))
        result = run("--list", "presets", "mine", env=dict(environment, PMCTOPRC="/dev/null"))
        check("$PMCTOPRC comes before it", result.returncode == 1 and not result.stdout,
              (result.stdout, result.stderr))
        result = run("--list", "presets", "plain", env=dict(environment, PMCTOPRC="/no/x"))
        check("one that it names in vain is told of",
              "'/no/x', which $PMCTOPRC names, is not read" in result.stderr, result.stderr)
        result = run("-b", "-n", "1", env=environment,
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (4, 4)))
        check("without descriptors nothing is read, in one sentence with the remedy",
              result.returncode == 1 and result.stderr.count("\n") == 1
              and "ulimit -n" in result.stderr, result)
        result = run("--list", "presets", "mine", cwd=os.path.dirname(path),
                     env=dict(environment, XDG_CONFIG_HOME="/no/such"))
        check("the current directory is no place for it", result.returncode == 1,
              result.stdout)


def endings():
    shell = subprocess.run(["sh", "-c", f"{PMCTOP} -b -d 0.1 | head -n 1"], capture_output=True,
                           text=True, timeout=PATIENCE_S)
    check("a reader that has enough ends it without a word",
          len(shell.stdout.splitlines()) == 1 and shell.stderr == "", shell.stderr)
    stuck = subprocess.Popen([PMCTOP, "--format", "json", "-d", "0.1"], stdout=subprocess.PIPE)
    time.sleep(2)  # time to fill a pipe that nobody reads
    stuck.terminate()
    try:
        check("SIGTERM ends it though its reader is stuck", stuck.wait(timeout=PATIENCE_S) == 0,
              stuck.returncode)
    except subprocess.TimeoutExpired:
        check("SIGTERM ends it though its reader is stuck", False, f"alive {PATIENCE_S} s later")
        stuck.kill()
    stuck.stdout.close()
    with open("/dev/full", "w", encoding="ascii") as full:
        result = subprocess.run([PMCTOP, "-b", "-n", "1", "-d", "0.1"], stdout=full,
                                stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                                timeout=PATIENCE_S)
    check("a full disk: status 1 and one line", result.returncode == 1
          and len(result.stderr.splitlines()) == 1, (result.returncode, result.stderr))
    result = run("-n", "1", "-d", "0.1")
    check("no terminal at all: falls back to batch",
          result.returncode == 0 and "PID" in result.stdout, (result.returncode, result.stderr))


first = frames_of(run("--format", "json", "-d", "0.1", "-n", "1").stdout)[0]
check("json has its schema", first["schema"] == "pmctop/1" and first["interval_s"] > 0, first)
if first["mode"] == "system":
    busy_loops()
    swarm()
    idle_share()
    if not confined.other_users():
        rollups()
    else:
        skip("roll-ups of users and containers", confined.other_users())
else:
    skip("busy loops, a swarm, the idle share", first["notes"])
if not confined.other_users():
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as level:
        paranoid = int(level.read())
    if paranoid >= 1:
        refusal(f"an ordinary user at paranoid {paranoid}: the reason, the remedy, and on it goes",
                "perf_event_paranoid", user=NOBODY, group=NOBODY, extra_groups=[])
    else:
        skip("an ordinary user", "paranoid is below 1 here")
else:
    skip("an ordinary user", confined.other_users())
everybody("everybody")
if not confined.other_users():
    everybody("everybody, for an ordinary user", user=NOBODY, group=NOBODY, extra_groups=[])
bad_usage()
lists(None if first["mode"] == "system" else first["notes"][0])
configuration()
endings()
finish()
