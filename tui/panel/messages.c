// SPDX-License-Identifier: MIT
/*
 * The log is an array in the order of the last appearance. A message that appears again moves to
 * the end, so the oldest is always first and is dropped first.
 */
#include "tui/panel/messages.h"

#include "core/base/util.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOTICE_NS (6 * NS_PER_S)

void messages_begin_round(struct messages *messages, uint64_t now_ns)
{
	messages->round++;
	messages->now_ns = now_ns;
}

static void append_message(struct messages *messages, const struct message *message)
{
	if (messages->n == MESSAGES_MAX) {
		free(messages->items[0].text);
		memmove(messages->items, messages->items + 1,
			--messages->n * sizeof(*messages->items));
	}
	messages->items = array_reserve(messages->items, &messages->capacity, messages->n + 1,
					sizeof(*messages->items));
	messages->items[messages->n++] = *message;
}

void messages_add(struct messages *messages, const char *text)
{
	size_t i = 0;

	while (i < messages->n && strcmp(messages->items[i].text, text) != 0)
		i++;
	if (i == messages->n) {
		append_message(messages, &(struct message){.text = xstrdup(text),
							   .first_ns = messages->now_ns,
							   .last_ns = messages->now_ns,
							   .times = 1,
							   .round = messages->round});
		return;
	}
	struct message message = messages->items[i];
	message.times += message.round + 1 < messages->round;
	message.round = messages->round;
	message.last_ns = messages->now_ns;
	memmove(messages->items + i, messages->items + i + 1,
		(--messages->n - i) * sizeof(*messages->items));
	append_message(messages, &message);
}

__attribute__((format(printf, 3, 0))) static void show_notice(struct messages *messages,
							      uint64_t ns, const char *format,
							      va_list arguments)
{
	vsnprintf(messages->notice, sizeof(messages->notice), format, arguments);
	messages->notice_ns = ns;
	messages_add(messages, messages->notice);
}

void messages_show(struct messages *messages, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	show_notice(messages, NOTICE_NS, format, arguments);
	va_end(arguments);
}

void messages_show_lasting(struct messages *messages, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	show_notice(messages, 0, format, arguments);
	va_end(arguments);
}

void messages_age_notice(struct messages *messages, uint64_t elapsed_ns)
{
	if (elapsed_ns < messages->notice_ns)
		messages->notice_ns -= elapsed_ns;
	else
		messages_clear_notice(messages);
}

void messages_clear_notice(struct messages *messages)
{
	if (messages->notice_ns > 0)
		messages->notice[0] = '\0';
	messages->notice_ns = 0;
}

bool message_is_current(const struct messages *messages, const struct message *message)
{
	return message->round == messages->round;
}

void messages_fini(struct messages *messages)
{
	for (size_t i = 0; i < messages->n; i++)
		free(messages->items[i].text);
	free(messages->items);
	*messages = (struct messages){0};
}
