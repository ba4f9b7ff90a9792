// SPDX-License-Identifier: MIT
/*
 * The text of a tracepoint's format, a NUL, and the RAW part of a sample. No field lies outside the
 * data, and none is read outside it.
 */
#include "tests/fuzz/fuzz.h"

#include "core/perf/switch_format.h"

static void check_field(const struct switch_format *format, struct switch_field field)
{
	fuzz_check(field.size == 4 || field.size == 8 || field.size == 16,
		   "a field has 4, 8 or 16 bytes");
	fuzz_check((size_t)field.offset + field.size <= format->bytes,
		   "a field lies within the data");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	char *text = fuzz_text(&bytes);
	struct switch_format format = {0};
	struct switch_raw raw;

	if (switch_format_parse(text, &format) == 0) {
		size_t n = bytes.left;
		/* A copy in a block of its size, so that sanitizers find reads past the end. */
		char *rest = malloc(n + 1);
		if (!rest)
			abort();
		fuzz_read(&bytes, rest, n);
		const struct record record = {.kind = RECORD_SAMPLE,
					      .sample = {.rest = rest, .rest_bytes = n}};
		fuzz_check(format.bytes <= SWITCH_FORMAT_BYTES_MAX, "the data is bounded");
		check_field(&format, format.prev_pid);
		check_field(&format, format.prev_state);
		check_field(&format, format.next_comm);
		check_field(&format, format.next_pid);
		check_field(&format, format.next_prio);
		if (switch_raw_read(&format, &record, &raw) == 0)
			fuzz_check(memchr(raw.next_comm, '\0', sizeof(raw.next_comm)),
				   "comm ends with a NUL");
		free(rest);
	}
	free(text);
	return 0;
}
