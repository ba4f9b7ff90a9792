// SPDX-License-Identifier: MIT
#ifndef PMCTOP_OPTION_TABLE_H
#define PMCTOP_OPTION_TABLE_H

#include "core/base/error.h"
#include "tui/options/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef int option_read_fn(struct options *options, const char *argument, struct error *err);

/* Writes the value as option_read_fn parses it; nothing: the default. */
typedef void option_write_fn(const struct options *options, FILE *file);

/* The i-th word that an argument may be; NULL ends them. */
typedef const char *option_word_fn(size_t i);

/*
 * An option. Its argument is parsed by `read`, or stored as `text`. An option without an argument
 * sets `flag`.
 */
struct option_row {
	char letter; /* 0: long only */
	const char *name;
	const char *argument; /* its name in --help; NULL: none */
	const char *help;
	option_read_fn *read;
	option_word_fn
		*word; /* --help prints them before `help`, if there is room; NULL: any argument */
	size_t flag;   /* offset of a bool in struct options; 0: none */
	size_t text;   /* offset of a const char * there; 0: none */
	const char *
		needs; /* what is missing if the argument is "", for the error; NULL: "" is valid */
	bool setting;  /* also a setting of the configuration */
	const char *denies;     /* setting that it turns off: "mouse" for --no-mouse */
	bool saved;             /* settings_save() writes it */
	option_write_fn *write; /* NULL: the flag or text is written */
	bool here;              /* with --ssh or --via it is for this side alone */
};

enum { OPTION_ROWS_MAX = 64 };

/* In the order of --help; fewer than OPTION_ROWS_MAX. */
extern const struct option_row option_rows[];
extern const size_t option_rows_n;

/* Stores the argument in *options. Returns 0, or -EINVAL and a sentence. */
int option_row_read(const struct option_row *row, struct options *options, const char *argument,
		    struct error *err);
/* Writes the value of a saved setting. */
void option_row_write(const struct option_row *row, const struct options *options, FILE *file);
/* The name of the setting; NULL: it is none. */
const char *option_row_setting(const struct option_row *row);
/* Returns the length of the name in an argument of -m: "k = 2 * ipc". */
size_t option_metric_name(const char *metric);
/* "text or json", as much as fits; "" if any argument is valid. */
void option_row_words(const struct option_row *row, char *text, size_t size);

/* Parsers of the two positional arguments. */
option_read_fn option_read_delay, option_read_iterations;

#endif
