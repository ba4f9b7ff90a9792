#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tests/run: alone, perf reads all that the machine does meanwhile.
"""A recording of pmctop as perf reads it: perf's sums are those that were shown.

Prints TAP. BUILD is the build directory. Needs perf, and the right to count system-wide.
"""
import os
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skip_reason  # noqa: E402
from frames import check, finish, frames_of, skip, skip_all, wait_for_lines  # noqa: E402
from programs import LOAD, PMCTOP  # noqa: E402
from recording import FIELDS, SWITCHES, TRACEPOINT  # noqa: E402
from recording import is_traced, live_sums, live_total, perf, perf_sums, timehist  # noqa: E402
from recording import wait_for_rounds  # noqa: E402

EVENTS = ("page-faults", SWITCHES)
TIP = "# Tip: use 'perf evlist --trace-fields' to show fields for tracepoint events\n"
COMMAND = [PMCTOP, "--budget", "0", "-S", "none", "-e", ",".join(EVENTS)]


def run(*arguments, **options):
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=180,
                          stdin=subprocess.DEVNULL, **options)


def same_sums(data):
    ping = subprocess.Popen([os.path.join(LOAD, "pingpong"), "1000000000"],
                            stdout=subprocess.DEVNULL)
    printed = run("--format", "json", "-H", "-d", "0.5", "-n", "4", "--record", data)
    ping.kill()
    ping.wait()
    frames = frames_of(printed.stdout)
    sums, script = perf_sums(data)
    lost = sum(frame["lost_records"] for frame in frames)  # on a machine that is too busy
    # A kernel may not report the switches of some tasks: their counts are credited to the next
    # task. pmctop then records switches with a dummy event.
    listed = [line.split(":")[0] for line in perf("evlist", "-i", data).stdout.split("\n")]
    silent = lost or "dummy" in listed or any(
        frame["totals"]["unattributed"]["events"]["context-switches"] for frame in frames)
    check("perf script reads it without a message",
          script.returncode == 0 and (not script.stderr or (lost and "lost" in script.stderr)),
          (script.stderr, lost))
    for event in EVENTS:
        live, recorded = live_total(frames, event), sum(sums[event].values())
        check(f"{event}: perf script's sum is exactly what was shown",
              live == recorded > 0, (live, recorded))
        tasks = live_sums(frames, event)
        wrong = {tid: (count, sums[event][tid]) for tid, count in tasks.items()
                 if sums[event][tid] < count or (not silent and sums[event][tid] > count)}
        off = sum(abs(count - other) for count, other in wrong.values())
        check(f"{event}: each task's sum too", off <= (live / 50 if silent else 0), wrong)
    switches = live_sums(frames, "context-switches")
    check("the switches of the ping-pong pair are exact",
          switches[ping.pid] > 1000 and (switches[ping.pid] == sums["context-switches"][ping.pid]
                                         or silent),
          (switches[ping.pid], sums["context-switches"][ping.pid]))
    check_tracepoint(data, frames, ping.pid)
    named = perf("script", "-i", data, "-F", "comm,tid").stdout
    check("tasks have their names, also those that started before",
          f"pingpong {ping.pid}" in " ".join(named.split()), named[:200])


def check_tracepoint(data, frames, pid):
    """perf's use of the tracepoint's samples, with the ping-pong pair."""
    names = ("perf sched timehist reads it", "perf sched timehist: run times agree with %CPU",
             "perf script prints each switch of the tracepoint")
    if not is_traced(data):
        for name in names:
            skip(name, "switches are sampled by the software event: tracefs cannot be read")
        return
    ran, summary = timehist(data)
    check(names[0], summary.returncode == 0 and ran, summary.stderr)
    shown = live_sums(frames, "task-clock")[pid] / 1e6
    check(names[1], abs(ran.get(pid, 0) - shown) < shown / 20, (ran.get(pid), shown))
    fields = perf("script", "-i", data, "-F", "tid,event,trace").stdout.split("\n")
    switches = [line for line in fields if f"{TRACEPOINT}:" in line]
    wrong = [line for line in switches
             if f" prev_pid={line.split()[0]} " not in line or "next_comm=" not in line]
    check(names[2], switches and len(wrong) * 1000 < len(switches), (len(switches), wrong[:3]))


def other_tools(data):
    listed = perf("evlist", "-v", "-i", data)
    names = {TRACEPOINT if event == SWITCHES and is_traced(data) else event for event in EVENTS}
    check("perf evlist names the events",
          all(f"\n{event}:" in "\n" + listed.stdout for event in names) and
          not listed.stderr.replace(TIP, ""), listed.stdout + listed.stderr)
    header = perf("report", "--header-only", "-i", data).stdout
    check("perf report --header-only has the machine and the command",
          all(f"# {word} : " in header for word in ("hostname", "os release", "cmdline")), header)
    mode = os.stat(data).st_mode & 0o777
    check("only its user can read a recording", mode == 0o600, oct(mode))


def killed(data):
    """A recording that is killed is readable as far as it was written."""
    victim = subprocess.Popen([*COMMAND, "--format", "json", "-d", "0.2", "--record", data],
                              stdout=subprocess.PIPE)
    for _ in range(4):
        victim.stdout.readline()
    second = run("-b", "-n", "1", "--record", data)
    check("a second recorder is refused",
          second.returncode == 1 and "is in use by another recording" in second.stderr, second)
    came = wait_for_rounds(data, 2)
    victim.send_signal(signal.SIGKILL)
    victim.wait()
    sums, script = perf_sums(data)
    check("what was written before a kill -9 is readable",
          came and script.returncode == 0 and sum(sums["context-switches"].values()) > 0,
          (came, script.stderr))
    again = run("-b", "-n", "1", "-d", "0.2", "--record", data)
    check("an older recording is kept as .old",
          again.returncode == 0 and os.path.getsize(data + ".old") > 0, again)


def piped():
    writer = subprocess.Popen([*COMMAND, "-n", "3", "-d", "0.3", "--record", "-"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    script = perf("script", "-i", "-", "-F", FIELDS, stdin=writer.stdout)
    check("perf script reads a pipe", writer.wait() == 0 and
          (SWITCHES in script.stdout or TRACEPOINT in script.stdout),
          script.stderr)
    writer = subprocess.Popen([*COMMAND, "-d", "0.2", "--record", "-"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
    writer.stdout.read(2000)
    writer.stdout.close()
    status = writer.wait(timeout=180)
    check("a reader that goes away ends it", status == 0, status)


def stuck(directory):
    """The reader of a full pipe does not read."""
    output = os.path.join(directory, "stuck.json")
    with open(output, "w+b") as printed:
        writer = subprocess.Popen([*COMMAND, "--format", "json", "-d", "0.2", "-o", output,
                                   "--record", "-"], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)
        pings = [subprocess.Popen([os.path.join(LOAD, "pingpong"), "1000000000"],
                                  stdout=subprocess.DEVNULL) for _ in range(2)]
        wait_for_lines(printed, 8)
        writer.send_signal(signal.SIGTERM)
        status = writer.wait(timeout=30)
        stderr = writer.stderr.read()
        for ping in pings:
            ping.kill()
            ping.wait()
    check("a reader that does not read delays neither the counts nor the end",
          status == 1 and "The recording has ended" in stderr, (status, stderr))


def main():
    if why := skip_reason.perf(PMCTOP):
        skip_all(why)
    with tempfile.TemporaryDirectory() as directory:
        data = os.path.join(directory, "perf.data")
        same_sums(data)
        other_tools(data)
        killed(os.path.join(directory, "killed.data"))
        piped()
        stuck(directory)
    finish()


main()
