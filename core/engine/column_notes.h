// SPDX-License-Identifier: MIT
#ifndef PMCTOP_COLUMN_NOTES_H
#define PMCTOP_COLUMN_NOTES_H

#include "core/base/notes.h"
#include "core/metric/selection.h"
#include "core/snapshot/snapshot.h"
#include "core/sys/sys.h"

/*
 * Tells of the columns that are not what they should be, and why: events that cannot be counted,
 * metrics that this machine has nothing for, what is counted in turns though it belongs together.
 * What was told of columns before goes.
 */
void column_notes_renew(struct notes *notes, const struct sys *sys,
			const struct selection *selection, const struct columns *columns);

#endif
