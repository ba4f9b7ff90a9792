#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The real Prometheus scrapes pmctop, directly and through node_exporter, as configured in
core/output/monitoring. Each rule and each query of the dashboard is evaluated.

Prints TAP. BUILD is the build directory. Expressions with hardware counters must only be valid
here. tests/guest/monitoring_check.py checks their figures.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from frames import check, finish, skip  # noqa: E402
from programs import BUILD, LOAD, PMCTOP  # noqa: E402
from prometheus import (NEEDS_COUNTERS, RULES, Prometheus, dashboard, dashboard_queries,  # noqa: E402
                        is_alert, rules, tools, write_config)
from served import OPENMETRICS, Served, free_port, until  # noqa: E402

JOBS = ("pmctop", "node")


def promtool(binaries, *arguments, text=None):
    run = subprocess.run([os.path.join(binaries, "promtool"), "check", *arguments], input=text,
                         capture_output=True, text=True, timeout=60, check=False)
    return run.returncode == 0 and "lint" not in run.stderr, run.stdout + run.stderr


def files(binaries, directory, served):
    good, output = promtool(binaries, "rules", RULES)
    check("promtool check rules", good, output)
    good, output = promtool(binaries, "config", write_config(directory, 9105, 9100))
    check("promtool check config", good, output)
    status, _, text = served.get()
    good, output = promtool(binaries, "metrics", text=text)
    check("promtool check metrics", status == 200 and good, output)


def scraped(prometheus):
    """Both jobs are scraped several times, in the right format."""
    for job in JOBS:
        counted = f'increase(pmctop_snapshots_total{{job="{job}"}}[1m]) > 0'
        check(f"job {job} is scraped, and counters grow", until(lambda: prometheus.finite(counted)),
              prometheus.get("targets"))

    def healthy():  # on a busy machine a scrape may be late
        targets = prometheus.get("targets")["activeTargets"]
        return len(targets) == len(JOBS) and all(
            target["health"] == "up" and not target["lastError"] for target in targets)

    check("without errors", until(healthy), prometheus.get("targets"))
    check("in OpenMetrics: Prometheus has the types of counters",
          prometheus.get("metadata", metric="pmctop_cpu_task_clock_seconds")
          or prometheus.get("metadata", metric="pmctop_cpu_task_clock_seconds_total"))


def check_expression(prometheus, name, expression, hardware):
    """The expression is valid, and has figures if this machine has its events."""
    try:
        if is_alert(name) or (NEEDS_COUNTERS.search(expression) and not hardware):
            prometheus.query(expression)
            figures = True
        else:
            figures = until(lambda: prometheus.finite(expression))
        check(f"{name}", figures, expression)
    except ValueError as error:
        check(f"{name}", False, error)


def queries(prometheus, hardware):
    all_rules = rules(prometheus)
    with open(RULES, encoding="utf-8") as file:
        written = file.read().count("expr:")
    check("all rules are loaded", len(all_rules) == written, (len(all_rules), written))
    for name, expression in all_rules:
        check_expression(prometheus, f"rule {name}" if not is_alert(name) else name, expression, hardware)
        if not is_alert(name) and (hardware or not NEEDS_COUNTERS.search(expression)):
            check("its result is stored", until(lambda: prometheus.finite(name)), name)
    for panel, expression in dashboard_queries():
        check_expression(prometheus, f"dashboard: {panel}", expression, hardware)
    now, empty = time.time(), []
    for panel, expression in dashboard_queries():
        graph = prometheus.get("query_range", query=expression, start=now - 60, end=now, step=1)
        if not graph["result"] and (hardware or not NEEDS_COUNTERS.search(expression)):
            empty.append(panel)
    check("each query has a graph", not empty, empty)
    broken = [rule for group in prometheus.get("rules")["groups"] for rule in group["rules"]
              if rule["health"] != "ok"]
    check("no rule has an error", not broken, broken)


def figures(prometheus, pids):
    """The figures of the loads."""
    spin, ping = pids
    share = "instance:pmctop_busy:ratio_rate1m"

    def is_one():
        busy = prometheus.finite(share)
        return len(busy) == len(JOBS) and all(0 < value < 1.1 for _, value in busy)

    check("the machine's busy share is above 0 and at most 1",
          until(is_one), prometheus.query(share))
    for job in JOBS:
        select = f'{{job="{job}",pid="%d"}}'
        seconds = f'rate(pmctop_task_task_clock_seconds_total{select % spin}[1m]) > 0'
        switches = f'rate(pmctop_task_context_switches_total{select % ping}[1m]) > 0'
        check(f"{job}: a busy loop has CPU time, less than a CPU",
              until(lambda: any(value < 1.1 for _, value in prometheus.finite(seconds))),
              prometheus.query(seconds))
        check(f"{job}: ping-pong has context switches", until(lambda: prometheus.finite(switches)))
    check("commands have their names", until(lambda: prometheus.finite(
        'instance_comm:pmctop_cpu_seconds:rate1m{comm="spin",job="pmctop"}')))


def shape():
    """What Grafana requires of a dashboard."""
    board = dashboard()
    panels = board["panels"]
    ids = [panel["id"] for panel in panels]
    boxes = [panel["gridPos"] for panel in panels]
    overlap = [(a, b) for i, a in enumerate(boxes) for b in boxes[:i]
               if a["x"] < b["x"] + b["w"] and b["x"] < a["x"] + a["w"]
               and a["y"] < b["y"] + b["h"] and b["y"] < a["y"] + a["h"]]
    check("panels have ids of their own, and do not overlap",
          len(ids) == len(set(ids)) and not overlap
          and all(box["x"] + box["w"] <= 24 for box in boxes), overlap)
    sources = {json.dumps(part["datasource"]) for panel in panels if panel["type"] != "row"
               for part in (panel, *panel["targets"])}
    check("the data source is a variable",
          sources == {json.dumps({"type": "prometheus", "uid": "${datasource}"})}
          and board["templating"]["list"][0]["type"] == "datasource", sources)
    variables = [variable["name"] for variable in board["templating"]["list"]]
    check("so are job and instance", variables == ["datasource", "job", "instance"], variables)
    check("each series of a graph has a name",
          all(target.get("legendFormat") for panel in panels for target in panel.get("targets", [])
              if panel["type"] not in ("table", "row")))


def variables(prometheus):
    for label in ("job", "instance"):
        values = prometheus.get(f"label/{label}/values", **{"match[]": "pmctop_build_info"})
        check(f"the variable {label} has a choice", len(values) == len(JOBS), values)


def main():
    binaries = tools(BUILD)
    version = subprocess.run([PMCTOP, "--version"], capture_output=True, text=True,
                             check=True).stdout
    if "without HTTP" in version:
        print("prometheus_test.py: this pmctop was built without HTTP; skipped", file=sys.stderr)
        sys.exit(77)
    node_port, running = free_port(), []
    with tempfile.TemporaryDirectory() as directory:
        textfiles = os.path.join(directory, "textfiles")
        os.mkdir(textfiles)
        try:
            spin = subprocess.Popen([os.path.join(LOAD, "spin")], stdout=subprocess.DEVNULL)
            ping = subprocess.Popen([os.path.join(LOAD, "pingpong"), "1000000000"],
                                    stdout=subprocess.DEVNULL)
            running += [spin, ping]
            served = Served(PMCTOP, "-b", "0.2")
            running.append(served.process)
            running.append(subprocess.Popen(
                [PMCTOP, "-d", "0.2", "--format", "prometheus", "-o",
                 os.path.join(textfiles, "pmctop.prom")], stdin=subprocess.DEVNULL))
            running.append(subprocess.Popen(
                [os.path.join(binaries, "prometheus-node-exporter"), "--collector.disable-defaults",
                 "--collector.textfile", f"--collector.textfile.directory={textfiles}",
                 f"--web.listen-address=127.0.0.1:{node_port}", "--log.level=error"],
                stdin=subprocess.DEVNULL))
            until(served.snapshots)
            files(binaries, directory, served)
            shape()
            text = served.get(accept=OPENMETRICS)[2]
            if 'mode="system"' not in text:
                skip("figures in Prometheus", "needs the right to count system-wide")
                finish()
            prometheus = Prometheus(binaries, directory, served.port, node_port)
            running.append(prometheus.process)
            scraped(prometheus)
            queries(prometheus, hardware="pmctop_cpu_cycles_total" in text)
            figures(prometheus, (spin.pid, ping.pid))
            variables(prometheus)
        finally:
            for process in running:
                process.send_signal(signal.SIGKILL if process in running[:2] else signal.SIGTERM)
            for process in running:
                process.wait(timeout=60)
    finish()


main()
