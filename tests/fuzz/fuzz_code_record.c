// SPDX-License-Identifier: MIT
/*
 * A record of a code ring, with any content. The first byte has the layout of samples. Whatever is
 * decoded lies within the record.
 */
#include "tests/fuzz/fuzz.h"

#include "core/perf/code_record.h"

#include <stdlib.h>
#include <string.h>

static void check_sample(const struct perf_event_header *header, bool has_period)
{
	const char *begin = (const char *)header, *end = begin + header->size;
	struct code_sample sample;

	if (code_sample_decode(header, has_period, &sample) < 0)
		return;
	fuzz_check(sample.n_chain == 0 || ((const char *)sample.chain > begin &&
					   (const char *)(sample.chain + sample.n_chain) <= end &&
					   sample.n_chain < header->size),
		   "a chain lies within its record");
	uint64_t sum = 0;
	for (size_t i = 0; i < sample.n_chain; i++)
		sum += sample.chain[i];
	fuzz_check(sum == 0 || sample.n_chain > 0, "the chain can be read");
	fuzz_check(code_record_id(header) == *(const uint64_t *)(header + 1), "id of a sample");
}

static void check_record(const struct perf_event_header *header)
{
	struct code_record record;

	if (code_record_decode(header, &record) < 0)
		return;
	switch (record.kind) {
	case CODE_RECORD_MMAP:
		fuzz_check_text(header, header->size, record.mmap.mapping.name);
		fuzz_check(record.mmap.mapping.end >= record.mmap.mapping.start,
			   "a mapping ends after its start");
		fuzz_check(record.mmap.build_id.size <= CODE_BUILD_ID_MAX, "a build id is short");
		break;
	case CODE_RECORD_KSYMBOL:
		fuzz_check_text(header, header->size, record.ksymbol.name);
		break;
	case CODE_RECORD_SAMPLE:
	case CODE_RECORD_EXEC:
	case CODE_RECORD_FORK:
	case CODE_RECORD_EXIT:
	case CODE_RECORD_LOST:
	case CODE_RECORD_THROTTLE:
		break;
	case CODE_RECORD_OTHER:
		fuzz_check(record.id == 0 && record.time_ns == 0,
			   "other records have no id and time");
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* As the ring returns it: at least a header, a multiple of 8, of the size in the header. */
	if (size < 1 + sizeof(struct perf_event_header))
		return 0;
	size_t bytes = (size - 1) & ~(size_t)7;
	if (bytes > UINT16_MAX)
		bytes = UINT16_MAX & ~7;
	struct perf_event_header *header = malloc(bytes);
	if (!header)
		abort();
	memcpy(header, data + 1, bytes);
	header->size = (uint16_t)bytes;
	check_sample(header, data[0] & 1);
	check_record(header);
	free(header);
	return 0;
}
