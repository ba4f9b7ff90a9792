// SPDX-License-Identifier: MIT
/*
 * Names of events on a machine with a few files. A resolved event is complete, and a copy of it
 * does not depend on it. An invalid name has a printable error. The input is a list for -e, a NUL,
 * and the texts of the files "format/fuzz", "events/fuzz", "fuzz.scale" and "fuzz.unit" of a PMU.
 */
#include "tests/fuzz/fuzz.h"

#include "core/base/util.h"
#include "core/event/event.h"
#include "core/event/event_names.h"

#include <errno.h>
#include <math.h>

#define DEVICES "/sys/bus/event_source/devices/"
#define EVENTS  "/sys/kernel/tracing/events/"

enum { FUZZ_FORMAT, FUZZ_EVENT, FUZZ_SCALE, FUZZ_UNIT, FUZZ_FILES };

static const struct file {
	const char *path, *text; /* NULL: from the input, in the order above */
} files[] = {
	{DEVICES "cpu/format/fuzz", NULL},
	{DEVICES "cpu/events/fuzz", NULL},
	{DEVICES "cpu/events/fuzz.scale", NULL},
	{DEVICES "cpu/events/fuzz.unit", NULL},
	{"/sys/devices/system/cpu/possible", "0-3\n"},
	{"/sys/devices/system/cpu/online", "0-3\n"},
	{DEVICES "cpu/type", "4\n"},
	{DEVICES "cpu/cpus", "0-1\n"},
	{DEVICES "cpu/format/event", "config:0-7\n"},
	{DEVICES "cpu/format/umask", "config:8-15,32-35\n"},
	{DEVICES "cpu/format/ldlat", "config1:0-15\n"},
	{DEVICES "cpu/events/slots", "event=0x00,umask=0x4\n"},
	{DEVICES "cpu_atom/type", "10\n"},
	{DEVICES "cpu_atom/cpus", "2-3\n"},
	{DEVICES "cpu_atom/format/event", "config:0-7\n"},
	{DEVICES "power/type", "12\n"},
	{DEVICES "power/cpumask", "0\n"},
	{DEVICES "power/format/event", "config:0-7\n"},
	{DEVICES "power/events/energy-pkg", "event=0x02\n"},
	{DEVICES "power/events/energy-pkg.scale", "2.3283064365386962890625e-10\n"},
	{DEVICES "power/events/energy-pkg.unit", "Joules\n"},
	{DEVICES "imc_0/type", "20\n"},
	{DEVICES "imc_0/cpumask", "0\n"},
	{DEVICES "imc_0/format/event", "config:0-7\n"},
	{DEVICES "imc_0/format/core", "config:16-31\n"},
	{DEVICES "imc_0/events/ask", "event=0x02,core=?\n"},
	{DEVICES "kprobe/type", "8\n"},
	{DEVICES "kprobe/format/retprobe", "config:0\n"},
	{DEVICES "uprobe/type", "9\n"},
	{DEVICES "uprobe/format/retprobe", "config:0\n"},
	{EVENTS "sched/sched_switch/id", "314\n"},
};

static ssize_t file_read(void *ctx, const char *path, char *buffer, size_t size)
{
	char **given = ctx;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (strcmp(files[i].path, path) == 0)
			return (ssize_t)text_copy(buffer, size,
						  files[i].text ? files[i].text : given[i]);
	return -ENOENT;
}

static int dir_each(void *ctx, const char *path, int (*fn)(void *arg, const char *name), void *arg)
{
	size_t length = strlen(path);
	int result = -ENOENT;

	(void)ctx;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char name[64];

		if (strncmp(files[i].path, path, length) != 0 || files[i].path[length] != '/')
			continue;
		const char *entry = files[i].path + length + 1;
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(entry, "/"), entry);
		/* Files of a directory are adjacent: report each name once. */
		if (i > 0 &&
		    strncmp(files[i - 1].path, files[i].path, length + 1 + strlen(name)) == 0)
			continue;
		result = 0;
		if (fn(arg, name) != 0)
			break;
	}
	return result;
}

static void check_refusal(int result, const struct error *err)
{
	fuzz_check(result < 0 && err->code == result && err->text[0], "a refusal has a text");
	fuzz_check(fuzz_is_printable(err->text), "the text is printable");
}

static void check_event(const struct event_context *context, const struct event *event)
{
	fuzz_check(event->name != NULL, "an event has a name");
	fuzz_check((event->n_codes > 0) == (event->kind != EVENT_PROC),
		   "an event has codes, unless it is counted by /proc");
	fuzz_check(isfinite(event->scale) && event->scale > 0, "a scale is a positive number");
	fuzz_check(fuzz_is_printable(event->unit), "a unit is printable");
	fuzz_check(event->kind != EVENT_DERIVED, "a resolved event can be opened");
	for (size_t i = 0; i < event->n_codes; i++) {
		const struct event_code *code = &event->codes[i];

		fuzz_check(code->attr.size == sizeof(code->attr), "an attr has its size");
		fuzz_check(code->state == FIGURE_VALID, "a code is valid so far");
		fuzz_check(code->pmu == 0 || code->pmu < context->pmus->n, "a PMU exists");
		fuzz_check(event->kind != EVENT_SOFTWARE || code->pmu == 0,
			   "software events have no PMU");
		fuzz_check(!event->target || code->attr.config1 == (uintptr_t)event->target,
			   "a probe points at its own text");
	}
}

static void check_name(const struct event_context *context, const char *name)
{
	struct error err = {0};
	struct event event, copy;
	int result = event_resolve(context, name, &event, &err);

	if (result < 0) {
		check_refusal(result, &err);
		fuzz_check(!event.name && !event.codes && !event.target,
			   "a refused event is empty");
		return;
	}
	event_copy(&copy, &event);
	event_fini(&event);
	check_event(context, &copy);
	event_fini(&copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct sys_ops ops = {.file_read = file_read, .dir_each = dir_each};
	struct fuzz_bytes bytes = {data, size};
	char *text = fuzz_text(&bytes), *given[FUZZ_FILES];
	struct pmu_set pmus;
	struct event_names list = {0};
	struct error err = {0};

	for (size_t i = 0; i < FUZZ_FILES; i++)
		given[i] = fuzz_text(&bytes);
	const struct sys sys = {.ops = &ops, .ctx = given};
	pmu_set_read(&sys, &pmus);
	const struct event_context context = {&sys, &pmus};

	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	int result = event_names_parse(text, &list, &err);
	if (result < 0)
		check_refusal(result, &err);
	for (size_t i = 0; i < list.n; i++)
		check_name(&context, list.items[i].name);
	check_name(&context, text);

	event_names_fini(&list);
	pmu_set_fini(&pmus);
	for (size_t i = 0; i < FUZZ_FILES; i++)
		free(given[i]);
	free(text);
	return 0;
}
