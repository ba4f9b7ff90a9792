// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_LETTERS_H
#define PMCTOP_TESTS_LETTERS_H

#include "core/event/plan.h"

/*
 * Plans of events that are written as letters. The name of an event is its letter, the config of
 * its codes is the letter's character.
 *
 * u, v and w are events of software. y and z are events of sockets in units of a quarter, y on two
 * devices. All others are events of hardware, with a code for each core PMU. A letter after '^'
 * leads, one after '-' is unsupported, one after '!' denied, one after '1' or '2' is of that PMU
 * alone.
 */
void letter_events(const char *letters, size_t n_core, struct event_set *set);

/*
 * A plan of these events, with a want for each word: "ci cm u", optional after '?'. `rest` has the
 * counter budget. The caller has one reference.
 */
struct plan *letter_plan(const struct event_set *set, const char *words, size_t n_core,
			 const struct plan_request *rest);

#endif
