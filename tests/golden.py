# SPDX-License-Identifier: MIT
"""Compares texts with files of tests/golden, as golden.h does for tests in C."""
import difflib
import os

from frames import check

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden")


def check_golden(name, file_name, text):
    """Checks that the text is the content of the file, and prints the difference as TAP comments. With
    GOLDEN_UPDATE=1 in the environment it writes the file first: read the diff."""
    path = os.path.join(GOLDEN, file_name)
    if os.environ.get("GOLDEN_UPDATE"):
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
    try:
        with open(path, encoding="utf-8", newline="") as file:
            wanted = file.read()
    except FileNotFoundError:
        check(name, False, f"{path} is missing: GOLDEN_UPDATE=1 writes it")
        return
    check(name, text == wanted, f"differs from tests/golden/{file_name}:")
    for line in difflib.unified_diff(wanted.split("\n"), text.split("\n"), "golden", "printed",
                                     lineterm=""):
        print(f"# {line}", flush=True)


def folded(json_lines):
    """JSON with a line break behind each object that is followed by another value."""
    return json_lines.replace("},", "},\n")
