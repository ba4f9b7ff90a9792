// SPDX-License-Identifier: MIT
/*
 * A test program starts itself as the helper processes of core/code, and is linked with this
 * object, which does their work before main(). The tests of the helpers themselves are not
 * (tests.mk).
 */
#include "core/code/code_lanes.h"

/* glibc passes the arguments of main(). */
__attribute__((constructor)) static void enter_helper(int argc, char **argv)
{
	code_lanes_main(argc, argv);
}
