// SPDX-License-Identifier: MIT
/* A stream that ended as a file in perf's usual format: what it was reads the same. */
#include "core/perfdata/perfdata_read.h"
#include "core/perfdata/perfdata_sections.h"
#include "core/perfdata/perfdata_tracing.h"

#include "core/base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char format[] = "name: sched_switch\nID: 372\nformat:\n"
		       "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		       "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
		       "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
		       "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
		       "\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n";
static char page[] = "page", entry[] = "entry";

static void put_native(struct perfdata *data, enum native_kind kind)
{
	perfdata_native_begin(data, kind);
	perfdata_word(data, kind);
	perfdata_native_end(data);
}

/* Two events, then a third after a while. */
static void put_stream(struct perfdata *data, bool room)
{
	const struct switch_texts texts = {{page, entry, format}};
	const struct perf_event_attr attr = {.size = sizeof(attr),
					     .sample_type = PERFDATA_SAMPLE_TYPE};
	const uint64_t ids[] = {11, 12, 13, 14, 15};

	perfdata_head(data);
	if (room)
		put_native(data, NATIVE_ROOM);
	put_native(data, NATIVE_BEGIN);
	perfdata_attr(data, &attr, ids, 2);
	perfdata_attr(data, &attr, ids + 2, 2);
	perfdata_tracing(data, &texts);
	perfdata_text_feature(data, PERFDATA_HOSTNAME, "here");
	perfdata_comm(data, 7, 8, "first");
	perfdata_attr(data, &attr, ids + 4, 1);
	perfdata_tracing(data, &texts);
	perfdata_comm(data, 7, 9, "second");
	put_native(data, NATIVE_END);
}

struct told {
	size_t native, comms, attrs;
	int result; /* of perfdata_reader_switch_format */
};

static ssize_t read_fd(void *arg, uint64_t at, void *bytes, size_t n)
{
	return pread(*(int *)arg, bytes, n, (off_t)at);
}

static void read_all(int fd, struct told *told)
{
	const struct perfdata_input input = {read_fd, &fd, true, (uint64_t)lseek(fd, 0, SEEK_END)};
	struct perfdata_reader *reader = perfdata_reader_new(&input);
	const struct perf_event_header *record;
	const struct switch_format *found;
	struct error err = {0};
	int result;

	*told = (struct told){0};
	while ((result = perfdata_reader_next(reader, &record, &err)) > 0) {
		const struct native_head *native = (const void *)record;
		told->native += record->type == PERFDATA_NATIVE &&
				native->kind >= PERFDATA_NATIVE_BASE &&
				native->kind != PERFDATA_NATIVE_BASE + NATIVE_ROOM;
		told->comms += record->type == PERF_RECORD_COMM;
		told->attrs += record->type == PERFDATA_ATTR;
	}
	if (result < 0)
		fail_msg("%s", err.text);
	told->result = perfdata_reader_switch_format(reader, &found);
	if (told->result == 0)
		assert_int_equal(found->id, 372);
	perfdata_reader_free(reader);
}

static int temporary(void)
{
	char path[] = "/tmp/pmctop-sections-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	return fd;
}

static void write_stream(int fd, const struct perfdata *data)
{
	assert_int_equal(pwrite(fd, data->bytes, data->n, 0), data->n);
}

/* Noted in one piece, or in pieces that begin with a record. */
static void note_stream(struct perfdata_sections *sections, const struct perfdata *data, bool whole)
{
	size_t at = sizeof(struct perfdata_file_head);

	perfdata_sections_note(sections, data->bytes, whole ? data->n : at, 0);
	while (!whole && at < data->n) {
		const struct perf_event_header *record = (const void *)(data->bytes + at);
		size_t n = perfdata_record_bytes(record);
		perfdata_sections_note(sections, data->bytes + at, n, at);
		at += n;
	}
}

static void read_head(int fd, struct perfdata_file_head *head)
{
	assert_int_equal(pread(fd, head, sizeof(*head), 0), sizeof(*head));
}

static void test_ends_as_a_file(void **state)
{
	(void)state;
	for (int whole = 0; whole < 2; whole++) {
		struct perfdata_sections sections = {0};
		struct perfdata_file_head head;
		struct perfdata data = {0};
		struct told before, after;
		int fd = temporary();

		put_stream(&data, true);
		write_stream(fd, &data);
		read_all(fd, &before);
		assert_int_equal(before.attrs, 3);
		assert_int_equal(before.result, 0);
		note_stream(&sections, &data, whole);
		assert_int_equal(perfdata_sections_write(&sections, fd, data.n), 0);
		read_head(fd, &head);
		assert_int_equal(head.size, sizeof(head));
		assert_int_equal(head.attrs.size, 3 * head.entry_size);
		assert_int_equal(head.data.offset + head.data.size, data.n);
		assert_int_equal(head.features[0],
				 1u << PERFDATA_TRACING | 1u << PERFDATA_HOSTNAME);
		read_all(fd, &after);
		assert_int_equal(after.attrs, before.attrs);
		assert_int_equal(after.native, before.native);
		assert_int_equal(after.comms, before.comms);
		assert_int_equal(after.result, 0);
		perfdata_sections_fini(&sections);
		perfdata_fini(&data);
		close(fd);
	}
}

/* The ids of the last attr, as the section has them. */
static void test_ids(void **state)
{
	struct perfdata_sections sections = {0};
	struct perfdata_file_head head;
	struct perfdata data = {0};
	struct {
		struct perf_event_attr attr;
		struct perfdata_section ids;
	} entries[3];
	uint64_t ids[2] = {0};
	int fd = temporary();

	(void)state;
	put_stream(&data, true);
	write_stream(fd, &data);
	note_stream(&sections, &data, true);
	assert_int_equal(perfdata_sections_write(&sections, fd, data.n), 0);
	read_head(fd, &head);
	assert_int_equal(pread(fd, entries, sizeof(entries), (off_t)head.attrs.offset),
			 sizeof(entries));
	assert_int_equal(pread(fd, ids, entries[1].ids.size, (off_t)entries[1].ids.offset),
			 sizeof(ids));
	assert_int_equal(ids[0], 13);
	assert_int_equal(ids[1], 14);
	assert_int_equal(entries[2].ids.size, sizeof(ids[0]));
	perfdata_sections_fini(&sections);
	perfdata_fini(&data);
	close(fd);
}

/* Nothing is written that a reader of the stream would see. */
static void test_remains_a_stream(void **state)
{
	static const struct {
		const char *name;
		bool room, read_only;
		int wanted;
	} rows[] = {
		{"without room", false, false, 0},
		{"no right to write", true, true, -EBADF},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct perfdata_sections sections = {0};
		struct perfdata_file_head head;
		struct perfdata data = {0};
		int fd = temporary();
		char path[64];

		put_stream(&data, rows[i].room);
		write_stream(fd, &data);
		note_stream(&sections, &data, true);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		int other = open(path, rows[i].read_only ? O_RDONLY : O_RDWR);
		assert_true(other >= 0);
		int result = perfdata_sections_write(&sections, other, data.n);
		if (result != rows[i].wanted)
			fail_msg("%s: %d", rows[i].name, result);
		read_head(fd, &head);
		assert_int_equal(head.size, sizeof(struct perfdata_head));
		assert_int_equal(lseek(fd, 0, SEEK_END), data.n);
		perfdata_sections_fini(&sections);
		perfdata_fini(&data);
		close(other);
		close(fd);
	}
}

/* What another file had is not in the next one. */
static void test_begins_anew(void **state)
{
	struct perfdata_sections sections = {0};
	struct perfdata_file_head head;
	struct perfdata data = {0};
	int fd = temporary();

	(void)state;
	put_stream(&data, true);
	write_stream(fd, &data);
	note_stream(&sections, &data, true);
	note_stream(&sections, &data, true);
	assert_int_equal(perfdata_sections_write(&sections, fd, data.n), 0);
	read_head(fd, &head);
	assert_int_equal(head.attrs.size, 3 * head.entry_size);
	perfdata_sections_fini(&sections);
	perfdata_fini(&data);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ends_as_a_file),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_remains_a_stream),
		cmocka_unit_test(test_begins_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
