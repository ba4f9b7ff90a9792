# SPDX-License-Identifier: MIT
"""Figures of the benchmark as a table and as JSON.

A figure has a value per round; its median and range are printed. A figure with a goal has a verdict
by its median: "reached" or "not reached", or "too noisy" if the machine was too busy to decide. A
figure without values has the reason: "missing" (not installed), "refused" (it does not run here) or
"not measured".
"""
import json
import os
import statistics

REACHED, NOT_REACHED, NOISY = "reached", "not reached", "too noisy"


def digits(value):
    """The value with three significant digits, or as a whole number."""
    if value is None:
        return "-"
    if value == int(value) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) < 100 else f"{value:.1f}"


class Figure:
    def __init__(self, part, name, values, unit="", most=None, least=None, noisy=None, note=""):
        self.part, self.name, self.unit = part, name, unit
        self.values = [float(value) for value in values]
        self.most, self.least, self.noisy, self.note = most, least, noisy, note

    @property
    def median(self):
        return statistics.median(self.values) if self.values else None

    @property
    def goal(self):
        if self.most is not None:
            return f"<= {digits(self.most)}"
        return f">= {digits(self.least)}" if self.least is not None else ""

    @property
    def verdict(self):
        if not self.values:
            return self.note.split(":")[0] or "not measured"
        if not self.goal:
            return ""
        if self.noisy:
            return NOISY
        good = self.median <= self.most if self.most is not None else self.median >= self.least
        return REACHED if good else NOT_REACHED

    def as_json(self):
        return {"part": self.part, "name": self.name, "unit": self.unit, "goal": self.goal or None,
                "median": self.median, "values": self.values, "verdict": self.verdict or None,
                "told": self.as_row()[-1] or None}

    def as_row(self):
        spread = ""
        if len(self.values) > 1:
            spread = f"{digits(min(self.values))} .. {digits(max(self.values))}"
        unit = f" {self.unit}" if self.unit not in ("", "x") else self.unit
        value = f"{digits(self.median)}{unit}" if self.values else "-"
        note = self.noisy or self.note if self.values else self.note
        return (self.name, self.goal, value, spread, self.verdict, note)


class Report:
    """All figures. In each part ratios come first, then figures with a goal."""

    def __init__(self, machine, progress=None):
        self.machine, self.figures, self.progress = machine, [], progress

    def add(self, part, name, values, unit="", **more):
        """`values`: several, one, or None for none."""
        if values is None:
            values = []
        elif not isinstance(values, (list, tuple)):
            values = [values]
        figure = Figure(part, name, values, unit, **more)
        self.figures.append(figure)
        if self.progress:
            print("  " + "  ".join(text for text in figure.as_row() if text), file=self.progress,
                  flush=True)
        return figure

    def find(self, name):
        return next((figure for figure in self.figures if figure.name == name), None)

    def as_json(self):
        return {"schema": "pmctop-bench/1", "machine": self.machine,
                "figures": [figure.as_json() for figure in self.figures]}

    def write(self, directory):
        for name, text in (("bench.json", json.dumps(self.as_json(), indent=1) + "\n"),
                           ("bench.md", self.as_markdown()), ("bench.txt", self.as_text())):
            with open(os.path.join(directory, name), "w", encoding="utf-8") as out:
                out.write(text)

    def as_text(self):
        lines = [f"{name}: {value}" for name, value in self.machine.items()]
        head = ("", "goal", "median", "range", "", "")
        shown = {figure: figure.as_row() for figure in self.figures}
        widths = [max([len(row[i]) for row in shown.values()] + [len(head[i])]) for i in range(5)]
        for part in dict.fromkeys(figure.part for figure in self.figures):
            mine = [figure for figure in self.figures if figure.part == part]
            mine.sort(key=lambda figure: (figure.unit != "x", not figure.goal))
            lines += ["", line((part, *head[1:]), widths)]
            lines += [line(shown[figure], widths) for figure in mine]
        counts = {}
        for figure in self.figures:
            if figure.verdict:
                counts[figure.verdict] = counts.get(figure.verdict, 0) + 1
        lines += ["", ", ".join(f"{n} {verdict}" for verdict, n in counts.items())]
        return "\n".join(lines) + "\n"

    def as_markdown(self):
        """A table of the figures with a goal."""
        lines = [", ".join(f"{name} {value}" for name, value in self.machine.items()), "",
                 "| | goal | measured | range | |", "|---|---|---|---|---|"]
        for figure in self.figures:
            if figure.goal:
                lines.append("| " + " | ".join(figure.as_row()[:5]) + " |")
        return "\n".join(lines) + "\n"


def line(row, widths):
    name, goal, value, spread, verdict, note = row
    text = (f"{name:{widths[0]}}  {goal:>{widths[1]}}  {value:>{widths[2]}}  "
            f"{spread:>{widths[3]}}  {verdict:{widths[4]}}  {note}")
    return text.rstrip()
