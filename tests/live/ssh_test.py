#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--ssh with OpenSSH's sshd on the loopback address: login shells, places, broken links, and what is
left on the host afterwards, which is nothing.

Each sshd runs in a mount namespace with files and file systems of its own, so that the host of a
test has other users, shells and disks than this machine. The keys are made for the run.

    ssh_test.py [NAME...]     only these tests

Prints TAP. BUILD is the build directory. Needs root.
"""
import contextlib
import glob
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
import skip_reason  # noqa: E402
from frames import check, finish, frames_of, skip, skip_all  # noqa: E402
from programs import BUILD, PMCTOP  # noqa: E402
from ptys import OnPty  # noqa: E402
from terminals import Failure, Terminal  # noqa: E402

PATIENCE_S = 60
SSHD = "/usr/sbin/sshd"
MARK = "pmctop-ssh-"
NOISE = "Welcome to this host, dear user."
USER = 12345  # an ordinary user's number
# What a login shell reads without a terminal too, and how it prints there.
RC_FILES = {".bashrc": "echo", ".cshrc": "echo", ".zshenv": "echo",
            ".config/fish/config.fish": "echo"}
LOG = "Accepted publickey"


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False,
                          timeout=PATIENCE_S, **{"stdin": subprocess.DEVNULL, **options})


def wait_until(condition, patience_s=PATIENCE_S):
    until = time.monotonic() + patience_s
    while not (value := condition()) and time.monotonic() < until:
        time.sleep(0.05)
    return value


def command_line(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def processes(word):
    """Processes of this machine, and so of its hosts, with that word in their command line."""
    return [int(pid) for pid in filter(str.isdigit, os.listdir("/proc"))
            if int(pid) != os.getpid() and word in command_line(pid)]


class Host:
    """An sshd. `mounts`: commands of a shell, run in its mount namespace before it; $DIR is the
    folder of this host, $HOME the home directory of its users."""

    def __init__(self, shell="/bin/sh", mounts="", config=""):
        self.path = tempfile.mkdtemp(prefix="sshd-", dir="/var/tmp")
        os.chmod(self.path, 0o755)
        self.home = os.path.join(self.path, "home")
        os.makedirs(os.path.join(self.home, ".config", "fish"))
        for name, command in RC_FILES.items():
            self.write(f"home/{name}", f'{command} "{NOISE}"\n')
        for name in ("host", "user"):
            run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.file(name))
        self.write("passwd", f"root:*:0:0::{self.home}:{shell}\n"
                   f"nobody:*:65534:65534::/nonexistent:/bin/sh\nsshd:*:101:65534::/run/sshd:/bin/sh\n"
                   f"user:x:{USER}:{USER}::{self.home}:{shell}\n")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.write("sshd_config", f"ListenAddress 127.0.0.1:{self.port}\nHostKey {self.path}/host\n"
                   f"PidFile none\nAuthorizedKeysFile {self.path}/user.pub\nStrictModes no\n"
                   f"UsePAM no\nPermitRootLogin yes\nPrintMotd yes\n{config}\n")
        self.write("ssh_config", f"Host box\nHostName 127.0.0.1\nPort {self.port}\nUser root\n"
                   f"IdentityFile {self.path}/user\nStrictHostKeyChecking no\n"
                   f"UserKnownHostsFile {self.path}/known\nLogLevel ERROR\n")
        os.makedirs("/run/sshd", exist_ok=True)
        # Places of its own: an empty /tmp and /dev/shm.
        script = ("set -e\nmount -t tmpfs tmpfs /tmp\nchmod 1777 /tmp\nmount -t tmpfs tmpfs /dev/shm\n"
                  f'chmod 1777 /dev/shm\nmount --bind "$DIR/passwd" /etc/passwd\n{mounts}\n'
                  f'exec {SSHD} -D -e -f "$DIR/sshd_config"')
        self.log = open(self.file("log"), "wb")
        self.sshd = subprocess.Popen(["unshare", "--mount", "--propagation", "private", "sh", "-c",
                                      script], env={**os.environ, "DIR": self.path,
                                                    "HOME": self.home},
                                     stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        wait_until(self.listens)
        self.namespace = os.readlink(f"/proc/{self.sshd.pid}/ns/mnt")

    def file(self, name):
        return os.path.join(self.path, name)

    def write(self, name, text):
        with open(self.file(name), "w", encoding="utf-8") as file:
            file.write(text)

    def listens(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0 or self.sshd.poll() is not None

    def close(self):
        self.sshd.kill()
        self.sshd.wait()
        self.log.close()
        shutil.rmtree(self.path)

    def inside(self, path):
        """A path of its mount namespace."""
        return f"/proc/{self.sshd.pid}/root{path}"

    def logins(self):
        with open(self.file("log"), encoding="utf-8", errors="replace") as file:
            return file.read().count(LOG)

    def words(self, *arguments, host="box"):
        return [PMCTOP, "--ssh-option", "-F", "--ssh-option", self.file("ssh_config"), "--ssh", host,
                *arguments]

    def run(self, *arguments, **options):
        host = options.pop("host", "box")
        return run(*self.words(*arguments, host=host), **options)

    def sessions(self):
        """The sshd of each connection: children of this one."""
        with open(f"/proc/{self.sshd.pid}/task/{self.sshd.pid}/children", encoding="ascii") as file:
            return [int(pid) for pid in file.read().split()]

    def processes(self, word):
        """Those in its mount namespace. Other hosts may be on this machine."""
        found = []
        for pid in processes(word):
            with contextlib.suppress(OSError):
                found += [pid] * (os.readlink(f"/proc/{pid}/ns/mnt") == self.namespace)
        return found

    def programs(self):
        """pmctop there: not sudo or a login shell, which have the same words."""
        found = []
        for pid in self.processes("--remote /"):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/comm", encoding="ascii") as file:
                found += [pid] * (file.read() == "pmctop\n")
        return found

    def clients(self, word=""):
        """ssh here, for this host."""
        return [pid for pid in processes(self.file("ssh_config"))
                if command_line(pid).startswith("ssh ") and word in command_line(pid)]

    def folders(self):
        return [path for place in ("/tmp", "/dev/shm", self.home)
                for path in glob.glob(self.inside(f"{place}/{MARK}*"))]

    def left(self):
        """What a run has left: folders, and processes there and here."""
        left = {*self.processes(MARK), *self.sessions(), *self.clients()}
        return self.folders() + [command_line(pid) for pid in left]

    def check_nothing_left(self, name):
        wait_until(lambda: not self.left(), 15)
        check(f"{name}: nothing is left", not self.left(), self.left())


@contextlib.contextmanager
def host(**settings):
    one = Host(**settings)
    try:
        yield one
    finally:
        one.close()


def is_drawn(screen):
    return b"COMMAND" in screen.output


@contextlib.contextmanager
def on_screen(words, **variables):
    screen = OnPty(words, **variables)
    try:
        yield screen
    finally:
        screen.close()


def draws_and_quits(name, box, *arguments, **options):
    """A screen: first rows, q, the terminal."""
    with on_screen(box.words(*arguments, **options)) as screen:
        began = time.monotonic()
        drawn = screen.read_until(lambda: is_drawn(screen) or screen.process.poll() is not None)
        took = time.monotonic() - began
        left = box.folders()
        screen.write(b"q")
        status = screen.wait()
        check(f"{name}: first rows, and q", drawn and is_drawn(screen) and status == 0
              and screen.settings_are_back() and screen.output.rstrip(b"\x1b>\r\n").endswith(b"1l"),
              (status, screen.output[-300:], screen.process.stderr.read()))
        check(f"{name}: no file is there while it runs", not left, left)
    box.check_nothing_left(name)
    return took


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


def test_broken_link():
    with host() as box:
        for name, ends in (("sshd's side", box.sessions),
                           ("ssh's side", lambda: box.clients("ControlMaster=yes"))):
            with on_screen(box.words()) as screen:
                screen.read_until(lambda: is_drawn(screen))
                for pid in ends():
                    os.kill(pid, signal.SIGKILL)
                status = screen.wait()
                told = screen.process.stderr.read().decode()
                check(f"a link broken at {name}: a sentence", status == 1 and
                      "box: the connection broke. pmctop there has ended, and left no file." in told,
                      (status, told))
                check(f"a link broken at {name}: the terminal is whole", screen.settings_are_back()
                      and screen.output.rfind(b"\x1b[?1049l") > screen.output.rfind(b"\x1b[?1049h") >= 0
                      and screen.output.rfind(b"\x1b[?1000l") > screen.output.rfind(b"\x1b[?1000h"),
                      screen.output[-200:])
            box.check_nothing_left(f"a link broken at {name}")
        with on_screen(box.words()) as screen:
            screen.read_until(lambda: is_drawn(screen))
            for pid in box.programs():
                os.kill(pid, signal.SIGKILL)
            status = screen.wait()
            told = screen.process.stderr.read().decode()
            check("pmctop there is killed: a sentence", status == 1
                  and "box: pmctop there was ended by a signal." in told and screen.settings_are_back(),
                  (status, told))
        box.check_nothing_left("pmctop there is killed")


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
            told = screen.process.stderr.read().decode()
            check("a silent link: a sentence, and the terminal is whole", status == 1
                  and ("nothing arrived there for 30 s" in told or "silent for 30 s" in told)
                  and screen.settings_are_back(), (status, told))
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


def children_and(pid):
    """A process and its children."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [pid, *map(int, file.read().split())]


def pmctop_of(screen):
    """The pid of pmctop, which setsid may have forked."""
    return next(pid for pid in children_and(screen.process.pid)
                if os.path.basename(os.path.realpath(f"/proc/{pid}/exe")) == "pmctop")


def start(words):
    """In a process group of its own, in which no signal is ignored."""
    return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, start_new_session=True)


def size(path):
    return os.path.getsize(path) if os.path.exists(path) else 0


# It needs a moment to end by ^C.
SPIN = ["sh", "-c", "trap 'sleep 1; exit 5' INT; while :; do :; done", "spinning"]


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
            _, told = started.communicate(timeout=PATIENCE_S)
            with open(text, encoding="utf-8") as file:
                lines = file.read().split("\n")
            check(f"{name}: the output is complete", started.returncode == 0 and not told
                  and len(frames_of("\n".join(lines))) == len(lines) - 1 > 0, (started.returncode, told))
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
            output, told = started.communicate(timeout=PATIENCE_S)
            load.kill()
            load.wait()
            check(f"{name}: what is printed at the end is there",
                  started.returncode == 0 and output, (started.returncode, told))
            os.unlink(recording)
            statuses = {}
            for words in ([PMCTOP], box.words()):
                started = start([*words, "-o", text, "--", *SPIN])
                wait_until(lambda: any(command_line(pid).startswith("sh -c") for pid in
                                       processes("spinning")))
                os.killpg(started.pid, number)
                _, told = started.communicate(timeout=PATIENCE_S)
                with open(text, encoding="utf-8") as file:
                    summary = file.read()
                statuses[words[0], len(words)] = started.returncode, "CPU" in summary, told
                os.unlink(text)
            check(f"{name}: the summary and the status of a command are as here",
                  set(statuses.values()) == {(5 if number == signal.SIGINT else 143, True, b"")},
                  statuses)
            check(f"{name}: the command has ended", not processes("spinning"))
            box.check_nothing_left(f"{name}, command")
        started = start(box.words("-b", "-d", "0.2", "-o", text))
        wait_until(lambda: size(text))
        there = box.programs()
        for pid in there:
            os.kill(pid, signal.SIGSTOP)
        os.killpg(started.pid, signal.SIGINT)
        wait_until(lambda: len(box.processes("/bin/sh")) == 0)
        os.killpg(started.pid, signal.SIGINT)
        _, told = started.communicate(timeout=PATIENCE_S)
        check("a second signal ends it at once", started.returncode == 130 and not told and there,
              (started.returncode, told, there))
        for pid in there:
            os.kill(pid, signal.SIGCONT)
        box.check_nothing_left("a second signal")


def test_stale():
    with host() as box:
        os.mkdir(box.inside(f"/tmp/{MARK}0-4194304-old"), 0o700)
        with open(box.inside(f"/tmp/{MARK}0-4194304-old/pmctop"), "w", encoding="ascii"):
            pass
        os.mkdir(box.inside(f"/tmp/{MARK}0-1-living"), 0o700)
        os.mkdir(box.inside("/tmp/other"), 0o700)
        os.symlink("/tmp/other", box.inside(f"/tmp/{MARK}0-4194304-link"))
        os.mkdir(box.inside(f"/tmp/{MARK}0-4194304-theirs"), 0o700)
        os.chown(box.inside(f"/tmp/{MARK}0-4194304-theirs"), USER, USER)
        box.run("--list", "marks")
        left = sorted(os.listdir(box.inside("/tmp")))
        check("a folder without its shell is removed; others, links and those of other users are not",
              left == ["other", f"{MARK}0-1-living", f"{MARK}0-4194304-link",
                       f"{MARK}0-4194304-theirs"], left)


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
    told = screen.process.stderr.read().decode()
    check(f"{name}: a sentence", status == 1
          and told == "pmctop: user@box: pmctop was not started; sudo's message is above.\n",
          (status, told, screen.output[-300:]))
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
                                   for pid in box.processes("spinning")))
            os.killpg(started.pid, signal.SIGINT)
            _, told = started.communicate(timeout=PATIENCE_S)
            check("^C reaches a command below sudo", started.returncode == 5 and not told,
                  (started.returncode, told))
            box.check_nothing_left("^C below sudo")


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
            told = screen.process.stderr.read().decode()
            check("--via: the command is killed: a sentence, and the terminal is whole",
                  status == 1 and "the connection broke" in told and screen.settings_are_back(),
                  (status, told))
        box.check_nothing_left("--via: the command is killed")


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


TESTS = {name[5:]: value for name, value in list(globals().items()) if name.startswith("test_")}


def main():
    if why := skip_reason.mounts():
        skip_all(why)
    for name in (SSHD, "/usr/bin/ssh", "/usr/bin/tmux"):
        if not os.access(name, os.X_OK):
            skip_all(f"no {name}")
    made = run("make", "--no-print-directory", "-C", os.path.join(HERE, "..", ".."), "static",
               f"BUILD={BUILD}", f"VERSION={run(PMCTOP, '--version').stdout.split()[1]}")
    check("make static", made.returncode == 0, made.stderr[-600:])
    for name, test in TESTS.items():
        if not sys.argv[1:] or name in sys.argv[1:]:
            test()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
