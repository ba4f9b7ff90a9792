// SPDX-License-Identifier: MIT
#include "tests/unit/shared/perfdata_scene.h"

static const char *const scene_names[] = {"context-switches", "cycles"};

static void scene_trailer(struct image *image, uint64_t time_ns, uint64_t id)
{
	image_u32(image, 40);
	image_u32(image, 41);
	image_u64(image, time_ns);
	image_u32(image, 1); /* CPU */
	image_u32(image, 0);
	image_u64(image, id);
}

void scene_sample(struct image *image, uint64_t time_ns, uint64_t value)
{
	size_t begin = image_begin(image, PERF_RECORD_SAMPLE, 2);

	image_u64(image, SCENE_LEADER + 1);
	image_u64(image, 0xffffffff81000000);
	image_u32(image, 50);
	image_u32(image, 51);
	image_u64(image, time_ns);
	image_u32(image, 1);
	image_u32(image, 0);
	image_u64(image, 7); /* period */
	image_u64(image, 2);
	image_u64(image, 1000);
	image_u64(image, 900);
	for (unsigned i = 0; i < 2; i++) {
		image_u64(image, value + i);
		image_u64(image, scene_ids[i] + 1);
		image_u64(image, 0);
	}
	image_end(image, begin);
}

void scene_native(struct image *image)
{
	size_t begin = image_begin(image, PERFDATA_NATIVE, 3);

	image_u64(image, PERFDATA_NATIVE_BASE + NATIVE_TASK);
	image_text(image, "pmctop:task", 64);
	image_u64(image, 11);
	image_u64(image, (uint64_t)-1);
	image_u64(image, 0x0123456789abcdef);
	image_u64(image, 9);
	image_text(image, "nine char", 16);
	image_u64(image, 0);
	image_u64(image, 8);
	image_text(image, "eight ch", 8);
	image_end(image, begin);
	begin = image_begin(image, PERFDATA_NATIVE, 1);
	image_u64(image, PERFDATA_NATIVE_BASE + NATIVE_AHEAD);
	image_text(image, "pmctop:ahead", 64);
	image_u64(image, 5);
	size_t inner = image_begin(image, PERF_RECORD_COMM, 0);
	image_u32(image, 70);
	image_u32(image, 71);
	image_text(image, "ahead", 8);
	scene_trailer(image, 77, SCENE_LEADER);
	image_end(image, inner);
	image_end(image, begin);
}

void scene_records(struct image *image)
{
	size_t begin = image_begin(image, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	image_u32(image, 60);
	image_u32(image, 61);
	image_text(image, "a worker", 16);
	scene_trailer(image, 10, SCENE_LEADER);
	image_end(image, begin);

	begin = image_begin(image, PERF_RECORD_FORK, 0);
	for (unsigned i = 0; i < 4; i++)
		image_u32(image, 62 + i);
	image_u64(image, 11);
	scene_trailer(image, 11, SCENE_LEADER);
	image_end(image, begin);

	scene_sample(image, 20, 5);

	begin = image_begin(image, PERF_RECORD_SWITCH_CPU_WIDE, PERF_RECORD_MISC_SWITCH_OUT);
	image_u32(image, 80);
	image_u32(image, 81);
	scene_trailer(image, 21, SCENE_MEMBER);
	image_end(image, begin);

	begin = image_begin(image, 99, 0); /* an unknown type */
	image_u64(image, 1);
	image_end(image, begin);

	begin = image_begin(image, PERF_RECORD_LOST, 0);
	image_u64(image, SCENE_MEMBER);
	image_u64(image, 12);
	scene_trailer(image, 22, SCENE_MEMBER);
	image_end(image, begin);

	begin = image_begin(image, PERF_RECORD_LOST_SAMPLES, 0);
	image_u64(image, 13);
	scene_trailer(image, 23, SCENE_LEADER);
	image_end(image, begin);

	/* The data after this record is not records, but has their form. */
	begin = image_begin(image, PERFDATA_AUXTRACE, 0);
	image_u64(image, 24);
	for (unsigned i = 0; i < 4; i++)
		image_u64(image, 0);
	image_end(image, begin);
	for (unsigned i = 0; i < 3; i++)
		image_u64(image, 0);

	scene_native(image);

	begin = image_begin(image, PERF_RECORD_EXIT, 0);
	for (unsigned i = 0; i < 4; i++)
		image_u32(image, 62 + i);
	image_u64(image, 30);
	scene_trailer(image, 30, SCENE_LEADER);
	image_end(image, begin);
	image_end(image, image_begin(image, PERFDATA_ROUND, 0));
}

static void scene_event_desc(struct image *image)
{
	image_u32(image, 2);
	image_u32(image, 136);
	for (unsigned i = 0; i < 2; i++) {
		image_attr(image, &scene_attrs[i]);
		image_u32(image, 2);
		image_string(image, scene_names[i]);
		image_u64(image, scene_ids[i]);
		image_u64(image, scene_ids[i] + 1);
	}
}

static void scene_feature(struct image *image, unsigned feature)
{
	switch (feature) {
	case PERFDATA_HOSTNAME:
		image_string(image, "box");
		break;
	case PERFDATA_NRCPUS:
		image_u32(image, 4);
		image_u32(image, 2);
		break;
	case PERFDATA_TOTAL_MEM:
		image_u64(image, 123456);
		break;
	case PERFDATA_CMDLINE:
		image_u32(image, 2);
		image_string(image, "perf");
		image_string(image, "record");
		break;
	case PERFDATA_EVENT_DESC:
		scene_event_desc(image);
		break;
	}
}

/* Words of two numbers of 32 bits. */
static void profile_pair(struct image *image, uint32_t first, uint32_t second)
{
	image_u32(image, first);
	image_u32(image, second);
}

/* The trailer of SCENE_PROFILE_SAMPLE. */
static void profile_trailer(struct image *image, uint64_t time_ns)
{
	profile_pair(image, 50, 51);
	image_u64(image, time_ns);
	image_u64(image, SCENE_CYCLES);
	profile_pair(image, 1, 0);
}

static void profile_range(struct image *image, uint32_t pid, uint64_t start, uint64_t length,
			  uint64_t offset)
{
	profile_pair(image, pid, pid);
	image_u64(image, start);
	image_u64(image, length);
	image_u64(image, offset);
}

static void profile_maps(struct image *image)
{
	static const uint8_t build_id[20] = {20, 0, 0, 0, 1, 2, 3};

	/* perf's own, without a time. */
	size_t begin = image_begin(image, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
	profile_range(image, UINT32_MAX, 0xffffffff81000000, 0x1000000, 0xffffffff81000000);
	image_text(image, "[kernel.kallsyms]_text", 24);
	for (unsigned i = 0; i < 4; i++)
		image_u64(image, 0);
	image_end(image, begin);

	begin = image_begin(image, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	profile_range(image, 50, 0x400000, 0x2000, 0x1000);
	profile_pair(image, 8, 1);
	image_u64(image, 99);
	image_u64(image, 0);
	profile_pair(image, 5, 2);
	image_text(image, "/bin/work", 16);
	profile_trailer(image, 10);
	image_end(image, begin);

	begin = image_begin(image, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | 1 << 14);
	profile_range(image, 50, 0x7f0000000000, 0x2000, 0);
	image_bytes(image, build_id, 20);
	image_text(image, "", 4);
	profile_pair(image, 5, 2);
	image_text(image, "/lib/libwork.so", 16);
	profile_trailer(image, 11);
	image_end(image, begin);
}

static void profile_sample(struct image *image, uint64_t id, uint64_t time_ns, uint64_t last)
{
	const uint64_t chain[] = {PERF_CONTEXT_KERNEL, 0xffffffff81000100, PERF_CONTEXT_USER,
				  0x400100, last};
	size_t begin = image_begin(image, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);

	image_u64(image, 0xffffffff81000100);
	profile_pair(image, 50, 51);
	image_u64(image, time_ns);
	image_u64(image, id);
	profile_pair(image, 1, 0);
	image_u64(image, 1000); /* period */
	image_u64(image, ARRAY_SIZE(chain));
	for (unsigned i = 0; i < ARRAY_SIZE(chain); i++)
		image_u64(image, chain[i]);
	image_u64(image, 1); /* a branch */
	for (unsigned i = 0; i < 3; i++)
		image_u64(image, 0x400100 + i);
	image_end(image, begin);
}

static void profile_records(struct image *image)
{
	profile_maps(image);
	size_t begin = image_begin(image, PERF_RECORD_KSYMBOL, 0);
	image_u64(image, 0xffffffffc0001000);
	image_u32(image, 64);
	image_u16(image, 1);
	image_u16(image, 0);
	image_text(image, "bpf_prog_1234", 16);
	profile_trailer(image, 12);
	image_end(image, begin);

	begin = image_begin(image, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	profile_pair(image, 50, 51);
	image_text(image, "work", 8);
	profile_trailer(image, 13);
	image_end(image, begin);

	profile_sample(image, SCENE_CYCLES, 20, 0x7f0000000100);
	profile_sample(image, SCENE_FAULTS, 21, 0x7f0000000200);

	begin = image_begin(image, PERFDATA_CALLCHAIN_DEFERRED, PERF_RECORD_MISC_USER);
	image_u64(image, 4321);
	image_u64(image, 2);
	image_u64(image, PERF_CONTEXT_USER);
	image_u64(image, 0x400200);
	profile_trailer(image, 22);
	image_end(image, begin);
	image_end(image, image_begin(image, PERFDATA_ROUND, 0));
}

static void profile_build_id(struct image *image, uint32_t type, uint32_t pid, const char *name)
{
	static const uint8_t build_id[20] = {9, 8, 7, [19] = 1};
	size_t begin = image_begin(image, type, 1 << 15);

	image_u32(image, pid);
	image_bytes(image, build_id, 20);
	image_bytes(image, &(uint8_t){20}, 1);
	image_text(image, "", 3);
	/* Not a multiple of words. */
	image_text(image, name, strlen(name) / 4 * 4 + 4);
	image_end(image, begin);
}

static void profile_build_ids(struct image *image, uint32_t type)
{
	profile_build_id(image, type, UINT32_MAX, "[kernel.kallsyms]");
	profile_build_id(image, type, UINT32_MAX, "/bin/work");
}

static void profile_feature(struct image *image, unsigned feature)
{
	switch (feature) {
	case PERFDATA_BUILD_IDS:
		profile_build_ids(image, 0);
		break;
	case PERFDATA_OSRELEASE:
		image_string(image, "6.1.0");
		break;
	case PERFDATA_VERSION:
		image_string(image, "6.2");
		break;
	case PERFDATA_ARCH:
		image_string(image, "x86_64");
		break;
	}
}

static void simpleperf_records(struct image *image)
{
	/* Pieces of a record of its own, and other records of its own. */
	for (uint32_t type = PERFDATA_SIMPLEPERF + 1; type <= PERFDATA_SIMPLEPERF + 10; type++) {
		if (type == PERFDATA_EVENT_ID)
			continue;
		size_t begin = image_begin(image, type, 0);
		image_u64(image, type);
		image_end(image, begin);
	}
	size_t begin = image_begin(image, PERFDATA_EVENT_ID, 0);
	image_u64(image, 2);
	image_u64(image, 0);
	image_u64(image, SCENE_CYCLES + 9);
	image_u64(image, 1);
	image_u64(image, SCENE_FAULTS + 9);
	image_end(image, begin);
	profile_sample(image, SCENE_CYCLES + 9, 20, 0x7f0000000100);
	profile_sample(image, SCENE_FAULTS + 9, 21, 0x7f0000000200);
}

static void simpleperf_symbol(struct image *image, uint64_t start, uint32_t size, const char *name)
{
	image_u64(image, start);
	image_u32(image, size);
	image_bytes(image, name, strlen(name) + 1);
}

static void simpleperf_files(struct image *image)
{
	size_t begin = image->n;

	image_u32(image, 0);
	image_bytes(image, "/bin/work", 10);
	image_u32(image, 2); /* ELF */
	image_u64(image, 0x11000);
	image_u32(image, 2);
	simpleperf_symbol(image, 0x11100, 16, "work");
	simpleperf_symbol(image, 0x11200, 32, "_Z4workv");
	image_u64(image, 0x1000);
	image_set(image, begin, image->n - begin - 4, 4);
	begin = image->n;
	image_u32(image, 0);
	image_bytes(image, "[kernel.kallsyms]", 18);
	image_u32(image, 0);
	image_u64(image, 0);
	image_u32(image, 1);
	simpleperf_symbol(image, 0xffffffff81000000, 0x1000, "do_work");
	image_set(image, begin, image->n - begin - 4, 4);
}

static void simpleperf_varint(struct image *image, uint64_t value)
{
	do {
		uint8_t byte = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
		image_bytes(image, &byte, 1);
		value >>= 7;
	} while (value);
}

static void simpleperf_number(struct image *image, unsigned field, uint64_t value)
{
	simpleperf_varint(image, field << 3);
	simpleperf_varint(image, value);
}

static void simpleperf_bytes(struct image *image, unsigned field, const void *bytes, size_t n)
{
	simpleperf_varint(image, field << 3 | 2);
	simpleperf_varint(image, n);
	image_bytes(image, bytes, n);
}

static void simpleperf_files2(struct image *image)
{
	struct image message = {0}, part = {0};

	simpleperf_bytes(&message, 1, "/lib/libwork.so", 15);
	simpleperf_number(&message, 2, 2);
	simpleperf_number(&message, 3, 0x5000);
	simpleperf_number(&part, 1, 0x5100);
	simpleperf_number(&part, 2, 300);
	simpleperf_bytes(&part, 3, "library_work", 12);
	simpleperf_bytes(&message, 4, part.bytes, part.n);
	simpleperf_bytes(&message, 6, NULL, 0);
	simpleperf_varint(&message, 9 << 3 | 5);
	image_u32(&message, 0);
	image_u32(image, message.n);
	image_bytes(image, message.bytes, message.n);
	image_fini(&part);
	image_fini(&message);
}

static void simpleperf_feature(struct image *image, unsigned feature)
{
	static const char meta[] = "simpleperf_version\0"
				   "1.build.1234\0product_props\0Maker:Phone:phone\0"
				   "event_type_info\0cpu-cycles,0,0\npage-faults,1,2";

	switch (feature) {
	case PERFDATA_FILES:
		simpleperf_files(image);
		break;
	case PERFDATA_META_INFO:
		image_bytes(image, meta, sizeof(meta));
		break;
	case PERFDATA_FILES2:
		simpleperf_files2(image);
		break;
	case PERFDATA_INIT_MAP:
		profile_maps(image);
		break;
	default:
		profile_feature(image, feature);
	}
}

static const struct image_attr profile_attrs[] = {
	{.type = 0,
	 .config = 0,
	 .period = 99,
	 .sample_type = SCENE_PROFILE_SAMPLE,
	 .flags = IMAGE_SAMPLE_ID_ALL | IMAGE_FREQ},
	{.type = 1,
	 .config = 2,
	 .period = 1,
	 .sample_type = SCENE_PROFILE_SAMPLE,
	 .flags = IMAGE_SAMPLE_ID_ALL},
};
static const uint64_t profile_ids[] = {SCENE_CYCLES, SCENE_FAULTS};

enum { FEATURES_MAX = 8 };

static const struct cast {
	const struct image_attr *attrs; /* two */
	const uint64_t *ids;            /* of each the first of two */
	unsigned features[FEATURES_MAX];
	size_t n_features;
	void (*feature)(struct image *image, unsigned feature);
	void (*records)(struct image *image);
} casts[] = {
	[SCENE_SWITCHES] = {scene_attrs,
			    scene_ids,
			    {PERFDATA_HOSTNAME, PERFDATA_NRCPUS, PERFDATA_TOTAL_MEM,
			     PERFDATA_CMDLINE, PERFDATA_EVENT_DESC},
			    5,
			    scene_feature,
			    scene_records},
	[SCENE_PROFILE] = {profile_attrs,
			   profile_ids,
			   {PERFDATA_BUILD_IDS, PERFDATA_OSRELEASE, PERFDATA_VERSION,
			    PERFDATA_ARCH},
			   4,
			   profile_feature,
			   profile_records},
	[SCENE_SIMPLEPERF] = {profile_attrs,
			      profile_ids,
			      {PERFDATA_BUILD_IDS, PERFDATA_ARCH, PERFDATA_FILES,
			       PERFDATA_META_INFO, PERFDATA_FILES2, PERFDATA_INIT_MAP},
			      6,
			      simpleperf_feature,
			      simpleperf_records},
};

static void scene_data(const struct scene *scene, struct image *image)
{
	struct image records = {.swapped = image->swapped};

	casts[scene->kind].records(&records);
	if (scene->packed)
		image_pack(image, records.bytes, records.n, scene->packed, scene->two);
	else
		image_bytes(image, records.bytes, records.n);
	image_fini(&records);
}

static void pipe_feature(const struct cast *cast, struct image *image, unsigned feature)
{
	if (feature == PERFDATA_BUILD_IDS) {
		profile_build_ids(image, PERFDATA_BUILD_ID);
		return;
	}
	size_t begin = image_begin(image, PERFDATA_FEATURE, 0);
	image_u64(image, feature);
	cast->feature(image, feature);
	image_end(image, begin);
}

static void scene_pipe(const struct scene *scene, struct image *image)
{
	const struct cast *cast = &casts[scene->kind];

	image_u64(image, PERFDATA_MAGIC);
	image_u64(image, 16);
	for (unsigned i = 0; i < 2; i++) {
		size_t begin = image_begin(image, PERFDATA_ATTR, scene->misc);
		image_attr(image, &cast->attrs[i]);
		image_u64(image, cast->ids[i]);
		image_u64(image, cast->ids[i] + 1);
		image_end(image, begin);
	}
	for (unsigned i = 0; i < cast->n_features; i++)
		pipe_feature(cast, image, cast->features[i]);
	scene_data(scene, image);
}

static void scene_file(const struct scene *scene, struct image *image)
{
	const struct cast *cast = &casts[scene->kind];
	const size_t entry = 136 + 16;
	size_t ids = SCENE_HEADER, attrs = ids + 2 * 2 * 8, data = attrs + 2 * entry;
	uint64_t features[4] = {0};

	for (unsigned i = 0; i < cast->n_features; i++)
		features[cast->features[i] / 64] |= 1ull << cast->features[i] % 64;
	const uint64_t header[] = {
		PERFDATA_MAGIC, SCENE_HEADER, entry,       attrs,      2 * entry, data, 0, 0, 0,
		features[0],    features[1],  features[2], features[3]};
	for (unsigned i = 0; i < ARRAY_SIZE(header); i++)
		image_u64(image, header[i]);
	for (unsigned i = 0; i < 2; i++) {
		image_u64(image, cast->ids[i]);
		image_u64(image, cast->ids[i] + 1);
	}
	for (unsigned i = 0; i < 2; i++) {
		image_attr(image, &cast->attrs[i]);
		image_u64(image, ids + i * 16);
		image_u64(image, 16);
	}
	scene_data(scene, image);
	if (scene->form == SCENE_KILLED)
		return;
	image_set(image, 48, image->n - data, 8);
	size_t table = image->n;
	for (unsigned i = 0; i < 2 * cast->n_features; i++)
		image_u64(image, 0);
	for (unsigned i = 0; i < cast->n_features; i++) {
		size_t begin = image->n;
		cast->feature(image, cast->features[i]);
		image_set(image, table + 16 * i, begin, 8);
		image_set(image, table + 16 * i + 8, image->n - begin, 8);
	}
}

void scene_make(const struct scene *scene, struct image *image)
{
	*image = (struct image){.swapped = scene->swapped};
	if (scene->form == SCENE_PIPE)
		scene_pipe(scene, image);
	else
		scene_file(scene, image);
}
