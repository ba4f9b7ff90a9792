// SPDX-License-Identifier: MIT
#ifndef PMCTOP_DEMANGLE_H
#define PMCTOP_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Readable names of C++ and Rust functions, without their parameters, as perf prints them. A
 * mangled name of 240 bytes can be one of 256 MB, or take minutes. So there are two limits: the
 * size of the result, at which it is cut, and the CPU time, at which the name stays mangled.
 *
 * libiberty itself bounds the recursion, and leaves names of more than 1,024 bytes as they are.
 */
struct demangler;

/*
 * Its timer needs timer_create(2), timer_settime(2) and rt_sigprocmask(2), and SIGVTALRM, which no
 * other code of the process may use. One in a process. NULL: there are no timers.
 */
struct demangler *demangler_new(void);
void demangler_free(struct demangler *demangler); /* NULL is fine */

/*
 * Writes the readable name, cut at size - 1 bytes, with a NUL. False: `mangled` is not a mangled
 * name, or a limit of time or recursion was reached; the result is "".
 */
bool demangle(struct demangler *demangler, const char *mangled, char *to, size_t size);

#endif
