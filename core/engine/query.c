// SPDX-License-Identifier: MIT
#include "core/engine/query.h"

#include <stdlib.h>

void reply_free(struct reply *answer)
{
	if (!answer)
		return;
	event_index_unref(answer->event_index);
	free(answer->states);
	free(answer->preview);
	free(answer);
}
