// SPDX-License-Identifier: MIT
/* The contract is in unwritten.h. */
#include "core/base/unwritten.h"

#include "core/base/util.h"

void unwritten_name(struct unwritten *unwritten, const char *path)
{
	if (!unwritten)
		return;
	pthread_mutex_lock(&unwritten->lock);
	text_copy(unwritten->name, sizeof(unwritten->name), path);
	unwritten->open = false;
	unwritten->bytes = 0;
	pthread_mutex_unlock(&unwritten->lock);
}

void unwritten_open(struct unwritten *unwritten)
{
	if (!unwritten)
		return;
	pthread_mutex_lock(&unwritten->lock);
	unwritten->open = true;
	pthread_mutex_unlock(&unwritten->lock);
}

void unwritten_add(struct unwritten *unwritten, size_t bytes)
{
	if (!unwritten)
		return;
	pthread_mutex_lock(&unwritten->lock);
	unwritten->bytes += bytes;
	pthread_mutex_unlock(&unwritten->lock);
}

void unwritten_take(struct unwritten *unwritten, size_t bytes)
{
	if (!unwritten)
		return;
	pthread_mutex_lock(&unwritten->lock);
	unwritten->bytes -= u64_min(bytes, unwritten->bytes);
	unwritten->written += bytes;
	pthread_mutex_unlock(&unwritten->lock);
}

void unwritten_close(struct unwritten *unwritten)
{
	unwritten_name(unwritten, "");
}

bool unwritten_read(struct unwritten *unwritten, struct unwritten *copy)
{
	*copy = (struct unwritten)UNWRITTEN_NONE;
	if (!unwritten)
		return false;
	pthread_mutex_lock(&unwritten->lock);
	text_copy(copy->name, sizeof(copy->name), unwritten->name);
	copy->open = unwritten->open;
	copy->bytes = unwritten->bytes;
	copy->written = unwritten->written;
	pthread_mutex_unlock(&unwritten->lock);
	return copy->open;
}
