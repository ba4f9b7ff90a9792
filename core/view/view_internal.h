// SPDX-License-Identifier: MIT
#ifndef PMCTOP_VIEW_INTERNAL_H
#define PMCTOP_VIEW_INTERNAL_H

#include "core/view/code_hottest.h"
#include "core/view/view.h"

#include <stdbool.h>

/* Shared by core/view/view*.c, and for these alone. */

/* Sets columns and n_columns. view_compare() sets what they show of the baseline. */
void view_make_columns(struct view *view);
/* Returns the index of the column of that name, or -ENOENT. */
int view_find_column(const struct view *view, const char *name);

/* Sets the rows or CPUs of a view, without an order. */
void view_make_rows(struct view *view, const struct row_filter *filter);

/* Finds the view's rows in the baseline of its spec, which is not NULL. filter may be NULL. */
void view_compare(struct view *view, const struct row_filter_spec *filter);
void view_compare_fini(struct view *view);

/* Returns what a column of a metric would show without a baseline. */
struct figure view_now(const struct view *view, size_t index, const struct view_column *column);

/* By socket or node: whether the CPUs of that unit are shown below it. */
static inline bool view_is_unfolded(const struct view_spec *spec, int unit)
{
	return unit >= 0 && unit < VIEW_UNITS && spec->unfolded[unit];
}

/* Returns false if the row or CPU of that index has no samples. */
bool view_hottest(const struct view *view, size_t index, struct code_hottest *hottest);

/* Returns what is judged in a line; figures NULL: a CPU that was not counted. */
struct verdict_subject view_subject(const struct view *view, size_t index);

/* Returns the figures of the row or CPU of that index. */
struct shown_figures view_shown_figures(const struct view *view, size_t index);

/* By socket or node: sets units, cpu_lines, cpus and n. */
void view_unfold_cpus(struct view *view);
/* By socket or node: puts the sorted CPUs below their units. */
void view_group_cpus(struct view *view);
/* Returns stall% of the CPU or unit of that index (cpu_stall.h). */
struct figure view_stall(const struct view *view, size_t index);
/* Returns whether GHz can be a column: all levels are counted, and the metric ghz is no column. */
bool view_has_ghz(const struct columns *columns);
/* Returns the mean GHz of a CPU or unit while it was busy. NOT_COUNTED if it was not counted. */
struct figure view_ghz(const struct columns *columns, const struct snapshot_cpu *cpu);

#endif
