// SPDX-License-Identifier: MIT
/*
 * A struct replay has the input and the requests. From the first record on, until a rewind, it has
 * a struct replay_state and a kind of recording, chosen by the first record. An interval is read by
 * the kind; this file builds the snapshot.
 */
#include "core/replay/replay.h"

#include "core/base/util.h"
#include "core/perfdata/native_record.h"
#include "core/replay/replay_input.h"
#include "core/replay/replay_kind.h"
#include "core/replay/replay_target.h"
#include "core/snapshot/snapshot_build.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

struct replay {
	const struct sys *sys; /* of the running machine, for waits */
	struct engine_config engine;
	struct engine_column *columns; /* of it */
	struct replay_input *file;     /* NULL: the input is borrowed */
	const struct perfdata_input *input;
	struct perfdata_reader *reader;
	struct replay_state *state;
	struct replay_kind *kind; /* NULL: the last rewind failed ... */
	struct error error;       /* ... for this reason */
	uint64_t interval_ns, records;
	bool paced; /* the user gave an interval */
	/* Of struct replay_config. */
	bool whole, grows, no_functions;
	const char *symfs, *build_id_cache;
	struct request_list pending, applied;
};

void replay_state_open(struct replay_state *state, const int *cpu_numbers, size_t n_cpus)
{
	const struct tally_shape nothing = {.n_counters = TALLY_FIRST_COUNTED};

	interval_init(&state->interval, &nothing, cpu_numbers, n_cpus);
	state->attrib = attrib_new(state->tasks, &state->interval);
}

void replay_state_open_range(struct replay_state *state, size_t n_cpus)
{
	int *numbers = xcalloc(n_cpus, sizeof(*numbers));

	for (size_t i = 0; i < n_cpus; i++)
		numbers[i] = (int)i;
	replay_state_open(state, numbers, n_cpus);
	free(numbers);
}

static void state_free(struct replay_state *state)
{
	if (!state)
		return;
	if (state->attrib) {
		attrib_free(state->attrib);
		interval_fini(&state->interval);
	}
	replay_state_columns_fini(state);
	target_free(state->target);
	topology_fini(&state->topology);
	users_free(state->users);
	tasks_free(state->tasks);
	pmu_set_fini(&state->pmus);
	fact_table_fini(&state->facts);
	code_profile_free(state->code);
	notes_fini(&state->notes);
	notes_fini(&state->replay_notes);
	free(state);
}

static struct replay_state *state_new(struct replay *replay, struct error *err)
{
	static const struct target_spec everybody;
	struct replay_state *state = xcalloc(1, sizeof(*state));

	state->config = &replay->engine;
	state->config_columns = replay->columns;
	state->live = !replay->input->seekable;
	state->here = replay->sys;
	state->interval_ns = replay->interval_ns;
	state->whole = replay->whole && replay->input->seekable;
	state->grows = replay->grows;
	state->no_functions = replay->no_functions;
	state->symfs = replay->symfs;
	state->build_id_cache = replay->build_id_cache;
	state->reader = replay->reader;
	state->files = replay->file && replay_input_directory(replay->file) ? replay->file : NULL;
	sys_stub_init(&state->stub);
	state->sys = &state->stub.sys;
	state->tasks = tasks_new(state->sys);
	state->users = users_new(state->sys);
	topology_init(&state->topology, state->sys);
	state->mode = COUNT_MODE_SYSTEM;
	state->applied = &replay->applied;
	if (replay->engine.notes)
		notes_add_all(&state->replay_notes, replay->engine.notes);
	if (target_new(state->sys, state->users, &everybody, &state->target, err) == 0)
		return state;
	state_free(state);
	return NULL;
}

/* Waits for more input: 0, or -errno with *err filled; -EINTR after sys_wake or a signal. */
static int await_input(struct replay *replay, struct error *err)
{
	struct pollfd pollfd = {.fd = replay_fd(replay), .events = POLLIN};
	int result = pollfd.fd < 0 ? -EIO : sys_wait(replay->sys, &pollfd, 1, UINT64_MAX);

	return result < 0 ? error_set(err, result, "The recording did not begin.") : 0;
}

/* Whether a record is ignored: a file without records has ended, or NATIVE_BEGIN comes next. */
static bool is_ahead(const struct perf_event_header *record)
{
	return record->type == PERFDATA_NEXT_FILE || native_is(record, NATIVE_ROOM);
}

static int read_first(struct replay *replay, const struct perf_event_header **record,
		      struct error *err)
{
	int result;

	for (;;) {
		result = replay_state_read(replay->state, record, err);
		if (result == -EAGAIN)
			result = await_input(replay, err);
		else if (result <= 0 || !is_ahead(*record))
			break;
		if (result < 0)
			return result;
	}
	return result ? result : error_set(err, -ENODATA, "The recording is empty.");
}

/* Reads from the first record until the columns are known. */
static int begin_replay(struct replay *replay, struct error *err)
{
	const struct perf_event_header *record;
	int result;

	replay->state = state_new(replay, err);
	if (!replay->state)
		return err->code;
	result = replay_state_open_first(replay->state, err);
	if (result == 0)
		result = read_first(replay, &record, err);
	if (result < 0)
		return result;
	const struct replay_kind_ops *ops =
		native_is(record, NATIVE_BEGIN) ? &replay_native_ops : &replay_perf_ops;
	if (ops == &replay_native_ops)
		replay_state_end_with_file(replay->state);
	if (replay->paced && ops == &replay_native_ops)
		notes_add(&replay->state->replay_notes,
			  "A recording of pmctop has fixed intervals. A delay is for live runs and "
			  "for recordings of perf.");
	while ((result = ops->open(replay->state, record, &replay->kind, err)) == -EAGAIN) {
		record = NULL;
		result = await_input(replay, err);
		if (result < 0)
			return result;
	}
	while (result == 0 && ops->begin &&
	       (result = replay->kind->ops->begin(&replay->kind, err)) == -EAGAIN)
		result = await_input(replay, err);
	return result;
}

static void end_replay(struct replay *replay)
{
	if (replay->kind)
		replay->kind->ops->free(replay->kind);
	if (replay->state)
		replay->records += replay->state->records;
	state_free(replay->state);
	replay->kind = NULL;
	replay->state = NULL;
}

/* Refuses options that no recording supports. */
static int refuse_engine(const struct engine_config *engine, struct error *err)
{
	if (engine->target.cpus)
		return error_set(
			err, -EINVAL,
			"A recording has fixed CPUs. Other CPUs can be chosen only in live runs.");
	if (engine->target.command)
		return error_set(err, -EINVAL, "A replay cannot run a command.");
	if (engine->recorder)
		return error_set(err, -EINVAL, "A replay cannot be recorded.");
	return 0;
}

/* Takes over `file`, which may be NULL. */
static int open_replay(const struct sys *sys, const struct replay_config *config,
		       const struct perfdata_input *input, struct replay_input *file,
		       struct replay **out, struct error *err)
{
	static const struct engine_config nothing;
	const struct engine_config *engine = config->engine ? config->engine : &nothing;
	int result = refuse_engine(engine, err);

	if (result < 0) {
		recorder_free(engine->recorder);
		replay_input_close(file);
		return result;
	}
	struct replay *replay = xcalloc(1, sizeof(*replay));
	replay->sys = sys;
	replay->engine = *engine;
	replay->columns = xcalloc(engine->n_columns, sizeof(*replay->columns));
	if (engine->n_columns > 0)
		memcpy(replay->columns, engine->columns,
		       engine->n_columns * sizeof(*replay->columns));
	replay->engine.columns = replay->columns;
	replay->interval_ns = config->interval_ns ? config->interval_ns : NS_PER_S;
	replay->paced = config->interval_given;
	replay->whole = config->whole;
	replay->grows = config->grows;
	replay->no_functions = config->no_functions;
	replay->symfs = config->symfs;
	replay->build_id_cache = config->build_id_cache;
	replay->file = file;
	replay->input = input;
	replay->reader = perfdata_reader_new(input);
	result = begin_replay(replay, err);
	if (result < 0)
		replay_free(replay);
	else
		*out = replay;
	return result;
}

int replay_new_from(const struct sys *sys, const struct replay_config *config,
		    const struct perfdata_input *input, struct replay **replay, struct error *err)
{
	return open_replay(sys, config, input, NULL, replay, err);
}

int replay_new(const struct sys *sys, const struct replay_config *config, struct replay **out,
	       struct error *err)
{
	struct replay_input *file;
	int result = replay_input_open(config->path, &file, err);

	if (result < 0) {
		recorder_free(config->engine ? config->engine->recorder : NULL);
		return result;
	}
	return open_replay(sys, config, replay_input_bytes(file), file, out, err);
}

void replay_free(struct replay *replay)
{
	if (!replay)
		return;
	end_replay(replay);
	perfdata_reader_free(replay->reader);
	replay_input_close(replay->file);
	request_list_clear(&replay->pending);
	request_list_clear(&replay->applied);
	free(replay->columns);
	free(replay);
}

static void do_requests(struct replay *replay)
{
	struct notes *notes = &replay->state->replay_notes;
	struct error err;

	for (size_t i = 0; i < replay->pending.n; i++)
		if (replay_state_request(replay->state, &replay->pending.items[i], &err) < 0)
			notes_add_transient(notes, err.text);
	request_list_clear(&replay->pending);
}

static void note_command_lines(struct replay_state *state)
{
	notes_remove(&state->replay_notes, NOTE_COMMAND_LINES);
	if (state->config->command_lines == COMMAND_LINES_MATCHED && !state->command_lines)
		notes_add_as(&state->replay_notes, NOTE_COMMAND_LINES,
			     "This recording has no command lines (-c) to filter by.");
}

static struct snapshot *build_snapshot(struct replay_state *state)
{
	const struct snapshot_source source = {
		.columns = state->columns,
		.interval = &state->interval,
		.target = state->target,
		.tasks = state->tasks,
		.users = state->users,
		.topology = &state->topology,
		.pmus = &state->pmus,
		.recorded_facts = &state->facts,
		.recorded_marks = state->recorded_marks,
		.chosen = state->chosen,
		.command_lines = state->command_lines,
		.idle = state->idle,
		.still = state->still,
		.n_still = state->n_still,
		.now_ns = state->time_ns,
		.uneven = state->uneven,
	};
	struct snapshot *snapshot = snapshot_build(&source, state->length_ns);
	note_command_lines(state);
	snapshot_set_facts(snapshot, &(struct snapshot_facts){
					     .sequence = state->sequence,
					     .time_ns = state->time_ns,
					     .realtime_ns = state->realtime_ns,
					     .whole = state->is_whole,
					     .host = state->host,
					     .pmu = state->pmu,
					     .mode = state->mode,
					     .machine = &state->machine,
					     .lost_records = state->lost_records,
					     .tasks = state->threads,
					     .threads_ran = state->threads_ran,
					     .threads_counted = state->threads_counted,
					     .code = code_profile_ref(state->code),
					     .notes = &state->replay_notes,
					     .recorded_notes = &state->notes,
				     });
	return snapshot;
}

static int advance_interval(struct replay *replay, struct error *err)
{
	if (!replay->kind) {
		*err = replay->error;
		return err->code;
	}
	do_requests(replay);
	int result = replay->kind->ops->advance(replay->kind, err);
	if (result > 0)
		replay_target_choose(replay->state, &replay->engine.target);
	return result;
}

int replay_next(struct replay *replay, struct snapshot **snapshot, struct error *err)
{
	int result = advance_interval(replay, err);

	if (result <= 0)
		return result;
	if (replay->kind->ops->find_functions)
		replay->kind->ops->find_functions(replay->kind);
	*snapshot = build_snapshot(replay->state);
	return result;
}

int replay_skip(struct replay *replay, uint64_t *time_ns, struct error *err)
{
	int result = advance_interval(replay, err);

	if (result > 0)
		*time_ns = replay->state->time_ns;
	return result;
}

bool replay_can_rewind(const struct replay *replay)
{
	return replay->input->seekable;
}

int replay_rewind(struct replay *replay, struct error *err)
{
	if (!replay->input->seekable)
		return error_set(err, -ESPIPE, "A recording from a pipe cannot be restarted.");
	end_replay(replay);
	perfdata_reader_rewind(replay->reader);
	int result = begin_replay(replay, err);
	if (result < 0) {
		replay->error = *err;
		end_replay(replay);
	}
	return result;
}

int replay_fd(const struct replay *replay)
{
	return replay->file && !replay->input->seekable ? replay_input_fd(replay->file) : -1;
}

uint64_t replay_records(const struct replay *replay)
{
	return replay->records + (replay->state ? replay->state->records : 0);
}

bool replay_is_native(const struct replay *replay)
{
	return replay->kind && replay->kind->ops == &replay_native_ops;
}

bool replay_is_profile(const struct replay *replay)
{
	return replay->kind && replay->kind->ops == &replay_profile_ops;
}

bool replay_is_whole(const struct replay *replay)
{
	return replay_is_profile(replay) && replay->state->whole;
}

void replay_set_interval(struct replay *replay, uint64_t interval_ns)
{
	replay->whole = false;
	replay->interval_ns = interval_ns;
	if (replay->kind)
		replay->state->interval_ns = interval_ns;
}

bool replay_set_whole(struct replay *replay)
{
	if (!replay_is_profile(replay) || !replay->input->seekable)
		return false;
	replay->whole = true;
	return true;
}

void replay_do(struct replay *replay, const struct request *request)
{
	request_list_add(&replay->pending, request);
}
