// SPDX-License-Identifier: MIT
#include "tests/load/library/hotspots_library.h"

uint64_t library_burn(uint64_t n)
{
	uint64_t x = n;

	/* Without a use gcc sets no frame pointer here. */
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
	while (n-- > 0)
		x = x * 6364136223846793005u + 5;
	return x;
}
