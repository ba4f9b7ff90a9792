#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The notes and notices of core/ and tui/, as the sources have them, with usual arguments: each fits
into two lines of 80 columns, as a notice has them, beside the number of further notes.

A note of one line leaves room for that number, else it would be cut when a second note comes.

Prints TAP.
"""
import glob
import os
import re
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(HERE, ".."))
from frames import check, finish  # noqa: E402

WIDTH, MORE = 80, len(" (+9 more: L)")

# What adds a note or shows a notice. Errors of these rooms become one of both.
CALL = re.compile(r"\b(?:notes_add\w*|messages_show\w*)\s*\(")
ERROR = re.compile(r"\berror_set\s*\(")
ERROR_ROOMS = ("perf", "collect", "engine", "metric")
TABLES = ("tui/screen/action_blocked.c",)  # all literals of these files are notices
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')

# Arguments by their conversion.
USUAL = {"s": "LLC-load-misses", "d": "3", "u": "1024", "zu": "1024", "llu": "123456", "ld": "2",
         ".0f": "50", ".1f": "12.3", ".3g": "3", "+d": "+10", ".160s": "0-3,64-127",
         ".120s": "/home/user/.config/pmctop.conf", ".80s": "/home/user/run.data"}
CONVERSION = re.compile(r"%([-+0-9.]*(?:ll|l|z)?[a-z])")
OF_TEXT = {  # formats with a sentence as argument
    "For the kernel: %s": "sudo sysctl kernel.perf_event_paranoid=1",
    "For it: %s": "sudo sysctl kernel.perf_event_paranoid=1",
    "To count: %s": "sudo /usr/local/src/pmctop/build/pmctop",
    "All: %s": "sudo /usr/local/src/pmctop/build/pmctop",
    "not sampled: %s": "no file descriptor is left. Raise the limit: ulimit -n",
    "on some CPUs. %s": "The counters are held by another program.",
    "counts whole CPUs. %s": "perf_event_paranoid=2 allows only your own tasks. All: sudo pmctop",
    "refuses the others (%s)": "Permission denied",
    "%s cannot be read: its": "/proc/stat",
    "%s: %u instead": "Sampling costs too much",
}
# Formats of words, and a sentence of theirs.
WHOLE = {"Sorted by %s": "Sorted by TIME+, tasks that ran (i: all). Column added (E: remove).",
         "%s%s. Counts are": "123456 samples of cycles in 12.3 s, by perf 6.12.90. Counts are estimates "
                             "(~), run times unknown. Not every context switch was recorded."}



def arguments(source, start):
    """The text of a call's arguments, from behind its parenthesis on."""
    depth, at = 1, start
    while depth:
        if source[at] == '"':
            at = LITERAL.match(source, at).end()
            continue
        depth += {"(": 1, ")": -1}.get(source[at], 0)
        at += 1
    return source[start:at - 1]


def formats(path):
    """The formats of the notes of a source file."""
    with open(path, encoding="utf-8") as file:
        source = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    calls = list(CALL.finditer(source))
    if path.split("/")[1] in ERROR_ROOMS:
        calls += ERROR.finditer(source)
    texts = [arguments(source, call.end()) for call in calls]
    if path in TABLES:
        texts.append(source[source.index("static"):])
    for text in texts:
        for run in re.findall(r'(?:"(?:[^"\\]|\\.)*"\s*)+', text):
            sentence = "".join(LITERAL.findall(run)).replace('\\"', '"')
            if " " in sentence.strip():
                yield sentence


def with_arguments(sentence):
    for start, text in WHOLE.items():
        if sentence.startswith(start):
            return text
    for place, text in OF_TEXT.items():
        sentence = sentence.replace(place, place.replace("%s", text, 1))
    return CONVERSION.sub(lambda found: USUAL.get(found[1], USUAL.get(found[1][-1], "")),
                          sentence).replace("%%", "%")


def first_line(text, width):
    """As text_first_line() of core/base/text.h."""
    end = 0
    for word in re.finditer(r"\s*\S+", text):
        if end and word.end() > width:
            break
        end = word.end()
    return end


def is_whole(note):
    if len(note) + MORE <= WIDTH:
        return True
    return len(note[first_line(note, WIDTH):].lstrip()) + MORE <= WIDTH


def main():
    os.chdir(ROOT)
    found, cut, moving = 0, [], []
    for path in sorted(glob.glob("core/**/*.c", recursive=True) + glob.glob("tui/**/*.c", recursive=True)):
        for sentence in formats(path):
            note = with_arguments(sentence)
            found += 1
            if not is_whole(note):
                cut.append((path, len(note), note))
            if "%" not in sentence and WIDTH - MORE < len(note) <= WIDTH:
                moving.append((path, len(note), note))
    check("the sources have notes", found > 150, found)
    check("each note is whole at 80 columns", not cut, cut)
    check("a note of one line has room for the number of others", not moving, moving)
    finish()


if __name__ == "__main__":
    main()
