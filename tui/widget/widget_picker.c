// SPDX-License-Identifier: MIT
/*
 * Each key in the typed text ranks all items again: a name or id that begins with the text as a
 * whole word first, then those that begin with it, those that contain all words, and last items
 * with the words in their help. Items of one rank and place keep their order.
 */
#include "tui/widget/widget_picker.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "tui/term/keymap.h"
#include "tui/widget/edit.h"
#include "tui/widget/page.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
	PICKER_WIDTH = 100, /* greatest width of the box */
	WORDS_MAX = 16,
	BORDER_FROM_WIDTH = 30, /* smaller boxes have no border */
	BORDER_FROM_HEIGHT = 8,
	KEYS_FROM_HEIGHT = 12, /* the last line is left free */
	HELP_FROM_WIDTH = 60,  /* least width for help in the list if it is also below */
	LINES_MIN = 8,         /* least lines of the list, if there is room */
};

enum rank {
	RANK_WORD,
	RANK_PREFIX,
	RANK_NAME,
	RANK_HELP,
	RANKS, /* no match */
};

enum { NO_PLACE = 2 * PICKER_PLACES * RANKS }; /* behind those of place_of() */

/*
 * True if text contains word, ignoring the case of ASCII letters. strcasestr() consults the locale
 * for every byte, and lists are long.
 */
static bool contains_word(const char *text, const char *word)
{
	size_t length = strlen(word);
	char low = (char)tolower((unsigned char)word[0]);
	char high = (char)toupper((unsigned char)word[0]);

	for (; *text; text++)
		if ((*text == low || *text == high) && strncasecmp(text, word, length) == 0)
			return true;
	return false;
}

/* How a name that contains the text begins. */
static enum rank rank_of_name(const char *name, const char *typed)
{
	size_t length = strlen(typed);

	if (strncasecmp(name, typed, length) != 0)
		return RANK_NAME;
	return length == 0 || (name[length] && name[length] != ' ') ? RANK_PREFIX : RANK_WORD;
}

static enum rank rank_of(const struct picker_item *item, const char *typed,
			 const char *const *words, size_t n_words)
{
	const char *id = item->id ? item->id : item->name;
	enum rank rank = RANK_NAME;

	for (size_t i = 0; i < n_words; i++) {
		if (contains_word(item->name, words[i]) || contains_word(id, words[i]))
			continue;
		if (!item->help || !contains_word(item->help, words[i]))
			return RANKS;
		rank = RANK_HELP;
	}
	if (rank != RANK_NAME)
		return rank;
	enum rank of_name = rank_of_name(item->name, typed), of_id = rank_of_name(id, typed);
	return of_name < of_id ? of_name : of_id;
}

/* The place of a match among all: by rank, then by place; what has no use comes last. */
static unsigned char place_of(enum rank rank, enum picker_place place)
{
	bool behind_all = place == PICKER_LAST && rank != RANK_WORD;

	return (unsigned char)(PICKER_PLACES * (unsigned)rank + place +
			       (behind_all ? PICKER_PLACES * RANKS : 0));
}

static enum picker_typed as_typed(const struct picker *picker, struct picker_item *item)
{
	return picker->ops->as_typed && picker->typed[0]
		       ? picker->ops->as_typed(picker->data, picker->typed, item)
		       : PICKER_TYPED_NOT;
}

static void note_name_width(struct picker *picker, const struct picker_item *item)
{
	size_t width = text_width(item->name);

	if (picker->name_widths[item->id != NULL] < width)
		picker->name_widths[item->id != NULL] = width;
}

static void find_matches(struct picker *picker)
{
	char text[sizeof(picker->typed)], *rest = text;
	const char *words[WORDS_MAX];
	size_t n_words = 0, n = 0;
	unsigned char *places = xmalloc(picker->n + 1);
	struct picker_item typed_item = {0};
	enum picker_typed typed = as_typed(picker, &typed_item);

	if (typed != PICKER_TYPED_NOT)
		note_name_width(picker, &typed_item);
	text_copy(text, sizeof(text), picker->typed);
	for (char *word; n_words < WORDS_MAX && (word = strsep(&rest, " ")) != NULL;)
		if (word[0])
			words[n_words++] = word;
	for (size_t i = 0; i < picker->n; i++) {
		struct picker_item item = {0};

		picker->ops->item(picker->data, i, &item);
		note_name_width(picker, &item);
		enum rank rank = rank_of(&item, n_words ? words[0] : "", words, n_words);
		places[i] = rank == RANKS ? NO_PLACE : place_of(rank, item.place);
	}
	free(picker->matches);
	picker->matches = xcalloc(picker->n + 1, sizeof(*picker->matches));
	if (typed == PICKER_TYPED_FIRST)
		picker->matches[n++] = PICKER_AS_TYPED;
	for (unsigned place = 0; place < NO_PLACE; place++)
		for (size_t i = 0; i < picker->n; i++)
			if (places[i] == place)
				picker->matches[n++] = i;
	if (typed == PICKER_TYPED_LAST)
		picker->matches[n++] = PICKER_AS_TYPED;
	picker->n_matches = picker->table.n = n; /* a selected last match does not stay the last */
	free(places);
}

size_t picker_selected(const struct picker *picker)
{
	size_t line = picker->table.selected;

	return line < picker->n_matches ? picker->matches[line] : SIZE_MAX;
}

static void notify_selection(struct picker *picker, void *owner)
{
	size_t index = picker_selected(picker);

	if (picker->notified == index)
		return;
	picker->notified = index;
	if (picker->ops->select && index != SIZE_MAX)
		picker->ops->select(owner, picker->data, index);
}

void picker_select(struct picker *picker, size_t index, void *owner)
{
	for (size_t i = 0; i < picker->n_matches; i++)
		if (picker->matches[i] == index)
			picker->table.selected = i;
	notify_selection(picker, owner);
}

void picker_open(struct picker *picker, const struct picker_ops *ops, const char *title, void *data,
		 size_t n, void *owner)
{
	*picker = (struct picker){.ops = ops, .data = data, .n = n, .notified = SIZE_MAX};
	text_copy(picker->title, sizeof(picker->title), title);
	find_matches(picker);
	notify_selection(picker, owner);
}

void picker_update(struct picker *picker, size_t n, void *owner)
{
	size_t before = picker_selected(picker);
	bool only_typed = before == PICKER_AS_TYPED && picker->n_matches == 1;

	picker->n = n;
	find_matches(picker);
	picker->table.selected =
		size_min(picker->table.selected, picker->n_matches ? picker->n_matches - 1 : 0);
	/* The user did not choose the typed text if it was the only match. */
	picker_select(picker, only_typed ? picker->matches[0] : before, owner);
}

static void close_picker(struct picker *picker, void *owner, bool chosen)
{
	struct picker gone = *picker;

	free(gone.matches);
	*picker = (struct picker){0};
	if (gone.ops->close)
		gone.ops->close(owner, gone.data, chosen);
}

void picker_close(struct picker *picker, void *owner)
{
	if (picker->ops)
		close_picker(picker, owner, false);
}

static enum action action_of(int key)
{
	return key == KEYMAP_UP          ? ACTION_UP
	       : key == KEYMAP_DOWN      ? ACTION_DOWN
	       : key == KEYMAP_PAGE_UP   ? ACTION_PAGE_UP
	       : key == KEYMAP_PAGE_DOWN ? ACTION_PAGE_DOWN
	       : key == KEYMAP_HOME      ? ACTION_HOME
	       : key == KEYMAP_END       ? ACTION_END
					 : ACTION_NONE;
}

static bool type_key(struct picker *picker, int key)
{
	if (!edit_key(picker->typed, sizeof(picker->typed), key))
		return false;
	find_matches(picker);
	picker->table.selected = picker->table.top = 0;
	if (picker->notified == PICKER_AS_TYPED)
		picker->notified = SIZE_MAX; /* the typed item has changed */
	return true;
}

void picker_key(struct picker *picker, int key, void *owner)
{
	size_t index = picker_selected(picker);

	if (key == KEYMAP_ESCAPE) {
		close_picker(picker, owner, false);
		return;
	}
	if (key == KEYMAP_ENTER) {
		const struct picker_ops *ops = picker->ops;

		if (ops->choose(owner, picker->data, index, picker->typed) && picker->ops == ops)
			close_picker(picker, owner, true);
		return;
	}
	if (table_act(&picker->table, action_of(key)) || type_key(picker, key))
		notify_selection(picker, owner);
	else if (picker->ops->key)
		picker->ops->key(owner, picker->data, index, key);
}

void picker_paste(struct picker *picker, int character, void *owner)
{
	char before[sizeof(picker->typed)];

	text_copy(before, sizeof(before), picker->typed);
	edit_key(picker->typed, sizeof(picker->typed), character);
	if (strcmp(before, picker->typed) == 0)
		return;
	text_copy(picker->typed, sizeof(picker->typed), before);
	type_key(picker, character);
	notify_selection(picker, owner);
}

static void draw_picker_item(const void *data, size_t line, struct canvas *canvas,
			     const struct rect *place)
{
	const struct picker *picker = data;
	size_t index = picker->matches[line];
	struct picker_item item = {0};
	struct rect rect = *place;
	unsigned x = rect.x, y = rect.y, end = rect.x + rect.width;

	if (index == PICKER_AS_TYPED)
		as_typed(picker, &item);
	else
		picker->ops->item(picker->data, index, &item);
	if (item.mark) {
		canvas_text(canvas, x, y, PICKER_MARK, item.style, item.mark);
		x += PICKER_MARK + 1;
	}
	bool help_below = picker->ops->about != NULL;
	if (help_below && rect.width < HELP_FROM_WIDTH)
		item.help = NULL;
	unsigned name =
		item.help ? (unsigned)size_min(picker->name_widths[item.id != NULL], rect.width / 2)
			  : rect.width;
	if (x + name > end)
		name = x < end ? end - x : 0;
	canvas_text_ellipsis(canvas, x, y, name, item.style, item.name);
	x += name + 2;
	if (item.help && x < end)
		canvas_text_ellipsis(canvas, x, y, end - x, STYLE_DIM, item.help);
}

static struct table_rows rows_of(const struct picker *picker)
{
	return (struct table_rows){
		.n = picker->n_matches, .draw = draw_picker_item, .data = picker};
}

void picker_click(struct picker *picker, unsigned x, unsigned y, bool twice, void *owner)
{
	struct table_rows rows = rows_of(picker);
	size_t line;

	if (!rect_has(picker->box, x, y)) {
		close_picker(picker, owner, false);
	} else if (table_at(&picker->table, &rows, x, y, &line) == TABLE_LINE) {
		picker->table.selected = line;
		notify_selection(picker, owner);
		if (twice)
			picker_key(picker, KEYMAP_ENTER, owner);
	}
}

/*
 * The box, with room for the most items so far and no more: the screen below shows the effect of a
 * choice. The last line has the keys.
 */
static struct rect box_of(struct picker *picker, const struct canvas *canvas)
{
	unsigned width = canvas->width < PICKER_WIDTH + 4 ? canvas->width : PICKER_WIDTH;
	unsigned margin = canvas->height >= 3 * BORDER_FROM_HEIGHT ? 2 : 0;
	size_t around = 3 + (picker->ops->about ? picker->ops->about_lines + 1 : 0);
	size_t items = picker->n + (picker->ops->as_typed ? 1 : 0);

	if (picker->most < items)
		picker->most = items;
	size_t height = around + (picker->most < LINES_MIN ? LINES_MIN : picker->most);
	unsigned below = margin > 0 || canvas->height < KEYS_FROM_HEIGHT ? margin : 1;
	return (struct rect){(canvas->width - width) / 2, margin, width,
			     (unsigned)size_min(height, canvas->height - margin - below)};
}

static void draw_typed(const struct picker *picker, struct canvas *canvas, struct rect rect)
{
	unsigned x = rect.x, end = rect.x + rect.width;

	x += canvas_text(canvas, x, rect.y, end - x, STYLE_KEY, "> ");
	/* Draws the end of the text if it is too long, as typing goes on there. */
	const char *shown = picker->typed;
	while (shown[0] && x + text_width(shown) >= end) {
		uint32_t character;
		shown += text_decode(shown, &character);
	}
	x += canvas_text(canvas, x, rect.y, end - x, STYLE_PLAIN, shown);
	canvas_cursor(canvas, x < end ? x : end - 1, rect.y);
}

static unsigned count_lines(const char *text)
{
	unsigned n = 1;

	while ((text = strchr(text, '\n')) != NULL) {
		text++;
		n++;
	}
	return n;
}

/* Draws a line, broken into at most rect.height lines. Returns the number of lines drawn. */
static unsigned draw_broken(struct canvas *canvas, struct rect rect, char *line)
{
	unsigned y = 0;

	for (; y + 1 < rect.height && text_width(line) > rect.width; y++) {
		size_t length = text_first_line(line, rect.width);
		char after = line[length];

		line[length] = '\0';
		canvas_text(canvas, rect.x, rect.y + y, rect.width, STYLE_PLAIN, line);
		line[length] = after;
		line += length + strspn(line + length, " ");
	}
	canvas_text_ellipsis(canvas, rect.x, rect.y + y, rect.width, STYLE_PLAIN, line);
	return y + 1;
}

static void draw_about(const struct picker *picker, struct canvas *canvas, struct rect rect)
{
	size_t index = picker_selected(picker);
	char text[2048] = "", *rest = text;

	if (rect.height == 0 || index == SIZE_MAX)
		return;
	picker->ops->about(picker->data, index, text, sizeof(text));
	while (rest && rect.height > 0) {
		char *line = strsep(&rest, "\n");
		unsigned follow = rest ? count_lines(rest) : 0, lines = rect.height;

		if (follow > 0)
			lines = lines > follow ? lines - follow : 1;
		lines = draw_broken(canvas, (struct rect){rect.x, rect.y, rect.width, lines}, line);
		rect.y += lines;
		rect.height -= lines;
	}
}

void picker_draw(struct picker *picker, struct canvas *canvas)
{
	struct rect box = box_of(picker, canvas);

	picker->box = box;
	canvas_fill(canvas, box, STYLE_PLAIN);
	canvas->cursor = false;
	if (box.width >= BORDER_FROM_WIDTH && box.height >= BORDER_FROM_HEIGHT) {
		page_draw_border(canvas, box, STYLE_METER_EMPTY, picker->title);
		box = (struct rect){box.x + 2, box.y + 1, box.width - 4, box.height - 2};
	}

	unsigned about = picker->ops->about ? picker->ops->about_lines : 0;
	if (box.height < about + 4)
		about = 0;
	unsigned rule = about > 0 && box.height >= LINES_MIN + about + 2, rest = 1 + about + rule;
	struct rect list = {box.x, box.y + 1, box.width, box.height > rest ? box.height - rest : 0};
	unsigned y = list.y + list.height;

	struct table_rows rows = rows_of(picker);
	draw_typed(picker, canvas, box);
	table_draw(&picker->table, canvas, list, &rows, picker->n ? "No match." : "Nothing yet.");
	for (unsigned x = 0; rule && x < box.width; x++)
		canvas_text(canvas, box.x + x, y, 1, STYLE_METER_EMPTY, canvas->ascii ? "-" : "─");
	draw_about(picker, canvas, (struct rect){box.x, y + rule, box.width, about});
}
