// SPDX-License-Identifier: MIT
/* The columns of the page of code: which fit, and their cells. */
#include "tui/panel/code_page.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/view/code_hottest.h"
#include "tui/panel/code_cells.h"
#include "tui/widget/page.h"
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

static void add_metric(const struct code_page *page, size_t index, struct code_column *column)
{
	const struct metric *metric = &page->sum.columns->metrics[index];
	unsigned number = metric->def->width + (page->compares ? 2 : 1) + CODE_ERROR_WIDTH;
	unsigned rank = (unsigned)size_min(index, METRIC_WEIGHT / 2 - 1);

	*column = (struct code_column){
		.kind = CODE_COLUMN_METRIC,
		.metric = (int)index,
		.name = metric->def->name,
		.title = metric->title,
		.width = text_width(metric->title) + 1, /* and the sort mark */
		.weight = (metric->def->better == METRIC_NEUTRAL ? METRIC_WEIGHT : JUDGED_WEIGHT) -
			  rank,
	};
	if (column->width < number)
		column->width = number;
}

static size_t list_columns(const struct code_page *page, unsigned width,
			   struct code_column *columns)
{
	const struct columns *shown = page->sum.columns;
	size_t n = 0;

	columns[n++] = (struct code_column){
		.kind = CODE_COLUMN_SHARE,
		.name = "share",
		.title = "SHARE%",
		.width = page->compares ? CODE_DIFFERENCE_WIDTH : CODE_SHARE_WIDTH,
	};
	if (!page->compares)
		columns[n++] = (struct code_column){
			.kind = CODE_COLUMN_BAR,
			.name = "bar",
			.title = "",
			.width = BAR_WIDTH,
			.weight = BAR_WEIGHT,
		};
	columns[n++] = (struct code_column){
		.kind = CODE_COLUMN_SAMPLES,
		.name = "samples",
		.title = "SAMPLES",
		.width = CODE_SAMPLES_WIDTH + 1,
		.weight = SAMPLES_WEIGHT,
	};
	for (size_t i = 0; shown && i < shown->n_shown; i++)
		if (code_page_has_metric(page, i) && n + 2 < CODE_COLUMNS_MAX)
			add_metric(page, i, &columns[n++]);
	columns[n++] = (struct code_column){
		.kind = CODE_COLUMN_MODULE,
		.name = "module",
		.title = "MODULE",
		.width = code_module_width(width),
		.weight = MODULE_WEIGHT,
		.left = true,
	};
	columns[n++] = (struct code_column){
		.kind = CODE_COLUMN_FUNCTION,
		.name = "function",
		.title = "FUNCTION",
		.width = FUNCTION_LEAST,
		.left = true,
	};
	return n;
}

static struct code_column *lightest_column(struct code_column *columns, size_t n)
{
	struct code_column *lightest = NULL;

	for (size_t i = 0; i < n; i++)
		if (columns[i].width && columns[i].weight &&
		    (!lightest || columns[i].weight < lightest->weight))
			lightest = &columns[i];
	return lightest;
}

size_t code_page_columns(const struct code_page *page, unsigned width, struct code_column *columns)
{
	size_t n = list_columns(page, width, columns);
	struct code_column *function = &columns[n - 1];
	unsigned used = 0;

	for (size_t i = 0; i < n; i++)
		used += columns[i].width + (i > 0);
	while (used > width) {
		struct code_column *lightest = lightest_column(columns, n);

		if (!lightest)
			break;
		used -= lightest->width + 1;
		lightest->width = 0;
	}
	if (used <= width)
		function->width += width - used;
	else
		function->width -= (unsigned)size_min(used - width, function->width);
	return n;
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

static void draw_metric(const struct code_page *page, const struct code_page_line *line,
			const struct code_column *column, struct canvas *canvas, struct rect place)
{
	const struct metric_def *def = page->sum.columns->metrics[column->metric].def;
	struct figure figure = code_page_figure(page, line, column->metric);
	struct cell cell;

	if (page->compares && line->figures)
		figure_format_difference(def, figure, line->figures[column->metric].value, &cell);
	else
		figure_format(def, figure, &cell);
	double error = figure_known(figure) ? code_page_error(page, line, column->metric) : 0;
	char text[sizeof(cell.text) + CODE_ERROR_BYTES];
	size_t length = text_copy(text, sizeof(text), cell.text);
	code_error_text(def, error, canvas->ascii, text + length, sizeof(text) - length);
	canvas_text_right(canvas, place.x, place.y, place.width, style_of_cell(cell.role), text);
}

static void draw_code_cell(const struct code_page *page, const struct code_page_line *line,
			   const struct code_column *column, struct canvas *canvas,
			   struct rect place)
{
	switch (column->kind) {
	case CODE_COLUMN_SHARE:
		draw_share(page, line, canvas, place);
		break;
	case CODE_COLUMN_BAR:
		bar_draw(canvas, place.x, place.y, place.width, line->now.share);
		break;
	case CODE_COLUMN_SAMPLES:
		code_cell_samples(canvas, place, line->now.samples);
		break;
	case CODE_COLUMN_METRIC:
		draw_metric(page, line, column, canvas, place);
		break;
	case CODE_COLUMN_MODULE:
		code_cell_module(canvas, place, line->function);
		break;
	case CODE_COLUMN_FUNCTION:
		code_cell_function(canvas, place, line->function);
		break;
	}
}

/* Shares end in a blank, and so does their title, where the mark is. */
static void draw_title(const struct code_page *page, const struct code_column *column,
		       struct canvas *canvas, struct rect place)
{
	bool sorts = strcmp(page->sort[0] ? page->sort : "share", column->name) == 0;
	bool down = page->reverse == code_page_sorts_by_text(page);
	enum table_sort sort = !sorts ? TABLE_UNSORTED : down ? TABLE_DOWN : TABLE_UP;

	if (column->kind == CODE_COLUMN_SHARE && !sorts && place.width > 1)
		place.width--;
	table_title_draw(canvas, place, column->left, column->title, sort);
}

/* The titles, if line is NULL. */
static void draw_code_line(const struct code_page *page, const struct code_page_line *line,
			   const struct code_column *columns, size_t n, struct canvas *canvas,
			   struct rect rect)
{
	unsigned x = rect.x, end = rect.x + rect.width;

	for (size_t i = 0; i < n && x < end; i++) {
		struct rect place = {x, rect.y, columns[i].width, 1};

		if (columns[i].width == 0)
			continue;
		if (place.width > end - x)
			place.width = end - x;
		x += columns[i].width + 1;
		if (line)
			draw_code_cell(page, line, &columns[i], canvas, place);
		else
			draw_title(page, &columns[i], canvas, place);
	}
}

void code_page_draw(struct code_page *page, struct canvas *canvas, struct rect rect,
		    const char *empty)
{
	struct code_column columns[CODE_COLUMNS_MAX];
	size_t n = code_page_columns(page, rect.width, columns);
	struct table *table = &page->table;

	table->width = rect.width;
	table->place = rect;
	if (rect.height > 1) {
		canvas_fill(canvas, (struct rect){rect.x, rect.y, rect.width, 1}, STYLE_HEADER);
		draw_code_line(page, NULL, columns, n, canvas, rect);
		rect.y++;
		rect.height--;
	}
	table_settle(table, page->n, rect.height);
	for (size_t i = 0; i < table->page && table->top + i < page->n; i++) {
		struct rect place = {rect.x, rect.y + (unsigned)i, rect.width, 1};

		draw_code_line(page, &page->lines[table->top + i], columns, n, canvas, place);
		if (table->top + i == table->selected && !page->is_aside)
			canvas_select(canvas, place);
	}
	if (page->n == 0) {
		struct pen pen = {canvas, rect, 0, 0};

		pen_wrap(&pen, 0, STYLE_DIM, empty);
	}
}
