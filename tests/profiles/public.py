#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Obtains the public recordings of public.tsv into build/profiles/public/.

    tests/profiles/public.py [--mirrors DIR] [--out DIR] [PATTERN...]

A file is read from raw.githubusercontent.com, or with --mirrors (or PROFILE_MIRRORS) from clones in
DIR/OWNER+NAME, DIR/OWNER+NAME/repo or DIR/OWNER/NAME. It is unpacked, and kept if its checksum is
in the list. What is there already is not read again. PATTERN selects by a part of
REPOSITORY/PATH. Exit status 1: some file is missing.
"""
import argparse
import csv
import gzip
import hashlib
import os
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
LIST = os.path.join(HERE, "public.tsv")
OUT = os.path.join(HERE, "../../build/profiles/public")
RAW = "https://raw.githubusercontent.com"
PATIENCE_S = 60

UNPACK = {
    "-": bytes,
    "gzip": gzip.decompress,
    "zlib4": lambda data: zlib.decompress(data[4:]),  # Qt's: the size stands before the stream
}


def entries():
    with open(LIST, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def local_name(entry):
    """OWNER+NAME+first digits of the checksum+the last part of the path, without spaces."""
    base = os.path.basename(entry["path"]).replace(" ", "_")
    return f"{entry['repository'].replace('/', '+')}+{entry['sha256'][:8]}+{base}"


def git_directory(mirrors, repository):
    owner, name = repository.split("/")
    for folder in (f"{owner}+{name}/repo", f"{owner}+{name}", f"{owner}/{name}"):
        for path in (os.path.join(mirrors, folder, ".git"), os.path.join(mirrors, folder)):
            if os.path.exists(os.path.join(path, "HEAD")):
                return path
    return None


def read_mirror(mirrors, entry):
    git = git_directory(mirrors, entry["repository"])
    if not git:
        raise OSError("no clone of this repository")
    done = subprocess.run(["git", "-c", "safe.directory=*", "--git-dir", git, "cat-file", "blob",
                           f"{entry['commit']}:{entry['path']}"], capture_output=True, check=False)
    if done.returncode:
        raise OSError(done.stderr.decode(errors="replace").strip())
    return done.stdout


def read_web(entry):
    path = urllib.parse.quote(f"/{entry['repository']}/{entry['commit']}/{entry['path']}")
    with urllib.request.urlopen(RAW + path, timeout=PATIENCE_S) as answer:
        return answer.read()


def checksum_of(data):
    return hashlib.sha256(data).hexdigest()


def obtain(entry, out, mirrors):
    path = os.path.join(out, local_name(entry))
    if os.path.exists(path):
        with open(path, "rb") as file:
            if checksum_of(file.read()) == entry["sha256"]:
                return path
    data = read_mirror(mirrors, entry) if mirrors else read_web(entry)
    data = UNPACK[entry["packed"]](data)
    if checksum_of(data) != entry["sha256"]:
        raise OSError("another checksum")
    with open(path + ".new", "wb") as file:
        file.write(data)
    os.replace(path + ".new", path)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--mirrors", default=os.environ.get("PROFILE_MIRRORS"))
    parser.add_argument("--out", default=OUT)
    parser.add_argument("pattern", nargs="*")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    wanted = [entry for entry in entries()
              if not args.pattern
              or any(part in f"{entry['repository']}/{entry['path']}" for part in args.pattern)]
    missing = 0
    for entry in wanted:
        try:
            obtain(entry, args.out, args.mirrors)
        except (OSError, EOFError, zlib.error, urllib.error.URLError) as why:
            missing += 1
            print(f"{entry['repository']}/{entry['path']}: {why}", file=sys.stderr)
    print(f"{len(wanted) - missing} of {len(wanted)} files of "
          f"{len({entry['repository'] for entry in wanted})} repositories in "
          f"{os.path.relpath(args.out)}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
