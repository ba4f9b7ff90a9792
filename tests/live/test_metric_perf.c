// SPDX-License-Identifier: MIT
/* Ratios of perf stat on this machine, computed by pmctop from perf's counts, to the last digit. */
#include "tests/unit/shared/perf_ratio.h"
#include "tests/unit/shared/signals.h"

#include <stdlib.h>

/* One line of perf stat -x, : value, unit, event, ns that it was counted, percent, ratio, unit. */
struct csv {
	double value, counted_ns;
	char event[64], printed[64];
};

static bool read_csv(const char *text, struct csv *csv)
{
	char ratio[24], unit[32];

	if (sscanf(text, "%lf,%*[^,],%63[^,],%lf,%*[^,],%23[^,],%31[^\n]", &csv->value, csv->event,
		   &csv->counted_ns, ratio, unit) != 5 &&
	    sscanf(text, "%lf,,%63[^,],%lf,%*[^,],%23[^,],%31[^\n]", &csv->value, csv->event,
		   &csv->counted_ns, ratio, unit) != 5)
		return false;
	csv->event[strcspn(csv->event, ":")] = '\0'; /* :u where the kernel is paranoid */
	snprintf(csv->printed, sizeof(csv->printed), "%s %s", ratio, unit);
	return true;
}

static void as_perf_prints_them_here(void **state)
{
	static const char command[] =
		"LC_ALL=C perf stat -x, -e task-clock,context-switches,page-faults,cpu-migrations "
		"-o /dev/stdout -- sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done' "
		"2>/dev/null";
	struct counted_event events[4] = {0};
	struct csv lines[4];
	struct counted counted;
	char text[256];
	FILE *perf = popen(command, "r");
	size_t n = 0;

	(void)state;
	assert_non_null(perf);
	while (fgets(text, sizeof(text), perf))
		if (n < ARRAY_SIZE(lines) && read_csv(text, &lines[n]))
			n++;
	pclose(perf);
	if (n < ARRAY_SIZE(lines)) {
		print_message("# skipped: perf stat does not run here\n");
		skip();
	}
	for (size_t i = 0; i < n; i++)
		events[i] = (struct counted_event){lines[i].event, lines[i].value, 1};
	counted_init(&counted, lines[0].counted_ns / (double)NS_PER_S, 1, events, n);
	/* The ratio of the first, the clock, needs a time that -x does not print. */
	for (size_t i = 1; i < n; i++)
		perf_ratio_check(&counted, "here", lines[i].event, lines[i].printed);
	counted_fini(&counted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_perf_prints_them_here),
	};

	signals_restore();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
