#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make install and uninstall, missing packages, and the cost of another version.

Prints TAP. BUILD is the build directory.
"""
import contextlib
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from frames import check, finish, skip  # noqa: E402
from served import until  # noqa: E402

TREE = os.path.abspath(os.path.join(HERE, "..", ".."))
BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
PMCTOP = os.path.join(BUILD, "pmctop")


def make(*arguments, **options):
    """Of what is built already."""
    return subprocess.run(["make", "--no-print-directory", "-C", TREE, "-o", PMCTOP,
                           f"BUILD={BUILD}", *arguments], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=300, check=False, **options)


def below(directory):
    """Every file and folder, by its path from there."""
    return {os.path.relpath(os.path.join(folder, name), directory)
            for folder, folders, files in os.walk(directory) for name in folders + files}


def told(result):
    """What it says besides make's own last word."""
    return [line for line in result.stderr.splitlines() if not re.match(r"make(\[\d+\])?: ", line)]


def installed(top):
    prefix = os.path.join(top, "a place")
    result = make("install", f"PREFIX={prefix}", umask=0o077)
    found = below(prefix)
    check("make install", result.returncode == 0 and {
        "bin/pmctop", "share/man/man1/pmctop.1", "share/bash-completion/completions/pmctop",
        "share/zsh/site-functions/_pmctop", "share/fish/vendor_completions.d/pmctop.fish",
        "share/doc/pmctop/README.md", "share/doc/pmctop/LICENSE",
        "share/doc/pmctop/monitoring/grafana.json", "share/doc/pmctop/themes/nord.theme"} <= found,
          (result, found))
    check("what it installed is everybody's to read, and to run where it is a program",
          all(os.stat(os.path.join(prefix, name)).st_mode & 0o777
              == (0o755 if name == "bin/pmctop" or os.path.isdir(os.path.join(prefix, name)) else 0o644)
              for name in found), found)
    program = os.path.join(prefix, "bin", "pmctop")
    with subprocess.Popen([program, "-b", "-d", "0.1"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        until(lambda: os.readlink(f"/proc/{running.pid}/exe") == program, 20)
        before = os.stat(program).st_ino
        result = make("install", f"PREFIX={prefix}")
        check("it replaces one that runs, which goes on", result.returncode == 0
              and os.stat(program).st_ino != before and running.poll() is None, result)
        running.kill()
    other = os.path.join(prefix, "share", "doc", "other")
    os.mkdir(other)
    result = make("uninstall", f"PREFIX={prefix}")
    check("make uninstall leaves what is not its own, and nothing of its own",
          result.returncode == 0 and below(prefix) == {"share", "share/doc", "share/doc/other"},
          (result, below(prefix)))
    check("and does not mind when there is nothing",
          make("uninstall", f"PREFIX={prefix}").returncode == 0
          and make("uninstall", f"PREFIX={prefix}/none").returncode == 0)
    os.rmdir(other)
    for slash in ("", "/"):
        staged(top, f"/usr/local{slash}")


def staged(top, prefix):
    make("install", f"DESTDIR={top}/staged", f"PREFIX={prefix}")
    check("DESTDIR stands before PREFIX", os.path.exists(f"{top}/staged/usr/local/bin/pmctop"))
    make("uninstall", f"DESTDIR={top}/staged", f"PREFIX={prefix}")
    check(f"the system's own folders stay, though they are empty: {prefix}",
          below(f"{top}/staged/usr/local") == {"bin", "share", "share/man", "share/man/man1"},
          below(f"{top}/staged"))


def strange(top):
    """Whatever it is called, it is all that is written to, and removed from."""
    for name in ("with 'one' quote", 'with "two" quotes', "$$(touch ran)", "`touch ran`", "a;touch ran",
                 "new\nline", "-T"):
        places = os.path.join(top, "strange")
        os.mkdir(places)
        prefix = os.path.join(places, name)
        put = make("install", f"PREFIX={prefix}", cwd=places)
        name = name.replace("$$", "$")  # which is make's
        check(f"make install into {name!r}", put.returncode == 0 and os.listdir(places) == [name]
              and os.path.exists(f"{places}/{name}/bin/pmctop"), (put, os.listdir(places)))
        taken = make("uninstall", f"PREFIX={prefix}")
        check(f"make uninstall out of {name!r}", taken.returncode == 0
              and not below(f"{places}/{name}"), (taken, below(places)))
        check(f"nothing of {name!r} was run", not os.path.exists(os.path.join(TREE, "ran")))
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(TREE, "ran"))
        shutil.rmtree(places)
    others = os.path.join(top, "others")
    theirs = [os.path.join(others, name) for name in ("_pmctop", "here/bin/pmctop")]
    for each in theirs:
        os.makedirs(os.path.dirname(each), exist_ok=True)
        with open(each, "w", encoding="ascii"):
            pass
    make("install", f"PREFIX={top}/mine", f"ZSH_DIR={others}")
    check("an absolute ZSH_DIR is below PREFIX, too",
          os.path.exists(f"{top}/mine/{others}/_pmctop"), below(top))
    make("uninstall", f"PREFIX={top}/mine", f"ZSH_DIR={others}")
    check("and make uninstall looks for it nowhere else", os.path.exists(theirs[0])
          and not os.path.exists(f"{top}/mine/{others}/_pmctop"), below(top))
    # A relative PREFIX is below the sources.
    with tempfile.TemporaryDirectory(dir=TREE) as mine:
        mine = os.path.basename(mine)
        os.makedirs(f"{others}/{mine}/bin")
        shutil.copy(theirs[1], f"{others}/{mine}/bin/pmctop")
        make("uninstall", f"PREFIX={mine}", env={**os.environ, "CDPATH": others})
        check("nor where CDPATH leads", os.path.exists(f"{others}/{mine}/bin/pmctop"), below(others))
    folder = os.path.join(top, "folder", "bin", "pmctop")
    os.makedirs(folder)
    result = make("install", f"PREFIX={top}/folder")
    check("a directory called pmctop is not filled", result.returncode and not os.listdir(folder)
          and len(told(result)) == 1, result)


def refused(top):
    """Where nobody may write: root may everywhere, but not through a file."""
    with open(os.path.join(top, "file"), "w", encoding="ascii"):
        pass
    result = make("install", f"PREFIX={top}/file")
    check("a PREFIX that cannot be: one line says why and what to do",
          result.returncode and len(told(result)) == 1 and f"{top}/file" in told(result)[0]
          and "PREFIX" in told(result)[0], result)


def without(top, name, wanted, *arguments):
    """Nothing is compiled before all that it takes has been looked for."""
    build = os.path.join(top, "build")
    result = make("all", *arguments, f"BUILD={build}")
    check(f"without {name}: one line names the packages and the command",
          result.returncode and len(told(result)) == 1
          and told(result)[0].endswith(f"sudo apt-get install {wanted}")
          and "CC " not in result.stdout, result)
    shutil.rmtree(build)


def missing_packages(top):
    """With stand-ins: no package is installed, and apt-get installs none."""
    tools, log = os.path.join(top, "tools"), os.path.join(top, "apt-get.log")
    os.mkdir(tools)
    for name, body in (("dpkg-query", "exit 1"), ("id", "echo 0"), ("apt-get", f'echo "$*" >>{log}')):
        with open(os.path.join(tools, name), "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\n{body}\n")
            os.fchmod(file.fileno(), 0o755)
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
    result = make("deb", env=environment)
    check("make deb without its packages: one line names them and the target that installs them",
          result.returncode and len(told(result)) == 1 and " dpkg-dev" in told(result)[0]
          and told(result)[0].endswith("make deb-deps"), result)
    check("and installs none", not os.path.exists(log))
    result = make("deps", env=environment)
    with open(log, encoding="ascii") as file:
        commands = file.read()
    check("make deps prints the packages, and installs them", result.returncode == 0
          and re.search("apt-get:.* libpfm4-dev", result.stdout)
          and re.search("install -y .* libpfm4-dev", commands), (result, commands))


def another_version():
    """What would have to be made anew for another commit: who holds its name."""
    version = subprocess.run([PMCTOP, "--version"], capture_output=True, check=True).stdout.split()[1]
    holders = []
    made = [path for what in ("obj/**/*.o", "tests/**/test_*")
            for path in glob.glob(f"{BUILD}/{what}", recursive=True)]
    for path in made:
        with open(path, "rb") as file:
            if b"\0" + version + b"\0" in file.read():
                holders.append(os.path.relpath(path, f"{BUILD}/obj"))
    check("another commit is one object, and no test",
          "version.o" in holders and {"version.o", "static/version.o"} >= set(holders), holders)


def version_in(tree):
    subprocess.run(["make", "-s", "-C", tree, "BUILD=build/v", "build/v/version.c"], check=True,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    with open(os.path.join(tree, "build", "v", "version.c"), encoding="ascii") as file:
        return re.search('"([^"]*)";', file.read())[1]


def of_tarball(top):
    made = make("dist", f"BUILD={top}/dist")
    archive = "".join(glob.glob(f"{top}/dist/*.tar.gz"))
    check("make dist", made.returncode == 0 and archive, made)
    if not archive:
        return
    subprocess.run(["tar", "-xf", archive, "-C", top], check=True)
    name = os.path.basename(archive)[:-len(".tar.gz")]
    check("what is built of it has the version that its name says",
          f"pmctop-{version_in(os.path.join(top, name))}" == name, name)


def main():
    with tempfile.TemporaryDirectory() as top:
        os.chmod(top, 0o755)
        installed(top)
        strange(top)
        refused(top)
        missing_packages(top)
        another_version()
        if os.path.exists(os.path.join(TREE, ".git")) and shutil.which("git"):
            of_tarball(top)
        else:
            skip("make dist", "this is no clone")
        without(top, "a compiler", "gcc", "CC=no-such-compiler")
        without(top, "another machine's", "gcc-no-such-machine", "CROSS=no-such-machine-")
        without(top, "pkg-config", "pkg-config", "PKG_CONFIG=no-such-program")
        found = os.path.join(top, "found")
        os.mkdir(found)
        known = subprocess.run(["pkg-config", "--variable=pcfiledir", "ncursesw"], capture_output=True,
                               text=True, check=False).stdout.strip()
        if known:
            shutil.copy(os.path.join(known, "ncursesw.pc"), found)
            without(top, "some libraries", "libinih-dev libzstd-dev", "HTTP=0",
                    f"PKG_CONFIG=PKG_CONFIG_LIBDIR={found} pkg-config")
        else:
            skip("without some libraries", "no pkg-config here that knows ncursesw")
        without(top, "headers", "libc6-dev libpfm4-dev libinih-dev libzstd-dev libncurses-dev",
                "HTTP=0", "CFLAGS=-nostdinc")
    return finish()


if __name__ == "__main__":
    sys.exit(main())
