// SPDX-License-Identifier: MIT
#include "tui/run/rights_need.h"

#include "core/base/util.h"

#include <string.h>

/*
 * Whether an event is a breakpoint or a probe. A breakpoint may be in the kernel, and probes need
 * CAP_SYS_ADMIN.
 */
static bool has_probe(const struct options *options)
{
	static const char *const beginnings[] = {"mem:", "uprobe", "kprobe"};

	for (size_t i = 0; i < options->n_columns; i++)
		for (size_t k = 0; k < ARRAY_SIZE(beginnings); k++)
			if (strstr(options->columns[i].text, beginnings[k]))
				return true;
	return false;
}

struct rights_need rights_need_of(const struct options *options, bool draws)
{
	const char *record = options->record.path;

	switch (options->task) {
	case OPTIONS_HELP:
	case OPTIONS_VERSION:
		return (struct rights_need){0};
	case OPTIONS_LIST: /* tests which events the kernel counts */
		return (struct rights_need){.counts = true};
	case OPTIONS_DOCTOR: /* doctor_examine() has run before */
		return (struct rights_need){.writes = options->output != NULL};
	case OPTIONS_RUN:
		break;
	}
	return (struct rights_need){
		.counts = !options->replay,
		.probes = has_probe(options),
		.signals = options->command || (draws && !options->readonly && !options->replay),
		.writes = options->output || (record && strcmp(record, "-") != 0),
		.reads = options->replay != NULL,
		.serves = options->listen != NULL,
	};
}
