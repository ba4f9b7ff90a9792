#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Serves pmctop's metrics from the emulated machine (monitoring_guest.sh) to the real Prometheus,
and evaluates what needs hardware counters: each rule, and each query of the dashboard.

    monitoring_check.py SHIFT OUTPUT        prints TAP

At shift S instructions per cycle are exactly 1 / 2^S. That machine counts no branches and caches.
Their series are made from instructions, a fixed number per thousand.
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
from programs import BUILD  # noqa: E402
from prometheus import (NEEDS_COUNTERS, Prometheus, dashboard_queries, is_alert,  # noqa: E402
                        rules, tools)
from served import OPENMETRICS, Served, free_port, until  # noqa: E402

IPC = 1 / 2 ** int(sys.argv[1])
SUMS, ONE_TASKS = 0.005, 0.05  # tolerance of ratios: see frames.off_ipcs
MADE = {"branch_misses": 10, "cache_misses": 2}  # per 1000 instructions


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
    """Serves one text after another, then the last one repeatedly."""

    def __init__(self, texts):
        super().__init__(("127.0.0.1", 0), Answer)
        self.texts, self.lock = texts, threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def delivered(self, text):
        """The next text follows. A scraper that gave up, on a busy machine, gets this one again."""
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


def check_figure(prometheus, expression, wanted, what, share=SUMS):
    """All values of an expression are the wanted one."""
    got = until(lambda: prometheus.finite(expression))
    check(what, got and all(near(value, wanted, share) for _, value in got), (expression, got))


def check_ratios(prometheus, how):
    """A division in PromQL is the machine's IPC."""
    for family in ("cpu", "task", "cgroup", "user"):
        rate = "rate(pmctop_%s_%s_total[1m])"
        # A task that hardly ran has too few cycles for a ratio.
        check_figure(prometheus, "%s / (%s > 1000000)" % (rate % (family, "instructions"),
                                                   rate % (family, "cycles")),
               IPC, f"{how}: rate(instructions) / rate(cycles) of each {family} is the machine's IPC",
               ONE_TASKS if family == "task" else SUMS)


def queries(prometheus):
    for name, expression in rules(prometheus):
        if is_alert(name):
            continue
        check(f"rule {name}", until(lambda: prometheus.finite(expression)), expression)
        check("its result is stored", until(lambda: prometheus.finite(name)), name)
    for panel, expression in dashboard_queries():
        check(f"dashboard: {panel}", until(lambda: prometheus.finite(expression)), expression)
    broken = [rule for group in prometheus.get("rules")["groups"] for rule in group["rules"]
              if rule["health"] != "ok"]
    check("no rule has an error", not broken, broken)


def check_values(prometheus):
    for name, wanted in (("instance:pmctop_ipc:ratio_rate1m", IPC),
                         ("instance:pmctop_cycles_lost:ratio_rate1m", 1 - IPC),
                         ("instance:pmctop_branch_misses:per_kiloinstruction_rate1m",
                          MADE["branch_misses"]),
                         ("instance:pmctop_cache_misses:per_kiloinstruction_rate1m",
                          MADE["cache_misses"]),
                         ('instance_comm:pmctop_ipc:ratio_rate1m{comm=~"spin|pingpong|pong"}', IPC)):
        check_figure(prometheus, name, wanted, f"{name} is {wanted}",
               ONE_TASKS if "comm" in name else SUMS)
    for panel, expression in dashboard_queries():
        if panel.startswith("Instructions per cycle") or panel == "Who runs most C":
            busy = f'({expression}) and on (instance) up'
            if "comm" in expression or "cgroup" in expression:
                continue  # a task that hardly ran has too few cycles for a ratio
            check_figure(prometheus, busy, IPC, f"dashboard: {panel} is {IPC}")


def replayed(binaries, directory, last):
    """A replay of the same run's recording on this machine, in its own time."""
    data = os.path.join(directory, "run.data")
    with open(data, "wb") as file:
        file.write(gzip.decompress(base64.b64decode("".join(frames.text(sys.argv[2],
                                                                         "run.data")))))
    os.mkdir(os.path.join(directory, "replayed"))
    port = free_port()
    # Prometheus scrapes from the beginning of the replay.
    prometheus = Prometheus(binaries, os.path.join(directory, "replayed"), port)
    served = Served(os.path.join(BUILD, "pmctop"), "-b", "--replay", data, "--speed", "0.5",
                    listen=f":{port}")
    try:
        wanted = re.search(r"^pmctop_snapshots_total (\d+)$", last, re.M)[1]
        check("replay: it continues to serve at its end",
              until(lambda: served.value("pmctop_snapshots_total") == int(wanted)),
              (served.value("pmctop_snapshots_total"), wanted, served.stderr))
        # Tasks stay in the text for a while after they ran. A replay's own cost differs.
        original = {name: value for name, value in counters(last).items() if "misses" not in name
                    and name not in ("pmctop_records_total", "pmctop_own_cpu_seconds_total")}
        replay = counters(served.get(accept=OPENMETRICS)[2])
        off = {name: (value, replay.get(name)) for name, value in original.items()
               if value != replay.get(name)}
        check("replay: each counter is that of the emulated machine",
              len(original) > 100 and not off, off)
        check_ratios(prometheus, "replay")
    finally:
        prometheus.stop()
        served.stop()


def counters(text):
    return dict(re.findall(r"^(pmctop_\w+_total(?:\{.*\})?) (\S+)$", text, re.M))


def main():
    printed = "".join(frames.text(sys.argv[2], "texts"))
    texts = [with_misses(text + "# EOF\n") for text in printed.split("# EOF\n") if text.strip()]
    check("each refresh has a text with counters", len(texts) == 16 and all(
        NEEDS_COUNTERS.search(text) for text in texts), len(texts))
    try:
        binaries = tools(BUILD)
    except SystemExit:
        frames.skip("Prometheus", "not installed, and cannot be downloaded")
        frames.finish()
    with tempfile.TemporaryDirectory() as directory:
        server = Texts(texts)
        prometheus = Prometheus(binaries, directory, server.server_port)
        try:
            scraped = 'count_over_time(pmctop_snapshots_total[1m]) > 12'
            check("Prometheus reads the texts", until(lambda: prometheus.finite(scraped)),
                  prometheus.get("targets"))
            check_ratios(prometheus, "texts")
            queries(prometheus)
            check_values(prometheus)
        finally:
            prometheus.stop()
            server.shutdown()
        replayed(binaries, directory, texts[-1])
    frames.finish()


main()
