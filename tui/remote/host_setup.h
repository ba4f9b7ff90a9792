// SPDX-License-Identifier: MIT
#ifndef PMCTOP_HOST_SETUP_H
#define PMCTOP_HOST_SETUP_H

#include "core/base/error.h"
#include "core/base/notes.h"
#include "core/tables/tables.h"
#include "tui/remote/channel.h"
#include "tui/remote/host_reply.h"
#include "tui/remote/parcel.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The dialogue with host_setup.sh over the first channel. At its end the host has a private folder
 * with `pmctop`, `parcel`, the pipe `alive` (held_folder.h, link_watch.h) and perhaps the pipe
 * `recording`. No other user can give the folder's name to another one. The channel stays open:
 * when its input ends, the script removes what is left of the folder.
 */
struct host_setup {
	const char *host;    /* for messages (transport_name()); borrowed, as the other texts */
	bool via;            /* a command of --via runs the commands there, not ssh */
	const char *program; /* file of --static; NULL: an installed one, or the usual files */
	const char *token;   /* HOST_TOKEN_DIGITS random digits */
	const char *name;    /* end of the folder's name: random digits */
	const struct tables_places *tables; /* the user's here */
	struct parcel *parcel;              /* to be sent; gets the tables for the CPUs there */
	bool recorded;                      /* the pipe is needed */
	int signals;                        /* readable if a signal requests the end */
	struct notes *why; /* gets the places that were not chosen, and what is wrong with tables */
};

enum { HOST_FOLDER_BYTES = 256 };

/*
 * Fills `folder` with a path for which host_folder_is_valid(). Returns 0, -EINTR without a
 *sentence, or another -errno with one:
 *
 *	-E2BIG         as parcel_pack()
 *	-ECONNREFUSED  the transport or the login shell failed
 *	-EPROTO        the host answered what the script does not print
 *	-ENOEXEC       nothing can be copied or executed there
 *	-EINVAL        the copied program is one of an older version
 *	another        the file of --static cannot be read
 */
int host_setup_run(const struct host_setup *setup, struct channel *channel,
		   char folder[HOST_FOLDER_BYTES], struct error *err);

#endif
