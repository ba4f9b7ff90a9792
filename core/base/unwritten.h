// SPDX-License-Identifier: MIT
#ifndef PMCTOP_UNWRITTEN_H
#define PMCTOP_UNWRITTEN_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What an output file still lacks. The thread that writes the file updates it. Another thread reads
 * it when the program is to end, while the writing thread may stand in write(2) or close(2). The
 * lock is never held during such a call.
 *
 * One file at a time. Initialise it with UNWRITTEN_NONE. In all functions NULL is fine, and has no
 * effect.
 */
struct unwritten {
	pthread_mutex_t lock;
	char name[256];   /* the file, cut if longer; "": none */
	bool open;        /* it was opened, and its data is complete only after it is closed */
	uint64_t bytes;   /* passed to the writer, not yet written */
	uint64_t written; /* or dropped, since the program began */
};

#define UNWRITTEN_NONE                            \
	{                                         \
		.lock = PTHREAD_MUTEX_INITIALIZER \
	}

/* A file is to be opened. */
void unwritten_name(struct unwritten *unwritten, const char *path);
/* It is open. */
void unwritten_open(struct unwritten *unwritten);
void unwritten_add(struct unwritten *unwritten, size_t bytes);
/* So many of these bytes are written, or dropped. */
void unwritten_take(struct unwritten *unwritten, size_t bytes);
/* It is closed, or was not opened. */
void unwritten_close(struct unwritten *unwritten);

/* Copies the state, with an unlocked lock. Returns whether a file is open. */
bool unwritten_read(struct unwritten *unwritten, struct unwritten *copy);

#endif
