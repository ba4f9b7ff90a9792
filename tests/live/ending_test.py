#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tests/run: alone, it measures how fast the program ends.
"""Files of the user that do not answer, and pipes that are not read: -o, --record, --replay and
--event-tables; with --via, also a command that cannot be killed. q, SIGTERM, SIGINT and SIGHUP end
pmctop within 1 s. If data is not written, a sentence comes within 1 s, and a second q or signal ends
it.

The kernel keeps a process with a file on FUSE whose server does not answer. There the sentence of
the end is measured, and pmctop must be gone as soon as the connection is.

Prints TAP, and how long each ending took. BUILD is the build directory. The part with FUSE needs
root and /dev/fuse.
"""
import array
import contextlib
import fcntl
import glob
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
import skip_reason  # noqa: E402
from frames import check, finish, skip  # noqa: E402
from fuse_output import OutputFiles  # noqa: E402
from programs import PMCTOP  # noqa: E402
from ptys import OnPty  # noqa: E402

LATE_S = 3  # 1 s is promised; the rest is for a busy machine
PATIENCE_S = 60
TICK_S = 0.01
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
PIPE_BYTES = 4096
PRIVATE = ["unshare", "--mount", "--propagation", "private"]
# This machine as a host, on which pmctop is installed.
VIA = ["--via", "env"]
NOBODY = pwd.getpwnam("nobody").pw_uid
AS_NOBODY = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
PATH = f"{os.path.dirname(PMCTOP)}:{os.environ['PATH']}"
# A command of --via that waits for a file when another one exists.
HANG = """
import os, subprocess, sys, time
cue, file, pids, *words = sys.argv[1:]
child = subprocess.Popen(words)
if "--remote" in words:
    with open(pids, "w") as output:
        output.write(str(child.pid))
while not os.path.exists(cue) and child.poll() is None:
    time.sleep(0.01)
if child.poll() is None:
    os.open(file, os.O_RDONLY)
sys.exit(child.wait())
"""
RECORDING = glob.glob(os.path.join(HERE, "../fixtures/profiles/file.data"))[0]


def wait_until(condition):
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(TICK_S)
    return True


def end(process):
    """A process that the kernel keeps ends with the server, later."""
    process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(LATE_S)


class Batch:
    """pmctop without a screen. Its messages are read while it runs, or while it hangs."""

    def __init__(self, *arguments, stdout=subprocess.DEVNULL, program=(PMCTOP,)):
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen([*program, "-b", *arguments], stdin=subprocess.DEVNULL,
                                        stdout=stdout, stderr=self.errors,
                                        env={**os.environ, "PATH": PATH})

    def end(self, how):
        self.process.send_signal(how)

    def said(self):
        return os.pread(self.errors.fileno(), 1 << 16, 0).decode()

    def ended(self):
        return self.process.poll() is not None

    def sane(self):
        return True

    def close(self):
        end(self.process)
        self.errors.close()


class Live:
    """pmctop with a screen, when that is drawn."""

    def __init__(self, *arguments, drawn=True):
        self.tty = OnPty([PMCTOP, *arguments], PATH=PATH)
        os.set_blocking(self.tty.process.stderr.fileno(), False)
        self.errors = b""
        if drawn and not self.tty.read_until(lambda: b"COMMAND" in self.tty.output):
            raise OSError(f"no screen: {self.tty.output}")

    def end(self, how):
        if how == "q":
            self.tty.write(b"q")
        else:
            self.tty.process.send_signal(how)

    def said(self):
        self.tty.read(0)
        self.errors += self.tty.process.stderr.read() or b""
        return self.errors.decode()

    def ended(self):
        self.tty.read(0)
        return self.tty.process.poll() is not None

    def sane(self):
        """The shell's screen is back, and its settings, but for keys without Enter and echo."""
        now = termios.tcgetattr(self.tty.slave)
        now[3] |= termios.ICANON | termios.ECHO
        return now[:4] == self.tty.settings[:4] and b"\x1b[?1049l" in self.tty.output

    def close(self):
        end(self.tty.process)
        if self.ended():
            self.tty.close()


def name_of(how):
    return how if how == "q" else signal.Signals(how).name


def measure(run, how, condition):
    """Seconds from a request to its effect, or None."""
    begin = time.monotonic()
    run.end(how)
    return time.monotonic() - begin if wait_until(condition) else None


def check_time(name, took, good=True, detail=""):
    if took is not None:
        print(f"# {name}: {took:.2f} s")
    check(name, took is not None and took < LATE_S and good, f"{took} s {detail}")


def check_end(name, run, how):
    """It ends, whatever it says."""
    with contextlib.closing(run):
        took = measure(run, how, run.ended)
        check_time(f"{name}: {name_of(how)} ends it", took, run.sane(), run.said())


def is_full(fd):
    count = array.array("i", [0])
    fcntl.ioctl(fd, termios.FIONREAD, count)
    return count[0] >= PIPE_BYTES // 2


@contextlib.contextmanager
def unread(folder, named):
    """A small pipe that is not read: (path, end to read, end to write)."""
    path = os.path.join(folder, "pipe")
    if named:
        os.mkfifo(path)
        reader, writer = os.open(path, os.O_RDONLY | os.O_NONBLOCK), -1
    else:
        reader, writer = os.pipe()
    fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    yield path, reader, writer
    os.close(reader)
    if named:
        os.unlink(path)
    else:
        os.close(writer)


def pipes(folder, recorded):
    for how in SIGNALS:
        with unread(folder, False) as (_, reader, writer):
            run = Batch("-i", "-d", "0.1", stdout=writer)
            wait_until(lambda: is_full(reader))
            check_end("standard output is not read", run, how)
        with unread(folder, False) as (_, reader, writer):
            run = Batch(*VIA, "-i", "-d", "0.1", stdout=writer)
            wait_until(lambda: is_full(reader))
            check_end("--via: standard output is not read", run, how)
        with unread(folder, True) as (path, reader, _):
            run = Batch("-i", "-d", "0.1", "-o", path)
            wait_until(lambda: is_full(reader))
            check_end("-o PIPE is not read", run, how)
        # SIGINT to pmctop alone: it waits 2 s for the command, which has not had it.
        if how != signal.SIGINT:
            with unread(folder, False) as (_, reader, writer):
                run = Batch("-d", "0.1", "--format", "json", "--", "sleep", "100", stdout=writer)
                wait_until(lambda: is_full(reader))
                check_end("a summary is not read", run, how)
        if not recorded:
            continue
        with unread(folder, False) as (_, reader, writer):
            run = Batch("-i", "-d", "0.1", "--record", "-", stdout=writer)
            wait_until(lambda: is_full(reader))
            check_end("--record - is not read", run, how)
    for how in ("q", *SIGNALS):
        if recorded:
            check_end("a recording, with a screen",
                      Live("-d", "0.1", "--record", os.path.join(folder, "run.data")), how)


def replayed_pipes(folder, _):
    """A recording that stops coming: --replay PIPE."""
    path = os.path.join(folder, "replayed")
    with open(RECORDING, "rb") as file:
        data = file.read()
    os.mkfifo(path)
    for how in SIGNALS:
        run = Batch("--replay", path)
        with open(path, "wb", buffering=0) as pipe:
            pipe.write(data[:64])
            check_end("--replay PIPE has no data", run, how)
    os.unlink(path)


def clients(*_):
    """--listen has a client that never reads, and one that never asks."""
    for how in SIGNALS:
        run = Batch("--listen", "127.0.0.1:0")
        wait_until(lambda: "Listening on" in run.said())
        port = int(run.said().split("Listening on 127.0.0.1:")[1].split(":")[0])
        with socket.create_connection(("127.0.0.1", port)) as slow:
            with socket.create_connection(("127.0.0.1", port)):
                slow.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" * 100)
                check_end("--listen with slow clients", run, how)


# FUSE

HUNG = {"hang": "hung", "stop": "stopped"}


def check_hung(files, name, run, mode, op, how, first, second):
    """Sentences after a request, and after the second; the process ends with the connection."""
    with contextlib.closing(run):
        files.wait_for(f"{HUNG[mode]} {op}")
        # The task that sent the request waits, and those behind it.
        if second:
            took = measure(run, how, lambda: first in run.said())
            check_time(f"{name}: {name_of(how)}: a sentence", took, run.sane(), run.said())
        took = measure(run, how, lambda: (second or first) in run.said() or run.ended())
        check_time(f"{name}: {name_of(how)}{' again' if second else ''}: the end", took,
                   (second or first) in run.said(), run.said())
        files.server.kill()
        check(f"{name}: {name_of(how)}: it ends with the connection, status 1",
              wait_until(run.ended) and status_of(run) == 1 and run.sane(), run.said())


def status_of(run):
    return (run.tty if isinstance(run, Live) else run).process.returncode


def hung_rows(point, recorded):
    """(name, mode, op, arguments, sentence, second sentence)"""
    output, data = os.path.join(point, "out"), os.path.join(point, "run.data")
    rows = [
        ("-o hangs in a write", "hang", "WRITE", ["-d", "0.1", "-o", output], "not written yet",
         "were not written"),
        ("-o hangs in close", "hang", "FLUSH", ["-n", "1", "-d", "0.1", "-o", output],
         "is not closed yet", "was not closed"),
        ("-o hangs in a look-up", "hang", "LOOKUP", ["-n", "1", "-d", "0.1", "-o", output],
         "does not answer", None),
        ("-o hangs in open", "hang", "CREATE", ["-n", "1", "-d", "0.1", "-o", output],
         "does not answer", None),
        ("-o has a dead server", "stop", "WRITE", ["-d", "0.1", "-o", output], " yet.",
         "The kernel may keep the process"),
        ("--replay hangs in a read", "hang", "READ", ["--replay", data], "does not answer", None),
    ]
    if recorded:
        rows += [
            ("--record hangs in a write", "hang", "WRITE", ["-d", "0.1", "--record", data + "2"],
             "not written yet", "were not written"),
            ("--record hangs in close", "hang", "FLUSH",
             ["-n", "1", "-d", "0.1", "--record", data + "2"], "is not closed yet",
             "was not closed"),
        ]
    via = [(f"--via: {name}", mode, op, [*VIA, *arguments], *said)
           for name, mode, op, arguments, *said in rows if arguments[0] != "--replay"]
    return rows + via


def fuse_batch(folder, recorded):
    with open(RECORDING, "rb") as file:
        data = file.read().hex()
    for i in range(len(hung_rows("", recorded))):
        for how in SIGNALS:
            with OutputFiles(folder) as files:
                name, mode, op, arguments, *sentences = hung_rows(files.point, recorded)[i]
                files.tell(f"put run.data {data}")
                files.tell(f"{mode} {op}")
                check_hung(files, name, Batch(*arguments), mode, op, how, *sentences)


def fuse_screen(folder, recorded):
    with open(RECORDING, "rb") as file:
        data = file.read().hex()
    for how in ("q", *SIGNALS):
        for via in ([], VIA) if recorded else ():
            with OutputFiles(folder) as files:
                run = Live(*via, "-d", "0.1", "--record", files.path("run.data"))
                files.tell("hang WRITE")
                check_hung(files, f"{' '.join(['pmctop', *via])}: a screen and a recording that hangs", run, "hang",
                           "WRITE", how, "not written yet", "were not written")
        with OutputFiles(folder) as files:
            files.tell(f"put run.data {data}")
            run = Live("--replay", files.path("run.data"))
            files.tell("hang READ")
            run.tty.write(b"i")  # other rows: the recording is read again
            check_hung(files, "a screen and a replay that hangs", run, "hang", "READ", how,
                       "does not answer", None)
    with OutputFiles(folder) as files:
        files.tell(f"put run.data {data}")
        files.tell("hang READ")
        run = Live("--replay", files.path("run.data"), drawn=False)
        with contextlib.closing(run):
            files.wait_for("hung READ")
            took = measure(run, signal.SIGINT, lambda: "does not answer" in run.said())
            check_time("a replay hangs before the screen: SIGINT", took, detail=run.said())
            files.server.kill()
            wait_until(run.ended)


def file_capabilities(folder, _):
    """They keep an ordinary user's program from reading its own system calls."""
    program = os.path.join(folder, "pmctop")
    os.chmod(folder, 0o755)
    shutil.copy(PMCTOP, program)
    if os.getuid() or not shutil.which("setcap") or subprocess.run(
            ["setcap", "cap_perfmon=ep", program], check=False).returncode:
        skip("file capabilities", "they cannot be set")
        return
    with open(RECORDING, "rb") as file:
        data = file.read().hex()
    for how in SIGNALS:
        with OutputFiles(folder) as files:
            files.tell(f"put run.data {data}")
            files.tell("hang READ")
            run = Batch("--replay", files.path("run.data"), program=(*AS_NOBODY, program))
            check_hung(files, "file capabilities, --replay hangs in a read", run, "hang", "READ",
                       how, "does not answer", None)


def channels(folder, _):
    """The command of --via cannot be killed."""
    cue, pids, hang = (os.path.join(folder, name) for name in ("cue", "pids", "hang"))
    with open(hang, "w", encoding="ascii") as file:
        file.write(HANG)
    for how in SIGNALS:
        with OutputFiles(folder) as files:
            files.tell("put file 00")
            run = Live("--via", f"{sys.executable} {hang} {cue} {files.path('file')} {pids}")
            files.tell("hang OPEN")
            with open(cue, "w", encoding="ascii"):
                files.wait_for("hung OPEN")
                files.wait_for("hung OPEN")
            # The screen is not left by pmctop there.
            with open(pids, encoding="ascii") as file:
                os.kill(int(file.read()), signal.SIGKILL)
            check_end("the command of --via cannot be killed", run, how)
        os.unlink(cue)


def slow_disk(folder, recorded):
    """What a slow disk has not written yet is awaited."""
    if not recorded:
        return
    with OutputFiles(folder) as files:
        files.tell("late 0.4")
        run = Batch("-i", "-d", "0.1", "--record", files.path("run.data"))
        with contextlib.closing(run):
            wait_until(lambda: size_of(files, "run.data") > 0)
            run.end(signal.SIGTERM)
            ended = wait_until(run.ended)
            check("a slow disk: the recording is awaited, status 0",
                  ended and status_of(run) == 0 and "not written yet" in run.said(), run.said())
            done = subprocess.run([PMCTOP, "-b", "--replay", files.path("run.data")],
                                  capture_output=True, text=True, timeout=PATIENCE_S, check=False)
            check("a slow disk: the recording is complete", done.returncode == 0 and
                  done.stdout and not done.stderr, done.stderr)


def size_of(files, name):
    """0 also if there is no such file yet."""
    try:
        return os.stat(files.path(name)).st_size
    except OSError:
        return 0


def tables(folder, _):
    """Before the screen, signals have their default action, or end it as later."""
    for arguments in (["--list", "events"], ["-e", "no-such-event"]):
        for how in SIGNALS:
            with OutputFiles(folder) as files:
                files.tell("stop OPENDIR")
                run = Batch("--event-tables", files.point, *arguments)
                files.wait_for("stopped OPENDIR")
                check_end(f"--event-tables hangs, {arguments[0]}", run, how)


PARTS = {"pipes": pipes, "replayed_pipes": replayed_pipes, "clients": clients}
FUSE_PARTS = {"fuse_batch": fuse_batch, "fuse_screen": fuse_screen, "channels": channels,
              "file_capabilities": file_capabilities, "slow_disk": slow_disk, "tables": tables}


def why_no_fuse():
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        return "no right to use /dev/fuse"
    return skip_reason.mounts()


def main():
    no_fuse = why_no_fuse()
    if not no_fuse and "PRIVATE_MOUNTS" not in os.environ:
        os.execvpe("unshare", [*PRIVATE, sys.executable, *sys.argv],
                   {**os.environ, "PRIVATE_MOUNTS": "1"})
    not_recorded = skip_reason.system_wide(PMCTOP)
    if not_recorded:
        skip("recordings", not_recorded)
    for name, part in {**PARTS, **FUSE_PARTS}.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        if no_fuse and name in FUSE_PARTS:
            skip(name, no_fuse)
            continue
        with tempfile.TemporaryDirectory() as folder:
            part(folder, not not_recorded)
    finish()


if __name__ == "__main__":
    main()
