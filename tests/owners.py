#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks which files of core/ and tui/ write the members of structs that several rooms share.

SHARED has the structs: the header, the owner of the members, and the members with other owners. An
owner is the begin of a path. Other files read the members, and call functions of the owner to change
them. The check is textual. It finds an assignment, ++, --, and memset(), memcpy() or text_copy() into
a member of a variable that the function declares, or of a member with the name of the struct. KEPT has
the structs to which only the owner may have a pointer without const.

Prints each fault. Status 1 if there is one.
"""
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")

COUNTING = ("core/attrib/", "core/wait/", "core/collect/", "core/replay/")
SHARED = {
    "task": ("core/attrib/tasks.h", "core/attrib/", {
        "target": "core/attrib/target",
        "times": "core/collect/proc_times.c",
        "io": "core/snapshot/fact_reader.c",
        "proof": "core/snapshot/run_proof.c",
        "sleeping": "core/snapshot/snapshot_build.c",
        "wait": "core/wait/",
    }),
    "cgroup": ("core/attrib/cgroups.h", "core/attrib/", {
        "index": "core/snapshot/cgroup_reader.c",
        "quota": "core/wait/throttling.c",
        "memory": "core/snapshot/cgroup_reader.c",
        "pressure": "core/snapshot/cgroup_reader.c",
    }),
    "interval": ("core/attrib/interval.h", "core/attrib/", {
        "cpus": COUNTING, "idle": COUNTING, "unattributed": COUNTING, "others": COUNTING,
        "totals": COUNTING,
    }),
    "collect": ("core/collect/collect.h", "core/collect/", {}),
}
KEPT = {
    "task_wait": "core/wait/",
    "task_times": "core/collect/proc_times.c",
    "task_io_reading": "core/snapshot/fact_reader.c",
    "task_proof": "core/snapshot/run_proof.c",
    "cgroup_quota_account": "core/wait/throttling.c",
    "cgroup_memory_account": "core/snapshot/cgroup_reader.c",
    "cgroup_pressure_account": "core/snapshot/cgroup_reader.c",
    "cpu_coverage": "core/attrib/",
}

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
# What writes a place, before and after it, and the rest of the place behind a member.
BEFORE = r"(?P<before>(?:\+\+|--|\b(?:memset|memcpy|memmove|text_copy)\(&?)(?:\w+(?:->|\.))*?)?"
AFTER = r"\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--"
PLACE = r"(?:\.\w+|\[(?:[^\[\]]|\[[^\]]*\])*\])*"
# Text of a file at that path, and the member whose owner it ignores.
EXAMPLES = [
    ("core/snapshot/rows.c", "struct task *task; task->wait.queued = true;", "task.wait"),
    ("core/wait/waits.c", "struct task *task; task->wait.queued = true;", None),
    ("core/replay/replay.c", "struct task *main; main->start_ns = 0;", "task.start_ns"),
    ("core/replay/replay.c", "struct row *main; main->start_ns = 0;", None),
    ("core/replay/replay.c", "struct task *main;\n}\nstruct row *main; main->start_ns = 0;", None),
    ("core/replay/replay.c", "struct row task; task.start_ns = 0;", None),
    ("core/attrib/tasks.c", "entry->task->times.run++;", "task.times"),
    ("core/collect/proc_scan.c", "if (entry->task->kernel == kernel || task->uid <= 1)", None),
    ("core/collect/proc_scan.c", "memset(&entry->task->io, 0, bytes)", "task.io"),
    ("core/wait/waits.c", "struct interval *interval; interval->coverage[of(i)].gaps |= any;", "interval.coverage"),
    ("core/wait/waits.c", "struct interval *interval; interval->totals[at[i]] += ns;", None),
    ("core/view/view.c", "struct interval *interval; interval->totals[at[i]] += ns;", "interval.totals"),
    ("core/engine/engine.c", "++engine->collect->n_code_events;", "collect.n_code_events"),
    ("core/attrib/attrib.c", "struct task_wait *wait = &task->wait;", "task_wait"),
    ("core/attrib/attrib.c", "const struct task_wait *wait = &task->wait;", None),
]


def c_files():
    for top in ("core", "tui"):
        for folder, _, names in sorted(os.walk(top)):
            yield from (f"{folder}/{name}" for name in sorted(names) if name.endswith((".c", ".h")))


def members_of(struct, header):
    """The names of the members of a struct that a header defines."""
    body = re.search(rf"^struct {struct} {{\n(.*?)^}};", header, re.M | re.S)[1]
    body = re.sub(r"{[^}]*}", "", COMMENT.sub("", body))
    return set(re.findall(r"(\w+)(?:\[\w+\])*\s*[,;]", body))


def variables_of(struct, text):
    return set(re.findall(rf"\bstruct {struct} \**(?:const )?(\w+)", text))


def owners_of(struct, owner, others):
    """{member: its owners}."""
    with open(SHARED[struct][0], encoding="utf-8") as file:
        members = members_of(struct, file.read())
    for member in others.keys() - members:
        sys.exit(f"owners: struct {struct} has no member {member}")
    return {member: others.get(member, owner) for member in members}


def faults_of(path, text, owners):
    """(offset, member) of each write in the text of a file by which it ignores the owner of a member."""
    text = COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), text)
    for function in re.finditer(r".+?(?:^}|\Z)", text, re.M | re.S):
        for struct, members in owners.items():
            variables = "|".join([rf"(?<=>|\.){struct}", *variables_of(struct, function[0])])
            place = rf"\b(?:{variables})(?:->|\.)(?P<member>{'|'.join(members)})\b{PLACE}"
            for write in re.finditer(rf"{BEFORE}{place}(?P<after>{AFTER})?", function[0]):
                if (write["before"] or write["after"]) and not path.startswith(members[write["member"]]):
                    yield function.start() + write.start(), f"{struct}.{write['member']}"
    for struct, owner in KEPT.items():
        if not path.startswith(owner):
            for pointer in re.finditer(rf"(?<!const )\bstruct {struct} \*", text):
                yield pointer.start(), struct


def main():
    os.chdir(ROOT)
    owners = {struct: owners_of(struct, owner, others)
              for struct, (_, owner, others) in SHARED.items()}
    faults = []
    for path, text, member in EXAMPLES:
        found = [name for _, name in faults_of(path, text, owners)]
        if found != [member] * bool(member):
            faults.append(f"owners: {path}: {text} {found or 'is no fault'}")
    for path in c_files():
        with open(path, encoding="utf-8") as file:
            text = file.read()
        faults += [f"{path}:{text.count(chr(10), 0, at) + 1}: {member} has another owner"
                   for at, member in faults_of(path, text, owners)]
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
