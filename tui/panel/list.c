// SPDX-License-Identifier: MIT
/*
 * The view under a list is rebuilt when the snapshot, the order or a filter changes, so lines have
 * no identity. Tags and the row aimed at are row_refs, which are looked up again in each new view.
 */
#include "tui/panel/list.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "tui/widget/widget_graph.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	HISTORY_FROM = 120,
	HISTORY_LEAST = 16,
	HISTORY_MOST = 40,
	COMMAND_ROOM = 20, /* columns from which a name has more words of its line behind it */
	LINES_KEPT = 8,    /* list_lines() shrinks by at least so many */
	HELD_PART = 3,     /* of the rows on a screen that may be held before others hardly ran */
};

void list_init(struct list *list, enum rollup by)
{
	*list = (struct list){.spec = {.by = by,
				       .compact = true,
				       .sort_marks = true,
				       .screen = true,
				       .then = view_then_new()}};
}

void list_fini(struct list *list)
{
	list_invalidate(list);
	list_unfollow(list);
	row_refs_fini(&list->tags);
	view_then_free(list->spec.then);
}

void list_invalidate(struct list *list)
{
	if (list->built) {
		view_fini(&list->view);
		row_refs_sum_fini(&list->tagged);
	}
	list->built = false;
}

void list_compare(struct list *list, const struct snapshot *baseline)
{
	list_invalidate(list);
	view_then_clear(list->spec.then);
	list->spec.baseline = baseline;
}

void list_roll_up(struct list *list, enum rollup by)
{
	list_release(list);
	list->spec.by = by;
	list->table.selected = list->table.top = 0;
	list_invalidate(list);
}

static void read_subject(const struct view *view, size_t line, struct detail_subject *subject)
{
	const struct snapshot_cpu *cpu = view_cpu(view, line);
	enum rollup by = view->spec.by;

	*subject = (struct detail_subject){0};
	if (cpu)
		subject->key = history_key_of_cpu(view_is_unit(view, line) ? by : ROLLUP_CPU, cpu);
	else
		detail_subject_init(subject, view->snapshot, by, view_row(view, line));
}

/* Selects the line of the row aimed at. If the row is not shown, no line is selected. */
static void select_followed(struct list *list)
{
	const struct view *view = &list->view;
	size_t line = row_ref_find(&list->followed, view);

	list->away = line == SIZE_MAX;
	list->table.selected = list->away ? TABLE_NO_LINE : line;
	if (list->away)
		return;

	const struct row *row = view_row(view, line);
	list->line = line;
	read_subject(view, line, &list->subject);
	list->followed.ending = row && row_has_just_ended(row);
	list->table.n = view->n; /* table_settle() then keeps the line instead of the end */
}

/* Without counters no CPU has a verdict: then the column is not shown, unless it is the order's. */
static void hide_empty_verdicts(struct list *list)
{
	struct view *view = &list->view;

	for (size_t line = 0; view->cpus && !list->had_verdict && line < view->n; line++)
		list->had_verdict = view_verdict(view, view->order[line]).verdict != VERDICT_NONE;
	for (size_t i = 0; view->cpus && !list->had_verdict && i < view->n_columns; i++)
		if (view->columns[i].field == FIELD_VERDICT && i != view->sort_column)
			view->columns[i].width = 0;
}

const struct view *list_view(struct list *list, const struct snapshot *snapshot)
{
	if (!list->built) {
		view_init(snapshot, &list->spec, &list->view);
		list->built = true;
		hide_empty_verdicts(list);
		row_refs_sum_up(&list->tags, &list->view, &list->tagged);
		if (list->aimed)
			select_followed(list);
	}
	return &list->view;
}

/*
 * A command line: its name, and what is around it in the style of what matters less. A short one
 * that does not fit is the name alone where there is little room, behind the branches of a tree.
 */
static void draw_stressed(struct canvas *canvas, struct rect place, enum style style,
			  const struct cell *cell, bool is_short)
{
	char to_name[sizeof(cell->text)], name[sizeof(cell->text)];
	const unsigned begin = cell->stressed_begin, end = cell->stressed_end;

	snprintf(name, sizeof(name), "%.*s", (int)(end - begin), cell->text + begin);
	snprintf(to_name, sizeof(to_name), "%.*s", (int)begin, cell->text);
	unsigned x = text_width(to_name), visible = place.width;
	bool cut = text_width(cell->text) > place.width;
	if (cut && is_short &&
	    (place.width < COMMAND_ROOM || x + text_width(name) >= place.width)) {
		char alone[sizeof(cell->text)];
		text_copy(alone, sizeof(alone), cell->text);
		text_copy(alone + cell->chain, sizeof(alone) - cell->chain, name);
		canvas_text_ellipsis(canvas, place.x, place.y, place.width, style, alone);
		return;
	}
	unsigned ellipsis = text_width(canvas->ascii ? "..." : "…");
	if (cut && visible > ellipsis)
		visible -= ellipsis;
	canvas_text_ellipsis(canvas, place.x, place.y, place.width, STYLE_DIM, cell->text);
	if (x < visible)
		canvas_text(canvas, place.x + x, place.y, visible - x, style, name);
}

/* Leaves out the ancestors on a line of a tree, so that the name is not cut instead. */
static void shorten_chain(struct cell *cell, unsigned width, bool ascii)
{
	char name[sizeof(cell->text)];

	if (cell->name == cell->chain || text_width(cell->text) <= width)
		return;
	text_copy(name, sizeof(name), cell->text + cell->name);
	const size_t before = cell->name;
	cell->name = cell->chain + (size_t)snprintf(cell->text + cell->chain,
						    sizeof(cell->text) - cell->chain, "%s > ",
						    ascii ? ".." : "…");
	text_copy(cell->text + cell->name, sizeof(cell->text) - cell->name, name);
	if (cell->stressed_end > before) {
		cell->stressed_begin += (unsigned)(cell->name - before);
		cell->stressed_end += (unsigned)(cell->name - before);
	}
}

/* Draws a line of a view. A tagged one has '*' between the first and the second column. */
static void draw_line(const void *data, size_t line, struct canvas *canvas,
		      const struct rect *places)
{
	const struct list *list = data;
	const struct view *view = &list->view;
	bool tagged = row_refs_at(&list->tags, view, line);
	unsigned behind = places[0].x + places[0].width;

	if (tagged && behind < list->table.place.x + list->table.place.width)
		canvas_text(canvas, behind, places[0].y, 1, STYLE_TAGGED, "*");
	for (size_t i = 0; i < view->n_columns; i++) {
		struct cell cell;

		if (places[i].width == 0)
			continue;
		view_cell(view, line, i, &cell);
		enum style style = tagged ? STYLE_TAGGED : style_of_cell(cell.role);
		if (view->columns[i].field == FIELD_COMMAND)
			shorten_chain(&cell, places[i].width, canvas->ascii);
		if (cell.stressed_end > 0)
			draw_stressed(canvas, places[i], style, &cell,
				      view->spec.command == VIEW_COMMAND_SHORT);
		else
			table_text_draw(canvas, places[i], &view->columns[i], style, cell.text);
	}
}

struct table_rows list_rows(struct list *list, const struct snapshot *snapshot)
{
	const struct view *view = list_view(list, snapshot);

	return (struct table_rows){
		.columns = view->columns,
		.n_columns = view->n_columns,
		.n = view->n,
		.sorted = view->sort_column,
		.reverse = view->spec.reverse,
		.draw = draw_line,
		.data = list,
	};
}

void list_select(struct list *list, size_t line)
{
	list_unfollow(list);
	list->table.selected = line;
	list->table.n = list->view.n;
}

void list_unfollow(struct list *list)
{
	if (list->aimed)
		row_ref_fini(&list->followed);
	list->aimed = list->following = list->away = false;
}

void list_release(struct list *list)
{
	if (list->following)
		return;
	if (list->away)
		list->table.selected = list->line;
	list_unfollow(list);
}

/* Aims at the selected row, if there is one. */
static void aim_at_selected(struct list *list, const struct snapshot *snapshot)
{
	const struct view *view = list_view(list, snapshot);

	list_unfollow(list);
	if (list->table.selected >= view->n)
		return;
	row_ref_init(view, list->table.selected, &list->followed);
	list->aimed = true;
	select_followed(list);
}

void list_follow(struct list *list, const struct snapshot *snapshot)
{
	bool was_following = list->following;

	if (was_following)
		list_unfollow(list);
	else if (!list->away)
		aim_at_selected(list, snapshot);
	list->following = list->aimed;
}

bool list_subject(struct list *list, const struct snapshot *snapshot,
		  struct detail_subject *subject)
{
	const struct view *view = snapshot ? list_view(list, snapshot) : NULL;
	bool shown = view && list->table.selected < view->n;

	if (shown)
		read_subject(view, list->table.selected, subject);
	else if (view && list->away && row_ref_fits(&list->followed, view))
		*subject = list->subject;
	else
		return false;
	return true;
}

bool list_followed_ended(struct list *list, const struct snapshot *snapshot)
{
	bool was_ending = list->following && list->followed.ending;

	return was_ending && row_ref_fits(&list->followed, list_view(list, snapshot)) && list->away;
}

/* As in htop, the key then moves to the next line. */
static void tag_selected(struct list *list, const struct snapshot *snapshot)
{
	const struct view *view = list_view(list, snapshot);

	if (list->table.selected >= view->n)
		return;
	row_refs_toggle(&list->tags, view, list->table.selected);
	row_refs_sum_fini(&list->tagged);
	row_refs_sum_up(&list->tags, view, &list->tagged);
	if (list->following)
		return;
	table_act(&list->table, ACTION_DOWN);
	aim_at_selected(list, snapshot);
}

/* Removes all tags. Returns false if there were none. */
static bool untag_all(struct list *list)
{
	bool any = list->tags.n > 0;

	row_refs_fini(&list->tags);
	if (list->built)
		row_refs_sum_fini(&list->tagged);
	return any;
}

void list_each_chosen(struct list *list, const struct snapshot *snapshot, list_chosen_fn *fn,
		      void *arg)
{
	const struct view *view = list_view(list, snapshot);
	bool threads = list->spec.by == ROLLUP_THREAD;

	if (list->spec.by > ROLLUP_TREE)
		return;
	for (size_t i = 0; i < list->tags.n; i++) {
		const struct row_ref *ref = &list->tags.items[i];

		if (row_ref_fits(ref, view))
			fn(arg, ref->pid, threads ? (pid_t)ref->number : 0, ref->made_ns);
	}
	if (list->tagged.n == 0 && list->table.selected < view->n) {
		const struct row *row = view_row(view, list->table.selected);

		fn(arg, row->pid, threads ? row->tid : 0, snapshot->time_ns);
	}
}

void list_sort(struct list *list, const char *name)
{
	list_release(list);
	text_copy(list->spec.sort, sizeof(list->spec.sort), name);
	list->spec.reverse = false;
	list_invalidate(list);
}

/* A reversed order names its sort column, so that it can be saved. */
static void reverse_order(struct list *list, const struct snapshot *snapshot)
{
	bool reversed = !list->spec.reverse;

	if (snapshot && !list->spec.sort[0]) {
		const struct view *view = list_view(list, snapshot);

		list_sort(list, view->columns[view->sort_column].name);
	}
	list_release(list);
	list->spec.reverse = reversed;
	list_invalidate(list);
}

/*
 * Moves or scrolls. In place of a row that is away, the first movement selects the row that is
 * there now.
 */
static bool move_selection(struct list *list, const struct snapshot *snapshot, enum action action)
{
	bool by_a_line = action == ACTION_UP || action == ACTION_DOWN;

	if (by_a_line && list->away)
		list->table.selected = size_min(list->line, list->table.n ? list->table.n - 1 : 0);
	else if (!table_act(&list->table, action))
		return false;
	if (by_a_line && snapshot)
		aim_at_selected(list, snapshot);
	else if (action != ACTION_LEFT && action != ACTION_RIGHT)
		list_unfollow(list);
	return true;
}

bool list_act(struct list *list, const struct snapshot *snapshot, enum action action)
{
	if (move_selection(list, snapshot, action))
		return true;
	if (action == ACTION_LEAVE)
		return untag_all(list);
	if (action == ACTION_UNTAG) {
		untag_all(list);
		return true;
	}
	if (action == ACTION_TAG || action == ACTION_FOLLOW) {
		if (snapshot && action == ACTION_TAG)
			tag_selected(list, snapshot);
		else if (snapshot)
			list_follow(list, snapshot);
		return true;
	}
	if (action == ACTION_REVERSE) {
		reverse_order(list, snapshot);
		return true;
	}
	if (action == ACTION_SORT_NEXT || action == ACTION_SORT_PREVIOUS) {
		if (snapshot) {
			struct table_rows rows = list_rows(list, snapshot);
			bool next = action == ACTION_SORT_NEXT;

			list_sort(list,
				  rows.columns[table_neighbour(&list->table, &rows, next)].name);
		}
		return true;
	}
	return false;
}

/*
 * Width of the HISTORY column: HISTORY_LEAST, and a third of what the screen has above
 * HISTORY_FROM.
 */
static unsigned history_width(const struct list *list, unsigned width)
{
	unsigned wanted = width >= HISTORY_FROM ? (width - HISTORY_FROM) / 3 + HISTORY_LEAST : 0;

	if (!list->graph_range)
		return 0;
	return wanted < HISTORY_MOST ? wanted : HISTORY_MOST;
}

/*
 * The metric of the HISTORY column: the sort column if it has numbers, else %CPU; -1: no column. A
 * tree has none, because its figures include descendants and the history of a process does not.
 */
static int history_metric(const struct view *view)
{
	const struct columns *columns = view->snapshot->columns;
	int metric = view->columns[view->sort_column].metric;

	if (view->spec.by == ROLLUP_TREE)
		return -1;
	if (metric < 0 || columns->metrics[metric].def->format == METRIC_FORMAT_LETTER)
		metric = columns_metric(columns, "cpu_percent");
	return metric < 0 && columns->n_shown > 0 ? 0 : metric;
}

static struct history_key key_of_line(const struct view *view, size_t line)
{
	const struct snapshot_cpu *cpu = view_cpu(view, line);

	if (cpu)
		return history_key_of_cpu(view_is_unit(view, line) ? view->spec.by : ROLLUP_CPU,
					  cpu);
	return history_key_of_row(view->snapshot, view->spec.by, view_row(view, line));
}

/* "HISTORY %CPU 0-100", without the name or the range if there is no room. */
static void draw_history_title(const struct view *view, int metric, double top,
			       struct canvas *canvas, struct rect rect)
{
	const struct metric *of = &view->snapshot->columns->metrics[metric];
	const struct figure figure = {.value = top, .share = 1, .state = FIGURE_VALID};
	char texts[3][120] = {"", "", "HISTORY"};
	struct cell scale;
	size_t i = 0;

	figure_format(of->def, figure, &scale);
	snprintf(texts[0], sizeof(texts[0]), "HISTORY %.40s 0-%.20s", of->title, scale.text);
	snprintf(texts[1], sizeof(texts[1]), "HISTORY 0-%.20s", scale.text);
	while (i + 1 < ARRAY_SIZE(texts) && text_width(texts[i]) > rect.width)
		i++;
	canvas_text(canvas, rect.x, rect.y, rect.width, STYLE_HEADER, texts[i]);
}

/* All lines have one scale, up to the greatest value, so their heights can be compared. */
static void draw_history_column(const struct list *list, const struct view *view, int metric,
				struct canvas *canvas, struct rect rect)
{
	const struct table *table = &list->table;
	const struct metric_def *def = view->snapshot->columns->metrics[metric].def;
	size_t n = view->n > table->top ? size_min(table->page, view->n - table->top) : 0;
	float(*values)[HISTORY_MOST] = xcalloc(n + 1, sizeof(*values));
	struct graph *graphs = xcalloc(n + 1, sizeof(*graphs));
	double top = graph_least(def);

	for (size_t i = 0; i < n; i++) {
		struct history_key key = key_of_line(view, table->top + i);

		graphs[i] = (struct graph){.n = rect.width, .style = STYLE_METER_LOW};
		graph_range_read(list->graph_range, &key, def->name,
				 graph_range_step(list->graph_range), values[i], &graphs[i]);
		top = graph_top(values[i], graphs[i].n, top);
	}
	draw_history_title(view, metric, top, canvas, rect);
	for (size_t i = 0; i < n; i++) {
		unsigned y = rect.y + 1 + (unsigned)i;

		graphs[i].top = top;
		graph_draw_line(&graphs[i], canvas, rect.x, y, rect.width);
		if (table->top + i == table->selected)
			canvas_select(canvas, (struct rect){rect.x, y, rect.width, 1});
	}
	free(graphs);
	free(values);
}

bool list_click(struct list *list, const struct snapshot *snapshot, unsigned x, unsigned y)
{
	size_t at;

	if (!snapshot)
		return false;
	struct table_rows rows = list_rows(list, snapshot);
	enum table_part part = table_at(&list->table, &rows, x, y, &at);
	if (part == TABLE_LINE) {
		list_select(list, at);
		aim_at_selected(list, snapshot);
	} else if (part == TABLE_TITLE && at == rows.sorted) {
		list_act(list, snapshot, ACTION_REVERSE);
	} else if (part == TABLE_TITLE) {
		list_sort(list, rows.columns[at].name);
	}
	return part == TABLE_LINE;
}

unsigned list_lines(struct list *list, const struct snapshot *snapshot)
{
	size_t n = 1 + size_min(list_view(list, snapshot)->n, UINT_MAX / 2);

	if (n > list->lines || n + LINES_KEPT <= list->lines)
		list->lines = (unsigned)n;
	return list->lines;
}

void list_draw(struct list *list, const struct snapshot *snapshot, struct canvas *canvas,
	       struct rect rect, const char *empty)
{
	const size_t most_held = (rect.height + 1) / HELD_PART;
	if (list->spec.ascii != canvas->ascii || list->spec.most_held != most_held) {
		list->spec.ascii = canvas->ascii;
		list->spec.most_held = most_held;
		list_invalidate(list);
	}
	if (!snapshot)
		return;
	struct table_rows rows = list_rows(list, snapshot);
	const struct view *view = &list->view;
	int metric = history_metric(view);
	list->table.reserve = metric < 0 ? 0 : history_width(list, rect.width);
	table_draw(&list->table, canvas, rect, &rows, empty);
	if (list->table.reserve && view->n > 0 && rect.height > 1)
		draw_history_column(list, view, metric, canvas,
				    (struct rect){list->table.reserved_x, rect.y,
						  list->table.reserve, rect.height});
}
