// SPDX-License-Identifier: MIT
/* Files of the machine, for files.c: /proc/stat, /proc/cpuinfo, sysctls, PMUs. */
#include "core/base/util.h"
#include "tests/fake_kernel/internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define DEVICES "/sys/bus/event_source/devices"
#define SYSTEM  "/sys/devices/system"

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

/* Tasks that have not exited, and tasks that run or wait for a CPU. */
static void count_tasks(const struct fk *fk, unsigned *tasks, unsigned *runnable)
{
	*tasks = *runnable = 0;
	for (size_t i = 0; i < FK_BUCKETS; i++) {
		for (const struct fk_task *task = fk->tasks[i]; task; task = task->next) {
			*tasks += !task->exiting;
			*runnable += !task->dead && task->state >= FK_PREEMPTED;
		}
	}
}

static void proc_stat_text(struct fk_text *text, struct fk *fk)
{
	unsigned tasks, runnable;

	count_tasks(fk, &tasks, &runnable);
	fk_settle_all(fk);
	for (int i = -1; i < (int)fk->config.cpus; i++) {
		uint64_t idle_ns = fk_truth_idle(fk, i < 0 ? FK_ALL_CPUS : i, FK_TASK_CLOCK);
		uint64_t ns = fk_truth_cpu(fk, i < 0 ? FK_ALL_CPUS : i, FK_TASK_CLOCK);

		if (i >= 0 && !fk->cpus[i].online)
			continue;
		fk_text_add(text, i < 0 ? "cpu " : "cpu%d", i);
		uint64_t stolen_ns = i < 0 ? fk->stolen_ns : fk->stolen_ns / fk->config.cpus;
		fk_text_add(text, " %llu 0 0 %llu 0 0 0 %llu 0 0\n",
			    (unsigned long long)((ns - idle_ns - stolen_ns) / TICK_NS),
			    (unsigned long long)(idle_ns / TICK_NS),
			    (unsigned long long)(stolen_ns / TICK_NS));
	}
	fk_text_add(text, "btime 1700000000\nprocesses %llu\n", (unsigned long long)fk->forks);
	fk_text_add(text, "procs_running %u\nprocs_blocked 0\n", runnable);
}

static void proc_loadavg(struct fk_text *text, const struct fk *fk)
{
	unsigned tasks, runnable;

	count_tasks(fk, &tasks, &runnable);
	fk_text_add(text, "0.00 0.00 0.00 %u/%u 1\n", runnable, tasks);
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

static void limits(struct fk_text *text, const struct fk_config *config)
{
	fk_text_add(text, "%-26s%-21s%-21s%-10s\n", "Limit", "Soft Limit", "Hard Limit", "Units");
	fk_text_add(text, "%-26s%-21u%-21u%-10s\n", "Max open files", config->fd_limit,
		    config->fd_limit, "files");
	fk_text_add(text, "%-26s%-21u%-21u%-10s\n", "Max locked memory", 0, 0, "bytes");
}

static bool has_model(const struct fk *fk)
{
	for (size_t i = 0; i < fk->n_pmus; i++)
		if (fk->pmus[i].model)
			return true;
	return false;
}

static int entry_file(struct fk_text *text, const struct fk_file_entry *files, size_t n,
		      const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(files[i].name, name)) {
			fk_text_add(text, "%s\n", files[i].text);
			return 0;
		}
	}
	return -ENOENT;
}

/* The first online CPU of each socket. */
static void cpumask(struct fk_text *text, const struct fk *fk, const struct fk_device *device)
{
	unsigned cpus = fk->config.cpus;
	unsigned of_socket = device->socket_cpus ? device->socket_cpus : cpus;
	const char *comma = "";

	for (unsigned first = 0; first < cpus; first += of_socket) {
		unsigned cpu = first;

		while (cpu < cpus && cpu < first + of_socket && !fk->cpus[cpu].online)
			cpu++;
		if (cpu == cpus || cpu == first + of_socket)
			continue;
		fk_text_add(text, "%s%u", comma, cpu);
		comma = ",";
	}
	fk_text_add(text, "\n");
}

/* "energy-pkg", "energy-pkg.scale" or ".unit" */
static int device_event_file(struct fk_text *text, const struct fk_device *device, const char *name)
{
	size_t length = strcspn(name, ".");

	for (size_t i = 0; i < device->n_events; i++) {
		const struct fk_device_event *event = &device->events[i];

		if (strncmp(event->name, name, length) != 0 || event->name[length])
			continue;
		if (!name[length])
			fk_text_add(text, "event=0x%02llx\n", (unsigned long long)event->config);
		else if (!strcmp(name + length, ".scale") && event->scale)
			fk_text_add(text, "%s\n", event->scale);
		else if (!strcmp(name + length, ".unit") && event->unit)
			fk_text_add(text, "%s\n", event->unit);
		else
			return -ENOENT;
		return 0;
	}
	return -ENOENT;
}

static int socket_file(struct fk_text *text, const struct fk *fk, const struct fk_device *device,
		       const char *name)
{
	if (!strcmp(name, "type"))
		fk_text_add(text, "%u\n", device->type);
	else if (!strcmp(name, "cpumask") && !device->of_cpus)
		cpumask(text, fk, device);
	else if (!strncmp(name, "events/", 7))
		return device_event_file(text, device, name + 7);
	else
		return entry_file(text, device->files, device->n_files, name);
	return 0;
}

/* The CPUs of a core or of a socket, as the kernel writes them. */
static void cpu_range(struct fk_text *text, unsigned first, unsigned n)
{
	fk_text_add(text, n > 1 ? "%u-%u\n" : "%u\n", first, first + n - 1);
}

/* A file in the directory of a CPU: topology/NAME. */
static int topology_file(struct fk_text *text, const struct fk *fk, unsigned cpu, const char *name)
{
	const struct fk_pmu *pmu = fk->cpus[cpu].pmu;
	unsigned of_socket = fk->config.socket_cpus;
	unsigned threads =
		pmu && pmu->threads_per_core ? pmu->threads_per_core : fk->config.threads_per_core;

	if (!strcmp(name, "physical_package_id"))
		fk_text_add(text, "%u\n", cpu / of_socket);
	else if (!strcmp(name, "core_id"))
		fk_text_add(text, "%u\n", cpu % of_socket / threads);
	else if (!strcmp(name, "die_id"))
		fk_text_add(text, "0\n");
	else if (!strcmp(name, "thread_siblings_list") || !strcmp(name, "core_cpus_list"))
		cpu_range(text, cpu - cpu % threads, threads);
	else if (!strcmp(name, "core_siblings_list") || !strcmp(name, "package_cpus_list") ||
		 !strcmp(name, "die_cpus_list"))
		cpu_range(text, cpu - cpu % of_socket, of_socket);
	else
		return -ENOENT;
	return 0;
}

/* Below /sys/devices/system/, with the slash. */
static int system_file(struct fk_text *text, const struct fk *fk, const char *path)
{
	const struct fk_config *config = &fk->config;
	unsigned number;
	int n = 0;

	if (!config->threads_per_core)
		return -ENOENT;
	if (sscanf(path, "cpu/cpu%u/topology/%n", &number, &n) == 1 && n && number < config->cpus)
		return topology_file(text, fk, number, path + n);
	if (sscanf(path, "node/node%u/%n", &number, &n) == 1 && n && !strcmp(path + n, "cpulist") &&
	    number < config->cpus / config->socket_cpus)
		cpu_range(text, number * config->socket_cpus, config->socket_cpus);
	else if (!strcmp(path, "cpu/smt/active"))
		fk_text_add(text, "%d\n", config->threads_per_core > 1);
	else if (!strcmp(path, "cpu/smt/control"))
		fk_text_add(text, config->threads_per_core > 1 ? "on\n" : "notsupported\n");
	else if (!strcmp(path, "node/online"))
		cpu_range(text, 0, config->cpus / config->socket_cpus);
	else
		return -ENOENT;
	return 0;
}

/* The names in the directories of a CPU and of the nodes. */
static void system_names(const struct fk_config *config, const char *path,
			 void (*add)(void *arg, const char *name), void *arg)
{
	char name[32];
	unsigned cpu;
	int length = 0;

	if (!config->threads_per_core)
		return;
	if (sscanf(path, "cpu/cpu%u%n", &cpu, &length) == 1 && !path[length] &&
	    cpu < config->cpus) {
		snprintf(name, sizeof(name), "node%u", cpu / config->socket_cpus);
		add(arg, name);
		add(arg, "topology");
	}
	for (unsigned i = 0; !strcmp(path, "node") && i < config->cpus / config->socket_cpus; i++) {
		snprintf(name, sizeof(name), "node%u", i);
		add(arg, name);
	}
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
			return entry_file(text, fk->pmus[i].files, fk->pmus[i].n_files, path + n);
		return 0;
	}
	for (size_t i = 0; i < fk->config.n_devices; i++)
		if (!strcmp(fk->config.devices[i]->name, name))
			return socket_file(text, fk, fk->config.devices[i], path + n);
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
	else if (!strncmp(path, SYSTEM "/", sizeof(SYSTEM)))
		return system_file(text, fk, path + sizeof(SYSTEM));
	else if (!strcmp(path, "/proc/sys/kernel/perf_event_paranoid"))
		fk_text_add(text, "%d\n", config->paranoid);
	else if (!strcmp(path, "/proc/sys/kernel/perf_event_mlock_kb"))
		fk_text_add(text, "%u\n", config->mlock_kb);
	else if (!strcmp(path, "/proc/sys/kernel/perf_event_max_sample_rate"))
		fk_text_add(text, "%u\n",
			    config->max_sample_rate ? config->max_sample_rate : 100000);
	else if (!strcmp(path, "/proc/sys/kernel/nmi_watchdog"))
		fk_text_add(text, "%d\n", fk->watchdog);
	else if (!strcmp(path, "/proc/self/limits"))
		limits(text, config);
	else if (!strcmp(path, "/proc/cpuinfo") && has_model(fk))
		cpuinfo(text, fk);
	else if (!strcmp(path, "/proc/stat"))
		proc_stat_text(text, fk);
	else if (!strcmp(path, "/proc/loadavg"))
		proc_loadavg(text, fk);
	else if (!strcmp(path, "/proc/meminfo"))
		fk_text_add(
			text,
			"MemTotal: 8388608 kB\nMemFree: 1048576 kB\nMemAvailable: 4194304 kB\n"
			"Buffers: 1024 kB\nCached: 3072000 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n"
			"Shmem: 1024 kB\nSReclaimable: 73728 kB\n");
	else
		return -ENOENT;
	return 0;
}

/* Those in "NAME/" or "NAME/events" or "NAME/format", which *rest is the second part of. */
static void entry_names(const struct fk_file_entry *files, size_t n, const char *rest,
			void (*add)(void *arg, const char *name), void *arg)
{
	size_t length = strlen(rest);

	for (size_t i = 0; length && i < n; i++)
		if (!strncmp(files[i].name, rest, length) && files[i].name[length] == '/')
			add(arg, files[i].name + length + 1);
}

static void device_event_names(const struct fk_device *device,
			       void (*add)(void *arg, const char *name), void *arg)
{
	char name[64];

	for (size_t i = 0; i < device->n_events; i++) {
		const struct fk_device_event *event = &device->events[i];

		add(arg, event->name);
		snprintf(name, sizeof(name), "%s.scale", event->name);
		if (event->scale)
			add(arg, name);
		snprintf(name, sizeof(name), "%s.unit", event->name);
		if (event->unit)
			add(arg, name);
	}
}

/* The files of one PMU's directories events and format. */
static void pmu_names(const struct fk *fk, const char *path,
		      void (*add)(void *arg, const char *name), void *arg)
{
	char name[64], rest[64];

	if (sscanf(path, DEVICES "/%63[^/]/%63[^/]", name, rest) != 2)
		return;
	for (size_t i = 0; i < fk->n_pmus; i++)
		if (!strcmp(fk->pmus[i].name, name))
			entry_names(fk->pmus[i].files, fk->pmus[i].n_files, rest, add, arg);
	for (size_t i = 0; i < fk->config.n_devices; i++) {
		const struct fk_device *device = fk->config.devices[i];

		if (strcmp(device->name, name) != 0)
			continue;
		entry_names(device->files, device->n_files, rest, add, arg);
		if (!strcmp(rest, "events"))
			device_event_names(device, add, arg);
	}
}

void fk_machine_names(const struct fk *fk, const char *path,
		      void (*add)(void *arg, const char *name), void *arg)
{
	if (!strncmp(path, SYSTEM "/", sizeof(SYSTEM)))
		system_names(&fk->config, path + sizeof(SYSTEM), add, arg);
	if (strcmp(path, DEVICES) != 0) {
		pmu_names(fk, path, add, arg);
		return;
	}
	for (size_t i = 0; i < fk->n_pmus; i++)
		add(arg, fk->pmus[i].name);
	for (size_t i = 0; i < fk->config.n_devices; i++)
		add(arg, fk->config.devices[i]->name);
	add(arg, "software");
	add(arg, "tracepoint");
	add(arg, "breakpoint");
}
