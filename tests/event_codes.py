#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the codes of the vendors' events: an independent reading of the files, by the
bits of the registers instead of terms. core/tables/make_tables.py makes the table of the same files.

    tests/event_codes.py DIR [EVERY]

DIR is the one for make_tables.py. Prints "=ID" for each kind of CPU, then "NAME PMU CONFIG CONFIG1" of
every event, or of each EVERY-th. tests/unit/event/test_event_vendor.c resolves these names:
tests/fixtures/event_codes.txt has an excerpt, `make event-codes TABLES=DIR` compares all.
"""
import re
import sys

sys.dont_write_bytecode = True
from vendor_files import arm_cpus, intel_cpus, read_json  # noqa: E402

CLOCKS = {"BDW": "cbox_0", "HSW": "cbox_0", "SKL": "cbox_0", "MTL": "cncu", "ARL": "cncu"}
LINUX = {"CBO": "cbox", "SBO": "sbox", "QPI LL": "qpi", "UPI LL": "upi", "HAC_CBO": "hac_cbox",
         "iMC_DCLK": "imc"}


def value(event, key):
    return int(re.match(r"\s*(\w+)", event.get(key) or "0")[1], 0)


def core_code(event):
    if event["EventName"] == "INST_RETIRED.ANY":
        return 0xC0, 0
    if event["EventName"] in ("CPU_CLK_UNHALTED.THREAD", "CPU_CLK_UNHALTED.CORE"):
        return 0x3C, 0
    if event["EventName"] == "CPU_CLK_UNHALTED.THREAD_ANY":
        return 0x3C | 1 << 21, 0
    if event["EventName"] == "FP_ARITH_INST_RETIRED.8_FLOPS":
        return 0x60C7, 0  # two files have the mask of 4_FLOPS
    register = value(event, "MSRIndex")
    if 0x3E0 <= register < 0x3E4:
        return None
    config = sum(value(event, key) << bit for key, bit in (
        ("EventCode", 0), ("UMask", 8), ("EdgeDetect", 18), ("AnyThread", 21), ("Invert", 23),
        ("CounterMask", 24)))
    return config, value(event, "MSRValue") if register else 0


def free_running(name):
    if match := re.search(r"BANDWIDTH_IN.PART(\d)", name):
        return 0x20FF + (int(match[1]) << 8)
    if match := re.search(r"BANDWIDTH_OUT.PART(\d)", name):
        return 0x30FF + (int(match[1]) << 8)
    return 0x20FF if "RDCAS" in name else 0x30FF if "WRCAS" in name else 0x10FF


def uncore_code(folder, event):
    """(PMU, config, config1), or None if Linux cannot count it."""
    name, unit = event["EventName"], event["Unit"]
    if re.match("HA_|IRPFilter", event.get("Filter", "")):
        return None
    pmu = "uncore_" + LINUX.get(unit, unit.lower())
    if unit == "NCU":
        pmu = "uncore_" + CLOCKS.get(folder, "clock")
    if event.get("CounterType") == "FREERUN":
        number = re.search(r"_MC(\d)_", name)
        return f"{pmu}_free_running{'_' + number[1] if number else ''}", free_running(name), 0
    if event["Counter"].lower() == "fixed":
        return pmu, 0xFF, 0
    config = sum(value(event, key) << bit for key, bit in (
        ("EventCode", 0), ("UMask", 8), ("EdgeDetect", 18), ("ExtSel", 21), ("Invert", 23),
        ("CounterMask", 24)))
    port, flow = value(event, "PortMask"), value(event, "FCMask")
    if port or flow:
        config |= port << 36 | flow << 48
    else:
        config |= value(event, "UMaskExt") << 32
    return pmu, config, value(event, "FILTER_VALUE") if event.get("Filter") == "Filter1" else 0


def intel(folder):
    seen = set()
    for cpu, rows in intel_cpus(folder).items():
        own = [row for row in rows
               if row["EventType"] in ("core", "hybridcore", "uncore", "uncore experimental")]
        if own[0]["Filename"] in seen and len(own) < 3:
            continue
        seen.add(own[0]["Filename"])
        yield f"={cpu}"
        for row in own:
            role = {"Core": "cpu_core", "Atom": "cpu_atom", "LowPower_Atom": "cpu_lowpower"}.get(
                row["Core Role Name"], "cpu")
            for event in read_json(folder + row["Filename"])["Events"]:
                name = event["EventName"].replace("RESPONSE_0", "RESPONSE")
                name = name.replace(":request=", ".").replace(":response=", ".")
                if "Unit" in event:
                    code = uncore_code(row["Filename"].split("/")[1], event)
                else:
                    code = core_code(event)
                    code = code and (role, *code)
                if code:
                    yield f"{name} {code[0]} {code[1]:x} {code[2]:x}"


def arm(folder):
    for cpu, _, content in arm_cpus(folder):
        yield f"={cpu}"
        for name, event in content["events"].items():
            yield f"{name} armv8_pmuv3_0 {int(event['code'], 16):x} 0"


def main():
    every = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    n = 0
    for lines in (intel(f"{sys.argv[1]}/intel/perfmon"),
                  arm(f"{sys.argv[1]}/xinydev/telemetry-solution")):
        for line in lines:
            n += line[0] != "="
            if line[0] == "=" or n % every == 0:
                print(line)


if __name__ == "__main__":
    main()
