// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CONFIG_H
#define PMCTOP_CONFIG_H

#include "core/base/error.h"
#include "core/base/notes.h"
#include "core/metric/metric_def.h"
#include "core/metric/preset.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * A configuration file:
 *
 *	[pmctop]
 *	delay = 0.5                      # an option's long name; the command line has priority
 *	[keys]
 *	quit = q F10                     # an action and its keys
 *	[metrics]
 *	load_mpki = 1000 * mem-loads / instructions; unit=/ki    # as for -m: metric_user.h
 *	[presets]
 *	mine = cpu_percent, ipc, {branches,branch-misses}:u,
 *	       load_mpki                 # a line that begins with a blank continues the last one
 *
 * An invalid line is noted with its number and ignored; the other lines hold. A comment begins with
 * # at the beginning of a line or after a blank, or with ; at the beginning of a line.
 */
struct config_entry {
	char *name, *value;  /* the value without blanks around it, its lines joined by a blank */
	unsigned line, last; /* first line of the entry, last line of the value */
};

struct config_section {
	struct config_entry *items;
	size_t n, capacity;
	unsigned end; /* its last line except comments; 0: the section does not exist */
	bool full;    /* it has CONFIG_ENTRIES_MAX entries, and more were ignored */
};

struct config {
	char *path;                     /* for messages */
	struct config_section settings; /* [pmctop], applied by settings_apply() */
	struct config_section keys;     /* [keys], applied by keymap_configure() */
	struct config_section metrics_as_written, presets_as_written;
	struct metric_def *metrics;
	size_t n_metrics;
	struct preset *presets; /* a name in them that is no metric is an event */
	size_t n_presets;
	/*
	 * "FILE:7: why this line is ignored." The first n_noted are in the order of their lines,
	 * which are in `noted`.
	 */
	struct notes notes;
	unsigned noted[NOTES_MAX];
	size_t n_noted;
};

/*
 * Limits of a file: a longer one is refused, further entries of a section are noted once and
 * ignored. Reading compares each pair of names.
 */
enum { CONFIG_BYTES_MAX = 64 * 1024, CONFIG_ENTRIES_MAX = 256 };

/* Fills a zeroed *config from any text. Errors become notes. */
void config_parse(const char *path, const char *text, struct config *config);

/*
 * The same from a file. Returns 0; -ENOENT without a sentence if it does not exist; another -errno
 * with a sentence. On error *config stays zeroed.
 */
int config_load(const char *path, struct config *config, struct error *err);
/*
 * The same for a file that the environment names (bounded_read.h): -EPERM if it belongs to another
 * user.
 */
int config_load_own(const char *path, struct config *config, struct error *err);

/* A section by its name; NULL: no such section. */
const struct config_section *config_section_find(const struct config *config, const char *name);
/* NULL: no such entry. */
const struct config_entry *config_entry_find(const struct config_section *section,
					     const char *name);
/* Whether a line is an entry ("ipc = ...") even if it is indented, and not a continuation. */
bool config_is_assignment(const char *line);

/* Notes why an entry is ignored, in the order of lines. */
void config_note(struct config *config, const struct config_entry *entry, const char *sentence);

void config_fini(struct config *config); /* accepts a zeroed one */

#endif
