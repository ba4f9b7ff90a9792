// SPDX-License-Identifier: MIT
#ifndef PMCTOP_RUN_H
#define PMCTOP_RUN_H

#include "core/notes.h"
#include "keymap.h"
#include "options.h"
#include "theme.h"

#include <errno.h>
#include <stdbool.h>

/* What main hands on of the environment. */
struct run_config {
	const struct options *options;
	const struct engine_config *engine;
	const struct theme *theme;
	const char *theme_dir;       /* the user's themes; may be NULL */
	const struct keymap *keymap; /* as the configuration binds it */
	const struct notes *notes;   /* what is wrong with the configuration */
	const char *save_path;       /* where it is saved; NULL: that cannot be known */
	const char *save_pattern;    /* what was read instead; may be NULL */
	const char *terminal;        /* $TERM */
	const char *temporary;       /* $TMPDIR; NULL or "": the usual one */
	bool color, direct_color;
	bool utf8; /* else ASCII alone can be drawn */
};

/* What pmctop ends with; a command that was run has its own status passed on instead. */
enum run_status {
	RUN_OK = 0,
	RUN_FAILED = 1,
	RUN_USAGE = 2,
	RUN_NOTHING = 3,      /* nothing can be counted */
	RUN_NO_TERMINAL = -1, /* live only: nothing to draw on, and *err says why */
};

/* What it means that the engine did not start (engine_new). */
static inline enum run_status run_refusal(int rc)
{
	return rc == -EINVAL ? RUN_USAGE : rc == -EOPNOTSUPP ? RUN_FAILED : RUN_NOTHING;
}

/*
 * An exit status, as above or the command's; *err says what there is to say, which may be something
 * whatever the status is, or "". Nothing is printed but what was asked for.
 */

/*
 * Takes what a busy machine needs to be watched, where there is the right to: as many descriptors
 * as the hard limit gives, since threads are counted with them, and a priority above those who keep
 * the machine busy, as rings that are read too late overflow. And memory that is free, up to some
 * 32 MiB, is kept for the next refresh. To be called when a command, which is to have what pmctop
 * was given, has been forked.
 */
void run_prepare(void);

/*
 * Opens what --record asks for, for the engine; NULL where it does not. 0, or -errno and a
 * sentence.
 */
int run_open_recorder(const struct options *options, struct recorder **recorder, struct error *err);

/* The dashboard, until its user has enough. */
int run_live(const struct run_config *config, struct error *err);

/* Text or json on standard output or in a file. */
int run_batch(const struct run_config *config, struct error *err);

/*
 * The page about what can be counted here, as text or json; RUN_NOTHING where nothing can. In
 * `width` columns; 0: unbroken.
 */
enum run_status run_doctor(const struct options *options, unsigned width, bool color,
			   struct error *err);

#endif
