// SPDX-License-Identifier: MIT
#ifndef PMCTOP_NATIVE_RECORD_H
#define PMCTOP_NATIVE_RECORD_H

#include "core/perfdata/perfdata.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The words and texts of a native record, in their order. The bytes are untrusted: a missing or
 * invalid one sets `broken` and reads as 0 or "".
 */
struct native_words {
	const uint64_t *at, *end;
	bool broken;
};

/* Whether it is a kind of native records, of this version or another. */
bool native_is_kind(uint64_t kind);
/* False if it is no native record. *kind may be unknown to this version. */
bool native_open(const struct perf_event_header *header, uint64_t *kind,
		 struct native_words *words);
/* Whether it is a native record of that kind. */
bool native_is(const struct perf_event_header *header, enum native_kind wanted);

uint64_t native_word(struct native_words *words);
/* A word of at most `most`. */
uint64_t native_number(struct native_words *words, uint64_t most);
/* A finite double. */
double native_double(struct native_words *words);
/* A pid or tid: 0 to NATIVE_PID_MAX, or -1. */
pid_t native_pid(struct native_words *words);
/* n words in a row; NULL if there are fewer. */
const uint64_t *native_array(struct native_words *words, size_t n);
/* A text, unchanged; owned by the caller. */
char *native_bytes(struct native_words *words);
/* A text made printable (text_printable); owned by the caller. */
char *native_text(struct native_words *words);
void native_text_to(struct native_words *words, char *text, size_t size);

enum { NATIVE_PID_MAX = 4 << 20 }; /* PID_MAX_LIMIT of 64 bit kernels */

/* Whether a number is a valid pid or tid of a record. */
static inline bool native_is_pid(pid_t pid)
{
	return pid >= -1 && pid <= NATIVE_PID_MAX;
}

#endif
