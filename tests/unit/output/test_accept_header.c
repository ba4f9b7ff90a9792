// SPDX-License-Identifier: MIT
/* Accept headers, and the dialect chosen for each. */
#include "core/output/accept_header.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define OPENMETRICS "application/openmetrics-text"

static void dialects(void **state)
{
	static const struct {
		const char *name, *accept;
		enum metrics_export_dialect want;
	} rows[] = {
		{"nothing", NULL, METRICS_EXPORT_PROMETHEUS},
		{"empty", "", METRICS_EXPORT_PROMETHEUS},
		{"curl", "*/*", METRICS_EXPORT_PROMETHEUS},
		{"a browser", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
		 METRICS_EXPORT_PROMETHEUS},
		{"Prometheus 2",
		 OPENMETRICS ";version=1.0.0," OPENMETRICS
			     ";version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
		 METRICS_EXPORT_OPENMETRICS},
		{"Prometheus 3",
		 OPENMETRICS ";version=1.0.0;escaping=allow-utf-8;q=0.6," OPENMETRICS
			     ";version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;"
			     "q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
		 METRICS_EXPORT_OPENMETRICS},
		{"Prometheus that wants protocol buffers most",
		 "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;"
		 "encoding=delimited;q=0.6," OPENMETRICS ";version=1.0.0;q=0.5,text/plain;"
		 "version=0.0.4;q=0.3",
		 METRICS_EXPORT_OPENMETRICS},
		{"only the older", "text/plain; version=0.0.4", METRICS_EXPORT_PROMETHEUS},
		{"any version", OPENMETRICS, METRICS_EXPORT_OPENMETRICS},
		{"a later version only", OPENMETRICS ";version=2.0.0", METRICS_EXPORT_PROMETHEUS},
		{"quoted", OPENMETRICS "; version=\"1.0.0\"", METRICS_EXPORT_OPENMETRICS},
		{"in capitals, with blanks", " Application/OpenMetrics-Text ; Version=1.0.0 ; Q=1 ",
		 METRICS_EXPORT_OPENMETRICS},
		{"less liked", OPENMETRICS ";q=0.3,text/plain;q=0.4", METRICS_EXPORT_PROMETHEUS},
		{"liked as much", "text/plain," OPENMETRICS, METRICS_EXPORT_OPENMETRICS},
		{"refused", OPENMETRICS ";q=0,text/html", METRICS_EXPORT_PROMETHEUS},
		{"all text", OPENMETRICS ";q=0.1,text/*;q=0.2", METRICS_EXPORT_PROMETHEUS},
		{"a weight that is none", OPENMETRICS ";q=much,text/plain;q=0.9",
		 METRICS_EXPORT_OPENMETRICS},
		{"a longer name", OPENMETRICS "s", METRICS_EXPORT_PROMETHEUS},
		{"neither", "application/json", METRICS_EXPORT_PROMETHEUS},
		{"rubbish", ",;,;;=;q=,\t,", METRICS_EXPORT_PROMETHEUS},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		print_message("# %s\n", rows[i].name);
		assert_int_equal(accept_header_dialect(rows[i].accept), rows[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dialects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
