// SPDX-License-Identifier: MIT
#ifndef PMCTOP_MACHINE_ITEMS_H
#define PMCTOP_MACHINE_ITEMS_H

#include "core/snapshot/snapshot_machine.h"

#include <stdbool.h>
#include <stddef.h>

/* What is shown of struct snapshot_machine: "load" "2.10 1.80 1.20", "CPU 0" "spends ...". */
struct machine_item {
	char label[24];
	char text[80];
	unsigned weight;    /* a narrow line keeps the heaviest; below 100 */
	bool usual;         /* worth its place even below its threshold: load and memory */
	bool kept;          /* memory and swap: no lighter than what speaks */
	bool speaks;        /* the value is above the threshold of its item, in machine_items.c */
	bool warns;         /* the same, and tasks lose time by it */
	char sentence[120]; /* if it warns, or of an interrupt that speaks: a finding; else "" */
};

enum { MACHINE_ITEMS = 11 + MACHINE_INTERRUPTS };

/* Fills in the items with a known value, in their order. Returns how many. */
size_t machine_items(const struct snapshot_machine *machine,
		     struct machine_item items[MACHINE_ITEMS]);

#endif
