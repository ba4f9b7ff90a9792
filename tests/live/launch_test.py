#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pmctop -b -- COMMAND: the command's life, its output and status, and the summary.

Prints TAP. BUILD is the build directory. targets_test.py checks the counts.
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from frames import broken_sums, check, finish, frames_of, skip  # noqa: E402
from programs import PMCTOP, alive, state_of  # noqa: E402
from served import until  # noqa: E402

PATIENCE_S = 180


def run(*arguments, **options):
    options.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run([PMCTOP, *arguments], capture_output=True, text=True,
                          timeout=PATIENCE_S, **options)


def start(*arguments, **options):
    """Starts it in its own process group, to which signals are sent as by a terminal."""
    return subprocess.Popen([PMCTOP, *arguments], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            start_new_session=True, **options)


def summary_of(text):
    """The last object if it is the summary, else {}."""
    last = frames_of(text)[-1]
    return last if last.get("summary") is True else {}


def statuses():
    for command, status in ((["true"], 0), (["sh", "-c", "exit 7"], 7), (["sh", "-c", "exit 255"], 255),
                            (["sh", "-c", "kill -9 $$"], 137), (["sh", "-c", "kill -15 $$"], 143)):
        result = run("-b", "--format", "json", "--", *command)
        summary = summary_of(result.stdout)
        check(f"{' '.join(command)}: status {status}, also in the summary",
              result.returncode == status and summary.get("status") == status
              and summary["command"] == command and not result.stderr,
              (result.returncode, result.stderr))
    with tempfile.TemporaryDirectory() as directory:
        def make(name, text, mode):
            path = os.path.join(directory, name)
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
            os.chmod(path, mode)
            return path
        script = make("script", "exit 9\n", 0o755)
        unfound = make("unfound", "#!/no/such/interpreter\n", 0o755)
        forbidden = make("forbidden", "exit 9\n", 0o644)
        for command, status, words in (
            ("no-such-command", 127, "'no-such-command' is not found: .*PATH"),
            (os.path.join(directory, "nothing"), 127, "is not found: there is no such file"),
            ("", 127, "'' is not found"),
            (unfound, 127, "interpreter"),
            (forbidden, 126, "is not executable: chmod"),
            (directory, 126, "directory"),
            (os.path.join(script, "below"), 126, "Not a directory"),
        ):
            result = run("-b", "--", command)
            check(f"'{os.path.basename(command)}' cannot run: status {status} and one line",
                  result.returncode == status and re.search(f"^pmctop: .*{words}", result.stderr)
                  and result.stderr.count("\n") == 1 and not result.stdout,
                  (result.returncode, result.stderr, result.stdout))
        # For an ordinary user. root can search every directory.
        closed = os.path.join(directory, "closed")
        os.mkdir(closed, 0o600)
        result = run("-b", "--", "no-such-command",
                     env=dict(os.environ, PATH=f"{closed}:{script}:/usr/bin"))
        check("nor a command that is in no directory of a PATH with unsearchable ones",
              result.returncode == 127 and "PATH has it" in result.stderr, result)
        result = run("-b", "--", script)
        check("a script without an interpreter line runs as in a shell", result.returncode == 9,
              result)
        marker = os.path.join(directory, "marker")
        result = run("-o", "/no/such/place/file", "--", "touch", marker)
        check("the command does not run if the output cannot be opened",
              result.returncode == 1 and result.stderr.count("\n") == 1
              and not os.path.exists(marker), result)
        result = run("-b", "-e", "no-such-event", "--", "touch", marker)
        check("nor if an option is wrong",
              result.returncode == 2 and not os.path.exists(marker), result)
    result = run("-b", "--")
    check("no command behind --: status 2 and one line", result.returncode == 2
          and result.stderr.count("\n") == 1 and "COMMAND" in result.stderr, result)


def outputs():
    speak = ["sh", "-c", "cat; echo to-stdout; echo to-stderr >&2"]
    with tempfile.TemporaryFile("w+") as typed:
        typed.write("typed\n")
        typed.seek(0)
        result = run("--format", "json", "--", *speak, stdin=typed)
        check("the command keeps its input; its output goes to stderr",
              result.stderr == "typed\nto-stdout\nto-stderr\n"
              and len(frames_of(result.stdout)) == 1, (result.stdout[:80], result.stderr))
        typed.seek(0)
        with tempfile.NamedTemporaryFile("r", encoding="utf-8") as file:
            result = run("--format", "json", "-o", file.name, "--", *speak, stdin=typed)
            check("with -o it keeps its output too",
                  result.stdout == "typed\nto-stdout\n" and result.stderr == "to-stderr\n"
                  and summary_of(file.read()), (result.stdout, result.stderr))
    # A shell cannot see signals that were ignored at its start.
    state = "import os, signal\n" \
           "print([n for n in range(1, 32) if n not in (9, 19, 32)" \
                   " and signal.getsignal(n) == signal.SIG_IGN])\n" \
                   "print(sorted(os.listdir('/proc/self/fd'))[:-1])\n" \
                   "print(signal.pthread_sigmask(signal.SIG_BLOCK, []))"
    command = [sys.executable, "-S", "-c", state]
    bare = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    result = run("-b", "--", *command)
    check("the command has the signals and descriptors that it has without pmctop",
          result.stderr == bare.stdout, (bare.stdout, result.stderr))
    ignored = run("-b", "--", "sh", "-c", "kill -HUP $$; echo lives", preexec_fn=lambda: (
        signal.signal(signal.SIGHUP, signal.SIG_IGN)))
    check("a signal that was ignored before stays ignored (nohup)",
          ignored.stderr == "lives\n", ignored)
    shell = subprocess.run([PMCTOP, "-b", "--", "sh", "-c", "exit 3"], capture_output=True,
                           text=True, preexec_fn=lambda: signal.signal(signal.SIGCHLD,
                                                                        signal.SIG_IGN))
    check("an ignored SIGCHLD does not hide the status", shell.returncode == 3, shell)
    closed = subprocess.run(["sh", "-c", f"{PMCTOP} -o /dev/null -- sh -c 'exit 4' <&- >&- 2>&-"])
    check("nor do closed standard descriptors", closed.returncode == 4, closed)
    with tempfile.NamedTemporaryFile("r") as seen:
        subprocess.run(["sh", "-c", f"{PMCTOP} -o /dev/null -- "
                        f"sh -c 'ls -l /proc/self/fd >{seen.name}' <&- >&- 2>&-"])
        links = [line.split(" -> ")[1] for line in seen.read().splitlines() if " -> " in line]
        check("none of pmctop's descriptors takes their numbers",
              len(links) == 2 and seen.name in links and not any("anon" in x for x in links), links)
    mute = subprocess.run(["sh", "-c", f"{PMCTOP} -n 1 -d 0.1 >&-"], capture_output=True, text=True)
    check("a closed standard output is an error",
          mute.returncode == 1 and "Bad file descriptor" in mute.stderr, mute)


def refreshes():
    result = run("--format", "json", "--", "sleep", "0.5")
    check("without a delay only the summary is printed", len(frames_of(result.stdout)) == 1, result)
    result = run("--format", "json", "-d", "0.2", "--", "sleep", "0.5")
    seen = frames_of(result.stdout)
    check("with a delay, each refresh and then the summary",
          len(seen) >= 3 and [bool(f.get("summary")) for f in seen] == [False] * (len(seen) - 1) + [True],
          [f.get("summary") for f in seen])
    summary = seen[-1]
    check("the summary has the length of the refreshes, and adds up",
          abs(summary["interval_s"] - sum(f["interval_s"] for f in seen[:-1])) < 0.001
          and 0.5 <= summary["elapsed_s"] and not broken_sums(summary),
          (summary["interval_s"], summary["elapsed_s"], broken_sums(summary)))
    result = run("--format", "json", "-d", "300", "--", "sleep", "0.3")
    seen = frames_of(result.stdout)
    check("the command's end cuts the last interval short",
          len(seen) == 2 and seen[0]["interval_s"] < 100, [f["interval_s"] for f in seen])
    result = run("--format", "json", "-d", "0.1", "-n", "2", "--", "sleep", "1000")
    check("-n ends the command too: status 143, two refreshes and the summary",
          result.returncode == 143
          and [bool(f.get("summary")) for f in frames_of(result.stdout)] == [False, False, True]
          and summary_of(result.stdout)["status"] == 143, (result.returncode, result.stderr))
    result = run("-b", "--", "sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; exit 1")
    page = result.stdout
    check("text: a title, a table, counts and the times",
          re.match(r"pmctop - summary of 'sh -c i=0;.*\.\.\.'  \d{4}-.* s  ", page)
          and re.search(r"^ +PID USER .*COMMAND$", page, re.M)
          and re.search(r"^ +[~?]?[\d,.]+ ms  task-clock +[~?]?[\d.]+ %CPU$", page, re.M)
          and re.search(r"^  \d+\.\d{6} s elapsed, \d+\.\d{6} s user, \d+\.\d{6} s system, status 1$",
                        page, re.M), page)
    summary = summary_of(run("--format", "json", "--", "sh", "-c",
                             "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done").stdout)
    used = summary["user_s"] + summary["system_s"]
    named = sum(t["events"]["task-clock"] for t in summary["tasks"] if t["comm"] == "sh") / 1e9
    check("the counted time is the time that the command used",
          abs(used - named) < 0.1 * used + 0.01,
          (used, named, summary["mode"]))


def interruptions():
    # A background job has SIGINT ignored, and its children inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
        pmctop = start("--format", "json", "--", "sh", "-c", "echo $$ >&2; exec sleep 1000")
        pid = int(pmctop.stderr.readline())
        time.sleep(0.2)
        os.killpg(pmctop.pid, number)  # as a terminal does
        text, stderr = pmctop.communicate(timeout=PATIENCE_S)
        check(f"{number.name} to both: the summary, status {status}",
              pmctop.returncode == status and summary_of(text).get("status") == status
              and not stderr and not alive(pid), (pmctop.returncode, stderr))
        pmctop = start("--format", "json", "--", "sh", "-c", "echo $$ >&2; exec sleep 1000")
        pid = int(pmctop.stderr.readline())
        pmctop.send_signal(number)
        text, stderr = pmctop.communicate(timeout=PATIENCE_S)
        check(f"{number.name} to pmctop alone: the command ends by SIGTERM, status {status}",
              pmctop.returncode == status and summary_of(text).get("status") == 143
              and not stderr and not alive(pid), (pmctop.returncode, stderr))
    pmctop = start("--format", "json", "--", "sh", "-c",
                   "trap 'sleep 0.5; exit 5' INT; echo $$ >&2; while :; do sleep 0.05; done")
    pmctop.stderr.readline()
    time.sleep(0.1)
    os.killpg(pmctop.pid, signal.SIGINT)
    text, stderr = pmctop.communicate(timeout=PATIENCE_S)
    check("a command with its own handler of ^C has the time for it, and its own status",
          pmctop.returncode == 5 and summary_of(text).get("status") == 5, (pmctop.returncode, stderr))
    pmctop = start("--format", "json", "--", "sh", "-c",
                   "trap '' TERM INT; echo $$ >&2; while :; do sleep 0.05; done")
    pid = int(pmctop.stderr.readline())
    began = time.monotonic()
    pmctop.terminate()
    text = pmctop.stdout.read()
    pmctop.wait(PATIENCE_S)
    took = time.monotonic() - began
    stderr = os.read(pmctop.stderr.fileno(), 4096).decode()
    check("a command that ignores SIGTERM is left alone after a second, and a line reports it",
          pmctop.returncode == 143 and 0.9 < took and alive(pid)
          and summary_of(text)["status"] is None and f"(pid {pid}) still runs" in stderr,
          (pmctop.returncode, took, stderr))
    os.kill(pid, signal.SIGKILL)
    pmctop.stderr.close()
    pmctop.stdout.close()
    pmctop = start("-b", "--", "sh", "-c", "echo $$ >&2; kill -STOP $$; sleep 1000")
    pid = int(pmctop.stderr.readline())
    while state_of(pid) not in "TX":
        time.sleep(0.01)
    pmctop.terminate()
    pmctop.wait(PATIENCE_S)
    check("a stopped command ends too", pmctop.returncode == 143 and not alive(pid),
          (pmctop.returncode, alive(pid)))
    pmctop.stderr.close()
    pmctop.stdout.close()


def oddities():
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        done = subprocess.run([PMCTOP, "--format", "json", "--", "sh", "-c",
                               "sleep 1000 & echo $! >&2; exit 6"], stdout=out, stderr=err,
                              stdin=subprocess.DEVNULL, timeout=PATIENCE_S)
        err.seek(0)
        daemon = int(err.read())
    check("pmctop neither waits for a daemon nor ends it",
          done.returncode == 6 and alive(daemon), done)
    os.kill(daemon, signal.SIGKILL)
    pmctop = start("-d", "0.1", "-b", "--", "sh", "-c",
                   "(sleep 0.1 & sleep 0.1 & sleep 0.1 &); echo $$ >&2; exec sleep 1000")
    pmctop.stderr.readline()

    def children():
        with open(f"/proc/{pmctop.pid}/task/{pmctop.pid}/children", encoding="ascii") as file:
            return file.read().split()
    adopted = until(lambda: len(children()) > 1, PATIENCE_S) or len(children()) == 1
    check("orphans are reaped", adopted and until(lambda: len(children()) == 1, PATIENCE_S),
          children())
    pmctop.terminate()
    pmctop.communicate(timeout=PATIENCE_S)
    result = run("--format", "json", "--", "sh", "-c",
                 "i=0; while [ $i -lt 3000 ]; do /bin/true; i=$((i+1)); done; exit 3")
    summary = summary_of(result.stdout)
    short = [task for task in summary["tasks"] if task["comm"] == "true"]
    check("thousands of short children: the status, and a summary that adds up",
          result.returncode == 3 and not broken_sums(summary),
          (result.returncode, broken_sums(summary)))
    # A kernel that does not report all context switches hides some on a busy machine.
    if summary["mode"] == "system" and not summary["lost_records"] and os.getloadavg()[0] < 3:
        check("nearly all of them are in the summary", len(short) > 2900, len(short))
    else:
        skip("nearly all of them are in the summary", "lost records, or a busy machine")
    result = run("--format", "json", "--", "sh", "-c", "exec <&- >&- 2>&-; sleep 0.3; exit 8")
    check("a command that closes all its descriptors", result.returncode == 8
          and summary_of(result.stdout)["status"] == 8, result)
    shell = subprocess.run(["sh", "-c", f"{PMCTOP} -b -d 0.1 -- sleep 1000 | head -n 1"],
                           capture_output=True, text=True, timeout=PATIENCE_S)
    check("a reader that closes the pipe ends pmctop and the command without a message",
          shell.stdout.count("\n") == 1 and not shell.stderr, shell)
    with open("/dev/full", "w", encoding="ascii") as full:
        result = subprocess.run([PMCTOP, "-b", "--", "true"], stdout=full, stderr=subprocess.PIPE,
                                text=True, timeout=PATIENCE_S)
    check("a full disk: status 1 and one line", result.returncode == 1
          and result.stderr.count("\n") == 1, result)
    stuck = start("--format", "json", "--", "sh", "-c", "echo $$ >&2; exec sleep 1000")
    pid = int(stuck.stderr.readline())
    subprocess.run(["true"])
    stuck.terminate()
    check("it ends though its output is not read",
          until(lambda: stuck.poll() is not None, PATIENCE_S)
          and not alive(pid), stuck.returncode)
    stuck.stdout.close()
    stuck.stderr.close()


statuses()
outputs()
refreshes()
interruptions()
oddities()
finish()
