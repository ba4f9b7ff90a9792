// SPDX-License-Identifier: MIT
/*
 * A simple reader of a perf ring: it copies a record byte by byte and parses its fields. It expects
 * sample_id_all.
 */
#include "tests/fake_kernel/reader.h"

#include "tests/fake_kernel/internal.h"

#include <string.h>

struct cursor {
	const unsigned char *bytes;
	size_t at, size;
};

static void read_bytes(struct cursor *cursor, void *to, size_t size)
{
	if (size > cursor->size - cursor->at)
		fk_die("a record ends too early, at %zu of %zu", cursor->at, cursor->size);
	memcpy(to, cursor->bytes + cursor->at, size);
	cursor->at += size;
}

static void take_sample(struct cursor *cursor, struct reader_record *record)
{
	read_bytes(cursor, &record->id, 8);
	read_bytes(cursor, &record->pid, 4);
	read_bytes(cursor, &record->tid, 4);
	read_bytes(cursor, &record->time_ns, 8);
	read_bytes(cursor, &record->cpu, 4);
	read_bytes(cursor, &(uint32_t){0}, 4);
	read_bytes(cursor, &record->nr, 8);
	read_bytes(cursor, &record->enabled_ns, 8);
	read_bytes(cursor, &record->running_ns, 8);
	if (record->nr > 16)
		fk_die("a sample of %llu counts", (unsigned long long)record->nr);
	read_bytes(cursor, record->values, record->nr * 8);
	record->n_rest = cursor->size - cursor->at;
	if (record->n_rest > sizeof(record->rest))
		fk_die("%zu bytes behind the values of a sample", record->n_rest);
	read_bytes(cursor, record->rest, record->n_rest);
}

static void take_trailer(struct cursor *cursor, struct reader_record *record)
{
	read_bytes(cursor, &record->pid, 4);
	read_bytes(cursor, &record->tid, 4);
	read_bytes(cursor, &record->time_ns, 8);
	read_bytes(cursor, &record->cpu, 4);
	read_bytes(cursor, &(uint32_t){0}, 4);
	read_bytes(cursor, &record->id, 8);
}

static void take_record(struct cursor *cursor, struct reader_record *record)
{
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		return take_sample(cursor, record);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		read_bytes(cursor, &record->task_pid, 4);
		read_bytes(cursor, &record->task_ppid, 4);
		read_bytes(cursor, &record->task_tid, 4);
		read_bytes(cursor, &record->task_ptid, 4);
		read_bytes(cursor, &record->task_time_ns, 8);
		break;
	case PERF_RECORD_COMM:
		read_bytes(cursor, &record->task_pid, 4);
		read_bytes(cursor, &record->task_tid, 4);
		read_bytes(cursor, record->comm, cursor->size - cursor->at - 32);
		break;
	case PERF_RECORD_LOST:
		read_bytes(cursor, &record->lost_id, 8);
		read_bytes(cursor, &record->lost, 8);
		break;
	default:
		fk_die("a record of type %u", record->type);
	}
	take_trailer(cursor, record);
}

bool reader_next(struct perf_event_mmap_page *page, struct reader_record *record)
{
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = page->data_tail;
	const unsigned char *data = (const unsigned char *)page + page->data_offset;
	struct perf_event_header header;
	unsigned char bytes[512];

	if (head == tail)
		return false;
	for (size_t i = 0; i < sizeof(bytes) && i < head - tail; i++)
		bytes[i] = data[(tail + i) % page->data_size];
	memcpy(&header, bytes, sizeof(header));
	if (header.size < sizeof(header) || header.size > sizeof(bytes) || header.size % 8 ||
	    header.size > head - tail)
		fk_die("a record of %u bytes", header.size);

	struct cursor cursor = {bytes, sizeof(header), header.size};
	*record = (struct reader_record){
		.type = header.type, .misc = header.misc, .size = header.size};
	take_record(&cursor, record);
	if (cursor.at != cursor.size)
		fk_die("a record of type %u has %zu bytes too many", header.type,
		       cursor.size - cursor.at);
	__atomic_store_n(&page->data_tail, tail + header.size, __ATOMIC_RELEASE);
	return true;
}

size_t reader_all(struct perf_event_mmap_page *page, struct reader_record *records, size_t max)
{
	struct reader_record record;
	size_t n = 0;

	for (; reader_next(page, &record); n++)
		if (n < max)
			records[n] = record;
	return n;
}

uint64_t reader_used(const struct perf_event_mmap_page *page)
{
	return page->data_head - page->data_tail;
}
