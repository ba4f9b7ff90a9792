// SPDX-License-Identifier: MIT
/* Truncated recordings, pipes, files that are no recordings, and options that are refused. */
#include "core/perfdata/perfdata_write.h"
#include "tests/unit/shared/files.h"
#include "tests/unit/shared/recorded_scene.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>

struct bytes {
	unsigned char *items;
	size_t n;
	size_t there; /* of a pipe: so many have come */
};

static struct bytes read_bytes(const char *path)
{
	FILE *file = fopen(path, "r");
	struct bytes bytes = {0};

	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	bytes.n = bytes.there = (size_t)ftell(file);
	rewind(file);
	bytes.items = xmalloc(bytes.n);
	assert_int_equal(fread(bytes.items, 1, bytes.n, file), bytes.n);
	fclose(file);
	return bytes;
}

static ssize_t give_bytes(void *arg, uint64_t at, void *to, size_t n)
{
	const struct bytes *bytes = arg;

	if (at >= bytes->there)
		return bytes->there < bytes->n ? -EAGAIN : 0;
	n = size_min(n, bytes->there - at);
	memcpy(to, bytes->items + at, n);
	return (ssize_t)n;
}

static int open_bytes(struct perfdata_input *input, struct bytes *bytes, struct replay **replay,
		      struct error *err)
{
	*input = (struct perfdata_input){
		.read = give_bytes, .arg = bytes, .seekable = true, .size = bytes->n};
	return replay_new_from(&recorded_sys, &(struct replay_config){0}, input, replay, err);
}

/* Returns how many snapshots they have, each as it was `seen` (NULL: any), and what came then. */
static size_t run_bytes(struct bytes *bytes, const struct seen *seen, int *result,
			struct error *err)
{
	struct perfdata_input input;
	struct replay *replay;
	struct snapshot *snapshot;
	size_t n = 0, event;

	*err = (struct error){0};
	*result = open_bytes(&input, bytes, &replay, err);
	if (*result < 0)
		return 0;
	for (; (*result = replay_next(replay, &snapshot, err)) > 0; n++) {
		if (!snapshot_conserves(snapshot, &event) && seen)
			fail_msg("%zu bytes: it is not conserved", bytes->n);
		if (seen && n == seen->n)
			fail_msg("%zu bytes: an interval that was not shown live", bytes->n);
		if (seen)
			same_snapshot(seen->items[n], snapshot);
		snapshot_free(snapshot);
	}
	replay_free(replay);
	return n;
}

/* Two CPUs, two tasks, one counter, few records. */
static void record_small_with(enum fk_tracefs tracefs, const char *path, struct seen *seen,
			      size_t n)
{
	struct fk *fk = fk_new(
		&(struct fk_config){.cpus = 2, .slots = 1, .step_ns = 1, .tracefs = tracefs});
	struct sys sys = fk_sys(fk);
	static const struct engine_column few[] = {{ENGINE_EVENTS, "cycles,instructions"}};

	for (pid_t tid = 50; tid < 52; tid++)
		fk_task(fk, &(struct fk_spec){.tid = tid, .comm = "few", .rates = HALF_IPC});
	fk_ping_pong(fk, 0, 50, 51, 20 * NS_PER_MS, 1000);
	struct engine *engine =
		open_engine_with(&sys, &(struct engine_config){.preset = &preset_none,
							       .columns = few,
							       .n_columns = 1,
							       .recorder = open_recorder(path, 0)});
	while (n-- > 0)
		seen->items[seen->n++] = next_snapshot(engine, fk, INTERVAL_NS);
	engine_wait(engine, fk_now(fk) + INTERVAL_NS / 2);
	engine_free(engine);
	fk_free(fk);
}

static void record_small(const char *path, struct seen *seen, size_t n)
{
	record_small_with(FK_TRACEFS_NONE, path, seen, n);
}

/* Whether an error reports so many complete intervals. If there are none, any sentence will do. */
static bool reports_intervals(const struct error *err, size_t n)
{
	char text[32];

	snprintf(text, sizeof(text), "after %zu complete interval%s:", n, n == 1 ? "" : "s");
	return n == 0 ? err->text[0] != '\0' : strstr(err->text, text) != NULL;
}

/* Complete intervals as in the live run, then an error, wherever the recording is cut off. */
static void test_cut_off(void **state)
{
	(void)state;
	struct seen seen = {0};
	struct error err;
	int result;

	record_small(path_of("small"), &seen, 2);
	struct bytes whole = read_bytes(path_of("small"));
	assert_int_equal(run_bytes(&whole, &seen, &result, &err), 2);
	assert_int_equal(result, 0);
	size_t before = 0;
	for (size_t n = 0; n < whole.n; n++) {
		struct bytes part = {whole.items, n, n};
		size_t shown = run_bytes(&part, &seen, &result, &err);
		if (result >= 0 || !reports_intervals(&err, shown))
			fail_msg("%zu of %zu bytes: %zu intervals: %s", n, whole.n, shown,
				 err.text);
		assert_true(shown >= before);
		before = shown;
	}
	assert_int_equal(before, 2);
	free(whole.items);
	seen_fini(&seen);
}

/* Opens a replay of a pipe that has so many bytes at first, and then one more each time. */
static struct replay *open_growing(struct perfdata_input *input, struct bytes *bytes,
				   uint64_t there)
{
	struct replay *replay = NULL;
	struct error err = {0};

	*input = (struct perfdata_input){.read = give_bytes, .arg = bytes};
	bytes->there = there;
	if (replay_new_from(&recorded_sys, &(struct replay_config){0}, input, &replay, &err) < 0)
		fail_msg("%s", err.text);
	return replay;
}

/* Fails unless it shows these snapshots, and no more. Frees the replay. */
static void check_growing(struct replay *replay, struct bytes *bytes, const struct seen *seen)
{
	struct snapshot *snapshot = NULL;
	struct error err = {0};
	size_t n = 0;
	int result;

	while ((result = replay_next(replay, &snapshot, &err)) != 0) {
		if (result == -EAGAIN) {
			bytes->there += bytes->there < bytes->n;
			continue;
		}
		if (result < 0)
			fail_msg("%s", err.text);
		same_snapshot(seen->items[n++], snapshot);
		snapshot_free(snapshot);
	}
	assert_int_equal(n, seen->n);
	replay_free(replay);
}

/* The same through a pipe, byte by byte. */
static void test_pipe(void **state)
{
	(void)state;
	struct seen seen = {0};
	struct error err = {0};

	record_small(path_of("small"), &seen, 3);
	struct bytes bytes = read_bytes(path_of("small"));
	struct perfdata_input input;
	struct replay *replay = open_growing(&input, &bytes, bytes.n / 4);
	assert_false(replay_can_rewind(replay));
	assert_true(replay_rewind(replay, &err) < 0);
	check_growing(replay, &bytes, &seen);
	free(bytes.items);
	seen_fini(&seen);
}

/* Writes a recording into a FIFO, slowly. */
struct slow_writer {
	char path[320];
	struct bytes bytes;
};

static void *write_slowly(void *arg)
{
	const struct slow_writer *writer = arg;
	int fd = open(writer->path, O_WRONLY | O_CLOEXEC);

	for (size_t done = 0, some; fd >= 0 && done < writer->bytes.n; done += some) {
		some = size_min(writer->bytes.n - done, 1 + writer->bytes.n / 7);
		if (write(fd, writer->bytes.items + done, some) != (ssize_t)some)
			break;
		usleep(1000);
	}
	close(fd);
	return NULL;
}

/* The reader waits for a pipe, at the beginning too. */
static void test_fifo(void **state)
{
	(void)state;
	struct slow_writer writer;
	struct seen seen = {0};
	struct error err = {0};
	struct replay *replay = NULL;
	struct snapshot *snapshot = NULL;
	pthread_t thread;
	struct sys sys;
	size_t n = 0;
	int result;

	record_small(path_of("small"), &seen, 3);
	writer.bytes = read_bytes(path_of("small"));
	text_copy(writer.path, sizeof(writer.path), path_of("fifo"));
	assert_int_equal(mkfifo(writer.path, 0600), 0);
	assert_int_equal(sys_linux_init(&sys), 0);
	assert_int_equal(pthread_create(&thread, NULL, write_slowly, &writer), 0);
	if (replay_new(&sys, &(struct replay_config){.path = writer.path}, &replay, &err) < 0)
		fail_msg("%s", err.text);
	assert_true(replay_fd(replay) >= 0 && !replay_can_rewind(replay));
	while ((result = replay_next(replay, &snapshot, &err)) != 0) {
		struct pollfd pollfd = {.fd = replay_fd(replay), .events = POLLIN};
		if (result == -EAGAIN) {
			poll(&pollfd, 1, -1);
			continue;
		}
		assert_int_equal(result, 1);
		same_snapshot(seen.items[n++], snapshot);
		snapshot_free(snapshot);
	}
	assert_int_equal(n, seen.n);
	pthread_join(thread, NULL);
	replay_free(replay);
	sys_linux_fini(&sys);
	free(writer.bytes.items);
	seen_fini(&seen);
}

/* A replay of changed bytes ends, with or without an error. */
static void test_broken(void **state)
{
	(void)state;
	struct seen seen = {0};
	struct error err;
	uint32_t lot = 7;
	int result;

	record_small(path_of("small"), &seen, 2);
	struct bytes whole = read_bytes(path_of("small"));
	struct bytes other = {xmalloc(whole.n), whole.n, whole.n};
	for (unsigned i = 0; i < 1000; i++) {
		memcpy(other.items, whole.items, whole.n);
		for (unsigned k = 0; k <= i % 3; k++) {
			lot = lot * 1664525 + 1013904223;
			size_t at = lot % whole.n / 8 * 8 + (i % 5 ? 0 : lot >> 29);
			lot = lot * 1664525 + 1013904223;
			other.items[at] = (unsigned char)(i % 2 ? lot >> 24 : 255);
		}
		run_bytes(&other, NULL, &result, &err);
		assert_true(result == 0 || err.text[0]);
	}
	free(other.items);
	free(whole.items);
	seen_fini(&seen);
}

/* The first record of that type at or behind `at`. */
static struct perf_event_header *find_record(const struct bytes *bytes, uint32_t type, size_t at)
{
	for (at += at ? 0 : sizeof(struct perfdata_head); at < bytes->n;) {
		struct perf_event_header *header = (void *)(bytes->items + at);
		if (header->type == type)
			return header;
		at += header->size;
	}
	fail_msg("there is no record of type %u", type);
	abort();
}

static struct native_head *find_native(const struct bytes *bytes, enum native_kind kind)
{
	for (size_t at = 0;;) {
		struct native_head *native = (void *)find_record(bytes, PERFDATA_NATIVE, at);
		if (native->kind == PERFDATA_NATIVE_BASE + kind)
			return native;
		at = (size_t)((unsigned char *)native - bytes->items) + native->header.size;
	}
}

/* Ids that are chosen to fall into one place of a hash table are refused before they take long. */
static void test_colliding_ids(void **state)
{
	struct seen seen = {0};
	struct error err;
	uint64_t inverse = 1;
	int result;

	(void)state;
	for (unsigned i = 0; i < 6; i++)
		inverse *= 2 - 0x9e3779b97f4a7c15ull * inverse;
	record_small(path_of("small"), &seen, 1);
	struct bytes bytes = read_bytes(path_of("small"));
	struct native_head *open = find_native(&bytes, NATIVE_OPEN);
	size_t size = open->header.size, at = (size_t)((unsigned char *)open - bytes.items) + size;
	struct bytes crafted = {xmalloc(bytes.n + 2000 * size), 0, bytes.n + 2000 * size};

	memcpy(crafted.items, bytes.items, at);
	crafted.n = at;
	for (uint64_t i = 1; i <= 2000; i++) {
		uint64_t id = i * inverse;
		memcpy(crafted.items + crafted.n, open, size);
		crafted.n += size;
		memcpy(crafted.items + crafted.n - sizeof(id), &id, sizeof(id));
	}
	memcpy(crafted.items + crafted.n, bytes.items + at, bytes.n - at);
	crafted.n += bytes.n - at;
	run_bytes(&crafted, NULL, &result, &err);
	assert_int_equal(result, -EBADMSG);
	free(crafted.items);
	free(bytes.items);
	seen_fini(&seen);
}

/* The folder of 'perf record --threads' has files of these names. */
static void test_directories(void **state)
{
	static const struct {
		const char *file, *says;
	} rows[] = {
		{"data.0", "is a directory without perf.data. Name a file."},
		{"data", "record without --threads"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct replay *replay;
		struct error err;
		write_file(path_of(rows[i].file), "");
		assert_int_equal(open_replay(recorded_directory, NULL, &replay, &err), -EISDIR);
		if (!strstr(err.text, rows[i].says))
			fail_msg("%s: '%s'", rows[i].file, err.text);
	}
}

static void test_refused(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		struct target_spec target;
		const char *path; /* NULL: a recording */
		const char *says;
	} rows[] = {
		{"CPUs", {.cpus = "0"}, NULL, "has fixed CPUs"},
		{"no file", {0}, "/nowhere/at/all", "cannot be read: No such file"},
	};
	struct seen seen = {0};
	struct error err;
	struct replay *replay;
	int result;

	record_small(path_of("small"), &seen, 1);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct engine_config engine = {.target = rows[i].target};
		result = open_replay(rows[i].path ? rows[i].path : path_of("small"), &engine,
				     &replay, &err);
		if (result >= 0 || !strstr(err.text, rows[i].says))
			fail_msg("%s: %d '%s'", rows[i].name, result, err.text);
	}
	struct bytes bytes = read_bytes(path_of("small"));
	struct perfdata_input input;
	uint64_t *version = (uint64_t *)(find_native(&bytes, NATIVE_BEGIN) + 1);
	*version += 2;
	assert_int_equal(open_bytes(&input, &bytes, &replay, &err), -EINVAL);
	assert_non_null(strstr(err.text, "Another version of pmctop"));
	*version -= 2;

	/* An unknown kind of record is ignored. A figure that differs is noted. */
	find_native(&bytes, NATIVE_NOTES)->kind = PERFDATA_NATIVE_BASE + 1000;
	assert_int_equal(open_bytes(&input, &bytes, &replay, &err), 0);
	struct snapshot *snapshot = must_show(replay);
	assert_int_equal(snapshot->n_notes, 0);
	snapshot_free(snapshot);
	replay_free(replay);
	for (size_t at = sizeof(struct perfdata_head); at < bytes.n;) {
		struct perf_event_header *header = (void *)(bytes.items + at);
		if (header->type == PERF_RECORD_SAMPLE)
			((uint64_t *)header)[1] =
				0x7777777; /* an unknown id: the sample is ignored */
		at += header->size;
	}
	assert_int_equal(open_bytes(&input, &bytes, &replay, &err), 0);
	snapshot = must_show(replay);
	assert_int_equal(snapshot->n_notes, 1);
	assert_non_null(strstr(snapshot->notes[0], "differs from the live run"));
	snapshot_free(snapshot);
	replay_free(replay);
	free(bytes.items);
	seen_fini(&seen);
}

static unsigned char *find_text(struct bytes *bytes, const char *text)
{
	unsigned char *at = memmem(bytes->items, bytes->n, text, strlen(text));

	assert_non_null(at);
	return at;
}

/* A note reports a broken one, and figures that differ. Without it the figures are the same. */
static void test_tracing_section(void **state)
{
	static const struct {
		const char *name, *text, *instead; /* of the same length */
		const char *says;                  /* NULL: nothing, and all is as it was */
	} rows[] = {
		{"as it was", "header_page", "header_page", NULL},
		{"no header", "header_page", "header_pagE", "is broken: perf"},
		{"no field", "field:pid_t next_pid", "field:pid_t next_PID", "is broken: perf"},
		{"offset behind the data", "offset:56", "offset:99", NULL},
		{"without the tracepoint", "name: sched_switch", "name: sched_SWITCH", NULL},
		{"next is prev", "next_pid;\toffset:56", "next_pid;\toffset:24",
		 "differs from the live run"},
	};
	struct seen seen = {0};

	(void)state;
	record_small_with(FK_TRACEFS_MOUNTED, path_of("traced"), &seen, 2);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bytes bytes = read_bytes(path_of("traced"));
		struct perfdata_input input;
		struct replay *replay;
		struct error err;

		memcpy(find_text(&bytes, rows[i].text), rows[i].instead, strlen(rows[i].text));
		assert_int_equal(open_bytes(&input, &bytes, &replay, &err), 0);
		for (size_t k = 0; k < seen.n; k++) {
			struct snapshot *snapshot = must_show(replay);
			if (snapshot->n_notes != (rows[i].says ? 1 : 0) ||
			    (rows[i].says && !strstr(snapshot->notes[0], rows[i].says)))
				fail_msg("%s: %zu notes", rows[i].name, snapshot->n_notes);
			if (!rows[i].says)
				same_snapshot(seen.items[k], snapshot);
			snapshot_free(snapshot);
		}
		replay_free(replay);
		free(bytes.items);
	}
	seen_fini(&seen);
}

/* The head of the stream that the file was before its end. */
static void put_stream_head(struct bytes *bytes)
{
	struct perfdata data = {0};

	perfdata_head(&data);
	perfdata_native_begin(&data, NATIVE_ROOM);
	perfdata_word(&data, 0);
	perfdata_native_end(&data);
	assert_int_equal(data.n, sizeof(struct perfdata_file_head));
	memcpy(bytes->items, data.bytes, data.n);
	perfdata_fini(&data);
}

/* Replayed by a reader that began before the end and reads no sections; or there are none. */
static void test_traced_stream(void **state)
{
	struct seen seen = {0};
	struct error err;
	int result;

	(void)state;
	record_small_with(FK_TRACEFS_MOUNTED, path_of("traced"), &seen, 2);
	struct bytes whole = read_bytes(path_of("traced"));
	const struct perfdata_file_head head = *(const struct perfdata_file_head *)whole.items;
	size_t end = head.data.offset + head.data.size;
	assert_true(end < whole.n);
	put_stream_head(&whole);
	for (int sections = 0; sections < 2; sections++) {
		size_t n = sections ? whole.n : end;
		struct bytes bytes = {whole.items, n, n};
		if (run_bytes(&bytes, &seen, &result, &err) != 2 || result != 0)
			fail_msg("%s sections: %s", sections ? "with" : "without", err.text);
	}
	free(whole.items);
	seen_fini(&seen);
}

/*
 * Cut off anywhere, a finished file has the intervals that the stream would have, and the same
 * error. If only sections are missing it is whole.
 */
static void test_finished_is_cut_off(void **state)
{
	struct seen seen = {0};
	struct error err, stream_err;
	int result, stream_result;

	(void)state;
	record_small_with(FK_TRACEFS_MOUNTED, path_of("traced"), &seen, 2);
	struct bytes whole = read_bytes(path_of("traced")), stream = read_bytes(path_of("traced"));
	const struct perfdata_file_head *head = (const void *)whole.items;
	size_t begin = sizeof(*head) + sizeof(struct native_head);
	size_t end = head->data.offset + head->data.size;
	assert_true(end < whole.n);
	put_stream_head(&stream);
	for (size_t n = begin; n <= whole.n; n++) {
		struct bytes part = {whole.items, n, n};
		struct bytes of_stream = {stream.items, n, n};
		size_t shown = run_bytes(&part, &seen, &result, &err);
		size_t wanted = run_bytes(&of_stream, &seen, &stream_result, &stream_err);
		if (shown != wanted || result != stream_result ||
		    strcmp(err.text, stream_err.text) != 0)
			fail_msg("%zu of %zu bytes: %zu of %zu intervals, %s", n, whole.n, shown,
				 wanted, err.text);
		if (n >= end && (shown != 2 || result != 0))
			fail_msg("%zu of %zu bytes: %zu intervals", n, whole.n, shown);
	}
	for (size_t n = 0; n < begin; n++) {
		struct bytes part = {whole.items, n, n};
		if (run_bytes(&part, &seen, &result, &err) > 0 || result == 0 || !err.text[0])
			fail_msg("%zu of %zu bytes: no error", n, whole.n);
	}
	free(stream.items);
	free(whole.items);
	seen_fini(&seen);
}

/* A finished file through a pipe, a byte after the other. */
static void test_finished_from_a_pipe(void **state)
{
	struct seen seen = {0};

	(void)state;
	record_small_with(FK_TRACEFS_MOUNTED, path_of("traced"), &seen, 2);
	struct bytes bytes = read_bytes(path_of("traced"));
	const struct perfdata_file_head *head = (const void *)bytes.items;
	struct perfdata_input input;
	/* With less replay_new() would wait for more. */
	struct replay *replay =
		open_growing(&input, &bytes, head->data.offset + head->data.size / 2);
	check_growing(replay, &bytes, &seen);
	free(bytes.items);
	seen_fini(&seen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_fifo),
		cmocka_unit_test(test_broken),
		cmocka_unit_test(test_colliding_ids),
		cmocka_unit_test(test_directories),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_tracing_section),
		cmocka_unit_test(test_finished_is_cut_off),
		cmocka_unit_test(test_finished_from_a_pipe),
		cmocka_unit_test(test_traced_stream),
	};

	return cmocka_run_group_tests(tests, recorded_scenes_setup, recorded_scenes_teardown);
}
