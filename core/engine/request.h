// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REQUEST_H
#define PMCTOP_REQUEST_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Requests from the UI to what makes the snapshots: an engine or a replay. request.def has a row
 * for each kind. A request that fails becomes a note. The text is copied once, by
 * request_list_add(); from there on the lists pass it.
 */
enum request_kind {
#define REQUEST(kind, when, live, replay) REQUEST_##kind,
#include "core/engine/request.def"
#undef REQUEST
	REQUEST_KINDS,
};

/* When a live engine does it. */
enum request_time {
	REQUEST_AT_NOW,
	REQUEST_AT_CUT,   /* at the end of the interval, which is made short (live_feed.c) */
	REQUEST_AT_BEGIN, /* the same, but number 0 ends something, which can wait */
};

struct request {
	enum request_kind kind;
	const char *text; /* NULL: none */
	int64_t number;
	pid_t tid;
};

/* A queue that owns the texts. Zeroed is empty. */
struct request_list {
	struct request *items;
	size_t n, capacity;
};

/* Copies the text. */
void request_list_add(struct request_list *list, const struct request *request);
/* Moves a request with its text, and empties it. */
void request_list_put(struct request_list *list, struct request *request);
/* Moves all requests of `from` to the end of the list. */
void request_list_move(struct request_list *list, struct request_list *from);
void request_list_clear(struct request_list *list);

#endif
