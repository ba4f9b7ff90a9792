// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PARCEL_H
#define PMCTOP_PARCEL_H

#include "core/base/error.h"
#include "core/tables/tables.h"
#include "tui/remote/link_watch.h"
#include "tui/term/theme_load.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * What pmctop here sends to pmctop on the host: words of the command line, variables, the
 * configuration, the themes and the tables of events. It is one file of texts that are ended by
 * NUL, a key before each value. A pmctop reads the format of all older versions, because an
 * installed one is used if it is newer. All texts are owned.
 */
struct parcel {
	char **words; /* argv of pmctop on the host, ended by NULL */
	size_t n_words, words_capacity;
	/* Of the terminal here; NULL: not set. */
	char *term, *colorterm, *no_color, *escdelay, *lines, *columns;
	char *config_path, *config; /* name here, and text; NULL: no configuration */
	char *theme;                /* text of the theme; NULL: the default */
	struct theme_text *themes;  /* the user's, to choose from */
	size_t n_themes, themes_capacity;
	/*
	 * The user's tables of events for the CPUs there. `folder` is NULL if there are no tables
	 * here: then the host reads its own. `text` is NULL if there are none for these CPUs.
	 */
	struct tables_text tables;
	char *host;            /* its name in messages: transport_name() */
	char *record;          /* name here of the recording; NULL: nothing is recorded */
	bool utf8;             /* the terminal here shows UTF-8 */
	struct host_link link; /* not sent: remote_folder.h sets it on the host */
};

enum { PARCEL_BYTES_MAX = 8 << 20, PARCEL_WORDS_MAX = 8192, PARCEL_THEMES_MAX = 100 };

/* Append copies. */
void parcel_add_word(struct parcel *parcel, const char *word);
void parcel_add_theme(struct parcel *parcel, const char *name, const char *text);

/* The file. The caller frees *bytes. -E2BIG with a sentence if it would be too large. */
int parcel_pack(const struct parcel *parcel, char **bytes, size_t *n, struct error *err);

/*
 * The inverse, from any bytes. Returns 0, or -EINVAL with a sentence, also for a key that a newer
 * pmctop has added; then *parcel is zeroed.
 */
int parcel_unpack(const char *bytes, size_t n, struct parcel *parcel, struct error *err);

void parcel_fini(struct parcel *parcel); /* accepts a zeroed one */

#endif
