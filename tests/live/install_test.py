#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make install and uninstall, missing packages, and what a new version recompiles.

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
from programs import BUILD, PMCTOP  # noqa: E402
from served import until  # noqa: E402

TREE = os.path.abspath(os.path.join(HERE, "..", ".."))


def make(*arguments, **options):
    """Runs make with the program that is built already."""
    return subprocess.run(["make", "--no-print-directory", "-C", TREE, "-o", PMCTOP,
                           f"BUILD={BUILD}", *arguments], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=300, check=False, **options)


def below(directory):
    """The paths of all files and folders below the directory, relative to it."""
    return {os.path.relpath(os.path.join(folder, name), directory)
            for folder, folders, files in os.walk(directory) for name in folders + files}


def messages(result):
    """The lines on standard error, without make's own."""
    return [line for line in result.stderr.splitlines() if not re.match(r"make(\[\d+\])?: ", line)]


def installed(top):
    prefix = os.path.join(top, "a place")
    result = make("install", f"PREFIX={prefix}", umask=0o077)
    found = below(prefix)
    check("make install", result.returncode == 0 and {
        "bin/pmctop", "share/man/man1/pmctop.1", "share/man/man7/pmctop-metrics.7",
        "share/man/man7/pmctop-remote.7", "share/bash-completion/completions/pmctop",
        "share/zsh/site-functions/_pmctop", "share/fish/vendor_completions.d/pmctop.fish",
        "share/doc/pmctop/README.md", "share/doc/pmctop/LICENSE",
        "share/doc/pmctop/monitoring/grafana.json", "share/doc/pmctop/themes/nord.theme"} <= found,
          (result, found))
    check("every user may read what it installed, and run the program",
          all(os.stat(os.path.join(prefix, name)).st_mode & 0o777
              == (0o755 if name == "bin/pmctop" or os.path.isdir(os.path.join(prefix, name)) else 0o644)
              for name in found), found)
    program = os.path.join(prefix, "bin", "pmctop")
    with subprocess.Popen([program, "-b", "-d", "0.1"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        until(lambda: os.readlink(f"/proc/{running.pid}/exe") == program, 20)
        before = os.stat(program).st_ino
        result = make("install", f"PREFIX={prefix}")
        check("it replaces a running program, which continues", result.returncode == 0
              and os.stat(program).st_ino != before and running.poll() is None, result)
        running.kill()
    other = os.path.join(prefix, "share", "doc", "other")
    os.mkdir(other)
    result = make("uninstall", f"PREFIX={prefix}")
    check("make uninstall removes its files and no other",
          result.returncode == 0 and below(prefix) == {"share", "share/doc", "share/doc/other"},
          (result, below(prefix)))
    check("and has no error if there is nothing",
          make("uninstall", f"PREFIX={prefix}").returncode == 0
          and make("uninstall", f"PREFIX={prefix}/none").returncode == 0)
    os.rmdir(other)
    for slash in ("", "/"):
        staged(top, f"/usr/local{slash}")


def staged(top, prefix):
    make("install", f"DESTDIR={top}/staged", f"PREFIX={prefix}")
    check("DESTDIR is put before PREFIX", os.path.exists(f"{top}/staged/usr/local/bin/pmctop"))
    make("uninstall", f"DESTDIR={top}/staged", f"PREFIX={prefix}")
    check(f"the system's own folders stay, even empty: {prefix}",
          below(f"{top}/staged/usr/local") == {"bin", "share", "share/man", "share/man/man1", "share/man/man7"},
          below(f"{top}/staged"))


def strange(top):
    """Any name of a PREFIX works, and only files below it are written and removed."""
    for name in ("with 'one' quote", 'with "two" quotes', "$$(touch ran)", "`touch ran`", "a;touch ran",
                 "new\nline", "-T"):
        places = os.path.join(top, "strange")
        os.mkdir(places)
        prefix = os.path.join(places, name)
        put = make("install", f"PREFIX={prefix}", cwd=places)
        name = name.replace("$$", "$")  # make's escape
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
    check("and make uninstall removes it only there", os.path.exists(theirs[0])
          and not os.path.exists(f"{top}/mine/{others}/_pmctop"), below(top))
    # A relative PREFIX is below the sources.
    with tempfile.TemporaryDirectory(dir=TREE) as mine:
        mine = os.path.basename(mine)
        os.makedirs(f"{others}/{mine}/bin")
        shutil.copy(theirs[1], f"{others}/{mine}/bin/pmctop")
        make("uninstall", f"PREFIX={mine}", env={**os.environ, "CDPATH": others})
        check("nor below CDPATH", os.path.exists(f"{others}/{mine}/bin/pmctop"), below(others))
    folder = os.path.join(top, "folder", "bin", "pmctop")
    os.makedirs(folder)
    result = make("install", f"PREFIX={top}/folder")
    check("a directory named pmctop is not filled", result.returncode and not os.listdir(folder)
          and len(messages(result)) == 1, result)


def refused(top):
    """A PREFIX below a file: root too cannot make a directory there."""
    with open(os.path.join(top, "file"), "w", encoding="ascii"):
        pass
    result = make("install", f"PREFIX={top}/file")
    check("an impossible PREFIX: one line with the reason and the remedy",
          result.returncode and len(messages(result)) == 1 and f"{top}/file" in messages(result)[0]
          and "PREFIX" in messages(result)[0], result)


def check_without(top, name, wanted, *arguments):
    """make checks that all it needs is there before it compiles anything."""
    build = os.path.join(top, "build")
    result = make("all", *arguments, f"BUILD={build}")
    check(f"without {name}: one line has the packages and the command",
          result.returncode and len(messages(result)) == 1
          and messages(result)[0].endswith(f"sudo apt-get install {wanted}")
          and "CC " not in result.stdout, result)
    shutil.rmtree(build)


def missing_packages(top):
    """With programs in place of dpkg-query and apt-get: no package is found, and none installed."""
    tools, log = os.path.join(top, "tools"), os.path.join(top, "apt-get.log")
    os.mkdir(tools)
    for name, body in (("dpkg-query", "exit 1"), ("id", "echo 0"), ("apt-get", f'echo "$*" >>{log}')):
        with open(os.path.join(tools, name), "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\n{body}\n")
            os.fchmod(file.fileno(), 0o755)
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
    result = make("deb", env=environment)
    check("make deb without its packages: one line has them and the target that installs them",
          result.returncode and len(messages(result)) == 1 and " dpkg-dev" in messages(result)[0]
          and messages(result)[0].endswith("make deb-deps"), result)
    check("and installs none", not os.path.exists(log))
    result = make("deps", env=environment)
    with open(log, encoding="ascii") as file:
        commands = file.read()
    check("make deps prints the packages, and installs them", result.returncode == 0
          and re.search("apt-get:.* libpfm4-dev", result.stdout)
          and re.search("install -y .* libpfm4-dev", commands), (result, commands))


def another_version():
    """Objects and tests with the version in them: they would be rebuilt for another commit."""
    version = subprocess.run([PMCTOP, "--version"], capture_output=True, check=True).stdout.split()[1]
    holders = []
    made = [path for what in ("obj/**/*.o", "tests/**/test_*")
            for path in glob.glob(f"{BUILD}/{what}", recursive=True)]
    for path in made:
        with open(path, "rb") as file:
            if b"\0" + version + b"\0" in file.read():
                holders.append(os.path.relpath(path, f"{BUILD}/obj"))
    check("a new commit recompiles one object and no test",
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
    check("a program built from the archive has the version in its name",
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
        check_without(top, "a compiler", "gcc", "CC=no-such-compiler")
        check_without(top, "another machine's", "gcc-no-such-machine", "CROSS=no-such-machine-")
        check_without(top, "pkg-config", "pkg-config", "PKG_CONFIG=no-such-program")
        found = os.path.join(top, "found")
        os.mkdir(found)
        known = subprocess.run(["pkg-config", "--variable=pcfiledir", "ncursesw"], capture_output=True,
                               text=True, check=False).stdout.strip()
        if known:
            shutil.copy(os.path.join(known, "ncursesw.pc"), found)
            check_without(top, "some libraries", "libinih-dev libzstd-dev liblzma-dev libjansson-dev",
                    "HTTP=0", f"PKG_CONFIG=PKG_CONFIG_LIBDIR={found} pkg-config")
        else:
            skip("without some libraries", "no pkg-config here that knows ncursesw")
        check_without(top, "headers", "libc6-dev libpfm4-dev libinih-dev libzstd-dev liblzma-dev "
                "libjansson-dev libiberty-dev libncurses-dev", "HTTP=0", "CFLAGS=-nostdinc")
    return finish()


if __name__ == "__main__":
    sys.exit(main())
