// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SYS_STUB_H
#define PMCTOP_SYS_STUB_H

#include "core/sys/sys.h"

#include <stdint.h>

/* A kernel without files, events and processes. Its clocks show what the caller sets. */
struct sys_stub {
	struct sys sys; /* has the address of this struct, which must not move */
	uint64_t now_ns, realtime_ns;
};

void sys_stub_init(struct sys_stub *stub);

#endif
