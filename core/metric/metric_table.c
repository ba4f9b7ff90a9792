// SPDX-License-Identifier: MIT
/*
 * The built-in metrics, as data: a file for each subject in core/metric/.
 *
 * Thresholds: where a source names one it stands at `warn`, and `bad` is twice as far; where it
 * names two they stand as they are. Those without a named source are heuristics.
 *
 * Forms go from the best to the last resort. A form that needs an event which only some CPUs of a
 * vendor have names the vendor: where sysfs or the kernel do not know the event, the next is taken.
 */
#include "core/metric/metric_def.h"

#include "core/base/util.h"
#include "core/sys/cpu_model.h"

#include <string.h>

const struct metric_def metric_table[] = {
#include "core/metric/time.def"

#include "core/metric/work.def"

#include "core/metric/branch.def"

#include "core/metric/cache.def"

#include "core/metric/tlb.def"

#include "core/metric/topdown.def"

#include "core/metric/kernel.def"

#include "core/metric/machine.def"
};

const size_t metric_table_n = ARRAY_SIZE(metric_table);

const struct metric_def *metric_def_find(const char *name)
{
	for (size_t i = 0; i < metric_table_n; i++)
		if (strcmp(metric_table[i].name, name) == 0)
			return &metric_table[i];
	return NULL;
}
