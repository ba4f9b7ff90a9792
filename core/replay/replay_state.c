// SPDX-License-Identifier: MIT
/*
 * The records of a recording, which may be in several files of a directory. One of them is open at
 * a time, and one reader is rewound for each.
 */
#include "core/replay/replay_state.h"

#include <errno.h>
#include <string.h>

enum { FILES_NAMED = 4 }; /* in notes, of files that cannot be read */

static const struct perf_event_header next_file = {
	.type = PERFDATA_NEXT_FILE,
	.size = sizeof(struct perf_event_header),
};
static const struct perf_event_header next_file_behind_gap = {
	.type = PERFDATA_NEXT_FILE,
	.misc = PERFDATA_MISC_GAP,
	.size = sizeof(struct perf_event_header),
};

const char *replay_state_file(const struct replay_state *state)
{
	return state->files ? replay_input_name(state->files) : NULL;
}

static void add_bad_file(struct replay_state *state, const struct error *why)
{
	const char *name = replay_state_file(state);

	if (state->bad_files++ == 0)
		error_set(&state->file_error, why->code, "%s: %s", name, why->text);
	if (state->bad_files <= FILES_NAMED)
		notes_add_urgent(&state->replay_notes, "%s: %s", name, why->text);
	else
		notes_add_urgent(&state->replay_notes,
				 "More files of the directory cannot be read, or are broken.");
}

/* Opens the next file that can be opened: 1; 0: there is none. */
static int open_next(struct replay_state *state)
{
	struct error why;
	int result;

	while ((result = replay_input_next(state->files, &why)) < 0)
		add_bad_file(state, &why);
	if (result > 0)
		perfdata_reader_rewind(state->reader);
	return result;
}

/* A file ended with this result: begins the next one, or ends the recording. */
static int end_file(struct replay_state *state, int result, const struct perf_event_header **record,
		    struct error *err)
{
	if (!state->files_over) {
		unsigned bad = state->bad_files;
		bool cut = result == -ENODATA || result == -EBADMSG;
		struct error *end = &state->files_end;

		*end = (struct error){0};
		if (result < 0)
			add_bad_file(state, err);
		if (cut)
			error_set(end, result, "%s: %s", replay_state_file(state), err->text);
		if (open_next(state) > 0) {
			*record = state->bad_files > bad ? &next_file_behind_gap : &next_file;
			return 1;
		}
		state->files_over = true;
		if (state->records == 0)
			*end = state->file_error;
	}
	*err = state->files_end;
	return err->code;
}

int replay_state_read(struct replay_state *state, const struct perf_event_header **record,
		      struct error *err)
{
	int result = perfdata_reader_next(state->reader, record, err);

	state->records += result > 0;
	/* In a directory, the last file of a perf that still runs is one by design. */
	if (result == 0 && !state->files && perfdata_reader_unfinished(state->reader))
		notes_add(&state->replay_notes,
			  "perf was killed, or still runs: the end may be missing.");
	if (result > 0 || result == -EAGAIN || !state->files)
		return result;
	return end_file(state, result, record, err);
}

int replay_state_open_first(struct replay_state *state, struct error *err)
{
	if (!state->files)
		return 0;
	const struct replay_directory *directory = replay_input_directory(state->files);
	if (directory->n_other > 0)
		notes_add(&state->replay_notes,
			  "perf.data.* in the directory are another recording, of 'perf record "
			  "--switch-output'. To show it, move perf.data away.");
	replay_input_restart(state->files);
	if (open_next(state) > 0)
		return 0;
	*err = state->file_error;
	return err->code;
}

struct task *replay_state_comm(struct replay_state *state, const struct record *record)
{
	struct task *task = tasks_comm(state->tasks, record);

	if (task->tid == 2 && strcmp(task->comm, "kthreadd") == 0)
		task_set_origin(task, true, task->ppid);
	return task;
}

void replay_state_end_with_file(struct replay_state *state)
{
	if (state->files && replay_directory_n(replay_input_directory(state->files)) > 1)
		notes_add(&state->replay_notes,
			  "Only %s of the directory is shown. For the others give their names.",
			  replay_state_file(state));
	state->files = NULL;
}
