#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The event that samples context switches if tracefs is missing, unreadable or wrong, on this
kernel. Each case mounts other files over tracefs, in a mount namespace of its own.

Prints TAP. BUILD is the build directory. Needs root, to mount.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skip_reason  # noqa: E402
from frames import broken_sums, check, finish, frames_of, skip, skip_all  # noqa: E402
from programs import BUILD, NOBODY  # noqa: E402

TRACING = "/sys/kernel/tracing"
SWITCH = f"{TRACING}/events/sched/sched_switch"
MOUNT = f"mount -t tracefs tracefs {TRACING}"
# Also hides tracefs below debugfs.
NO_TRACEFS = "mount -t tmpfs none /sys/kernel"
DIRECTORY = tempfile.TemporaryDirectory(prefix="switches-")
PMCTOP = os.path.join(DIRECTORY.name, "pmctop")
CAPABLE = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups",
           "--inh-caps=+perfmon", "--ambient-caps=+perfmon"]
USED = "the tracepoint sched:sched_switch"
NOT_USED = "the software event context-switches"


def inside(mounts, *command):
    script = f"{mounts} && exec \"$@\""
    return subprocess.run(["unshare", "--mount", "--propagation", "private", "sh", "-ec", script,
                           "sh", *command], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=180, check=False)


def over(name, text):
    """Mounts a file with that text over `id` or `format`. text may be the path of another file."""
    path = text
    if not text.startswith("/dev/"):
        path = os.path.join(DIRECTORY.name, f"{name}-{len(os.listdir(DIRECTORY.name))}")
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
    return f"{MOUNT} && mount --bind {path} {SWITCH}/{name}"


def examine(name, mounts, prefix, wanted, remedy):
    """The doctor's finding, and counts of all CPUs."""
    doctor = inside(mounts, *prefix, PMCTOP, "--doctor", "--format", "json")
    try:
        findings = json.loads(doctor.stdout)["findings"]
    except ValueError:
        check(f"{name}: the doctor's page", False, doctor)
        return
    switches = next((f for f in findings if f["name"] == "switch event"), {"text": ""})
    remedies = [r for f in findings if f["name"] in ("switch event", "tracepoints")
                for r in f["remedies"]]
    check(f"{name}: --doctor: {', '.join(wanted)}",
          all(word in switches["text"] for word in wanted)
          and switches["level"] == ("ok" if USED in wanted else "warn"), switches)
    check(f"{name}: the remedy is {remedy or 'none'}",
          remedies == ([remedy] if remedy else []), remedies)
    run = inside(mounts, *prefix, PMCTOP, "--format", "json", "-n", "3", "-d", "0.2")
    seen = frames_of(run.stdout)
    check(f"{name}: whole CPUs are counted, and the sums are right",
          run.returncode == 0 and len(seen) == 3 and all(f["mode"] == "system" for f in seen)
          and not any(broken_sums(f) for f in seen) and seen[-1]["tasks"], run.stderr or seen)


def format_of_kernel():
    return inside(MOUNT, "cat", f"{SWITCH}/format").stdout


def without(text, field):
    return "".join(line for line in text.splitlines(True) if f" {field};" not in line)


def moved(text, bytes_on):
    """Moves all fields by that many bytes."""
    return re.sub(r"offset:(\d+)", lambda m: f"offset:{int(m[1]) + bytes_on}", text)


def main():
    usual = format_of_kernel()
    # The mount options of tracefs are the machine's and stay. Copies are mounted over it.
    readable = " && ".join((
        MOUNT, f"cp {SWITCH}/id {SWITCH}/format {DIRECTORY.name}", f"mount -t tmpfs none {TRACING}",
        f"mkdir -p {SWITCH}", f"cp {DIRECTORY.name}/id {DIRECTORY.name}/format {SWITCH}",
        f"chmod 644 {SWITCH}/id {SWITCH}/format"))
    unreadable = f"{readable} && chmod 700 {TRACING}"
    cases = [
        ("tracefs", MOUNT, [], [USED], None),
        ("tracefs is not mounted", NO_TRACEFS, [], [NOT_USED, "tracefs is not mounted"],
         f"sudo mount -t tracefs tracefs {TRACING}"),
        ("no such tracepoint", f"{MOUNT} && mount -t tmpfs none {TRACING}/events/sched", [],
         [NOT_USED, "this kernel has no tracepoint"], None),
        ("an id that is refused", over("id", "999999\n"), [], [NOT_USED, "does not open"], None),
        ("an id that is no number", over("id", "\33[2J\n"), [], [NOT_USED, "is unknown"], None),
        ("an endless id", over("id", "/dev/zero"), [], [NOT_USED, "is unknown"], None),
        ("a missing field", over("format", without(usual, "next_pid")), [],
         [NOT_USED, "is unknown"], None),
        ("offsets beyond all samples", over("format", moved(usual, 5000)), [],
         [NOT_USED, "is unknown"], None),
        # This format is accepted. The samples have no such fields, and name only the task that ran.
        ("offsets beyond these samples", over("format", moved(usual, 500)), [], [USED], None),
        ("1 MB of garbage", over("format", "\33[2J\n%s" * 150000), [],
         [NOT_USED, "is unknown"], None),
        ("an endless format", over("format", "/dev/zero"), [], [NOT_USED, "is unknown"], None),
    ]
    if subprocess.run([*CAPABLE, "true"], check=False, capture_output=True).returncode == 0:
        cases += [
            ("CAP_PERFMON, tracefs unreadable", unreadable, CAPABLE,
             [NOT_USED, "this user cannot read tracefs"],
             f"sudo mount -o remount,mode=750,gid=$(id -g) {TRACING}"),
            ("CAP_PERFMON, tracefs readable", readable, CAPABLE, [USED], None),
        ]
    else:
        skip("CAP_PERFMON", "setpriv cannot set it")
    for case in cases:
        examine(*case)


why = skip_reason.mounts() or skip_reason.pid_namespace() or skip_reason.system_wide(f"{BUILD}/pmctop")
if why:
    skip_all(why)
if inside(MOUNT, "cat", f"{SWITCH}/id").returncode != 0:
    skip_all("tracefs cannot be mounted")
os.chmod(DIRECTORY.name, 0o755)
shutil.copy(f"{BUILD}/pmctop", PMCTOP)
main()
finish()
