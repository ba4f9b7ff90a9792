// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_CALLERS_H
#define PMCTOP_CODE_CALLERS_H

#include "core/code/code_function.h"
#include "core/view/code_view.h"
#include "tui/panel/code_page.h"
#include "tui/term/canvas.h"
#include "tui/term/keymap.h"
#include "tui/widget/widget_table.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The direct callers and callees of one function, of the samples of a code page. Zeroed: closed.
 * Shares are estimates, because callers are found by frame pointers, which code may lack, or
 * come from a recording that may lack them.
 */
struct code_callers {
	uint64_t function;   /* code_page_id(); 0: closed */
	char *name, *module; /* owned */
	/* Of the page's last sum; function UINT32_MAX: not in it. */
	uint32_t id;
	bool of_profile; /* callers come from recorded call chains */
	bool named;      /* the heading has the name of the function, since the last drawing */
	struct code_edges edges;
	struct table table;
};

void code_callers_open(struct code_callers *callers, const struct code_page *page,
		       const struct code_function *function);
void code_callers_close(struct code_callers *callers);
/*
 * Reads the page's view. `edges` borrows from it: call it after each change of the page, or
 * code_callers_close().
 */
void code_callers_update(struct code_callers *callers, const struct code_page *page);
/* The function at the selected line; NULL: none. */
const struct code_function *code_callers_selected(const struct code_callers *callers);

/* The number of lines of the list, with its headings. */
size_t code_callers_lines(const struct code_callers *callers);
void code_callers_draw(struct code_callers *callers, struct canvas *canvas, struct rect rect,
		       bool named);
/* The line of a caller or callee at a place of the last drawing; SIZE_MAX: none. */
size_t code_callers_at(const struct code_callers *callers, unsigned x, unsigned y);

#endif
