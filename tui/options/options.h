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

/* The task of the command line. Pure: nothing is opened, printed or read from the environment. */
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
	OPTIONS_COLUMNS_MAX = 4096, /* -e and -m together */
	OPTIONS_NUMBERS_MAX = 4096, /* -p and -t, each */
	OPTIONS_FREQUENCY = 199,    /* --frequency: odd, so it is no multiple of a timer's */
	OPTIONS_FREQUENCY_MAX = 10000,
};

enum options_color {
	OPTIONS_COLOR_AUTO,
	OPTIONS_COLOR_ALWAYS,
	OPTIONS_COLOR_NEVER,
};

/*
 * Strings are borrowed from argv, the configuration or tables, unless marked as owned. Names of
 * presets and columns may be defined by the configuration, so they are checked later (choice.h).
 */
struct options {
	enum options_task task;
	enum options_list list;
	const char *pattern; /* pattern of --list; NULL: all */
	const char *config;  /* --config; NULL: the default places */
	uint64_t interval_ns;
	uint64_t iterations; /* 0: until stopped */
	bool batch;
	const struct batch_format *format; /* of batch output */
	const char *output;                /* file of the batch output; NULL: standard output */
	size_t top;                        /* number of rows printed or served; 0: default */
	bool printed;                      /* --format was given */
	bool code;                         /* functions are printed */
	struct recorder_spec record;       /* .path NULL: nothing is recorded */
	const char *listen;                /* address to serve (listen_address.h); NULL: none */
	const char **listen_names; /* owned array of borrowed names that requests may have */
	size_t n_listen_names, listen_names_capacity;
	const char *replay; /* recording to replay, "-": a pipe; NULL: none */
	const char
		*event_tables; /* folder or file of the user's tables; NULL: the default places */
	const char *cpu_model; /* id of the CPU that --list is for; NULL: this machine's */
	const char *symfs;     /* folder with files of the recorded machine; NULL: none */
	uint32_t speed;        /* replay speed in thousandths, or PLAYBACK_SPEED_MAX; if `paced` */
	bool paced;            /* --speed was given */
	enum rollup by;        /* what a row is */
	const char *sort;      /* a column's name; "": the default */
	bool reverse;
	const char *shown;             /* column_choice.h; NULL: all columns in their order */
	const char *filter;            /* words that rows must contain; NULL: none */
	const char *preset;            /* NULL: the engine's choice */
	struct engine_column *columns; /* -e and -m, in their order */
	size_t n_columns, columns_capacity;
	char **names; /* owned: texts that others point to */
	size_t n_names, names_capacity;
	pid_t *pids, *tids; /* owned: -p, -t */
	size_t n_pids, pids_capacity, n_tids, tids_capacity;
	const char *user, *cpus, *cgroup; /* NULL: any */
	enum event_levels count;
	double budget_percent; /* percent of each CPU; 0: no limit; negative: default */
	unsigned frequency;    /* samples of code a second on a busy CPU, while they are needed */
	bool idle, command_lines;
	enum options_color color;
	bool ascii;
	bool readonly; /* sends no signal, writes no file, starts no command */
	bool mouse;
	enum view_unit unit;      /* unit of events and rates on the screen */
	const char *theme;        /* name or file; NULL: the default */
	const char *ssh;          /* host to run on; NULL: this machine */
	const char *via;          /* command line that runs a command elsewhere; NULL: none */
	const char **ssh_options; /* owned array of borrowed words for ssh */
	size_t n_ssh_options, ssh_options_capacity;
	bool ssh_sudo;              /* with sudo there */
	const char *static_program; /* program to be copied there; NULL: the installed one */
	char *const *command;       /* argv behind "--", ended by NULL; NULL: no command */
	/* Set by the command line only: */
	bool refreshes; /* a delay or a number of refreshes was given */
	bool delays;    /* a delay was given */
	bool counts;    /* --count was given */
};

void options_init(struct options *options); /* the defaults */
void options_fini(struct options *options); /* also after an error of options_parse() */
/*
 * A copy without what *options owns: columns, processes, threads, names for --listen, words for
 * ssh. *options must live as long.
 */
void options_borrow(const struct options *options, struct options *copy);

/*
 * Parses argv on top of *options. Returns 0, or -EINVAL and a sentence with the error and a similar
 * name. argv[argc] is NULL. May permute argv, as getopt does; the same argv may be parsed again.
 */
int options_parse(int argc, char **argv, struct options *options, struct error *err);

/*
 * Calls word() for each word of the command line that pmctop on a host (--ssh, --via) gets, without
 * argv[0]: options by their long names, without options of this side (option_table.h); the
 * positional arguments; and the command. argv has been parsed without an error.
 */
void options_each_sent(int argc, char **argv, void (*word)(void *arg, const char *text), void *arg);

/*
 * Sets one setting by an option's long name. Not every option is a setting. The value of an option
 * without argument is yes or no. Errors as above.
 */
int options_set(struct options *options, const char *name, const char *value, struct error *err);

/* What the options need command lines of tasks for. */
enum command_lines options_command_lines(const struct options *options);

/* Print the texts of --help and --version. */
void options_print_help(FILE *file);
void options_print_version(FILE *file);

#endif
