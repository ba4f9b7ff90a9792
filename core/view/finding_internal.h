// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FINDING_INTERNAL_H
#define PMCTOP_FINDING_INTERNAL_H

#include "core/view/finding.h"
#include "core/view/verdict_internal.h"

/* Shared by core/view/finding*.c, and for these alone. */

/* Adds a finding without a text, of a verdict or not (VERDICT_NONE). There must be room. */
struct finding *findings_add(struct findings *findings, enum finding_kind kind,
			     enum verdict verdict);
bool findings_have(const struct findings *findings, enum verdict verdict);
/* finding_loss.c: writes the sentence of a loss, and its main task. */
void finding_describe_loss(const struct losses *losses, struct finding *finding);
/* finding_use.c: adds what uses the CPUs and is in no finding yet. */
void findings_add_consumers(struct findings *findings, const struct losses *losses);

/*
 * finding_still.c: adds zombies that their parents do not wait for, and stopped tasks. They cost
 * nothing, so call it last.
 */
void findings_add_still(struct findings *findings, const struct losses *losses);
/* Appends " for at least 20 s", in steps; from 1 s on. */
void finding_append_held(char *text, size_t size, uint64_t held_ms);

#endif
