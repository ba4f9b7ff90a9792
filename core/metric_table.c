// SPDX-License-Identifier: MIT
/*
 * The built-in metrics, as data: a file for each subject in core/metrics/.
 *
 * Thresholds: where a source names one it stands at `warn`, and `bad` is twice as far; where it
 * names two they stand as they are. Those without a named source are heuristics.
 *
 * Forms go from the best to the last resort. A form that needs an event which only some CPUs of a
 * vendor have names the vendor: where sysfs or the kernel do not know the event, the next is taken.
 */
#include "metric_def.h"

#include "cpu_model.h"
#include "util.h"

#include <string.h>

const struct metric_def metric_table[] = {
#include "metrics/time.def"

#include "metrics/work.def"

#include "metrics/branch.def"

#include "metrics/cache.def"

#include "metrics/tlb.def"

#include "metrics/topdown.def"

#include "metrics/kernel.def"

#include "metrics/machine.def"
};

const size_t metric_table_n = ARRAY_SIZE(metric_table);

const struct metric_def *metric_def_find(const char *name)
{
	for (size_t i = 0; i < metric_table_n; i++)
		if (strcmp(metric_table[i].name, name) == 0)
			return &metric_table[i];
	return NULL;
}
