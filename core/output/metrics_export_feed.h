// SPDX-License-Identifier: MIT
#ifndef PMCTOP_METRICS_EXPORT_FEED_H
#define PMCTOP_METRICS_EXPORT_FEED_H

#include "core/engine/feed.h"
#include "core/output/metrics_export.h"

/*
 * A feed around another one: every snapshot is added to an exposition before it is handed on, by
 * the thread that makes them, so that whoever draws or prints may stall or drop some. Takes the
 * feed over, which becomes the one around it; the exposition is borrowed for its life.
 */
void metrics_export_feed_init(struct metrics_export *export, struct feed *feed);

#endif
