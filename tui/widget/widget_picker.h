// SPDX-License-Identifier: MIT
#ifndef PMCTOP_WIDGET_PICKER_H
#define PMCTOP_WIDGET_PICKER_H

#include "tui/term/canvas.h"
#include "tui/widget/widget_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A list in a box over the screen, narrowed by typing. Every typed word must occur in an item's
 * name, id or help; case is ignored. Names and ids that begin with the typed text as a whole word
 * come first, then others that begin with it, then those that contain the words, then the rest,
 * each in the order of the items and of their `place`.
 *
 * The opener owns the items: `data` is passed to each callback. `owner` comes from the caller of
 * each function, which is the app.
 */
enum picker_place {
	PICKER_FIRST,
	PICKER_BEHIND, /* behind the others of its rank: it is in use already */
	PICKER_LAST,   /* behind all others, except as a whole word: it has no use here */
	PICKER_PLACES,
};

struct picker_item {
	const char *name; /* borrowed until the next call, as are all texts */
	const char *help; /* behind the name, if there is room; may be NULL */
	const char *mark; /* in front: "ok", "n/a"; up to PICKER_MARK columns; may be NULL */
	enum style style; /* style of name and mark */
	enum picker_place place;
	const char *id; /* another name, which is not drawn; may be NULL */
};

enum { PICKER_MARK = 6 };

/* Whether the typed text is an item itself, and its place among the matches. */
enum picker_typed {
	PICKER_TYPED_NOT,
	PICKER_TYPED_LAST,
	PICKER_TYPED_FIRST, /* before the matches: most likely the user means it */
};

struct picker_ops {
	void (*item)(void *data, size_t index, struct picker_item *item);
	/*
	 * Fills *item if the typed text, not "", is an item. Its index is then PICKER_AS_TYPED in
	 * all callbacks except `item`. NULL: never.
	 */
	enum picker_typed (*as_typed)(void *data, const char *typed, struct picker_item *item);
	/*
	 * Text about an item, below the list: lines separated by '\n', broken to the width, up to
	 * about_lines. NULL: none.
	 */
	void (*about)(void *data, size_t index, char *text, size_t size);
	unsigned about_lines;
	/* Called when another item is selected, and once at the start. May be NULL. */
	void (*select)(void *owner, void *data, size_t index);
	/*
	 * Enter. index: SIZE_MAX if nothing matches. Returns true to close the picker (`close` is
	 * called first).
	 */
	bool (*choose)(void *owner, void *data, size_t index, const char *typed);
	/*
	 * A key without a meaning for the picker, such as Tab. index may be SIZE_MAX. May be NULL.
	 */
	void (*key)(void *owner, void *data, size_t index, int key);
	/* The picker is closed; frees `data`. May be NULL. */
	void (*close)(void *owner, void *data, bool chosen);
};

/* Index of the typed text as an item. SIZE_MAX is no item. */
#define PICKER_AS_TYPED (SIZE_MAX - 1)

/* Zeroed is closed. */
struct picker {
	const struct picker_ops *ops; /* NULL: closed */
	void *data;
	char title[64];
	char typed[128];
	size_t n;              /* number of items */
	size_t most;           /* greatest number of items so far */
	size_t name_widths[2]; /* columns of the longest name so far: without an id, with one */
	size_t *matches;
	size_t n_matches;
	struct table table;
	struct rect box; /* of the last drawing */
	size_t notified; /* item of the last `select` call; SIZE_MAX: none */
};

void picker_open(struct picker *picker, const struct picker_ops *ops, const char *title, void *data,
		 size_t n, void *owner);
/* The items have changed, n of them. The selection stays on its item if it is still there. */
void picker_update(struct picker *picker, size_t n, void *owner);
/* Closes the picker as Esc does. Does nothing if it is closed. */
void picker_close(struct picker *picker, void *owner);

/* The selected item; SIZE_MAX if nothing matches. */
size_t picker_selected(const struct picker *picker);
/* Selects an item, if it matches. */
void picker_select(struct picker *picker, size_t index, void *owner);

/* A key of key_table.h, while it is open. Esc closes it. */
void picker_key(struct picker *picker, int key, void *owner);
/* A character of pasted text is typed, if there is room for it. */
void picker_paste(struct picker *picker, int character, void *owner);
/* A click selects an item, a second one chooses it; one outside of the box closes the picker. */
void picker_click(struct picker *picker, unsigned x, unsigned y, bool twice, void *owner);
void picker_draw(struct picker *picker, struct canvas *canvas);

#endif
