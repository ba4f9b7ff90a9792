// SPDX-License-Identifier: MIT
/* Metrics of users and of events, and copies of all metrics. */
#include "core/metric/metric_user.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/metric/metric_event.h"
#include "core/metric/preset.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Without braces in it, a row keeps to few lines. */
#define WANT(...)           \
	{                   \
		__VA_ARGS__ \
	}
#define FORM(text) .forms = {{.expression = (text)}}

static void users_metrics(void **state)
{
	static const struct {
		const char *name, *text;
		struct metric_def want;
	} rows[] = {
		{"the least", "a=cycles",
		 WANT(.name = "a", .title = "a", FORM("cycles"), .unit = "", .help = "cycles",
		      .decimals = 2)},
		{"everything",
		 " llc_pki =  1000*LLC-load-misses / instructions ; unit = /ki;title=LLC pki; "
		 "warn=1;"
		 "bad= 10 ; decimals=3; help= loads that went to memory ",
		 WANT(.name = "llc_pki", .title = "LLC pki",
		      FORM("1000*LLC-load-misses / instructions"), .unit = "/ki",
		      .help = "loads that went to memory", .better = METRIC_LOWER, .warn = 1,
		      .bad = 10, .decimals = 3)},
		{"lower is worse", "m=ipc0;bad=-1.5;warn=1e1;",
		 WANT(.name = "m", .title = "m", FORM("ipc0"), .unit = "", .help = "ipc0",
		      .better = METRIC_HIGHER, .warn = 10, .bad = -1.5, .decimals = 2)},
		{"a long name", "stalls_of_the_memory=1;title=",
		 WANT(.name = "stalls_of_the_memory", .title = "stal~emory", FORM("1"), .unit = "",
		      .help = "1", .decimals = 2)},
		{"marks in quotes", "m='a;b=c' == 1 ; help = a=b",
		 WANT(.name = "m", .title = "m", FORM("'a;b=c' == 1"), .unit = "", .help = "a=b",
		      .decimals = 2)},
		{"the last of a setting", "m=1;unit=a;unit=b",
		 WANT(.name = "m", .title = "m", FORM("1"), .unit = "b", .help = "1",
		      .decimals = 2)},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct metric_def *want = &rows[i].want;
		struct metric_def got;
		struct error err = {0};

		if (metric_def_parse(rows[i].text, &got, &err) < 0)
			fail_msg("%s: %s", rows[i].name, err.text);
		assert_string_equal(got.name, want->name);
		assert_string_equal(got.title, want->title);
		assert_string_equal(got.forms[0].expression, want->forms[0].expression);
		assert_null(got.forms[1].expression);
		assert_string_equal(got.unit, want->unit);
		assert_string_equal(got.help, want->help);
		assert_string_equal(got.group, "own");
		assert_int_equal(got.better, want->better);
		assert_true(got.warn == want->warn && got.bad == want->bad);
		assert_int_equal(got.decimals, want->decimals);
		assert_true(got.width > got.decimals + 1);
		metric_def_fini(&got);
	}
}

static void refuses(void **state)
{
	static const struct {
		const char *name, *text, *message;
	} rows[] = {
		{"nothing", "", "Metric: '' is neither a metric nor NAME=EXPRESSION"},
		{"a name alone", "ipcc", "'ipcc' is neither a metric nor NAME=EXPRESSION"},
		{"no name", "=1", "'' is not a valid name"},
		{"a digit first", "2x=1", "'2x' is not a valid name"},
		{"a dash", "a-b=1", "'a-b' is not a valid name"},
		{"a blank", "a b=1", "'a b' is not a valid name"},
		{"33 letters", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=1", "is not a valid name"},
		{"control characters", "\x1b[2J=1", "'\xef\xbf\xbd[2J' is not a valid name"},
		{"a built-in name", "ipc=1", "'ipc' is a built-in metric"},
		{"a column's name", "pid=1", "'pid' is in use already"},
		{"a fact's name", "rss_bytes=1", "'rss_bytes' is in use already"},
		{"a variable's name", "interval_s=1", "'interval_s' is in use already"},
		{"no expression", "m=", "Metric m, position 1: expected a number"},
		{"a wrong expression", "m = (1",
		 "Metric m, position 3: expected an operator or ')'"},
		{"a quote not closed", "m='a;b", "Metric m, position 1: this quote is not closed"},
		{"no setting", "m=1;colour=red",
		 "Metric m: 'colour' is not a setting. Settings: title, unit"},
		{"no value", "m=1;title", "'title' is not SETTING=VALUE. Settings: title, unit"},
		{"a long title", "m=1;title=0123456789a", "is too long or not printable"},
		{"a title that moves the cursor", "m=1;title=\x1b[H", "not printable"},
		{"no number", "m=1;warn=x;bad=2", "'x' is not a number"},
		{"a number and more", "m=1;warn=1 2;bad=2", "'1 2' is not a number"},
		{"an empty number", "m=1;warn=;bad=2", "'' is not a number"},
		{"a huge number", "m=1;warn=1e999;bad=2", "'1e999' is not a number"},
		{"warn alone", "m=1;warn=1", "'warn' or 'bad' is missing"},
		{"bad alone", "m=1;bad=1", "'warn' or 'bad' is missing"},
		{"warn and bad alike", "m=1;bad=1;warn=1", "both are equal. Set both"},
		{"many decimals", "m=1;decimals=5", "is not a number of decimals. Use 0 to 4"},
		{"no decimals", "m=1;decimals=", "is not a number of decimals. Use 0 to 4"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct metric_def def;
		struct error err = {0};
		int code = metric_def_parse(rows[i].text, &def, &err);

		if (code != -EINVAL || err.code != code || !strstr(err.text, rows[i].message))
			fail_msg("%s: %d, \"%s\"", rows[i].name, code, err.text);
		assert_memory_equal(&def, &(struct metric_def){0}, sizeof(def));
	}
}

static void events_titles(void **state)
{
	static const struct {
		const char *event, *title;
	} rows[] = {
		{"cycles", "cycles"},
		{"cycles:u", "cycles:u"},
		{"instructions", "insn"},
		{"instructions:uk", "insn:uk"},
		{"branches", "branches"},
		{"branch-misses", "br-misses"},
		{"branch-instructions", "br-insn"},
		{"cache-references", "ca-refs"},
		{"cache-misses:k", "ca-~sses:k"},
		{"L1-dcache-load-misses", "L1d-ldmis"},
		{"L1-dcache-loads", "L1d-ld"},
		{"L1-icache-prefetch-misses", "L1i-pfmis"},
		{"LLC-loads", "LLC-loads"},
		{"LLC-store-misses", "LLC-stmis"},
		{"dTLB-load-misses", "dTLB-ldmis"},
		{"stalled-cycles-frontend", "stall-fe"},
		{"context-switches", "ctxsw"},
		{"page-faults", "faults"},
		{"cpu-migrations", "cpu-migr"},
		{"topdown-retiring", "td-retir"},
		{"topdown-fe-bound", "td-fe-bnd"},
		{"r01c2", "r01c2"},
		{"MEM_LOAD_RETIRED:L2_MISS", "L2_MISS"},
		{"MEM_LOAD_RETIRED:L2_MISS:u", "L2_MISS:u"},
		{"INST:ANY", "INST:ANY"},
		{"sched:sched_switch", "sched_sw"},
		{"sched:sched_wakeup", "sche~akeup"},
		{"power/energy-pkg/", "energy-pkg"},
		{"cpu/event=0x3c,umask=0x1/", "event=0x3~"},
		{"cpu/slots/u", "slots:u"},
		{"uncore_imc/cas_count_read/", "cas_~_read"},
		{"a/b", "a/b"},
		{"//", "//"},
		{"cpu//u", "cpu//u:u"},
		{"a:", "a:"},
		{"a_long_event:", "a_lo~vent:"},
		{"\x1b[2J", "\xef\xbf\xbd[2J"},
		{"编译器编译器编译器", "编译器编~"},
		{":", ":"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct metric_def def;
		struct error err = {0};
		char quoted[300];

		assert_int_equal(metric_def_of_event(rows[i].event, &def, &err), 0);
		snprintf(quoted, sizeof(quoted), "'%s'", rows[i].event);
		assert_string_equal(def.name, rows[i].event);
		assert_string_equal(def.forms[0].expression, quoted);
		if (strcmp(def.title, rows[i].title) != 0)
			fail_msg("%s: %s, not %s", rows[i].event, def.title, rows[i].title);
		assert_in_range(text_width(def.title), 1, METRIC_TITLE_MAX);
		assert_string_equal(def.group, "event");
		metric_def_fini(&def);
	}
}

static void no_events(void **state)
{
	char name[300];
	struct metric_def def;
	struct error err;

	(void)state;
	assert_int_equal(metric_def_of_event("", &def, &err), -EINVAL);
	assert_string_equal(err.text, "'' cannot be the name of an event.");
	assert_int_equal(metric_def_of_event("a'b", &def, &err), -EINVAL);
	memset(name, 'e', sizeof(name));
	name[256] = '\0';
	assert_int_equal(metric_def_of_event(name, &def, &err), -EINVAL);
	assert_memory_equal(&def, &(struct metric_def){0}, sizeof(def));
	name[255] = '\0';
	assert_int_equal(metric_def_of_event(name, &def, &err), 0);
	metric_def_fini(&def);
}

static void same_text(const char *copy, const char *text)
{
	if (!text) {
		assert_null(copy);
		return;
	}
	assert_ptr_not_equal(copy, text);
	assert_string_equal(copy, text);
}

static void copies_of_metrics(void **state)
{
	(void)state;
	for (size_t i = 0; i < metric_table_n; i++) {
		const struct metric_def *def = &metric_table[i];
		struct metric_def copy;

		metric_def_copy(&copy, def);
		same_text(copy.name, def->name);
		same_text(copy.title, def->title);
		same_text(copy.group, def->group);
		same_text(copy.unit, def->unit);
		same_text(copy.help, def->help);
		for (size_t k = 0; k < METRIC_FORMS_MAX; k++) {
			same_text(copy.forms[k].title, def->forms[k].title);
			same_text(copy.forms[k].expression, def->forms[k].expression);
			assert_int_equal(copy.forms[k].where, def->forms[k].where);
		}
		assert_int_equal(copy.better, def->better);
		assert_true(copy.warn == def->warn && copy.bad == def->bad);
		assert_int_equal(copy.width, def->width);
		assert_int_equal(copy.decimals, def->decimals);
		assert_int_equal(copy.machine, def->machine);
		metric_def_fini(&copy);
		metric_def_fini(&copy);
	}
}

static void copies_of_presets(void **state)
{
	(void)state;
	for (size_t i = 0; i < preset_table_n; i++) {
		const struct preset *preset = &preset_table[i];
		struct preset copy;
		size_t n = 0;

		preset_copy(&copy, preset);
		same_text(copy.name, preset->name);
		same_text(copy.help, preset->help);
		assert_int_equal(copy.leaves_out, preset->leaves_out);
		for (; preset->metrics[n]; n++)
			same_text(copy.metrics[n], preset->metrics[n]);
		assert_null(copy.metrics[n]);
		preset_fini(&copy);
		preset_fini(&copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(users_metrics),     cmocka_unit_test(refuses),
		cmocka_unit_test(events_titles),     cmocka_unit_test(no_events),
		cmocka_unit_test(copies_of_metrics), cmocka_unit_test(copies_of_presets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
