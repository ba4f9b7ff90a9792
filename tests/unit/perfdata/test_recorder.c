// SPDX-License-Identifier: MIT
/* A recording that is read back has the tallies of the live run. */
#include "core/perfdata/recording_file.h"
#include "tests/unit/shared/recorded_scene.h"
#include "tests/unit/shared/recording_reader.h"
#include "tests/unit/shared/send_request.h"
#include "tests/unit/shared/signals.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { CPUS = 3, INTERVALS = 5 };
static const int cpu_numbers[CPUS] = {0, 1, 2};

/* What samples switches, and how that is recorded. */
enum sampling {
	SOFTWARE,
	TRACEPOINT,
	TRACEPOINT_PLAIN, /* perf could not decode it: a file of tracefs cannot be read */
};
static enum sampling sampling;

static int with_software(void **state)
{
	(void)state;
	sampling = SOFTWARE;
	return 0;
}

static int with_tracepoint(void **state)
{
	(void)state;
	sampling = TRACEPOINT;
	return 0;
}

static int with_plain_tracepoint(void **state)
{
	(void)state;
	sampling = TRACEPOINT_PLAIN;
	return 0;
}

static struct fk *machine_new(unsigned slots)
{
	struct fk *fk = workers_new(&(struct fk_config){
		.cpus = CPUS,
		.slots = slots,
		.tracefs = sampling == SOFTWARE ? FK_TRACEFS_NONE : FK_TRACEFS_MOUNTED});

	if (sampling == TRACEPOINT_PLAIN)
		fk_file(fk, FK_TRACING "/header_event", NULL);
	return fk;
}

/* A recording that is read, and the snapshots of its live run. */
struct comparison {
	const struct seen *seen;
	size_t compared;
};

static void same_value(const struct tally_shape *shape, size_t at, const uint64_t *a,
		       const uint64_t *b)
{
	assert_int_equal(a[at], b[at]);
	assert_int_equal(a[tally_beside(shape, at)], b[tally_beside(shape, at)]);
}

/* Compares two tallies without the values of waiting, which the records alone do not have. */
static void same_counts(const struct plan *plan, const uint64_t *a, const uint64_t *b)
{
	const struct tally_shape *shape = &plan->shape;

	for (unsigned i = 0; i < shape->n_counters; i++)
		if (!plan->domains[plan->groups[plan->counters[i].group].domain].all_cpus)
			same_value(shape, i, a, b);
	for (unsigned i = 0; i < shape->n_groups; i++)
		if (!plan->domains[plan->groups[i].domain].all_cpus)
			same_value(shape, tally_group(shape, i), a, b);
	for (unsigned i = 0; i < shape->n_domains; i++)
		if (!plan->domains[i].all_cpus)
			assert_int_equal(a[tally_domain(shape, i)], b[tally_domain(shape, i)]);
	assert_int_equal(a[tally_unseen(shape)], b[tally_unseen(shape)]);
	assert_int_equal(a[tally_losses(shape)], b[tally_losses(shape)]);
}

/* Returns a copy of a part, with a snapshot's estimates for turns, and adds these to the totals. */
static uint64_t *estimated_part(const struct plan *plan, const uint64_t *part, uint64_t *totals)
{
	size_t bytes = tally_width(&plan->shape) * sizeof(uint64_t);
	uint64_t *copy = memcpy(xmalloc(bytes), part, bytes);

	plan_estimate_turns(plan, copy);
	plan_add_turns(plan, copy, totals);
	return copy;
}

static void same_part(const struct plan *plan, const uint64_t *part, const uint64_t *live,
		      uint64_t *totals)
{
	uint64_t *copy = estimated_part(plan, part, totals);

	same_counts(plan, copy, live);
	free(copy);
}

static void compare(void *arg, const struct recording_reader *replay)
{
	struct comparison *comparison = arg;
	const struct seen *seen = comparison->seen;
	const struct interval *interval = &replay->interval;

	assert_true(comparison->compared < seen->n);
	const struct snapshot *snapshot = seen->items[comparison->compared++];
	const struct plan *plan = snapshot->columns->plan;
	size_t width = tally_width(&interval->shape);

	assert_int_equal(width, tally_width(&plan->shape));
	uint64_t *totals = xmalloc(width * sizeof(*totals));
	memcpy(totals, interval->totals, width * sizeof(*totals));
	plan_clear_turns(plan, totals);
	same_part(plan, interval->unattributed, snapshot->unattributed, totals);
	free(estimated_part(plan, interval->others, totals));
	for (size_t i = 0; i < interval->n_cpus; i++)
		free(estimated_part(plan, interval_idle(interval, i), totals));
	assert_int_equal(interval->n_ran, snapshot->threads.n);
	for (size_t i = 0; i < interval->n_ran; i++) {
		const struct row *row = row_of(snapshot, interval->ran[i]->tid);
		assert_non_null(row);
		size_t live = (size_t)(row - snapshot->threads.items);
		same_part(plan, interval->tallies + i * width,
			  rows_tally(snapshot->columns, &snapshot->threads, live), totals);
	}
	same_counts(plan, totals, snapshot->totals);
	free(totals);
	assert_int_equal(interval->lost_records, snapshot->lost_records);
}

static void record_intervals(struct engine *engine, struct fk *fk, struct seen *seen, size_t n)
{
	while (n-- > 0)
		seen->items[seen->n++] = next_snapshot(engine, fk, INTERVAL_NS);
}

/* On a fake machine without tasks: all facts are recorded. */
static void check_recording(const char *path, const struct seen *seen,
			    struct recording_reader *replay)
{
	struct comparison comparison = {.seen = seen};
	struct fk *elsewhere = fk_new(NULL);
	struct sys sys = fk_sys(elsewhere);

	recording_reader_init(replay, &sys, cpu_numbers, CPUS);
	replay->seen = compare;
	replay->arg = &comparison;
	recording_reader_file(replay, path);
	assert_int_equal(comparison.compared, seen->n);
	assert_int_equal(replay->raw, sampling == TRACEPOINT);
	assert_int_equal(replay->renamed > 0, replay->sections);
	recording_reader_fini(replay);
	fk_free(elsewhere);
}

static const struct engine_column columns[] = {
	{ENGINE_EVENTS, "cycles,instructions,branch-misses,cache-misses,page-faults"}};

/* An engine that counts them; recorder: NULL, or the engine's from then on. */
static struct engine *open_recorded(const struct sys *sys, struct recorder *recorder)
{
	return open_engine_with(sys, &(struct engine_config){.preset = &preset_none,
							     .columns = columns,
							     .n_columns = 1,
							     .recorder = recorder});
}

static void record_from_start(unsigned slots, size_t least_groups)
{
	const char *path = path_of("start");
	struct fk *fk = machine_new(slots);
	struct sys sys = fk_sys(fk);
	struct engine *engine = open_recorded(&sys, open_recorder(path, 0));
	struct seen seen = {0};
	struct recording_reader replay;

	add_lives(fk);
	record_intervals(engine, fk, &seen, INTERVALS);
	assert_true(seen.items[0]->recorded_bytes > 0);
	engine_free(engine);
	check_recording(path, &seen, &replay);
	assert_true(replay.native[NATIVE_GROUP] >= least_groups && replay.samples > 1000);
	assert_true(replay.attrs > 6 && replay.native[NATIVE_TASK] > 0 && replay.comms > 0);
	seen_fini(&seen);
	fk_free(fk);
}

static void test_same_figures(void **state)
{
	(void)state;
	record_from_start(6, 1);
}

static void test_same_figures_in_turns(void **state)
{
	(void)state;
	record_from_start(2, 3);
}

/*
 * perf sorts by time: the times of each CPU never decrease, and increase from switch to switch. The
 * fake's clock advances at each reading, so a time that was made of the enabled time is ahead.
 */
static void check_times(const char *path)
{
	enum { AHEAD_NS = 1000 };
	static unsigned char bytes[1 << 23];
	uint64_t last_ns[CPUS] = {0};
	size_t moved = 0, samples = 0;
	FILE *file = fopen(path, "rb");

	assert_non_null(file);
	size_t n = fread(bytes, 1, sizeof(bytes), file);
	assert_true(n < sizeof(bytes));
	fclose(file);
	size_t at, end;
	recording_reader_span((const char *)bytes, n, &at, &end);
	while (at < end) {
		const struct native_sample *sample = (const void *)(bytes + at);
		at += sample->header.size;
		if (sample->header.type != PERF_RECORD_SAMPLE)
			continue;
		assert_true(sample->cpu < CPUS);
		assert_true(sample->time_ns + AHEAD_NS >= last_ns[sample->cpu]);
		moved += sample->time_ns > last_ns[sample->cpu];
		last_ns[sample->cpu] = sample->time_ns;
		samples++;
	}
	assert_true(samples > 100);
	assert_true(moved * 5 > samples * 2); /* a switch makes two */
}

/* CPUs go offline and online, and samples have ids of another program. */
static void test_hotplug_and_rival(void **state)
{
	(void)state;
	const char *path = path_of("hotplug");
	struct fk *fk = machine_new(2);
	struct sys sys = fk_sys(fk);
	struct engine *engine = open_recorded(&sys, open_recorder(path, 0));
	struct seen seen = {0};
	struct recording_reader replay;

	fk_rival(fk, &(struct fk_rival){.chain_bytes = 1040});
	record_intervals(engine, fk, &seen, 1);
	fk_cpu_offline(fk, 0);
	record_intervals(engine, fk, &seen, 2);
	fk_cpu_online(fk, 0);
	record_intervals(engine, fk, &seen, 2);
	engine_free(engine);
	check_recording(path, &seen, &replay);
	assert_int_equal(replay.native[NATIVE_CLOSE], 1);
	check_times(path);
	seen_fini(&seen);
	fk_free(fk);
}

/* Recording begins and ends while it runs; meanwhile a column comes. */
static void test_midway(void **state)
{
	(void)state;
	const char *path = path_of("midway");
	struct fk *fk = machine_new(2);
	struct sys sys = fk_sys(fk);
	struct engine *engine = open_recorded(&sys, NULL);
	struct seen seen = {0};
	struct recording_reader replay;

	add_lives(fk);
	send_request(engine, &(struct request){.kind = REQUEST_RECORD, .text = path});
	struct snapshot *before = nth_snapshot(engine, fk, 1);
	assert_int_equal(before->recorded_bytes, 0);
	snapshot_free(before);
	record_intervals(engine, fk, &seen, 2);
	assert_true(seen.items[0]->recorded_bytes > 0);
	send_request(engine, &(struct request){.kind = REQUEST_ADD_EVENTS, .text = "minor-faults"});
	record_intervals(engine, fk, &seen, 2);
	send_request(engine, &(struct request){.kind = REQUEST_RECORD});
	record_intervals(engine, fk, &seen, 1);
	struct snapshot *after = nth_snapshot(engine, fk, 1);
	assert_int_equal(after->recorded_bytes, 0);
	snapshot_free(after);
	engine_free(engine);
	check_recording(path, &seen, &replay);
	assert_int_equal(replay.native[NATIVE_PLAN], 2);
	assert_int_equal(replay.native[NATIVE_CLOSE], CPUS);
	seen_fini(&seen);
	fk_free(fk);
}

/* Off and on again: the same file, and the one before is kept. */
static void test_again(void **state)
{
	(void)state;
	const struct request begin = {.kind = REQUEST_RECORD, .text = path_of("again")};
	const struct request end = {.kind = REQUEST_RECORD};
	struct fk *fk = machine_new(6);
	struct sys sys = fk_sys(fk);
	struct engine *engine = open_recorded(&sys, NULL);
	struct seen first = {0}, second = {0};
	struct recording_reader replay;

	send_request(engine, &begin);
	snapshot_free(nth_snapshot(engine, fk, 1));
	record_intervals(engine, fk, &first, 1);
	send_request(engine, &end);
	record_intervals(engine, fk, &first, 1);
	send_request(engine, &begin);
	snapshot_free(nth_snapshot(engine, fk, 1));
	record_intervals(engine, fk, &second, 2);
	engine_free(engine);
	check_recording(path_of("again.old"), &first, &replay);
	check_recording(path_of("again"), &second, &replay);
	seen_fini(&first);
	seen_fini(&second);
	fk_free(fk);
}

/* Standard output may already have been read, so the recording remains a stream. */
static void test_standard_output(void **state)
{
	(void)state;
	const char *path = path_of("stdout");
	struct fk *fk = machine_new(6);
	struct sys sys = fk_sys(fk);
	struct seen seen = {0};
	struct recording_reader replay;
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	fflush(stdout);
	int saved = dup(STDOUT_FILENO);
	assert_true(fd >= 0 && saved >= 0 && dup2(fd, STDOUT_FILENO) >= 0);
	struct engine *engine = open_recorded(&sys, open_recorder("-", 0));
	record_intervals(engine, fk, &seen, 2);
	engine_free(engine);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(fd);
	check_recording(path, &seen, &replay);
	assert_false(replay.sections);
	seen_fini(&seen);
	fk_free(fk);
}

/* Each file stands for itself. */
static void test_switch_output(void **state)
{
	(void)state;
	const char *path = path_of("switched");
	struct fk *fk = machine_new(6);
	struct sys sys = fk_sys(fk);
	struct engine *engine = open_recorded(&sys, open_recorder(path, 1));
	struct seen all = {0};
	struct recording_reader replay;

	record_intervals(engine, fk, &all, 3);
	engine_free(engine);

	struct dirent **names;
	int n = scandir(recorded_directory, &names, NULL, alphasort);
	size_t files = 0;
	for (int i = 0; i < n; i++) {
		if (strncmp(names[i]->d_name, "switched.", 9) == 0) {
			struct seen one = {.items = {all.items[files++]}, .n = 1};
			check_recording(path_of(names[i]->d_name), &one, &replay);
			assert_int_equal(replay.native[NATIVE_BEGIN], 1);
			assert_int_equal(replay.sections, replay.raw);
		}
		if (strncmp(names[i]->d_name, "switched", 8) == 0)
			unlink(path_of(names[i]->d_name));
		free(names[i]);
	}
	free(names);
	assert_int_equal(files, 3);
	seen_fini(&all);
	fk_free(fk);
}

/* test_recording_name.c has the rules for names. */
static void test_unused_recording(void **state)
{
	(void)state;
	const char *path = path_of("unused");
	struct recorder *recorder = open_recorder(path, 0), *second;
	struct error err = {0};
	struct stat status;

	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	assert_int_equal(recorder_new(&(struct recorder_spec){.path = path}, &second, &err),
			 -EBUSY);
	assert_non_null(strstr(err.text, "in use by another"));
	recorder_free(recorder); /* an empty recording is removed */
	assert_int_equal(stat(path, &status), -1);
}

/* Waits until the writer's thread has written so many bytes. Returns the size of the file. */
static off_t wait_for_bytes(const char *path, uint64_t bytes)
{
	struct stat status = {0};

	for (; (uint64_t)status.st_size < bytes; usleep(1000))
		assert_int_equal(stat(path, &status), 0);
	return status.st_size;
}

/* A disk that fills: the recording ends, what was written can be read, counting goes on. */
static void test_full_disk(void **state)
{
	(void)state;
	const char *path = path_of("full");
	struct fk *fk = machine_new(6);
	struct sys sys = fk_sys(fk);
	struct engine *engine = open_recorded(&sys, open_recorder(path, 0));
	struct seen seen = {0};
	struct rlimit limit, small;
	struct recording_reader replay;

	record_intervals(engine, fk, &seen, 1);
	off_t written = wait_for_bytes(path, seen.items[0]->recorded_bytes);
	getrlimit(RLIMIT_FSIZE, &limit);
	small = limit;
	small.rlim_cur = (rlim_t)written + 1000;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	for (; snapshot->recorded_bytes > 0; usleep(1000)) {
		snapshot_free(snapshot);
		snapshot = next_snapshot(engine, fk, INTERVAL_NS);
	}
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_true(snapshot->n_notes > 0);
	assert_non_null(strstr(snapshot->notes[0], "The recording has ended"));
	assert_true(snapshot->threads.n > 0);
	snapshot_free(snapshot);
	engine_free(engine);
	check_recording(path, &seen, &replay);
	seen_fini(&seen);
	fk_free(fk);
}

/* Threads counted one by one make no records. */
static void test_task_mode(void **state)
{
	(void)state;
	struct fk *fk = fk_new(&(struct fk_config){.unprivileged = true, .paranoid = 2, .uid = 7});

	fk_task(fk, &(struct fk_spec){.tid = 50, .uid = 7});
	struct sys sys = fk_sys(fk);
	struct engine_config config = {.recorder = open_recorder(path_of("task"), 0)};
	struct engine *engine;
	struct error err;

	assert_int_equal(engine_new(&sys, &config, &engine, &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.text, "CAP_PERFMON"));
	assert_int_equal(access(path_of("task"), F_OK), -1);

	engine = open_engine(&sys);
	send_request(engine, &(struct request){.kind = REQUEST_RECORD, .text = path_of("task")});
	struct snapshot *snapshot = nth_snapshot(engine, fk, 2);
	assert_int_equal(snapshot->recorded_bytes, 0);
	assert_non_null(strstr(snapshot->notes[0], "Not recorded"));
	snapshot_free(snapshot);
	engine_free(engine);
	fk_free(fk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		{"test_same_figures", test_same_figures, with_software, NULL, NULL},
		{"test_same_figures_in_turns", test_same_figures_in_turns, with_software, NULL,
		 NULL},
		{"test_hotplug_and_rival", test_hotplug_and_rival, with_software, NULL, NULL},
		{"test_midway", test_midway, with_software, NULL, NULL},
		{"test_again", test_again, with_software, NULL, NULL},
		{"test_same_figures, plain", test_same_figures, with_plain_tracepoint, NULL, NULL},
		{"test_hotplug_and_rival, plain", test_hotplug_and_rival, with_plain_tracepoint,
		 NULL, NULL},
		{"test_standard_output", test_standard_output, with_software, NULL, NULL},
		{"test_switch_output", test_switch_output, with_software, NULL, NULL},
		{"test_same_figures, traced", test_same_figures, with_tracepoint, NULL, NULL},
		{"test_same_figures_in_turns, traced", test_same_figures_in_turns, with_tracepoint,
		 NULL, NULL},
		{"test_hotplug_and_rival, traced", test_hotplug_and_rival, with_tracepoint, NULL,
		 NULL},
		{"test_midway, traced", test_midway, with_tracepoint, NULL, NULL},
		{"test_again, traced", test_again, with_tracepoint, NULL, NULL},
		{"test_standard_output, traced", test_standard_output, with_tracepoint, NULL, NULL},
		{"test_switch_output, traced", test_switch_output, with_tracepoint, NULL, NULL},
		cmocka_unit_test(test_unused_recording),
		{"test_full_disk", test_full_disk, with_software, NULL, NULL},
		{"test_full_disk, traced", test_full_disk, with_tracepoint, NULL, NULL},
		cmocka_unit_test(test_task_mode),
	};

	signals_restore();
	return cmocka_run_group_tests(tests, recorded_scenes_setup, recorded_scenes_teardown);
}
