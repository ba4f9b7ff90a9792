// SPDX-License-Identifier: MIT
/*
 * The pages of --doctor, --list, --help and --version share this: a page is complete before its
 * first byte is written, so an error leaves no part of one.
 */
#include "tui/run/output_buffer.h"

#include "core/base/output_file.h"
#include "core/base/util.h"

#include <stdlib.h>

void output_buffer_open(struct output_buffer *buffer)
{
	*buffer = (struct output_buffer){0};
	buffer->file = xopen_memstream(&buffer->text, &buffer->size);
}

int output_buffer_print(struct output_buffer *buffer, const char *path, struct error *err)
{
	fclose(buffer->file);
	int rc = output_print(path, buffer->text, buffer->size, err);
	free(buffer->text);
	*buffer = (struct output_buffer){0};
	return rc;
}
