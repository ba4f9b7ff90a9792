// SPDX-License-Identifier: MIT
#ifndef PMCTOP_RECORDING_H
#define PMCTOP_RECORDING_H

struct app;

/* Ends the recording under way; where there is none, asks for a file and begins one. */
void recording_toggle(struct app *app);

#endif
