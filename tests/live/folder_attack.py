# SPDX-License-Identifier: MIT
"""The attack of another user on the folders of --ssh and --via: the folder of the program there,
and the folder of ssh's socket here.

Processes of the user nobody rename and replace the folders where they may, move the directories that
lead to them, and make folders with names like theirs (baits). A shell script takes the place of ssh
and runs the commands here.
"""
import collections
import contextlib
import mmap
import os
import shutil
import struct
import subprocess
import tempfile

from frames import check
from programs import NOBODY, PMCTOP

PATIENCE_S = 60
ATTACKERS = 2
NEW_PIDS = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc")
OTHER_BOOT = "01234567-89ab-cdef-0123-456789abcdef"
# While the file $HOLD exists, the program is not started: its folder stays.
SSH = """#!/bin/sh
case " $* " in
*" ControlMaster=yes "*) ;;
*) while [ -e "$HOLD" ]; do sleep 0.1; done ;;
esac
while [ "$1" != -- ]; do shift; done
shift 2
eval "$@"
"""
# What an attacker would have root run. It answers like pmctop.
EVIL = """#!/bin/sh
id -u >>{}
echo pmctop 99.0.0
"""
REGULAR = ("pmctop", "parcel", "recording", "trial", "pipe", "s")
HERE, THERE = "pmctop-control-", "pmctop-ssh-"
COUNTS = ("found here", "replaced here", "found there", "replaced there", "moved directories", "baits",
          "lost baits")
# Directories of a scene in which the user nobody makes files.
OPEN = ("open", "theirs", "sticky", "evil")


class Counts:
    """Counts of all attackers, in memory that they share. Each attacker has a row of its own. The
    first byte is the request to end."""

    def __init__(self):
        self.bytes = mmap.mmap(-1, mmap.PAGESIZE)

    @staticmethod
    def _offset(row, name):
        return 8 * (1 + row * len(COUNTS) + COUNTS.index(name))

    def _get(self, row, name):
        return struct.unpack_from("Q", self.bytes, self._offset(row, name))[0]

    def add(self, row, name):
        struct.pack_into("Q", self.bytes, self._offset(row, name), self._get(row, name) + 1)

    def sums(self):
        return {name: sum(self._get(row, name) for row in range(ATTACKERS)) for name in COUNTS}

    def end(self, wanted=True):
        self.bytes[0] = wanted

    def is_ended(self):
        return self.bytes[0]


class Scene:
    """Directories that others may change, and one with files that must stay."""

    def __init__(self, path):
        self.path = path
        os.chmod(path, 0o755)
        for name, mode, owner in (("bin", 0o755, 0), ("treasure", 0o700, 0), ("good", 0o700, 0),
                                  ("open", 0o777, 0), ("open/inner", 0o755, 0), ("theirs", 0o755, NOBODY),
                                  ("theirs/mine", 0o755, 0), ("sticky", 0o1777, 0),
                                  ("evil", 0o755, NOBODY)):
            os.mkdir(self.file(name))
            os.chmod(self.file(name), mode)
            os.chown(self.file(name), owner, owner)
        for name in REGULAR:
            self.write(f"treasure/{name}", "true")
        os.mkfifo(self.file("treasure/alive"))
        self.write("bin/ssh", SSH)
        self.write_evil()
        self.write("evidence", "", 0o666)
        self.write("boot", OTHER_BOOT + "\n")
        os.symlink("../sticky", self.file("theirs/link"))
        os.lchown(self.file("theirs/link"), NOBODY, NOBODY)
        self.treasure = self.list_treasure()
        self.counts = Counts()
        self.said = collections.Counter()
        self.races = 0

    def file(self, name):
        return os.path.join(self.path, name)

    def write(self, name, text, mode=0o755):
        with open(self.file(name), "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(self.file(name), mode)

    def write_evil(self):
        self.write("evil/pmctop", EVIL.format(self.file("evidence")))

    def list_treasure(self):
        """The files that pmctop must not remove."""
        return sorted((entry.path, entry.inode()) for name in ("treasure", "evil")
                      for entry in os.scandir(self.file(name)) if entry.name in (*REGULAR, "alive"))

    def bad_places(self):
        return [self.file(name) for name in ("open", "open/inner", "theirs", "theirs/mine",
                                             "theirs/link", "sticky")]

    def long_places(self):
        """The name of a directory, the name of the folder in it and the whole path are too long."""
        long = self.file("good/" + "n" * 150 + "/" + "n" * 100)
        os.makedirs(long, exist_ok=True)
        return [self.file("n" * 256), long, self.file("theirs/" + "n/" * 2048)]

    def other_host(self):
        """What runs a command on another host with these files: its name and boot id differ."""
        script = (f'hostname other && mount --bind {self.file("boot")} /proc/sys/kernel/random/boot_id && '
                  'exec "$@"')
        return ("unshare", "--uts", *NEW_PIDS[1:], "sh", "-c", script, "sh")

    def start(self, *arguments, before=(), **variables):
        environment = {"PATH": f"{self.file('bin')}:{os.environ['PATH']}", "HOME": self.file("good"),
                       "PMCTOPRC": "/dev/null", **variables}
        return subprocess.Popen([*before, PMCTOP, *arguments], env=environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def wait(self, run):
        """The status, the output and the messages of a run."""
        output, said = run.communicate(timeout=PATIENCE_S)
        self.races += 1
        for line in said.splitlines():
            self.said[line.replace(self.path, "SCENE")[:160]] += 1
        return run.returncode, output, said

    @contextlib.contextmanager
    def program(self, i):
        """The host has a pmctop, in every other round of two runs. Else the program is copied."""
        if i // 2 % 2:
            os.symlink(PMCTOP, self.file("bin/pmctop"))
        try:
            yield
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.file("bin/pmctop"))

    def race(self, i, *way, **variables):
        """Runs pmctop, every other time in a pid namespace."""
        with self.program(i):
            return self.wait(self.start(*way, "--list", "marks", before=NEW_PIDS if i % 2 else (),
                                        **variables))

    def check_unharmed(self, name, is_found=True):
        """`is_found`: the attackers must have found folders."""
        with open(self.file("evidence"), encoding="ascii") as file:
            ran = file.read().split()
        treasure, counts = self.list_treasure(), self.counts.sums()
        print(f"# {name}: {self.races} races, {len(ran)} foreign programs ran, "
              f"{len({*self.treasure} - {*treasure}) + counts['lost baits']} foreign files were removed,",
              ", ".join(f"{what}: {n}" for what, n in counts.items()))
        for line, times in self.said.most_common(12):
            print(f"# {times} times: {line}")
        check(f"{name}: nothing foreign has run", not ran, ran)
        check(f"{name}: nothing foreign is removed", treasure == self.treasure and not counts["lost baits"],
              (treasure, counts))
        check(f"{name}: there were attacks, and no folder is replaced",
              counts["moved directories"] and not counts["replaced here"] + counts["replaced there"]
              and (counts["found here"] + counts["found there"] or not is_found), counts)

    def check_nothing_left(self, name):
        left = [f"{parent}/{file}" for place in (self.path, "/tmp", "/dev/shm")
                for parent, folders, files in os.walk(place) for file in (*folders, *files)
                if file.startswith(("pmctop-", "moved-")) and os.lstat(f"{parent}/{file}").st_uid == 0]
        check(f"{name}: nothing is left", not left, (len(left), left))


@contextlib.contextmanager
def scene_of_test():
    with tempfile.TemporaryDirectory(dir="/var/tmp") as path:
        yield Scene(path)


class Attacker:
    """A process of the user nobody. Each moves one directory of the scene."""

    def __init__(self, scene, row):
        self.scene, self.row, self.turn = scene, row, 0
        self.moved = scene.file(("theirs/mine", "open/inner")[row])
        self.baits = {}

    def count(self, name):
        self.scene.counts.add(self.row, name)

    def run(self):
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        places = [*map(self.scene.file, OPEN), "/tmp", "/dev/shm"]
        while not self.scene.counts.is_ended():
            self.turn += 1
            with contextlib.suppress(OSError):
                self.flip_link()
            with contextlib.suppress(OSError):
                self.move_directory()
            for place in places:
                with contextlib.suppress(OSError):
                    self.attack_folders(place)
        for place in places:
            self.remove_bait(place)

    def flip_link(self):
        targets = ("../sticky", "../evil", self.scene.file("good"), "../open")
        new = self.scene.file(f"theirs/link.{self.row}")
        os.symlink(targets[self.turn % len(targets)], new)
        os.rename(new, self.scene.file("theirs/link"))
        self.count("moved directories")

    def move_directory(self):
        """Gives the name of a directory to another one for a moment, with the same names in it."""
        path, away = self.moved, self.moved + ".away"
        os.rename(path, away)
        self.count("moved directories")
        with contextlib.suppress(OSError):
            if self.turn % 3 == 0:
                os.symlink("../evil", path)
            else:
                self.fill_directory(path, os.listdir(away))
        with contextlib.suppress(OSError):
            os.rename(path, f"{path}.moved-{self.turn}")
        with contextlib.suppress(OSError):
            os.unlink(f"{path}.moved-{self.turn}")
        with contextlib.suppress(OSError):
            shutil.rmtree(f"{path}.moved-{self.turn}")
        os.rename(away, path)

    def fill_directory(self, path, names):
        os.mkdir(path)
        for name in names:
            os.symlink(self.scene.file("evil"), f"{path}/{name}")
            self.count("replaced here" if name.startswith(HERE) else "replaced there")

    def attack_folders(self, place):
        for entry in os.scandir(place):
            kind = ("here" if entry.name.startswith(HERE) else
                    "there" if entry.name.startswith(THERE) else None)
            if kind and entry.stat(follow_symlinks=False).st_uid == 0:
                self.count(f"found {kind}")
                with contextlib.suppress(OSError):
                    self.replace(entry.path)
                    self.count(f"replaced {kind}")
                with contextlib.suppress(OSError):
                    self.lay_bait(place, entry.name)

    def replace(self, path):
        """Renames a folder away, and gives its name to a link or to a folder with another program."""
        if not os.path.exists(self.scene.file("evil/pmctop")):
            self.scene.write_evil()
        place, name = os.path.split(path)
        os.rename(path, f"{place}/moved-{self.row}-{self.turn}-{name[-8:]}")
        if self.turn % 3 == 0:
            os.symlink(self.scene.file("treasure"), path)
        elif self.turn % 3 == 1:
            os.symlink(self.scene.file("evil"), path)
        else:
            os.mkdir(path, 0o755)
            os.symlink(self.scene.file("evil/pmctop"), f"{path}/pmctop")

    def lay_bait(self, place, name):
        """A folder, or a link to one, that is stale by its name and files, and not by its owner."""
        name = f"{name[:-8]}{os.getpid():08x}"
        if name in self.baits.get(place, ""):
            return
        self.remove_bait(place)
        bait = f"{place}/{name}"
        if self.turn % 2:
            os.symlink(self.scene.file("treasure"), bait)
            files = ()
        else:
            os.mkdir(bait, 0o700)
            os.mkfifo(f"{bait}/alive")
            for file in REGULAR:
                os.symlink(self.scene.file("evil/pmctop"), f"{bait}/{file}")
            files = (*REGULAR, "alive")
        self.baits[place] = (bait, files)
        self.count("baits")

    def remove_bait(self, place):
        bait, files = self.baits.pop(place, (None, ()))
        if bait is None:
            return
        try:
            for file in files:
                os.unlink(f"{bait}/{file}")
            (os.rmdir if files else os.unlink)(bait)
        except FileNotFoundError:
            self.count("lost baits")


@contextlib.contextmanager
def attackers(scene):
    """Ends them when the test is over: they then remove their baits."""
    scene.counts.end(False)
    started = []
    for row in range(ATTACKERS):
        pid = os.fork()
        if pid == 0:
            try:
                Attacker(scene, row).run()
            finally:
                os._exit(0)
        started.append(pid)
    try:
        yield
    finally:
        scene.counts.end()
        for pid in started:
            os.waitpid(pid, 0)
