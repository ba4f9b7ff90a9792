#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--ssh to the sshds of ssh_hosts.py: links that break, are silent or slow, and signals here.

    ssh_link_test.py [NAME...]     only these tests

Prints TAP. BUILD is the build directory. Needs root.
"""
import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from frames import check, frames_of  # noqa: E402
from programs import PMCTOP  # noqa: E402
from ssh_hosts import (  # noqa: E402
    PATIENCE_S, SPIN, command_line, host, is_drawn, on_screen, pmctop_of, processes, run, run_tests,
    size, start, wait_until)


def kill_programs(box):
    for pid in box.programs():
        os.kill(pid, signal.SIGKILL)


def test_broken_link():
    with host() as box:
        for name, ends in (("sshd's side", box.sessions),
                           ("ssh's side", lambda: box.clients("ControlMaster=yes"))):
            with on_screen(box.words()) as screen:
                screen.read_until(lambda: is_drawn(screen))
                for pid in ends():
                    os.kill(pid, signal.SIGKILL)
                status = screen.wait()
                printed = screen.process.stderr.read().decode()
                check(f"a link broken at {name}: a sentence", status == 1 and
                      "box: the connection broke. pmctop there has ended, and left no file." in printed,
                      (status, printed))
                check(f"a link broken at {name}: the terminal is whole", screen.settings_are_back()
                      and screen.output.rfind(b"\x1b[?1049l") > screen.output.rfind(b"\x1b[?1049h") >= 0
                      and screen.output.rfind(b"\x1b[?1000l") > screen.output.rfind(b"\x1b[?1000h"),
                      screen.output[-200:])
            box.check_nothing_left(f"a link broken at {name}")
        for name, end in (("pmctop there is killed", lambda _: kill_programs(box)),
                          ("ssh's keys ~.", lambda screen: screen.write(b"\r~."))):
            with on_screen(box.words()) as screen:
                screen.read_until(lambda: is_drawn(screen))
                end(screen)
                status = screen.wait()
                printed = screen.process.stderr.read().decode()
                check(f"{name}: a sentence", status == 1 and screen.settings_are_back()
                      and "box: pmctop there was ended by a signal, or ssh by its keys ~." in printed,
                      (status, printed))
            box.check_nothing_left(name)


def test_silent_link():
    with host() as box:
        with on_screen(box.words()) as screen:
            screen.read_until(lambda: is_drawn(screen))
            masters, began = box.clients("ControlMaster=yes"), time.monotonic()
            for pid in masters:
                os.kill(pid, signal.SIGSTOP)
            there = box.programs()
            ended = wait_until(lambda: not box.programs())
            check("a silent link: pmctop there ends", there and ended, there)
            print(f"# after {time.monotonic() - began:.0f} s")
            for pid in masters:
                os.kill(pid, signal.SIGCONT)
            status = screen.wait()
            printed = screen.process.stderr.read().decode()
            check("a silent link: a sentence, and the terminal is whole", status == 1
                  and ("nothing arrived there for 30 s" in printed or "silent for 30 s" in printed)
                  and screen.settings_are_back(), (status, printed))
        box.check_nothing_left("a silent link")


def test_killed_here():
    with host() as box:
        for name, number, status in (("SIGKILL", signal.SIGKILL, -9), ("SIGTERM", signal.SIGTERM, 143),
                                     ("SIGHUP", signal.SIGHUP, 129)):
            with on_screen(box.words()) as screen:
                screen.read_until(lambda: is_drawn(screen))
                os.kill(pmctop_of(screen), number)
                check(f"{name} here: it ends", screen.wait() is not None)
                wait_until(screen.settings_are_back, 5)
                check(f"{name} here: the line settings are restored", screen.settings_are_back())
            box.check_nothing_left(name)
        with on_screen(box.words("-b", "3600")) as screen:
            screen.read_until(lambda: box.programs() != [])
            os.kill(pmctop_of(screen), signal.SIGKILL)
            screen.wait()
        box.check_nothing_left("SIGKILL of -b")
        with tempfile.TemporaryDirectory() as here:
            started = subprocess.Popen(box.words("-b", "3600", "-o", f"{here}/o", "--record", f"{here}/r"),
                                       stdin=subprocess.DEVNULL)
            wait_until(lambda: box.processes("/recording"))
            wait_until(box.programs)
            started.kill()
            started.wait()
            box.check_nothing_left("SIGKILL without a terminal")
        # At any moment of the set-up.
        for delay_ms in range(50, 1050, 100):
            started = subprocess.Popen(box.words("-b", "3600"), stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(delay_ms / 1000)
            started.kill()
            started.wait()
        box.check_nothing_left("SIGKILL at ten moments")


def test_interrupted():
    """^C and timeout(1) send a signal to all processes of the group, so to ssh too."""
    with host() as box, tempfile.TemporaryDirectory() as here:
        text, recording = os.path.join(here, "text"), os.path.join(here, "r.data")
        for number in (signal.SIGINT, signal.SIGTERM):
            name = number.name
            started = start(box.words("--format", "json", "-d", "0.2", "-o", text, "--record",
                                      recording))
            wait_until(lambda: size(text) and size(recording))
            os.killpg(started.pid, number)
            _, printed = started.communicate(timeout=PATIENCE_S)
            with open(text, encoding="utf-8") as file:
                lines = file.read().split("\n")
            check(f"{name}: the output is complete", started.returncode == 0 and not printed
                  and len(frames_of("\n".join(lines))) == len(lines) - 1 > 0,
                  (started.returncode, printed))
            replay = run(PMCTOP, "--replay", recording, "--format", "json")
            check(f"{name}: so is the recording", replay.returncode == 0 and not replay.stderr
                  and len(frames_of(replay.stdout)) >= len(lines) - 1, replay)
            box.check_nothing_left(name)
            os.unlink(text)
            os.unlink(recording)
            load = subprocess.Popen(SPIN[:3])
            started = start(box.words("--format", "folded", "-d", "0.2", "--record", recording))
            for _ in range(10):
                before = size(recording)
                wait_until(lambda: size(recording) > before)
            os.killpg(started.pid, number)
            output, printed = started.communicate(timeout=PATIENCE_S)
            load.kill()
            load.wait()
            check(f"{name}: what is printed at the end is there",
                  started.returncode == 0 and output, (started.returncode, printed))
            os.unlink(recording)
            statuses = {}
            for words in ([PMCTOP], box.words()):
                started = start([*words, "-o", text, "--", *SPIN])
                wait_until(lambda: any(command_line(pid).startswith("sh -c") for pid in
                                       processes(SPIN[-1])))
                os.killpg(started.pid, number)
                _, printed = started.communicate(timeout=PATIENCE_S)
                with open(text, encoding="utf-8") as file:
                    summary = file.read()
                statuses[words[0], len(words)] = started.returncode, "CPU" in summary, printed
                os.unlink(text)
            check(f"{name}: the summary and the status of a command are as here",
                  set(statuses.values()) == {(5 if number == signal.SIGINT else 143, True, b"")},
                  statuses)
            check(f"{name}: the command has ended", not processes(SPIN[-1]))
            box.check_nothing_left(f"{name}, command")
        started = start(box.words("-b", "-d", "0.2", "-o", text))
        wait_until(lambda: size(text))
        there = box.programs()
        for pid in there:
            os.kill(pid, signal.SIGSTOP)
        os.killpg(started.pid, signal.SIGINT)
        wait_until(lambda: len(box.processes("/bin/sh")) == 0)
        os.killpg(started.pid, signal.SIGINT)
        _, printed = started.communicate(timeout=PATIENCE_S)
        check("a second signal ends it at once", started.returncode == 130 and not printed and there,
              (started.returncode, printed, there))
        for pid in there:
            os.kill(pid, signal.SIGCONT)
        box.check_nothing_left("a second signal")


class Relay(threading.Thread):
    """Passes connections on to a port, slowly until `slow` is cleared."""

    RATE = 200_000  # bytes a second to the port

    def __init__(self, port):
        super().__init__(daemon=True)
        self.slow, self.target = True, port
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 14)
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen()
        self.port = self.listener.getsockname()[1]
        self.start()

    def run(self):
        client, _ = self.listener.accept()
        with client, socket.create_connection(("127.0.0.1", self.target)) as server:
            back = threading.Thread(target=self.copy, args=(server, client, False), daemon=True)
            back.start()
            self.copy(client, server, True)
            back.join()

    def copy(self, source, target, slowly):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 13):
                target.sendall(data)
                if slowly and self.slow:
                    time.sleep(len(data) / self.RATE)
            target.shutdown(socket.SHUT_WR)


COPYING = rb"\rbox: copying pmctop, \d\.\d of \d\.\d MB"


def test_slow_copy():
    with host() as box:
        relay = Relay(box.port)
        words = box.words("--ssh-option", f"-p{relay.port}")
        with on_screen(["sh", "-c", 'exec "$@" 2>&1', "sh", *words]) as screen:
            shown = screen.read_until(lambda: len(re.findall(COPYING, screen.output)) > 1)
            relay.slow = False
            screen.read_until(lambda: is_drawn(screen))
            check("a slow copy shows how much is copied, and removes it", shown
                  and re.search(COPYING + rb"\r +\r", screen.output), screen.output[:1000])
            screen.write(b"q")
            screen.wait()
        box.check_nothing_left("a slow copy")


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
