#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes recordings with the perfs of several suites of Debian, into build/profiles/made/.

    tests/profiles/make.py [--suites LIST] [--out DIR] [KIND...]

The packages of each suite are unpacked into build/profiles/perf/SUITE, and its perf runs with its
own libraries: nothing is installed. "installed" is the perf of this machine. The recorded programs
are those of build/load. Needs root, the network and `make loads`.

A KIND is a line of KINDS. Each is a file SUITE-KIND.data; with a pipe, also SUITE-KIND.pipe.data.
What a perf or this kernel refuses is printed and left out. Files above 5 MB are removed.
build/profiles/symbols has those of the kernel and of just-in-time compiled code, a --symfs.
"""
import argparse
import contextlib
import dataclasses
import glob
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "../.."))
BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build"))
LOAD = os.path.join(BUILD, "load")
MIRROR = "http://deb.debian.org/debian"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
SUITES = ("bullseye", "installed", "trixie", "sid")
SIZE_MOST = 5_000_000
PATIENCE_S = 120
SECONDS = "1"

APT_CONF = """
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Retries "3";
Dir::State "{0}/state";
Dir::State::Lists "{0}/state/lists";
Dir::State::status "{0}/state/status";
Dir::Cache "{0}/cache";
Dir::Etc::SourceList "{0}/list";
Dir::Etc::SourceParts "/dev/null";
"""


class Refused(Exception):
    pass


@dataclasses.dataclass
class Kind:
    options: str               # of perf record
    load: str = ""             # the recorded command; empty: `sleep` beside the machine's loads
    pipe: bool = False         # also as a pipe
    folder: bool = False       # perf writes a folder, or several files into one
    attach: str = ""           # a load that runs already, by -p


CLOCK = "-F 997 -e cpu-clock"
SPLIT = "hotspots split " + SECONDS
FAULTS = "hotspots faults " + SECONDS
KINDS = {
    "file": Kind(CLOCK, SPLIT, pipe=True),
    "chain": Kind(CLOCK + " -g", "hotspots recursive " + SECONDS, pipe=True),
    "dwarf": Kind("-F 199 -e cpu-clock --call-graph dwarf,4096", SPLIT, pipe=True),
    "zstd": Kind(CLOCK + " -g -z", SPLIT, pipe=True),
    "zstd-machine": Kind(CLOCK + " -g -z -a", pipe=True),
    "multi": Kind("-F 997 -e cpu-clock,page-faults,context-switches", FAULTS, pipe=True),
    "multi-chain": Kind("-F 997 -g -e task-clock -e page-faults", FAULTS, pipe=True),
    "group": Kind("-F 997 -e {cpu-clock,page-faults}", FAULTS, pipe=True),
    "group-leader": Kind("-F 997 -e {cpu-clock,page-faults}:S", FAULTS, pipe=True),
    "same-event": Kind("-F 997 -e cpu-clock:u -e cpu-clock:k", FAULTS),
    "count": Kind("-e task-clock -c 2000003", SPLIT, pipe=True),
    "every-fault": Kind("-e page-faults -c 1 -d", "hotspots faults 0.1"),
    "user": Kind(CLOCK + ":u", SPLIT),
    "kernel": Kind(CLOCK, "hotspots kernel " + SECONDS),
    "library": Kind(CLOCK + " -g", "hotspots library " + SECONDS),
    "jit": Kind(CLOCK + " -g", "hotspots jit " + SECONDS, pipe=True),
    "exec": Kind(CLOCK, "sh -c 'hotspots split 0.4; exec hotspots recursive 0.4'", pipe=True),
    "fork": Kind(CLOCK, "swarm 300 2", pipe=True),
    "tree": Kind(CLOCK + " -g", "tree 300000"),
    "machine": Kind(CLOCK + " -g -a", pipe=True),
    "machine-flat": Kind("-F 499 -e cpu-clock,page-faults -a"),
    "attached": Kind(CLOCK + " -g", attach="hotspots split", pipe=True),
    "no-inherit": Kind(CLOCK + " -i", SPLIT),
    "per-thread": Kind(CLOCK + " --per-thread", SPLIT),
    "no-time": Kind(CLOCK + " --no-timestamp", SPLIT, pipe=True),
    "no-build-ids": Kind(CLOCK + " -B", SPLIT, pipe=True),
    "all-build-ids": Kind(CLOCK + " --buildid-all", SPLIT),
    "mmap-build-ids": Kind(CLOCK + " -g --buildid-mmap", SPLIT, pipe=True),
    "sample-cpu": Kind(CLOCK + " --sample-cpu", SPLIT),
    "identifier": Kind(CLOCK + " --sample-identifier", SPLIT),
    "registers": Kind(CLOCK + " --user-regs=ip,sp,bp", SPLIT),
    "addresses": Kind(CLOCK + " -d --phys-data -W", SPLIT),
    "page-sizes": Kind(CLOCK + " -d --code-page-size --data-page-size", SPLIT),
    "reads": Kind(CLOCK + " -s -n", SPLIT),
    "counts-too": Kind(CLOCK + " -s -T", SPLIT),
    "monotonic": Kind(CLOCK + " -k CLOCK_MONOTONIC", SPLIT),
    "cgroups": Kind(CLOCK + " -a --all-cgroups", pipe=True),
    "namespaces": Kind(CLOCK + " --namespaces", "unshare --mount --uts " + SPLIT, pipe=True),
    "tail": Kind(CLOCK + " -a --tail-synthesize"),
    "switches": Kind(CLOCK + " --switch-events", "hotspots split 0.5"),
    "bpf": Kind(CLOCK + " -g -a", "bpf_load.py", pipe=True),
    "overwrite": Kind(CLOCK + " -a --overwrite"),
    "switch-output": Kind(CLOCK + " -g --switch-output=1s", "hotspots split 3.5", folder=True),
    "threads": Kind(CLOCK + " -g -a --threads", folder=True),
    "off-cpu": Kind(CLOCK + " --off-cpu", "hotspots split 0.5"),
    "tracepoint": Kind("-e sched:sched_switch -a -R -g", "hotspots split 0.2"),
}
BESIDE = ("hotspots split", "server", "faults", "swarm -r 100 1000000 3", "mutex")


def run(*command, **how):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False,
                          timeout=900, **how)
    if done.returncode:
        raise Refused(f"{' '.join(command[:4])}: {done.stderr.strip()[-200:]}")
    return done.stdout


def download(suite, out):
    """Unpacks linux-perf and what it depends on."""
    with tempfile.TemporaryDirectory() as apt:
        for folder in ("state/lists/partial", "cache/archives/partial"):
            os.makedirs(os.path.join(apt, folder))
        for name, text in (("state/status", ""), ("conf", APT_CONF.format(apt)),
                           ("list", f"deb [signed-by={KEYRING}] {MIRROR} {suite} main\n")):
            with open(os.path.join(apt, name), "w", encoding="ascii") as file:
                file.write(text)
        options = ("-q", "-q", "-y", "-c", os.path.join(apt, "conf"))
        run("apt-get", *options, "update")
        run("apt-get", *options, "--no-install-recommends", "--download-only", "-o",
            "Debug::NoLocking=1", "install", "linux-perf")
        shutil.rmtree(out + ".new", ignore_errors=True)
        os.makedirs(out + ".new")
        for package in glob.glob(os.path.join(apt, "cache/archives/*.deb")):
            with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package],
                                  stdout=subprocess.PIPE) as files:
                run("tar", "-xf", "-", "-C", out + ".new", "--keep-directory-symlink",
                    stdin=files.stdout)
        os.rename(out + ".new", out)


def first_file(out, *patterns):
    for pattern in patterns:
        for path in sorted(glob.glob(os.path.join(out, pattern))):
            if os.path.isfile(path):
                return path
    raise Refused(f"{out} has no {patterns[0]}")


def perf_of(suite):
    """The command that runs the perf of a suite."""
    if suite == "installed":
        return ["perf"]
    out = os.path.join(BUILD, "profiles/perf", suite)
    if not os.path.isdir(out):
        download(suite, out)
    folders = [os.path.join(out, folder) for folder in ("usr/lib/x86_64-linux-gnu",
                                                        "lib/x86_64-linux-gnu")]
    # Links of a suite may be absolute.
    loader = first_file(out, "usr/lib64/ld-*.so.*", "usr/lib/x86_64-linux-gnu/ld-linux-*.so.*",
                        "lib/x86_64-linux-gnu/ld-*.so*")
    return [loader, "--library-path", ":".join(folders),
            first_file(out, "usr/bin/perf_*", "usr/bin/perf")]


def words_of(text):
    """The command of a load, with its path."""
    words = shlex.split(text)
    for folder in (LOAD, HERE):
        path = os.path.join(folder, words[0])
        # perf puts its own folder in front of PATH: there may be another python3.
        if os.path.exists(path):
            return [*([sys.executable] if path.endswith(".py") else []), path, *words[1:]]
    return words


@contextlib.contextmanager
def started(loads):
    running = [subprocess.Popen(words_of(load), stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                start_new_session=True) for load in loads]
    try:
        if running:
            time.sleep(0.5)
        yield [load.pid for load in running]
    finally:
        for load in running:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(load.pid, signal.SIGKILL)
            load.wait()


def keep_jit_map(before):
    """The load removes its map when it ends, and perf report reads it from there."""
    for path in set(glob.glob("/tmp/perf-*.map")) - before:
        with contextlib.suppress(FileNotFoundError):
            shutil.copy(path, path + ".kept")


def record(perf, kind, path, pipe):
    loads = (kind.attach,) if kind.attach else () if kind.load else BESIDE
    maps = set(glob.glob("/tmp/perf-*.map"))
    with started(loads) as pids:
        command = [*perf, "record", "-q", *(["-N"] if "-B" not in kind.options.split() else []),
                   *kind.options.split(), "-o", "-" if pipe else path]
        if kind.attach:
            command += ["-p", str(pids[0])]
        command += ["--", *(words_of(kind.load) if kind.load else ["sleep", SECONDS])]
        environment = {**os.environ, "PATH": f"{LOAD}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
        with open(path if pipe else os.devnull, "wb") as out, tempfile.TemporaryFile() as errors:
            with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=errors,
                                  env=environment) as process:
                end = time.monotonic() + PATIENCE_S
                while process.poll() is None:
                    if time.monotonic() > end:
                        process.kill()
                        raise Refused("took too long")
                    keep_jit_map(maps)
                    time.sleep(0.05)
            errors.seek(0)
            text = errors.read().decode(errors="replace").strip()
    for kept in glob.glob("/tmp/perf-*.map.kept"):
        os.replace(kept, kept.removesuffix(".kept"))
    if process.returncode:
        raise Refused(f"status {process.returncode}: {' '.join(text.split())[:160]}")


def size_of(path):
    if not os.path.isdir(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(file) for file in glob.glob(path + "/*") if os.path.isfile(file))


def remove(path):
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.exists(path):
        os.unlink(path)


def make(perf, suite, name, out):
    kind, made = KINDS[name], 0
    for pipe in (False, True) if kind.pipe else (False,):
        path = os.path.join(out, f"{suite}-{name}{'.pipe' if pipe else ''}.data")
        remove(path)
        try:
            if kind.folder and "--threads" not in kind.options:
                os.mkdir(path)
                record(perf, kind, os.path.join(path, "perf.data"), pipe)
            else:
                record(perf, kind, path, pipe)
            if not size_of(path):
                raise Refused("an empty file")
            if size_of(path) > SIZE_MOST:
                raise Refused(f"{size_of(path)} bytes")
            made += 1
        except (Refused, OSError) as why:
            remove(path)
            print(f"{os.path.basename(path)}: {why}", file=sys.stderr)
    return made


def save_symbols(out):
    """A --symfs with the symbols of this kernel and of memory."""
    os.makedirs(os.path.join(out, "tmp"), exist_ok=True)
    with open("/proc/kallsyms", "rb") as symbols:
        with open(os.path.join(out, "kallsyms"), "wb") as file:
            file.write(symbols.read())
    for path in glob.glob("/tmp/perf-*.map"):
        shutil.copy(path, os.path.join(out, "tmp"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--suites", default=",".join(SUITES))
    parser.add_argument("--out", default=os.path.join(BUILD, "profiles/made"))
    parser.add_argument("kind", nargs="*", choices=[[], *KINDS])
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    made = 0
    for suite in args.suites.split(","):
        try:
            perf = perf_of(suite)
            version = run(*perf, "--version").strip()
        except (Refused, OSError) as why:
            print(f"{suite}: {why}", file=sys.stderr)
            continue
        mine = sum(make(perf, suite, name, args.out) for name in args.kind or KINDS)
        print(f"{suite}: {version}: {mine} recordings", flush=True)
        made += mine
    save_symbols(os.path.join(BUILD, "profiles/symbols"))
    return 0 if made else 1


if __name__ == "__main__":
    sys.exit(main())
