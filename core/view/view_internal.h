// SPDX-License-Identifier: MIT
#ifndef PMCTOP_VIEW_INTERNAL_H
#define PMCTOP_VIEW_INTERNAL_H

#include "core/view/view.h"

/* What the parts of a view share; for core/view*.c alone. */

/* Fills columns and n_columns; what they show of the baseline is not known yet. */
void view_make_columns(struct view *view);
/* -ENOENT where there is none of that name. */
int view_find_column(const struct view *view, const char *name);

/* Which rows or CPUs there are: all of a view but their order. */
void view_make_rows(struct view *view, const struct row_filter *filter);

/* Finds the view's rows in the baseline of its spec, which there is; filter may be NULL. */
void view_compare(struct view *view, const struct row_filter_spec *filter);
void view_compare_fini(struct view *view);

/* What a column of a metric would show without a baseline. */
struct figure view_now(const struct view *view, size_t index, const struct view_column *column);

#endif
