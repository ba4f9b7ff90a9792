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
 *	- summary: which part of the summary of a command's run it is of; else empty
 *	- states: "ipc=scaled:0.75;llc_mpki=unsupported": what is not plainly valid
 *	- offset_s: of a recording, when the interval ended, in seconds since the recording began;
 *	  else empty
 *
 * Scopes:
 *
 *	- system: the machine
 *	- idle, unattributed, others, left_out: its parts, as json's totals have them: events only
 *	- target: what was asked for, added up, where something was
 *	- cpu, socket, node, and cpu_idle, socket_idle, node_idle: the idle part of it
 *	- task: a row of the view: process, thread, user, cgroup, or one of a tree
 *
 * and behind them each event (its count, as json's "events" has it) and each metric by its name, or
 * "metric.NAME", "event.NAME" where that name is taken. Behind these stands each event again, as
 * NAME_scaled or "scaled.NAME_scaled": its count scaled up to the whole time, as json's "scaled"
 * has it. What is not known is empty. The state of an event is that of both of its columns.
 *
 * As in json, task + left_out + others + idle + unattributed = system, for every event and its
 * scaled count: in a tree of the tasks without a parent.
 *
 * Where what is counted changes on the way (a recording in which it did), another header line
 * follows, which "scope" in the column scope tells; the first columns stay where they are.
 *
 * Texts are printable UTF-8 on one line whatever bytes are in them (text_printable). They are not
 * changed beyond that: a name that begins with = is told as it is, and a spreadsheet may take it
 * for a formula.
 */
struct csv;

struct csv *csv_new(void);
void csv_free(struct csv *csv); /* NULL is fine */

/* Errors stay in the FILE (ferror). */
void out_csv(struct csv *csv, const struct view *view, FILE *out);

#endif
