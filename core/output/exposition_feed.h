// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EXPOSITION_FEED_H
#define PMCTOP_EXPOSITION_FEED_H

#include "core/engine/feed.h"
#include "core/output/exposition.h"

/*
 * A feed around another one: every snapshot is added to an exposition before it is handed on, by
 * the thread that makes them, so that whoever draws or prints may stall or drop some. Takes the
 * feed over, which becomes the one around it; the exposition is borrowed for its life.
 */
void exposition_feed_init(struct exposition *exposition, struct feed *feed);

#endif
