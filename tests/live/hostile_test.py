#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names of tasks, users, cgroups, hosts, files and events with bytes that control a terminal, break
a line or end a quote: no such byte is in pmctop's output.

Prints TAP. BUILD is the build directory.
"""
import csv
import io
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
import skip_reason  # noqa: E402
import hostile  # noqa: E402
from frames import check, finish, skip  # noqa: E402
from hostile import ALL, NAMES, faults  # noqa: E402
from programs import PMCTOP  # noqa: E402
from served import OPENMETRICS, Served  # noqa: E402

FORMATS = ("text", "csv", "json", "openmetrics", "prometheus")
VIEWS = ([], ["-H"], ["--by", "tree"], ["--by", "user"], ["--by", "cgroup"])
PATIENCE_S = 120
ODD = b"\x1b[6661m\x9b1m\r\n\t\x7f\xe2\x80\xae\"',\\}{=x"  # no valid name


class Run:
    def __init__(self, *arguments, before=(), **options):
        done = subprocess.run([*before, PMCTOP, *arguments], capture_output=True, check=False,
                              timeout=PATIENCE_S, stdin=subprocess.DEVNULL, **options)
        self.status, self.out, self.stderr = done.returncode, done.stdout, done.stderr

    def faults(self):
        return faults(self.out) or faults(self.stderr)


def prefix(text):
    """The first two characters of a name: harmless in most of them."""
    return text[:2].decode()


def readable(form, out):
    """The number of names in the output, or None if it is no valid `form`."""
    text = out.decode()
    if form == "csv":
        rows = list(csv.reader(io.StringIO(text)))
        if len({len(row) for row in rows}) != 1:
            return None
        text = "\n".join(field for row in rows for field in row)
    if form == "json":
        text = "\n".join(json.dumps(json.loads(line), ensure_ascii=False)
                         for line in text.splitlines())
    if form == "openmetrics" and not text.endswith("\n# EOF\n"):
        return None
    return sum(prefix(name) in text for name in NAMES)


def printed(crowd, disguise):
    for form in FORMATS:
        bad, least = [], len(NAMES)
        for view in VIEWS:
            run = Run("-b", "--format", form, "-c", "-i", "--top", "100", "-n", "1", "0.1", *view,
                      "-p", ",".join(map(str, crowd.pids)), before=disguise.command)
            names = readable(form, run.out) if not run.faults() else None
            if run.status or names is None:
                bad.append((view, run.status, run.faults(), run.stderr[:200]))
            elif view in ([], ["-H"]) and form in ("text", "csv", "json"):
                least = min(least, names)
        check(f"{form} has no control characters and no broken line", not bad, bad)
        if form in ("text", "csv", "json"):
            check(f"{form} has all names", least >= len(NAMES) - 1, least)


def lossless(crowd):
    """json has valid UTF-8 unchanged."""
    run = Run("--format", "json", "-H", "-i", "-n", "1", "0.1", "-p", str(crowd.pids[-3]))
    comms = {task["comm"] for frame in map(json.loads, run.out.splitlines())
             for task in frame["tasks"]}
    missing = [name for name in NAMES if name.decode("utf-8", "replace").count("\ufffd") == 0
               and name.decode() not in comms]
    check("json has the names unchanged", not missing, (missing, comms))


def served(crowd, disguise):
    if b"without HTTP" in Run("--version").out:
        skip("what is served", "built without HTTP")
        return
    server = Served(*disguise.command, PMCTOP, "-b", "-c", "-p", ",".join(map(str, crowd.pids)), "0.1")
    server.goes_on()
    for accept in OPENMETRICS, None:
        text = server.get(accept=accept)[2]
        check(f"a served text has none, for Accept: {accept or 'nothing'}", "h0" in text
              and faults(text.encode()) is None, faults(text.encode()) or text[-400:])
    server.stop()
    check("nor has standard error",
          faults(server.stderr.encode(errors="surrogateescape")) is None, server.stderr)


def command(crowd, directory):
    """A command with a hostile name and arguments is counted and has a summary."""
    program = os.path.join(os.fsencode(directory), b"run" + NAMES[0] + NAMES[4])
    with open(program, "wb") as file:
        file.write(b"#!/bin/sh\nexit 3\n")
    os.chmod(program, 0o755)
    for form in FORMATS:
        run = Run("-b", "--format", form, "--", program, ODD, ALL * 40)
        check(f"a command has a summary in {form}",
              run.status == 3 and not run.faults() and readable(form, run.out) is not None,
              (run.status, run.faults(), run.out[:300], run.stderr[:200]))
    run = Run("-b", "--", program + b"x")
    check("a missing command is reported", run.status == 127 and not run.faults() and run.stderr,
          (run.status, run.stderr))


def words():
    """Each option with a bad word is accepted, or refused in one clean line."""
    options = [word for line in Run("--help").out.decode().splitlines()
               for word in line[:29].replace(",", " ").split() if word.startswith("-")
               and word not in ("-", "--")]
    lines = [[option, ODD] for option in options]
    lines += [[option.encode() + b"=" + ODD] for option in options if option.startswith("--")]
    lines += [[b"--" + ODD], [b"-" + ODD], [ODD], ["0.1", ODD], ["--list", "events", ODD],
              ["-e", b"cpu/" + ODD + b"/"], ["-e", b"uprobe:/" + ODD + b":1"],
              ["-e", b"cycles:" + ODD], ["-e", ODD + b":" + ODD], ["-m", b"x = " + ODD],
              ["-m", b"x = '" + ODD + b"'"], ["-m", ODD + b"=1"], ["-m", b"x=1; unit=" + ODD],
              ["-m", b"x=1; " + ODD + b"=1"], ["-m", b"x=1; title=" + ODD],
              ["-S", "none", "-e", ALL], ["--listen", b"[" + ODD + b"]:1"], ["-o", b"/no/" + ODD],
              ["--record", b"/no/" + ODD], ["--replay", b"/no/" + ODD], ["--config", b"/no/" + ODD],
              ["--theme", b"/no/" + ODD]]
    bad = []
    with hostile.directory() as directory:  # a file of that name may be made
        for line in lines:
            run = Run("-b", "-n", "1", "0.1", *line, cwd=directory)
            if run.faults() or run.status not in (0, 1, 2):
                bad.append((line, run.status, run.faults()))
    check(f"{len(lines)} bad words are refused, and not repeated as they are",
          not bad, bad[:5])


def environment(directory):
    where = os.path.join(os.fsencode(directory), ODD.replace(b"/", b""))
    os.mkdir(where)
    for name, content in (("pmctop.conf", b"[pmctop]\n" + ODD + b"\n" + ODD + b"=" + ODD + b"\n["
                           + ODD + b"\n[" + ODD + b"]\n[keys]\nquit=" + ODD + b"\n[presets]\np="
                           + ODD.replace(b"\n", b"") + b"\n" + ODD.replace(b"\n", b"").replace(
                               b"=", b"") + b" = ipc\n[metrics]\nm=" + ODD + b"\n"),
                          ("a.theme", ODD + b"\ntheme[main_fg]=\"" + ODD + b"\"\ntheme[" + ODD + b"]=\"#fff\"\n"),
                          ("no.theme", ODD), ("zero.conf", b"\0" + ODD)):
        path = os.path.join(where, name.encode())
        with open(path, "wb") as file:
            file.write(content)
        for how in ({"PMCTOPRC": path}, {}):
            option = ["--theme" if name.endswith("theme") else "--config", path] if not how else []
            run = Run("-b", "-n", "1", "0.1", *option, env={**os.environ, **how})
            check(f"{name} {'in the environment' if how else 'in an option'}: messages are clean",
                  not run.faults() and (run.stderr or how), (run.status, run.faults(), run.stderr))
    run = Run("-b", "-n", "1", "0.1", env={
        **{os.fsdecode(name): value for name, value in os.environb.items()},
        **dict.fromkeys(("TERM", "HOME", "XDG_CONFIG_HOME", "PMCTOPRC", "TMPDIR", "LC_ALL", "LANG",
                         "COLORTERM", "NO_COLOR", "ESCDELAY", "TZ", "LINES", "COLUMNS"), ODD)})
    check("an environment with bad values", run.status == 0 and not run.faults(),
          (run.status, run.faults(), run.stderr))


def lists(disguise):
    for arguments in (*(["--list", what] for what in (
            "events", "metrics", "presets", "columns", "themes", "pmus")), ["--doctor"],
            ["--doctor", "--format", "json"]):
        run = Run(*arguments, before=disguise.command)
        check(" ".join(arguments), run.status in (0, 3) and run.out and not run.faults(),
              (run.status, run.faults()))


def replace_all(data, words):
    """Replaces the words, and keeps their lengths."""
    for word in words:
        odd = (ODD.replace(b"\n", b"\x1b") * (len(word) // len(ODD) + 1))[:len(word)]
        data = data.replace(word, odd)
    return data


def recordings(crowd, disguise, directory):
    good = os.path.join(os.fsencode(directory), b"run" + NAMES[4] + b".data")
    run = Run("-b", "-n", "2", "0.3", "-i", "-c", "--record", good, "-e", "page-faults", before=disguise.command)
    check("a recording of all",
          run.status == 0 and not run.faults(), (run.status, run.faults(), run.stderr))
    with open(good, "rb") as file:
        data = file.read()
    host = os.uname().nodename.encode()
    bad = os.path.join(os.fsencode(directory), b"bad.data")
    with open(bad, "wb") as file:
        file.write(replace_all(data, (b"page-faults", b"task-clock", b"context-switches", b"software",
                                      b"pmctop", host, os.uname().release.encode())))
    for path in good, bad:
        for form in FORMATS:
            run = Run("--replay", path, "-b", "--format", form, "-c", "-H", "-i",
                      "--top", "1000")
            known = readable(form, run.out) if not run.faults() else None
            check(f"{form} of {'the recording' if path is good else 'a recording with bad names of events'}",
                  not run.faults() and known is not None and run.status in (0, 1)
                  and (path is bad or form not in FORMATS[:3] or known >= len(NAMES) - 1),
                  (run.status, run.faults(), known, run.stderr[:200]))
    # Bits are flipped in one byte, at 20 places. The messages are clean.
    broken = []
    for at in range(16, len(data), max(1, len(data) // 20)):
        with open(bad, "wb") as file:
            file.write(data[:at] + bytes([data[at] ^ 0x1b]) + data[at + 1:])
        run = Run("--replay", bad, "-b", "-c", "-n", "2")
        if run.faults() or run.status not in (0, 1):
            broken.append((at, run.status, run.faults()))
    check("a damaged recording", not broken, broken[:3])


def main():
    with hostile.directory() as directory:
        disguise = hostile.Disguise(directory)
        if not disguise.command:
            print(f"# no hostile names of host, user and CPU: {disguise.why}")
        crowd = hostile.Crowd(directory)
        try:
            if not crowd.cgroup:
                print("# no cgroup with a hostile name can be made")
            printed(crowd, disguise)
            lossless(crowd)
            served(crowd, disguise)
            command(crowd, directory)
            if why := skip_reason.system_wide(PMCTOP):
                skip("recordings", why)
            else:
                recordings(crowd, disguise, directory)
        finally:
            crowd.close()
        words()
        environment(directory)
        lists(disguise)
    finish()


main()
