// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FILE_NAME_H
#define PMCTOP_FILE_NAME_H

#include "core/snapshot/snapshot.h"

#include <stddef.h>

/*
 * Suggests the name of a file about a snapshot, without its ending: "pmctop-HOST-20261121-204500",
 * of local time. It sorts by time and needs no quotes in a shell. A recording without a clock gives
 * "pmctop-HOST".
 */
void file_name_suggest(const struct snapshot *snapshot, char *text, size_t size);

/*
 * The name for a message: on a host (--ssh, --via) "HOST:/DIRECTORY/NAME", as scp takes it, because
 * the file is there. Without `host` (NULL) NAME alone.
 */
void file_name_shown(const char *host, const char *name, char *text, size_t size);

#endif
