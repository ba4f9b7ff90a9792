// SPDX-License-Identifier: MIT
/*
 * Compares the codes of event_resolve() with those of perf for the same names. `perf stat -vv`
 * prints each perf_event_attr before it opens it, so events that this machine lacks can be
 * compared, too. SYSFS_PATH and PERF_CPUID select the sysfs and the CPU of another machine.
 */
#include "tests/unit/shared/machine.h"
#include "tests/unit/shared/signals.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

enum { CODES_MAX = 16 };

struct codes {
	struct perf_event_attr attrs[CODES_MAX];
	size_t n;
};

static void write_file(void *arg, const char *path, const char *text)
{
	char full[1024];

	snprintf(full, sizeof(full), "%s/%s", (const char *)arg, path);
	for (char *slash = strchr(full + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(full, 0700);
		*slash = '/';
	}
	FILE *file = fopen(full, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static bool same_code(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	return a->type == b->type && a->config == b->config && a->config1 == b->config1 &&
	       a->config2 == b->config2 && a->bp_type == b->bp_type;
}

static void codes_add(struct codes *codes, const struct perf_event_attr *attr)
{
	/* perf opens a refused event again with fewer attributes, and on other CPUs. */
	for (size_t i = 0; i < codes->n; i++)
		if (same_code(&codes->attrs[i], attr))
			return;
	assert_true(codes->n < CODES_MAX);
	codes->attrs[codes->n++] = *attr;
}

/* One line of a block: a name, blanks, a number. Missing fields are 0. */
static void read_field(const char *line, struct perf_event_attr *attr)
{
	char name[64], value[64];

	if (sscanf(line, " { bp_addr, config1 } %63s", value) == 1) {
		attr->config1 = strtoull(value, NULL, 0);
		return;
	}
	if (sscanf(line, " { bp_len, config2 } %63s", value) == 1) {
		attr->config2 = strtoull(value, NULL, 0);
		return;
	}
	if (sscanf(line, " %63s %63s", name, value) != 2)
		return;
	uint64_t number = strtoull(value, NULL, 0);
	if (!strcmp(name, "type"))
		attr->type = (uint32_t)number;
	else if (!strcmp(name, "config"))
		attr->config = number;
	else if (!strcmp(name, "bp_type"))
		attr->bp_type = (uint32_t)number;
	else if (!strcmp(name, "exclude_user"))
		attr->exclude_user = 1;
	else if (!strcmp(name, "exclude_kernel"))
		attr->exclude_kernel = 1;
	else if (!strcmp(name, "exclude_hv"))
		attr->exclude_hv = 1;
	else if (!strcmp(name, "exclude_host"))
		attr->exclude_host = 1;
	else if (!strcmp(name, "exclude_guest"))
		attr->exclude_guest = 1;
	else if (!strcmp(name, "exclude_idle"))
		attr->exclude_idle = 1;
	else if (!strcmp(name, "precise_ip"))
		attr->precise_ip = number & 3;
}

static void run_perf(const char *name, struct codes *codes)
{
	char command[512], line[512];
	struct perf_event_attr attr;
	bool inside = false;

	*codes = (struct codes){.n = 0};
	snprintf(command, sizeof(command), "perf stat -vv -e '%s' true 2>&1", name);
	FILE *output = popen(command, "r");
	assert_non_null(output);
	while (fgets(line, sizeof(line), output)) {
		if (!strncmp(line, "perf_event_attr:", 16)) {
			attr = (struct perf_event_attr){.type = 0};
			inside = true;
		} else if (inside && !strncmp(line, "----", 4)) {
			codes_add(codes, &attr);
			inside = false;
		} else if (inside) {
			read_field(line, &attr);
		}
	}
	pclose(output);
}

static int compare_attrs(const void *a, const void *b)
{
	const struct perf_event_attr *left = a, *right = b;

	if (left->type != right->type)
		return left->type < right->type ? -1 : 1;
	return (left->config > right->config) - (left->config < right->config);
}

/*
 * perf 6.12 opens cycles of the core PMUs to test whether the kernel accepts a PMU's type in the
 * upper half of a generic event's number, and prints them. Removes these codes.
 */
static bool remove_probes(struct codes *codes)
{
	size_t n = 0;

	for (size_t i = 0; i < codes->n; i++) {
		const struct perf_event_attr *a = &codes->attrs[i];

		if (a->type != PERF_TYPE_HARDWARE || a->config >> 32 == 0 ||
		    (uint32_t)a->config != PERF_COUNT_HW_CPU_CYCLES)
			codes->attrs[n++] = *a;
	}
	bool removed = n < codes->n;
	codes->n = n;
	return removed;
}

/*
 * Reduces an event of all core PMUs as perf 6.12 does if this kernel does not accept the type: to
 * one code without the type. perf has raw events on the PMU of PERF_TYPE_RAW alone.
 */
static void drop_pmu_types(struct codes *codes)
{
	struct perf_event_attr *attr = &codes->attrs[0];

	codes->n = 1;
	if (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE)
		attr->config &= UINT32_MAX;
}

static void describe(const struct codes *codes, char *text, size_t size)
{
	size_t n = 0;

	text[0] = '\0';
	for (size_t i = 0; i < codes->n && n < size; i++) {
		const struct perf_event_attr *a = &codes->attrs[i];

		n += (size_t)snprintf(
			text + n, size - n,
			" [%u %llx %llx %llx bp %u u%u k%u h%u H%u G%u I%u p%u]", a->type,
			(unsigned long long)a->config, (unsigned long long)a->config1,
			(unsigned long long)a->config2, a->bp_type, (unsigned)a->exclude_user,
			(unsigned)a->exclude_kernel, (unsigned)a->exclude_hv,
			(unsigned)a->exclude_host, (unsigned)a->exclude_guest,
			(unsigned)a->exclude_idle, (unsigned)a->precise_ip);
	}
}

/*
 * Whether exclude_guest can be compared. perf 6.1 excludes guests without modifiers and with u, p
 * and H, and includes them with other letters; newer versions always include them. Software and
 * uncore events have no guests. pmctop excludes guests from the CPU's counters, except with G: see
 * event.h.
 */
static bool guests_comparable(const struct event *event, const char *name)
{
	const char *modifiers = strrchr(name, strchr(name, '/') ? '/' : ':');

	if (event->kind != EVENT_HARDWARE)
		return false;
	return !modifiers || !strpbrk(modifiers, "khIP") || strpbrk(modifiers, "upGH");
}

/* codes_only: perf 6.1 drops the modifiers of cache events if there are several core PMUs. */
static bool same_attrs(const struct codes *ours, const struct codes *perfs, bool codes_only,
		       bool guests)
{
	if (ours->n != perfs->n || ours->n == 0)
		return false;
	for (size_t i = 0; i < ours->n; i++) {
		const struct perf_event_attr *a = &ours->attrs[i], *b = &perfs->attrs[i];

		if (!same_code(a, b))
			return false;
		if (codes_only)
			continue;
		if (a->exclude_user != b->exclude_user || a->exclude_kernel != b->exclude_kernel ||
		    a->exclude_hv != b->exclude_hv || a->exclude_host != b->exclude_host ||
		    a->exclude_idle != b->exclude_idle || a->precise_ip != b->precise_ip ||
		    (guests && a->exclude_guest != b->exclude_guest))
			return false;
	}
	return true;
}

/* Compares one name. Returns 1 if the codes differ, else 0. */
static unsigned compare_name(const struct event_context *context, const char *name,
			     const char *perf_name)
{
	bool codes_only =
		context->pmus->n_core > 1 && (strstr(name, "cache-") || strstr(name, "LLC-"));
	struct codes ours = {.n = 0}, perfs;
	char text[2][1024];
	struct event event;
	struct error err = {.text = ""};

	run_perf(perf_name, &perfs);
	if (event_resolve(context, name, &event, &err) < 0) {
		print_error("%s: %s\n", name, err.text);
		return 1;
	}
	for (size_t i = 0; i < event.n_codes; i++)
		codes_add(&ours, &event.codes[i].attr);
	qsort(ours.attrs, ours.n, sizeof(ours.attrs[0]), compare_attrs);
	qsort(perfs.attrs, perfs.n, sizeof(perfs.attrs[0]), compare_attrs);
	bool guests = guests_comparable(&event, name);
	bool same = same_attrs(&ours, &perfs, codes_only, guests);
	if (!same && context->pmus->n_core > 1) {
		bool tried = remove_probes(&perfs);
		same = same_attrs(&ours, &perfs, codes_only, guests);
		if (!same && ours.n > 1 && (tried || ours.attrs[0].type == PERF_TYPE_RAW)) {
			drop_pmu_types(&ours);
			same = same_attrs(&ours, &perfs, codes_only, guests);
		}
	}
	event_fini(&event);
	if (same)
		return 0;
	describe(&ours, text[0], sizeof(text[0]));
	describe(&perfs, text[1], sizeof(text[1]));
	print_error("%s:\n  ours%s\n  perf%s\n", name, text[0], text[1]);
	return 1;
}

/* Names on a recorded machine; libpfm4's are written "ours = perf's". */
static void compare_names(const char *machine_name, const char *cpu, const char *const *names,
			  size_t n)
{
	char directory[] = "/tmp/pmctop-sysfs-XXXXXX", command[64];
	struct machine machine;
	unsigned wrong = 0;

	assert_non_null(mkdtemp(directory));
	recorded_each(machine_name, write_file, directory);
	machine_init(&machine, machine_name);
	setenv("SYSFS_PATH", directory, 1);
	setenv("PERF_CPUID", cpu, 1);
	for (size_t i = 0; i < n; i++) {
		char ours[256];
		const char *equals = strstr(names[i], " = ");

		text_copy(ours, sizeof(ours), names[i]);
		if (equals)
			ours[equals - names[i]] = '\0';
		wrong += compare_name(&machine.context, ours, equals ? equals + 3 : names[i]);
	}
	unsetenv("SYSFS_PATH");
	unsetenv("PERF_CPUID");
	machine_fini(&machine);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	assert_int_equal(system(command), 0);
	assert_int_equal(wrong, 0);
}

static void generic(void **state)
{
	static const char *const names[] = {
		"cycles",
		"cpu-cycles",
		"instructions",
		"cache-references",
		"cache-misses",
		"branches",
		"branch-instructions",
		"branch-misses",
		"bus-cycles",
		"ref-cycles",
		"stalled-cycles-frontend",
		"idle-cycles-frontend",
		"stalled-cycles-backend",
		"idle-cycles-backend",
		"cpu-clock",
		"task-clock",
		"page-faults",
		"faults",
		"minor-faults",
		"major-faults",
		"context-switches",
		"cs",
		"cpu-migrations",
		"migrations",
		"alignment-faults",
		"emulation-faults",
		"dummy",
		"bpf-output",
		"cgroup-switches",
		"cycles:u",
		"cycles:k",
		"cycles:h",
		"cycles:uk",
		"cycles:ukh",
		"cycles:G",
		"cycles:H",
		"cycles:GH",
		"cycles:Gu",
		"cycles:kH",
		"cycles:p",
		"cycles:pp",
		"cycles:ppp",
		"cycles:upp",
		"cycles:pG",
		"cycles:I",
		"cycles:uI",
		"cycles:P",
		"task-clock:u",
		"cs:k",
		"L1-dcache",
		"L1-dcache-loads",
		"L1-dcache-load-misses",
		"L1-dcache-misses",
		"L1-dcache-misses-loads",
		"L1-dcache-stores",
		"L1-dcache-store-misses",
		"L1-dcache-prefetches",
		"L1-dcache-prefetch-misses",
		"l1d",
		"l1-d-write",
		"L1-data-read-access",
		"L1-icache-loads",
		"L1-icache-load-misses",
		"l1i-prefetches",
		"L1-instruction-load-ops",
		"LLC-loads",
		"LLC-load-misses",
		"LLC-stores",
		"LLC-prefetches-refs",
		"L2-speculative-read-miss",
		"dTLB-loads",
		"dTLB-load-misses:u",
		"d-tlb-store-misses",
		"Data-TLB-Reference",
		"iTLB-loads",
		"i-tlb-load-misses",
		"Instruction-TLB-misses",
		"branch",
		"branch-loads",
		"branch-load-misses",
		"bpu-read",
		"btb-misses",
		"bpc-loads",
		"node",
		"node-loads",
		"node-stores",
		"node-prefetch-misses:k",
	};

	(void)state;
	compare_names("intel", "GenuineIntel-6-5E-3", names, ARRAY_SIZE(names));
}

static void sysfs(void **state)
{
	static const char *const names[] = {
		"cpu/event=0x3c/",
		"cpu/event=0x3c,umask=1/u",
		"cpu/event=60,umask=0x0f,cmask=2,inv=1,edge=1/k",
		"cpu/event=0xe,inv,cmask=1/",
		"cpu/event=0xb7,umask=1,offcore_rsp=0x3fbfc00001/",
		"cpu/config=0x1a8/",
		"cpu/config=0x100,event=0x3c/",
		"cpu/event=0x3c,config1=0x1234,config2=7/pp",
		"cpu/event=1,event=2/",
		"cpu/event=0xc0,name=mine/G",
		"cpu/event=0xc0,period=1000/",
		"cpu/in_tx=1,in_tx_cp=1,event=0xc0/",
		"cpu/r1a8/",
		"cpu/cpu-cycles/",
		"cpu/mem-loads/",
		"cpu/mem-loads,ldlat=0x30/ppu",
		"cpu/slots/",
		"slots",
		"topdown-retiring",
		"topdown-bad-spec",
		"mem-loads",
		"mem-stores:u",
		"msr/tsc/",
		"msr/event=4/",
		"power/energy-pkg/",
		"power/energy-ram/",
		"uncore_imc_0/event=4,umask=3/",
		"uncore_imc/cas_count_read/",
		"imc/cas_count_read,thresh=0x20/",
		"uncore_imc_1/cas_count_read/",
		"uncore_cha/event=0x35,umask_ext=0x12345/",
		"cha/event=0x35,filter_opc=0x1ff/",
		"uprobe/retprobe=1/",
		"software/config=9/",
		"r1a8",
		"r1A8:k",
		"rc0:ukG",
		"rffffffffffffffff",
		"mem:0x1000",
		"mem:0x1000:x",
		"mem:0x1000/8:w",
		"mem:4096/2:rw:u",
		"mem:0x1000:wr:k",
		"mem:0xffffffff81000000/1:r",
	};

	(void)state;
	compare_names("intel", "GenuineIntel-6-5E-3", names, ARRAY_SIZE(names));
}

static void hybrid(void **state)
{
	static const char *const names[] = {
		"cycles",
		"instructions:u",
		"branch-misses:k",
		"L1-dcache-load-misses",
		"LLC-loads:u",
		"cpu-clock",
		"r3c",
		"cpu_core/event=0x3c/",
		"cpu_atom/event=0x3c,umask=1/u",
		"cpu_core/cpu-cycles/",
		"cpu_atom/mem-stores/",
		"mem-stores",
		"topdown-retiring",
		"slots",
	};

	(void)state;
	compare_names("hybrid", "GenuineIntel-6-97-2", names, ARRAY_SIZE(names));
}

static void arm(void **state)
{
	static const char *const names[] = {
		"cycles",
		"L1-dcache-load-misses",
		"r11",
		"armv8_pmuv3_0/event=0x11/",
		"armv8_pmuv3_0/event=0x8,long=1/u",
		"armv8_pmuv3/inst_retired/",
		"armv8_pmuv3_0/l1d_cache_refill/k",
		"inst_retired",
		"stall_slot_frontend:u",
		"arm_cmn_0/dtc_cycles/",
		"arm_cmn/type=5,eventid=0x1,wp_val=0xdeadbeefcafe,wp_mask=0xffff/",
	};

	(void)state;
	compare_names("arm", "0x00000000410fd0c0", names, ARRAY_SIZE(names));
}

/* libpfm4's tables and perf's lists are both made from Intel's. */
static void native(void **state)
{
	static const char *const names[] = {
		"skl::LONGEST_LAT_CACHE:MISS = longest_lat_cache.miss",
		"skl::LONGEST_LAT_CACHE:REFERENCE:u = longest_lat_cache.reference:u",
		"skl::longest_lat_cache.miss = longest_lat_cache.miss",
		"skl::UOPS_ISSUED:ANY = uops_issued.any",
		"skl::UOPS_ISSUED:STALL_CYCLES:k = uops_issued.stall_cycles:k",
		"skl::BR_MISP_RETIRED:CONDITIONAL = br_misp_retired.conditional",
		"skl::MEM_INST_RETIRED:ALL_LOADS:upp = mem_inst_retired.all_loads:upp",
		"skl::L2_RQSTS:DEMAND_DATA_RD_MISS = l2_rqsts.demand_data_rd_miss",
		"skl::DTLB_LOAD_MISSES:WALK_COMPLETED = dtlb_load_misses.walk_completed",
		"skl::CYCLE_ACTIVITY:STALLS_L2_MISS = cycle_activity.stalls_l2_miss",
		"skl::ARITH:DIVIDER_ACTIVE = arith.divider_active",
		"skl::IDQ_UOPS_NOT_DELIVERED:CORE:G = idq_uops_not_delivered.core:G",
		"skl::UOPS_RETIRED:RETIRE_SLOTS:u=1:k=0 = uops_retired.retire_slots:u",
		"perf::cycles = cycles",
		"perf::PERF_COUNT_SW_PAGE_FAULTS:u = faults:u",
		"perf::L1-dcache-loads:k = L1-dcache-loads:k",
	};

	(void)state;
	compare_names("intel", "GenuineIntel-6-5E-3", names, ARRAY_SIZE(names));
}

/* Tracepoints of this machine: their numbers come from its kernel. */
static void tracepoints(void **state)
{
	static const char *const names[] = {
		"sched:sched_switch",     "sched:sched_wakeup:k", "irq:irq_handler_entry",
		"raw_syscalls:sys_enter", "kmem:kmalloc:u",
	};
	struct event_context context;
	struct pmu_set pmus;
	struct sys sys;
	unsigned wrong = 0;

	(void)state;
	if (access("/sys/kernel/tracing/events/sched/sched_switch/id", R_OK) != 0)
		skip();
	assert_int_equal(sys_linux_init(&sys), 0);
	pmu_set_read(&sys, &pmus);
	context = (struct event_context){&sys, &pmus};
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		wrong += compare_name(&context, names[i], names[i]);
	pmu_set_fini(&pmus);
	sys_linux_fini(&sys);
	assert_int_equal(wrong, 0);
}

/*
 * Whether the kernel opens the attributes that perf tries first. If not, perf tries other ones, and
 * prints some or none of them.
 */
static int try_to_count_kernel(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_TASK_CLOCK,
				       .size = sizeof(attr),
				       .disabled = 1,
				       .exclude_user = 1};
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd < 0)
		return -errno;
	close((int)fd);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(generic), cmocka_unit_test(sysfs),  cmocka_unit_test(hybrid),
		cmocka_unit_test(arm),     cmocka_unit_test(native), cmocka_unit_test(tracepoints),
	};

	signals_restore();
	if (system("perf stat true >/dev/null 2>&1") != 0) {
		puts("no perf here that runs: names are not compared (on Debian: linux-perf)");
		return 77;
	}
	int refused = try_to_count_kernel();
	if (refused) {
		printf("the kernel's part cannot be counted here (%s), and perf then prints other "
		       "attributes: names are not compared\n",
		       strerror(-refused));
		return 77;
	}
	/* libpfm4 then encodes the events of CPUs that it does not run on. */
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
