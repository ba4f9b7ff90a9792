// SPDX-License-Identifier: MIT
/*
 * The shared lane is waited for until the deadline, and looked at meanwhile, so that it may be left
 * to the file that does not answer. Other lanes get no time that the shared one needs.
 */
#include "core/code/code_lanes_internal.h"

#include "core/base/util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FILES_MAX = 1 << 16 };
#define SLICE_NS  (50 * NS_PER_MS) /* between two looks at a process that is waited for */
#define SHORT_NS  (5 * NS_PER_MS)  /* a lane of one device is waited for */
#define MOMENT_NS (20 * NS_PER_MS) /* between two looks at the lanes of devices */

/*
 * Callers have deadlines on the clock of their sys, the processes here on monotonic_ns(). These
 * clocks differ in a time namespace.
 */
static uint64_t own_deadline_ns(const struct code_lanes *lanes, uint64_t deadline_ns)
{
	uint64_t now_ns = sys_now_ns(lanes->config.sys);

	return u64_sum(monotonic_ns(), u64_growth(now_ns, deadline_ns));
}

static uint64_t until_of(const struct code_lanes *lanes, const struct lane *lane,
			 uint64_t deadline_ns)
{
	uint64_t most_ns = lane == &lanes->shared                                 ? SLICE_NS
			   : lane->stands_ns || opener_client_works(lane->opener) ? 0
										  : SHORT_NS;

	return u64_min(deadline_ns, monotonic_ns() + most_ns);
}

/* Whether to wait for the same lane once more. */
static bool goes_on(struct code_lanes *lanes, const struct lane *lane, uint64_t deadline_ns)
{
	const struct opener_client *opener = lane->opener;

	lanes_look(lanes);
	return lane == &lanes->shared && lane->opener == opener && opener &&
	       opener_client_works(opener) && monotonic_ns() < deadline_ns;
}

static void note_file(struct code_lanes *lanes, uint64_t key, uint64_t place, pid_t pid,
		      const struct code_object *object)
{
	size_t length = strlen(object->name) + 1;

	if (lanes->files.n >= FILES_MAX)
		lanes_forget_files(lanes);
	struct hash_slot *slot = hash_table_slot(&lanes->files, key);
	if (slot->item && ((struct known_file *)slot->item)->place == place)
		return;
	free(slot->item);
	if (!slot->item)
		slot = hash_table_add(&lanes->files, key);
	struct known_file *file = xmalloc(sizeof(*file) + length);
	file->place = place;
	file->dev = object->dev;
	file->pid = pid;
	memcpy(file->name, object->name, length);
	slot->item = file;
}

static bool lanes_answered(void *ctx, const struct code_mapping *mapping)
{
	const struct code_object *object = mapping->object;

	return lanes_has_answered(ctx, lanes_place(ctx, object->dev, object->name));
}

static int lanes_open(void *ctx, pid_t pid, const struct code_mapping *mapping,
		      uint64_t deadline_ns, struct mapped_file *found)
{
	struct code_lanes *lanes = ctx;
	const struct code_object *object = mapping->object;
	bool given = false;
	int rc;

	if (!lanes->config.sys->ops->shared)
		return -ENOENT;
	deadline_ns = own_deadline_ns(lanes, deadline_ns);
	lanes_look_seldom(lanes);
	uint64_t place = lanes_place(lanes, object->dev, object->name);
	if (lanes->crowded && !lanes_has_answered(lanes, place))
		return -EAGAIN;
	bool known = lanes_has_answered(lanes, place);
	struct lane *lane = lanes_of_file(lanes, pid, object);
	if (!lane)
		return known ? -ETIMEDOUT : -EAGAIN;
	const struct opener_file file = {pid, mapping, lanes_skipped(lanes, pid)};
	do {
		struct opener_link link = {.socket = -1};

		link.socket = symbol_client_socket(lane->symbols, &link.number);
		rc = opener_client_file(lane->opener, &file, &link,
					until_of(lanes, lane, deadline_ns), found, &given);
	} while (rc == -EAGAIN && goes_on(lanes, lane, deadline_ns));
	if (rc == 0) {
		lanes_note_answer(lanes, place);
		note_file(lanes, found->key, place, pid, object);
	}
	if (given)
		symbol_client_given(lane->symbols, found->key);
	return rc == -EBADE ? -EAGAIN : rc;
}

static ssize_t lanes_text(void *ctx, const struct code_text *text, uint64_t offset,
			  uint64_t deadline_ns, char *buffer, size_t size,
			  struct code_text_status *status)
{
	struct code_lanes *lanes = ctx;

	if (!lanes->config.sys->ops->shared)
		return -ENOENT;
	struct lane *lane = lanes_shared(lanes);
	unsigned skipped = lanes_skipped(lanes, text->pid);
	ssize_t n;

	deadline_ns = own_deadline_ns(lanes, deadline_ns);
	do
		n = opener_client_text(lane->opener, text, skipped, offset,
				       until_of(lanes, lane, deadline_ns), buffer, size, status);
	while (n == -EAGAIN && goes_on(lanes, lane, deadline_ns));
	return n == -EBADE ? -EAGAIN : n;
}

/* The lane of a file that was opened before; NULL: it is left alone. */
static struct lane *lane_of_key(struct code_lanes *lanes, uint64_t key)
{
	const struct known_file *file = hash_table_find(&lanes->files, key);

	return file ? lanes_of_place(lanes, file->place) : lanes_shared(lanes);
}

static enum symbol_file lanes_file(void *ctx, uint64_t key)
{
	const struct lane *lane = lane_of_key(ctx, key);

	return lane ? symbol_client_file(lane->symbols, key) : SYMBOL_FILE_SILENT;
}

/* The queries of one lane that have no answer yet. */
struct run {
	const struct symbol_query *queries;
	const size_t *indices; /* of the caller's queries */
	bool *answered;        /* of the caller's queries */
	symbol_found *found;
	void *arg;
};

static void pass_symbol(void *arg, size_t query, const struct symbol *symbol)
{
	const struct run *run = arg;
	size_t index = run->indices[query];

	run->answered[index] = true;
	run->found(run->arg, index, symbol);
}

static size_t collect_run(struct code_lanes *lanes, const struct lane *lane,
			  const struct symbol_query *queries, const bool *answered, size_t n,
			  struct symbol_query *of_lane, size_t *indices)
{
	size_t collected = 0;

	for (size_t i = 0; i < n; i++) {
		if (answered[i] || lane_of_key(lanes, queries[i].key) != lane)
			continue;
		of_lane[collected] = queries[i];
		indices[collected++] = i;
	}
	return collected;
}

static size_t find_in_lane(struct code_lanes *lanes, struct lane *lane, const struct run *run,
			   size_t n, uint64_t deadline_ns)
{
	uint64_t until_ns = until_of(lanes, lane, deadline_ns);
	size_t found = symbol_client_find(lane->symbols, run->queries, n, until_ns, pass_symbol,
					  (void *)(uintptr_t)run);

	lane->used_ns = monotonic_ns();
	return found;
}

static size_t lanes_find(void *ctx, const struct symbol_query *queries, size_t n,
			 uint64_t deadline_ns, symbol_found *found, void *arg)
{
	struct code_lanes *lanes = ctx;
	struct symbol_query *of_lane = xcalloc(n, sizeof(*of_lane));
	size_t *indices = xcalloc(n, sizeof(*indices)), answers = 0, left;
	bool *answered = xcalloc(n, sizeof(*answered));
	const struct run run = {of_lane, indices, answered, found, arg};

	deadline_ns = own_deadline_ns(lanes, deadline_ns);
	for (size_t i = 0; i < CODE_PLACES_MAX; i++) {
		struct lane *lane = &lanes->own[i];

		left = lane->opener
			       ? collect_run(lanes, lane, queries, answered, n, of_lane, indices)
			       : 0;
		if (left > 0)
			answers += find_in_lane(lanes, lane, &run, left, deadline_ns);
	}
	struct lane *shared = lanes_shared(lanes);
	while ((left = collect_run(lanes, shared, queries, answered, n, of_lane, indices)) > 0) {
		const struct symbol_client *before = shared->symbols;
		uint64_t end_ns = u64_min(deadline_ns, monotonic_ns() + SLICE_NS);
		size_t more = find_in_lane(lanes, shared, &run, left, deadline_ns);

		answers += more;
		lanes_look(lanes);
		/* Back before the time is over: there is nothing to wait for. */
		if (more == left || shared->symbols != before || monotonic_ns() < end_ns ||
		    monotonic_ns() >= deadline_ns)
			break;
	}
	free(of_lane);
	free(indices);
	free(answered);
	return answers;
}

static int lanes_locate(void *ctx, uint64_t key, const char *name, uint64_t deadline_ns,
			uint64_t *address)
{
	struct lane *lane = lane_of_key(ctx, key);

	return lane ? symbol_client_locate(lane->symbols, key, name,
					   own_deadline_ns(ctx, deadline_ns), address)
		    : -EAGAIN;
}

static int lanes_demangle(void *ctx, const char *mangled, uint64_t deadline_ns,
			  char name[SYMBOL_NAME_BYTES])
{
	return symbol_client_demangle(lanes_shared(ctx)->symbols, mangled,
				      own_deadline_ns(ctx, deadline_ns), name);
}

static bool lanes_wait(void *ctx, uint64_t deadline_ns)
{
	const struct timespec moment = {.tv_nsec = (long)MOMENT_NS};
	struct code_lanes *lanes = ctx;
	bool works = false;

	deadline_ns = own_deadline_ns(lanes, deadline_ns);
	lanes_look(lanes);
	for (size_t i = 0; i < CODE_PLACES_MAX; i++) {
		const struct lane *lane = &lanes->own[i];

		works |= lane->opener && lanes_is_of_device(lane->stage) &&
			 (lane->stands_ns || opener_client_works(lane->opener));
	}
	if (!works || monotonic_ns() + MOMENT_NS >= deadline_ns)
		return false;
	nanosleep(&moment, NULL);
	return true;
}

struct code_helpers code_lanes_helpers(struct code_lanes *lanes)
{
	return (struct code_helpers){
		.answered = lanes_answered,
		.open = lanes_open,
		.text = lanes_text,
		.file = lanes_file,
		.find = lanes_find,
		.locate = lanes_locate,
		.demangle = lanes_demangle,
		.wait = lanes_wait,
		.ctx = lanes,
	};
}
