// SPDX-License-Identifier: MIT
/* The columns of the page of code: which fit, and their cells. */
#include "tui/panel/code_page.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/view/code_hottest.h"
#include "tui/panel/code_cells.h"
#include "tui/widget/widget_meter.h"

#include <math.h>
#include <string.h>

enum {
	CODE_ERROR_BYTES = 16,
	BAR_WIDTH = 12,
	FUNCTION_LEAST = 27,
	BAR_WEIGHT = 10,
	SAMPLES_WEIGHT = 45,
	METRIC_WEIGHT = 90,  /* the first one; each further one is lighter */
	JUDGED_WEIGHT = 100, /* a metric that is better or worse if it is more */
	MODULE_WEIGHT = 200,
};

static void add_column(struct code_columns *columns, enum code_column_kind kind,
		       const struct view_column *column)
{
	columns->kinds[columns->n] = kind;
	columns->items[columns->n++] = *column;
}

static void add_metric(const struct code_page *page, size_t index, struct code_columns *columns)
{
	const struct metric *metric = &page->sum.columns->metrics[index];
	unsigned number = metric->def->width + (page->compares ? 2 : 1) + CODE_ERROR_WIDTH;
	unsigned rank = (unsigned)size_min(index, METRIC_WEIGHT / 2 - 1);
	struct view_column column = {
		.metric = (int)index,
		.name = metric->def->name,
		.width = text_width(metric->title) + 1, /* and the sort mark */
		.weight = (metric->def->better == METRIC_NEUTRAL ? METRIC_WEIGHT : JUDGED_WEIGHT) -
			  rank,
		.down = true,
	};

	text_copy(column.title, sizeof(column.title), metric->title);
	if (column.width < number)
		column.width = number;
	add_column(columns, CODE_COLUMN_METRIC, &column);
}

static void list_columns(const struct code_page *page, unsigned width, struct code_columns *columns)
{
	const struct columns *shown = page->sum.columns;
	const struct view_column share = {
		.name = "share",
		.title = "SHARE%",
		.width = page->compares ? CODE_DIFFERENCE_WIDTH : CODE_SHARE_WIDTH,
		.down = true,
	};
	static const struct view_column bar = {
		.name = "bar", .width = BAR_WIDTH, .weight = BAR_WEIGHT};
	static const struct view_column samples = {
		.name = "samples",
		.title = "SAMPLES",
		.width = CODE_SAMPLES_WIDTH + 1,
		.weight = SAMPLES_WEIGHT,
		.down = true,
	};
	const struct view_column module = {
		.name = "module",
		.title = "MODULE",
		.width = code_module_width(width),
		.weight = MODULE_WEIGHT,
		.left = true,
	};
	static const struct view_column function = {
		.name = "function", .title = "FUNCTION", .width = FUNCTION_LEAST, .left = true};

	columns->n = 0;
	add_column(columns, CODE_COLUMN_SHARE, &share);
	if (!page->compares)
		add_column(columns, CODE_COLUMN_BAR, &bar);
	add_column(columns, CODE_COLUMN_SAMPLES, &samples);
	for (size_t i = 0; shown && i < shown->n_shown; i++)
		if (code_page_has_metric(page, i) && columns->n + 2 < CODE_COLUMNS_MAX)
			add_metric(page, i, columns);
	add_column(columns, CODE_COLUMN_MODULE, &module);
	add_column(columns, CODE_COLUMN_FUNCTION, &function);
}

static void draw_share(const struct code_page *page, const struct code_page_line *line,
		       struct canvas *canvas, struct rect place)
{
	struct code_share share = code_page_share(page, line);
	bool clear = fabs(share.share) > 2 * share.error;
	char text[80];

	if (page->compares)
		code_difference_text(&share, canvas->ascii, text, sizeof(text));
	else
		code_share_text(&share, canvas->ascii, text, sizeof(text));
	canvas_text_right(canvas, place.x, place.y, place.width, clear ? STYLE_PLAIN : STYLE_DIM,
			  text);
}

static void draw_metric(const struct code_page *page, const struct code_page_line *line, int metric,
			struct canvas *canvas, struct rect place)
{
	const struct metric_def *def = page->sum.columns->metrics[metric].def;
	struct figure figure = code_page_figure(page, line, metric);
	struct cell cell;

	if (page->compares && line->figures)
		figure_format_difference(def, figure, line->figures[metric].value, &cell);
	else
		figure_format(def, figure, &cell);
	double error = figure_known(figure) ? code_page_error(page, line, metric) : 0;
	char text[sizeof(cell.text) + CODE_ERROR_BYTES];
	size_t length = text_copy(text, sizeof(text), cell.text);
	code_error_text(def, error, canvas->ascii, text + length, sizeof(text) - length);
	canvas_text_right(canvas, place.x, place.y, place.width, style_of_cell(cell.role), text);
}

static void draw_line(const void *data, size_t line, struct canvas *canvas,
		      const struct rect *places)
{
	const struct code_columns *columns = data;
	const struct code_page *page = columns->page;
	const struct code_page_line *shown = &page->lines[line];

	for (size_t i = 0; i < columns->n; i++) {
		struct rect place = places[i];

		if (place.width == 0)
			continue;
		switch (columns->kinds[i]) {
		case CODE_COLUMN_SHARE:
			draw_share(page, shown, canvas, place);
			break;
		case CODE_COLUMN_BAR:
			bar_draw(canvas, place.x, place.y, place.width, shown->now.share);
			break;
		case CODE_COLUMN_SAMPLES:
			code_cell_samples(canvas, place, shown->now.samples);
			break;
		case CODE_COLUMN_METRIC:
			draw_metric(page, shown, columns->items[i].metric, canvas, place);
			break;
		case CODE_COLUMN_MODULE:
			code_cell_module(canvas, place, shown->function);
			break;
		case CODE_COLUMN_FUNCTION:
			code_cell_function(canvas, place, shown->function);
			break;
		}
	}
}

struct table_rows code_page_rows(const struct code_page *page, unsigned width,
				 struct code_columns *columns)
{
	const char *sort = page->sort[0] ? page->sort : "share";
	size_t sorted = 0;

	columns->page = page;
	list_columns(page, width, columns);
	while (sorted < columns->n && strcmp(columns->items[sorted].name, sort) != 0)
		sorted++;
	return (struct table_rows){
		.columns = columns->items,
		.n_columns = columns->n,
		.n = page->n,
		.sorted = sorted,
		.reverse = page->reverse,
		.still = true, /* left and right are for the tabs */
		.draw = draw_line,
		.data = columns,
	};
}

void code_page_draw(struct code_page *page, struct canvas *canvas, struct rect rect,
		    const char *empty)
{
	struct code_columns columns;
	struct table_rows rows = code_page_rows(page, rect.width, &columns);

	table_draw(&page->table, canvas, rect, &rows, empty);
}
