#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks pmctop --ssh on a machine of another architecture (ssh_guest.sh): arm64, with dropbear and
without a pmctop. Its shell and all its tools are busybox.

    ssh_check.py SHIFT CONFIG       prints TAP

CONFIG: ssh's configuration, in which the machine is "guest". At shift S there are exactly 1 / 2^S
instructions per cycle.
"""
import contextlib
import os
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from frames import broken_sums, frames_of, named, near  # noqa: E402
from terminals import (PATIENCE_S, PMCTOP, Failure, Terminal, children, measures,  # noqa: E402
                       run_all, wait_until)

IPC = 1 / 2 ** int(sys.argv[1])
CONFIG = sys.argv[2]
# All that a run could leave: files, and processes that are no kernel threads.
STATE = r"ls -A /tmp /dev/shm /root /home/user; ps -o user,args | grep -v '\['"


def run(*command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False, timeout=PATIENCE_S)


def expect(what, good, detail):
    if not good:
        raise Failure(f"{what}: {detail}")


def on_host(script):
    return run("ssh", "-F", CONFIG, "-o", "ConnectTimeout=20", "guest", script).stdout


def words(*arguments, host="guest"):
    return [PMCTOP, "--ssh-option", "-F", "--ssh-option", CONFIG, "--ssh", host, *arguments]


def expect_nothing_left():
    try:
        wait_until("nothing left", lambda: on_host(STATE) == before)
    except Failure as failure:
        raise Failure(f"{failure}: {on_host(STATE)}") from None


def expect_ipc(frames):
    ipcs = [task["metrics"]["ipc"] for task in named(frames, "spin")]
    expect(f"a busy loop's ipc is {IPC:.2f}, within 2 %", len(ipcs) == len(frames) > 0
           and all(near(ipc, IPC, 0.02) for ipc in ipcs), ipcs)


def test_host():
    facts = on_host("uname -m; readlink /bin/sh; command -v pmctop; command -v cksum")
    expect("arm64 and busybox, without pmctop and cksum", facts == "aarch64\n/bin/busybox\n", facts)


def test_batch():
    done = run(*words("--format", "json", "-n", "3", "-d", "0.5"))
    frames = frames_of(done.stdout)
    expect("three frames of that host", done.returncode == 0 and not done.stderr
           and [frame["host"] for frame in frames] == ["guest"] * 3, done)
    expect_ipc(frames)
    broken = [text for frame in frames for text in broken_sums(frame)]
    expect("conservation holds exactly", not broken, broken)
    expect_nothing_left()


def test_files():
    with tempfile.TemporaryDirectory() as here:
        text, recording = f"{here}/o.json", f"{here}/r.data"
        # r11: arm64's CPU_CYCLES
        done = run(*words("--format", "json", "-e", "cycles,instructions,r11", "-m", "ipc", "-n", "2",
                          "-d", "0.5", "-o", text, "--record", recording, host="user@guest"))
        expect("it runs for an ordinary user", done.returncode == 0 and not done.stdout, done)
        with open(text, encoding="utf-8") as file:
            frames = frames_of(file.read())
        expect_ipc(frames)
        counts = [task["events"] for task in named(frames, "spin")]
        expect("an event of that architecture",
               all(near(count["r11"], count["cycles"], 0.02) for count in counts), counts)
        replay = run(PMCTOP, "--replay", recording, "--format", "json", "-H")
        replayed = [task["events"] for task in named(frames_of(replay.stdout), "spin")]
        expect("the recording has the same counts", replayed == counts, (replay, counts))
    expect_nothing_left()


@contextlib.contextmanager
def drawn(restored=True):
    """pmctop on a terminal, with rows of the host. At the end its settings are as before, unless pmctop
    was killed."""
    terminal = Terminal()
    try:
        settings = terminal.settings()
        pid = terminal.start(" ".join(words()[1:]))
        terminal.wait_for(rf"\b{IPC:.2f}\b.* spin$")
        yield terminal, pid
        if restored:
            terminal.check_sane(settings)
    finally:
        terminal.close()
    expect_nothing_left()


def test_screen():
    with drawn() as (terminal, _):
        files = on_host("ls -A /tmp")
        expect("no file is there while it runs", not files, files)
        terminal.keys("q")
        terminal.wait_for("rc=0")


def connection(pid):
    """The ssh that has the connection."""
    for child in children(pid, "ssh"):
        with open(f"/proc/{child}/cmdline", "rb") as line:
            if b"ControlMaster=yes" in line.read():
                return child
    raise Failure("no ssh has the connection")


def test_broken_link():
    with drawn() as (terminal, pid):
        os.kill(connection(pid), signal.SIGKILL)
        terminal.wait_for("guest: the connection broke. pmctop there has ended")
        terminal.wait_for("rc=1")


def test_silent_link():
    with drawn() as (terminal, pid):
        ssh = connection(pid)
        os.kill(ssh, signal.SIGSTOP)
        wait_until("pmctop's end there", lambda: "--remote" not in on_host(STATE))
        terminal.wait_for("rc=1")


def test_killed():
    with drawn(restored=False) as (terminal, pid):
        os.kill(pid, signal.SIGKILL)
        terminal.wait_for("rc=137")


TESTS = [("the host is another one", test_host),
         ("batch: an ipc that is known", test_batch),
         ("an ordinary user, a file and a recording here", test_files),
         ("a screen", test_screen),
         ("the connection is killed", test_broken_link),
         ("the connection is silent", test_silent_link),
         ("pmctop here is killed", test_killed)]

wait_until("the host's sshd", lambda: on_host("echo ready") == "ready\n")
before = on_host(STATE)
sys.exit(run_all([(name, measures(test)) for name, test in TESTS]))
