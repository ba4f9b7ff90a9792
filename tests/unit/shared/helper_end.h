// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_HELPER_END_H
#define PMCTOP_TESTS_HELPER_END_H

#include "core/code/helper_process.h"
#include "core/code/symbol_client.h"

/* Waits until a process that was abandoned has ended, and closes it. */
void helper_end(struct helper_process *left);
/* Abandons a client (NULL is fine), and waits for its process. */
void symbol_client_end(struct symbol_client *client);

#endif
