#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make static: one file that works where there is nothing else, no library, no terminfo, no user.

Prints TAP. BUILD is the build directory. Takes root, for a root directory that holds pmctop alone.
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
import confined  # noqa: E402
from frames import check, finish, frames_of, skip_all  # noqa: E402
from ptys import OnPty  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
PATIENCE_S = 300
# /proc and /dev as any machine has them, seen by nobody else and gone with the command.
MOUNT = 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"'


def run(*command, **options):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=PATIENCE_S, **options)


@contextlib.contextmanager
def bare_machine():
    """What starts a command where there is nothing but /pmctop."""
    with tempfile.TemporaryDirectory() as root:
        os.chmod(root, 0o755)
        for name in ("proc", "dev"):
            os.mkdir(os.path.join(root, name))
        shutil.copy(os.path.join(BUILD, "static", "pmctop"), root)
        yield ["unshare", "--mount", "sh", "-c", MOUNT, root]


def printed(bare):
    said = run(*bare, "/pmctop", "--version")
    check("--version says that it is static, for whom, and what was left out",
          said.returncode == 0 and ", static, " in said.stdout and "Built for" in said.stdout
          and "without HTTP (--listen)" in said.stdout, said)
    listens = run(*bare, "/pmctop", "--listen", ":0")
    check("--listen says so too", listens.returncode and "built without HTTP" in listens.stderr, listens)
    batch = run(*bare, "/pmctop", "-n", "1", "-d", "0.2", "--format", "json")
    frames = frames_of(batch.stdout)
    check("it counts", batch.returncode == 0 and len(frames) == 1 and frames[0]["tasks"], batch)
    check("who has no name here is a number",
          frames and all(task["user"].isdigit() for task in frames[0]["tasks"]), frames)
    with open(os.path.join(bare[-1], "etc", "passwd"), "w", encoding="ascii") as passwd:
        passwd.write("the-only-user:x:0:0::/:/pmctop\n")
    batch = run(*bare, "/pmctop", "-n", "1", "-d", "0.2", "--format", "json", "-u", "the-only-user")
    frames = frames_of(batch.stdout)
    check("who has one in /etc/passwd is called by it, without glibc's modules",
          frames and {task["user"] for task in frames[0]["tasks"]} == {"the-only-user"}, batch)
    themes = run(*bare, "/pmctop", "--list", "themes").stdout
    check("the themes are in it", "nord" in themes and "default" in themes, themes)


def drawn(bare, kind, expected, how):
    """What a terminal of that type is sent until there are rows."""
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
    if why := confined.mounts():
        skip_all(why)
    made = run("make", "--no-print-directory", "-C", os.path.join(HERE, "..", ".."), "static",
               f"BUILD={BUILD}")
    check("make static", made.returncode == 0, made.stderr[-600:])
    program = os.path.join(BUILD, "static", "pmctop")
    if made.returncode:
        return finish()
    check("is a few megabytes", os.path.getsize(program) < 8 << 20, os.path.getsize(program))
    with bare_machine() as bare:
        etc = os.path.join(bare[-1], "etc")
        os.mkdir(etc)
        printed(bare)
        drawn(bare, "xterm-256color", b"\x1b[?1049l", "as is built in")
        drawn(bare, "linux", b"\x1b[?0c", "as is built in")
        drawn(bare, "no-such-terminal", b"\x1b[?1049l", "as xterm-256color")
        source = run("infocmp", "-1", "xterm-256color").stdout.replace("smcup=", "smcup=HERE")
        with open(os.path.join(etc, "source"), "w", encoding="ascii") as file:
            file.write(source)
        run("tic", "-o", os.path.join(etc, "terminfo"), file.name, check=True)
        drawn(bare, "xterm-256color", b"HERE", "as the machine describes it, where it does")
    return finish()


if __name__ == "__main__":
    sys.exit(main())
