// SPDX-License-Identifier: MIT
#include "core/replay/replay.h"

#include "core/base/util.h"
#include "core/perfdata/native_record.h"
#include "core/replay/replay_input.h"
#include "core/replay/replay_state.h"
#include "core/replay/replay_target.h"
#include "core/snapshot/snapshot_build.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

struct replay {
	const struct sys *sys; /* the one we run on */
	struct engine_config engine;
	struct engine_column *columns; /* of it */
	struct replay_input *file;     /* NULL: someone else's input */
	const struct perfdata_input *input;
	struct perfdata_reader *reader;
	struct replay_state *part;
	struct replay_kind *kind; /* NULL: broken since it began anew */
	struct error error;       /* ... and why */
	uint64_t interval_ns, records;
	bool paced;                      /* somebody asked for other intervals */
	struct commands commands, asked; /* not done yet; and done */
};

/* ---- the part */

void replay_state_open(struct replay_state *part, const int *cpu_numbers, size_t n_cpus)
{
	const struct tally_shape nothing = {.n_counters = TALLY_FIRST_COUNTED};

	interval_init(&part->interval, &nothing, cpu_numbers, n_cpus);
	part->attrib = attrib_new(part->tasks, &part->interval);
}

static void part_free(struct replay_state *part)
{
	if (!part)
		return;
	if (part->attrib) {
		attrib_free(part->attrib);
		interval_fini(&part->interval);
	}
	replay_state_columns_fini(part);
	target_free(part->target);
	topology_fini(&part->topology);
	users_free(part->users);
	tasks_free(part->tasks);
	pmu_set_fini(&part->pmus);
	notes_fini(&part->notes);
	notes_fini(&part->said);
	free(part);
}

static struct replay_state *part_new(struct replay *replay, struct error *err)
{
	static const struct target_spec everybody;
	struct replay_state *part = xcalloc(1, sizeof(*part));

	part->config = &replay->engine;
	part->config_columns = replay->columns;
	part->live = !replay->input->seekable;
	part->interval_ns = replay->interval_ns;
	part->reader = replay->reader;
	sys_stub_init(&part->stub);
	part->sys = &part->stub.sys;
	part->tasks = tasks_new(part->sys);
	part->users = users_new(part->sys);
	topology_init(&part->topology, part->sys);
	part->mode = COUNT_MODE_SYSTEM;
	part->asked = &replay->asked;
	for (size_t i = 0; replay->engine.notes && i < replay->engine.notes->n; i++)
		notes_add(&part->said, "%s", replay->engine.notes->items[i].text);
	if (target_new(part->sys, part->users, &everybody, &part->target, err) == 0)
		return part;
	part_free(part);
	return NULL;
}

/* ---- beginning */

/* Waits until there is more: 0, or -errno and a sentence: -EINTR when woken, or by a signal. */
static int await(struct replay *replay, struct error *err)
{
	struct pollfd pollfd = {.fd = replay_fd(replay), .events = POLLIN};
	int result = pollfd.fd < 0 ? -EIO : sys_wait(replay->sys, &pollfd, 1, UINT64_MAX);

	return result < 0 ? error_set(err, result, "The recording did not begin.") : 0;
}

/* Whether a record stands before NATIVE_BEGIN in a recording of pmctop's, and is left out. */
static bool is_ahead(const struct replay *replay, const struct perf_event_header *record)
{
	return native_is(record, NATIVE_ROOM) ||
	       (perfdata_reader_is_own(replay->reader) && !native_is(record, NATIVE_BEGIN));
}

static int read_first(struct replay *replay, const struct perf_event_header **record,
		      struct error *err)
{
	int result;

	for (;;) {
		result = replay_state_read(replay->part, record, err);
		if (result == -EAGAIN)
			result = await(replay, err);
		else if (result <= 0 || !is_ahead(replay, *record))
			break;
		if (result < 0)
			return result;
	}
	return result ? result : error_set(err, -ENODATA, "The recording is empty.");
}

/* From the first record on, up to where it is known what there is to be seen. */
static int begin(struct replay *replay, struct error *err)
{
	const struct perf_event_header *record;
	int result;

	replay->part = part_new(replay, err);
	if (!replay->part)
		return err->code;
	result = read_first(replay, &record, err);
	if (result < 0)
		return result;
	const struct replay_kind_ops *ops =
		native_is(record, NATIVE_BEGIN) ? &replay_native_ops : &replay_perf_ops;
	if (replay->paced && ops == &replay_native_ops)
		notes_add(&replay->part->said,
			  "Intervals are as they were recorded: a delay is for live runs, and for "
			  "recordings of perf's.");
	while ((result = ops->open(replay->part, record, &replay->kind, err)) == -EAGAIN) {
		record = NULL;
		result = await(replay, err);
		if (result < 0)
			return result;
	}
	while (result == 0 && ops->begin && (result = ops->begin(replay->kind, err)) == -EAGAIN)
		result = await(replay, err);
	return result;
}

static void end(struct replay *replay)
{
	if (replay->kind)
		replay->kind->ops->free(replay->kind);
	if (replay->part)
		replay->records += replay->part->records;
	part_free(replay->part);
	replay->kind = NULL;
	replay->part = NULL;
}

/* What a recording cannot do, whatever it is of. */
static int refuse(const struct engine_config *engine, struct error *err)
{
	if (engine->target.cpus)
		return error_set(err, -EINVAL,
				 "A recording shows the CPUs that it was made of: others are for "
				 "live runs.");
	if (engine->target.command)
		return error_set(err, -EINVAL, "A recording starts no command.");
	if (engine->recorder)
		return error_set(err, -EINVAL, "A recording cannot be recorded.");
	return 0;
}

/* The file, if there is one, is the replay's from then on. */
static int open_replay(const struct sys *sys, const struct replay_config *config,
		       const struct perfdata_input *input, struct replay_input *file,
		       struct replay **out, struct error *err)
{
	static const struct engine_config nothing;
	const struct engine_config *engine = config->engine ? config->engine : &nothing;
	int result = refuse(engine, err);

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
	replay->paced = config->asked;
	replay->file = file;
	replay->input = input;
	replay->reader = perfdata_reader_new(input);
	result = begin(replay, err);
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
	end(replay);
	perfdata_reader_free(replay->reader);
	replay_input_close(replay->file);
	commands_clear(&replay->commands);
	commands_clear(&replay->asked);
	free(replay->columns);
	free(replay);
}

/* ---- snapshots */

static void do_commands(struct replay *replay)
{
	struct notes *said = &replay->part->said;
	struct error err;

	for (size_t i = 0; i < replay->commands.n; i++)
		if (replay_state_command(replay->part, &replay->commands.items[i], &err) < 0)
			notes_add_transient(said, err.text);
	commands_clear(&replay->commands);
}

/* What replays say themselves stands before what was said live. */
static void add_notes(const struct replay_state *part, struct notes *notes)
{
	for (size_t i = 0; i < part->said.n; i++)
		notes_add(notes, "%s", part->said.items[i].text);
	for (size_t i = 0; i < part->notes.n; i++)
		notes_add(notes, "%s", part->notes.items[i].text);
}

static struct snapshot *take_picture(struct replay_state *part)
{
	struct notes notes = {0};

	add_notes(part, &notes);
	const struct snapshot_source source = {
		.columns = part->columns,
		.interval = &part->interval,
		.target = part->target,
		.tasks = part->tasks,
		.users = part->users,
		.topology = &part->topology,
		.pmus = &part->pmus,
		.notes = &notes,
		.command_lines = part->command_lines,
		.idle = part->idle,
		.still = part->still,
		.n_still = part->n_still,
		.now_ns = part->time_ns,
		.uneven = part->uneven,
	};
	struct snapshot *snapshot = snapshot_build(&source, part->length_ns);
	snapshot->sequence = part->sequence;
	snapshot->time_ns = part->time_ns;
	snapshot->realtime_ns = part->realtime_ns;
	snapshot->mode = part->mode;
	snapshot->lost_records = part->lost_records;
	snapshot->threads_ran = part->threads_ran;
	snapshot->threads_counted = part->threads_counted;
	snapshot->tasks = part->threads;
	text_copy(snapshot->host, sizeof(snapshot->host), part->host);
	text_copy(snapshot->pmu, sizeof(snapshot->pmu), part->pmu);
	notes_fini(&notes);
	return snapshot;
}

static int advance(struct replay *replay, struct error *err)
{
	if (!replay->kind) {
		*err = replay->error;
		return err->code;
	}
	do_commands(replay);
	int result = replay->kind->ops->advance(replay->kind, err);
	if (result > 0)
		replay_target_choose(replay->part, &replay->engine.target);
	return result;
}

int replay_next(struct replay *replay, struct snapshot **snapshot, struct error *err)
{
	int result = advance(replay, err);

	if (result > 0)
		*snapshot = take_picture(replay->part);
	return result;
}

int replay_skip(struct replay *replay, uint64_t *time_ns, struct error *err)
{
	int result = advance(replay, err);

	if (result > 0)
		*time_ns = replay->part->time_ns;
	return result;
}

bool replay_can_rewind(const struct replay *replay)
{
	return replay->input->seekable;
}

int replay_rewind(struct replay *replay, struct error *err)
{
	if (!replay->input->seekable)
		return error_set(err, -ESPIPE, "What comes through a pipe cannot begin again.");
	end(replay);
	perfdata_reader_rewind(replay->reader);
	int result = begin(replay, err);
	if (result < 0) {
		replay->error = *err;
		end(replay);
	}
	return result;
}

int replay_fd(const struct replay *replay)
{
	return replay->file && !replay->input->seekable ? replay_input_fd(replay->file) : -1;
}

uint64_t replay_records(const struct replay *replay)
{
	return replay->records + (replay->part ? replay->part->records : 0);
}

bool replay_is_own(const struct replay *replay)
{
	return replay->kind && replay->kind->ops == &replay_native_ops;
}

void replay_set_interval(struct replay *replay, uint64_t interval_ns)
{
	replay->interval_ns = interval_ns;
	if (!replay->kind)
		return;
	replay->part->interval_ns = interval_ns;
	if (replay->kind->ops->set_interval)
		replay->kind->ops->set_interval(replay->kind);
}

void replay_do(struct replay *replay, const struct command *command)
{
	commands_add(&replay->commands, command);
}
