#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# tests/run: alone, it uses all CPUs.
"""The sick and healthy processes of illnesses.py: what the kernel counts for each is what its name
says, and nothing of it is left.

Prints TAP. BUILD is the build directory. Needs root for the cgroups.
"""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from frames import check, finish, skip, skip_all  # noqa: E402
from illnesses import HEALTHY, ILLNESSES, CannotBeMade, Seen, cgroup_of, started  # noqa: E402
from programs import LOAD, alive  # noqa: E402

if not os.path.exists(os.path.join(LOAD, "confine")):
    skip_all(f"no {LOAD}/confine: make loads")
for name, illness in {**ILLNESSES, **HEALTHY}.items():
    try:
        with started(name) as sick:
            seen = Seen(sick)
    except CannotBeMade as reason:
        skip(name, reason)
        continue
    print(f"# {name}: {seen}")
    check(f"{name}: the witness agrees", illness.witness(seen), seen)
    check(f"{name}: nothing is left", not any(map(alive, sick.pids)) and not cgroup_of(sick.pid),
          sick)
    if name == "idle":
        agree = [each for each, other in ILLNESSES.items() if other.witness(seen)]
        check("no witness takes a sleeping process for a sick one", not agree, agree)
finish()
