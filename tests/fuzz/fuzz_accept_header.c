// SPDX-License-Identifier: MIT
/* An Accept header: one of the dialects, and never OpenMetrics where its name is not in there. */
#include "tests/fuzz/fuzz.h"

#include "core/output/accept_header.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	char *text = fuzz_text(&bytes);
	enum metrics_export_dialect dialect = accept_header_dialect(text);

	fuzz_check(dialect == METRICS_EXPORT_OPENMETRICS || dialect == METRICS_EXPORT_PROMETHEUS,
		   "it is one of the dialects");
	fuzz_check(dialect == METRICS_EXPORT_PROMETHEUS ||
			   strcasestr(text, "application/openmetrics-text"),
		   "OpenMetrics is for those who name it");
	free(text);
	return 0;
}
