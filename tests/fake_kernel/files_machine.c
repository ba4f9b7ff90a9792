// SPDX-License-Identifier: MIT
/* The files of files.c that tell of the machine: /proc/stat, /proc/cpuinfo, sysctls, PMUs. */
#include "core/util.h"
#include "internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define DEVICES "/sys/bus/event_source/devices"

/* A list of CPUs as the kernel writes it: 0-3,6 */
static void text_add_cpus(struct fk_text *text, const struct fk *fk, const struct fk_pmu *pmu,
			  bool online)
{
	const char *comma = "";
	int n = (int)fk->config.cpus;

	for (int first = 0; first < n; first++) {
		int last = first;

		while (last < n && (!online || fk->cpus[last].online) &&
		       (!pmu || fk->cpus[last].pmu == pmu))
			last++;
		if (last == first)
			continue;
		fk_text_add(text, last - first == 1 ? "%s%d" : "%s%d-%d", comma, first, last - 1);
		comma = ",";
		first = last;
	}
	fk_text_add(text, "\n");
}

static void proc_stat_text(struct fk_text *text, struct fk *fk)
{
	fk_settle_all(fk);
	for (int i = -1; i < (int)fk->config.cpus; i++) {
		uint64_t idle_ns = fk_truth_idle(fk, i < 0 ? FK_ALL_CPUS : i, FK_TASK_CLOCK);
		uint64_t ns = fk_truth_cpu(fk, i < 0 ? FK_ALL_CPUS : i, FK_TASK_CLOCK);

		if (i >= 0 && !fk->cpus[i].online)
			continue;
		fk_text_add(text, i < 0 ? "cpu " : "cpu%d", i);
		fk_text_add(text, " %llu 0 0 %llu 0 0 0 0 0 0\n",
			    (unsigned long long)((ns - idle_ns) / TICK_NS),
			    (unsigned long long)(idle_ns / TICK_NS));
	}
	fk_text_add(text, "btime 1700000000\n");
}

static void proc_loadavg(struct fk_text *text, const struct fk *fk)
{
	unsigned tasks = 0, running = 0;

	for (size_t i = 0; i < FK_BUCKETS; i++) {
		for (const struct fk_task *task = fk->tasks[i]; task; task = task->next) {
			tasks += !task->exiting;
			running += task->cpu >= 0;
		}
	}
	fk_text_add(text, "0.00 0.00 0.00 %u/%u 1\n", running, tasks);
}

static void cpuinfo(struct fk_text *text, const struct fk *fk)
{
	for (unsigned i = 0; i < fk->config.cpus; i++) {
		const struct fk_cpu *cpu = &fk->cpus[i];
		const struct fk_model *model = cpu->pmu ? cpu->pmu->model : NULL;

		if (!cpu->online || !model)
			continue;
		if (model->vendor) {
			fk_text_add(text, "processor\t: %u\nvendor_id\t: %s\n", i, model->vendor);
			fk_text_add(text, "cpu family\t: %u\nmodel\t\t: %u\nmodel name\t: %s\n",
				    model->family, model->model, model->name);
			fk_text_add(text, "stepping\t: %u\ncpu MHz\t\t: 2000.000\n\n",
				    model->stepping);
		} else {
			fk_text_add(text, "processor\t: %u\nBogoMIPS\t: 50.00\n", i);
			fk_text_add(text, "CPU implementer\t: 0x%02x\nCPU architecture: 8\n",
				    model->implementer);
			fk_text_add(text, "CPU variant\t: 0x%x\nCPU part\t: 0x%03x\n",
				    model->variant, model->part);
			fk_text_add(text, "CPU revision\t: %u\n\n", model->revision);
		}
	}
}

static bool has_model(const struct fk *fk)
{
	for (size_t i = 0; i < fk->n_pmus; i++)
		if (fk->pmus[i].model)
			return true;
	return false;
}

static int device_file(struct fk_text *text, const struct fk *fk, const char *path)
{
	static const struct {
		const char *name;
		unsigned type;
	} others[] = {
		{"software", PERF_TYPE_SOFTWARE},
		{"tracepoint", PERF_TYPE_TRACEPOINT},
		{"breakpoint", PERF_TYPE_BREAKPOINT},
	};
	char name[64];
	int n = 0;

	if (sscanf(path, "/%63[^/]/%n", name, &n) != 1 || !n)
		return -ENOENT;
	for (size_t i = 0; i < fk->n_pmus; i++) {
		if (strcmp(fk->pmus[i].name, name) != 0)
			continue;
		if (!strcmp(path + n, "type"))
			fk_text_add(text, "%u\n", fk->pmus[i].type);
		else if (!strcmp(path + n, "cpus") && strcmp(name, "cpu") != 0)
			text_add_cpus(text, fk, &fk->pmus[i], false);
		else
			return -ENOENT;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		if (!strcmp(others[i].name, name) && !strcmp(path + n, "type")) {
			fk_text_add(text, "%u\n", others[i].type);
			return 0;
		}
	}
	return -ENOENT;
}

int fk_machine_file(struct fk_text *text, struct fk *fk, const char *path)
{
	const struct fk_config *config = &fk->config;

	if (!strncmp(path, DEVICES "/", sizeof(DEVICES)))
		return device_file(text, fk, path + sizeof(DEVICES) - 1);
	if (!strcmp(path, "/sys/devices/system/cpu/online"))
		text_add_cpus(text, fk, NULL, true);
	else if (!strcmp(path, "/sys/devices/system/cpu/possible") ||
		 !strcmp(path, "/sys/devices/system/cpu/present"))
		text_add_cpus(text, fk, NULL, false);
	else if (!strcmp(path, "/proc/sys/kernel/perf_event_paranoid"))
		fk_text_add(text, "%d\n", config->paranoid);
	else if (!strcmp(path, "/proc/sys/kernel/perf_event_mlock_kb"))
		fk_text_add(text, "%u\n", config->mlock_kb);
	else if (!strcmp(path, "/proc/sys/kernel/perf_event_max_sample_rate"))
		fk_text_add(text, "100000\n");
	else if (!strcmp(path, "/proc/sys/kernel/nmi_watchdog"))
		fk_text_add(text, "%d\n", fk->watchdog);
	else if (!strcmp(path, "/proc/cpuinfo") && has_model(fk))
		cpuinfo(text, fk);
	else if (!strcmp(path, "/proc/stat"))
		proc_stat_text(text, fk);
	else if (!strcmp(path, "/proc/loadavg"))
		proc_loadavg(text, fk);
	else
		return -ENOENT;
	return 0;
}

void fk_machine_names(const struct fk *fk, const char *path,
		      void (*add)(void *arg, const char *name), void *arg)
{
	if (strcmp(path, DEVICES) != 0)
		return;
	for (size_t i = 0; i < fk->n_pmus; i++)
		add(arg, fk->pmus[i].name);
	add(arg, "software");
	add(arg, "tracepoint");
	add(arg, "breakpoint");
}
