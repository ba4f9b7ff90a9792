#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""README.md: each command runs here, or is in ELSEWHERE with the reason why not. READMES: the
files, links, headings and make targets in them exist.

In README.md, blocks of ```sh are what a user types. A command that does not end by itself is ended
after its first output. The commands run in order in one directory, so that one replays what another
recorded. The stand-ins of Scratch replace the reader's numbers, users and addresses.

Prints TAP. BUILD is the build directory.
"""
import glob
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(HERE, ".."))
from frames import check, finish, skip  # noqa: E402
from terminals import (BUILD, PATIENCE_S, PMCTOP, SPIN, Failure, Terminal, children,  # noqa: E402
                       missing, wait_until)

READMES = ("README.md", "core/README.md", "tui/README.md", "tests/README.md")
LINES = 300  # of README.md, at most
KINDS = {"sh", "text", "c"}
FOLDERS = "core|tui|themes|tests"

WHOLE = "builds and tests everything"
INSTALLS = "package_test.py and rights_test.py"
ELSEWHERE = {
    "make run": WHOLE,
    "make test": WHOLE,
    "make loads": "built before the tests",
    "make install": INSTALLS,
    "make uninstall": INSTALLS,
    "make deb": INSTALLS,
    "make static": "static_test.py",
    "make static-arm64": "the same",
    "groupadd perf": "rights_test.py, with a group of its own",
    "usermod -aG perf YOU": "the same",
    "make install-caps GROUP=perf": INSTALLS,
    "make CROSS=aarch64-linux-gnu- SYSROOT=dir STATIC=1 BUILD=build/arm64":
        "tests/guest",
    "make CC=clang WERROR=1 BUILD=build/clang": "make lint",
    "docker run --cap-add PERFMON --pid host -it IMAGE pmctop": "no image",
    "docker run --cap-add SYS_ADMIN --pid host -it IMAGE pmctop": "no image",
    "pmctop --ssh box": "ssh_test.py",
    "pmctop --ssh box --ssh-sudo": "ssh_sudo_test.py",
    "pmctop --via 'docker exec -it web'": "ssh_test.py",
}


class Readme:
    """A README's blocks (kind, lines), and its text outside of them."""

    def __init__(self, name):
        self.name, self.folder = name, os.path.dirname(os.path.join(ROOT, name))
        self.blocks, self.indented = [], []
        prose, block = [], None
        with open(os.path.join(ROOT, name), encoding="utf-8") as file:
            self.lines = file.read().splitlines()
        for line in self.lines:
            if line.startswith("```") and block is None:
                block = []
                self.blocks.append((line[3:], block))
            elif line.startswith("```"):
                block = None
            elif block is not None:
                block.append(line)
            else:
                if line.startswith(("    ", "\t")):
                    self.indented.append(line)
                prose.append(line)
        self.prose = "\n".join(prose)
        self.spans = re.findall(r"`([^`]+)`", self.prose.replace("\n", " "))

    def commands(self):
        """The commands without comments."""
        lines = [line for kind, block in self.blocks if kind == "sh" for line in block]
        return [command for line in lines if (command := re.sub(r"(^|\s+)#\s.*", "", line).strip())]

    def anchors(self):
        """GitHub's anchors of its headings."""
        return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
                for heading in re.findall(r"^#+ (.*)$", self.prose, re.M)}



def named_files(readme):
    """Paths of this repository and names of its files in the text."""
    names = set()
    for span in readme.spans:
        names.update(re.findall(rf"^(?:{FOLDERS})/[\w./*-]*$", span))
        names.update(re.findall(r"^[\w*]+\.(?:[ch]|py|def|sh|yml)$", span))
    return names


def exists(name):
    """Whether it is a path, a pattern, or the name of a file anywhere in the sources."""
    if "/" in name:
        return bool(glob.glob(os.path.join(ROOT, name)))
    return any(glob.glob(os.path.join(ROOT, folder, "**", name), recursive=True)
               for folder in ("core", "tui", "tests"))


def is_broken(readme, link):
    """Whether the file or the heading of a link does not exist."""
    path, _, heading = link.partition("#")
    name = os.path.relpath(os.path.join(readme.folder, path), ROOT) if path else readme.name
    if not os.path.exists(os.path.join(ROOT, name)):
        return True
    return bool(heading) and heading not in Readme(name).anchors()


def check_names(readme, targets):
    name = readme.name
    kinds = {kind for kind, _ in readme.blocks}
    check(f"{name}: each block has a kind, none is only indented",
          kinds <= KINDS and not readme.indented, (kinds - KINDS, readme.indented))
    absent = sorted(path for path in named_files(readme) if not exists(path))
    check(f"{name}: its files and folders exist", not absent, absent)
    links = re.findall(r"\]\(([^)]+)\)", readme.prose)
    broken = [link for link in links if "://" not in link and is_broken(readme, link)]
    check(f"{name}: its links have targets", not broken, broken)
    made = set(re.findall(r"\bmake ([a-z][a-z0-9-]*)", "\n".join(readme.spans + readme.commands())))
    check(f"{name}: make help lists each target", made <= targets, made - targets)


def make_targets():
    helped = subprocess.run(["make", "-s", "-C", ROOT, "help"], capture_output=True, text=True,
                            check=True).stdout
    return set(re.findall(r"^ *make ([a-z0-9-]+)", helped, re.M))



class Scratch:
    """A directory with the files of the commands, and stand-ins for the reader's values."""

    def __init__(self, path):
        self.path = path
        os.symlink(BUILD, os.path.join(path, "build"))
        self.write("Makefile", "all:\n\t@true\n")
        # ssh to another machine: its shell gets the joined words. With --foreground, timeout does
        # not end its process group, which is the reader's pipeline.
        self.write("bin/ssh", "#!/bin/sh\nshift\nexec timeout --foreground 60 sh -c \"exec $*\"\n")
        os.chmod(os.path.join(path, "bin/ssh"), 0o755)
        self.environment = {
            "PATH": f"{path}/bin:{BUILD}:{os.environ['PATH']}", "HOME": path,
            "LC_ALL": "C.UTF-8", "HISTFILE": ""}  # a shell writes it when its terminal is closed
        self.loads = [self.load(SPIN), self.load(SPIN)]
        with open("/proc/self/cgroup", encoding="ascii", errors="replace") as file:
            cgroup = file.read().rsplit(":", 1)[1].strip()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        doctor = subprocess.run([PMCTOP, "--doctor"], capture_output=True, text=True, check=False)
        self.stand_ins = [
            ("4121,4130", f"{self.loads[0].pid},{self.loads[1].pid}"),
            ("-u db", "-u root"), ("-G nginx.service", f"-G {cgroup}"), ("-C 0-3", "-C 0"),
            ("192.0.2.7:9105 10", f"127.0.0.1:{port}"), ("-d 10 ", "-d 0.3 "),
        ]
        if re.search(r"bad +hardware", doctor.stdout):
            self.stand_ins.append((",cycles,instructions}:S", ",task-clock,page-faults}:S"))

    def write(self, name, text):
        os.makedirs(os.path.dirname(os.path.join(self.path, name)), exist_ok=True)
        with open(os.path.join(self.path, name), "w", encoding="ascii") as file:
            file.write(text)

    def load(self, *command):
        return subprocess.Popen(["nice", "-n", "19", *command], stdout=subprocess.DEVNULL,
                                start_new_session=True)

    def close(self):
        for load in self.loads:
            try:
                os.killpg(load.pid, signal.SIGKILL)
            except ProcessLookupError:  # a command of README ended it
                pass
            load.wait()

    def fill_in(self, command):
        for placeholder, value in self.stand_ins:
            command = command.replace(placeholder, value)
        return command


def is_live(command):
    """Whether it is an interactive pmctop."""
    program = command.split(" | ")[-1] + " "
    return (program.startswith("pmctop ")
            and not re.search(r" (-b|--format|-o|--list|--doctor|--help) ", program))


def ends(command):
    """Whether it ends by itself."""
    return bool(re.search(r" -n \d| --list | --doctor| --help| -- |--replay.* -o ", command))


def run_live(scratch, command):
    """Runs it on a terminal until its first screen, then presses q."""
    terminal = Terminal(100, 30, **scratch.environment)
    try:
        terminal.line(f"cd {scratch.path}; clear; {command}; echo rc=$?")
        wanted = [r"^pmctop \S+ .*(every|REPLAY)(.|\n)*Help"]
        if " -- " in command:
            wanted.append(r"^The command ended with status 0")
        if "--record" in command:
            wanted.append(r"^pmctop .*REC")
        for pattern in wanted:
            if terminal.wait_for(rf"{pattern}|^rc=\d+$")[0].startswith("rc="):
                raise Failure(f"it ended early:\n{terminal.screen()}")
        terminal.keys("q")
        terminal.wait_for(r"^rc=0$")
    finally:
        terminal.close()


def writing(shell):
    """The pid of pmctop, started by the shell or in its place, after its first output; or None."""
    with open(f"/proc/{shell.pid}/comm", encoding="ascii", errors="replace") as comm:
        found = [shell.pid] if comm.read() == "pmctop\n" else children(shell.pid, "pmctop")
    for pid in found:
        with open(f"/proc/{pid}/io", encoding="ascii") as io:
            if int(re.search(r"wchar: (\d+)", io.read())[1]) > 0:
                return pid
    return None


def run_plain(scratch, command):
    """Runs it without a terminal, and ends it after its output if it does not end itself."""
    outputs = [os.path.join(scratch.path, f"{name}.out") for name in ("standard", "error")]
    written = re.search(r" -o (\S+)", command)
    path = os.path.join(scratch.path, written[1]) if written else outputs[0]
    if "--listen" in command:
        path = outputs[1]  # its standard output is served
    with open(outputs[0], "wb") as output, open(outputs[1], "wb") as error:
        shell = subprocess.Popen(["bash", "-c", f"set -o pipefail; {command}"], stdout=output,
                                 stderr=error, stdin=subprocess.DEVNULL, cwd=scratch.path,
                                 env=scratch.environment, start_new_session=True)
        try:
            if not ends(command):
                wait_until(f"output of {command}", lambda: writing(shell))
                wait_until(f"output of {command}", lambda: " | " in command
                           or os.path.exists(path) and os.path.getsize(path))
                os.kill(writing(shell), signal.SIGTERM)
            status = shell.wait(PATIENCE_S)
        finally:
            if shell.poll() is None:
                os.killpg(shell.pid, signal.SIGKILL)
                shell.wait()
    with open(outputs[1], encoding="utf-8", errors="replace") as file:
        text = file.read()
    if status or not os.path.getsize(path):
        raise Failure(f"status {status}; {os.path.getsize(path)} bytes; {text}")


def run_load(scratch, command):
    """Starts a load that runs until a later command ends it. $! becomes its pid."""
    load = scratch.load(os.path.join(scratch.path, command.split()[0]), *command.split()[1:-1])
    scratch.loads.append(load)
    scratch.stand_ins.append(("$!", str(load.pid)))
    wait_until(command, lambda: load.poll() is not None or len(children(load.pid, "pong")) == 1)


def run(scratch, command):
    command = scratch.fill_in(command)
    if command.endswith("&"):
        run_load(scratch, command)
    elif command.startswith("kill"):
        subprocess.run(command.split(), check=True)
    elif is_live(command):
        run_live(scratch, command)
    elif "pmctop" in command:
        run_plain(scratch, command)
    else:
        raise Failure("no rule to run it: see ELSEWHERE")


def run_story(scratch):
    """The keys of the section about the sick machine."""
    load = scratch.load(os.path.join(BUILD, "load", "pingpong"), "-c", "1", "1000000000")
    scratch.loads.append(load)
    terminal = Terminal(100, 40, **scratch.environment)
    try:
        terminal.start(f"-p {load.pid}")
        terminal.wait_for(r"^ +\d+ .* pong$")
        terminal.keys("Enter")
        terminal.wait_for(r"^Threads(.|\n)*^CPUs +where it ran\n +1 \[")
        terminal.keys("e")
        terminal.wait_for(r"Add an event")
        terminal.text("kernel_percent")
        terminal.wait_for(r"> kernel_percent(.|\n)*metric kernel_percent")
        terminal.keys("Enter")
        terminal.wait_for(r"^ +TID .*kernel%")
        terminal.keys("q")
        terminal.wait_for(r"^ +PID .*kernel%.*VERDICT")
        terminal.keys("q")
        terminal.wait_for(r"^rc=0$")
    finally:
        terminal.close()


def attempt(name, test, *arguments):
    try:
        test(*arguments)
        check(name, True)
    except (Failure, OSError, subprocess.SubprocessError) as failure:
        check(name, False, failure)


def check_commands(readme):
    commands = readme.commands()
    stale = sorted(set(ELSEWHERE) - set(commands))
    check("the commands of ELSEWHERE are in README", not stale, stale)
    here = [command for command in dict.fromkeys(commands) if command not in ELSEWHERE]
    absent = missing(SPIN, os.path.join(BUILD, "load", "pingpong"))
    absent += [program for program in ("perf", "jq") if not shutil.which(program)]
    if os.geteuid() != 0:
        absent.append("root")
    if os.cpu_count() < 2:
        absent.append("a second CPU")
    if absent:
        for command in here:
            skip(command, f"{', '.join(absent)} missing")
        return
    with tempfile.TemporaryDirectory(prefix="readme-") as path:
        scratch = Scratch(path)
        try:
            for command in here:
                attempt(command, run, scratch, command)
            attempt("the keys of the sick machine's story", run_story, scratch)
        finally:
            scratch.close()


def main():
    readmes, targets = [Readme(name) for name in READMES], make_targets()
    for readme in readmes:
        check_names(readme, targets)
    lines = len(readmes[0].lines)
    check(f"README.md has at most {LINES} lines", lines <= LINES, lines)
    check_commands(readmes[0])
    finish()


main()
