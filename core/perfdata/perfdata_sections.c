// SPDX-License-Identifier: MIT
/*
 * While a file is written, its attrs and ids are copied, and the offsets of features are noted. At
 * its end they are appended as sections, then the head is replaced, then the types of records. If
 * that fails before a record was changed, the old head is restored and the file is still a stream.
 */
#include "core/perfdata/perfdata_sections.h"

#include "core/base/util.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { ATTRS_BYTES_MAX = 16 << 20 };

struct attr_record {
	struct perf_event_header header;
	struct perf_event_attr attr;
	uint64_t ids[];
};

void perfdata_sections_fini(struct perfdata_sections *sections)
{
	perfdata_fini(&sections->attrs);
	perfdata_fini(&sections->ids);
	perfdata_fini(&sections->places);
	*sections = (struct perfdata_sections){0};
}

static bool has_room(const unsigned char *bytes, size_t n)
{
	const struct native_head *first = (const void *)(bytes + sizeof(struct perfdata_head));

	return n >= sizeof(struct perfdata_file_head) && first->header.type == PERFDATA_NATIVE &&
	       first->kind == PERFDATA_NATIVE_BASE + NATIVE_ROOM;
}

static void note_attr(struct perfdata_sections *sections, const struct attr_record *record)
{
	const struct perfdata_section ids = {sections->ids.n,
					     record->header.size - sizeof(*record)};

	perfdata_append(&sections->attrs, &record->attr, sizeof(record->attr));
	perfdata_append(&sections->attrs, &ids, sizeof(ids));
	perfdata_append(&sections->ids, record->ids, ids.size);
}

static void note_place(struct perfdata_sections *sections, uint64_t at, uint64_t size)
{
	perfdata_append(&sections->places, &(struct perfdata_section){at, size},
			sizeof(struct perfdata_section));
}

static void note_feature(struct perfdata_sections *sections, uint64_t feature, uint64_t at,
			 uint64_t size)
{
	if (feature < ARRAY_SIZE(sections->features))
		sections->features[feature] = (struct perfdata_section){at, size};
}

static void note_record(struct perfdata_sections *sections, const struct perf_event_header *record,
			uint64_t at)
{
	const size_t size = perfdata_record_bytes(record);
	uint64_t feature;

	switch (record->type) {
	case PERFDATA_ATTR:
		note_attr(sections, (const void *)record);
		note_place(sections, at, size);
		break;
	case PERFDATA_TRACING_DATA:
		note_feature(sections, PERFDATA_TRACING, at + record->size, size - record->size);
		note_place(sections, at, size);
		break;
	case PERFDATA_FEATURE:
		memcpy(&feature, record + 1, sizeof(feature));
		at += sizeof(*record) + sizeof(feature);
		note_feature(sections, feature, at, size - sizeof(*record) - sizeof(feature));
		break;
	}
}

void perfdata_sections_note(struct perfdata_sections *sections, const unsigned char *bytes,
			    size_t n, uint64_t at)
{
	size_t done = 0;

	if (at == 0) {
		perfdata_sections_fini(sections);
		sections->wanted = has_room(bytes, n);
		done = sizeof(struct perfdata_head);
	}
	while (sections->wanted && done < n) {
		const struct perf_event_header *record = (const void *)(bytes + done);
		note_record(sections, record, at + done);
		done += perfdata_record_bytes(record);
		if (sections->attrs.n + sections->ids.n > ATTRS_BYTES_MAX)
			perfdata_sections_fini(sections);
	}
}

static int write_at(int fd, const void *bytes, size_t n, uint64_t at)
{
	const unsigned char *from = bytes;

	while (n > 0) {
		ssize_t some = pwrite(fd, from, n, (off_t)at);
		if (some < 0 && errno == EINTR)
			continue;
		if (some <= 0)
			return some < 0 ? -errno : -EIO;
		from += some;
		at += (uint64_t)some;
		n -= (size_t)some;
	}
	return 0;
}

/* Appends the attrs, with the ids at offset `base`, and the ids. */
static void put_attrs(struct perfdata *tail, const struct perfdata_sections *sections,
		      uint64_t base)
{
	const size_t entry = sizeof(struct perf_event_attr) + sizeof(struct perfdata_section);
	size_t begin = tail->n;

	perfdata_append(tail, sections->attrs.bytes, sections->attrs.n);
	for (size_t at = begin; at < tail->n; at += entry) {
		unsigned char *ids = tail->bytes + at + sizeof(struct perf_event_attr);
		uint64_t offset;
		memcpy(&offset, ids, sizeof(offset));
		offset += base;
		memcpy(ids, &offset, sizeof(offset));
	}
	perfdata_append(tail, sections->ids.bytes, sections->ids.n);
}

/* perf ignores PERFDATA_NATIVE. Returns 0, or 1 + the number of records changed so far. */
static size_t rename_records(const struct perfdata_sections *sections, int fd)
{
	const struct perfdata_section *places = (const void *)sections->places.bytes;

	for (size_t i = 0; i < sections->places.n / sizeof(*places); i++) {
		const struct perf_event_header header = {.type = PERFDATA_NATIVE,
							 .size = (uint16_t)places[i].size};
		if (write_at(fd, &header, sizeof(header), places[i].offset) < 0)
			return i + 1;
	}
	return 0;
}

/* The last step: 0; -EIO: nothing was changed; 1: only a part was. */
static int replace_head(const struct perfdata_sections *sections, int fd,
			const struct perfdata_file_head *head)
{
	struct perfdata_file_head before;

	if (pread(fd, &before, sizeof(before), 0) != sizeof(before))
		return -EIO;
	size_t failed = write_at(fd, head, sizeof(*head), 0) < 0 ? 1 : rename_records(sections, fd);
	if (failed == 0)
		return 0;
	return failed == 1 && write_at(fd, &before, sizeof(before), 0) == 0 ? -EIO : 1;
}

int perfdata_sections_write(const struct perfdata_sections *sections, int fd, uint64_t end)
{
	struct perfdata_file_head head = {
		.magic = PERFDATA_MAGIC,
		.size = sizeof(head),
		.entry_size = sizeof(struct perf_event_attr) + sizeof(struct perfdata_section),
		.data = {sizeof(head), end - sizeof(head)},
	};
	struct perfdata tail = {0};

	if (!sections->wanted || sections->attrs.n == 0)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(sections->features); i++) {
		if (sections->features[i].size == 0)
			continue;
		head.features[0] |= 1ull << i;
		perfdata_append(&tail, &sections->features[i], sizeof(sections->features[i]));
	}
	head.attrs = (struct perfdata_section){end + tail.n, sections->attrs.n};
	put_attrs(&tail, sections, head.attrs.offset + head.attrs.size);
	int result = write_at(fd, tail.bytes, tail.n, end);
	if (result == 0)
		result = replace_head(sections, fd, &head);
	perfdata_fini(&tail);
	return result;
}
