// SPDX-License-Identifier: MIT
/*
 * History of the totals, on large screens: two graphs side by side, each with its scale and its
 * title on the left. Separate from frame.c, which has no history.
 */
#include "tui/panel/frame.h"

#include "core/base/util.h"
#include "core/view/view.h"
#include "tui/widget/widget_graph.h"

#include <stdlib.h>
#include <string.h>

enum { LABEL_LEAST = 7, HISTORY_GRAPHS = 2 };

static bool is_share_of_all(const struct history_key *key, const struct metric_def *def)
{
	return key->kind == HISTORY_MACHINE && strcmp(def->name, "cpu_percent") == 0;
}

/*
 * The upper end of the scale. For %CPU it means that all CPUs are busy. For other metrics, and for
 * a target, it follows the values.
 */
static double history_top(const struct snapshot *snapshot, const struct history_key *key,
			  const struct metric_def *def, const float *values, size_t n)
{
	if (is_share_of_all(key, def))
		return 100 * (double)(snapshot->n_cpus ? snapshot->n_cpus : 1);
	return graph_top(values, n, graph_least(def));
}

static void draw_metric_history(const struct snapshot *snapshot,
				const struct graph_range *graph_range, int metric,
				struct canvas *canvas, struct rect rect)
{
	const struct columns *columns = snapshot->columns;
	const struct metric_def *def = columns->metrics[metric].def;
	struct history_key key =
		history_key_of_all(snapshot->targeted ? HISTORY_TARGET : HISTORY_MACHINE);
	unsigned label = text_width(columns->metrics[metric].title) + 1;

	if (label < LABEL_LEAST)
		label = LABEL_LEAST;
	struct rect to = {rect.x + label, rect.y, rect.width - label, rect.height};
	struct graph graph = {.n = graph_values(canvas, to.width), .style = STYLE_METER_LOW};
	float *values = xcalloc(graph.n, sizeof(*values));
	char length[GRAPH_RANGE_END_BYTES];
	struct cell scale;

	graph_range_read(graph_range, &key, def->name, graph_range_step(graph_range), values,
			 &graph);
	graph.repeat = graph_range_repeat(graph_range, graph_range_step(graph_range), &graph);
	graph.top = history_top(snapshot, &key, def, values, graph.n);
	figure_format(def, (struct figure){.value = graph.top, .share = 1}, &scale);
	bool of_all =
		is_share_of_all(&key, def); /* the totals line above has the same form: CPU 24.5% */
	canvas_text(canvas, rect.x, rect.y, label - 1, STYLE_DIM, of_all ? "100%" : scale.text);
	if (rect.height > 2 &&
	    graph_range_length(graph_range, graph_range_step(graph_range), &graph, length))
		canvas_text(canvas, rect.x, rect.y + 1, label - 1, STYLE_DIM, length);
	canvas_text(canvas, rect.x, rect.y + rect.height - 1, label - 1, STYLE_LABEL,
		    of_all ? "CPU" : columns->metrics[metric].title);
	graph_draw(&graph, canvas, to);
	free(values);
}

/* The metrics of the graphs; returns their number. */
static unsigned choose_metrics(const struct columns *columns, int metrics[HISTORY_GRAPHS])
{
	static const char *const wanted[] = {"cpu_percent", "ipc", "cs_per_s", "faults_per_s"};
	unsigned n = 0;

	/* Run times of a profile are unknown, so the first counts stand for them. */
	if (columns_of_profile(columns)) {
		for (size_t i = 0; i < columns->n_shown && n < HISTORY_GRAPHS; i++)
			if (columns->metrics[i].def->kind == METRIC_COUNT &&
			    strcmp(columns->metrics[i].def->name, "samples") != 0)
				metrics[n++] = (int)i;
		return n;
	}
	for (size_t i = 0; i < ARRAY_SIZE(wanted) && n < HISTORY_GRAPHS; i++) {
		metrics[n] = columns_metric(columns, wanted[i]);
		n += metrics[n] >= 0;
	}
	return n;
}

void frame_draw_history(const struct snapshot *snapshot, const struct graph_range *graph_range,
			struct canvas *canvas, struct rect rect)
{
	int metrics[HISTORY_GRAPHS];
	unsigned n = choose_metrics(snapshot->columns, metrics);
	unsigned width = n ? rect.width / n : 0;

	if (width <= LABEL_LEAST + METRIC_TITLE_MAX || rect.height == 0)
		return;
	for (unsigned i = 0; i < n; i++)
		draw_metric_history(
			snapshot, graph_range, metrics[i], canvas,
			(struct rect){rect.x + i * width, rect.y, width - 1, rect.height});
}
