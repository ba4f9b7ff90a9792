// SPDX-License-Identifier: MIT
#ifndef PMCTOP_OUT_JSON_CODE_H
#define PMCTOP_OUT_JSON_CODE_H

#include "core/output/out_code.h"

#include <stdio.h>

/*
 * Members of out_json() for functions, if the snapshot has a profile (--code):
 *
 *   "code":{"time","events":[NAME],"lost"}
 *   "functions":[FUNCTION],"functions_left_out"
 *   FUNCTION = {"name","module","kind","samples","share","error",
 *               "events":{NAME:{"samples","share","error","count"}},"metrics":{NAME:value}}
 *
 * "code" has the sampled events, the one of time among them, and the number of lost samples.
 * "functions" are the functions of a row that had samples, the largest share of time first:
 * of a task, of a CPU, socket or node if these are the rows, and of "target", or without a target
 * of "totals". With --top there are as many of each, and the number that is left out.
 *
 * "share" is the function's share of the row's samples, 0 to 1, by their weights, "error" its
 * standard error. The first three figures are of the time event. "count" is the exact count
 * of the row times the share, as "scaled" has counts. "metrics" are the metrics with only sampled
 * counts. Of an event without a sample in the function all but "samples" is null: small, but not
 * 0. "kind": "user", "kernel", "unnamed" (a place without a function: "libc.so.6+0x1234") or
 * "rest".
 */

/* Prints a metric of a row or of a function: "NAME":VALUE. */
void json_put_metric(FILE *out, const struct metric_def *def, struct figure figure);
/* Prints "code" with a comma before it; nothing without a profile. */
void json_put_code(FILE *out, const struct out_code *code);
/* Print the functions of a line or sum, with a comma before them; nothing without a profile. */
void json_put_functions_of_line(FILE *out, const struct out_code *code, size_t line);
void json_put_functions_of_sum(FILE *out, const struct out_code *code);

#endif
