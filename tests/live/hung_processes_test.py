#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tests/run: alone, at most 600 s. It measures how fast the program ends.
"""Processes for which /proc does not answer: one that execs while a file system does not answer
FLUSH of a file that the exec closes ("exec"), and one with a thread that waits in mmap(2) for a
page that a READ has locked ("map"). The file system is a FUSE server (fuse_server.py).

Whatever holds such a process, refreshes go on, a note names it, other rows have figures, and q and
signals end the program. When the hang ends, the note goes and the facts come.

    hung_processes_test.py [REGEX]...     runs the rows whose names match one of these

Each row runs in a pid namespace of its own, so no other program of the machine reads the files of
these processes. Nor does this script: it reads status and the list of children.

Prints TAP, and how long each ending took. BUILD is the build directory, PMCTOP another program.
Needs root, /dev/fuse, a compiler and the right to count system-wide.
"""
import collections
import contextlib
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import fuse_server  # noqa: E402
import skip_reason  # noqa: E402
import terminals  # noqa: E402
from programs import NOBODY  # noqa: E402

PMCTOP = os.path.abspath(os.environ.get("PMCTOP", terminals.PMCTOP))
KINDS = {"exec": {"exec": 1}, "map": {"map": 1}, "12 processes": {"exec": 6, "map": 6}}
OPS = {"exec": "FLUSH", "map": "READ"}
END_S = 3  # the program ends within 1 s; the rest is for the machine
REACH_S = 15
REFRESHES, REFRESHES_S = 3, 20
COMES_S = 30
BATCH_REFRESHES, BATCH_S = 4, 60
CYCLES, FIRST_CYCLES = 50, 10  # the first ones show what it has in use
ROW = "--row"  # what the script calls itself with
JOBS = 3  # at once: they mostly wait
CLOCK = r"\d\d:\d\d:\d\d"
TABLE = "^ +PID .*COMMAND"
DETAILS = r"^pmctop .* process \d+ hung-"
NOTE = r"/proc does not answer for"
REFUSED = r"/proc does not answer for process"
ENDINGS = {"SIGTERM": signal.SIGTERM, "SIGINT": signal.SIGINT, "SIGHUP": signal.SIGHUP}
NAMES = {"exec": "hung-exec", "map": "hung-map"}
SHARED = {}

# PROGRAM exec|map FILE: goes on one step for each line of its input.
HUNG_C = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>
static int first;
static void *read_page(void *arg)
{
	char text[16];
	(void)arg;
	if (pread(first, text, sizeof(text), 0) < 0)
		perror("pread");
	pause();
	return NULL;
}
static void *map_file(void *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	pause();
	return NULL;
}
static void step(const char *word)
{
	char line[16];
	printf("%s\n", word);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		exit(1);
}
int main(int argc, char **argv)
{
	pthread_t thread;
	(void)argc;
	first = open(argv[2], O_RDONLY | O_CLOEXEC);
	prctl(PR_SET_NAME, strcmp(argv[1], "exec") ? "hung-map" : "hung-exec");
	step("ready");
	if (!strcmp(argv[1], "exec")) {
		execl("/bin/sleep", "sleep", "1000", (char *)NULL);
		return 1;
	}
	pthread_create(&thread, NULL, read_page, NULL);
	step("reading");
	pthread_create(&thread, NULL, map_file, argv[2]);
	for (;;)
		pause();
}
"""

Row = collections.namedtuple("Row", "name run arguments")


def threads_in_d(pid):
    """How many threads of a process are in D, from files that always answer. One that waits for the
    server itself is in S."""
    found = 0
    with contextlib.suppress(OSError):
        for tid in os.listdir(f"/proc/{pid}/task"):
            state = fuse_server.status_of(f"{pid}/task/{tid}").get("State", "")
            found += state.startswith("D")
    return found


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(child) for child in file.read().split()]


class Hung:
    """A process that hangs after begin()."""

    def __init__(self, kind, mount, name):
        with open(os.path.join(mount.folder, name), "w", encoding="ascii") as file:
            file.write("x" * 8192)
        self.kind = kind
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", SHARED["hung"], kind,
             os.path.join(mount.point, name)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.pid = self.process.pid
        self.process.stdout.readline()

    def step(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def wait(self, threads):
        terminals.wait_until(f"{threads} threads of {self.pid} in D",
                             lambda: threads_in_d(self.pid) == threads, REACH_S)

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


class Mount:
    """Processes of one kind, and the files for which they wait."""

    def __init__(self, kind, count):
        self.kind = kind
        self.files = fuse_server.MountedFiles(tempfile.mkdtemp(prefix="pmctop-hung-"))
        self.hung = [Hung(kind, self.files, f"file{i}") for i in range(count)]

    def begin(self):
        self.files.tell(f"hang {OPS[self.kind]}")
        for hung in self.hung:
            hung.step()
        for hung in self.hung:
            terminals.wait_until(f"a request of {hung.pid}",
                                 lambda pid=hung.pid: self.files.hung(pid), REACH_S)
        if self.kind == "map":
            self.files.tell("seen")
            for hung in self.hung:
                hung.step()
            for hung in self.hung:
                hung.wait(1)

    def release(self):
        if why := self.files.abort():
            raise terminals.Failure(why)
        for hung in self.hung:
            hung.wait(0)

    def close(self):
        self.files.abort()
        for hung in self.hung:
            hung.end()
        self.files.close()


class Scene:
    """Hung processes, and pmctop. Everything ends with it."""

    def __init__(self, name, kind, begins=True):
        self.name = name
        self.terminal, self.pid, self.pidfd, self.process = None, None, None, None
        self.remarks = []
        self.mounts = []
        try:
            for each, count in KINDS[kind].items():
                self.mounts.append(Mount(each, count))
            if begins:
                self.begin()
        except BaseException:
            self.close()
            raise
        self.hung = [hung for mount in self.mounts for hung in mount.hung]
        self.target = self.hung[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
        if self.remarks:
            print(f"# {self.name}: {'; '.join(self.remarks)}\n", end="", flush=True)

    def close(self):
        for mount in self.mounts:
            mount.files.abort()
        if self.pidfd is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)
            os.close(self.pidfd)
        if self.process:
            self.process.wait()
            self.process.stdout.close()
        if self.terminal:
            self.terminal.close()
        for mount in self.mounts:
            mount.close()

    def begin(self):
        for mount in self.mounts:
            mount.begin()

    def release(self):
        for mount in self.mounts:
            mount.release()

    # The terminal

    def start(self, arguments):
        self.terminal = terminals.Terminal(width=220, height=40)
        self.terminal.line(f"clear; {PMCTOP} {arguments}; echo rc=$?")
        self.terminal.wait_for(TABLE, COMES_S)
        self.pid = children(self.terminal.shell_pid)[0]
        self.pidfd = os.pidfd_open(self.pid)

    def watch(self):
        """Refreshes go on."""
        seen = []

        def enough():
            match = re.search(CLOCK, self.terminal.screen())
            if match and match.group() not in seen:
                seen.append(match.group())
            return len(seen) > REFRESHES

        try:
            terminals.wait_until("refreshes", enough, REFRESHES_S)
        except terminals.Failure:
            raise terminals.Failure(f"{max(len(seen) - 1, 0)} refreshes in {REFRESHES_S} s; the "
                                    f"screen:\n{self.terminal.screen()}") from None

    def targets(self):
        return "-p " + ",".join(str(pid) for pid in [SHARED["busy"].pid,
                                                     *(hung.pid for hung in self.hung)])

    def is_silent(self, options):
        """Whether figures need a file that does not answer: with "map" the command line alone."""
        return self.target.kind == "exec" or "-c" in options

    def check_screen(self, options="-c"):
        """Refreshes, the note, and figures of the busy program."""
        self.watch()
        if self.is_silent(options):
            self.terminal.wait_for(NOTE, COMES_S)
        self.terminal.wait_for(rf"^ *{SHARED['busy'].pid} .*[1-9].*\bspin\b", COMES_S)

    def wait_for_end(self, what):
        began = time.monotonic()
        poll = select.poll()
        poll.register(self.pidfd, select.POLLIN)
        if not poll.poll(END_S * 1000):
            raise terminals.Failure(f"{what} did not end it in {END_S} s")
        self.remarks.append(f"{what} took {time.monotonic() - began:.2f} s")

    def end(self, ending):
        if ending == "q":
            self.terminal.keys("q")
        else:
            signal.pidfd_send_signal(self.pidfd, ENDINGS[ending])
        self.wait_for_end(ending)
        self.terminal.wait_for(r"^rc=\d+$|^shell>", END_S)

    def select(self):
        """Moves to the row of a hung process."""
        name = NAMES[self.target.kind]
        self.terminal.keys("/")
        self.terminal.wait_for("Search:")
        self.terminal.text(name)
        self.terminal.wait_for(f"Search: {name}")
        self.terminal.keys("Enter")
        self.terminal.wait_for_no("Search:")

    # Without a terminal

    def launch(self, arguments, prefix=()):
        self.process = subprocess.Popen([*prefix, PMCTOP, *arguments], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        text=True)
        self.pid = self.process.pid
        self.pidfd = os.pidfd_open(self.pid)

    def output(self, patience_s=BATCH_S):
        """What the program prints to its end."""
        try:
            output, _ = self.process.communicate(timeout=patience_s)
        except subprocess.TimeoutExpired:
            raise terminals.Failure(f"it did not end in {patience_s} s") from None
        if self.process.returncode:
            raise terminals.Failure(f"status {self.process.returncode}: {output[-600:]}")
        return output


def frames_of(output):
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]


def check(condition, what):
    if not condition:
        raise terminals.Failure(what)


def is_noted(frame):
    return any(NOTE in note for note in frame["notes"])


def has_figures(frame):
    return any(task["comm"] == "spin" and task["events"].get("task-clock")
               for task in frame["tasks"])


# The terminal


def on_screen(name, kind, options, ending):
    with Scene(name, kind) as scene:
        scene.start(options)
        scene.check_screen(options.split())
        scene.end(ending)


def begins_later(name, kind, ending):
    with Scene(name, kind, begins=False) as scene:
        scene.start(f"-i -c {scene.targets()}")
        scene.begin()
        # What reads its files
        scene.select()
        scene.terminal.keys("Enter")
        scene.terminal.wait_for(DETAILS, COMES_S)
        scene.terminal.leave_page(DETAILS)
        scene.check_screen()
        scene.end(ending)


def keys(name, kind):
    """What needs the files of the process says so."""
    with Scene(name, kind) as scene:
        scene.start(f"-i -c {scene.targets()}")
        scene.terminal.wait_for(rf"^ *{scene.target.pid} ", COMES_S)
        refusals = [["F8"], ["F7"]] if scene.target.kind == "exec" else []
        if refusals:
            scene.select()
            scene.terminal.keys("k")
            scene.terminal.wait_for(REFUSED, COMES_S)
        for pressed in refusals:
            scene.terminal.keys(*pressed)
            scene.terminal.wait_for(REFUSED, COMES_S)
        scene.terminal.keys("L")
        scene.terminal.wait_for("^FIRST +LAST +TIMES +MESSAGE")
        check("has ended" not in scene.terminal.screen(),
              "a living process has ended:\n" + scene.terminal.screen())
        scene.terminal.leave_page("^FIRST +LAST +TIMES +MESSAGE")
        scene.check_screen()
        scene.end("q")


def pages(name, kind):
    """Each page with the process selected, and back."""
    with Scene(name, kind) as scene:
        scene.start(f"-i -c {scene.targets()}")
        scene.terminal.wait_for(rf"^ *{scene.target.pid} ", COMES_S)
        scene.select()
        scene.terminal.keys("Enter")
        scene.terminal.wait_for(DETAILS, COMES_S)
        scene.terminal.wait_for("^run .* sleep ", COMES_S)
        scene.terminal.leave_page(DETAILS)
        scene.terminal.keys("w")
        scene.terminal.wait_for("w All|w Row", COMES_S)
        scene.terminal.leave_page("w All|w Row")
        scene.terminal.wait_for(TABLE)
        scene.terminal.keys("H")
        scene.check_screen()
        scene.end("q")


def stopped_and_continued(name, kind):
    with Scene(name, kind) as scene:
        scene.launch(["--format", "json", "-d", "0.5", "-i", "-c", "-n", str(3 * BATCH_REFRESHES)])
        frames = [json.loads(scene.process.stdout.readline())]
        for _ in range(3):
            frames.append(json.loads(scene.process.stdout.readline()))
            signal.pidfd_send_signal(scene.pidfd, signal.SIGSTOP)
            terminals.wait_until("the stop", lambda: fuse_server.status_of(scene.pid).get(
                "State", "").startswith("T"), REACH_S)
            signal.pidfd_send_signal(scene.pidfd, signal.SIGCONT)
        frames += frames_of(scene.output())
        check(len(frames) == 3 * BATCH_REFRESHES, f"{len(frames)} refreshes")
        check(is_noted(frames[-1]) and has_figures(frames[-1]),
              f"{frames[-1]['notes']}, {frames[-1]['tasks']}")


def ends(name, kind):
    """The hang ends: the note goes, and the command lines come."""
    with Scene(name, kind) as scene:
        scene.start(f"-i -c {scene.targets()}")
        scene.check_screen()
        scene.release()
        scene.terminal.wait_for_no(NOTE, COMES_S)
        for hung in scene.hung:
            line = "sleep 1000" if hung.kind == "exec" else rf"{SHARED['hung']} map"
            scene.terminal.wait_for(rf"^ *{hung.pid} .*{line}", COMES_S)
        scene.end("q")


# Without a terminal


def batch_text(name, kind, *options):
    with Scene(name, kind) as scene:
        scene.launch(["-b", "-n", str(BATCH_REFRESHES), *options])
        refreshes = re.split("^pmctop - ", scene.output(), flags=re.M)[1:]
        check(len(refreshes) == BATCH_REFRESHES, f"{len(refreshes)} refreshes")
        check(all(NOTE in text for text in refreshes[1:]), f"no note: {refreshes[-1]}")


def check_named(scene, frames):
    """No other process is named, however busy the machine is."""
    hung = {hung.pid for hung in scene.hung}
    for frame in frames:
        for note in frame["notes"]:
            named = {int(pid) for pid in re.findall(r"(\d+) \(", note)} if NOTE in note else set()
            check(named <= hung, f"named though it answers: {note}")


def run_json(scene, *options, prefix=(), noted=True, figures=True):
    scene.launch(["--format", "json", "-n", str(BATCH_REFRESHES), *options], prefix)
    frames = frames_of(scene.output())
    check(len(frames) == BATCH_REFRESHES, f"{len(frames)} refreshes")
    check_named(scene, frames)
    if noted and scene.is_silent(options):
        check(all(is_noted(frame) for frame in frames[1:]), f"no note: {frames[-1]['notes']}")
    if figures:
        check(all(has_figures(frame) for frame in frames[1:]),
              f"no figures of the other program: {frames[-1]['tasks']}")
    return frames


def batch_json(name, kind, *options):
    with Scene(name, kind) as scene:
        run_json(scene, *options)


def batch_target(name, kind, begins):
    """-p of the hung process. It hangs before the start, or after the first refresh."""
    with Scene(name, kind, begins=begins) as scene:
        pids = f"{scene.target.pid},{SHARED['busy'].pid}"
        scene.launch(["--format", "json", "-i", "-c", "-S", "waiting", "-n",
                      str(BATCH_REFRESHES + 4), "-p", pids])
        first = scene.process.stdout.readline()
        if not begins:
            scene.begin()
        frames = frames_of(first + scene.output())
        check(len(frames) == BATCH_REFRESHES + 4, f"{len(frames)} refreshes")
        check_named(scene, frames)
        check(has_figures(frames[-1]), f"no figures: {frames[-1]['tasks']}")
        check(any(task["pid"] == scene.target.pid for task in frames[-1]["tasks"]),
              f"no row of the process: {frames[-1]['tasks']}, {frames[-1]['notes']}")


def as_nobody(name, kind, *options):
    """Tasks are counted one by one."""
    with Scene(name, kind) as scene:
        run_json(scene, *options, noted=False, figures=False, prefix=(
            "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"))


def few_descriptors(name, kind, *options):
    """Calls that hang have descriptors, so other figures may be missing."""
    with Scene(name, kind) as scene:
        run_json(scene, "-i", *options, figures=False, prefix=("prlimit", "--nofile=20:20"))


def command(name, kind):
    with Scene(name, kind) as scene:
        scene.launch(["--format", "json", "-d", "1", "--", terminals.SPIN, "5"])
        frames = frames_of(scene.output())
        check(len(frames) >= 3 and any(has_figures(frame) for frame in frames),
              f"{len(frames)} refreshes")


def record(name, kind):
    with Scene(name, kind) as scene:
        path = os.path.join(SHARED["directory"], "recording")
        scene.launch(["-b", "-n", str(BATCH_REFRESHES), "--record", path])
        scene.output()
        done = subprocess.run([PMCTOP, "--replay", path, "--speed", "max", "--format", "json"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False, timeout=BATCH_S)
        os.unlink(path)
        frames = frames_of(done.stdout)
        check(done.returncode == 0 and len(frames) >= BATCH_REFRESHES,
              f"status {done.returncode}, {len(frames)} refreshes: {done.stderr[-300:]}")
        check(has_figures(frames[-1]), "no figures in the replay")


def no_threads(name, kind):
    """After the four threads at the start no other one can be started, so nothing watches while a
    call hangs. Root has no such limit."""
    with Scene(name, kind) as scene:
        run_json(scene, noted=False, figures=False, prefix=(
            # Rows at the same time must not take the threads of this user.
            "setpriv", f"--reuid={NOBODY - 10 - list(KINDS).index(kind)}",
            f"--regid={NOBODY}", "--clear-groups", "prlimit", "--nproc=4:4"))


def held(pid):
    """(descriptors, threads) of a process that answers."""
    return len(os.listdir(f"/proc/{pid}/fd")), len(os.listdir(f"/proc/{pid}/task"))


def come_and_go(name):
    """Nothing is left of hangs that are over."""
    with Scene(name, "exec") as scene:
        scene.launch(["-b", "-d", "0.2", "-i", "-S", "waiting"])
        drain = subprocess.Popen(["cat"], stdin=scene.process.stdout, stdout=subprocess.DEVNULL)
        try:
            most = (0, 0)
            for cycle in range(CYCLES):
                terminals.wait_until("a thread that waits", lambda: threads_in_d(scene.pid) > 0,
                                     REACH_S)
                scene.release()
                terminals.wait_until("its return", lambda: threads_in_d(scene.pid) == 0, REACH_S)
                scene.mounts.pop().close()
                if cycle < FIRST_CYCLES:
                    most = tuple(map(max, most, held(scene.pid)))
                if cycle + 1 < CYCLES:
                    scene.mounts.append(Mount("exec", 1))
                    scene.begin()
            terminals.wait_until(f"at most {most} descriptors and threads", lambda: all(
                now <= before for now, before in zip(held(scene.pid), most)), REACH_S)
            scene.remarks.append(f"{most} and {held(scene.pid)} descriptors and threads")
            scene.process.terminate()
            scene.wait_for_end("SIGTERM")
        finally:
            scene.process.kill()
            drain.wait()


def rows():
    found = []

    def row(name, run, *arguments):
        found.append(Row(name, run, arguments))

    for kind in KINDS:
        for options, ending in (("", "q"), ("-i", "SIGTERM"), ("-i -c", "SIGINT"),
                                ("-i -S waiting", "SIGHUP"), ("-i -H -c", "q"),
                                ("-i --columns hottest", "q")):
            row(f"{kind}: {options or 'as it is'}: {ending}", on_screen, kind, options, ending)
        row(f"{kind}: begins while it runs", begins_later, kind, "q")
        row(f"{kind}: keys", keys, kind)
        row(f"{kind}: pages", pages, kind)
        row(f"{kind}: ends while it runs", ends, kind)
        row(f"{kind}: stopped and continued", stopped_and_continued, kind)
        row(f"{kind}: -b", batch_text, kind, "-i", "-c")
        for options in ((), ("-i", "-c"), ("-i", "-S", "waiting"), ("-H", "-i", "-c"),
                        ("-C", "0-1"), ("-u", "root", "-c", "-i"), ("--code",)):
            row(f"{kind}: --format json {' '.join(options)}", batch_json, kind, *options)
        row(f"{kind}: -p, hung before", batch_target, kind, True)
        row(f"{kind}: -p, hung after", batch_target, kind, False)
        row(f"{kind}: as nobody", as_nobody, kind, "-i", "-c", "-S", "waiting")
        row(f"{kind}: few descriptors", few_descriptors, kind, "-c", "-S", "waiting")
        row(f"{kind}: a command", command, kind)
        row(f"{kind}: a recording and its replay", record, kind)
        row(f"{kind}: no more threads", no_threads, kind)
    row(f"{CYCLES} hangs that come and go", come_and_go)
    return found


def in_namespace(row):
    """A test that runs the row in a pid namespace of its own: pmctop reads the files of each
    process that it sees."""
    def test():
        done = subprocess.run(["unshare", "--pid", "--fork", "--mount-proc", "--kill-child",
                               sys.executable, os.path.abspath(__file__), ROW, row.name],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False)
        remarks = [line for line in done.stdout.splitlines() if line.startswith("# ")]
        if done.returncode:
            raise terminals.Failure("\n".join(line.removeprefix("# ") for line in remarks) +
                                    done.stderr[-2000:])
        print("".join(f"{line}\n" for line in remarks), end="", flush=True)

    return test


def run_row(name):
    """The first process of the namespace."""
    row = next(row for row in rows() if row.name == name)
    with tempfile.TemporaryDirectory(prefix="pmctop-hung-") as directory:
        SHARED["directory"], SHARED["hung"] = directory, os.environ["HUNG_PROGRAM"]
        os.environ["TMUX_TMPDIR"] = directory  # names of sockets have pids
        SHARED["busy"] = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", "nice", "-n", "5",
                                           terminals.SPIN], stdout=subprocess.DEVNULL)
        try:
            return 0 if terminals.report(1, name, lambda: row.run(name, *row.arguments)) else 1
        finally:
            SHARED["busy"].kill()
            SHARED["busy"].wait()


def build(directory):
    source, program = os.path.join(directory, "hung.c"), os.path.join(directory, "hung")
    with open(source, "w", encoding="ascii") as file:
        file.write(HUNG_C)
    subprocess.run([os.environ.get("CC", "cc").split()[-1], "-O1", "-pthread", "-o", program,
                    source], check=True)
    return program


def why_not():
    if absent := terminals.missing(terminals.SPIN):
        return f"{', '.join(absent)} missing"
    if not shutil.which(os.environ.get("CC", "cc").split()[-1]):
        return "there is no compiler"
    return fuse_server.why_not() or skip_reason.system_wide(PMCTOP)


def main(words):
    if reason := why_not():
        print(f"1..0 # skip {reason}")
        return 77
    chosen = terminals.chosen(rows(), words)
    with tempfile.TemporaryDirectory(prefix="pmctop-hung-") as directory:
        os.environ["HUNG_PROGRAM"] = build(directory)
        terminals.JOBS = JOBS
        return terminals.run_all([(row.name, in_namespace(row)) for row in chosen])


if __name__ == "__main__":
    if sys.argv[1:2] == [ROW]:
        sys.exit(run_row(sys.argv[2]))
    # In a mount namespace of its own, which ends with the last process in it.
    if os.environ.get("HUNG_PROCESSES_PRIVATE") != str(os.getpid()):
        if WHY := skip_reason.mounts():
            print(f"1..0 # skip {WHY}")
            sys.exit(77)
        os.environ["HUNG_PROCESSES_PRIVATE"] = str(os.getpid())
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", sys.executable,
                              os.path.abspath(__file__), *sys.argv[1:]])
    sys.exit(main(sys.argv[1:]))
