#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--ssh with a program in the place of ssh: an honest one runs the command in a shell of this
machine, others lie at one step of the set-up. --via with a program in the place of docker.
tests/live/ssh_test.py has a real sshd.

Prints TAP. BUILD is the build directory.
"""
import functools
import glob
import os
import re
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from frames import check, finish, skip  # noqa: E402
from pmctop import ENVIRONMENT, PMCTOP, run, write_file  # noqa: E402
from ptys import OnPty  # noqa: E402

# argv: [options...] -- HOST WORD.... The script begins with "token=..." and "name=...".
SSH = r"""#!/usr/bin/env python3
import os, signal, sys
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
words = sys.argv[sys.argv.index("--") + 1:]
master = "ControlMaster=yes" in sys.argv
with open(os.environ["SSH_LOG"], "a") as log:
    print(repr(sys.argv[1:]), file=log)
if os.environ["SSH_LIE"] == "none":
    os.execvp("sh", ["sh", "-c", " ".join(words[1:])])
if os.isatty(0):  # the channel of the screen gets no script
    exec(os.environ["SSH_SCREEN"])
line = sys.stdin.readline().split()
token = line[0].split("=")[1] if master else line[2]
name = sys.stdin.readline().strip().split("=")[1] if master else ""
version = os.environ["SSH_VERSION"]
folder = "/tmp/pmctop-ssh-0-1-" + name
facts = ["begin", "machine x86_64", "kernel Linux 6.1", "installed " + version, "facts"]
last = ""
while master and (last, line) != ("exit 0\n", "}\n"):
    last, line = line, sys.stdin.readline()
def say(*texts):
    for text in texts:
        sys.stdout.write(token + " " + text + "\n")
    sys.stdout.flush()
exec(os.environ["SSH_LIE"])
"""

# argv: exec -i|-it web WORD...
DOCKER = r"""#!/usr/bin/env python3
import os, sys
with open(os.environ["SSH_LOG"], "a") as log:
    print(repr(sys.argv[1:]), file=log)
if sys.argv[1:4] != ["exec", "-i", "web"]:
    sys.exit("the input device is not a TTY")
os.execvp(sys.argv[4], sys.argv[4:])
"""

SUM = "say('sum 1 2')"
# The facts of a host with that CPU, and a copy of the parcel that it gets.
TAKE_PARCEL = (
    "facts.insert(3, 'cpu ' + os.environ['SSH_CPU']); say(*facts, 'folder ' + folder)\n"
    "sys.stdin.readline(); n = int(sys.stdin.readline())\n"
    "open(os.environ['SSH_PARCEL'], 'w').write(sys.stdin.read(n))")
# What is done with each variable: sent to the host, used here, or the host's own there.
VARIABLES = {
    "sent": ("NO_COLOR", "COLORTERM", "TERM", "LINES", "COLUMNS", "ESCDELAY"),
    "here": ("PMCTOPRC", "LC_ALL", "LC_CTYPE", "LANG"),
    "both": ("XDG_CONFIG_HOME", "HOME", "TMPDIR", "PATH"),
    "nothing": ("PERF_BUILDID_DIR",),  # only replays read it
}
EVENT_TABLES = os.path.join(HERE, "../fixtures/event_tables/intel/perfmon")
LABRADOR = "vendor_id : GenuineIntel;cpu family : 6;model : 241;stepping : 1;"
# Reads the way and the size of the parcel; n is that size.
COPY = "say(*facts, 'folder ' + folder); sys.stdin.readline(); n = sys.stdin.readline().strip()"

STRANGE = "box: the answer is not from pmctop's set-up."
NO_PLACE = "say(*facts, 'refused noexec /tmp', 'refused full /dev/shm', 'nowhere')"
# A host on which the set-up succeeds.
READY = f"{COPY}; say('sum ' + n, 'runs ' + version, 'ready')"

# (what the host does, the code of it, a part of the sentence)
LIES = (
    ("ssh fails", "sys.exit(255)", "box: the connection failed; ssh's message is above."),
    ("ends at once", "sys.exit(0)", "box: /bin/sh was not run: a forced command"),
    ("has a forced command", "print('No shell for you.'); sys.exit(1)",
     "box: /bin/sh was not run: a forced command"),
    ("prints without end",
     "while True: sys.stdout.write('y' * 4095 + '\\n')",
     STRANGE),
    ("prints a line without end", "while True: sys.stdout.write('y' * 4096)",
     STRANGE),
    ("answers with an unknown key", "say('begin', 'open /etc/passwd')",
     STRANGE),
    ("answers in another order", "say('begin', 'ready')",
     STRANGE),
    ("is another system", "say('begin', 'machine amd64', 'kernel FreeBSD 14.1', 'facts')",
     "box runs FreeBSD 14.1. pmctop needs Linux there."),
    ("has no architecture", "say('begin', 'facts')",
     STRANGE),
    ("has an architecture with a path in it",
     "facts[1] = 'machine ../../../tmp/x'; facts[3] = 'installed'; say(*facts)",
     "No static program for ../../../tmp/x is installed here."),
    ("has facts without end", "say('begin')\nwhile True: say('kernel Linux 6.1')",
     STRANGE),
    ("refuses places without end", "say(*facts)\nwhile True: say('refused denied /tmp')",
     STRANGE),
    ("ends after its facts", "say(*facts)", "box: the set-up of pmctop ended early."),
    ("has no place", NO_PLACE,
     "box: pmctop can be copied to no place and run there."),
    ("has a folder that a shell would change",
     "say(*facts, 'folder /tmp/$(touch x)/pmctop-ssh-0-1-' + name)",
     STRANGE),
    ("has a folder of another name", "say(*facts, 'folder /tmp/pmctop-ssh-0-1-0')",
     STRANGE),
    ("has a folder that is too long",
     "say(*facts, 'folder /' + 'x' * 300 + '/pmctop-ssh-0-1-' + name)",
     STRANGE),
    ("has a full disk", f"{COPY}; {SUM}",
     "took only a part of the copy. Is the disk full?"),
    ("reads nothing of the copy", f"say(*facts, 'folder ' + folder); {SUM}; os.close(0)",
     "took only a part of the copy."),
    ("has a damaged copy",
     f"{COPY}; "
     "say('sum 1 ' + n)", "is damaged."),
    ("prints control sequences",
     f"{COPY}; "
     "say('sum ' + n); say('runs \\033[2J\\007bad')", "does not run: ?[2J?bad"),
    ("has an older program",
     f"{COPY}; "
     "say('sum ' + n); say('runs pmctop 0.0.1')", "The copied program is pmctop 0.0.1, this one is"),
    ("sends no recording",
     "if master:\n"
     f"    {READY}; sys.stdin.read()\n"
     "else:\n"
     "    say('begin'); sys.stdout.write('no recording' * ('cat' in line))",
     "the host sent no recording."),
)


class Machine:
    """A directory with ssh and pmctop in its bin/, and the environment of a run in it."""

    def __init__(self, path):
        self.path = path
        for name in ("bin", "tmp", "work"):
            os.mkdir(os.path.join(path, name))
        self.log = os.path.join(path, "log")
        for name, text in (("ssh", SSH), ("docker", DOCKER)):
            program = os.path.join(path, "bin", name)
            with open(program, "w", encoding="ascii") as file:
                file.write(text)
            os.chmod(program, 0o755)
        os.symlink(PMCTOP, os.path.join(path, "bin", "pmctop"))
        self.version = run("--version").stdout.splitlines()[0]

    def environment(self, lie, **variables):
        return {**ENVIRONMENT, "PATH": f"{self.path}/bin:{os.environ['PATH']}",
                "TMPDIR": f"{self.path}/tmp", "SSH_LIE": lie, "SSH_LOG": self.log,
                "SSH_VERSION": self.version, **variables}

    def run(self, lie, *arguments, way=("--ssh", "box"), preexec_fn=None, timeout=None, **variables):
        return run(*way, *arguments, env=self.environment(lie, **variables),
                   cwd=f"{self.path}/work", preexec_fn=preexec_fn, timeout=timeout)

    def calls(self):
        """The words of each ssh or docker that ran."""
        with open(self.log, encoding="utf-8") as file:
            return [eval(line) for line in file]

    def parcel(self, *arguments, cpu="", **variables):
        """The parcel that a host with that CPU gets, {key: value}, and what is printed here."""
        path = f"{self.path}/parcel"
        done = self.run(TAKE_PARCEL, *arguments, SSH_CPU=cpu, SSH_PARCEL=path, **variables)
        with open(path, encoding="utf-8") as file:
            texts = file.read().split("\0")
        os.unlink(path)
        pairs = list(zip(texts[1:-2:2], texts[2:-2:2]))
        return {**dict(pairs), "words": [value for key, value in pairs if key == "word"]}, done.stderr

    def left(self):
        """What is left of a run: files in the folders that it may use."""
        return os.listdir(f"{self.path}/tmp") + os.listdir(f"{self.path}/work")


def check_honest(machine):
    here = run("--list", "marks")
    done = machine.run("none", "--list", "marks")
    check("the output is that of pmctop there, and nothing else",
          done.returncode == 0 and done.stdout == here.stdout and not done.stderr, done)
    check("nothing is left", not machine.left(), machine.left())
    done = machine.run("none", "--list", "keys", PMCTOPRC=write_file("keys.conf", "[keys]\nquit = F9\n"))
    check("the keys are those of the configuration here", "F9" in done.stdout, done)
    done = machine.run("none", "--theme", write_file("own.theme", 'theme[main_fg]="#123456"\n'),
                       "--list", "marks")
    check("a theme here needs no file there", done.returncode == 0 and not done.stderr, done)
    home = os.path.join(machine.path, "config")
    os.makedirs(f"{home}/pmctop/themes")
    for name in ("mine", "nord"):
        with open(f"{home}/pmctop/themes/{name}.theme", "w", encoding="ascii") as file:
            file.write(f'# Sent {name}\ntheme[main_fg]="#123456"\n')
    done = machine.run("none", "--list", "themes", XDG_CONFIG_HOME=home)
    check("the themes are the user's of here and the built-in ones", done.returncode == 0
          and all(f"Sent {name}" in done.stdout for name in ("mine", "nord"))
          and "dracula" in done.stdout and done.stdout == run("--list", "themes", env={
              **ENVIRONMENT, "XDG_CONFIG_HOME": home}).stdout, done)
    with open(f"{home}/pmctop/themes/large.theme", "w", encoding="ascii") as file:
        file.write("#" * 60000)
    for i in range(4):
        os.link(f"{home}/pmctop/themes/large.theme", f"{home}/pmctop/themes/large{i}.theme")
    done = machine.run("none", "--list", "themes", XDG_CONFIG_HOME=home)
    check("too many themes: a note", done.returncode == 0 and "large2" in done.stdout
          and "mine" in done.stdout and "large3" not in done.stdout
          and done.stderr.count("\n") == 1 and "only 6 of 7 themes were sent" in done.stderr, done)
    done = machine.run("none", "--preset", "no-such-preset", "-b", "-n", "1")
    check("errors and statuses are passed on",
          done.returncode == 2 and "no-such-preset" in done.stderr, done)
    done = machine.run("none", "--list", "marks", "-o", "list.txt")
    path = os.path.join(machine.path, "work", "list.txt")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    check("-o writes here", done.returncode == 0 and text == here.stdout, (done, text))
    os.unlink(path)
    check("nothing is left", not machine.left(), machine.left())


def check_variables(machine):
    rows = {name for names in VARIABLES.values() for name in names}
    listed = {line.split()[0] for line in run("--list", "variables").stdout.splitlines()}
    check("each variable is decided", rows == listed, rows ^ listed)
    parcel = machine.parcel("-b", **{name: f"1{name}" for name in VARIABLES["sent"]})[0]
    sent = {name: value for name, value in parcel.items() if name in rows}
    check("the terminal's variables are sent, and no others",
          sent == {name: f"1{name}" for name in VARIABLES["sent"]}, sent)
    check("the host and the character set are sent",
          parcel.get("host") == "box" and parcel.get("utf8") == "yes", parcel)
    parcel = machine.parcel("-b", LC_ALL="C")[0]
    check("what is not set or known is not sent", "utf8" not in parcel and "TERM" not in parcel, parcel)


def check_tables(machine):
    empty = os.path.join(machine.path, "no-config")
    user = os.path.join(machine.path, "events-config")
    os.makedirs(f"{user}/pmctop")
    os.symlink(EVENT_TABLES, f"{user}/pmctop/events")
    config = write_file("tables.conf", f"[pmctop]\nevent-tables = {EVENT_TABLES}\n")
    named = ("--event-tables", EVENT_TABLES)
    for what, arguments, variables, cpu, folder, note in (
            ("named", named, {}, LABRADOR, EVENT_TABLES, None),
            ("of the configuration", (), {"PMCTOPRC": config}, LABRADOR, EVENT_TABLES, None),
            ("of the user", (), {"XDG_CONFIG_HOME": user}, LABRADOR, f"{user}/pmctop/events", None),
            ("for another CPU", named, {}, LABRADOR.replace("241", "7"), "",
             "no events for GenuineIntel-6-7-1. The built-in tables are used."),
            ("for an unknown CPU", named, {}, "", "", "no events for these CPUs"),
            ("for a lying CPU", named, {}, "vendor_id : ../..;model : %s;" * 9, "", "no events for"),
            ("that do not exist", ("--event-tables", "/nonexistent"), {}, LABRADOR, "",
             "/nonexistent: No such file")):
        parcel, printed = machine.parcel("-b", *arguments, cpu=cpu,
                                         **{"XDG_CONFIG_HOME": empty, **variables})
        text = parcel.get("tables", "")
        check(f"tables {what}: those for the CPU of the host, or a note",
              parcel.get("tables-folder") == folder and text.startswith("labrador\t") == bool(folder)
              and (note or "events") in printed + text
              and {*parcel["words"]} == {"pmctop", "--batch"},
              (parcel.get("tables-folder"), text[:60], parcel["words"], printed))
    parcel = machine.parcel("-b", cpu=LABRADOR, XDG_CONFIG_HOME=empty)[0]
    check("without tables here, those of the host are read there",
          "tables-folder" not in parcel or os.path.exists("/usr/share/pmctop/events"), parcel)
    # On the host. The file is for any CPU.
    path = write_file("own.json", '[{"EventName": "OWN.SENT", "EventCode": "0x1"}]')
    here, there = ([line for line in done.stdout.splitlines() if path in line] for done in (
        run("--event-tables", path, "--doctor"),
        machine.run("none", "--event-tables", path, "--doctor")))
    check("a file here is used there", here and (there == here or "no events for" in here[0]),
          (here, there))
    done = machine.run("none", "--event-tables", "/nonexistent", "--list", "marks",
                       XDG_CONFIG_HOME=user)
    check("a folder that does not exist: a note, once", done.returncode == 0
          and done.stderr.count("/nonexistent") == 1, done)


def check_words(machine):
    before = len(machine.calls())
    machine.run("none", "--ssh-option", "-p2222", "--ssh-option=-Jbastion", "--list", "marks")
    calls = machine.calls()[before:]
    check("ssh gets its own words before the host, and a command of plain words",
          len(calls) == 2 and all("-p2222" in words and "-Jbastion" in words
                                  and words[-4:] == ["--", "box", "exec", "/bin/sh"]
                                  for words in calls), calls)


def check_via(machine):
    here, before = run("--list", "marks"), len(machine.calls())
    way = ("--via", " docker  exec -it web ")
    done = machine.run("none", "--list", "marks", "--record", "r", way=way)
    calls = machine.calls()[before:]
    check("--via: the output is that of pmctop there",
          done.returncode == 0 and done.stdout == here.stdout and not done.stderr, done)
    check("--via: the command is run once for each channel, with -i where there is no terminal",
          calls == [["exec", "-i", "web", "/bin/sh"]] * 3, calls)
    check("nothing is left", not machine.left(), machine.left())
    for words, sentence in (
            ("docker exec -i db", "'docker exec -i db': the command failed; its message is above."),
            ("no-such-program x", "'no-such-program x': the command is not installed here"),
            ("true", "'true': the command did not run /bin/sh there with its input (docker, podman and "
             "kubectl need -it).")):
        done = machine.run("none", "-b", "-n", "1", way=("--via", words))
        lines = done.stderr.splitlines()
        check(f"--via '{words}': a sentence", done.returncode == 1 and lines
              and lines[-1].startswith("pmctop: " + sentence), done)
    done = machine.run("none", "-b", "--via", "x")
    check("--ssh and --via exclude each other", done.returncode == 2 and "--via" in done.stderr, done)
    done = machine.run("none", "-b", "-n", "1", "--static", machine.log, way=way)
    check("--via: without a program there, the command for that place",
          "Without a program there: docker exec -i web perf record -a -e "
          "'{context-switches" in done.stderr, done)


def check_early(machine):
    done = machine.run("none", "-b", "-o", "/nonexistent/file")
    check("a file that cannot be written costs no login, and has its own remedy",
          done.returncode == 1 and "/nonexistent/file" in done.stderr
          and "perf record" not in done.stderr and "nonexistent" not in str(machine.calls()), done)


def check_places(machine):
    """Places for the folders, here and there. The next is /tmp."""
    here = run("--list", "marks").stdout
    for name, mode in (("open", 0o777), ("group", 0o770), ("sticky", 0o1777), ("a b", 0o700),
                       ("a..b", 0o700), ("long" * 50, 0o700), ("own", 0o700)):
        os.makedirs(f"{machine.path}/{name}/inner")
        os.chmod(f"{machine.path}/{name}", mode)
    for name in ("open", "own"):
        os.symlink(name, f"{machine.path}/link-to-{name}")
    others = "another user may replace it, or a folder that leads to it."
    for name, reason in (
            ("open", others), ("open/inner", others), ("link-to-open", others), ("group", others),
            ("open/../open", others), ("sticky", ""), ("sticky/inner", ""), ("link-to-own", ""),
            ("own/../own", ""), ("own/../../" + os.path.basename(machine.path) + "/own", ""),
            ("a b", "its name has characters that a shell may change."),
            ("a..b", "its name has characters that a shell may change."),
            ("long" * 50, "its name is too long."), ("own/" * 1000 + "own", ""), ("missing", "")):
        place = os.path.join(machine.path, name)
        done = machine.run("none", "--list", "marks", TMPDIR=place)
        expected = reason and f"pmctop: box: {place[:100]}: {reason}\n"
        check(f"TMPDIR={name[:40]}: {reason or 'nothing is printed'}", done.returncode == 0
              and done.stdout == here and done.stderr == expected, done)
        left = [path for path in glob.glob(f"{machine.path}/**/pmctop-*", recursive=True)]
        check(f"TMPDIR={name[:40]}: nothing is left", not left, left)
    for place, printed in (("relative", "its name does not begin with /."), ("/tmp/../tmp", ""), ("", ""),
                           ("x" * 5000, "its name does not begin with /.")):
        done = machine.run("none", "--list", "marks", TMPDIR=place)
        check(f"TMPDIR={place[:40]}: another place is used", done.returncode == 0
              and done.stdout == here and printed in done.stderr and bool(printed) == bool(done.stderr),
              done)
    if subprocess.run(["unshare", "-r", "true"], capture_output=True, check=False).returncode:
        skip("a user namespace", "there is none")
        return
    done = subprocess.run(["unshare", "-r", PMCTOP, "--ssh", "box", "--list", "marks"], text=True,
                          capture_output=True, check=False, stdin=subprocess.DEVNULL,
                          env=machine.environment("none", TMPDIR=""))
    check("in a user namespace without root /tmp is used",
          done.returncode == 0 and done.stdout == here and not done.stderr, done)


def check_sudo(machine):
    sudo = os.path.join(machine.path, "bin", "sudo")
    with open(sudo, "w", encoding="ascii") as file:
        file.write("#!/bin/sh\necho sudo: a password is required >&2\nexit 1\n")
    os.chmod(sudo, 0o755)
    done = machine.run("none", "--ssh-sudo", "--list", "marks", "-o", "list.txt")
    lines = done.stderr.splitlines()
    check("sudo that needs a terminal: its message, and one sentence with the remedy",
          done.returncode == 1 and len(lines) == 2 and lines[0] == "sudo: a password is required"
          and lines[1].endswith("or log in as root."), done)
    with open(sudo, "w", encoding="ascii") as file:
        file.write('#!/bin/sh\nshift\nexec "$@"\n')
    done = machine.run("none", "--ssh-sudo", "--preset", "no-such-preset", "-b")
    check("a failure of pmctop itself is not sudo's",
          done.returncode == 2 and len(done.stderr.splitlines()) == 1, done)
    os.unlink(os.path.join(machine.path, "work", "list.txt"))
    check("nothing is left", not machine.left(), machine.left())


def check_lies(machine):
    for what, lie, sentence in LIES:
        done = machine.run(lie, "-b", "-n", "1", "--record", "recording")
        lines = done.stderr.splitlines()
        printed = [line for line in lines if sentence in line]
        good = (done.returncode == 1 and not done.stdout and len(printed) == 1 and printed == lines[-1:]
                and all(line.startswith("pmctop: ") and line.isprintable() for line in lines))
        check(f"a host that {what}: one sentence", good, done)
        check(f"a host that {what}: no file here", not machine.left(), machine.left())
    done = machine.run(NO_PLACE, "--ssh-option", "-p22", "-b")
    check("with the reasons, and the command for that host",
          "box: /tmp: no program may be executed there (noexec)." in done.stderr
          and "box: /dev/shm: it is full" in done.stderr
          and "ssh -p22 box perf record -a -e" in done.stderr, done)


def check_answers(machine):
    """After a silent link the terminal gets several queries at once."""
    setup = f"{READY}; sys.stdin.read()"
    cut = "os.write(1, b'\\033[5n' * 3); sys.exit(255)"
    screen = OnPty([PMCTOP, "--ssh", "box"],
                   **machine.environment(setup, SSH_SCREEN=cut))
    answered = 0
    try:
        while screen.process.poll() is None:
            screen.read(0.05)
            queries = re.findall(rb"\033\[(5n|c)", screen.output)
            for query in queries[answered:]:
                os.write(screen.master, b"\033[0n" if query == b"5n" else b"\033[?62;22cls")
            answered = len(queries)
        left = screen.left()
        check("answers to queries of pmctop there are not left to the shell, but later keys are",
              answered >= 3 and left == b"ls", (answered, left, screen.process.stderr.read()))
    finally:
        screen.close()
    screen = OnPty([PMCTOP, "--ssh", "box"],
                   **machine.environment(setup, SSH_SCREEN=cut))
    try:
        check("a terminal that answers no query does not prevent the end",
              screen.wait() is not None and b"\033[c" in screen.output, screen.output)
    finally:
        screen.close()


def check_endings(machine):
    done = machine.run(f"if master:\n    {READY}; signal.pause()\nelse:\n    say('begin'); sys.exit(3)",
                       "--ssh-sudo", "-b", timeout=60)
    check("a set-up that does not end does not keep the status of pmctop there",
          done.returncode == 3 and not done.stderr, done)
    gate = write_file("gate", "")
    done = machine.run(
        f"if master:\n    {READY}; sys.stdin.read(int(n)); sys.stdin.readline()\n"
        f"    os.kill(os.getppid(), signal.SIGTERM)\n"
        f"    sys.stdin.readline(); os.close(1); os.unlink({gate!r})\n"
        f"else:\n    say('begin')\n    while os.path.exists({gate!r}): pass", "-b")
    check("a signal that ends the shell of a local --via, too: no sentence",
          done.returncode == 0 and not done.stderr, done)
    mkdir = os.path.join(machine.path, "bin", "mkdir")
    for name in ("HUP", "QUIT"):
        with open(mkdir, "w", encoding="ascii") as file:
            file.write(f'#!/bin/sh\nPATH=${{PATH#*:}}\nmkdir "$@"\nkill -{name} $PPID\n')
        os.chmod(mkdir, 0o755)
        done = machine.run("none", "-b")
        check(f"SIG{name} after mkdir: nothing is left",
              done.returncode == 1 and not machine.left(), (done, machine.left()))
    os.unlink(mkdir)
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        kill = f"os.kill(os.getppid(), {number})"
        name = signal.Signals(number).name
        done = machine.run(f"{kill}; sys.stdin.read()", "-b")
        check(f"{name} ends the set-up", done.returncode == 128 + number and not done.stderr, done)
        done = machine.run(f"{kill}; say(*facts, 'nowhere')", "-b", preexec_fn=functools.partial(
            signal.signal, number, signal.SIG_IGN))
        check(f"{name}, ignored as by nohup, does not",
              done.returncode == 1 and "can be copied to no place" in done.stderr, done)


def main():
    with tempfile.TemporaryDirectory() as path:
        machine = Machine(path)
        check_honest(machine)
        check_variables(machine)
        check_tables(machine)
        check_words(machine)
        check_via(machine)
        check_early(machine)
        check_places(machine)
        check_sudo(machine)
        check_lies(machine)
        check_answers(machine)
        check_endings(machine)
    finish()


if __name__ == "__main__":
    main()
