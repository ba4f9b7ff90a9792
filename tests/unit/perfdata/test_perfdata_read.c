// SPDX-License-Identifier: MIT
/*
 * One recording in each form of perf.data reads as the same records. Cut off anywhere, it reads as
 * the records before. Wrong sizes and offsets in a header are errors.
 *
 * "seeds DIRECTORY" writes the forms there: tests/fuzz/corpus/perfdata. "print FILE" prints the
 * records of a recording, for tests/live/perfdata_test.py to compare.
 */
#include "core/perfdata/perfdata_build_ids.h"
#include "core/perfdata/perfdata_read.h"
#include "core/perfdata/perfdata_sample.h"
#include "core/perfdata/perfdata_write.h"
#include "tests/unit/shared/perfdata_scene.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

struct source {
	const unsigned char *bytes;
	size_t n;
	size_t piece;  /* at most so many at once; 0: no matter */
	bool hesitant; /* every other time there are none yet */
	bool ready;
};

static ssize_t read_source(void *arg, uint64_t at, void *bytes, size_t n)
{
	struct source *source = arg;

	source->ready = !source->ready;
	if (source->hesitant && source->ready)
		return -EAGAIN;
	if (at >= source->n)
		return 0;
	n = size_min(n, source->n - at);
	if (source->piece)
		n = size_min(n, source->piece);
	memcpy(bytes, source->bytes + at, n);
	return (ssize_t)n;
}

static struct perfdata_input input_of(struct source *source, bool seekable)
{
	return (struct perfdata_input){read_source, source, seekable, seekable ? source->n : 0};
}

static const char *const kinds[] = {"sample", "comm", "fork",     "exit",
				    "switch", "lost", "throttle", "other"};

static void print_task(FILE *to, const struct record *record)
{
	switch (record->kind) {
	case RECORD_COMM:
		fprintf(to, " '%s'%s", record->comm.text, record->comm.exec ? " exec" : "");
		break;
	case RECORD_FORK:
	case RECORD_EXIT:
		fprintf(to, " of %d/%d", record->fork.ppid, record->fork.ptid);
		break;
	case RECORD_SWITCH:
		fprintf(to, " %s %d/%d", record->change.out ? "out, to" : "in, from",
			record->change.other_pid, record->change.other_tid);
		break;
	case RECORD_LOST:
		fprintf(to, " %" PRIu64, record->lost.records);
		break;
	case RECORD_SAMPLE:
	case RECORD_THROTTLE:
	case RECORD_WAKING:
	case RECORD_OTHER:
		break;
	}
}

static void print_kernel(FILE *to, const struct perfdata_events *events,
			 const struct perf_event_header *header)
{
	static struct perfdata_sample sample;
	struct record record;

	if (perfdata_decode(events, header, &record, &sample) < 0) {
		fprintf(to, "%u broken\n", header->type);
		return;
	}
	fprintf(to, "%s %d/%d id %" PRIu64 " at %" PRIu64, kinds[record.kind], record.pid,
		record.tid, record.id, record.time_ns);
	print_task(to, &record);
	fprintf(to, "; %" PRIx64 " by %s %d/%d cpu %u", sample.has,
		sample.event ? sample.event->name : "?", sample.pid, sample.tid, sample.cpu);
	if (record.kind == RECORD_SAMPLE)
		fprintf(to, " period %" PRIu64 " of %" PRIu64 "/%" PRIu64 ":", sample.period,
			sample.running_ns, sample.enabled_ns);
	for (size_t i = 0; i < sample.n_values; i++)
		fprintf(to, " %" PRIu64 "=%" PRIu64, sample.values[i].id, sample.values[i].value);
	fprintf(to, "\n");
}

static void print_native(FILE *to, const struct perfdata_events *events,
			 const struct perf_event_header *header)
{
	const struct native_head *native = (const void *)header;
	const uint64_t *word = (const void *)(native + 1);
	const uint64_t *end = (const void *)((const char *)header + header->size);

	if (native->kind < PERFDATA_NATIVE_BASE) { /* renamed for perf: perfdata_sections.h */
		fprintf(to, "native\n");
		return;
	}
	assert_string_equal(native->name, native_names[native->kind - PERFDATA_NATIVE_BASE]);
	fprintf(to, "native %s:", native->name);
	for (unsigned i = 0; i < header->misc; i++)
		fprintf(to, " %" PRIx64, *word++);
	if (native->kind == PERFDATA_NATIVE_BASE + NATIVE_AHEAD) {
		fprintf(to, " ");
		print_kernel(to, events, (const void *)word);
		return;
	}
	while (word < end) {
		fprintf(to, " '%.*s'", (int)*word, (const char *)(word + 1));
		word += 1 + (*word + 7) / 8;
	}
	fprintf(to, "\n");
}

static void print_feature(FILE *to, const struct perf_event_header *header)
{
	const uint64_t *feature = (const void *)(header + 1);
	const uint32_t *numbers = (const void *)(feature + 1);

	fprintf(to, "feature %" PRIu64 ":", *feature);
	switch (*feature) {
	case PERFDATA_HOSTNAME:
		if (numbers[0] == 64)
			fprintf(to, " %u %s", numbers[0], (const char *)(numbers + 1));
		break;
	case PERFDATA_NRCPUS:
		fprintf(to, " %u %u", numbers[0], numbers[1]);
		break;
	case PERFDATA_TOTAL_MEM:
		fprintf(to, " %" PRIu64, feature[1]);
		break;
	case PERFDATA_CMDLINE:
		if (numbers[1] == 64)
			fprintf(to, " %u: %u %s, %u", numbers[0], numbers[1],
				(const char *)(numbers + 2), numbers[2 + numbers[1] / 4]);
		break;
	}
	fprintf(to, "\n");
}

static void print_attr(FILE *to, const struct perfdata_events *events)
{
	const struct perfdata_event *event = &events->items[events->n - 1];

	fprintf(to, "event %u:%" PRIx64 " sample %" PRIx64 " read %" PRIx64 "%s%s ids",
		event->attr.type, (uint64_t)event->attr.config, (uint64_t)event->attr.sample_type,
		(uint64_t)event->attr.read_format, event->attr.freq ? " freq" : "",
		event->attr.sample_id_all ? " all" : "");
	for (size_t i = 0; i < event->n_ids; i++)
		fprintf(to, " %" PRIu64, event->ids[i]);
	fprintf(to, "\n");
}

static void print_update(FILE *to, const struct perf_event_header *header)
{
	const uint64_t *words = (const void *)(header + 1);
	double scale;

	fprintf(to, "update %" PRIu64 " of %" PRIu64 ": ", words[0], words[1]);
	memcpy(&scale, &words[2], sizeof(scale));
	if (words[0] == PERFDATA_SCALE)
		fprintf(to, "%g\n", scale);
	else
		fprintf(to, "%s\n", (const char *)&words[2]);
}

static void print_record(FILE *to, struct perfdata_events *events,
			 const struct perf_event_header *header)
{
	if (perfdata_events_add(events, header) < 0)
		fprintf(to, "%u is wrong\n", header->type);
	switch (header->type) {
	case PERFDATA_ATTR:
		print_attr(to, events);
		break;
	case PERFDATA_UPDATE:
		print_update(to, header);
		break;
	case PERFDATA_FEATURE:
		/* A file has the names apart; a pipe has both. */
		if (*(const uint64_t *)(const void *)(header + 1) != PERFDATA_EVENT_DESC)
			print_feature(to, header);
		break;
	case PERFDATA_NATIVE:
		print_native(to, events, header);
		break;
	default:
		if (header->type < PERFDATA_ATTR && header->type != PERF_RECORD_MMAP &&
		    header->type != PERF_RECORD_MMAP2)
			print_kernel(to, events, header);
		else
			fprintf(to, "type %u, %u bytes\n", header->type, header->size);
	}
}

/* The records of a reader as text, and its last result. printed_fini() frees the text. */
struct printed {
	char *text;
	size_t n;
	int result;
	struct error error;
};

static void printed_fini(struct printed *printed)
{
	free(printed->text);
}

static void read_on(struct perfdata_reader *reader, struct printed *printed)
{
	struct perfdata_events events = {0};
	const struct perf_event_header *header;

	*printed = (struct printed){0};
	FILE *to = xopen_memstream(&printed->text, &printed->n);
	do {
		printed->result = perfdata_reader_next(reader, &header, &printed->error);
		if (printed->result > 0) {
			assert_int_equal((uintptr_t)header % 8, 0);
			print_record(to, &events, header);
		}
	} while (printed->result > 0 || printed->result == -EAGAIN);
	fclose(to);
	perfdata_events_fini(&events);
	struct error again = {0};
	assert_int_equal(perfdata_reader_next(reader, &header, &again), printed->result);
	assert_string_equal(again.text, printed->error.text);
	assert_int_equal(printed->error.code, printed->result);
}

static void read_source_all(struct source *source, bool seekable, struct printed *printed)
{
	const struct perfdata_input input = input_of(source, seekable);
	struct perfdata_reader *reader = perfdata_reader_new(&input);

	read_on(reader, printed);
	assert_true(perfdata_reader_position(reader) <= source->n);
	perfdata_reader_free(reader);
}

static void read_image(const struct image *image, bool seekable, struct printed *printed)
{
	struct source source = {image->bytes, image->n};

	read_source_all(&source, seekable, printed);
}

#define EVENTS                                             \
	"event 1:3 sample 10197 read 1f all ids 101 102\n" \
	"event 0:123456789abcdef0 sample 10187 read 1f freq all ids 201 202\n"
#define FEATURES               \
	"feature 3: 64 box\n"  \
	"feature 7: 4 2\n"     \
	"feature 10: 123456\n" \
	"feature 11: 2: 64 perf, 64\n"
#define NAMES                                 \
	"update 2 of 101: context-switches\n" \
	"update 2 of 201: cycles\n"
#define RECORDS                                                                              \
	"comm 60/61 id 101 at 10 'a worker' exec; 10086 by context-switches 40/41 cpu 1\n"   \
	"fork 62/64 id 101 at 11 of 63/65; 10086 by context-switches 40/41 cpu 1\n"          \
	"sample 50/51 id 102 at 20; 10197 by context-switches 50/51 cpu 1 "                  \
	"period 7 of 900/1000: 102=5 202=6\n"                                                \
	"switch 40/41 id 201 at 21 out, to 80/81; 10086 by cycles 40/41 cpu 1\n"             \
	"type 99, 16 bytes\n"                                                                \
	"lost 40/41 id 201 at 22 12; 10086 by cycles 40/41 cpu 1\n"                          \
	"lost 40/41 id 101 at 23 13; 10086 by context-switches 40/41 cpu 1\n"                \
	"type 71, 48 bytes\n"                                                                \
	"native pmctop:task: b ffffffffffffffff 123456789abcdef 'nine char' '' 'eight ch'\n" \
	"native pmctop:ahead: 5 comm 70/71 id 101 at 77 'ahead'; "                           \
	"10086 by context-switches 40/41 cpu 1\n"                                            \
	"exit 62/64 id 101 at 30 of 63/65; 10086 by context-switches 40/41 cpu 1\n"          \
	"type 68, 8 bytes\n"

static const struct {
	const char *name;
	struct scene scene;
} forms[] = {
	{"pipe", {SCENE_PIPE}},
	{"file", {SCENE_FILE}},
	{"killed", {SCENE_KILLED}},
	{"pipe_swapped", {SCENE_PIPE, .swapped = true}},
	{"file_swapped", {SCENE_FILE, .swapped = true}},
	{"killed_swapped", {SCENE_KILLED, .swapped = true}},
	{"pipe_packed", {SCENE_PIPE, .packed = 1000}},
	{"file_packed", {SCENE_FILE, .packed = 50}},
	{"file_packed_two", {SCENE_FILE, .packed = 77, .two = true}},
	{"pipe_packed_small", {SCENE_PIPE, .packed = 3}},
	{"pipe_swapped_packed", {SCENE_PIPE, .swapped = true, .packed = 100}},
	{"pipe_misc", {SCENE_PIPE, .misc = 0xffff}}, /* of a perf before Linux 5.3 */
	{"pipe_misc_swapped", {SCENE_PIPE, .swapped = true, .misc = PERFDATA_MISC_MORE}},
	{"file_swapped_packed_two", {SCENE_FILE, .swapped = true, .packed = 100, .two = true}},
};

static const char *expected(enum scene_form form)
{
	/* The names are in the features. */
	static char killed[4096];
	char *to = killed;

	if (form != SCENE_KILLED)
		return EVENTS FEATURES NAMES RECORDS;
	for (const char *from = EVENTS RECORDS; *from;) {
		const char *word = strncmp(from, "by context-switches", 19) == 0
					   ? "context-switches"
				   : strncmp(from, "by cycles", 9) == 0 ? "cycles"
									: "";
		*to++ = *from++;
		if (*word) {
			*to++ = *from++;
			*to++ = *from++;
			from += strlen(word);
		}
	}
	*to = '\0';
	return killed;
}

static void all_forms_have_the_same_records(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct image image;
		struct printed printed;
		scene_make(&forms[i].scene, &image);
		read_image(&image, true, &printed);
		if (printed.result != 0 || strcmp(printed.text, expected(forms[i].scene.form)) != 0)
			print_error("%s: %d %s\n", forms[i].name, printed.result,
				    printed.error.text);
		assert_string_equal(printed.text, expected(forms[i].scene.form));
		assert_int_equal(printed.result, 0);
		printed_fini(&printed);
		image_fini(&image);
	}
}

/* However the bytes come, and again after that. */
static void reads_in_pieces_and_again(void **state)
{
	static const size_t pieces[] = {1, 3, 7, 64, 1000};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct image image;
		scene_make(&forms[i].scene, &image);
		bool pipe = forms[i].scene.form == SCENE_PIPE;
		for (size_t k = 0; k < ARRAY_SIZE(pieces); k++) {
			struct source source = {image.bytes, image.n, pieces[k], pipe};
			const struct perfdata_input input = input_of(&source, !pipe);
			struct perfdata_reader *reader = perfdata_reader_new(&input);
			for (unsigned round = 0; round < 2; round++) {
				struct printed printed;
				read_on(reader, &printed);
				assert_string_equal(printed.text, expected(forms[i].scene.form));
				assert_int_equal(printed.result, 0);
				assert_int_equal(perfdata_reader_unfinished(reader),
						 forms[i].scene.form == SCENE_KILLED);
				printed_fini(&printed);
				perfdata_reader_rewind(reader);
			}
			perfdata_reader_free(reader);
		}
		image_fini(&image);
	}
}

/* What a pipe has of a file: names come behind the records. */
static const char *expected_piped(enum scene_form form)
{
	static char text[4096];

	snprintf(text, sizeof(text), "%s%s", expected(SCENE_KILLED),
		 form == SCENE_FILE ? FEATURES NAMES : "");
	return text;
}

static void reads_a_file_from_a_pipe(void **state)
{
	static const size_t pieces[] = {0, 1, 7, 64, 1000};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		if (forms[i].scene.form == SCENE_PIPE)
			continue;
		struct image image;
		scene_make(&forms[i].scene, &image);
		for (size_t k = 0; k < ARRAY_SIZE(pieces); k++) {
			struct source source = {image.bytes, image.n, pieces[k], pieces[k] > 0};
			struct printed printed;
			read_source_all(&source, false, &printed);
			assert_string_equal(printed.text, expected_piped(forms[i].scene.form));
			assert_int_equal(printed.result, 0);
			printed_fini(&printed);
		}
		image_fini(&image);
	}
}

/* Wherever it ends, its records so far are returned. */
static void reads_a_truncated_file_from_a_pipe(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		if (forms[i].scene.form == SCENE_PIPE)
			continue;
		struct image image;
		scene_make(&forms[i].scene, &image);
		const char *whole = expected_piped(forms[i].scene.form);
		for (size_t n = 16; n < image.n; n++) {
			unsigned char *cut = xmalloc(n);
			memcpy(cut, image.bytes, n);
			struct source source = {cut, n};
			struct printed printed;
			read_source_all(&source, false, &printed);
			/* Of the features, which come last, some are missing. */
			size_t same = size_min(printed.n, strlen(expected(SCENE_KILLED)));
			assert_memory_equal(whole, printed.text, same);
			if (printed.result < 0)
				assert_true(printed.error.text[0] && printed.result != -EINVAL);
			printed_fini(&printed);
			free(cut);
		}
		image_fini(&image);
	}
}

static ssize_t read_nothing(void *arg, uint64_t at, void *bytes, size_t n)
{
	(void)at, (void)bytes, (void)n;
	return *(const int *)arg;
}

static void reports_read_errors(void **state)
{
	static const struct {
		int result;
		const char *says;
	} rows[] = {{-EIO, "Input/output error"}, {-9999, "unknown error"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int result = rows[i].result;
		const struct perfdata_input input = {read_nothing, &result, true, 1000};
		struct perfdata_reader *reader = perfdata_reader_new(&input);
		struct printed printed;
		read_on(reader, &printed);
		assert_int_equal(printed.result, rows[i].result);
		assert_non_null(strstr(printed.error.text, rows[i].says));
		printed_fini(&printed);
		perfdata_reader_free(reader);
	}
}

/* The part of the text from the first record on. */
static const char *of_records(const char *text)
{
	const char *comm = strstr(text, "comm ");

	return comm ? comm : "";
}

static void check_cut(const char *name, enum scene_form form, size_t size, size_t n,
		      const struct printed *printed)
{
	const char *whole = expected(form);
	bool prefix = strncmp(whole, printed->text, strlen(printed->text)) == 0;

	/* A file that is cut off has lost its names. */
	if (form == SCENE_FILE && !prefix) {
		whole = of_records(expected(SCENE_KILLED));
		prefix = strncmp(whole, of_records(printed->text),
				 strlen(of_records(printed->text))) == 0;
	}
	if (!prefix)
		print_error("%s, %zu of %zu bytes: %s\n", name, n, size, printed->text);
	assert_true(prefix);
	bool empty = n < 8;
	if (printed->result == 0 && (form == SCENE_FILE ? n < size / 2 : n < 16))
		print_error("%s: %zu of %zu bytes are all\n", name, n, size);
	if (empty)
		assert_int_equal(printed->result, -EINVAL);
	else if (printed->result != 0 && printed->result != -ENODATA && printed->result != -EBADMSG)
		fail_msg("%s, %zu of %zu bytes: %d %s", name, n, size, printed->result,
			 printed->error.text);
	if (printed->result < 0)
		assert_true(strlen(printed->error.text) > 20);
}

static void cut_off_anywhere_reads_what_came_before(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct image image;
		scene_make(&forms[i].scene, &image);
		for (size_t n = 0; n < image.n; n++) {
			/* In memory of its own: a read past its end is one past the block's. */
			unsigned char *cut = xmalloc(n);
			memcpy(cut, image.bytes, n);
			struct source source = {cut, n};
			struct printed printed;
			read_source_all(&source, true, &printed);
			check_cut(forms[i].name, forms[i].scene.form, image.n, n, &printed);
			printed_fini(&printed);
			free(cut);
		}
		image_fini(&image);
	}
}

/* Of a pipe: whole where it ends between two records, else cut off. */
static void reports_a_cut_off_pipe(void **state)
{
	const struct scene scene = {SCENE_PIPE};
	struct image image;
	size_t n_whole = 0, n_cut = 0;

	(void)state;
	scene_make(&scene, &image);
	for (size_t n = 16; n < image.n; n++) {
		struct source source = {image.bytes, n};
		struct printed printed;
		read_source_all(&source, false, &printed);
		if (printed.result == 0)
			n_whole++;
		else
			n_cut += printed.result == -ENODATA;
		printed_fini(&printed);
	}
	/* Before each of two attrs, five features and twelve records. */
	assert_int_equal(n_whole, 2 + 5 + 12);
	assert_int_equal(n_cut, image.n - 16 - n_whole);
	image_fini(&image);
}

enum { ATTRS = SCENE_HEADER + 32, ENTRY = 152, DATA = ATTRS + 2 * ENTRY };

static const struct {
	const char *name;
	enum scene_form form;
	size_t at; /* what stands there is replaced */
	uint64_t value;
	size_t n;
	int result;
	const char *says; /* in the sentence */
} lies[] = {
	{"no magic", SCENE_PIPE, 0, 0x1234567812345678, 8, -EINVAL, "not a recording"},
	{"version 1", SCENE_PIPE, 0, 0x454c494646524550, 8, -EINVAL, "before Linux 3.2"},
	{"head of 0", SCENE_FILE, 8, 0, 8, -EINVAL, "header"},
	{"head of 17", SCENE_PIPE, 8, 17, 8, -EINVAL, "header"},
	{"head of 2^60", SCENE_FILE, 8, 1ull << 60, 8, -EINVAL, "header"},
	{"attrs of 0", SCENE_FILE, 16, 0, 8, -EBADMSG, "size"},
	{"attrs of 16", SCENE_FILE, 16, 16, 8, -EBADMSG, "size"},
	{"attrs of 2^62", SCENE_FILE, 16, 1ull << 62, 8, -EBADMSG, "size"},
	{"attrs behind the end", SCENE_FILE, 24, 1 << 20, 8, -EBADMSG, "beyond its end"},
	{"attrs beyond all", SCENE_FILE, 24, UINT64_MAX, 8, -EBADMSG, "beyond its end"},
	{"attrs in the header", SCENE_FILE, 24, 16, 8, -EBADMSG, "overlap"},
	{"attrs in the data", SCENE_FILE, 24, DATA + 8, 8, -EBADMSG, "overlap"},
	{"no attrs", SCENE_FILE, 32, 0, 8, -EBADMSG, "no events"},
	{"part of an attr", SCENE_FILE, 32, 200, 8, -EBADMSG, "too many events"},
	{"2^60 attrs", SCENE_FILE, 32, 1ull << 60, 8, -EBADMSG, "beyond its end"},
	{"data in the header", SCENE_FILE, 40, 8, 8, -EBADMSG, "overlap"},
	{"data in the attrs", SCENE_FILE, 40, ATTRS + 8, 8, -EBADMSG, "overlap"},
	{"data behind the end", SCENE_FILE, 40, 1 << 20, 8, -ENODATA, "cut off"},
	{"data beyond all", SCENE_FILE, 40, UINT64_MAX, 8, -ENODATA, "cut off"},
	{"data of 2^64 - 1", SCENE_FILE, 48, UINT64_MAX, 8, -EBADMSG, "beyond its end"},
	{"a directory's", SCENE_FILE, 72, 1 << 24, 8, -EINVAL, "--threads"},
	{"ids in the header", SCENE_FILE, ATTRS + 136, 0, 8, -EBADMSG, "overlap"},
	{"ids in the attrs", SCENE_FILE, ATTRS + 136, ATTRS, 8, -EBADMSG, "overlap"},
	{"ids in the data", SCENE_FILE, ATTRS + 136, DATA, 8, -EBADMSG, "overlap"},
	{"ids behind the end", SCENE_FILE, ATTRS + 136, 1 << 20, 8, -EBADMSG, "beyond its end"},
	{"2^60 ids", SCENE_FILE, ATTRS + 144, 1ull << 60, 8, -EBADMSG, "beyond its end"},
	{"half an id", SCENE_FILE, ATTRS + 144, 12, 8, -EBADMSG, "too many ids"},
	{"an attr of 8", SCENE_FILE, ATTRS + 4, 8, 4, -EBADMSG, "size"},
	{"an attr of 2^31", SCENE_FILE, ATTRS + 4, 1u << 31, 4, -EBADMSG, "size"},
	{"a record of 0", SCENE_FILE, DATA + 6, 0, 2, -EBADMSG, "record of 0 bytes"},
	{"a record of 7", SCENE_FILE, DATA + 6, 7, 2, -EBADMSG, "record of 7 bytes"},
	{"a record of 0 in a pipe", SCENE_PIPE, 16 + 6, 0, 2, -EBADMSG, "record of 0 bytes"},
};

static void wrong_headers_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(lies); i++) {
		const struct scene scene = {lies[i / 2].form, .swapped = i % 2};
		struct image image;
		struct printed printed;
		scene_make(&scene, &image);
		image_set(&image, lies[i / 2].at, lies[i / 2].value, lies[i / 2].n);
		/* A text is the same in either order. */
		if (lies[i / 2].value == 0x454c494646524550)
			memcpy(image.bytes, "PERFFILE", 8);
		read_image(&image, true, &printed);
		if (printed.result != lies[i / 2].result ||
		    (lies[i / 2].says && !strstr(printed.error.text, lies[i / 2].says)))
			fail_msg("%s: %d '%s'", lies[i / 2].name, printed.result,
				 printed.error.text);
		printed_fini(&printed);
		image_fini(&image);
	}
}

/* The error names the form, and the command that replays what is in it. */
static void compressed_files_are_named(void **state)
{
	static const struct {
		const char *begin; /* of 8 bytes */
		const char *want;
	} rows[] = {
		{"\x1f\x8b\x08\x08\0\0\0\0",
		 "a gzip file. To replay the recording in it: zcat FILE |"},
		{"\x28\xb5\x2f\xfd\x24\0\0\0",
		 "a zstd file. To replay the recording in it: zstdcat FILE |"},
		{"\xfd\x37zXZ\0\0\4", "an xz file. To replay the recording in it: xzcat FILE |"},
		{"BZh91AY&", "a bzip2 file. To replay the recording in it: bzcat FILE |"},
		{"\x04\x22\x4d\x18\x64\x40\xa7\0",
		 "an lz4 file. To replay the recording in it: lz4cat FILE |"},
		{"\x1f\x9d\x90PERF\0", "not a recording"},
		{"\x28\xb5\x2f\xfcPERF", "not a recording"},
	};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		struct image image;
		struct printed printed;

		scene_make(&(struct scene){SCENE_FILE}, &image);
		memcpy(image.bytes, rows[i / 2].begin, 8);
		read_image(&image, i % 2, &printed);
		assert_int_equal(printed.result, -EINVAL);
		if (!strstr(printed.error.text, rows[i / 2].want))
			fail_msg("no '%s' in: %s", rows[i / 2].want, printed.error.text);
		printed_fini(&printed);
		image_fini(&image);
	}
}

/* Sections that do not come in the order of perf. */
static void wrong_headers_are_refused_in_a_pipe(void **state)
{
	static const struct {
		const char *name;
		size_t at;
		uint64_t value;
		int result;
		const char *says;
	} rows[] = {
		{"attrs behind the data", 24, 1 << 20, -EINVAL, "Give the name of the file"},
		{"attrs beyond all", 24, UINT64_MAX, -EINVAL, "Give the name of the file"},
		{"attrs up to the data", 32, 3ull * ENTRY, -EINVAL, "Give the name of the file"},
		{"ids behind the data", ATTRS + 136, 1 << 20, -EINVAL, "Give the name of the file"},
		{"2^60 ids", ATTRS + 144, 1ull << 60, -EINVAL, "Give the name of the file"},
		{"data far away", 40, 1 << 28, -EINVAL, "Give the name of the file"},
		{"data behind the end", 40, 1 << 20, -ENODATA, "cut off"},
		{"data beyond all", 40, UINT64_MAX, -EINVAL, "Give the name of the file"},
		{"data in the header", 40, 8, -EINVAL, "Give the name of the file"},
		{"data of 2^64 - 1", 48, UINT64_MAX, -EBADMSG, "beyond its end"},
		{"a directory's", 72, 1 << 24, -EINVAL, "--threads"},
	};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		struct image image;
		struct printed printed;
		scene_make(&(struct scene){SCENE_FILE, .swapped = i % 2}, &image);
		image_set(&image, rows[i / 2].at, rows[i / 2].value, 8);
		read_image(&image, false, &printed);
		if (printed.result != rows[i / 2].result ||
		    !strstr(printed.error.text, rows[i / 2].says))
			fail_msg("%s: %d '%s'", rows[i / 2].name, printed.result,
				 printed.error.text);
		printed_fini(&printed);
		image_fini(&image);
	}
}

/* The type has a meaning in memory only. */
static void a_next_file_is_dropped(void **state)
{
	(void)state;
	for (unsigned swapped = 0; swapped < 2; swapped++) {
		struct image image;
		struct printed printed;
		scene_make(&(struct scene){SCENE_PIPE, .swapped = swapped}, &image);
		image_end(&image, image_begin(&image, PERFDATA_NEXT_FILE, PERFDATA_MISC_GAP));
		read_image(&image, false, &printed);
		assert_string_equal(printed.text, expected(SCENE_PIPE));
		assert_int_equal(printed.result, 0);
		printed_fini(&printed);
		image_fini(&image);
	}
}

/* A feature with a wrong size or offset is ignored. */
static void wrong_features_are_ignored(void **state)
{
	static const uint64_t values[] = {0, 1, 8, 100, 1 << 20, 1ull << 60, UINT64_MAX};
	const struct scene scene = {SCENE_FILE};

	(void)state;
	for (size_t i = 0; i < 20 * ARRAY_SIZE(values); i++) {
		struct image image, records = {0};
		struct printed printed;
		scene_records(&records);
		scene_make(&scene, &image);
		image_set(&image, DATA + records.n + i / 2 / ARRAY_SIZE(values) * 8,
			  values[i / 2 % ARRAY_SIZE(values)], 8);
		read_image(&image, i % 2, &printed);
		assert_int_equal(printed.result, 0);
		assert_non_null(strstr(printed.text, "exit 62/64 id 101 at 30 of 63/65"));
		printed_fini(&printed);
		image_fini(&image);
		image_fini(&records);
	}
}

static void broken_compression_ends_it(void **state)
{
	const struct scene scene = {SCENE_PIPE, .packed = 200, .two = true};
	struct image plain, image;

	(void)state;
	scene_make(&(struct scene){SCENE_PIPE}, &plain);
	scene_make(&scene, &image);
	struct image records = {0};
	scene_records(&records);
	size_t begin = plain.n - records.n;
	static const struct {
		size_t at;
		uint64_t value;
	} rows[] = {{8, 1ull << 60}, {8, 65528}, {16, 0}, {24, UINT64_MAX}};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct image broken = {0};
		struct printed printed;
		image_bytes(&broken, image.bytes, image.n);
		image_set(&broken, begin + rows[i].at, rows[i].value, 8);
		read_image(&broken, false, &printed);
		assert_int_equal(printed.result, -EBADMSG);
		assert_non_null(strstr(printed.error.text, "broken"));
		assert_int_equal(
			strncmp(printed.text, EVENTS FEATURES NAMES, strlen(EVENTS FEATURES NAMES)),
			0);
		printed_fini(&printed);
		image_fini(&broken);
	}
	image_fini(&records);
	image_fini(&image);
	image_fini(&plain);
}

/* An attr that is smaller or larger than ours, in a file and in a pipe. */
static void reads_attrs_of_any_size(void **state)
{
	static const uint32_t sizes[] = {64, 72, 96, 112, 128, 136, 144, 256};

	(void)state;
	for (size_t i = 0; i < 4 * ARRAY_SIZE(sizes); i++) {
		struct image_attr attr = scene_attrs[1];
		struct image image = {.swapped = i % 2};
		attr.size = sizes[i / 4];
		size_t entry = attr.size + 16, ids = SCENE_HEADER, at = ids + 16;
		if (i / 2 % 2) {
			const uint64_t header[] = {PERFDATA_MAGIC,
						   SCENE_HEADER,
						   entry,
						   at,
						   entry,
						   at + entry,
						   8,
						   0,
						   0,
						   0,
						   0,
						   0,
						   0};
			for (size_t k = 0; k < ARRAY_SIZE(header); k++)
				image_u64(&image, header[k]);
			image_u64(&image, 201);
			image_u64(&image, 202);
			image_attr(&image, &attr);
			image_u64(&image, ids);
			image_u64(&image, 16);
		} else {
			image_u64(&image, PERFDATA_MAGIC);
			image_u64(&image, 16);
			size_t begin = image_begin(&image, PERFDATA_ATTR, 0);
			image_attr(&image, &attr);
			image_u64(&image, 201);
			image_u64(&image, 202);
			image_end(&image, begin);
		}
		image_end(&image, image_begin(&image, PERFDATA_ROUND, 0));
		struct printed printed;
		read_image(&image, true, &printed);
		assert_string_equal(printed.text,
				    "event 0:123456789abcdef0 sample 10187 read 1f freq all ids "
				    "201 202\ntype 68, 8 bytes\n");
		assert_int_equal(printed.result, 0);
		printed_fini(&printed);
		image_fini(&image);
	}
}

/* Records of any size, as perf's compressed ones are; and bytes that are none. */
static void unaligned_records_are_read(void **state)
{
	(void)state;
	for (unsigned odd = 0; odd < 8; odd++) {
		struct image image = {0};
		struct printed printed;
		image_u64(&image, PERFDATA_MAGIC);
		image_u64(&image, 16);
		size_t begin = image_begin(&image, 98, 0);
		image_text(&image, "", odd);
		image_end(&image, begin);
		begin = image_begin(&image, PERFDATA_TRACING_DATA, 0);
		image_u32(&image, 9 + odd);
		image_end(&image, begin);
		image_text(&image, "", 9 + odd);
		for (unsigned i = 0; i < 2; i++) {
			begin = image_begin(&image, PERFDATA_ATTR, 0);
			image_attr(&image, &scene_attrs[i]);
			image_u64(&image, scene_ids[i]);
			image_u64(&image, scene_ids[i] + 1);
			image_end(&image, begin);
		}
		scene_records(&image);
		read_image(&image, odd % 2, &printed);
		assert_int_equal(printed.result, 0);
		assert_non_null(strstr(printed.text, "type 66, 12 bytes\n" EVENTS "comm 60/61"));
		assert_non_null(strstr(printed.text, "exit 62/64 id 101 at 30 of 63/65"));
		printed_fini(&printed);
		image_fini(&image);
	}
}

/* An unaligned compressed record is not moved while unaligned records are unpacked from it. */
static void unaligned_records_are_unpacked(void **state)
{
	enum { TIMES = 3500 }; /* more than a window holds, and that do not pack well */
	struct image image = {0}, records = {0};
	struct printed printed;
	uint64_t value = 1;

	(void)state;
	image_u64(&image, PERFDATA_MAGIC);
	image_u64(&image, 16);
	for (unsigned i = 0; i < 3; i++) {
		struct image *to = i ? &records : &image;
		size_t begin = image_begin(to, 98, 0);
		image_text(to, "", i < 2 ? 3 : 60000);
		image_end(to, begin);
	}
	for (unsigned i = 0; i < 2; i++) {
		size_t begin = image_begin(&records, PERFDATA_ATTR, 0);
		image_attr(&records, &scene_attrs[i]);
		image_u64(&records, scene_ids[i] + 1);
		image_end(&records, begin);
	}
	for (unsigned i = 0; i < TIMES; i++, value = value * 6364136223846793005 + 1)
		scene_sample(&records, i, value);
	image_pack(&image, records.bytes, records.n, records.n, false);
	read_image(&image, true, &printed);
	assert_int_equal(printed.result, 0);
	value = 1;
	const char *at = printed.text;
	for (unsigned i = 0; i < TIMES; i++, value = value * 6364136223846793005 + 1) {
		char says[128];
		snprintf(says, sizeof(says), ": 102=%" PRIu64 " 202=%" PRIu64 "\n", value,
			 value + 1);
		at = strstr(at, says);
		assert_non_null(at);
	}
	printed_fini(&printed);
	image_fini(&records);
	image_fini(&image);
}

/* More ids than a record can hold go on in the next, in files too, and are one event's. */
static void many_ids_are_one_events(void **state)
{
	enum { IDS = 20001 };
	const size_t entry = 136 + 16, ids = SCENE_HEADER, attrs = ids + IDS * 8;
	const uint64_t header[] = {PERFDATA_MAGIC,
				   SCENE_HEADER,
				   entry,
				   attrs,
				   2 * entry,
				   attrs + 2 * entry,
				   8,
				   0,
				   0,
				   0,
				   0,
				   0,
				   0};
	struct image image = {0};
	struct perfdata_events events = {0};
	const struct perf_event_header *record;
	struct error err;
	int result;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(header); i++)
		image_u64(&image, header[i]);
	for (size_t i = 0; i < IDS; i++)
		image_u64(&image, i + 1);
	for (unsigned i = 0; i < 2; i++) {
		image_attr(&image, &scene_attrs[0]); /* both are alike */
		image_u64(&image, ids + (i ? (IDS - 1) * 8 : 0));
		image_u64(&image, i ? 8 : (IDS - 1) * 8);
	}
	image_end(&image, image_begin(&image, PERFDATA_ROUND, 0));
	struct source source = {image.bytes, image.n};
	const struct perfdata_input input = input_of(&source, true);
	struct perfdata_reader *reader = perfdata_reader_new(&input);
	while ((result = perfdata_reader_next(reader, &record, &err)) > 0)
		assert_int_equal(perfdata_events_add(&events, record), 0);
	assert_int_equal(result, 0);
	assert_int_equal(events.n, 2);
	assert_int_equal(events.items[0].n_ids, IDS - 1);
	assert_int_equal(events.items[1].n_ids, 1);
	for (size_t i = 0; i < IDS; i++)
		assert_ptr_equal(perfdata_events_find(&events, i + 1), &events.items[i == IDS - 1]);
	assert_null(perfdata_events_find(&events, 0));
	assert_null(perfdata_events_find(&events, IDS + 1));
	perfdata_events_fini(&events);
	perfdata_reader_free(reader);
	image_fini(&image);
}

/* In a recording of ours they go on in a pipe too. */
static void native_ids_go_on_in_the_next_record(void **state)
{
	struct printed printed;

	(void)state;
	for (unsigned swapped = 0; swapped < 2; swapped++) {
		struct image image = {.swapped = swapped};
		image_u64(&image, PERFDATA_MAGIC);
		image_u64(&image, 16);
		size_t begin = image_begin(&image, PERFDATA_NATIVE, 0);
		image_u64(&image, PERFDATA_NATIVE_BASE + NATIVE_BEGIN);
		image_text(&image, "pmctop:begin", 64);
		image_end(&image, begin);
		for (unsigned i = 0; i < 2; i++) {
			begin = image_begin(&image, PERFDATA_ATTR, i ? PERFDATA_MISC_MORE : 0);
			image_attr(&image, &scene_attrs[1]);
			image_u64(&image, 201 + i);
			image_end(&image, begin);
		}
		read_image(&image, false, &printed);
		assert_non_null(strstr(printed.text, "freq all ids 201\n"));
		assert_non_null(strstr(printed.text, "freq all ids 201 202\n"));
		printed_fini(&printed);
		image_fini(&image);
	}
}

/* Records of simpleperf's own are skipped by their size, which may need more than a u16. */
static void records_of_simpleperf_are_skipped(void **state)
{
	static const struct {
		uint32_t type, size;
		int result;
		uint32_t first; /* word behind the header */
	} rows[] = {
		{32769, 8, 0},
		{PERFDATA_TRACING_DATA, 96, 0, 80}, /* of an old one */
		{PERFDATA_TRACING_DATA, 96, 0, 84},
		{32774, 65536, 0},
		{32777, 65539, 0},
		{UINT32_MAX, 600000, 0},
		{32769, 7, -EBADMSG},
		{32769, 0, -EBADMSG},
	};

	(void)state;
	for (size_t i = 0; i < 4 * ARRAY_SIZE(rows); i++) {
		struct image image = {.swapped = i % 2}, records = {.swapped = i % 2};
		uint32_t size = rows[i / 4].size;
		struct printed printed;
		image_u64(&image, PERFDATA_MAGIC);
		image_u64(&image, 16);
		for (unsigned k = 0; k < 2; k++) {
			size_t begin = image_begin(&image, PERFDATA_ATTR, 0);
			image_attr(&image, &scene_attrs[k]);
			image_u64(&image, scene_ids[k]);
			image_u64(&image, scene_ids[k] + 1);
			image_end(&image, begin);
		}
		image_u32(&records, rows[i / 4].type);
		image_u16(&records, size >> 16);
		image_u16(&records, size & 0xffff);
		if (size > 8)
			image_u32(&records, rows[i / 4].first);
		image_text(&records, "", size > 12 ? size - 12 : 0);
		scene_records(&records);
		if (i / 2 % 2)
			image_pack(&image, records.bytes, records.n, 5000, false);
		else
			image_bytes(&image, records.bytes, records.n);
		read_image(&image, i % 2, &printed);
		if (printed.result != rows[i / 4].result)
			fail_msg("row %zu: %d %s", i / 4, printed.result, printed.error.text);
		assert_int_equal(!strstr(printed.text, "comm 60/61"), printed.result < 0);
		assert_int_equal(!strstr(printed.text, "at 30 of 63/65"), printed.result < 0);
		printed_fini(&printed);
		image_fini(&records);
		image_fini(&image);
	}
}

static void print_code(FILE *to, const struct code_record *record)
{
	const struct proc_mapping *mapping = &record->mmap.mapping;

	switch (record->kind) {
	case CODE_RECORD_MMAP:
		fprintf(to, "map %d %" PRIx64 "-%" PRIx64 " %" PRIx64 " %s%s%s inode %" PRIu64,
			record->pid, mapping->start, mapping->end, mapping->offset, mapping->name,
			mapping->executable ? " x" : "", record->mmap.kernel ? " kernel" : "",
			mapping->inode);
		if (record->mmap.build_id.size > 0)
			fprintf(to, " build id %u: %02x%02x", record->mmap.build_id.size,
				record->mmap.build_id.bytes[0], record->mmap.build_id.bytes[4]);
		break;
	case CODE_RECORD_KSYMBOL:
		fprintf(to, "ksymbol %" PRIx64 " %u %s", record->ksymbol.start,
			record->ksymbol.size, record->ksymbol.name);
		break;
	case CODE_RECORD_EXEC:
		fprintf(to, "exec %d", record->pid);
		break;
	case CODE_RECORD_SAMPLE:
	case CODE_RECORD_FORK:
	case CODE_RECORD_EXIT:
	case CODE_RECORD_LOST:
	case CODE_RECORD_THROTTLE:
	case CODE_RECORD_OTHER:
		break;
	}
	if (record->kind != CODE_RECORD_OTHER)
		fprintf(to, " at %" PRIu64 "\n", record->time_ns);
}

static void print_chain(FILE *to, const struct perf_event_header *header,
			const struct perfdata_sample *sample)
{
	if (header->type == PERF_RECORD_SAMPLE)
		fprintf(to,
			"sample of %" PRIu64 " by %d/%d at %" PRIu64 " ip %" PRIx64
			" period %" PRIu64 " mode %u cpu %u",
			sample->event ? (uint64_t)sample->event->attr.config : 99, sample->pid,
			sample->tid, sample->time_ns, sample->ip, sample->period, sample->misc,
			sample->cpu);
	else
		fprintf(to, "deferred %" PRIu64 " by %d/%d at %" PRIu64, sample->cookie,
			sample->pid, sample->tid, sample->time_ns);
	for (size_t i = 0; i < sample->n_chain; i++)
		fprintf(to, " %" PRIx64, sample->chain[i]);
	fprintf(to, "\n");
}

static void print_symbol(FILE *to, struct simpleperf_symbols *symbols, const char *path,
			 uint64_t start, uint64_t offset, uint64_t address)
{
	const struct simpleperf_place place = {path, start, offset, address};
	struct simpleperf_symbol symbol = {0};

	if (!symbols)
		return;
	if (simpleperf_symbols_find(symbols, &place, &symbol))
		fprintf(to, "%s+%" PRIx64 " in %s\n", symbol.name, symbol.offset, path);
	else
		fprintf(to, "nothing at %" PRIx64 " in %s\n", address, path);
}

static void print_profile_record(FILE *to, struct perfdata_events *events,
				 struct perfdata_build_ids *ids,
				 const struct perf_event_header *header)
{
	static struct perfdata_sample sample;
	struct code_record code;
	struct record record;

	assert_int_equal(perfdata_events_add(events, header), 0);
	perfdata_build_ids_add(ids, header);
	assert_int_equal(perfdata_decode_code(events, header, &code, &sample), 0);
	print_code(to, &code);
	assert_int_equal(perfdata_decode(events, header, &record, &sample), 0);
	if (header->type == PERF_RECORD_SAMPLE || header->type == PERFDATA_CALLCHAIN_DEFERRED)
		print_chain(to, header, &sample);
}

static void read_profile(const struct image *image, char **text, size_t *n)
{
	struct source source = {image->bytes, image->n};
	const struct perfdata_input input = input_of(&source, true);
	struct perfdata_reader *reader = perfdata_reader_new(&input);
	struct perfdata_events events = {0};
	struct perfdata_build_ids ids = {0};
	const struct perf_event_header *header;
	struct error err;
	int result;

	FILE *to = xopen_memstream(text, n);
	while ((result = perfdata_reader_next(reader, &header, &err)) > 0)
		print_profile_record(to, &events, &ids, header);
	assert_int_equal(result, 0);
	const struct code_build_id *id = perfdata_build_ids_find(&ids, "/bin/work", 50);
	fprintf(to, "build id %u: %u\n", id ? id->size : 0, id ? id->bytes[2] : 0);
	struct simpleperf_symbols *symbols = perfdata_reader_symbols(reader);
	print_symbol(to, symbols, "/bin/work", 0x400000, 0x1000, 0x400100);
	print_symbol(to, symbols, "/bin/work", 0x400000, 0x1000, 0x400110);
	print_symbol(to, symbols, "/bin/work", 0x400000, 0x1000, 0x400210);
	print_symbol(to, symbols, "/lib/libwork.so", 0x7f0000000000, 0, 0x7f0000000100);
	print_symbol(to, symbols, "[kernel.kallsyms]", 0, 0, 0xffffffff81000100);
	print_symbol(to, symbols, "/bin/other", 0, 0, 0x100);
	fclose(to);
	perfdata_reader_free(reader);
	perfdata_build_ids_fini(&ids);
	perfdata_events_fini(&events);
}

#define MAPS                                                                              \
	"map -1 ffffffff81000000-ffffffff82000000 ffffffff81000000 "                      \
	"[kernel.kallsyms]_text x kernel inode 0 at 0\n"                                  \
	"map 50 400000-402000 1000 /bin/work x inode 99 at 10\n"                          \
	"map 50 7f0000000000-7f0000002000 0 /lib/libwork.so x inode 0 build id 20: 0100 " \
	"at 11\n"
#define SAMPLES                                                                    \
	"sample of 0 by 50/51 at 20 ip ffffffff81000100 period 1000 mode 1 cpu 1 " \
	"ffffffffffffff80 ffffffff81000100 fffffffffffffe00 400100 7f0000000100\n" \
	"sample of 2 by 50/51 at 21 ip ffffffff81000100 period 1000 mode 1 cpu 1 " \
	"ffffffffffffff80 ffffffff81000100 fffffffffffffe00 400100 7f0000000200\n"

#define PROFILE                                                  \
	MAPS "ksymbol ffffffffc0001000 64 bpf_prog_1234 at 12\n" \
	     "exec 50 at 13\n" SAMPLES "deferred 4321 by 50/51 at 22 fffffffffffffe00 400200\n"
#define BUILD_ID "build id 20: 7\n"

static const struct {
	const char *name;
	struct scene scene;
	const char *expected;
} profiles[] = {
	{"profile_pipe", {SCENE_PIPE, SCENE_PROFILE}, PROFILE BUILD_ID},
	{"profile_file", {SCENE_FILE, SCENE_PROFILE}, PROFILE BUILD_ID},
	{"profile_killed", {SCENE_KILLED, SCENE_PROFILE}, PROFILE "build id 0: 0\n"},
	{"profile_pipe_swapped", {SCENE_PIPE, SCENE_PROFILE, .swapped = true}, PROFILE BUILD_ID},
	{"profile_file_swapped", {SCENE_FILE, SCENE_PROFILE, .swapped = true}, PROFILE BUILD_ID},
	{"profile_pipe_packed", {SCENE_PIPE, SCENE_PROFILE, .packed = 100}, PROFILE BUILD_ID},
	{"profile_pipe_packed_two",
	 {SCENE_PIPE, SCENE_PROFILE, .packed = 90, .two = true},
	 PROFILE BUILD_ID},
	{"profile_file_packed", {SCENE_FILE, SCENE_PROFILE, .packed = 80}, PROFILE BUILD_ID},
	{"profile_file_packed_two",
	 {SCENE_FILE, SCENE_PROFILE, .packed = 70, .two = true},
	 PROFILE BUILD_ID},
	{"profile_file_swapped_packed",
	 {SCENE_FILE, SCENE_PROFILE, .swapped = true, .packed = 70},
	 PROFILE BUILD_ID},
	{"simpleperf",
	 {SCENE_FILE, SCENE_SIMPLEPERF},
	 MAPS SAMPLES BUILD_ID "work+0 in /bin/work\n"
			       "nothing at 400110 in /bin/work\n"
			       "_Z4workv+10 in /bin/work\n"
			       "library_work+0 in /lib/libwork.so\n"
			       "do_work+100 in [kernel.kallsyms]\n"
			       "nothing at 100 in /bin/other\n"},
};

static void profiles_have_all_in_each_form(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(profiles); i++) {
		struct image image;
		char *text;
		size_t n;
		scene_make(&profiles[i].scene, &image);
		read_profile(&image, &text, &n);
		if (strcmp(text, profiles[i].expected) != 0)
			fail_msg("%s:\n%s", profiles[i].name, text);
		free(text);
		image_fini(&image);
	}
}

/* Records of pmctop's own have the offsets of their texts, to swap their bytes. */
static void native_records_have_offsets_of_texts(void **state)
{
	struct perfdata data = {0};
	struct image image = {0};

	(void)state;
	perfdata_native_begin(&data, NATIVE_TASK);
	perfdata_word(&data, 11);
	perfdata_words(&data, (const uint64_t[]){(uint64_t)-1, 0x0123456789abcdef}, 2);
	perfdata_text(&data, "nine char");
	perfdata_text(&data, NULL);
	perfdata_text(&data, "eight ch");
	perfdata_native_end(&data);
	perfdata_native_begin(&data, NATIVE_AHEAD);
	perfdata_word(&data, 5);
	struct perfdata inner = {0};
	perfdata_comm(&inner, 70, 71, "ahead");
	size_t size = inner.n;
	perfdata_record(&data, (const void *)inner.bytes);
	perfdata_native_end(&data);
	scene_native(&image);
	/* The task that made the record in it is another. */
	assert_int_equal(data.n, image.n);
	assert_memory_equal(data.bytes, image.bytes, image.n - size + 24);
	perfdata_fini(&inner);
	perfdata_fini(&data);
	image_fini(&image);
}

static ssize_t read_file(void *arg, uint64_t at, void *bytes, size_t n)
{
	FILE *file = arg;

	(void)at;
	size_t got = fread(bytes, 1, n, file);
	return got > 0 || !ferror(file) ? (ssize_t)got : -EIO;
}

static ssize_t read_file_at(void *arg, uint64_t at, void *bytes, size_t n)
{
	FILE *file = arg;

	return fseeko(file, (off_t)at, SEEK_SET) < 0 ? -errno : read_file(arg, at, bytes, n);
}

/* What a file has, or standard input as a pipe: "-". */
static int print_file(const char *path)
{
	struct perfdata_input input = {.seekable = strcmp(path, "-") != 0};
	FILE *file = input.seekable ? fopen(path, "re") : stdin;
	struct printed printed;

	if (!file)
		return 2;
	if (input.seekable) {
		fseeko(file, 0, SEEK_END);
		input.size = (uint64_t)ftello(file);
	}
	input.read = input.seekable ? read_file_at : read_file;
	input.arg = file;
	struct perfdata_reader *reader = perfdata_reader_new(&input);
	read_on(reader, &printed);
	printf("%s", printed.text);
	if (printed.result < 0)
		fprintf(stderr, "%s\n", printed.error.text);
	perfdata_reader_free(reader);
	printed_fini(&printed);
	if (input.seekable)
		fclose(file);
	return printed.result < 0;
}

static bool write_seed(const char *directory, const char *name, const struct scene *scene)
{
	char path[512];
	struct image image;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	FILE *file = fopen(path, "we");
	if (!file)
		return false;
	scene_make(scene, &image);
	fwrite(image.bytes, 1, image.n, file);
	fclose(file);
	image_fini(&image);
	return true;
}

static int write_seeds(const char *directory)
{
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		if (!write_seed(directory, forms[i].name, &forms[i].scene))
			return 1;
	for (size_t i = 0; i < ARRAY_SIZE(profiles); i++)
		if (!write_seed(directory, profiles[i].name, &profiles[i].scene))
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_forms_have_the_same_records),
		cmocka_unit_test(reads_in_pieces_and_again),
		cmocka_unit_test(reads_a_file_from_a_pipe),
		cmocka_unit_test(reads_a_truncated_file_from_a_pipe),
		cmocka_unit_test(reports_read_errors),
		cmocka_unit_test(cut_off_anywhere_reads_what_came_before),
		cmocka_unit_test(reports_a_cut_off_pipe),
		cmocka_unit_test(wrong_headers_are_refused),
		cmocka_unit_test(compressed_files_are_named),
		cmocka_unit_test(wrong_headers_are_refused_in_a_pipe),
		cmocka_unit_test(a_next_file_is_dropped),
		cmocka_unit_test(wrong_features_are_ignored),
		cmocka_unit_test(broken_compression_ends_it),
		cmocka_unit_test(reads_attrs_of_any_size),
		cmocka_unit_test(unaligned_records_are_read),
		cmocka_unit_test(unaligned_records_are_unpacked),
		cmocka_unit_test(many_ids_are_one_events),
		cmocka_unit_test(native_ids_go_on_in_the_next_record),
		cmocka_unit_test(records_of_simpleperf_are_skipped),
		cmocka_unit_test(profiles_have_all_in_each_form),
		cmocka_unit_test(native_records_have_offsets_of_texts),
	};

	if (argc == 3 && strcmp(argv[1], "seeds") == 0)
		return write_seeds(argv[2]);
	if (argc == 3 && strcmp(argv[1], "print") == 0)
		return print_file(argv[2]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
