// SPDX-License-Identifier: MIT
#ifndef PMCTOP_RECORDING_H
#define PMCTOP_RECORDING_H

struct app;

/* Ends the recording; if there is none, opens a prompt for its file. */
void recording_toggle(struct app *app);

#endif
