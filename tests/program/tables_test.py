#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--event-tables and --cpu-model: the lists of other CPUs, from the built-in table and from files in
the vendors' layouts, the default folder, the configuration, and refusals.

Nothing depends on the CPUs of this machine. Prints TAP. BUILD is the build directory.
"""
import os
import shutil
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from frames import check, finish  # noqa: E402
from pmctop import ENVIRONMENT, HOME, run, write_file  # noqa: E402

FIXTURES = os.path.join(HERE, "../fixtures/event_tables")
LAB = ("--cpu-model", "GenuineIntel-6-F0-1")

REFUSED = {
    ("--cpu-model", "GenuineIntel-6-AD-1"):
        (2, "Option '--cpu-model' needs '--list events' or '--list metrics'."),
    ("--list", "themes", "--cpu-model", "GenuineIntel-6-AD-1"):
        (2, "Option '--cpu-model' needs '--list events' or '--list metrics'."),
    ("--list", "events", "--cpu-model", ""):
        (2, "Option '--cpu-model' needs the id of a CPU (example: GenuineIntel-6-AD-1)."),
    ("--list", "events", "--cpu-model", "A" * 61):
        (2, f"Invalid CPU '{'A' * 40}...' (example: GenuineIntel-6-AD-1)."),
    ("--list", "events", "--cpu-model", "Intel"):
        (1, "No table of events for 'Intel' (examples: GenuineIntel-6-AD-1, AuthenticAMD-26-2-1, "
            "ARM-41-D4F)."),
    ("--event-tables", ""): (2, "Option '--event-tables' needs the name of a directory."),
}


def lines_of(*arguments, **options):
    return run("--list", *arguments, **options).stdout.splitlines()


for arguments, (status, message) in REFUSED.items():
    done = run(*arguments)
    check(f"refused: {' '.join(arguments)[:60]}",
          (done.returncode, done.stderr.strip()) == (status, f"pmctop: {message}"), done)

done = run("--list", "events", "MEM_LOAD_RETIRED.L3_MISS", "--cpu-model", "GenuineIntel-6-AD-1")
check("an event of the built-in table, with PMU and terms",
      done.returncode == 0 and done.stdout.split() ==
      ["MEM_LOAD_RETIRED.L3_MISS", "-", "cpu", "event=0xd1,umask=0x20"]
      and done.stderr == "pmctop: Events of GenuineIntel-6-AD-1, not probed on this machine.\n", done)
METRICS = {  # the line that is printed on such a machine, without its state
    ("vendor_cpi", "GenuineIntel-6-55-4"):
        "cpi: per instruction (/instr) = 'CPU_CLK_UNHALTED.THREAD' / 'INST_RETIRED.ANY'",
    ("Mixing_[V]ectors", "GenuineIntel-6-97-2"):  # of a hybrid
        "Mixi~ctors: share of Clocks; a part of Ports_Utilized_0; threshold: Mixing_Vectors > 5 "
        "(%); warn 5, bad 10 = 100 * (160 * 'cpu_core/ASSISTS.SSE_AVX_MIX/' / "
        "'cpu_core/CPU_CLK_UNHALTED.THREAD/')",
    ("Info_Thread_Slots_[U]tilization", "GenuineIntel-6-97-2"):
        "Info~ation: of the vendor. Metric Info_Thread_Slots_Utilization: the counts of both "
        "threads of a core are not added, for TOPDOWN.SLOTS.",
    ("frontend_stalled_[c]ycles", "ARM-41-D0C"):
        "fron~ycles: percent of cycles (%) = 'STALL_FRONTEND' / 'CPU_CYCLES' * 100",
}
for (name, cpu), text in METRICS.items():
    found = [" ".join(line.split()) for line in lines_of("metrics", name, "--cpu-model", cpu)]
    name = name.replace("[", "").replace("]", "")
    check(f"the metric {name} of {cpu}", found == [f"{name} - vendor {text}"], found)
done = run("--list", "metrics", "--cpu-model", "AuthenticAMD-26-2-1")
check("a CPU without metrics", (done.returncode, done.stderr) ==
      (1, "pmctop: The tables have no metrics of AuthenticAMD-26-2-1.\n"), done)
check("Arm's", any("event=0x37" in line for line in
                   lines_of("events", "LL_CACHE_MISS_RD", "--cpu-model", "ARM-41-D4F")))

check("a CPU that only the files have: none is built in",
      run("--list", "events", *LAB).returncode == 1)
done = run("--list", "events", "LOADS*", *LAB, "--event-tables", f"{FIXTURES}/intel/perfmon")
check("files of Intel's", done.stdout.split() ==
      ["LOADS.SLOW", "-", "cpu", "event=0xcd,umask=0x1,ldlat=0x80"], done)
check("the fault of a file, with its line", "labrador_core.json:73: an event needs register 0x3e0"
      in done.stderr, done)
done = run("--list", "events", "--cpu-model", "ARM-41-DFF-0-1", "--event-tables",
           f"{FIXTURES}/xinydev/telemetry-solution")
check("files of Arm's, with a description", "SW_INCR" in done.stdout and "not taken (event=0x0)"
      in done.stdout, done)

listing = write_file("perf.json", """[
{"EventName": "lab.cycles", "Encoding": "cpu/event=0x3c,period=0x1e8483/",
 "BriefDescription": "Cycles of the lab"},
{"MetricName": "lab_share", "MetricExpr": "lab.cycles / lab.cycles", "ScaleUnit": "100%",
 "MetricThreshold": "lab_share > 0.5", "BriefDescription": "Nothing but 1"},
{"MetricName": "lab_rate", "MetricExpr": "lab_share * lab.cycles", "ScaleUnit": "1e-6M"}]""")
done = run("--list", "events", "lab.*", *LAB, "--event-tables", listing)
check("the output of perf list", "Cycles of the lab (event=0x3c)" in done.stdout, done)
done = run("--list", "metrics", "lab_*", *LAB, "--event-tables", listing)
check("its metrics, with a description, and the factor of the unit",
      [" ".join(line.split()) for line in done.stdout.splitlines()] ==
      ["lab_rate - vendor lab_rate: of the vendor (M) = 1e-6 * ((vendor_lab_share / 100) * 'lab.cycles')",
       "lab_share - vendor lab_share: Nothing but 1 (threshold before the factor: lab_share > "
       "0.5) (%); warn 50, bad 100 = 100 * ('lab.cycles' / 'lab.cycles')"], done)

events = os.path.join(HOME, ".config/pmctop/events")
os.makedirs(events)
shutil.copy(listing, events)
check("the user's folder", "Cycles of the lab" in "".join(lines_of("events", "lab.*", *LAB)))
os.chmod(f"{events}/perf.json", 0o666)
done = run("--list", "events", "lab.*", *LAB)
check("not a file in it that others may write", done.returncode == 1 and
      "perf.json: other users may have made it. The file is not used." in done.stderr, done)
shutil.rmtree(events)
check("the configuration", "Cycles of the lab" in "".join(
    lines_of("events", "lab.*", *LAB, "--config", write_file("tables.conf", f"""[pmctop]
event-tables = {listing}
"""))))

done = run("--list", "events", "cycles", "--event-tables", "/no/such/folder")
check("a folder that does not exist", done.stderr.startswith(
    "pmctop: /no/such/folder: No such file or directory. The built-in tables are used.\n"), done)
done = run("--doctor", "--event-tables", "/no/such/folder", env=ENVIRONMENT)
check("the doctor reports it", "/no/such/folder: No such file or directory" in done.stdout, done)

finish()
