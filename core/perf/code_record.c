// SPDX-License-Identifier: MIT
/*
 * The layouts of linux/perf_event.h for CODE_SAMPLE_TYPE. FORK, EXIT, COMM, LOST and THROTTLE are
 * decoded by record.c, because both sample types have the same trailer.
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

struct mmap_bytes {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, length, offset;
	char name[]; /* padded to 8 bytes */
};
static_assert(offsetof(struct mmap_bytes, name) == 40, "PERF_RECORD_MMAP");

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

/* Returns the text that begins there and ends before the trailer, or NULL. */
static const char *find_text(const struct perf_event_header *header, size_t offset,
			     size_t trailer_bytes)
{
	const char *text = (const char *)header + offset;

	if (header->size < offset + trailer_bytes ||
	    !memchr(text, '\0', header->size - offset - trailer_bytes))
		return NULL;
	return text;
}

/* Fills what MMAP and MMAP2 have in common. */
static int decode_range(const struct perf_event_header *header, const char *name,
			struct code_record *record)
{
	const struct mmap_bytes *bytes = (const void *)header;
	uint16_t mode = header->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	bool kernel = mode == PERF_RECORD_MISC_KERNEL, wraps;
	uint64_t end;

	if (!name)
		return -EBADMSG;
	wraps = __builtin_add_overflow(bytes->start, bytes->length, &end);
	if (wraps && !kernel)
		return -EBADMSG;
	if (mode == PERF_RECORD_MISC_GUEST_KERNEL || mode == PERF_RECORD_MISC_GUEST_USER)
		return 0;
	record->kind = CODE_RECORD_MMAP;
	record->pid = (pid_t)bytes->pid;
	record->mmap.kernel = kernel;
	record->mmap.mapping = (struct proc_mapping){
		.start = bytes->start,
		.end = wraps ? UINT64_MAX : end,
		.offset = bytes->offset,
		/* /proc/PID/maps has no name for it. */
		.name = strcmp(name, "//anon") == 0 ? "" : name,
	};
	return 0;
}

static int decode_mmap(const struct perf_event_header *header, size_t trailer_bytes,
		       struct code_record *record)
{
	const char *name = find_text(header, offsetof(struct mmap_bytes, name), trailer_bytes);
	int result = decode_range(header, name, record);

	if (record->kind == CODE_RECORD_MMAP)
		record->mmap.mapping.executable = !(header->misc & PERF_RECORD_MISC_MMAP_DATA);
	return result;
}

static int decode_mmap2(const struct perf_event_header *header, size_t trailer_bytes,
			struct code_record *record)
{
	const struct mmap2_bytes *bytes = (const void *)header;
	const char *name = find_text(header, offsetof(struct mmap2_bytes, name), trailer_bytes);
	struct proc_mapping *mapping = &record->mmap.mapping;
	int result = decode_range(header, name, record);

	if (record->kind != CODE_RECORD_MMAP)
		return result;
	/* simpleperf makes mappings of Java code, which are not executable. */
	mapping->executable =
		bytes->protection & PROT_EXECUTE || !(header->misc & PERF_RECORD_MISC_MMAP_DATA);
	if (!(header->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)) {
		mapping->dev = makedev(bytes->major, bytes->minor);
		mapping->inode = bytes->inode;
	} else if (bytes->build_id_size <= sizeof(bytes->build_id)) {
		record->mmap.build_id.size = bytes->build_id_size;
		memcpy(record->mmap.build_id.bytes, bytes->build_id, bytes->build_id_size);
	}
	return 0;
}

static int decode_ksymbol(const struct perf_event_header *header, size_t trailer_bytes,
			  struct code_record *record)
{
	const struct ksymbol_bytes *bytes = (const void *)header;
	const char *name = find_text(header, offsetof(struct ksymbol_bytes, name), trailer_bytes);

	if (!name)
		return -EBADMSG;
	record->kind = CODE_RECORD_KSYMBOL;
	record->ksymbol.start = bytes->start;
	record->ksymbol.size = bytes->size;
	record->ksymbol.name = bytes->flags & CODE_KSYMBOL_UNREGISTER ? NULL : name;
	return 0;
}

int code_record_decode_body(const struct perf_event_header *header, size_t trailer_bytes,
			    struct code_record *record)
{
	*record = (struct code_record){.kind = CODE_RECORD_OTHER};
	switch (header->type) {
	case PERF_RECORD_MMAP:
		return decode_mmap(header, trailer_bytes, record);
	case PERF_RECORD_MMAP2:
		return decode_mmap2(header, trailer_bytes, record);
	case PERF_RECORD_KSYMBOL:
		return decode_ksymbol(header, trailer_bytes, record);
	}
	return 0;
}

void code_record_of_task(const struct record *common, struct code_record *record)
{
	*record = (struct code_record){
		.id = common->id, .time_ns = common->time_ns, .pid = common->pid};
	switch (common->kind) {
	case RECORD_COMM:
		if (!common->comm.exec)
			break;
		record->kind = CODE_RECORD_EXEC;
		return;
	case RECORD_FORK:
		if (common->pid == common->fork.ppid)
			break;
		record->kind = CODE_RECORD_FORK;
		record->parent = common->fork.ppid;
		return;
	case RECORD_EXIT:
		if (common->pid != common->tid)
			break;
		record->kind = CODE_RECORD_EXIT;
		return;
	case RECORD_LOST:
		record->kind = CODE_RECORD_LOST;
		record->lost = common->lost.records;
		return;
	case RECORD_THROTTLE:
		record->kind = CODE_RECORD_THROTTLE;
		return;
	case RECORD_SAMPLE:
	case RECORD_SWITCH:
	case RECORD_WAKING:
	case RECORD_OTHER:
		break;
	}
	*record = (struct code_record){.kind = CODE_RECORD_OTHER};
}

static int decode_common(const struct perf_event_header *header, struct code_record *record)
{
	struct record common;
	int result = record_decode(header, &common);

	if (result == 0)
		code_record_of_task(&common, record);
	return result;
}

static int decode_code(const struct perf_event_header *header, struct code_record *record)
{
	const struct trailer *trailer =
		(const void *)((const char *)header + header->size - sizeof(*trailer));
	int result = code_record_decode_body(header, sizeof(*trailer), record);

	if (result < 0 || record->kind == CODE_RECORD_OTHER)
		return result;
	record->id = trailer->id;
	record->time_ns = trailer->time_ns;
	return 0;
}

int code_record_decode(const struct perf_event_header *header, struct code_record *record)
{
	switch (header->type) {
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_KSYMBOL:
		return decode_code(header, record);
	case PERF_RECORD_SAMPLE:
		*record = (struct code_record){.kind = CODE_RECORD_OTHER};
		return 0;
	default:
		return decode_common(header, record);
	}
}

void code_record_apply(const struct code_record *record, struct code_names *names)
{
	struct code_maps *maps = code_names_maps(names);

	switch (record->kind) {
	case CODE_RECORD_MMAP:
		if (record->pid == -1)
			code_names_map_kernel(names, &record->mmap.mapping, &record->mmap.build_id);
		else
			code_maps_mmap(maps, record->pid, &record->mmap.mapping,
				       &record->mmap.build_id, record->time_ns);
		break;
	case CODE_RECORD_EXEC:
		code_maps_exec(maps, record->pid, record->time_ns);
		break;
	case CODE_RECORD_FORK:
		code_maps_fork(maps, record->parent, record->pid);
		break;
	case CODE_RECORD_EXIT:
		code_maps_exit(maps, record->pid);
		break;
	case CODE_RECORD_KSYMBOL:
		kernel_symbols_record(code_names_kernel(names), record->ksymbol.start,
				      record->ksymbol.size, record->ksymbol.name);
		break;
	case CODE_RECORD_SAMPLE:
	case CODE_RECORD_LOST:
	case CODE_RECORD_THROTTLE:
	case CODE_RECORD_OTHER:
		break;
	}
}
