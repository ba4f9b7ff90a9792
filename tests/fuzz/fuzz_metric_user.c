// SPDX-License-Identifier: MIT
/* Metrics of the user: NAME=EXPRESSION with settings, and names of events. */
#include "tests/fuzz/fuzz.h"

#include "core/base/text.h"
#include "core/metric/metric.h"
#include "core/metric/metric_event.h"
#include "core/metric/metric_user.h"

#include <errno.h>

static void check_shown(const struct metric_def *def)
{
	fuzz_check(fuzz_is_printable(def->title) && fuzz_is_printable(def->unit) &&
			   fuzz_is_printable(def->help),
		   "shown texts are printable");
	fuzz_check(text_width(def->title) <= METRIC_TITLE_MAX, "a title fits a column");
	fuzz_check(def->width > def->decimals + 1, "a figure fits its column");
}

static void check_copy(const struct metric_def *def)
{
	struct metric_def copy;

	metric_def_copy(&copy, def);
	fuzz_check(strcmp(copy.forms[0].expression, def->forms[0].expression) == 0,
		   "a copy is equal");
	metric_def_fini(&copy);
}

static void check_refusal(int result, const struct metric_def *def, const struct error *err)
{
	fuzz_check(result == -EINVAL || result == -E2BIG, "-EINVAL or -E2BIG");
	fuzz_check(err->code == result && err->text[0], "a refusal has a text");
	fuzz_check(fuzz_is_printable(err->text), "the text is printable");
	fuzz_check(!def->name && !def->forms[0].expression, "a refused metric is empty");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	char *text = fuzz_text(&bytes);
	struct metric_def def;
	struct error err = {0};
	int result = metric_def_parse(text, &def, &err);

	if (result == 0) {
		fuzz_check(!metric_def_find(def.name), "no built-in metric is redefined");
		fuzz_check(def.better == METRIC_NEUTRAL || def.warn != def.bad,
			   "thresholds differ");
		fuzz_check(metric_check(def.name, def.forms[0].expression, &err) == 0,
			   "the expression is valid");
		check_shown(&def);
		check_copy(&def);
	} else {
		check_refusal(result, &def, &err);
	}
	metric_def_fini(&def);

	err = (struct error){0};
	result = metric_def_of_event(text, &def, &err);
	if (result == 0) {
		fuzz_check(strcmp(def.name, text) == 0, "an event's column has its name");
		fuzz_check(def.title[0] != '\0', "a column has a title");
		fuzz_check(metric_check("event", def.forms[0].expression, &err) == 0,
			   "an event's name can be quoted");
		check_shown(&def);
		check_copy(&def);
	} else {
		check_refusal(result, &def, &err);
	}
	metric_def_fini(&def);
	free(text);
	return 0;
}
