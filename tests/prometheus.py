# SPDX-License-Identifier: MIT
"""The real Prometheus, started by a test, and the queries of the files in
core/output/monitoring."""
import atexit
import json
import math
import os
import re
import shutil
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

from served import free_port, until

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = os.path.join(HERE, "..", "core", "output", "monitoring")
RULES, DASHBOARD = (os.path.join(FILES, name) for name in ("pmctop.rules.yml", "grafana.json"))
INTERVAL = "400ms"  # of scrapes and rules, in place of the example's 15 seconds
NEEDS_COUNTERS = re.compile(r"cycles|instructions|branch_misses|cache_miss|pmctop_ipc")
WINDOW = "30s"      # Grafana's $__rate_interval


def tools(build):
    """The directory of prometheus, promtool and node_exporter. Ends the test without them."""
    directory = os.path.join(build, "monitoring")
    fetched = subprocess.run([os.path.join(HERE, "monitoring", "tools.sh"), directory],
                             capture_output=True, text=True, check=False)
    if fetched.returncode:
        print(fetched.stderr, file=sys.stderr)
        sys.exit(fetched.returncode)
    return os.path.join(directory, "bin")


def write_config(directory, pmctop_port, node_port):
    """Writes the example configuration with the test's ports and interval, and the rules."""
    with open(os.path.join(FILES, "prometheus.yml"), encoding="utf-8") as example:
        text = example.read()
    for old, new in (("_interval: 15s", f"_interval: {INTERVAL}"),
                     ("127.0.0.1:9105", f"127.0.0.1:{pmctop_port}"),
                     ("127.0.0.1:9100", f"127.0.0.1:{node_port}")):
        assert old in text, old
        text = text.replace(old, new)
    path = os.path.join(directory, "prometheus.yml")
    with open(path, "w", encoding="utf-8") as config:
        config.write(text)
    shutil.copy(RULES, directory)
    return path


class Prometheus:
    def __init__(self, binaries, directory, pmctop_port, node_port=1):
        config = write_config(directory, pmctop_port, node_port)
        self.port = free_port()
        self.log = open(os.path.join(directory, "prometheus.log"), "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [os.path.join(binaries, "prometheus"), f"--config.file={config}",
             f"--storage.tsdb.path={directory}/data", f"--web.listen-address=127.0.0.1:{self.port}",
             "--log.level=warn"], stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        atexit.register(self.process.kill)
        if not until(self._is_ready):
            self.stop()
            self.log.seek(0)
            raise RuntimeError(self.log.read()[-2000:])

    def _is_ready(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/-/ready", timeout=10) as got:
                return got.status == 200
        except OSError:
            return False

    def get(self, path, **parameters):
        """The data of an API's answer. Raises ValueError with the message of a refusal."""
        url = f"http://127.0.0.1:{self.port}/api/v1/{path}"
        if parameters:
            url += "?" + urllib.parse.urlencode(parameters, doseq=True)
        try:
            with urllib.request.urlopen(url, timeout=60) as got:
                answer = json.load(got)
        except urllib.error.HTTPError as error:
            answer = json.load(error)
        if answer["status"] != "success":
            raise ValueError(f"{answer['error']}: {parameters}")
        return answer["data"]

    def query(self, expression):
        """[(labels, value)] at the current time."""
        data = self.get("query", query=expression)
        return [(series["metric"], float(series["value"][1])) for series in data["result"]]

    def finite(self, expression):
        return [series for series in self.query(expression) if math.isfinite(series[1])]

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=60)


def dashboard():
    with open(DASHBOARD, encoding="utf-8") as file:
        return json.load(file)


def plain(expression):
    """The expression as Grafana sends it."""
    for variable, value in (("$__rate_interval", WINDOW), ("$job", ".*"), ("$instance", ".*")):
        expression = expression.replace(variable, value)
    assert "$" not in expression, expression
    return expression


def dashboard_queries():
    """[(panel, query)] of the dashboard."""
    panels = [inner for panel in dashboard()["panels"] for inner in (panel, *panel.get("panels", []))]
    return [(f"{panel['title']} {target['refId']}", plain(target["expr"]))
            for panel in panels for target in panel.get("targets", [])]


def rules(prometheus):
    """[(name, query)] of the rules, as Prometheus has read them."""
    return [(rule["name"], rule["query"]) for group in prometheus.get("rules")["groups"]
            for rule in group["rules"]]


def is_alert(name):
    return name.startswith("Pmctop")
