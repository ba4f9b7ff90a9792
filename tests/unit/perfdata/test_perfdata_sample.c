// SPDX-License-Identifier: MIT
/*
 * Samples and other records in every layout of perf_event_open(2): ids, tasks, times and values.
 */
#include "core/perfdata/perfdata_sample.h"
#include "tests/unit/shared/perfdata_image.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define ID   PERF_SAMPLE_IDENTIFIER
#define TID  PERF_SAMPLE_TID
#define TIME PERF_SAMPLE_TIME
#define CPU  PERF_SAMPLE_CPU
#define READ PERF_SAMPLE_READ
#define BOTH (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

static int add_event(struct perfdata_events *events, const struct image *image)
{
	/* In memory of its own: a read past the record's end is one past the block's. */
	void *copy = xmalloc(image->n);

	memcpy(copy, image->bytes, image->n);
	int result = perfdata_events_add(events, copy);
	free(copy);
	return result;
}

static int add_attr(struct perfdata_events *events, const struct image_attr *attr, uint64_t id,
		    size_t n)
{
	struct image image = {0};
	size_t begin = image_begin(&image, PERFDATA_ATTR, 0);

	image_attr(&image, attr);
	for (size_t i = 0; i < n; i++)
		image_u64(&image, id + i);
	image_end(&image, begin);
	int result = add_event(events, &image);
	image_fini(&image);
	return result;
}

static int add_update(struct perfdata_events *events, uint64_t what, uint64_t id, const void *bytes,
		      size_t n)
{
	struct image image = {0};
	size_t begin = image_begin(&image, PERFDATA_UPDATE, 0);

	image_u64(&image, what);
	image_u64(&image, id);
	image_bytes(&image, bytes, n);
	image_end(&image, begin);
	int result = add_event(events, &image);
	image_fini(&image);
	return result;
}

/* Words behind the header, of an event with ids 11, 12 beside one with 21, 22. */
static const struct layout {
	const char *name;
	uint64_t sample_type, read_format, flags, other_type;
	unsigned n;
	uint64_t words[16];
	bool known;
	struct perfdata_sample says;
	size_t rest;  /* words of RAW */
	size_t chain; /* index of its first word */
} layouts[] = {
	{"of pmctop",
	 ID | PERF_SAMPLE_IP | TID | TIME | CPU | READ,
	 PERF_FORMAT_GROUP | PERF_FORMAT_ID | BOTH,
	 0,
	 0,
	 12,
	 {11, 7, 6ull << 32 | 5, 77, 3, 2, 100, 90, 1000, 11, 2000, 21},
	 true,
	 {.id = 11,
	  .pid = 5,
	  .tid = 6,
	  .time_ns = 77,
	  .cpu = 3,
	  .times = true,
	  .enabled_ns = 100,
	  .running_ns = 90,
	  .n_values = 2,
	  .values = {{1000, 11}, {2000, 21}},
	  .period = 9,
	  .ip = 7}},
	{"group without ids or times",
	 ID | READ,
	 PERF_FORMAT_GROUP,
	 0,
	 0,
	 4,
	 {12, 2, 1000, 2000},
	 true,
	 {.id = 12,
	  .pid = -1,
	  .tid = -1,
	  .n_values = 2,
	  .values = {{1000, 0}, {2000, 0}},
	  .period = 9}},
	{"group with what was lost, one time",
	 ID | READ,
	 PERF_FORMAT_GROUP | PERF_FORMAT_LOST | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_RUNNING,
	 0,
	 0,
	 6,
	 {12, 1, 90, 1000, 12, 4},
	 true,
	 {.id = 12,
	  .pid = -1,
	  .tid = -1,
	  .running_ns = 90,
	  .n_values = 1,
	  .values = {{1000, 12}},
	  .period = 9}},
	{"single value with all",
	 ID | READ,
	 PERF_FORMAT_LOST | PERF_FORMAT_ID | BOTH,
	 0,
	 0,
	 6,
	 {12, 1000, 100, 90, 12, 4},
	 true,
	 {.id = 12,
	  .pid = -1,
	  .tid = -1,
	  .times = true,
	  .enabled_ns = 100,
	  .running_ns = 90,
	  .n_values = 1,
	  .values = {{1000, 12}},
	  .period = 9}},
	{"single value alone",
	 ID | READ,
	 0,
	 0,
	 0,
	 2,
	 {12, 1000},
	 true,
	 {.id = 12, .pid = -1, .tid = -1, .n_values = 1, .values = {{1000, 0}}, .period = 9}},
	{"an id in the midst, and a call chain",
	 PERF_SAMPLE_IP | TID | TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
		 CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
	 0,
	 IMAGE_FREQ,
	 0,
	 11,
	 {1, 6ull << 32 | 5, 77, 2, 12, 3, 4, 555, 2, 100, 101},
	 true,
	 {.id = 12,
	  .pid = 5,
	  .tid = 6,
	  .time_ns = 77,
	  .cpu = 4,
	  .period = 555,
	  .ip = 1,
	  .n_chain = 2},
	 .chain = 9},
	{"READ before a call chain",
	 ID | PERF_SAMPLE_IP | READ | PERF_SAMPLE_CALLCHAIN,
	 PERF_FORMAT_GROUP,
	 0,
	 0,
	 8,
	 {11, 100, 2, 1000, 2000, 2, PERF_CONTEXT_USER, 100},
	 true,
	 {.id = 11,
	  .pid = -1,
	  .tid = -1,
	  .n_values = 2,
	  .values = {{1000, 0}, {2000, 0}},
	  .period = 9,
	  .ip = 100,
	  .n_chain = 2},
	 .chain = 6},
	{"an empty call chain before a branch stack, in a sample with unknown members",
	 ID | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK | 1ull << 40,
	 0,
	 0,
	 0,
	 6,
	 {12, 0, 1, 100, 101, 0},
	 true,
	 {.id = 12, .pid = -1, .tid = -1, .period = 9}},
	{"a call chain with a deferred part",
	 ID | PERF_SAMPLE_CALLCHAIN,
	 0,
	 0,
	 0,
	 6,
	 {12, 4, PERF_CONTEXT_KERNEL, 100, PERFDATA_CONTEXT_DEFERRED, 4321},
	 true,
	 {.id = 12, .pid = -1, .tid = -1, .period = 9, .n_chain = 2, .cookie = 4321},
	 .chain = 2},
	{"a call chain that is deferred whole",
	 ID | PERF_SAMPLE_CALLCHAIN,
	 0,
	 0,
	 0,
	 4,
	 {12, 2, PERFDATA_CONTEXT_DEFERRED, 4321},
	 true,
	 {.id = 12, .pid = -1, .tid = -1, .period = 9, .cookie = 4321}},
	{"RAW behind a call chain",
	 ID | READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW,
	 0,
	 0,
	 0,
	 7,
	 {12, 1000, 2, 100, 101, 12, 13},
	 true,
	 {.id = 12,
	  .pid = -1,
	  .tid = -1,
	  .n_values = 1,
	  .values = {{1000, 0}},
	  .period = 9,
	  .n_chain = 2},
	 .rest = 2,
	 .chain = 3},
	{"RAW behind a call chain that is longer than the sample",
	 ID | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW,
	 0,
	 0,
	 0,
	 4,
	 {12, 3, 100, 101},
	 true,
	 {.id = 12, .pid = -1, .tid = -1, .period = 9}},
	{"a frequency without its period",
	 ID,
	 0,
	 IMAGE_FREQ,
	 0,
	 1,
	 {12},
	 true,
	 {.id = 12, .pid = -1, .tid = -1}},
	{"an unknown id, in a group",
	 ID | TID | READ,
	 PERF_FORMAT_GROUP | PERF_FORMAT_ID,
	 0,
	 0,
	 5,
	 {99, 6ull << 32 | 5, 1, 1000, 12},
	 true,
	 {.id = 99, .pid = 5, .tid = 6, .n_values = 1, .values = {{1000, 12}}, .period = 9}},
	{"an unknown id, in an unknown group",
	 ID | TID | READ,
	 PERF_FORMAT_GROUP | PERF_FORMAT_ID,
	 0,
	 0,
	 5,
	 {99, 6ull << 32 | 5, 1, 1000, 98},
	 false,
	 {.pid = -1, .tid = -1}},
	{"an unknown id alone", ID | TID, 0, 0, 0, 2, {99, 5}, false, {.pid = -1, .tid = -1}},
	{"ids in different places",
	 ID | TID,
	 0,
	 0,
	 PERF_SAMPLE_IP | PERF_SAMPLE_ID,
	 2,
	 {12, 5},
	 false,
	 {.pid = -1, .tid = -1}},
};

static void two_events(const struct layout *layout, struct perfdata_events *events)
{
	const struct image_attr attr = {.sample_type = layout->sample_type,
					.read_format = layout->read_format,
					.flags = layout->flags | IMAGE_SAMPLE_ID_ALL,
					.period = 9};
	struct image_attr other = attr;

	if (layout->other_type)
		other.sample_type = layout->other_type;
	*events = (struct perfdata_events){0};
	assert_int_equal(add_attr(events, &attr, 11, 2), 0);
	assert_int_equal(add_attr(events, &other, 21, 2), 0);
}

/* Index of the chain in the words of the last record. */
static size_t chain_at;

static int decode(const struct perfdata_events *events, uint32_t type, const void *bytes, size_t n,
		  struct record *record, struct perfdata_sample *sample)
{
	struct perf_event_header *header = xmalloc(sizeof(*header) + n);

	*header = (struct perf_event_header){.type = type, .size = (uint16_t)(sizeof(*header) + n)};
	memcpy(header + 1, bytes, n);
	int result = perfdata_decode(events, header, record, sample);
	/* Its place, as an offset from the header: the bytes are freed. */
	if (result == 0 && sample->chain)
		chain_at = (size_t)(sample->chain - (const uint64_t *)(header + 1));
	free(header);
	return result;
}

static void samples_have_all_fields(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		const struct layout *layout = &layouts[i];
		const struct perfdata_sample *says = &layout->says;
		struct perfdata_events events;
		static struct perfdata_sample sample;
		struct record record;
		two_events(layout, &events);
		int result = decode(&events, PERF_RECORD_SAMPLE, layout->words, layout->n * 8ul,
				    &record, &sample);
		if (result < 0 || !sample.event == layout->known)
			fail_msg("%s: %d", layout->name, result);
		if (layout->known)
			assert_ptr_equal(sample.event, &events.items[0]);
		assert_int_equal(record.kind, RECORD_SAMPLE);
		assert_int_equal(record.pid, says->pid);
		assert_int_equal(record.tid, says->tid);
		assert_int_equal(record.time_ns, says->time_ns);
		assert_int_equal(sample.id, says->id);
		assert_int_equal(sample.pid, says->pid);
		assert_int_equal(sample.tid, says->tid);
		assert_int_equal(sample.time_ns, says->time_ns);
		assert_int_equal(sample.cpu, says->cpu);
		assert_int_equal(sample.period, says->period);
		assert_int_equal(sample.ip, says->ip);
		assert_int_equal(sample.n_chain, says->n_chain);
		assert_int_equal(sample.cookie, says->cookie);
		if (!sample.chain != !layout->chain || (sample.chain && chain_at != layout->chain))
			fail_msg("%s: the chain is at %zu", layout->name, chain_at);
		assert_int_equal(sample.times, says->times);
		assert_int_equal(sample.enabled_ns, says->enabled_ns);
		assert_int_equal(sample.running_ns, says->running_ns);
		assert_int_equal(sample.n_values, says->n_values);
		assert_int_equal(record.sample.rest_bytes, layout->rest * 8);
		assert_memory_equal(sample.values, says->values,
				    says->n_values * sizeof(sample.values[0]));
		perfdata_events_fini(&events);
	}
}

/* A sample that is one byte shorter than its layout is refused. */
static void samples_that_are_cut_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		const struct layout *layout = &layouts[i];
		struct perfdata_events events;
		static struct perfdata_sample sample;
		struct record record;
		if (!layout->known || layout->sample_type & PERF_SAMPLE_CALLCHAIN)
			continue;
		two_events(layout, &events);
		for (size_t n = 0; n < layout->n * 8ul; n++) {
			int result = decode(&events, PERF_RECORD_SAMPLE, layout->words, n, &record,
					    &sample);
			/* Without an id the layout is unknown. */
			if (result != -EBADMSG && sample.event)
				fail_msg("%s of %zu bytes: %d", layout->name, n, result);
		}
		perfdata_events_fini(&events);
	}
}

static void groups_are_bounded(void **state)
{
	static const uint64_t n[] = {PERFDATA_VALUES_MAX + 1, 1ull << 61, UINT64_MAX};
	const struct layout layout = {.sample_type = ID | READ, .read_format = PERF_FORMAT_GROUP};
	static uint64_t words[PERFDATA_VALUES_MAX + 8] = {11};
	static struct perfdata_sample sample;
	struct perfdata_events events;
	struct record record;

	(void)state;
	two_events(&layout, &events);
	for (size_t i = 0; i < ARRAY_SIZE(n); i++) {
		words[1] = n[i];
		assert_int_equal(
			decode(&events, PERF_RECORD_SAMPLE, words, sizeof(words), &record, &sample),
			-EBADMSG);
	}
	words[1] = PERFDATA_VALUES_MAX;
	assert_int_equal(
		decode(&events, PERF_RECORD_SAMPLE, words, sizeof(words), &record, &sample), 0);
	assert_int_equal(sample.n_values, PERFDATA_VALUES_MAX);
	perfdata_events_fini(&events);
}

static void trailers_may_be_missing(void **state)
{
	const struct layout layout = {.sample_type = ID | TID | TIME};
	static const struct {
		uint32_t type;
		unsigned n;
		uint64_t words[8];
		int result;
		enum record_kind kind;
		uint64_t time_ns, has;
	} rows[] = {
		/* perf made it up, without one; and with one of zeroes */
		{PERF_RECORD_COMM, 3, {6ull << 32 | 5, 0x6261}, 0, RECORD_COMM, 0, 0},
		{PERF_RECORD_COMM, 5, {5, 0x6261}, 0, RECORD_COMM, 0, ID | TID | TIME},
		/* a text of eight has its NUL in another word */
		{PERF_RECORD_COMM, 5, {5, 0x6161616161616161, 0, 1, 2}, 0, RECORD_COMM, 0, 0},
		{PERF_RECORD_COMM,
		 6,
		 {5, 0x6161616161616161, 0, 1, 2, 11},
		 0,
		 RECORD_COMM,
		 2,
		 ID | TID | TIME},
		{PERF_RECORD_COMM, 0, {0}, -EBADMSG, 0, 0, 0},
		{PERF_RECORD_COMM, 1, {5}, 0, RECORD_COMM, 0, 0},
		{PERF_RECORD_FORK, 3, {5, 6, 77}, 0, RECORD_FORK, 77, 0},
		{PERF_RECORD_FORK, 2, {5, 6}, -EBADMSG, 0, 0, 0},
		{PERF_RECORD_EXIT, 6, {5, 6, 77, 1, 78, 21}, 0, RECORD_EXIT, 78, ID | TID | TIME},
		{PERF_RECORD_SWITCH, 3, {1, 78, 21}, 0, RECORD_SWITCH, 78, ID | TID | TIME},
		{PERF_RECORD_SWITCH_CPU_WIDE, 0, {0}, -EBADMSG, 0, 0, 0},
		{PERF_RECORD_LOST, 1, {0}, -EBADMSG, 0, 0, 0},
		{PERF_RECORD_LOST_SAMPLES, 4, {3, 1, 78, 21}, 0, RECORD_LOST, 78, ID | TID | TIME},
		{PERF_RECORD_MMAP,
		 8,
		 {5, 1, 2, 3, 0x61, 1, 78, 21},
		 0,
		 RECORD_OTHER,
		 0,
		 ID | TID | TIME},
		{PERF_RECORD_MMAP, 5, {5, 1, 2, 3, 0x61}, 0, RECORD_OTHER, 0, 0},
		{PERF_RECORD_MMAP, 3, {5, 1, 2}, -EBADMSG, 0, 0, 0},
		{PERF_RECORD_MMAP2, 8, {5, 1, 2, 3, 0, 0, 0, 0}, 0, RECORD_OTHER, 0, 0},
		{PERF_RECORD_THROTTLE,
		 6,
		 {1, 2, 3, 1, 78, 21},
		 0,
		 RECORD_OTHER,
		 0,
		 ID | TID | TIME},
		{PERF_RECORD_NAMESPACES,
		 7,
		 {5, 1, 2, 3, 1, 78, 21},
		 0,
		 RECORD_OTHER,
		 0,
		 ID | TID | TIME},
		{PERF_RECORD_BPF_EVENT, 5, {5, 1, 1, 78, 21}, 0, RECORD_OTHER, 0, ID | TID | TIME},
		{PERF_RECORD_CGROUP, 5, {5, 0x61, 1, 78, 21}, 0, RECORD_OTHER, 0, ID | TID | TIME},
		{PERF_RECORD_TEXT_POKE,
		 6,
		 {5, 1, 2, 1, 78, 21},
		 0,
		 RECORD_OTHER,
		 0,
		 ID | TID | TIME},
		{PERF_RECORD_AUX, 6, {5, 1, 2, 1, 78, 21}, 0, RECORD_OTHER, 0, ID | TID | TIME},
		{PERF_RECORD_ITRACE_START, 4, {5, 1, 78, 21}, 0, RECORD_OTHER, 0, ID | TID | TIME},
		{PERF_RECORD_AUX_OUTPUT_HW_ID,
		 4,
		 {5, 1, 78, 21},
		 0,
		 RECORD_OTHER,
		 0,
		 ID | TID | TIME},
		{PERFDATA_CALLCHAIN_DEFERRED + 1,
		 4,
		 {5, 1, 78, 21},
		 0,
		 RECORD_OTHER,
		 0,
		 ID | TID | TIME},
		{PERFDATA_CALLCHAIN_DEFERRED, 2, {5, 1}, -EBADMSG, 0, 0, 0},
		{PERFDATA_CALLCHAIN_DEFERRED, 5, {5, 1, 1, 78, 21}, -EBADMSG, 0, 0, 0},
		{PERFDATA_ROUND, 0, {0}, 0, RECORD_OTHER, 0, 0},
	};
	struct perfdata_events events;

	(void)state;
	two_events(&layout, &events);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		static struct perfdata_sample sample;
		struct record record;
		int result = decode(&events, rows[i].type, rows[i].words, rows[i].n * 8ul, &record,
				    &sample);
		if (result != rows[i].result)
			fail_msg("row %zu: %d", i, result);
		if (result < 0)
			continue;
		if (record.kind != rows[i].kind || record.time_ns != rows[i].time_ns ||
		    sample.has != rows[i].has)
			fail_msg("row %zu: kind %d at %llu, has %llx", i, record.kind,
				 (unsigned long long)record.time_ns,
				 (unsigned long long)sample.has);
	}
	perfdata_events_fini(&events);
}

static void deferred_chains_have_a_cookie(void **state)
{
	const struct layout layout = {.sample_type = ID | TID | TIME};
	static const uint64_t words[] = {4321, 2, PERF_CONTEXT_USER, 100, 6ull << 32 | 5, 78, 21};
	static struct perfdata_sample sample;
	struct perfdata_events events;
	struct record record;

	(void)state;
	two_events(&layout, &events);
	assert_int_equal(decode(&events, PERFDATA_CALLCHAIN_DEFERRED, words, sizeof(words), &record,
				&sample),
			 0);
	assert_int_equal(record.kind, RECORD_OTHER);
	assert_int_equal(sample.cookie, 4321);
	assert_int_equal(sample.n_chain, 2);
	assert_int_equal(chain_at, 2);
	assert_int_equal(sample.tid, 6);
	assert_int_equal(sample.time_ns, 78);
	perfdata_events_fini(&events);
}

/* MMAP, MMAP2, KSYMBOL and records of tasks, of events with a trailer of `type`. */
static const struct code_row {
	const char *name;
	uint32_t record;
	uint16_t misc;
	uint64_t type;
	unsigned n;
	uint64_t words[16];
	int result;
	struct code_record says;
	const char *text;
} code_rows[] = {
	{"MMAP",
	 PERF_RECORD_MMAP,
	 PERF_RECORD_MISC_USER,
	 ID | TID | TIME,
	 8,
	 {5, 0x1000, 0x2000, 0x3000, 0x61, 5, 78, 11},
	 0,
	 {.kind = CODE_RECORD_MMAP,
	  .id = 11,
	  .time_ns = 78,
	  .pid = 5,
	  .mmap.mapping = {.start = 0x1000, .end = 0x3000, .offset = 0x3000, .executable = true}},
	 "a"},
	{"MMAP of data, without a trailer",
	 PERF_RECORD_MMAP,
	 PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA,
	 ID | TID | TIME,
	 5,
	 {5, 0x1000, 0x2000, 0x3000, 0x61},
	 0,
	 {.kind = CODE_RECORD_MMAP,
	  .pid = 5,
	  .mmap.mapping = {.start = 0x1000, .end = 0x3000, .offset = 0x3000}},
	 "a"},
	{"MMAP of the kernel, up to the last address",
	 PERF_RECORD_MMAP,
	 PERF_RECORD_MISC_KERNEL,
	 TIME,
	 7,
	 {UINT32_MAX, 0x1000, UINT64_MAX, 0x3000, 0x6c656e72656b5bull, 0, 0},
	 0,
	 {.kind = CODE_RECORD_MMAP,
	  .pid = -1,
	  .mmap.kernel = true,
	  .mmap.mapping =
		  {.start = 0x1000, .end = UINT64_MAX, .offset = 0x3000, .executable = true}},
	 "[kernel"},
	{"MMAP beyond the last address",
	 PERF_RECORD_MMAP,
	 PERF_RECORD_MISC_USER,
	 TIME,
	 6,
	 {5, 0x1000, UINT64_MAX, 0x3000, 0x61, 78},
	 -EBADMSG,
	 {0},
	 NULL},
	{"MMAP with a name that does not end",
	 PERF_RECORD_MMAP,
	 PERF_RECORD_MISC_USER,
	 TIME,
	 6,
	 {5, 0x1000, 0x1000, 0x3000, 0x6161616161616161, 0x6161616161616161},
	 -EBADMSG,
	 {0},
	 NULL},
	{"MMAP of a guest",
	 PERF_RECORD_MMAP,
	 PERF_RECORD_MISC_GUEST_KERNEL,
	 TIME,
	 6,
	 {5, 0x1000, 0x2000, 0x3000, 0x61, 78},
	 0,
	 {.kind = CODE_RECORD_OTHER},
	 NULL},
	{"MMAP2 with an inode",
	 PERF_RECORD_MMAP2,
	 PERF_RECORD_MISC_USER,
	 CPU | TIME,
	 11,
	 {5, 0x1000, 0x2000, 0x3000, 1ull << 32 | 8, 99, 1, 2ull << 32 | 5, 0x61, 78, 3},
	 0,
	 {.kind = CODE_RECORD_MMAP,
	  .time_ns = 78,
	  .pid = 5,
	  .mmap.mapping = {.start = 0x1000,
			   .end = 0x3000,
			   .offset = 0x3000,
			   .dev = 0x801,
			   .inode = 99,
			   .executable = true}},
	 "a"},
	{"MMAP2 with a build id",
	 PERF_RECORD_MMAP2,
	 PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA | 1 << 14,
	 ID,
	 10,
	 {5, 0x1000, 0x2000, 0x3000, 0x0403020100000004, 0, 0, 2ull << 32 | 1, 0x6e6f6e612f2f, 11},
	 0,
	 {.kind = CODE_RECORD_MMAP,
	  .id = 11,
	  .pid = 5,
	  .mmap.mapping = {.start = 0x1000, .end = 0x3000, .offset = 0x3000},
	  .mmap.build_id = {{1, 2, 3, 4}, 4}},
	 ""},
	{"KSYMBOL",
	 PERF_RECORD_KSYMBOL,
	 PERF_RECORD_MISC_KERNEL,
	 TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | CPU,
	 7,
	 {0x5000, 0x100000040, 0x626162, 78, 11, 11, 3},
	 0,
	 {.kind = CODE_RECORD_KSYMBOL,
	  .id = 11,
	  .time_ns = 78,
	  .ksymbol = {.start = 0x5000, .size = 64}},
	 "bab"},
	{"COMM of an exec",
	 PERF_RECORD_COMM,
	 PERF_RECORD_MISC_COMM_EXEC,
	 ID | TID | TIME,
	 5,
	 {5, 0x61, 5, 78, 11},
	 0,
	 {.kind = CODE_RECORD_EXEC, .id = 11, .time_ns = 78, .pid = 5},
	 NULL},
	{"COMM",
	 PERF_RECORD_COMM,
	 0,
	 ID | TID | TIME,
	 5,
	 {5, 0x61, 5, 78, 11},
	 0,
	 {.kind = CODE_RECORD_OTHER},
	 NULL},
	{"FORK of a process, without a trailer",
	 PERF_RECORD_FORK,
	 0,
	 ID | TID | TIME,
	 3,
	 {4ull << 32 | 5, 4ull << 32 | 5, 77},
	 0,
	 {.kind = CODE_RECORD_FORK, .time_ns = 77, .pid = 5, .parent = 4},
	 NULL},
	{"EXIT",
	 PERF_RECORD_EXIT,
	 0,
	 TIME,
	 4,
	 {4ull << 32 | 5, 4ull << 32 | 5, 77, 77},
	 0,
	 {.kind = CODE_RECORD_EXIT, .time_ns = 77, .pid = 5},
	 NULL},
	{"EXIT of a thread",
	 PERF_RECORD_EXIT,
	 0,
	 TIME,
	 4,
	 {4ull << 32 | 5, 4ull << 32 | 6, 77, 77},
	 0,
	 {.kind = CODE_RECORD_OTHER},
	 NULL},
	{"SAMPLE", PERF_RECORD_SAMPLE, 0, ID, 1, {11}, 0, {.kind = CODE_RECORD_OTHER}, NULL},
};

static void check_code(const struct code_row *row, const struct code_record *record)
{
	const struct code_record *says = &row->says;
	const struct proc_mapping *mapping = &record->mmap.mapping, *wanted = &says->mmap.mapping;

	if (record->kind != says->kind || record->id != says->id ||
	    record->time_ns != says->time_ns || record->pid != says->pid)
		fail_msg("%s: kind %d, id %llu at %llu, pid %d", row->name, record->kind,
			 (unsigned long long)record->id, (unsigned long long)record->time_ns,
			 record->pid);
	if (record->kind == CODE_RECORD_FORK)
		assert_int_equal(record->parent, says->parent);
	if (record->kind == CODE_RECORD_KSYMBOL) {
		assert_int_equal(record->ksymbol.start, says->ksymbol.start);
		assert_int_equal(record->ksymbol.size, says->ksymbol.size);
		assert_string_equal(record->ksymbol.name, row->text);
	}
	if (record->kind != CODE_RECORD_MMAP)
		return;
	assert_int_equal(mapping->start, wanted->start);
	assert_int_equal(mapping->end, wanted->end);
	assert_int_equal(mapping->offset, wanted->offset);
	assert_int_equal(mapping->dev, wanted->dev);
	assert_int_equal(mapping->inode, wanted->inode);
	assert_int_equal(mapping->executable, wanted->executable);
	assert_int_equal(record->mmap.kernel, says->mmap.kernel);
	assert_int_equal(record->mmap.build_id.size, says->mmap.build_id.size);
	assert_memory_equal(record->mmap.build_id.bytes, says->mmap.build_id.bytes,
			    says->mmap.build_id.size);
	assert_string_equal(mapping->name, row->text);
}

static void code_has_any_trailer(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(code_rows); i++) {
		const struct code_row *row = &code_rows[i];
		const struct layout layout = {.sample_type = row->type};
		static struct perfdata_sample sample;
		struct perfdata_events events;
		struct code_record record;
		two_events(&layout, &events);
		for (size_t n = 0; n <= row->n; n++) {
			const size_t size = sizeof(struct perf_event_header) + n * 8;
			struct perf_event_header *header = xmalloc(size);
			*header =
				(struct perf_event_header){row->record, row->misc, (uint16_t)size};
			memcpy(header + 1, row->words, n * 8);
			int result = perfdata_decode_code(&events, header, &record, &sample);
			if (n == row->n && result != row->result)
				fail_msg("%s: %d", row->name, result);
			if (n == row->n && result == 0)
				check_code(row, &record);
			free(header);
		}
		perfdata_events_fini(&events);
	}
}

/* A trailer of an older kernel's, or no events at all. */
static void nothing_is_known_without_events(void **state)
{
	static const uint64_t words[] = {5, 0x6261, 1, 78, 21};
	static struct perfdata_sample sample;
	struct perfdata_events events = {0};
	struct record record;

	(void)state;
	assert_int_equal(decode(&events, PERF_RECORD_COMM, words, sizeof(words), &record, &sample),
			 0);
	assert_int_equal(record.pid, 5);
	assert_string_equal(record.comm.text, "ab");
	assert_int_equal(sample.has, 0);
	assert_int_equal(
		decode(&events, PERF_RECORD_SAMPLE, words, sizeof(words), &record, &sample), 0);
	assert_null(sample.event);
	add_attr(&events, &(struct image_attr){.sample_type = ID | TID | TIME}, 11, 1);
	assert_int_equal(decode(&events, PERF_RECORD_COMM, words, sizeof(words), &record, &sample),
			 0);
	assert_int_equal(sample.has, 0);
	perfdata_events_fini(&events);
}

static void updates_add_facts(void **state)
{
	struct perfdata_events events = {0};
	const struct image_attr attr = {.sample_type = ID};
	static const double scales[] = {2.5, (double)INFINITY};

	(void)state;
	add_attr(&events, &attr, 11, 2);
	add_attr(&events, &attr, 0, 0); /* of an old perf, without ids */
	assert_string_equal(events.items[0].name, "");
	assert_true(events.items[0].scale == 1);
	assert_int_equal(add_update(&events, PERFDATA_NAME, 12, "cycles", 7), 0);
	assert_int_equal(add_update(&events, PERFDATA_NAME, 12, "instructions", 12), 0);
	assert_string_equal(events.items[0].name, "instructions");
	assert_int_equal(add_update(&events, PERFDATA_NAME, 0, "old", 4), 0);
	assert_string_equal(events.items[1].name, "old");
	assert_int_equal(add_update(&events, PERFDATA_NAME, 99, "unknown!", 9), 0);
	assert_int_equal(add_update(&events, PERFDATA_UNIT, 11, "a unit that is longer", 22), 0);
	assert_string_equal(events.items[0].unit, "a unit that is ");
	assert_int_equal(add_update(&events, PERFDATA_SCALE, 11, &scales[0], 8), 0);
	assert_true(events.items[0].scale == scales[0]);
	assert_int_equal(add_update(&events, PERFDATA_SCALE, 11, &scales[1], 8), -EBADMSG);
	assert_int_equal(add_update(&events, PERFDATA_SCALE, 11, &scales[0], 7), -EBADMSG);
	assert_int_equal(add_update(&events, 3, 11, "CPUs", 5), 0);
	perfdata_events_fini(&events);
}

static void later_ids_name_their_event(void **state)
{
	static const struct {
		unsigned n;
		uint64_t words[5];
		int result;
	} rows[] = {
		{5, {2, 0, 31, 1, 41}, 0}, {5, {1, 1, 42}, 0},
		{0, {0}, -EBADMSG},        {1, {0}, 0},
		{4, {2, 0, 51}, -EBADMSG}, {5, {UINT64_MAX, 0, 51}, -EBADMSG},
		{3, {1, 2, 51}, -EBADMSG},
	};
	struct perfdata_events events = {0};
	const struct image_attr attr = {.sample_type = ID};

	(void)state;
	add_attr(&events, &attr, 11, 1);
	add_attr(&events, &attr, 21, 1);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct image image = {0};
		size_t begin = image_begin(&image, PERFDATA_EVENT_ID, 0);
		for (unsigned k = 0; k < rows[i].n; k++)
			image_u64(&image, rows[i].words[k]);
		image_end(&image, begin);
		if (add_event(&events, &image) != rows[i].result)
			fail_msg("row %zu", i);
		image_fini(&image);
	}
	assert_ptr_equal(perfdata_events_find(&events, 31), &events.items[0]);
	assert_ptr_equal(perfdata_events_find(&events, 41), &events.items[1]);
	assert_ptr_equal(perfdata_events_find(&events, 42), &events.items[1]);
	perfdata_events_fini(&events);
}

static void records_name_tracepoints(void **state)
{
	static const struct {
		const char *name;
		uint64_t config;
		const char *text; /* of 64 bytes */
		size_t n;         /* bytes behind the header */
		const char *want;
	} rows[] = {
		{"its config", 400, "probe:main", 72, "probe:main"},
		{"another config", 401, "probe:main", 72, ""},
		{"no end", 400, "probe:main", 8 + 5, "probe"},
		{"no name", 400, "probe:main", 8, ""},
		{"no whole config", 400, "probe:main", 7, ""},
		{"a native record", PERFDATA_NATIVE_BASE + NATIVE_END, "pmctop:end", 72, ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct image_attr attr = {
			.type = PERF_TYPE_TRACEPOINT,
			.config = i + 1 < ARRAY_SIZE(rows) ? 400 : rows[i].config,
		};
		struct perfdata_events events = {0};
		struct image image = {0};

		add_attr(&events, &attr, 11, 1);
		size_t begin = image_begin(&image, PERFDATA_NATIVE, 0);
		image_u64(&image, rows[i].config);
		image_text(&image, rows[i].text, 64);
		image.n = begin + sizeof(struct perf_event_header) + rows[i].n;
		image_end(&image, begin);
		assert_int_equal(add_event(&events, &image), 0);
		if (strcmp(events.items[0].name, rows[i].want) != 0)
			fail_msg("%s: '%s'", rows[i].name, events.items[0].name);
		image_fini(&image);
		perfdata_events_fini(&events);
	}
}

/* The names of generic events, with modifiers, follow from their attrs. */
static void simpleperf_names_other_events(void **state)
{
	static const char info[] = "event_type_info\0cpu-cycles,0,0\nsched:sched_switch,4,47\n"
				   "probe:a,b,2,7\nraw-br-retired,4,33\nno,4,x\npage-faults,1,2";
	static const struct {
		uint32_t type;
		uint64_t config;
		const char *want;
	} rows[] = {
		{PERF_TYPE_HARDWARE, 0, ""},
		{PERF_TYPE_SOFTWARE, 2, ""},
		{PERF_TYPE_TRACEPOINT, 7, "probe:a,b"},
		{PERF_TYPE_RAW, 33, "raw-br-retired"},
		{PERF_TYPE_RAW, 47, "sched:sched_switch"},
		{PERF_TYPE_RAW, 0, ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct image_attr attr = {.type = rows[i].type, .config = rows[i].config};
		struct perfdata_events events = {0};
		struct image image = {0};

		add_attr(&events, &attr, 11, 1);
		size_t begin = image_begin(&image, PERFDATA_FEATURE, 0);
		image_u64(&image, PERFDATA_META_INFO);
		image_bytes(&image, info, sizeof(info));
		image_end(&image, begin);
		assert_int_equal(add_event(&events, &image), 0);
		assert_string_equal(events.items[0].name, rows[i].want);
		image_fini(&image);
		perfdata_events_fini(&events);
	}
}

static void attrs_that_cannot_be_are_refused(void **state)
{
	static const struct {
		uint32_t size; /* in the attr */
		size_t n;      /* bytes behind the header */
		uint16_t misc;
		int result;
	} rows[] = {
		{64, 64, 0, 0},
		{0, 64, 0, 0},
		{64, 63, 0, -EBADMSG},
		{63, 64, 0, -EBADMSG},
		{72, 64, 0, -EBADMSG},
		{UINT32_MAX, 136, 0, -EBADMSG},
		{8, 64, 0, -EBADMSG},
		{8192, 16384, 0, -EBADMSG},
		{136, 136, 0, 0},
		{4096, 4096, 0, 0},
		{136, 136, PERFDATA_MISC_MORE, -EBADMSG},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct perfdata_events events = {0};
		struct image image = {0};
		size_t begin = image_begin(&image, PERFDATA_ATTR, rows[i].misc);
		image_text(&image, "", rows[i].n);
		image_set(&image, begin + 12, rows[i].size, 4);
		image_end(&image, begin);
		if (add_event(&events, &image) != rows[i].result)
			fail_msg("row %zu", i);
		perfdata_events_fini(&events);
		image_fini(&image);
	}
}

static void events_and_ids_are_bounded(void **state)
{
	const struct image_attr attr = {.sample_type = ID};
	struct perfdata_events events = {0};
	uint64_t inverse = 1;

	(void)state;
	for (size_t i = 0; i < PERFDATA_EVENTS_MAX; i++)
		assert_int_equal(add_attr(&events, &attr, 1 + i, 1), 0);
	assert_int_equal(add_attr(&events, &attr, 9999, 1), -EBADMSG);
	assert_ptr_equal(perfdata_events_find(&events, PERFDATA_EVENTS_MAX),
			 &events.items[PERFDATA_EVENTS_MAX - 1]);
	perfdata_events_fini(&events);

	uint64_t n = 0;
	while (add_attr(&events, &attr, 1 + n, 8000) == 0)
		n += 8000;
	assert_int_equal(n, PERFDATA_IDS_MAX / 8000 * 8000);
	assert_ptr_equal(perfdata_events_find(&events, n), &events.items[n / 8000 - 1]);
	perfdata_events_fini(&events);

	/* Ids chosen to collide are refused: finding them would be slow. */
	for (unsigned i = 0; i < 6; i++)
		inverse *= 2 - 0x9e3779b97f4a7c15ull * inverse;
	struct image image = {0};
	size_t begin = image_begin(&image, PERFDATA_ATTR, 0);
	image_attr(&image, &attr);
	for (uint64_t i = 1; i < 8000; i++)
		image_u64(&image, i * inverse);
	image_end(&image, begin);
	assert_int_equal(add_event(&events, &image), -EBADMSG);
	image_fini(&image);
	perfdata_events_fini(&events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_have_all_fields),
		cmocka_unit_test(samples_that_are_cut_are_refused),
		cmocka_unit_test(groups_are_bounded),
		cmocka_unit_test(trailers_may_be_missing),
		cmocka_unit_test(deferred_chains_have_a_cookie),
		cmocka_unit_test(code_has_any_trailer),
		cmocka_unit_test(nothing_is_known_without_events),
		cmocka_unit_test(updates_add_facts),
		cmocka_unit_test(later_ids_name_their_event),
		cmocka_unit_test(records_name_tracepoints),
		cmocka_unit_test(simpleperf_names_other_events),
		cmocka_unit_test(attrs_that_cannot_be_are_refused),
		cmocka_unit_test(events_and_ids_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
