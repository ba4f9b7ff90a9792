#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tests/run: one by one, it sets kptr_restrict, perf_event_paranoid and ksm.
"""pmctop -b --code: functions where files, mappings or rights are not as they should be.

Each case has its right names or plain places, shares that add up to 1, status 0, and no more memory
than MEMORY_MOST_KIB beyond that of an ordinary program. Settings of the kernel are restored.

Prints TAP. BUILD is the build directory, PMCTOP another program. Cases skip without their tool or
right.
"""
import contextlib
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skip_reason  # noqa: E402
from code_loads import (  # noqa: E402
    HOTSPOTS, NOBODY, PATIENCE_S, PMCTOP, Skip, compile_c, error_of, functions_of, kind_share,
    position_independent, running, self_share, shares_by_name, start)
from code_odd_loads import ODD_CASES  # noqa: E402
from frames import check, finish, skip, skip_all  # noqa: E402
from peaks import Peak  # noqa: E402

SECONDS = float(os.environ.get("CODE_SECONDS", 2))
MEMORY_MOST_KIB = 64 << 10
USER = {"user": NOBODY, "group": NOBODY, "extra_groups": []}

KSM_C = r"""
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void)
{
	size_t n = 64 << 20;
	unsigned *at = mmap(0, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (size_t i = 0; i < n / sizeof(*at); i++)
		at[i] = (unsigned)rand();
	if (madvise(at, n, MADV_MERGEABLE))
		return 1;
	puts("ready");
	fflush(stdout);
	pause();
}
"""


def measured(*arguments, **how):
    """Runs pmctop for two intervals. Returns its status, output, errors, and peak memory in KiB."""
    command = [PMCTOP, "-d", str(SECONDS), "-n", "2", "--code", "--format", "json", *arguments]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace", **how) as process:
        peak = Peak(process.pid)
        try:
            stdout, stderr = process.communicate(timeout=PATIENCE_S)
        finally:
            process.kill()
            kib = peak.stop()
    return process.returncode, stdout, stderr, kib


def notes_of(text):
    """Of the first interval."""
    return "\n".join(json.loads(text.splitlines()[0])["notes"]) if text else ""


def shown_as(functions, pattern):
    """The share of user mode that the pattern has there, and the names."""
    by_name = shares_by_name(functions)
    shown = sum(share for name, share in by_name.items() if re.fullmatch(pattern, name))
    return shown / (sum(by_name.values()) or 1), by_name


def check_case(name, begin, pattern, truth, usual_kib):
    try:
        with running(begin) as load:
            status, stdout, stderr, kib = measured("-p", str(load.pid))
    except Skip as why:
        skip(name, why)
        return
    functions = functions_of(stdout)
    shown, by_name = shown_as(functions, pattern)
    check(name, status == 0 and shown >= 0.95 and "wrong_name" not in by_name,
          (status, shown, by_name.most_common(6), stderr[:200]))
    whole = sum(f["share"] or 0 for f in functions)
    check(f"{name}: shares add up to 1", abs(whole - 1) < 1e-6, whole)
    check(f"{name}: memory", 0 < kib <= usual_kib + MEMORY_MOST_KIB, (kib, usual_kib))
    parts = sum(by_name[part] for part in truth)
    samples = parts * sum(f["samples"] for f in functions)
    for part, aim in truth.items():
        three = 3 * parts * error_of(aim, samples)
        check(f"{name}: {part}", samples and abs(by_name[part] - aim * parts) <= three,
              by_name.most_common(4))
    print(f"# {name}: {by_name.most_common(4)}; {kib / 1024:.1f} MiB, "
          f"{(kib - usual_kib) / 1024:+.1f} MiB", flush=True)


@contextlib.contextmanager
def setting(**values):
    """Sets files of /proc/sys/kernel and /sys/kernel/mm/ksm (ksm_NAME). Restores them."""
    before = {}
    try:
        for name, value in values.items():
            path = (f"/sys/kernel/mm/ksm/{name[4:]}" if name.startswith("ksm_")
                    else f"/proc/sys/kernel/{name}")
            try:
                with open(path, encoding="ascii") as file:
                    text = file.read()
                with open(path, "w", encoding="ascii") as file:
                    file.write(str(value))
            except OSError as error:
                raise Skip(f"{path}: {error.strerror}") from error
            before[path] = text
        yield
    finally:
        for path, text in reversed(before.items()):
            with open(path, "w", encoding="ascii") as file:
                file.write(text)


def kernel_load(user):
    return start(HOTSPOTS, "kernel", **user)


# kptr_restrict, perf_event_paranoid, user, whether functions of the kernel have names, whether
# there are samples of the kernel, and a part of the line. CAP_SYSLOG has names at 1.
RIGHTS = (
    (0, 1, {}, True, True, None),
    (1, 2, {}, True, True, None),
    (2, 2, {}, False, True, "kernel.kptr_restrict is 2"),
    (0, 1, USER, True, True, None),
    (0, 2, USER, False, False, None),
    (1, 1, USER, False, True, "their addresses are hidden"),
    (2, 1, USER, False, True, "kernel.kptr_restrict is 2"),
)


def check_rights(restrict, paranoid, user, names, samples, line):
    name = (f"kptr_restrict {restrict}, perf_event_paranoid {paranoid}, "
            f"{'an ordinary user' if user else 'root'}")
    why = skip_reason.other_users()
    if why:
        skip(name, why)
        return
    try:
        with setting(kptr_restrict=restrict, perf_event_paranoid=paranoid), \
                running(lambda _: kernel_load(user)) as load:
            status, stdout, stderr, _ = measured("-p", str(load.pid), **user)
    except Skip as why:
        skip(name, why)
        return
    functions = functions_of(stdout)
    kernel = [f for f in functions if f["module"] == "[kernel]"]
    named = kind_share(functions, "kernel")
    hidden = self_share(functions, "[kernel]")
    right = (named > 0.4 and hidden == 0 if names else
             hidden > 0.4 and named == 0 if samples else not kernel)
    whole = sum(f["share"] or 0 for f in functions)
    check(name, status == 0 and right and abs(whole - 1) < 1e-6
          and self_share(functions, "hot_burn") > 0.1,
          (status, named, hidden, whole, functions[:2], stderr[:300]))
    notes = notes_of(stdout)
    check(f"{name}: the line", line in notes if line else "have no names" not in notes, notes)


def check_kernel_thread():
    """ksmd has no /proc/PID/exe and no mappings."""
    name = "a kernel thread"
    done = subprocess.run(["pgrep", "-x", "ksmd"], capture_output=True, text=True, check=False)
    if skip_reason.mounts() or not done.stdout:
        skip(name, "no ksmd, or no right")
        return
    pid = done.stdout.split()[0]
    try:
        with setting(ksm_pages_to_scan=2000, ksm_sleep_millisecs=0, ksm_run=1), \
                running(lambda folder: start(compile_c(folder, source=KSM_C))):
            status, stdout, stderr, _ = measured("-p", pid)
    except Skip as why:
        skip(name, why)
        return
    functions = functions_of(stdout)
    whole = sum(f["share"] or 0 for f in functions)
    check(name, status == 0 and functions and kind_share(functions, "kernel") > 0.98
          and abs(whole - 1) < 1e-6, (status, whole, functions[:3], stderr[:300]))


def main():
    why = skip_reason.system_wide(PMCTOP)
    if why:
        skip_all(why)
    with running(position_independent) as load:
        usual_kib = measured("-p", str(load.pid))[3]
    print(f"# an ordinary program: {usual_kib / 1024:.1f} MiB", flush=True)
    for case in ODD_CASES:
        check_case(*case, usual_kib)
    for case in RIGHTS:
        check_rights(*case)
    check_kernel_thread()
    finish()


if __name__ == "__main__":
    main()
