// SPDX-License-Identifier: MIT
/*
 * The file, which the assembler puts into the program. The Makefile has the dependency. Compilers
 * run at the top of the source.
 */
#include "core/event/event_table.h"

__asm__(".section .rodata\n"
	".globl event_table_frame, event_table_frame_end\n"
	".hidden event_table_frame, event_table_frame_end\n"
	"event_table_frame:\n"
	".incbin \"core/event/tables/tables.zst\"\n"
	"event_table_frame_end:\n"
	".byte 0\n" /* so that this address is not that of the next object */
	".previous\n");
