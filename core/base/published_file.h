// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PUBLISHED_FILE_H
#define PMCTOP_PUBLISHED_FILE_H

#include "core/base/error.h"

#include <signal.h>
#include <stddef.h>

/*
 * A file that others read while it is replaced, again and again: they find the old one or the new
 * one, whole, and may read it whoever they are (0644). The one that was put last is locked: a
 * second pmctop that is to replace it says so.
 */
struct published_file_replace {
	char *path;
	int fd; /* the one that was put last; -1: none yet */
};

/*
 * Whether that is what is to be done with this name: 1, or 0 where there is something that is only
 * written to (a device, a pipe), or -errno and a sentence where it must not be touched: a link, a
 * directory, somebody else's file, one that another pmctop replaces, a place in which no file can
 * be made. There is something to be closed after 1.
 */
int published_file_open(const char *path, struct published_file_replace *file, struct error *err);
/* NULL and one that is zeroed but for its fd are fine. */
void published_file_fini(struct published_file_replace *file);

/*
 * 0, or -errno and a sentence: then the file is what it was. -EINTR without one where *stop was
 * set meanwhile.
 */
int published_file_replace(struct published_file_replace *file, const void *bytes, size_t n,
			   const volatile sig_atomic_t *stop, struct error *err);

#endif
