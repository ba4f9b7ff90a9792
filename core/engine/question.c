// SPDX-License-Identifier: MIT
#include "core/engine/question.h"

#include <stdlib.h>

void answer_free(struct answer *answer)
{
	if (!answer)
		return;
	inventory_unref(answer->inventory);
	free(answer->states);
	free(answer->outlook);
	free(answer);
}
