// SPDX-License-Identifier: MIT
#include "tests/unit/shared/helper_end.h"

#include <sched.h>

void helper_end(struct helper_process *left)
{
	int wait_status;

	while (!helper_process_ended(left, &wait_status))
		sched_yield();
	helper_process_close(left);
}

void symbol_client_end(struct symbol_client *client)
{
	struct helper_process left;

	if (!client)
		return;
	symbol_client_abandon(client, &left);
	helper_end(&left);
}
