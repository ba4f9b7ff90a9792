// SPDX-License-Identifier: MIT
#include "tests/unit/shared/perf_records.h"

#include "core/perfdata/perfdata.h"

#include <stdio.h>

void image_stream(struct image *image)
{
	const struct perfdata_head head = {PERFDATA_MAGIC, sizeof(head)};

	image_bytes(image, &head, sizeof(head));
}

void image_pair(struct image *image, uint32_t first, uint32_t second)
{
	image_u32(image, first);
	image_u32(image, second);
}

void image_event(struct image *image, uint64_t id, const struct perf_event_attr *attr)
{
	struct perf_event_attr complete = *attr;
	size_t begin = image_begin(image, PERFDATA_ATTR, 0);

	complete.size = sizeof(complete);
	complete.sample_id_all = 1;
	image_bytes(image, &complete, sizeof(complete));
	image_u64(image, id);
	image_end(image, begin);
}

void image_event_name(struct image *image, uint64_t id, const char *name)
{
	size_t begin = image_begin(image, PERFDATA_UPDATE, 0);

	image_u64(image, PERFDATA_NAME);
	image_u64(image, id);
	image_text(image, name, 32);
	image_end(image, begin);
}

void image_words(struct image *image, const char *words)
{
	size_t begin = image_begin(image, PERFDATA_FEATURE, 0);
	uint32_t n = 1;

	for (const char *at = words; *at; at++)
		n += *at == ' ';
	image_u64(image, PERFDATA_CMDLINE);
	image_u32(image, n);
	for (const char *at = words, *end; n > 0; n--, at = end + 1) {
		char word[64];

		end = at + strcspn(at, " ");
		snprintf(word, sizeof(word), "%.*s", (int)(end - at), at);
		image_string(image, word);
	}
	image_u32(image, 0);
	image_end(image, begin);
}

void image_cpus(struct image *image, uint32_t cpus)
{
	size_t begin = image_begin(image, PERFDATA_FEATURE, 0);

	image_u64(image, PERFDATA_NRCPUS);
	image_pair(image, cpus, cpus);
	image_end(image, begin);
}

void image_threads(struct image *image, pid_t tid)
{
	size_t begin = image_begin(image, PERFDATA_THREAD_MAP, 0);

	image_u64(image, 1);
	image_u64(image, (uint64_t)tid);
	image_u64(image, 0);
	image_u64(image, 0);
	image_end(image, begin);
}

ssize_t image_read(void *arg, uint64_t at, void *bytes, size_t n)
{
	const struct image *image = arg;
	size_t some = size_min(n, image->n - (size_t)at);

	memcpy(bytes, image->bytes + at, some);
	return (ssize_t)some;
}
