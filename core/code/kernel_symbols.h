// SPDX-License-Identifier: MIT
#ifndef PMCTOP_KERNEL_SYMBOLS_H
#define PMCTOP_KERNEL_SYMBOLS_H

#include "core/code/code_text.h"
#include "core/sys/sys.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Functions of the kernel, its modules and BPF programs, from /proc/kallsyms. The file is read at
 * the first address, and again later if an address is unknown, because modules come and go. About
 * 40 bytes a function: 2.5 MB for 65,000.
 *
 * The kernel decides when the file is opened whether it shows addresses (kallsyms_show_value()):
 * with CAP_SYSLOG, or with kernel.perf_event_paranoid <= 1 and kernel.kptr_restrict 0. It is opened
 * at the first reading, and stays open.
 */
struct kernel_symbols;

/* Opens nothing yet. `sys` is borrowed; NULL: records are the only source. */
struct kernel_symbols *kernel_symbols_new(const struct sys *sys);
void kernel_symbols_free(struct kernel_symbols *symbols);

/*
 * A symbol with a known address in the running kernel. The kernel is at another address in each
 * boot. NULL: addresses are used as the file has them.
 */
struct kernel_reference {
	const char *name; /* "_text" */
	uint64_t address;
};

/*
 * Replaces the index by the functions of another kernel, from a text with the content of its
 * /proc/kallsyms. At most 256 MiB of it are read. They are moved such that the reference has its
 * address. If that moves them, functions of modules are left out. Returns 0, or -errno without any
 * function: the reader's error, -ENOENT if the text has none, -EACCES if all addresses are 0,
 * -ESRCH if it lacks the reference.
 */
int kernel_symbols_load(struct kernel_symbols *symbols, const struct code_text_reader *reader,
			const struct kernel_reference *reference);
/*
 * After kernel_symbols_load() of a text with the reference: whether it is at that address in the
 * text, so that nothing was moved, and the text has one of the kernel's ends (_etext, _edata) there
 * too. `end` 0: unknown.
 */
bool kernel_symbols_are_unmoved(const struct kernel_symbols *symbols, uint64_t end);
/* Removes the index. `why` is what kernel_symbols_why() returns; "": NULL. It is copied. */
void kernel_symbols_clear(struct kernel_symbols *symbols, const char *why);

/*
 * Reads a piece of 64 KiB, about 1 ms, as long as the file was not read once, so that the first
 * kernel_symbols_find(), which reads what is left, takes less time. Only `begin` begins it.
 */
void kernel_symbols_prepare(struct kernel_symbols *symbols, bool begin);

struct kernel_symbol {
	const char *name;
	const char *module; /* "[kernel]", "[ext4]", "[bpf]" */
	uint64_t start;
	bool recorded; /* of a record KSYMBOL */
};

/* Finds the function with an address. False: unknown. The texts live until the next call. */
bool kernel_symbols_find(struct kernel_symbols *symbols, uint64_t address,
			 struct kernel_symbol *symbol);
/*
 * Returns why functions of the kernel have no names, with the remedy, or NULL. Known after the
 * first kernel_symbols_find().
 */
const char *kernel_symbols_why(const struct kernel_symbols *symbols);

/*
 * A record KSYMBOL: code such as a BPF program was added, or removed (`name` NULL). The newest
 * KERNEL_SYMBOLS_ADDED are kept. Without `sys` a removed function still has its addresses, unless
 * a record added another one there: samples of an interval are resolved at its end.
 */
enum { KERNEL_SYMBOLS_ADDED = 4096 };
void kernel_symbols_record(struct kernel_symbols *symbols, uint64_t start, uint32_t size,
			   const char *name);

/* Grows whenever a function may have another name than before. */
unsigned kernel_symbols_changes(const struct kernel_symbols *symbols);
/* Returns the memory of the index in bytes. */
size_t kernel_symbols_bytes(const struct kernel_symbols *symbols);

#endif
