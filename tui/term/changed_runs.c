// SPDX-License-Identifier: MIT
/*
 * A blank needs the background alone, so it belongs to the text before it. Unchanged cells between
 * two runs are sent again if they have fewer bytes than a move.
 */
#include "tui/term/changed_runs.h"

#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

enum {
	GAP_MAX = 4,   /* bytes of unchanged cells that are sent again */
	ERASE_MIN = 9, /* blanks for which an erase and a move are shorter */
};

/* A search of the runs of a line. */
struct search {
	struct changed_runs *runs;
	const struct terminfo *terminfo;
	const struct paints *paints;
	const struct canvas *last; /* NULL: all cells have changed */
	const struct canvas *canvas;
	unsigned y;
};

static const struct canvas_cell *cell_at(const struct search *search, unsigned x)
{
	return canvas_at(search->canvas, x, search->y);
}

static const struct paint *look_of(const struct search *search, const struct canvas_cell *cell)
{
	return paints_of_cell(search->paints, cell);
}

static bool is_same(const struct search *search, const struct canvas_cell *a,
		    const struct canvas_cell *b)
{
	const struct paint *la = look_of(search, a), *lb = look_of(search, b);

	if (strcmp(a->text, b->text) != 0)
		return false;
	return la == lb || paint_equals(la, lb) ||
	       (canvas_cell_is_blank(a) && paint_has_blanks_of(la, lb));
}

/* Whether the cell is a blank that the terminal can make by clearing. */
static bool is_clear(const struct search *search, const struct canvas_cell *cell)
{
	const struct paint *paint = look_of(search, cell);

	return canvas_cell_is_blank(cell) && paint_is_bare(paint) &&
	       (paint->background < 0 || search->terminfo->fills_background);
}

static bool is_changed(const struct search *search, unsigned x)
{
	return !search->last ||
	       !is_same(search, cell_at(search, x), canvas_at(search->last, x, search->y));
}

/* The end of the blanks from x on that clearing can make at once; x: none. */
static unsigned clear_end(const struct search *search, unsigned x)
{
	const struct canvas_cell *first = cell_at(search, x);
	unsigned end = x;

	while (end < search->canvas->width) {
		const struct canvas_cell *cell = cell_at(search, end);

		if (!is_clear(search, cell) ||
		    look_of(search, cell)->background != look_of(search, first)->background)
			break;
		end++;
	}
	return end;
}

static struct changed_run *new_run(struct search *search, unsigned x)
{
	struct changed_runs *runs = search->runs;

	runs->items =
		array_reserve(runs->items, &runs->capacity, runs->n + 1, sizeof(*runs->items));
	struct changed_run *run = &runs->items[runs->n++];

	*run = (struct changed_run){
		.x = x,
		.y = search->y,
		.paint = look_of(search, cell_at(search, x)),
	};
	return run;
}

/*
 * Adds a run of changed blanks from x on that are erased, if that is shorter. Returns where the
 * line continues; x: there is none.
 */
static unsigned add_clear(struct search *search, unsigned x)
{
	const struct terminfo *terminfo = search->terminfo;
	unsigned end = clear_end(search, x), changed = end;
	bool to_end = end == search->canvas->width && terminfo->clear_line;

	while (changed > x && !is_changed(search, changed - 1))
		changed--;
	if (!to_end && !terminfo->erase)
		return x;
	if (changed - x < (to_end ? strlen(terminfo->clear_line) + 1 : (size_t)ERASE_MIN))
		return x;

	struct changed_run *run = new_run(search, x);

	run->columns = (to_end ? end : changed) - x;
	run->cleared = run->blank = true;
	return x + run->columns;
}

/* Whether a cell can be sent in the run's paint, or in a paint that the run can have. */
static bool run_accepts(const struct search *search, struct changed_run *run,
			const struct canvas_cell *cell)
{
	const struct paint *paint = look_of(search, cell);

	if (!paint_equals(paint, run->paint) &&
	    !((canvas_cell_is_blank(cell) || run->blank) && paint_has_blanks_of(paint, run->paint)))
		return false;
	if (run->blank && !canvas_cell_is_blank(cell)) {
		run->paint = paint;
		run->blank = false;
	}
	return true;
}

/* Extends the run by the cells up to x, and the one at x, if they can be sent in its paint. */
static bool extend_run(const struct search *search, struct changed_run *run, unsigned x)
{
	struct changed_run longer = *run;
	size_t bytes = 0;
	unsigned at = run->x + run->columns;

	if (run->cleared || x - at > GAP_MAX)
		return false;
	for (; at <= x; at += canvas_columns(search->canvas, at, search->y)) {
		const struct canvas_cell *cell = cell_at(search, at);

		bytes += at < x ? strlen(cell->text) : 0;
		if (!run_accepts(search, &longer, cell))
			return false;
	}
	if (bytes > GAP_MAX)
		return false;
	longer.columns = at - longer.x;
	*run = longer;
	return true;
}

/* Adds the runs of a line. */
static void add_runs(struct search *search)
{
	struct changed_runs *runs = search->runs;
	size_t first = runs->n;

	for (unsigned x = 0; x < search->canvas->width;) {
		unsigned columns = canvas_columns(search->canvas, x, search->y);

		if (!is_changed(search, x) && (columns == 1 || !is_changed(search, x + 1))) {
			x += columns;
			continue;
		}
		unsigned cleared = add_clear(search, x);

		if (cleared > x) {
			x = cleared;
			continue;
		}
		if (runs->n == first || !extend_run(search, &runs->items[runs->n - 1], x)) {
			struct changed_run *run = new_run(search, x);

			run->columns = columns;
			run->blank = canvas_cell_is_blank(cell_at(search, x));
		}
		x += columns;
	}
}

void changed_runs_find(struct changed_runs *runs, const struct terminfo *terminfo,
		       const struct paints *paints, const struct canvas *last,
		       const struct canvas *canvas)
{
	struct search search = {runs, terminfo, paints, last, canvas, 0};

	runs->lines = array_reserve(runs->lines, &runs->lines_capacity, canvas->height + 1,
				    sizeof(*runs->lines));
	runs->n = 0;
	for (; search.y < canvas->height; search.y++) {
		runs->lines[search.y] = runs->n;
		add_runs(&search);
	}
	runs->lines[canvas->height] = runs->n;
}

void changed_runs_fini(struct changed_runs *runs)
{
	free(runs->items);
	free(runs->lines);
	*runs = (struct changed_runs){0};
}
