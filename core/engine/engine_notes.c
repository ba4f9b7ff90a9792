// SPDX-License-Identifier: MIT
/*
 * A note holds as long as its cause: each function removes the notes of its ids, then adds the
 * notes that are true now. What happens once (a suspended machine) is a transient note.
 */
#include "core/engine/engine_notes.h"

#include "core/base/fiber.h"
#include "core/base/util.h"
#include "core/perf/perf_open_error.h"
#include "core/sys/cpus.h"
#include "core/sys/hidepid.h"
#include "core/sys/proc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CPU_ONLINE_INTERVALS = 10 };

/* The two clocks are not read at the same time: less may be an error of reading. */
#define SUSPENDED_MIN_NS (100 * NS_PER_MS)

/* In percent of CPU time. Each makes a message of its own, so there are few. */
static const unsigned stolen_steps[] = {50, 20, 10, 5};

static uint64_t read_suspended_ns(const struct sys *sys)
{
	uint64_t now_ns = sys_now_ns(sys);

	return sys_boottime_ns(sys) - now_ns;
}

void engine_notes_init(struct engine_notes *self, const struct sys *sys, struct notes *notes)
{
	*self = (struct engine_notes){.sys = sys, .notes = notes};
}

void engine_notes_begin(struct engine_notes *self)
{
	self->suspended_ns = read_suspended_ns(self->sys);
}

void engine_notes_fini(struct engine_notes *self)
{
	free(self->cpus);
	*self = (struct engine_notes){0};
}

void engine_notes_machine(struct engine_notes *self, const struct target *target)
{
	if (target_is_hidden(target) || hidepid_hides_here(self->sys))
		notes_add_urgent(self->notes,
				 "/proc hides other users' processes (hidepid). Try as root.");
	if (!cpus_have_sysfs(self->sys))
		notes_add(self->notes, "/sys cannot be read: PMUs, sockets and kinds of CPUs are "
				       "unknown. Mount it: mount -t sysfs sysfs /sys");
}

void engine_notes_levels(struct engine_notes *self, const struct perf_access *access,
			 enum event_levels levels)
{
	static const char remedy[] = "sudo sysctl kernel.perf_event_paranoid=1";

	notes_remove(self->notes, NOTE_LEVELS);
	if (access->level != PERF_ACCESS_USER || perf_access_no_pmu(access))
		return;
	if (levels == EVENT_LEVELS_ALL)
		notes_add_as(self->notes, NOTE_LEVELS, "User mode only (:u). For the kernel: %s",
			     remedy);
	/* Urgent: next to nothing is counted then. */
	if (levels == EVENT_LEVELS_KERNEL)
		notes_add_urgent_as(self->notes, NOTE_LEVELS,
				    "Kernel mode alone (:k) is denied. For it: %s", remedy);
}

/* Without a PMU one note stands for all hardware events. */
static void note_events(struct engine_notes *self, const struct selection *selection)
{
	bool no_pmu = false;

	for (size_t i = 0; i < selection->events.n; i++) {
		const struct event *event = &selection->events.items[i];
		struct error why;

		if (event->state == FIGURE_VALID || event->answer == 0)
			continue;
		if (selection->no_pmu && event->kind == EVENT_HARDWARE) {
			no_pmu = true;
			continue;
		}
		perf_open_error_event(self->sys, event, &why);
		notes_add_as(self->notes, NOTE_COLUMNS, "%s", why.text);
	}
	if (no_pmu)
		notes_add_as(self->notes, NOTE_COLUMNS, "%s", PERF_OPEN_NO_PMU);
}

static void note_metrics(struct engine_notes *self, const struct selection *selection,
			 const struct columns *columns)
{
	for (size_t i = 0; i < columns->n_shown; i++)
		if (selection->columns[i].form == METRIC_FORMS_MAX)
			notes_add_as(self->notes, NOTE_COLUMNS,
				     "This CPU has no events for metric %s.",
				     columns->defs[i].name);
		else if (metric_is_apart(&columns->metrics[i], &columns->events, columns->plan))
			notes_add_as(self->notes, NOTE_COLUMNS,
				     "The events of %s do not fit together: counted in turns (~).",
				     columns->defs[i].name);
}

/*
 * Whether the events of {a,b}, the columns with one number from `first` on, are counted in one
 * group on every CPU.
 */
static bool is_together(const struct selection *selection, const struct columns *columns,
			size_t first)
{
	const struct plan *plan = columns->plan;
	unsigned number = selection->columns[first].together;
	unsigned events[METRIC_EVENTS_MAX];
	size_t n = 0;

	for (size_t i = first; i < columns->n_shown; i++)
		if (selection->columns[i].together == number)
			n += metric_events(&columns->metrics[i], events + n, METRIC_EVENTS_MAX - n);
	for (unsigned d = 0; d < plan->shape.n_domains; d++) {
		const struct plan_domain *domain = &plan->domains[d];
		size_t most = 0, any = 0;

		for (unsigned k = 0; k < domain->n_groups; k++) {
			size_t in_group = 0;
			for (size_t i = 0; i < n; i++)
				in_group +=
					columns->events.items[events[i]].kind == EVENT_HARDWARE &&
					plan_counter_in(plan, domain->first_group + k, events[i]) >=
						0;
			most = in_group > most ? in_group : most;
			any += in_group;
		}
		if (any > most)
			return false;
	}
	return true;
}

static void note_braces(struct engine_notes *self, const struct selection *selection,
			const struct columns *columns)
{
	unsigned noted = 0; /* numbers ascend */

	for (size_t i = 0; i < columns->n_shown; i++) {
		unsigned number = selection->columns[i].together;
		if (number <= noted)
			continue;
		noted = number;
		if (!is_together(selection, columns, i))
			notes_add_as(self->notes, NOTE_COLUMNS,
				     "{%s,...} does not fit into one group: counted in turns (~).",
				     columns->defs[i].name);
	}
}

void engine_notes_columns(struct engine_notes *self, const struct selection *selection,
			  const struct columns *columns)
{
	notes_remove(self->notes, NOTE_COLUMNS);
	note_events(self, selection);
	note_metrics(self, selection, columns);
	note_braces(self, selection, columns);
}

/* Figures of the next interval do not depend on it. Sums of intervals have the notes of all. */
static void note_lost_records(struct engine_notes *self, const struct interval *interval)
{
	notes_remove(self->notes, NOTE_LOST_RECORDS);
	if (interval->lost_records > 0)
		notes_add_urgent_as(self->notes, NOTE_LOST_RECORDS,
				    "Records were lost (too many context switches). Counts of that "
				    "time are unattributed; ? marks affected figures.");
	else if (interval->unexplained > 0)
		notes_add_as(self->notes, NOTE_LOST_RECORDS,
			     "The kernel did not report some context switches; time around them is "
			     "unattributed (marked ?).");
}

/*
 * CLOCK_MONOTONIC, the clock of records and intervals, stands still while the machine is suspended.
 * CLOCK_BOOTTIME does not.
 */
static void note_suspend(struct engine_notes *self)
{
	char text[80];
	uint64_t boottime_ns = sys_boottime_ns(self->sys);
	uint64_t suspended_ns = boottime_ns - sys_now_ns(self->sys);
	int64_t passed_ns = (int64_t)(suspended_ns - self->suspended_ns);

	if (passed_ns < (int64_t)SUSPENDED_MIN_NS)
		return;
	self->suspended_ns = read_suspended_ns(self->sys);
	snprintf(text, sizeof(text), "The machine slept for %.1f s: that time is in no interval.",
		 (double)passed_ns / (double)NS_PER_S);
	notes_add_transient(self->notes, text);
}

/*
 * While a hypervisor takes the CPU, perf's clocks continue and its counters do not. So the time is
 * in %CPU and in no count.
 */
void engine_notes_steal(struct engine_notes *self, const struct snapshot_machine *machine)
{
	notes_remove(self->notes, NOTE_STOLEN_TIME);
	for (size_t i = 0; i < ARRAY_SIZE(stolen_steps); i++) {
		if (machine->values[MACHINE_STEAL] < stolen_steps[i])
			continue;
		notes_add_urgent_as(self->notes, NOTE_STOLEN_TIME,
				    "The hypervisor takes %u%% or more of CPU time. %%CPU includes "
				    "that time, the counters do not.",
				    stolen_steps[i]);
		return;
	}
}

static bool is_offline(const struct cpu_note *cpu)
{
	return cpu->seen && !cpu->online;
}

static bool is_back(const struct cpu_note *cpu)
{
	return cpu->online && cpu->intervals_left > 0;
}

static void note_cpu_list(struct engine_notes *self, const struct interval *interval,
			  enum note_id id, bool (*is_listed)(const struct cpu_note *cpu),
			  const char *words)
{
	struct cpu_list list = {.numbers = xcalloc(interval->n_cpus, sizeof(int))};

	for (size_t i = 0; i < interval->n_cpus; i++)
		if (is_listed(&self->cpus[i]))
			list.numbers[list.n++] = interval->cpu_numbers[i];
	notes_remove(self->notes, id);
	if (list.n > 0) {
		char *text = cpu_list_text(&list);
		notes_add_urgent_as(self->notes, id, "%s: CPU %.160s.", words, text);
		free(text);
	}
	cpu_list_fini(&list);
}

/* Whether the note of some CPU changes. */
static bool update_cpus(struct engine_notes *self, const struct interval *interval)
{
	bool first = !self->cpus, changed = false;

	if (first)
		self->cpus = xcalloc(interval->n_cpus, sizeof(*self->cpus));
	for (size_t i = 0; i < interval->n_cpus; i++) {
		struct cpu_note *cpu = &self->cpus[i];
		bool online = interval->coverage[i].online;
		changed |= !first && online != cpu->online;
		changed |= cpu->intervals_left == 1;
		if (!first && online && !cpu->online)
			cpu->intervals_left = CPU_ONLINE_INTERVALS;
		else if (cpu->intervals_left > 0)
			cpu->intervals_left--;
		cpu->online = online;
		cpu->seen |= online;
	}
	return changed;
}

static void note_cpus(struct engine_notes *self, const struct interval *interval)
{
	bool known = false; /* else the list of online CPUs could not be read */

	for (size_t i = 0; i < interval->n_cpus; i++)
		known |= interval->coverage[i].online;
	if (!known || !update_cpus(self, interval))
		return;
	note_cpu_list(self, interval, NOTE_CPUS_ONLINE, is_back, "Online, and counted from now on");
	note_cpu_list(self, interval, NOTE_CPUS_OFFLINE, is_offline,
		      "Offline, or without counters");
}

/* Notes processes that do not let their files through. */
static void note_silent(struct engine_notes *self)
{
	enum { LISTED = 2 };
	pid_t pids[FIBER_STUCK_MOST];
	size_t n = sys_stuck(self->sys, pids, ARRAY_SIZE(pids));
	char names[LISTED * 64] = "";

	notes_remove(self->notes, NOTE_PROCESS_SILENT);
	if (n == 0)
		return;
	for (size_t i = 0; i < n && i < LISTED; i++) {
		struct proc_stat stat;
		bool named = proc_thread_brief(self->sys, pids[i], pids[i], &stat) == 0;
		size_t length = strlen(names);
		snprintf(names + length, sizeof(names) - length, named ? "%s%d (%s)" : "%s%d",
			 i ? ", " : "", pids[i], stat.comm);
	}
	if (n > LISTED)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), " and %zu more",
			 n - LISTED);
	notes_add_urgent_as(self->notes, NOTE_PROCESS_SILENT,
			    "/proc does not answer for %s: an exec or a mapping hangs. Look for a "
			    "dead mount (NFS, FUSE).",
			    names);
}

void engine_notes_command_lines(struct engine_notes *self, const struct snapshot *snapshot)
{
	size_t unread = snapshot->unread_cmdlines;

	notes_remove(self->notes, NOTE_COMMAND_LINES);
	if (snapshot->command_lines == COMMAND_LINES_MATCHED && unread > 0)
		notes_add_as(self->notes, NOTE_COMMAND_LINES,
			     "%zu command line%s not read yet: the filter does not search %s.",
			     unread, unread == 1 ? " is" : "s are", unread == 1 ? "it" : "them");
}

void engine_notes_cut(struct engine_notes *self, const struct interval *interval)
{
	note_silent(self);
	note_lost_records(self, interval);
	note_suspend(self);
	note_cpus(self, interval);
}
