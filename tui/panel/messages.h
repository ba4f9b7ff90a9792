// SPDX-License-Identifier: MIT
#ifndef PMCTOP_MESSAGES_H
#define PMCTOP_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What was said to the user so far: notes of snapshots and notices, each sentence once. Time goes
 * in rounds, one a snapshot; a sentence that is said in one round after the other was said once.
 * Times are CLOCK_REALTIME.
 */
struct message {
	char *text;
	uint64_t first_ns, last_ns; /* when it was first and last said; 0: before any snapshot */
	unsigned times;
	unsigned long round; /* the last in which it was said */
};

/* Zeroed is empty. */
struct messages {
	struct message *items; /* those that were said last come last */
	size_t n, capacity;
	unsigned long round;
	uint64_t now_ns;    /* of the round */
	char notice[320];   /* shown before the notes of the snapshot; "": none */
	uint64_t notice_ns; /* remaining time of the notice; 0: until the next notice */
};

enum { MESSAGES_MAX = 200 }; /* what was said longest ago goes */

void messages_begin_round(struct messages *messages, uint64_t now_ns);
/* Shows the notice for `ns` nanoseconds, or until the next one if 0, and adds it to the log. */
void messages_show_notice(struct messages *messages, uint64_t ns, const char *text);
/* Removes the notice when its time is over. */
void messages_age_notice(struct messages *messages, uint64_t elapsed_ns);
/* Removes the notice, unless it stays until the next one. */
void messages_clear_notice(struct messages *messages);

void messages_add(struct messages *messages, const char *text);
/* Whether it is still being said. */
bool message_is_current(const struct messages *messages, const struct message *message);
void messages_fini(struct messages *messages);

#endif
