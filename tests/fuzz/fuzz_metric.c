// SPDX-License-Identifier: MIT
/*
 * A formula, then a row to evaluate it over. A formula that compiles has a finite figure that fits
 * its column, for any counts. Any other formula has an error text.
 */
#include "tests/fuzz/fuzz.h"

#include "core/base/text.h"
#include "core/metric/metric.h"
#include "core/view/view.h"
#include "tests/unit/shared/sample.h"

#include <errno.h>
#include <math.h>

/* Reads the state and group of each event, then the counts. At the end of the input: defaults. */
static void read_row(struct fuzz_bytes *bytes, struct event_set *events, struct plan *plan,
		     uint64_t *tally)
{
	static const enum figure_state states[] = {FIGURE_VALID, FIGURE_NOT_COUNTED,
						   FIGURE_UNSUPPORTED, FIGURE_DENIED};

	for (size_t i = TALLY_FIRST_COUNTED; i < events->n && bytes->left > 0; i++) {
		uint8_t byte = fuzz_u8(bytes);
		events->items[i].state = states[byte % ARRAY_SIZE(states)];
		if (i < plan->n_events)
			plan->counters[i].group = (byte >> 4) % SAMPLE_GROUPS;
	}
	size_t width = tally_width(&plan->shape);
	for (size_t i = 0; i < width; i++)
		tally[i] = bytes->left > 0 ? fuzz_u64(bytes) : 1000 * (width - i);
}

static void check_figure(const struct metric_def *def, struct figure figure)
{
	double share = (double)figure.share;
	struct cell cell;

	fuzz_check(isfinite(figure.value), "a figure's value is finite");
	if (figure_known(figure))
		fuzz_check(share <= 1 && (share > 0 || figure.state == FIGURE_SCALED),
			   "a known figure has a share");
	if (figure.state == FIGURE_VALID)
		fuzz_check(!(share < 1), "a valid figure was counted all the time");
	figure_format(def, figure, &cell);
	fuzz_check(fuzz_is_printable(cell.text), "a cell is printable");
	fuzz_check(text_width(cell.text) <= def->width + 1, "a figure fits its column");
}

static void check_metric(struct metric *metric, struct event_set *events, struct fuzz_bytes *bytes)
{
	struct plan *plan = sample_plan();
	struct metric_readings readings = {0};
	uint8_t flags = fuzz_u8(bytes);
	/* In a block of its size, so that sanitizers find wrong indices. */
	uint64_t *tally = xcalloc(tally_width(&plan->shape), sizeof(*tally));
	struct metric_input input = {
		.events = events,
		.plan = plan,
		.tally = tally,
		.lost = flags >> 7,
	};

	read_row(bytes, events, plan, tally);
	check_figure(metric->def, sample_eval(metric, &input, (flags & 0x7F) / 10.0));
	metric_read_events(&readings, events, plan);
	for (size_t i = 0; i < readings.n; i++)
		check_figure(metric->def, metric_read_one(&readings.items[i], &input));
	metric_readings_fini(&readings);
	free(tally);
	plan_unref(plan);
}

/* Metrics that the formula may name, good ones and bad ones. */
static const struct metric_def named[] = {
	{.name = "4K_Aliasing", .forms = {{.expression = "100 * cycles / instructions"}}},
	{.name = "tma_a", .forms = {{.expression = "4K_Aliasing + 4K_Aliasing if tma_b else 1"}}},
	{.name = "tma_b", .forms = {{.expression = "nonsense"}, {.expression = "branch-misses"}}},
	{.name = "tma_c", .forms = {{.expression = "tma_a + tma_d"}}},
	{.name = "tma_d", .forms = {{.expression = "tma_c * #num_cores"}}},
	{.name = "memory", .forms = {{.expression = "memory_bytes"}}, .machine = true},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	char *expression = fuzz_text(&bytes);
	const struct metric_def def = {.name = "fuzz",
				       .title = "FUZZ",
				       .forms = {{.expression = expression}},
				       .better = METRIC_HIGHER,
				       .warn = 1,
				       .bad = 0.5,
				       .width = 6,
				       .decimals = 2};
	const struct metric_names names = {named, ARRAY_SIZE(named)};
	const struct event_context context = {.metrics = &names};
	struct event_set events;
	struct metric metric;
	struct error err = {0};

	sample_events(&events);
	events.context = &context;
	int result = metric_compile(&def, 0, &events, &metric, &err);
	if (result == 0) {
		check_metric(&metric, &events, &bytes);
	} else {
		fuzz_check(!metric.ops && metric.n_ops == 0, "a refused formula leaves nothing");
		fuzz_check(err.code == result && err.text[0], "a refusal has a text");
		fuzz_check(fuzz_is_printable(err.text), "the text is printable");
	}
	metric_fini(&metric);
	event_set_fini(&events);
	free(expression);
	return 0;
}
