#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pmctop's formats as other programs read them: python's csv and json, promtool, node_exporter.

Prints TAP. BUILD is the build directory. Debian's prometheus packages are unpacked into BUILD, not
installed (tests/monitoring/tools.sh). Without them the checks that need them are skipped.
"""
import collections
import contextlib
import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path.append("/usr/lib/python3/dist-packages")  # Debian's, for any python3
try:
    from prometheus_client.openmetrics.parser import (
        text_string_to_metric_families as openmetrics_families)
    from prometheus_client.parser import text_string_to_metric_families as prometheus_families
except ImportError:
    openmetrics_families = prometheus_families = None

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from frames import broken_sums, check, cpus_agree, finish, skip  # noqa: E402
from programs import BUILD, NOBODY, PMCTOP  # noqa: E402
from served import free_port, until  # noqa: E402

DAY = os.path.join(BUILD, "tests", "unit", "output", "test_output_day")
TOOLS = os.path.join(BUILD, "monitoring")
REFRESHES = 10000  # about a day of them, one every ten seconds
PATIENCE_S = 120
ROOT = os.getuid() == 0
FIXED = ("time,interval_s,scope,cpu,cpus,pid,tid,parent,comm,cmdline,user,cgroup,processes,threads,"
         "exited,verdict,lost_records,summary,states,offset_s").split(",")
PARTS = ("task", "idle", "unattributed", "others", "left_out")
SAMPLE = re.compile(r'[a-z0-9_]+(\{([a-z]+="([^"\\\n]|\\["\\n])*",?)*\})? [0-9.]+')


def run(*arguments, **options):
    return subprocess.run([PMCTOP, *arguments], capture_output=True, text=True, encoding="utf-8",
                          timeout=PATIENCE_S, stdin=subprocess.DEVNULL, **options)


@contextlib.contextmanager
def running(*arguments, **options):
    process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, **options)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_S)


def csv_faults(lines, system=True):
    """The number of refreshes in csv lines, and what is wrong with them. With `system`, the counts
    of CPUs must add up to the total too."""
    reader = csv.DictReader(lines)
    events = None
    faults, refreshes = [], 0
    total, parts, cpus = {}, collections.Counter(), collections.Counter()

    def close():
        for event, count in total.items():
            raw = event in events
            if count != parts[event] or (
                    system and raw and not cpus_agree(event, cpus[event], count)):
                faults.append((refreshes, event, count, parts.get(event), cpus.get(event)))

    for row in reader:
        if None in row or None in row.values():
            faults.append((reader.line_num, "fields", row))
            continue
        if events is None:
            names = reader.fieldnames
            if names[:len(FIXED)] != FIXED:
                faults.append(names)
            events = names[len(FIXED):names.index("cpu_percent")]
            columns = events + [f"{event}_scaled" for event in events]
            if names[-len(events):] != columns[-len(events):]:
                faults.append(names)
        if row["scope"] == "system":
            close()
            refreshes += 1
            parts, cpus = collections.Counter(), collections.Counter()
            total = {event: int(row[event]) for event in columns if row[event]}
            continue
        # A tree's rows include their children. /proc has no page faults of idle.
        into = parts if row["scope"] in PARTS and not row["parent"] else \
            cpus if row["scope"] == "cpu" else None
        for event in total:
            if into is not None and row[event]:
                into[event] += int(row[event])
    close()
    return refreshes, faults[:3]


def day(kind):
    return subprocess.Popen([DAY, kind, str(REFRESHES)], stdout=subprocess.PIPE, text=True,
                            encoding="utf-8")


def test_a_day():
    with day("csv") as writer:
        refreshes, faults = csv_faults(writer.stdout)
    check("python's csv module reads a day of refreshes, and they add up",
          refreshes == REFRESHES and not faults and writer.returncode == 0, (refreshes, faults))

    comms, broken, n = set(), [], 0
    with day("json") as writer:
        for line in writer.stdout:
            frame = json.loads(line)
            n += 1
            broken += broken_sums(frame)
            comms.update(task["comm"] for task in frame["tasks"] if task["comm"])
    check("python's json module reads a day of refreshes, and they add up",
          n == REFRESHES and not broken and writer.returncode == 0, (n, broken[:3]))
    check("the tasks have names that are hard to write",
          all(any(part in comm for comm in comms) for part in '",\n\033=\\\ufffd{ ;'), len(comms))


def test_csv_here():
    system = json.loads(run("--format", "json", "-d", "0.1", "-n", "1").stdout)["mode"] == "system"
    for view in ([], ["-H"], ["--by", "tree", "--top", "5"], ["--by", "cgroup", "--top", "2"],
                 ["--filter", "python"], ["-p", str(os.getpid())], ["--by", "socket"]):
        by_cpu = "socket" in view
        done = run("--format", "csv", "-d", "0.2", "-n", "3", "-e", "page-faults", *view)
        refreshes, faults = csv_faults(done.stdout.splitlines(keepends=True), system)
        if by_cpu:  # no rows of tasks
            faults = []
        check(f"csv of this machine adds up: {' '.join(view) or 'processes'}",
              done.returncode == 0 and refreshes == 3 and not faults,
              (done.stderr, refreshes, faults))


def test_csv_of_a_command():
    done = run("--format", "csv", "-d", "0.2", "-o", "/dev/stdout", "--", sys.executable, "-c",
               "import time; time.sleep(0.7); print('output of the command')")
    lines = [line for line in done.stdout.splitlines(keepends=True)
             if line != "output of the command\n"]
    rows = list(csv.DictReader(lines))
    summary = [row for row in rows if row["summary"]]
    check("a command has its refreshes, and a summary marked in its column",
          done.returncode == 0 and
          [row["scope"] for row in rows if not row["summary"]].count("system") >= 1 and
          [row["summary"] for row in summary if row["scope"] == "system"] == ["1"] and
          any(row["scope"] == "task" and "python" in row["comm"] for row in summary),
          (done.stderr, summary[:2]))


def faults_of(text, openmetrics):
    """What is wrong with the lines of a text, and {series: value} of its counters."""
    faults, counters, types = [], {}, {}
    lines = text.split("\n")
    if lines.pop() != "" or (openmetrics and lines[-1] != "# EOF"):
        faults.append("cut")
    for line in lines:
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split()
            if name in types:
                faults.append(line)
            types[name] = kind
        if line.startswith("#"):
            continue
        if not SAMPLE.fullmatch(line):
            faults.append(line)
            continue
        series, value = line.rsplit(" ", 1)
        name = series.split("{")[0]
        if series in counters:
            faults.append(line)
        if name.endswith("_total"):
            counters[series] = float(value)
        kind = "counter" if name.endswith("_total") else "gauge"
        if types.get(name.removesuffix("_total") if openmetrics else name) != kind:
            faults.append(line)
    return faults[:3], counters


def tool(name):
    path = os.path.join(TOOLS, "bin", name)
    return path if os.path.exists(path) else None


def lint(text):
    done = subprocess.run([tool("promtool"), "check", "metrics"], input=text, text=True,
                          encoding="utf-8", capture_output=True, timeout=PATIENCE_S)
    return done.returncode == 0 and not done.stderr, done.stderr


def test_texts(directory):
    for kind in ("openmetrics", "prometheus"):
        done = run("--format", kind, "-d", "0.3", "-n", "1", "--top", "4")
        faults, counters = faults_of(done.stdout, kind == "openmetrics")
        series_of_tasks = {series for series in counters
                if series.startswith("pmctop_task_task_clock_seconds_total")}
        check(f"{kind}: a correct text with at most --top tasks",
              done.returncode == 0 and not faults and counters and len(series_of_tasks) <= 4,
              (done.stderr, faults, series_of_tasks))
        if not openmetrics_families:
            skip(f"{kind}: read by the reference parser", "no python3-prometheus-client")
            continue
        parse = openmetrics_families if kind == "openmetrics" else prometheus_families
        families = {family.name: family for family in parse(done.stdout)}
        clock = families["pmctop_machine_task_clock_seconds"]
        check(f"{kind}: read by the reference parser",
              clock.type == "counter" and clock.samples[0].value > 0 and
              families["pmctop_interval_seconds"].type == "gauge", families)
    path = os.path.join(directory, "command.prom")
    done = run("--format", "openmetrics", "-o", path, "--", sys.executable, "-c",
               "print(sum(range(10**6)))")
    with open(path, encoding="utf-8") as file:
        faults, counters = faults_of(file.read(), False)
    check("a command's run has counters too, in the format of textfiles",
          done.returncode == 0 and not faults and
          any(name.startswith("pmctop_task_") and "python" in name for name in counters),
          (done.stderr, faults))
    for arguments in (["-n", "1"], ["-H", "-n", "1"], ["-p", str(os.getpid()), "-n", "1"],
                      ["-S", "software", "-e", "sched:sched_switch,cpu-clock,faults:u", "-n", "1"]):
        if not tool("promtool"):
            skip(f"promtool check metrics {arguments}", "no promtool")
            continue
        done = run("--format", "prometheus", "-d", "0.2", *arguments)
        if done.returncode == 2 and "sched" in done.stderr:  # a machine without tracefs
            done = run("--format", "prometheus", "-d", "0.2", "-e", "cpu-clock,faults:u", "-n", "1")
        good, words = lint(done.stdout)
        check(f"promtool check metrics has no complaint: {' '.join(arguments)}",
              done.returncode == 0 and done.stdout and good, (done.stderr, words))


def test_replaced(directory):
    path = os.path.join(directory, "live.prom")
    faults, inodes, reads, before, mode = [], set(), 0, {}, None
    with running(PMCTOP, "--format", "openmetrics", "-o", path, "-d", "0.1") as pmctop:
        until(lambda: os.path.exists(path) or pmctop.poll() is not None)
        end = time.monotonic() + PATIENCE_S
        while len(inodes) < 15 and pmctop.poll() is None and time.monotonic() < end:
            with open(path, encoding="utf-8") as file:
                inodes.add((os.fstat(file.fileno()).st_ino, os.fstat(file.fileno()).st_mtime_ns))
                mode = os.fstat(file.fileno()).st_mode & 0o7777
                text = file.read()
            reads += 1
            wrong, counters = faults_of(text, False)
            faults += wrong
            if "pmctop_users_not_shown " not in text:  # the last metric
                faults.append("cut")
            # A pid may be reused.
            faults += [name for name, value in before.items() if not name.startswith("pmctop_task")
                       and counters.get(name, value) < value]
            before = counters
    check("a reader finds each version complete, and counters only grow",
          len(inodes) == 15 and not faults, (len(inodes), reads, faults[:3]))
    check("every user may read the file, and no other file is left",
          mode == 0o644 and not [name for name in os.listdir(directory) if "live.prom." in name],
          (mode, os.listdir(directory)))


def scrape(port):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
            return answer.read().decode()
    except OSError:
        return None


def test_node_exporter(directory):
    exporter = tool("prometheus-node-exporter")
    if not exporter:
        skip("node_exporter reads the file", "no prometheus-node-exporter")
        return
    port = free_port()
    other = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if ROOT else {}
    if ROOT:  # a copy that the other user can run
        exporter = shutil.copy(exporter, os.path.join(directory, "exporter"))
    path = os.path.join(directory, "textfiles", "pmctop.prom")
    os.mkdir(os.path.dirname(path))
    with running(PMCTOP, "--format", "openmetrics", "-o", path, "-d", "0.2"), \
            running(exporter, "--collector.disable-defaults", "--collector.textfile",
                    f"--collector.textfile.directory={os.path.dirname(path)}",
                    f"--web.listen-address=127.0.0.1:{port}",
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **other):
        text = until(lambda: (lambda page: page if page and "pmctop_snapshots" in page
                                 else None)(scrape(port)))
    text = text or ""
    check("node_exporter of another user reads the file",
          "node_textfile_scrape_error 0" in text, text[:300])
    check("node_exporter has the types of the metrics",
          "# TYPE pmctop_machine_task_clock_seconds_total counter" in text and
          "# TYPE pmctop_interval_seconds gauge" in text and "untyped" not in text, text[:300])


def test_full_disk(directory):
    disk = os.path.join(directory, "disk")
    os.mkdir(disk)
    if not ROOT or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", disk],
                                  capture_output=True, check=False).returncode:
        skip("a full disk leaves the old file", "no right to mount one")
        return
    path = os.path.join(disk, "x.prom")
    try:
        with open(path, "w", encoding="ascii") as file:
            file.write("# old\n")
        with open(os.path.join(disk, "rest"), "wb") as file, contextlib.suppress(OSError):
            while True:
                os.write(file.fileno(), bytes(4096))
        done = run("--format", "prometheus", "-o", path, "-d", "0.1", "-n", "3")
        with open(path, encoding="ascii") as file:
            old = file.read()
        check("a full disk leaves the old file, and one line reports it",
              done.returncode == 1 and old == "# old\n" and
              "was not replaced: No space left on device. Make room" in done.stderr and
              sorted(os.listdir(disk)) == ["rest", "x.prom"], (done, old, os.listdir(disk)))
    finally:
        subprocess.run(["umount", disk], check=True)


def test_refused(directory):
    target, link = os.path.join(directory, "target"), os.path.join(directory, "link")
    with open(target, "w", encoding="ascii") as file:
        file.write("mine")
    os.symlink(target, link)
    for arguments, status, words in (
            (["--format", "openmetrics", "-o", link], 1, "is a symbolic link"),
            (["--format", "openmetrics", "-o", directory], 1, "Is a directory"),
            (["--format", "openmetrics", "-o", os.path.join(directory, "none", "x")], 1,
             "No such file"),
            (["--doctor", "--format", "csv"], 2, "text or json"),
            (["--format", "cvs"], 2, "did you mean 'csv'"),
            (["--top", "none"], 2, "whole number")):
        done = run(*arguments, "-n", "1")
        check(f"refused in one line: {words}",
              done.returncode == status and words in done.stderr and
              done.stderr.count("\n") == 1 and not done.stdout, done)
    with open(target, encoding="ascii") as file:
        check("the target of a link is unchanged", file.read() == "mine")


def main():
    fetched = subprocess.run([os.path.join(HERE, "..", "monitoring", "tools.sh"), TOOLS],
                             capture_output=True, text=True, check=False)
    if fetched.returncode not in (0, 77):
        check("the monitoring tools are there", False, fetched.stderr)
    directory = tempfile.mkdtemp(prefix="pmctop-formats-")
    os.chmod(directory, 0o755)
    try:
        test_a_day()
        test_csv_here()
        test_csv_of_a_command()
        test_texts(directory)
        test_replaced(directory)
        test_node_exporter(directory)
        test_full_disk(directory)
        test_refused(directory)
    finally:
        shutil.rmtree(directory)
    finish()


main()
