// SPDX-License-Identifier: MIT
#ifndef PMCTOP_METRICS_EXPORT_FEED_H
#define PMCTOP_METRICS_EXPORT_FEED_H

#include "core/engine/feed.h"
#include "core/output/metrics_export.h"

/*
 * A feed around another feed. It adds every snapshot to a metrics_export. The thread that makes the
 * snapshots does it, so the export is complete even if the screen or the output drops some. Takes
 * over *feed, and stores the new feed in it. Borrows the export for its life. Separate from
 * metrics_export, which needs no feed.
 */
void metrics_export_feed_init(struct metrics_export *export, struct feed *feed);

#endif
