// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ACCEPT_HEADER_H
#define PMCTOP_ACCEPT_HEADER_H

#include "core/output/metrics_export.h"

/*
 * The dialect that an Accept header prefers (RFC 9110, 12.5.1; NULL: no header). OpenMetrics if it
 * is named, in version 0.0.1, 1.0.0 or any, with at least the weight of the older text. Else the
 * older text, which browsers show too, also if neither is accepted.
 */
enum metrics_export_dialect accept_header_dialect(const char *accept);

/* The Content-Type of a dialect. */
const char *accept_header_type(enum metrics_export_dialect dialect);

#endif
