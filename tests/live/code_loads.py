# SPDX-License-Identifier: MIT
"""Programs for tests of functions: files in every condition, of several languages.

A case starts a load in a folder of its own and returns it. It raises Skip without a tool or right.
"""
import collections
import contextlib
import json
import math
import os
import shutil
import signal
import subprocess
import tempfile

import skip_reason
from frames import for_all

BUILD = for_all(os.path.abspath(os.environ.get("BUILD", "build")))
PMCTOP = os.path.abspath(os.environ.get("PMCTOP", os.path.join(BUILD, "pmctop")))
HOTSPOTS = os.path.join(BUILD, "load", "hotspots")
SECONDS = float(os.environ.get("CODE_SECONDS", 5))
PATIENCE_S = 120
NOBODY = 65534

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


# Without a C library, which many machines do not have for 32 bits.
SPOT_32 = r"""
__attribute__((noinline)) unsigned hot_burn(unsigned n)
{
	unsigned x = n;
	while (n-- > 0) {
		x = x * 22695477u + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}
void _start(void)
{
	volatile unsigned sink = 0;
	int written;
	__asm__ volatile("int $0x80" : "=a"(written) : "a"(4), "b"(1), "c"("ready\n"), "d"(6) : "memory");
	for (;;)
		sink += hot_burn(1 << 20);
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


@contextlib.contextmanager
def running(begin):
    """The load of a case, in a folder that ends with it."""
    with tempfile.TemporaryDirectory(prefix="code-") as folder:
        os.chmod(folder, 0o755)
        load = begin(folder)
        try:
            yield load
        finally:
            load.kill()
            load.wait()
            load.stdout.close()
            with contextlib.suppress(FileNotFoundError):
                os.unlink(f"/tmp/perf-{load.pid}.map")


def functions_of(text):
    """The functions of the target in pmctop's JSON."""
    return json.loads(text.splitlines()[-1])["target"].get("functions", []) if text else []


def shares_by_name(functions):
    """Of user code. A place without a function has many addresses: those of the loop."""
    by_name = collections.Counter()
    for f in functions:
        if f["kind"] != "kernel":
            by_name[f["name"]] += f["share"] or 0
    return by_name


def self_share(functions, name):
    return sum(f["share"] or 0 for f in functions if f["name"] == name)


def kind_share(functions, kind):
    return sum(f["share"] or 0 for f in functions if f["kind"] == kind)


def error_of(share, samples):
    return math.sqrt(share * (1 - share) / samples) if samples else 1


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
    return start(compile_c(folder, "-m32", "-static", "-nostdlib", "-ffreestanding", "-no-pie",
                           "-fno-pie", source=SPOT_32))


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
