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

static const unsigned scene_features[] = {PERFDATA_HOSTNAME, PERFDATA_NRCPUS, PERFDATA_TOTAL_MEM,
					  PERFDATA_CMDLINE, PERFDATA_EVENT_DESC};

static void scene_data(const struct scene *scene, struct image *image)
{
	struct image records = {.swapped = image->swapped};

	scene_records(&records);
	if (scene->packed)
		image_pack(image, records.bytes, records.n, scene->packed, scene->two);
	else
		image_bytes(image, records.bytes, records.n);
	image_fini(&records);
}

static void scene_pipe(const struct scene *scene, struct image *image)
{
	image_u64(image, PERFDATA_MAGIC);
	image_u64(image, 16);
	for (unsigned i = 0; i < 2; i++) {
		size_t begin = image_begin(image, PERFDATA_ATTR, scene->misc);
		image_attr(image, &scene_attrs[i]);
		image_u64(image, scene_ids[i]);
		image_u64(image, scene_ids[i] + 1);
		image_end(image, begin);
	}
	for (unsigned i = 0; i < ARRAY_SIZE(scene_features); i++) {
		size_t begin = image_begin(image, PERFDATA_FEATURE, 0);
		image_u64(image, scene_features[i]);
		scene_feature(image, scene_features[i]);
		image_end(image, begin);
	}
	scene_data(scene, image);
}

static void scene_file(const struct scene *scene, struct image *image)
{
	const size_t entry = 136 + 16;
	size_t ids = SCENE_HEADER, attrs = ids + 2 * 2 * 8, data = attrs + 2 * entry;
	uint64_t features = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(scene_features); i++)
		features |= 1ull << scene_features[i];
	const uint64_t header[] = {PERFDATA_MAGIC,
				   SCENE_HEADER,
				   entry,
				   attrs,
				   2 * entry,
				   data,
				   0,
				   0,
				   0,
				   features,
				   0,
				   0,
				   0};
	for (unsigned i = 0; i < ARRAY_SIZE(header); i++)
		image_u64(image, header[i]);
	for (unsigned i = 0; i < 2; i++) {
		image_u64(image, scene_ids[i]);
		image_u64(image, scene_ids[i] + 1);
	}
	for (unsigned i = 0; i < 2; i++) {
		image_attr(image, &scene_attrs[i]);
		image_u64(image, ids + i * 16);
		image_u64(image, 16);
	}
	scene_data(scene, image);
	if (scene->form == SCENE_KILLED)
		return;
	image_set(image, 48, image->n - data, 8);
	size_t table = image->n;
	for (unsigned i = 0; i < 2 * ARRAY_SIZE(scene_features); i++)
		image_u64(image, 0);
	for (unsigned i = 0; i < ARRAY_SIZE(scene_features); i++) {
		size_t begin = image->n;
		scene_feature(image, scene_features[i]);
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
