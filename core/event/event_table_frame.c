// SPDX-License-Identifier: MIT
/*
 * The file, which the assembler puts into the program, and its size. The Makefile has the
 * dependency. Compilers run at the top of the source.
 */
#include "core/event/event_table.h"

__asm__(".section .rodata\n"
	".globl event_table_frame, event_table_frame_bytes\n"
	".hidden event_table_frame, event_table_frame_bytes\n"
	".balign 4\n"
	"event_table_frame_bytes:\n"
	".4byte event_table_frame_end - event_table_frame\n"
	"event_table_frame:\n"
	".incbin \"core/tables/tables.zst\"\n"
	"event_table_frame_end:\n"
	".previous\n");
