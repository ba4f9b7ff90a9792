# SPDX-License-Identifier: MIT
"""How many processes are counted that end before the next refresh."""
import json
import subprocess
import threading
import time

from machine import PMCTOP, load
from tools import SIX

COUNT = 3000


def run(report, _rounds, count=COUNT):
    seen, spent_ns = set(), 0
    pmctop = subprocess.Popen([PMCTOP, "--format", "json", *SIX, "-d", "1"],
                              stdout=subprocess.PIPE, text=True)
    pmctop.stdout.readline()
    frames = []
    reader = threading.Thread(target=lambda: frames.extend(pmctop.stdout))
    reader.start()
    swarm = subprocess.run([load("swarm"), str(count), "0.3"], capture_output=True, text=True,
                           check=True)
    time.sleep(1.5)
    pmctop.terminate()
    reader.join()
    pmctop.wait()
    for frame in map(json.loads, frames):
        for task in frame["tasks"]:
            if task["comm"] == "swarm-kid":
                seen.add(task["pid"])
                spent_ns += task["events"]["task-clock"]
    truth = json.loads(swarm.stdout)
    report.add("short", "processes that live under a refresh: accounted",
               100 * len(seen) / truth["children"], "%", least=100,
               note=f"of {truth['children']}; counters by thread count only those that exist at a "
                    "refresh")
    report.add("short", "their CPU time: counted / what the kernel charged",
               spent_ns / truth["cpu_ns"], "x")
