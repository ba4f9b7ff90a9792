// SPDX-License-Identifier: MIT
/* Reads the format of sched:sched_switch, and samples by it. */
#include "core/perf/switch_format.h"

#include "core/base/util.h"
#include "tests/fake_kernel/fake_kernel.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COMMON                                                                         \
	"name: sched_switch\nID: 314\nformat:\n"                                       \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define PREV_COMM  "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
#define PREV_PID   "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
#define PREV_PRIO  "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
#define PREV_STATE "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
#define NEXT_COMM  "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
#define NEXT_PID   "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
#define NEXT_PRIO  "\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n"
#define FIELDS     PREV_COMM PREV_PID PREV_PRIO PREV_STATE NEXT_COMM NEXT_PID NEXT_PRIO
/* The text has the names of the fields again, without their offsets. */
#define PRINT                                                                         \
	"\nprint fmt: \"prev_pid=%d prev_state=%s%s ==> next_comm=%s next_pid=%d\", " \
	"REC->prev_pid, REC->next_comm, REC->next_pid, REC->next_prio\n"
#define USUAL                                                                      \
	{                                                                          \
		.prev_pid = {24, 4}, .prev_state = {32, 8}, .next_comm = {40, 16}, \
		.next_pid = {56, 4}, .next_prio = {60, 4}, .bytes = 64,            \
	}

static void check_format(const char *name, const struct switch_format *read,
			 const struct switch_format *wanted)
{
	const struct {
		const char *name;
		struct switch_field read, wanted;
	} fields[] = {
		{"prev_pid", read->prev_pid, wanted->prev_pid},
		{"prev_state", read->prev_state, wanted->prev_state},
		{"next_comm", read->next_comm, wanted->next_comm},
		{"next_pid", read->next_pid, wanted->next_pid},
		{"next_prio", read->next_prio, wanted->next_prio},
	};

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (fields[i].read.offset != fields[i].wanted.offset ||
		    fields[i].read.size != fields[i].wanted.size)
			fail_msg("%s: %s is at %u, %u bytes", name, fields[i].name,
				 fields[i].read.offset, fields[i].read.size);
	if (read->bytes != wanted->bytes)
		fail_msg("%s: %zu bytes, not %zu", name, read->bytes, wanted->bytes);
}

static void test_understood(void **state)
{
	static const struct {
		const char *name, *text;
		struct switch_format wanted;
	} rows[] = {
		{"Linux 6.18", COMMON FIELDS PRINT, USUAL},
		{"x86 before 6.2: char is signed",
		 COMMON
		 "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:1;\n" PREV_PID PREV_PRIO
			 PREV_STATE
		 "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:1;\n" NEXT_PID NEXT_PRIO
			 PRINT,
		 USUAL},
		{"the array's length is a name",
		 COMMON
		 "\tfield:char prev_comm[TASK_COMM_LEN];\toffset:8;\tsize:16;\tsigned:0;\n" PREV_PID
			 PREV_PRIO PREV_STATE "\tfield:char "
		 "next_comm[TASK_COMM_LEN];\toffset:40;\tsize:16;\tsigned:0;\n" NEXT_PID NEXT_PRIO
			 PRINT,
		 USUAL},
		{"arm: long has 4 bytes",
		 COMMON PREV_COMM PREV_PID PREV_PRIO
		 "\tfield:long prev_state;\toffset:32;\tsize:4;\tsigned:1;\n"
		 "\tfield:char next_comm[16];\toffset:36;\tsize:16;\tsigned:0;\n"
		 "\tfield:pid_t next_pid;\toffset:52;\tsize:4;\tsigned:1;\n"
		 "\tfield:int next_prio;\toffset:56;\tsize:4;\tsigned:1;\n" PRINT,
		 {.prev_pid = {24, 4},
		  .prev_state = {32, 4},
		  .next_comm = {36, 16},
		  .next_pid = {52, 4},
		  .next_prio = {56, 4},
		  .bytes = 60}},
		{"more common fields, another order",
		 "\tfield:int common_preempt_lazy_count;\toffset:8;\tsize:4;\tsigned:1;\n"
		 "\tfield:int next_prio;\toffset:12;\tsize:4;\tsigned:1;\n"
		 "\tfield:pid_t next_pid;\toffset:16;\tsize:4;\tsigned:1;\n"
		 "\tfield:char next_comm[16];\toffset:100;\tsize:16;\tsigned:0;\n"
		 "\tfield:long prev_state;\toffset:24;\tsize:8;\tsigned:1;\n"
		 "\tfield:pid_t prev_pid;\toffset:20;\tsize:4;\tsigned:1;\n",
		 {.prev_pid = {20, 4},
		  .prev_state = {24, 8},
		  .next_comm = {100, 16},
		  .next_pid = {16, 4},
		  .next_prio = {12, 4},
		  .bytes = 116}},
		{"no newline at the end",
		 PREV_PID PREV_STATE NEXT_COMM NEXT_PID "field:int next_prio; offset:60; size:4;",
		 USUAL},
		{"a field that a name begins with",
		 "\tfield:int prev_pid_ns;\toffset:4;\tsize:4;\tsigned:1;\n" FIELDS, USUAL},
		{"at the end of what is accepted",
		 PREV_PID PREV_STATE NEXT_COMM NEXT_PID
		 "\tfield:int next_prio;\toffset:1020;\tsize:4;\tsigned:1;\n",
		 {.prev_pid = {24, 4},
		  .prev_state = {32, 8},
		  .next_comm = {40, 16},
		  .next_pid = {56, 4},
		  .next_prio = {1020, 4},
		  .bytes = 1024}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct switch_format read = {0};

		if (switch_format_parse(rows[i].text, &read) != 0)
			fail_msg("%s: not understood", rows[i].name);
		check_format(rows[i].name, &read, &rows[i].wanted);
	}
}

#define WITHOUT_PRIO PREV_COMM PREV_PID PREV_PRIO PREV_STATE NEXT_COMM NEXT_PID

static void test_not_understood(void **state)
{
	static const struct {
		const char *name, *text;
	} rows[] = {
		{"empty", ""},
		{"print fmt alone", PRINT},
		{"no prev_pid", COMMON PREV_STATE NEXT_COMM NEXT_PID NEXT_PRIO PRINT},
		{"no prev_state", COMMON PREV_PID NEXT_COMM NEXT_PID NEXT_PRIO PRINT},
		{"no next_comm", COMMON PREV_PID PREV_STATE NEXT_PID NEXT_PRIO PRINT},
		{"no next_pid", COMMON PREV_PID PREV_STATE NEXT_COMM NEXT_PRIO PRINT},
		{"no next_prio", COMMON WITHOUT_PRIO PRINT},
		{"pid of 8 bytes", PREV_STATE NEXT_COMM NEXT_PID NEXT_PRIO
		 "\tfield:long prev_pid;\toffset:64;\tsize:8;\tsigned:1;\n"},
		{"comm of 32 bytes", PREV_PID PREV_STATE NEXT_PID NEXT_PRIO
		 "\tfield:char next_comm[32];\toffset:64;\tsize:32;\tsigned:0;\n"},
		{"state of 2 bytes", PREV_PID NEXT_COMM NEXT_PID NEXT_PRIO
		 "\tfield:short prev_state;\toffset:32;\tsize:2;\tsigned:1;\n"},
		{"beyond what is accepted",
		 WITHOUT_PRIO "\tfield:int next_prio;\toffset:1021;\tsize:4;\tsigned:1;\n"},
		{"offset beyond 16 bits",
		 WITHOUT_PRIO "\tfield:int next_prio;\toffset:65596;\tsize:4;\tsigned:1;\n"},
		{"offset beyond 64 bits", WITHOUT_PRIO
		 "\tfield:int next_prio;\toffset:18446744073709551676;\tsize:4;\tsigned:1;\n"},
		{"negative offset",
		 WITHOUT_PRIO "\tfield:int next_prio;\toffset:-4;\tsize:4;\tsigned:1;\n"},
		{"no offset", WITHOUT_PRIO "\tfield:int next_prio;\tsize:4;\tsigned:1;\n"},
		{"empty offset", WITHOUT_PRIO "\tfield:int next_prio;\toffset:;\tsize:4;\n"},
		{"cut in the size", WITHOUT_PRIO "\tfield:int next_prio;\toffset:60;\tsize:4"},
		{"cut in the name", WITHOUT_PRIO "\tfield:int next_prio"},
		{"over two lines",
		 WITHOUT_PRIO "\tfield:int next_prio;\n\toffset:60;\tsize:4;\tsigned:1;\n"},
		{"no declaration", WITHOUT_PRIO "\tfield:;\toffset:60;\tsize:4;\tsigned:1;\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct switch_format read = {0};

		if (switch_format_parse(rows[i].text, &read) != -EBADMSG)
			fail_msg("%s: understood", rows[i].name);
	}
}

#define SWITCH       "/sched/sched_switch"
#define DEBUG_EVENTS "/sys/kernel/debug/tracing/events"

static char *long_text(void)
{
	char *text = xcalloc(1, (1 << 20) + 1);

	memset(text, 'x', 1 << 20);
	return text;
}

static void test_files(void **state)
{
	char *huge = long_text();
	const struct {
		const char *name;
		enum fk_tracefs tracefs;
		const char *id, *format; /* NULL: no change; "": the file is missing */
		enum switch_format_state wanted;
	} rows[] = {
		{"mounted", FK_TRACEFS_MOUNTED, NULL, NULL, SWITCH_FORMAT_READ},
		{"below debugfs", FK_TRACEFS_DEBUGFS, NULL, NULL, SWITCH_FORMAT_READ},
		{"not mounted", FK_TRACEFS_NONE, NULL, NULL, SWITCH_FORMAT_NOT_MOUNTED},
		{"unreadable", FK_TRACEFS_UNREADABLE, NULL, NULL, SWITCH_FORMAT_DENIED},
		{"no tracepoint", FK_TRACEFS_MOUNTED, "", "", SWITCH_FORMAT_ABSENT},
		{"no format", FK_TRACEFS_MOUNTED, NULL, "", SWITCH_FORMAT_ABSENT},
		{"id is no number", FK_TRACEFS_MOUNTED, "x\n", NULL, SWITCH_FORMAT_UNKNOWN},
		{"id is negative", FK_TRACEFS_MOUNTED, "-1\n", NULL, SWITCH_FORMAT_UNKNOWN},
		{"no fields", FK_TRACEFS_MOUNTED, NULL, PRINT, SWITCH_FORMAT_UNKNOWN},
		{"1 MiB", FK_TRACEFS_MOUNTED, NULL, huge, SWITCH_FORMAT_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = fk_new(&(struct fk_config){.tracefs = rows[i].tracefs});
		struct sys sys = fk_sys(fk);
		struct switch_format format = {.id = 1};
		const struct switch_format usual = USUAL;

		if (rows[i].id)
			fk_file(fk, FK_TRACING SWITCH "/id", rows[i].id[0] ? rows[i].id : NULL);
		if (rows[i].format)
			fk_file(fk, FK_TRACING SWITCH "/format",
				rows[i].format[0] ? rows[i].format : NULL);
		enum switch_format_state read = switch_format_read(&sys, &format);
		if (read != rows[i].wanted)
			fail_msg("%s: %d", rows[i].name, (int)read);
		if (read == SWITCH_FORMAT_READ)
			check_format(rows[i].name, &format, &usual);
		assert_int_equal(format.id, read == SWITCH_FORMAT_READ ? FK_SCHED_SWITCH : 1);
		fk_free(fk);
	}
	free(huge);
}

static void test_texts(void **state)
{
	static const struct {
		const char *name;
		enum fk_tracefs tracefs;
		const char *without; /* NULL: nothing is missing */
		bool wanted;
	} rows[] = {
		{"mounted", FK_TRACEFS_MOUNTED, NULL, true},
		{"below debugfs", FK_TRACEFS_DEBUGFS, NULL, true},
		{"not mounted", FK_TRACEFS_NONE, NULL, false},
		{"unreadable", FK_TRACEFS_UNREADABLE, NULL, false},
		{"no header_page", FK_TRACEFS_MOUNTED, FK_TRACING "/header_page", false},
		{"no header_event", FK_TRACEFS_MOUNTED, FK_TRACING "/header_event", false},
		{"no format", FK_TRACEFS_MOUNTED, FK_TRACING SWITCH "/format", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = fk_new(&(struct fk_config){.tracefs = rows[i].tracefs});
		struct sys sys = fk_sys(fk);
		struct switch_texts texts;

		if (rows[i].without)
			fk_file(fk, rows[i].without, NULL);
		if (switch_texts_read(&sys, &texts) != rows[i].wanted)
			fail_msg("%s: wrong", rows[i].name);
		for (size_t k = 0; k < SWITCH_TEXTS; k++)
			assert_int_equal(texts.items[k] != NULL, rows[i].wanted);
		if (rows[i].wanted)
			assert_non_null(strstr(texts.items[SWITCH_TEXT_FORMAT], "next_prio"));
		switch_texts_fini(&texts);
		fk_free(fk);
	}
}

/* A sample with two values, then these bytes. */
static int read_raw(const struct switch_format *format, const void *rest, size_t n,
		    struct switch_raw *raw)
{
	const uint64_t n_values = 2;
	size_t size = 64 + n_values * sizeof(uint64_t) + n;
	unsigned char *bytes = xcalloc(1, size);
	const struct perf_event_header header = {.type = PERF_RECORD_SAMPLE,
						 .size = (uint16_t)size};
	struct record record;

	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + 40, &n_values, sizeof(n_values));
	memcpy(bytes + size - n, rest, n);
	assert_int_equal(record_decode((const void *)bytes, &record), 0);
	assert_int_equal(record.sample.n_values, n_values);
	int result = switch_raw_read(format, &record, raw);
	free(bytes);
	return result;
}

struct rest {
	uint32_t size;
	unsigned char data[68];
};

static void set_field(struct rest *rest, struct switch_field field, const void *value)
{
	memcpy(rest->data + field.offset, value, field.size);
}

static void test_samples(void **state)
{
	const struct switch_format format = USUAL;
	const int prev = 50, next = 60, prio = 98;
	const long stopped = 0x102;
	struct rest rest = {.size = 68};
	struct switch_raw raw;

	(void)state;
	set_field(&rest, format.prev_pid, &prev);
	set_field(&rest, format.prev_state, &stopped);
	set_field(&rest, format.next_pid, &next);
	set_field(&rest, format.next_prio, &prio);
	set_field(&rest, format.next_comm, "sixteen letters.");
	assert_int_equal(read_raw(&format, &rest, sizeof(rest), &raw), 0);
	assert_int_equal(raw.prev_pid, prev);
	assert_int_equal(raw.prev_state, stopped);
	assert_int_equal(raw.next_pid, next);
	assert_int_equal(raw.next_prio, prio);
	assert_string_equal(raw.next_comm, "sixteen letters");
	/* The size of the fields, and the size that the kernel writes. */
	rest.size = 64;
	assert_int_equal(read_raw(&format, &rest, sizeof(rest), &raw), 0);
	const struct {
		uint32_t size;
		size_t n;
	} refused[] = {{63, 72}, {0, 72}, {69, 72}, {UINT32_MAX, 72}, {68, 64}, {68, 8}, {0, 0}};
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		rest.size = refused[i].size;
		assert_int_equal(read_raw(&format, &rest, refused[i].n, &raw), -EBADMSG);
	}
}

/* A state of 4 bytes, and unaligned fields. */
static void test_samples_of_another_format(void **state)
{
	const struct switch_format format = {
		.prev_pid = {1, 4},
		.prev_state = {5, 4},
		.next_comm = {9, 16},
		.next_pid = {25, 4},
		.next_prio = {29, 4},
		.bytes = 33,
	};
	const int values[] = {50, -1, 60, 120};
	struct rest rest = {.size = 36};
	struct switch_raw raw;

	(void)state;
	set_field(&rest, format.prev_pid, &values[0]);
	set_field(&rest, format.prev_state, &values[1]);
	set_field(&rest, format.next_pid, &values[2]);
	set_field(&rest, format.next_prio, &values[3]);
	assert_int_equal(read_raw(&format, &rest, 40, &raw), 0);
	assert_int_equal(raw.prev_pid, 50);
	assert_int_equal(raw.prev_state, UINT32_MAX);
	assert_int_equal(raw.next_pid, 60);
	assert_int_equal(raw.next_prio, 120);
	assert_string_equal(raw.next_comm, "");
}

static void test_raw_write(void **state)
{
	const struct switch_format format = USUAL;
	_Alignas(uint64_t) unsigned char bytes[SWITCH_RAW_BYTES_MAX];
	struct switch_raw raw;

	(void)state;
	size_t n = switch_raw_write(&format, 50, bytes);
	assert_int_equal(n, 72);
	assert_int_equal(read_raw(&format, bytes, n, &raw), 0);
	assert_int_equal(raw.prev_pid, 50);
	assert_int_equal(raw.next_pid, 50);
	assert_int_equal(raw.prev_state, 0);
	assert_string_equal(raw.next_comm, "");
}

static void test_waking_format(void **state)
{
	static const struct {
		const char *text;
		int result;
		uint16_t offset;
	} rows[] = {
		{COMMON "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
			"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
			"\nprint fmt: \"comm=%s pid=%d\", REC->comm, REC->pid\n",
		 0, 24},
		{COMMON "\tfield:pid_t pid;\toffset:24;\tsize:2;\tsigned:1;\n", -EBADMSG, 0},
		{COMMON "\tfield:pid_t next_pid;\toffset:24;\tsize:4;\tsigned:1;\n", -EBADMSG, 0},
		{"", -EBADMSG, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct waking_format format;
		assert_int_equal(waking_format_parse(rows[i].text, &format), rows[i].result);
		if (rows[i].result == 0)
			assert_int_equal(format.pid.offset, rows[i].offset);
	}
}

static void test_waking_samples(void **state)
{
	const struct waking_format format = {.pid = {24, 4}, .bytes = 28};
	static const struct {
		uint32_t size;
		size_t rest_bytes;
		pid_t tid;
	} rows[] = {{36, 40, 77}, {28, 40, 77}, {27, 40, -1}, {36, 36, -1}, {36, 2, -1}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const int tid = 77;
		struct rest rest = {.size = rows[i].size};
		struct record record = {
			.sample = {.rest = &rest, .rest_bytes = rows[i].rest_bytes}};
		set_field(&rest, format.pid, &tid);
		assert_int_equal(waking_raw_tid(&format, &record), rows[i].tid);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_understood),
		cmocka_unit_test(test_not_understood),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_raw_write),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_samples_of_another_format),
		cmocka_unit_test(test_waking_format),
		cmocka_unit_test(test_waking_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
