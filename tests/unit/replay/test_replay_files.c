// SPDX-License-Identifier: MIT
/* Directories with the files of 'perf record --switch-output' as one recording. */
#include "core/perfdata/perfdata.h"
#include "core/replay/replay_directory.h"
#include "tests/unit/shared/files.h"
#include "tests/unit/shared/perfdata_image.h"
#include "tests/unit/shared/recorded_scene.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

/*
 * A switch every 100 ms, on two CPUs in turns, with its cycles. Parts of it are files, each with
 * ids of its own.
 */
enum { STEPS = 60, PARTS_MAX = 6, WHOLE = -1 };
#define STEP_NS  (100 * NS_PER_MS)
#define FIRST_NS (1000 * NS_PER_S)

enum contents {
	NONE,
	PART,       /* steps [from, to) */
	RUNNING,    /* the same of a perf that has not ended */
	STREAM,     /* the same as perf writes it into a pipe */
	CUT,        /* without its last 20 bytes */
	REBOOTED,   /* times begin again */
	OTHER,      /* the group has a third event */
	GARBAGE,    /* no perf.data */
	EMPTY,      /* no bytes */
	NO_RECORDS, /* perf ended before the first record */
	VANISHED,   /* no such file */
	FOLDER,
};

struct part {
	const char *name;
	enum contents contents;
	unsigned from, to;
};

struct file_case {
	const char *name;
	struct part parts[PARTS_MAX];
	int from, to;        /* the steps that are shown, if all are; from WHOLE: any */
	const char *note;    /* NULL: none but the notes of the whole */
	const char *refused; /* the sentence; NULL: it is shown */
	const char *failure; /* the sentence at the end */
};

#define A "perf.data.2026112717474056"
#define B "perf.data.2026112717474168"
#define C "perf.data.2026112717474282"
#define P "perf.data"

static const struct file_case rows[] = {
	{"perf.data", {{P, PART, 0, 60}}, 0, 60},
	{"a stream", {{P, STREAM, 0, 60}}, 0, 60},
	{"three files", {{A, PART, 0, 20}, {B, PART, 20, 41}, {C, PART, 41, 60}}, 0, 60},
	{"in another order of the directory",
	 {{C, PART, 41, 60}, {A, PART, 0, 20}, {B, PART, 20, 41}},
	 0,
	 60},
	{"streams", {{A, STREAM, 0, 20}, {B, PART, 20, 41}, {C, STREAM, 41, 60}}, 0, 60},
	{"a short first file", {{A, PART, 0, 1}, {B, PART, 1, 60}}, 0, 60},
	{"a first file without records", {{A, NO_RECORDS, 0, 0}, {B, PART, 0, 60}}, 0, 60},
	{"and a later one", {{A, PART, 0, 20}, {B, NO_RECORDS, 20, 20}, {C, PART, 20, 60}}, 0, 60},
	{"perf still runs", {{A, PART, 0, 20}, {B, PART, 20, 41}, {P, RUNNING, 41, 60}}, 0, 60},
	{"a complete perf.data is another recording",
	 {{A, PART, 0, 20}, {B, PART, 20, 30}, {P, PART, 30, 60}},
	 30,
	 60,
	 "perf.data.* in the directory are another recording, of 'perf record --switch-output'. To "
	 "show it, move perf.data away."},
	{"other names",
	 {{A, PART, 0, 60},
	  {"perf.data.old", PART, 0, 9},
	  {"perf.data.202611271747416", PART, 0, 9},
	  {B "1", PART, 0, 9},
	  {"perf.data.20261127174741x8", PART, 0, 9},
	  {"xperf.data.2026112717474168", PART, 0, 9}},
	 0,
	 60},
	{"a file that is no recording",
	 {{A, PART, 0, 20}, {B, GARBAGE, 0, 0}, {C, PART, 20, 60}},
	 0,
	 60,
	 B ": This is not a recording: it does not begin like perf.data."},
	{"an empty file",
	 {{A, EMPTY, 0, 0}, {B, PART, 0, 60}},
	 0,
	 60,
	 A ": This is not a recording: it is empty."},
	{"an empty perf.data, when perf has just begun it",
	 {{A, PART, 0, 60}, {P, EMPTY, 0, 0}},
	 0,
	 60},
	{"a file that vanished",
	 {{A, PART, 0, 20}, {B, VANISHED, 0, 0}, {C, PART, 20, 60}},
	 0,
	 60,
	 B ": It cannot be read: No such file or directory."},
	{"the last one",
	 {{A, PART, 0, 60}, {B, VANISHED, 0, 0}},
	 0,
	 60,
	 B ": It cannot be read: No such file or directory."},
	{"a directory",
	 {{A, PART, 0, 20}, {B, FOLDER, 0, 0}, {C, PART, 20, 60}},
	 0,
	 60,
	 B ": It is not a regular file."},
	{"a lost part",
	 {{A, PART, 0, 20}, {C, PART, 41, 60}},
	 WHOLE,
	 0,
	 "Some context switches made no record"},
	{"a truncated file",
	 {{A, PART, 0, 20}, {B, CUT, 20, 41}, {C, PART, 41, 60}},
	 WHOLE,
	 0,
	 B ": The recording is cut off at byte "},
	{"the last one",
	 {{A, PART, 0, 20}, {B, CUT, 20, 41}},
	 WHOLE,
	 0,
	 NULL,
	 NULL,
	 B ": The recording is cut off at byte "},
	{"another recording behind",
	 {{A, PART, 0, 20}, {B, REBOOTED, 20, 41}, {C, PART, 41, 60}},
	 WHOLE,
	 0,
	 NULL,
	 NULL,
	 B " began before the end of the file before it: it is another recording."},
	{"other events",
	 {{A, PART, 0, 20}, {B, OTHER, 20, 60}},
	 WHOLE,
	 0,
	 NULL,
	 NULL,
	 B " was recorded with other events than the files before it."},
	{"perf record --kcore", {{"data", PART, 0, 60}, {"kcore_dir", FOLDER, 0, 0}}, 0, 60},
	{"a directory that perf made in place of a file",
	 {{P, FOLDER, 0, 0}, {P "/data", PART, 0, 60}},
	 .refused = " has a directory perf.data. Name that one."},
	{"nothing",
	 {{"data.1", PART, 0, 20}},
	 .refused = " is a directory without perf.data. Name a "},
	{"--threads",
	 {{"data", PART, 0, 20}, {"data.0", PART, 20, 60}},
	 .refused = " is a directory of 'perf record --threads', which cannot be read: record "},
	{"bad files alone",
	 {{A, VANISHED, 0, 0}, {B, GARBAGE, 0, 0}},
	 .refused = A ": It cannot be read: No such file or directory."},
	{"no records at all", {{A, NO_RECORDS, 0, 0}}, .refused = "The recording has no samples."},
};

#define SAMPLE                                                                          \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_READ)

/* Counts of a CPU at its switch number n. */
static void put_switch(struct image *image, unsigned step, uint64_t id, uint64_t from_ns,
		       bool other)
{
	unsigned cpu = step % 2, n = step / 2 + 1;
	size_t begin = image_begin(image, PERF_RECORD_SAMPLE, 0);

	image_u64(image, id);
	image_u64(image, 0xffff0000);
	image_u32(image, 7 + 10 * cpu + n % 3);
	image_u32(image, 7 + 10 * cpu + n % 3);
	image_u64(image, from_ns + step * STEP_NS);
	image_u32(image, cpu);
	image_u32(image, 0);
	image_u64(image, other ? 3 : 2);
	image_u64(image, n);
	image_u64(image, id);
	image_u64(image, 1000ull * n * n);
	image_u64(image, id + 1);
	if (other) {
		image_u64(image, 1);
		image_u64(image, id + 2);
	}
	image_end(image, begin);
}

/* perf names the tasks that exist at the beginning of each file. */
static void put_tasks(struct image *image, uint64_t id)
{
	static const uint32_t tasks[] = {7, 8, 9, 17, 18};

	for (size_t i = 0; i < ARRAY_SIZE(tasks); i++) {
		char comm[16];
		size_t begin = image_begin(image, PERF_RECORD_COMM, 0);

		snprintf(comm, sizeof(comm), "task%u", tasks[i]);
		image_u32(image, tasks[i]);
		image_u32(image, tasks[i]);
		image_text(image, comm, sizeof(comm));
		image_u32(image, tasks[i]);
		image_u32(image, tasks[i]);
		image_u64(image, 0);
		image_u64(image, 0);
		image_u64(image, id);
		image_end(image, begin);
	}
}

static void put_records(struct image *image, const struct part *part, uint64_t id)
{
	uint64_t from_ns = part->contents == REBOOTED ? NS_PER_S : FIRST_NS;
	bool other = part->contents == OTHER;

	image_end(image, image_begin(image, PERFDATA_ROUND, 0));
	if (part->contents == NO_RECORDS)
		return;
	put_tasks(image, id);
	for (unsigned i = part->from; i < part->to; i++) {
		put_switch(image, i, id, from_ns, other);
		if (i % 4 == 3 || i == part->to - 1)
			image_end(image, image_begin(image, PERFDATA_ROUND, 0));
	}
}

static const struct image_attr attrs[] = {
	{.type = PERF_TYPE_SOFTWARE,
	 .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
	 .period = 1,
	 .sample_type = SAMPLE,
	 .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID,
	 .flags = IMAGE_SAMPLE_ID_ALL},
	{.type = PERF_TYPE_HARDWARE,
	 .config = PERF_COUNT_HW_CPU_CYCLES,
	 .sample_type = SAMPLE,
	 .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID,
	 .flags = IMAGE_SAMPLE_ID_ALL},
	{.type = PERF_TYPE_HARDWARE,
	 .config = PERF_COUNT_HW_INSTRUCTIONS,
	 .sample_type = SAMPLE,
	 .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID,
	 .flags = IMAGE_SAMPLE_ID_ALL},
};
enum { ATTR_BYTES = 136, ENTRY_BYTES = ATTR_BYTES + 16, HEAD_BYTES = 104 };

/* Offsets: the header, the ids, the attrs, the records, the feature NRCPUS. */
static void make_usual(struct image *image, const struct part *part, uint64_t id)
{
	size_t n = part->contents == OTHER ? 3 : 2, attrs_at = HEAD_BYTES + 8 * n;

	image_u64(image, PERFDATA_MAGIC);
	image_u64(image, HEAD_BYTES);
	image_u64(image, ENTRY_BYTES);
	image_u64(image, attrs_at);
	image_u64(image, n * ENTRY_BYTES);
	image_u64(image, attrs_at + n * ENTRY_BYTES);
	while (image->n < HEAD_BYTES)
		image_u64(image, 0);
	image_set(image, 72, 1u << PERFDATA_NRCPUS, 8);
	for (size_t i = 0; i < n; i++)
		image_u64(image, id + i);
	for (size_t i = 0; i < n; i++) {
		image_attr(image, &attrs[i]);
		image_u64(image, HEAD_BYTES + 8 * i);
		image_u64(image, 8);
	}
	size_t data_at = image->n;
	put_records(image, part, id);
	if (part->contents == RUNNING)
		return;
	image_set(image, 48, image->n - data_at, 8);
	image_u64(image, image->n + 16);
	image_u64(image, 8);
	image_u32(image, 2);
	image_u32(image, 2);
	if (part->contents == CUT)
		image->n -= 20 + 24;
}

static void make_stream(struct image *image, const struct part *part, uint64_t id)
{
	image_u64(image, PERFDATA_MAGIC);
	image_u64(image, sizeof(struct perfdata_head));
	for (size_t i = 0; i < 2; i++) {
		size_t begin = image_begin(image, PERFDATA_ATTR, 0);
		image_attr(image, &attrs[i]);
		image_u64(image, id + i);
		image_end(image, begin);
	}
	size_t begin = image_begin(image, PERFDATA_FEATURE, 0);
	image_u64(image, PERFDATA_NRCPUS);
	image_u32(image, 2);
	image_u32(image, 2);
	image_end(image, begin);
	put_records(image, part, id);
}

static void write_part(const char *directory, const struct part *part)
{
	struct image image = {0};
	char path[400];
	uint64_t id = 100 + 10 * part->from;

	snprintf(path, sizeof(path), "%s/%s", directory, part->name);
	if (part->contents == VANISHED) {
		assert_int_equal(symlink("no-such-file", path), 0);
		return;
	}
	if (part->contents == FOLDER) {
		assert_int_equal(mkdir(path, 0700), 0);
		return;
	}
	if (part->contents == STREAM)
		make_stream(&image, part, id);
	else if (part->contents == GARBAGE)
		image_text(&image, "This is no recording.", 64);
	else if (part->contents != EMPTY)
		make_usual(&image, part, id);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(image.bytes, 1, image.n, file), image.n);
	assert_int_equal(fclose(file), 0);
	image_fini(&image);
}

static const char *write_row(const struct file_case *row)
{
	static char directory[320];

	text_copy(directory, sizeof(directory), path_of("directory"));
	assert_int_equal(mkdir(directory, 0700), 0);
	for (size_t i = 0; i < PARTS_MAX && row->parts[i].name; i++)
		write_part(directory, &row->parts[i]);
	return directory;
}

/* Reads to the end. Returns the result there, and whether a snapshot has the note. */
static int read_all(struct replay *replay, struct seen *seen, const char *note, bool *noted,
		    struct error *err)
{
	struct snapshot *snapshot;
	size_t event;
	int result;

	*err = (struct error){0};
	*noted = false;
	while ((result = replay_next(replay, &snapshot, err)) > 0) {
		assert_true(seen->n < INTERVALS_MAX);
		assert_true(snapshot_conserves(snapshot, &event));
		*noted |= note && has_note(snapshot, note);
		seen->items[seen->n++] = snapshot;
	}
	return result;
}

static struct replay *open_whole(const struct file_case *row, struct error *err)
{
	struct part part = {"whole", PART, (unsigned)row->from, (unsigned)row->to};
	struct replay *replay;

	write_part(recorded_directory, &part);
	assert_int_equal(open_replay(path_of("whole"), NULL, &replay, err), 0);
	return replay;
}

static void drop_notes(struct snapshot *snapshot)
{
	while (snapshot->n_notes > 0)
		free(snapshot->notes[--snapshot->n_notes]);
}

/* With a note of its own, a row has other notes than the whole. */
static void compare(const struct file_case *row, const struct seen *seen)
{
	struct seen wanted = {0};
	struct error err;
	bool noted;

	if (row->from == WHOLE)
		return;
	struct replay *replay = open_whole(row, &err);
	assert_int_equal(read_all(replay, &wanted, NULL, &noted, &err), 0);
	replay_free(replay);
	assert_int_equal(seen->n, wanted.n);
	for (size_t i = 0; i < wanted.n; i++) {
		if (row->note) {
			drop_notes(seen->items[i]);
			drop_notes(wanted.items[i]);
		}
		same_snapshot(wanted.items[i], seen->items[i]);
	}
	seen_fini(&wanted);
}

static void run_row(const struct file_case *row)
{
	const char *directory = write_row(row);
	struct seen seen = {0};
	struct error err = {0};
	struct replay *replay;
	bool noted;

	int result = open_replay(directory, NULL, &replay, &err);
	if (row->refused) {
		assert_true(result < 0);
		assert_non_null(strstr(err.text, row->refused));
		return;
	}
	if (result < 0)
		fail_msg("%s", err.text);
	assert_true(replay_can_rewind(replay));
	for (unsigned pass = 0; pass < 2; pass++) {
		uint64_t records = replay_records(replay);

		result = read_all(replay, &seen, row->note, &noted, &err);
		assert_int_equal(result < 0, row->failure != NULL);
		if (row->failure && strncmp(err.text, row->failure, strlen(row->failure)) != 0)
			fail_msg("%s", err.text);
		assert_true(noted == (row->note != NULL));
		assert_true(replay_records(replay) > records || pass == 0);
		assert_int_equal(replay_next(replay, &(struct snapshot *){NULL}, &err), result);
		compare(row, &seen);
		seen_fini(&seen);
		seen = (struct seen){0};
		assert_int_equal(replay_rewind(replay, &err), 0);
	}
	replay_free(replay);
}

static void test_directories(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		print_message("row: %s\n", rows[i].name);
		run_row(&rows[i]);
		remove_tree(path_of("directory"));
	}
}

/* Many files: one is open at a time. Many bad files: few are named. */
static void test_many_files(void **state)
{
	enum { FILES = 300, BAD = 40 };
	struct error err = {0};
	struct seen seen = {0};
	static const char note[] = "More files of the directory cannot be read, or";
	struct file_case row = {.from = 0, .to = STEPS, .note = note};
	bool noted;

	(void)state;
	assert_int_equal(mkdir(path_of("directory"), 0700), 0);
	for (unsigned i = 0; i < FILES + BAD; i++) {
		char name[REPLAY_DIRECTORY_NAME], directory[320];
		unsigned at = i < FILES ? i : FILES;

		text_copy(directory, sizeof(directory), path_of("directory"));
		snprintf(name, sizeof(name), "perf.data.%016u", i);
		write_part(directory, &(struct part){name, i < FILES ? PART : GARBAGE,
						     at * STEPS / FILES, (at + 1) * STEPS / FILES});
	}
	struct replay *replay = must_open(path_of("directory"), NULL);
	unsigned open = count_files("/proc/self/fd");
	assert_int_equal(read_all(replay, &seen, note, &noted, &err), 0);
	assert_true(noted);
	assert_int_equal(count_files("/proc/self/fd"), open);
	compare(&row, &seen);
	assert_int_equal(replay_rewind(replay, &err), 0);
	seen_fini(&seen);
	replay_free(replay);
	remove_tree(path_of("directory"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_directories),
		cmocka_unit_test(test_many_files),
	};

	return cmocka_run_group_tests(tests, recorded_scenes_setup, recorded_scenes_teardown);
}
