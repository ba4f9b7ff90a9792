// SPDX-License-Identifier: MIT
/*
 * The layouts of linux/perf_event.h. Records that the kernel did not write but pmctop found out
 * have the id of an event that samples, or id 0 and time 0, which perf applies at once.
 */
#include "core/perfdata/perfdata_code.h"

#include "core/base/util.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

/* Absent from older headers. */
#ifndef PERF_RECORD_KSYMBOL_TYPE_BPF
#define PERF_RECORD_KSYMBOL_TYPE_BPF 1
#endif

enum {
	CHAIN_MAX = 1024,       /* more than kernel.perf_event_max_stack allows by default */
	NAME_MAX_BYTES = 4096,  /* PATH_MAX */
	KSYMBOL_NAME_MAX = 512, /* KSYM_NAME_LEN */
	KSYMBOL_UNREGISTER = 1, /* PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER */
};

struct perf_event_attr perfdata_code_attr(uint32_t type, uint64_t config)
{
	return (struct perf_event_attr){
		.type = type,
		.size = sizeof(struct perf_event_attr),
		.config = config,
		.sample_period = 1, /* each sample has its own */
		.sample_type = CODE_SAMPLE_TYPE,
		.read_format = PERFDATA_READ_FORMAT, /* perf requires equal ones of all events */
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.ksymbol = 1,
	};
}

static void put_pair(struct perfdata *data, uint32_t low, uint32_t high)
{
	perfdata_word(data, (uint64_t)high << 32 | low);
}

static size_t begin_record(struct perfdata *data, uint32_t type, uint16_t misc)
{
	size_t begin = data->n;

	perfdata_append(data, &(struct perf_event_header){.type = type, .misc = misc},
			sizeof(struct perf_event_header));
	return begin;
}

static void end_record(struct perfdata *data, size_t begin)
{
	uint16_t size = (uint16_t)(data->n - begin);

	memcpy(data->bytes + begin + offsetof(struct perf_event_header, size), &size, sizeof(size));
}

/* A name, then one or more zeroes up to a multiple of 8. */
static void put_name(struct perfdata *data, const char *name, size_t most)
{
	size_t length = strnlen(name, most), size = (length + 8) / 8 * 8;
	char *to = perfdata_extend(data, size);

	memcpy(to, name, length);
	memset(to + length, 0, size - length);
}

/* The trailer of all records but SAMPLE (attr.sample_id_all). */
static void put_trailer(struct perfdata *data, pid_t pid, uint64_t time_ns, uint64_t id)
{
	put_pair(data, (uint32_t)pid, (uint32_t)pid);
	perfdata_word(data, time_ns);
	perfdata_word(data, 0);
	perfdata_word(data, id);
}

void perfdata_code_sample(struct perfdata *data, uint64_t id, const struct code_sample *sample)
{
	size_t n = size_min(sample->n_chain, CHAIN_MAX);
	size_t begin =
		begin_record(data, PERF_RECORD_SAMPLE,
			     sample->kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);

	perfdata_word(data, id);
	perfdata_word(data, sample->ip);
	put_pair(data, (uint32_t)sample->pid, (uint32_t)sample->tid);
	perfdata_word(data, sample->time_ns);
	put_pair(data, sample->cpu, 0);
	perfdata_word(data, sample->weight);
	perfdata_word(data, n);
	perfdata_words(data, sample->chain, n);
	end_record(data, begin);
}

void perfdata_code_mapping(struct perfdata *data, uint64_t id, uint64_t time_ns, pid_t pid,
			   const struct code_mapping *mapping)
{
	const struct code_object *object = mapping->object;
	const struct code_build_id *build_id = &object->build_id;
	uint16_t identified = build_id->size > 0 ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0;
	size_t begin = begin_record(data, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | identified);

	put_pair(data, (uint32_t)pid, (uint32_t)pid);
	perfdata_word(data, mapping->start);
	perfdata_word(data, mapping->end - mapping->start);
	perfdata_word(data, mapping->offset);
	if (identified) {
		put_pair(data, build_id->size, 0);
		/* The first 4 bytes stand in the upper half of the word before. */
		memcpy(data->bytes + data->n - 4, build_id->bytes, 4);
		perfdata_append(data, build_id->bytes + 4, sizeof(build_id->bytes) - 4);
	} else {
		put_pair(data, major(object->dev), minor(object->dev));
		perfdata_word(data, object->inode);
		perfdata_word(data, 0);
	}
	put_pair(data, PROT_READ | PROT_EXEC, MAP_PRIVATE);
	put_name(data, object->name[0] ? object->name : "//anon", NAME_MAX_BYTES);
	put_trailer(data, pid, time_ns, id);
	end_record(data, begin);
}

void perfdata_kernel_mapping(struct perfdata *data, uint64_t start, uint64_t bytes,
			     uint64_t reference, const char *name)
{
	size_t begin = begin_record(data, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);

	put_pair(data, UINT32_MAX, 0);
	perfdata_word(data, start);
	perfdata_word(data, bytes);
	perfdata_word(data, reference);
	put_name(data, name, KSYMBOL_NAME_MAX);
	put_trailer(data, -1, 0, 0);
	end_record(data, begin);
}

void perfdata_ksymbol(struct perfdata *data, uint64_t id, const struct code_record *record)
{
	size_t begin = begin_record(data, PERF_RECORD_KSYMBOL, PERF_RECORD_MISC_KERNEL);
	const char *name = record->ksymbol.name;

	perfdata_word(data, record->ksymbol.start);
	put_pair(data, record->ksymbol.size,
		 PERF_RECORD_KSYMBOL_TYPE_BPF | (name ? 0u : (uint32_t)KSYMBOL_UNREGISTER << 16));
	put_name(data, name ? name : "", KSYMBOL_NAME_MAX);
	put_trailer(data, 0, record->time_ns, id);
	end_record(data, begin);
}
