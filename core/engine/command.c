// SPDX-License-Identifier: MIT
/* The queue copies the texts of commands, since a command outlives the call that queues it. */
#include "core/engine/command.h"

#include "core/base/util.h"

#include <stdlib.h>

bool command_changes_columns(enum command_kind kind)
{
	switch (kind) {
	case COMMAND_ADD_EVENTS:
	case COMMAND_ADD_METRIC:
	case COMMAND_REMOVE:
	case COMMAND_LEVELS:
	case COMMAND_PRESET:
		return true;
	case COMMAND_ATTACH:
	case COMMAND_COMMAND_LINES:
	case COMMAND_IDLE:
	case COMMAND_DISMISS:
	case COMMAND_CODE:
	case COMMAND_WATCH:
	case COMMAND_RECORD:
	case COMMAND_PAUSE:
	case COMMAND_STEP:
	case COMMAND_SEEK_BY:
	case COMMAND_SEEK_TO:
	case COMMAND_SPEED:
	case COMMAND_WHOLE:
		break;
	}
	return false;
}

static void append_command(struct commands *commands, const struct command *command)
{
	commands->items = array_reserve(commands->items, &commands->capacity, commands->n + 1,
					sizeof(*commands->items));
	commands->items[commands->n++] = *command;
}

void commands_add(struct commands *commands, const struct command *command)
{
	struct command copy = *command;

	copy.text = command->text ? xstrdup(command->text) : NULL;
	append_command(commands, &copy);
}

void commands_move(struct commands *commands, struct commands *from)
{
	for (size_t i = 0; i < from->n; i++)
		append_command(commands, &from->items[i]);
	free(from->items);
	*from = (struct commands){0};
}

void commands_clear(struct commands *commands)
{
	for (size_t i = 0; i < commands->n; i++)
		xfree(commands->items[i].text);
	free(commands->items);
	*commands = (struct commands){0};
}
