// SPDX-License-Identifier: MIT
/* The contract is in out_value.h. Numbers do not depend on the locale (core/base/text.h). */
#include "core/output/out_value.h"

#include "core/base/figure_mark.h"
#include "core/base/text.h"
#include "core/base/util.h"
#include "core/sys/proc.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct figure out_event_figure(const struct out_counts_of *counts, size_t event)
{
	const struct metric_input input = {
		.events = &counts->columns->events,
		.plan = counts->columns->plan,
		.tally = counts->tally,
		.machine = counts->machine,
		.lost = counts->lost,
		.doubt = counts->doubt,
	};

	if (counts->scaled)
		return counts->scaled[event].figure;
	return counts->tally
		       ? metric_read_one(&counts->columns->event_readings.items[event], &input)
		       : (struct figure){.state = FIGURE_NOT_COUNTED};
}

struct figure out_metric_figure(const struct figure *figures, size_t metric)
{
	return figures ? figures[metric] : (struct figure){.state = FIGURE_NOT_COUNTED};
}

bool out_is_event(const struct columns *columns, const char *name)
{
	for (size_t i = 0; i < event_set_shown(&columns->events); i++)
		if (strcmp(event_label(&columns->events.items[i]), name) == 0)
			return true;
	return false;
}

void out_number(FILE *out, double value)
{
	char text[400];
	double magnitude = fabs(value);

	if (magnitude >= 0.001 || magnitude < 1e-300) {
		text_trimmed(text, sizeof(text), value, magnitude < 1 ? 9 : 6);
		fputs(text, out);
		return;
	}
	int exponent = (int)ceil(-log10(magnitude));
	text_trimmed(text, sizeof(text), value * pow(10, exponent), 6);
	fprintf(out, "%se-%d", text, exponent);
}

void out_metric(FILE *out, const struct metric_def *def, struct figure figure, const char *quote)
{
	if (def->format == METRIC_FORMAT_LETTER)
		fprintf(out, "%s%c%s", quote, proc_state_letter(figure.value), quote);
	else
		out_number(out, figure.value);
}

void out_seconds(FILE *out, uint64_t ns)
{
	uint64_t us = ns / NS_PER_US;

	fprintf(out, "%" PRIu64 ".%06" PRIu64, us / 1000000, us % 1000000);
}

bool out_event(FILE *out, const struct out_counts_of *counts, size_t event)
{
	const struct columns *columns = counts->columns;
	struct figure figure = out_event_figure(counts, event);

	if (!figure_known(figure))
		return false;
	if (columns->events.items[event].scale != 1)
		out_number(out, figure.value);
	else
		fprintf(out, "%" PRIu64, plan_count(columns->plan, counts->tally, event));
	return true;
}

static uint64_t scaled_count(const struct out_counts_of *counts, size_t event, struct figure figure)
{
	const struct columns *columns = counts->columns;
	double count = round(figure.value / columns->events.items[event].scale);

	if (figure.state == FIGURE_VALID)
		return plan_count(columns->plan, counts->tally, event);
	return count >= 0 && count < 0x1p63 ? (uint64_t)count : 0;
}

struct out_scaled out_scaled_of(const struct out_counts_of *counts, size_t event)
{
	if (counts->scaled)
		return counts->scaled[event];
	struct out_scaled scaled = {.figure = out_event_figure(counts, event)};
	scaled.known = figure_known(scaled.figure);
	if (scaled.known)
		scaled.count = scaled_count(counts, event, scaled.figure);
	return scaled;
}

bool out_scaled(FILE *out, const struct out_counts_of *counts, size_t event)
{
	double scale = counts->columns->events.items[event].scale;
	const struct out_scaled scaled = out_scaled_of(counts, event);

	if (!scaled.known)
		return false;
	if (scale != 1)
		out_number(out, (double)scaled.count * scale);
	else
		fprintf(out, "%" PRIu64, scaled.count);
	return true;
}

void out_state(FILE *out, struct figure figure)
{
	fputs(figure_state_name(figure.state), out);
	if (figure.state == FIGURE_SCALED) {
		char share[32];

		text_trimmed(share, sizeof(share), (double)figure.share, 4);
		fprintf(out, ":%s", share);
	}
}
