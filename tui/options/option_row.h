// SPDX-License-Identifier: MIT
#ifndef PMCTOP_OPTION_ROW_H
#define PMCTOP_OPTION_ROW_H

#include "core/base/error.h"
#include "tui/options/options.h"

#include <stdbool.h>
#include <stddef.h>

typedef int option_read_fn(struct options *options, const char *argument, struct error *err);

/* The words that an argument may be: number i, NULL behind the last. */
typedef const char *option_word_fn(size_t i);

/*
 * What there is to know about an option. Its argument is read by a function, or is as it stands the
 * value of a text; one that takes none is the yes of a flag.
 */
struct option_row {
	char letter; /* 0: long only */
	const char *name;
	const char *argument; /* as --help calls it; NULL: takes none */
	const char *help;
	option_read_fn *read;
	option_word_fn *word; /* --help lists them before `help`; NULL: it is no choice of words */
	size_t flag;          /* where in struct options the bool is that it sets; 0: in none */
	size_t text;          /* where the const char * is; 0: nowhere */
	const char *needs;    /* what it is that "" is not; NULL: it may be empty */
	bool setting;         /* the configuration may say it too, by its name */
	const char *denies;   /* the setting of which it is the no: "mouse" of --no-mouse */
};

enum { OPTION_ROWS_MAX = 64 };

/* In the order of --help; fewer than OPTION_ROWS_MAX. */
extern const struct option_row option_rows[];
extern const size_t option_rows_n;

/* Takes the argument over into *options: 0, or -EINVAL and a sentence. */
int option_row_read(const struct option_row *row, struct options *options, const char *argument,
		    struct error *err);
/* "text or json"; "" where it is no choice of words. */
void option_row_words(const struct option_row *row, char *text, size_t size);

/* Of two that need no option. */
option_read_fn option_read_delay, option_read_iterations;

#endif
