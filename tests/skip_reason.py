# SPDX-License-Identifier: MIT
"""Rights that a container or a user can lack. Functions return the reason to skip, or None."""
import functools
import os
import shutil
import subprocess

# PROC_PID_INIT_INO in the kernel's include/linux/proc_ns.h
FIRST_PID_NAMESPACE = "pid:[4026531836]"


def pid_namespace():
    """For tests of idle time and of kernel threads."""
    if os.readlink("/proc/self/ns/pid") == FIRST_PID_NAMESPACE:
        return None
    return "in a pid namespace, tasks outside have no rows"


def mounts():
    """For tests that mount something in a mount namespace of their own."""
    if os.geteuid() != 0:
        return "only root mounts anything"
    if not shutil.which("unshare"):
        return "no unshare"
    done = subprocess.run(["unshare", "--mount", "true"], capture_output=True, text=True,
                          check=False)
    return done.stderr.strip() if done.returncode else None


def cgroup2():
    """For tests of cgroup names that perf reads where cgroup2 is mounted."""
    with open("/proc/mounts", encoding="utf-8", errors="replace") as lines:
        if any(line.split()[2] == "cgroup2" for line in lines):
            return None
    return "no cgroup2 is mounted"


def other_users():
    """For tests that start a program as another user."""
    if os.getuid() != 0:
        return "only root starts programs as another user"
    with open("/proc/self/uid_map", encoding="ascii") as uid_map:
        one = [line.split()[2] for line in uid_map] == ["1"]
    return "a user namespace with one user" if one else None


@functools.cache
def system_wide(pmctop):
    """For tests of a recording, and of counts of the whole machine."""
    probe = subprocess.run([pmctop, "--format", "json", "-n", "1", "-d", "0.1"],
                           stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return None if '"mode":"system"' in probe.stdout else "no right to count system-wide"


def perf(pmctop):
    """For tests of perf with recordings."""
    return system_wide(pmctop) if shutil.which("perf") else "no perf"
