#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Other users attack the folders of --ssh and --via: that of the program, and that of ssh's socket.
Processes of the user nobody rename and replace them where they may.

    [RACES=600] ssh_folders_test.py [NAME...]     only these tests

Prints TAP. BUILD is the build directory. Needs root. It runs in a mount namespace of its own, with
an empty /tmp and /dev/shm. A shell script takes the place of ssh and runs the commands here.
"""
import contextlib
import glob
import os
import random
import signal
import stat
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skip_reason  # noqa: E402
from frames import check, finish, skip_all  # noqa: E402
from programs import PMCTOP  # noqa: E402

RACES = int(os.environ.get("RACES", "48"))
PATIENCE_S = 60
NOBODY = 65534
ENTERED = "PMCTOP_TEST_ENTERED"
NEW_PIDS = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
SSH = """#!/bin/sh
while [ "$1" != -- ]; do shift; done
shift 2
eval "$@"
"""
# What an attacker would have root run. It answers like pmctop.
EVIL = """#!/bin/sh
id -u >>{}
echo pmctop 99.0.0
"""
KNOWN = ("pmctop", "parcel", "recording", "trial", "pipe", "alive", "s")


class Scene:
    """Directories that others may change, and one with files that must stay."""

    def __init__(self, path):
        self.path = path
        os.chmod(path, 0o755)
        for name, mode, owner in (("bin", 0o755, 0), ("treasure", 0o755, 0), ("good", 0o700, 0),
                                  ("open", 0o777, 0), ("open/inner", 0o755, 0), ("theirs", 0o755, NOBODY),
                                  ("theirs/mine", 0o755, 0), ("sticky", 0o1777, 0), ("evil", 0o755, NOBODY)):
            os.mkdir(self.file(name))
            os.chmod(self.file(name), mode)
            os.chown(self.file(name), owner, owner)
        for name in KNOWN[:-2]:
            self.write(f"treasure/{name}", "true")
        os.mkfifo(self.file("treasure/alive"))
        self.write("treasure/s", "true")
        self.write("bin/ssh", SSH)
        self.write("evil/pmctop", EVIL.format(self.file("evidence")))
        self.write("evidence", "", 0o666)
        os.symlink(PMCTOP, self.file("bin/pmctop"))
        os.symlink("../sticky", self.file("theirs/link"))
        os.lchown(self.file("theirs/link"), NOBODY, NOBODY)
        self.treasure = self.list_treasure()

    def file(self, name):
        return os.path.join(self.path, name)

    def write(self, name, text, mode=0o755):
        with open(self.file(name), "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(self.file(name), mode)

    def list_treasure(self):
        return sorted((entry.name, entry.inode()) for entry in os.scandir(self.file("treasure")))

    def bad_places(self):
        return [self.file(name) for name in ("open", "open/inner", "theirs", "theirs/mine",
                                             "theirs/link", "sticky")]

    def start(self, *arguments, new_pids=False, **variables):
        environment = {"PATH": f"{self.file('bin')}:{os.environ['PATH']}", "HOME": self.file("good"),
                       "PMCTOPRC": "/dev/null", **variables}
        return subprocess.Popen([*(NEW_PIDS if new_pids else []), PMCTOP, *arguments], env=environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def check_unharmed(self, name):
        with open(self.file("evidence"), encoding="ascii") as file:
            ran = file.read().split()
        check(f"{name}: nothing foreign has run", not ran, ran)
        treasure = self.list_treasure()
        check(f"{name}: nothing foreign is removed", treasure == self.treasure, treasure)

    def check_nothing_left(self, name):
        left = [path for place in (self.path, "/tmp", "/dev/shm")
                for path in glob.glob(f"{place}/**/pmctop-*", recursive=True)
                if os.lstat(path).st_uid == 0]
        left += glob.glob(f"{self.path}/**/moved-*/*", recursive=True)
        check(f"{name}: nothing is left", not left, left)


def replace(path, scene, turn):
    """Renames a folder away, and gives its name to a link or to a folder with another program."""
    place, name = os.path.split(path)
    os.rename(path, f"{place}/moved-{turn}-{name[-8:]}")
    if turn % 3 == 0:
        os.symlink(scene.file("treasure"), path)
    elif turn % 3 == 1:
        os.symlink(scene.file("evil"), path)
    else:
        os.mkdir(path, 0o755)
        os.symlink(scene.file("evil/pmctop"), f"{path}/pmctop")


def attack(scene, places):
    """Runs as nobody until it is killed."""
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)
    turn = 0
    flipped = ("../sticky", "../evil", scene.file("good"), "../open")
    while True:
        turn += 1
        with contextlib.suppress(OSError):
            os.symlink(flipped[turn % len(flipped)], scene.file("theirs/link.new"))
            os.rename(scene.file("theirs/link.new"), scene.file("theirs/link"))
        with contextlib.suppress(OSError):
            os.rename(scene.file("theirs/mine"), scene.file("theirs/moved"))
            os.rename(scene.file("theirs/moved"), scene.file("theirs/mine"))
        with contextlib.suppress(OSError):
            os.rename(scene.file("open/inner"), scene.file("open/moved"))
            os.rename(scene.file("open/moved"), scene.file("open/inner"))
        for place in places:
            with contextlib.suppress(OSError):
                for entry in os.scandir(place):
                    if entry.name.startswith("pmctop-") and entry.stat(follow_symlinks=False).st_uid == 0:
                        with contextlib.suppress(OSError):
                            replace(entry.path, scene, turn)


@contextlib.contextmanager
def attackers(scene, places):
    started = []
    for _ in range(2):
        pid = os.fork()
        if pid == 0:
            with contextlib.suppress(BaseException):
                attack(scene, places)
            os._exit(1)
        started.append(pid)
    try:
        yield
    finally:
        for pid in started:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


@contextlib.contextmanager
def scene_of_test():
    with tempfile.TemporaryDirectory(dir="/var/tmp") as path:
        yield Scene(path)


def marks():
    return subprocess.run([PMCTOP, "--list", "marks"], capture_output=True, text=True,
                          check=True).stdout


def test_places():
    """TMPDIR is hostile, here and there; /tmp is not."""
    wanted = marks()
    with scene_of_test() as scene:
        places = [*scene.bad_places(), "/tmp", "/dev/shm"]
        with attackers(scene, places):
            failed = []
            for i in range(RACES // 2):
                place = scene.bad_places()[i // 2 % 6]
                run = scene.start("--ssh", "box", "--list", "marks", new_pids=i % 2 == 1, TMPDIR=place)
                output, printed = run.communicate(timeout=PATIENCE_S)
                if run.returncode or output != wanted:
                    failed.append((place, i, run.returncode, printed))
        check(f"{RACES // 2} runs with a hostile TMPDIR: the next place is used", not failed, failed)
        scene.check_unharmed("hostile TMPDIR")
        scene.check_nothing_left("hostile TMPDIR")


def test_no_place():
    """All places are hostile."""
    for path in ("/tmp", "/dev/shm"):
        os.chmod(path, 0o777)
    with scene_of_test() as scene:
        bad = scene.bad_places()[:-1]
        with attackers(scene, [*bad, "/tmp", "/dev/shm"]):
            odd = []
            for i in range(RACES // 4):
                places = [bad[(i // 2 + shift) % len(bad)] for shift in range(3)]
                # The link may lead to the good place at the moment.
                variables = dict(zip(("TMPDIR", "XDG_RUNTIME_DIR", "HOME"), places))
                way = ("--ssh", "box") if i % 4 == 3 else ("--via", "env")
                run = scene.start(*way, "--list", "marks", new_pids=i % 2 == 1, **variables)
                _, printed = run.communicate(timeout=PATIENCE_S)
                refused = run.returncode == 1 and ("copied to no place" in printed
                                                   or "another user may replace /tmp." in printed)
                if not refused and (run.returncode or scene.file("theirs/link") not in places):
                    odd.append((i, places, run.returncode, printed))
        check(f"{RACES // 4} runs without a safe place: a sentence", not odd, odd)
        scene.check_unharmed("no safe place")
        scene.check_nothing_left("no safe place")
    for path in ("/tmp", "/dev/shm"):
        os.chmod(path, 0o1777)


def test_at_once():
    """Runs of one user in one place do not remove each other's folders."""
    wanted = marks()
    with scene_of_test() as scene:
        failed = []
        for i in range(RACES // 16):
            runs = [scene.start("--ssh", "box", "--list", "marks", new_pids=new_pids,
                                TMPDIR=scene.file("good")) for new_pids in (True, True, False, True)]
            for run in runs:
                output, printed = run.communicate(timeout=PATIENCE_S)
                if run.returncode or output != wanted or printed:
                    failed.append((i, run.returncode, printed))
        check(f"{RACES // 16 * 4} runs, four at once: no live folder is removed", not failed, failed)
        scene.check_nothing_left("at once")


def is_in_the_making(path):
    return stat.S_ISDIR(os.lstat(path).st_mode) and not os.path.lexists(f"{path}/alive")


def test_killed():
    """Both sides are killed at any moment. The next run removes what is left."""
    with scene_of_test() as scene:
        good = scene.file("good")
        for _ in range(RACES // 8):
            run = scene.start("--ssh", "box", "-b", "3600", new_pids=True, TMPDIR=good)
            time.sleep(random.uniform(0, 0.4))
            run.kill()
            run.communicate()
        left = glob.glob(f"{good}/pmctop-*")
        print(f"# {len(left)} folders are left after {RACES // 8} killed runs")
        for path in filter(is_in_the_making, left):
            os.utime(path, (0, 0))

        def is_tidy():
            run = scene.start("--ssh", "box", "--list", "marks", TMPDIR=good)
            run.communicate(timeout=PATIENCE_S)
            return not glob.glob(f"{good}/pmctop-*")

        until = time.monotonic() + PATIENCE_S
        while not (tidy := is_tidy()) and time.monotonic() < until:
            pass
        check("what killed runs have left is removed by the next", tidy, glob.glob(f"{good}/*/*"))
        scene.check_nothing_left("killed")


def main():
    if why := skip_reason.mounts():
        skip_all(why)
    if os.geteuid() != 0:
        skip_all("not root")
    if ENTERED not in os.environ:
        os.environ[ENTERED] = "yes"
        script = ("mount -t tmpfs -o mode=1777 tmpfs /tmp && mount -t tmpfs -o mode=1777 tmpfs /dev/shm && "
                  'exec "$@"')
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh",
                              sys.executable, *sys.argv])
    for name, test in list(globals().items()):
        if name.startswith("test_") and (not sys.argv[1:] or name[5:] in sys.argv[1:]):
            test()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
