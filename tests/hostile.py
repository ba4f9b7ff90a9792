# SPDX-License-Identifier: MIT
"""Names that control a terminal, break a line or look like the end of a quote; tasks with these
names; and a check that no such byte is in pmctop's output."""
import contextlib
import os
import re
import shutil
import subprocess
import tempfile

from programs import BUILD

GUISE = os.path.join(BUILD, "load", "guise")

# A parameter that is in no sequence of pmctop. It must never be sent.
MARK = b"6661"
NAMES = (  # 15 bytes at most, as a task's name
    b"h0\x1b[6661;1Hx",
    b"h1\x1b]52;c;eA==\a",
    b"h2\x1b]8;;x\x1b\\y",
    b"h3\x1bPq6661\x1b\\",
    b"h4\x9b6661H\x9d0;t\x9c",
    b"h5\n\r\t\x0b\x0c\b\x7f\a\x0e\x01\x84\x85\x1b",
    b"h6\xc0\xaf\xe0\x80\xaf\xf5\xff\xed\xa0\x80",
    "h7\u202eabc\u202c\u061c".encode(),
    "h8\u2066a\u2069\u200f\u2028".encode(),
    "h9\u200b\u200d\u2060\ufeff".encode(),
    b"ha" + "\u0301".encode() * 6,
    "hb\u6f22\u5b57\U0001f980".encode(),
    b"hc\",'\\;{}=<>&#",
    b"=1+cmd|'/C x'!A",
    b"\"}\n# EOF\n[6661m",
    b"%n%s%n%s%99999d",
)
ALL = b"".join(NAMES)
BIDI = "\u061c\u200e\u200f\u2028\u2029" + "".join(map(chr, [*range(0x202a, 0x202f),
                                                           *range(0x2066, 0x206a)]))
HIDDEN = BIDI + "\u200b\u200c\u200d\u2060\ufeff"
HEAP = re.compile("\u0301{3}")  # more combining marks than any letter has
# The sequences that pmctop sends to an xterm: cursor, colours, modes, character sets.
OWN = re.compile(rb"\x1b(?:\[[?>]?[0-9;]*\$?[@A-Za-z`]|[()][0AB]|[=>78M])|[\b\r\n\t\x0e\x0f]")

# The title of the window: its text must be as clean as the screen's.
TITLE = re.compile(rb"\x1b\]2;(pmctop [^\x00-\x1f\x7f]*)\a")


def faults(data, lines=b"\n"):
    """The first bad byte or character in printed bytes, or None."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"{error}: {data[max(0, error.start - 40):error.start + 40]!r}"
    for at, character in enumerate(text):
        control = character < " " or "\x7f" <= character < "\xa0"
        if (control and character.encode() not in lines) or character in HIDDEN:
            return f"U+{ord(character):04X} in {text[max(0, at - 40):at + 40]!r}"
    heap = HEAP.search(text)
    return f"marks in {text[max(0, heap.start() - 40):heap.end()]!r}" if heap else None


def shown(data):
    """The text that was sent to a terminal, without escape sequences of pmctop."""
    return OWN.sub(b"", data)


def terminal_faults(data):
    """The first bad sequence or character that was sent to a terminal, or None."""
    data = TITLE.sub(rb"\1\n", data)
    for sequence in OWN.findall(data):
        if MARK in sequence:
            return f"{sequence!r} was sent"
    # The last sequence can be incomplete.
    return faults(re.sub(rb"\x1b[^\x1b]{0,12}$", b"", shown(data)))


class Crowd:
    """A process with each name, and one with a thread for each name. Their arguments are as bad,
    and so are their cgroup and user if this machine allows that."""

    def __init__(self, directory):
        self._stack = contextlib.ExitStack()
        program = os.path.join(os.fsencode(directory), b"exe" + NAMES[0])
        shutil.copy(GUISE, program)
        lines = [(NAMES[0] + b"0", [NAMES[i], b"--", name * 3])
                 for i, name in enumerate(NAMES)]
        lines += [(b"all" + ALL, [b"h-many", *NAMES, b"--", ALL]),
                  (b"", [b"", b"--"]),  # its program's name
                  (b"long", [b"h-long", b"--", (ALL * 999)[:65536], (ALL * 999)[:100000]])]
        self.processes, self.pids = [], []
        for first, arguments in lines:
            self.start_process([first, b"as", *arguments], program)
        self.cgroup = self._move_to_cgroup()

    def start_process(self, command, program=GUISE):
        # Python 3.13 cannot start a program with an empty argv[0].
        process = subprocess.Popen([GUISE, b"start", program, *command], stdout=subprocess.PIPE,
                                   stdin=subprocess.DEVNULL)
        self._stack.callback(self._end, process)
        process.stdout.readline()
        self.processes.append(process)
        self.pids.append(process.pid)

    @staticmethod
    def _end(process):
        process.kill()
        process.wait()
        process.stdout.close()

    def _move_to_cgroup(self):
        """Moves all into a new cgroup of version 2. Returns its path or None."""
        for root in (b"/sys/fs/cgroup", b"/sys/fs/cgroup/unified"):
            path = os.path.join(root, b"h-%d" % os.getpid() + ALL.replace(b"/", b"").replace(
                b"\n", b"")[:200])
            try:
                if not os.path.exists(os.path.join(root, b"cgroup.controllers")):
                    continue
                os.mkdir(path)
            except OSError:
                continue
            self._stack.callback(os.rmdir, path)
            # A cgroup with processes cannot be removed: they end first.
            for process in self.processes:
                self._stack.callback(self._end, process)
            try:
                for pid in self.pids:
                    with open(os.path.join(path, b"cgroup.procs"), "w", encoding="ascii") as file:
                        file.write(str(pid))
            except OSError:
                return None
            return path
        return None

    def close(self):
        self._stack.close()


class Disguise:
    """A prefix for pmctop's command: namespaces with a hostile host name, CPU model and name of
    root. Empty if that is refused; `why` is the reason."""

    SCRIPT = ('set -e; printf %s "$0" >/proc/sys/kernel/hostname; mount --bind "$1/passwd" /etc/passwd; '
              'mount --bind "$1/cpuinfo" /proc/cpuinfo; shift; exec "$@"')

    def __init__(self, directory):
        where = os.fsencode(directory)
        name = b"u" + NAMES[0] + "\u202e\u009b".encode() + b"\xff,\""
        with open(os.path.join(where, b"passwd"), "wb") as file:
            file.write(name + b":x:0:0:" + ALL.replace(b":", b"").replace(b"\n", b"") + b":/:/\n")
        with open(os.path.join(where, b"cpuinfo"), "wb") as file:
            file.write(b"processor\t: 0\nvendor_id\t: x\nmodel name\t: " + ALL.replace(b"\n", b"") +
                       b"\n\n")
        self.command = [b"unshare", b"-m", b"-u", b"--propagation", b"private", b"sh", b"-c",
                        self.SCRIPT.encode(), b"n" + NAMES[4] + NAMES[0], where]
        done = subprocess.run([*self.command, b"true"], capture_output=True, check=False)
        self.why = done.stderr.decode(errors="replace").strip()
        if done.returncode:
            self.command = []


@contextlib.contextmanager
def directory():
    path = tempfile.mkdtemp(prefix="pmctop-hostile-")
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
