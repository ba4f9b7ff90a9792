// SPDX-License-Identifier: MIT
#include "core/code/code_lanes_internal.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/code/opener_worker.h"
#include "core/code/symbol_worker.h"
#include "core/code/user_worker.h"
#include "core/sys/proc_maps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	DOUBLINGS_MAX = 6,
	ANSWERED_MAX = 1 << 12, /* places */
	OWN_MAPS_BYTES = 64 << 10,
};
#define LOOK_NS   (50 * NS_PER_MS) /* between two looks of lanes_look_seldom() */
#define ENDING_NS (100 * NS_PER_MS)
#define PAUSE_NS  (10 * NS_PER_S) /* before an abandoned place is tried again */

/* In place of the place, after the end of a lane that answers, until its processes have ended. */
#define PLACE_ENDING UINT64_C(2)

static const struct lane free_lane = {.left = {HELPER_NONE_INIT, HELPER_NONE_INIT}};

struct code_lanes *code_lanes_new(const struct code_lanes_config *config)
{
	struct code_lanes *lanes = xcalloc(1, sizeof(*lanes));

	lanes->config = *config;
	if (!lanes->config.aside_ns)
		lanes->config.aside_ns =
			config->recording ? CODE_LANES_PATIENT_NS : CODE_LANES_ASIDE_NS;
	if (!lanes->config.slow_ns)
		lanes->config.slow_ns =
			config->recording ? CODE_LANES_PATIENT_NS : CODE_LANES_SLOW_NS;
	if (!lanes->config.dead_ns)
		lanes->config.dead_ns = CODE_LANES_DEAD_NS;
	if (!lanes->config.pause_ns)
		lanes->config.pause_ns = PAUSE_NS;
	lanes->random = hash_random_odd();
	hash_table_init(&lanes->files, 0);
	hash_table_init(&lanes->answered, 0);
	lanes->shared = free_lane;
	for (size_t i = 0; i < CODE_PLACES_MAX; i++)
		lanes->own[i] = free_lane;
	return lanes;
}

void lanes_forget_files(struct code_lanes *lanes)
{
	for (size_t i = 0; i < lanes->files.n_slots; i++)
		free(lanes->files.slots[i].item);
	hash_table_clear(&lanes->files);
}

/* Lanes */

static void start_lane(const struct code_lanes *lanes, struct lane *lane)
{
	const struct code_lanes_config *config = &lanes->config;

	lane->opener = opener_client_new(&(struct opener_config){
		.executable = config->executable,
		.recording = config->recording,
		.symfs = config->symfs,
		.build_id_cache = config->build_id_cache,
		.random = lanes->random,
	});
	lane->symbols =
		symbol_client_new(&(struct symbol_client_config){.executable = config->executable});
}

/* Kills the processes of a lane. What is left of them is in lane->left. */
static void end_lane(struct lane *lane)
{
	if (!lane->opener)
		return;
	opener_client_abandon(lane->opener, &lane->left[0]);
	symbol_client_abandon(lane->symbols, &lane->left[1]);
	lane->opener = NULL;
	lane->symbols = NULL;
	lane->stands_ns = 0;
	lane->silent = false;
}

static bool has_ended(struct lane *lane)
{
	int wait_status;
	bool ended = true;

	for (size_t i = 0; i < LANE_PROCESSES; i++)
		ended &= helper_process_ended(&lane->left[i], &wait_status);
	return ended;
}

struct lane *lanes_shared(struct code_lanes *lanes)
{
	if (!lanes->shared.opener)
		start_lane(lanes, &lanes->shared);
	return &lanes->shared;
}

/* Places */

static uint64_t make_place(const struct code_lanes *lanes, enum mapped_file_stage stage,
			   uint64_t value)
{
	uint64_t place = hash_bytes(lanes->random, &stage, sizeof(stage));

	return hash_bytes(place, &value, sizeof(value)) | 1; /* no PLACE_ENDING */
}

/* A recorded device may be a device of another machine. Without a device, the folder is the place.
 */
uint64_t lanes_place(const struct code_lanes *lanes, uint64_t dev, const char *name)
{
	const char *slash = strrchr(name, '/');

	if (dev == 0)
		dev = hash_bytes(HASH_BEGIN, name, slash ? (size_t)(slash - name) : 0);
	return make_place(lanes, MAPPED_FILE_SELF, dev);
}

static uint64_t mount_namespace(const struct code_lanes *lanes, pid_t pid)
{
	char path[40], link[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/ns/mnt", pid);
	n = sys_link_read(lanes->config.sys, path, link, sizeof(link));
	return n < 0 ? 0 : hash_bytes(HASH_BEGIN, link, (size_t)n);
}

static uint64_t place_of_stage(const struct code_lanes *lanes, enum mapped_file_stage stage,
			       pid_t pid)
{
	return make_place(lanes, stage,
			  stage == MAPPED_FILE_THERE ? mount_namespace(lanes, pid) : 0);
}

bool lanes_is_of_device(enum mapped_file_stage stage)
{
	return stage == MAPPED_FILE_SELF || stage == MAPPED_FILE_HERE;
}

static struct lane *find_own(struct code_lanes *lanes, uint64_t place)
{
	for (size_t i = 0; i < CODE_PLACES_MAX; i++)
		if (lanes->own[i].place == place)
			return &lanes->own[i];
	return NULL;
}

bool lanes_may_resume(struct lane *lane)
{
	return has_ended(lane) && monotonic_ns() >= lane->resume_ns;
}

static bool has_lane_left(const struct code_lanes *lanes)
{
	unsigned working = 0;

	for (size_t i = 0; i < CODE_PLACES_MAX; i++)
		working += lanes->own[i].opener != NULL;
	return working < CODE_LANES_MAX;
}

void lanes_note_answer(struct code_lanes *lanes, uint64_t place)
{
	struct hash_slot *slot = hash_table_slot(&lanes->answered, place);

	if (slot->number)
		return;
	if (lanes->answered.n >= ANSWERED_MAX)
		hash_table_clear(&lanes->answered);
	hash_table_add(&lanes->answered, place)->number = 1;
}

bool lanes_has_answered(struct code_lanes *lanes, uint64_t place)
{
	return !lanes->hung || find_own(lanes, place) ||
	       hash_table_slot(&lanes->answered, place)->number;
}

struct lane *lanes_of_place(struct code_lanes *lanes, uint64_t place)
{
	struct lane *lane = find_own(lanes, place);

	if (!lane)
		return lanes_shared(lanes);
	if (!lane->opener && (!lanes_may_resume(lane) || !has_lane_left(lanes)))
		return NULL;
	if (!lane->opener) {
		start_lane(lanes, lane);
		lane->silent = false;
	}
	lane->used_ns = monotonic_ns();
	return lane;
}

unsigned lanes_skipped(struct code_lanes *lanes, pid_t pid)
{
	unsigned skipped = 0;

	for (size_t i = 0; i < CODE_PLACES_MAX; i++) {
		struct lane *lane = &lanes->own[i];

		if (lane->place && !lanes_is_of_device(lane->stage) &&
		    (lane->stage != MAPPED_FILE_THERE ||
		     lane->place == place_of_stage(lanes, MAPPED_FILE_THERE, pid)) &&
		    (lane->opener || !lanes_may_resume(lane)))
			skipped |= 1u << lane->stage;
	}
	return skipped;
}

/* Looking at the processes */

/* What a lane works at. */
struct halt {
	uint64_t ns;    /* for how long it has stood still there */
	uint64_t place; /* 0: it has nothing to do */
	enum mapped_file_stage stage;
	uint64_t dev;
	const char *name;
	pid_t pid;
};

static void look_at_opener(struct code_lanes *lanes, struct lane *lane, struct halt *halt)
{
	struct opener_request_state state = {.name = NULL};
	uint64_t ns = opener_client_stands_ns(lane->opener, lanes->config.sys, &state);

	if (!state.name)
		return;
	*halt = (struct halt){
		.ns = ns,
		.stage = state.stage,
		.dev = state.dev,
		.name = state.name,
		.pid = state.pid,
	};
	halt->place = lanes_is_of_device(state.stage) && !state.text
			      ? lanes_place(lanes, state.dev, state.name)
			      : place_of_stage(lanes, state.stage, state.pid);
}

static void look_at_parser(struct code_lanes *lanes, struct lane *lane, struct halt *halt)
{
	uint64_t key = 0, ns = symbol_client_stands_ns(lane->symbols, lanes->config.sys, &key);
	const struct known_file *file = hash_table_find(&lanes->files, key);

	if ((ns > halt->ns || !halt->place) && file)
		*halt = (struct halt){
			.ns = ns,
			.place = file->place,
			.stage = MAPPED_FILE_SELF,
			.dev = file->dev,
			.name = file->name,
			.pid = file->pid,
		};
}

static void abandon(struct code_lanes *lanes, struct lane *lane)
{
	bool silent = lane->silent;

	end_lane(lane);
	lane->silent = silent;
	lane->resume_ns =
		monotonic_ns() + (lanes->config.pause_ns << size_min(lane->tries, DOUBLINGS_MAX));
	lane->tries++;
}

/* The lane that has answered and was not used for longest; NULL: none. */
static struct lane *find_idle(struct code_lanes *lanes)
{
	struct lane *oldest = NULL;

	for (size_t i = 0; i < CODE_PLACES_MAX; i++) {
		struct lane *lane = &lanes->own[i];

		if (lane->opener && lane->stands_ns == 0 && !opener_client_works(lane->opener) &&
		    (!oldest || lane->used_ns < oldest->used_ns))
			oldest = lane;
	}
	return oldest;
}

/* The files of a lane that answers use the shared one again. */
static void end_idle(struct code_lanes *lanes, struct lane *lane)
{
	lanes_note_answer(lanes, lane->place);
	end_lane(lane);
	lane->place = PLACE_ENDING;
	lane->stage = MAPPED_FILE_SELF;
	lane->tries = 0;
	lane->resume_ns = 0;
}

/*
 * Returns a free lane for a place, or the lane that may resume and was not used for longest. NULL:
 * none.
 */
static struct lane *find_room(struct code_lanes *lanes)
{
	struct lane *oldest = NULL;

	for (size_t i = 0; i < CODE_PLACES_MAX; i++) {
		struct lane *lane = &lanes->own[i];

		if (!lane->place)
			return lane;
		if (!lane->opener && lanes_may_resume(lane) &&
		    (!oldest || lane->used_ns < oldest->used_ns))
			oldest = lane;
	}
	return oldest;
}

/* Ends a lane that answers, or else the lane that stands still for longest. */
static void end_one(struct code_lanes *lanes)
{
	struct lane *idle = find_idle(lanes), *longest = &lanes->own[0];

	if (idle) {
		end_idle(lanes, idle);
		return;
	}
	for (size_t i = 0; i < CODE_PLACES_MAX; i++)
		if (lanes->own[i].stands_ns > longest->stands_ns)
			longest = &lanes->own[i];
	longest->silent = true; /* its files have no names now */
	abandon(lanes, longest);
}

static int note_own_device(void *arg, const struct proc_mapping *mapping)
{
	if (mapping->inode != 0)
		lanes_note_answer(arg, lanes_place(arg, mapping->dev, mapping->name));
	return 0;
}

/* The devices of pmctop's own files have answered, since it runs. Most programs are there, too. */
static void note_hang(struct code_lanes *lanes)
{
	const struct sys *sys = lanes->config.sys;
	int fd = lanes->hung ? -1 : sys_file_open(sys, "/proc/self/maps");

	lanes->hung = true;
	if (fd < 0)
		return;
	proc_maps_each(sys, fd, OWN_MAPS_BYTES, note_own_device, lanes);
	sys_close(sys, fd);
}

static void give_place(struct lane *lane, const struct halt *halt)
{
	lane->place = halt->place;
	lane->stage = halt->stage;
	lane->dev = halt->dev;
	lane->pid = halt->pid;
	if (halt->stage == MAPPED_FILE_THERE)
		snprintf(lane->name, sizeof(lane->name), "/proc/%d/root", halt->pid);
	else
		text_printable(lane->name, sizeof(lane->name), halt->name, LANE_NAME_SHOWN);
}

/*
 * A lane of its own for a place that has not answered before, so that the shared one does not stand
 * still, too. NULL: all lanes wait.
 */
static struct lane *begin_own(struct code_lanes *lanes, const struct halt *place)
{
	struct lane *idle = has_lane_left(lanes) ? NULL : find_idle(lanes);

	if (idle)
		end_idle(lanes, idle);
	struct lane *lane = has_lane_left(lanes) ? find_room(lanes) : NULL;
	if (!lane)
		return NULL;
	*lane = free_lane;
	give_place(lane, place);
	start_lane(lanes, lane);
	lane->used_ns = monotonic_ns();
	return lane;
}

struct lane *lanes_of_file(struct code_lanes *lanes, pid_t pid, const struct code_object *object)
{
	const struct halt place = {
		.place = lanes_place(lanes, object->dev, object->name),
		.stage = MAPPED_FILE_SELF,
		.dev = object->dev,
		.name = object->name,
		.pid = pid,
	};

	/* Recordings have a place for each folder, and wait. */
	return lanes->config.recording || lanes_has_answered(lanes, place.place)
		       ? lanes_of_place(lanes, place.place)
		       : begin_own(lanes, &place);
}

/* Leaves the shared lane to the place at which it stands. */
static void set_aside(struct code_lanes *lanes, const struct halt *halt)
{
	struct lane *lane = find_own(lanes, halt->place);
	unsigned tries = lane ? lane->tries : 0;

	if (!lane)
		lane = find_room(lanes);
	lanes->full = !lane || lane->opener || !has_ended(lane);
	if (lanes->full)
		return;
	if (!has_lane_left(lanes))
		end_one(lanes);
	note_hang(lanes);
	*lane = lanes->shared;
	give_place(lane, halt);
	lane->stands_ns = halt->ns;
	lane->silent = halt->ns >= lanes->config.slow_ns;
	lane->tries = tries;
	lane->used_ns = monotonic_ns();
	lane->left[0] = lane->left[1] = HELPER_NONE;
	lanes->shared = free_lane;
}

static void look_at_lane(struct code_lanes *lanes, struct lane *lane)
{
	struct halt halt = {.ns = 0};

	if (!lane->opener)
		return;
	look_at_opener(lanes, lane, &halt);
	look_at_parser(lanes, lane, &halt);
	if (lane == &lanes->shared) {
		lanes->full = false;
		if (halt.ns >= lanes->config.aside_ns)
			set_aside(lanes, &halt);
		return;
	}
	lane->stands_ns = halt.ns >= lanes->config.aside_ns ? halt.ns : 0;
	/* Its device has answered, but another mount of the search does not. */
	if (lane->stands_ns > 0 && halt.place != lane->place && !find_own(lanes, halt.place))
		give_place(lane, &halt);
	lane->silent = halt.ns >= lanes->config.slow_ns;
	if (halt.ns >= lanes->config.dead_ns || (!lanes_is_of_device(lane->stage) && halt.ns == 0 &&
						 !opener_client_works(lane->opener)))
		abandon(lanes, lane);
}

/* Ends a lane that answers, if a place that may be tried again finds none. */
static void release_idle(struct code_lanes *lanes)
{
	struct lane *idle = has_lane_left(lanes) ? NULL : find_idle(lanes);
	bool waits = false;

	for (size_t i = 0; i < CODE_PLACES_MAX && idle; i++)
		waits |= lanes->own[i].tries > 0 && !lanes->own[i].opener &&
			 lanes_may_resume(&lanes->own[i]);
	if (waits)
		end_idle(lanes, idle);
}

void lanes_look_seldom(struct code_lanes *lanes)
{
	if (monotonic_ns() - lanes->looked_ns >= LOOK_NS)
		lanes_look(lanes);
}

void lanes_look(struct code_lanes *lanes)
{
	lanes->looked_ns = monotonic_ns();
	for (size_t i = 0; i < CODE_PLACES_MAX; i++) {
		struct lane *lane = &lanes->own[i];

		if (lane->place == PLACE_ENDING && has_ended(lane))
			*lane = free_lane;
		look_at_lane(lanes, lane);
	}
	look_at_lane(lanes, &lanes->shared);
	release_idle(lanes);
	lanes->crowded = !find_room(lanes);
}

/* Where the processes of the shared lane work. */
static void find_places(struct code_lanes *lanes, struct lane places[LANE_PROCESSES])
{
	struct halt halts[LANE_PROCESSES] = {{.ns = 0}, {.ns = 0}};

	if (lanes->shared.opener) {
		look_at_opener(lanes, &lanes->shared, &halts[0]);
		look_at_parser(lanes, &lanes->shared, &halts[1]);
	}
	for (size_t i = 0; i < LANE_PROCESSES; i++) {
		places[i] = free_lane;
		if (halts[i].place)
			give_place(&places[i], &halts[i]);
	}
}

/* Leaves the place alone until the process of the shared lane has ended. */
static void keep_place(struct code_lanes *lanes, const struct lane *place,
		       struct helper_process *left)
{
	struct lane *lane = find_own(lanes, place->place);
	int wait_status;

	if (place->place && !lane)
		lane = find_room(lanes);
	if (place->place && lane && has_ended(lane) && !helper_process_ended(left, &wait_status)) {
		*lane = *place;
		lane->left[0] = *left;
		note_hang(lanes);
		*left = HELPER_NONE;
	}
	helper_process_close(left);
}

/* Returns when the processes of these lanes have ended, or the time is over. */
static void await_ends(struct lane **ending, size_t n)
{
	const struct timespec moment = {.tv_nsec = (long)NS_PER_MS / 4};
	uint64_t until_ns = monotonic_ns() + ENDING_NS;

	while (n > 0 && monotonic_ns() < until_ns) {
		if (has_ended(ending[n - 1]))
			n--;
		else
			nanosleep(&moment, NULL);
	}
}

void code_lanes_stop(struct code_lanes *lanes)
{
	struct lane *ending[CODE_PLACES_MAX + 1], places[LANE_PROCESSES];
	size_t n = 0;

	find_places(lanes, places);
	for (size_t i = 0; i <= CODE_PLACES_MAX; i++) {
		struct lane *lane = i < CODE_PLACES_MAX ? &lanes->own[i] : &lanes->shared;

		if (lane->opener)
			ending[n++] = lane;
		end_lane(lane);
	}
	await_ends(ending, n);
	for (size_t i = 0; i < LANE_PROCESSES; i++)
		keep_place(lanes, &places[i], &lanes->shared.left[i]);
	/* The names of their files are missing when the lanes start again. */
	for (size_t i = 0; i < CODE_PLACES_MAX; i++)
		lanes->own[i].silent |=
			lanes->own[i].place != PLACE_ENDING && !has_ended(&lanes->own[i]);
	lanes_forget_files(lanes);
}

void code_lanes_free(struct code_lanes *lanes)
{
	if (!lanes)
		return;
	code_lanes_stop(lanes);
	for (size_t i = 0; i < CODE_PLACES_MAX; i++)
		for (size_t k = 0; k < LANE_PROCESSES; k++)
			helper_process_close(&lanes->own[i].left[k]);
	hash_table_fini(&lanes->files);
	hash_table_fini(&lanes->answered);
	free(lanes);
}

void code_lanes_main(int argc, char **argv)
{
	symbol_worker_main(argc, argv);
	opener_worker_main(argc, argv);
	user_worker_main(argc, argv);
}
