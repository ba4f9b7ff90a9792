#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""core/tables/make_tables.py on small files in the layouts of the vendors
(tests/fixtures/event_tables), compared with tests/golden/event_tables.txt. A file that is not the
pinned one is refused, and so is one with a fault that no override repairs.

Prints TAP.
"""
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from frames import check, finish  # noqa: E402
from golden import check_golden  # noqa: E402

SCRIPT = os.path.join(HERE, "../../core/tables/make_tables.py")
SOURCES = os.path.join(HERE, "../fixtures/event_tables")


def text_of(folder):
    return subprocess.run([sys.executable, "-B", SCRIPT, "--text", "--lists", folder, folder],
                          capture_output=True, text=True, check=False)


made = text_of(SOURCES)
check("the script succeeds, and each override repairs something",
      made.returncode == 0 and not made.stderr, made.stderr)
check_golden("the text of the tables", "event_tables.txt", made.stdout)

with tempfile.TemporaryDirectory() as scratch:
    changed = os.path.join(scratch, "sources")
    shutil.copytree(SOURCES, changed)
    os.truncate(f"{changed}/overrides.tsv", 0)
    made = text_of(changed)
    check("an event that needs its override is refused without it",
          made.returncode != 0 and "needs register 0x3e0" in made.stderr and not made.stdout,
          made.stderr)
    with open(f"{changed}/intel/perfmon/LAB/events/labrador_core.json", "a",
              encoding="utf-8") as file:
        file.write("\n")
    made = text_of(changed)
    check("a file with another sum is refused, by its name",
          made.returncode != 0 and "labrador_core.json" in made.stderr and not made.stdout,
          made.stderr)

finish()
