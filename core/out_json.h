// SPDX-License-Identifier: MIT
#ifndef PMCTOP_OUT_JSON_H
#define PMCTOP_OUT_JSON_H

#include "view.h"

#include <stdio.h>

/*
 * One refresh as one JSON object on one line, schema "pmctop/1":
 *
 *   {"schema","time","interval_s","host","mode","pmu","turns","cpus":[CPU],"tasks":[TASK],
 *    "totals":{EVENTS,METRICS,STATES,"idle":{EVENTS},"unattributed":{EVENTS}},
 *    "lost_records","notes":[sentence]}
 *   CPU  = {"cpu",EVENTS,METRICS,STATES,"idle":{EVENTS}}
 *   TASK = {"pid","tid","comm","user","cgroup","exited",EVENTS,METRICS,STATES}
 *
 * EVENTS are counts of this interval (ns for task-clock) as they were counted, not scaled, so that
 * tasks + idle + unattributed = totals; one that sysfs gives a scale is in its unit. A column of an
 * event is among METRICS too, scaled. "turns": how many groups of events take turns with the
 * counters; 1: all are counted all the time. METRICS are over what was not idle where there is an
 * idle part. What is not known is null. STATES names what is not plainly valid: "scaled:0.75" was
 * counted for that share of the time (an event's count / share estimates the whole), and the words
 * of figure_state_name for what is null; it is left out when there is nothing to name, and so is
 * "exited" unless it is true.
 *
 * Strings are valid UTF-8 whatever bytes are in them: what is none becomes U+FFFD, control
 * characters \u00XX. The rows are those of the view (VIEW_TASKS), in its order. Numbers have a
 * decimal point in every locale. Errors stay in the FILE (ferror).
 */
void out_json(const struct view *view, FILE *out);

#endif
