#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes tables.zst, the vendors' events and metrics, of files that the vendors publish.

    make_tables.py DIR            writes tables.zst beside this script
    make_tables.py --text DIR     prints the text that tables.zst holds
    make_tables.py --pin DIR      also accepts changed files, whose sums it writes to sources.txt

DIR has a folder for each project of sources.txt: DIR/intel/perfmon/mapfile.csv. A file is used if
its sum is the one in sources.txt. README.md beside this script describes the text.

Only facts are taken: names, codes, masks, counters, formulas, units. Sentences are not.
"""
import argparse
import csv
import datetime
import fnmatch
import hashlib
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
INTEL, ARM, AMD = "intel/perfmon", "xinydev/telemetry-solution", "wcohen/libpfm4"

# The vendor's units whose PMU in Linux is not "uncore_" and the unit.
UNITS = {"cbo": "cbox", "hac_cbo": "hac_cbox", "sbo": "sbox", "qpi ll": "qpi", "upi ll": "upi",
         "imc_dclk": "imc"}
ROLES = {"": "cpu", "Core": "cpu_core", "Atom": "cpu_atom", "LowPower_Atom": "cpu_lowpower"}
# The registers beside the counters, and the terms of Linux for them.
REGISTERS = {0x1A6: "offcore_rsp", 0x1A7: "offcore_rsp", 0x3F6: "ldlat", 0x3F7: "frontend"}
# Linux counts these on their fixed counters by the codes of the general counters.
FIXED = {"INST_RETIRED.ANY": "event=0xc0", "CPU_CLK_UNHALTED.THREAD": "event=0x3c",
         "CPU_CLK_UNHALTED.CORE": "event=0x3c", "CPU_CLK_UNHALTED.THREAD_ANY": "event=0x3c,any=1"}
EXTENDED = 1 << 21  # a bit of the control register, for which not every PMU in Linux has a term
# CPUs that have the numbers of others in mapfile.csv, their pattern, and the file that they have
# instead of one of theirs. Xeon Max has memory in the package.
UNMAPPED = (("GenuineIntel-6-8F", "GenuineIntel-6-8F-?-HBM", "SPR/metrics/sapphirerapids_metrics.json",
             "SPR/metrics/sapphirerapidshbm_metrics.json"),)
LONGEST_FORMULA = 1400  # of longer ones the form that names other metrics is kept


class Sources:
    """The pinned files: sources.txt."""

    def __init__(self, folder, lists, pin):
        self.folder, self.list, self.pin = folder, f"{lists}/sources.txt", pin
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
            sys.exit(f"{project}/{path}: its sum is not the one in sources.txt (--pin accepts it)")
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
        """The entry with its repairs, or None if it is to be left out."""
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


def number(text):
    """0XB7, "0xB7, 0xBB" (the first of several registers or codes), "0x10 "."""
    return int(text.split(",")[0].strip(), 0)


def counters(text):
    """The mask of "0,1,2,3" or "Fixed counter 0", which is bit 32; 0: one fixed counter."""
    text = text.strip().lower()
    if text == "fixed":
        return 0
    if text.startswith("fixed counter "):
        return 1 << 32 + int(text.split()[-1])
    return sum(1 << int(counter) for counter in text.split(","))


def flags_of(entry):
    def has(key):
        return entry.get(key, "0") not in ("0", "NA")
    return "".join(letter for letter, keys in (
        ("a", ("TakenAlone",)), ("d", ("Data_LA",)), ("o", ("Deprecated",)),
        ("p", ("PEBS", "Precise"))) if any(map(has, keys)))


def line_of(*fields):
    return "\t".join(str(field) for field in fields).rstrip("\t")


## Intel

def intel_core_terms(entry):
    name = entry["EventName"]
    if name in FIXED:
        return FIXED[name]
    terms = [f"event={number(entry['EventCode']):#x}"]
    for key, term in (("UMask", "umask"), ("CounterMask", "cmask"), ("Invert", "inv"),
                      ("EdgeDetect", "edge"), ("AnyThread", "any")):
        if value := number(entry.get(key, "0")):
            terms.append(f"{term}={value:#x}")
    if index := number(entry.get("MSRIndex", "0")):
        terms.append(f"{REGISTERS[index]}={number(entry['MSRValue']):#x}")
    return ",".join(terms)


def free_running_code(name):
    """The code of a counter that always runs: its type and index, as Linux numbers them."""
    if "CLOCKTICKS" in name or "TOTAL" in name:
        return 0x10
    if part := re.search(r"BANDWIDTH_(IN|OUT)\.PART(\d+)", name):
        return (0x20 if part[1] == "IN" else 0x30) | int(part[2])
    return {"RDCAS": 0x20, "WRCAS": 0x30}[re.search("RDCAS|WRCAS", name)[0]]


def intel_uncore(entry):
    """The PMU and the terms."""
    name, unit = entry["EventName"], entry["Unit"].lower()
    filters = entry.get("Filter", "")
    unit = f"uncore_{UNITS.get(unit, unit)}"
    if entry.get("CounterType") == "FREERUN":
        unit += "_free_running"
        if controller := re.search(r"_MC(\d)_", name):
            unit += f"_{controller[1]}"
        return unit, f"event=0xff,umask={free_running_code(name):#x}"
    if entry["Counter"].strip().lower() == "fixed":
        return unit, "event=0xff"
    terms = [f"event={number(entry['EventCode']):#x}"]
    mask = number(entry["UMask"])
    port, flow = number(entry.get("PortMask", "0")), number(entry.get("FCMask", "0"))
    extension = number(entry.get("UMaskExt", "0"))
    if not port and not flow and entry["Unit"] == "IIO":
        port, flow = extension >> 4 & 0xFFF, extension >> 16 & 7
    elif not port and not flow:
        mask |= extension << 8
    config = EXTENDED if entry.get("ExtSel") == "1" else 0
    if entry["Unit"] == "PCU":  # not every one has the term umask
        config, mask = config | mask << 8, 0
    for value, term in ((config, "config"), (mask, "umask"),
                        (number(entry.get("CounterMask", "0")), "cmask"),
                        (number(entry.get("Invert", "0")), "inv"),
                        (number(entry.get("EdgeDetect", "0")), "edge"),
                        (port, "ch_mask"), (flow, "fc_mask")):
        if value:
            terms.append(f"{term}={value:#x}")
    if filters == "Filter1":
        terms.append(f"config1={number(entry['FILTER_VALUE']):#x}")
    return unit, ",".join(terms)


def intel_name(name):
    name = name.replace("OFFCORE_RESPONSE_0", "OFFCORE_RESPONSE")
    return re.sub(r"OFFCORE_RESPONSE:request=(.*):response=(.*)", r"OFFCORE_RESPONSE.\1.\2", name)


def intel_events(path, events, pmu, overrides):
    """{PMU: {name: line}} of one file."""
    found = {}
    for event in events:
        event = overrides.repaired(path, event["EventName"], event)
        if event is None:
            continue
        name = intel_name(event["EventName"])
        if "Unit" in event:
            pmu, terms = intel_uncore(event)
        else:
            terms = intel_core_terms(event)
        found.setdefault(pmu, {}).setdefault(name, line_of(
            name, terms, f"{counters(event['Counter']):x}", flags_of(event)))
    return found


def inputs(pairs):
    return " ".join(f"{alias}={re.sub(' ', '_', name)}" for alias, name in pairs)


def one_line(formula):
    return " ".join(formula.split())


def intel_threshold(path, metric, titles, overrides):
    """The threshold with the names of metrics, of which the vendor has titles or letters."""
    threshold = overrides.repaired(path, metric["MetricName"], metric.get("Threshold") or {})
    formula = threshold.get("Formula", "")
    names = {one["Alias"]: titles[one["Value"]] for one in threshold.get("ThresholdMetrics", ())}
    names.update(titles)
    known = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return one_line(re.sub(rf"(?<![\w.])(?:{known})(?!\w)", lambda name: names[name[0]], formula))


def intel_inputs(metric, formula, latencies):
    """
    The events and the constants, of which typical latencies are some, marked by ~. In the metrics
    that have a BaseFormula, SYSTEM_TSC_FREQ is the ticks: "tsc" there.
    """
    ticks = {"SYSTEM_TSC_FREQ": "TSC"} if metric.get("BaseFormula") else {}
    events, constants = [], [(one["Alias"], ticks.get(one["Name"], one["Name"]))
                             for one in metric["Constants"]]
    for event in metric["Events"]:
        name, latency, _ = event["Name"].partition(":retire_latency")
        if latency and name in latencies:
            constants.append((event["Alias"], f"~{latencies[name]['MEAN']:g}"))
        elif not latency or re.search(rf"\b{event['Alias']}\b", formula):
            events.append((event["Alias"], event["Name"]))
    return inputs(events), inputs(constants)


def without_latencies(metric, latencies):
    """The formula with the value that the vendor has where a latency is unknown."""
    formula = metric["Formula"]
    for event in metric["Events"]:
        name, latency, _ = event["Name"].partition(":retire_latency")
        if latency and name not in latencies:
            alias = event["Alias"]
            formula = re.sub(rf"min\( \( \w+ \* {alias} \) , (.+?) \) if \( {alias} >= 0 \) "
                             r"else \( \1 \)", r"\1", formula)
    return formula


def intel_metrics(path, metrics, latencies, overrides):
    """Yields the lines of one file."""
    titles = {metric["LegacyName"]: metric["MetricName"] for metric in metrics}
    for metric in metrics:
        metric = overrides.repaired(path, metric["MetricName"], metric)
        if metric is None:
            continue
        formula = without_latencies(metric, latencies)
        if len(formula) > LONGEST_FORMULA:
            formula = "=" + metric["BaseFormula"]
        yield line_of(
            f"+{metric['MetricName']}", metric["UnitOfMeasure"], metric.get("ParentCategory", ""),
            metric.get("CountDomain", ""), one_line(formula),
            *intel_inputs(metric, formula, latencies),
            intel_threshold(path, metric, titles, overrides))


def intel_cpus(sources, overrides):
    """Yields (name, version, date, ids, {PMU: {event: line}}, {PMU: [line of a metric]})."""
    models = {}
    for row in csv.DictReader(sources.read(INTEL, "mapfile.csv").splitlines()):
        if row["EventType"] in ("core", "hybridcore", "uncore", "uncore experimental", "metrics",
                                "retire latency"):
            models.setdefault(row["Family-model"], []).append(
                (row["Filename"][1:], row["EventType"], ROLES[row["Core Role Name"]]))
    for model, pattern, file, instead in UNMAPPED:
        if model in models:  # the first pattern that matches is used
            models = {pattern: [(instead if path == file else path, kind, pmu)
                                for path, kind, pmu in models[model]], **models}
    sets = {}
    for model, files in models.items():
        sets.setdefault(tuple(files), []).append(model)
    for files, ids in sets.items():
        events, metrics, header = {}, {}, None
        latencies = {name: value for path, kind, _ in files if kind == "retire latency"
                     for name, value in json.loads(sources.read(INTEL, path))["Data"].items()}
        for path, kind, pmu in files:
            content = json.loads(sources.read(INTEL, path))
            if kind == "metrics":
                metrics[pmu] = list(intel_metrics(path, content["Metrics"], latencies, overrides))
            if kind in ("metrics", "retire latency"):
                continue
            header = header or content["Header"]
            for unit, found in intel_events(path, content["Events"], pmu, overrides).items():
                for name, line in found.items():
                    events.setdefault(unit, {}).setdefault(name, line)
        month, day, year = header["DatePublished"].split("/")
        name = os.path.basename(files[0][0]).split("_")[0].lower()
        yield name, header["Version"], f"{year}-{month}-{day}", ids, events, metrics


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
        ids = [f"{part}-{major}-[0-{minor}]" if newer else part]
        date = datetime.datetime.strptime(content["document"]["timestamp"], "%d %b %H:%M:%S %Y")
        events = {}
        for name, event in content["events"].items():
            event = overrides.repaired(path, name, event)
            events[name] = line_of(name, f"event={number(event['code']):#x}")
        metrics = [line_of(f"+{name}", metric["units"], "", "", metric["formula"],
                           inputs((event, event) for event in metric["events"]))
                   for name, metric in content["metrics"].items()]
        yield (content["product_configuration"]["product_name"].lower().replace(" ", "-"),
               f"r{major}p{minor}", f"{date:%Y-%m-%d}", ids, {"cpu": events}, {"cpu": metrics})


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
    """{name: line}: each event with its default masks, and with each mask."""
    masks, events = c_tables(text, "amd64_umask_t"), {}
    for entries in c_tables(text, "amd64_entry_t").values():
        for entry in entries:
            own = masks.get(entry.get("umasks"), [])
            defaults = {mask.get("grpid", "0"): number(mask["ucode"]) for mask in own
                        if "AMD64_FL_DFL" in mask.get("uflags", "")}
            groups = {mask.get("grpid", "0") for mask in own}
            code = number(entry["code"])
            choices = [(entry["name"], sum(defaults.values()))] if groups <= set(defaults) else []
            for mask in own:
                group = mask.get("grpid", "0")
                if groups <= set(defaults) | {group}:
                    choices.append((f"{entry['name']}.{mask['uname']}", number(mask["ucode"]) | sum(
                        value for other, value in defaults.items() if other != group)))
            for name, mask in choices:
                terms = f"event={code:#x}" + (f",umask={mask:#x}" if mask else "")
                events[name] = line_of(name, terms)
    return events


def amd_cpus(sources, _overrides):
    core = amd_events(sources.read(AMD, "lib/events/amd64_events_fam1ah_zen5.h"))
    cache = amd_events(sources.read(AMD, "lib/events/amd64_events_fam1ah_zen5_l3.h"))
    # Models 00-2f, 40-4f and 60-7f: bsp_init_amd() of Linux. The others of the family are newer.
    ids = [f"AuthenticAMD-26-{models}" for models in ("?", "[12]?", "4?", "[67]?")]
    yield ("zen5", "libpfm4", sources.projects[AMD][1], ids, {"cpu": core, "amd_l3": cache}, {})


def table_text(sources, overrides):
    lines = ["pmctop-event-tables 1"]
    for cpus in (intel_cpus, arm_cpus, amd_cpus):
        for name, version, date, ids, events, metrics in cpus(sources, overrides):
            lines.append(line_of(f"={name}", version, date, *ids))
            for pmu in sorted(events):
                lines.append(f"@{pmu}")
                lines += [events[pmu][event] for event in sorted(events[pmu])]
                lines += metrics.get(pmu, ())
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
                        help="the folder of sources.txt, overrides.tsv and tables.zst")
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
