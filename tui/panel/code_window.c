// SPDX-License-Identifier: MIT
/*
 * Each snapshot is added to the last block alone, and the sum of the others is kept. So a refresh
 * costs two sums, whatever the length of the window.
 */
#include "tui/panel/code_window.h"

#include <string.h>

void code_window_clear(struct code_window *window)
{
	for (size_t i = 0; i < window->n_blocks; i++)
		code_sum_fini(&window->blocks[i]);
	code_sum_fini(&window->closed);
	window->n_blocks = 0;
	window->without = 0;
	window->without_ns = 0;
}

void code_window_begin(struct code_window *window, const struct history_key *key, bool tree)
{
	code_window_fini(window);
	window->key = *key;
	window->tree = tree;
}

void code_window_fini(struct code_window *window)
{
	code_window_clear(window);
	*window = (struct code_window){0};
}

/* Ends the last block, and drops the oldest one if there are too many. */
static void begin_block(struct code_window *window)
{
	if (window->n_blocks == CODE_WINDOW_BLOCKS) {
		code_sum_fini(&window->blocks[0]);
		window->n_blocks--;
		memmove(window->blocks, window->blocks + 1,
			window->n_blocks * sizeof(*window->blocks));
	}
	code_sum_fini(&window->closed);
	for (size_t i = 0; i < window->n_blocks; i++)
		code_sum_add(&window->closed, &window->blocks[i]);
	window->blocks[window->n_blocks++] = (struct code_sum){0};
}

void code_window_add(struct code_window *window, const struct snapshot *snapshot)
{
	struct code_sum *last = window->n_blocks ? &window->blocks[window->n_blocks - 1] : NULL;
	struct code_sum one;

	if (snapshot->whole || snapshot->time_ns <= window->time_ns ||
	    (last && last->columns != snapshot->columns)) {
		code_window_clear(window);
		last = NULL;
	}
	window->time_ns = snapshot->time_ns;
	if (!code_sum_init(&one, snapshot, &window->key, window->tree)) {
		window->without++;
		window->without_ns += snapshot->interval_ns;
		return;
	}
	window->without = 0;
	window->without_ns = 0;
	if (!last || last->intervals == CODE_WINDOW_BLOCK)
		begin_block(window);
	code_sum_add(&window->blocks[window->n_blocks - 1], &one);
	code_sum_fini(&one);
}

void code_window_sum(const struct code_window *window, struct code_sum *sum)
{
	*sum = (struct code_sum){0};
	code_sum_add(sum, &window->closed);
	if (window->n_blocks > 0)
		code_sum_add(sum, &window->blocks[window->n_blocks - 1]);
}
