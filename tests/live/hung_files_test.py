#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tests/run: alone, at most 600 s. It measures how fast the program ends.
"""Files that do not answer: a program, a debug file, a map of a compiler, the root of a container,
and the files of a recording on a FUSE mount. Its server hangs in one kind of request
(fuse_server.py). Beside them runs a program of the disk.

However a file hangs, refreshes go on, the functions of the other program have names, a sentence
says that a file does not answer, and q and signals end the program. On a slow disk names come late.
pmctop itself sends no request at all: its helpers do (HELPERS).

    hung_files_test.py [REGEX]...     runs the rows whose names match one of these

Other pmctops that count functions of the whole machine meanwhile see these programs, and hang too.

Prints TAP, and how long each ending took. BUILD is the build directory, PMCTOP another program.
Needs root, /dev/fuse, a compiler and the right to count system-wide.
"""
import collections
import contextlib
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import fuse_server  # noqa: E402
import skip_reason  # noqa: E402
import terminals  # noqa: E402
from programs import state_of  # noqa: E402

PMCTOP = os.path.abspath(os.environ.get("PMCTOP", terminals.PMCTOP))
HELPERS = ("pmctop-opener", "pmctop-symbols")
JOBS = 4  # at once: they mostly wait
COUNTING = "-d 1 --budget 0"  # all the time, so that each refresh has samples
# The program ends within 1 s. The rest is for the terminal, and for a machine where JOBS rows run.
END_S = 3
# pmctop -p also opens the files of a program that has just started, so a helper may hang in the
# mount of another row until that row ends.
LEFT_S = 60
REACH_S = 15  # until a request hangs
REFRESHES, REFRESHES_S = 3, 15
SENTENCE_S = 10
AGAIN_S = 120  # pauses before a device is tried again; readings past the page cache
NAMES_S = 30  # until programs that start later have names: helpers are replaced after 10 s
BATCH_REFRESHES, BATCH_S = 8, 25
# Refreshes at the start: helpers start twice. Measured: 0 or 1; 3 with 8 busy loops on 2 CPUs.
NAMELESS_MOST = 5
PERF_S = 120
MOUNTS = 11  # more than CODE_LANES_MAX of core/code/code_lanes.h
FILE_SILENT = r"does not answer\. Restore or unmount"
SENTENCE = r"files?\s[\s\S]{0,200}?do(es)?\s+not\s+answer"
PRIVATE = "unshare --mount --propagation private sh -c"
OPS = ("LOOKUP", "OPEN", "GETATTR", "READ", "FLUSH")
WORDS = {"read": "the server has read it", "stopped": "the server is stopped before"}
ENDINGS = {"q": None, "SIGTERM": signal.SIGTERM, "SIGHUP": signal.SIGHUP, "SIGINT": signal.SIGINT}
PLACES = {"symfs": "--symfs", "cache": "perf's cache"}
SHARED = {}  # programs, loads and files that rows share

# LOAD [ROOT [map]], or LOAD / FILE OFFSET: burns in another root, in code without a file, or in a
# page of a file, of which it reads no other page. Prints where that code is.
LOAD_C = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
__attribute__((noinline, aligned(64))) unsigned long BURN(unsigned long n)
{
	unsigned long x = n;
	while (n-- > 0) {
		x = x * 22695477u + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}
int main(int argc, char **argv)
{
	unsigned long (*burn)(unsigned long) = BURN;
	volatile unsigned long sink = 0;
	if (argc > 1 && (chroot(argv[1]) || chdir("/")))
		return 1;
	if (argc > 3) {
		unsigned long at = strtoul(argv[3], 0, 0), page = at & -4096ul;
		char *code = mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, open(argv[2], O_RDONLY),
				  (long)page);
		madvise(code, 4096, MADV_RANDOM);
		code += at - page;
		memcpy(&burn, &code, sizeof(burn));
	} else if (argc > 2) {
		void *code = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		memcpy(code, (void *)BURN, 256);
		__builtin___clear_cache((char *)code, (char *)code + 256);
		memcpy(&burn, &code, sizeof(burn));
	}
	for (int i = 0; i < 100; i++)
		sink += burn(1 << 10);
	printf("ready %lx\n", (unsigned long)burn);
	fflush(stdout);
	for (;;) {
		clock_t until = clock() + BURN_MS * CLOCKS_PER_SEC / 1000;
		while (clock() < until)
			sink += burn(1 << 16);
		usleep(10000);
	}
}
"""
PADDING_BYTES = 4 << 20

Row = collections.namedtuple("Row", "name run arguments")


def build(directory, name, burn_ms=3, padded=False):
    """Compiles a load with the function NAME_burn, and a link to a debug file that does not exist.
    It burns for that time, and sleeps for 10 ms. `padded`: its symbols are far behind its code, so
    no reading ahead has read them."""
    source, program = os.path.join(directory, "load.c"), os.path.join(directory, f"{name}-load")
    with open(source, "w", encoding="ascii") as file:
        file.write(LOAD_C)
    compiler = os.environ.get("CC", "cc").split()[-1]
    no_marks = ["-fcf-protection=none"] if os.uname().machine == "x86_64" else []
    subprocess.run([compiler, "-O1", *no_marks, "-fPIE", "-pie", "-Wl,--build-id",
                    f"-DBURN={name}_burn", f"-DBURN_MS={burn_ms}", "-o", program, source],
                   check=True)
    link = os.path.join(directory, f"{name}.debug")
    with open(link, "wb") as file:
        file.truncate(PADDING_BYTES if padded else 1)
    subprocess.run(["objcopy", f"--add-gnu-debuglink={link}",
                    *(["--add-section", f".padding={link}"] if padded else []), program],
                   check=True)
    os.unlink(link)
    return program


class Load:
    """A busy program that leaves CPU time to the programs of other rows. It ends with this script."""

    def __init__(self, *command, stopped=False, nice=-5):
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "nice", "-n", str(nice), *command],
            stdout=subprocess.PIPE, text=True)
        self.pid = self.process.pid
        line = self.process.stdout.readline()
        if not line.startswith("ready"):
            raise terminals.Failure(f"{command} did not start")
        self.code = int(line.split()[1], 16)
        if stopped:
            self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def described(pid):
    """The name, state and place in the kernel of a process."""
    texts = [str(pid), state_of(pid)]
    for name in ("comm", "wchan"):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/{name}", encoding="ascii",
                                                errors="replace") as file:
            texts.append(file.read().strip())
    return " ".join(texts)


class Scene:
    """A mount of its own, loads, and what was wrong. Everything ends with it."""

    def __init__(self, name):
        self.name = name
        self.problems, self.remarks = [], []
        self.was_reached = False  # a request hangs
        self.of_user = ()  # files that the user named, so pmctop may use them. "": the root
        self.mounts = []
        self.mount = self.add_mount()
        self.loads, self.terminal, self.pid = [], None, None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for mount in self.mounts:
            mount.abort()
        if self.pid and state_of(self.pid) not in "ZX":
            os.kill(self.pid, signal.SIGKILL)
        if self.terminal:
            self.terminal.close()
        for load in self.loads:
            load.end()
        for mount in self.mounts:
            mount.close()

    def add_mount(self):
        self.mounts.append(fuse_server.MountedFiles(tempfile.mkdtemp(prefix="pmctop-hung-")))
        os.link(SHARED["hung"], os.path.join(self.mounts[-1].folder, "hung-load"))
        return self.mounts[-1]

    def wrong(self, what):
        self.problems.append(what)

    def load(self, *command, stopped=False, nice=-5):
        self.loads.append(Load(*command, stopped=stopped, nice=nice))
        return self.loads[-1]

    def program_of_mount(self, stopped=False):
        return self.load(os.path.join(self.mount.point, "hung-load"), stopped=stopped)

    def targets(self):
        return "-p " + ",".join(str(load.pid) for load in [SHARED["plain"], *self.loads])

    def arm(self, operation, how):
        """From now on the operation hangs. A stopped server has answered those before it, in the
        order of SHARED["order"]."""
        self.mount.tell("seen")
        if how == "read":
            self.mount.tell(f"hang {operation}")
        else:
            order = SHARED["order"]
            self.mount.tell(f"stop {order.index(operation) if operation in order else 0}")

    def wait_for_hang(self):
        """It is wrong if no request hangs."""
        with contextlib.suppress(terminals.Failure):
            terminals.wait_until("a request that hangs", lambda: self.mount.hung(self.pid), REACH_S)
            self.was_reached = True
        self.check_reached()

    def check_reached(self):
        """Another program that looks up the same name may have sent the request."""
        if not self.was_reached and not self.mount.hung(None):
            self.wrong("no request hung")

    # The terminal

    def start(self, arguments, before="", **environment):
        self.terminal = terminals.Terminal(width=220, height=30, **environment)
        self.terminal.line(f"clear; {before}{PMCTOP} {arguments}; echo rc=$?")
        self.pid = terminals.wait_until("pmctop's process", lambda: terminals.children(
            self.terminal.shell_pid, os.path.basename(PMCTOP)))[0]

    def is_shown(self, pattern, patience_s):
        with contextlib.suppress(terminals.Failure):
            return bool(self.terminal.wait_for(pattern, patience_s))
        return False

    def watch(self, counter, name):
        """Whether refreshes go on. `counter` is what each of them changes. Each has the name."""
        until, seen, nameless = time.monotonic() + REFRESHES_S, [], []
        while len(seen) <= REFRESHES and time.monotonic() < until:
            screen = self.terminal.screen()
            match = re.search(counter, screen)
            if match and match.group() not in seen:
                seen.append(match.group())
                if not re.search(name, screen, re.M):
                    nameless.append(re.findall(r"^ *\d+ .*~.*|^.*plain-load .*", screen, re.M))
            time.sleep(terminals.TICK_S)
        if len(seen) <= REFRESHES:
            self.wrong(f"{max(len(seen) - 1, 0)} refreshes in {REFRESHES_S} s")
        elif nameless:
            self.wrong(f"no names of the other program in {len(nameless)} of {len(seen)} "
                       f"refreshes: {nameless[0]}")
        return len(seen) > REFRESHES

    def check_sentence(self):
        """On the screen, or on the page of messages."""
        if self.is_shown(SENTENCE, SENTENCE_S):
            return
        self.terminal.keys("L")
        if not self.is_shown(SENTENCE, SENTENCE_S):
            self.wrong("no sentence: " + " | ".join(
                line.strip() for line in self.terminal.screen().splitlines()[2:] if line.strip()))
        self.terminal.keys("Escape")
        self.is_shown("^ +PID .*COMMAND", REFRESHES_S)

    def check_names(self, has_names):
        """Of the other program: they come soon, and then are in each refresh."""
        first = has_names.index(True) if True in has_names else len(has_names)
        if first > NAMELESS_MOST or not all(has_names[first:]):
            self.wrong("no names of the other program in " +
                       ", ".join(f"refresh {i}" for i, has in enumerate(has_names, 1) if not has))

    def end(self, ending):
        """Ends the program, and waits until no thread of it is left."""
        began = time.monotonic()
        if ENDINGS[ending]:
            os.kill(self.pid, ENDINGS[ending])
        else:
            self.terminal.keys("q")
        try:
            terminals.wait_until("the end", lambda: state_of(self.pid) == "X", END_S)
            self.remarks.append(f"{ending} took {time.monotonic() - began:.2f} s")
            if not self.is_shown(r"^rc=\d+$|^shell>", END_S):
                self.wrong("the terminal is not restored")
        except terminals.Failure:
            self.wrong(f"{ending} did not end it in {END_S} s (state {state_of(self.pid)})")

    # What is always examined

    def requests(self):
        return [one for mount in self.mounts for one in mount.requests_of(self.pid)]

    def own_requests(self):
        """{request: count} of those that no helper has sent."""
        return collections.Counter(f"{one['op']} of {one['comm']}" for one in self.requests()
                                   if one["comm"] not in HELPERS and
                                   one["name"] not in self.of_user)

    def finish(self):
        """When nothing hangs any more, no process is left. Fails with what was wrong."""
        if own := self.own_requests():
            self.wrong(f"pmctop itself sent {sum(own.values())} requests: {dict(own)}")
        pids = {self.pid, *(one["tgid"] for one in self.requests())}
        for mount in self.mounts:
            if why := mount.abort():
                self.wrong(why)
        if state_of(self.pid) not in "ZX":
            os.kill(self.pid, signal.SIGKILL)
        try:
            terminals.wait_until("helpers", lambda: all(state_of(pid) in "ZX" for pid in pids),
                                 LEFT_S)
        except terminals.Failure:
            self.wrong("left, with the mount gone: " + ", ".join(
                described(pid) for pid in pids if state_of(pid) not in "ZX"))
        if self.remarks:
            print(f"# {self.name}: {'; '.join(self.remarks)}\n", end="", flush=True)
        if self.problems:
            raise terminals.Failure("\n".join(self.problems))


CLOCK = r"\d\d:\d\d:\d\d"


def row_of(load, function):
    """The row of a load on the screen, with its hottest function."""
    return rf"^ *{load.pid} .*~\d+% {function}\b"


def plain_row():
    return row_of(SHARED["plain"], "plain_burn")


PAGE = r"SHARE%.*FUNCTION"


def hang_at_start(name, operation, how, ending):
    """The column of the hottest function, with a program that hangs since before."""
    with Scene(name) as scene:
        scene.program_of_mount()
        fresh = scene.load(SHARED["fresh"], stopped=True, nice=-15)
        scene.arm(operation, how)
        scene.start(f"{COUNTING} --columns hottest {scene.targets()}")
        scene.wait_for_hang()
        if ending == "q":
            go_on(scene, CLOCK, plain_row())
            if not scene.problems and how == "read":
                fresh.resume()
                if not scene.is_shown(row_of(fresh, "fresh_burn"), NAMES_S):
                    scene.wrong("a program that runs later has no names")
        scene.end(ending)
        scene.finish()


def go_on(scene, counter, name):
    """Refreshes, names and the sentence."""
    scene.is_shown(name, REFRESHES_S)
    if scene.watch(counter, name):
        scene.check_sentence()


def hang_in_column(scene, ending):
    """From the start, with the column of the hottest function, to the end."""
    scene.start(f"{COUNTING} --columns hottest {scene.targets()}")
    scene.wait_for_hang()
    if ending == "q":
        go_on(scene, CLOCK, plain_row())
    scene.end(ending)
    scene.finish()


def hang_on_page(name, operation, how, ending):
    """The page of functions is open when the program of the mount begins to run."""
    with Scene(name) as scene:
        load = scene.program_of_mount(stopped=True)
        scene.start(f"{COUNTING} {scene.targets()}")
        scene.terminal.wait_for("^ +PID .*COMMAND")
        scene.terminal.keys("w")
        scene.terminal.wait_for(PAGE)
        scene.terminal.wait_for("w All|w Row")
        if "w All" in scene.terminal.screen():
            scene.terminal.keys("w")
        scene.terminal.wait_for(r"the target: .*(.|\n)* plain_burn\b")
        scene.arm(operation, how)
        load.resume()
        scene.wait_for_hang()
        if ending == "q":
            if scene.watch(r"samples in [\d.:]+ m?s", "plain_burn"):
                scene.terminal.leave_page(PAGE)
                scene.check_sentence()
            else:
                scene.terminal.keys("Escape")
                scene.is_shown("^ +PID .*COMMAND", END_S)
        scene.end(ending)
        scene.finish()


def hang_at_exit(name, operation, how, ending):
    """All functions have names when the mount begins to hang."""
    with Scene(name) as scene:
        load = scene.program_of_mount()
        scene.mount.tell("seen")
        scene.start(f"{COUNTING} --columns hottest {scene.targets()}")
        scene.terminal.wait_for(row_of(load, "hung_burn"))
        scene.terminal.wait_for(plain_row())
        scene.mount.tell(f"hang {operation}" if how == "read" else "stop 0")
        scene.end(ending)
        scene.finish()


def hang_many(scene):
    """More file systems hang than helpers can wait for."""
    while len(scene.mounts) < MOUNTS:
        scene.add_mount()
    for mount in scene.mounts:
        scene.load(os.path.join(mount.point, "hung-load"), nice=5)
        mount.tell("seen")
        mount.tell("hang OPEN")


def many_mounts(name, ending):
    with Scene(name) as scene:
        hang_many(scene)
        scene.start(f"{COUNTING} --columns hottest {scene.targets()}")
        terminals.wait_until("a request that hangs in each mount", lambda: all(
            mount.hung(scene.pid) for mount in scene.mounts), NAMES_S)
        go_on(scene, CLOCK, plain_row())
        scene.end(ending)
        scene.finish()


def many_at_start(name):
    """No file is known. The processes that hang come before another one of the disk."""
    with Scene(name) as scene:
        hang_many(scene)
        scene.load(SHARED["fresh"], nice=-15)
        output = run_batch(scene, f"--code --format json {COUNTING} -n {BATCH_REFRESHES} "
                                  f"{scene.targets()}")
        frames = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
        scene.check_reached()
        for program in ("plain", "fresh"):
            scene.check_names([f"{program}_burn" in names_of(frame, f"{program}-load")
                               for frame in frames])
        scene.finish()


def overlaid(name, operation, ending):
    """The program is on an overlay, whose lower folder is the mount."""
    with Scene(name) as scene:
        merged, empty = (os.path.join(scene.mount.home, word) for word in ("merged", "empty"))
        os.mkdir(merged)
        os.mkdir(empty)
        try:
            fuse_server.mount("overlay", merged, "overlay",
                              options=f"lowerdir={empty}:{scene.mount.point}")
        except OSError as error:
            raise terminals.Skip(f"overlay: {error.strerror}") from error
        try:
            scene.load(os.path.join(merged, "hung-load"))
            scene.arm(operation, "read")
            hang_in_column(scene, ending)
        finally:
            scene.mount.abort()
            fuse_server.libc.umount2(merged.encode(), fuse_server.MNT_DETACH)


def answers_again(name, operation, hung_s):
    """After that time. Names come then."""
    with Scene(name) as scene:
        load = scene.program_of_mount()
        scene.arm(operation, "read")
        scene.start(f"{COUNTING} --columns hottest {scene.targets()}")
        scene.wait_for_hang()
        time.sleep(hung_s)
        if re.search(row_of(load, "hung_burn"), scene.terminal.screen(), re.M):
            scene.wrong("it has names while it hangs")
        scene.mount.tell("answer")
        began = time.monotonic()
        if scene.is_shown(row_of(load, "hung_burn"), AGAIN_S):
            scene.remarks.append(f"names after {time.monotonic() - began:.1f} s")
        else:
            scene.wrong(f"no names {AGAIN_S} s after it answers")
        scene.end("q")
        scene.finish()


def unmounted(name):
    """The mount is detached from all folders while it hangs."""
    with Scene(name) as scene:
        scene.program_of_mount()
        scene.arm("OPEN", "read")
        process = subprocess.Popen(
            [PMCTOP, "--code", "--format", "json", "-n", str(BATCH_S), *COUNTING.split(),
             *scene.targets().split()], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        scene.pid, seen = process.pid, []
        remedies = ["umount -f", "is unmounted, but in use"]
        for line in process.stdout:
            seen.append([note for note in json.loads(line)["notes"] if re.search(SENTENCE, note)])
            if any(remedies[0] in note for note in seen[-1]):
                if len(remedies) == 1:
                    break
                fuse_server.libc.umount2(scene.mount.point.encode(), fuse_server.MNT_DETACH)
                remedies.pop(0)
        else:
            scene.wrong(f"no sentence with '{remedies[0]}': {seen[-1:]}")
        process.stdout.close()
        process.terminate()
        process.wait()
        scene.finish()


# Without a terminal


def run_batch(scene, arguments, environment=None):
    """Runs `pmctop ARGUMENTS | cat` to its end. Returns its output."""
    process = subprocess.Popen(
        ["bash", "-c", f"set -o pipefail; {PMCTOP} {arguments} | cat"], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        env={**os.environ, **(environment or {})})
    scene.pid = process.pid
    began = time.monotonic()
    while True:
        try:
            output, _ = process.communicate(timeout=terminals.TICK_S)
            scene.remarks.append(f"took {time.monotonic() - began:.1f} s")
            if process.returncode:
                scene.wrong(f"status {process.returncode}: {output[-300:]}")
            break
        except subprocess.TimeoutExpired:
            scene.was_reached |= scene.mount.hung(process.pid) > 0
        if time.monotonic() > began + BATCH_S:
            scene.wrong(f"it did not end in {BATCH_S} s")
            scene.mount.abort()
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            break
    return output


def file_of_start(name, operation, how):
    """A file that is read before the screen: a sentence names it. The program runs when its file
    system is gone."""
    with Scene(name) as scene:
        scene.of_user = ("config",)
        path = os.path.join(scene.mount.point, "config")
        with open(os.path.join(scene.mount.folder, "config"), "w", encoding="ascii") as file:
            file.write("[pmctop]\ndelay = 0.1\n")
        scene.arm(operation, how)
        with subprocess.Popen([PMCTOP, "-b", "-n", "1", "--config", path], text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE) as process:
            scene.pid = process.pid
            scene.wait_for_hang()
            watch = threading.Timer(SENTENCE_S, scene.mount.abort)
            watch.start()
            sentence = process.stderr.readline()
            watch.cancel()
            if not re.match(rf"pmctop: '{path}' {FILE_SILENT}", sentence):
                scene.wrong(f"no sentence: {sentence!r}")
            scene.mount.abort()
            process.communicate(timeout=END_S)
        scene.finish()


def names_of(frame, comm):
    return [function["name"] for task in frame["tasks"] if task["comm"] == comm
            for function in task.get("functions", []) if function["kind"] != "kernel"]


def batch_text(name, operation, how):
    with Scene(name) as scene:
        scene.program_of_mount()
        scene.arm(operation, how)
        output = run_batch(scene, f"-b --code {COUNTING} -n {BATCH_REFRESHES} {scene.targets()}")
        refreshes = output.split("\npmctop - ")
        scene.check_reached()
        if len(refreshes) != BATCH_REFRESHES:
            scene.wrong(f"{len(refreshes)} refreshes")
        scene.check_names(["plain_burn" in text for text in refreshes])
        if not re.search(SENTENCE, output):
            scene.wrong("no sentence")
        scene.finish()


def batch_json(name, operation, how):
    with Scene(name) as scene:
        scene.program_of_mount()
        scene.arm(operation, how)
        output = run_batch(scene, f"--code --format json {COUNTING} -n {BATCH_REFRESHES} "
                                  f"{scene.targets()}")
        frames = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
        scene.check_reached()
        if len(frames) != BATCH_REFRESHES:
            scene.wrong(f"{len(frames)} refreshes")
        scene.check_names(["plain_burn" in names_of(frame, "plain-load") for frame in frames])
        if not any(re.search(SENTENCE, note) for frame in frames for note in frame["notes"]):
            scene.wrong("no sentence")
        scene.finish()


def slow_disk(name, late_s, patience_s):
    """Each answer is late. Names come, and refreshes until then."""
    with Scene(name) as scene:
        scene.program_of_mount()
        scene.mount.tell(f"late {late_s}")
        command = f"exec {PMCTOP} --code --format json {COUNTING} {scene.targets()}"
        process = subprocess.Popen(["bash", "-c", command], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, text=True)
        scene.pid, began, refreshes, named_s = process.pid, time.monotonic(), 0, None
        longest_s, last = 0, began
        for line in process.stdout:
            now = time.monotonic()
            longest_s, last = max(longest_s, now - last), now
            refreshes += 1
            if "hung_burn" in names_of(json.loads(line), "hung-load"):
                named_s = now - began
            if named_s or now - began > patience_s:
                break
        requests = len(scene.mount.requests_of(scene.pid))
        scene.remarks.append(f"names after {named_s and round(named_s, 1)} s, {refreshes} "
                             f"refreshes, {requests} requests, at most {longest_s:.1f} s between "
                             "refreshes")
        if named_s is None:
            scene.wrong(f"no names in {patience_s} s")
        if longest_s > END_S:
            scene.wrong(f"no refresh for {longest_s:.1f} s")
        began = time.monotonic()
        process.terminate()
        try:
            process.wait(END_S)
            scene.remarks.append(f"SIGTERM took {time.monotonic() - began:.2f} s")
        except subprocess.TimeoutExpired:
            scene.wrong(f"SIGTERM did not end it in {END_S} s")
            scene.mount.abort()
        process.stdout.close()
        process.kill()
        process.wait()
        scene.finish()


# Other files


def debug_folder(name, operation, ending):
    """Debug files of this machine are on the mount, so all files wait for it, until it is left
    alone."""
    with Scene(name) as scene:
        os.unlink(os.path.join(scene.mount.folder, "hung-load"))
        os.mkdir(os.path.join(scene.mount.folder, ".build-id"))
        scene.arm(operation, "read")
        bind = f"mount --bind {scene.mount.point} /usr/lib/debug && exec \"$0\" \"$@\""
        scene.start(f"{COUNTING} --columns hottest {scene.targets()}", f"{PRIVATE} '{bind}' ")
        scene.wait_for_hang()
        if ending == "q" and not scene.is_shown(plain_row(), NAMES_S):
            scene.wrong(f"no names in {NAMES_S} s")
        if ending == "q":
            go_on(scene, CLOCK, plain_row())
        scene.end(ending)
        scene.finish()


def container(name, operation, ending, *mode):
    """A process has its root on the mount, and with "map", the names of its functions."""
    with Scene(name) as scene:
        load = scene.load(SHARED["root"], scene.mount.point, *mode)
        os.mkdir(os.path.join(scene.mount.folder, "tmp"))
        with open(os.path.join(scene.mount.folder, "tmp", f"perf-{load.pid}.map"), "w",
                  encoding="ascii") as file:
            file.write(f"{load.code:x} 100 hung_burn\n")
        scene.arm(operation, "read")
        hang_in_column(scene, ending)


def mapped_file(name, operation, ending):
    """Of the file only the page of a function was ever read. The kernel reads its build id, too
    (PROCMAP_QUERY)."""
    with Scene(name) as scene:
        scene.load(SHARED["root"], "/", os.path.join(scene.mount.point, "hung-load"),
                   str(SHARED["offset"]))
        scene.mount.tell(f"hang {operation}")
        hang_in_column(scene, ending)


def offset_of(program, function):
    """In the file. In a program that can be loaded anywhere it is the address."""
    symbols = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    return int(re.search(rf"^(\w+) T {function}$", symbols, re.M).group(1), 16)


def make_recording(directory):
    """By perf, which leaves the names to its reader. None without perf."""
    path = os.path.join(directory, "perf.data")
    fresh = Load(SHARED["fresh"])
    try:
        done = subprocess.run(["perf", "record", "--no-buildid-cache", "-e", "cpu-clock", "-p",
                               f"{SHARED['plain'].pid},{fresh.pid}", "-o", path, "--", "sleep",
                               "1"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False, timeout=PERF_S)
        return None if done.returncode else path
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return None
    finally:
        fresh.end()


def replay(scene, place):
    """(options, environment) of a replay with files on the mount."""
    if not SHARED["recording"]:
        raise terminals.Skip("no recording of perf")
    scene.of_user = ("",)
    folder = scene.mount.folder
    if place == "symfs":
        below = folder + os.path.dirname(SHARED["fresh"])
        os.makedirs(below)
        os.link(SHARED["fresh"], os.path.join(below, "fresh-load"))
        return f"--symfs {scene.mount.point}", {}
    os.mkdir(os.path.join(folder, ".build-id"))
    return "", {"PERF_BUILDID_DIR": scene.mount.point}


def replay_batch(name, operation, place):
    with Scene(name) as scene:
        options, environment = replay(scene, place)
        scene.arm(operation, "read")
        output = run_batch(scene, f"--replay {SHARED['recording']} {options} -b --code",
                           environment)
        scene.check_reached()
        if not re.search(SENTENCE, output):
            scene.wrong("no sentence")
        scene.finish()


def replay_screen(name, operation, place, ending):
    with Scene(name) as scene:
        options, environment = replay(scene, place)
        scene.arm(operation, "read")
        scene.start(f"--replay {SHARED['recording']} {options} --columns hottest", **environment)
        scene.wait_for_hang()
        if ending == "q" and not scene.is_shown("^ +PID .*COMMAND", REFRESHES_S):
            scene.wrong("no rows")
        elif ending == "q":
            scene.check_sentence()
        scene.end(ending)
        scene.finish()


# System calls

FILE_CALLS = ("open", "openat", "openat2", "stat", "lstat", "newfstatat", "fstat", "statx", "read",
              "pread64", "readv", "mmap", "close", "close_range", "lseek", "getxattr", "access")


def calls_on_mount(path, point):
    """{call: count} of a log of strace -f -y: those with a file of the mount, by a process that has
    not become a helper."""
    helpers, found, whole = set(), collections.Counter(), {}
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            pid, text = line.split(None, 1)
            if text.startswith("execve(") and any(f'["{name}"' in text for name in HELPERS):
                helpers.add(pid)
            if text.rstrip().endswith("<unfinished ...>"):
                whole[pid] = text
            elif resumed := re.match(r"<\.\.\. \w+ resumed>", text):
                text = whole.pop(pid, "") + text[resumed.end():]
            call = re.match(r"\w+", text)
            if point in text and call and call.group() in FILE_CALLS and pid not in helpers:
                found[call.group()] += 1
    return found


def system_calls(name):
    """Nothing hangs. No thread of pmctop opens, asks, reads or closes a file of the mount."""
    if not shutil.which("strace"):
        raise terminals.Skip("no strace")
    with Scene(name) as scene:
        scene.program_of_mount()
        scene.mount.tell("seen")
        log = os.path.join(scene.mount.home, "calls")
        process = subprocess.Popen(
            ["strace", "-f", "-y", "-qq", "-o", log, "-e",
             "trace=execve," + ",".join("?" + call for call in FILE_CALLS), PMCTOP, "--code",
             "--format", "json", "-d", "1", "-n", "6", *scene.targets().split()],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        scene.pid = process.pid
        output, _ = process.communicate(timeout=90)
        if "hung_burn" not in output:
            scene.wrong(f"no names: status {process.returncode}, {output[-300:]}")
        if found := calls_on_mount(log, scene.mount.point):
            scene.wrong(f"system calls of pmctop itself: {dict(found)}")
        scene.finish()


def learn_order():
    """The kinds of requests that pmctop's processes send for one program, in order. None if nothing
    was sampled. Fails if names do not come."""
    with Scene("the order of requests") as scene:
        scene.program_of_mount()
        scene.mount.tell("seen")
        arguments = f"--code --format json {COUNTING} -n {NAMES_S} {scene.targets()}"
        process = subprocess.Popen([PMCTOP, *arguments.split()], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, text=True)
        scene.pid, frames = process.pid, []
        for line in process.stdout:
            frames.append(json.loads(line))
            if "hung_burn" in names_of(frames[-1], "hung-load"):
                break
        else:
            if not any(names_of(frame, comm) for frame in frames
                       for comm in ("hung-load", "plain-load")):
                return None
            raise terminals.Failure(f"no names of a file that answers: {frames[-1]['tasks']}")
        process.terminate()
        process.communicate()
        return [one["op"] for one in scene.mount.requests_of(scene.pid)]


def rows():
    moments = {"at start": hang_at_start, "with the page open": hang_on_page,
               "at exit": hang_at_exit}
    found = []

    def row(name, run, *arguments):
        found.append(Row(name, run, arguments))

    for operation, how in itertools.product(OPS, WORDS):
        for (when, run), ending in itertools.product(moments.items(), ENDINGS):
            row(f"{operation}, {WORDS[how]}, {when}: {ending}", run, operation, how, ending)
        row(f"{operation}, {WORDS[how]}: -b --code", batch_text, operation, how)
        row(f"{operation}, {WORDS[how]}: --format json", batch_json, operation, how)
    for ending in ENDINGS:
        row(f"a folder of debug files: {ending}", debug_folder, "LOOKUP", ending)
        row(f"the root of a process: {ending}", container, "LOOKUP", ending)
        for operation in ("OPEN", "READ"):
            row(f"a mapped file, {operation}: {ending}", mapped_file, operation, ending)
        for operation in OPS:
            row(f"the map of a compiler, {operation}: {ending}", container, operation, ending,
                "map")
    for operation, place in (("LOOKUP", "symfs"), ("OPEN", "symfs"), ("READ", "symfs"),
                             ("FLUSH", "symfs"), ("LOOKUP", "cache")):
        title = f"a replay with {PLACES[place]}, {operation}"
        row(f"{title}: -b --code", replay_batch, operation, place)
        for ending in ENDINGS:
            row(f"{title}: {ending}", replay_screen, operation, place, ending)
    row(f"{MOUNTS} mounts: q", many_mounts, "q")
    row(f"{MOUNTS} mounts: --format json", many_at_start)
    row("an unmounted file system", unmounted)
    for operation in OPS:
        row(f"an overlay, {operation}: q", overlaid, operation, "q")
    row("an overlay, OPEN: SIGINT", overlaid, "OPEN", "SIGINT")
    for hung_s, operation in itertools.product((3, 15), ("OPEN", "READ")):
        row(f"an answer after {hung_s} s, {operation}", answers_again, operation, hung_s)
    for operation, how in (("LOOKUP", "read"), ("OPEN", "read"), ("OPEN", "stopped"),
                           ("READ", "read")):
        row(f"the configuration, {operation}, {WORDS[how]}", file_of_start, operation, how)
    row("a slow disk, 0.7 s", slow_disk, 0.7, 60)
    row("a slow disk, 3 s", slow_disk, 3, 150)
    row("strace", system_calls)
    return found


@contextlib.contextmanager
def folder_of_programs():
    """A folder that is removed even if this script is killed."""
    directory = tempfile.mkdtemp(prefix="pmctop-hung-")
    guard = subprocess.Popen(["sh", "-c", 'cat >/dev/null; rm -rf "$1"', "sh", directory],
                             stdin=subprocess.PIPE, start_new_session=True)
    try:
        yield directory
    finally:
        guard.stdin.close()
        guard.wait()


def why_not():
    if not shutil.which("tmux") or not shutil.which("objcopy"):
        return "no tmux or no objcopy"
    if not shutil.which(os.environ.get("CC", "cc").split()[-1]):
        return "there is no compiler"
    return fuse_server.why_not() or skip_reason.system_wide(PMCTOP)


def main(words):
    if reason := why_not():
        print(f"1..0 # skip {reason}")
        return 77
    chosen = terminals.chosen(rows(), words)
    with folder_of_programs() as directory:
        SHARED["hung"] = build(directory, "hung", padded=True)
        SHARED["plain"] = build(directory, "plain", burn_ms=10)
        for name in ("fresh", "root"):
            SHARED[name] = build(directory, name)
        SHARED["offset"] = offset_of(SHARED["hung"], "hung_burn")
        SHARED["plain"] = Load(SHARED["plain"], nice=-15)  # it runs in each refresh
        try:
            SHARED["order"] = learn_order()
            if SHARED["order"] is None:
                print("1..0 # skip no functions can be sampled here")
                return 77
            SHARED["recording"] = make_recording(directory)
            terminals.JOBS = JOBS
            return terminals.run_all([(row.name, lambda row=row: row.run(row.name, *row.arguments))
                                      for row in chosen])
        finally:
            SHARED["plain"].end()


if __name__ == "__main__":
    # In a mount namespace of its own, which ends with the last process in it.
    if os.environ.get("HUNG_FILES_PRIVATE") != str(os.getpid()):
        if WHY := skip_reason.mounts():
            print(f"1..0 # skip {WHY}")
            sys.exit(77)
        os.environ["HUNG_FILES_PRIVATE"] = str(os.getpid())
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", sys.executable,
                              os.path.abspath(__file__), *sys.argv[1:]])
    sys.exit(main(sys.argv[1:]))
