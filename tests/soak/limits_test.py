#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tests/run: alone, other programs would disturb it.
"""pmctop with little of a resource: address space, data, stack, processes, descriptors, locked memory,
and a time in which it is stopped. A run either works, or prints the reason in one sentence. It
neither crashes nor hangs. Prints TAP. BUILD is the build directory.
"""
import json
import os
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from frames import broken_sums, check, finish, skip  # noqa: E402
from programs import PMCTOP  # noqa: E402
from ptys import OnPty, is_sanitized  # noqa: E402

ONCE = [PMCTOP, "--format", "json", "-n", "1", "-d", "0.1"]
STOPPED_S = 3


def limited(limit, value):
    """(status, standard output, standard error) of a run under a limit."""
    run = subprocess.run(["prlimit", f"--{limit}={value}", *ONCE], capture_output=True, text=True,
                         timeout=120, stdin=subprocess.DEVNULL)
    return run.returncode, run.stdout, run.stderr


def ends_well(status, printed, stderr):
    """A whole frame that conserves; or a message for each failure, and no figure."""
    if status == 0:
        return printed.count("\n") == 1 and not broken_sums(json.loads(printed))
    lines = stderr.strip().split("\n")
    return (0 < status < 126 and not printed and len(lines) <= 2
            and all(line.startswith("pmctop: ") and len(line) > 20 for line in lines))


def is_reported(status, printed, stderr, whole, busy):
    """If a frame lacks CPUs of `whole`, or the name of an older process, a note has the remedy."""
    if status != 0:
        return "ulimit -n" in stderr
    frame = json.loads(printed)
    names = {task["comm"] for task in frame["tasks"] if task["pid"] == busy}
    return (any("ulimit -n" in note for note in frame["notes"])
            or (frame["mode"] == whole["mode"] and len(frame["cpus"]) == len(whole["cpus"])
                and not any("cannot be read" in note for note in frame["notes"])
                and names <= {"sh"}))


def descriptors():
    whole = json.loads(limited("nofile", 1024)[1])
    busy = subprocess.Popen(["sh", "-c", "while :; do :; done"])
    try:
        sweep("descriptors", "nofile", range(3, 65),
              lambda *result: "error while loading" in result[2]
              or ends_well(*result) and is_reported(*result, whole, busy.pid))
    finally:
        busy.kill()
        busy.wait()


def sweep(name, limit, values, is_right=ends_well):
    ended, bad = [], []
    for value in values:
        result = limited(limit, value)
        ended.append(result[0])
        if not is_right(*result):
            bad.append((value, *result))
    check(f"{name}: {len(values)} runs, {ended.count(0)} of them whole", not bad, bad[:3])
    return ended


def space():
    """From the smallest size in which the loader works, because its messages are not pmctop's."""
    least = next(mib for mib in range(8, 200, 2)
                 if "error while loading" not in (stderr := limited("as", mib << 20)[2])
                 and "failed to map" not in stderr and "cannot" not in stderr)
    ended = sweep("address space", "as", [mib << 20 for mib in range(least, least + 8)])
    enough = limited("as", 512 << 20)
    check("it works with enough of it", enough[0] == 0, enough)
    return ended


def processes():
    """Root has no such limit. The user is one without processes."""
    if os.geteuid() != 0:
        skip("processes", "needs root, to start as a user without processes")
        return
    prefix = ["setpriv", "--reuid=65533", "--regid=65533", "--clear-groups", "prlimit", "--nproc=1"]
    run = subprocess.run([*prefix, PMCTOP, "--list", "metrics"], capture_output=True, text=True,
                         timeout=120, stdin=subprocess.DEVNULL, cwd="/")
    check("one process: list works", run.returncode == 0 and run.stdout, run)
    # One thread ends the program whatever hangs (tui/run/ending.h), so it must be there.
    for name, arguments in (("batch", []), ("functions", ["--code"]), ("a command", ["--", "true"]),
                            ("--ssh", ["--ssh", "host.invalid"])):
        run = subprocess.run([*prefix, PMCTOP, "-b", *arguments], capture_output=True, text=True,
                             timeout=120, stdin=subprocess.DEVNULL, cwd="/")
        check(f"one process: {name} cannot be started, and the message has the limit",
              run.returncode == 1 and not run.stdout and "cannot be started" in run.stderr
              and run.stderr.endswith("Raise the limit: ulimit -u\n"), run)
    tty = OnPty([*prefix, PMCTOP])
    status = tty.wait(60)
    said = tty.process.stderr.read().decode()
    check("one process: the screen cannot be drawn, and the message has the limit",
          status == 1 and said.endswith("Raise the limit: ulimit -u\n"), (status, said))
    tty.close()


def stack():
    sweep("stack", "stack", [kib << 10 for kib in (32, 64, 128, 256, 512, 4096)] + ["unlimited"])
    for size in (4 << 20, "unlimited"):  # enough, also with a sanitizer
        tty = OnPty(["prlimit", f"--stack={size}:", PMCTOP, "0.2"])
        drawn = tty.read_until(lambda: b"COMMAND" in tty.output or tty.process.poll() is not None)
        tty.write(b"q")
        check(f"{size} of stack: the screen", drawn and tty.wait() == 0, tty.output[-500:])
        tty.close()


def stopped():
    """After a stop, one interval has its length, and none is short to make up for it."""
    process = subprocess.Popen([PMCTOP, "--format", "json", "-d", "0.2"], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, text=True)
    frames = [json.loads(process.stdout.readline()) for _ in range(2)]
    process.send_signal(signal.SIGSTOP)
    time.sleep(STOPPED_S)
    process.send_signal(signal.SIGCONT)
    frames += [json.loads(process.stdout.readline()) for _ in range(6)]
    process.kill()
    process.wait()
    seconds = [frame["interval_s"] for frame in frames]
    check("a stop is one long interval",
          sum(s >= STOPPED_S * 0.9 for s in seconds) == 1, seconds)
    check("the sums are right",
          not [sums for frame in frames if (sums := broken_sums(frame))], seconds)
    check("no short interval follows", min(seconds[2:]) > 0.02, seconds)


def main():
    if limited("nofile", 1024)[0] != 0:
        skip("limits", "no prlimit, or nothing can be counted")
        return finish()
    descriptors()
    stack()
    processes()
    sweep("locked memory", "memlock", [0, 4096, 65536, 1 << 20])
    if is_sanitized(PMCTOP):
        skip("address space and data", "a sanitizer uses terabytes of it")
    else:
        space()
        sweep("data", "data", [mib << 20 for mib in (4, 6, 8, 16)])
    stopped()
    return finish()


main()
