// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_PERFDATA_SCENE_H
#define PMCTOP_TESTS_PERFDATA_SCENE_H

#include "core/perfdata/perfdata.h"
#include "tests/unit/shared/perfdata_image.h"

/*
 * Small recordings in each form of perf.data. The scene of switches has two events in a group on
 * two CPUs, and one record of each kind.
 */
enum scene_form {
	SCENE_PIPE,
	SCENE_FILE,
	SCENE_KILLED, /* a file of a killed perf: the size of the data is 0, no features */
};

/* What is recorded. */
enum scene_kind {
	SCENE_SWITCHES,
	SCENE_PROFILE, /* of perf: samples with call chains, and what their addresses belong to */
	SCENE_SIMPLEPERF, /* a profile of Android's simpleperf, with its symbols in the file */
};

struct scene {
	enum scene_form form;
	enum scene_kind kind;
	bool swapped;
	size_t packed; /* compressed, in pieces of so many bytes; 0: not compressed */
	bool two;      /* in PERF_RECORD_COMPRESSED2 records */
	uint16_t misc; /* the misc field of PERFDATA_ATTR in a pipe */
};

enum {
	SCENE_LEADER = 101, /* the id on CPU 0; that on CPU 1 is 1 more */
	SCENE_MEMBER = 201,
	SCENE_HEADER = 104, /* bytes of a file's header */
};
#define SCENE_SAMPLE                                                                    \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ)
#define SCENE_READ                                                                                \
	(PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST | PERF_FORMAT_TOTAL_TIME_ENABLED | \
	 PERF_FORMAT_TOTAL_TIME_RUNNING)

static const struct image_attr scene_attrs[] = {
	{.type = 1,
	 .config = 3,
	 .period = 1,
	 .sample_type = SCENE_SAMPLE,
	 .read_format = SCENE_READ,
	 .flags = IMAGE_SAMPLE_ID_ALL},
	{.type = 0,
	 .config = 0x123456789abcdef0,
	 .sample_type = SCENE_SAMPLE & ~PERF_SAMPLE_READ,
	 .read_format = SCENE_READ,
	 .flags = IMAGE_SAMPLE_ID_ALL | IMAGE_FREQ},
};
static const uint64_t scene_ids[] = {SCENE_LEADER, SCENE_MEMBER};

/* Ids of the two events of a profile. */
enum { SCENE_CYCLES = 301, SCENE_FAULTS = 401 };
#define SCENE_PROFILE_SAMPLE                                                                      \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU | \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK)

/* Append one sample, two records of pmctop's own, and all records of a scene. */
void scene_sample(struct image *image, uint64_t time_ns, uint64_t value);
void scene_native(struct image *image);
void scene_records(struct image *image);

/* Fills *image, which the caller frees by image_fini(). */
void scene_make(const struct scene *scene, struct image *image);

#endif
