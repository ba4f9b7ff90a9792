#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pmctop on this kernel while strace makes its system calls fail: each kind of call, once or from
some call on, with its possible errors. pmctop continues as far as it can. If it ends early, it ends
with a documented status and prints the reason. Also on machines with hidden, empty or missing
/proc, /sys or cgroups.

    faults_test.py [all]    all: every case, which takes long (make sweep)

Prints TAP. BUILD is the build directory. Needs strace. Without root, checks that need it are
skipped.
"""
import concurrent.futures
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skip_reason  # noqa: E402
from frames import check, finish, skip  # noqa: E402
from programs import NOBODY, PMCTOP  # noqa: E402
from ptys import OnPty, is_sanitized  # noqa: E402

ALL = "all" in sys.argv[1:]
PATIENCE_S = 120
STORM = 50
# No configuration is read, and there is no home directory.
PLAIN = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "xterm-256color", "HOME": "/nowhere",
         **{name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}}
# A leak check cannot trace a process that strace traces.
PLAIN["ASAN_OPTIONS"] = PLAIN.get("ASAN_OPTIONS", "") + ":detect_leaks=0"

# Errors of the calls that pmctop makes, from their man pages. libc knows no error of brk().
ERRORS = {
    "perf_event_open": "EMFILE EACCES ENOMEM ENODEV EINVAL ENOENT EPERM ESRCH EBUSY ENOSPC ENOSYS",
    "mmap": "ENOMEM EPERM EAGAIN",
    "munmap": "EINVAL",
    "ioctl": "EINVAL ENOTTY EACCES EIO",
    "read": "EIO EINTR EACCES ENOMEM",
    "pread64": "EIO EINTR",
    "write": "ENOSPC EIO EPIPE EINTR",
    "openat": "EMFILE EACCES ENOENT ENFILE EIO",
    "close": "EIO EINTR",
    "newfstatat": "EACCES EIO ENOENT",
    "readlink": "EACCES EIO",
    "getdents64": "EIO ENOENT",
    "ppoll": "EINTR ENOMEM EINVAL",
    "poll": "EINTR ENOMEM",
    "epoll_wait": "EINTR",
    "eventfd2": "EMFILE ENOMEM",
    "pipe2": "EMFILE",
    "socket": "EMFILE EACCES",
    "clone3": "EAGAIN ENOMEM",
    "prctl": "EINVAL EPERM",
    "prlimit64": "EPERM EINVAL",
    "setpriority": "EACCES EPERM",
    "getpriority": "ESRCH",
    "rt_sigaction": "EINVAL",
    "flock": "EWOULDBLOCK ENOLCK",
    "lseek": "ESPIPE",
    "capset": "EPERM",
    "pidfd_open": "EMFILE ENOSYS",
    "kill": "EPERM",
}
# A sanitizer maps memory itself, and reads its options in /proc.
SANITIZED = is_sanitized(PMCTOP)
if SANITIZED:
    ERRORS = {call: errors for call, errors in ERRORS.items() if call not in ("mmap", "munmap")}
COUNTED = re.compile(r"^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)(?:\s+\d+)?\s+(\w+)$")
SANITIZER = re.compile(r"Sanitizer|runtime error:")


class Scene:
    """A way to start pmctop. `begin` is the number of calls of each kind before main()."""

    def __init__(self, name, arguments, statuses=(0, 1, 2, 3)):
        self.name, self.arguments, self.statuses = name, arguments, statuses
        self.calls = {}

    def measure(self, begin):
        self.begin = begin
        self.calls = count_calls(self.arguments)


def strace(log, *options):
    return ["strace", "-f", "-q", "--seccomp-bpf", "-o", log, *options]


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, errors="replace",
                          timeout=PATIENCE_S, stdin=subprocess.DEVNULL, env=PLAIN, **options)


def count_calls(arguments):
    """{call: how many of it} of a run without faults."""
    with tempfile.NamedTemporaryFile("r", prefix="strace-") as log:
        run(["strace", "-f", "-q", "-c", "-o", log.name, PMCTOP, *arguments])
        rows = map(COUNTED.match, log.read().splitlines())
        return {row[2]: int(row[1]) for row in rows if row}


def verdict(status, stderr, statuses, call, error, doctor=False):
    """A description of a wrong end, or "" for a correct one."""
    if SANITIZER.search(stderr):
        return stderr
    if status < 0 or status >= 128:
        # Without memory pmctop restores the terminal and calls abort().
        number = -status if status < 0 else status - 128
        memory = error in ("ENOMEM", "EAGAIN", "EPERM") and call == "mmap"
        if number == signal.SIGABRT and memory and "memory" in stderr:
            return ""
        return f"killed by signal {number}: {stderr}"
    if status not in statuses:
        return f"status {status}: {stderr}"
    # If write() fails, no reason can be printed. The doctor prints on its page that nothing can be
    # counted.
    if status and call != "write" and not doctor and not re.search(r"^pmctop: \S.{6,}", stderr, re.M):
        return f"status {status} without a message: {stderr!r}"
    return ""


def fail_in_batch(scene, call, error, when):
    command = strace("/dev/null", "-e", f"trace={call}", "-e",
                     f"inject={call}:error={error}:when={when}", PMCTOP, *scene.arguments)
    try:
        done = run(command)
    except subprocess.TimeoutExpired:
        return "it does not end"
    return verdict(done.returncode, done.stderr, scene.statuses, call, error,
                   "--doctor" in scene.arguments and done.stdout)


def faults_of(scene):
    """(call, error, when) of the faults of a scene: from the first call in main() on, from the
    middle on, and single calls. Without `all`, one or two for each kind of call."""
    for index, (call, errors) in enumerate(sorted(ERRORS.items())):
        begin, calls = scene.begin.get(call, 0), scene.calls.get(call, 0)
        if calls <= begin:
            continue
        errors = errors.split()
        middle = (begin + calls) // 2 + 1
        places = [f"{begin + 1}+", f"{middle}+", f"{begin + 1}", f"{middle}", f"{calls}"]
        if not ALL:
            places = [places[index % 2]]
            errors = [errors[index % len(errors)]] if index % 3 else errors[:1]
        else:
            step = max(1, (calls - begin) // 24)
            places += [str(k) for k in range(begin + 1, calls + 1, step)]
        for place in dict.fromkeys(places):
            for error in errors:
                # Signals come in bursts: an interrupted call is repeated.
                if error == "EINTR" and place.endswith("+"):
                    first = int(place[:-1])
                    yield call, error, f"{first}..{first + STORM}"
                else:
                    yield call, error, place


def sweep_batch(scenes):
    tried = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for scene in scenes:
            faults = list(faults_of(scene))
            ends = list(pool.map(lambda fault, scene=scene: fail_in_batch(scene, *fault), faults))
            tried += len(faults)
            bad = [(fault, end) for fault, end in zip(faults, ends) if end]
            check(f"{scene.name}: {len(scene.calls)} kinds of calls fail, and it continues or ends well",
                  faults and not bad, bad)
    print(f"# {tried} runs with calls that failed", flush=True)


# The first ioctl() of the thread are those of isatty(): if they fail, pmctop prints until a signal.
LIVE_FAULTS = [("perf_event_open", "EMFILE", "9+"), ("read", "EIO", "120+"),
               ("ppoll", "EINTR", "3..40"), ("ioctl", "EINVAL", "30+"),
               ("openat", "EMFILE", "60+"), ("write", "EAGAIN", "8..12")]


def fail_on_terminal(call, error, when):
    """Starts it, waits until it draws or ends, and quits it. Returns what is wrong, or ""."""
    term = OnPty([*strace("/dev/null", "-e", f"trace={call}", "-e",
                          f"inject={call}:error={error}:when={when}"), PMCTOP, "-d", "0.2"],
                 **PLAIN)
    try:
        term.read_until(lambda: term.output.count(b"\033[") > 40 or term.process.poll() is not None,
                        PATIENCE_S)
        if term.process.poll() is None:
            term.read_for(0.5)
            # A terminal that cannot be switched to single keys delivers whole lines.
            term.write(b"q\n")
        status = term.wait(PATIENCE_S)
        if status is None:
            return "it does not end"
        if not term.settings_are_back():
            return "the terminal is not as it was"
        stderr = term.process.stderr.read().decode(errors="replace")
        text = stderr + term.output.decode(errors="replace")
        return verdict(status, text.replace("\r", "\n"), (0, 1, 3), call, error)
    finally:
        term.close()


def sweep_terminal():
    faults = LIVE_FAULTS if ALL else LIVE_FAULTS[:3]
    bad = [(fault, end) for fault in faults if (end := fail_on_terminal(*fault))]
    check(f"on a terminal: {len(faults)} faults, and it continues or prints why not", not bad, bad)


# (name, preparation in a mount namespace, uid or None, text of the message, possible statuses)
STRANGE = [
    ("no /proc", "umount -l /proc", None, "/proc is empty. Mount it", (3,)),
    ("no /sys", "mount -t tmpfs none /sys", None, "mount -t sysfs sysfs /sys", (0, 3)),
    ("an empty /sys/devices", "mount -t tmpfs none /sys/devices", None, "", (0, 3)),
    ("no cgroups", "mount -t tmpfs none /sys/fs/cgroup", None, "", (0,)),
    ("no tracefs", "mount -t tmpfs none /sys/kernel/tracing 2>/dev/null || true", None, "", (0,)),
    ("a read-only /sys", "mount -t tmpfs none /tmp && mount -o remount,bind,ro /sys", None, "",
     (0,)),
    ("hidepid=2", "mount -t proc -o hidepid=2 proc /proc", NOBODY,
     "/proc hides other users' processes", (0, 3)),
    ("hidepid=2 for root", "mount -t proc -o hidepid=2 proc /proc", None, "", (0,)),
    ("an empty /proc/stat", "mount --bind /dev/null /proc/stat", None, "", (0,)),
    ("an empty /proc/mounts", "mount --bind /dev/null /proc/self/mounts", None, "", (0,)),
    ("an empty /proc/cpuinfo", "mount --bind /dev/null /proc/cpuinfo", None, "", (0,)),
]


def run_strangely(before, user, program, *arguments):
    prefix = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"] if user else []
    return run(["unshare", "-m", "sh", "-c", before + ' && exec "$@"', "sh", *prefix, program,
                *arguments])


def check_strange(name, before, user, words, statuses):
    directory = tempfile.mkdtemp(prefix="faults-", dir="/var/tmp")
    try:
        program = shutil.copy(PMCTOP, directory)
        os.chmod(directory, 0o755)
        for arguments in (["-b", "-n", "2", "-d", "0.2"], ["--doctor"], ["--list", "events"]):
            done = run_strangely(before, user, program, *arguments)
            what = f"{name}: {' '.join(arguments)}"
            if "mount:" in done.stderr or "umount:" in done.stderr:
                skip(what, "not possible here")
                continue
            wrong = verdict(done.returncode, done.stderr,
                            statuses if arguments[0] == "-b" else (0, 3), "", "",
                            arguments[0] == "--doctor" and done.stdout)
            check(f"{what} ends well", not wrong, wrong)
            if arguments[0] == "-b" and words:
                check(f"{what} prints '{words}'", words in done.stderr + done.stdout,
                      (done.stderr, done.stdout[:300]))
    finally:
        shutil.rmtree(directory)


def main():
    with tempfile.TemporaryDirectory(prefix="faults-") as directory:
        recording = os.path.join(directory, "given.data")
        batch = ["-b", "-n", "2", "-d", "0.2"]
        run([PMCTOP, *batch, "--record", recording])
        scenes = [
            Scene("batch", batch),
            Scene("a process", [*batch, "-p", str(os.getpid())]),
            Scene("functions", [*batch, "--code"]),
            Scene("recording", [*batch, "--record", os.path.join(directory, "new.data")]),
            Scene("replay", ["-b", "--replay", recording, "--speed", "max"]),
            Scene("a server", [*batch, "--listen", ":0"]),
            Scene("the doctor", ["--doctor"]),
            Scene("the list", ["--list", "events"]),
        ]
        if shutil.which("strace") is None or run(strace("/dev/null", "true")).returncode != 0:
            skip("calls that fail", "strace cannot be used here")
        else:
            begin = count_calls(["--version"])
            for scene in scenes:
                scene.measure(begin)
            sweep_batch(scenes)
            sweep_terminal()
        if why := skip_reason.mounts():
            skip("strange machines", why)
        else:
            for row in STRANGE:
                if SANITIZED and row[0] == "no /proc":
                    skip(row[0], "a sanitizer needs /proc")
                else:
                    check_strange(*row)
    finish()


if __name__ == "__main__":
    main()
