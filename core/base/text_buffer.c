// SPDX-License-Identifier: MIT
/* The end is kept terminated, so that the bytes are a text after each addition. */
#include "core/base/text_buffer.h"

#include "core/base/util.h"

#include <string.h>

void text_buffer_add(struct text_buffer *buffer, const char *bytes, size_t n)
{
	buffer->bytes = array_reserve(buffer->bytes, &buffer->capacity, buffer->length + n + 1, 1);
	memcpy(buffer->bytes + buffer->length, bytes, n);
	buffer->length += n;
	buffer->bytes[buffer->length] = '\0';
}

void text_buffer_add_text(struct text_buffer *buffer, const char *text)
{
	text_buffer_add(buffer, text, strlen(text));
}
