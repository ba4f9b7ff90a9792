// SPDX-License-Identifier: MIT
/* Any bytes as HEADER_TRACING_DATA. The fields in it lie within the data of a sample. */
#include "tests/fuzz/fuzz.h"

#include "core/perfdata/perfdata_tracing.h"

#include <errno.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perfdata_tracing tracing;

	struct perfdata names = {0};

	perfdata_tracing_read(data, size, &tracing, &names);
	for (size_t at = 0; at < names.n;) {
		const struct perfdata_tracepoint *record = (const void *)(names.bytes + at);

		fuzz_check(record->header.size > sizeof(*record) && record->header.size % 8 == 0 &&
				   record->header.size <= names.n - at &&
				   strnlen(record->name, record->header.size - sizeof(*record)) <
					   record->header.size - sizeof(*record),
			   "each record of a name is whole and has its end");
		at += record->header.size;
	}
	perfdata_fini(&names);
	int result = tracing.result;
	const struct switch_format format = tracing.format;
	fuzz_check(result == 0 || result == -ENOENT || result == -EBADMSG,
		   "0, -ENOENT or -EBADMSG");
	fuzz_check(result == 0 || format.bytes == 0, "without a result the format is empty");
	fuzz_check(result < 0 ||
			   (size_t)format.next_pid.offset + format.next_pid.size <= format.bytes,
		   "a field lies within the data");
	for (size_t i = 0; i < tracing.n_wakings; i++)
		fuzz_check((size_t)tracing.wakings[i].pid.offset + tracing.wakings[i].pid.size <=
				   tracing.wakings[i].bytes,
			   "the woken thread lies within the data");
	return 0;
}
