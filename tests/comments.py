#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts the comments of core/ and tui/ that refer to tasks, threads or callers as to persons.

Prints the count, the number of all comments and the share. Status 1 if the share is above LIMIT_PERCENT.

    tests/comments.py [-v]

-v: also prints the place and the first such word of each comment.
"""
import os
import re
import sys

LIMIT_PERCENT = 1

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
UNWANTED = re.compile(r"\b(?:who|whom|whose|whoever|anyone|nobody|somebody|he|the one that)\b", re.I)
# A comment, or a literal, which may hold the signs of a comment.
TOKEN = re.compile(r"""(?P<comment>/\*.*?\*/|//[^\n]*)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.S)


def c_files():
    for top in ("core", "tui"):
        for folder, _, names in sorted(os.walk(top)):
            yield from (f"{folder}/{name}" for name in sorted(names)
                        if name.endswith((".c", ".h", ".def")))


def comments(source):
    """(line, text) of each comment. Line breaks and the stars at the margin are one space."""
    for token in TOKEN.finditer(source):
        if text := token["comment"]:
            yield source.count("\n", 0, token.start()) + 1, re.sub(r"\s*\n[\s*]*", " ", text)


def main(verbose):
    os.chdir(ROOT)
    total, unwanted = 0, []
    for path in c_files():
        with open(path, encoding="utf-8") as file:
            for line, text in comments(file.read()):
                total += 1
                if words := UNWANTED.search(text):
                    unwanted.append(f"{path}:{line}: {words[0]}")
    if not total:
        sys.exit("comments: no comments found")
    percent = 100 * len(unwanted) / total
    if verbose:
        print("\n".join(unwanted))
    print(f"comments: {len(unwanted)} of {total} ({percent:.1f} %) refer to tasks, threads or callers as "
          f"to persons; limit {LIMIT_PERCENT} %")
    return 1 if percent > LIMIT_PERCENT else 0


if __name__ == "__main__":
    sys.exit(main("-v" in sys.argv[1:]))
