// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TIME_NAMESPACE_H
#define PMCTOP_TIME_NAMESPACE_H

#include "core/sys/sys.h"

#include <stdint.h>

/*
 * time_namespaces(7): CLOCK_MONOTONIC and CLOCK_BOOTTIME of a process may differ from the host's.
 * Times of /proc differ with them. Records of perf have the host's CLOCK_MONOTONIC in every time
 * namespace.
 */

/*
 * Returns CLOCK_MONOTONIC of this process less the host's, in ns. 0 in the host's namespace,
 * and if the difference is unknown.
 */
int64_t time_namespace_ahead_ns(const struct sys *sys);

#endif
