// SPDX-License-Identifier: MIT
/*
 * After each cut the load of a CPU (switches times cost, per ns of its time) is compared with the
 * budget. That gives its share; the share and the interval give the length of a part and of its
 * window. A window's weight is the time that it stands for, divided by its own length.
 */
#include "core/collect/duty_cycle.h"

#include "core/base/util.h"
#include "core/sys/cpus.h"

#include <stdlib.h>
#include <string.h>

enum {
	PARTS = 8,          /* of an interval; a long one has more */
	PARTS_MIN = 2,      /* if windows would be too short */
	CALM_INTERVALS = 3, /* in a row, until the whole CPU is counted again */
	RECORDS_MIN = 1000, /* fewer do not show the cost of one */
	COST_TRIES = 4,     /* the shortest counts: the others were interrupted */
	COST_READS = 8,
};
#define PART_MAX_NS   (125 * NS_PER_MS) /* to see phases of a second */
#define LENGTH_MIN_NS (NS_PER_MS)       /* shorter ones cost more than they save */
#define SHARE_MIN     (1 / 256.0)
#define CALM          0.7   /* of the budget */
#define RECORD_NS     100.0 /* until it is measured */
#define TOGETHER_NS \
	(100 * NS_PER_US) /* windows that are due within this time are handled at once */

void duty_cycle_init(struct duty_cycle *duty, struct cpu_counter_set *cpus, struct notes *notes,
		     double budget)
{
	*duty = (struct duty_cycle){
		.cpus = cpus,
		.notes = notes,
		.budget = budget,
		.record_ns = RECORD_NS,
	};
}

void duty_cycle_fini(struct duty_cycle *duty)
{
	free(duty->noted_cpus);
	duty->noted_cpus = NULL;
}

static bool is_windowed(const struct cpu_counters *cpu)
{
	return cpu->open && cpu->window.share < 1;
}

/* The shortest time of a reading. */
static uint64_t read_cost_ns(const struct cpu_counters *cpu, int fd, size_t n_values)
{
	size_t size = (1 + READING_VALUES + n_values) * sizeof(uint64_t);
	uint64_t *values = xmalloc(size), least_ns = UINT64_MAX;

	for (unsigned i = 0; i < COST_TRIES; i++) {
		uint64_t begin_ns = sys_now_ns(cpu->sys);
		for (unsigned k = 0; k < COST_READS; k++)
			sys_perf_read(cpu->sys, fd, values, size);
		uint64_t ns = (sys_now_ns(cpu->sys) - begin_ns) / COST_READS;
		least_ns = ns < least_ns ? ns : least_ns;
	}
	free(values);
	return least_ns;
}

/*
 * The kernel's cost of a switch: a sample of a group reads the same counters as read(2), and a
 * SWITCH record is written at both ends of a slice. A wake-up's sample is left out: it costs less
 * than read(2) of a counter, and not each switch has one.
 */
static uint64_t switch_cost_ns(const struct cpu_counters *cpu)
{
	const struct group *clock = &cpu->groups[0].group;
	const struct group *turn = &cpu->groups[cpu->turn].group;
	uint64_t cost_ns = read_cost_ns(cpu, clock->fds[0], clock->n);

	if (cpu->turn > 0)
		cost_ns += read_cost_ns(cpu, turn->fds[0], turn->n);
	if (cpu->switches_fd >= 0)
		cost_ns += 2 * read_cost_ns(cpu, cpu->switches_fd, 1);
	return cost_ns;
}

/* Measures on this thread's CPU if it is counted: a remote reading interrupts the other CPU. */
void duty_cycle_measure(struct duty_cycle *duty)
{
	const struct cpu_counter_set *cpus = duty->cpus;
	struct cpu_counters *chosen = NULL;
	int ours = sys_current_cpu(cpus->sys);

	for (size_t i = 0; i < cpus->n; i++)
		if (cpus->items[i].open && (!chosen || cpus->items[i].number == ours))
			chosen = &cpus->items[i];
	duty->switch_ns = chosen ? switch_cost_ns(chosen) : 0;
}

void duty_cycle_drain(struct duty_cycle *duty)
{
	uint64_t begin_ns = sys_cpu_ns(duty->cpus->sys, false);

	cpu_counter_set_drain(duty->cpus);
	duty->drained_ns += sys_cpu_ns(duty->cpus->sys, false) - begin_ns;
}

void duty_cycle_cut(struct duty_cycle *duty)
{
	uint64_t begin_ns = sys_cpu_ns(duty->cpus->sys, false);

	cpu_counter_set_end(duty->cpus);
	cpu_counter_set_close_windows(duty->cpus, UINT64_MAX);
	duty->drained_ns += sys_cpu_ns(duty->cpus->sys, false) - begin_ns;
	duty->cut_ns = sys_now_ns(duty->cpus->sys);
}

static uint64_t update_record_cost(struct duty_cycle *duty)
{
	uint64_t records = 0;

	for (size_t i = 0; i < duty->cpus->n; i++)
		records += duty->cpus->items[i].records;
	uint64_t n = u64_growth(duty->records, records);
	if (n >= RECORDS_MIN && duty->drained_ns > 0)
		duty->record_ns += ((double)duty->drained_ns / (double)n - duty->record_ns) / 4;
	duty->records = records;
	duty->drained_ns = 0;
	return n;
}

/* The share of a CPU's time that counting all of such an interval would cost. */
static double load_of(const struct duty_cycle *duty, const struct cpu_counters *cpu,
		      const uint64_t *tally)
{
	unsigned records =
		1 + (cpu->turn > 0) + (cpu->switches_fd >= 0 ? 2 : 0) + (cpu->wakings_fd >= 0);
	double each_ns = (double)duty->switch_ns + records * duty->record_ns;

	if (tally[TALLY_TASK_CLOCK] == 0)
		return 0;
	return (double)tally[TALLY_SWITCHES] * each_ns / (double)tally[TALLY_TASK_CLOCK];
}

static void choose_share(struct duty_window *window, double load, double budget)
{
	bool before = window->share < 1;
	double share = budget / load;

	window->calm = before && load < budget * CALM ? window->calm + 1 : 0;
	if (before ? window->calm >= CALM_INTERVALS : load <= budget)
		window->share = 1;
	else if (share < CALM)
		window->share = share > SHARE_MIN ? share : SHARE_MIN;
	else
		window->share = CALM; /* close to the budget: avoids going back and forth */
}

static void note_windowed_cpus(struct duty_cycle *duty)
{
	const struct cpu_counter_set *cpus = duty->cpus;
	struct cpu_list list = {.numbers = xcalloc(cpus->n, sizeof(int))};

	for (size_t i = 0; i < cpus->n; i++)
		if (is_windowed(&cpus->items[i]))
			list.numbers[list.n++] = cpus->items[i].number;
	duty->windowed_cpus = (unsigned)list.n;
	char *text = list.n > 0 ? cpu_list_text(&list) : NULL;
	cpu_list_fini(&list);
	bool same = text && duty->noted_cpus ? strcmp(text, duty->noted_cpus) == 0
					     : text == duty->noted_cpus;
	if (!same) {
		notes_remove(duty->notes, NOTE_DUTY_CYCLE);
		if (text)
			notes_add_urgent_as(
				duty->notes, NOTE_DUTY_CYCLE,
				"Counted part of the time and scaled (~), to take at most %.3g%% "
				"of the CPU: CPU %s. --budget 0 counts all the time.",
				duty->budget * 100, text);
	}
	free(duty->noted_cpus);
	duty->noted_cpus = text;
}

uint64_t duty_cycle_judge(struct duty_cycle *duty, const struct interval *interval)
{
	struct cpu_counter_set *cpus = duty->cpus;
	uint64_t records = update_record_cost(duty);
	for (size_t i = 0; i < cpus->n && duty->budget > 0; i++)
		if (interval->coverage[i].counted)
			choose_share(&cpus->items[i].window,
				     load_of(duty, &cpus->items[i], interval_cpu(interval, i)),
				     duty->budget);
	return records;
}

/* Puts the next window at a random place in its part. */
static void schedule_window(const struct duty_cycle *duty, struct duty_window *window)
{
	uint64_t free_ns = window->part_ns - window->length_ns;

	window->due_ns = duty->cut_ns + window->part * window->part_ns +
			 u64_random(&window->random) % (free_ns + 1);
}

static void open_window(const struct duty_cycle *duty, struct cpu_counters *cpu)
{
	struct duty_window *window = &cpu->window;
	uint64_t now_ns = sys_now_ns(duty->cpus->sys);
	uint64_t part = (now_ns - duty->cut_ns) / window->part_ns;

	/* A window that opens too late belongs to the next part. */
	window->part = part > window->part ? part : window->part;
	uint64_t until_ns = window->until_ns = (window->part + 1) * window->part_ns;
	uint64_t stands_for_ns = until_ns > window->covered_ns ? until_ns - window->covered_ns : 0;
	window->weight = stands_for_ns * ATTRIB_WEIGHT_ONE / (window->length_ns + window->late_ns);
	if (window->weight < ATTRIB_WEIGHT_ONE)
		window->weight = ATTRIB_WEIGHT_ONE;
	cpu_counters_open_window(cpu, window->weight);
	window->opened_ns = window->weighed_ns = sys_now_ns(duty->cpus->sys);
	window->due_ns = window->opened_ns + window->length_ns;
}

static void begin_parts(const struct duty_cycle *duty, struct cpu_counters *cpu,
			uint64_t interval_ns)
{
	struct duty_window *window = &cpu->window;
	/* As many whole parts as possible. */
	uint64_t least_ns = (uint64_t)((double)LENGTH_MIN_NS / window->share);
	uint64_t parts = interval_ns / PART_MAX_NS > PARTS ? interval_ns / PART_MAX_NS : PARTS;

	if (parts > interval_ns / least_ns)
		parts = interval_ns / least_ns;
	window->part_ns = interval_ns / (parts > PARTS_MIN ? parts : PARTS_MIN);
	if (window->part_ns < LENGTH_MIN_NS)
		window->part_ns = LENGTH_MIN_NS;
	window->length_ns = (uint64_t)((double)window->part_ns * window->share);
	if (window->length_ns < LENGTH_MIN_NS)
		window->length_ns = LENGTH_MIN_NS;
	if (!window->random)
		window->random = duty->cut_ns * 2 + 1 + (uint64_t)cpu->number * 2;
	window->part = 0;
	window->covered_ns = 0;
	if (window->shut) {
		window->opened_ns = 0;
		schedule_window(duty, window);
		return;
	}
	/* A CPU that was counted in whole is in its first window, with weight 1. */
	window->weight = ATTRIB_WEIGHT_ONE;
	window->opened_ns = window->weighed_ns = duty->cut_ns;
	window->until_ns = 0;
	window->due_ns = sys_now_ns(duty->cpus->sys) + window->length_ns;
}

void duty_cycle_begin(struct duty_cycle *duty, uint64_t interval_ns)
{
	struct cpu_counter_set *cpus = duty->cpus;

	for (size_t i = 0; i < cpus->n; i++) {
		struct cpu_counters *cpu = &cpus->items[i];
		if (!cpu->open)
			continue;
		/* Without records of forks between windows the whole CPU is counted. */
		if (cpu->window.share < 1 && cpu_counters_begin_windows(cpu) < 0)
			cpu->window.share = 1;
		if (cpu->window.share < 1)
			begin_parts(duty, cpu, interval_ns);
		else
			cpu_counters_end_windows(cpu);
	}
	note_windowed_cpus(duty);
}

uint64_t duty_cycle_due_ns(const struct duty_cycle *duty)
{
	uint64_t due_ns = UINT64_MAX;

	for (size_t i = 0; i < duty->cpus->n; i++) {
		const struct cpu_counters *cpu = &duty->cpus->items[i];
		if (is_windowed(cpu) && cpu->window.due_ns < due_ns)
			due_ns = cpu->window.due_ns;
	}
	return due_ns;
}

/* A closed window: its tick came late, and the next one will be as late. */
static void update_lateness(struct duty_window *window, uint64_t now_ns)
{
	uint64_t seen_ns = now_ns - window->opened_ns;
	uint64_t late_ns = seen_ns > window->length_ns ? seen_ns - window->length_ns : 0;

	if (late_ns > window->length_ns) /* the virtual CPU stood still */
		late_ns = window->length_ns;
	window->late_ns = (window->late_ns * 3 + late_ns) / 4;
	window->opened_ns = 0;
	window->part++;
}

void duty_cycle_go_on(struct duty_cycle *duty, uint64_t now_ns)
{
	struct cpu_counter_set *cpus = duty->cpus;
	uint64_t until_ns = now_ns + TOGETHER_NS;

	cpu_counter_set_close_windows(cpus, until_ns);
	for (size_t i = 0; i < cpus->n; i++) {
		struct cpu_counters *cpu = &cpus->items[i];
		struct duty_window *window = &cpu->window;
		if (!is_windowed(cpu) || !window->shut || window->due_ns > until_ns)
			continue;
		if (window->opened_ns == 0) {
			open_window(duty, cpu);
			continue;
		}
		update_lateness(window, sys_now_ns(cpus->sys));
		schedule_window(duty, window);
	}
}
