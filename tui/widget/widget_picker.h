// SPDX-License-Identifier: MIT
#ifndef PMCTOP_WIDGET_PICKER_H
#define PMCTOP_WIDGET_PICKER_H

#include "tui/term/canvas.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A list to choose from, in a box over the screen. What is typed narrows it: every word must occur
 * in an item's name or help, without regard to case; names that begin with what was typed as a
 * whole word come first, then others that begin with it, then those that contain it, each in the
 * items' own order.
 *
 * The items belong to whoever opens it: `data` is theirs, handed to every callback, as is `owner`,
 * whoever passes the keys on.
 */
struct picker_item {
	const char *name; /* borrowed until the next call, as all texts */
	const char *help; /* behind it, as far as there is room; may be NULL */
	const char *mark; /* in front: "ok", "n/a"; at most PICKER_MARK columns; may be NULL */
	enum style style; /* of name and mark */
};

enum { PICKER_MARK = 6 };

/* Whether what is typed is an item too, as it is, and where it stands among those that match. */
enum picker_typed {
	PICKER_TYPED_NOT,
	PICKER_TYPED_LAST,
	PICKER_TYPED_FIRST, /* it can hardly be meant as anything else */
};

struct picker_ops {
	void (*item)(void *data, size_t index, struct picker_item *item);
	/*
	 * Whether what is typed, which is not "", is an item; its index is PICKER_AS_TYPED then, in
	 * all that follows but `item`. NULL: never.
	 */
	enum picker_typed (*as_typed)(void *data, const char *typed, struct picker_item *item);
	/*
	 * What stands under the list about an item, in lines divided by '\n', long ones broken, as
	 * far as about_lines go. NULL: nothing.
	 */
	void (*about)(void *data, size_t index, char *text, size_t size);
	unsigned about_lines;
	bool long_names; /* of which one wants to see more than of the help */
	/* Each time another item is selected, and once at the beginning. NULL: nothing happens. */
	void (*look)(void *owner, void *data, size_t index);
	/*
	 * Enter: an item, or SIZE_MAX where none matches what was typed. True: the picker closes
	 * (close is called first), else it stays.
	 */
	bool (*choose)(void *owner, void *data, size_t index, const char *typed);
	/* A key that the picker has no use for, such as Tab; index may be SIZE_MAX. May be NULL. */
	void (*key)(void *owner, void *data, size_t index, int key);
	/* It is gone; `data` may be freed. May be NULL. */
	void (*close)(void *owner, void *data, bool chosen);
};

/* The item that was typed; SIZE_MAX is none. */
#define PICKER_AS_TYPED (SIZE_MAX - 1)

/* Zeroed is closed. */
struct picker {
	const struct picker_ops *ops; /* NULL: closed */
	void *data;
	char title[64];
	char typed[128];
	size_t n;    /* items that there are */
	size_t most; /* at a time, so far */
	size_t *matches;
	size_t n_matches;
	size_t selected, top; /* lines */
	size_t page;          /* of the last drawing, as are the places */
	struct rect box, list;
	size_t looked; /* the item that look was called with; SIZE_MAX: none */
};

void picker_open(struct picker *picker, const struct picker_ops *ops, const char *title, void *data,
		 size_t n, void *owner);
/* There are n items now, or others: the selection stays on its item where it is there still. */
void picker_update(struct picker *picker, size_t n, void *owner);
/* As by Esc: nothing was chosen. Nothing where it is closed. */
void picker_close(struct picker *picker, void *owner);

/* The item that is selected; SIZE_MAX where none matches. */
size_t picker_selected(const struct picker *picker);
/* Selects an item, if it matches. */
void picker_select(struct picker *picker, size_t index, void *owner);

/* A key of keymap.h, while it is open. Esc closes it. */
void picker_key(struct picker *picker, int key, void *owner);
/* A click selects, a second one chooses; one outside the box closes it. */
void picker_click(struct picker *picker, unsigned x, unsigned y, bool twice, void *owner);
void picker_draw(struct picker *picker, struct canvas *canvas);

#endif
