#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--ssh to the sshds of ssh_hosts.py, and --via: output, files, keys, login shells, places for the
program, and users.

    ssh_test.py [NAME...]     only these tests

Prints TAP. BUILD is the build directory. Needs root.
"""
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from frames import check, frames_of, skip  # noqa: E402
from programs import PMCTOP  # noqa: E402
from ssh_hosts import (  # noqa: E402
    MARK, NOISE, PATIENCE_S, USER, children_and, draws_and_quits, host, is_drawn, on_screen,
    pmctop_of, run, run_tests)
from terminals import Failure, Terminal  # noqa: E402


def test_plain():
    with host() as box:
        login = time.monotonic()
        run("ssh", "-F", box.file("ssh_config"), "box", "true")
        login = time.monotonic() - login
        took = min(draws_and_quits(f"run {i}", box) for i in range(3))
        print(f"# ssh's login {login:.2f} s; login, copy and first rows {took:.2f} s")
        before = box.logins()
        done = box.run("--format", "json", "-n", "1", "-d", "0.2")
        frames = frames_of(done.stdout)
        check("json: one frame", done.returncode == 0 and len(frames) == 1 and frames[0]["tasks"], done)
        check("one login", box.logins() == before + 1, box.logins() - before)
        done = box.run("--doctor")
        check("--doctor", "can" in done.stdout and done.returncode in (0, 3), done)
        done = box.run("-b", "--", "sh", "-c", "exit 7")
        check("the status of a command is passed on", done.returncode == 7, done)
        done = box.run("--no-such-option")
        check("a wrong option costs no login", done.returncode == 2 and box.logins() == before + 3,
              (done, box.logins()))
        box.check_nothing_left("batch")
        words = " ".join(box.words("-b", "-d", "0.2"))
        done = run("bash", "-c", f"{words} | head -n 2; echo status=${{PIPESTATUS[0]}}")
        check("a reader that has enough ends it", "status=0" in done.stdout and not done.stderr, done)
        box.check_nothing_left("head")


def test_files():
    with host() as box, tempfile.TemporaryDirectory() as here:
        recording, text = os.path.join(here, "r.data"), os.path.join(here, "o.json")
        done = box.run("--format", "json", "-n", "2", "-d", "0.2", "-o", text, "--record", recording)
        with open(text, encoding="utf-8") as file:
            check("-o writes here", done.returncode == 0 and len(frames_of(file.read())) == 2, done)
        replay = run(PMCTOP, "--replay", recording, "--format", "json")
        check("--record writes here", replay.returncode == 0 and len(frames_of(replay.stdout)) >= 2,
              replay)
        check("no other file", sorted(os.listdir(here)) == ["o.json", "r.data"], os.listdir(here))
        os.unlink(recording)
        draws_and_quits("screen and recording", box, "--record", recording)
        replay = run(PMCTOP, "--replay", recording, "--format", "json")
        check("it is replayed", replay.returncode == 0 and frames_of(replay.stdout), replay)
        done = subprocess.run(box.words("--record", "-", "-n", "1", "-d", "0.2"), capture_output=True,
                              stdin=subprocess.DEVNULL, check=False, timeout=PATIENCE_S)
        check("--record - is the output", done.stdout.startswith(b"PERFILE2"), done.stderr)
        done = box.run("-b", "-n", "1", "--record", "/dev/full")
        check("a file that cannot be written costs no login", done.returncode == 1, done)
        config = os.path.join(here, "conf")
        with open(config, "w", encoding="utf-8") as file:
            file.write("[keys]\nquit = F9\n[pmctop]\nno-such-setting = 1\n")
        done = box.run("--config", config, "--list", "keys")
        check("the configuration here", "F9" in done.stdout and config in done.stderr, done)
        box.check_nothing_left("files")


def test_keys():
    """Keys that write files, and the themes of here."""
    with host() as box, tempfile.TemporaryDirectory() as here:
        os.makedirs(f"{here}/pmctop/themes")
        with open(f"{here}/pmctop/themes/mine.theme", "w", encoding="ascii") as file:
            file.write('# Made here\ntheme[main_fg]="#123456"\n')
        with open(f"{here}/pmctop/pmctop.conf", "w", encoding="ascii") as file:
            file.write("[keys]\ntheme = Y\n")
        terminal = Terminal(120, 40, XDG_CONFIG_HOME=here)
        try:
            terminal.start(shlex.join(box.words()[1:]))
            for key, text in (("S", f"Saved on the host: box:{box.home}/pmctop-"),
                              ("W", "Not saved: a host may not write your files."),
                              ("Y", "mine +Made here"), ("Enter", "^ +PID .*COMMAND"),
                              ("o", "Record to file on box: pmctop-")):
                terminal.keys(key)
                terminal.wait_for(text)
                check(f"{key} shows {text}", True)
            terminal.keys("C-u", "Enter", "q")
            terminal.wait_for("^rc=0$")
        except Failure as failure:
            check("keys there", False, failure)
        finally:
            terminal.close()
        there = sorted(os.path.splitext(name)[1] for name in os.listdir(box.home)
                       if name.startswith("pmctop-"))
        check("S has written there", there == [".ansi", ".svg"], there)
        box.check_nothing_left("keys")


def test_shells():
    marks = run(PMCTOP, "--list", "marks").stdout
    for name in ("dash", "bash", "tcsh", "zsh", "fish"):
        shell = shutil.which(name)
        if not shell:
            skip(f"the login shell {name}", "it is not installed")
            continue
        with host(shell=shell) as box:
            greeting = run("ssh", "-F", box.file("ssh_config"), "box", "true").stdout
            done = box.run("--list", "marks")
            check(f"{name} ({'prints' if NOISE in greeting else 'prints nothing'}): the output alone",
                  done.returncode == 0 and done.stdout == marks, done)
            draws_and_quits(name, box)


def test_sh():
    """/bin/sh is another shell, as on other distributions."""
    for name in ("bash", "zsh", "mksh", "busybox"):
        shell = shutil.which(name)
        if not shell:
            skip(f"/bin/sh is {name}", "it is not installed")
            continue
        with host(shell="/bin/bash", mounts=f"mount --bind {shell} /bin/sh\n") as box:
            draws_and_quits(f"/bin/sh is {name}", box)


NOEXEC = "mount -o remount,noexec /tmp\nmount -o remount,noexec /dev/shm\n"
HOME_TMPFS = 'mount -t tmpfs {} tmpfs "$HOME"\n'
REMEDY = "perf record -a -e"


def test_places():
    no_home = HOME_TMPFS.format("-o ro")
    for name, mounts, works in (
            ("/tmp is noexec", "mount -o remount,noexec /tmp\n", True),
            ("/tmp and /dev/shm are noexec", NOEXEC, True),
            ("all are noexec", NOEXEC + HOME_TMPFS.format("-o noexec"), False),
            ("/tmp is full", "mount -o remount,size=64k /tmp\n", True),
            ("all are full", "mount -o remount,size=64k /tmp\nmount -o remount,size=64k /dev/shm\n"
             + HOME_TMPFS.format("-o size=64k"), False),
            ("home is read-only", no_home, True),
            ("all are read-only",
             "mount -o remount,ro /tmp\nmount -o remount,ro /dev/shm\n" + no_home, False)):
        with host(mounts=mounts) as box:
            if works:
                draws_and_quits(name, box)
                continue
            done = box.run("-b", "-n", "1")
            lines = done.stderr.splitlines()
            check(f"{name}: a sentence, the reasons, and the command for that host",
                  done.returncode == 1 and "copied to no place" in lines[-1]
                  and REMEDY in lines[-2] and "box perf" in lines[-2] and len(lines) >= 4, done)
            box.check_nothing_left(name)


def test_forced():
    with host(config="ForceCommand echo No shell for you.") as box:
        done = box.run("-b", "-n", "1")
        check("a forced command: a sentence", done.returncode == 1
              and "/bin/sh was not run: a forced command" in done.stderr, done)
        box.check_nothing_left("forced command")
    with host(config="ForceCommand cat") as box:
        # It sends the script back, with its token.
        done = box.run("-b", "-n", "1")
        check("a forced command that repeats its input: a sentence", done.returncode == 1
              and len(done.stderr.splitlines()) == 1, done)


def test_refused():
    with host() as box:
        done = box.run("-b", "-n", "1", "--ssh-option", "-oIdentityFile=/dev/null",
                       "--ssh-option", "-oIdentitiesOnly=yes", "--ssh-option", "-F/dev/null",
                       "--ssh-option", "-oBatchMode=yes")
        check("no login: ssh's message, then a sentence", done.returncode == 1
              and done.stderr.splitlines()[-1].startswith("pmctop: box: the connection failed"), done)
    done = run(PMCTOP, "--ssh", "127.0.0.1", "--ssh-option", "-p1", "-b")
    check("no sshd: the same", done.returncode == 1 and "Connection refused" in done.stderr
          and "127.0.0.1: the connection failed" in done.stderr, done)


def test_stale():
    """Folders that a shell on the host has left. A shell holds its folder by the pipe."""
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        boot = file.read().strip()
    name = "".join(filter(str.isalnum, os.uname().nodename))[:20]
    this = f"{MARK}0-{name}-{boot}-4194304-"
    with host() as box:
        tmp = box.inside("/tmp")

        def make(folder, owner=0):
            os.mkdir(f"{tmp}/{folder}", 0o700)
            os.mkfifo(f"{tmp}/{folder}/alive")
            os.chown(f"{tmp}/{folder}", owner, owner)
            return folder

        stale = make(f"{this}old")
        with open(f"{tmp}/{stale}/pmctop", "w", encoding="ascii"):
            pass
        kept = [make(f"{this}living"), make(f"{this}theirs", USER), make("other"),
                make(f"{MARK}0-{name}-{boot[::-1]}-4194304-boot"),
                make(f"{MARK}0-x{name}-{boot}-4194304-machine"), f"{this}link"]
        os.symlink("/tmp/other", f"{tmp}/{this}link")
        living = os.open(f"{tmp}/{this}living/alive", os.O_RDWR)
        box.run("--list", "marks")
        left = sorted(os.listdir(tmp))
        check("a folder that no process holds is removed; held ones, links and those of other users, "
              "machines and boots are not", left == sorted(kept), left)
        os.close(living)
        box.run("--list", "marks")
        left = sorted(os.listdir(tmp))
        check("once its shell has ended, it is removed", left == sorted(kept[1:]), left)


def test_stale_here():
    with host() as box, tempfile.TemporaryDirectory(dir="/tmp") as here:
        with on_screen(box.words(), TMPDIR=here) as screen:
            screen.read_until(lambda: is_drawn(screen))
            os.kill(pmctop_of(screen), signal.SIGKILL)
            screen.wait()
        box.check_nothing_left("SIGKILL")
        run(*box.words("--list", "marks"), env={**os.environ, "TMPDIR": here})
        check("what a killed pmctop has left here is removed by the next", not os.listdir(here),
              os.listdir(here))


def test_installed():
    with tempfile.TemporaryDirectory(dir="/var/tmp") as path:
        os.chmod(path, 0o755)
        shutil.copy(PMCTOP, path)
        with host(config=f"SetEnv PATH={path}:/usr/bin:/bin", mounts=NOEXEC) as box:
            with on_screen(box.words("-H")) as screen:
                screen.read_until(lambda: is_drawn(screen))
                there = [os.readlink(f"/proc/{pid}/exe") for pid in box.programs()]
                check("an installed pmctop is used, also where /tmp is noexec",
                      there == [f"{path}/pmctop"], there)
                screen.write(b"q")
                screen.wait()
            box.check_nothing_left("installed")
            check("it stays", os.path.exists(f"{path}/pmctop"))
        with open(f"{path}/pmctop", "w", encoding="ascii") as old:
            old.write("#!/bin/sh\necho pmctop 0.0.1\n")
        with host(config=f"SetEnv PATH={path}:/usr/bin:/bin") as box:
            done = box.run("--list", "marks")
            check("an older one is not", done.returncode == 0 and "?" in done.stdout, done)


def test_users():
    with host() as box:
        done = box.run("--format", "json", "-n", "1", "-d", "0.2", host="user@box")
        check("an ordinary user", done.returncode == 0 or "count" in done.stderr, done)
        draws_and_quits("an ordinary user", box, host="user@box")
        page = box.run("--doctor", host="user@box").stdout
        check("--doctor names no file that is removed", "(deleted)" not in page and page, page)


def test_passphrase():
    """^C at ssh's own prompt, without a screen."""
    with host() as box, tempfile.TemporaryDirectory() as here:
        run("ssh-keygen", "-q", "-p", "-P", "", "-N", "secret", "-f", box.file("user"))
        with on_screen(box.words("-o", os.path.join(here, "text"), "--", "true")) as screen:
            screen.read_until(lambda: b"Enter passphrase" in screen.output)
            screen.write(b"\x03")
            check("^C at ssh's prompt", screen.wait() == 130 and screen.settings_are_back(),
                  (screen.process.poll(), screen.output, screen.process.stderr.read()))
        box.check_nothing_left("^C at ssh's prompt")


def test_via():
    """nsenter is the command: it passes its terminal on, as docker exec does."""
    with host() as box:
        via = ["--via", f"nsenter --target {box.sshd.pid} --mount --"]
        box.words = lambda *arguments: [PMCTOP, *via, *arguments]
        draws_and_quits("--via", box)
        with on_screen(box.words()) as screen:
            screen.read_until(lambda: is_drawn(screen))
            for pid in children_and(pmctop_of(screen))[1:]:
                os.kill(pid, signal.SIGKILL)
            status = screen.wait()
            printed = screen.process.stderr.read().decode()
            check("--via: the command is killed: a sentence, and the terminal is whole",
                  status == 1 and "the connection broke" in printed and screen.settings_are_back(),
                  (status, printed))
        box.check_nothing_left("--via: the command is killed")


if __name__ == "__main__":
    sys.exit(run_tests(globals()))
