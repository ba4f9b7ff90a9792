#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares what pmctop --replay shows of recordings with perf report, to 0.1 % of each event.

    tests/profiles/compare.py [--perf COMMAND]... [--symfs DIR] [--kallsyms FILE] [--cache DIR]
                              [--kernel DIR] [--table FILE] [--jobs N] FILE|DIR...

The share of each (command, module, function) is the sum of its samples' periods. Code without a
name is one function of its module. perf is the first --perf that finds samples in the file: give
newer ones behind the installed one. `--symfs none` is an empty folder: no names. --cache is a cache
of build ids, by default an empty one. BUILD is the build directory, PMCTOP another program.

Public files: --symfs none. Those of make.py: --kernel build/profiles/symbols, which is
--kallsyms DIR/kallsyms for perf and --symfs for pmctop. Those of make_guest.py: --symfs K/symfs
--kallsyms K/symfs/kallsyms, or --cache K/.debug.

Prints a line for each file:

    equal       all shares agree
    commands    they agree by module and function; commands differ
    more        pmctop has names where perf has none; all others agree
    aliases     they agree if all names of one address (--aliases FILE...) are taken as one
    names       they agree by command and module; names of functions differ
    pmctop      pmctop shows functions, perf has no samples
    differs     with the largest differences
    hidden      perf has samples, pmctop shows none
    nothing     neither has samples
    refused     perf has no samples, and pmctop gives the reason
    broken      pmctop did not end well: its status

Exit status 1: a file differs, is hidden or broken.
"""
import argparse
import collections
import concurrent.futures
import csv
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import perfdata  # noqa: E402

BUILD = os.environ.get("BUILD", os.path.join(HERE, "../../build"))
PMCTOP = os.environ.get("PMCTOP", os.path.join(BUILD, "pmctop"))
TOLERANCE = 0.001
PATIENCE_S = 300
SHOWN_MOST = 4
BAD = ("differs", "hidden", "broken")
UNNAMED = "[unnamed]"
REFUSED = "refused: "

# "# Samples: 19K of event 'cycles:u'", of a merged one "of events".
EVENT_LINE = re.compile(r"^# Samples: \S+ +of events? '(.*)'(?:, .*)?$")
# "cpu_core/cycles:P/": an event of one kind of CPUs.
HYBRID = re.compile(r"^cpu_\w+/([^/:]+)(?::\w+)?/\w*$")
ADDRESS = re.compile(r"^(0x)?[0-9a-f]{8,16}$")
MODULES = (
    (re.compile(r"^\[guest\.kernel.*"), "[guest.kernel]"),
    (re.compile(r"^(\[kernel.*\]\S*|\[kernel|vmlinux.*)$"), "[kernel]"),
    (re.compile(r"^(\[JIT\].*|perf-\d+\.map)$"), "[jit]"),
    (re.compile(r"^(bpf_prog_.*|bpf_trampoline_.*|\[bpf\])$"), "[bpf]"),
    (re.compile(r"^(|\[unknown\]|//anon|\[anon.*|anon)$"), "[unknown]"),
)


def command_of(text):
    """The kernel's names have 15 bytes, simpleperf's are command lines. perf prints :TID for none."""
    return "" if re.match(r"^:-?\d+$", text.strip()) else text.strip()[:15].strip()


def module_of(text):
    text = text.removesuffix(" (deleted)")
    for pattern, name in MODULES:
        if pattern.match(text):
            return name
    return text.rpartition("/")[2] or text


def without_templates(text):
    depth, out = 0, []
    for index, char in enumerate(text):
        if char == "<" and not text[:index].endswith("operator"):
            depth += 1
        elif char == ">" and depth and text[index - 1] != "-":
            depth -= 1
        elif not depth:
            out.append(char)
    return "".join(out)


def function_of(text):
    """Names as they are compared: without parameters, arguments of templates and clone suffixes."""
    text = re.sub(r" \[clone .*\]$", "", text)
    text = text.replace("(anonymous namespace)", "{anonymous}")
    text = without_templates(text)
    text = re.sub(r"(?<!operator)\(.*", "", text)
    text = re.sub(r"(\.(isra|part|constprop|cold|lto_priv|llvm)(\.\d+)*)+$", "", text)
    return text.strip()


class Sums(collections.defaultdict):
    """{event: {(command, module, function): sum of periods}}"""

    def __init__(self):
        super().__init__(collections.Counter)

    def whole(self):
        return sum(sum(counts.values()) for counts in self.values())


def perf_command(args, perf, path):
    command = shlex.split(perf) + [
        "--buildid-dir", args.cache, "report", "-i", path, "-f", "--stdio", "--no-inline",
        "--no-children", "--no-branch-stack", "--no-group", "--no-itrace", "-g", "none", "--percent-limit", "0",
        # perf cuts a name that is longer than the first one of its thread.
        "-w", "24,24,64,512,2048", "-t", "\x01", "-F", "period,sample,comm,dso,sym", "--sort", "comm,dso,sym"]
    if args.symfs:
        command += ["--symfs", args.symfs]
    if args.kallsyms:
        command += ["--kallsyms", args.kallsyms]
    return command


def perf_sums(text):
    sums, event = Sums(), ""
    for line in text.split("\n"):
        found = EVENT_LINE.match(line)
        if found:
            event = found.group(1)
        cells = line.split("\x01")
        if len(cells) != 5 or line.startswith("#") or not cells[0].strip().isdigit():
            continue
        period, _, comm, module, symbol = (cell.strip() for cell in cells)
        name = re.sub(r"@@?[A-Z]+[A-Za-z]*_[\d.]+$", "", re.sub(r"^\[.\] ", "", symbol))
        # An address of the kernel that is in no mapping.
        if module == "[unknown]" and symbol.startswith("[k] "):
            module = "[kernel]"
        name = UNNAMED if ADDRESS.match(name) or name == "[unknown]" else function_of(name)
        module = module_of(module)
        # perf's name of memory that no file has. "[JIT]": a map would name it, and there is none.
        if module == "[jit]" and name == UNNAMED:
            module = "[unknown]"
        sums[event][command_of(comm), module, name] += int(period)
    return sums


def ask_perf(args, path):
    """(sums, which perf, its error) of the first perf that has samples in this file. A folder of
    --switch-output is the sum of its files."""
    if is_switch_output(path):
        sums, perf, why = Sums(), "", ""
        for name in sorted(os.listdir(path)):
            part, perf, why = ask_perf(args, os.path.join(path, name))
            for event, counts in part.items():
                sums[event].update(counts)
        return sums, perf, why
    why = ""
    for perf in args.perf:
        try:
            done = subprocess.run(perf_command(args, perf, path), stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, errors="replace", check=False,
                                  timeout=PATIENCE_S, env=args.environment)
        except subprocess.TimeoutExpired:
            why = why or "took too long"
            continue
        sums = perf_sums(done.stdout)
        if sums.whole():
            return sums, perf, ""
        lines = [line for line in done.stderr.strip().split("\n") if line]
        why = why or (lines[-1] if lines else "no samples")
    return Sums(), "", why


def pmctop_sums(text):
    sums = Sums()
    for line in text.splitlines():
        if not line.startswith("{"):
            continue
        frame = json.loads(line)
        for row in frame.get("tasks", []):
            for function in row.get("functions", []):
                name = UNNAMED if function["kind"] == "unnamed" else function_of(function["name"])
                key = command_of(row["comm"] or ""), module_of(function["module"] or ""), name
                for event, figures in function["events"].items():
                    if figures["count"]:
                        sums[event][key] += figures["count"]
    return sums


def ask_pmctop(args, path):
    command = [PMCTOP, "--config", "/dev/null", "--replay", path, "-b", "-H", "--code", "--format",
               "json", *(["-d", args.delay] if args.delay else [])]
    if args.symfs or args.kernel:
        command += ["--symfs", args.symfs or args.kernel]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", check=False, timeout=PATIENCE_S,
                              env=args.environment)
    except subprocess.TimeoutExpired:
        return Sums(), "took too long"
    lines = done.stderr.strip().split("\n")
    # Status 1 and some frames: the rest of the recording is broken.
    if done.returncode != 1 and done.returncode != 0:
        return Sums(), f"status {done.returncode}: {lines[-1][:160]}"
    try:
        sums = pmctop_sums(done.stdout)
        return sums, "" if sums.whole() or not done.returncode else REFUSED + lines[-1][:160]
    except (ValueError, KeyError, TypeError) as why:
        return Sums(), f"its json: {why!r}"


def shares_by(counts, parts):
    """The shares of an event by some of (command, module, function)."""
    whole = sum(counts.values())
    shares = collections.Counter()
    for key, count in counts.items():
        shares[tuple(key[part] for part in parts)] += count / whole
    return shares


def same_name(event, others):
    """The event of this name at the other side: perf has modifiers that pmctop may leave out, and
    pmctop says that a count is of samples."""
    for name in (event, event + "-samples"):
        if name in others:
            return name
    plain = event.rstrip("/").partition(":")[0] if "/" not in event else event
    for other in others:
        if other.partition(":")[0] == plain:
            return other
    return None


def of_all_cpus(truth, got):
    """pmctop has one event for all kinds of CPUs."""
    merged = Sums()
    for event, counts in truth.items():
        found = HYBRID.match(event)
        one = found and not same_name(event, got) and same_name(found.group(1), got)
        merged[one or event].update(counts)
    return merged


def differences(truth, got, parts):
    """[(difference, event, key, share of perf, share of pmctop)], the largest first."""
    found = []
    taken = set()
    for event in truth:
        match = same_name(event, got)
        taken.add(match)
        there = shares_by(truth[event], parts)
        here = shares_by(got[match], parts) if match else {}
        for key in set(there) | set(here):
            apart = abs(there.get(key, 0) - here.get(key, 0))
            found.append((apart, event, key, there.get(key, 0), here.get(key, 0)))
    found += [(1.0, event, ("not perf's event",), 0, 1) for event in got if event not in taken]
    return sorted(found, key=lambda entry: -entry[0])


def agrees(truth, got, *parts):
    found = differences(truth, got, parts)
    return not found or found[0][0] <= TOLERANCE


def read_aliases(paths):
    """{name: first name of the same address} of files of symbols, and of copies of kallsyms."""
    first = {}
    for path in paths:
        with open(path, "rb") as file:
            elf = file.read(4) == b"\x7fELF"
        if elf:
            texts = [subprocess.run(["nm", *how, path], capture_output=True, text=True,
                                    check=False).stdout for how in ((), ("-D",))]
        else:
            with open(path, encoding="utf-8", errors="replace") as file:
                texts = [file.read()]
        names = collections.defaultdict(set)
        for line in "".join(texts).splitlines():
            cells = line.split()
            if len(cells) >= 3 and cells[1] in "tTwWiI":
                names[cells[0]].add(function_of(cells[2].partition("@")[0]))
        for same in names.values():
            for name in same if len(same) > 1 else ():
                first.setdefault(name, min(first.get(name, name) for name in same))
    return first


def with_first_names(sums, first):
    renamed = Sums()
    for event, counts in sums.items():
        for (command, module, function), count in counts.items():
            renamed[event][command, module, first.get(function, function)] += count
    return renamed


def only_names_more(truth, got):
    """Whether pmctop has all named functions of perf, and names in place of unnamed ones."""
    return all(apart <= TOLERANCE or (there < here) == (key[2] != UNNAMED)
               for apart, _, key, there, here in differences(truth, got, (0, 1, 2)))


def judge(truth, got, error, first=None):
    """(verdict, reason)"""
    if error.startswith(REFUSED) and not truth.whole():
        return "refused", error.removeprefix(REFUSED)
    if error:
        return "broken", error
    if not got.whole():
        return ("hidden", "") if truth.whole() else ("nothing", "")
    if not truth.whole():
        return "pmctop", ""
    truth = of_all_cpus(truth, got)
    worst = differences(truth, got, (0, 1, 2))
    if worst[0][0] <= TOLERANCE:
        return "equal", f"{worst[0][0]:.5f}"
    reason = "; ".join(f"{event} {' '.join(key)}: {there:.4f} perf, {here:.4f} pmctop"
                       for apart, event, key, there, here in worst[:SHOWN_MOST]
                       if apart > TOLERANCE)
    if agrees(truth, got, 1, 2):
        return "commands", reason
    if agrees(truth, got, 0, 1):
        truth, got = with_first_names(truth, first or {}), with_first_names(got, first or {})
        if agrees(truth, got, 0, 1, 2):
            return "aliases", reason
        return "more" if only_names_more(truth, got) else "names", reason
    levels = [label for label, parts in (("command", (0,)), ("module", (1,)), ("function", (2,)))
              if agrees(truth, got, *parts)]
    return "differs", f"[{', '.join(levels) or 'no part'} agrees] {reason}"


def compare(args, path):
    truth, perf, why = ask_perf(args, path)
    got, error = (Sums(), "") if args.perf_only else ask_pmctop(args, path)
    verdict, reason = judge(truth, got, error, args.first)
    try:
        facts = perfdata.survey(first_file(path))
    except (OSError, ValueError, MemoryError) as fault:
        facts = {"error": repr(fault), "samples": 0}
    # Files of version 1 are refused by intent.
    if reason.startswith(REFUSED) and facts["error"].startswith("PERFFILE"):
        verdict = "refused"
    return {"file": os.path.basename(path), "sums": truth, "verdict": verdict, "reason": reason,
            "perf": args.perf.index(perf) if perf else f"- {why}", "perf_periods": truth.whole(),
            "pmctop_counts": round(got.whole()), "survey": facts,
            "perf_events": len(truth), "perf_rows": sum(len(rows) for rows in truth.values())}


def save(path, results):
    """A line for each row: file, event, command, module, function and the sum of periods."""
    rows = [(result["file"], event, *key, count) for result in results
            for event, counts in result["sums"].items() for key, count in sorted(counts.items())]
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter="\t", lineterminator="\n").writerows(rows)


def load(path):
    """{file: sums} of save()."""
    files = collections.defaultdict(Sums)
    with open(path, encoding="utf-8", newline="") as file:
        for name, event, *key, count in csv.reader(file, delimiter="\t"):
            files[name][event][tuple(key)] = int(count)
    return files


FACTS = ("callchains", "stacks", "branches", "no_time", "no_cpu", "no_period", "no_comm",
         "compressed", "aux")


def table_row(result):
    facts = result["survey"]
    marks = " ".join(name for name in FACTS if facts.get(name))
    return "\t".join(str(cell) for cell in (
        result["file"], result["verdict"], facts["samples"], facts.get("form", "-"),
        facts.get("writer", "-"), facts.get("version", "") or "-", facts.get("arch", "") or "-",
        facts.get("attr_size", 0), len(facts.get("events", ())), marks or "-",
        facts.get("error") or facts.get("note") or "-", result["perf"], result["perf_periods"],
        result["pmctop_counts"], result["reason"] or "-"))


HEADER = "\t".join(("file", "verdict", "samples", "form", "writer", "version", "arch", "attr_size",
                    "events", "has", "note", "perf", "perf_periods", "pmctop_counts", "reason"))


def is_switch_output(path):
    return os.path.isdir(path) and not os.path.exists(os.path.join(path, "data"))


def first_file(path):
    if not os.path.isdir(path):
        return path
    return os.path.join(path, min(os.listdir(path), key=lambda name: (name != "data", name)))


def files_of(paths):
    """Folders named *.data are recordings, too."""
    for path in paths:
        if not os.path.isdir(path) or path.rstrip("/").endswith(".data"):
            yield path
            continue
        for folder, folders, names in os.walk(path):
            recordings = [name for name in folders if name.endswith(".data")]
            folders[:] = sorted(set(folders) - set(recordings) - {"symfs", ".debug"})
            yield from (os.path.join(folder, name) for name in sorted(names + recordings)
                        if not name.endswith((".new", ".txt", ".map", ".kallsyms", ".md", ".so")))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--perf", action="append")
    parser.add_argument("--perf-only", action="store_true", help="do not start pmctop")
    parser.add_argument("--symfs")
    parser.add_argument("--kallsyms")
    parser.add_argument("--cache")
    parser.add_argument("--kernel")
    parser.add_argument("--aliases", action="append", default=[])
    parser.add_argument("--delay", help="-d of pmctop; by default one refresh is all")
    parser.add_argument("--table", help="write all facts there, separated by tabs")
    parser.add_argument("--save", help="write the sums of perf report there")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("path", nargs="+")
    args = parser.parse_args()
    args.perf = args.perf or ["perf"]
    args.first = read_aliases(args.aliases)
    if args.kernel:
        args.kallsyms = os.path.join(args.kernel, "kallsyms")
    paths = list(files_of(args.path))
    with tempfile.TemporaryDirectory() as args.empty:
        args.cache = args.cache or args.empty
        args.environment = {**os.environ, "HOME": args.empty, "PERF_CONFIG": "/dev/null",
                            "PERF_BUILDID_DIR": args.cache, "LC_ALL": "C.UTF-8"}
        if args.symfs == "none":
            args.symfs = args.empty
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            results = list(pool.map(lambda path: compare(args, path), paths))
    for result in results:
        print(f"{result['verdict']:8} {result['file']}  {result['reason']}".rstrip())
    if args.table:
        with open(args.table, "w", encoding="utf-8") as file:
            print(HEADER, *map(table_row, results), sep="\n", file=file)
    if args.save:
        save(args.save, results)
    verdicts = collections.Counter(result["verdict"] for result in results)
    print(f"{len(results)} files:", ", ".join(f"{n} {name}" for name, n in verdicts.most_common()))
    return 1 if any(verdicts[name] for name in BAD) else 0


if __name__ == "__main__":
    sys.exit(main())
