// SPDX-License-Identifier: MIT
/*
 * The table of formats. text, csv and json append a view of each refresh. openmetrics and
 * prometheus keep an export between refreshes and replace the whole text, since their counters are
 * sums of the run. folded prints the stacks of the run at its end. The contract is in
 * batch_format.h.
 */
#include "core/output/batch_format.h"

#include "core/base/util.h"
#include "core/output/metrics_export.h"
#include "core/output/out_csv.h"
#include "core/output/out_folded.h"
#include "core/output/out_json.h"
#include "core/output/out_text.h"

#include <stdlib.h>
#include <string.h>

static void write_text(void *kept, const struct view *view, FILE *out)
{
	(void)kept;
	out_text(view, out);
}

static void write_json(void *kept, const struct view *view, FILE *out)
{
	(void)kept;
	out_json(view, out);
}

static void *begin_csv(size_t top)
{
	(void)top; /* part of the view */
	return csv_new();
}

static void write_csv(void *kept, const struct view *view, FILE *out)
{
	out_csv(kept, view, out);
}

static void end_csv(void *kept)
{
	csv_free(kept);
}

static void *begin_exposition(size_t top)
{
	return metrics_export_new(top);
}

/* A summary of exported intervals contains nothing new. */
static void replace_text(struct metrics_export *export, const struct snapshot *snapshot,
			 enum metrics_export_dialect dialect, FILE *out)
{
	size_t size;

	if (snapshot->run && metrics_export_is_of_intervals(export))
		return;
	metrics_export_add(export, snapshot);
	char *text = metrics_export_text(export, dialect, &size);
	fwrite(text, 1, size, out);
	free(text);
}

static void replace_openmetrics(void *kept, const struct snapshot *snapshot, FILE *out)
{
	replace_text(kept, snapshot, METRICS_EXPORT_OPENMETRICS, out);
}

static void replace_prometheus(void *kept, const struct snapshot *snapshot, FILE *out)
{
	replace_text(kept, snapshot, METRICS_EXPORT_PROMETHEUS, out);
}

static void end_exposition(void *kept)
{
	metrics_export_free(kept);
}

static void *begin_folded(size_t top)
{
	(void)top; /* stacks have no order to cut */
	return folded_new(0);
}

static void write_folded(void *kept, const struct view *view, FILE *out)
{
	(void)out;
	folded_add(kept, view);
}

static void finish_folded(void *kept, FILE *out)
{
	out_folded(kept, out);
}

static void end_folded(void *kept)
{
	folded_free(kept);
}

const struct batch_format batch_formats[] = {
	{.name = "text", .functions = true, .write = write_text},
	{.name = "csv",
	 .leaves_notes = true,
	 .functions = true,
	 .begin = begin_csv,
	 .write = write_csv,
	 .end = end_csv},
	{.name = "json", .functions = true, .write = write_json},
	{.name = "folded",
	 .leaves_notes = true,
	 .functions = true,
	 .only_functions = true,
	 .begin = begin_folded,
	 .write = write_folded,
	 .finish = finish_folded,
	 .end = end_folded},
	{.name = "openmetrics",
	 .top = METRICS_EXPORT_TOP,
	 .begin = begin_exposition,
	 .replace = replace_openmetrics,
	 .end = end_exposition},
	{.name = "prometheus",
	 .top = METRICS_EXPORT_TOP,
	 .begin = begin_exposition,
	 .replace = replace_prometheus,
	 .end = end_exposition},
};

const size_t batch_formats_n = ARRAY_SIZE(batch_formats);

const struct batch_format *batch_format_find(const char *name)
{
	for (size_t i = 0; i < batch_formats_n; i++)
		if (strcmp(batch_formats[i].name, name) == 0)
			return &batch_formats[i];
	return NULL;
}

const struct batch_format *batch_format_for(const struct batch_format *format, const char *path)
{
	static const char ending[] = ".prom";
	size_t length = path ? strlen(path) : 0;

	if (format->replace != replace_openmetrics || length < sizeof(ending) ||
	    strcmp(path + length - strlen(ending), ending) != 0)
		return format;
	return batch_format_find("prometheus");
}
