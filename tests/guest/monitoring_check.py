#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Feeds what pmctop told inside the emulated machine (monitoring_guest.sh) to the real Prometheus,
and asks it what needs hardware counters: every rule, and every query of the dashboard.

    monitoring_check.py SHIFT OUTPUT        prints TAP

At shift S instructions per cycle are exactly 1 / 2^S. That machine counts no branches and caches:
their series are made here out of those of its instructions, so many to a thousand.
"""
import base64
import gzip
import http.server
import os
import re
import sys
import tempfile
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import frames  # noqa: E402
from frames import check, near  # noqa: E402
from prometheus import (NEEDS_COUNTERS, Prometheus, dashboard_queries, is_alert,  # noqa: E402
                        rules, tools)
from served import OPENMETRICS, Served, free_port, until  # noqa: E402

IPC = 1 / 2 ** int(sys.argv[1])
BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
SUMS, ONE_TASKS = 0.005, 0.05  # how near the ratios are: see frames.off_ipcs
MADE = {"branch_misses": 10, "cache_misses": 2}  # to 1000 instructions


def with_misses(text):
    more = []
    for event, per_thousand in MADE.items():
        families = {}
        for name, labels, value in re.findall(r"^(pmctop_\w+)_instructions_total(\{.*\})? (\d+)$",
                                              text, re.M):
            families.setdefault(f"{name}_{event}", []).append(
                f"{name}_{event}_total{labels} {int(value) * per_thousand / 1000:.3f}\n")
        for family, lines in families.items():
            more.append(f"# TYPE {family} counter\n" + "".join(lines))
    return text.replace("# EOF\n", "".join(more) + "# EOF\n")


class Texts(http.server.ThreadingHTTPServer):
    """Serves one text after the other, and the last one again and again."""

    def __init__(self, texts):
        super().__init__(("127.0.0.1", 0), Answer)
        self.texts, self.lock = texts, threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def delivered(self, text):
        """A scraper that gave up on a busy machine has not seen it."""
        with self.lock:
            if len(self.texts) > 1 and text is self.texts[0]:
                self.texts.pop(0)


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        text = self.server.texts[0]
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/openmetrics-text; version=1.0.0")
        self.send_header("Content-Length", str(len(body)))
        try:
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            self.close_connection = True
        else:
            self.server.delivered(text)

    def log_message(self, *_):
        pass


def figure(prometheus, expression, wanted, what, share=SUMS):
    """All that it has is what it is to be."""
    got = until(lambda: prometheus.finite(expression))
    check(what, got and all(near(value, wanted, share) for _, value in got), (expression, got))


def ratios(prometheus, how):
    """PromQL's own division gives the machine's IPC."""
    for family in ("cpu", "task", "cgroup", "user"):
        rate = "rate(pmctop_%s_%s_total[1m])"
        # Who hardly ran has too few cycles for a ratio.
        figure(prometheus, "%s / (%s > 1000000)" % (rate % (family, "instructions"),
                                                   rate % (family, "cycles")),
               IPC, f"{how}: rate(instructions) / rate(cycles) of each {family} is the machine's IPC",
               ONE_TASKS if family == "task" else SUMS)


def queries(prometheus):
    for name, expression in rules(prometheus):
        if is_alert(name):
            continue
        check(f"rule {name}", until(lambda: prometheus.finite(expression)), expression)
        check("and is recorded", until(lambda: prometheus.finite(name)), name)
    for panel, expression in dashboard_queries():
        check(f"dashboard: {panel}", until(lambda: prometheus.finite(expression)), expression)
    broken = [rule for group in prometheus.ask("rules")["groups"] for rule in group["rules"]
              if rule["health"] != "ok"]
    check("no rule has an error", not broken, broken)


def known(prometheus):
    for name, wanted in (("instance:pmctop_ipc:ratio_rate1m", IPC),
                         ("instance:pmctop_cycles_lost:ratio_rate1m", 1 - IPC),
                         ("instance:pmctop_branch_misses:per_kiloinstruction_rate1m",
                          MADE["branch_misses"]),
                         ("instance:pmctop_cache_misses:per_kiloinstruction_rate1m",
                          MADE["cache_misses"]),
                         ('instance_comm:pmctop_ipc:ratio_rate1m{comm=~"spin|pingpong|pong"}', IPC)):
        figure(prometheus, name, wanted, f"{name} is {wanted}",
               ONE_TASKS if "comm" in name else SUMS)
    for panel, expression in dashboard_queries():
        if panel.startswith("Instructions per cycle") or panel == "Who runs most C":
            busy = f'({expression}) and on (instance) up'
            if "comm" in expression or "cgroup" in expression:
                continue  # who hardly ran has too few cycles for a ratio
            figure(prometheus, busy, IPC, f"dashboard: {panel} is {IPC}")


def replayed(binaries, directory, last):
    """The recording of the same run, on this machine, as it goes by."""
    data = os.path.join(directory, "run.data")
    with open(data, "wb") as file:
        file.write(gzip.decompress(base64.b64decode("".join(frames.text(sys.argv[2],
                                                                         "run.data")))))
    os.mkdir(os.path.join(directory, "replayed"))
    port = free_port()
    # It looks already when the recording begins.
    prometheus = Prometheus(binaries, os.path.join(directory, "replayed"), port)
    served = Served(os.path.join(BUILD, "pmctop"), "-b", "--replay", data, "--speed", "0.5",
                    listen=f":{port}")
    try:
        wanted = re.search(r"^pmctop_snapshots_total (\d+)$", last, re.M)[1]
        check("replay: at its end it goes on serving",
              until(lambda: served.value("pmctop_snapshots_total") == int(wanted)),
              (served.value("pmctop_snapshots_total"), wanted, served.said))
        # Tasks are told of for a while after they ran, in either; a replay's own cost is another.
        told = {name: value for name, value in counters(last).items() if "misses" not in name
                and name not in ("pmctop_records_total", "pmctop_own_cpu_seconds_total")}
        replay = counters(served.get(accept=OPENMETRICS)[2])
        off = {name: (value, replay.get(name)) for name, value in told.items()
               if value != replay.get(name)}
        check("replay: every counter is what was told in the emulated machine",
              len(told) > 100 and not off, off)
        ratios(prometheus, "replay")
    finally:
        prometheus.stop()
        served.stop()


def counters(text):
    return dict(re.findall(r"^(pmctop_\w+_total(?:\{.*\})?) (\S+)$", text, re.M))


def main():
    told = "".join(frames.text(sys.argv[2], "texts"))
    texts = [with_misses(text + "# EOF\n") for text in told.split("# EOF\n") if text.strip()]
    check("each refresh told all of it", len(texts) == 16 and all(
        NEEDS_COUNTERS.search(text) for text in texts), len(texts))
    try:
        binaries = tools(BUILD)
    except SystemExit:
        frames.skip("what Prometheus makes of it", "it is not here, and cannot be fetched")
        frames.finish()
    with tempfile.TemporaryDirectory() as directory:
        server = Texts(texts)
        prometheus = Prometheus(binaries, directory, server.server_port)
        try:
            scraped = 'count_over_time(pmctop_snapshots_total[1m]) > 12'
            check("Prometheus takes them", until(lambda: prometheus.finite(scraped)),
                  prometheus.ask("targets"))
            ratios(prometheus, "texts")
            queries(prometheus)
            known(prometheus)
        finally:
            prometheus.stop()
            server.shutdown()
        replayed(binaries, directory, texts[-1])
    frames.finish()


main()
