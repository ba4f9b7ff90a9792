// SPDX-License-Identifier: MIT
/*
 * The lines of the page of code, made anew for each sum. Functions of two sums are equal if their
 * names, modules and kinds are; ids are of one profile only. Drawing: code_page_draw.c.
 */
#include "tui/panel/code_page.h"

#include "core/base/hash_table.h"
#include "core/base/util.h"
#include "core/view/code_hint.h"
#include "core/view/code_hottest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint64_t code_page_id(const struct code_function *function)
{
	uint64_t hash = hash_text(function->name);

	hash = hash_bytes(hash, "", 1);
	hash = hash_bytes(hash, function->module, strlen(function->module));
	hash = hash_bytes(hash, &function->kind, sizeof(function->kind));
	return hash ? hash : 1;
}

static void clear_lines(struct code_page *page)
{
	page->compares = false;
	free(page->lines);
	page->lines = NULL;
	page->n = 0;
	page->hint = NULL;
	code_view_fini(&page->view);
	code_view_fini(&page->view_then);
}

void code_page_fini(struct code_page *page)
{
	clear_lines(page);
	code_sum_fini(&page->sum);
	code_sum_fini(&page->then);
	*page = (struct code_page){0};
}

size_t code_page_events(const struct code_page *page)
{
	return page->sum.profile ? page->sum.profile->n_events : 0;
}

const char *code_page_event(const struct code_page *page, size_t event)
{
	return page->sum.profile->events[event].name;
}

/* The event of the tab; that of the time if it is not sampled now. */
static unsigned find_event(const struct code_profile *profile, const char *name)
{
	size_t event = name[0] ? code_find_event(profile, name) : SIZE_MAX;

	return event == SIZE_MAX ? code_time_event(profile) : (unsigned)event;
}

static void add_line(struct code_page *page, const struct code_line *from)
{
	page->lines[page->n++] = (struct code_page_line){
		.function = from->function,
		.id = from->id,
		.now = from->events[page->event],
		.figures = from->figures,
		.errors = from->errors,
	};
}

/* Finds the functions of the baseline among the lines, and adds the others. */
static void add_lines_then(struct code_page *page, unsigned event)
{
	const struct code_view *then = &page->view_then;
	struct hash_table table;

	hash_table_init(&table, page->n);
	for (size_t i = 0; i < page->n; i++)
		hash_table_add(&table, code_page_id(page->lines[i].function))->number = i + 1;
	page->lines = xreallocarray(page->lines, page->n + then->n + 1, sizeof(*page->lines));
	for (size_t i = 0; i < then->n; i++) {
		const struct code_line *line = &then->lines[i];
		size_t found = hash_table_slot(&table, code_page_id(line->function))->number;

		if (found == 0) {
			found = ++page->n;
			page->lines[found - 1] = (struct code_page_line){
				.function = line->function,
				.id = UINT32_MAX,
			};
		}
		page->lines[found - 1].then = line->events[event];
		page->lines[found - 1].figures_then = line->figures;
		page->lines[found - 1].errors_then = line->errors;
	}
	hash_table_fini(&table);
}

struct code_share code_page_share(const struct code_page *page, const struct code_page_line *line)
{
	struct code_share share = line->now;

	if (page->compares) {
		share.share -= line->then.share;
		share.error = sqrt(line->now.error * line->now.error +
				   line->then.error * line->then.error);
	}
	return share;
}

static struct figure figure_of(const struct figure *figures, int metric)
{
	return figures ? figures[metric] : (struct figure){.state = FIGURE_UNDEFINED};
}

/* The same metric of the baseline; -1: it has none. */
static int metric_then(const struct code_page *page, int metric)
{
	return columns_metric(page->then.columns, page->sum.columns->metrics[metric].def->name);
}

struct figure code_page_figure(const struct code_page *page, const struct code_page_line *line,
			       int metric)
{
	struct figure now = figure_of(line->figures, metric);

	if (!page->compares || !figure_known(now))
		return now;
	int at = metric_then(page, metric);
	struct figure then = {.state = FIGURE_NOT_COUNTED};
	if (at >= 0)
		then = figure_of(line->figures_then, at);
	if (!figure_known(then))
		return then;
	struct figure difference = figure_of_two(now, then);
	difference.value = now.value - then.value;
	return difference;
}

double code_page_error(const struct code_page *page, const struct code_page_line *line, int metric)
{
	double now = line->errors ? line->errors[metric] : 0;
	int at = page->compares ? metric_then(page, metric) : -1;

	return at >= 0 && line->errors_then ? hypot(now, line->errors_then[at]) : now;
}

bool code_page_sorts_by_text(const struct code_page *page)
{
	return strcmp(page->sort, "module") == 0 || strcmp(page->sort, "function") == 0;
}

/* The number of a line in the order, from the largest down; unknown ones are NAN. */
static double sort_number(const struct code_page *page, const struct code_page_line *line)
{
	int metric;

	if (strcmp(page->sort, "samples") == 0)
		return (double)line->now.samples;
	metric = page->sort[0] ? columns_metric(page->sum.columns, page->sort) : -1;
	if (metric < 0)
		return code_page_share(page, line).share;
	struct figure figure = code_page_figure(page, line, metric);
	return figure_known(figure) ? figure.value : (double)NAN;
}

static int compare_names(const struct code_page *page, const struct code_function *a,
			 const struct code_function *b)
{
	int modules = strcmp(a->module, b->module), names = strcmp(a->name, b->name);

	if (strcmp(page->sort, "module") == 0 && modules)
		return page->reverse ? -modules : modules;
	if (strcmp(page->sort, "function") == 0 && names)
		return page->reverse ? -names : names;
	return names ? names : modules;
}

static int compare_lines(const void *a, const void *b, void *arg)
{
	const struct code_page_line *left = a, *right = b;
	const struct code_page *page = arg;
	bool by_text = code_page_sorts_by_text(page);
	double first = by_text ? 0 : sort_number(page, left);
	double second = by_text ? 0 : sort_number(page, right);

	if (isnan(first) != isnan(second))
		return isnan(first) ? 1 : -1;
	if (first < second || first > second)
		return (first < second) != page->reverse ? 1 : -1;
	return compare_names(page, left->function, right->function);
}

static void sort_lines(struct code_page *page)
{
	if (page->n > 0)
		qsort_r(page->lines, page->n, sizeof(*page->lines), compare_lines, page);
	if (!page->followed)
		return;
	for (size_t i = 0; i < page->n; i++)
		if (code_page_id(page->lines[i].function) == page->followed) {
			page->table.selected = i;
			page->table.n = page->n; /* table_settle() then keeps the line */
		}
}

/* Counts of other privilege levels cannot be compared, and neither an event without samples. */
static void find_then(struct code_page *page)
{
	const struct code_sum *then = &page->then;
	const char *name = code_page_event(page, page->event);
	size_t event = then->columns ? code_find_event(then->profile, name) : SIZE_MAX;

	page->compares = event != SIZE_MAX && then->columns->levels == page->sum.columns->levels;
	if (!page->compares)
		return;
	code_sum_view(then, page->kind, (unsigned)event, &page->view_then);
	add_lines_then(page, (unsigned)event);
}

/* Whether a function has a figure: until then a column has no use. */
static bool has_figure(const struct code_page *page, size_t metric)
{
	for (size_t i = 0; i < page->n; i++)
		if (figure_known(code_page_figure(page, &page->lines[i], (int)metric)))
			return true;
	return false;
}

bool code_page_has_metric(const struct code_page *page, size_t metric)
{
	uint64_t name = hash_text(page->sum.columns->metrics[metric].def->name);

	for (size_t i = 0; i < page->n_metrics; i++)
		if (page->metrics[i] == name)
			return true;
	return false;
}

static void add_metrics(struct code_page *page)
{
	const struct columns *columns = page->sum.columns;

	for (size_t i = 0; i < columns->n_shown && page->n_metrics < CODE_METRICS_MAX; i++) {
		const struct metric_def *def = columns->metrics[i].def;

		if (!def->machine && !code_page_has_metric(page, i) &&
		    code_has_metric(page->sum.profile, columns, i) && has_figure(page, i))
			page->metrics[page->n_metrics++] = hash_text(def->name);
	}
}

static void make_lines(struct code_page *page)
{
	clear_lines(page);
	if (!page->sum.columns)
		return;
	page->event = find_event(page->sum.profile, page->event_name);
	code_sum_view(&page->sum, page->kind, page->event, &page->view);
	page->lines = xcalloc(page->view.n + 1, sizeof(*page->lines));
	for (size_t i = 0; i < page->view.n; i++)
		if (page->view.lines[i].events[page->event].samples > 0)
			add_line(page, &page->view.lines[i]);
	page->hint = code_hint(page->sum.profile, page->event);
	find_then(page);
	add_metrics(page);
	sort_lines(page);
}

void code_page_show(struct code_page *page, enum history_kind kind, struct code_sum *sum)
{
	clear_lines(page);
	code_sum_fini(&page->sum);
	page->kind = kind;
	page->sum = *sum;
	*sum = (struct code_sum){0};
	make_lines(page);
}

void code_page_compare(struct code_page *page, struct code_sum *then)
{
	clear_lines(page);
	code_sum_fini(&page->then);
	page->then = *then;
	*then = (struct code_sum){0};
	make_lines(page);
}

void code_page_show_event(struct code_page *page, size_t event)
{
	text_copy(page->event_name, sizeof(page->event_name), code_page_event(page, event));
	make_lines(page);
}

void code_page_turn(struct code_page *page, bool next)
{
	size_t n = code_page_events(page);

	if (n > 0)
		code_page_show_event(page, (page->event + (next ? 1 : n - 1)) % n);
}

static void sort_by(struct code_page *page, const char *column)
{
	text_copy(page->sort, sizeof(page->sort), column);
	page->reverse = false;
	sort_lines(page);
}

static void reverse(struct code_page *page)
{
	page->reverse = !page->reverse;
	sort_lines(page);
}

static void sort_by_neighbour(struct code_page *page, bool next)
{
	struct code_columns columns;
	struct table_rows rows = code_page_rows(page, page->table.place.width, &columns);

	sort_by(page, columns.items[table_neighbour(&page->table, &rows, next)].name);
}

bool code_page_act(struct code_page *page, enum action action)
{
	if (action == ACTION_SORT_NEXT || action == ACTION_SORT_PREVIOUS ||
	    action == ACTION_SORT_CHOOSE) {
		sort_by_neighbour(page, action != ACTION_SORT_PREVIOUS);
	} else if (action == ACTION_REVERSE) {
		reverse(page);
	} else if (action == ACTION_LEFT || action == ACTION_RIGHT) {
		return false;
	} else {
		bool moves = table_act(&page->table, action);

		page->followed = moves ? 0 : page->followed;
		return moves;
	}
	return true;
}

bool code_page_search(struct code_page *page, const char *text, size_t from)
{
	for (size_t i = 0; i < page->n; i++) {
		size_t line = (from + i) % page->n;
		const struct code_function *function = page->lines[line].function;

		if (!strcasestr(function->name, text) && !strcasestr(function->module, text))
			continue;
		page->table.selected = line;
		page->followed = code_page_id(function);
		return true;
	}
	return false;
}

bool code_page_click(struct code_page *page, unsigned x, unsigned y)
{
	struct code_columns columns;
	struct table_rows rows = code_page_rows(page, page->table.place.width, &columns);
	size_t at;
	enum table_part part = table_at(&page->table, &rows, x, y, &at);

	if (part == TABLE_LINE) {
		page->table.selected = at;
		page->followed = 0;
	} else if (part == TABLE_TITLE) {
		at -= columns.kinds[at] == CODE_COLUMN_BAR; /* it belongs to the share */
		if (at == rows.sorted)
			reverse(page);
		else
			sort_by(page, columns.items[at].name);
	}
	return part == TABLE_LINE;
}

const struct code_page_line *code_page_selected(const struct code_page *page)
{
	return page->table.selected < page->n ? &page->lines[page->table.selected] : NULL;
}
