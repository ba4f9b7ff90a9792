#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the values of the vendors' metrics for made-up counts: an independent reading of the
files. core/tables/make_tables.py makes the table of the same files.

    tests/metric_values.py DIR [EVERY [VECTORS]]

DIR is the one for make_tables.py. Prints "=ID FILE" for each file of metrics, then a line for every
metric, or for each EVERY-th: its name and a value for each of VECTORS (1000) vectors of counts.

    -        as the value: undefined, a division by zero
    +  ?  !  behind a value: the threshold is true, is undefined, or has a metric that is refused
    !EVENT   instead of values: the metric is refused, because this event cannot be counted
    *        in front of a name: the vendor has it wrong (WRONG)

tests/unit/metric/test_metric_values.c computes the same of the built-in table, and compares:
tests/fixtures/metric_values.txt is an excerpt, `make metric-values TABLES=DIR` compares all.

Python computes the vendor's formula as it is, with its own rules for if, min and max. The count of
an event in a vector is a hash of its name and the number of the vector: count_of().
"""
import glob
import itertools
import re
import sys

sys.dont_write_bytecode = True
from vendor_files import arm_cpus, intel_cpus, read_json  # noqa: E402

MASK = (1 << 64) - 1
# The machines of the even and the odd vectors. The clock is in Hz.
MACHINES = (
    {"HYPERTHREADING_ON": 1, "THREADS_PER_CORE": 2, "SOCKET_COUNT": 2, "CORES_PER_SOCKET": 4,
     "CHAS_PER_SOCKET": 3, "SYSTEM_TSC_FREQ": 2000000000,
     "system.sockets[0].cpus.count * system.socket_count": 16},
    {"HYPERTHREADING_ON": 0, "THREADS_PER_CORE": 1, "SOCKET_COUNT": 1, "CORES_PER_SOCKET": 2,
     "CHAS_PER_SOCKET": 2, "SYSTEM_TSC_FREQ": 3000000000,
     "system.sockets[0].cpus.count * system.socket_count": 2},
)

# They name memory that this CPU does not have, count all CPUs but the ticks of one, and have a rate
# without the time.
WRONG = {("EMR", "Bottleneck_Data_Cache_Memory_Bandwidth"),
         ("EMR", "Bottleneck_Data_Cache_Memory_Latency"), ("EMR", "Bottleneck_Other_Bottlenecks"),
         ("GRR", "Info_System_CPU_Utilization"), ("SRF", "Info_System_CPU_Utilization"),
         *((cpu, "Info_System_MEM_DRAM_Read_Latency")
           for cpu in ("SKX", "CLX", "ICX", "SPR", "EMR", "GNR")),
         *((cpu, "Info_System_UPI_Data_Transmit_BW") for cpu in ("SPR", "EMR", "GNR"))}

# A CPU that mapfile.csv does not have: Xeon Max.
UNMAPPED = {"SPR/metrics/sapphirerapidshbm_metrics.json": "GenuineIntel-6-8F-8-HBM"}


def hash_of(name):
    """FNV-1a, 64 bits."""
    total = 0xCBF29CE484222325
    for byte in name.encode():
        total = (total ^ byte) * 0x100000001B3 & MASK
    return total


def mixed(total, vector):
    """The output number `vector` of splitmix64 with that seed."""
    z = total + (vector + 1) * 0x9E3779B97F4A7C15 & MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def count_of(total, vector):
    """0 in one of 32 vectors, else a whole number of 17 to 28 bits. All lengths are as common."""
    z = mixed(total, vector)
    if z >> 59 == 0:
        return 0.0
    return float((z & 0xFFFFFFFF | 1 << 32) >> (16 - (z >> 32) % 12))


def interval_ms(vector):
    return float(100 + mixed(hash_of("interval"), vector) % 10000)


def formula_of(text):
    """The vendor's slips: a blank in an operator, the count of one socket, no value."""
    return text.replace("> =", ">=").replace("a[0]", "a").replace("#NA", "None").strip()


def function_of(text, names):
    return eval(f"lambda {', '.join(names)}: {text}")  # pylint: disable=eval-used


class Counts:
    """The counts of events for all vectors, which the files share."""

    def __init__(self, vectors):
        self.vectors, self.found = vectors, {}
        self.intervals = [interval_ms(vector) for vector in range(vectors)]

    def of_event(self, name):
        """Of the same event under another name the same."""
        name = name.upper().removesuffix(":PERF_METRICS").replace("UNC_PKG_", "FREERUN_PKG_")
        if name not in self.found:
            total = hash_of(name)
            self.found[name] = [count_of(total, vector) for vector in range(self.vectors)]
        return self.found[name]

    def of_clock(self):
        """The ticks of all CPUs in the interval: the event TSC counts on idle ones too."""
        cpus = "system.sockets[0].cpus.count * system.socket_count"
        return [machine["SYSTEM_TSC_FREQ"] * machine[cpus] * ms / 1000 for machine, ms in
                zip(itertools.cycle(MACHINES), self.intervals)]

    def of_constant(self, name, ticks):
        """Of SYSTEM_TSC_FREQ, the ticks in the interval, or the frequency."""
        if name == "SYSTEM_TSC_FREQ" and ticks:
            return [MACHINES[vector % 2][name] * ms / 1000
                    for vector, ms in enumerate(self.intervals)]
        if name == "DURATIONTIMEINMILLISECONDS":
            return self.intervals
        if name == "DURATIONTIMEINSECONDS":
            return [ms / 1000 for ms in self.intervals]
        if re.fullmatch(r"\d+", name):
            return [int(name)] * self.vectors
        return [MACHINES[vector % 2][name] for vector in range(self.vectors)]


def computed(function, columns, vectors):
    """The values; None is undefined."""
    values = []
    for vector in range(vectors):
        try:
            values.append(function(*[column[vector] for column in columns]))
        except (ZeroDivisionError, TypeError):  # by zero, or of an undefined value
            values.append(None)
    return values


def is_optional(event, text):
    """Whether the formula is written for machines that do not have it, too."""
    return f"if ( {event['Alias']} >= 0 )" in text


def refused_for(metric, latencies):
    """The event without which the metric has no value here, or None."""
    for event in metric["Events"]:
        name, _, kind = event["Name"].partition(":")
        if kind == "percore" or kind == "retire_latency" and name not in latencies and (
                not is_optional(event, formula_of(metric["Formula"]))):
            return name
    return None


def metric_of(metric, latencies, counts):
    text = formula_of(metric["Formula"])
    inputs = {}
    for event in metric["Events"]:
        name, _, kind = event["Name"].partition(":")
        inputs[event["Alias"]] = (
            counts.of_clock() if name == "TSC" else
            counts.of_event(event["Name"]) if kind != "retire_latency" else
            [latencies[name]["MEAN"] if name in latencies else -1] * counts.vectors)
    # Where these have a BaseFormula, it has "tsc", the ticks.
    inputs.update((one["Alias"], counts.of_constant(one["Name"], "BaseFormula" in metric))
                  for one in metric["Constants"])
    if "DURATIONTIMEINSECONDS" in text:
        inputs["DURATIONTIMEINSECONDS"] = counts.of_constant("DURATIONTIMEINSECONDS", False)
    return computed(function_of(text, inputs), inputs.values(), counts.vectors)


def threshold_of(metric, values, refused, counts):
    """The mark of each vector."""
    threshold = metric.get("Threshold") or {}
    text = threshold.get("Formula", "")
    if not text:
        return [""] * counts.vectors
    inputs = {one["Alias"]: values[one["Value"]] for one in threshold.get("ThresholdMetrics", ())}
    if not inputs:  # two files have titles in the text, and limits that are fractions
        for title in sorted(values, key=len, reverse=True):
            if title in text:
                alias = f"m{len(inputs)}"
                text = text.replace(title, alias + (" / 100" if "(%)" in title else ""))
                inputs[alias] = values[title]
    if any(refused[one["Value"]] for one in threshold.get("ThresholdMetrics", ())):
        return ["!"] * counts.vectors
    # Comparisons come before & and |, which Python has the other way round.
    parts = re.split(r"(&&?|\|\|?)", text)
    text = "".join(f" {part[0]} " if part[0] in "&|" else part if "(" in part else f"({part})"
                   for part in parts)
    return ["?" if state is None else "+" if state else "" for state in
            computed(function_of(text, inputs), inputs.values(), counts.vectors)]


def printed(value, mark):
    return ("-" if value is None else f"{value:.12g}") + mark


def intel(folder, counts):
    """Yields (ID, file, [(name, event for which it is refused, values, marks)])."""
    ids, latencies = dict(UNMAPPED), {}
    for cpu, rows in intel_cpus(folder).items():
        for row in rows:
            if row["EventType"] == "metrics":
                ids.setdefault(row["Filename"][1:], cpu)
            if row["EventType"] == "retire latency":
                latencies[cpu] = row["Filename"]
    for path in sorted(glob.glob("*/metrics/*_metrics*.json", root_dir=folder)):
        cpu = ids[path]
        metrics = read_json(f"{folder}/{path}")["Metrics"]
        typical = read_json(folder + latencies[cpu])["Data"] if cpu in latencies else {}
        values = {one["LegacyName"]: metric_of(one, typical, counts) for one in metrics}
        refused = {one["LegacyName"]: refused_for(one, typical) for one in metrics}
        yield cpu, path, [
            (one["MetricName"], refused[one["LegacyName"]], values[one["LegacyName"]],
             threshold_of(one, values, refused, counts)) for one in metrics]


def arm(folder, counts):
    for cpu, path, content in arm_cpus(folder):
        rows = []
        for name, metric in content["metrics"].items():
            columns = [counts.of_event(event) for event in metric["events"]]
            values = computed(function_of(metric["formula"], metric["events"]), columns,
                              counts.vectors)
            rows.append((name, None, values, [""] * counts.vectors))
        yield cpu, path, rows


def main():
    every = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    counts = Counts(int(sys.argv[3]) if len(sys.argv) > 3 else 1000)
    n = 0
    for files in (intel(f"{sys.argv[1]}/intel/perfmon", counts),
                  arm(f"{sys.argv[1]}/xinydev/telemetry-solution", counts)):
        for cpu, path, rows in files:
            print(f"={cpu} {path}")
            for name, refused, values, marks in rows:
                n += 1
                if n % every == 0:
                    wrong = "*" if (path.split("/")[0], name) in WRONG else ""
                    print(wrong + name, *[f"!{refused}"] if refused else
                          map(printed, values, marks))


if __name__ == "__main__":
    main()
