#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--ssh-sudo to the sshds of ssh_hosts.py, with and without a terminal.

    ssh_sudo_test.py [NAME...]     only these tests

Prints TAP. BUILD is the build directory. Needs root.
"""
import contextlib
import os
import shutil
import signal
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from frames import check, frames_of, skip  # noqa: E402
from programs import PMCTOP  # noqa: E402
from ssh_hosts import (  # noqa: E402
    PATIENCE_S, SPIN, children_and, command_line, host, is_drawn, on_screen, pmctop_of, run,
    run_tests, size, start, wait_until)

# The password is swordfish.
SHADOW = "user:$5$pmctop$vMM2b.0TYQPW9P9l9xMDdKlP5AAVdvCpZN0dMBex6G4:19000:0:99999:7:::"
PROMPT = b"password for user: "
ROOT_LOGIN = "log in as root."


def sudo_host(*sudoers):
    """A host on which an ordinary user may do all with sudo."""
    mounts = ""
    for path, lines in (("/etc/shadow", [SHADOW, "root:*:19000:0:99999:7:::"]),
                        ("/etc/sudoers", ["Defaults lecture=always, passwd_tries=3", *sudoers])):
        own = f'"$DIR/{os.path.basename(path)}"'
        mounts += (f"cat >{own} <<'END'\n" + "\n".join(lines) + f"\nEND\nchmod 440 {own}\n"
                   f"mount --bind {own} {path}\n")
    return host(mounts=mounts + "mkdir -p /run/sudo\nmount -t tmpfs tmpfs /run/sudo\n")


@contextlib.contextmanager
def at_prompt(box, *arguments):
    with on_screen(box.words("--ssh-sudo", *arguments, host="user@box")) as screen:
        screen.read_until(lambda: PROMPT in screen.output or screen.process.poll() is not None)
        yield screen


def answer(screen, password, prompts=1):
    """Answers that many prompts."""
    for i in range(prompts):
        screen.read_until(lambda: screen.output.count(PROMPT) > i or screen.process.poll() is not None)
        screen.write(password + b"\n")


def refused_at_prompt(name, box, screen):
    status = screen.wait()
    printed = screen.process.stderr.read().decode()
    check(f"{name}: a sentence", status == 1
          and printed == "pmctop: user@box: pmctop was not started; sudo's message is above.\n",
          (status, printed, screen.output[-300:]))
    check(f"{name}: a whole terminal", screen.settings_are_back() and b"\x1b" not in screen.output,
          screen.output[-300:])
    box.check_nothing_left(name)


def test_sudo_prompt():
    if not shutil.which("sudo"):
        skip("sudo", "no sudo")
        return
    with tempfile.TemporaryDirectory() as here:
        recording = os.path.join(here, "r.data")
        for defaults in ("use_pty", "!use_pty", "requiretty"):
            name = f"sudo with {defaults}"
            with sudo_host(f"Defaults {defaults}", "user ALL=(ALL) ALL") as box:
                with at_prompt(box, "--record", recording) as screen:
                    answer(screen, b"swordfish")
                    screen.read_until(lambda: is_drawn(screen) or screen.process.poll() is not None)
                    users = [os.stat(f"/proc/{pid}").st_uid for pid in box.programs()]
                    check(f"{name}: the prompt, and root's rows", users == [0] and is_drawn(screen)
                          and b"usual lecture" in screen.output, (users, screen.output[-300:]))
                    screen.write(b"q")
                    check(f"{name}: ends", screen.wait() == 0 and screen.settings_are_back(),
                          screen.output[-200:])
                replay = run(PMCTOP, "--replay", recording, "--format", "json")
                check(f"{name}: its recording", replay.returncode == 0 and frames_of(replay.stdout),
                      replay)
                os.unlink(recording)
                box.check_nothing_left(name)
                with at_prompt(box) as screen:
                    answer(screen, b"swordfish")
                    screen.read_until(lambda: is_drawn(screen))
                    # An ordinary user's connection has a process of its own.
                    for session in box.sessions():
                        for pid in children_and(session):
                            os.kill(pid, signal.SIGKILL)
                    check(f"{name}: a broken link ends it", screen.wait() == 1)
                box.check_nothing_left(f"{name}, a broken link")
        with sudo_host("user ALL=(ALL) ALL") as box:
            with at_prompt(box, "--record", recording) as screen:
                answer(screen, b"wrong", 3)
                refused_at_prompt("a wrong password three times", box, screen)
            check("no recording is left", not os.listdir(here), os.listdir(here))
            with at_prompt(box) as screen:
                screen.write(b"\x03")
                refused_at_prompt("^C at the prompt", box, screen)
            with at_prompt(box) as screen:
                os.kill(pmctop_of(screen), signal.SIGTERM)
                check("SIGTERM here at the prompt", screen.wait() == 143 and screen.settings_are_back())
            box.check_nothing_left("SIGTERM here at the prompt")


def test_sudo_without_terminal():
    if not shutil.which("sudo"):
        skip("sudo", "no sudo")
        return
    with tempfile.TemporaryDirectory() as here:
        text, recording = os.path.join(here, "o.json"), os.path.join(here, "r.data")
        for rule in ("ALL", "NOPASSWD: ALL\nDefaults requiretty"):
            with sudo_host(f"user ALL=(ALL) {rule}") as box:
                for words in (["-b"], ["-o", text, "--", "true"], ["-b", "--record", recording]):
                    done = box.run("--ssh-sudo", *words, host="user@box")
                    lines = done.stderr.splitlines()
                    check(f"sudo without a terminal, {rule.split()[-1]}, {words[0]}: a sentence",
                          done.returncode == 1 and not done.stdout and lines[-1].endswith(ROOT_LOGIN)
                          and lines[-2].startswith("sudo: "), done)
                box.check_nothing_left("sudo without a terminal")
                check("no recording", not os.path.exists(recording))
        with sudo_host("user ALL=(ALL) NOPASSWD: ALL") as box:
            done = box.run("--ssh-sudo", "--format", "json", "-n", "1", "-d", "0.2", "-o", text,
                           "--record", recording, host="user@box")
            with open(text, encoding="utf-8") as file:
                check("sudo without a password", done.returncode == 0 and not done.stderr
                      and len(frames_of(file.read())) == 1 and size(recording), done)
            box.check_nothing_left("sudo without a password")
            started = start(box.words("--ssh-sudo", "-o", text, "--", *SPIN, host="user@box"))
            wait_until(lambda: any(command_line(pid).startswith("sh -c trap")
                                   for pid in box.processes(SPIN[-1])))
            os.killpg(started.pid, signal.SIGINT)
            _, printed = started.communicate(timeout=PATIENCE_S)
            check("^C reaches a command below sudo", started.returncode == 5 and not printed,
                  (started.returncode, printed))
            box.check_nothing_left("^C below sudo")


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
