// SPDX-License-Identifier: MIT
/*
 * Each function appends one record to memory. header.size is a u16, so texts and lists are cut or
 * divided here. A native record that gets too large is removed at its end.
 */
#include "core/perfdata/perfdata_write.h"

#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

enum {
	RECORD_MAX = (1 << 16) - 8, /* greatest size of a record: a u16, and a multiple of 8 */
	IDS_MAX = 8000,
	NAME_ALIGN = 64, /* perf pads texts of features to this */
};

void perfdata_fini(struct perfdata *data)
{
	free(data->bytes);
	*data = (struct perfdata){0};
}

/* At most `most` bytes of a text, then one or more zeroes up to a multiple of `align`. */
static void put_text(struct perfdata *data, const char *text, size_t most, size_t align)
{
	size_t length = strnlen(text, most);
	size_t size = (length + align) / align * align;
	char *to = perfdata_extend(data, size);

	memcpy(to, text, length);
	memset(to + length, 0, size - length);
}

static void put_header(struct perfdata *data, uint32_t type, size_t size)
{
	perfdata_append(data, &(struct perf_event_header){.type = type, .size = (uint16_t)size},
			sizeof(struct perf_event_header));
}

/* Sets the size of the record that begins at `begin`. */
static void set_size(struct perfdata *data, size_t begin)
{
	uint16_t size = (uint16_t)(data->n - begin);

	memcpy(data->bytes + begin + offsetof(struct perf_event_header, size), &size, sizeof(size));
}

void perfdata_head(struct perfdata *data)
{
	perfdata_append(data, &(struct perfdata_head){PERFDATA_MAGIC, sizeof(struct perfdata_head)},
			sizeof(struct perfdata_head));
}

static void put_attr(struct perfdata *data, uint16_t misc, const struct perf_event_attr *attr,
		     const uint64_t *ids, size_t n)
{
	struct perf_event_header header = {
		.type = PERFDATA_ATTR,
		.misc = misc,
		.size = (uint16_t)(sizeof(header) + sizeof(*attr) + n * sizeof(*ids)),
	};

	perfdata_append(data, &header, sizeof(header));
	perfdata_append(data, attr, sizeof(*attr));
	perfdata_append(data, ids, n * sizeof(*ids));
}

void perfdata_more_ids(struct perfdata *data, const struct perf_event_attr *attr,
		       const uint64_t *ids, size_t n)
{
	for (size_t done = 0, some; done < n; done += some) {
		some = size_min(n - done, IDS_MAX);
		put_attr(data, PERFDATA_MISC_MORE, attr, ids + done, some);
	}
}

void perfdata_attr(struct perfdata *data, const struct perf_event_attr *attr, const uint64_t *ids,
		   size_t n)
{
	size_t some = size_min(n, IDS_MAX);

	put_attr(data, 0, attr, ids, some);
	perfdata_more_ids(data, attr, ids + some, n - some);
}

static size_t begin_update(struct perfdata *data, enum perfdata_update update, uint64_t id)
{
	size_t begin = data->n;

	put_header(data, PERFDATA_UPDATE, 0);
	perfdata_word(data, update);
	perfdata_word(data, id);
	return begin;
}

void perfdata_name(struct perfdata *data, uint64_t id, const char *name)
{
	size_t begin = begin_update(data, PERFDATA_NAME, id);

	put_text(data, name, PERFDATA_NAME_MAX, sizeof(uint64_t));
	set_size(data, begin);
}

void perfdata_unit(struct perfdata *data, uint64_t id, const char *unit, double scale)
{
	size_t begin = begin_update(data, PERFDATA_UNIT, id);

	put_text(data, unit, RECORD_MAX / 2, sizeof(uint64_t));
	set_size(data, begin);
	begin = begin_update(data, PERFDATA_SCALE, id);
	perfdata_append(data, &scale, sizeof(scale));
	set_size(data, begin);
}

static size_t begin_feature(struct perfdata *data, unsigned feature)
{
	size_t begin = data->n;

	put_header(data, PERFDATA_FEATURE, 0);
	perfdata_word(data, feature);
	return begin;
}

static void end_feature(struct perfdata *data, size_t begin)
{
	size_t rest = (data->n - begin) % sizeof(uint64_t);

	if (rest)
		memset(perfdata_extend(data, sizeof(uint64_t) - rest), 0, sizeof(uint64_t) - rest);
	set_size(data, begin);
}

void perfdata_feature(struct perfdata *data, unsigned feature, const void *bytes, size_t n)
{
	size_t begin = begin_feature(data, feature);

	if (n > RECORD_MAX - (data->n - begin)) {
		data->n = begin;
		return;
	}
	perfdata_append(data, bytes, n);
	end_feature(data, begin);
}

static void put_feature_text(struct perfdata *data, const char *text, size_t most)
{
	uint32_t size = (uint32_t)(strnlen(text, most) / NAME_ALIGN + 1) * NAME_ALIGN;

	perfdata_append(data, &size, sizeof(size));
	put_text(data, text, most, NAME_ALIGN);
}

void perfdata_text_feature(struct perfdata *data, enum perfdata_feature feature, const char *text)
{
	size_t begin = begin_feature(data, feature);

	put_feature_text(data, text, RECORD_MAX / 2);
	end_feature(data, begin);
}

void perfdata_cpus_feature(struct perfdata *data, size_t possible, size_t online)
{
	size_t begin = begin_feature(data, PERFDATA_NRCPUS);
	const uint32_t cpus[] = {(uint32_t)possible, (uint32_t)online};

	perfdata_append(data, cpus, sizeof(cpus));
	end_feature(data, begin);
}

void perfdata_memory_feature(struct perfdata *data, uint64_t kib)
{
	size_t begin = begin_feature(data, PERFDATA_TOTAL_MEM);

	perfdata_word(data, kib);
	end_feature(data, begin);
}

void perfdata_command_feature(struct perfdata *data, const char *words, size_t size)
{
	enum { WORDS_MAX = 256, WORD_MAX = 127 };
	size_t begin = begin_feature(data, PERFDATA_CMDLINE), at = data->n;
	uint32_t n = 0;

	perfdata_append(data, &n, sizeof(n));
	for (size_t i = 0; i < size && n < WORDS_MAX; i += strnlen(words + i, size - i) + 1, n++)
		put_feature_text(data, words + i, size_min(size - i, WORD_MAX));
	memcpy(data->bytes + at, &n, sizeof(n));
	end_feature(data, begin);
}

/* The trailer of all records but SAMPLE (attr.sample_id_all), with id 0, time 0. */
static void put_trailer(struct perfdata *data, pid_t pid, pid_t tid, uint64_t id)
{
	perfdata_word(data, (uint64_t)(uint32_t)tid << 32 | (uint32_t)pid);
	perfdata_word(data, 0);
	perfdata_word(data, 0);
	perfdata_word(data, id);
}

void perfdata_comm(struct perfdata *data, pid_t pid, pid_t tid, const char *comm)
{
	size_t begin = data->n;

	put_header(data, PERF_RECORD_COMM, 0);
	perfdata_word(data, (uint64_t)(uint32_t)tid << 32 | (uint32_t)pid);
	put_text(data, comm, 15, sizeof(uint64_t));
	put_trailer(data, pid, tid, 0);
	set_size(data, begin);
}

void perfdata_lost(struct perfdata *data, uint64_t id, uint64_t records)
{
	size_t begin = data->n;

	put_header(data, PERF_RECORD_LOST, 0);
	perfdata_word(data, id);
	perfdata_word(data, records);
	put_trailer(data, 0, 0, id);
	set_size(data, begin);
}

void perfdata_round(struct perfdata *data)
{
	put_header(data, PERFDATA_ROUND, sizeof(struct perf_event_header));
}

void perfdata_native_begin(struct perfdata *data, enum native_kind kind)
{
	struct native_head native = {
		.header.type = PERFDATA_NATIVE,
		.kind = PERFDATA_NATIVE_BASE + kind,
	};

	text_copy(native.name, sizeof(native.name), native_names[kind]);
	data->native_begin = data->n;
	data->native_words = 0;
	perfdata_append(data, &native, sizeof(native));
}

void perfdata_word(struct perfdata *data, uint64_t word)
{
	perfdata_append(data, &word, sizeof(word));
}

void perfdata_double(struct perfdata *data, double number)
{
	uint64_t bits;

	static_assert(sizeof(bits) == sizeof(number), "a double is a word");
	memcpy(&bits, &number, sizeof(bits));
	perfdata_word(data, bits);
}

void perfdata_words(struct perfdata *data, const uint64_t *words, size_t n)
{
	perfdata_append(data, words, n * sizeof(*words));
}

/* The words of the record are complete. */
static void end_words(struct perfdata *data)
{
	if (!data->native_words)
		data->native_words = data->n;
}

void perfdata_pid(struct perfdata *data, pid_t pid)
{
	perfdata_word(data, (uint64_t)(int64_t)pid);
}

void perfdata_text(struct perfdata *data, const char *text)
{
	size_t length = text ? strlen(text) : 0, whole = length / 8 * 8;

	end_words(data);
	perfdata_word(data, length);
	perfdata_append(data, text ? text : "", whole);
	if (length > whole)
		put_text(data, text + whole, length - whole, sizeof(uint64_t));
}

void perfdata_record(struct perfdata *data, const struct perf_event_header *header)
{
	end_words(data);
	perfdata_append(data, header, header->size);
}

void perfdata_native_end(struct perfdata *data)
{
	if (data->n - data->native_begin > RECORD_MAX) {
		data->n = data->native_begin;
		return;
	}
	end_words(data);
	struct perf_event_header *header = (void *)(data->bytes + data->native_begin);
	header->misc =
		(uint16_t)((data->native_words - data->native_begin - sizeof(struct native_head)) /
			   sizeof(uint64_t));
	header->size = (uint16_t)(data->n - data->native_begin);
}
