#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pmctop -b --code: functions of programs with known shares, and of files in every condition.

MODES: tests/load/hotspots measures its own shares. Those of pmctop must be within three standard
errors. CASES: what is shown of a program that is stripped, deleted, replaced, in a namespace, of
another language ...

Prints TAP. BUILD is the build directory. Cases skip without their tool or right.
"""
import collections
import csv
import io
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skip_reason  # noqa: E402
from frames import check, finish, for_all, skip, skip_all  # noqa: E402

BUILD = for_all(os.path.abspath(os.environ.get("BUILD", "build")))
PMCTOP = os.path.join(BUILD, "pmctop")
HOTSPOTS = os.path.join(BUILD, "load", "hotspots")
SECONDS = float(os.environ.get("CODE_SECONDS", 5))
PATIENCE_S = 120
NOBODY = 65534
UNKNOWN_MOST = 0.02

# A mode of hotspots, and a part of one of its stacks.
MODES = (
    ("split", r";run_turn;hot_burn( |;)"),
    ("recursive", r";run_turn;call_recurse;recurse;recurse;recurse( |;)"),
    ("library", r";run_turn;library_burn( |;)"),
    ("kernel", r";run_turn;read_zeros;.*_\[k\] "),
    ("jit", r";run_turn;jit_hot( |;)"),
    ("faults", r";run_turn;touch_pages;.*_\[k\] "),
)

SPOT_C = r"""
#include <stdint.h>
#include <stdio.h>
__attribute__((noinline)) uint64_t hot_burn(uint64_t n)
{
	uint64_t x = n;
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
	while (n-- > 0) {
		x = x * 22695477u + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}
int main(void)
{
	volatile uint64_t sink = 0;
	puts("ready");
	fflush(stdout);
	for (;;)
		sink += hot_burn(1 << 20);
}
"""

SPOT_CC = r"""
#include <cstdint>
#include <cstdio>
namespace spot {
template <typename T> struct Burner {
	__attribute__((noinline)) T burn(T n)
	{
		T x = n;
		while (n-- > 0) {
			x = x * 22695477u + 1;
			asm volatile("" : "+r"(x));
		}
		return x;
	}
};
}
int main()
{
	volatile std::uint64_t sink = 0;
	std::puts("ready");
	std::fflush(stdout);
	for (;;)
		sink = sink + spot::Burner<std::uint64_t>().burn(1 << 20);
}
"""

SPOT_RS = r"""
use std::hint::black_box;
mod spot {
    #[inline(never)]
    pub fn hot_burn(n: u64) -> u64 {
        let mut x = n;
        for _ in 0..n {
            x = std::hint::black_box(x.wrapping_mul(22695477).wrapping_add(1));
        }
        x
    }
}
fn main() {
    println!("ready");
    loop {
        black_box(spot::hot_burn(black_box(1 << 20)));
    }
}
"""

SPOT_GO = r"""
package main
import "fmt"
//go:noinline
func hotBurn(n uint64) uint64 {
	x := n
	for ; n > 0; n-- {
		x = x*22695477 + 1
	}
	return x
}
var sink uint64
func main() {
	fmt.Println("ready")
	for {
		sink += hotBurn(1 << 20)
	}
}
"""


class Skip(Exception):
    """The reason why a case does not run here."""


def pmctop(*arguments):
    return subprocess.run([PMCTOP, "-d", str(SECONDS), "-n", "1", *arguments],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", check=False, timeout=PATIENCE_S)


def start(*command, **how):
    """Starts a load, and waits for its first line."""
    load = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                            **how)
    line = load.stdout.readline()
    if line != "ready\n":
        load.kill()
        load.wait()
        raise Skip(f"{command}: {line!r}, status {load.returncode}")
    return load


def stop(load):
    """Ends a load, and returns its last line."""
    load.send_signal(signal.SIGTERM)
    last = load.stdout.read()
    load.wait()
    load.stdout.close()
    return last


def functions_of(text):
    """The functions of the target in pmctop's JSON."""
    return json.loads(text.splitlines()[-1])["target"].get("functions", [])


def stacks_of(text):
    """(frames, weight) of each line, outermost first, without the command."""
    lines = [line.rpartition(" ") for line in text.splitlines()]
    return [(stack.split(";")[1:], int(weight)) for stack, _, weight in lines]


def self_share(functions, name):
    return sum(f["share"] or 0 for f in functions if f["name"] == name)


def kind_share(functions, kind):
    return sum(f["share"] or 0 for f in functions if f["kind"] == kind)


def error_of(share, samples):
    return math.sqrt(share * (1 - share) / samples) if samples else 1


def check_parts(mode, truth, functions, stacks):
    samples = sum(f["samples"] for f in functions)
    kernel = kind_share(functions, "kernel")
    whole = sum(weight for _, weight in stacks) or 1
    for part in truth["parts"]:
        name, share = part["name"], part["share"]
        three = 3 * error_of(share, samples)
        if part["of"] == "self":
            got = self_share(functions, name)
            # The clock of the thread has interrupts too, which are functions of the kernel.
            check(f"{mode}: {name}: its share in json",
                  share - kernel - three <= got <= share + three,
                  f"{got} of {samples} samples, truth {share}, kernel {kernel}")
        under = sum(weight for stack, weight in stacks if name in stack) / whole
        check(f"{mode}: {name}: the share of its stacks in folded", abs(under - share) <= three,
              f"{under} of {samples} samples, truth {share}")


def check_page_faults(mode, truth, functions):
    for part in truth["parts"]:
        for function in functions:
            faults = function["events"].get("page-faults")
            if function["name"] == part["name"] and faults and faults["samples"]:
                got, samples = faults["share"], faults["samples"]
                check(f"{mode}: {part['name']}: its share of page faults",
                      abs(got - part["page_faults"]) <= 3 * error_of(got, samples) + 0.01,
                      f"{got}, truth {part['page_faults']}")


def check_other_formats(pid, functions):
    rows = list(csv.DictReader(io.StringIO(pmctop("--code", "--format", "csv", "-p", pid).stdout)))
    names = {row["function"] for row in rows if row["scope"] == "function"}
    check("csv has the functions of json", {"hot_burn", "cold_burn"} <= names, names)
    check("csv: all rows of functions have the pid",
          {row["pid"] for row in rows if row["scope"] == "function"} == {pid}, rows[-1:])
    text = pmctop("--code", "-b", "-p", pid).stdout
    check("text has the hottest function first",
          re.search(r"FUNCTION +MODULE\n.* hot_burn +hotspots\n", text), text[-600:])
    top = functions_of(pmctop("--code", "--format", "json", "--top", "1", "-p", pid).stdout)
    check("--top limits functions", [f["name"] for f in top] == ["hot_burn"], top)
    check("json is sorted by share",
          [f["name"] for f in functions[:2]] == ["hot_burn", "cold_burn"], functions[:2])
    done = pmctop("--code", "--format", "openmetrics", "-p", pid)
    check("openmetrics is refused", done.returncode == 2 and "functions" in done.stderr, done)


def check_mode(mode, stack):
    load = start(HOTSPOTS, mode)
    pid = str(load.pid)
    try:
        done = pmctop("--code", "--format", "json", "-p", pid)
        functions = functions_of(done.stdout)
        folded = pmctop("--format", "folded", "-p", pid)
        stacks = stacks_of(folded.stdout)
        if mode == "split":
            check_other_formats(pid, functions)
    finally:
        last = stop(load)
    truth = json.loads(last)
    check_parts(mode, truth, functions, stacks)
    if mode == "faults":
        check_page_faults(mode, truth, functions)
    unknown = kind_share(functions, "unnamed")
    check(f"{mode}: less than 2 % without a name", functions and unknown < UNKNOWN_MOST,
          [f for f in functions if f["kind"] == "unnamed"][:3])
    check(f"{mode}: the callers", re.search(stack, folded.stdout), folded.stdout[:600])
    shares = sum(f["share"] or 0 for f in functions)
    check(f"{mode}: shares add up to 1", abs(shares - 1) < 1e-6, shares)


def tool(*names):
    for name in names:
        if not shutil.which(name):
            raise Skip(f"no {name}")


def compile_c(folder, *flags, name="spot", source=SPOT_C):
    tool("gcc")
    path = os.path.join(folder, name)
    done = subprocess.run(["gcc", "-O2", "-fno-omit-frame-pointer", *flags, "-x", "c", "-", "-o",
                           path], input=source, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Skip(f"gcc {' '.join(flags)}: {done.stderr.strip().splitlines()[-1]}")
    return path


def run_tool(*command, **how):
    subprocess.run(command, check=True, capture_output=True, **how)


# Each case starts a load in a folder of its own, and returns it.

def position_independent(folder):
    return start(compile_c(folder, "-pie"))


def not_position_independent(folder):
    return start(compile_c(folder, "-no-pie"))


def static(folder):
    return start(compile_c(folder, "-static"))


def static_pie(folder):
    return start(compile_c(folder, "-static-pie"))


def stripped(folder):
    tool("strip")
    path = compile_c(folder)
    run_tool("strip", path)
    return start(path)


def debug_link(folder):
    tool("objcopy", "strip")
    path = compile_c(folder, "-g")
    run_tool("objcopy", "--only-keep-debug", path, f"{path}.debug")
    run_tool("strip", path)
    run_tool("objcopy", f"--add-gnu-debuglink={path}.debug", path)
    return start(path)


def mini_debug_data(folder):
    tool("objcopy", "strip", "xz")
    path = compile_c(folder)
    run_tool("objcopy", "--only-keep-debug", path, f"{path}.mini")
    run_tool("xz", f"{path}.mini")
    run_tool("strip", path)
    run_tool("objcopy", "--add-section", f".gnu_debugdata={path}.mini.xz", path)
    return start(path)


def deleted(folder):
    path = compile_c(folder)
    load = start(path)
    os.unlink(path)
    return load


def replaced(folder):
    path = compile_c(folder)
    load = start(path)
    other = compile_c(folder, name="other", source=SPOT_C.replace("hot_burn", "wrong_name"))
    os.rename(other, path)
    return load


def copy_library_load(folder):
    for name in ("hotspots", "libhotspots.so"):
        shutil.copy(os.path.join(BUILD, "load", name), folder)
    return os.path.join(folder, "hotspots"), os.path.join(folder, "libhotspots.so")


def library_deleted(folder):
    program, library = copy_library_load(folder)
    load = start(program, "library")
    os.unlink(library)
    return load


def library_replaced(folder):
    program, library = copy_library_load(folder)
    load = start(program, "library")
    other = compile_c(folder, "-shared", "-fPIC", name="other.so",
                      source="#include <stdint.h>\nuint64_t wrong_name(uint64_t n)\n"
                             "{ while (n-- > 9) n ^= n << 3; return n; }\n")
    os.rename(other, library)
    return load


def library_truncated(folder):
    program, library = copy_library_load(folder)
    load = start(program, "library")
    with open(library, "rb") as file:
        half = file.read()[:2000]
    os.unlink(library)
    with open(library, "wb") as file:
        file.write(half)
    return load


def library_fifo(folder):
    program, library = copy_library_load(folder)
    load = start(program, "library")
    os.unlink(library)
    os.mkfifo(library)
    return load


def mount_namespace(folder):
    why = skip_reason.mounts()
    if why:
        raise Skip(why)
    path = compile_c(folder)
    return start("unshare", "--mount", "sh", "-ec",
                 'mkdir "$1/in"; mount -t tmpfs none "$1/in"; cp "$2" "$1/in/spot"; '
                 'exec "$1/in/spot"', "sh", folder, path)


def chroot(folder):
    if os.geteuid() != 0:
        raise Skip("only root changes the root")
    compile_c(folder, "-static")
    return start("chroot", folder, "/spot")


def pid_namespace(folder):
    why = skip_reason.mounts()
    if why:
        raise Skip(why)
    load = start("unshare", "--pid", "--fork", "--kill-child", compile_c(folder))
    return load


def other_user(folder):
    why = skip_reason.other_users()
    if why:
        raise Skip(why)
    return start(compile_c(folder), user=NOBODY, group=NOBODY, extra_groups=[])


def of_32_bits(folder):
    return start(compile_c(folder, "-m32", "-static"))


def cplusplus(folder):
    tool("g++")
    path = os.path.join(folder, "spot")
    run_tool("g++", "-O2", "-x", "c++", "-", "-o", path, input=SPOT_CC.encode())
    return start(path)


def rust(folder):
    tool("rustc")
    source, path = os.path.join(folder, "main.rs"), os.path.join(folder, "spot")
    with open(source, "w", encoding="utf-8") as file:
        file.write(SPOT_RS)
    try:
        run_tool("rustc", "-O", "-o", path, source)
    except subprocess.CalledProcessError as error:
        raise Skip("rustc does not build here") from error
    return start(path)


def go_language(folder):
    tool("go")
    source, path = os.path.join(folder, "main.go"), os.path.join(folder, "spot")
    with open(source, "w", encoding="utf-8") as file:
        file.write(SPOT_GO)
    try:
        run_tool("go", "build", "-o", path, source, env=dict(os.environ, GOCACHE=folder))
    except subprocess.CalledProcessError as error:
        raise Skip("go does not build here") from error
    return start(path)


NAMED, UNNAMED = r"hot_burn", r"spot\+0x[0-9a-f]+"
LIBRARY = r"library_burn"
LIBRARY_UNNAMED = r"library_burn|libhotspots\.so\+0x[0-9a-f]+"

# What is shown of the hottest function: its name, and whether it is of a module.
CASES = (
    ("position-independent", position_independent, NAMED, "spot"),
    ("not position-independent", not_position_independent, NAMED, "spot"),
    ("static", static, NAMED, "spot"),
    ("static and position-independent", static_pie, NAMED, "spot"),
    ("stripped: the place", stripped, UNNAMED, None),
    ("a debug file by its link", debug_link, NAMED, "spot"),
    (".gnu_debugdata", mini_debug_data, NAMED, "spot"),
    ("deleted while it runs", deleted, NAMED, "spot"),
    ("replaced by another build", replaced, NAMED, "spot"),
    ("a deleted library", library_deleted, LIBRARY_UNNAMED, None),
    ("a replaced library: not the other's name", library_replaced, LIBRARY_UNNAMED, None),
    ("a truncated copy in place of a library", library_truncated, LIBRARY_UNNAMED, None),
    ("a FIFO in place of a library", library_fifo, LIBRARY_UNNAMED, None),
    ("in a mount namespace", mount_namespace, NAMED, "spot"),
    ("in a chroot", chroot, NAMED, "spot"),
    ("in a pid namespace", pid_namespace, NAMED, "spot"),
    ("of another user", other_user, NAMED, "spot"),
    ("of 32 bits", of_32_bits, NAMED, "spot"),
    ("C++: demangled", cplusplus, r"spot::Burner<unsigned long>::burn(\(unsigned long\))?", "spot"),
    ("Rust: demangled", rust, r"spot::spot::hot_burn.*|main::spot::hot_burn.*", "spot"),
    ("Go", go_language, r"main\.hotBurn", "spot"),
)


def check_case(name, begin, function, module):
    with tempfile.TemporaryDirectory(prefix="code-") as folder:
        os.chmod(folder, 0o755)
        try:
            load = begin(folder)
        except Skip as why:
            skip(name, why)
            return
        began = time.monotonic()
        try:
            done = pmctop("--code", "--format", "json", "-p", str(load.pid))
        finally:
            load.kill()
            load.wait()
            load.stdout.close()
        took = time.monotonic() - began
        functions = functions_of(done.stdout) if done.stdout else []
        user = [f for f in functions if f["kind"] != "kernel"]
        # A place without a function has many addresses: those of the loop.
        by_name = collections.Counter()
        for f in user:
            by_name[f["name"]] += f["share"] or 0
        shown = sum(share for text, share in by_name.items() if re.fullmatch(function, text))
        wrong = [text for text in by_name if "wrong_name" in text]
        right = user and (module is None or user[0]["module"] == module)
        check(name, shown > 0.5 and right and not wrong and done.returncode == 0,
              (done.returncode, done.stderr[:200], by_name.most_common(4), user[:1], took))


def check_ordinary_user():
    """As an ordinary user at perf_event_paranoid 2: own threads, in user mode."""
    name = "an ordinary user: the functions of an own process"
    why = skip_reason.other_users()
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as file:
        paranoid = int(file.read())
    if not why and not 1 <= paranoid <= 2:
        why = f"perf_event_paranoid is {paranoid}"
    if why:
        skip(name, why)
        return
    user = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    load = start(HOTSPOTS, "split", **user)
    try:
        done = subprocess.run([PMCTOP, "-d", str(SECONDS), "-n", "1", "--code", "--format", "json",
                               "-p", str(load.pid)], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=False, timeout=PATIENCE_S, **user)
    finally:
        truth = json.loads(stop(load))
    functions = functions_of(done.stdout) if done.stdout else []
    samples = sum(f["samples"] for f in functions)
    for part in truth["parts"]:
        share, got = part["share"], self_share(functions, part["name"])
        low = share - 3 * error_of(share, samples) - kind_share(functions, "kernel")
        check(f"{name}: {part['name']}", low <= got <= share + 3 * error_of(share, samples),
              f"{got} of {samples} samples, truth {share}, {done.stderr[:200]}")
    event = "cpu-clock:u" if paranoid == 2 else "cpu-clock"
    check(f"{name}: the event", functions and list(functions[0]["events"]) == [event],
          functions[:1])


def main():
    if not os.path.exists(HOTSPOTS):
        skip_all("load/hotspots is missing")
    check_ordinary_user()
    why = skip_reason.system_wide(PMCTOP)
    if why:
        skip_all(why)
    for mode, stack in MODES:
        try:
            check_mode(mode, stack)
        except Skip as reason:
            skip(mode, reason)
    for case in CASES:
        check_case(*case)
    finish()


if __name__ == "__main__":
    main()
