// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TERMINAL_TYPE_H
#define PMCTOP_TERMINAL_TYPE_H

/*
 * Built-in descriptions of some terminals, for machines without terminfo. The first one replaces
 * unknown types. The last one's name is NULL. The table is empty if the machine that built pmctop
 * had no infocmp.
 */
struct terminal_type {
	const char *name, *terminfo; /* in the format of $TERMINFO: "b64:..." (terminfo(5)) */
};
extern const struct terminal_type terminal_types[];

#endif
