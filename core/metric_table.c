// SPDX-License-Identifier: MIT
/*
 * The built-in metrics, as data. Where a source names one threshold it stands at `warn`, and `bad`
 * is twice as far; where it names two they stand as they are. Sources: perf's metrics.json (IPC),
 * toplev (branch mispredictions), perf stat's colours (miss ratios); the others are heuristics.
 *
 * `cache-misses` is the last level on Intel, L2 on Zen and L1D on Arm: titles over it say "cache"
 * ("ca") and no level, because the level is not known here.
 */
#include "metric_def.h"

#include "util.h"

#include <string.h>

const struct metric_def metric_table[] = {
	{
		.name = "cpu_percent",
		.title = "%CPU",
		.forms = {{.expression = "100 * cpu_time_s / interval_s"}},
		.unit = "%",
		.help = "time on a CPU, in percent of one CPU: threads add up beyond 100",
		.width = 5,
		.decimals = 1,
	},
	{
		.name = "ghz",
		.title = "GHz",
		.forms = {{.expression = "cycles / task-clock"}},
		.unit = "GHz",
		.help = "cycles per nanosecond on a CPU: the clock while it ran",
		.width = 4,
		.decimals = 2,
	},
	{
		.name = "ipc",
		.title = "IPC",
		.forms = {{.expression = "instructions / cycles"}},
		.unit = "",
		.help = "instructions per cycle",
		.better = METRIC_HIGHER,
		.warn = 1.0,
		.bad = 0.5,
		.width = 4,
		.decimals = 2,
	},
	{
		.name = "cpi",
		.title = "CPI",
		.forms = {{.expression = "cycles / instructions"}},
		.unit = "",
		.help = "cycles per instruction",
		.better = METRIC_LOWER,
		.warn = 1.0,
		.bad = 2.0,
		.width = 5,
		.decimals = 2,
	},
	{
		.name = "mips",
		.title = "MIPS",
		.forms = {{.expression = "instructions / interval_s / 1000000"}},
		.unit = "M/s",
		.help = "millions of instructions per second of the interval",
		.width = 5,
		.decimals = 1,
	},
	{
		.name = "stall_floor_percent",
		.title = "stall>=%",
		.forms = {{.expression = "100 * max(0, cycles - instructions) / cycles"}},
		.unit = "%",
		.help = "a lower bound on stalled cycles, blind above IPC 1",
		.width = 5,
		.decimals = 1,
	},
	{
		.name = "branch_mpki",
		.title = "brMPKI",
		.forms = {{.expression = "1000 * branch-misses / instructions"}},
		.unit = "",
		.help = "mispredicted branches per 1000 instructions",
		.better = METRIC_LOWER,
		.warn = 5,
		.bad = 10,
		.width = 5,
		.decimals = 2,
	},
	{
		.name = "branch_miss_percent",
		.title = "brmiss%",
		.forms = {{.expression = "100 * branch-misses / branches"}},
		.unit = "%",
		.help = "mispredicted branches, of all branches",
		.better = METRIC_LOWER,
		.warn = 5,
		.bad = 10,
		.width = 5,
		.decimals = 2,
	},
	{
		.name = "branch_density",
		.title = "br/insn",
		.forms = {{.expression = "branches / instructions"}},
		.unit = "",
		.help = "branches per instruction",
		.width = 4,
		.decimals = 2,
	},
	{
		.name = "cache_mpki",
		.title = "caMPKI",
		.forms = {{.expression = "1000 * cache-misses / instructions"}},
		.unit = "",
		.help = "cache misses per 1000 instructions, "
			"at the level that this CPU's cache-misses counts",
		.better = METRIC_LOWER,
		.warn = 1,
		.bad = 10,
		.width = 5,
		.decimals = 2,
	},
	{
		.name = "cache_miss_percent",
		.title = "camiss%",
		.forms = {{.expression = "100 * cache-misses / cache-references"}},
		.unit = "%",
		.help = "cache misses of cache references, "
			"at the level that this CPU's cache-misses counts",
		.better = METRIC_LOWER,
		.warn = 5,
		.bad = 20,
		.width = 5,
		.decimals = 1,
	},
	{
		.name = "cs_per_s",
		.title = "cs/s",
		.forms = {{.expression = "context-switches / interval_s"}},
		.unit = "/s",
		.help = "context switches per second",
		.better = METRIC_LOWER,
		.warn = 20000,
		.bad = 100000,
		.width = 5,
		.decimals = 0,
	},
	{
		.name = "faults_per_s",
		.title = "flt/s",
		.forms = {{.expression = "page-faults / interval_s"}},
		.unit = "/s",
		.help = "page faults per second",
		.width = 5,
		.decimals = 0,
	},
	{
		.name = "migrations_per_s",
		.title = "migr/s",
		.forms = {{.expression = "cpu-migrations / interval_s"}},
		.unit = "/s",
		.help = "moves to another CPU per second",
		.width = 5,
		.decimals = 0,
	},
};

const size_t metric_table_n = ARRAY_SIZE(metric_table);

const struct metric_def *metric_def_find(const char *name)
{
	for (size_t i = 0; i < metric_table_n; i++)
		if (strcmp(metric_table[i].name, name) == 0)
			return &metric_table[i];
	return NULL;
}
