// SPDX-License-Identifier: MIT
/*
 * The layout of a record or feature is a string of letters:
 *
 *   2 4 8   a number of that many bytes
 *   b       the 64 bits of an attr, whose order is reversed
 *   s       a u32, and that many bytes of text
 *   n       a u32, and that many times the rest
 *   *       words of 64 bits up to the end
 *   .       24 bytes that are not changed
 *
 * What follows is not changed: texts, and parts that are not read.
 */
#include "core/perfdata/perfdata_swap.h"

#include "core/base/util.h"
#include "core/perfdata/perfdata_sample.h"

#include <string.h>

struct bytes {
	unsigned char *at, *end;
};

static bool reverse_bytes(struct bytes *bytes, size_t n)
{
	if ((size_t)(bytes->end - bytes->at) < n)
		return false;
	for (size_t i = 0; i < n / 2; i++) {
		unsigned char first = bytes->at[i];
		bytes->at[i] = bytes->at[n - 1 - i];
		bytes->at[n - 1 - i] = first;
	}
	bytes->at += n;
	return true;
}

static bool reverse_bits(struct bytes *bytes)
{
	if ((size_t)(bytes->end - bytes->at) < sizeof(uint64_t))
		return false;
	for (size_t i = 0; i < sizeof(uint64_t); i++) {
		unsigned from = *bytes->at, to = 0;
		for (unsigned bit = 0; bit < 8; bit++)
			to |= (from >> bit & 1) << (7 - bit);
		*bytes->at++ = (unsigned char)to;
	}
	return true;
}

static bool swap_u32(struct bytes *bytes, uint32_t *number)
{
	if (!reverse_bytes(bytes, sizeof(*number)))
		return false;
	memcpy(number, bytes->at - sizeof(*number), sizeof(*number));
	return true;
}

static bool skip_bytes(struct bytes *bytes, size_t n)
{
	if ((size_t)(bytes->end - bytes->at) < n)
		return false;
	bytes->at += n;
	return true;
}

/* False: there are fewer bytes. */
static bool swap_fields(struct bytes *bytes, const char *letters)
{
	const char *again = "";
	uint32_t n = 1, length;

	while (n > 0) {
		for (; *letters; letters++) {
			bool there = true;
			switch (*letters) {
			case 'n':
				there = swap_u32(bytes, &n);
				again = letters + 1;
				break;
			case 's':
				there = swap_u32(bytes, &length) && skip_bytes(bytes, length);
				break;
			case '.':
				there = skip_bytes(bytes, 24);
				break;
			case 'b':
				there = reverse_bits(bytes);
				break;
			case '*':
				while (reverse_bytes(bytes, sizeof(uint64_t)))
					;
				break;
			default:
				there = reverse_bytes(bytes, (size_t)(*letters - '0'));
			}
			if (!there)
				return false;
			if (n == 0)
				return true;
		}
		letters = again;
		n--;
	}
	return true;
}

void perfdata_swap_words(uint64_t *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		words[i] = __builtin_bswap64(words[i]);
}

void perfdata_swap_attr(void *attr, size_t n)
{
	struct bytes bytes = {attr, (unsigned char *)attr + n};

	swap_fields(&bytes, "448888b448888448422448*");
}

static const char *const features[] = {
	[PERFDATA_HOSTNAME] = "s",      [PERFDATA_OSRELEASE] = "s",    [PERFDATA_VERSION] = "s",
	[PERFDATA_ARCH] = "s",          [PERFDATA_NRCPUS] = "44",      [PERFDATA_CPUDESC] = "s",
	[PERFDATA_CPUID] = "s",         [PERFDATA_TOTAL_MEM] = "8",    [PERFDATA_CMDLINE] = "ns",
	[PERFDATA_GROUP_DESC] = "ns44", [PERFDATA_SAMPLE_TIME] = "88", [PERFDATA_CLOCKID] = "8",
	[PERFDATA_CLOCK_DATA] = "4488",
};

/* See perfdata_event_desc(). */
static void swap_event_desc(struct bytes *bytes)
{
	uint32_t n, attr_size, n_ids;

	if (!swap_u32(bytes, &n) || !swap_u32(bytes, &attr_size))
		return;
	for (; n > 0; n--) {
		unsigned char *attr = bytes->at;
		if (!skip_bytes(bytes, attr_size))
			return;
		perfdata_swap_attr(attr, attr_size);
		if (!swap_u32(bytes, &n_ids) || !swap_fields(bytes, "s"))
			return;
		for (; n_ids > 0; n_ids--)
			if (!swap_fields(bytes, "8"))
				return;
	}
}

void perfdata_swap_feature(uint64_t feature, void *at, size_t n)
{
	struct bytes bytes = {at, (unsigned char *)at + n};

	if (feature == PERFDATA_EVENT_DESC)
		swap_event_desc(&bytes);
	else if (feature < ARRAY_SIZE(features) && features[feature])
		swap_fields(&bytes, features[feature]);
}

/* The parts before the trailer that are decoded. */
static const char *const kernel_fields[] = {
	[PERF_RECORD_MMAP] = "44888",     [PERF_RECORD_LOST] = "88",
	[PERF_RECORD_COMM] = "44",        [PERF_RECORD_EXIT] = "44448",
	[PERF_RECORD_FORK] = "44448",     [PERF_RECORD_THROTTLE] = "888",
	[PERF_RECORD_UNTHROTTLE] = "888", [PERF_RECORD_MMAP2] = "44888448844",
	[PERF_RECORD_LOST_SAMPLES] = "8", [PERF_RECORD_SWITCH_CPU_WIDE] = "44",
	[PERF_RECORD_KSYMBOL] = "8422",   [PERF_RECORD_CGROUP] = "8",
};

/* The build id is bytes. */
static const char mmap2_with_build_id[] = "44888.44";

/* Corrects a word of two numbers of 32 bits that was swapped as one. */
static void exchange_halves(uint64_t *word)
{
	*word = *word << 32 | *word >> 32;
}

static unsigned count_bits(uint64_t type, uint64_t those)
{
	return (unsigned)__builtin_popcountll(type & those);
}

/* Swaps all words after the header of a sample. */
static void swap_sample(const struct perfdata_events *events, struct perf_event_header *record)
{
	const uint64_t before_tid = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP;
	const uint64_t before_cpu = before_tid | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				    PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID;
	uint64_t *words = (uint64_t *)(record + 1);
	size_t n = (record->size - sizeof(*record)) / sizeof(*words);

	perfdata_swap_words(words, n);
	if (events->n == 0)
		return;
	/*
	 * A sample of an event of another program (perfdata_sample.c) has most likely the layout of
	 * the leader.
	 */
	const struct perfdata_event *event = NULL;
	if (events->id_place >= 0 && (size_t)events->id_place < n)
		event = perfdata_events_find(events, words[events->id_place]);
	uint64_t type = (event ? event : events->items)->attr.sample_type;
	size_t tid = count_bits(type, before_tid), cpu = count_bits(type, before_cpu);
	if (type & PERF_SAMPLE_TID && tid < n)
		exchange_halves(&words[tid]);
	if (type & PERF_SAMPLE_CPU && cpu < n)
		exchange_halves(&words[cpu]);
}

/* Returns the bytes of the trailer. */
static size_t swap_trailer(const struct perfdata_events *events, struct perf_event_header *record)
{
	const uint64_t before_cpu =
		PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID;
	uint64_t *end = (uint64_t *)record + record->size / sizeof(uint64_t);
	size_t room = perfdata_trailer_room(record) / sizeof(uint64_t);
	const struct perfdata_event *event = NULL;

	if (events->n == 0)
		return 0;
	if (events->id_place_back > 0 && (size_t)events->id_place_back <= room)
		event = perfdata_events_find(events,
					     __builtin_bswap64(end[-events->id_place_back]));
	const struct perf_event_attr *attr = &(event ? event : events->items)->attr;
	size_t n = perfdata_trailer_words(attr);
	if (n > room)
		return 0;
	uint64_t *words = end - n;
	perfdata_swap_words(words, n);
	if (n > 0 && attr->sample_type & PERF_SAMPLE_TID)
		exchange_halves(words);
	if (n > 0 && attr->sample_type & PERF_SAMPLE_CPU)
		exchange_halves(&words[count_bits(attr->sample_type, before_cpu)]);
	return n * sizeof(*words);
}

static void swap_kernel(const struct perfdata_events *events, struct perf_event_header *record)
{
	struct bytes bytes = {(unsigned char *)(record + 1),
			      (unsigned char *)record + record->size};

	if (record->type == PERF_RECORD_SAMPLE) {
		swap_sample(events, record);
		return;
	}
	bytes.end -= swap_trailer(events, record);
	if (record->type == PERFDATA_CALLCHAIN_DEFERRED)
		swap_fields(&bytes, "*");
	else if (record->type == PERF_RECORD_MMAP2 && record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)
		swap_fields(&bytes, mmap2_with_build_id);
	else if (record->type < ARRAY_SIZE(kernel_fields) && kernel_fields[record->type])
		swap_fields(&bytes, kernel_fields[record->type]);
}

void perfdata_swap_header(struct perf_event_header *record)
{
	struct bytes bytes = {(unsigned char *)record, (unsigned char *)(record + 1)};

	swap_fields(&bytes, "422");
}

void perfdata_swap_build_id(struct perf_event_header *record)
{
	struct bytes bytes = {(unsigned char *)(record + 1),
			      (unsigned char *)record + record->size};

	swap_fields(&bytes, "4"); /* pid */
}

/* record->misc is the number of words before the texts, or before the record in it. */
static void swap_native(const struct perfdata_events *events, struct perf_event_header *record)
{
	struct native_head *native = (void *)record;
	uint64_t *word = (uint64_t *)(native + 1);

	if (record->size < sizeof(*native))
		return;
	perfdata_swap_words(&native->kind, 1);
	if (native->kind - PERFDATA_NATIVE_BASE >= NATIVE_KINDS)
		return;
	size_t n = (record->size - sizeof(*native)) / sizeof(*word);
	size_t words = size_min(record->misc, n);
	perfdata_swap_words(word, words);
	word += words;
	n -= words;
	if (native->kind == PERFDATA_NATIVE_BASE + NATIVE_AHEAD) {
		struct perf_event_header *inner = (struct perf_event_header *)word;
		if (n == 0)
			return;
		perfdata_swap_header(inner);
		if (inner->type < PERFDATA_ATTR && inner->size >= sizeof(*inner) &&
		    inner->size <= n * sizeof(*word))
			swap_kernel(events, inner);
		return;
	}
	while (n > 0) {
		perfdata_swap_words(word, 1);
		size_t text = *word / sizeof(*word) + (*word % sizeof(*word) > 0);
		if (text > n - 1)
			return;
		word += 1 + text;
		n -= 1 + text;
	}
}

static void swap_attr_record(struct perf_event_header *record)
{
	struct perf_event_attr *attr = (void *)(record + 1);
	unsigned char *end = (unsigned char *)record + record->size;
	size_t room = record->size - sizeof(*record);

	if (room < PERF_ATTR_SIZE_VER0)
		return;
	size_t size = __builtin_bswap32(attr->size);
	if (size == 0)
		size = PERF_ATTR_SIZE_VER0;
	if (size > room)
		return;
	perfdata_swap_attr(attr, size);
	swap_fields(&(struct bytes){(unsigned char *)attr + size, end}, "*");
}

/* PERFDATA_UPDATE and PERFDATA_FEATURE, whose first word is the subject. */
static void swap_known(struct perf_event_header *record)
{
	struct bytes bytes = {(unsigned char *)(record + 1),
			      (unsigned char *)record + record->size};
	uint64_t what;

	if (!swap_fields(&bytes, "8"))
		return;
	memcpy(&what, record + 1, sizeof(what));
	if (record->type == PERFDATA_FEATURE)
		perfdata_swap_feature(what, bytes.at, (size_t)(bytes.end - bytes.at));
	else
		swap_fields(&bytes, what == PERFDATA_SCALE ? "88" : "8");
}

void perfdata_swap_record(const struct perfdata_events *events, struct perf_event_header *record)
{
	struct bytes bytes = {(unsigned char *)(record + 1), NULL};

	perfdata_swap_header(record);
	bytes.end = (unsigned char *)record + record->size;
	switch (record->type) {
	case PERFDATA_ATTR:
		swap_attr_record(record);
		break;
	case PERFDATA_NATIVE:
		swap_native(events, record);
		break;
	case PERFDATA_BUILD_ID:
		perfdata_swap_build_id(record);
		break;
	case PERFDATA_TRACING_DATA:
		swap_fields(&bytes, "4");
		break;
	case PERFDATA_AUXTRACE:
	case PERFDATA_COMPRESSED2:
		swap_fields(&bytes, "8");
		break;
	case PERFDATA_EVENT_ID:
		swap_fields(&bytes, "*");
		break;
	case PERFDATA_UPDATE:
	case PERFDATA_FEATURE:
		swap_known(record);
		break;
	default:
		if (record->type < PERFDATA_ATTR)
			swap_kernel(events, record);
	}
}
