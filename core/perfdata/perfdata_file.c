// SPDX-License-Identifier: MIT
/*
 * The header has the offsets of the sections of attrs and records. Each attr has the offset of its
 * ids. A table of the sections of features, in the order of their bits in the header, follows the
 * records.
 *
 * Each offset and size is checked against the file before it is used, none is used twice, and each
 * read is bounded. So any header costs at most one reading of the file.
 */
#include "core/perfdata/perfdata_file.h"

#include "core/base/util.h"
#include "core/perfdata/perfdata_events.h"
#include "core/perfdata/perfdata_swap.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	FEATURES = 256,
	IDS_AT_ONCE = 8000, /* the most that a PERFDATA_ATTR can hold */
	ENTRY_BYTES_MAX = 4096,
	FEATURE_BYTES_MAX = 4 << 20,
};

static_assert(offsetof(struct perfdata_file_head, features) == PERFDATA_FILE_HEAD,
	      "without features");

struct perfdata_file {
	const struct perfdata_input *input;
	bool swapped;
	struct perfdata_tracing *tracing;
	struct perfdata_file_head header;
	size_t n_attrs, next_attr;
	uint64_t n_ids;              /* of all attrs so far */
	struct perfdata_section ids; /* of the last attr: ids still to read */
	struct perf_event_attr attr; /* the last one */
	unsigned next_feature;
	uint64_t next_section; /* offset in the table of the next feature */
	uint64_t *id_words;    /* owned: IDS_AT_ONCE */
};

static int refuse_file(struct error *err, const char *what)
{
	return error_set(err, -EBADMSG,
			 "The recording's header is broken: %s. Nothing of it can be shown.", what);
}

/* Reads n bytes: 0, -ENODATA if there are fewer, or another -errno. */
static int read_at(const struct perfdata_file *file, uint64_t at, void *bytes, size_t n)
{
	for (unsigned char *to = bytes; n > 0;) {
		ssize_t got = file->input->read(file->input->arg, at, to, n);
		if (got <= 0)
			return got < 0 ? (int)got : -ENODATA;
		at += (uint64_t)got;
		to += got;
		n -= (size_t)got;
	}
	return 0;
}

static int read_start(const struct perfdata_file *file, uint64_t at, void *bytes, size_t n,
		      struct error *err)
{
	int result = read_at(file, at, bytes, n);

	if (result == -ENODATA)
		return error_set(err, result,
				 "The recording is cut off before its first record: nothing of it "
				 "can be shown.");
	return result;
}

static bool in_file(const struct perfdata_file *file, const struct perfdata_section *section)
{
	return section->offset <= file->input->size &&
	       section->size <= file->input->size - section->offset;
}

/* No overflow: both begin in the file, and bytes behind its end are not read. */
static bool overlap(const struct perfdata_section *a, const struct perfdata_section *b)
{
	return a->size > 0 && b->size > 0 &&
	       (a->offset < b->offset ? b->offset - a->offset < a->size
				      : a->offset - b->offset < b->size);
}

static int check_header(struct perfdata_file *file, struct error *err)
{
	struct perfdata_file_head *header = &file->header;
	const struct perfdata_section native = {0, header->size};

	if (header->entry_size < PERF_ATTR_SIZE_VER0 + sizeof(struct perfdata_section) ||
	    header->entry_size > ENTRY_BYTES_MAX || header->entry_size % sizeof(uint64_t))
		return refuse_file(err, "its events have an impossible size");
	if (!in_file(file, &header->attrs))
		return refuse_file(err, "its events lie beyond its end");
	if (header->attrs.size % header->entry_size ||
	    header->attrs.size / header->entry_size > PERFDATA_EVENTS_MAX)
		return refuse_file(err, "it has too many events");
	if (header->attrs.size == 0)
		return refuse_file(err, "it has no events");
	if (header->data.offset > file->input->size)
		return error_set(err, -ENODATA,
				 "The recording is cut off before its first record: nothing of it "
				 "can be shown.");
	if (header->data.size > UINT64_MAX - header->data.offset)
		return refuse_file(err, "its records lie beyond its end");
	if (header->data.offset < header->size || overlap(&native, &header->attrs) ||
	    overlap(&header->attrs, &header->data))
		return refuse_file(err, "its sections overlap");
	file->n_attrs = (size_t)(header->attrs.size / header->entry_size);
	return 0;
}

/*
 * perf writes the size of the data at the end. If it was killed, the size is 0: the data goes on to
 * the end, and there are no features.
 */
static void find_features(struct perfdata_file *file)
{
	struct perfdata_file_head *header = &file->header;
	uint64_t left = file->input->size - header->data.offset;

	if (header->data.size == 0)
		header->data.size = left;
	file->next_section = header->data.offset + header->data.size;
	if (header->data.size >= left)
		file->next_feature = FEATURES;
}

int perfdata_file_new(const struct perfdata_input *input, bool swapped,
		      struct perfdata_tracing *tracing, struct perfdata_file **out,
		      struct error *err)
{
	if (!input->seekable)
		return error_set(err, -EINVAL,
				 "This recording cannot be read from a pipe: give the file's name, "
				 "or record with 'perf record -o -'.");
	struct perfdata_file *file = xcalloc(1, sizeof(*file));
	file->input = input;
	file->swapped = swapped;
	file->tracing = tracing;
	struct perfdata_file_head *header = &file->header;
	int result = read_start(file, 0, header, PERFDATA_FILE_HEAD, err);
	if (result == 0 && swapped)
		perfdata_swap_words((uint64_t *)header, PERFDATA_FILE_HEAD / sizeof(uint64_t));
	if (result == 0 && header->size != PERFDATA_FILE_HEAD && header->size != sizeof(*header))
		result = error_set(err, -EINVAL,
				   "The header of this perf.data is unknown: the file is broken, "
				   "or its perf is too new.");
	if (result == 0 && header->size == sizeof(*header))
		result = read_start(file, PERFDATA_FILE_HEAD, header->features,
				    sizeof(header->features), err);
	if (result == 0 && swapped)
		perfdata_swap_words(header->features, ARRAY_SIZE(header->features));
	if (result == 0)
		result = check_header(file, err);
	if (result < 0) {
		perfdata_file_free(file);
		return result;
	}
	find_features(file);
	file->id_words = xcalloc(IDS_AT_ONCE, sizeof(*file->id_words));
	*out = file;
	return 0;
}

void perfdata_file_free(struct perfdata_file *file)
{
	if (!file)
		return;
	free(file->id_words);
	free(file);
}

void perfdata_file_data(const struct perfdata_file *file, uint64_t *begin, uint64_t *end)
{
	*begin = file->header.data.offset;
	*end = *begin + file->header.data.size;
}

bool perfdata_file_is_native(const struct perfdata_file *file)
{
	struct native_head native;

	if (read_at(file, file->header.data.offset, &native, sizeof(native)) < 0)
		return false;
	if (file->swapped) {
		native.header.type = __builtin_bswap32(native.header.type);
		native.kind = __builtin_bswap64(native.kind);
	}
	return native.header.type == PERFDATA_NATIVE &&
	       native.kind == PERFDATA_NATIVE_BASE + NATIVE_BEGIN;
}

/* Appends some ids of the last attr. */
static int step_ids(struct perfdata_file *file, struct perfdata *to, bool more, struct error *err)
{
	size_t n = size_min((size_t)(file->ids.size / sizeof(uint64_t)), IDS_AT_ONCE);
	int result = read_start(file, file->ids.offset, file->id_words, n * sizeof(uint64_t), err);

	if (result < 0)
		return result;
	if (file->swapped)
		perfdata_swap_words(file->id_words, n);
	if (more)
		perfdata_more_ids(to, &file->attr, file->id_words, n);
	else
		perfdata_attr(to, &file->attr, file->id_words, n);
	file->ids.offset += n * sizeof(uint64_t);
	file->ids.size -= n * sizeof(uint64_t);
	return 1;
}

static int check_ids(struct perfdata_file *file, struct error *err)
{
	const struct perfdata_file_head *header = &file->header;
	uint64_t n = file->ids.size / sizeof(uint64_t);

	if (!in_file(file, &file->ids))
		return refuse_file(err, "the ids of an event lie beyond its end");
	if (file->ids.size % sizeof(uint64_t) || n > PERFDATA_IDS_MAX - file->n_ids)
		return refuse_file(err, "it has too many ids");
	if (n > 0 && (file->ids.offset < header->size || overlap(&file->ids, &header->attrs) ||
		      overlap(&file->ids, &header->data)))
		return refuse_file(err, "its sections overlap");
	file->n_ids += n;
	return 0;
}

/* An attr of an older perf is shorter, of a newer one longer. */
static int step_attr(struct perfdata_file *file, struct perfdata *to, struct error *err)
{
	_Alignas(uint64_t) unsigned char entry[ENTRY_BYTES_MAX];
	const size_t size = (size_t)file->header.entry_size,
		     room = size - sizeof(struct perfdata_section);
	int result = read_start(file, file->header.attrs.offset + file->next_attr * size, entry,
				size, err);

	if (result < 0)
		return result;
	file->next_attr++;
	memcpy(&file->ids, entry + room, sizeof(file->ids));
	if (file->swapped) {
		perfdata_swap_attr(entry, room);
		perfdata_swap_words((uint64_t *)&file->ids, 2);
	}
	file->attr = (struct perf_event_attr){0};
	memcpy(&file->attr, entry, PERF_ATTR_SIZE_VER0);
	size_t has = file->attr.size ? file->attr.size : PERF_ATTR_SIZE_VER0;
	if (has < PERF_ATTR_SIZE_VER0 || has > room)
		return refuse_file(err, "an event has an impossible size");
	memcpy(&file->attr, entry, size_min(has, sizeof(file->attr)));
	file->attr.size = sizeof(file->attr);
	result = check_ids(file, err);
	return result < 0 ? result : step_ids(file, to, false, err);
}

/* The unread bytes of a feature. */
struct feature {
	const unsigned char *at, *end;
};

static bool feature_read(struct feature *feature, void *to, size_t n)
{
	if ((size_t)(feature->end - feature->at) < n)
		return false;
	memcpy(to, feature->at, n);
	feature->at += n;
	return true;
}

static bool feature_skip(struct feature *feature, uint64_t n)
{
	if ((uint64_t)(feature->end - feature->at) < n)
		return false;
	feature->at += n;
	return true;
}

/*
 * u32 n, u32 size of an attr; of each event: the attr, u32 n_ids, u32 length and so many bytes of
 * its name, the ids
 */
void perfdata_event_desc(struct perfdata *to, const unsigned char *bytes, size_t n)
{
	struct feature feature = {bytes, bytes + n};
	uint32_t n_events, attr_size, n_ids, length;

	if (!feature_read(&feature, &n_events, sizeof(n_events)) ||
	    !feature_read(&feature, &attr_size, sizeof(attr_size)))
		return;
	for (uint32_t i = 0; i < n_events && i < PERFDATA_EVENTS_MAX; i++) {
		if (!feature_skip(&feature, attr_size) ||
		    !feature_read(&feature, &n_ids, sizeof(n_ids)) ||
		    !feature_read(&feature, &length, sizeof(length)))
			return;
		const char *name = (const char *)feature.at;
		uint64_t id = 0;
		if (!feature_skip(&feature, length) ||
		    (n_ids > 0 && !feature_read(&feature, &id, sizeof(id))) ||
		    (n_ids > 0 && !feature_skip(&feature, (n_ids - 1ull) * sizeof(id))))
			return;
		char *text = xstrndup(name, strnlen(name, size_min(length, PERFDATA_NAME_MAX)));
		perfdata_name(to, id, text);
		free(text);
	}
}

/* Missing and invalid parts are left out. */
static int step_feature(struct perfdata_file *file, struct perfdata *to, struct error *err)
{
	unsigned feature = file->next_feature++;
	struct perfdata_section section;

	if (!(file->header.features[feature / 64] >> feature % 64 & 1))
		return 1;
	if (feature == PERFDATA_DIR_FORMAT)
		return error_set(err, -EINVAL,
				 "This file is part of a directory of 'perf record --threads', "
				 "which cannot be read: record without --threads.");
	int result = read_at(file, file->next_section, &section, sizeof(section));
	file->next_section += sizeof(section);
	if (result < 0)
		return 1;
	if (file->swapped)
		perfdata_swap_words((uint64_t *)&section, 2);
	if (!in_file(file, &section) || section.size > FEATURE_BYTES_MAX)
		return 1;
	size_t n = (size_t)section.size;
	unsigned char *bytes = xmalloc(n);
	result = read_at(file, section.offset, bytes, n);
	if (result == 0 && file->swapped)
		perfdata_swap_feature(feature, bytes, n);
	if (result == 0 && feature == PERFDATA_TRACING && !file->swapped)
		perfdata_tracing_read(bytes, n, file->tracing);
	if (result == 0 && feature == PERFDATA_EVENT_DESC)
		perfdata_event_desc(to, bytes, n);
	else if (result == 0)
		perfdata_feature(to, feature, bytes, n);
	free(bytes);
	return 1;
}

int perfdata_file_step(struct perfdata_file *file, struct perfdata *to, struct error *err)
{
	if (file->ids.size > 0)
		return step_ids(file, to, true, err);
	if (file->next_attr < file->n_attrs)
		return step_attr(file, to, err);
	if (file->next_feature < FEATURES)
		return step_feature(file, to, err);
	return 0;
}
