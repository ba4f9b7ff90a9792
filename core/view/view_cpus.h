// SPDX-License-Identifier: MIT
#ifndef PMCTOP_VIEW_CPUS_H
#define PMCTOP_VIEW_CPUS_H

#include "core/view/view.h"

/* The lines of a view by socket or node (core/view/view.c alone needs these). */

static inline bool view_is_unfolded(const struct view_spec *spec, int unit)
{
	return unit >= 0 && unit < VIEW_UNITS && spec->unfolded[unit];
}

/* Fills in units, cpu_lines, cpus and n. */
void view_unfold_cpus(struct view *view);
/* What the CPU or unit of that index has lost. */
struct figure view_lost(const struct view *view, size_t index);
/* Puts CPUs, which are in order, below their units. */
void view_group_cpus(struct view *view);

#endif
