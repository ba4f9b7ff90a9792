// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SYMBOL_SANDBOX_H
#define PMCTOP_SYMBOL_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a process loses before it parses files of other users. In two steps, because neither alone
 * lasts: an exec by root returns the capabilities that were dropped, and so does one of a file with
 * capabilities, unless no_new_privs is set.
 */

/*
 * Before the exec, and again after it, because any user can start the program with the name of the
 * child: user and group of the caller, no capability in any set, no_new_privs. Async
 * signal safe, and without memory of the process, so that it may run after vfork(2). 0 or -errno.
 */
int symbol_sandbox_drop(void);

/*
 * The same for a process that opens files, except that it keeps the caller's capabilities that are
 * in `rights` (bits by number), over the exec too.
 */
int symbol_sandbox_keep(uint64_t rights);

/* A limit of setrlimit(2) for this process, which cannot raise it again. */
void symbol_sandbox_limit(unsigned resource, size_t most);

/*
 * After the exec: limits, not dumpable, killed at the end of the parent's thread, and a filter of
 * system calls. `memory` and `descriptors` are limits. True: the filter works. Without it, because
 * the kernel has none or this architecture is not known, the rest holds.
 */
bool symbol_sandbox_enter(size_t memory, size_t descriptors);

#endif
