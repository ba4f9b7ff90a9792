// SPDX-License-Identifier: MIT
/*
 * Queries to a running engine, on the fake kernel. Counting goes on meanwhile: each snapshot
 * conserves, and no event is opened again.
 */
#include "core/metric/catalog.h"
#include "core/perf/perf_open_error.h"
#include "tests/fake_kernel/machines.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/engine_run.h"
#include "tests/unit/shared/send_request.h"

#include <errno.h>
#include <stdio.h>

enum { ME = 1000, MAIN = 50, SLEEPER = 60 };

#define EVENTS "/sys/kernel/tracing/events"

static struct fk *machine(const struct fk_config *config)
{
	struct fk *fk = fk_new(config);

	fk_file(fk, EVENTS "/enable", "0\n");
	fk_file(fk, EVENTS "/sched/enable", "0\n");
	fk_file(fk, EVENTS "/sched/sched_switch/id", "314\n");
	fk_file(fk, EVENTS "/sched/sched_waking/id", "315\n");
	fk_task(fk, &(struct fk_spec){.tid = MAIN, .uid = ME, .rates = HALF_IPC});
	fk_switch(fk, 0, MAIN);
	return fk;
}

/* Waits for the next reply. Intervals end meanwhile. */
static struct reply *next_answer(struct engine *engine, struct fk *fk)
{
	uint64_t deadline_ns = fk_now(fk) + INTERVAL_NS;

	for (int i = 0; i < 100000; i++) {
		struct reply *answer = reply_pop(engine_replies(engine));
		if (answer)
			return answer;
		if (engine_wait(engine, deadline_ns) == 0) {
			snapshot_free(engine_snapshot(engine));
			deadline_ns = fk_now(fk) + INTERVAL_NS;
		}
	}
	fail_msg("no reply");
	return NULL;
}

static struct event_preview *preview_events(struct engine *engine, struct fk *fk, const char *text)
{
	send_request(engine, &(struct request){.kind = REQUEST_PREVIEW, .text = text});
	struct reply *answer = next_answer(engine, fk);
	assert_int_equal(answer->kind, REQUEST_PREVIEW);
	struct event_preview *preview = answer->preview;
	answer->preview = NULL;
	reply_free(answer);
	return preview;
}

struct comparison {
	const struct reply *answer;
	size_t found;
	enum figure_state tracepoints;
	bool from_proc;
};

/* Compares with an entry of --list, which opens tracepoints too. */
static int compare_entry(void *arg, const struct catalog_entry *entry)
{
	struct comparison *comparison = arg;
	const struct event_index *event_index = comparison->answer->event_index;

	for (size_t i = 0; i < event_index->n; i++) {
		const struct event_index_item *item = &event_index->items[i];
		if (strcmp(item->name, entry->name) != 0)
			continue;
		assert_string_equal(item->help, entry->help);
		assert_string_equal(item->pmu, entry->pmu);
		assert_int_equal(item->example, entry->example);
		/* The fake kernel has no tracepoints, and the engine opens none here. */
		enum figure_state expected = strcmp(item->pmu, "tracepoint") == 0
						     ? comparison->tracepoints
						     : entry->state;
		bool faults = strcmp(item->name, "page-faults") == 0 ||
			      strcmp(item->name, "minor-faults") == 0 ||
			      strcmp(item->name, "major-faults") == 0;
		if (faults && comparison->from_proc)
			expected = FIGURE_VALID; /* by /proc */
		if (!item->example)
			assert_int_equal(comparison->answer->states[i], expected);
		comparison->found++;
		return 0;
	}
	fail_msg("%s is missing", entry->name);
	return 0;
}

static void compare(struct fk *fk, const struct fk_config *config, const struct reply *answer)
{
	bool ordinary = config->unprivileged, denied = ordinary || config->denied;
	struct sys sys = fk_sys(fk);
	struct pmu_set pmus;
	const struct event_context context = {
		.sys = &sys,
		.pmus = &pmus,
		.levels = ordinary ? EVENT_LEVELS_USER : EVENT_LEVELS_ALL,
	};
	struct comparison comparison = {
		.answer = answer,
		.tracepoints = denied ? FIGURE_DENIED : FIGURE_VALID,
		.from_proc = denied,
	};

	pmu_set_read(&sys, &pmus);
	/* With a pattern tracepoints are listed one by one. */
	catalog_events(&context, "c", compare_entry, &comparison);
	catalog_events(&context, "tracepoint", compare_entry, &comparison);
	assert_true(comparison.found > 40);
	pmu_set_fini(&pmus);
}

static const struct fk_config ordinary = {.unprivileged = true, .uid = ME, .paranoid = 2};
static const struct fk_config denied = {.denied = EPERM};

static const struct events_case {
	const char *name;
	const struct fk_config *config;
} events_cases[] = {
	{"all events", &fk_machine_zen},
	{"all events of a guest", &fk_machine_guest},
	{"all events of an ordinary user", &ordinary},
	{"all events denied", &denied},
};

/* Names at once, then what can be counted; the same names again at another time. */
static void all_events(void **state)
{
	const struct events_case *this = *state;
	struct fk *fk = machine(this->config);
	struct sys sys = fk_sys(fk);
	struct engine *engine = open_engine(&sys);
	const struct event_index *first = NULL;
	size_t n_known = 0;

	for (int again = 0; again < 2; again++) {
		struct reply *answer;
		bool done;
		send_request(engine, &(struct request){.kind = REQUEST_EVENTS});
		do {
			answer = next_answer(engine, fk);
			assert_int_equal(answer->kind, REQUEST_EVENTS);
			assert_true(!first || answer->event_index == first);
			assert_true(answer->n_known >= n_known);
			assert_true(first || answer->n_known == 0);
			first = answer->event_index;
			n_known = answer->n_known;
			done = n_known == first->n;
			if (done)
				compare(fk, this->config, answer);
			reply_free(answer);
		} while (!done);
		assert_null(reply_pop(engine_replies(engine)));
	}
	close_all(engine, fk);
}

/*
 * Opening all events takes a small share of the time, and one tracepoint is opened for all. An
 * event takes STEP_NS here.
 */
static void events_take_little_time(void **state)
{
	enum { STEP_NS = 20000, SHARE = 25 };
	static const unsigned tracepoints[] = {0, 500};
	struct fk_config config = fk_machine_zen;
	unsigned opens[ARRAY_SIZE(tracepoints)];

	(void)state;
	config.step_ns = STEP_NS;
	for (size_t i = 0; i < ARRAY_SIZE(tracepoints); i++) {
		struct fk *fk = machine(&config);
		struct sys sys = fk_sys(fk);
		struct reply *answer = NULL;
		char path[80];

		for (unsigned k = 0; k < tracepoints[i]; k++) {
			snprintf(path, sizeof(path), EVENTS "/sched/more_%u/id", k);
			fk_file(fk, path, "316\n");
		}
		struct engine *engine = open_engine(&sys);
		send_request(engine, &(struct request){.kind = REQUEST_EVENTS});
		reply_free(next_answer(engine, fk)); /* the names */
		uint64_t begin_ns = fk_now(fk);
		opens[i] = fk_calls(fk, FK_PERF_OPEN);
		do {
			reply_free(answer);
			while (!(answer = reply_pop(engine_replies(engine))))
				engine_wait(engine, fk_now(fk) + 1000 * INTERVAL_NS);
		} while (answer->n_known < answer->event_index->n);
		opens[i] = fk_calls(fk, FK_PERF_OPEN) - opens[i];
		assert_true(fk_now(fk) - begin_ns > answer->n_known * STEP_NS * SHARE);
		reply_free(answer);
		close_all(engine, fk);
	}
	assert_int_equal(opens[0], opens[1]);
}

/* Other levels: what was allowed may not be now. */
static void events_of_other_levels(void **state)
{
	struct fk *fk = machine(&ordinary);
	struct sys sys = fk_sys(fk);
	struct engine *engine = open_engine(&sys);

	(void)state;
	for (enum event_levels levels = 0; levels < EVENT_LEVELS; levels++) {
		struct reply *answer = NULL;
		send_request(engine, &(struct request){.kind = REQUEST_LEVELS, .number = levels});
		snapshot_free(nth_snapshot(engine, fk, 2));
		send_request(engine, &(struct request){.kind = REQUEST_EVENTS});
		do {
			reply_free(answer);
			answer = next_answer(engine, fk);
		} while (answer->n_known < answer->event_index->n);
		for (size_t i = 0; i < answer->event_index->n; i++)
			if (strcmp(answer->event_index->items[i].name, "cycles") == 0)
				assert_int_equal(answer->states[i], levels == EVENT_LEVELS_KERNEL
									    ? FIGURE_DENIED
									    : FIGURE_VALID);
		reply_free(answer);
	}
	close_all(engine, fk);
}

static const struct preview_case {
	const char *name;
	const struct fk_config *config;
	const char *text;
	const char *words; /* as event_preview_describe has it */
	const char *pmu, *encoding;
} preview_cases[] = {
	{"fits", &fk_machine_zen, "r201", "fits: 6 of 6 counters", "cpu", "cpu/config=0x201/"},
	{"of user space", &fk_machine_zen, "r201:u", "fits: 6 of 6 counters", "cpu",
	 "cpu/config=0x201/u"},
	{"of the kernel", &fk_machine_zen, "cycles:k", "fits: 6 of 6 counters", "cpu",
	 "type 0 config 0x0:k"},
	{"does not fit", &fk_machine_zen, "r201,r202",
	 "takes turns: one of 2 then, counted for 50% of the time", "cpu",
	 "cpu/config=0x201/, cpu/config=0x202/"},
	{"is counted already", &fk_machine_zen, "cycles,r777", "is counted already", "cpu",
	 "type 0 config 0x0, cpu/config=0x777/"},
	{"has a counter of its own", &fk_machine_intel, "ref-cycles", "fits: 6 counters", "cpu",
	 "type 0 config 0x9"},
	{"on two PMUs", &fk_machine_hybrid, "r201", "fits: 6 of 7 counters", "cpu_atom, cpu_core",
	 "cpu_atom/config=0x201/, cpu_core/config=0x201/"},
	{"needs no counter", &fk_machine_zen, "minor-faults", "needs no counter", "software",
	 "software/config=0x5/"},
	{"of /proc", &fk_machine_zen, "user_time", "needs no counter", "software", ""},
	{"a tracepoint", &fk_machine_zen, "sched:sched_switch", "needs no counter", "tracepoint",
	 "tracepoint/config=0x13a/"},
	{"of a socket", &fk_machine_zen, "power/energy-pkg/",
	 "of whole sockets: not attributed to tasks", "power", "power/config=0x2/"},
	{"unknown", &fk_machine_zen, "cylces", "Unknown event 'cylces': did you mean 'cycles'?", "",
	 ""},
	{"no list", &fk_machine_zen, "{cycles", "Events, position 1: this brace is not closed", "",
	 ""},
	{"nothing", &fk_machine_zen, "", "Events, position 1: expected the name of an event", "",
	 ""},
	{"unsupported", &fk_machine_zen, "bus-cycles",
	 "Event bus-cycles is not supported on this CPU.", "cpu", "type 0 config 0x6"},
	{"no counters at all", &fk_machine_guest, "cycles", PERF_OPEN_NO_PMU, "hardware",
	 "type 0 config 0x0"},
};

static void test_preview(void **state)
{
	static const struct engine_column columns[] = {{ENGINE_EVENTS, "cycles,r777"}};
	const struct engine_config config = {
		.columns = columns,
		.n_columns = 1,
	};
	const struct preview_case *this = *state;
	struct fk *fk = machine(this->config);
	struct sys sys = fk_sys(fk);
	struct engine *engine = open_engine_with(&sys, &config);
	struct snapshot *before = nth_snapshot(engine, fk, 2);
	unsigned fds = fk_open_fds(fk);
	struct event_preview *preview = preview_events(engine, fk, this->text);
	char words[256];

	event_preview_describe(preview, words, sizeof(words));
	if (strncmp(words, this->words, strlen(this->words)) != 0)
		fail_msg("%s", words);
	assert_string_equal(preview->text, this->text);
	assert_string_equal(preview->pmu, this->pmu);
	assert_string_equal(preview->encoding, this->encoding);
	assert_int_equal(fk_open_fds(fk), fds);
	struct snapshot *after = nth_snapshot(engine, fk, 2);
	assert_ptr_equal(after->columns, before->columns);
	assert_int_equal(after->unattributed[TALLY_TASK_CLOCK], 0);
	snapshot_free(before);
	snapshot_free(after);
	/* The preview agrees with the plan afterwards. */
	send_request(engine, &(struct request){REQUEST_ADD_EVENTS, this->text});
	after = nth_snapshot(engine, fk, 3);
	if (preview->kind == EVENT_HARDWARE && preview->state == FIGURE_VALID)
		assert_int_equal(plan_most_turns(after->columns->plan), preview->turns_after);
	snapshot_free(after);
	free(preview);
	close_all(engine, fk);
}

/* The same, counted task by task. */
static void previews_of_an_ordinary_user(void **state)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{"r201", "fits: 5 of 6 counters"},
		{"r201,r202,r203,r204", "takes turns: one of 2 then, counted for 50% of the time"},
		{"cycles:k", "Event cycles:k counts in the kernel. That needs CAP_PERFMON"},
		{"page-faults", "is counted already"},
		{"minor-faults", "needs no counter"},
		{"power/energy-pkg/", "Event power/energy-pkg/ is counted for a whole socket"},
	};
	struct fk_config config = fk_machine_zen;
	const struct engine_column column = {ENGINE_EVENTS, "page-faults"};

	(void)state;
	config.unprivileged = true;
	config.uid = ME;
	config.paranoid = 2;
	struct fk *fk = machine(&config);
	struct sys sys = fk_sys(fk);
	struct engine *engine =
		open_engine_with(&sys, &(struct engine_config){.columns = &column, .n_columns = 1});
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct event_preview *preview = preview_events(engine, fk, rows[i].text);
		char words[256];
		event_preview_describe(preview, words, sizeof(words));
		if (strncmp(words, rows[i].words, strlen(rows[i].words)) != 0)
			fail_msg("%s: %s", rows[i].text, words);
		free(preview);
	}
	close_all(engine, fk);
}

static const struct metric_def own_metric = {
	.name = "mine",
	.title = "MINE",
	.unit = "",
	.help = "",
	.forms = {{.expression = "r201 / interval_s"}},
};

static const struct fk_config bare = {.unprivileged = true, .uid = ME, .paranoid = 4};
static const struct fk_config user_of_guest = {
	.unprivileged = true, .uid = ME, .paranoid = 2, .no_pmu = true};

#define DENIED_2 "perf_event_paranoid=2 allows only your own tasks. All: sudo pmctop"
#define DENIED_4 "perf_event_paranoid=4 denies all counters. To count: sudo pmctop"

static const struct metric_case {
	const char *name;
	const struct fk_config *config;
	const char *metric;
	enum figure_state state;
	const char *why;
} metric_cases[] = {
	{"counts", &fk_machine_zen, "ipc", FIGURE_VALID, ""},
	{"a metric of the user", &fk_machine_zen, "mine", FIGURE_VALID, ""},
	{"this CPU lacks it", &fk_machine_zen, "topdown_light", FIGURE_UNSUPPORTED,
	 "Metric topdown_light: this CPU has no events for it."},
	{"a fact", &fk_machine_guest, "rss", FIGURE_VALID, ""},
	{"software", &fk_machine_guest, "cs_per_s", FIGURE_VALID, ""},
	{"no counters", &fk_machine_guest, "ipc", FIGURE_UNSUPPORTED, PERF_OPEN_NO_PMU},
	{"no counters for the user's", &fk_machine_guest, "mine", FIGURE_UNSUPPORTED,
	 PERF_OPEN_NO_PMU},
	{"own tasks", &ordinary, "ipc", FIGURE_VALID, ""},
	{"own tasks, their faults", &ordinary, "faults_per_s", FIGURE_VALID, ""},
	{"own tasks, a wait that needs records", &ordinary, "preempted_percent", FIGURE_DENIED,
	 DENIED_2},
	{"own tasks without counters", &user_of_guest, "ipc", FIGURE_UNSUPPORTED, PERF_OPEN_NO_PMU},
	{"no counting at all", &bare, "ipc", FIGURE_DENIED, DENIED_4},
	{"no counting at all, faults", &bare, "faults_per_s", FIGURE_VALID, ""},
};

/* All metrics are answered at once, the user's own first. */
static void all_metrics(void **state)
{
	const struct metric_case *this = *state;
	const struct engine_config config = {.user_metrics = &own_metric, .n_user_metrics = 1};
	struct fk *fk = machine(this->config);
	struct sys sys = fk_sys(fk);
	struct engine *engine = open_engine_with(&sys, &config);
	unsigned fds = fk_open_fds(fk);
	size_t i = 0;

	send_request(engine, &(struct request){.kind = REQUEST_METRICS});
	struct reply *answer = next_answer(engine, fk);
	assert_int_equal(answer->kind, REQUEST_METRICS);
	while (strcmp(i == 0 ? own_metric.name : metric_table[i - 1].name, this->metric) != 0)
		i++;
	if (answer->metrics[i].state != this->state ||
	    strcmp(answer->metrics[i].why, this->why) != 0)
		fail_msg("%s: %d, %s", this->metric, (int)answer->metrics[i].state,
			 answer->metrics[i].why);
	assert_int_equal(fk_open_fds(fk), fds);
	assert_null(reply_pop(engine_replies(engine)));
	reply_free(answer);
	close_all(engine, fk);
}

/* The vendor's metrics come at once, and then their answers, perhaps before the first is read. */
static void vendor_metrics(void **state)
{
	struct fk *fk = machine(&fk_machine_intel);
	struct sys sys = fk_sys(fk);
	struct engine *engine = open_engine(&sys);
	size_t counted = 0;

	(void)state;
	send_request(engine, &(struct request){.kind = REQUEST_VENDOR});
	struct reply *answers = next_answer(engine, fk);
	while (!answers->metrics) {
		assert_true(answers->vendor->n > 0);
		reply_free(answers);
		answers = next_answer(engine, fk);
	}
	assert_int_equal(answers->kind, REQUEST_VENDOR);
	for (size_t i = 0; i < answers->vendor->n; i++) {
		const struct catalog_answer *answer = &answers->metrics[i];
		const struct metric_def *def = &answers->vendor->defs[i];

		counted += answer->state == FIGURE_VALID;
		assert_int_equal(answer->state == FIGURE_VALID, answer->why[0] == '\0');
		if (def->refused)
			assert_string_equal(answer->why, def->refused);
		if (strcmp(def->name, "Info_Thread_IPC") == 0)
			assert_int_equal(answer->state, FIGURE_VALID);
	}
	assert_in_range(counted, 1, answers->vendor->n - 1);
	reply_free(answers);
	close_all(engine, fk);
}

/* Of several queries the last one is answered, once. */
static void the_last_one_counts(void **state)
{
	struct fk *fk = machine(&fk_machine_zen);
	struct sys sys = fk_sys(fk);
	struct engine *engine = open_engine(&sys);

	(void)state;
	send_request(engine, &(struct request){.kind = REQUEST_PREVIEW, .text = "r201"});
	struct event_preview *preview = preview_events(engine, fk, "r202");
	assert_string_equal(preview->text, "r202");
	assert_null(reply_pop(engine_replies(engine)));
	free(preview);
	/* Replies that are not popped are freed, and so are queries that are not answered. */
	send_request(engine, &(struct request){.kind = REQUEST_PREVIEW, .text = "r203"});
	send_request(engine, &(struct request){.kind = REQUEST_METRICS});
	send_request(engine, &(struct request){.kind = REQUEST_EVENTS});
	assert_int_equal(engine_wait(engine, fk_now(fk) + INTERVAL_NS), 1);
	send_request(engine, &(struct request){.kind = REQUEST_PREVIEW, .text = "r204"});
	close_all(engine, fk);
}

static void a_blocked_thread_has_its_reason(void **state)
{
	static const struct {
		const char *name;
		pid_t tid;
		const char *wchan;
		int result;
		enum blocked_reason reason;
	} rows[] = {
		{"runs", MAIN, "0", 0, BLOCKED_NOT},
		{"sleeps", SLEEPER, "do_epoll_wait", 0, BLOCKED_SLEEP},
		{"waits for a file lock", SLEEPER, "fcntl_setlk", 0, BLOCKED_LOCK},
		{"no such thread", SLEEPER + 1, NULL, -ENOENT, BLOCKED_UNKNOWN},
	};
	struct fk *fk = machine(NULL);
	struct sys sys = fk_sys(fk);
	struct engine *engine = open_engine(&sys);

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = SLEEPER});
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct request query = {
			.kind = REQUEST_BLOCKED, .number = rows[i].tid, .tid = rows[i].tid};

		fk_file(fk, "/proc/60/task/60/wchan", rows[i].wchan);
		send_request(engine, &query);
		struct reply *answer = next_answer(engine, fk);
		assert_int_equal(answer->kind, REQUEST_BLOCKED);
		assert_int_equal(answer->tid, rows[i].tid);
		assert_int_equal(answer->blocked_result, rows[i].result);
		assert_int_equal(answer->reason, rows[i].reason);
		assert_string_equal(answer->blocked.wchan,
				    rows[i].tid == SLEEPER ? rows[i].wchan : "");
		reply_free(answer);
	}
	close_all(engine, fk);
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(a_blocked_thread_has_its_reason),
		cmocka_unit_test(events_take_little_time),
		cmocka_unit_test(events_of_other_levels),
		cmocka_unit_test(previews_of_an_ordinary_user),
		cmocka_unit_test(vendor_metrics),
		cmocka_unit_test(the_last_one_counts),
	};
	static const struct cases tables[] = {CASES(all_events, events_cases),
					      CASES(all_metrics, metric_cases),
					      CASES(test_preview, preview_cases)};

	return cases_run("query", tables, ARRAY_SIZE(tables), others, ARRAY_SIZE(others));
}
