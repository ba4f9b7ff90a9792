// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SERVE_H
#define PMCTOP_SERVE_H

#include "core/base/error.h"
#include "core/engine/feed.h"
#include "core/output/host_header.h"
#include "core/output/listen_address.h"
#include "tui/options/options.h"

/*
 * What --listen asks for: the counters of a run, for whoever comes and asks. They are served from
 * the start on, and counted from when there is a feed.
 */
struct serve {
	struct metrics_export *export; /* NULL: nothing is served */
	struct metrics_server *server;
	struct host_names hosts;         /* that a Host header may have; borrows from the options */
	char where[LISTEN_ADDRESS_TEXT]; /* "127.0.0.1:9105"; "" */
};

/*
 * 0, also where --listen was not given; or -errno and a sentence. *serve and the options must not
 * move before serve_close().
 */
int serve_open(const struct options *options, struct serve *serve, struct error *err);
/* Puts itself around the feed, which must be freed before it. */
void serve_feed(const struct serve *serve, struct feed *feed);
void serve_close(struct serve *serve); /* of a zeroed one too */

#endif
