#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The man pages compared with the program: with what --help, --list and refusals print. An entry of
the pages that the program does not have fails too.

Prints TAP. BUILD is the build directory.
"""
import os
import re
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from frames import check, finish  # noqa: E402
from mdoc import (METRICS_PAGE, PAGE, REMOTE_PAGE, Unknown, check_words, entries, plain,  # noqa: E402
                  read_page)
from pmctop import WORD_OPTIONS, listed, options, run, words_of, write_file  # noqa: E402


def check_options(page):
    spelled = {name: ", ".join(f"{flag} {argument}".strip()
                               for flag in (letter and f"-{letter}", f"--{name}") if flag)
               for letter, name, argument, _ in options()}
    described = entries(page["OPTIONS"])
    check("all options, as in --help and in its order",
          len(spelled) > 30 and list(described)[1:] == list(spelled.values()), list(described))
    empty = [tag for tag, text in list(described.items())[1:] if not text]
    check("a paragraph of each option", not empty, empty)
    for name in WORD_OPTIONS:
        check_words(f"all words of --{name}", described.get(spelled[name], ""), words_of(name))
    code = described.get("--code", "")
    check("the rate of --code is that of --frequency", "--frequency" in code and "199" not in code,
          code)


def check_named_options(pages):
    named = {name for page in pages for part in page.values()
             for name in re.findall(r"(?<!\S)--([a-z][a-z-]+)", part)}
    strange = named - {name for _, name, _, _ in options()}
    check("no unknown option", named and not strange, strange)


def check_title(page):
    words = {word for word in ("first", "short", "this one")
             if not re.search(rf"{word} \d+\.\d+s", page["SCREENS"])}
    check("what the title has of an interval", not words, words)


def check_keys(page):
    described, names = entries(page["KEYS"]), []
    for name, rest in listed("keys"):
        keys, does = rest.split(": ", 1)
        names.append(f"{keys} ({name})")
        sentence = f"{does[0].upper()}{does[1:].rstrip('.')}."
        check(f"the key of {name}", described.get(names[-1], "").startswith(sentence), names[-1])
    strange = [tag for tag in described if re.search(r" \([a-z-]+\)$", tag) and tag not in names]
    check("no unknown key", len(names) > 50 and not strange, strange)


def formulas():
    """{name: [(title, CPUs, title on these, formula)]}"""
    found = {}
    for name, rest in listed("formulas"):
        title, *form = re.fullmatch(r"(\S+) +([^:(]+?)(?: \(as (\S+)\))?: (.+)", rest).groups()
        found.setdefault(name, []).append((title, *form))
    return found


def metrics():
    """The fields of each metric in --list metrics and formulas that any machine has."""
    forms = formulas()
    for name, rest in listed("metrics"):
        text, unit, warn, bad, used = re.fullmatch(
            r"(?:ok|n/a|denied) +\w+ +\S+: (.+?)(?: \((\S+)\))?(?:; warn (\S+), bad (\S+))?"
            r"(?: = (.+))?", rest).groups()
        yield {"name": name, "help": text, "unit": unit or "", "levels": warn and (warn, bad),
               "used": used, "title": forms[name][0][0],
               "forms": [form[1:] for form in forms[name]]}


def metric_entry(metric, short):
    """The text that the page must have for a metric."""
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
             re.findall(r"^ {5}([A-Z0-9_]+) = (.*(?:\n {9,}.*)*)$", page["METRICS"], re.M)]
    for metric in metrics():
        names.append(metric["name"])
        entry = metric_entry(metric, short)
        check(f"{metric['name']}: title, meaning, thresholds, all formulas", entry in text, entry)
        check(f"{metric['name']}: the formula of this CPU is one of them", metric["used"] in
              (None, *(form[2] for form in metric["forms"])), metric["used"])
    check("all metrics have formulas", list(formulas()) == names, names)
    described = re.findall(r"^ {5}([a-z_0-9]+) \(\S+\)", page["METRICS"], re.M)
    check("no unknown metric", described == names, set(described) ^ set(names))


def check_presets(page):
    text = plain(page["PRESETS"])
    for name, rest in listed("presets"):
        check(f"the preset {name}", f"{name} {rest.split(None, 1)[1]}" in text, rest)


def check_events(page):
    described = {tag: text.rstrip(".") for tag, text in entries(page["GENERIC EVENTS"]).items()
                 if not tag.startswith("These")}
    events = {name: rest.split(None, 2)[2] for name, rest in listed("events")}
    wrong = {name for name, text in described.items() if events.get(name) != text}
    check("the generic events, with their meanings", len(described) > 30 and not wrong, wrong)
    missing = {name for name, rest in listed("events")
               if rest.split()[1] in ("hardware", "software")} - set(described)
    check("all generic events", not missing, missing)


def rows_of(section, *columns):
    """The rows of a table with cells that match the columns' expressions."""
    return re.findall("^ {5}" + " {2,}".join(f"({column})" for column in columns) + "$",
                      section, re.M)


def check_marks(page):
    described = rows_of(page["MARKS"], r"\S+", "[a-z_]+", ".+")
    marks = [(mark, *rest.split(": ", 1)) for mark, rest in listed("marks")]
    check("all marks and no other, with their state and meaning",
          described == marks and len(described) > 5, set(described) ^ set(marks))


def check_verdicts(page):
    rules = [re.fullmatch(r"tier (\d+) +(.*?): (.*)", rest).groups() + (label,)
             for label, rest in listed("verdicts")]
    text = re.sub(r"\n {18}(?=\S)", " ", page["VERDICTS"])
    described = [plain(line) for line in re.findall(r"^ +(\d+ .+)$", text, re.M)]
    lines = [f"{tier} {label} {conditions}" for tier, _, conditions, label in rules]
    check("all rules of the verdicts and no other", described == lines and len(described) > 20,
          set(described) ^ set(lines))
    described = {row[:2] for row in rows_of(page["VERDICTS"], "[a-z?-]+", "[a-z -]+?", "[a-z].+")}
    words = {(label, name) for _, name, _, label in rules if label != "blank"}
    words |= {("blank", "null"), ("?", "null"), ("steal", "steal")}  # the last one of the machine
    check("all verdicts and no other, on the screen and for programs", described == words,
          described ^ words)


def refused_words(section, beginning, end):
    """The words between two texts in the message about a wrong configuration."""
    refusal = run("--config", write_file("wrong.conf", section), "--list", "marks").stderr
    found = re.search(f"{re.escape(beginning)}(.*?){re.escape(end)}", refusal)
    return found.group(1).split(", ") if found else []


def check_configuration(page):
    text = page["CONFIGURATION"]
    check_words("all settings", text,
                refused_words("[pmctop]\nno-such-setting = 1\n", "Settings: ", ".\n"))
    sections = refused_words("[no-such-section]\na = b\n", "sections: ", ")")
    described = [tag for tag in entries(text) if tag.startswith("[")]
    check("all sections and no other", described == sections and len(described) == 4, sections)
    names = refused_words("[keys]\nquit = no-such-key\n", "F1 to F12, ", ", or one")
    check("all names of keys and no other", len(names) > 10
          and f"F1 to F12, {' '.join(names)}, and any" in plain(text), names)


def check_themes(page):
    check_words("all themes", page["THEMES"], [name for name, _ in listed("themes")])
    names = {name for name, _ in listed("palette")}
    check_words("all keys of a theme", page["THEMES"], sorted(names))
    strange = set(re.findall(r"[a-z]+_[a-z]+", page["THEMES"])) - names
    check("no unknown key of a theme", not strange, strange)
    keys = {name: rest.split(":")[0].split() for name, rest in listed("keys")}
    way = keys["theme"] if keys["theme"][0] != "no" else keys["setup"]
    named = re.findall(r"(?<!\S)(F\d+|\S)(?= (?:has|shows|chooses)\b)", plain(page["THEMES"]))
    check("THEMES names the key that leads to the themes, and no other",
          named and set(named) <= set(way), (named, way))


def check_environment(page):
    described = [name for tag in entries(page["ENVIRONMENT"]) for name in tag.split(", ")]
    names = [name for name, _ in listed("variables")]
    check("all variables of the environment and no other", described == names,
          set(described) ^ set(names))
    described = [tag for tag in entries(page["EXIT STATUS"]) if tag[0].isdigit()]
    text = run("--help").stdout.split("exit status:")[1].split("\nkeys:")[0]
    statuses = sorted(re.findall(r"\d+", text), key=int)
    check("all exit statuses and no other",
          sorted((tag.split()[0] for tag in described), key=int) == statuses, (described, statuses))


def main():
    try:
        page, metrics_page, remote_page = map(read_page, (PAGE, METRICS_PAGE, REMOTE_PAGE))
    except Unknown as error:
        check("the pages can be read", False, error)
        finish()
    for part in (check_options, check_title, check_keys, check_marks, check_verdicts,
                 check_configuration, check_themes, check_environment):
        part(page)
    for part in (check_metrics, check_presets, check_events):
        part(metrics_page)
    check_named_options((page, metrics_page, remote_page))
    finish()


if __name__ == "__main__":
    main()
