// SPDX-License-Identifier: MIT
/*
 * A small scheduler. The slice of a CPU ends after a random time; what the task does then is drawn
 * too. A task that wakes up goes to the end of the queue. A CPU that is idle then gets a task after
 * a random time, a busy one at the end of its slice.
 */
#include "tests/fake_kernel/mixed_load.h"

#include "core/base/util.h"

#include <asm/unistd.h>
#include <stdlib.h>

#define SLICE_LEAST_NS (20 * NS_PER_US)
#define SLICE_MOST_NS  (4 * NS_PER_MS)
#define BLOCK_MOST_NS  (12 * NS_PER_MS)

#define TEXT_OF(number) #number
#define TEXT(number)    TEXT_OF(number)
#define FRAME(function) "[<0>] " function "+0x1/0x2\n"

const struct fk_wait mixed_waits[MIXED_WAITS] = {
	[MIXED_SLEEP] = {.wchan = "do_epoll_wait"},
	[MIXED_LOCK] = {.wchan = "futex_do_wait",
			.syscall = TEXT(__NR_futex) " 0x1000 0x80 0x2 0x0 0x0 0x0 0x7 0x8\n"},
	[MIXED_CONDITION] = {.wchan = "futex_do_wait",
			     .syscall = TEXT(
				     __NR_futex) " 0x1000 0x189 0x0 0x0 0x0 0xffffffff 0x7 0x8\n"},
	[MIXED_VFORK] = {.wchan = "kernel_clone"},
	[MIXED_DISK] = {.wchan = "folio_wait_bit",
			.syscall = TEXT(__NR_read) " 0x3 0x1000 0x1000 0x0 0x0 0x0 0x7 0x8\n",
			.stack = FRAME("folio_wait_bit") FRAME("vfs_read")},
	[MIXED_PAGE] = {.wchan = "folio_wait_bit",
			.syscall = "-1 0x7 0x8\n",
			.stack = FRAME("folio_wait_bit") FRAME("handle_mm_fault")},
	[MIXED_STOP] = {.wchan = "do_signal_stop"},
};

struct member {
	struct mixed_load *load;
	pid_t tid, parent; /* parent 0: it is no child */
	bool ended;
	struct member *next; /* in the queue */
};

struct place {
	struct mixed_load *load;
	int cpu;
	struct member *running; /* NULL: idle */
	bool expects;           /* a task is on its way to it */
};

struct mixed_load {
	struct fk *fk;
	struct mixed_load_spec spec;
	uint64_t random;
	struct place *places;
	struct member **members; /* all that ever were */
	size_t n, capacity;
	struct member *queue;
	pid_t next_tid;
};

static uint64_t draw(struct mixed_load *load, uint64_t least, uint64_t most)
{
	return least + u64_random(&load->random) % (most - least + 1);
}

static struct member *add_member(struct mixed_load *load, pid_t parent)
{
	struct member *member = xcalloc(1, sizeof(*member));

	*member = (struct member){.load = load, .tid = load->next_tid++, .parent = parent};
	load->members =
		array_reserve(load->members, &load->capacity, load->n + 1, sizeof(struct member *));
	load->members[load->n++] = member;
	return member;
}

static void enqueue(struct mixed_load *load, struct member *member)
{
	struct member **link = &load->queue;

	while (*link)
		link = &(*link)->next;
	member->next = NULL;
	*link = member;
}

static void end_slice(struct fk *fk, void *arg);

/* Gives the CPU to the first task of the queue, or leaves it idle. */
static void choose_next(struct place *place)
{
	struct mixed_load *load = place->load;

	place->running = load->queue;
	if (load->queue)
		load->queue = load->queue->next;
	fk_switch(load->fk, place->cpu, place->running ? place->running->tid : 0);
	if (place->running)
		fk_after(load->fk, draw(load, SLICE_LEAST_NS, SLICE_MOST_NS), end_slice, place);
}

static void end_idle(struct fk *fk, void *arg)
{
	struct place *place = arg;

	(void)fk;
	place->expects = false;
	if (!place->running && place->load->queue)
		choose_next(place);
}

/* One idle CPU is to look at the queue. */
static void kick_idle(struct mixed_load *load)
{
	for (unsigned i = 0; i < load->spec.cpus; i++) {
		struct place *place = &load->places[i];
		if (place->running || place->expects)
			continue;
		place->expects = true;
		fk_after(load->fk, draw(load, 1, load->spec.queue_ns), end_idle, place);
		return;
	}
}

static void join_queue(struct fk *fk, void *arg)
{
	struct member *member = arg;

	(void)fk;
	enqueue(member->load, member);
	kick_idle(member->load);
}

static void wake_up(struct fk *fk, void *arg)
{
	fk_ready(fk, ((struct member *)arg)->tid);
	join_queue(fk, arg);
}

static void move_queued(struct fk *fk, void *arg)
{
	struct member *member = arg;
	struct mixed_load *load = member->load;

	for (const struct member *other = load->queue; other; other = other->next)
		if (other == member)
			fk_move_queued(fk, member->tid, (int)draw(load, 0, load->spec.cpus - 1));
}

static void fork_child(struct mixed_load *load, const struct member *parent)
{
	struct member *child = add_member(load, parent->tid);

	fk_fork(load->fk, parent->tid, child->tid);
	enqueue(load, child);
	kick_idle(load);
}

/*
 * Now and then a wake-up that changes nothing, or one of a task that is about to leave. Returns
 * whether it is the latter.
 */
static bool wake_early(struct place *place, struct member *member, enum fk_state state)
{
	struct mixed_load *load = place->load;

	if (load->spec.early_percent == 0)
		return false;
	uint64_t chance = draw(load, 0, 99);
	int cpu = (int)draw(load, 0, load->spec.cpus - 1);
	if (chance < load->spec.early_percent)
		fk_wake_running(load->fk, cpu, member->tid);
	else if (chance < 2 * load->spec.early_percent && state == FK_SLEEPING)
		fk_wake_leaving(load->fk, cpu, member->tid);
	else
		return false;
	return chance >= load->spec.early_percent;
}

static void block(struct place *place, struct member *member, enum fk_state state, size_t wait)
{
	struct mixed_load *load = place->load;

	fk_block_in(load->fk, member->tid, state, &mixed_waits[wait]);
	if (wake_early(place, member, state))
		fk_after(load->fk, draw(load, 1, load->spec.queue_ns), join_queue, member);
	else
		fk_after(load->fk, draw(load, 1, BLOCK_MOST_NS), wake_up, member);
}

/* What the running task of a CPU does at the end of its slice. */
static void leave_cpu(struct place *place)
{
	struct mixed_load *load = place->load;
	struct member *member = place->running;
	uint64_t chance = draw(load, 0, 99);

	if (chance < load->spec.fork_percent && (!member->parent || load->spec.deep))
		fork_child(load, member);
	chance = draw(load, 0, 99);
	if (member->parent && chance < 30) {
		member->ended = true;
		fk_exit(load->fk, member->tid, chance % 2 ? FK_EXIT_ZOMBIE : FK_EXIT_REAPED);
	} else if (load->queue && chance < 60) {
		fk_block(load->fk, member->tid, FK_PREEMPTED);
		enqueue(load, member);
		if (load->spec.move_percent > 0 && draw(load, 0, 99) < load->spec.move_percent)
			fk_after(load->fk, draw(load, 1, 2 * SLICE_MOST_NS), move_queued, member);
	} else {
		if (chance < 85)
			block(place, member, FK_SLEEPING, MIXED_SLEEP + chance % 3);
		else if (chance < 95)
			block(place, member, FK_UNINTERRUPTIBLE, MIXED_VFORK + chance % 3);
		else
			block(place, member, FK_STOPPED, MIXED_STOP);
	}
}

static void end_slice(struct fk *fk, void *arg)
{
	struct place *place = arg;

	(void)fk;
	leave_cpu(place);
	choose_next(place);
}

struct mixed_load *mixed_load_new(struct fk *fk, const struct mixed_load_spec *spec)
{
	struct mixed_load *load = xcalloc(1, sizeof(*load));

	*load = (struct mixed_load){
		.fk = fk, .spec = *spec, .random = spec->seed * 2 + 1, .next_tid = spec->first};
	load->places = xcalloc(spec->cpus, sizeof(*load->places));
	for (unsigned i = 0; i < spec->cpus; i++)
		load->places[i] = (struct place){.load = load, .cpu = (int)i};
	for (unsigned i = 0; i < spec->tasks; i++) {
		struct member *member = add_member(load, 0);
		fk_task(fk,
			&(struct fk_spec){.tid = member->tid, .uid = spec->uid, .comm = "mixed"});
		fk_after(fk, draw(load, 1, BLOCK_MOST_NS), wake_up, member);
	}
	return load;
}

void mixed_load_free(struct mixed_load *load)
{
	for (size_t i = 0; i < load->n; i++)
		free(load->members[i]);
	free(load->members);
	free(load->places);
	free(load);
}

pid_t mixed_load_end(const struct mixed_load *load)
{
	return load->next_tid;
}

static const struct member *member_of(const struct mixed_load *load, pid_t tid)
{
	return load->members[tid - load->spec.first];
}

pid_t mixed_load_parent(const struct mixed_load *load, pid_t tid)
{
	return member_of(load, tid)->parent;
}

bool mixed_load_has_ended(const struct mixed_load *load, pid_t tid)
{
	return member_of(load, tid)->ended;
}
