#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make deb: lintian's opinion of the package, its installation and its removal.

Prints TAP. BUILD is the build directory. Needs root and Debian. The package is installed into an
overlay of this machine's root directory, in a mount namespace: the machine does not change.
"""
import glob
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
import skip_reason  # noqa: E402
from frames import check, check_unless, finish, skip, skip_all  # noqa: E402
from programs import BUILD, PMCTOP  # noqa: E402

TREE = os.path.abspath(os.path.join(HERE, "..", ".."))
INSIDE = "--inside"
PATIENCE_S = 600  # a whole build for the other architecture
# Those of the static programs, as uname prints them, with Debian's names.
MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}
# An ssh that runs the commands of this host, which has that machine's name and an old pmctop.
HOST = "/var/tmp/host"
HOST_PROGRAMS = {
    "ssh": f'for last; do :; done\nPATH={HOST}:$PATH exec sh -c "$last"',
    "uname": '[ "$1" = -m ] && echo "$MACHINE" || exec /bin/uname "$@"',
    "pmctop": "echo pmctop 0.0.1",
}


def run(*command, **options):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=PATIENCE_S, check=False, **options)


def package(what):
    """Returns the path of a new .deb, or None after a failed check, and what make printed on
    standard error."""
    for old in glob.glob(os.path.join(BUILD, "pmctop_*.deb")):
        os.unlink(old)
    # With the version of the built program, which other tests run: a commit meanwhile must not
    # count.
    version = run(PMCTOP, "--version").stdout.split()[1]
    made = run("make", "--no-print-directory", "-C", TREE, "deb", f"BUILD={BUILD}", f"VERSION={version}")
    found = glob.glob(os.path.join(BUILD, "pmctop_*.deb"))
    check(what, made.returncode == 0 and len(found) == 1, made.stderr[-600:])
    return found[0] if found else None, made.stderr


def check_lintian(deb, what):
    if shutil.which("lintian"):
        done = run("lintian", "--fail-on", "error,warning", deb)
        check(what, done.returncode == 0, done.stdout)
    else:
        skip(what, "no lintian")


def static_programs(deb):
    """The architectures of the static programs in it."""
    files = run("dpkg-deb", "--contents", deb).stdout
    return set(re.findall("/usr/lib/pmctop/pmctop-static-([a-z0-9]+)$", files, re.MULTILINE))


def alone(arch):
    """On Ubuntu, which has no packages of the other architecture. Returns that one's name."""
    other = next((name for name in MACHINES.values() if name != arch), None)
    sysroot = os.path.join(BUILD, other, "sysroot")
    os.makedirs(sysroot, exist_ok=True)
    with tempfile.TemporaryDirectory() as empty:
        with open(os.path.join(empty, "os-release"), "w", encoding="ascii") as file:
            file.write("ID=ubuntu\n")
        run("mount", "--bind", file.name, "/etc/os-release")
        run("mount", "--bind", empty, sysroot)
        deb, printed = package("make deb where the other architecture's packages cannot be had")
        run("umount", sysroot)
        run("umount", "/etc/os-release")
    if deb:
        check("it has this machine's static program alone", static_programs(deb) == {arch},
              static_programs(deb))
        check("and make prints that in one sentence",
              printed.startswith(f"No static program for {other} is built: ")
              and printed.endswith("this is Ubuntu.\n") and printed.count("\n") == 1, printed)
        check_lintian(deb, "lintian has no complaint of that one")


def whole(arch):
    """Returns the path of the package with all static programs, or None."""
    deb, printed = package("make deb")
    if not deb:
        return None
    lacking = re.search("^No static program for .*$", printed, re.MULTILINE)
    check_unless(lacking and lacking[0], "it has the static programs of both architectures",
                 static_programs(deb) == {*MACHINES.values(), arch}, (static_programs(deb), printed))
    check_lintian(deb, "lintian has no complaint")
    with open(deb, "rb") as file:
        first = file.read()
    deb, printed = package("make deb again")
    with open(deb, "rb") as file:
        check("the second package is the same", file.read() == first)
    return deb


class Machine:
    """An overlay of this machine. self.changes has the changes, in overlayfs' format."""

    def __init__(self, directory):
        self.root, self.changes = (os.path.join(directory, name) for name in ("root", "changes"))
        self.mounts = []
        self.usable = self._mount("tmpfs", directory, "-t", "tmpfs")
        for name in ("root", "changes", "work"):
            os.mkdir(os.path.join(directory, name))
        self.usable = self.usable and self._mount(
            "overlay", self.root, "-t", "overlay", "-o",
            f"lowerdir=/,upperdir={self.changes},workdir={directory}/work")
        for name in ("/proc", "/dev", "/sys"):
            self.usable = self.usable and self._mount(name, self.root + name, "--rbind")
        self.usable = self.usable and self("dpkg", "--version").returncode == 0

    def _mount(self, what, where, *how):
        return run("mount", *how, what, where).returncode == 0

    def __call__(self, *command):
        return run("chroot", self.root, *command, env={
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive",
            "HOME": "/", "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"})

    def changed(self):
        """(new paths, removed paths)"""
        new, gone = set(), set()
        for folder, folders, files in os.walk(self.changes):
            for name in folders + files:
                path = os.path.join(folder, name)
                mode = os.lstat(path)
                plain = path[len(self.changes):]
                if stat.S_ISCHR(mode.st_mode) and mode.st_rdev == 0:
                    gone.add(plain)
                elif not os.path.lexists(plain):
                    new.add(plain)
        return new, gone


def installed(machine, deb):
    # dpkg of a container may be configured to leave out documentation.
    shutil.copy(deb, os.path.join(machine.root, "pmctop.deb"))
    put = machine("dpkg", "--path-include=/usr/share/*", "-i", "/pmctop.deb")
    os.unlink(os.path.join(machine.root, "pmctop.deb"))
    check("dpkg installs it", put.returncode == 0, put)
    version = machine("dpkg-query", "-W", "-f", "${Version}", "pmctop").stdout
    done = machine("pmctop", "--version")
    check("pmctop --version has the package's version",
          done.returncode == 0 and done.stdout.startswith(f"pmctop {version}\n"), done)
    doctor = machine("pmctop", "--doctor")
    check("pmctop --doctor examines", doctor.returncode == 0 and "kernel" in doctor.stdout, doctor)
    check("the program has no capabilities", machine("getcap", "/usr/bin/pmctop").stdout == ""
          and stat.S_IMODE(os.stat(machine.root + "/usr/bin/pmctop").st_mode) == 0o755)
    changed = machine("dpkg", "--verify", "pmctop")
    check("dpkg --verify reports no change", changed.stdout == "", changed)
    for name, section in (("pmctop", 1), ("pmctop-metrics", 7), ("pmctop-remote", 7)):
        page = machine("man", "-w", name)
        check(f"there is {name}({section})",
              page.stdout == f"/usr/share/man/man{section}/{name}.{section}.gz\n", page)
        page = machine("man", name)
        check("man prints it", name in page.stdout, page)
    completion = machine("bash", "-c", ". /usr/share/bash-completion/bash_completion; "
                         "_completion_loader pmctop; complete -p pmctop")
    check("bash finds its completion", completion.returncode == 0 and "pmctop" in completion.stdout,
          completion)
    files = machine("dpkg", "-L", "pmctop").stdout.split("\n")
    check("completions of other shells are in Debian's directories",
          {"/usr/share/zsh/vendor-completions/_pmctop",
           "/usr/share/fish/vendor_completions.d/pmctop.fish"} <= set(files), files)
    for name in MACHINES:
        if f"/usr/lib/pmctop/pmctop-static-{MACHINES[name]}" in files:
            copies(machine, name)
        else:
            skip(f"--ssh copies the static program to {name}", "the package has none")


def copies(machine, name):
    """--ssh finds the installed static program. One of another architecture is copied, but cannot
    run here."""
    folder = machine.root + HOST
    os.mkdir(folder)
    for program, body in HOST_PROGRAMS.items():
        with open(os.path.join(folder, program), "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\n{body}\n")
            os.fchmod(file.fileno(), 0o755)
    done = machine("env", f"PATH={HOST}:/usr/bin:/bin", f"MACHINE={name}", "/usr/bin/pmctop",
                   "--ssh", "host", "-b", "-n", "1", "-d", "0.2")
    shutil.rmtree(folder)
    check(f"--ssh copies the static program to {name}",
          "COMMAND" in done.stdout if name == os.uname().machine
          else "does not run" in done.stderr or "COMMAND" in done.stdout, done)


def removed(machine):
    new, gone = machine.changed()
    check("all new files are dpkg's", "/usr/bin/pmctop" in new and not gone
          and not {path for path in new if not path.startswith("/var/")}
          - set(machine("dpkg", "-L", "pmctop").stdout.split("\n")), (new, gone))
    purged = machine("dpkg", "--purge", "pmctop")
    new, gone = machine.changed()
    # Except what dpkg and mandb write themselves.
    new = {path for path in new if not path.startswith(("/var/lib/dpkg/", "/var/log/", "/var/cache/"))}
    check("after a purge no file of it is left, and no other is missing",
          purged.returncode == 0 and not new and not gone
          and not glob.glob(machine.root + "/var/lib/dpkg/info/pmctop*"), (purged, new, gone))


def inside():
    arch = run("dpkg", "--print-architecture").stdout.strip()
    if arch in MACHINES.values():
        alone(arch)
    deb = whole(arch)
    if not deb:
        return finish()
    with tempfile.TemporaryDirectory() as directory:
        machine = Machine(directory)
        if not machine.usable:
            skip("dpkg -i", "no overlay of the root directory")
        elif machine("dpkg-query", "-W", "pmctop").returncode == 0:
            skip("dpkg -i", "this machine has the package")
        else:
            installed(machine, deb)
            removed(machine)
        run("umount", "--recursive", "--lazy", directory)
    return finish()


def main():
    if not shutil.which("dpkg-gencontrol"):
        print("no dpkg-dev; skipped")
        return 77
    if why := skip_reason.mounts():
        skip_all(why)
    if INSIDE in sys.argv:
        return inside()
    return os.execvp("unshare", ["unshare", "--mount", sys.executable, os.path.abspath(__file__), INSIDE])


if __name__ == "__main__":
    sys.exit(main())
