// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FRAME_PART_H
#define PMCTOP_FRAME_PART_H

#include "core/snapshot/snapshot.h"
#include "tui/widget/segments.h"

/* What the files of the frame share. */

/*
 * All metrics but the share of time, which stands as a meter or before them. NULL figures are those
 * of a CPU that was not heard of.
 */
void frame_add_figures(struct segments *segments, const struct columns *columns,
		       const struct figure *figures);

#endif
