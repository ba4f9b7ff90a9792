#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The man page against the program: what --help, --list and refusals print. What the page has and
the program has not fails, too.

Prints TAP. BUILD is the build directory.
"""
import os
import re
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from frames import check, finish  # noqa: E402
from mdoc import PAGE, Unknown, check_words, entries, plain, read_page  # noqa: E402
from pmctop import WORD_OPTIONS, listed, options, run, words_of, write_file  # noqa: E402


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


def formulas():
    """{name: [(title, CPUs, title on these, formula)]}"""
    found = {}
    for name, rest in listed("formulas"):
        title, *form = re.fullmatch(r"(\S+) +([^:(]+?)(?: \(as (\S+)\))?: (.+)", rest).groups()
        found.setdefault(name, []).append((title, *form))
    return found


def metrics():
    """What --list metrics and formulas have of each, but for what depends on the machine."""
    forms = formulas()
    for name, rest in listed("metrics"):
        text, unit, warn, bad, taken = re.fullmatch(
            r"(?:ok|n/a|denied) +\w+ +\S+: (.+?)(?: \((\S+)\))?(?:; warn (\S+), bad (\S+))?"
            r"(?: = (.+))?", rest).groups()
        yield {"name": name, "help": text, "unit": unit or "", "levels": warn and (warn, bad),
               "taken": taken, "title": forms[name][0][0],
               "forms": [form[1:] for form in forms[name]]}


def metric_entry(metric, short):
    """How the page is to tell of it."""
    text = f"{metric['name']} ({metric['title']}) {metric['help']}"
    if metric["unit"] not in ("", "/s", "x"):
        text += f", in {metric['unit']}"
    if metric["levels"]:
        text += "; warn {}, bad {}".format(*metric["levels"])
    text += "."
    for number, (cpus, title, expression) in enumerate(metric["forms"]):
        if cpus == "any":
            cpus = "else" if number > 0 else ""
        cpus += f" (as {title})" if title else ""
        for name, meaning in short:
            expression = expression.replace(meaning, name)
        text += f" {cpus}{': ' if cpus else ''}{expression}"
    return plain(text)


def check_metrics(page):
    text, names = plain(page["METRICS"]), []
    short = [(name, plain(meaning)) for name, meaning in
             re.findall(r"^ {5}([A-Z0-9]+) = (.*(?:\n {9,}.*)*)$", page["METRICS"], re.M)]
    for metric in metrics():
        names.append(metric["name"])
        entry = metric_entry(metric, short)
        check(f"{metric['name']}: title, meaning, thresholds, every formula", entry in text, entry)
        check(f"{metric['name']}: the formula of this CPU is among them", metric["taken"] in
              (None, *(form[2] for form in metric["forms"])), metric["taken"])
    check("formulas are those of the metrics", list(formulas()) == names, names)
    told = re.findall(r"^ {5}([a-z_0-9]+) \(\S+\)", page["METRICS"], re.M)
    check("no metric that there is not", told == names, set(told) ^ set(names))


def check_presets(page):
    text = plain(page["PRESETS"])
    for name, rest in listed("presets"):
        check(f"the preset {name}", f"{name} {rest}" in text, rest)


def rows_of(section, *columns):
    """The rows of a table, whose cells match the columns' expressions."""
    return re.findall("^ {5}" + " {2,}".join(f"({column})" for column in columns) + "$",
                      section, re.M)


def check_marks(page):
    told = rows_of(page["MARKS"], r"\S+", "[a-z_]+", ".+")
    marks = [(mark, *rest.split(": ", 1)) for mark, rest in listed("marks")]
    check("every mark and no other, with its state and meaning", told == marks and len(told) > 5,
          set(told) ^ set(marks))


def check_verdicts(page):
    rules = [re.fullmatch(r"tier (\d) +(.*?): (.*)", rest).groups() + (label,)
             for label, rest in listed("verdicts")]
    told = [plain(line) for line in re.findall(r"^ +(\d .+)$", page["VERDICTS"], re.M)]
    lines = [f"{tier} {label} {conditions}" for tier, _, conditions, label in rules]
    check("every rule of the verdicts and no other", told == lines and len(told) > 20,
          set(told) ^ set(lines))
    told = {row[:2] for row in rows_of(page["VERDICTS"], "[a-z-]+", "[a-z -]+?", "[a-z].+")}
    words = {(label, name) for _, name, _, label in rules} | {("-", "null")}
    check("every verdict and no other, on the screen and for programs", told == words,
          told ^ words)


def refused_words(section, beginning, end):
    """The words that a refusal of such a section of the configuration has between two texts."""
    refusal = run("--config", write_file("wrong.conf", section), "--list", "marks").stderr
    found = re.search(f"{re.escape(beginning)}(.*?){re.escape(end)}", refusal)
    return found.group(1).split(", ") if found else []


def check_configuration(page):
    text = page["CONFIGURATION"]
    check_words("every setting", text,
                refused_words("[pmctop]\nno-such-setting = 1\n", "Settings: ", ".\n"))
    sections = refused_words("[no-such-section]\na = b\n", "sections: ", ")")
    told = [tag for tag in entries(text) if tag.startswith("[")]
    check("every section and no other", told == sections and len(told) == 4, sections)
    names = refused_words("[keys]\nquit = no-such-key\n", "F1 to F12, ", ", or one")
    check("every name of a key and no other", len(names) > 10
          and f"F1 to F12, {' '.join(names)}, and any" in plain(text), names)


def check_themes(page):
    check_words("every theme", page["THEMES"], [name for name, _ in listed("themes")])
    names = {name for name, _ in listed("palette")}
    check_words("every key of a theme", page["THEMES"], sorted(names))
    strange = set(re.findall(r"[a-z]+_[a-z]+", page["THEMES"])) - names
    check("no key of a theme that there is not", not strange, strange)


def check_environment(page):
    told = [name for tag in entries(page["ENVIRONMENT"]) for name in tag.split(", ")]
    names = [name for name, _ in listed("variables")]
    check("every variable of the environment and no other", told == names, set(told) ^ set(names))
    told = [tag for tag in entries(page["EXIT STATUS"]) if tag[0].isdigit()]
    text = run("--help").stdout.split("exit status:")[1].split("\nkeys:")[0]
    statuses = sorted(re.findall(r"\d+", text), key=int)
    check("every exit status and no other",
          sorted((tag.split()[0] for tag in told), key=int) == statuses, (told, statuses))


def main():
    try:
        page = read_page(PAGE)
    except Unknown as error:
        check("the page can be read", False, error)
        finish()
    for part in (check_options, check_keys, check_metrics, check_presets, check_marks,
                 check_verdicts, check_configuration, check_themes, check_environment):
        part(page)
    finish()


if __name__ == "__main__":
    main()
