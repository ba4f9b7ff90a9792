// SPDX-License-Identifier: MIT
#ifndef PMCTOP_RUN_H
#define PMCTOP_RUN_H

#include "core/base/notes.h"
#include "core/engine/feed.h"
#include "core/replay/replay.h"
#include "core/replay/replay_index.h"
#include "core/sys/sys.h"
#include "tui/options/config.h"
#include "tui/options/options.h"
#include "tui/run/ending.h"
#include "tui/run/launch.h"
#include "tui/run/listing.h"
#include "tui/run/rights.h"
#include "tui/run/serve.h"
#include "tui/term/keymap.h"
#include "tui/term/theme_load.h"

#include <stdbool.h>
#include <stdint.h>

/* What main() passes to the ways to run. */
struct run_config {
	const struct options *options;
	const struct engine_config *engine;
	const struct theme *theme;
	const struct theme_places *themes; /* the user's */
	const struct keymap *keymap;       /* with the bindings of the configuration */
	const struct serve *serve;         /* the server of this run, if any */
	const struct notes *notes;         /* errors of the configuration */
	const char *save_path;             /* file that W saves to; NULL: not known */
	const char *save_pattern; /* file that was read if that does not exist; may be NULL */
	const char *terminal;     /* $TERM */
	unsigned width;           /* columns of the terminal on standard output; 0: no terminal */
	struct launch *launch;    /* the command, which waits; NULL: none */
	struct ending *ending;    /* ends the run if something hangs */
	/*
	 * This machine in messages, if --ssh or --via of another one has started this; NULL: it
	 * runs where the user is.
	 */
	const char *host;
	bool color, direct_color;
	bool utf8; /* the terminal shows UTF-8, else ASCII only */
	/* Prints a note to standard error. */
	void (*note)(const char *sentence);
};

/* Exit statuses. If a command was run, its status is the exit status. */
enum run_status {
	RUN_OK = 0,
	RUN_FAILED = 1,
	RUN_USAGE = 2,
	RUN_NOTHING = 3,      /* nothing can be counted */
	RUN_NO_TERMINAL = -1, /* run_live() only: no terminal; *err has the reason */
};

/*
 * All functions below return an exit status: enum run_status or the command's. *err is the message,
 * which may be set for any status, or "". They print only the requested output.
 */

/*
 * Prepares the process for a busy machine, as far as permitted. It raises the limit of descriptors
 * to the hard limit, because threads are counted with them. It raises the priority, because rings
 * that are read too late overflow. It keeps up to 32 MiB of freed memory for the next refresh, and
 * ignores SIGPIPE and SIGXFSZ. Call it after the command has been forked, which must not inherit
 * this.
 */
void run_prepare(void);

/*
 * Opens this machine as a feed, recorded with --record. Returns RUN_OK, or another status and a
 * sentence. Sets the config's recorder. `begins_short`: as for live_init().
 */
enum run_status run_open_machine(const struct options *options, struct engine_config *config,
				 bool begins_short, const struct sys *sys, struct feed *feed,
				 struct error *err);

/*
 * Opens the recording of --replay as a feed. `stays`: the feed stays at the end of the recording,
 * else it ends there. replay_index may be NULL; it reads a file from now on. Returns RUN_OK, or
 * another status and a sentence. What *replay points to must outlive the feed and the index.
 */
enum run_status run_open_replay(const struct options *options, const struct replay_config *replay,
				bool stays, struct replay_index *replay_index,
				const struct sys *sys, struct feed *feed, struct error *err);

/* Draws until the user quits, or as many refreshes as in -n. */
int run_live(const struct run_config *config, struct error *err);

/* Prints in a format of batch_format.h, to standard output or a file. */
int run_batch(const struct run_config *config, struct error *err);

/*
 * Prints the page of --doctor, as text or json, in `width` columns (0: unbroken). Returns
 * RUN_NOTHING if nothing can be counted. Drops unneeded rights before it prints. `tables`: the
 * user's files of events.
 */
enum run_status run_doctor(const struct options *options, const struct tables_places *tables,
			   const struct rights *rights, unsigned width, bool color,
			   struct error *err);

/*
 * Runs pmctop on the host of --ssh or --via with the same command line, configuration and themes.
 * `argv` has been parsed into *options, and the theme loaded. `note`: as for struct ending_config.
 */
int run_remote(int argc, char **argv, const struct options *options, const struct config *config,
	       const struct theme_places *themes, char *const *environment,
	       void (*note)(const char *sentence), struct notes *notes, struct error *err);

/*
 * Prints the list of --list, with the right to count only. Returns RUN_FAILED if nothing matches.
 * Adds to `notes` as listing_print().
 */
enum run_status run_list(const struct listing *listing, const struct options *options,
			 const struct rights *rights, struct notes *notes, struct error *err);

#endif
