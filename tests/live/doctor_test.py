#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pmctop --doctor on this kernel: as root, as an ordinary user, in namespaces of its own and under
seccomp filters. Its findings must match these conditions.

Prints TAP. BUILD is the build directory. Without root, checks that need it are skipped.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skip_reason  # noqa: E402
from frames import check, finish, skip  # noqa: E402
from programs import BUILD, NOBODY  # noqa: E402

NOT_ROOT = skip_reason.other_users()
PARANOID = "/proc/sys/kernel/perf_event_paranoid"
DIRECTORY = tempfile.TemporaryDirectory(prefix="doctor-")
PMCTOP = os.path.join(DIRECTORY.name, "pmctop")
DENY = os.path.join(DIRECTORY.name, "deny")


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=180,
                          stdin=subprocess.DEVNULL, **options)


class Page:
    """The doctor's page, as JSON and as text, under `prefix` and with `options`."""

    def __init__(self, name, *prefix, **options):
        self.name = name
        self.json = run(*prefix, PMCTOP, "--doctor", "--format", "json", **options)
        self.text = run(*prefix, PMCTOP, "--doctor", **options)
        try:
            self.page = json.loads(self.json.stdout)
        except ValueError:
            self.page = {"schema": None, "can": {"level": None}, "findings": []}
        counts = self.page["can"]["level"] != "none"
        check(f"{name}: JSON has its schema, and the status matches",
              self.page["schema"] == "pmctop-doctor/1"
              and self.json.returncode == (0 if counts else 3)
              and self.text.returncode == self.json.returncode and not self.json.stderr,
              (self.json.returncode, self.json.stdout, self.json.stderr))
        missing = [f["name"] for f in self.page["findings"] if f["name"] not in self.text.stdout]
        check(f"{name}: the text has all findings and remedies", self.text.stdout
              and not missing and all(remedy in self.text.stdout for finding
                                      in self.page["findings"] for remedy in finding["remedies"]),
              (missing, self.text.stdout))

    def finding(self, name):
        return next((f for f in self.page["findings"] if f["name"] == name),
                    {"level": None, "text": "", "remedies": []})

    def check_finding(self, name, level, *words):
        """The finding has that level, and its text has these words."""
        finding = self.finding(name)
        check(f"{self.name}: {name}: {level}, {', '.join(words)}",
              finding["level"] == level and all(word in finding["text"] for word in words),
              finding)

    def check_remedy(self, name, word):
        finding = self.finding(name)
        check(f"{self.name}: remedy: {word}",
              any(word in remedy for remedy in finding["remedies"]), finding)

    def check_can(self, **wanted):
        got = {key: self.page["can"].get(key) for key in wanted}
        check(f"{self.name}: can: {wanted}", got == wanted, self.page["can"])


def paranoid():
    with open(PARANOID, encoding="ascii") as file:
        return int(file.read())


def privileged():
    page = Page("root")
    page.check_can(level="system", system=True, own_tasks=True, kernel=True, other_tasks=True)
    page.check_finding("user", "ok", "root", "CAP_PERFMON")
    page.check_finding("seccomp", "ok", "no filter")
    page.check_finding("paranoid", "ok", str(paranoid()))
    page.check_finding("own cost", "ok", "% of a CPU now", "us for each context switch")
    with open("/proc/sys/kernel/osrelease", encoding="ascii") as release:
        page.check_finding("kernel", "ok", release.read().strip())
    has_cycles = run("perf", "stat", "-e", "cycles", "true") if shutil.which("perf") else None
    if has_cycles and has_cycles.returncode == 0:
        page.check_can(hardware="<not supported>" not in has_cycles.stderr)
    else:
        skip("hardware events as in perf stat", "perf does not run here")
    counters = os.path.isdir("/sys/bus/event_source/devices/cpu")
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as cpuinfo:
        if not counters and " hypervisor" in cpuinfo.read():
            page.check_finding("VM", "warn", "without a PMU")
            page.check_finding("PMU", "bad", "none")


def ordinary():
    user = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    level = paranoid()
    page = Page("an ordinary user", **user)
    page.check_finding("user", "warn", f"uid {NOBODY}", "no capability")
    page.check_finding("paranoid", "ok" if level < 1 else "warn" if level < 3 else "bad", str(level))
    if level >= 1:
        page.check_can(system=False, other_tasks=False)
        page.check_finding("whole system", "bad", f"perf_event_paranoid is {level}", "no CAP_PERFMON")
        page.check_remedy("whole system", "sudo sysctl kernel.perf_event_paranoid=0")
        page.check_remedy("whole system", f"=ep {PMCTOP}")
    if level == 2:
        page.check_can(level="user", own_tasks=True, kernel=False)
        page.check_finding("own cost", "ok", "% of a CPU now")
    return user


def capable(user):
    """With CAP_PERFMON as the only capability, from setpriv's ambient set."""
    prefix = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups",
              "--inh-caps=+perfmon", "--ambient-caps=+perfmon"]
    if run(*prefix, "true").returncode != 0:
        skip("CAP_PERFMON", "setpriv cannot set it")
        return
    page = Page("CAP_PERFMON", *prefix)
    page.check_finding("user", "ok", f"uid {NOBODY}: CAP_PERFMON")
    if paranoid() < 3:
        page.check_can(level="system")
        page.check_finding("paranoid", "ok", "does not limit")
    if shutil.which("setcap"):
        own = os.path.join(DIRECTORY.name, "pmctop-capable")
        shutil.copy(PMCTOP, own)
        if run("setcap", "cap_perfmon,cap_ipc_lock=ep", own).returncode == 0:
            result = run(own, "--doctor", "--format", "json", **user)
            check("the setcap command of the remedy works",
                  json.loads(result.stdout)["can"]["system"] == (paranoid() < 3), result)
        else:
            skip("setcap", "refused here")
    else:
        skip("setcap", "not installed")


def contained():
    prefix = ["unshare", "-Urpf", "--mount-proc"]
    if run(*prefix, "true").returncode != 0:
        skip("a container", "unshare is refused")
        return
    page = Page("a container", *prefix)
    page.check_finding("container", "warn", "a pid and a user namespace of its own")
    page.check_finding("user", "warn", "root", "of a user namespace")
    if paranoid() >= 1:
        page.check_can(system=False)
        page.check_finding("whole system", "bad", "capabilities of a user namespace do not count")
        page.check_remedy("whole system", "on the host: sudo sysctl kernel.perf_event_paranoid=0")
    if not NOT_ROOT:
        page = Page("a pid namespace with root's rights", "unshare", "-pf", "--mount-proc")
        page.check_can(level="system")
        page.check_finding("whole system", "warn", "outside this pid namespace")
        page.check_finding("container", "warn", "a pid namespace of its own")


def filtered(**options):
    for answer in ("EPERM", "EACCES", "ENOSYS"):
        if run(DENY, answer, "true", **options).returncode == 77:
            skip(f"seccomp's {answer}", "no filter can be installed")
            continue
        page = Page(f"seccomp's {answer}", DENY, answer, **options)
        page.check_can(level="none", system=False, own_tasks=False, hardware=False, software=False)
        page.check_finding("seccomp", "bad", "1 filter", f"returns {answer}")
        page.check_finding("whole system", "bad", "a seccomp filter")
        page.check_remedy("whole system", "SystemCallFilter=perf_event_open")
        check("the status is 3", page.json.returncode == 3, page.json.returncode)
        batch = run(DENY, answer, PMCTOP, "-b", "-n", "1", "-d", "0.1", **options)
        check("a run prints the reason too", "seccomp" in batch.stdout, batch.stdout[:400])


def usage():
    result = run(PMCTOP, "--doctor", "1")
    check("an argument is refused", result.returncode == 2 and "'1'" in result.stderr
          and len(result.stderr.splitlines()) == 1, result)
    path = os.path.join(DIRECTORY.name, "page")
    result = run(PMCTOP, "--doctor", "-o", path)
    with open(path, encoding="utf-8") as page:
        check("-o writes the page to a file", result.stdout == "" and "whole system" in page.read(),
              result)
    result = run(PMCTOP, "--doctor", "-o", "/no/such/place/file")
    check("a file that cannot be written: status 1 and one line", result.returncode == 1
          and len(result.stderr.splitlines()) == 1 and "/no/such/place" in result.stderr, result)
    with open("/dev/full", "w", encoding="ascii") as full:
        result = subprocess.run([PMCTOP, "--doctor"], stdout=full, stderr=subprocess.PIPE,
                                text=True, timeout=180, check=False)
    check("a full disk: status 1 and one line", result.returncode == 1
          and len(result.stderr.splitlines()) == 1, result)
    result = run("sh", "-c", f"{PMCTOP} --doctor | head -n 1")
    check("a reader that closes the pipe ends it without a message",
          len(result.stdout.splitlines()) == 1 and not result.stderr, result)


# An ordinary user may have no access to the build directory.
os.chmod(DIRECTORY.name, 0o755)
shutil.copy(os.path.join(BUILD, "pmctop"), PMCTOP)
shutil.copy(os.path.join(BUILD, "load", "deny"), DENY)
if not NOT_ROOT:
    privileged()
    user = ordinary()
    capable(user)
    filtered()
    filtered(**user)
else:
    skip("root and other users", NOT_ROOT)
    Page("this user")
    filtered()
contained()
usage()
finish()
