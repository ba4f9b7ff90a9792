// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ERROR_H
#define PMCTOP_ERROR_H

#include <stdbool.h>

/*
 * An error for the user: one sentence with its remedy, and the -errno that caused it. The caller
 * owns the struct. A function that fails fills it and returns `code`.
 */
struct error {
	int code; /* -errno; 0: no error */
	char text[256];
};

/* Fills err, unless it is NULL. Returns code, so a caller can `return error_set(...)`. */
int error_set(struct error *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Whether no file has that name: one of its directories is missing, or the name is too long. */
bool error_is_absent(int code);

/* The meaning of an -errno, in English in every locale. Never NULL. */
const char *error_why(int code);

/*
 * The remedy for an -errno of writing a file, or of file descriptors: a sentence with a space
 * before it, or "".
 */
const char *error_remedy(int code);

/* Sets "No file descriptor is left." with the remedy for code. Returns code. */
int error_set_no_descriptor(struct error *err, int code);

/* Sets "WHAT cannot be started: WHY." for a process or a thread, with the remedy. Returns code. */
int error_set_not_started(struct error *err, int code, const char *what);

#endif
