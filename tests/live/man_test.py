#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The man pages and mandoc: mandoc's lint, the pages as tests/mdoc.py reads them, the names in
pmctop's output, and the examples, run unchanged. tests/program/man_test.py has the checks without
mandoc.

Prints TAP. BUILD is the build directory.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from frames import check, finish, frames_of, skip  # noqa: E402
from mdoc import PAGE, PAGES, REMOTE_PAGE, by_section, check_words, entries, plain, read_page  # noqa: E402
from pmctop import PMCTOP, run  # noqa: E402
from ptys import OnPty  # noqa: E402

PATIENCE_S = 90
WIDEST = 1000  # columns of a page; mandoc accepts no more
SHORT = [".1", "1"]  # DELAY and COUNT


def rendered(path):
    """{section: text} of a page as mandoc prints it, without bold and underlined."""
    text = subprocess.run(["mandoc", "-Tutf8", "-O", f"width={WIDEST}", path], check=True,
                          capture_output=True).stdout.decode()
    text = re.sub(".\b", "", text)
    return by_section(text[:text.rstrip("\n").rindex("\n") + 1])  # without the footer


def lint(path):
    done = subprocess.run(["mandoc", "-Tlint", "-Wall", path], capture_output=True, text=True,
                          check=False)
    # Whether other pages exist depends on the machine.
    messages = [line for line in (done.stdout + done.stderr).splitlines()
            if "referenced manual not found" not in line and "mandoc.db" not in line]
    check(f"mandoc's lint has no complaint about {os.path.basename(path)}", not messages, messages)


def check_reader(path, page):
    own, name = read_page(path), os.path.basename(path)
    check(f"tests/mdoc.py reads the same sections of {name}", list(own) == list(page),
          (list(own), list(page)))
    # mandoc breaks longer ones, and then the two differ.
    long = [line[:60] for text in own.values() for line in text.splitlines() if len(line) > WIDEST]
    check(f"{name}: each paragraph is a line of at most {WIDEST} columns", not long, long)
    for section, text in page.items():
        read = own.get(section, "")
        check(f"tests/mdoc.py reads the same text and entries of {name}, {section}",
              plain(read) == plain(text) and list(entries(read).items()) ==
              list(entries(text).items()),
              [(one, other) for one, other in zip(plain(read).split(), plain(text).split())
               if one != other][:5] or set(entries(read)) ^ set(entries(text)))


def keys_of(value, found):
    """The keys of json, without the names of events, metrics and states."""
    for key, inner in value.items():
        found.add(key)
        for each in inner if isinstance(inner, list) else [inner]:
            if isinstance(each, dict) and key not in ("events", "scaled", "metrics",
                                                          "states"):
                keys_of(each, found)
    return found


def check_output(page):
    header = run("--format", "csv", *SHORT).stdout.split("\n", 1)[0].split(",")
    check_words("the first columns of csv", page["OUTPUT"], [", ".join(header[:20])])
    found = set()
    for more in ([], ["--by", "socket"], ["--by", "node"], ["--by", "tree", "-c"],
                 ["--by", "user", "--filter", "o", "--top", "1"], ["-p", str(os.getpid())]):
        for frame in frames_of(run("--format", "json", *more, *SHORT).stdout):
            keys_of(frame, found)
    missing = [key for key in found if f'"{key}"' not in page["OUTPUT"]]
    check("the keys of json are in the page", len(found) > 30 and not missing, missing)


def check_counters(page):
    names = re.findall(r"\bpmctop_\w+", page["PROMETHEUS"])
    known = re.compile("|".join(name.replace("_X_", r"_\w+_") for name in names))
    printed = re.findall(r"^(pmctop_\w+)", run("--format", "openmetrics", *SHORT).stdout, re.M)
    missing = sorted({name for name in printed if not known.fullmatch(name)})
    check("the page has each counter for Prometheus", len(printed) > 30 and not missing, missing)


TRACEPOINT = "/sys/kernel/tracing/events/sched/sched_switch/id"


def examples(page):
    text = page["EXAMPLES"].replace("\\\n", " ")
    return [plain(line) for line in text.splitlines() if re.match(r" {11}\S", line)]


def impossible(line):
    """The reason why an example cannot run in a test, or None."""
    reasons = {"ssh ": "no other machine", "nginx.service": "needs such a service",
               "192.0.2.7": "not an address of this machine", "postgres": "needs such a process"}
    for word, reason in reasons.items():
        if word in line:
            return reason
    absent = [tool for tool in ("jq", "perf", "make") if re.search(rf"(^|[|] |-- ){tool}\b", line)
              and not shutil.which(tool)]
    if absent:
        return f"{absent[0]} is missing"
    if "perf sched" in line and not os.access(TRACEPOINT, os.R_OK):
        return "sched:sched_switch cannot be read: tracefs"
    if os.getuid() != 0 and re.search("--record|run.data", line):
        return "a recording needs the right to count whole CPUs"
    return None


# pmctop ends after two short refreshes, unless it prints the counts of a command.
WRAPPER = """#!/bin/sh
case " $* " in
*" -b -- "*) exec {0} "$@" ;;
*) exec {0} -d 0.2 -n 2 "$@" ;;
esac
"""


def try_example(line, directory):
    """Runs an example on a terminal."""
    path = f"{directory}:{os.environ['PATH']}"
    terminal = OnPty(["bash", "-o", "pipefail", "-c", f"exec 2>&1; cd {directory}; {line}"],
                     PATH=path, HOME=directory, PAGER="cat")
    try:
        status = terminal.wait(PATIENCE_S)
        check(f"example: {line}", status == 0 or ("--doctor" in line and status == 3),
              (status, terminal.output[-300:]))
    finally:
        terminal.close()


def check_examples(page):
    lines = examples(page)
    check("there are examples", len(lines) > 15, lines)
    with tempfile.TemporaryDirectory() as directory:
        wrapper = os.path.join(directory, "pmctop")
        with open(wrapper, "w", encoding="ascii") as file:
            file.write(WRAPPER.format(PMCTOP))
        os.chmod(wrapper, 0o755)
        with open(os.path.join(directory, "Makefile"), "w", encoding="ascii") as file:
            file.write("all:\n\t@sleep 0.2\n")
        for line in lines:
            reason = impossible(line)
            if reason:
                skip(f"example: {line}", reason)
            else:
                try_example(line, directory)
        written = os.path.join(directory, "run.json")
        if any("run.json" in line and not impossible(line) for line in lines):
            with open(written, encoding="utf-8") as file:
                check("a file that an example wrote can be read", json.loads(file.readline()))


def main():
    if not shutil.which("mandoc"):
        print("1..0 # skip mandoc is missing")
        sys.exit(77)
    for path in PAGES:
        lint(path)
        check_reader(path, rendered(path))
    remote = rendered(REMOTE_PAGE)
    check_output(remote)
    check_counters(remote)
    check_examples(rendered(PAGE))
    finish()


if __name__ == "__main__":
    main()
