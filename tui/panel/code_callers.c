// SPDX-License-Identifier: MIT
/*
 * Two lists below each other that scroll together: a line is a heading, a caller or a callee. The
 * function is found again in each sum by its name, because its index changes.
 */
#include "tui/panel/code_callers.h"

#include "core/base/figure_mark.h"
#include "core/base/text.h"
#include "core/base/util.h"
#include "core/view/code_name.h"
#include "tui/panel/code_cells.h"

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
	callers->of_profile = page->sum.columns && columns_of_profile(page->sum.columns);
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

size_t code_callers_lines(const struct code_callers *callers)
{
	return callees_line(&callers->edges) + 1 + callers->edges.n_callees;
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

static void append(char *text, size_t size, const char *more)
{
	size_t length = strlen(text);

	text_copy(text + length, size - length, more);
}

/*
 * "Callers of f, of 2,388 samples; 12 have none (no frame pointers)". If there is no room, the name
 * is shortened, and the reason left out.
 */
static void write_callers(const struct code_callers *callers, bool named, unsigned width,
			  char *text, size_t size)
{
	const char *why = callers->of_profile ? " (no call chain)" : " (no frame pointers)";
	char rest[160], samples[40], alone[40], name[400];
	uint64_t n_alone = samples_alone(&callers->edges);

	text_grouped(samples, sizeof(samples), callers->edges.samples);
	text_grouped(alone, sizeof(alone), n_alone);
	snprintf(rest, sizeof(rest), ", of %s samples%s%s%s", samples, n_alone ? "; " : "",
		 n_alone ? alone : "", n_alone ? " have none" : "");
	text_copy(text, size, "Callers");
	if (named) {
		append(text, size, " of ");
		unsigned used = text_width(text) + text_width(rest);
		code_name(callers->name, used < width ? width - used : 0, name, sizeof(name));
		append(text, size, name);
	}
	append(text, size, rest);
	if (n_alone && text_width(text) + text_width(why) <= width)
		append(text, size, why);
}

static void draw_heading(const struct code_callers *callers, bool of_callers, bool named,
			 struct canvas *canvas, struct rect place)
{
	char text[640];

	if (of_callers)
		write_callers(callers, named, place.width, text, sizeof(text));
	else
		text_copy(text, sizeof(text), "Callees, and the function itself");
	canvas_fill(canvas, place, STYLE_HEADER);
	canvas_text_ellipsis(canvas, place.x, place.y, place.width, STYLE_HEADER, text);
}

static void draw_share(const struct code_share *share, struct canvas *canvas, struct rect place)
{
	char text[80];
	size_t length = text_copy(text, sizeof(text), figure_mark(FIGURE_SCALED));

	code_share_text(share, canvas->ascii, text + length, sizeof(text) - length);
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

static void draw_line(const void *data, size_t line, struct canvas *canvas,
		      const struct rect *place)
{
	const struct code_callers *callers = data;
	const struct code_edges *edges = &callers->edges;
	const struct code_edge *edge = edge_at(edges, line);
	bool is_caller = line < callees_line(edges);

	if (edge)
		draw_edge(edge, is_caller, canvas, *place);
	else if (line == 0 || line == callees_line(edges))
		draw_heading(callers, is_caller, callers->named, canvas, *place);
}

/* Without columns: it has headings among its lines. */
static struct table_rows rows_of(const struct code_callers *callers)
{
	return (struct table_rows){
		.n = callers->edges.samples ? code_callers_lines(callers) : 0,
		.draw = draw_line,
		.data = callers,
	};
}

void code_callers_draw(struct code_callers *callers, struct canvas *canvas, struct rect rect,
		       bool named)
{
	struct table_rows rows = rows_of(callers);

	callers->named = named;
	if (rows.n == 0 && named && rect.height > 0) {
		rect.height--;
		draw_heading(callers, true, true, canvas,
			     (struct rect){rect.x, rect.y++, rect.width, 1});
	}
	table_draw(&callers->table, canvas, rect, &rows, "It has no sample of this event.");
}

size_t code_callers_at(const struct code_callers *callers, unsigned x, unsigned y)
{
	struct table_rows rows = rows_of(callers);
	size_t line;
	bool is_line = table_at(&callers->table, &rows, x, y, &line) == TABLE_LINE;

	return is_line && edge_at(&callers->edges, line) ? line : SIZE_MAX;
}
