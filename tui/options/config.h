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
 * What a configuration file says:
 *
 *	[pmctop]
 *	delay = 0.5                      # an option's long name: what the command line wins over
 *	[keys]
 *	quit = q F10                     # an action, and the keys that it has then
 *	[metrics]
 *	load_mpki = 1000 * mem-loads / instructions; unit=/ki    # as -m takes it: metric_user.h
 *	[presets]
 *	mine = cpu_percent, ipc, {branches,branch-misses}:u,
 *	       load_mpki                 # a line that begins with a blank goes on with the last one
 *
 * A line that cannot be used is noted with its number and skipped; the rest holds. Comments begin
 * with # at the beginning of a line or after a blank, and with ; at the beginning of a line.
 */
struct config_entry {
	char *name, *value;  /* the value trimmed, its lines joined by a blank */
	unsigned line, last; /* the first one, and the one where the value ends */
};

struct config_section {
	struct config_entry *items;
	size_t n, capacity;
	unsigned end; /* its last line but comments, be it the heading; 0: it is not there */
	bool full;    /* of CONFIG_ENTRIES_MAX, and more were skipped */
};

struct config {
	char *path;                     /* as messages name it */
	struct config_section settings; /* [pmctop]: the front end's to apply */
	struct config_section keys;     /* [keys], as well */
	struct config_section metrics_as_written, presets_as_written;
	struct metric_def *metrics;
	size_t n_metrics;
	struct preset
		*presets; /* what in them is no metric, built in or of this file, is an event */
	size_t n_presets;
	/*
	 * "FILE:7: why this line was skipped." The first n_noted are in the order of their lines.
	 */
	struct notes notes;
	unsigned noted[NOTES_MAX];
	size_t n_noted;
};

/*
 * Nobody writes more by hand, and reading looks at each pair of names: what is longer is refused,
 * what a section has beyond is noted once and skipped.
 */
enum { CONFIG_BYTES_MAX = 64 * 1024, CONFIG_ENTRIES_MAX = 256 };

/* Fills a zeroed *config. Whatever the text: what is wrong with it is noted. */
void config_parse(const char *path, const char *text, struct config *config);

/*
 * The same from a file: 0, -ENOENT silently where there is none, any other -errno with a sentence;
 * *config stays zeroed then.
 */
int config_load(const char *path, struct config *config, struct error *err);
/* The same of a file that the environment led to (bounded_read.h): -EPERM where it is another's. */
int config_load_own(const char *path, struct config *config, struct error *err);

/* A section by the name in its heading: NULL where there is none such. */
const struct config_section *config_section_find(const struct config *config, const char *name);
/* NULL where it is not there. */
const struct config_entry *config_entry_find(const struct config_section *section,
					     const char *name);
/* Whether a line is an entry ("ipc = ...") even where it is indented, and does not go on. */
bool config_is_assignment(const char *line);

/* Notes why an entry was of no use, where its line stands among those noted. */
void config_note(struct config *config, const struct config_entry *entry, const char *sentence);

void config_fini(struct config *config); /* zeroed is fine */

#endif
