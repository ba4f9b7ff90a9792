// SPDX-License-Identifier: MIT
/*
 * Files of /proc may have tens of MB, so they are never in memory as a whole. What is left of a
 * piece behind its last newline is the beginning of the next one.
 */
#include "core/sys/file_lines.h"

#include "core/base/util.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_BYTES = 64 << 10 };

struct piece {
	char *text;
	size_t held;
	bool skip; /* the rest of a line that is too long */
	bool stop;
	int (*fn)(void *arg, char *line);
	void *arg;
};

/* Passes the complete lines on, and moves what is left to the front. */
static void pass_lines(struct piece *piece)
{
	size_t used = 0;
	char *newline;

	while (!piece->stop && (newline = memchr(piece->text + used, '\n', piece->held - used))) {
		*newline = '\0';
		if (!piece->skip)
			piece->stop = piece->fn(piece->arg, piece->text + used) != 0;
		piece->skip = false;
		used = (size_t)(newline - piece->text) + 1;
	}
	piece->held -= used;
	memmove(piece->text, piece->text + used, piece->held);
	if (piece->skip || piece->held == PIECE_BYTES) {
		piece->skip = true;
		piece->held = 0;
	}
}

int file_lines_each(const struct sys *sys, int fd, size_t most, int (*fn)(void *arg, char *line),
		    void *arg)
{
	struct piece piece = {.text = xmalloc(PIECE_BYTES), .fn = fn, .arg = arg};
	uint64_t offset = 0;
	ssize_t n = 0;

	while (!piece.stop && offset < most) {
		n = sys_file_pread(sys, fd, piece.text + piece.held, PIECE_BYTES - piece.held,
				   offset);
		if (n <= 0)
			break;
		offset += (uint64_t)n;
		piece.held += (size_t)n;
		pass_lines(&piece);
	}
	free(piece.text);
	return n < 0 ? (int)n : 0;
}
