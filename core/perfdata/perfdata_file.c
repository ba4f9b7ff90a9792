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
	RECORDS_AT_ONCE = 1 << 17,    /* bytes: at least one record */
	SYMBOLS_BYTES_MAX = 16 << 20, /* of one file of simpleperf's; a larger one is left out */
};

static_assert(offsetof(struct perfdata_file_head, features) == PERFDATA_FILE_HEAD,
	      "without features");

struct perfdata_file {
	const struct perfdata_input *input;
	bool swapped;
	bool early; /* the input is not seekable, and its features are not there yet */
	bool unfinished;
	struct perfdata_tracing *tracing;
	struct perfdata_file_head header;
	size_t n_attrs, next_attr;
	uint64_t n_ids;              /* of all attrs so far */
	struct perfdata_section ids; /* of the last attr: ids still to read */
	struct perf_event_attr attr; /* the last one */
	unsigned next_feature;
	uint64_t next_section; /* offset in the table of the next feature */
	uint64_t *id_words;    /* owned: IDS_AT_ONCE */
	struct simpleperf_symbols *symbols;
	unsigned section;             /* a feature that is read in steps ... */
	struct perfdata_section left; /* ... and the rest of it */
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

static int refuse_pipe(struct error *err)
{
	return error_set(err, -EINVAL,
			 "This recording cannot be read from a pipe, since its events are not "
			 "before its records. Give the name of the file.");
}

static int refuse_threads(struct error *err)
{
	return error_set(
		err, -EINVAL,
		"This file is part of a directory of 'perf record --threads', which cannot "
		"be read: record without --threads.");
}

/* Whether a section of events is not there when the records begin. */
static bool is_late(const struct perfdata_file *file, const struct perfdata_section *section)
{
	const uint64_t begin = file->header.data.offset;

	return file->early && (section->offset > begin || section->size > begin - section->offset);
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

static bool has_feature(const struct perfdata_file *file, unsigned feature)
{
	return file->header.features[feature / 64] >> feature % 64 & 1;
}

static int check_header(struct perfdata_file *file, struct error *err)
{
	struct perfdata_file_head *header = &file->header;
	const struct perfdata_section native = {0, header->size};

	if (header->entry_size < PERF_ATTR_SIZE_VER0 + sizeof(struct perfdata_section) ||
	    header->entry_size > ENTRY_BYTES_MAX || header->entry_size % sizeof(uint64_t))
		return refuse_file(err, "its events have an impossible size");
	if (is_late(file, &header->attrs) ||
	    (file->early && header->data.offset > PERFDATA_FILE_EVENTS))
		return refuse_pipe(err);
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

	file->unfinished = header->data.size == 0;
	if (file->unfinished)
		header->data.size = left;
	file->next_section = header->data.offset + header->data.size;
	if (header->data.size >= left)
		file->next_feature = FEATURES;
}

int perfdata_file_new(const struct perfdata_input *input, bool swapped,
		      struct perfdata_tracing *tracing, struct simpleperf_symbols *symbols,
		      struct perfdata_file **out, struct error *err)
{
	struct perfdata_file *file = xcalloc(1, sizeof(*file));
	file->input = input;
	file->swapped = swapped;
	file->early = !input->seekable;
	file->tracing = tracing;
	file->symbols = symbols;
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
	if (result == 0 && file->early && has_feature(file, PERFDATA_DIR_FORMAT))
		result = refuse_threads(err);
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

bool perfdata_file_unfinished(const struct perfdata_file *file)
{
	return file->unfinished;
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

	if (n > 0 && is_late(file, &file->ids))
		return refuse_pipe(err);
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

/* Appends a record of a section, padded to words. */
static void add_record(const struct perfdata_file *file, struct perfdata *to,
		       const struct perf_event_header *header, const unsigned char *bytes)
{
	size_t padded = (header->size + 7u) / 8 * 8;
	struct perf_event_header copy = *header;
	unsigned char *record = perfdata_extend(to, padded);

	memset(record, 0, padded);
	memcpy(record, bytes, header->size);
	copy.size = (uint16_t)padded;
	/* perf writes no type there. */
	if (file->section == PERFDATA_BUILD_IDS)
		copy.type = PERFDATA_BUILD_ID;
	memcpy(record, &copy, sizeof(copy));
	if (file->section == PERFDATA_BUILD_IDS && file->swapped)
		perfdata_swap_build_id((void *)record);
}

static bool is_expected(const struct perfdata_file *file, const struct perf_event_header *header)
{
	if (header->size < sizeof(*header) || header->size > UINT16_MAX / 8 * 8)
		return false;
	if (file->section == PERFDATA_INIT_MAP && file->swapped)
		return false; /* Android has one byte order */
	return file->section == PERFDATA_BUILD_IDS || header->type == PERF_RECORD_MMAP ||
	       header->type == PERF_RECORD_MMAP2 || header->type == PERF_RECORD_COMM;
}

/* Appends some records of a section of records. Ends it at one that is invalid. */
static void step_records(struct perfdata_file *file, struct perfdata *to)
{
	size_t n = file->left.size < RECORDS_AT_ONCE ? (size_t)file->left.size : RECORDS_AT_ONCE;
	unsigned char *bytes = xmalloc(n);
	struct perf_event_header header;
	size_t done = 0;

	if (read_at(file, file->left.offset, bytes, n) < 0)
		n = 0;
	while (n - done >= sizeof(header)) {
		memcpy(&header, bytes + done, sizeof(header));
		if (file->swapped)
			perfdata_swap_header(&header);
		if (!is_expected(file, &header) || header.size > n - done)
			break;
		add_record(file, to, &header, bytes + done);
		done += header.size;
	}
	free(bytes);
	file->left.offset += done;
	file->left.size = done > 0 ? file->left.size - done : 0;
}

/* Adds one file of simpleperf's symbols. Ends the section at one that is invalid. */
static void step_symbols(struct perfdata_file *file)
{
	uint32_t n;
	struct perfdata_section *left = &file->left;

	if (left->size < sizeof(n) || read_at(file, left->offset, &n, sizeof(n)) < 0 ||
	    n > left->size - sizeof(n)) {
		left->size = 0;
		return;
	}
	if (n <= SYMBOLS_BYTES_MAX) {
		unsigned char *bytes = xmalloc(n);
		if (read_at(file, left->offset + sizeof(n), bytes, n) == 0)
			simpleperf_symbols_add(file->symbols, bytes, n,
					       file->section == PERFDATA_FILES2);
		free(bytes);
	}
	left->offset += sizeof(n) + n;
	left->size -= sizeof(n) + n;
}

static void step_section(struct perfdata_file *file, struct perfdata *to)
{
	if (file->section == PERFDATA_BUILD_IDS || file->section == PERFDATA_INIT_MAP)
		step_records(file, to);
	else if (file->symbols && !file->swapped)
		step_symbols(file);
	else
		file->left.size = 0;
}

/* Whether a feature is read in steps, as it may be large. */
static bool is_large(unsigned feature)
{
	return feature == PERFDATA_BUILD_IDS || feature == PERFDATA_INIT_MAP ||
	       feature == PERFDATA_FILES || feature == PERFDATA_FILES2;
}

/* Missing and invalid parts are left out. */
static int step_feature(struct perfdata_file *file, struct perfdata *to, struct error *err)
{
	unsigned feature = file->next_feature++;
	struct perfdata_section section;

	if (!has_feature(file, feature))
		return 1;
	if (feature == PERFDATA_DIR_FORMAT)
		return refuse_threads(err);
	int result = read_at(file, file->next_section, &section, sizeof(section));
	file->next_section += sizeof(section);
	if (result < 0)
		return 1;
	if (file->swapped)
		perfdata_swap_words((uint64_t *)&section, 2);
	if (!in_file(file, &section))
		return 1;
	if (is_large(feature)) {
		file->section = feature;
		file->left = section;
		return 1;
	}
	if (section.size > FEATURE_BYTES_MAX)
		return 1;
	size_t n = (size_t)section.size;
	unsigned char *bytes = xmalloc(n);
	result = read_at(file, section.offset, bytes, n);
	if (result == 0 && file->swapped)
		perfdata_swap_feature(feature, bytes, n);
	if (result == 0 && feature == PERFDATA_TRACING && !file->swapped)
		perfdata_tracing_read(bytes, n, file->tracing, to);
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
	if (file->left.size > 0) {
		step_section(file, to);
		return 1;
	}
	if (file->next_attr < file->n_attrs)
		return step_attr(file, to, err);
	if (file->next_feature < FEATURES && !file->early)
		return step_feature(file, to, err);
	return 0;
}

bool perfdata_file_late(struct perfdata_file *file)
{
	file->early = false;
	return file->next_feature < FEATURES;
}
