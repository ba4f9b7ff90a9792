// SPDX-License-Identifier: MIT
#include "tests/unit/shared/cpu_machine.h"

#define DEVICES "/sys/bus/event_source/devices/"

struct format {
	const char *name, *bits;
};

static const struct format core_format[] = {
	{"event", "config:0-7"},      {"umask", "config:8-15"},
	{"edge", "config:18"},        {"any", "config:21"},
	{"inv", "config:23"},         {"cmask", "config:24-31"},
	{"ldlat", "config1:0-15"},    {"offcore_rsp", "config1:0-63"},
	{"frontend", "config1:0-23"},
};
static const struct format uncore_format[] = {
	{"event", "config:0-7"}, {"umask", "config:8-15,32-63"}, {"edge", "config:18"},
	{"inv", "config:23"},    {"cmask", "config:24-31"},
};
/* Channels have the bits that are masks in others. */
static const struct format iio_format[] = {
	{"event", "config:0-7"},
	{"umask", "config:8-15"},
	{"ch_mask", "config:36-47"},
	{"fc_mask", "config:48-50"},
};
static const struct format amd_format[] = {
	{"event", "config:0-7,32-35"}, {"umask", "config:8-15"},  {"edge", "config:18"},
	{"inv", "config:23"},          {"cmask", "config:24-31"},
};
static const struct format arm_format[] = {{"event", "config:0-15"}};

static void add_file(struct fk *fk, const char *pmu, const char *file, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), DEVICES "%s/%s", pmu, file);
	fk_file(fk, path, text);
}

static void add_format(struct fk *fk, const char *pmu, const struct format *format, size_t n)
{
	char file[64];

	for (size_t i = 0; i < n; i++) {
		snprintf(file, sizeof(file), "format/%s", format[i].name);
		add_file(fk, pmu, file, format[i].bits);
	}
}

static void add_pmu(struct fk *fk, const char *name, unsigned type)
{
	bool core = strncmp(name, "cpu", 3) == 0 || strncmp(name, "armv", 4) == 0;
	char text[16];

	snprintf(text, sizeof(text), "%u\n", type);
	add_file(fk, name, "type", text);
	if (strncmp(name, "cpu_", 4) == 0)
		add_file(fk, name, "cpus", strcmp(name, "cpu_core") == 0 ? "0-1" : "2-3");
	else if (!core)
		add_file(fk, name, "cpumask", "0");
	if (strncmp(name, "armv", 4) == 0)
		add_format(fk, name, arm_format, ARRAY_SIZE(arm_format));
	else if (strncmp(name, "amd_", 4) == 0)
		add_format(fk, name, amd_format, ARRAY_SIZE(amd_format));
	else if (core)
		add_format(fk, name, core_format, ARRAY_SIZE(core_format));
	else if (strstr(name, "_iio"))
		add_format(fk, name, iio_format, ARRAY_SIZE(iio_format));
	else
		add_format(fk, name, uncore_format, ARRAY_SIZE(uncore_format));
}

/* A machine of that kind of CPU (cpu_kind_id()), without PMUs. */
static struct fk *machine_of_cpu(const char *id)
{
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 4, .no_pmu = true});
	char vendor[32], text[256];
	unsigned family, numbers[3];

	if (sscanf(id, "ARM-%x-%x-%x-%x", &family, &numbers[0], &numbers[1], &numbers[2]) == 4)
		snprintf(text, sizeof(text),
			 "processor\t: 0\nCPU implementer\t: 0x%02x\nCPU architecture: 8\n"
			 "CPU variant\t: 0x%x\nCPU part\t: 0x%03x\nCPU revision\t: %u\n\n",
			 family, numbers[1], numbers[0], numbers[2]);
	else if (sscanf(id, "%31[A-Za-z]-%u-%x-%x", vendor, &family, &numbers[0], &numbers[1]) == 4)
		snprintf(text, sizeof(text),
			 "processor\t: 0\nvendor_id\t: %s\ncpu family\t: %u\nmodel\t\t: %u\n"
			 "model name\t: %s\nstepping\t: %u\n\n",
			 vendor, family, numbers[0],
			 strstr(id, "-HBM") ? "Intel(R) Xeon(R) CPU Max 9480" : "CPU", numbers[1]);
	else
		abort();
	fk_file(fk, "/proc/cpuinfo", text);
	return fk;
}

struct machine *cpu_machine_new(const char *id, const char *const *pmus, size_t n)
{
	struct machine *machine = xcalloc(1, sizeof(*machine));
	struct fk *fk = machine_of_cpu(id);

	for (size_t i = 0; i < n; i++)
		add_pmu(fk, pmus[i], strcmp(pmus[i], "cpu") == 0 ? 4 : 20 + (unsigned)i);
	machine_of(machine, fk);
	return machine;
}

void cpu_machine_free(struct machine *machine)
{
	machine_fini(machine);
	free(machine);
}
