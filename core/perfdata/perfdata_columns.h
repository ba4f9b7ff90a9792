// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PERFDATA_COLUMNS_H
#define PMCTOP_PERFDATA_COLUMNS_H

#include "core/perfdata/perfdata_write.h"
#include "core/snapshot/snapshot.h"

/* What is counted and shown from here on: NATIVE_PLAN with its events, groups and columns. */
void perfdata_columns(struct perfdata *data, const struct columns *columns);

#endif
