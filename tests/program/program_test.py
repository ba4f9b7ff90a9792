#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The built program: texts that it prints on any machine, stored recordings replayed in each
format, and a start and quit on a terminal.

Nothing that is compared depends on this machine. GOLDEN_UPDATE=1 rewrites
tests/golden/program_*.txt. Prints TAP. BUILD is the build directory.
"""
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from frames import broken_sums, check, finish, frames_of, skip  # noqa: E402
from golden import check_golden, folded  # noqa: E402
from pmctop import ENVIRONMENT, HOME, PMCTOP, listed, run, write_file  # noqa: E402
from ptys import OnPty  # noqa: E402

RECORDINGS = os.path.join(HERE, "..", "fixtures", "recordings")
FOREVER = float("inf")

# Each recording and its options. Goldens have its name.
REPLAYED = {
    "software.data": [],
    "counters.data": [],
    "perf.data": ["-d", "0.1"],  # perf does not record intervals
}

# The golden of each view is program_RECORDING_VIEW.txt.
VIEWS = {
    "process": ["-b"],
    "thread": ["-b", "--by", "thread", "-c"],
    "tree": ["-b", "--by", "tree"],
    "user": ["-b", "--by", "user"],
    "cpu": ["-b", "--by", "cpu"],
    "sorted": ["-b", "--sort", "-context-switches", "-e", "context-switches", "--top", "3"],
    "csv_process": ["--format", "csv"],
    "csv_thread": ["--format", "csv", "--by", "thread"],
    "json_process": ["--format", "json"],
    "json_thread": ["--format", "json", "--by", "thread", "-n", "1"],
    "openmetrics": ["--format", "openmetrics", "--top", "3", "-n", "2"],
}

# Refused arguments: the exit status and the message.
REFUSED = {
    "--no-such-option": (2, "Unknown option '--no-such-option'. See 'pmctop --help'."),
    "--theem": (2, "Unknown option '--theem' (did you mean '--theme'?). See 'pmctop --help'."),
    "-Z": (2, "Unknown option '-Z'. See 'pmctop --help'."),
    "--delay": (2, "Option '--delay' needs SECS."),
    "1 2 3": (2, "Unexpected argument '3'. See 'pmctop --help'."),
    "-d 0.01": (2, "Invalid delay '0.01' (minimum 0.1 s)."),
    "-d soon": (2, "Invalid delay 'soon' (examples: 1, 0.5, 500ms)."),
    "-n 0": (2, "Invalid number of refreshes '0' (a whole number from 1 on)."),
    "--format xml": (2, "Unknown format 'xml'. Choose text, csv, json, folded, openmetrics or prometheus."),
    "--by task": (2, "Unknown --by 'task'. Choose process, thread, tree, user, cgroup, command, cpu, socket "
                     "or node."),
    "--list colors": (2, "Unknown --list 'colors'. Choose events, metrics, presets, columns, "
                         "themes, pmus, keys, formulas, verdicts, marks, palette or variables."),
    "--list presets no-such-preset": (1, "No match for 'no-such-preset'."),
    "--config /no/such/file": (2, "Configuration '/no/such/file' does not exist."),
    "-b --replay /no/such/file": (1, "'/no/such/file' cannot be read: No such file or directory. "
                                     "There is perf.data: pmctop --replay perf.data"),
    "--replay": (2, "Option '--replay' needs FILE. Example: pmctop --replay perf.data"),
    "--symfs /": (2, "Option '--symfs' needs '--replay FILE'."),
    "-b --replay software.data -e minor-faults": (1, "'minor-faults' was not recorded."),
    "-n 1 -m icp -- true":
        (2, "Unknown metric 'icp' (did you mean 'ipc'?). See 'pmctop --list metrics'."),
    "-b --replay software.data -C 0":
        (2, "Option '-C' is for live runs: a recording has fixed CPUs."),
}


def check_help(text):
    """The layout. man_test.py compares the options with the manual."""
    first, usage, rows, *rest = text.split("\n\n")
    check("--help: the program, usage, options, then the rest",
          first.startswith("pmctop: ") and usage.startswith("usage: pmctop [OPTIONS]") and rest
          and text.endswith("\nkeys: press ? while it runs\n"), text)
    wide = [line for line in text.splitlines() if len(line) > 80]
    check("--help: at most 80 columns", not wide, wide)
    # A long name shifts its description. One that does not fit is on a line of its own.
    wrong = [line for line in rows.splitlines() if not re.match(
        r"(?=.{24} \S|.{6}--\S+ \S+ \S)(  (-\w,|   ) --[a-z-]+( \S+)?)? +\S", line)]
    check("--help: an option a line, its description in column 25", not wrong, wrong)


def check_texts():
    done = run("--version")
    check("--version: the name and the number, then the build",
          done.returncode == 0 and not done.stderr
          and re.fullmatch(r"pmctop \S+\nBuilt for \S+, .*with \S.*\.\n", done.stdout), done)
    check("-V is the same", run("-V").stdout == done.stdout)
    done = run("--help")
    check("--help succeeds", done.returncode == 0 and not done.stderr, done)
    check_help(done.stdout)
    check("-h is the same", run("-h").stdout == done.stdout)


def check_lists():
    """All lists but --list pmus, which has nothing but the machine's. The texts of keys, formulas,
    verdicts, marks, presets, metrics and events are in the manual: man_test.py compares them."""
    for what in ("themes", "keys", "columns", "formulas", "verdicts", "marks",
                 "palette", "variables"):
        done = run("--list", what)
        check(f"--list {what} succeeds", done.returncode == 0 and not done.stderr, done)
        strange = [line for line in done.stdout.splitlines() if not re.match(r"(?=.{40} \S)\S+ +\S", line)]
        check(f"--list {what}: a name and a text a line, in columns", done.stdout and not strange, strange)
    for what in ("themes", "columns", "palette", "variables"):
        check_golden(f"--list {what}", f"program_list_{what}.txt", run("--list", what).stdout)

    # The second word depends on the machine.
    strange = [rest for _, rest in listed("presets") if not re.match(r"(ok|partly|n/a) +\S", rest)]
    check("--list presets: a state and a description each", not strange, strange)
    strange = [rest for _, rest in listed("metrics")
               if not re.match(r"(ok|n/a|denied) +\w+ +\S{1,10}: \S", rest)]
    check("--list metrics: a state, a group, a title and a description each", not strange, strange)
    strange = [rest for _, rest in listed("events") if not re.match(r"(ok|n/a|denied|-) ", rest)]
    check("--list events: a state each", not strange, strange)
    check("--list events PATTERN: events with it in their name or description",
          {"context-switches", "cs"} >= {name for name, rest in listed("events", "context-sw*")}
          and listed("events", "context-sw*"))
    mine = write_file("mine.conf", "[presets]\nmine = ipc, cpi\n[metrics]\n"
                                   "half = cycles / 2; title=half\n[keys]\nquit = Q\n")
    for what, wanted in {"presets": r"^mine .*: ipc, cpi$",
                         "metrics": r"^half +\S+ +own +half: .*",
                         "keys": "^quit +Q: quit, or leave the page$"}.items():
        done = run("--config", mine, "--list", what)
        check(f"--list {what}: entries of a configuration",
              done.returncode == 0 and re.search(wanted, done.stdout, re.M), done.stderr)


def check_refusals():
    for line, (status, message) in REFUSED.items():
        done = run(*line.split(), cwd=RECORDINGS)
        check(f"pmctop {line}: status {status} and a message",
              done.returncode == status and not done.stdout
              and done.stderr == f"pmctop: {message}\n", done)


def replay(recording, *arguments, **options):
    return run("--replay", recording, *arguments, cwd=RECORDINGS, **options)


def check_recording(recording, how):
    name = recording.rsplit(".", 1)[0]
    frames = frames_of(replay(recording, *how, "--format", "json").stdout)
    notes = dict.fromkeys(note for frame in frames for note in frame["notes"])
    for view, arguments in VIEWS.items():
        done = replay(recording, *how, *arguments)
        messages = [f"pmctop: {note}" for note in notes] if "csv" in view else []
        check(f"{recording}, {view}: it succeeds, and csv has its notes on standard error",
              done.returncode == 0 and done.stderr.splitlines() == messages, done.stderr)
        text = re.sub(r'(pmctop_build_info\{.*version=)"[^"]*"', r'\1"VERSION"', done.stdout)
        check_golden(f"{recording}, {view}", f"program_{name}_{view}.txt", folded(text))
    broken = [broken_sums(frame) for frame in frames]
    check(f"{recording}: in {len(frames)} refreshes, tasks + idle + unattributed = totals",
          len(frames) > 1 and not any(broken), broken)

    plain = replay(recording, *how, "--format", "csv").stdout
    with open(os.path.join(RECORDINGS, recording), "rb") as file:
        piped = run("--replay", "-", *how, "--format", "csv", stdin=file)
    check(f"{recording}: the same output from standard input",
          piped.returncode == 0 and piped.stdout == plain, piped.stderr)
    written = os.path.join(HOME, "written.csv")
    done = replay(recording, *how, "-o", written, "--format", "csv")
    with open(written, encoding="utf-8", newline="") as file:
        check(f"{recording}: the same output with -o FILE", done.returncode == 0 and not done.stdout
              and file.read() == plain, done)


def check_long_names():
    """No file of the user's is found then. The file of $PMCTOPRC is no other."""
    words = ("--format", "csv", "--replay", os.path.join(RECORDINGS, "software.data"))
    wanted = run(*words)
    for name in ("/" + "n" * 256, "/n" * 2040):
        for variable in ("HOME", "XDG_CONFIG_HOME"):
            for rc_file in ({}, {"PMCTOPRC": ""}):
                done = run(*words, env={**ENVIRONMENT, "HOME": "", variable: name, **rc_file})
                check(f"a {variable} of {len(name)} bytes: no file is there", done.returncode == 0
                      and done.stdout == wanted.stdout and done.stderr == wanted.stderr, done.stderr)


def check_broken_recording():
    with open(os.path.join(RECORDINGS, "software.data"), "rb") as file:
        whole = file.read()
    path = os.path.join(HOME, "software.data")
    with open(path, "wb") as file:
        file.write(whole[:len(whole) * 2 // 3])
    done = run("--replay", path, "--format", "json")
    got = frames_of(done.stdout)
    wanted = frames_of(replay("software.data", "--format", "json").stdout)
    check("a recording that is cut off: all complete refreshes, status 1 and a message",
          done.returncode == 1 and 0 < len(got) < len(wanted) and got == wanted[:len(got)]
          and f"is cut off after {len(got)} complete interval" in done.stderr, done)


def check_directory():
    """perf's file in a directory, under the names that perf gives."""
    directory = os.path.join(HOME, "directory")
    os.mkdir(directory)
    wanted = replay("perf.data", "--format", "csv").stdout
    done = run("--replay", directory)
    check("a directory without recordings: status 1 and a message", done.returncode == 1
          and done.stderr == f"pmctop: '{directory}' is a directory without perf.data. Name a file.\n",
          done)
    for name in ("perf.data", "perf.data.2026112717474056"):
        path = shutil.copy(os.path.join(RECORDINGS, "perf.data"), os.path.join(directory, name))
        done = run("--replay", directory, "--format", "csv")
        check(f"a directory with {name}: the same output", done.returncode == 0
              and done.stdout == wanted, done.stderr)
        done = run("--replay", directory, "-o", path)
        check(f"a directory with {name}: -o does not overwrite it", done.returncode == 2
              and done.stderr.endswith(" is the recording that is replayed. Give -o another file.\n"), done)
        os.remove(path)


def check_pipe():
    """A file in perf's usual format that comes through a pipe."""
    with open(os.path.join(RECORDINGS, "perf.data"), "rb") as file:
        cat = subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE)
        done = run("--replay", "-", "--format", "csv", stdin=cat.stdout)
        cat.stdout.close()
        cat.wait()
    check("perf.data: the same output from a pipe", done.returncode == 0
          and done.stdout == replay("perf.data", "--format", "csv").stdout, done.stderr)


def with_stack(kib):
    """What starts a program with this soft limit of its stack."""
    return ["sh", "-c", 'ulimit -S -s "$0" && exec "$@"', str(kib)]


def check_stack():
    """With less stack than pmctop needs it prints the reason, with that much everything works."""
    software = os.path.join(RECORDINGS, "software.data")
    refused = re.compile(r"pmctop: The limit of the stack is (\d+) KiB, which is not enough\. "
                         r"Raise the limit: ulimit -s (\d+)\n")
    ways = {"version": ["--version"], "list": ["--list", "events"], "doctor": ["--doctor"],
            "replay": ["-b", "--replay", software],
            "command": ["-b", "--", "true"], "host": ["--ssh", "no-such-host.invalid"],
            # Each parenthesis is a call of the parser.
            "formula": ["-b", "--replay", software, "-m",
                        f"nested={'(' * 120}context-switches{')' * 120}"]}

    def start(kib, arguments):
        return subprocess.run([*with_stack(kib), PMCTOP, *arguments], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, encoding="utf-8", env=ENVIRONMENT)

    small = refused.fullmatch(start(64, ["--version"]).stderr)
    check("64 KiB of stack: the message has the limit that is enough",
          small and small[1] == "64", start(64, ["--version"]))
    if not small:
        return
    enough = int(small[2])
    for way, arguments in ways.items():
        done = start(enough - 4, arguments)
        check(f"{way}: less stack than {enough} KiB is refused",
              done.returncode == 1 and not done.stdout and refused.fullmatch(done.stderr), done)
        if way not in ("host", "command"):  # these need a network, and a right to count
            plain, done = run(*arguments), start(enough, arguments)
            check(f"{way}: {enough} KiB are enough",
                  (done.returncode, done.stderr) == (plain.returncode, plain.stderr)
                  and (way == "doctor" or done.stdout == plain.stdout), (plain, done))
    start_and_quit(f"replay with {enough} KiB of stack",
                   ["--replay", software, "--speed", "max"], b"swarm", with_stack(enough))


def has_terminals():
    """Whether a pseudo terminal can be opened. A chroot may have no /dev/pts."""
    try:
        for descriptor in os.openpty():
            os.close(descriptor)
    except OSError:
        return False
    return True


def start_and_quit(name, arguments, drawn, prefix=()):
    """Waits until `drawn` is in the program's output, then presses q."""
    if not has_terminals():
        skip(f"{name}: start and quit", "no pseudo terminal can be opened")
        return
    terminal = OnPty([*prefix, PMCTOP, "--color", "never", *arguments], **ENVIRONMENT)
    ended = terminal.process.poll
    try:
        terminal.read_until(lambda: drawn in terminal.output or ended() is not None, FOREVER)
        check(f"{name}: it draws", drawn in terminal.output and ended() is None,
              terminal.output[-300:])
        check(f"{name}: the terminal's settings are changed", not terminal.settings_are_back())
        terminal.write(b"q")
        status = terminal.wait(FOREVER)
        check(f"{name}: q ends it with status 0", status == 0,
              (status, terminal.output[-300:], terminal.process.stderr.read()[-300:]))
        check(f"{name}: the terminal's settings are as before", terminal.settings_are_back())
        check(f"{name}: the screen before it is back", b"\x1b[?1049h" in terminal.output
              and terminal.output.rfind(b"\x1b[?1049l") > terminal.output.rfind(drawn),
              terminal.output[-300:])
    finally:
        terminal.close()


def main():
    check_texts()
    check_lists()
    check_refusals()
    for recording, how in REPLAYED.items():
        check_recording(recording, how)
    check_long_names()
    check_broken_recording()
    check_directory()
    check_pipe()
    check_stack()
    # The counts depend on the machine: any frame will do.
    start_and_quit("live", [], b"pmctop")
    start_and_quit("replay", ["--replay", os.path.join(RECORDINGS, "software.data"),
                              "--speed", "max"], b"swarm")
    finish()


if __name__ == "__main__":
    main()
