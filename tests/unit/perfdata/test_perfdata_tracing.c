// SPDX-License-Identifier: MIT
/*
 * What a recording has of tracefs, and what is found in it.
 *
 * "seeds DIRECTORY" writes the forms there: tests/fuzz/corpus/perfdata_tracing.
 */
#include "core/perfdata/perfdata_tracing.h"

#include "core/base/util.h"
#include "core/perfdata/perfdata_read.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FORMAT(id)                                                       \
	"name: sched_switch\nID: " id "\nformat:\n"                      \
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"      \
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"     \
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n" \
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"      \
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n"
#define WAKEUP "name: sched_wakeup\nID: 371\nformat:\n"
#define WAKING(name)                                               \
	"name: " name "\nID: 370\nformat:\n"                       \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n" \
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"

static char page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n";
static char entry[] = "# compressed entry header\n";
static char usual[] = FORMAT("372");

static void put_u32(struct perfdata *data, uint32_t number)
{
	perfdata_append(data, &number, sizeof(number));
}

static void put_name(struct perfdata *data, const char *name)
{
	perfdata_append(data, name, strlen(name) + 1);
}

static void put_text(struct perfdata *data, const char *text)
{
	perfdata_word(data, strlen(text));
	perfdata_append(data, text, strlen(text));
}

/* As perf writes them: formats of ftrace, several systems. */
struct form {
	const char *name;
	bool other_order;
	const char *page_name;  /* NULL: as it is */
	const char *formats[3]; /* of "sched" */
	const char *other;      /* a format of "irq", before those */
	uint32_t more;          /* formats that are not there */
	int wanted;
	uint64_t id;
	size_t wakings; /* formats of wake-ups, with the number 370 */
};

static const struct form forms[] = {
	{.name = "alone", .formats = {FORMAT("372")}, .id = 372},
	{.name = "among others", .formats = {WAKEUP, FORMAT("7")}, .other = WAKEUP, .id = 7},
	{.name = "behind that of wake-ups",
	 .formats = {WAKING("sched_waking"), FORMAT("372"), WAKING("sched_wakeup_new")},
	 .id = 372,
	 .wakings = 2},
	{.name = "wake-ups alone",
	 .formats = {WAKING("sched_wakeup")},
	 .other = WAKING("sched_waking"),
	 .wanted = -ENOENT,
	 .wakings = 1},
	{.name = "what is not a wake-up",
	 .formats = {FORMAT("372"), WAKING("sched_wakeups"), WAKING("sched_wake")},
	 .id = 372},
	{.name = "of another system", .other = FORMAT("372"), .wanted = -ENOENT},
	{.name = "not there", .formats = {WAKEUP}, .wanted = -ENOENT},
	{.name = "without a system", .wanted = -ENOENT},
	{.name = "other byte order",
	 .other_order = true,
	 .formats = {FORMAT("372")},
	 .wanted = -EBADMSG},
	{.name = "another page", .page_name = "header_pagE", .wanted = -EBADMSG},
	{.name = "no fields", .formats = {"name: sched_switch\nID: 372\n"}, .wanted = -EBADMSG},
	{.name = "no id", .formats = {"name: sched_switch\nID: \n"}, .wanted = -EBADMSG},
	{.name = "more than there are",
	 .formats = {WAKEUP},
	 .more = UINT32_MAX - 1,
	 .wanted = -EBADMSG},
};

static void put_form(struct perfdata *data, const struct form *form)
{
	const unsigned char big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	const unsigned char head[] = {form->other_order ? !big : big, 8};
	uint32_t n = 0;

	perfdata_append(data, "\x17\x08\x44tracing", 10);
	put_name(data, "0.6");
	perfdata_append(data, head, sizeof(head));
	put_u32(data, 4096);
	put_name(data, form->page_name ? form->page_name : "header_page");
	put_text(data, page);
	put_name(data, "header_event");
	put_text(data, entry);
	put_u32(data, 2);
	put_text(data, "name: function\n");
	put_text(data, "name: print\n");
	while (n < ARRAY_SIZE(form->formats) && form->formats[n])
		n++;
	put_u32(data, (form->other ? 1 : 0) + (n > 0 ? 1 : 0));
	if (form->other) {
		put_name(data, "irq");
		put_u32(data, 1);
		put_text(data, form->other);
	}
	if (n == 0)
		return;
	put_name(data, "sched");
	put_u32(data, n + form->more);
	for (uint32_t i = 0; i < n; i++)
		put_text(data, form->formats[i]);
}

static void check_found(const char *name, const struct perfdata_tracing *tracing, uint64_t id)
{
	const struct switch_format *format = &tracing->format;

	if (format->id != id || format->prev_pid.offset != 24 || format->next_pid.offset != 56 ||
	    format->bytes != 64)
		fail_msg("%s: id %llu, %zu bytes", name, (unsigned long long)format->id,
			 format->bytes);
}

static void test_forms(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct perfdata_tracing tracing = {.format = {.id = 1}};
		struct perfdata data = {0};

		put_form(&data, &forms[i]);
		perfdata_tracing_read(data.bytes, data.n, &tracing, NULL);
		if (tracing.result != forms[i].wanted || tracing.n_wakings != forms[i].wakings)
			fail_msg("%s: %d, %zu", forms[i].name, tracing.result, tracing.n_wakings);
		if (tracing.result == 0)
			check_found(forms[i].name, &tracing, forms[i].id);
		else
			assert_int_equal(tracing.format.id, 0);
		for (size_t k = 0; k < tracing.n_wakings; k++) {
			assert_int_equal(tracing.wakings[k].id, 370);
			assert_int_equal(tracing.wakings[k].pid.offset, 24);
		}
		perfdata_fini(&data);
	}
}

/* In memory of its own: a read past its end is one past the block's. */
static void test_cut_off(void **state)
{
	struct perfdata data = {0};

	(void)state;
	put_form(&data, &forms[1]);
	for (size_t n = 0; n < data.n; n++) {
		struct perfdata_tracing tracing;
		unsigned char *bytes = xmalloc(n);
		memcpy(bytes, data.bytes, n);
		perfdata_tracing_read(bytes, n, &tracing, NULL);
		if (tracing.result != -EBADMSG)
			fail_msg("%zu of %zu bytes: understood", n, data.n);
		free(bytes);
	}
	perfdata_fini(&data);
}

/* "CONFIG SYSTEM:NAME\n" of each. */
static void print_names(const struct perfdata *names, char *text, size_t size)
{
	size_t length = 0;

	text[0] = '\0';
	for (size_t at = 0; at < names->n;) {
		const struct perfdata_tracepoint *record = (const void *)(names->bytes + at);

		assert_int_equal(record->header.type, PERFDATA_NATIVE);
		assert_int_equal(record->header.size % 8, 0);
		length += (size_t)snprintf(text + length, size - length, "%llu %s\n",
					   (unsigned long long)record->config, record->name);
		at += record->header.size;
	}
}

static void test_names(void **state)
{
	static const char long_name[] =
		"name: a123456789b123456789c123456789d123456789e123456789f123456789g123456789"
		"h123456789i123456789j123456789k123456789l123456789m123456789\nID: 9\nformat:\n";
	static const struct form rows[] = {
		{.name = "31 irq:irq_handler_entry\n372 sched:sched_switch\n371 "
			 "sched:sched_wakeup\n",
		 .formats = {FORMAT("372"), WAKEUP},
		 .other = "name: irq_handler_entry\nID: 31\nformat:\n"},
		{.name = "371 sched:sched_wakeup\n",
		 .formats = {WAKEUP},
		 .other = "name: no_number\nID: \nformat:\n"},
		{.name = "371 sched:sched_wakeup\n", .formats = {WAKEUP}, .other = long_name},
		{.name = "371 sched:sched_wakeup\n", .formats = {"", WAKEUP, "name: \nID: 1\n"}},
		{.name = "371 sched:sched_wakeup\n", .formats = {WAKEUP}, .more = 7},
		{.name = "", .other_order = true, .formats = {WAKEUP}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct perfdata_tracing tracing;
		struct perfdata data = {0}, names = {0};
		char text[1024];

		put_form(&data, &rows[i]);
		perfdata_tracing_read(data.bytes, data.n, &tracing, &names);
		print_names(&names, text, sizeof(text));
		assert_string_equal(text, rows[i].name);
		perfdata_fini(&data);
		perfdata_fini(&names);
	}
}

static void test_names_are_bounded(void **state)
{
	struct perfdata data = {0}, names = {0};
	struct perfdata_tracing tracing;
	struct form form = {.name = "many", .other = "name: x\nID: 1\n"};
	char text[] = "name: x\nID: 1\n";

	(void)state;
	put_form(&data, &form);
	/* The number of formats stands before the only one. */
	uint32_t n = PERFDATA_TRACEPOINTS_MAX + 10;
	size_t one = sizeof(uint64_t) + sizeof(text) - 1;
	memcpy(data.bytes + data.n - one - sizeof(n), &n, sizeof(n));
	for (uint32_t i = 1; i < n; i++)
		put_text(&data, text);
	perfdata_tracing_read(data.bytes, data.n, &tracing, &names);
	assert_int_equal(tracing.result, -ENOENT);
	assert_int_equal(names.n,
			 PERFDATA_TRACEPOINTS_MAX * (sizeof(struct perfdata_tracepoint) + 8));
	perfdata_fini(&data);
	perfdata_fini(&names);
}

static void test_written(void **state)
{
	const struct switch_texts texts = {{page, entry, usual}};
	struct perfdata data = {0};
	struct perfdata_tracing tracing;

	(void)state;
	perfdata_round(&data);
	perfdata_tracing(&data, &texts);
	const struct perfdata_tracing_record *record =
		(const void *)(data.bytes + sizeof(struct perf_event_header));
	assert_int_equal(record->header.type, PERFDATA_TRACING_DATA);
	assert_int_equal(record->header.size, sizeof(*record));
	assert_int_equal(perfdata_record_bytes(&record->header),
			 data.n - sizeof(struct perf_event_header));
	assert_int_equal(record->bytes % 8, 0);
	perfdata_tracing_read((const void *)(record + 1), record->bytes, &tracing, NULL);
	assert_int_equal(tracing.result, 0);
	check_found("written", &tracing, 372);
	perfdata_fini(&data);
}

static ssize_t read_data(void *arg, uint64_t at, void *bytes, size_t n)
{
	const struct perfdata *data = arg;

	n = size_min(n, data->n - (size_t)at);
	memcpy(bytes, data->bytes + at, n);
	return (ssize_t)n;
}

/* A recording of pmctop has them in records of its own. */
static void test_names_follow_their_data(void **state)
{
	static const char *const wants[] = {"66 65 sched:sched_switch 68 68 ", "65 66 68 68 "};
	const struct switch_texts texts = {{page, entry, usual}};

	(void)state;
	for (unsigned native = 0; native < 2; native++) {
		const struct perf_event_header *record;
		struct perfdata data = {0};
		char text[256] = "";
		size_t length = 0;
		struct error err;

		perfdata_head(&data);
		if (native) {
			perfdata_native_begin(&data, NATIVE_BEGIN);
			perfdata_native_end(&data);
		}
		perfdata_tracing(&data, &texts);
		perfdata_round(&data);
		perfdata_round(&data);
		const struct perfdata_input input = {.read = read_data, .arg = &data};
		struct perfdata_reader *reader = perfdata_reader_new(&input);
		while (perfdata_reader_next(reader, &record, &err) > 0) {
			const struct perfdata_tracepoint *named = (const void *)record;
			bool is_name = record->type == PERFDATA_NATIVE && named->config == 372;

			length += (size_t)snprintf(text + length, sizeof(text) - length, "%u %s%s",
						   record->type, is_name ? named->name : "",
						   is_name ? " " : "");
		}
		assert_string_equal(text, wants[native]);
		perfdata_reader_free(reader);
		perfdata_fini(&data);
	}
}

static int write_seeds(const char *directory)
{
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct perfdata data = {0};
		char path[320];

		put_form(&data, &forms[i]);
		snprintf(path, sizeof(path), "%s/%s", directory, forms[i].name);
		for (char *c = path + strlen(directory); *c; c++)
			*c = *c == ' ' ? '_' : *c;
		FILE *file = fopen(path, "wb");
		if (!file || fwrite(data.bytes, 1, data.n, file) != data.n || fclose(file) != 0)
			return 1;
		perfdata_fini(&data);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "seeds") == 0)
		return write_seeds(argv[2]);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_names_are_bounded),
		cmocka_unit_test(test_names_follow_their_data),
		cmocka_unit_test(test_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
