// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SERVE_H
#define PMCTOP_SERVE_H

#include "core/base/error.h"
#include "core/engine/feed.h"
#include "core/output/host_header.h"
#include "core/output/listen_address.h"
#include "tui/options/options.h"

/*
 * Serves the counters of a run for --listen. The server runs from serve_open() on; counters appear
 * when there is a feed.
 */
struct serve {
	struct metrics_export *export; /* NULL: no server */
	struct metrics_server *server;
	struct host_names hosts; /* names allowed in a Host header; borrows from the options */
	char where[LISTEN_ADDRESS_TEXT]; /* "127.0.0.1:9105"; "": no server */
};

/*
 * Returns 0, also without --listen, or -errno and a sentence. *serve and the options must not move
 * before serve_close().
 */
int serve_open(const struct options *options, struct serve *serve, struct error *err);
/* Exports each snapshot of the feed, which must be freed before *serve. */
void serve_feed(const struct serve *serve, struct feed *feed);
void serve_close(struct serve *serve); /* accepts a zeroed one */

#endif
