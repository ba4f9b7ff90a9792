// SPDX-License-Identifier: MIT
#ifndef PMCTOP_OUT_DOCTOR_H
#define PMCTOP_OUT_DOCTOR_H

#include "core/doctor/doctor.h"

#include <stdbool.h>
#include <stdio.h>

/*
 * Prints the page of pmctop --doctor in `width` columns (0: not wrapped). A remedy is a line of its
 * own and never wrapped, so that it can be copied. It is printed once. `color` adds colours to the
 * levels.
 */
void out_doctor_text(const struct doctor *doctor, unsigned width, bool color, FILE *out);

/*
 * Prints the same as one JSON object on one line:
 *
 *   {"schema":"pmctop-doctor/1","verdict",
 *    "can":{"level","system","own_tasks","kernel","other_tasks","hardware","software",
 *           "tracepoints"},
 *    "findings":[{"section","name","level","text","remedies":[...]}]}
 *
 * "can" has what pmctop can do here: "level" is "system", "task", "user" or "none", the others are
 * booleans. "level" of a finding is "ok", "warn" or "bad". Sections and names are as on the
 * page.
 */
void out_doctor_json(const struct doctor *doctor, FILE *out);

#endif
