// SPDX-License-Identifier: MIT
/*
 * Probes that live as long as their event: the PMUs kprobe and uprobe put a breakpoint instruction
 * into the kernel or a file and count who comes by. perf has no spelling for them (it makes
 * tracepoints with `perf probe` first); these are bpftrace's:
 *
 *	kprobe:SYMBOL[+OFFSET]    kretprobe:SYMBOL    kprobe:0xADDRESS
 *	uprobe:PATH:OFFSET        uretprobe:PATH:OFFSET       (an offset in the file, not an
 *address)
 *
 * perf_event_attr has the address of the text in config1 (kprobe_func, uprobe_path) and a number in
 * config2 (probe_offset, kprobe_addr); the text belongs to the event.
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

/* SYMBOL, SYMBOL+OFFSET or an address: what is a text goes to *target. */
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

/* PATH:OFFSET, whose colon is the last one that an offset follows: paths may hold others. */
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

/* The bit of config that makes a probe one of returns. */
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
		return error_set(err, result, "'%s' is no probe: as in %s.", quoted.text,
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
