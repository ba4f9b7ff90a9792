#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make static: a program that needs no library, no terminfo and no /etc/passwd.

Prints TAP. BUILD is the build directory. Needs root, for a root directory with pmctop alone.
"""
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
import skip_reason  # noqa: E402
from frames import check, finish, frames_of, skip_all  # noqa: E402
from programs import BUILD  # noqa: E402
from ptys import OnPty  # noqa: E402

PATIENCE_S = 300
# The usual /proc and /dev, in a mount namespace that ends with the command.
MOUNT = 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"'


def run(*command, **options):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=PATIENCE_S, **options)


@contextlib.contextmanager
def bare_machine():
    """The prefix of a command in a root directory with /pmctop alone."""
    with tempfile.TemporaryDirectory() as root:
        os.chmod(root, 0o755)
        for name in ("proc", "dev"):
            os.mkdir(os.path.join(root, name))
        shutil.copy(os.path.join(BUILD, "static", "pmctop"), root)
        yield ["unshare", "--mount", "sh", "-c", MOUNT, root]


def printed(bare):
    done = run(*bare, "/pmctop", "--version")
    check("--version has 'static', the machine, and the missing parts",
          done.returncode == 0 and ", static, " in done.stdout and "Built for" in done.stdout
          and "without HTTP (--listen)" in done.stdout, done)
    listens = run(*bare, "/pmctop", "--listen", ":0")
    check("--listen is refused with that reason",
          listens.returncode and "built without HTTP" in listens.stderr, listens)
    batch = run(*bare, "/pmctop", "-n", "1", "-d", "0.2", "--format", "json")
    frames = frames_of(batch.stdout)
    check("it counts", batch.returncode == 0 and len(frames) == 1 and frames[0]["tasks"], batch)
    # A process that ended before /proc was read has null.
    users = {task["user"] for frame in frames for task in frame["tasks"]} - {None}
    check("a user without a name is a number", users and all(map(str.isdigit, users)), frames)
    with open(os.path.join(bare[-1], "etc", "passwd"), "w", encoding="ascii") as passwd:
        passwd.write("the-only-user:x:0:0::/:/pmctop\n")
    batch = run(*bare, "/pmctop", "-n", "1", "-d", "0.2", "--format", "json", "-u", "the-only-user")
    frames = frames_of(batch.stdout)
    check("a name is read from /etc/passwd, without glibc's modules",
          frames and {task["user"] for task in frames[0]["tasks"]} == {"the-only-user"}, batch)
    themes = run(*bare, "/pmctop", "--list", "themes").stdout
    check("the themes are built in", "nord" in themes and "default" in themes, themes)


def drawn(bare, kind, expected, how):
    """pmctop draws on a terminal of that type, with this sequence in its output."""
    screen = OnPty([*bare, "/pmctop", "0.2"], TERM=kind)
    try:
        seen = screen.read_until(lambda: b"COMMAND" in screen.output
                                 or screen.process.poll() is not None)
        screen.write(b"q")
        status = screen.wait()
        check(f"TERM={kind}: draws, {how}",
              seen and status == 0 and expected in screen.output and screen.settings_are_back(),
              (status, screen.output[:300]))
    finally:
        screen.close()


def main():
    if why := skip_reason.mounts():
        skip_all(why)
    made = run("make", "--no-print-directory", "-C", os.path.join(HERE, "..", ".."), "static",
               f"BUILD={BUILD}")
    check("make static", made.returncode == 0, made.stderr[-600:])
    program = os.path.join(BUILD, "static", "pmctop")
    if made.returncode:
        return finish()
    check("it is smaller than 8 MiB", os.path.getsize(program) < 8 << 20, os.path.getsize(program))
    with bare_machine() as bare:
        etc = os.path.join(bare[-1], "etc")
        os.mkdir(etc)
        printed(bare)
        drawn(bare, "xterm-256color", b"\x1b[?1049l", "with the built-in description")
        drawn(bare, "linux", b"\x1b[?0c", "with the built-in description")
        drawn(bare, "no-such-terminal", b"\x1b[?1049l", "as xterm-256color")
        source = run("infocmp", "-1", "xterm-256color").stdout.replace("smcup=", "smcup=HERE")
        with open(os.path.join(etc, "source"), "w", encoding="ascii") as file:
            file.write(source)
        run("tic", "-o", os.path.join(etc, "terminfo"), file.name, check=True)
        drawn(bare, "xterm-256color", b"HERE", "with the machine's description")
    return finish()


if __name__ == "__main__":
    sys.exit(main())
