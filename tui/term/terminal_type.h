// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TERMINAL_TYPE_H
#define PMCTOP_TERMINAL_TYPE_H

/*
 * Some usual terminals, for machines that have no terminfo at all: pmctop alone is to be enough
 * there. The first one stands in for those that are not among them, the last one's name is NULL.
 * There are none where the machine that built pmctop had no infocmp.
 */
struct terminal_type {
	const char *name, *terminfo; /* as $TERMINFO may hold it: "b64:..." (terminfo(5)) */
};
extern const struct terminal_type terminal_types[];

#endif
