// SPDX-License-Identifier: MIT
#include "tests/unit/shared/server.h"

#include <assert.h>

enum { METRICS_MAX = 16 };

const char *const server_metrics[] = {
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
static_assert(ARRAY_SIZE(server_metrics) <= METRICS_MAX, "server_open() has room");

void server_open(struct server *server, struct busy *busy, const char *preset,
		 const char *const *metrics)
{
	static struct engine_column columns[METRICS_MAX];
	struct engine_config config = {.preset = preset_find(preset), .columns = columns};

	for (; metrics && metrics[config.n_columns]; config.n_columns++)
		columns[config.n_columns] =
			(struct engine_column){ENGINE_METRIC, metrics[config.n_columns]};
	server->busy = busy;
	server->sys = fk_sys(busy_kernel(busy));
	server->next_ns = fk_now(busy_kernel(busy)) + NS_PER_S;
	server->engine = open_engine_with(&server->sys, &config);
}

struct snapshot *server_next(struct server *server)
{
	struct fk *fk = busy_kernel(server->busy);
	struct snapshot *snapshot = next_snapshot(server->engine, fk, server->next_ns - fk_now(fk));

	server->next_ns += NS_PER_S;
	return snapshot;
}

void server_close(struct server *server)
{
	engine_free(server->engine);
	busy_free(server->busy);
}

struct snapshot *server_snapshot(struct busy *busy, const char *preset, const char *const *metrics)
{
	struct server server;

	server_open(&server, busy, preset, metrics);
	snapshot_free(server_next(&server));
	struct snapshot *snapshot = server_next(&server);
	server_close(&server);
	return snapshot;
}
