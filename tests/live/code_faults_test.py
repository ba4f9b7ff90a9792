#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The processes that open files and read symbols are killed, and stopped, while pmctop -b --code
needs them: each refresh has its counts, a line says why names are missing, and they come back.

Prints TAP. BUILD is the build directory; its static program is examined too, if it is built. Needs
a compiler, and the right to count system-wide.
"""
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skip_reason  # noqa: E402
from frames import check, finish, skip_all  # noqa: E402
from programs import BUILD, PMCTOP, state_of  # noqa: E402

STATIC = os.path.join(BUILD, "static", "pmctop")
PARSER, OPENER = "pmctop-symbols", "pmctop-opener"
FUNCTIONS = 8000
KILLS = 20
MOST = 200  # refreshes

# Names are kept once they are found, so the load is in other functions all the time.
MANY_C = r"""
#define F(n) __attribute__((noinline)) void f##n(void) \
	{ for (int i = 0; i < 20000; i++) __asm__ volatile("" : : "r"(i)); }
%s
static void (*const all[])(void) = {%s};
int main(void)
{
	for (unsigned i = 0;; i = (i + 7919) %% (sizeof(all) / sizeof(*all)))
		all[i]();
}
"""


def build_load(directory):
    source = os.path.join(directory, "many.c")
    numbers = range(FUNCTIONS)
    with open(source, "w", encoding="ascii") as file:
        file.write(MANY_C % ("\n".join(f"F({i})" for i in numbers),
                             ",".join(f"f{i}" for i in numbers)))
    program = os.path.join(directory, "many")
    subprocess.run([os.environ.get("CC", "cc").split()[-1], "-O1", "-o", program, source],
                   check=True)
    return program


def child_of(process, name):
    """The pid of the child with that name, or None."""
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{process.pid}/task"):
            with open(f"/proc/{process.pid}/task/{thread}/children", encoding="ascii") as file:
                for pid in file.read().split():
                    with open(f"/proc/{pid}/comm", encoding="ascii") as comm:
                        if comm.read().strip() == name and state_of(pid) not in "ZXT":
                            return int(pid)
    return None


class Run:
    """A program that is counted, and the refreshes of it."""

    def __init__(self, program, child, *loads):
        self.child = child
        self.loads = [subprocess.Popen([load]) for load in loads]
        pids = ",".join(str(load.pid) for load in self.loads)
        for load in self.loads[1:]:
            load.send_signal(signal.SIGSTOP)
        self.process = subprocess.Popen(
            [program, "--code", "--format", "json", "-H", "-d", "0.5", "-p", pids],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.refreshes = 0
        self.counted = 0
        self.children = set()

    def next(self):
        """(samples with a name, samples without one, notes) of the last load in the next
        refresh."""
        refresh = json.loads(self.process.stdout.readline())
        tasks = [task for task in refresh["tasks"] if task["pid"] == self.loads[-1].pid]
        functions = tasks[0].get("functions", []) if tasks else []
        named = sum(f["samples"] for f in functions if f["kind"] != "unnamed")
        samples = sum(f["samples"] for f in functions)
        self.refreshes += 1
        self.counted += bool(tasks and tasks[0]["events"]["task-clock"])
        return named, samples - named, " ".join(refresh.get("notes", []))

    def until(self, condition):
        """Whether a refresh comes for which the condition holds."""
        return any(condition(*self.next()) for _ in range(MOST))

    def hit(self, number):
        """Sends a signal to the child, once there is one."""
        for _ in range(MOST):
            pid = child_of(self.process, self.child)
            if pid:
                self.children.add(pid)
                os.kill(pid, number)
                return
            self.next()

    def kill_until_noted(self):
        """Whether a line says that the child ended. No line comes where a new child has named all
        functions in time, so it is killed several times."""
        for _ in range(KILLS):
            self.hit(signal.SIGKILL)
            for _ in range(2):  # the refresh that may have been complete already, and the next
                notes = self.next()[2]
                if "reads symbols ended" in notes and "signal 9" in notes:
                    return True
        return False

    def end(self):
        self.process.terminate()
        self.process.stdout.close()
        self.process.wait()
        for load in self.loads:
            load.kill()
            load.wait()
        return all(state_of(pid) == "X" for pid in self.children)


def has_names(named, unnamed, _):
    return named > 0 and unnamed == 0


def examine_opener(title, program, load, other):
    """The file of the second load was not opened when the process is hit."""
    for how, number in ("killed", signal.SIGKILL), ("stopped", signal.SIGSTOP):
        run = Run(program, OPENER, load, other)
        run.hit(number)
        run.loads[1].send_signal(signal.SIGCONT)
        check(f"{title}: the opener is {how}, and another program has names",
              run.until(has_names))
        check(f"{title}: the opener is {how}, and no process is left", run.end())


def examine(title, program, load):
    run = Run(program, PARSER, load)
    check(f"{title}: functions have names", run.until(has_names))
    check(f"{title}: killed, a line says so", run.kill_until_noted())
    check(f"{title}: and names come back", run.until(has_names))
    run.hit(signal.SIGSTOP)
    check(f"{title}: stopped, a line says so",
          run.until(lambda named, unnamed, notes: "does not answer" in notes))
    check(f"{title}: and names come back", run.until(has_names))
    check(f"{title}: the line has gone", run.until(
        lambda named, unnamed, notes: "reads symbols" not in notes))
    check(f"{title}: each refresh has its counts", run.counted == run.refreshes,
          (run.counted, run.refreshes))
    check(f"{title}: no process is left", run.end())


def main():
    if not shutil.which(os.environ.get("CC", "cc").split()[-1]):
        skip_all("there is no compiler")
    why = skip_reason.system_wide(PMCTOP)
    if why:
        skip_all(why)
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        load = build_load(directory)
        other = shutil.copy(load, os.path.join(directory, "other"))
        programs = {"pmctop": PMCTOP, **({"static": STATIC} if os.path.exists(STATIC) else {})}
        for title, program in programs.items():
            examine(title, program, load)
            examine_opener(title, program, load, other)
    finish()


main()
