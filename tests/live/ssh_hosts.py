# SPDX-License-Identifier: MIT
"""Hosts for the tests of --ssh: OpenSSH's sshd on the loopback address.

Each sshd runs in a mount namespace with files and file systems of its own, so that the host of a
test has other users, shells and disks than this machine. The keys are made for the run.
"""
import contextlib
import glob
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
import skip_reason  # noqa: E402
from frames import check, finish, skip_all  # noqa: E402
from programs import BUILD, PMCTOP  # noqa: E402
from ptys import OnPty  # noqa: E402

PATIENCE_S = 60
SSHD = "/usr/sbin/sshd"
MARK = "pmctop-ssh-"
NOISE = "Welcome to this host, dear user."
USER = 12345  # an ordinary user's number
# What a login shell reads without a terminal too.
RC_FILES = (".bashrc", ".cshrc", ".zshenv", ".config/fish/config.fish")
LOG = "Accepted publickey"
# A command that needs a moment to end by ^C. Its last word is used by this script alone.
SPIN = ["sh", "-c", "trap 'sleep 1; exit 5' INT; while :; do :; done", f"spinning-{os.getpid()}"]


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False,
                          **{"stdin": subprocess.DEVNULL, "timeout": PATIENCE_S, **options})


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


def children_and(pid):
    """A process and its children."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [pid, *map(int, file.read().split())]


def size(path):
    return os.path.getsize(path) if os.path.exists(path) else 0


def start(words):
    """In a process group of its own, in which no signal is ignored."""
    return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, start_new_session=True)


class Host:
    """An sshd. `mounts`: commands of a shell, run in its mount namespace before it; $DIR is the
    folder of this host, $HOME the home directory of its users."""

    def __init__(self, shell="/bin/sh", mounts="", config=""):
        self.path = tempfile.mkdtemp(prefix="sshd-", dir="/var/tmp")
        os.chmod(self.path, 0o755)
        self.home = os.path.join(self.path, "home")
        os.makedirs(os.path.join(self.home, ".config", "fish"))
        for name in RC_FILES:
            self.write(f"home/{name}", f'echo "{NOISE}"\n')
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


def pmctop_of(screen):
    """The pid of pmctop, which setsid may have forked."""
    return next(pid for pid in children_and(screen.process.pid)
                if os.path.basename(os.path.realpath(f"/proc/{pid}/exe")) == "pmctop")


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


def check_static():
    """Makes the static program of this build. The lock: scripts run at the same time."""
    made = run("flock", f"{BUILD}/static_tests.lock", "make", "--no-print-directory", "-C",
               os.path.join(HERE, "..", ".."), "static", f"BUILD={BUILD}",
               f"VERSION={run(PMCTOP, '--version').stdout.split()[1]}", timeout=300)
    check("make static", made.returncode == 0, made.stderr[-600:])


def run_tests(names):
    """Runs the tests of a script's globals: each test_NAME, or those NAMEs of its command line."""
    if why := skip_reason.mounts():
        skip_all(why)
    for name in (SSHD, "/usr/bin/ssh", "/usr/bin/tmux"):
        if not os.access(name, os.X_OK):
            skip_all(f"no {name}")
    check_static()
    for name, test in list(names.items()):
        if name.startswith("test_") and (not sys.argv[1:] or name[5:] in sys.argv[1:]):
            test()
    return finish()
