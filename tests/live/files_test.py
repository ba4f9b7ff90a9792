#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Output files on a full, bounded, removed or read-only place, or one that another user prepared.

Prints TAP. BUILD is the build directory.
"""
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skip_reason  # noqa: E402
from frames import check, finish, skip  # noqa: E402
from programs import PMCTOP  # noqa: E402

PATIENCE_S = 120
FAST = ["-e", "page-faults", "-d", "0.1"]


def run(*arguments, **options):
    return subprocess.run([PMCTOP, *arguments], stderr=subprocess.PIPE, text=True,
                          timeout=PATIENCE_S, stdin=subprocess.DEVNULL,
                          **{"stdout": subprocess.PIPE, **options})


def one_line(done, status, words):
    """Whether the only message is one line with these words. With csv, notes come before it."""
    lines = done.stderr.splitlines()
    if "csv" in " ".join(done.args):
        lines = lines[-1:]
    return (done.returncode == status and len(lines) == 1 and words in lines[0],
            (done.returncode, done.stderr))


def full():
    """Each kind of output reports a full disk."""
    for arguments in (["-V"], ["--help"], ["--doctor"], ["--doctor", "--format", "json"],
                      *(["--list", what] for what in ("events", "metrics", "presets", "columns",
                                                      "themes", "pmus")),
                      ["-b", "-n", "1", *FAST], ["--format", "csv", "-n", "1", *FAST],
                      ["--format", "json", *FAST, "--", "true"]):
        with open("/dev/full", "w", encoding="ascii") as output:
            done = run(*arguments, stdout=output)
        # A command's own status is passed on.
        status = 0 if arguments[-1] == "true" else 1
        good, what = one_line(done, 1, "No space left on device. Make room")
        check(f"a full disk is reported: {' '.join(arguments)}",
              good or (status == 0 and done.returncode in (0, 1) and done.stderr), what)


def bounded(directory):
    """A limit of file sizes (ulimit -f) is reported like a full disk, and does not kill."""
    outputs = {"--record": "perf.data", "--format=csv -o": "out.csv", "--format=json -o":
               "out.json", "-o": "out.txt", "--format=openmetrics -o": "out.prom"}
    for option, name in outputs.items():
        path = os.path.join(directory, name)
        limit = 700
        check_name = f"a limit of file sizes is reported and kept: {option} {name}"
        if skips_recording(check_name, name):
            continue
        done = run(*FAST, "-n", "20", *option.split(), path,
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        good, what = one_line(done, 1, "File too large. The limit is 'ulimit -f'.")
        size = os.path.getsize(path) if os.path.exists(path) else 0
        check(check_name, good and size <= limit, (what, size))
    path = os.path.join(directory, "out.txt")
    done = run("--doctor", "-o", path,
               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    good, what = one_line(done, 1, "File too large. The limit is 'ulimit -f'.")
    check("the same for the doctor's page", good, what)
    check("no other file is left", set(os.listdir(directory)) <= set(outputs.values()),
          os.listdir(directory))


def skips_recording(check_name, name):
    """Skips the check of a recording if this machine cannot record."""
    why = skip_reason.system_wide(PMCTOP) if name == "perf.data" else None
    if why:
        skip(check_name, why)
    return why is not None


OUTPUTS = ((["--record"], "perf.data"), (["--format", "csv", "-o"], "out.csv"), (["-o"], "out.txt"),
           (["--format", "openmetrics", "-o"], "out.prom"))


def two_at_once(directory):
    """The second pmctop on a file is refused. The first one's file is not changed."""
    names = set()
    for option, name in OUTPUTS:
        check_name = f"a second pmctop on one file is refused: {name}"
        if skips_recording(check_name, name):
            continue
        names.add(name)
        path = os.path.join(directory, name)
        first = subprocess.Popen([PMCTOP, "-b", *FAST, *option, path], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL)
        end = time.monotonic() + PATIENCE_S
        while not (os.path.exists(path) and os.path.getsize(path)) and time.monotonic() < end:
            time.sleep(0.02)
        done = run("-b", "-n", "1", *FAST, *option, path)
        first.terminate()
        words = "in use by another" if name == "perf.data" else "written by another pmctop"
        good, what = one_line(done, 1, words)
        check(check_name, good and first.wait(PATIENCE_S) == 0, what)
    check("the second pmctop leaves no file",
          set(os.listdir(directory)) == names, os.listdir(directory))


def gone(directory):
    """The directory is removed while pmctop writes there."""
    for option, name in OUTPUTS:
        check_name = f"the directory is removed meanwhile: {name}"
        if skips_recording(check_name, name):
            continue
        place = os.path.join(directory, "place")
        os.mkdir(place)
        path = os.path.join(place, name)
        pmctop = subprocess.Popen([PMCTOP, "-b", *FAST, "-n", "50", *option, path],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + PATIENCE_S
        while not os.path.exists(path) and time.monotonic() < end:
            time.sleep(0.02)
        os.rename(place, place + ".away")
        shutil.rmtree(place + ".away")
        stderr = pmctop.communicate(timeout=PATIENCE_S)[1]
        # An open file is written on. A file that is replaced, and a recording, need their name.
        words = {"out.prom": "Make its directory first", "perf.data": "removed the recording"}
        good = (pmctop.returncode == 1 and words[name] in stderr
                if name in words
                else pmctop.returncode == 0 and (not stderr or name == "out.csv"))
        check(check_name, good, (pmctop.returncode, stderr))


def read_only(directory):
    disk = os.path.join(directory, "disk")
    os.mkdir(disk)
    if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "none", disk],
                                      capture_output=True, check=False).returncode:
        skip("a read-only file system is reported", "no right to mount one")
        return
    try:
        for option, name in OUTPUTS:
            done = run("-b", "-n", "1", *FAST, *option, os.path.join(disk, name))
            good, what = one_line(done, 1, "Read-only file system. Write elsewhere.")
            check(f"a read-only file system is reported: {name}", good, what)
    finally:
        subprocess.run(["umount", disk], check=True)


def shared(directory):
    """Links made by another user, and root in a directory of another user."""
    if os.geteuid():
        skip("nothing is written through another user's link", "needs root")
        return
    tmp, theirs = os.path.join(directory, "tmp"), os.path.join(directory, "theirs")
    secret = os.path.join(directory, "secret")
    with open(secret, "w", encoding="ascii") as file:
        file.write("secret")
    for place, mode, owner in ((tmp, 0o1777, 0), (theirs, 0o755, 12345)):
        os.mkdir(place)
        os.chmod(place, mode)
        os.chown(place, owner, owner)
        for option, name in OUTPUTS + ((["--doctor", "-o"], "page"),):
            link, hard = os.path.join(place, name), os.path.join(place, "hard-" + name)
            os.symlink(secret, link)
            os.lchown(link, 12345, 12345)
            os.link(secret, hard)
            wrong = []
            for path in link, hard:
                done = run(*option, path, *([] if option[0] == "--doctor" else ["-b", "-n", "1",
                                                                                 *FAST]))
                replaced = path == hard and name == "out.prom"  # by another file of the name
                if done.returncode != (0 if replaced else 1) or \
                        done.stderr.count("\n") != (not replaced):
                    wrong.append((path, done.returncode, done.stderr))
            with open(secret, encoding="ascii") as file:
                check(f"nothing is written through another user's link: {os.path.basename(place)}/{name}",
                      file.read() == "secret" and not wrong, wrong)


def main():
    tests = (bounded, two_at_once, gone, read_only, shared)
    full()
    for test in tests:
        directory = tempfile.mkdtemp(prefix="pmctop-files-")
        try:
            test(directory)
        finally:
            shutil.rmtree(directory)
    finish()


main()
