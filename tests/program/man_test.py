#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The man page against the program: what --help, --list and refusals print, and where they print
only a part, the tables in the source. What the page has and the program has not fails, too.

Prints TAP. BUILD is the build directory. CC is the compiler.
"""
import glob
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from frames import check, finish  # noqa: E402
from mdoc import PAGE, Unknown, check_words, entries, plain, read_page  # noqa: E402
from pmctop import WORD_OPTIONS, listed, options, run, words_of, write_file  # noqa: E402

ROOT = os.path.join(HERE, "..", "..")
ANY_STRING = r'"(?:[^"\\]|\\.)*"'

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


def source(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def joined(literals):
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals))


def check_options(page):
    spelled = {name: ", ".join(f"{flag} {argument}".strip()
                               for flag in (letter and f"-{letter}", f"--{name}") if flag)
               for letter, name, argument, _ in options()}
    told = entries(page["OPTIONS"])
    check("every option as it is spelled, in the order of --help",
          len(spelled) > 30 and list(told)[1:] == list(spelled.values()), list(told))
    named = {name for part in page.values()
             for name in re.findall(r"(?<!\S)--([a-z][a-z-]+)", part)}
    check("no option that there is not", named <= set(spelled), named - set(spelled))
    for name in WORD_OPTIONS:
        check_words(f"every word of --{name}", told.get(spelled[name], ""), words_of(name))


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
    compiler = os.environ.get("CC", "cc").split()
    text = subprocess.run([*compiler, "-E", "-P", "-I.", "-D_GNU_SOURCE", "core/metric_table.c"],
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
    refusal = run("--config", write_file("wrong.conf", "[pmctop]\nno-such-setting = 1\n"),
                  "--list", "presets", "none").stderr
    settings = re.search(r"there are (.*)\.$", refusal, re.M)
    check_words("every setting", page["CONFIGURATION"],
            settings.group(1).split(", ") if settings else [])
    sections = re.findall(r'\{"(\w+)", offsetof', source("core/config.c"))
    check("every section", all(f"[{name}]" in page["CONFIGURATION"] for name in sections)
          and len(sections) == 4, sections)
    names = source("tui/keymap.c").split("} names[] = {")[1].split("};")[0]
    check_words("every name of a key", page["CONFIGURATION"],
            [name for name in re.findall(r'"(\S*)"', names)] + ["Space"])
    check_words("every theme", page["THEMES"], [name for name, _ in listed("themes")])
    table = source("tui/theme.c").split("palette_keys[] = {")[1]
    check_words("every key of a theme", page["THEMES"], re.findall(r"PALETTE_KEY\((\w+)\)", table))
    read = {name for path in glob.glob(os.path.join(ROOT, "tui", "*.c"))
            + glob.glob(os.path.join(ROOT, "core", "*.c"))
            for name in re.findall(r'getenv\("(\w+)"', source(path))}
    check_words("every variable of the environment that is read", page["ENVIRONMENT"], sorted(read))
    statuses = [value for header in ("tui/run.h", "tui/launch.h") for value in
                re.findall(r"^\t(?:RUN|LAUNCH)_\w+ = (\d+)", source(header), re.M)]
    check_words("every exit status", page["EXIT STATUS"], statuses)


def main():
    try:
        page = read_page(PAGE)
    except Unknown as error:
        check("the page can be read", False, error)
        finish()
    for part in (check_options, check_keys, check_metrics, check_presets, check_marks,
                 check_configuration):
        part(page)
    finish()


if __name__ == "__main__":
    main()
