// SPDX-License-Identifier: MIT
/* What is printed stands behind members of out_json(), so it begins with a comma. */
#include "core/output/out_json_code.h"

#include "core/base/json_string.h"

#include <inttypes.h>

void json_put_code(FILE *out, const struct out_code *code)
{
	const struct code_profile *profile = code->profile;

	if (!profile)
		return;
	fputs(",\"code\":{\"time\":", out);
	if (profile->n_events > 0)
		json_put_string(out, profile->events[code->time].name);
	else
		fputs("null", out);
	fputs(",\"events\":[", out);
	for (size_t i = 0; i < profile->n_events; i++) {
		fputs(i > 0 ? "," : "", out);
		json_put_string(out, profile->events[i].name);
	}
	fprintf(out, "],\"lost\":%" PRIu64 "}", profile->lost);
}

static void put_share(FILE *out, const struct code_share *share)
{
	fprintf(out, "\"samples\":%" PRIu64, share->samples);
	if (!out_share_known(share)) {
		fputs(",\"share\":null,\"error\":null", out);
		return;
	}
	fputs(",\"share\":", out);
	out_number(out, share->share);
	fputs(",\"error\":", out);
	out_number(out, share->error);
}

static void put_count(FILE *out, const struct out_functions *functions, size_t function,
		      size_t counted)
{
	const struct event_set *events = &functions->counts.columns->events;
	struct out_scaled count = {0};

	if (counted < events->n)
		count = out_function_count(functions, function, counted);
	fputs(",\"count\":", out);
	if (!count.known)
		fputs("null", out);
	else if (events->items[counted].scale != 1)
		out_number(out, (double)count.count * events->items[counted].scale);
	else
		fprintf(out, "%" PRIu64, count.count);
}

static void put_events(FILE *out, const struct out_functions *functions, size_t function)
{
	const struct code_profile *profile = functions->code.profile;

	fputs(",\"events\":{", out);
	for (size_t i = 0; i < profile->n_events; i++) {
		fputs(i > 0 ? "," : "", out);
		json_put_string(out, profile->events[i].name);
		fputs(":{", out);
		put_share(out, &functions->code.lines[function].events[i]);
		put_count(out, functions, function, profile->events[i].counted);
		fputc('}', out);
	}
	fputc('}', out);
}

void json_put_metric(FILE *out, const struct metric_def *def, struct figure figure)
{
	json_put_string(out, def->name);
	fputc(':', out);
	if (figure_known(figure))
		out_metric(out, def, figure, "\"");
	else
		fputs("null", out);
}

/* The metrics of a function, or their standard errors. */
static void put_metrics(FILE *out, const struct out_code *code,
			const struct out_functions *functions, size_t function, bool errors)
{
	const struct columns *columns = functions->counts.columns;
	bool any = false;

	fprintf(out, ",\"%s\":{", errors ? "errors" : "metrics");
	for (size_t i = 0; i < columns->n_shown; i++) {
		if (!code->metrics[i])
			continue;
		struct figure figure = out_function_figure(functions, function, i);
		if (errors)
			figure.value = out_function_error(functions, function, i);
		fputs(any ? "," : "", out);
		any = true;
		json_put_metric(out, columns->metrics[i].def, figure);
	}
	fputc('}', out);
}

static void put_function(FILE *out, const struct out_code *code,
			 const struct out_functions *functions, size_t i)
{
	const struct code_line *line = &functions->code.lines[i];

	fputs("{\"name\":", out);
	json_put_string(out, line->function->name);
	fputs(",\"module\":", out);
	json_put_string_or_null(out, line->function->module);
	fprintf(out, ",\"kind\":\"%s\",", out_code_kind(line->function->kind));
	put_share(out, &line->events[code->time]);
	put_events(out, functions, i);
	put_metrics(out, code, functions, i, false);
	put_metrics(out, code, functions, i, true);
	fputc('}', out);
}

static void put_functions(FILE *out, const struct out_code *code,
			  const struct out_functions *functions)
{
	fputs(",\"functions\":[", out);
	for (size_t i = 0; i < functions->n; i++) {
		fputs(i > 0 ? "," : "", out);
		put_function(out, code, functions, i);
	}
	fputc(']', out);
	if (code->view->spec.top > 0)
		fprintf(out, ",\"functions_left_out\":%zu", functions->code.n - functions->n);
}

void json_put_functions_of_line(FILE *out, const struct out_code *code, size_t line)
{
	struct out_functions functions;

	if (!code->profile)
		return;
	out_functions_of_line(code, line, &functions);
	put_functions(out, code, &functions);
	out_functions_fini(&functions);
}

void json_put_functions_of_sum(FILE *out, const struct out_code *code)
{
	struct out_functions functions;

	if (!code->profile)
		return;
	out_functions_of_sum(code, &functions);
	put_functions(out, code, &functions);
	out_functions_fini(&functions);
}
