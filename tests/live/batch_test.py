#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tests/run: alone, it depends on how busy the machine is.
"""pmctop -b on this kernel, compared with the kernel's own figures.

Prints TAP. BUILD is the build directory. Without the right to count system-wide, the checks that
need it are skipped.
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
import skip_reason  # noqa: E402
import setuid_process  # noqa: E402
from frames import (  # noqa: E402
    Charge, Charged, broken_sums, check, check_unless, finish, for_all, frames_of, skip, stolen_ns,
    wait_for_lines)
from programs import NOBODY, alive  # noqa: E402

BUILD = for_all(os.path.abspath(os.environ.get("BUILD", "build")))
PMCTOP = os.path.join(BUILD, "pmctop")
LOAD = os.path.join(BUILD, "load")
PATIENCE_S = 180
SWARM = 10000
STARVED_S = 1  # waiting for a CPU while the swarm runs


def run(*arguments, **options):
    return subprocess.run([PMCTOP, *arguments], capture_output=True, text=True, timeout=PATIENCE_S,
                          stdin=subprocess.DEVNULL, **options)


def busy_loops():
    spins = [subprocess.Popen([os.path.join(LOAD, "spin")]) for _ in range(os.cpu_count())]
    scheduler = Charged([spin.pid for spin in spins])
    try:
        # The first interval may begin before a loop does: it is not compared.
        pmctop = subprocess.Popen([PMCTOP, "--format", "json", "-d", "0.5", "-n", "6"],
                                  stdout=subprocess.PIPE, text=True)
        seen, frames = {}, []
        for line in pmctop.stdout:
            frames.append(json.loads(line))
            if len(frames) == 1:
                # A later program that samples switches must not take them away from pmctop.
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
    check("six refreshes, each conserved",
          len(frames) == 6 and not any(broken_sums(f) for f in frames),
          [broken_sums(f) for f in frames])
    alone = min(charge.ran_ns for charge in charged.values()) > 2e9
    lost = sum(frame["lost_records"] for frame in frames)
    name = "the time of each busy loop is the scheduler's, within 5 %"
    good = all(charged[pid].agrees(seen.get(pid, 0), 0.05) for pid in charged)
    if lost and not alone:
        skip(name, f"the machine is busy: {lost} records were lost")
    else:
        check(name, good, ({pid: seen.get(pid) for pid in charged}, charged, lost))
    top = [task["comm"] for task in frames[-1]["tasks"][:len(spins)]]
    if alone:
        check("busy loops are the first rows", all(comm == "spin" for comm in top), top)
    else:
        skip("busy loops are the first rows", "the machine is busy")
    idle = sum(cpu["idle"]["events"]["task-clock"] for frame in frames for cpu in frame["cpus"])
    total = sum(frame["totals"]["events"]["task-clock"] for frame in frames)
    check_unless(skip_reason.pid_namespace(), "no CPU is idle", idle < 0.05 * total, (idle, total))


def waited_s(pid):
    """How long a process was ready and waited for a CPU: the maximum of its threads, in seconds."""
    waited = 0
    for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
        with open(path, encoding="ascii") as stat:
            waited = max(waited, int(stat.read().split()[1]) / 1e9)
    return waited


def swarm_watched():
    """Counts a swarm. Returns the frames, its Charge, and how long pmctop waited for a CPU."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        pmctop = subprocess.Popen([PMCTOP, "--budget", "0", "--format", "json", "-d", "1"],
                                  stdout=output)
        wait_for_lines(output, 1)
        stolen = stolen_ns()
        swarm = subprocess.run([os.path.join(LOAD, "swarm"), str(SWARM), "1"],
                               capture_output=True, text=True, check=True)
        charge = Charge(json.loads(swarm.stdout)["cpu_ns"], stolen_ns() - stolen)
        wait_for_lines(output, 2)  # the first may have begun before the swarm's end
        waited = waited_s(pmctop.pid)
        pmctop.send_signal(signal.SIGTERM)
        check("SIGTERM ends a batch run with status 0", pmctop.wait() == 0, pmctop.returncode)
        output.seek(0)
        return frames_of(output.read()), charge, waited


def swarm():
    frames, charge, waited = swarm_watched()
    lost = sum(frame["lost_records"] for frame in frames)
    broken = [sums for frame in frames if (sums := broken_sums(frame))]
    check("each refresh is conserved", not broken, broken)
    kids = [task for frame in frames for task in frame["tasks"] if task["comm"] == "swarm-kid"]
    pids = {task["pid"] for task in kids}
    cpu_ns = sum(task["events"]["task-clock"] for task in kids)
    for name, good, detail in (
        (f"{SWARM} processes of a millisecond are all counted, with their name",
         len(pids) == SWARM, len(pids)),
        ("their CPU time is the scheduler's, within 5 %",
         charge.agrees(cpu_ns, 0.05), (cpu_ns, charge)),
        ("and no record was lost", not lost, lost),
    ):
        if lost and waited >= STARVED_S:
            # A pmctop without a CPU loses records, and reports them.
            skip(name, f"pmctop waited {waited:.1f} s for a CPU and lost {lost} records")
        else:
            check(name, good, (detail, waited))


def container(pid):
    """Moves a process into a cgroup named like docker's. Returns the new directories, or []."""
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
    dropped = setuid_process.start("while True: pass")
    spin = subprocess.Popen([os.path.join(LOAD, "spin"), "-n", "2"])
    directories = []
    try:
        pmctop = subprocess.Popen([PMCTOP, "--format", "json", "--by", "tree", "-d", "0.5"],
                                  stdout=subprocess.PIPE, text=True)
        frames = [json.loads(pmctop.stdout.readline())]
        while not any(task["pid"] == dropped.pid for task in frames[-1]["tasks"]):
            frames.append(json.loads(pmctop.stdout.readline()))
        directories = container(dropped.pid)
        setuid_process.drop(dropped)
        # pmctop reads the user again after 0.25, 1.25, 5.25 and 21.25 s.
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
        check("in a tree a parent includes its children, also while it sleeps",
              ours and theirs and theirs["parent"] == os.getpid() and children
              and ours["events"]["task-clock"] >= theirs["events"]["task-clock"]
              > children[0]["events"]["task-clock"], (ours, theirs, children))
        users = [task["user"] for frame in frames for task in frame["tasks"]
                 if task["pid"] == dropped.pid]
        check("setuid() without an exec: the user changes",
              users[0] == "root" and users[-1] == "nobody", users)
        if directories:
            cgroup = rows[dropped.pid]["cgroup"]
            check("a process that moved is in its container",
                  cgroup.endswith("/docker/" + 64 * "a"), cgroup)
            table = run("-b", "-n", "1", "-d", "0.5", "--by", "cgroup").stdout
            check("the container has docker's name", " docker:aaaaaaaaaaaa\n" in table, table)
        else:
            skip("a container", "no cgroup can be made")
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
    proc_idle, stolen = (grown[3] + grown[4]) / sum(grown), grown[7] / sum(grown)
    total = sum(frame["totals"]["events"]["task-clock"] for frame in frames[1:])
    idle, unattributed = (
        sum(frame["totals"][part]["events"]["task-clock"] for frame in frames[1:]) / total
        for part in ("idle", "unattributed"))
    # If a kernel does not report switches of its idle task, some idle time is unattributed.
    check_unless(skip_reason.pid_namespace(),
                 "the idle share is that of /proc/stat, within 5 points",
                 idle - stolen - 0.05 < proc_idle < idle + unattributed + 0.05,
                 (idle, unattributed, stolen, proc_idle))
    check("little is unattributed", unattributed < 0.10, unattributed)


def processes():
    """The pids in /proc, zombies too."""
    return {int(name) for name in os.listdir("/proc") if name.isdigit()}


def command_line(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read(4096).rstrip(b"\0 ").replace(b"\0", b" ")
    except OSError:
        return None
    return words.decode("utf-8", "replace") or None


def check_all_processes(name, **options):
    """-i shows all processes, with their command lines."""
    sleeper = subprocess.Popen(["sleep", "1234"], **options)
    zombie = subprocess.Popen(["true"], **options)
    os.waitid(os.P_PID, zombie.pid, os.WEXITED | os.WNOWAIT)
    before = processes()
    frame = frames_of(run("--format", "json", "-c", "-i", "-d", "0.7", "-n", "3", **options).stdout)[-1]
    after = processes()
    tasks = {task["pid"]: task for task in frame["tasks"]}
    row = tasks.get(sleeper.pid, {})
    there = before & after
    check(f"{name}: a sleeping process has a row, with its command line and zeros",
          row.get("cmdline") == "sleep 1234" and row["events"]["task-clock"] == 0
          and row["metrics"]["cpu_percent"] == 0, row)
    row = tasks.get(zombie.pid, {})
    check(f"{name}: a zombie has a row", row.get("exited") and row.get("comm") == "true", row)
    check(f"{name}: each process has a row", there <= tasks.keys(), there - tasks.keys())
    differ = {pid: (tasks[pid]["cmdline"], command_line(pid)) for pid in there & tasks.keys()
              if tasks[pid]["cmdline"] != command_line(pid) and alive(str(pid))}
    # Some programs change their command line, and a process may exec meanwhile.
    check(f"{name}: the command lines are those of /proc", len(differ) <= 2, differ)
    check(f"{name}: and the sums are right", not broken_sums(frame), broken_sums(frame))
    sleeper.kill()
    sleeper.wait()
    zombie.wait()


def refusal(name, wanted, **options):
    result = run("--format", "json", "-d", "0.2", "-n", "2", **options)
    frames = frames_of(result.stdout)
    good = result.returncode == 0 and len(frames) == 2 and frames[-1]["mode"] == "task"
    notes = frames[-1]["notes"] if frames else []
    check(name, good and any(wanted in note for note in notes) and not broken_sums(frames[-1]),
          (result.returncode, result.stderr, notes))
    check("and the figures of /proc are shown", good and frames[-1]["cpus"] and frames[-1]["tasks"],
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
        check(f"pmctop {' '.join(arguments)}: status {status} and one line with the reason",
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
        check(f"--list {what}: an entry a line, {name} among them, no message",
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
        check("tracepoints are listed by a pattern, in 2 s of CPU time",
              "sched:sched_switch" in names and took < 2, (names, took))
    else:
        skip("tracepoints", "no tracefs")
    shell = subprocess.run(["sh", "-c", f"{PMCTOP} --list events | head -n 1"],
                           capture_output=True, text=True, timeout=PATIENCE_S)
    check("a reader that closes the pipe ends a list without a message",
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
        messages = result.stderr.splitlines()
        check("a configuration is read; bad lines are reported, the others apply",
              result.stdout.startswith("mine ") and len(messages) == 2
              and f"{path}:3: " in result.stderr and "'delay'" in result.stderr
              and f"{path}:6: " in result.stderr and "'ipc'" in result.stderr, messages)
        result = run("-S", "plain", "-b", "-n", "1", env=environment)
        check("a preset of the configuration is available", result.returncode == 0, result.stderr)
        with open(path, "w", encoding="ascii") as config:
            config.write("[keys]\nnosuch = x\n[pmctop]\ndelay = 0.1\nsort = -nosuch\n"
                         "preset = nosuch\ntheme = nosuch\nthis\n")
        result = run("-b", "-n", "1", env=environment)
        messages = result.stderr.splitlines()
        check("unknown names are reported with their line, in order, and ignored",
              result.returncode == 0 and len(messages) == 5
              and all(line.startswith(f"pmctop: {path}:{n}: ")
                      for line, n in zip(messages, (2, 5, 6, 7, 8))),
              (result.returncode, messages))
        result = run("--list", "presets", "mine", env=dict(environment, PMCTOPRC="/dev/null"))
        check("$PMCTOPRC has precedence", result.returncode == 1 and not result.stdout,
              (result.stdout, result.stderr))
        result = run("--list", "presets", "plain", env=dict(environment, PMCTOPRC="/no/x"))
        check("a missing $PMCTOPRC is reported",
              "'/no/x' ($PMCTOPRC) cannot be read" in result.stderr, result.stderr)
        result = run("-b", "-n", "1", env=environment,
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (4, 4)))
        check("without descriptors pmctop ends with one sentence and the remedy",
              result.returncode == 1 and result.stderr.count("\n") == 1
              and "ulimit -n" in result.stderr, result)
        result = run("--list", "presets", "mine", cwd=os.path.dirname(path),
                     env=dict(environment, XDG_CONFIG_HOME="/no/such"))
        check("no configuration is read from the current directory", result.returncode == 1,
              result.stdout)


def endings():
    shell = subprocess.run(["sh", "-c", f"{PMCTOP} -b -d 0.1 | head -n 1"], capture_output=True,
                           text=True, timeout=PATIENCE_S)
    check("a reader that closes the pipe ends it without a message",
          len(shell.stdout.splitlines()) == 1 and shell.stderr == "", shell.stderr)
    stuck = subprocess.Popen([PMCTOP, "--format", "json", "-d", "0.1"], stdout=subprocess.PIPE)
    time.sleep(2)  # until the pipe is full
    stuck.terminate()
    try:
        check("SIGTERM ends it though its output is not read", stuck.wait(timeout=PATIENCE_S) == 0,
              stuck.returncode)
    except subprocess.TimeoutExpired:
        check("SIGTERM ends it though its output is not read", False, f"alive {PATIENCE_S} s later")
        stuck.kill()
    stuck.stdout.close()
    with open("/dev/full", "w", encoding="ascii") as full:
        result = subprocess.run([PMCTOP, "-b", "-n", "1", "-d", "0.1"], stdout=full,
                                stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                                timeout=PATIENCE_S)
    check("a full disk: status 1 and one line", result.returncode == 1
          and len(result.stderr.splitlines()) == 1, (result.returncode, result.stderr))
    result = run("-n", "1", "-d", "0.1")
    check("without a terminal: batch mode",
          result.returncode == 0 and "PID" in result.stdout, (result.returncode, result.stderr))


first = frames_of(run("--format", "json", "-d", "0.1", "-n", "1").stdout)[0]
check("json has its schema", first["schema"] == "pmctop/1" and first["interval_s"] > 0, first)
if first["mode"] == "system":
    busy_loops()
    swarm()
    idle_share()
    if not skip_reason.other_users():
        rollups()
    else:
        skip("roll-ups of users and containers", skip_reason.other_users())
else:
    skip("busy loops, a swarm, the idle share", first["notes"])
if not skip_reason.other_users():
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as level:
        paranoid = int(level.read())
    if paranoid >= 1:
        refusal(f"an ordinary user at paranoid {paranoid}: /proc's figures, the reason and the remedy",
                "perf_event_paranoid", user=NOBODY, group=NOBODY, extra_groups=[])
    else:
        skip("an ordinary user", "paranoid is below 1")
else:
    skip("an ordinary user", skip_reason.other_users())
check_all_processes("all processes")
if not skip_reason.other_users():
    check_all_processes("all processes, for an ordinary user", user=NOBODY, group=NOBODY,
                        extra_groups=[])
bad_usage()
lists(None if first["mode"] == "system" else first["notes"][0])
configuration()
endings()
finish()
