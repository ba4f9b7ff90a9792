// SPDX-License-Identifier: MIT
#include "core/code/code_lanes_internal.h"

#include "core/base/error.h"
#include "core/base/util.h"
#include "core/sys/proc.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

enum { WAITS_NOTED = 2 };

/* What is silent. */
static void describe_lane(const struct code_lanes *lanes, const struct lane *lane, char *text,
			  size_t size)
{
	const char *name = lane->name;

	switch (lane->stage) {
	case MAPPED_FILE_SELF:
	case MAPPED_FILE_HERE:
		if (name[0])
			snprintf(text, size,
				 "Functions of %s have no names: the file does not answer.", name);
		else /* a file that has no name yet, such as pmctop's own */
			snprintf(text, size,
				 "Some functions have no names: a file does not answer.");
		return;
	case MAPPED_FILE_THERE:
		snprintf(text, size, "Some functions have no names: files below %s do not answer.",
			 name);
		return;
	case MAPPED_FILE_DEBUG_HERE:
		name = "/usr/lib/debug";
		break;
	case MAPPED_FILE_SYMFS:
		name = lanes->config.symfs;
		break;
	case MAPPED_FILE_CACHE:
		name = lanes->config.build_id_cache;
		break;
	case MAPPED_FILE_STAGES:
		break;
	}
	snprintf(text, size, "Some functions have no names: files below %s do not answer.",
		 name ? name : "");
}

/* Whether the mounts of a process have the device. True if they cannot be read. */
static bool has_mounted(const struct sys *sys, const char *process, uint64_t dev)
{
	char path[40], number[40];
	int code;

	snprintf(path, sizeof(path), "/proc/%s/mountinfo", process);
	snprintf(number, sizeof(number), " %u:%u ", major(dev), minor(dev));
	char *text = proc_long_text(sys, path, &code);
	bool found = !text || strstr(text, number);
	free(text);
	return found;
}

/* umount(8) finds no file system that was unmounted with -l while programs use it. */
static bool is_unmounted(const struct code_lanes *lanes, const struct lane *lane)
{
	char process[16];

	snprintf(process, sizeof(process), "%d", lane->pid);
	return lanes_is_of_device(lane->stage) && lane->dev && lane->pid &&
	       !has_mounted(lanes->config.sys, process, lane->dev) &&
	       !has_mounted(lanes->config.sys, "self", lane->dev);
}

/* Which file system does not answer. */
static bool note_silent(struct code_lanes *lanes)
{
	const struct lane *first = NULL;
	unsigned others = 0;
	char what[448], more[64] = "";

	for (size_t i = 0; i < CODE_PLACES_MAX; i++) {
		struct lane *lane = &lanes->own[i];

		if (!lane->silent || (!lane->opener && lanes_may_resume(lane)))
			continue;
		others += first != NULL;
		first = first ? first : lane;
	}
	if (!first)
		return false;
	describe_lane(lanes, first, what, sizeof(what));
	if (others > 0)
		snprintf(more, sizeof(more), " The same holds for %u other file system%s.", others,
			 others == 1 ? "" : "s");
	snprintf(lanes->note, sizeof(lanes->note), "%s%s %s%s", what, more,
		 is_unmounted(lanes, first)
			 ? "Its file system is unmounted, but in use: restore or end its server, "
			   "or end the programs that use it."
			 : "Restore or unmount (umount -f) its file system.",
		 lanes->full || lanes->crowded
			 ? " New names are missing: too many files do not answer."
			 : "");
	return true;
}

static const char *remedy_of_start(int error)
{
	switch (-error) {
	case EAGAIN:
		return " Raise the limit: ulimit -u";
	case EMFILE:
	case ENFILE:
		return error_remedy(error);
	case ENOENT:
	case EACCES:
		return " Is /proc mounted, and pmctop's file still there?";
	}
	return " Start pmctop again.";
}

/* Why names are missing since the parser ended. */
static void note_end(const struct symbol_status *status, char *note, size_t size)
{
	char times[32] = "", cause[32] = "";

	if (status->restarts > 0)
		snprintf(times, sizeof(times), " %u times%s", status->restarts + 1,
			 WIFSIGNALED(status->wait_status) ? ", last" : "");
	if (WIFSIGNALED(status->wait_status))
		snprintf(cause, sizeof(cause), " by signal %d", WTERMSIG(status->wait_status));
	snprintf(
		note, size,
		"Some functions have no names: the process that reads symbols ended%s%s. It starts "
		"again.",
		times, cause);
}

/* Writes why a process cannot be started. */
static bool note_start(const struct code_lanes *lanes, bool late, char *note, size_t size)
{
	struct symbol_status status = {.state = SYMBOL_IDLE};
	int error = lanes->shared.opener ? opener_client_error(lanes->shared.opener) : 0;

	if (lanes->shared.symbols)
		symbol_client_status(lanes->shared.symbols, &status);
	if (error && late)
		snprintf(note, size,
			 "Functions have no names: the process that opens files cannot be started "
			 "(%s).%s",
			 error_why(error), remedy_of_start(error));
	else if (status.state == SYMBOL_FAILED)
		snprintf(note, size,
			 "Functions have no names: the process that reads symbols cannot be "
			 "started (%s).%s",
			 error_why(status.error), remedy_of_start(status.error));
	else
		return false;
	return true;
}

/* Names that are known already need no process, so its end alone is no reason for a note. */
static bool note_shared(struct code_lanes *lanes, bool late)
{
	struct symbol_status status = {.state = SYMBOL_IDLE};
	char *note = lanes->note;
	size_t size = sizeof(lanes->note);

	if (note_start(lanes, late, note, size))
		return true;
	if (lanes->shared.symbols)
		symbol_client_status(lanes->shared.symbols, &status);
	if (status.state == SYMBOL_WAITING && late)
		note_end(&status, note, size);
	else if (status.waits >= WAITS_NOTED && late)
		snprintf(note, size,
			 "Some functions have no names: the process that reads symbols does not "
			 "answer.");
	else if (status.refused > 0)
		snprintf(note, size,
			 "The functions of %u file%s have no names: the process that reads "
			 "symbols ended twice at %s.",
			 status.refused, status.refused == 1 ? "" : "s",
			 status.refused == 1 ? "it" : "each");
	else
		return false;
	return true;
}

const char *code_lanes_note(struct code_lanes *lanes, bool late)
{
	lanes_look(lanes);
	if (!note_silent(lanes))
		return note_shared(lanes, late) ? lanes->note : NULL;
	size_t length = strlen(lanes->note);
	if (length + 1 < sizeof(lanes->note) &&
	    note_start(lanes, late, lanes->note + length + 1, sizeof(lanes->note) - length - 1))
		lanes->note[length] = ' ';
	return lanes->note;
}
