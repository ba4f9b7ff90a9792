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
 * Serves a text over HTTP, at /metrics. Its thread calls only the source, once for each request.
 *
 * At most METRICS_SERVER_CLIENTS connections are open. Each has METRICS_SERVER_PATIENCE_S seconds
 * for a request and its answer, and a few KiB of memory. When all are nearly taken, the connection
 * that has been waited for longest is closed. So slow clients, however many, cannot keep others
 * out.
 */
enum {
	METRICS_SERVER_CLIENTS = 32,
	METRICS_SERVER_PATIENCE_S = 10,
};

struct metrics_source {
	/* Returns a text that free() frees, and its size. Called by the thread of the server. */
	char *(*text)(void *arg, enum metrics_export_dialect dialect, size_t *size);
	void *arg;
	/* Requests with other names in the Host header are refused; NULL: none is. Borrowed. */
	const struct host_names *hosts;
	/*
	 * Time in ns, for METRICS_SERVER_PATIENCE_S. Called by the thread of the server. NULL:
	 * CLOCK_MONOTONIC.
	 */
	uint64_t (*now_ns)(void);
};

struct metrics_server;

/* Whether this build has a server (make HTTP=0 has none). */
bool metrics_server_is_built(void);

/*
 * Listens and serves; stores the real port in *address. 0, or -errno with *err filled: -EOPNOTSUPP
 * if none is built.
 */
int metrics_server_start(struct listen_address *address, const struct metrics_source *source,
			 struct metrics_server **server, struct error *err);
/* Closes every connection. The source is not called any more. NULL is fine. */
void metrics_server_stop(struct metrics_server *server);

#endif
