// SPDX-License-Identifier: MIT
#ifndef PMCTOP_OUT_JSON_H
#define PMCTOP_OUT_JSON_H

#include "core/view/view.h"

#include <stdio.h>

/*
 * One refresh as one JSON object on one line, schema "pmctop/1":
 *
 *   {"schema","time","interval_s","host","replay","offset_s","mode","pmu","count","turns",
 *    "threads":{"ran","counted"},"by","cpus":[CPU],"tasks":[TASK],
 *    "totals":{"verdict",EVENTS,METRICS,STATES,"idle":{EVENTS,STATES},
 *              "unattributed":{EVENTS,STATES},"others":{EVENTS,STATES}},
 *    "target":{EVENTS,METRICS,STATES,"ended"},"machine":{NAME:value,"interrupts":[INTERRUPT]},
 *    "pmctop":{"cpu_percent","records","kernel_ns_per_switch","cycles","cycles_read"},
 *    "findings":[FINDING],"lost_records","notes":[sentence]}
 *   INTERRUPT = {"cpu","kind","percent","most"}
 *   FINDING = {"verdict","cpus","pid","tid","sentence"}
 *   CPU  = {"cpu",EVENTS,METRICS,STATES,"idle":{EVENTS,STATES}}
 *   TASK = {"pid","tid","comm","cmdline","user","cgroup","exited","verdict",EVENTS,METRICS,STATES}
 *
 * "by" is what a row of tasks is (rollup_name): by user, cgroup and command what its tasks do not
 * have in common is null, and {"processes","threads"} have their numbers; by tree a row has the
 * counts of all below it too and {"parent"} is the pid it stands below, null for rows that add up
 * to the totals. By socket and node there are {"sockets":[CPU]} or {"nodes":[CPU]} beside the CPUs,
 * with that number for "cpu" and how many "cpus" were counted, and by them or by CPU no tasks.
 *
 * "machine" has load, memory and pressure by the names of machine_value_defs (core/snapshot/
 * snapshot_machine.h), null where unknown, and the CPUs that spend 5 percent or more in interrupts
 * (kind "irq") or softirqs, with the most frequent one. It is left out where nothing is
 * known, as in a replay of perf's recordings.
 *
 * "pmctop" is its own cost, if known: its CPU time, the records that it read, an estimate of the
 * kernel's time per switch, and the cycles of the thread that counts, read by a system call
 * ("call") or without one ("user").
 *
 * "replay" is present in a replay: the name of the file, or "-" for a pipe; and "offset_s", the end
 * of the interval in seconds since the begin of the recording. "time" is null if the recording does
 * not have it.
 *
 * "verdict" is what limits a task (verdict_word), or null if too little is counted, or if the task
 * hardly ran and nothing held it up. The verdict of the totals is the greatest loss of the
 * machine, or of the target. Without a loss it is the verdict of the sum of all rows.
 * It is null if too much CPU time could not be attributed to rows.
 *
 * "findings" are what costs the machine, or the target, most (core/view/finding.h), in that order.
 * "kind" is the word of the verdict, or "use" (of the CPUs), "machine" (its memory, pressure or
 * interrupts), "unattributed" or "profile". "cpus": of a verdict about running, the CPUs' time that
 * it costs, of a wait, how many threads wait, and of use, how many CPUs the processes use; "state"
 * is that figure's, if it is not exact. "pid" and "tid" are its main task's, if it has one.
 *
 * With a filter there are {"filter"}, its text, and in totals {"left_out":{EVENTS,STATES}}: the
 * counts of the tasks that the filter leaves out. A row of a tree that does not pass, but is above
 * rows that pass, has their counts only. With --top there are {"top","rows_left_out"}, and the
 * counts of these rows are in "left_out" too.
 *
 * "count" has the counted privilege levels ("all", "user", "kernel"). "threads" has the number of
 * the user's threads that ran, and of those with counters: only if tasks are counted one by one,
 * and never in a summary. With a target there are "target" (the sum of its tasks), "others" (of all
 * other tasks; without a target, of tasks outside of this pid namespace), and "ended": true if all
 * processes of the target have ended. "mode" is "system", "task" or "proc".
 *
 * EVENTS = "events":{NAME: count},"scaled":{NAME: count}. "events" are counts of this interval (ns
 * for task-clock) as they were counted. "scaled" are the same counts scaled up to the whole time,
 * whole numbers too: equal where the event was counted all the time, null where its count is. In
 * both, tasks + left_out + others + idle + unattributed = totals, with null as 0. An event that
 * sysfs gives a scale is in its unit. task-clock and context-switches in "events" are of the whole
 * time already, so "scaled" has them unchanged.
 *
 * In "scaled" each row is scaled by its own share, and totals and target are sums of rows
 * (core/output/out_sums.h). What ran only while an event was not counted is null, and
 * "unattributed" has an estimate of it. Each CPU is scaled by its own share, so in "scaled" their
 * sum may differ from totals.
 *
 * A column of an event is among METRICS too, scaled: in totals by one share of all that was not
 * idle. "turns": how many groups of events take turns with the counters; 1: all are counted all the
 * time. METRICS are over what was not idle where there is an idle part. What is not known is null.
 * The metric "state" is a letter. CPUs, totals and target have no facts of tasks: null.
 *
 * STATES has each state that is not "valid". "scaled:0.75" of an event: its count in "events" is of
 * that share of the time, its count in "scaled" is the estimate for the whole. In "unattributed" it
 * means an estimate for rows that are null. "lost": both are too low. Else the words of
 * figure_state_name, for what is null. A name has one state, so a raw count that is partial is not
 * named again. STATES is left out when there is nothing to name, and so is "exited" unless it is
 * true, and "cmdline" unless it was requested.
 *
 * The summary of a run (snapshot->run) has behind its schema
 *
 *   "summary":true,"part","parts","command":[argument],"status","elapsed_s","user_s","system_s"
 *
 * and its tasks are processes; a task with pid null is the sum of processes that were too many to
 * keep. status is the command's, 128 + the signal that killed it, or null while it still runs.
 *
 * With --code there are {"code"} and {"functions"}: core/output/out_json_code.h.
 *
 * json_string.h has the form of strings, which may have any bytes. The rows are the view's, in its
 * order. Numbers have a decimal point in every locale. Errors stay in the FILE (ferror).
 */
void out_json(const struct view *view, FILE *out);

#endif
