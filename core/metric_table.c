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
#include "core/metric_def.h"

#include "core/base/util.h"
#include "core/sys/cpu_model.h"

#include <string.h>

const struct metric_def metric_table[] = {
#include "core/metrics/time.def"

#include "core/metrics/work.def"

#include "core/metrics/branch.def"

#include "core/metrics/cache.def"

#include "core/metrics/tlb.def"

#include "core/metrics/topdown.def"

#include "core/metrics/kernel.def"

#include "core/metrics/machine.def"
};

const size_t metric_table_n = ARRAY_SIZE(metric_table);

const struct metric_def *metric_def_find(const char *name)
{
	for (size_t i = 0; i < metric_table_n; i++)
		if (strcmp(metric_table[i].name, name) == 0)
			return &metric_table[i];
	return NULL;
}
