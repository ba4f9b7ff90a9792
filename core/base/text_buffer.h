// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TEXT_BUFFER_H
#define PMCTOP_TEXT_BUFFER_H

#include <stddef.h>

/*
 * A text that is composed and grows. Zeroed is empty, without memory. The caller bounds what it
 * adds. The owner frees `bytes`, which are NULL until the first addition, then end with a NUL.
 */
struct text_buffer {
	char *bytes; /* owned */
	size_t length, capacity;
};

/* Appends n bytes. With n = 0 the buffer is "" at least. */
void text_buffer_add(struct text_buffer *buffer, const char *bytes, size_t n);
/* Appends a text. */
void text_buffer_add_text(struct text_buffer *buffer, const char *text);

#endif
