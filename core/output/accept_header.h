// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ACCEPT_HEADER_H
#define PMCTOP_ACCEPT_HEADER_H

#include "core/output/metrics_export.h"

/*
 * Which dialect someone who sends this Accept header (RFC 9110, 12.5.1; NULL: none) likes most:
 * OpenMetrics where it is named, in version 0.0.1, 1.0.0 or any, with no less weight than the older
 * text; else that one, which browsers can show too, also where neither is wanted.
 */
enum metrics_export_dialect accept_header_dialect(const char *accept);

/* The Content-Type of a dialect. */
const char *accept_header_type(enum metrics_export_dialect dialect);

#endif
