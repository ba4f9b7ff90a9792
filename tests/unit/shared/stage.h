// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_STAGE_H
#define PMCTOP_TESTS_STAGE_H

#include "core/base/util.h"
#include "tests/unit/shared/golden.h"
#include "tui/screen/app.h"
#include "tui/term/theme.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/*
 * The app without a terminal: a test sends keys and compares the canvas with
 * tests/golden/screen_NAME.txt. Texts are owned by the caller.
 */
struct stage {
	struct app app;
	struct canvas canvas;
};

/* The canvas as text: lines without the blanks at their ends. */
char *canvas_print(const struct canvas *canvas);

/* The style of each cell as a letter: shows wrong colours that the text does not. */
char *canvas_print_styles(const struct canvas *canvas);

/*
 * The paint of each cell as a letter, then a list of the paints: colour numbers (-1: the terminal's
 * default) and attributes. For a built-in theme on a terminal with that depth of colour.
 */
char *canvas_print_looks(const struct canvas *canvas, const char *name, enum color_depth depth);

/* Compares with the golden, and frees `drawn`. */
void check_screen(const char *name, char *drawn);

/* The snapshot, which may be NULL, belongs to the stage. */
void stage_open(struct stage *stage, unsigned width, unsigned height, bool ascii,
		struct snapshot *snapshot);

void stage_close(struct stage *stage);

/* Sends keys up to 0 and draws after each. */
void stage_keys(struct stage *stage, const int *keys);

/* Sends one key. */
void stage_press(struct stage *stage, int key);

/* Sends each byte of a text as a key. */
void stage_type(struct stage *stage, const char *text);

/* Fails unless the text is on the canvas (there) or is not (not there). */
void stage_check_text(const struct stage *stage, const char *text, bool there);

/* Whether the app requests this, now or when no key comes. */
bool app_requests(const struct app *app, enum request_kind kind);

/* What the app requests, queries excepted: they are dropped. */
struct request_list *app_changes(struct app *app);

/* Fails unless the app requests this change alone, and drops it. text NULL: any text. */
void stage_check_request(struct stage *stage, enum request_kind kind, const char *text,
			 int64_t number);

/* Resizes and draws; returns canvas_print(). */
char *stage_print_resized(struct stage *stage, unsigned width, unsigned height);

/* Closes the stage and returns its snapshot, for another stage. */
struct snapshot *stage_strike(struct stage *stage);

/* A group setup of cmocka: sets the time zone UTC, for clocks in titles. */
int stage_set_zone(void **state);

#endif
