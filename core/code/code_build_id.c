// SPDX-License-Identifier: MIT
#include "core/code/code_build_id.h"

#include "core/base/util.h"

#include <string.h>

static const uint8_t zeros[CODE_BUILD_ID_MAX];

bool code_build_id_is_known(const struct code_build_id *id)
{
	return id->size > 0 && memcmp(id->bytes, zeros, id->size) != 0;
}

bool code_build_id_is(const struct code_build_id *recorded, const uint8_t *bytes, size_t size)
{
	size_t both = size_min(recorded->size, size);

	if (size == 0 || memcmp(recorded->bytes, bytes, both) != 0)
		return false;
	return recorded->size == size ||
	       (recorded->size == CODE_BUILD_ID_MAX &&
		memcmp(recorded->bytes + both, zeros, recorded->size - both) == 0);
}
