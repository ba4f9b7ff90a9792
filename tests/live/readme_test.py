#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""README: every command in it is run here or stands below with the reason why not, and what it names
exists: files, links, headings, targets of make.

In README ```sh is what one types, and nothing else is; a command that pmctop does not end by itself
is ended when it has shown something. They run one after the other in a directory of their own, so
that one replays what another recorded. What a reader puts his own into (numbers, users, addresses)
is put in here: STAND_INS.

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

KINDS = {"sh", "text", "ini", "yaml", "c"}
FOLDERS = "core|tui|themes|tests"

WHOLE = "would build and test everything from within a test"
INSTALLS = "package_test.py and rights_test.py install"
ELSEWHERE = {
    "make run": WHOLE,
    "make test": WHOLE,
    "make loads": "the loads are built where tests run",
    "make install": INSTALLS,
    "make uninstall": INSTALLS,
    "make deb": INSTALLS,
    "make static": "static_test.py has it made",
    "make static-arm64": "the same",
    "groupadd perf": "a group of the machine's: rights_test.py has one of its own",
    "usermod -aG perf YOU": "the same",
    "make install-caps GROUP=perf": INSTALLS,
    "make CROSS=aarch64-linux-gnu- SYSROOT=dir STATIC=1 BUILD=build/arm64":
        "tests/guest has it made",
    "make CC=clang WERROR=1 BUILD=build/clang": "make lint does",
    "docker run --cap-add PERFMON --pid host -it IMAGE pmctop": "no image",
    "docker run --cap-add SYS_ADMIN --pid host -it IMAGE pmctop": "no image",
    "scp build/static/pmctop box:": "another machine",
    "ssh -t box ./pmctop": "another machine",
    "make bench": "minutes, and tells of costs: cost_test.py is the short one",
}


def read_readme():
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        return file.read()


class Readme:
    """Its text outside of blocks, and its blocks: (kind, lines)."""

    def __init__(self, text):
        self.blocks, self.indented = [], []
        prose, block = [], None
        for line in text.splitlines():
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
        """Without what a comment says of them."""
        lines = [line for kind, block in self.blocks if kind == "sh" for line in block]
        return [command for line in lines if (command := re.sub(r"(^|\s+)#\s.*", "", line).strip())]

    def part(self, heading):
        """The prose below a heading, up to the next one."""
        return re.split(r"^#+ ", self.prose.split(f"# {heading}\n", 1)[1], maxsplit=1, flags=re.M)[0]


# ---- what it names


def anchor(heading):
    """As GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def named_files(readme):
    """What stands in the text as a path of this repository, or as the name of one of its files."""
    names = set()
    for span in readme.spans:
        names.update(re.findall(rf"^(?:{FOLDERS})/[\w./*-]*$", span))
        names.update(re.findall(r"^[\w*]+\.(?:[ch]|py|def|sh|yml)$", span))
    return names


def exists(name):
    """A path, a pattern, or the name of a file somewhere in the sources."""
    if "/" in name:
        return bool(glob.glob(os.path.join(ROOT, name)))
    return any(glob.glob(os.path.join(ROOT, folder, "**", name), recursive=True)
               for folder in ("core", "tui", "tests"))


def check_names(readme):
    kinds = {kind for kind, _ in readme.blocks}
    check("each block says what it is, none by its margin alone",
          kinds <= KINDS and not readme.indented, (kinds - KINDS, readme.indented))
    absent = sorted(name for name in named_files(readme) if not exists(name))
    check("the files and folders that it names are there", not absent, absent)

    headings = {anchor(heading) for heading in re.findall(r"^#+ (.*)$", readme.prose, re.M)}
    links = re.findall(r"\]\(([^)]+)\)", readme.prose)
    broken = [link for link in links
              if (link[1:] not in headings if link.startswith("#")
                  else "://" not in link and not os.path.exists(os.path.join(ROOT, link)))]
    check("links lead somewhere", len(links) > 15 and not broken, broken)

    helped = subprocess.run(["make", "-s", "-C", ROOT, "help"], capture_output=True, text=True,
                            check=True).stdout
    known = set(re.findall(r"^ *make ([a-z0-9-]+)", helped, re.M))
    made = set(re.findall(r"\bmake ([a-z][a-z0-9-]*)", "\n".join(readme.spans + readme.commands())))
    check("make help knows each target", made and made <= known, made - known)


# ---- its commands


class Scratch:
    """A directory with what the commands need in it, and what stands in for the reader's own."""

    def __init__(self, path):
        self.path = path
        os.symlink(BUILD, os.path.join(path, "build"))
        self.write("Makefile", "all:\n\t@true\n")
        # Another machine, as ssh reaches it: its shell gets the words joined again. Without
        # --foreground timeout ends all in its process group, which is the reader's pipeline.
        self.write("bin/ssh", "#!/bin/sh\nshift\nexec timeout --foreground 60 sh -c \"exec $*\"\n")
        os.chmod(os.path.join(path, "bin/ssh"), 0o755)
        self.environment = {
            "PATH": f"{path}/bin:{BUILD}:{os.environ['PATH']}", "HOME": path,
            "LC_ALL": "C.UTF-8", "HISTFILE": ""}  # which a shell writes when its terminal has gone
        self.loads = [self.load(SPIN), self.load(SPIN)]
        with open("/proc/self/cgroup", encoding="ascii", errors="replace") as file:
            cgroup = file.read().rsplit(":", 1)[1].strip()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        doctor = subprocess.run([PMCTOP, "--doctor"], capture_output=True, text=True, check=False)
        self.stand_ins = [
            ("4121,4130", f"{self.loads[0].pid},{self.loads[1].pid}"),
            ("-p 4121", f"-p {self.loads[0].pid}"), ("-t 4133", f"-t {self.loads[1].pid}"),
            ("-u db", "-u root"), ("-G nginx.service", f"-G {cgroup}"), ("-C 0-3", "-C 0"),
            ("192.0.2.7:9105 10", f"127.0.0.1:{port}"), ("9105", port),
            ("/var/lib/prometheus/node-exporter/", ""),
            ("-d 10 ", "-d 0.3 "), ("-d 15 ", "-d 0.3 "),
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
            except ProcessLookupError:  # README's own commands ended it
                pass
            load.wait()

    def own(self, command):
        for theirs, ours in self.stand_ins:
            command = command.replace(theirs, ours)
        return command


def is_live(command):
    """Whether it draws."""
    program = command.split(" | ")[-1] + " "
    return (program.startswith("pmctop ")
            and not re.search(r" (-b|--format|-o|--list|--doctor|--help) ", program))


def ends(command):
    """Whether it ends by itself."""
    return bool(re.search(r" -n \d| --list | --doctor| --help| -- |--replay.* -o ", command))


def run_live(scratch, command):
    """In a terminal, until it shows something; then q."""
    terminal = Terminal(100, 30, **scratch.environment)
    try:
        terminal.line(f"cd {scratch.path}; clear; {command}; echo rc=$?")
        wanted = [r"^pmctop \S+ .*(every|REPLAY)(.|\n)*Help"]
        if " -- " in command:
            wanted.append(r"^The command ended with status 0")
        if "--record" in command:
            wanted.append(r"^pmctop .*REC")
        for sight in wanted:
            if terminal.wait_for(rf"{sight}|^rc=\d+$")[0].startswith("rc="):
                raise Failure(f"it did not stay:\n{terminal.screen()}")
        terminal.keys("q")
        terminal.wait_for(r"^rc=0$")
    finally:
        terminal.close()


def writing(shell):
    """pmctop where a shell has started it, or has become it, once it has written something."""
    with open(f"/proc/{shell.pid}/comm", encoding="ascii", errors="replace") as comm:
        found = [shell.pid] if comm.read() == "pmctop\n" else children(shell.pid, "pmctop")
    for pid in found:
        with open(f"/proc/{pid}/io", encoding="ascii") as io:
            if int(re.search(r"wchar: (\d+)", io.read())[1]) > 0:
                return pid
    return None


def run_plain(scratch, command):
    """Without a terminal. Who does not end by himself is ended when he has written something."""
    outputs = [os.path.join(scratch.path, f"{name}.out") for name in ("standard", "error")]
    written = re.search(r" -o (\S+)", command)
    looked_at = os.path.join(scratch.path, written[1]) if written else outputs[0]
    if "--listen" in command:
        looked_at = outputs[1]  # its standard output is for who asks it there
    with open(outputs[0], "wb") as output, open(outputs[1], "wb") as error:
        shell = subprocess.Popen(["bash", "-c", f"set -o pipefail; {command}"], stdout=output,
                                 stderr=error, stdin=subprocess.DEVNULL, cwd=scratch.path,
                                 env=scratch.environment, start_new_session=True)
        try:
            if not ends(command):
                wait_until(f"output of {command}", lambda: writing(shell))
                wait_until(f"output of {command}", lambda: " | " in command
                           or os.path.exists(looked_at) and os.path.getsize(looked_at))
                os.kill(writing(shell), signal.SIGTERM)
            status = shell.wait(PATIENCE_S)
        finally:
            if shell.poll() is None:
                os.killpg(shell.pid, signal.SIGKILL)
                shell.wait()
    with open(outputs[1], encoding="utf-8", errors="replace") as said:
        text = said.read()
    if status or not os.path.getsize(looked_at):
        raise Failure(f"status {status}; {os.path.getsize(looked_at)} bytes; {text}")


def run_load(scratch, command):
    """One that goes on behind the next commands, until they end it: $! is its number."""
    load = scratch.load(os.path.join(scratch.path, command.split()[0]), *command.split()[1:-1])
    scratch.loads.append(load)
    scratch.stand_ins.append(("$!", str(load.pid)))
    wait_until(command, lambda: load.poll() is not None or len(children(load.pid, "pong")) == 1)


def run(scratch, command):
    command = scratch.own(command)
    if command.endswith("&"):
        run_load(scratch, command)
    elif command.startswith("kill"):
        subprocess.run(command.split(), check=True)
    elif is_live(command):
        run_live(scratch, command)
    elif "pmctop" in command:
        run_plain(scratch, command)
    else:
        raise Failure("nobody knows how to run it: see ELSEWHERE")


def told(scratch):
    """What the story of the sick machine does by keys."""
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
    check("what is not run here stands in README", not stale, stale)
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
            attempt("the keys of the sick machine's story", told, scratch)
        finally:
            scratch.close()


def main():
    readme = Readme(read_readme())
    check_names(readme)
    check_commands(readme)
    finish()


main()
