// SPDX-License-Identifier: MIT
/*
 * The layouts of linux/perf_event.h for CODE_SAMPLE_TYPE. FORK, EXIT, COMM, LOST and THROTTLE are
 * those of record.c, because both sample types have the same trailer.
 */
#include "core/perf/code_record.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/sysmacros.h>

static_assert((CODE_SAMPLE_TYPE & (PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID)) == 0 &&
		      (CODE_SAMPLE_TYPE & RECORD_SAMPLE_TYPE) ==
			      (RECORD_SAMPLE_TYPE & ~(uint64_t)PERF_SAMPLE_READ),
	      "the trailers of both sample types are equal");

/* From Linux 5.12 on; absent from older headers. */
#ifndef PERF_RECORD_MISC_MMAP_BUILD_ID
#define PERF_RECORD_MISC_MMAP_BUILD_ID (1 << 14)
#endif
#define CODE_KSYMBOL_UNREGISTER 1u
#define PROT_EXECUTE            4u

struct trailer {
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, reserved;
	uint64_t id;
};
static_assert(sizeof(struct trailer) == 32, "sample_id of CODE_SAMPLE_TYPE");

/* Up to the first field that not all layouts have. */
struct sample_bytes {
	struct perf_event_header header;
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, reserved;
	uint64_t rest[]; /* the period, if there is one; the length of the chain; the chain */
};
static_assert(sizeof(struct sample_bytes) == 48, "PERF_RECORD_SAMPLE of CODE_SAMPLE_TYPE");

struct mmap2_bytes {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, length, offset;
	union {
		struct {
			uint32_t major, minor;
			uint64_t inode, generation;
		};
		struct {
			uint8_t build_id_size, reserved[3];
			uint8_t build_id[20];
		};
	};
	uint32_t protection, flags;
	char name[]; /* padded to 8 bytes */
};
static_assert(offsetof(struct mmap2_bytes, name) == 72, "PERF_RECORD_MMAP2");

struct ksymbol_bytes {
	struct perf_event_header header;
	uint64_t start;
	uint32_t size;
	uint16_t type, flags;
	char name[]; /* padded to 8 bytes */
};
static_assert(offsetof(struct ksymbol_bytes, name) == 24, "PERF_RECORD_KSYMBOL");

uint64_t code_record_id(const struct perf_event_header *header)
{
	const struct sample_bytes *bytes = (const void *)header;

	return header->size < sizeof(*bytes) ? 0 : bytes->id;
}

static bool is_of_kernel(const struct perf_event_header *header)
{
	uint16_t mode = header->misc & PERF_RECORD_MISC_CPUMODE_MASK;

	return mode == PERF_RECORD_MISC_KERNEL || mode == PERF_RECORD_MISC_HYPERVISOR;
}

int code_sample_decode(const struct perf_event_header *header, bool has_period,
		       struct code_sample *sample)
{
	const struct sample_bytes *bytes = (const void *)header;
	size_t fixed = has_period ? 2 : 1; /* the period, the length of the chain */

	if (header->size < sizeof(*bytes) + fixed * sizeof(uint64_t))
		return -EBADMSG;
	uint64_t n = bytes->rest[fixed - 1];
	if (n > (header->size - sizeof(*bytes)) / sizeof(uint64_t) - fixed)
		return -EBADMSG;
	*sample = (struct code_sample){
		.pid = (pid_t)bytes->pid,
		.tid = (pid_t)bytes->tid,
		.cpu = bytes->cpu,
		.time_ns = bytes->time_ns,
		.weight = has_period ? bytes->rest[0] : 0,
		.ip = bytes->ip,
		.kernel = is_of_kernel(header),
		.chain = n > 0 ? bytes->rest + fixed : NULL,
		.n_chain = n,
	};
	return 0;
}

/* The end of every record but SAMPLE; NULL: there is no space for it after `fixed` bytes. */
static const struct trailer *find_trailer(const struct perf_event_header *header, size_t fixed)
{
	if (header->size < fixed + sizeof(struct trailer))
		return NULL;
	return (const void *)((const char *)header + header->size - sizeof(struct trailer));
}

static int decode_mmap(const struct perf_event_header *header, struct code_record *record)
{
	const struct mmap2_bytes *bytes = (const void *)header;
	const struct trailer *trailer = find_trailer(header, sizeof(*bytes));

	if (!trailer || !memchr(bytes->name, '\0', (size_t)((const char *)trailer - bytes->name)) ||
	    bytes->length > UINT64_MAX - bytes->start)
		return -EBADMSG;
	*record = (struct code_record){.kind = CODE_RECORD_MMAP,
				       .id = trailer->id,
				       .time_ns = trailer->time_ns,
				       .pid = (pid_t)bytes->pid};
	struct proc_mapping *mapping = &record->mmap.mapping;
	*mapping = (struct proc_mapping){
		.start = bytes->start,
		.end = bytes->start + bytes->length,
		.offset = bytes->offset,
		.executable = bytes->protection & PROT_EXECUTE,
		/* /proc/PID/maps has no name for it. */
		.name = strcmp(bytes->name, "//anon") == 0 ? "" : bytes->name,
	};
	if (!(header->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)) {
		mapping->dev = makedev(bytes->major, bytes->minor);
		mapping->inode = bytes->inode;
	} else if (bytes->build_id_size <= sizeof(bytes->build_id)) {
		record->mmap.build_id.size = bytes->build_id_size;
		memcpy(record->mmap.build_id.bytes, bytes->build_id, bytes->build_id_size);
	}
	return 0;
}

static int decode_ksymbol(const struct perf_event_header *header, struct code_record *record)
{
	const struct ksymbol_bytes *bytes = (const void *)header;
	const struct trailer *trailer = find_trailer(header, sizeof(*bytes));

	if (!trailer || !memchr(bytes->name, '\0', (size_t)((const char *)trailer - bytes->name)))
		return -EBADMSG;
	bool removed = bytes->flags & CODE_KSYMBOL_UNREGISTER;
	*record = (struct code_record){.kind = CODE_RECORD_KSYMBOL,
				       .id = trailer->id,
				       .time_ns = trailer->time_ns,
				       .ksymbol = {.start = bytes->start,
						   .size = bytes->size,
						   .name = removed ? NULL : bytes->name}};
	return 0;
}

static int decode_common(const struct perf_event_header *header, struct code_record *record)
{
	struct record common;
	int result = record_decode(header, &common);

	if (result < 0)
		return result;
	*record =
		(struct code_record){.id = common.id, .time_ns = common.time_ns, .pid = common.pid};
	switch (common.kind) {
	case RECORD_COMM:
		if (!common.comm.exec)
			break;
		record->kind = CODE_RECORD_EXEC;
		return 0;
	case RECORD_FORK:
		if (common.pid == common.fork.ppid)
			break;
		record->kind = CODE_RECORD_FORK;
		record->parent = common.fork.ppid;
		return 0;
	case RECORD_EXIT:
		if (common.pid != common.tid)
			break;
		record->kind = CODE_RECORD_EXIT;
		return 0;
	case RECORD_LOST:
		record->kind = CODE_RECORD_LOST;
		record->lost = common.lost.records;
		return 0;
	case RECORD_THROTTLE:
		record->kind = CODE_RECORD_THROTTLE;
		return 0;
	case RECORD_SAMPLE:
	case RECORD_SWITCH:
	case RECORD_WAKING:
	case RECORD_OTHER:
		break;
	}
	*record = (struct code_record){.kind = CODE_RECORD_OTHER};
	return 0;
}

int code_record_decode(const struct perf_event_header *header, struct code_record *record)
{
	switch (header->type) {
	case PERF_RECORD_MMAP2:
		return decode_mmap(header, record);
	case PERF_RECORD_KSYMBOL:
		return decode_ksymbol(header, record);
	case PERF_RECORD_SAMPLE:
		*record = (struct code_record){.kind = CODE_RECORD_OTHER};
		return 0;
	default:
		return decode_common(header, record);
	}
}
