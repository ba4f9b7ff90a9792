// SPDX-License-Identifier: MIT
#ifndef PMCTOP_MESSAGES_H
#define PMCTOP_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The message log: notes of snapshots and notices, each text once. A snapshot is a round. A message
 * that appears in consecutive rounds has appeared once. Times are CLOCK_REALTIME.
 */
struct message {
	char *text;
	uint64_t first_ns, last_ns; /* first and last appearance; 0: before any snapshot */
	unsigned times;
	unsigned long round; /* of the last appearance */
};

/* Zeroed is empty. */
struct messages {
	struct message *items; /* the newest last */
	size_t n, capacity;
	unsigned long round;
	uint64_t now_ns;    /* of the round */
	char notice[320];   /* shown before the notes of the snapshot; "": none */
	uint64_t notice_ns; /* remaining time of the notice; 0: until the next notice */
};

enum { MESSAGES_MAX = 200 }; /* the oldest message is dropped */

void messages_begin_round(struct messages *messages, uint64_t now_ns);
/* Shows a notice until the next key, at most 6 s, and adds it to the log. */
void messages_show(struct messages *messages, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same until the next notice. */
void messages_show_lasting(struct messages *messages, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Removes the notice when its time is over. */
void messages_age_notice(struct messages *messages, uint64_t elapsed_ns);
/* Removes the notice, unless it stays until the next one. */
void messages_clear_notice(struct messages *messages);

void messages_add(struct messages *messages, const char *text);
/* True if the message appeared in the current round. */
bool message_is_current(const struct messages *messages, const struct message *message);
void messages_fini(struct messages *messages);

#endif
