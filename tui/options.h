// SPDX-License-Identifier: MIT
#ifndef PMCTOP_OPTIONS_H
#define PMCTOP_OPTIONS_H

#include "core/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct batch_format;

/* What the command line asks for. Pure: nothing is opened, printed or read from the environment. */
enum options_task {
	OPTIONS_RUN,
	OPTIONS_HELP,
	OPTIONS_VERSION,
	OPTIONS_LIST_COLUMNS, /* -s help */
};

enum options_color {
	OPTIONS_COLOR_AUTO,
	OPTIONS_COLOR_ALWAYS,
	OPTIONS_COLOR_NEVER,
};

/* The strings are borrowed from argv or from tables. */
struct options {
	enum options_task task;
	uint64_t interval_ns;
	uint64_t iterations; /* 0: until stopped */
	bool batch;
	const struct batch_format *format; /* of batch output */
	const char *output;                /* file of batch output; NULL: standard output */
	bool threads;
	const char *sort; /* a column's name; "": the default */
	bool reverse;
	const char *preset; /* NULL: the engine's choice */
	enum options_color color;
	bool ascii;
	const char *theme; /* name or file; NULL: the default */
};

/*
 * 0, or -EINVAL and one sentence that says what is wrong and what is near it. May permute argv, as
 * getopt does.
 */
int options_parse(int argc, char **argv, struct options *options, struct error *err);

/* What --help, --version and -s help print. */
void options_print_help(FILE *file);
void options_print_version(FILE *file);
void options_print_columns(FILE *file);

#endif
