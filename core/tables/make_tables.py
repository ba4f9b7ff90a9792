#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes tables.zst, the vendors' events and metrics, of files that the vendors publish. Repairs those
of Intel and Arm, and runs BUILD/table_lines on them.

    make_tables.py DIR            writes tables.zst beside this script
    make_tables.py --text DIR     prints the text that tables.zst holds
    make_tables.py --pin DIR      also accepts changed files, whose sums it writes to vendor_files.txt

DIR has a folder for each project of vendor_files.txt: DIR/intel/perfmon/mapfile.csv. A file is used if
its sum is the one in vendor_files.txt. README.md beside this script describes the text.

Only facts are taken: names, codes, masks, counters, formulas, units. Sentences are not.
"""
import argparse
import csv
import fnmatch
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(os.environ.get("BUILD", "build"), "table_lines")
INTEL, ARM, AMD = "intel/perfmon", "xinydev/telemetry-solution", "wcohen/libpfm4"

# CPUs that have the numbers of others in mapfile.csv, their pattern, and the file that they have
# instead of one of theirs. Xeon Max has memory in the package.
UNMAPPED = (("GenuineIntel-6-8F", "GenuineIntel-6-8F-?-HBM", "SPR/metrics/sapphirerapids_metrics.json",
             "SPR/metrics/sapphirerapidshbm_metrics.json"),)
SENTENCES = {"BriefDescription", "PublicDescription", "title", "description"}


class Sources:
    """The pinned files: vendor_files.txt."""

    def __init__(self, folder, lists, pin):
        self.folder, self.list, self.pin = folder, f"{lists}/vendor_files.txt", pin
        self.projects, self.sums, self.comments = {}, {}, []
        project = None
        with open(self.list, encoding="utf-8") as file:
            for line in file.read().splitlines():
                if line.startswith("#") or not line:
                    self.comments.append(line)
                elif "  " in line:
                    total, path = line.split("  ")
                    self.sums[project, path] = total
                else:
                    project, commit, date = line.split()
                    self.projects[project] = commit, date

    def read(self, project, path):
        with open(f"{self.folder}/{project}/{path}", "rb") as file:
            content = file.read()
        total = hashlib.sha256(content).hexdigest()
        if self.pin:
            self.sums[project, path] = total
        elif self.sums.get((project, path)) != total:
            sys.exit(f"{project}/{path}: its sum is not the one in vendor_files.txt (--pin accepts it)")
        return content.decode("utf-8-sig")

    def paths(self, project, pattern):
        if not self.pin:
            return sorted(path for of, path in self.sums
                          if of == project and fnmatch.fnmatch(path, pattern))
        folder = os.path.join(self.folder, project, os.path.dirname(pattern))
        return sorted(os.path.join(os.path.dirname(pattern), name) for name in os.listdir(folder)
                      if fnmatch.fnmatch(name, os.path.basename(pattern))
                      and not os.path.islink(os.path.join(folder, name)))

    def write(self):
        with open(self.list, "w", encoding="utf-8") as file:
            file.write("\n".join(self.comments) + "\n")
            for project, (commit, date) in self.projects.items():
                file.write(f"{project} {commit} {date}\n")
                for (of, path), total in sorted(self.sums.items()):
                    if of == project:
                        file.write(f"{total}  {path}\n")


class Overrides:
    """What a vendor has wrong: overrides.tsv."""

    def __init__(self, lists):
        self.rows = []
        with open(f"{lists}/overrides.tsv", encoding="utf-8") as file:
            for line in file.read().splitlines():
                if line and not line.startswith("#"):
                    *row, _ = line.split("\t")
                    self.rows.append([*row, 0])

    def repaired(self, path, name, entry):
        """The entry with its repairs and without sentences, or None if it is to be left out."""
        entry = {key: value for key, value in entry.items() if key not in SENTENCES}
        for row in self.rows:
            paths, names, key, wrong, right, _ = row
            if not fnmatch.fnmatchcase(path, paths) or not fnmatch.fnmatchcase(name, names):
                continue
            old = str(entry.get(key, ""))
            if not re.search(wrong, old):
                continue
            row[-1] += 1
            if right == "-":
                return None
            entry = {**entry, key: re.sub(wrong, right, old)}
        return entry

    def unused(self):
        return [row for row in self.rows if not row[-1]]


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(content, file, indent=0)


def text_of(place, cpu):
    """The lines that the program makes of repaired files, in which it may find no fault."""
    made = subprocess.run([PROGRAM, place, cpu], capture_output=True, text=True, check=False)
    if made.returncode:
        sys.exit(f"{PROGRAM} {place} {cpu}: {made.stderr}")
    return made.stdout


## Intel

def with_latencies(metric, latencies):
    """Typical latencies are constants, marked by ~."""
    events, constants = [], list(metric["Constants"])
    for event in metric["Events"]:
        name, latency, _ = event["Name"].partition(":retire_latency")
        if latency and name in latencies:
            constants.append({"Alias": event["Alias"], "Name": f"~{latencies[name]['MEAN']:g}"})
        else:
            events.append(event)
    return {**metric, "Events": events, "Constants": constants}


def repaired_file(path, content, latencies, overrides):
    for section, name in (("Events", "EventName"), ("Metrics", "MetricName")):
        if section in content:
            entries = (overrides.repaired(path, entry[name], entry) for entry in content[section])
            content[section] = [entry for entry in entries if entry]
    content["Metrics"] = [with_latencies(one, latencies) for one in content.get("Metrics", ())]
    return content


def intel_cpus(sources, overrides):
    """Yields (patterns, text)."""
    models = {}
    for row in csv.DictReader(sources.read(INTEL, "mapfile.csv").splitlines()):
        if row["EventType"] in ("core", "hybridcore", "uncore", "uncore experimental", "metrics",
                                "retire latency"):
            models.setdefault(row["Family-model"], []).append(
                (row["Filename"][1:], row["EventType"], row["Core Role Name"]))
    for model, pattern, file, instead in UNMAPPED:
        if model in models:  # the first pattern that matches is used
            models = {pattern: [(instead if path == file else path, kind, role)
                                for path, kind, role in models[model]], **models}
    sets = {}
    for model, files in models.items():
        sets.setdefault(tuple(files), []).append(model)
    for files, ids in sets.items():
        latencies = {name: value for path, kind, _ in files if kind == "retire latency"
                     for name, value in json.loads(sources.read(INTEL, path))["Data"].items()}
        with tempfile.TemporaryDirectory() as folder:
            for path, kind, _ in files:
                if kind != "retire latency":
                    content = json.loads(sources.read(INTEL, path))
                    write(f"{folder}/{path}", repaired_file(path, content, latencies, overrides))
            with open(f"{folder}/mapfile.csv", "w", encoding="utf-8") as file:
                csv.writer(file).writerows([
                    ("Family-model", "Filename", "EventType", "Core Role Name"),
                    *(("GenuineIntel-0", *row) for row in files)])
            yield ids, text_of(folder, "GenuineIntel-0")


## Arm

def arm_cpus(sources, overrides):
    found = []
    for path in sources.paths(ARM, "data/pmu/cpu/neoverse/*.json"):
        content = json.loads(sources.read(ARM, path))
        product = content["product_configuration"]
        part = f"ARM-{int(product['implementer'], 0):X}-{int(product['part_num'], 0):X}"
        found.append((part, int(product["major_revision"]), int(product["minor_revision"]),
                      path, content))
    found.sort(key=lambda one: one[:3])
    for i, (part, major, minor, path, content) in enumerate(found):
        # An older revision has a file of its own; the last file is for all others.
        newer = i + 1 < len(found) and found[i + 1][0] == part
        for section in ("events", "metrics"):
            content[section] = {name: overrides.repaired(path, name, entry)
                                for name, entry in content[section].items()}
        with tempfile.TemporaryDirectory() as folder:
            write(f"{folder}/cpu.json", content)
            yield ([f"{part}-{major}-[0-{minor}]" if newer else part],
                   text_of(f"{folder}/cpu.json", f"{part}-{major}-{minor}"))


## AMD

def c_tables(text, kind):
    """{name of the table: [{member: text}]} of the tables of that type in a header."""
    found = {}
    for name, body in re.findall(r"const %s (\w+)\[\]\s*=\s*\{(.*?)\n\};" % kind, text, re.S):
        found[name] = [
            {key: first or other.strip() for key, first, other in re.findall(
                r'\.(\w+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^,}]+))', entry)}
            for entry in re.findall(r"\{\s*(\.u?name.*?)\n  \}", body, re.S)]
    return found


def amd_events(text):
    """Yields the lines: each event with its default masks, and with each mask."""
    masks = c_tables(text, "amd64_umask_t")
    for entries in c_tables(text, "amd64_entry_t").values():
        for entry in entries:
            own = masks.get(entry.get("umasks"), [])
            defaults = {mask.get("grpid", "0"): int(mask["ucode"], 0) for mask in own
                        if "AMD64_FL_DFL" in mask.get("uflags", "")}
            groups = {mask.get("grpid", "0") for mask in own}
            code = int(entry["code"], 0)
            choices = [(entry["name"], sum(defaults.values()))] if groups <= set(defaults) else []
            for mask in own:
                group = mask.get("grpid", "0")
                if groups <= set(defaults) | {group}:
                    choices.append((f"{entry['name']}.{mask['uname']}", int(mask["ucode"], 0) | sum(
                        value for other, value in defaults.items() if other != group)))
            for name, mask in choices:
                yield f"{name}\tevent={code:#x}" + (f",umask={mask:#x}" if mask else "")


def amd_cpus(sources, _overrides):
    core = amd_events(sources.read(AMD, "lib/events/amd64_events_fam1ah_zen5.h"))
    cache = amd_events(sources.read(AMD, "lib/events/amd64_events_fam1ah_zen5_l3.h"))
    # Models 00-2f, 40-4f and 60-7f: bsp_init_amd() of Linux. The others of the family are newer.
    ids = [f"AuthenticAMD-26-{models}" for models in ("?", "[12]?", "4?", "[67]?")]
    yield ids, "\n".join([f"zen5\tlibpfm4\t{sources.projects[AMD][1]}",
                          "@cpu", *core, "@amd_l3", *cache])


def sorted_lines(lines):
    """The lines by PMU: the first event of each name, sorted, and then the metrics."""
    events, metrics, pmu = {}, {}, None
    for line in lines:
        if line.startswith("@"):
            pmu = line
        elif line.startswith("+"):
            metrics.setdefault(pmu, []).append(line)
        else:
            events.setdefault(pmu, {}).setdefault(line.split("\t")[0], line)
    for pmu in sorted(events):
        yield from (pmu, *sorted(events[pmu].values()), *metrics.get(pmu, ()))


def table_text(sources, overrides):
    lines = ["pmctop-event-tables 1"]
    for cpus in (intel_cpus, arm_cpus, amd_cpus):
        for ids, text in cpus(sources, overrides):
            origin, *found = text.splitlines()
            lines += ["\t".join([f"={origin}", *ids]), *sorted_lines(found)]
    text = "\n".join(lines) + "\n"
    bad = re.search(r"[^\n\t -~]", text)
    if bad:
        sys.exit(f"not ASCII: {text[max(0, bad.start() - 60):bad.end() + 20]!r}")
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--text", action="store_true")
    parser.add_argument("--pin", action="store_true")
    parser.add_argument("--lists", default=HERE,
                        help="the folder of vendor_files.txt, overrides.tsv and tables.zst")
    arguments = parser.parse_args()
    sources = Sources(arguments.folder, arguments.lists, arguments.pin)
    overrides = Overrides(arguments.lists)
    text = table_text(sources, overrides)
    for row in overrides.unused():
        print(f"overrides.tsv: nothing to repair: {row[:3]}", file=sys.stderr)
    if arguments.text:
        sys.stdout.write(text)
        return
    if arguments.pin:
        sources.write()
    content = text.encode()
    # The reader wants the size in the frame.
    subprocess.run(["zstd", "-q", "-f", "--ultra", "-22", f"--stream-size={len(content)}",
                    "-o", f"{arguments.lists}/tables.zst"], input=content, check=True)


if __name__ == "__main__":
    main()
