// SPDX-License-Identifier: MIT
#ifndef PMCTOP_RUN_H
#define PMCTOP_RUN_H

#include "core/base/notes.h"
#include "core/engine/feed.h"
#include "core/replay/replay.h"
#include "core/replay/replay_index.h"
#include "core/sys/sys.h"
#include "tui/options/options.h"
#include "tui/run/launch.h"
#include "tui/run/listing.h"
#include "tui/run/rights.h"
#include "tui/run/serve.h"
#include "tui/term/keymap.h"
#include "tui/term/theme.h"

#include <stdbool.h>
#include <stdint.h>

/* What main hands on of the environment. */
struct run_config {
	const struct options *options;
	const struct engine_config *engine;
	const struct theme *theme;
	const char *theme_dir;       /* the user's themes; may be NULL */
	const struct keymap *keymap; /* as the configuration binds it */
	const struct serve *serve;   /* what is told of the run while it lasts */
	const struct notes *notes;   /* what is wrong with the configuration */
	const char *save_path;       /* where it is saved; NULL: that cannot be known */
	const char *save_pattern;    /* what was read instead; may be NULL */
	const char *terminal;        /* $TERM */
	struct launch *launch;       /* of the command, which waits; NULL: there is none */
	bool color, direct_color;
	bool utf8; /* else ASCII alone can be drawn */
	/* Prints a note on standard error. */
	void (*note)(const char *sentence);
};

/* What pmctop ends with; a command that was run has its own status passed on instead. */
enum run_status {
	RUN_OK = 0,
	RUN_FAILED = 1,
	RUN_USAGE = 2,
	RUN_NOTHING = 3,      /* nothing can be counted */
	RUN_NO_TERMINAL = -1, /* live only: nothing to draw on, and *err says why */
};

/*
 * An exit status, as above or the command's; *err says what there is to say, which may be something
 * whatever the status is, or "". Nothing is printed but what was asked for.
 */

/*
 * Takes what a busy machine needs to be watched, where there is the right to: as many descriptors
 * as the hard limit gives, since threads are counted with them, and a priority above those who keep
 * the machine busy, as rings that are read too late overflow. And memory that is free, up to some
 * 32 MiB, is kept for the next refresh. What cannot be written (SIGPIPE, SIGXFSZ) ends nobody. To
 * be called when a command, which is to have what pmctop was given, has been forked.
 */
void run_prepare(void);

/*
 * This machine as a feed, recorded where --record asks for it: RUN_OK, or what to end with and a
 * sentence. The config's recorder is filled in.
 */
enum run_status run_open_machine(const struct options *options, struct engine_config *config,
				 uint64_t interval_ns, const struct sys *sys, struct feed *feed,
				 struct error *err);

/*
 * The recording that --replay names as a feed, which stays at its end or ends with it. The survey
 * may be NULL; it reads a file from then on. RUN_OK, or what to end with and a sentence. What
 * *replay points to must outlive the feed and the survey.
 */
enum run_status run_open_replay(const struct options *options, const struct replay_config *replay,
				bool stays, struct replay_index *replay_index,
				const struct sys *sys, struct feed *feed, struct error *err);

/* The dashboard, until its user has enough. */
int run_live(const struct run_config *config, struct error *err);

/* What batch_format.h knows (text, json, csv ...), on standard output or in a file. */
int run_batch(const struct run_config *config, struct error *err);

/*
 * The page about what can be counted here, as text or json; RUN_NOTHING where nothing can. In
 * `width` columns; 0: unbroken. Before it is written, rights go that this does not take.
 */
enum run_status run_doctor(const struct options *options, const struct rights *rights,
			   unsigned width, bool color, struct error *err);

/* What --list asks for, with no right but to count; RUN_FAILED where nothing matches. */
enum run_status run_list(const struct listing *listing, const struct options *options,
			 const struct rights *rights, struct error *err);

#endif
