// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_SERVER_H
#define PMCTOP_TESTS_SERVER_H

#include "core/metric/metric_def.h"
#include "core/metric/preset.h"
#include "tests/fake_kernel/busy.h"
#include "tests/unit/shared/engine_run.h"

/*
 * Pictures of busy machines (tests/fake_kernel/busy.h) for tests of all that shows snapshots: the
 * real engine over the fake kernel, the same to the last digit at every run.
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

/* What beside a preset makes all that can be known of a row: more than fits the counters. */
static const char *const server_metrics[] = {
	"cpi",
	"branch_miss_percent",
	"llc_mpki",
	"l1d_mpki",
	"l1i_mpki",
	"dtlb_mpki",
	"itlb_mpki",
	"kernel_percent",
	"turbo_ratio",
	"topdown_retiring",
	"topdown_bad_spec",
	"topdown_frontend",
	"topdown_backend",
	"package_watts",
	"dram_gb_per_s",
	NULL,
};

/* Takes the machine over. Metrics beside the preset's up to NULL, or NULL: none. */
static inline void server_open(struct server *server, struct busy *busy, const char *preset,
			       const char *const *metrics)
{
	static struct engine_column columns[ARRAY_SIZE(server_metrics)];
	struct engine_config config = {.preset = preset_find(preset), .columns = columns};

	for (; metrics && metrics[config.n_columns]; config.n_columns++)
		columns[config.n_columns] =
			(struct engine_column){ENGINE_METRIC, metrics[config.n_columns]};
	server->busy = busy;
	server->sys = fk_sys(busy_kernel(busy));
	server->next_ns = fk_now(busy_kernel(busy)) + NS_PER_S;
	server->engine = open_engine_with(&server->sys, &config);
}

/*
 * Of the next second, the caller's. The first is shorter by what opening took, and the same moments
 * whatever is counted.
 */
static inline struct snapshot *server_next(struct server *server)
{
	struct fk *fk = busy_kernel(server->busy);
	struct snapshot *snapshot = next_snapshot(server->engine, fk, server->next_ns - fk_now(fk));

	server->next_ns += NS_PER_S;
	return snapshot;
}

static inline void server_close(struct server *server)
{
	engine_free(server->engine);
	busy_free(server->busy);
}

/* The second second, by those metrics, of a machine that it takes over. */
static inline struct snapshot *server_snapshot(struct busy *busy, const char *preset,
					       const char *const *metrics)
{
	struct server server;

	server_open(&server, busy, preset, metrics);
	snapshot_free(server_next(&server));
	struct snapshot *snapshot = server_next(&server);
	server_close(&server);
	return snapshot;
}

#endif
