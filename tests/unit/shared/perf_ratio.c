// SPDX-License-Identifier: MIT
#include "tests/unit/shared/perf_ratio.h"

#include "core/base/figure_mark.h"

/* perf's units of ratios, each with a built-in metric (its last form) or a formula. */
static const struct {
	const char *unit, *metric, *expression;
} perf_ratios[] = {
	{"GHz", "ghz", NULL},
	{"insn per cycle", "ipc", NULL},
	{"stalled cycles per insn", NULL,
	 "max(stalled-cycles-frontend, stalled-cycles-backend) / instructions"},
	{"stalled backend cycles per insn", NULL, "stalled-cycles-backend / instructions"},
	{"stalled frontend cycles per insn", NULL, "stalled-cycles-frontend / instructions"},
	{"% frontend cycles idle", "stalled_frontend_percent", NULL},
	{"% backend cycles idle", "stalled_backend_percent", NULL},
	{"% of all branches", "branch_miss_percent", NULL},
	{"% of all cache refs", "cache_miss_percent", NULL},
	{"% of all LL-cache accesses", "llc_miss_percent", NULL},
	{"% of all L1-dcache accesses", "l1d_miss_percent", NULL},
	{"% of all L1-icache accesses", NULL, "100 * L1-icache-load-misses / L1-icache-loads"},
	{"% of all dTLB cache accesses", NULL, "100 * dTLB-load-misses / dTLB-loads"},
	{"% of all iTLB cache accesses", NULL, "100 * iTLB-load-misses / iTLB-loads"},
	{"CPUs utilized", NULL, "cpu_time_s / interval_s"},
	{"G/sec", NULL, "'%s' / cpu_time_s / 1e9"}, /* of the event of the line */
	{"M/sec", NULL, "'%s' / cpu_time_s / 1e6"},
	{"K/sec", NULL, "'%s' / cpu_time_s / 1e3"},
	{"/sec", NULL, "'%s' / cpu_time_s"},
};

static void perf_ratio_expression(const char *unit, const char *event, char *expression,
				  size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(perf_ratios); i++) {
		const char *found = perf_ratios[i].expression;

		if (strcmp(perf_ratios[i].unit, unit) != 0)
			continue;
		if (perf_ratios[i].metric) {
			const struct metric_def *def = metric_def_find(perf_ratios[i].metric);

			found = def->forms[metric_def_form(def, 0, 0)].expression;
		}
		const char *native = strstr(found, "%s");
		snprintf(expression, size, "%.*s%s%s", native ? (int)(native - found) : (int)size,
			 found, native ? event : "", native ? native + 2 : "");
		return;
	}
	fail_msg("unknown unit of perf: '%s'", unit);
}

struct figure perf_ratio_check(const struct counted *counted, const char *machine,
			       const char *event, const char *printed)
{
	size_t length = strspn(printed, "0123456789.");
	const char *point = memchr(printed, '.', length);
	unsigned decimals = point ? (unsigned)(printed + length - point - 1) : 0;
	const char *unit = printed + length + (printed[length] == ' ');
	char expression[256], text[64];
	struct metric_def def = {.name = "perf", .forms = {{.expression = expression}}};
	struct event_set events = counted->events; /* the expression adds no event */
	struct metric metric;
	struct error err = {0};

	perf_ratio_expression(unit, event, expression, sizeof(expression));
	if (metric_compile(&def, 0, &events, &metric, &err) < 0)
		fail_msg("%s: %s", machine, err.text);
	struct figure figure = sample_eval(&metric, &counted->input, counted->interval_s);
	metric_fini(&metric);
	if (!figure_known(figure))
		fail_msg("%s: %s is %s", machine, printed, figure_state_name(figure.state));
	text_fixed(text, sizeof(text), figure.value, decimals);
	if (strncmp(text, printed, length) != 0 || text[length] != '\0')
		fail_msg("%s: %s, not %s", machine, text, printed);
	return figure;
}
