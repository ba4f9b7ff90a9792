// SPDX-License-Identifier: MIT
/*
 * Names of events on recorded machines: their codes, and the errors for wrong names.
 */
#include "tests/unit/shared/machine.h"

#include "core/event/event_names.h"
#include "tests/unit/shared/libpfm.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#define TRACEFS "/sys/kernel/tracing/events"

static void machine_files(struct machine *machine)
{
	fk_file(machine->fk, TRACEFS "/sched/sched_switch/id", "314\n");
	fk_file(machine->fk, TRACEFS "/sched/sched_wakeup/id", "316\n");
}

/* The codes of a name, as "pmu:type:config[:config1[:config2]]" with blanks between. */
struct row {
	const char *name;
	enum event_kind kind;
	const char *codes;
	const char *unit;
	double scale;
};

static void print_codes(const struct machine *machine, const struct event *event, char *text,
			size_t size)
{
	size_t n = 0;

	text[0] = '\0';
	for (size_t i = 0; i < event->n_codes; i++) {
		const struct event_code *code = &event->codes[i];
		const char *pmu =
			event->kind == EVENT_SOFTWARE ? "" : machine->pmus.items[code->pmu].name;

		n += (size_t)snprintf(text + n, size - n, "%s%s:%u:%llx", n ? " " : "", pmu,
				      code->attr.type, (unsigned long long)code->attr.config);
		if (code->attr.config1 || code->attr.config2)
			n += (size_t)snprintf(text + n, size - n, ":%llx",
					      (unsigned long long)code->attr.config1);
		if (code->attr.config2)
			n += (size_t)snprintf(text + n, size - n, ":%llx",
					      (unsigned long long)code->attr.config2);
		assert_int_equal(code->attr.size, sizeof(code->attr));
		assert_int_equal(code->attr.exclude_guest, event->kind == EVENT_HARDWARE);
	}
}

static void resolve_rows(const char *machine_name, const struct row *rows, size_t n)
{
	struct machine machine;

	machine_init(&machine, machine_name);
	machine_files(&machine);
	for (size_t i = 0; i < n; i++) {
		struct error err = {.text = ""};
		struct event event;
		char codes[512];

		if (event_resolve(&machine.context, rows[i].name, &event, &err) < 0)
			fail_msg("%s: %s", rows[i].name, err.text);
		print_codes(&machine, &event, codes, sizeof(codes));
		if (strcmp(codes, rows[i].codes) != 0 || event.kind != rows[i].kind)
			fail_msg("%s is %s (kind %d), not %s", rows[i].name, codes, event.kind,
				 rows[i].codes);
		assert_string_equal(event.unit, rows[i].unit ? rows[i].unit : "");
		double scale = rows[i].unit && rows[i].scale > 0 ? rows[i].scale : 1;
		assert_true(fabs(event.scale / scale - 1) < 1e-15);
		assert_true(event.state == FIGURE_VALID);
		event_fini(&event);
	}
	machine_fini(&machine);
}

static void intel(void **state)
{
	static const struct row rows[] = {
		{"cycles", EVENT_HARDWARE, "cpu:0:0"},
		{"CPU-Cycles", EVENT_HARDWARE, "cpu:0:0"},
		{"l1-DCACHE-loads", EVENT_HARDWARE, "cpu:3:0"},
		{"LL-stores", EVENT_HARDWARE, "cpu:3:102"},
		{"page-faults", EVENT_SOFTWARE, ":1:2"},
		{"task-clock", EVENT_SOFTWARE, ":1:1", "ns"},
		{"r1a8", EVENT_HARDWARE, "cpu:4:1a8"},
		{"cpu/event=0x3c,umask=1/", EVENT_HARDWARE, "cpu:4:13c"},
		{"cpu/ event=0x3c , umask=1 /", EVENT_HARDWARE, "cpu:4:13c"},
		{"cpu/umask=1,config=0x3c/", EVENT_HARDWARE, "cpu:4:13c"},
		{"cpu/in_tx,in_tx_cp,event=1/", EVENT_HARDWARE, "cpu:4:300000001"},
		{"cpu/mem-loads,config2=5/", EVENT_HARDWARE, "cpu:4:1cd:3:5"},
		{"cpu/slots=1/", EVENT_HARDWARE, "cpu:4:400"},
		{"c*u/event=2/", EVENT_HARDWARE, "cpu:4:2"},
		{"slots", EVENT_HARDWARE, "cpu:4:400"},
		{"power/energy-pkg/", EVENT_SOCKET, "power:12:2", "Joules", 0x1p-32},
		{"energy-pkg", EVENT_SOCKET, "power:12:2", "Joules", 0x1p-32},
		{"power/event=2/", EVENT_SOCKET, "power:12:2"},
		{"uncore_imc/cas_count_read/", EVENT_SOCKET,
		 "uncore_imc_0:20:304 uncore_imc_1:21:304", "MiB", 0x1p-14},
		{"imc_1/cas_count_read/", EVENT_SOCKET, "uncore_imc_1:21:304", "MiB", 0x1p-14},
		{"uncore_?mc_*/event=7/", EVENT_SOCKET, "uncore_imc_0:20:7 uncore_imc_1:21:7"},
		{"cas_count_read", EVENT_SOCKET, "uncore_imc_0:20:304 uncore_imc_1:21:304", "MiB",
		 0x1p-14},
		{"uncore_cha/umask_ext=0x10203/", EVENT_SOCKET, "uncore_cha_0:22:10200000300"},
		{"uncore_cha/filter_opc=0x100/", EVENT_SOCKET, "uncore_cha_0:22:0:100000"},
		{"hv_24x7/CPM_CS,core=5/", EVENT_SOCKET, "hv_24x7:30:50002"},
		{"msr/tsc/", EVENT_SOFTWARE, ":10:0"},
		{"tsc", EVENT_SOFTWARE, ":10:0"},
		{"intel_pt/cyc/", EVENT_HARDWARE, "cpu:11:2"},
		{"sched:sched_switch", EVENT_SOFTWARE, ":2:13a"},
		{"mem:0x1000/4:rw", EVENT_SOFTWARE, ":5:0:1000:4"},
		{"kprobe:0xffffffff81000000", EVENT_SOFTWARE, ":8:0:0:ffffffff81000000"},
	};

	(void)state;
	resolve_rows("intel", rows, ARRAY_SIZE(rows));
}

static void hybrid(void **state)
{
	static const struct row rows[] = {
		{"cycles", EVENT_HARDWARE, "cpu_atom:0:a00000000 cpu_core:0:400000000"},
		{"LLC-loads", EVENT_HARDWARE, "cpu_atom:3:a00000002 cpu_core:3:400000002"},
		{"r3c", EVENT_HARDWARE, "cpu_atom:10:3c cpu_core:4:3c"},
		{"faults", EVENT_SOFTWARE, ":1:2"},
		{"cpu_atom/event=1/", EVENT_HARDWARE, "cpu_atom:10:1"},
		{"cpu_*/event=1/", EVENT_HARDWARE, "cpu_atom:10:1 cpu_core:4:1"},
		{"topdown-retiring", EVENT_HARDWARE, "cpu_atom:10:c2 cpu_core:4:8000"},
		{"slots", EVENT_HARDWARE, "cpu_core:4:400"},
		{"perf::cycles", EVENT_HARDWARE, "cpu_atom:0:a00000000 cpu_core:0:400000000"},
	};

	(void)state;
	need_libpfm();
	resolve_rows("hybrid", rows, ARRAY_SIZE(rows));
}

static void arm(void **state)
{
	static const struct row rows[] = {
		{"cycles", EVENT_HARDWARE, "armv8_pmuv3_0:0:0"},
		{"inst_retired", EVENT_HARDWARE, "armv8_pmuv3_0:8:8"},
		{"armv8_pmuv3/event=0x11,long/", EVENT_HARDWARE, "armv8_pmuv3_0:8:11:1"},
		{"arm_cmn/dtc_cycles,wp_mask=3/", EVENT_SOCKET, "arm_cmn_0:20:10003:0:3"},
	};

	(void)state;
	resolve_rows("arm", rows, ARRAY_SIZE(rows));
}

static void test_refused_names(void **state)
{
	static const struct {
		const char *name;
		int code;
		const char *text; /* a part of the error */
	} rows[] = {
		{"", -EINVAL, "no name"},
		{"cylces", -ENOENT, "did you mean 'cycles'?"},
		{"L1-dcache-laod-misses", -ENOENT, "did you mean 'L1-dcache-load-misses'?"},
		{"topdown-retirin", -ENOENT, "did you mean 'topdown-retiring'?"},
		{"topdwn-bad-spec:u", -ENOENT, "did you mean 'topdown-bad-spec'?"},
		{"zzzzzzzz", -ENOENT, "Unknown event 'zzzzzzzz': '--list events'"},
		{"a\033[31mb", -ENOENT, "Unknown event 'a\xef\xbf\xbd[31mb': '"},
		{"cycles:x", -EINVAL, "Unknown modifier 'x'"},
		{"cycles:u\n", -EINVAL, "Unknown modifier"},
		{"cycles:uu", -EINVAL, "twice"},
		{"cycles:", -EINVAL, "missing after ':'"},
		{"cycles:u:", -EINVAL, "missing after ':'"},
		{"cycles:pppp", -EINVAL, "the most precise is ppp"},
		{"cycles:pP", -EINVAL, "contradict"},
		{"cycles:D", -ENOTSUP, "perf's groups"},
		{"L1-icache-stores", -EINVAL, "L1-icache cache has no stores"},
		{"L1-dcache-loads-loads", -ENOENT, "did you mean"},
		{"r11112222333344445", -ENOENT, "Unknown event"},
		{"rxyz", -ENOENT, "Unknown event"},
		{"power/energy-pkg/u", -EINVAL, "counted for its whole socket"},
		{"cpu/event=0x100/", -ERANGE,
		 "Term 'event' of PMU cpu: its value has more than 8 bits"},
		{"cpu/edge=2/", -ERANGE, "Term 'edge' of PMU cpu: its value has more than 1 bit"},
		{"cpu/umsk=1/", -ENOENT, "PMU cpu has no term 'umsk' (did you mean 'umask'?)"},
		{"cpu/event=abc/", -EINVAL, "Term 'event'"},
		{"cpu/event=/", -EINVAL, "Term 'event'"},
		{"cpu/event=-1/", -EINVAL, "Term 'event'"},
		{"cpu/config=0x10000000000000000/", -EINVAL, "Term 'config'"},
		{"cpu/event=1,,umask=2/", -EINVAL, "empty"},
		{"cpu/=1/", -EINVAL, "empty"},
		{"cpu/event=1,name=/", -EINVAL, "Term 'name'"},
		{"cpu/slots=7/", -EINVAL, "takes no value"},
		{"cpu/../../type/", -ENOENT, "no term"},
		{"cpu/event=1", -EINVAL, "does not end with '/'"},
		{"/event=1/", -EINVAL, "has no PMU before"},
		{"cpux/event=1/", -ENOENT, "no PMU 'cpux' on this machine (did you mean 'cpu'?)"},
		{"*/event=1/", -EINVAL, "counts other things"},
		{"power/energy-pkg,energy-ram/", -EINVAL, "only one event with a unit"},
		{"hv_24x7/CPM_CS/", -EINVAL, "Term 'core' of PMU hv_24x7: the event needs a value"},
		{"sched:sched_swich", -ENOENT, "--list events sched:"},
		{"nosuch:nosuch", -ENOENT, "Unknown event 'nosuch:nosuch'"},
		{"sched:sched_switch:q", -EINVAL, "Unknown modifier 'q'"},
		{"mem:", -EINVAL, "has no address"},
		{"mem:nowhere", -EINVAL, "has no address"},
		{"mem:0x10/9", -EINVAL, "1 to 8 bytes"},
		{"mem:0x10/0", -EINVAL, "1 to 8 bytes"},
		{"mem:0x10:rr", -EINVAL, "Unknown modifier 'r'"},
		{"kprobe:", -EINVAL, "Invalid probe"},
		{"kprobe:a b", -EINVAL, "Invalid probe"},
		{"kprobe:do_exit+x", -EINVAL, "Invalid probe"},
		{"uprobe:/bin/sh", -EINVAL, "Invalid probe"},
		{"uprobe:bin/sh:0x10", -EINVAL, "Invalid probe"},
		{"nosuchpmu::EVENT", -ENOENT, "has no PMU 'nosuchpmu'"},
		{"skl::LONGEST_LAT_CACHE", -EINVAL, "needs one of: MISS, REFERENCE."},
		{"skl::LONGEST_LAT_CACHE:MIS", -EINVAL, "did you mean 'MISS'?"},
		{"skl::LONGEST_LAT_CACHE:ZZZZZ", -EINVAL, "it has MISS, REFERENCE"},
		{"skl::LONGEST_LAT_CACHE:MISS:D", -EINVAL, "no 'D'"},
		{"skl::LONGEST_LAT_CACH:MISS", -ENODEV, "this machine has no PMU skl"},
		{"skx_unc_imc0::UNC_M_CAS_COUNT:RD", -ENODEV, "this kernel does not offer"},
	};
	struct machine machine;

	(void)state;
	need_libpfm();
	machine_init(&machine, "intel");
	machine_files(&machine);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct error err = {.text = ""};
		struct event event;
		int code = event_resolve(&machine.context, rows[i].name, &event, &err);

		if (code != rows[i].code || err.code != code || !strstr(err.text, rows[i].text))
			fail_msg("'%s': %d, %s; not %d, %s", rows[i].name, code, err.text,
				 rows[i].code, rows[i].text);
		assert_null(event.name);
		assert_null(event.codes);
	}
	machine_fini(&machine);
}

static void test_name_too_long(void **state)
{
	char name[EVENT_NAME_MAX_BYTES + 2];
	struct error err;
	struct event event;

	(void)state;
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(event_resolve(NULL, name, &event, &err), -ENAMETOOLONG);
	assert_non_null(strstr(err.text, "longer than 1023 bytes"));
}

static void test_without_tracefs(void **state)
{
	struct machine machine;
	struct event event;
	struct error err;

	(void)state;
	need_libpfm();
	machine_init(&machine, "intel");
	assert_int_equal(event_resolve(&machine.context, "sched:sched_switch", &event, &err),
			 -ENOENT);
	assert_non_null(strstr(err.text, "mount -t tracefs"));
	fk_fail(machine.fk, FK_FILE_READ, 0, EACCES);
	fk_fail(machine.fk, FK_DIR_EACH, 0, EACCES);
	assert_int_equal(event_resolve(&machine.context, "sched:sched_switch", &event, &err),
			 -EACCES);
	assert_non_null(strstr(err.text, "only root may read"));
	/* Names of libpfm4, which have the same form, do not need tracefs either. */
	assert_int_equal(event_resolve(&machine.context, "skl::ARITH:DIVIDER_ACTIVE", &event, &err),
			 0);
	event_fini(&event);
	machine_fini(&machine);
}

/* Only names that need no files are resolved. */
static void test_without_context(void **state)
{
	static const struct {
		const char *name;
		int code;
	} rows[] = {
		{"cycles", 0},
		{"faults:u", 0},
		{"r1a8", 0},
		{"mem:0x10", 0},
		{"perf::cycles", 0},
		{"slots", -ENOENT},
		{"cpu/slots/", -ENOENT},
		{"sched:sched_switch", -ENOENT},
		{"kprobe:do_exit", -ENOENT},
	};
	struct event_context half[] = {{NULL, NULL}, {NULL, &(struct pmu_set){.n = 0}}};

	(void)state;
	need_libpfm();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		for (size_t k = 0; k < 3; k++) {
			struct event event;
			struct error err;

			int code =
				event_resolve(k ? &half[k - 1] : NULL, rows[i].name, &event, &err);
			if (code != rows[i].code)
				fail_msg("%s: %d", rows[i].name, code);
			event_fini(&event);
		}
	}
}

static void test_slots_lead(void **state)
{
	static const struct {
		const char *machine, *name;
		bool leads;
	} rows[] = {
		{"intel", "slots", true},
		{"intel", "cpu/event=0,umask=4/", true},
		{"intel", "r400", true},
		{"intel", "topdown-retiring", false},
		{"intel", "cycles", false},
		{"hybrid", "slots", true},
		{"hybrid", "cpu_atom/event=0,umask=4/", false},
		{"arm", "r400", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine machine;
		struct event event;

		machine_init(&machine, rows[i].machine);
		assert_int_equal(event_resolve(&machine.context, rows[i].name, &event, NULL), 0);
		if (event.leads != rows[i].leads)
			fail_msg("%s on %s", rows[i].name, rows[i].machine);
		event_fini(&event);
		machine_fini(&machine);
	}
}

/* Adds slots with the levels of the metrics that need it, where nothing has these. */
static void test_add_leaders(void **state)
{
	static const struct {
		const char *machine, *names[3];
		enum event_levels levels;
		const char *events;
	} rows[] = {
		{"intel", {"topdown-retiring", "topdown-bad-spec"}, EVENT_LEVELS_ALL, "slots"},
		{"intel", {"cycles", "r400"}, EVENT_LEVELS_ALL, ""},
		{"intel", {"r400", "topdown-retiring"}, EVENT_LEVELS_ALL, ""},
		{"intel", {"topdown-retiring"}, EVENT_LEVELS_USER, "slots"},
		{"intel", {"topdown-retiring:u"}, EVENT_LEVELS_USER, "slots"},
		{"intel",
		 {"topdown-retiring:u", "topdown-retiring", "topdown-bad-spec:k"},
		 EVENT_LEVELS_ALL,
		 "slots:u slots slots:k"},
		{"intel", {"cpu/topdown-retiring/G"}, EVENT_LEVELS_ALL, "slots:G"},
		{"intel", {"topdown-retiring:uhI"}, EVENT_LEVELS_ALL, "slots:uhI"},
		{"hybrid", {"topdown-retiring"}, EVENT_LEVELS_ALL, "slots"},
		{"hybrid", {"cpu_atom/topdown-retiring/"}, EVENT_LEVELS_ALL, ""},
		{"arm", {"cycles", "r8000"}, EVENT_LEVELS_ALL, ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine machine;
		struct event_set set;
		struct error err;
		char added[64] = "";

		machine_init(&machine, rows[i].machine);
		machine.context.levels = rows[i].levels;
		event_set_init(&set, &machine.context);
		for (size_t k = 0; k < 3 && rows[i].names[k]; k++)
			assert_true(event_set_add(&set, rows[i].names[k], &err) >= 0);
		size_t n = set.n;
		for (size_t k = 2; k < n; k++)
			event_set_add_leaders(&set, k);
		for (size_t k = n; k < set.n; k++)
			snprintf(added + strlen(added), sizeof(added) - strlen(added), "%s%s",
				 k > n ? " " : "", set.items[k].name);
		assert_string_equal(added, rows[i].events);
		for (size_t k = 2; k < n; k++)
			event_set_add_leaders(&set, k);
		assert_int_equal(set.n, n + (rows[i].events[0] != 0) +
						2 * (strchr(rows[i].events, ' ') != NULL));
		event_set_fini(&set);
		machine_fini(&machine);
	}
}

static void test_label(void **state)
{
	struct machine machine;
	struct event event;

	(void)state;
	machine_init(&machine, "intel");
	assert_int_equal(event_resolve(&machine.context, "CPU-cycles:uk", &event, NULL), 0);
	assert_string_equal(event.name, "CPU-cycles:uk");
	event_fini(&event);
	assert_int_equal(
		event_resolve(&machine.context, "cpu/event=1,name='a,b=c'/u", &event, NULL), 0);
	assert_string_equal(event.name, "cpu/event=1,name='a,b=c'/u");
	assert_string_equal(event_label(&event), "a,b=c");
	assert_int_equal(event.codes[0].attr.config, 1);
	event_fini(&event);
	machine_fini(&machine);
}

/* The attr points to a text that its event owns. */
static void test_probe_text(void **state)
{
	static const struct {
		const char *name, *target;
		uint32_t type;
		uint64_t config, offset;
	} rows[] = {
		{"kprobe:do_exit", "do_exit", 8, 0, 0},
		{"kprobe:do_exit+4:k", "do_exit", 8, 0, 4},
		{"kprobe:kuh", "kuh", 8, 0, 0},
		{"kretprobe:do_exit.part.0", "do_exit.part.0", 8, 1, 0},
		{"uprobe:/bin/sh:0x4210", "/bin/sh", 9, 0, 0x4210},
		{"uprobe:/a:12/b,c:16:u", "/a:12/b,c", 9, 0, 16},
		{"uretprobe:/bin/sh:0x4210", "/bin/sh", 9, 1, 0x4210},
	};
	struct machine machine;

	(void)state;
	machine_init(&machine, "intel");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct error err = {.text = ""};
		struct event event, copy;

		if (event_resolve(&machine.context, rows[i].name, &event, &err) < 0)
			fail_msg("%s: %s", rows[i].name, err.text);
		event_copy(&copy, &event);
		assert_ptr_equal(event.codes[0].attr.config1, event.target);
		event_fini(&event);
		assert_ptr_equal(copy.codes[0].attr.config1, copy.target);
		assert_string_equal(copy.target, rows[i].target);
		assert_int_equal(copy.codes[0].attr.type, rows[i].type);
		assert_int_equal(copy.codes[0].attr.config, rows[i].config);
		assert_int_equal(copy.codes[0].attr.config2, rows[i].offset);
		assert_true(copy.kind == EVENT_SOFTWARE);
		event_fini(&copy);
	}
	machine_fini(&machine);
}

static void test_other_names(void **state)
{
	struct machine machine;
	struct event_set set;
	struct error err;

	(void)state;
	machine_init(&machine, "intel");
	event_set_init(&set, &machine.context);
	assert_int_equal(event_set_find(&set, "cs"), 1);
	assert_int_equal(event_set_add(&set, "task-clock", &err), 0);
	assert_int_equal(event_set_add(&set, "context-switches", &err), 1);
	assert_int_equal(event_set_add(&set, "task-clock:u", &err), 2);
	assert_int_equal(event_set_add(&set, "branch-instructions", &err), 3);
	assert_int_equal(event_set_add(&set, "branches", &err), 3);
	assert_int_equal(event_set_add(&set, "branches:u", &err), 4);
	assert_int_equal(event_set_find(&set, "nosuch"), -ENOENT);
	for (int i = 5; i < EVENT_SET_MAX; i++) {
		char name[16];

		snprintf(name, sizeof(name), "r%x", (unsigned)i);
		assert_int_equal(event_set_add(&set, name, &err), i);
	}
	assert_int_equal(event_set_add(&set, "rffff", &err), -E2BIG);
	assert_non_null(strstr(err.text, "More than 512 events"));
	event_set_fini(&set);
	machine_fini(&machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intel),
		cmocka_unit_test(hybrid),
		cmocka_unit_test(arm),
		cmocka_unit_test(test_refused_names),
		cmocka_unit_test(test_name_too_long),
		cmocka_unit_test(test_without_tracefs),
		cmocka_unit_test(test_without_context),
		cmocka_unit_test(test_slots_lead),
		cmocka_unit_test(test_add_leaders),
		cmocka_unit_test(test_label),
		cmocka_unit_test(test_probe_text),
		cmocka_unit_test(test_other_names),
	};

	/* libpfm4 then finds no CPU here, and encodes events of absent PMUs. */
	setenv("LIBPFM_FORCE_PMU", "perf", 1);
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
