#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the order of the rooms, the folders of core/ and tui/.

core/README.md and tui/README.md list the rooms. A room may include itself and the rooms above it,
so no two rooms include each other. core/ includes nothing of tui/. Each room is listed and has a
README.md and C files. No C file is outside a room. The files in a room's README exist. Includes in
quotes are paths from the root of the source.

Prints each fault. Status 1 if there is one.
"""
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
LISTED = re.compile(r"^\| \[`(\w+)/`\]\(\1/README\.md\) \|", re.M)
NAMED = re.compile(r"`([a-z0-9_/]+\.(?:c|h|def|py))`")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


def listed_rooms():
    """The paths of the rooms of core and tui, in the order of the lists."""
    found = []
    for top in ("core", "tui"):
        with open(f"{top}/README.md", encoding="utf-8") as file:
            found += [f"{top}/{name}" for name in LISTED.findall(file.read())]
    return found


def c_files():
    """{folder: [path]} of core and tui."""
    found = {}
    for top in ("core", "tui"):
        for folder, _, names in os.walk(top):
            if files := sorted(f"{folder}/{name}" for name in names
                               if name.endswith((".c", ".h", ".def"))):
                found[folder] = files
    return found


def faults_of_folders(rooms, files):
    for folder in sorted(set(files) - set(rooms)):
        yield f"{folder}/ has C files but is not in the list of {folder.split('/')[0]}/README.md"
    for room in rooms:
        if room not in files:
            yield f"{room}/ is listed as a room but has no C files"
        elif not os.path.exists(f"{room}/README.md"):
            yield f"{room}/ has no README.md"


def faults_of_includes(path, room, rooms):
    with open(path, encoding="utf-8") as file:
        included = INCLUDE.findall(file.read())
    for name in included:
        theirs = os.path.dirname(name)
        if not os.path.exists(name):
            yield f'{path}: "{name}" is not a path from the root of the source'
        elif theirs in rooms and rooms.index(theirs) > rooms.index(room):
            yield f"{path} includes {name}, but {theirs}/ is below {room}/"


def faults_of_readme(path, names):
    with open(path, encoding="utf-8") as file:
        named = NAMED.findall(file.read())
    for name in named:
        if os.path.basename(name) not in names:
            yield f"{path} names {name}, which does not exist"


def main():
    os.chdir(ROOT)
    rooms, files = listed_rooms(), c_files()
    faults = list(faults_of_folders(rooms, files))
    for room in rooms:
        for path in files.get(room, []):
            faults += faults_of_includes(path, room, rooms)
    names = {name for top in ("core", "tui", "tests") for _, _, files_there in os.walk(top)
             for name in files_there}
    for readme in ["core/README.md", "tui/README.md", *(f"{room}/README.md" for room in rooms)]:
        if os.path.exists(readme):
            faults += faults_of_readme(readme, names)
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults or not rooms else 0


if __name__ == "__main__":
    sys.exit(main())
