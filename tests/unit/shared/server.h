// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_SERVER_H
#define PMCTOP_TESTS_SERVER_H

#include "core/metric/metric_def.h"
#include "core/metric/preset.h"
#include "tests/fake_kernel/busy.h"
#include "tests/unit/shared/engine_run.h"

/*
 * Snapshots of busy machines (tests/fake_kernel/busy.h), made by the real engine on the fake
 *kernel. Each run gives the same digits.
 *
 *	struct server server;
 *	server_open(&server, busy_server_new(), "overview", NULL);
 *	struct snapshot *snapshot = server_next(&server);
 *	...
 *	server_close(&server);
 */
struct server {
	struct busy *busy;
	struct sys sys;
	struct engine *engine;
	uint64_t next_ns; /* when the next interval ends */
};

/* Metrics that need more events than there are counters; NULL ends them. */
extern const char *const server_metrics[];

/* Takes over the machine. `metrics` are added to the preset's: NULL ends them, or NULL. */
void server_open(struct server *server, struct busy *busy, const char *preset,
		 const char *const *metrics);

/*
 * The snapshot of the next second, owned by the caller. Intervals end at the same times whatever is
 * counted, so the first is shorter by the time that opening took.
 */
struct snapshot *server_next(struct server *server);

void server_close(struct server *server);

/* The snapshot of the second second. Takes over the machine. */
struct snapshot *server_snapshot(struct busy *busy, const char *preset, const char *const *metrics);

#endif
