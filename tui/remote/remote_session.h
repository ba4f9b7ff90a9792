// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REMOTE_SESSION_H
#define PMCTOP_REMOTE_SESSION_H

#include "core/base/error.h"
#include "core/base/notes.h"
#include "core/base/unwritten.h"
#include "core/tables/tables.h"
#include "tui/remote/parcel.h"
#include "tui/remote/transport.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * One run of pmctop on a host, with up to three channels: the set-up, which stays open until the
 * end; pmctop; and its recording. ssh has one connection for all, so it reads a password once. A
 * command of --via is run once for each.
 *
 *	here                                    the host
 *	setup      ssh -T   <- lines, files ->  /bin/sh, host_setup.sh
 *	program    ssh -tt  <- terminal ----->  FOLDER/pmctop --remote FOLDER
 *	       or  ssh -T   <- output ----      the same, without a terminal
 *	recording  ssh -T   <- perf.data --     cat FOLDER/recording
 *
 * Only the files that the user named are written here. All is borrowed.
 */
struct remote_session {
	struct transport transport;
	bool sudo;                          /* runs pmctop there through sudo */
	const char *program;                /* file of --static; NULL: none */
	struct parcel *parcel;              /* to be sent; gets the tables for the CPUs there */
	const struct tables_places *tables; /* the user's tables of events */
	const char *output;                 /* file of the output; NULL: standard output */
	const char *record;                 /* file of the recording; NULL: none */
	bool screen;                        /* pmctop there has a terminal */
	bool command;                       /* the user's, so the status may be any */
	const char *directory;              /* for the folder of ssh's socket; NULL: /tmp */
	const char *terminal;               /* its type */
	char *const *environment;           /* of ssh, or of the command of --via */
	/* What the files of `output` and `record` still lack. */
	struct unwritten *unwritten_output, *unwritten_record;
	/* Limits the time that is left until the end, from now on. Files may not answer. */
	void (*limit_end)(void *ending, uint64_t ns);
	void *ending;
};

/*
 * The caller has blocked the signals of signals_ends() in this thread. Another thread unblocks
 * them, and ends this process if it has not ended soon after one.
 *
 * Returns pmctop's exit status there, or 1 with a sentence in *err, or 128 + the signal that ended
 * the run here. `notes` gets sentences to be printed before *err. err->code is -ENOEXEC if
 * nothing can be copied or executed there. The terminal is restored.
 */
int remote_session_run(const struct remote_session *session, struct notes *notes,
		       struct error *err);

#endif
