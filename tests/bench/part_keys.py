# SPDX-License-Identifier: MIT
"""The CPU time of pmctop in the seconds after a key that makes it read much: `e` opens events to
show which of them can be counted, `i` adds the tasks that did not run. Beside it what peers take
for their nearest pages, which read less."""
import subprocess
import time

import skip_reason
from machine import busy_machine, cpu_s, load
from ptys import OnPty
from tools import DEFAULT_TOOL, HTOP, TOP, Absent, check_tool, home, with_before

SLEEPING = 3100  # threads of one process
SIZE = 120, 40
WARM_S, FIRST_S, LATER_S = 4, 5, 10
MOST_PERCENT = 3
OURS = with_before(DEFAULT_TOOL)
KEYS = (("e, the events", b"e", OURS), ("i, tasks that did not run", b"i", OURS),
        ("F2, the setup", b"\x1bOQ", [HTOP]), ("H, threads", b"H", [HTOP, TOP]))

# Most events are tracepoints, which are listed where tracefs is mounted. A user of perf has it.
TRACED = ["unshare", "--mount", "sh", "-c",
          'mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null; exec "$@"', "-"]


def cpu_percent(tty, seconds):
    """CPU time in that time, in percent of a CPU."""
    began, spent = time.monotonic(), cpu_s(tty.process.pid)
    tty.read_for(seconds)
    return 100 * (cpu_s(tty.process.pid) - spent) / (time.monotonic() - began)


def press(prefix, tool, key, later_s):
    """{when: CPU in %} before a key, in each of the first seconds after it, and later."""
    check_tool(tool)
    with home() as directory:
        tty = OnPty([*prefix, *tool.command], *SIZE, HOME=directory)
        try:
            tty.read_for(WARM_S)
            if tty.process.poll() is not None:
                raise Absent("refused: it ends by itself")
            spent = {"before": cpu_percent(tty, FIRST_S)}
            tty.write(key)
            for second in range(1, FIRST_S + 1):
                spent[f"second {second} after"] = cpu_percent(tty, 1)
            spent["later than"] = cpu_percent(tty, later_s)
            return spent
        finally:
            tty.close()


def press_all(report, rounds, later_s):
    noisy, prefix = busy_machine(), [] if skip_reason.mounts() else TRACED
    listed = subprocess.run([*prefix, "cat", "/sys/kernel/tracing/available_events"],
                            capture_output=True, check=False)
    report.add("keys", "tracepoints that e lists", listed.stdout.count(b"\n"))
    measured, absent = {}, {}
    for i in range(rounds):
        for what, key, tools in KEYS:
            for tool in tools[::-1 if i % 2 else 1]:
                try:
                    for when, percent in press(prefix, tool, key, later_s).items():
                        measured.setdefault((what, when, tool.name), []).append(percent)
                except Absent as why:
                    absent[what, tool.name] = str(why)
    for what, key, tools in KEYS:
        for when in dict.fromkeys(when for _, when, _ in measured):
            for tool in tools:
                goal = tool is DEFAULT_TOOL and when != "before"
                report.add("keys", f"CPU {when} {what}: {tool.name}",
                           measured.get((what, when, tool.name)), "%",
                           most=MOST_PERCENT if goal else None, noisy=noisy if goal else None,
                           note=absent.get((what, tool.name), ""))


def run(report, rounds, sleeping=SLEEPING, later_s=LATER_S):
    with subprocess.Popen([load("crowd"), "-s", str(sleeping), "-b", "0"], stdout=subprocess.PIPE,
                          text=True) as crowd:
        try:
            if crowd.stdout.readline() == "ready\n":
                press_all(report, min(rounds, 3), later_s)
            else:
                report.add("keys", f"{sleeping} threads", None,
                           note="refused: too many threads for this machine")
        finally:
            crowd.kill()
