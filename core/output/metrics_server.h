// SPDX-License-Identifier: MIT
#ifndef PMCTOP_METRICS_SERVER_H
#define PMCTOP_METRICS_SERVER_H

#include "core/base/error.h"
#include "core/output/host_header.h"
#include "core/output/listen_address.h"
#include "core/output/metrics_export.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Serves a text over HTTP, at /metrics, from a thread of its own that knows nothing of engines: it
 * asks the source for a text when someone asks for one.
 *
 * It takes METRICS_SERVER_CLIENTS connections at most, each of which has METRICS_SERVER_PATIENCE_S
 * seconds for a request and its answer, and a few KiB of memory for what it sends. Before they are
 * all taken the one goes that has kept us waiting longest, so that clients who are slow, however
 * many, keep nobody out.
 */
enum {
	METRICS_SERVER_CLIENTS = 32,
	METRICS_SERVER_PATIENCE_S = 10,
};

struct metrics_source {
	/* A text that free() frees, and its size. Called by the server's thread. */
	char *(*text)(void *arg, enum metrics_export_dialect dialect, size_t *size);
	void *arg;
	/* Requests with another name in the Host header are refused; NULL: none is. Borrowed. */
	const struct host_names *hosts;
	/* Nanoseconds, for the clients' patience. Called by that thread. NULL: CLOCK_MONOTONIC. */
	uint64_t (*now_ns)(void);
};

struct metrics_server;

/* Whether this build has a server (make HTTP=0 has none). */
bool metrics_server_is_built(void);

/*
 * Listens and serves; the address gets the port that it has. 0, or -errno and a sentence:
 * -EOPNOTSUPP where none is built.
 */
int metrics_server_start(struct listen_address *address, const struct metrics_source *source,
			 struct metrics_server **server, struct error *err);
/* Closes every connection; the source is not asked any more. NULL is fine. */
void metrics_server_stop(struct metrics_server *server);

#endif
