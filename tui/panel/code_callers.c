// SPDX-License-Identifier: MIT
/*
 * Two lists below each other that scroll together: a line is a heading, a caller or a callee. The
 * function is found again in each sum by its name, because its index changes.
 */
#include "tui/panel/code_callers.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "tui/panel/code_cells.h"
#include "tui/widget/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODULE_FROM = 60 }; /* columns of a list with modules */

void code_callers_close(struct code_callers *callers)
{
	code_edges_fini(&callers->edges);
	free(callers->name);
	free(callers->module);
	*callers = (struct code_callers){0};
}

static uint32_t find_function(const struct code_page *page, uint64_t id)
{
	const struct code_profile *profile = page->sum.profile;

	for (size_t i = 0; profile && i < profile->n_functions; i++)
		if (code_page_id(&profile->functions[i]) == id)
			return (uint32_t)i;
	return UINT32_MAX;
}

void code_callers_update(struct code_callers *callers, const struct code_page *page)
{
	if (!callers->function)
		return;
	code_edges_fini(&callers->edges);
	callers->id = find_function(page, callers->function);
	if (callers->id != UINT32_MAX)
		code_edges_init(&page->view, callers->id, page->event, &callers->edges);
}

void code_callers_open(struct code_callers *callers, const struct code_page *page,
		       const struct code_function *function)
{
	/* The function may be one of these edges. */
	char *name = xstrdup(function->name), *module = xstrdup(function->module);
	uint64_t id = code_page_id(function);

	code_callers_close(callers);
	*callers = (struct code_callers){
		.function = id,
		.name = name,
		.module = module,
		.table = {.selected = 1}, /* the first caller */
	};
	code_callers_update(callers, page);
}

/* The lines: a heading, callers, a blank line, a heading, callees. */
static size_t callees_line(const struct code_edges *edges)
{
	return edges->n_callers + 2;
}

static size_t n_lines(const struct code_edges *edges)
{
	return callees_line(edges) + 1 + edges->n_callees;
}

static const struct code_edge *edge_at(const struct code_edges *edges, size_t line)
{
	size_t callees = callees_line(edges) + 1;

	if (line >= 1 && line <= edges->n_callers)
		return &edges->callers[line - 1];
	if (line >= callees && line - callees < edges->n_callees)
		return &edges->callees[line - callees];
	return NULL;
}

const struct code_function *code_callers_selected(const struct code_callers *callers)
{
	const struct code_edge *edge = edge_at(&callers->edges, callers->table.selected);

	return edge ? edge->function : NULL;
}

static uint64_t samples_alone(const struct code_edges *edges)
{
	for (size_t i = 0; i < edges->n_callers; i++)
		if (!edges->callers[i].function)
			return edges->callers[i].share.samples;
	return 0;
}

static void write_heading(const struct code_edges *edges, bool callers, char *text, size_t size)
{
	char samples[40], alone[40];

	text_grouped(samples, sizeof(samples), edges->samples);
	text_grouped(alone, sizeof(alone), samples_alone(edges));
	if (callers)
		snprintf(text, size, "Callers, of %s samples; %s have none (no frame pointers)",
			 samples, alone);
	else
		text_copy(text, size, "Callees, and the function itself");
}

static void draw_share(const struct code_share *share, struct canvas *canvas, struct rect place)
{
	char text[80] = "~";

	code_share_text(share, canvas->ascii, text + 1, sizeof(text) - 1);
	canvas_text_right(canvas, place.x, place.y, place.width, STYLE_SCALED, text);
}

static void draw_edge(const struct code_edge *edge, bool caller, struct canvas *canvas,
		      struct rect rect)
{
	const struct code_function *function = edge->function;
	unsigned end = rect.x + rect.width;
	struct rect place = {rect.x, rect.y, CODE_SHARE_WIDTH + 1, 1};

	draw_share(&edge->share, canvas, place);
	place.x += place.width + 1;
	place.width = CODE_SAMPLES_WIDTH;
	code_cell_samples(canvas, place, edge->share.samples);
	place.x += place.width + 1;
	if (rect.width >= MODULE_FROM) {
		place.width = code_module_width(rect.width);
		if (function)
			code_cell_module(canvas, place, function);
		place.x += place.width + 1;
	}
	if (place.x >= end)
		return;
	place.width = end - place.x;
	if (function)
		code_cell_function(canvas, place, function);
	else
		canvas_text(canvas, place.x, place.y, place.width, STYLE_DIM,
			    caller ? "(no caller is known)" : "(itself)");
}

static void draw_line(const struct code_edges *edges, size_t line, struct canvas *canvas,
		      struct rect place)
{
	const struct code_edge *edge = edge_at(edges, line);
	bool caller = line < callees_line(edges);
	char text[160];

	if (edge) {
		draw_edge(edge, caller, canvas, place);
	} else if (line == 0 || line == callees_line(edges)) {
		write_heading(edges, caller, text, sizeof(text));
		canvas_fill(canvas, place, STYLE_HEADER);
		canvas_text_ellipsis(canvas, place.x, place.y, place.width, STYLE_HEADER, text);
	}
}

void code_callers_draw(struct code_callers *callers, struct canvas *canvas, struct rect rect)
{
	const struct code_edges *edges = &callers->edges;
	struct table *table = &callers->table;

	if (edges->samples == 0) {
		struct pen pen = {canvas, rect, 0, 0};

		table_settle(table, 0, rect.height);
		pen_wrap(&pen, 0, STYLE_DIM, "It has no sample of this event.");
		return;
	}
	table_settle(table, n_lines(edges), rect.height);
	table->place = rect;
	for (size_t i = 0; i < table->page && table->top + i < table->n; i++) {
		struct rect place = {rect.x, rect.y + (unsigned)i, rect.width, 1};

		draw_line(edges, table->top + i, canvas, place);
		if (table->top + i == table->selected)
			canvas_select(canvas, place);
	}
}
