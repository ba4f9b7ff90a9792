// SPDX-License-Identifier: MIT
#ifndef PMCTOP_OPTIONS_H
#define PMCTOP_OPTIONS_H

#include "core/base/error.h"
#include "core/engine/engine.h"
#include "core/engine/playback.h"
#include "core/perfdata/recorder.h"
#include "core/snapshot/rollup.h"
#include "core/view/view.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct batch_format;

/* What the command line asks for. Pure: nothing is opened, printed or read from the environment. */
enum options_task {
	OPTIONS_RUN,
	OPTIONS_HELP,
	OPTIONS_VERSION,
	OPTIONS_LIST,
	OPTIONS_DOCTOR,
};

enum options_list {
	OPTIONS_LIST_EVENTS,
	OPTIONS_LIST_METRICS,
	OPTIONS_LIST_PRESETS,
	OPTIONS_LIST_COLUMNS, /* -s help too */
	OPTIONS_LIST_THEMES,
	OPTIONS_LIST_PMUS,
	OPTIONS_LIST_KEYS,
	OPTIONS_LIST_FORMULAS,
	OPTIONS_LIST_VERDICTS,
	OPTIONS_LIST_MARKS,
	OPTIONS_LIST_PALETTE,
	OPTIONS_LIST_VARIABLES,
};

enum {
	OPTIONS_COLUMNS_MAX = 4096, /* of -e and -m together */
	OPTIONS_NUMBERS_MAX = 4096, /* of -p, and of -t */
};

enum options_color {
	OPTIONS_COLOR_AUTO,
	OPTIONS_COLOR_ALWAYS,
	OPTIONS_COLOR_NEVER,
};

/*
 * The strings are borrowed from argv, from the configuration or from tables, but what is owned.
 * Names of presets and columns may be the configuration's, so they are looked up later (choice.h).
 */
struct options {
	enum options_task task;
	enum options_list list;
	const char *pattern; /* what to list of it; NULL: all */
	const char *config;  /* file; NULL: the usual places */
	uint64_t interval_ns;
	uint64_t iterations; /* 0: until stopped */
	bool batch;
	const struct batch_format *format; /* of batch output */
	const char *output;                /* file of batch output; NULL: standard output */
	size_t top;                        /* rows that are printed or served; 0: nobody said */
	bool printed;                      /* a format was asked for */
	struct recorder_spec record;       /* .path NULL: nothing is recorded */
	const char *listen;                /* listen_address.h: where to serve; NULL: nowhere */
	const char **listen_names;         /* owned; borrowed names that requests may have there */
	size_t n_listen_names, listen_names_capacity;
	const char *replay; /* a recording that is shown, "-": a pipe; NULL: none */
	uint32_t speed;     /* of it, in thousandths, or PLAYBACK_SPEED_MAX; where `paced` */
	bool paced;         /* a speed was asked for */
	enum rollup by;     /* what a line is */
	const char *sort;   /* a column's name; "": the default */
	bool reverse;
	const char *shown;             /* column_choice.h; NULL: all columns as they are */
	const char *filter;            /* words that rows must have; NULL: none */
	const char *preset;            /* NULL: the engine's choice */
	struct engine_column *columns; /* -e and -m, in their order */
	size_t n_columns, columns_capacity;
	char **names; /* owned: texts that others point to */
	size_t n_names, names_capacity;
	pid_t *pids, *tids; /* owned: -p, -t */
	size_t n_pids, pids_capacity, n_tids, tids_capacity;
	const char *user, *cpus, *cgroup; /* NULL: any */
	enum event_levels count;
	double budget_percent; /* of a CPU; 0: no limit; below 0: nobody said */
	bool idle, command_lines;
	enum options_color color;
	bool ascii;
	bool readonly; /* no signal is sent, no file written, nothing started */
	bool mouse;
	enum view_unit unit; /* of events and rates on the screen */
	const char *theme;   /* name or file; NULL: the default */
	char *const
		*command; /* what stands behind "--": an argv, NULL behind its end; NULL: none */
	/* On the command line ... */
	bool refreshes; /* a delay or a number of them was asked for */
	bool delays;    /* a delay was */
	bool counts;    /* privilege levels were */
};

void options_init(struct options *options); /* the defaults */
void options_fini(struct options *options); /* also of what was parsed half */

/*
 * What argv says, on top of what *options holds: 0, or -EINVAL and one sentence that says what is
 * wrong and what is near it. argv[argc] is NULL. May permute argv, as getopt does; the same argv
 * may be parsed again.
 */
int options_parse(int argc, char **argv, struct options *options, struct error *err);

/*
 * What a configuration says, by an option's long name. Not every option is a setting; one that
 * takes no argument has the value yes or no. -EINVAL and a sentence as above.
 */
int options_set(struct options *options, const char *name, const char *value, struct error *err);

/* As --unit has it. */
const char *options_unit_name(enum view_unit unit);

/* What --help and --version print. */
void options_print_help(FILE *file);
void options_print_version(FILE *file);

#endif
