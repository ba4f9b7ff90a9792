# SPDX-License-Identifier: MIT
"""Shared by event_codes.py and metric_values.py: a reading of the vendors' files that is independent
of core/tables/make_tables.py, which makes the table of them.
"""
import csv
import glob
import json
import re


def read_json(path):
    with open(path, encoding="utf-8-sig") as file:
        return json.load(file)


def intel_cpus(folder):
    """{ID of a CPU: [row]}, an ID for each pattern of mapfile.csv."""
    found = {}
    with open(f"{folder}/mapfile.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            model, _, steppings = row["Family-model"].partition("[")
            found.setdefault(model + steppings[0] if steppings else f"{model}-1", []).append(row)
    return found


def arm_cpus(folder):
    """Yields the ID of a CPU for each file, its path in the folder, and its content."""
    for path in sorted(glob.glob("data/pmu/cpu/neoverse/*.json", root_dir=folder)):
        content = read_json(f"{folder}/{path}")
        product = content["product_configuration"]
        revision = re.search(r"-r(\d)p(\d)", path)
        major, minor = revision.groups() if revision else (
            product["major_revision"], product["minor_revision"])
        yield f"ARM-41-{product['part_num'][2:].upper()}-{major}-{minor}", path, content
