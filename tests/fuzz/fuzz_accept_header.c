// SPDX-License-Identifier: MIT
/* An Accept header selects one of the dialects; OpenMetrics only if it names that. */
#include "tests/fuzz/fuzz.h"

#include "core/output/accept_header.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	char *text = fuzz_text(&bytes);
	enum metrics_export_dialect dialect = accept_header_dialect(text);

	fuzz_check(dialect == METRICS_EXPORT_OPENMETRICS || dialect == METRICS_EXPORT_PROMETHEUS,
		   "the dialect exists");
	fuzz_check(dialect == METRICS_EXPORT_PROMETHEUS ||
			   strcasestr(text, "application/openmetrics-text"),
		   "OpenMetrics only if the header names it");
	free(text);
	return 0;
}
