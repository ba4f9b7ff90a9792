// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PICK_H
#define PMCTOP_PICK_H

#include <stddef.h>

struct app;

/* What can be chosen from lists over the screen: each a picker of its own. */
void pick_preset(struct app *app);
void pick_preset_number(struct app *app, size_t index); /* the same without a list */
void pick_theme(struct app *app);                       /* each is seen while it is selected */
void pick_user(struct app *app);   /* whose tasks are shown: all, or one user's */
void pick_column(struct app *app); /* of columns of figures, one to be removed */
void pick_signal(struct app *app); /* for the tagged lines or the selected one; then it asks */

#endif
