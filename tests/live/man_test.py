#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The man page against the program: what --help, --list and refusals say, and of what they say
only in part, the tables in the source. What the page has and the program has not fails, too. Then
its examples are run, as they stand.

Prints TAP. BUILD is the build directory.
"""
import glob
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
from ptys import OnPty  # noqa: E402

ROOT = os.path.join(HERE, "..", "..")
BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
PMCTOP = os.path.join(BUILD, "pmctop")
PAGE = os.path.join(ROOT, "tui", "pmctop.1")
PATIENCE_S = 90
ANY_STRING = r'"(?:[^"\\]|\\.)*"'
SHORT = [".1", "1"]  # DELAY and COUNT

# Which CPUs a formula is for: core/cpu_model.h.
CPUS = {
    "CPU_INTEL": "Intel", "CPU_AMD": "AMD", "CPU_ARM": "Arm", "CPU_INTEL | CPU_AMD": "Intel, AMD",
    "CPU_INTEL_ICL": "Intel since Ice Lake", "CPU_INTEL_SKL": "Skylake",
    "CPU_INTEL_IVB_BDW | CPU_INTEL_SKL | CPU_INTEL_ICL": "Intel since Ivy Bridge",
    "CPU_INTEL_SNB_SKL": "Sandy Bridge to Skylake",
    "CPU_INTEL_SNB | CPU_INTEL_IVB_BDW": "Sandy Bridge to Broadwell",
    "CPU_ZEN4": "Zen 4", "CPU_ZEN5": "Zen 5", "CPU_ZEN4 | CPU_ZEN5": "Zen 4, 5",
    "CPU_ZEN1 | CPU_ZEN2 | CPU_ZEN3": "Zen 1 to 3",
    "CPU_NEOVERSE_N2_R0P0": "Neoverse N2 before r0p3",
}


def run(*arguments, **options):
    return subprocess.run([PMCTOP, *arguments], capture_output=True, text=True, encoding="utf-8",
                          timeout=PATIENCE_S, **{"stdin": subprocess.DEVNULL, **options})


def listed(what):
    """(name, the rest) of each line, whatever configuration there is."""
    return [line.split(None, 1) for line in
            run("--config", "/dev/null", "--list", what).stdout.splitlines()]


def source(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def plain(text):
    return " ".join(text.split())


def joined(literals):
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals))


def rendered(width=1000):
    """By section, without bold and underlined."""
    text = subprocess.run(["mandoc", "-Tutf8", "-O", f"width={width}", PAGE], check=True,
                          capture_output=True).stdout.decode()
    parts = re.split(r"^([A-Z][A-Z ]+)\n", re.sub(".\b", "", text), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def entries(section):
    """What its lists explain, and how; among them its paragraphs."""
    found = {}
    for part in re.split(r"^ {5}(?=\S)", section, flags=re.M)[1:]:
        tag, text = re.match(r"(.*?)(?: {2,}|\n|$)(.*)", part, re.S).groups()
        found[tag] = plain(text)
    return found


def has_all(name, text, words):
    """Each as a word of its own."""
    text = plain(text)
    missing = [word for word in words if not re.search(
        rf"(?<![\w-]){re.escape(plain(word))}(?![\w-])", text)]
    check(name, words and not missing, missing or "nothing to look for")


def lint():
    done = subprocess.run(["mandoc", "-Tlint", "-Wall", PAGE], capture_output=True, text=True,
                          check=False)
    # Which other pages this machine has is nobody's mistake.
    said = [line for line in (done.stdout + done.stderr).splitlines()
            if "referenced manual not found" not in line and "mandoc.db" not in line]
    check("mandoc has nothing to say", not said, said)


def check_options(page):
    options = re.findall(r"^  (?:(-\w),|   ) --([a-z-]+)(?: ([][A-Z]\S*))? ", run("--help").stdout,
                         re.M)
    spelled = {name: ", ".join(f"{flag} {argument}".strip()
                               for flag in (letter, f"--{name}") if flag)
               for letter, name, argument in options}
    told = entries(page["OPTIONS"])
    check("every option as it is spelled, in the order of --help",
          len(options) > 30 and list(told)[1:] == list(spelled.values()), list(told))
    named = {name for part in page.values()
             for name in re.findall(r"(?<!\S)--([a-z][a-z-]+)", part)}
    check("no option that there is not", named <= set(spelled), named - set(spelled))
    for name in ("format", "count", "by", "list", "color", "unit"):
        refusal = run(f"--{name}", "no-such-word").stderr
        words = re.split(", | or ", refusal.rsplit("write ", 1)[-1].strip().rstrip("."))
        has_all(f"every word of --{name}", told.get(spelled[name], ""), words)


def check_keys(page):
    told, names = entries(page["KEYS"]), []
    for name, rest in listed("keys"):
        keys, does = rest.split(": ", 1)
        names.append(f"{keys} ({name})")
        sentence = f"{does[0].upper()}{does[1:].rstrip('.')}."
        check(f"the key of {name}", told.get(names[-1], "").startswith(sentence), names[-1])
    strange = [tag for tag in told if re.search(r" \([a-z-]+\)$", tag) and tag not in names]
    check("no key that there is not", len(names) > 50 and not strange, strange)


def metrics():
    """The table, as the compiler sees it."""
    text = subprocess.run(["cc", "-E", "-P", "-I.", "-D_GNU_SOURCE", "core/metric_table.c"],
                          cwd=ROOT, check=True, capture_output=True, text=True).stdout
    table = text[text.index("struct metric_def metric_table[] = {") :].split("\n};")[0]
    for part in re.split(r'(?=\.name = ")', table)[1:]:
        metric = {key: joined(value) for key, value in
                  re.findall(rf"\.(name|title|unit|help) = ((?:{ANY_STRING}\s*)+)", part)}
        metric["levels"] = [re.search(rf"\.{key} = ([\d.]+)", part).group(1)
                            for key in ("warn", "bad")] if ".better" in part else []
        metric["forms"] = [
            ("0", "", joined(every)) if every else (where, joined(title), joined(expression))
            for every, where, title, expression in re.findall(
                rf"\.expression = ((?:{ANY_STRING}\s*)+)|\{{([A-Z_0-9| ]+), "
                rf"(\(\(void \*\)0\)|{ANY_STRING}),\s*((?:{ANY_STRING}\s*)+)", part)]
        yield metric


def metric_entry(metric, short):
    """How the page is to tell of it."""
    text = f"{metric['name']} ({metric['title']}) {metric['help']}"
    if metric["unit"] not in ("", "/s", "x"):
        text += f", in {metric['unit']}"
    if metric["levels"]:
        text += "; warn {:g}, bad {:g}".format(*map(float, metric["levels"]))
    text += "."
    for number, (where, title, expression) in enumerate(metric["forms"]):
        cpus = CPUS[where] if where != "0" else "else" if number > 0 else ""
        cpus += f" (as {title})" if title else ""
        for name, meaning in short:
            expression = expression.replace(meaning, name)
        text += f" {cpus}{': ' if cpus else ''}{expression}"
    return plain(text)


def check_metrics(page):
    text, names = plain(page["METRICS"]), []
    short = [(name, plain(meaning)) for name, meaning in
             re.findall(r"^ {5}([A-Z0-9]+) = (.*(?:\n {9,}.*)*)$", page["METRICS"], re.M)]
    formulas = {}
    for metric in metrics():
        names.append(metric["name"])
        formulas[metric["name"]] = [plain(form[2]) for form in metric["forms"]]
        entry = metric_entry(metric, short)
        check(f"{metric['name']}: title, meaning, thresholds, every formula", entry in text, entry)
    rows = listed("metrics")
    check("the metrics are those that are listed, and each has a formula",
          [name for name, _ in rows] == names and all(formulas.values()), names)
    strange = [rest for name, rest in rows
               if " = " in rest and rest.rsplit(" = ", 1)[1] not in formulas[name]]
    check("what is listed as a formula is among them", not strange, strange)
    told = re.findall(r"^ {5}([a-z_0-9]+) \(\S+\)", page["METRICS"], re.M)
    check("no metric that there is not", told == names, set(told) ^ set(names))


def check_presets(page):
    text = plain(page["PRESETS"])
    for name, rest in listed("presets"):
        check(f"the preset {name}", f"{name} {rest}" in text, rest)


def rules():
    """Those of the verdicts, a line each."""
    text = source("core/verdict.c")
    labels = dict(re.findall(r'\[(VERDICT_\w+)\] = \{"[^"]*", "([^"]*)"\}', text))
    table = re.sub(r"/\*.*?\*/", "", text.split("rules[] = {")[1].split("\n};")[0] + "\n",
                   flags=re.S)
    for tier, verdict, conditions, rest in re.findall(
            r"\{(\d+), (VERDICT_\w+), \{(\{.*?\})\}(.*?)\},\n", table, re.S):
        told = []
        for metric, sign, limit, more in re.findall(r"\{\"(\w+)\", '(.)', ([\d.]+)(.*?)\}",
                                                    conditions):
            times = re.search(r'\.times = "(\w+)"', more)
            title = re.search(r'\.title = "(\w+)"', more)
            told.append(metric + (f" * {times.group(1)}" if times else "")
                        + (f" (as {title.group(1)})" if title else "")
                        + f" {'<' if sign == '<' else '>='} {float(limit):g}"
                        + (" per CPU" if "per_cpu = true" in more else ""))
        unless = re.search(r'\.unless = "(\w+)"', rest)
        yield (f"{tier} {labels[verdict]} {' and '.join(told)}"
               + (f", no {unless.group(1)}" if unless else "")
               + (", no kernel thread" if "of_users = true" in rest else ""))


def check_marks(page):
    text = source("core/figure.c").split("figure_state_name")[1]
    states = set(re.findall(r'return "(\w+)"', text)) - {"unknown"}
    told = set(re.findall(r"^ {5}\S+ +([a-z_]+) {2,}", page["MARKS"], re.M))
    check("every state of a figure", told == states, told ^ states)
    text = source("core/figure.c").split("figure_state_name")[0]
    marks = {*re.findall(r'return "([^"]+)"', text), "~1.2", "?1.2"}
    told = set(re.findall(r"^ {5}(\S+) +[a-z_]+ {2,}", page["MARKS"], re.M)) - {"1.2"}
    check("every mark, and no other", told == marks, told ^ marks)
    text = source("tui/screen_help.c").split("marks[] = {")[1].split("};")[0]
    help_screen = set(re.findall(r'\{"([^"]+)", "', text))
    check("the same as the help screen", told == help_screen, told ^ help_screen)

    text = plain(page["VERDICTS"])
    words = re.findall(r'\[VERDICT_\w+\] = \{"([^"]*)", "([^"]*)"\}', source("core/verdict.c"))
    missing = [word for word in words if word[0] != "none" and " ".join(word[::-1]) not in text]
    check("every verdict, on the screen and for programs", len(words) > 10 and not missing, missing)
    lines = list(rules())
    table = source("core/verdict.c").split("rules[] = {")[1].split("\n};")[0]
    missing = [line for line in lines if line not in text]
    check("every rule of the verdicts",
          len(lines) == table.count(", VERDICT_") and not missing, missing)


def check_configuration(page):
    refusal = run("--config", "/dev/stdin", "--list", "presets", "none", stdin=None,
                  input="[pmctop]\nno-such-setting = 1\n").stderr
    settings = re.search(r"there are (.*)\.$", refusal, re.M)
    has_all("every setting", page["CONFIGURATION"],
            settings.group(1).split(", ") if settings else [])
    sections = re.findall(r'\{"(\w+)", offsetof', source("core/config.c"))
    check("every section", all(f"[{name}]" in page["CONFIGURATION"] for name in sections)
          and len(sections) == 4, sections)
    names = source("tui/keymap.c").split("} names[] = {")[1].split("};")[0]
    has_all("every name of a key", page["CONFIGURATION"],
            [name for name in re.findall(r'"(\S*)"', names)] + ["Space"])
    has_all("every theme", page["THEMES"], [name for name, _ in listed("themes")])
    table = source("tui/theme.c").split("palette_keys[] = {")[1]
    has_all("every key of a theme", page["THEMES"], re.findall(r"PALETTE_KEY\((\w+)\)", table))
    read = {name for path in glob.glob(os.path.join(ROOT, "tui", "*.c"))
            + glob.glob(os.path.join(ROOT, "core", "*.c"))
            for name in re.findall(r'getenv\("(\w+)"', source(path))}
    has_all("every variable of the environment that is read", page["ENVIRONMENT"], sorted(read))
    statuses = [value for header in ("tui/run.h", "tui/launch.h") for value in
                re.findall(r"^\t(?:RUN|LAUNCH)_\w+ = (\d+)", source(header), re.M)]
    has_all("every exit status", page["EXIT STATUS"], statuses)


def keys_of(value, found):
    """Of json, but for the names of events, metrics and states."""
    for key, inner in value.items():
        found.add(key)
        for each in inner if isinstance(inner, list) else [inner]:
            if isinstance(each, dict) and key not in ("events", "metrics", "states"):
                keys_of(each, found)
    return found


def check_output(page):
    header = run("--format", "csv", *SHORT).stdout.split("\n", 1)[0].split(",")
    has_all("the first columns of csv", page["OUTPUT"], [", ".join(header[:20])])
    found = set()
    for more in ([], ["--by", "socket"], ["--by", "node"], ["--by", "tree", "-c"],
                 ["--by", "user", "--filter", "o", "--top", "1"], ["-p", str(os.getpid())]):
        for frame in frames_of(run("--format", "json", *more, *SHORT).stdout):
            keys_of(frame, found)
    missing = [key for key in found if f'"{key}"' not in page["OUTPUT"]]
    check("what json has", len(found) > 30 and not missing, missing)


# ---- examples

def examples(page):
    text = page["EXAMPLES"].replace("\\\n", " ")
    return [plain(line) for line in text.splitlines() if re.match(r" {11}\S", line)]


def impossible(line):
    """Why an example is of no use here, or None."""
    reasons = {"ssh ": "there is no other machine", "nginx.service": "such a service has to run",
               "192.0.2.7": "the address is nobody's", "postgres": "such a process has to run"}
    for word, reason in reasons.items():
        if word in line:
            return reason
    absent = [tool for tool in ("jq", "perf", "make") if re.search(rf"(^|[|] |-- ){tool}\b", line)
              and not shutil.which(tool)]
    if absent:
        return f"{absent[0]} is missing"
    if os.getuid() != 0 and re.search("--record|run.data", line):
        return "a recording takes the right to count whole CPUs"
    return None


# What would go on ends after two refreshes, which come soon; a command that is printed ends itself.
WRAPPER = """#!/bin/sh
case " $* " in
*" -b -- "*) exec {0} "$@" ;;
*) exec {0} -d 0.2 -n 2 "$@" ;;
esac
"""


def try_example(line, directory):
    """On a terminal: what is drawn is drawn."""
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
                check("what the examples wrote can be read", json.loads(file.readline()))


def main():
    if not shutil.which("mandoc"):
        print("1..0 # skip mandoc is missing")
        sys.exit(77)
    lint()
    page = rendered()
    for part in (check_options, check_keys, check_metrics, check_presets, check_marks,
                 check_configuration, check_output, check_examples):
        part(page)
    finish()


if __name__ == "__main__":
    main()
