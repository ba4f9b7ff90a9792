// SPDX-License-Identifier: MIT
/*
 * Probes that exist as long as their event: the PMUs kprobe and uprobe insert a breakpoint
 * instruction in the kernel or a file, and count its executions. perf has no names for them,
 * because it makes tracepoints with `perf probe`. These names are as in bpftrace:
 *
 *	kprobe:SYMBOL[+OFFSET]    kretprobe:SYMBOL    kprobe:0xADDRESS
 *	uprobe:PATH:OFFSET        uretprobe:PATH:OFFSET    (an offset in the file)
 *
 * perf_event_attr has the address of the text in config1 (kprobe_func, uprobe_path) and a number in
 * config2 (probe_offset, kprobe_addr). The event owns the text.
 */
#include "core/event/event_resolver.h"

#include "core/base/util.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct probe {
	const char *prefix, *pmu;
	bool returns;
} probes[] = {
	{"kprobe:", "kprobe", false},
	{"kretprobe:", "kprobe", true},
	{"uprobe:", "uprobe", false},
	{"uretprobe:", "uprobe", true},
};

/* SYMBOL, SYMBOL+OFFSET or an address. The symbol goes to *target. */
static int parse_symbol(const char *text, char **target, uint64_t *number, const char **rest)
{
	size_t length = strcspn(text, ":+");

	if (event_parse_number(text, ":", number, rest))
		return 0;
	*number = 0;
	*rest = text + length;
	if (!event_is_word(text, length) || length > 255)
		return -EINVAL;
	if (text[length] == '+' && !event_parse_number(text + length + 1, ":", number, rest))
		return -EINVAL;
	*target = xstrndup(text, length);
	return 0;
}

/* PATH:OFFSET. A path may have colons, so the last one before a number counts. */
static int parse_path(const char *text, char **target, uint64_t *offset, const char **rest)
{
	const char *colon = NULL, *end;
	uint64_t number;

	for (const char *at = strchr(text, ':'); at; at = strchr(at + 1, ':')) {
		if (event_parse_number(at + 1, ":", &number, &end)) {
			colon = at;
			*offset = number;
			*rest = end;
		}
	}
	if (!colon || text[0] != '/')
		return -EINVAL;
	*target = xstrndup(text, (size_t)(colon - text));
	return 0;
}

/* Sets the bit of config for a probe of returns. 0, or -ENOTSUP. */
static int return_bit(const struct event_context *context, const struct probe *probe,
		      uint64_t *config)
{
	char path[128], text[32];
	unsigned bit;

	*config = 0;
	if (!probe->returns)
		return 0;
	snprintf(path, sizeof(path), PMU_DEVICES "/%s/format/retprobe", probe->pmu);
	if (sys_file_read(context->sys, path, text, sizeof(text)) < 0 ||
	    sscanf(text, "config:%2u", &bit) != 1 || bit > 63)
		return -ENOTSUP;
	*config = 1ull << bit;
	return 0;
}

int event_probe_resolve(const struct event_context *context, const char *name, struct event *event,
			const char **rest, struct error *err)
{
	struct quoted quoted = event_quote(name, strlen(name));
	const struct probe *probe = NULL;
	uint64_t number = 0, config;

	for (size_t i = 0; i < ARRAY_SIZE(probes); i++)
		if (strncmp(name, probes[i].prefix, strlen(probes[i].prefix)) == 0)
			probe = &probes[i];
	if (!probe)
		return EVENT_NOT_MINE;
	bool kernel = probe->pmu[0] == 'k';
	const char *text = name + strlen(probe->prefix);
	const struct pmu *pmu = context->pmus ? pmu_set_find(context->pmus, probe->pmu) : NULL;
	int result = kernel ? parse_symbol(text, &event->target, &number, rest)
			    : parse_path(text, &event->target, &number, rest);
	if (result < 0)
		return error_set(err, result, "Invalid probe '%s' (example: %s).", quoted.text,
				 kernel ? "kprobe:do_exit or kprobe:do_exit+4"
					: "uprobe:/bin/sh:0x4210, the offset in the file");
	if (!pmu || !context->sys || return_bit(context, probe, &config) < 0)
		return error_set(err, -ENOENT, "'%s': this kernel has no %ss for events.",
				 quoted.text, probe->pmu);
	event->kind = EVENT_SOFTWARE;
	struct perf_event_attr *attr = event_add_code(event, 0, pmu->type, config);
	attr->config1 = (uintptr_t)event->target;
	attr->config2 = number;
	return 0;
}
