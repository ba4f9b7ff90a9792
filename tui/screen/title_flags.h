// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TITLE_FLAGS_H
#define PMCTOP_TITLE_FLAGS_H

#include "tui/widget/segments.h"

struct app;

/*
 * Adds pieces of the title: filter, user, followed row and tags, so that a part of the rows is not
 * taken for all, --readonly, and the address of the metrics server.
 */
void title_flags_add(struct app *app, struct segments *flags);

#endif
