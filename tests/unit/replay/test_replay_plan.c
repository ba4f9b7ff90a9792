// SPDX-License-Identifier: MIT
/* The plan of a perf recording, from its events and one sample; the facts in its features. */
#include "core/base/util.h"
#include "core/replay/replay_cgroups.h"
#include "core/replay/replay_plan.h"
#include "core/sys/cpu_kind.h"
#include "tests/unit/shared/perfdata_image.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { EVENTS_MAX = 8 };

#define SWITCHES PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES
#define FAULTS   PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS
#define CLOCK    PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK
#define CYCLES   PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES

struct made_event {
	uint32_t type;
	uint64_t config;
	const char *name;
	bool user; /* :u */
};

struct plan_case {
	const char *name;
	struct made_event events[EVENTS_MAX]; /* the first is the leader, if not stated otherwise */
	size_t n_sample;                      /* how many of them the sample counts */
	const char *counted[EVENTS_MAX];      /* the set's, behind the two that it always has */
	int switches_at, clock_at;
	bool alone;
	size_t first; /* the event that the sample's first value is of */
};

static const struct plan_case cases[] = {
	{"the usual group",
	 {{SWITCHES, "context-switches"}, {CYCLES, "cycles"}, {FAULTS, "page-faults"}},
	 3,
	 {"cycles", "page-faults"},
	 0,
	 -1,
	 true},
	{"a clock in the group is that of the slices",
	 {{SWITCHES, "cs"}, {FAULTS, "faults"}, {CLOCK, "task-clock"}},
	 3,
	 {"faults"},
	 0,
	 2,
	 true},
	{"a recording that does not name its events",
	 {{SWITCHES, ""}, {CYCLES, ""}, {PERF_TYPE_RAW, 0x1a8, ""}},
	 3,
	 {"cycles", "event/type=4,config=0x1a8/"},
	 0,
	 -1,
	 true},
	{"what does not change the count is no part of a name",
	 {{SWITCHES, "context-switches:S"},
	  {CYCLES, "cycles:uS", true},
	  {PERF_TYPE_HARDWARE, 1, "instructions:ppp"},
	  {PERF_TYPE_RAW, 0xc4, "cpu/event=0xc4,name=a:S/"}},
	 4,
	 {"cycles:u", "instructions", "cpu/event=0xc4,name=a:S/"},
	 0,
	 -1,
	 true},
	{"by PMU and term, and the kernel's own all the same",
	 {{SWITCHES, "context-switches"}, {PERF_TYPE_HARDWARE, 8ull << 32, "armv8_pmuv3/cycles/"}},
	 2,
	 {"cycles"},
	 0,
	 -1,
	 true},
	{"one event twice is one",
	 {{SWITCHES, "context-switches"}, {CYCLES, "cycles"}, {CYCLES, "cpu-cycles"}},
	 3,
	 {"cycles"},
	 0,
	 -1,
	 true},
	{"hardware events beside the group",
	 {{SWITCHES, "context-switches"}, {FAULTS, "page-faults"}, {CYCLES, "cycles"}},
	 2,
	 {"page-faults"},
	 0,
	 -1,
	 false},
	{"switches alone",
	 {{SWITCHES, "context-switches"}, {FAULTS, "page-faults"}},
	 0,
	 {NULL},
	 -1,
	 -1,
	 true},
	{"a sampled member, and another leads",
	 {{CYCLES, "cycles"}, {SWITCHES, "context-switches"}},
	 2,
	 {"cycles"},
	 1,
	 -1,
	 true},
};

static void add_event(struct perfdata_events *events, const struct made_event *made, uint64_t id)
{
	struct {
		struct perf_event_header header;
		struct perf_event_attr attr;
		uint64_t id;
	} record = {
		.header = {.type = PERFDATA_ATTR, .size = sizeof(record)},
		.attr = {.type = made->type,
			 .size = sizeof(record.attr),
			 .config = made->config,
			 .exclude_kernel = made->user,
			 .sample_period =
				 made->config == PERF_COUNT_SW_CONTEXT_SWITCHES && made->type == 1},
		.id = id,
	};
	struct {
		struct perf_event_header header;
		uint64_t kind, id;
		char text[64];
	} name = {
		.header = {.type = PERFDATA_UPDATE, .size = sizeof(name)},
		.kind = PERFDATA_NAME,
		.id = id,
	};

	assert_int_equal(perfdata_events_add(events, &record.header), 0);
	text_copy(name.text, sizeof(name.text), made->name);
	assert_int_equal(perfdata_events_add(events, &name.header), 0);
}

static void run_case(const struct plan_case *plan_case)
{
	static struct perfdata_sample sample;
	struct perfdata_events events = {0};
	struct replay_facts facts = {0};
	struct replay_plan plan;
	struct pmu_set pmus;
	struct error err = {0};

	print_message("%s\n", plan_case->name);
	for (size_t i = 0; i < EVENTS_MAX && plan_case->events[i].name; i++)
		add_event(&events, &plan_case->events[i], 10 + i);
	sample.n_values = plan_case->n_sample;
	sample.event = events.items;
	for (size_t i = 0; i < sample.n_values; i++) {
		sample.values[i].id = 10 + i;
		sample.values[i].value = 1000 * (i + 1);
	}
	replay_plan_pmus(&events, &facts, &pmus);
	assert_non_null(replay_plan_leader(&events, &sample));
	const struct replay_plan_source source = {
		.events = &events, .sample = &sample, .facts = &facts, .pmus = &pmus};
	assert_int_equal(replay_plan_init(&plan, &source, &err), 0);
	assert_int_equal(plan.switches_at, plan_case->switches_at);
	assert_int_equal(plan.clock_at, plan_case->clock_at);
	assert_int_equal(plan.alone, plan_case->alone);
	assert_true(replay_plan_fits(&plan, &events, &sample));

	uint64_t reading[READING_VALUES + PERFDATA_VALUES_MAX];
	const struct attrib_layout *layout = &plan.plan->groups[0].layout;
	replay_plan_read(&plan, &sample, 77, 5, reading);
	assert_int_equal(reading[READING_ENABLED_NS],
			 plan.clock_at < 0 ? 77 : sample.values[plan.clock_at].value);
	assert_int_equal(reading[READING_RUNNING_NS], reading[READING_ENABLED_NS]);
	assert_int_equal(reading[READING_VALUES + layout->switch_value],
			 plan.switches_at < 0 ? 5 : sample.values[plan.switches_at].value);
	size_t n = 0;
	for (; plan_case->counted[n]; n++) {
		const char *name = plan.events.items[TALLY_FIRST_COUNTED + n].name;
		assert_string_equal(name, plan_case->counted[n]);
	}
	assert_int_equal(plan.events.n, TALLY_FIRST_COUNTED + n);
	for (size_t i = 0; i < layout->n_values; i++)
		if (plan.value_of[i] >= 0)
			assert_int_equal(reading[READING_VALUES + i],
					 sample.values[plan.value_of[i]].value);
	replay_plan_fini(&plan);
	pmu_set_fini(&pmus);
	perfdata_events_fini(&events);
}

static void test_plans(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		run_case(&cases[i]);
}

static void test_remedy(void **state)
{
	static const struct {
		const char *name;
		struct made_event event;
		struct replay_pmu pmu;
		const char *says;
	} rows[] = {
		{"no PMU", {SWITCHES, "context-switches"}, {1, "software"}, ",task-clock,"},
		{"nothing is listed", {SWITCHES, "context-switches"}, {0}, ",task-clock,"},
		{"a hardware event", {CYCLES, "cycles"}, {1, "software"}, ",cycles,"},
		{"a PMU of x86", {SWITCHES, "context-switches"}, {4, "cpu"}, ",cycles,"},
		{"a hybrid's", {SWITCHES, "context-switches"}, {4, "cpu_core"}, ",cycles,"},
		{"one of arm64", {SWITCHES, "context-switches"}, {8, "armv8_pmuv3"}, ",cycles,"},
		{"of another thing", {SWITCHES, "context-switches"}, {8, "power"}, ",task-clock,"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct replay_pmu pmu = rows[i].pmu;
		const struct replay_facts facts = {.pmus = &pmu, .n_pmus = pmu.name[0] != '\0'};
		struct perfdata_events events = {0};
		add_event(&events, &rows[i].event, 10);
		const char *remedy = replay_plan_remedy(&events, &facts);
		if (!strstr(remedy, rows[i].says))
			fail_msg("%s: %s", rows[i].name, remedy);
		perfdata_events_fini(&events);
	}
}

static void test_events_that_sample_every_switch(void **state)
{
	struct {
		struct perf_event_attr attr;
		bool every;
		char name[32];
	} rows[] = {
		{{.type = PERF_TYPE_SOFTWARE, .config = 3, .sample_period = 1}, true},
		{{.type = PERF_TYPE_SOFTWARE, .config = 3, .sample_period = 2}, false},
		{{.type = PERF_TYPE_SOFTWARE, .config = 3, .sample_freq = 1, .freq = 1}, false},
		{{.type = PERF_TYPE_SOFTWARE, .config = 3}, false},
		{{.type = PERF_TYPE_SOFTWARE, .config = 3, .sample_period = 1, .exclude_kernel = 1},
		 false},
		{{.type = PERF_TYPE_SOFTWARE, .config = 2, .sample_period = 1}, false},
		{{.type = PERF_TYPE_HARDWARE, .config = 3, .sample_period = 1}, false},
		{{.type = PERF_TYPE_TRACEPOINT, .sample_period = 1}, true, "sched:sched_switch"},
		{{.type = PERF_TYPE_TRACEPOINT, .sample_period = 1}, true, "sched:sched_switch:S"},
		{{.type = PERF_TYPE_TRACEPOINT, .sample_period = 2}, false, "sched:sched_switch"},
		{{.type = PERF_TYPE_TRACEPOINT, .sample_period = 1}, false, "sched:sched_switched"},
		{{.type = PERF_TYPE_TRACEPOINT, .sample_period = 1}, false, "sched:sched_waking"},
		{{.type = PERF_TYPE_HARDWARE, .sample_period = 1}, false, "sched:sched_switch"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct perfdata_event event = {.attr = rows[i].attr, .name = rows[i].name};
		if (replay_plan_is_switch(&event) != rows[i].every)
			fail_msg("row %zu", i);
	}
}

static void begin_feature(struct image *record, uint64_t feature)
{
	image_begin(record, PERFDATA_FEATURE, 0);
	image_u64(record, feature);
}

static const struct perf_event_header *end_record(struct image *record)
{
	image_end(record, 0);
	return (const struct perf_event_header *)record->bytes;
}

/* Parses the record, which is emptied. */
static void parse_fact(struct replay_facts *facts, struct image *record)
{
	assert_true(replay_facts_parse(facts, end_record(record)));
	/* However short it is, nothing is read behind it. */
	for (size_t n = sizeof(struct perf_event_header); n < record->n; n++) {
		struct replay_facts less = {0};
		struct perf_event_header *exact = memcpy(malloc(n), record->bytes, n);
		exact->size = (uint16_t)n;
		replay_facts_parse(&less, exact);
		free(exact);
		replay_facts_fini(&less);
	}
	image_fini(record);
}

static void test_facts(void **state)
{
	struct replay_facts facts = {0};
	struct image record = {0};

	(void)state;
	begin_feature(&record, PERFDATA_HOSTNAME);
	image_string(&record, "box");
	parse_fact(&facts, &record);
	assert_string_equal(facts.host, "box");

	begin_feature(&record, PERFDATA_NRCPUS);
	image_u32(&record, 4);
	image_u32(&record, 8);
	parse_fact(&facts, &record);
	assert_int_equal(facts.n_cpus, 8);
	begin_feature(&record, PERFDATA_NRCPUS);
	image_u32(&record, 4);
	image_u32(&record, UINT32_MAX);
	parse_fact(&facts, &record);
	assert_int_equal(facts.n_cpus, 0);

	begin_feature(&record, 9);
	image_string(&record, "GenuineIntel,6,4294967439,8");
	parse_fact(&facts, &record);
	assert_int_equal(facts.cpu.kinds, 0);
	begin_feature(&record, 9);
	image_string(&record, "GenuineIntel,6,143,8");
	parse_fact(&facts, &record);
	assert_int_equal(facts.cpu.kinds, CPU_INTEL_ICL);
	begin_feature(&record, 9);
	image_string(&record, "0x00000000410fd0c0");
	parse_fact(&facts, &record);
	assert_int_equal(facts.cpu.kinds, CPU_ARM_OTHER);

	begin_feature(&record, 16);
	image_u32(&record, 2);
	image_u32(&record, 1);
	image_string(&record, "software");
	image_u32(&record, 8);
	image_string(&record, "armv8_pmuv3");
	parse_fact(&facts, &record);
	assert_string_equal(replay_facts_pmu(&facts, 8), "armv8_pmuv3");
	assert_null(replay_facts_pmu(&facts, 4));

	begin_feature(&record, 29);
	image_u32(&record, 1);
	image_u32(&record, 1);
	image_u64(&record, 1700000000000000000);
	image_u64(&record, 5000);
	parse_fact(&facts, &record);
	assert_int_equal(facts.realtime_ns, 1700000000000000000);
	assert_int_equal(facts.clock_ns, 5000);
	replay_facts_fini(&facts);
}

static void test_recorded_target(void **state)
{
	static const struct {
		const char *name;
		const char *words[6];
		bool of_cgroup;
	} commands[] = {
		{"all tasks", {"perf", "record", "-a", "-c", "1"}, false},
		{"a cgroup", {"perf", "record", "-a", "-G", "web"}, true},
		{"the same", {"perf", "record", "-a", "--cgroup=web"}, true},
		{"a command's word", {"perf", "record", "-a", "--", "ls", "-G"}, false},
		{"recorded cgroups", {"perf", "record", "-a", "--all-cgroups"}, false},
	};
	static const struct {
		uint32_t type;
		uint64_t tid;
		bool of_tasks;
	} lists[] = {
		{69, UINT64_MAX, false}, {69, 7, true}, {73, UINT64_MAX, false}, {73, 7, true}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		struct replay_facts facts = {0};
		struct image record = {0};
		uint32_t n = 0;

		print_message("%s\n", commands[i].name);
		while (n < ARRAY_SIZE(commands[i].words) && commands[i].words[n])
			n++;
		begin_feature(&record, PERFDATA_CMDLINE);
		image_u32(&record, n);
		for (uint32_t k = 0; k < n; k++)
			image_string(&record, commands[i].words[k]);
		parse_fact(&facts, &record);
		assert_int_equal(facts.of_cgroup, commands[i].of_cgroup);
		replay_facts_fini(&facts);
	}
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		struct replay_facts facts = {0};
		struct image record = {0};

		image_begin(&record, lists[i].type, 0);
		image_u64(&record, 1);
		if (lists[i].type == 69) {
			image_u64(&record, 33);
			image_u64(&record, 0);
			image_u64(&record, 0);
		}
		image_u64(&record, lists[i].tid);
		image_u64(&record, 0);
		image_u64(&record, 0);
		parse_fact(&facts, &record);
		assert_int_equal(facts.of_tasks, lists[i].of_tasks);
		replay_facts_fini(&facts);
	}
}

static void parse_cgroup(struct replay_cgroups *cgroups, uint64_t id, const char *path)
{
	struct image record = {0};

	image_begin(&record, 19, 0);
	image_u64(&record, id);
	image_text(&record, path, strlen(path) + 1);
	assert_true(replay_cgroups_parse(cgroups, end_record(&record)));
	image_fini(&record);
}

static void test_cgroups(void **state)
{
	struct perfdata_event event = {.attr.sample_type = 1ull << 21 | PERF_SAMPLE_TID};
	static struct perfdata_sample sample;
	struct replay_cgroups cgroups = {0};
	struct image image = {0};

	(void)state;
	sample.event = &event;
	image_begin(&image, PERF_RECORD_SAMPLE, 0);
	image_u64(&image, 1);
	image_u64(&image, 5);
	const struct perf_event_header *record = end_record(&image);
	assert_null(replay_cgroups_of_sample(&cgroups, record, &sample));
	parse_cgroup(&cgroups, 9, "/nine");
	parse_cgroup(&cgroups, 5, "/five");
	parse_cgroup(&cgroups, 7, "/seven");
	assert_string_equal(replay_cgroups_of_sample(&cgroups, record, &sample), "/five");
	parse_cgroup(&cgroups, 5, "/other");
	assert_string_equal(replay_cgroups_of_sample(&cgroups, record, &sample), "/other");
	assert_false(replay_cgroups_parse(&cgroups, record));
	event.attr.sample_type = PERF_SAMPLE_TID;
	assert_null(replay_cgroups_of_sample(&cgroups, record, &sample));
	replay_cgroups_fini(&cgroups);
	image_fini(&image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plans),
		cmocka_unit_test(test_remedy),
		cmocka_unit_test(test_events_that_sample_every_switch),
		cmocka_unit_test(test_facts),
		cmocka_unit_test(test_recorded_target),
		cmocka_unit_test(test_cgroups),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
