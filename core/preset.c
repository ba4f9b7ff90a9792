// SPDX-License-Identifier: MIT
#include "preset.h"

#include "util.h"

#include <string.h>

/*
 * No preset asks for more than cycles, instructions and three general counters, so that each
 * fits every CPU at once even while the NMI watchdog holds one.
 */
static const char *const overview_metrics[] = {
	"cpu_percent", "ghz",      "ipc",          "mips", "branch_mpki",
	"cache_mpki",  "cs_per_s", "faults_per_s", NULL,
};

static const char *const software_metrics[] = {
	"cpu_percent", "cs_per_s", "faults_per_s", "migrations_per_s", NULL,
};

const struct preset preset_table[] = {
	{
		.name = "overview",
		.help = "how much runs, how fast, and where the usual losses are",
		.metrics = overview_metrics,
	},
	{
		.name = "software",
		.help = "what the kernel counts by itself: works without hardware counters",
		.metrics = software_metrics,
	},
};

const size_t preset_table_n = ARRAY_SIZE(preset_table);

const struct preset *preset_find(const char *name)
{
	for (size_t i = 0; i < preset_table_n; i++)
		if (strcmp(preset_table[i].name, name) == 0)
			return &preset_table[i];
	return NULL;
}
