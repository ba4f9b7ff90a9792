// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SYS_STUB_H
#define PMCTOP_SYS_STUB_H

#include "core/sys/sys.h"

#include <stdint.h>

/* A kernel where nothing is: no file, no event, no process. Its clocks stand where they are put. */
struct sys_stub {
	struct sys sys; /* points to this: it must not move */
	uint64_t now_ns, realtime_ns;
};

void sys_stub_init(struct sys_stub *stub);

#endif
