// SPDX-License-Identifier: MIT
/*
 * An interval, a turn or a window ends on a CPU where the running task is known: the records name
 * it, else a tick does. The CPU that pmctop runs on needs no tick: the running task is pmctop.
 */
#include "core/collect/cpu_counter_set.h"

#include "core/base/util.h"

enum {
	TICKLESS_CUTS = 3,   /* after so many cuts without a tick, a CPU is waited for less */
	TICKLESS_TURNS = 3,  /* a turn waits that many times for a tick */
	TURNS_EACH = 4,      /* turns of a group per interval */
	TURN_COST = 100,     /* turns may take 1/100 of pmctop's time */
	TURN_COST_MOST = 10, /* up to 1/10 if a group would have no turn in the interval */
};
/*
 * How long to wait for a tick: first awake, since it comes at once; then asleep, since a virtual
 * CPU may stand still. CPUs without ticks so far get the first part only.
 */
#define TICK_SPIN_NS  (500 * NS_PER_US)
#define TICK_WAIT_NS  (20 * NS_PER_MS)
#define TICK_PAUSE_NS (NS_PER_MS)
/* Shorter turns cost too much, longer ones miss short phases. */
#define TURN_MIN_NS (10 * NS_PER_MS)
#define TURN_MAX_NS (100 * NS_PER_MS)

void cpu_counter_set_scan_forks(struct cpu_counter_set *cpus)
{
	struct fork_scan *fork_scan = &cpus->fork_scan;

	fork_scan_clear(fork_scan);
	for (size_t i = 0; i < cpus->n; i++)
		if (cpus->items[i].open)
			cpu_counters_mark(&cpus->items[i]);
	for (size_t i = 0; i < cpus->n; i++)
		if (cpus->items[i].open)
			cpu_counters_scan_forks(&cpus->items[i], fork_scan);
	fork_scan_sort(fork_scan);
	for (size_t i = 0; i < fork_scan->n; i++)
		cpu_counters_apply_fork(&cpus->items[fork_scan->items[i].cpu],
					&fork_scan->items[i]);
}

void cpu_counter_set_drain(struct cpu_counter_set *cpus)
{
	cpu_counter_set_scan_forks(cpus);
	for (size_t i = 0; i < cpus->n; i++)
		if (cpus->items[i].open)
			cpu_counters_drain_to_mark(&cpus->items[i]);
}

static bool is_ours(const struct cpu_counter_set *cpus, const struct cpu_counters *cpu)
{
	return cpu->number == sys_current_cpu(cpus->sys);
}

/* Pauses between two scans for ticks. Returns the time asleep. */
static uint64_t pause_awhile(const struct cpu_counter_set *cpus, uint64_t waited_ns)
{
	uint64_t begin_ns = sys_now_ns(cpus->sys);

	if (waited_ns <= TICK_SPIN_NS)
		return 0;
	sys_wait(cpus->sys, NULL, 0, begin_ns + TICK_PAUSE_NS);
	return sys_now_ns(cpus->sys) - begin_ns;
}

/* The calling thread. */
static struct attrib_runner runner_self(const struct cpu_counter_set *cpus)
{
	struct attrib_runner self = attrib_unknown;

	sys_self(cpus->sys, &self.pid, &self.tid);
	return self;
}

/*
 * Folds in records up to what a CPU waits for, and acts if that is there. Returns whether the CPU
 * still waits.
 */
typedef bool step_fn(struct cpu_counters *cpu);

static bool step_to_end(struct cpu_counters *cpu)
{
	if (cpu->ending)
		cpu_counters_drain_to_end(cpu);
	return cpu->ending;
}

static bool step_to_tick(struct cpu_counters *cpu, cpu_counters_act *act)
{
	if (!cpu_counters_awaits(cpu))
		return false;
	cpu_counters_drain_to_ticks(cpu);
	if (cpu_counters_awaits(cpu))
		return true;
	act(cpu, NULL);
	return false;
}

static bool step_to_turn(struct cpu_counters *cpu)
{
	return step_to_tick(cpu, cpu_counters_turn);
}

static bool step_to_close(struct cpu_counters *cpu)
{
	return step_to_tick(cpu, cpu_counters_close_window);
}

/* Steps every open CPU. Returns whether a tick that has not come is worth waiting for. */
static bool step_all(struct cpu_counter_set *cpus, step_fn *next_step, uint64_t waited_ns)
{
	bool wait = false;

	cpu_counter_set_scan_forks(cpus);
	for (size_t i = 0; i < cpus->n; i++) {
		struct cpu_counters *cpu = &cpus->items[i];
		bool tickless = cpu->tickless_cuts >= TICKLESS_CUTS;
		if (cpu->open && next_step(cpu))
			wait |= waited_ns < (tickless ? TICK_SPIN_NS : TICK_WAIT_NS);
	}
	return wait;
}

/* Steps all CPUs until no tick is worth waiting for. Returns the time that the thread slept. */
static uint64_t await_ticks(struct cpu_counter_set *cpus, step_fn *next_step)
{
	uint64_t begin_ns = sys_now_ns(cpus->sys), waited_ns = 0, slept_ns = 0;

	while (step_all(cpus, next_step, waited_ns)) {
		slept_ns += pause_awhile(cpus, waited_ns);
		waited_ns = sys_now_ns(cpus->sys) - begin_ns;
	}
	return slept_ns;
}

/*
 * Acts on a CPU where the running task is known: at once if it is pmctop or the records name it,
 * else when a tick has come (step_to_tick).
 */
static void act_or_arm(const struct cpu_counter_set *cpus, struct cpu_counters *cpu,
		       cpu_counters_act *act, bool turn_only)
{
	if (is_ours(cpus, cpu)) {
		const struct attrib_runner self = runner_self(cpus);
		act(cpu, &self);
		return;
	}
	if (!cpu_counters_names_runner(cpu))
		cpu_counters_arm(cpu, turn_only);
	if (!cpu_counters_awaits(cpu))
		act(cpu, NULL);
}

/*
 * Ends the interval on a CPU without such a record. On this thread's CPU the task was pmctop, else
 * it is unknown.
 */
static void end_unnamed(const struct cpu_counter_set *cpus, struct cpu_counters *cpu)
{
	const struct attrib_runner runner = cpu->reads_itself ? runner_self(cpus) : attrib_unknown;

	if (!cpu->ending)
		return;
	cpu->tickless_cuts = runner.tid == -1 ? cpu->tickless_cuts + 1 : 0;
	cpu_counters_end(cpu, &runner);
}

/* Reads all CPUs first, so that little time passes between the first and the last. */
static void read_ends(struct cpu_counter_set *cpus)
{
	for (size_t i = 0; i < cpus->n; i++) {
		struct cpu_counters *cpu = &cpus->items[i];
		bool ours = is_ours(cpus, cpu);
		if (cpu->open && cpu->window.share >= 1)
			cpu_counters_read_end(cpu);
		cpu->reads_itself = ours && is_ours(cpus, cpu);
	}
	cpu_counter_set_scan_forks(cpus);
}

void cpu_counter_set_begin(struct cpu_counter_set *cpus)
{
	read_ends(cpus);
	for (size_t i = 0; i < cpus->n; i++) {
		struct cpu_counters *cpu = &cpus->items[i];
		if (!cpu->ending)
			continue;
		cpu_counters_drain_to_end(cpu);
		if (cpu->ending)
			cpu_counters_end(cpu, &attrib_unknown);
	}
}

void cpu_counter_set_end(struct cpu_counter_set *cpus)
{
	read_ends(cpus);
	for (size_t i = 0; i < cpus->n; i++) {
		struct cpu_counters *cpu = &cpus->items[i];
		if (!cpu->open)
			continue;
		if (!cpu->ending) {
			cpu_counters_drain_to_mark(cpu);
			continue;
		}
		cpu_counters_drain_to_end(cpu);
		if (cpu->reads_itself)
			end_unnamed(cpus, cpu);
		else if (cpu->ending)
			cpu_counters_arm(cpu, false);
		else
			cpu->tickless_cuts = 0;
	}
	await_ticks(cpus, step_to_end);
	for (size_t i = 0; i < cpus->n; i++)
		end_unnamed(cpus, &cpus->items[i]);
}

static bool needs_rival_check(const struct cpu_counters *cpu)
{
	return cpu->open && !cpu->needs_switches && cpu->window.share >= 1;
}

bool cpu_counter_set_need_rival_check(const struct cpu_counter_set *cpus)
{
	bool need = false;

	for (size_t i = 0; i < cpus->n; i++)
		need |= needs_rival_check(&cpus->items[i]);
	return need;
}

void cpu_counter_set_check_rivals(struct cpu_counter_set *cpus)
{
	cpu_counter_set_scan_forks(cpus);
	for (size_t i = 0; i < cpus->n; i++)
		if (needs_rival_check(&cpus->items[i]))
			cpu_counters_drain_to_mark(&cpus->items[i]);
}

void cpu_counter_set_mark_unclear(struct cpu_counter_set *cpus, const struct interval *interval,
				  bool hides)
{
	bool any = false;

	for (size_t i = 0; i < cpus->n; i++)
		any |= interval->coverage[i].unclear;
	for (size_t i = 0; i < cpus->n; i++)
		cpus->items[i].needs_switches |= interval->coverage[i].unclear || (any && hides);
}

bool cpu_counter_set_enable_switch_records(struct cpu_counter_set *cpus)
{
	bool any = false;

	for (size_t i = 0; i < cpus->n; i++)
		any |= cpu_counters_enable_switch_records(&cpus->items[i]);
	return any;
}

static uint64_t clamp_ns(uint64_t ns, uint64_t least_ns, uint64_t most_ns)
{
	return ns < least_ns ? least_ns : ns > most_ns ? most_ns : ns;
}

/* How long a turn is to be, in an interval in which each group should have several. */
static uint64_t turn_length_ns(const struct cpu_counter_set *cpus, uint64_t each_once_ns)
{
	uint64_t cost_ns = cpus->turn_cost_ns;
	uint64_t turn_ns = clamp_ns(each_once_ns / TURNS_EACH, TURN_MIN_NS, TURN_MAX_NS);
	uint64_t cheap_ns = clamp_ns(each_once_ns, cost_ns * TURN_COST_MOST, cost_ns * TURN_COST);

	return turn_ns > cheap_ns ? turn_ns : cheap_ns;
}

/* Boundaries within the interval are random. */
static void begin_rotation(struct counted_rotation *rotation)
{
	uint64_t spread_ns = rotation->n < rotation->most ? rotation->length_ns / 2 : 0;

	rotation->turn = 0;
	rotation->from_ns = rotation->to_ns;
	rotation->to_ns = rotation->begin_ns + rotation->n++ * rotation->length_ns - spread_ns / 2 +
			  u64_random(&rotation->random) % (spread_ns + 1);
}

/* The current turn ends with its part of the rotation. */
static void schedule_turn(struct cpu_counter_set *cpus)
{
	struct counted_rotation *rotation = &cpus->rotation;

	if (rotation->turn == rotation->turns)
		begin_rotation(rotation);
	uint64_t length_ns = rotation->to_ns - rotation->from_ns;
	uint64_t least_ns = sys_now_ns(cpus->sys) + length_ns / rotation->turns / 2;
	uint64_t due_ns = rotation->from_ns + ++rotation->turn * length_ns / rotation->turns;
	/* Without ticks, turns begin late. */
	cpus->turn_due_ns = due_ns > least_ns ? due_ns : least_ns;
}

/* Every group comes first equally often. */
static void choose_first(struct cpu_counter_set *cpus, uint64_t random)
{
	for (size_t i = 0; i < cpus->n; i++) {
		struct cpu_counters *cpu = &cpus->items[i];
		if (cpu->open && cpu->n_groups > 2)
			cpu->next_turn = 1 + (cpu->next_turn - 1 + random) % (cpu->n_groups - 1);
	}
}

void cpu_counter_set_begin_turns(struct cpu_counter_set *cpus, unsigned turns, uint64_t interval_ns)
{
	struct counted_rotation *rotation = &cpus->rotation;
	uint64_t now_ns = sys_now_ns(cpus->sys);
	bool same = rotation->turns == turns;

	rotation->turns = turns;
	if (turns < 2) {
		cpus->turn_due_ns = UINT64_MAX;
		return;
	}
	uint64_t least_ns = turn_length_ns(cpus, interval_ns / turns) * turns;
	uint64_t n = interval_ns / least_ns;
	/* A rotation longer than an interval continues. */
	if (n == 0 && same && rotation->length_ns >= interval_ns)
		return;
	if (!rotation->random)
		rotation->random = now_ns * 2 + 1;
	rotation->length_ns = n > 0 ? interval_ns / n : least_ns;
	rotation->most = n;
	rotation->n = 1;
	rotation->begin_ns = rotation->to_ns = now_ns;
	begin_rotation(rotation);
	choose_first(cpus, u64_random(&rotation->random) % turns);
	cpus->turn_due_ns = now_ns;
}

/* A CPU without a tick keeps its turn, TICKLESS_TURNS times at most. */
static void turn_late(struct cpu_counter_set *cpus)
{
	for (size_t i = 0; i < cpus->n; i++) {
		struct cpu_counters *cpu = &cpus->items[i];
		if (!cpu->open || !cpu_counters_awaits(cpu))
			continue;
		cpu_counters_disarm(cpu);
		if (++cpu->late_turns >= TICKLESS_TURNS)
			cpu_counters_turn(cpu, &attrib_unknown);
	}
}

void cpu_counter_set_turn(struct cpu_counter_set *cpus)
{
	uint64_t begin_ns = sys_now_ns(cpus->sys);

	cpu_counter_set_scan_forks(cpus);
	for (size_t i = 0; i < cpus->n; i++) {
		struct cpu_counters *cpu = &cpus->items[i];
		if (cpu->open && cpu->n_groups > 2 && cpu->window.share >= 1)
			act_or_arm(cpus, cpu, cpu_counters_turn, true);
	}
	uint64_t slept_ns = await_ticks(cpus, step_to_turn);
	turn_late(cpus);
	/* Smoothed, against virtual CPUs that stood still. */
	uint64_t cost_ns = sys_now_ns(cpus->sys) - begin_ns - slept_ns;
	cpus->turn_cost_ns = (cpus->turn_cost_ns * 7 + cost_ns) / 8;
	schedule_turn(cpus);
}

void cpu_counter_set_close_windows(struct cpu_counter_set *cpus, uint64_t until_ns)
{
	cpu_counter_set_scan_forks(cpus);
	for (size_t i = 0; i < cpus->n; i++) {
		struct cpu_counters *cpu = &cpus->items[i];
		const struct duty_window *window = &cpu->window;
		if (cpu->open && window->share < 1 && !window->shut && window->due_ns <= until_ns)
			act_or_arm(cpus, cpu, cpu_counters_close_window, false);
	}
	await_ticks(cpus, step_to_close);
	for (size_t i = 0; i < cpus->n; i++) {
		struct cpu_counters *cpu = &cpus->items[i];
		if (!cpu->open || !cpu_counters_awaits(cpu))
			continue;
		cpu_counters_disarm(cpu);
		cpu_counters_close_window(cpu, &attrib_unknown);
	}
}
