#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make deb: what lintian says of the package, what it brings to a machine, and that it goes again.

Prints TAP. BUILD is the build directory. Installs into this very machine as it would be: an overlay
of its root directory in a mount namespace of our own keeps all changes. Takes root and Debian.
"""
import glob
import os
import shutil
import stat
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
import confined  # noqa: E402
from frames import check, finish, skip, skip_all  # noqa: E402

TREE = os.path.abspath(os.path.join(HERE, "..", ".."))
BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
PMCTOP = os.path.join(BUILD, "pmctop")
INSIDE = "--inside"


def run(*command, **options):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=300, check=False, **options)


def package():
    """The .deb that was made; None and a reason in TAP otherwise."""
    for old in glob.glob(os.path.join(BUILD, "pmctop_*.deb")):
        os.unlink(old)
    # Of the program that is there: other tests run it, and a commit meanwhile is none of theirs.
    version = run(PMCTOP, "--version").stdout.split()[1]
    made = run("make", "--no-print-directory", "-C", TREE, "deb", f"BUILD={BUILD}", f"VERSION={version}")
    found = glob.glob(os.path.join(BUILD, "pmctop_*.deb"))
    check("make deb", made.returncode == 0 and len(found) == 1, made.stderr[-600:])
    return found[0] if found else None


class Machine:
    """This one as it would be: what differs stands in self.changes, as overlayfs keeps it."""

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
        """What is there and was not before, and what is not there any more."""
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
    # Where the machine was told to leave out documentation, this is not to be.
    shutil.copy(deb, os.path.join(machine.root, "pmctop.deb"))
    put = machine("dpkg", "--path-include=/usr/share/*", "-i", "/pmctop.deb")
    os.unlink(os.path.join(machine.root, "pmctop.deb"))
    check("dpkg installs it, with nothing else", put.returncode == 0, put)
    version = machine("dpkg-query", "-W", "-f", "${Version}", "pmctop").stdout
    said = machine("pmctop", "--version")
    check("pmctop --version has the package's version",
          said.returncode == 0 and said.stdout.startswith(f"pmctop {version}\n"), said)
    doctor = machine("pmctop", "--doctor")
    check("pmctop --doctor examines", doctor.returncode == 0 and "kernel" in doctor.stdout, doctor)
    check("no rights come with it", machine("getcap", "/usr/bin/pmctop").stdout == ""
          and stat.S_IMODE(os.stat(machine.root + "/usr/bin/pmctop").st_mode) == 0o755)
    changed = machine("dpkg", "--verify", "pmctop")
    check("its files are what they were", changed.stdout == "", changed)
    page = machine("man", "-w", "pmctop")
    check("there is a manual", page.stdout == "/usr/share/man/man1/pmctop.1.gz\n", page)
    page = machine("man", "pmctop")
    check("which man prints", "pmctop" in page.stdout, page)
    completion = machine("bash", "-c", ". /usr/share/bash-completion/bash_completion; "
                         "_completion_loader pmctop; complete -p pmctop")
    check("bash finds its completion", completion.returncode == 0 and "pmctop" in completion.stdout,
          completion)
    files = machine("dpkg", "-L", "pmctop").stdout.split("\n")
    check("the other shells' are where Debian has them",
          {"/usr/share/zsh/vendor-completions/_pmctop",
           "/usr/share/fish/vendor_completions.d/pmctop.fish"} <= set(files), files)


def removed(machine):
    new, gone = machine.changed()
    check("all that is new is known to dpkg", "/usr/bin/pmctop" in new and not gone
          and not {path for path in new if not path.startswith("/var/")}
          - set(machine("dpkg", "-L", "pmctop").stdout.split("\n")), (new, gone))
    purged = machine("dpkg", "--purge", "pmctop")
    new, gone = machine.changed()
    # What dpkg and mandb write about it all.
    new = {path for path in new if not path.startswith(("/var/lib/dpkg/", "/var/log/", "/var/cache/"))}
    check("purged, nothing is left of it, and nothing else has gone",
          purged.returncode == 0 and not new and not gone
          and not glob.glob(machine.root + "/var/lib/dpkg/info/pmctop*"), (purged, new, gone))


def inside():
    deb = package()
    if not deb:
        return finish()
    if shutil.which("lintian"):
        said = run("lintian", "--fail-on", "error,warning", deb)
        check("lintian has no objections", said.returncode == 0, said.stdout)
    else:
        skip("lintian has no objections", "there is none here")
    with tempfile.TemporaryDirectory() as directory:
        machine = Machine(directory)
        if not machine.usable:
            skip("dpkg -i", "no overlay of the root directory here")
        elif machine("dpkg-query", "-W", "pmctop").returncode == 0:
            skip("dpkg -i", "this machine has the package")
        else:
            installed(machine, deb)
            removed(machine)
        run("umount", "--recursive", "--lazy", directory)
    return finish()


def main():
    if not shutil.which("dpkg-gencontrol"):
        print("no dpkg-dev here; skipped")
        return 77
    if why := confined.mounts():
        skip_all(why)
    if INSIDE in sys.argv:
        return inside()
    return os.execvp("unshare", ["unshare", "--mount", sys.executable, os.path.abspath(__file__), INSIDE])


if __name__ == "__main__":
    sys.exit(main())
