// SPDX-License-Identifier: MIT
#ifndef PMCTOP_NATIVE_RECORD_H
#define PMCTOP_NATIVE_RECORD_H

#include "core/perfdata/perfdata.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The words and texts of a record of our own, one after the other, as a stranger may have written
 * them: what is not there, or not what it should be, breaks it, and reads as 0 and "".
 */
struct native_words {
	const uint64_t *at, *end;
	bool broken;
};

/* False where it is no record of our own; *kind may be one that this program does not know. */
bool native_open(const struct perf_event_header *header, uint64_t *kind,
		 struct native_words *words);
/* Whether it is a record of our own, of that kind. */
bool native_is(const struct perf_event_header *header, enum native_kind wanted);

uint64_t native_word(struct native_words *words);
/* One that is at most so much. */
uint64_t native_number(struct native_words *words, uint64_t most);
/* One that is finite. */
double native_double(struct native_words *words);
/* A process or thread: as the kernel numbers them, or -1. */
pid_t native_pid(struct native_words *words);
/* n words that follow each other; NULL where they are not there. */
const uint64_t *native_array(struct native_words *words, size_t n);
/* As it was written; the caller's. */
char *native_bytes(struct native_words *words);
/* What may be shown as it is (text_printable): everything that is not hostile by its nature. */
char *native_text(struct native_words *words);
void native_text_to(struct native_words *words, char *text, size_t size);

enum { NATIVE_PID_MAX = 4 << 20 }; /* PID_MAX_LIMIT of 64 bit kernels */

/* Whether a number that a record has may be a process's or thread's. */
static inline bool native_is_pid(pid_t pid)
{
	return pid >= -1 && pid <= NATIVE_PID_MAX;
}

#endif
