// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ERROR_H
#define PMCTOP_ERROR_H

/*
 * What a user must read about something that went wrong: one sentence with its remedy, and the
 * -errno that caused it. Callers own the struct; functions that fail fill it and return `code`.
 */
struct error {
	int code; /* -errno, 0 when nothing is wrong */
	char text[256];
};

/* Fills err (which may be NULL) and returns code, so that a caller can `return error_set(...)`. */
int error_set(struct error *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* What the -errno means, in English: strerror would ask the locale. Never NULL. */
const char *error_why(int code);

/*
 * What helps against it where something is written, or no file descriptor is left: a sentence with
 * a space before it, or "".
 */
const char *error_remedy(int code);

/* Sets "No file descriptor is left." with the remedy for code. Returns code. */
int error_set_no_descriptor(struct error *err, int code);

#endif
