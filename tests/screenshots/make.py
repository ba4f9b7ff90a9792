#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""README's pictures: screens of a simulated machine in use, which test_tui_simulated draws.

    make.py DIRECTORY [NAME...]

With NAME, only these pictures. BUILD is the build directory.
"""
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path[:0] = [HERE, os.path.join(HERE, "..")]
from svg import svg  # noqa: E402
from terminals import BUILD  # noqa: E402

# name: (columns, title)
PICTURES = {
    "tasks": (100, "Tasks and their verdicts"),
    "topdown": (100, "Where the slots of the CPUs went"),
    "waits": (100, "Why a process does not run"),
    "code": (100, "The functions of a process"),
    "add": (100, "Choosing an event"),
    "wide": (200, "200 columns and 50 lines"),
}
CAPTION = "A simulated machine: the fake kernel of pmctop's tests. The figures are invented."


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as screens:
        subprocess.run([os.path.join(BUILD, "tests/unit/screen/test_tui_simulated")], check=True,
                       cwd=ROOT, env=dict(os.environ, PICTURES=screens),
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for name in sys.argv[2:] or PICTURES:
            columns, title = PICTURES[name]
            with open(os.path.join(screens, f"{name}.screen"), encoding="utf-8") as file:
                screen = file.read().rstrip("\n")
            path = os.path.join(sys.argv[1], f"{name}.svg")
            with open(path, "w", encoding="utf-8") as file:
                file.write(svg(screen, columns, f"{title} (simulated machine)", CAPTION))
            print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
