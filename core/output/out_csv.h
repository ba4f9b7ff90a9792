// SPDX-License-Identifier: MIT
#ifndef PMCTOP_OUT_CSV_H
#define PMCTOP_OUT_CSV_H

#include "core/view/view.h"

#include <stdio.h>

/*
 * Comma-separated values (RFC 4180, but lines end in \n alone): a header line, then for every
 * refresh a row for the machine, its parts, each CPU and each row of the view. The first columns
 * are the same in every run:
 *
 *	- time, interval_s: when the interval ended, and how long it was
 *	- scope: what the row is of (below)
 *	- cpu: the number of the CPU, socket or node; cpus: how many of it were counted
 *	- pid, tid, parent, comm, cmdline, user, cgroup, processes, threads, exited (1), verdict:
 *	  as json's; what a row of the view does not have is empty
 *	- lost_records: in a row of scope system
 *	- summary: part of the summary of a command's run; else empty
 *	- states: "ipc=scaled:0.75;llc_mpki=unsupported": each state that is not "valid"
 *	- offset_s: of a recording, when the interval ended, in seconds since the recording began;
 *	  else empty
 *
 * Scopes:
 *
 *	- system: the machine
 *	- idle, unattributed, others, left_out: its parts, as json's totals have them: events only
 *	- target: sum of the tasks of the target, if there is one
 *	- cpu, socket, node, and cpu_idle, socket_idle, node_idle: the idle part of it
 *	- task: a row of the view: process, thread, user, cgroup, command, or one of a tree
 *	- function: a function of the row or CPU of the view before it, if there is a profile
 *
 * Then each event (its count, as in json's "events") and each metric, by its name, or as
 * "metric.NAME", "event.NAME" if the name is in use. Then each event again, as NAME_scaled or
 * "scaled.NAME_scaled": its count scaled to the whole time, as in json's "scaled". Unknown values
 * are empty. Both columns of an event have the same state.
 *
 * As in json, task + left_out + others + idle + unattributed = system, for every event and its
 * scaled count: in a tree of the tasks without a parent.
 *
 * If the counted events change (in a recording), a new header line follows. It has "scope" in the
 * column scope. The first columns keep their places.
 *
 * With a profile (--code) there are further columns of rows of scope function, empty in others.
 * Behind offset_s: function, module, kind, and samples, share, error of the time event. At the end:
 * NAME_samples, NAME_share and NAME_error of each other sampled event (or "sampled.NAME_..."). What
 * they mean is in core/output/out_json_code.h. A function has no counts as they were counted. It
 *has states of known values only. Its NAME_scaled is the count of its row times its share, and
 *metrics are computed from these counts.
 *
 * There are no values of the machine as a whole (struct snapshot_machine).
 *
 * All texts are printable UTF-8 on one line (text_printable). A name that begins with = is not
 * changed: a spreadsheet may treat it as a formula.
 */
struct csv;

struct csv *csv_new(void);
void csv_free(struct csv *csv); /* NULL is fine */

/* Errors stay in the FILE (ferror). */
void out_csv(struct csv *csv, const struct view *view, FILE *out);

#endif
