// SPDX-License-Identifier: MIT
#ifndef PMCTOP_OUT_DOCTOR_H
#define PMCTOP_OUT_DOCTOR_H

#include "core/doctor/doctor.h"

#include <stdbool.h>
#include <stdio.h>

/*
 * The page that pmctop --doctor prints, in `width` columns (0: as wide as the texts are); a remedy
 * is a line of its own, never broken, so that it can be copied. A remedy that stood before is not
 * said again. Levels are words, coloured besides where `color`.
 */
void out_doctor_text(const struct doctor *doctor, unsigned width, bool color, FILE *out);

/*
 * The same for programs, one object on one line:
 *
 *   {"schema":"pmctop-doctor/1","verdict",
 *    "can":{"level","system","own_tasks","kernel","other_tasks","hardware","software",
 *           "tracepoints"},
 *    "findings":[{"section","name","level","text","remedies":[...]}]}
 *
 * "can" has what pmctop can do here: "level" is "system", "task", "user" or "none", the others are
 * true or false. "level" of a finding is "ok", "warn" or "bad"; sections and names are those of
 * the page.
 */
void out_doctor_json(const struct doctor *doctor, FILE *out);

#endif
