// SPDX-License-Identifier: MIT
/*
 * The built-in presets. Presets are chosen by name: the user's first, then these.
 */
#include "core/metric/preset.h"

#include "core/base/suggest.h"
#include "core/base/util.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/*
 * Each preset except topdown needs at most cycles, instructions and three general counters. So it
 * fits on every CPU at once, even if the NMI watchdog holds a counter. What is left, two counters
 * on most CPUs and all of top-down on Intel since Ice Lake, counts verdict_counters.
 */
static const char *const overview_metrics[] = {
	"cpu_percent", "ghz",      "ipc",          "mips", "branch_mpki",
	"cache_mpki",  "cs_per_s", "faults_per_s", NULL,
};

static const char *const branch_metrics[] = {
	"cpu_percent", "ipc", "branch_density", "branch_miss_percent", "branch_mpki", NULL,
};

static const char *const cache_metrics[] = {
	"cpu_percent", "ipc", "l1d_mpki", "cache_mpki", "cache_miss_percent", NULL,
};

static const char *const tlb_metrics[] = {
	"cpu_percent", "ipc", "dtlb_mpki", "itlb_mpki", "l1i_mpki", NULL,
};

/* The second level, if the CPU has it, comes from the counter of the first. */
static const char *const topdown_metrics[] = {
	"cpu_percent",
	"ipc",
	"topdown_retiring",
	"topdown_bad_spec",
	"topdown_frontend",
	"topdown_backend",
	"topdown_heavy",
	"topdown_mispredict",
	"topdown_fetch_latency",
	"topdown_memory",
	NULL,
};

static const char *const kernel_metrics[] = {
	"cpu_percent", "kernel_percent", "ipc",          "ipc_user",
	"ipc_kernel",  "cs_per_s",       "faults_per_s", NULL,
};

static const char *const software_metrics[] = {
	"cpu_percent", "state", "kernel_percent", "runq_percent", "cs_per_s", "faults_per_s", NULL,
};

static const char *const waiting_metrics[] = {
	"cpu_percent",        "state",
	"runq_percent",       "uninterruptible_percent",
	"disk_percent",       "lock_percent",
	"throttled_percent",  "paging_percent",
	"blocked_percent",    "preempted_percent",
	"voluntary_cs_per_s", "involuntary_cs_per_s",
	"forks_per_s",        NULL,
};

const char *const verdict_metrics[] = {
	"cpu_percent",        "cs_per_s",
	"runq_percent",       "throttled_percent",
	"blocked_percent",    "uninterruptible_percent",
	"stopped_percent",    "lock_percent",
	"disk_percent",       "paging_percent",
	"forks_per_s",        "forked_percent",
	"major_faults_per_s", NULL,
};

const char *const verdict_counters[] = {
	"topdown_frontend",
	"topdown_backend",
	"topdown_bad_spec",
	"topdown_memory",
	"topdown_retiring",
	"topdown_mispredict",
	NULL,
};

const struct preset preset_table[] = {
	{
		.name = "overview",
		.help = "how much runs, how fast, and where the usual losses are",
		.metrics = overview_metrics,
	},
	{
		.name = "branch",
		.help = "how often branches occur and are mispredicted",
		.metrics = branch_metrics,
	},
	{
		.name = "cache",
		.help = "misses of the first and of the last cache",
		.metrics = cache_metrics,
	},
	{
		.name = "tlb",
		.help = "misses of both TLBs and of the instruction cache",
		.metrics = tlb_metrics,
	},
	{
		.name = "topdown",
		.help = "where the CPU's slots went: useful work, wrong paths, front end, back end",
		.metrics = topdown_metrics,
		.leaves_out = true,
	},
	{
		.name = "kernel",
		.help = "share of the kernel, and IPC of user and kernel mode",
		.metrics = kernel_metrics,
	},
	{
		.name = "software",
		.help = "software events of the kernel: works without hardware counters",
		.metrics = software_metrics,
	},
	{
		.name = "waiting",
		.help = "why tasks do not run: they wait for a CPU, or are blocked",
		.metrics = waiting_metrics,
	},
};

const size_t preset_table_n = ARRAY_SIZE(preset_table);

static const char *const no_metrics[] = {NULL};

const struct preset preset_none = {
	.name = "none",
	.help = "only what -e and -m name",
	.metrics = no_metrics,
};

const struct preset *preset_find(const char *name)
{
	for (size_t i = 0; i < preset_table_n; i++)
		if (strcmp(preset_table[i].name, name) == 0)
			return &preset_table[i];
	return NULL;
}

struct preset_names {
	char text[120]; /* "overview, software or none" as far as it fits */
	struct suggest near;
};

static void offer_preset(struct preset_names *names, const char *name, bool last)
{
	size_t length = strlen(names->text);

	snprintf(names->text + length, sizeof(names->text) - length, "%s%s",
		 !length ? ""
		 : last  ? " or "
			 : ", ",
		 name);
	suggest_offer(&names->near, name);
}

static int refuse_preset(const char *name, const struct preset *user, size_t n_user,
			 struct error *err)
{
	struct preset_names names = {.near = {.word = name}};
	char hint[80];

	for (size_t i = 0; i < n_user; i++)
		offer_preset(&names, user[i].name, false);
	for (size_t i = 0; i < preset_table_n; i++)
		offer_preset(&names, preset_table[i].name, false);
	offer_preset(&names, preset_none.name, true);
	suggest_text(&names.near, hint, sizeof(hint));
	return error_set(err, -EINVAL, "Unknown preset '%.40s'%s. Choose %s.", name, hint,
			 names.text);
}

int preset_choose(const char *name, const struct preset *user, size_t n_user,
		  const struct preset **preset, struct error *err)
{
	for (size_t i = 0; i < n_user; i++)
		if (strcmp(user[i].name, name) == 0) {
			*preset = &user[i];
			return 0;
		}
	*preset = strcmp(name, preset_none.name) == 0 ? &preset_none : preset_find(name);
	return *preset ? 0 : refuse_preset(name, user, n_user, err);
}

enum preset_extent preset_extent(const struct preset *preset,
				 bool (*counts)(void *arg, const char *name), void *arg)
{
	size_t n = 0, counted = 0;

	for (const char *const *name = preset->metrics; *name; name++) {
		if (strcmp(*name, "cpu_percent") == 0)
			continue;
		n++;
		counted += counts(arg, *name);
	}
	return counted == n ? PRESET_WHOLE : counted > 0 ? PRESET_PARTLY : PRESET_NOTHING;
}

void preset_copy(struct preset *copy, const struct preset *preset)
{
	size_t n = 0;

	while (preset->metrics[n])
		n++;
	const char **metrics = xcalloc(n + 1, sizeof(*metrics));
	for (size_t i = 0; i < n; i++)
		metrics[i] = xstrdup(preset->metrics[i]);
	*copy = (struct preset){
		.name = xstrdup(preset->name),
		.help = preset->help ? xstrdup(preset->help) : NULL,
		.metrics = metrics,
		.leaves_out = preset->leaves_out,
	};
}

void preset_fini(struct preset *preset)
{
	for (size_t i = 0; preset->metrics && preset->metrics[i]; i++)
		xfree(preset->metrics[i]);
	xfree(preset->metrics);
	xfree(preset->name);
	xfree(preset->help);
	*preset = (struct preset){0};
}
