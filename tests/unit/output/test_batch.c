// SPDX-License-Identifier: MIT
/*
 * The batch loop over a live feed with an engine of the test's own: these definitions of engine_*
 * replace those of libcore.a, so that a test sets the time.
 */
#include "tests/unit/shared/sample.h"

#include "core/base/util.h"
#include "core/engine/live_feed.h"
#include "core/output/batch.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum {
	START_NS = 1000, /* of the clock at first */
	INTERVAL_NS = 100,
	SNAPSHOTS_MAX = 16,
};

struct engine {
	uint64_t now_ns;
	uint64_t took_ns[SNAPSHOTS_MAX]; /* duration of making and printing snapshot k */
	unsigned wakes;                  /* how often the first wait is woken early */
	uint64_t stop_at_ns;             /* 0: never */
	uint64_t end_at_ns;              /* of a command; 0: never */
	atomic_int stop;
	uint64_t at_ns[SNAPSHOTS_MAX]; /* when the snapshots were made */
	size_t n;
	const char *notes[SNAPSHOTS_MAX]; /* of snapshot k; NULL: none */
};

int engine_wait(struct engine *engine, uint64_t deadline_ns)
{
	if (engine->stop_at_ns && deadline_ns >= engine->stop_at_ns) {
		engine->now_ns = engine->stop_at_ns;
		engine->stop = 1;
		return 1;
	}
	if (engine->end_at_ns && engine->now_ns < engine->end_at_ns &&
	    deadline_ns >= engine->end_at_ns) {
		engine->now_ns = engine->end_at_ns;
		return 1;
	}
	if (engine->wakes > 0) {
		engine->wakes--;
		return 1;
	}
	if (engine->now_ns < deadline_ns)
		engine->now_ns = deadline_ns;
	return 0;
}

struct snapshot *engine_snapshot(struct engine *engine)
{
	assert_true(engine->n < SNAPSHOTS_MAX);
	engine->at_ns[engine->n] = engine->now_ns;
	engine->now_ns += engine->took_ns[engine->n];
	struct snapshot *snapshot = sample_snapshot(sample_columns("software"), NULL, 0);
	if (engine->notes[engine->n]) {
		snapshot->notes = xcalloc(1, sizeof(char *));
		snapshot->notes[snapshot->n_notes++] = xstrdup(engine->notes[engine->n]);
	}
	engine->n++;
	return snapshot;
}

unsigned engine_request(struct engine *engine, struct request_list *requests)
{
	(void)engine, (void)requests;
	return 0;
}

void engine_expect(struct engine *engine, uint64_t interval_ns)
{
	(void)engine, (void)interval_ns;
}

struct reply **engine_replies(struct engine *engine)
{
	(void)engine;
	return NULL;
}

/* The test's. */
void engine_free(struct engine *engine)
{
	(void)engine;
}

static uint64_t now_ns(void *ctx)
{
	return ((struct engine *)ctx)->now_ns;
}

static const struct sys_ops ops = {.now_ns = now_ns};

static int run_batch(struct engine *engine, const struct batch_options *options, int fd,
		     struct error *err)
{
	struct sys sys = {&ops, engine};
	struct feed feed;

	engine->now_ns = START_NS;
	live_init(&sys, engine, INTERVAL_NS, false, &feed);
	int rc = batch_run(&feed, options, fd, &engine->stop, err);
	feed_free(&feed);
	return rc;
}

static int run(struct engine *engine, uint64_t iterations, int fd, struct error *err)
{
	struct batch_options options = {
		.iterations = iterations,
		.format = batch_format_find("json"),
	};

	return run_batch(engine, &options, fd, err);
}

static bool has_ended(void *arg)
{
	const struct engine *engine = arg;

	return engine->end_at_ns && engine->now_ns >= engine->end_at_ns;
}

static unsigned count_lines(FILE *file)
{
	unsigned lines = 0;

	rewind(file);
	for (int c; (c = fgetc(file)) != EOF;)
		lines += c == '\n';
	return lines;
}

/* The interval under way ends with the command, and all of them are in the summary. */
static void ends_with_its_command(void **state)
{
	static const struct {
		const char *name;
		struct engine engine;
		uint64_t iterations;
		bool silent;
		int want;
		unsigned lines, refreshes;
		uint64_t last_ns; /* after START_NS */
	} rows[] = {
		{"in the middle", {.end_at_ns = START_NS + 250}, 0, false, 1, 3, 3, 250},
		{"not printed", {.end_at_ns = START_NS + 250}, 0, true, 1, 0, 3, 250},
		{"at once", {.end_at_ns = START_NS}, 0, false, 1, 1, 1, 0},
		{"at a deadline", {.end_at_ns = START_NS + 200}, 0, false, 1, 2, 2, 200},
		{"after all refreshes", {.end_at_ns = START_NS + 900}, 2, false, 0, 2, 2, 200},
		{"stopped before",
		 {.end_at_ns = START_NS + 900, .stop_at_ns = START_NS + 150},
		 0,
		 false,
		 0,
		 1,
		 1,
		 100},
	};
	char name[] = "true", *const command[] = {name, NULL};
	const struct snapshot_run facts = {.command = command};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct engine engine = rows[i].engine;
		struct run_summary *summary = run_summary_new(SUMMARY_PROCESSES_MAX);
		struct batch_options options = {
			.iterations = rows[i].iterations,
			.format = batch_format_find("json"),
			.summary = summary,
			.silent = rows[i].silent,
			.ended = has_ended,
			.arg = &engine,
		};
		struct error err = {0};
		FILE *out = tmpfile();

		assert_non_null(out);
		int rc = run_batch(&engine, &options, fileno(out), &err);
		if (rc != rows[i].want || engine.n != rows[i].refreshes ||
		    engine.at_ns[engine.n - 1] - START_NS != rows[i].last_ns ||
		    count_lines(out) != rows[i].lines)
			fail_msg("%s: %d, %zu refreshes, %u lines", rows[i].name, rc, engine.n,
				 count_lines(out));
		assert_int_equal(run_summary_parts(summary), 1);
		engine.stop = 0;
		rc = batch_print_summary(&options, &facts, fileno(out), &engine.stop, &err);
		assert_int_equal(rc, 0);
		assert_int_equal(count_lines(out), rows[i].lines + 1);
		fclose(out);
		run_summary_free(summary);
	}
}

/* A command of 2 ms in an interval of a second: counts, and rates of its own time. */
static void a_summary_has_counts(void **state)
{
	static const struct sample_row row = {
		.row = {.pid = 7, .tid = 7, .threads = 1, .comm = "true", .user = "ann"},
		.counts = {[TALLY_TASK_CLOCK] = NS_PER_MS,
			   [TALLY_SWITCHES] = 3,
			   [SAMPLE_PAGE_FAULTS] = 50},
	};
	char name[] = "true", *const command[] = {name, NULL};
	const struct snapshot_run facts = {.command = command, .elapsed_ns = 2 * NS_PER_MS};
	struct snapshot *snapshot = sample_snapshot(sample_columns("software"), &row, 1);
	struct batch_options options = {.format = batch_format_find("text"),
					.summary = run_summary_new(SUMMARY_PROCESSES_MAX)};
	atomic_int stop = 0;
	char text[2048] = "";
	struct error err;
	FILE *out = tmpfile();

	(void)state;
	assert_non_null(out);
	run_summary_add(options.summary, snapshot);
	assert_int_equal(batch_print_summary(&options, &facts, fileno(out), &stop, &err), 0);
	rewind(out);
	assert_true(fread(text, 1, sizeof(text) - 1, out) > 0);
	if (!strstr(text, "%CPU     cs    flt ") || !strstr(text, "50.0      3     50 ") ||
	    !strstr(text, "1.00 ms  task-clock         50.0 %CPU\n") ||
	    !strstr(text, "   3     context-switches   1500 cs/s\n"))
		fail_msg("%s", text);
	fclose(out);
	run_summary_free(options.summary);
	snapshot_free(snapshot);
}

static void keeps_its_deadlines(void **state)
{
	static const struct {
		const char *name;
		struct engine engine;
		uint64_t iterations;
		uint64_t want[SNAPSHOTS_MAX]; /* after START_NS */
	} rows[] = {
		{"one", {.took_ns = {0}}, 1, {100}},
		{"on time", {.took_ns = {0}}, 4, {100, 200, 300, 400}},
		{"some work each", {.took_ns = {30, 99, 1}}, 4, {100, 200, 300, 400}},
		{"a whole interval of work: the next is skipped",
		 {.took_ns = {100}},
		 3,
		 {100, 300, 400}},
		{"late by more: skipped, not bunched",
		 {.took_ns = {0, 350}},
		 4,
		 {100, 200, 600, 700}},
		{"always late", {.took_ns = {150, 150, 150}}, 3, {100, 300, 500}},
		{"woken early, it waits again", {.wakes = 3}, 2, {100, 200}},
		{"stopped while it waits", {.stop_at_ns = START_NS + 250}, 9, {100, 200}},
		{"stopped at once", {.stop = 1}, 9, {0}},
		{"endless until stopped",
		 {.stop_at_ns = START_NS + 1001},
		 0,
		 {100, 200, 300, 400, 500, 600, 700, 800, 900, 1000}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct engine engine = rows[i].engine;
		struct error err = {0};
		size_t n = 0;
		FILE *out = tmpfile();

		assert_non_null(out);
		if (run(&engine, rows[i].iterations, fileno(out), &err) != 0)
			fail_msg("%s: %s", rows[i].name, err.text);
		while (n < SNAPSHOTS_MAX && rows[i].want[n])
			n++;
		if (engine.n != n)
			fail_msg("%s: %zu refreshes, not %zu", rows[i].name, engine.n, n);
		for (size_t k = 0; k < n; k++)
			if (engine.at_ns[k] - START_NS != rows[i].want[k])
				fail_msg("%s: refresh %zu at %llu", rows[i].name, k,
					 (unsigned long long)(engine.at_ns[k] - START_NS));
		assert_int_equal(count_lines(out), n);
		fclose(out);
	}
}

/* The disk is full, or the reader is gone: one error, and no refresh after it. */
static void reports_write_errors(void **state)
{
	struct engine engine = {0};
	struct error err = {0};
	int ends[2];

	(void)state;
	int full = open("/dev/full", O_WRONLY);
	assert_true(full >= 0);
	assert_int_equal(run(&engine, 5, full, &err), -ENOSPC);
	assert_int_equal(err.code, -ENOSPC);
	assert_string_equal(err.text,
			    "The output is cut short: No space left on device. Make room, or "
			    "write elsewhere.");
	assert_int_equal(engine.n, 1);
	close(full);

	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	engine = (struct engine){0};
	assert_int_equal(run(&engine, 5, ends[1], &err), -EPIPE);
	assert_string_equal(err.text, "The reader of the output closed it.");
	assert_int_equal(engine.n, 1);
	close(ends[1]);

	int unwritable = open("/dev/null", O_RDONLY);
	assert_true(unwritable >= 0);
	engine = (struct engine){0};
	assert_int_equal(run(&engine, 5, unwritable, &err), -EBADF);
	assert_string_equal(err.text, "The output is cut short: Bad file descriptor.");
	close(unwritable);
}

/* Each refresh is out as soon as it is made. */
static void writes_each_refresh(void **state)
{
	struct engine engine = {.stop_at_ns = START_NS + 150};
	struct error err = {0};
	char buffer[4096] = "";
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	assert_int_equal(run(&engine, 0, ends[1], &err), 0);
	ssize_t got = read(ends[0], buffer, sizeof(buffer));
	assert_true(got > 0);
	assert_int_equal(buffer[got - 1], '\n');
	close(ends[1]);
	close(ends[0]);
}

static void finds_its_formats(void **state)
{
	(void)state;
	for (size_t i = 0; i < batch_formats_n; i++)
		assert_ptr_equal(batch_format_find(batch_formats[i].name), &batch_formats[i]);
	assert_null(batch_format_find("nonsense"));
	assert_null(batch_format_find(""));
}

static char noted[256];

static void note(const char *sentence)
{
	strcat(strcat(noted, sentence), "|");
}

/* Each note is in the text, or goes to the caller, once. */
static void passes_notes_on(void **state)
{
	static const struct {
		const char *format, *want;
		bool silent;
	} rows[] = {
		{"csv", "some|other|", false}, {"csv", "", true},          {"text", "", false},
		{"json", "", false},           {"openmetrics", "", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct engine engine = {.notes = {NULL, "some", "some", "other", NULL, "some"}};
		const struct batch_format *format = batch_format_find(rows[i].format);
		struct notes notes = {0};
		struct batch_options options = {
			.iterations = 6,
			.format = format,
			.kept = format->begin ? format->begin(1) : NULL,
			.note = note,
			.noted = &notes,
			.silent = rows[i].silent,
		};
		struct error err = {0};
		FILE *out = tmpfile();

		noted[0] = '\0';
		assert_non_null(out);
		assert_int_equal(run_batch(&engine, &options, fileno(out), &err), 0);
		if (strcmp(noted, rows[i].want) != 0)
			fail_msg("%s: '%s', not '%s'", rows[i].format, noted, rows[i].want);
		fclose(out);
		notes_fini(&notes);
		if (format->end)
			format->end(options.kept);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_summary_has_counts),  cmocka_unit_test(keeps_its_deadlines),
		cmocka_unit_test(ends_with_its_command), cmocka_unit_test(reports_write_errors),
		cmocka_unit_test(writes_each_refresh),   cmocka_unit_test(finds_its_formats),
		cmocka_unit_test(passes_notes_on),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
