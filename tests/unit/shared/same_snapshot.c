// SPDX-License-Identifier: MIT
#include "tests/unit/shared/same_snapshot.h"
#include "core/base/figure_mark.h"

#include "tests/unit/shared/same_profile.h"

static void same_text(const char *a, const char *b, const char *what)
{
	if (strcmp(a ? a : "(none)", b ? b : "(none)") != 0)
		fail_msg("%s differs: '%s', '%s'", what, a ? a : "(none)", b ? b : "(none)");
}

static void same_columns(const struct columns *a, const struct columns *b)
{
	SAME(a->events.n, b->events.n, "number of events");
	for (size_t i = 0; i < a->events.n; i++) {
		const struct event *left = &a->events.items[i], *right = &b->events.items[i];
		same_text(left->name, right->name, "event");
		same_text(left->label, right->label, "label");
		same_text(left->unit, right->unit, "unit");
		assert_true(left->scale == right->scale);
		SAME(left->kind, right->kind, left->name);
		SAME(left->state, right->state, left->name);
		SAME(left->answer, right->answer, left->name);
		SAME(left->n_codes, right->n_codes, left->name);
		for (size_t k = 0; k < left->n_codes; k++) {
			SAME(left->codes[k].pmu, right->codes[k].pmu, left->name);
			SAME(left->codes[k].state, right->codes[k].state, left->name);
		}
	}
	const struct plan *p = a->plan, *q = b->plan;
	SAME(p->shape.n_counters, q->shape.n_counters, "number of counters");
	SAME(p->shape.n_groups, q->shape.n_groups, "number of groups");
	SAME(p->shape.n_domains, q->shape.n_domains, "number of domains");
	SAME(p->times_group, q->times_group, "times_group");
	assert_memory_equal(p->counters, q->counters, p->shape.n_counters * sizeof(*p->counters));
	assert_memory_equal(p->first_counter, q->first_counter,
			    (p->n_events + 1) * sizeof(*p->first_counter));
	for (unsigned i = 0; i < p->shape.n_groups; i++) {
		const struct plan_group *left = &p->groups[i], *right = &q->groups[i];
		SAME(left->domain, right->domain, "domain of a group");
		SAME(left->n_members, right->n_members, "size of a group");
		if (left->n_members > 0)
			assert_memory_equal(left->members, right->members,
					    left->n_members * sizeof(int));
		SAME(left->layout.n_values, right->layout.n_values, "values of a group");
		SAME(left->layout.n_hardware, right->layout.n_hardware, "hardware of a group");
		SAME(left->layout.switch_value, right->layout.switch_value, "N of a group");
		SAME(left->layout.clock, right->layout.clock, "clock of a group");
	}
	SAME(a->n_metrics, b->n_metrics, "number of metrics");
	SAME(a->n_shown, b->n_shown, "number of shown metrics");
	SAME(a->events.n_hidden, b->events.n_hidden, "number of hidden events");
	SAME(a->n_preset, b->n_preset, "metrics of the preset");
	SAME(a->levels, b->levels, "levels");
	same_text(a->preset, b->preset, "preset");
	for (size_t i = 0; i < a->n_metrics; i++) {
		const struct metric *left = &a->metrics[i], *right = &b->metrics[i];
		same_text(left->def->name, right->def->name, "metric");
		same_text(left->title, right->title, "title");
		same_text(left->expression, right->expression, "expression");
		same_text(left->def->unit, right->def->unit, "unit");
		same_text(left->def->help, right->def->help, "help");
		same_text(left->def->group, right->def->group, "group");
		SAME(left->def->kind, right->def->kind, left->title);
		SAME(left->def->better, right->def->better, left->title);
		SAME(left->def->width, right->def->width, left->title);
		SAME(left->def->decimals, right->def->decimals, left->title);
		SAME(left->def->format, right->def->format, left->title);
		SAME(left->def->machine, right->def->machine, left->title);
		assert_true(left->def->warn == right->def->warn &&
			    left->def->bad == right->def->bad);
	}
	SAME(a->n_pmus, b->n_pmus, "number of PMUs");
	for (size_t i = 0; i < a->n_pmus; i++)
		same_text(a->pmus[i], b->pmus[i], "PMU");
}

void same_tally(const struct columns *columns, const uint64_t *a, const uint64_t *b,
		const char *what)
{
	SAME(a != NULL, b != NULL, what);
	for (size_t i = 0; a && b && i < tally_width(&columns->plan->shape); i++)
		if (a[i] != b[i])
			fail_msg("%s: value %zu differs: %llu, %llu", what, i,
				 (unsigned long long)a[i], (unsigned long long)b[i]);
}

static void same_figures(const struct columns *columns, const struct figure *a,
			 const struct figure *b, const char *what)
{
	SAME(a != NULL, b != NULL, what);
	for (size_t i = 0; a && b && i < columns->n_metrics; i++)
		if (a[i].state != b[i].state || a[i].value != b[i].value ||
		    a[i].share != b[i].share)
			fail_msg("%s: %s differs: %s %f, %s %f", what, columns->metrics[i].title,
				 figure_state_name(a[i].state), a[i].value,
				 figure_state_name(b[i].state), b[i].value);
}

static void same_before(const struct snapshot *a, const struct row_before *left,
			const struct snapshot *b, const struct row_before *right)
{
	for (size_t i = 0; i < TASK_OWNERS; i++)
		assert_true(left->parts[i].least == right->parts[i].least &&
			    left->parts[i].most == right->parts[i].most);
	same_text(left->comm, right->comm, "comm before");
	SAME(left->uid, right->uid, "uid before");
	same_text(left->user, right->user, "user before");
	same_text(left->cgroup < 0 ? NULL : a->cgroups[left->cgroup],
		  right->cgroup < 0 ? NULL : b->cgroups[right->cgroup], "cgroup before");
}

static void same_row(const struct snapshot *a, const struct row *left, const struct snapshot *b,
		     const struct row *right)
{
	SAME(left->tid, right->tid, "tid");
	SAME(left->pid, right->pid, "pid of a row");
	SAME(left->ppid, right->ppid, "ppid of a row");
	SAME(left->uid, right->uid, "uid of a row");
	SAME(left->start_ns, right->start_ns, "start_ns of a row");
	SAME(left->threads, right->threads, "threads of a row");
	SAME(left->processes, right->processes, "processes of a row");
	SAME(left->flags, right->flags, "flags of a row");
	SAME(left->held_ms, right->held_ms, "held_ms of a row");
	same_text(left->comm, right->comm, "comm");
	same_text(left->user, right->user, "user");
	same_text(left->cmdline, right->cmdline, "command line");
	same_text(snapshot_cgroup(a, left), snapshot_cgroup(b, right), "cgroup");
	SAME(left->before != 0, right->before != 0, "a row's change");
	if (left->before)
		same_before(a, &a->befores[left->before - 1], b, &b->befores[right->before - 1]);
}

static void same_rows(const struct snapshot *a, const struct snapshot *b)
{
	const struct rows *left = &a->threads, *right = &b->threads;

	SAME(left->n, right->n, "number of rows");
	SAME(left->n_still, right->n_still, "number of still rows");
	for (size_t i = 0; i < left->n; i++) {
		same_row(a, &left->items[i], b, &right->items[i]);
		same_tally(a->columns, rows_tally(a->columns, left, i),
			   rows_tally(b->columns, right, i), left->items[i].comm);
		same_figures(a->columns, rows_figures(a->columns, left, i),
			     rows_figures(b->columns, right, i), left->items[i].comm);
	}
	SAME(a->n_sleeping, b->n_sleeping, "number of sleeping rows");
	for (size_t i = 0; i < a->n_sleeping; i++)
		same_row(a, &a->sleeping[i], b, &b->sleeping[i]);
	SAME(a->n_places, b->n_places, "number of places");
	for (size_t i = 0; i < a->n_places; i++) {
		SAME(a->places[i].row, b->places[i].row, "row of a place");
		SAME(a->places[i].cpu, b->places[i].cpu, "CPU of a place");
		SAME(a->places[i].ns, b->places[i].ns, "time at a place");
	}
}

static void same_facts(const struct figure *a, const struct figure *b, const char *what)
{
	SAME(a != NULL, b != NULL, what);
	for (size_t i = 0; a && i < FACTS; i++)
		if (a[i].state != b[i].state || a[i].value != b[i].value)
			fail_msg("%s of %s differs: %s %f, %s %f", fact_name((enum fact)i), what,
				 figure_state_name(a[i].state), a[i].value,
				 figure_state_name(b[i].state), b[i].value);
}

/* Facts that no column shows may be in a live snapshot only. */
static void same_facts_of_columns(const struct snapshot *a, const struct snapshot *b)
{
	const unsigned all = (1u << FACTS) - 1;

	SAME(a->n_processes, b->n_processes, "number of processes");
	for (size_t i = 0; i < a->n_processes; i++) {
		SAME(a->processes[i].pid, b->processes[i].pid, "pid of a process");
		SAME(a->processes[i].first_row, b->processes[i].first_row, "first row");
		if (columns_facts(a->columns) == all)
			same_facts(a->processes[i].facts, b->processes[i].facts, "a process");
	}
	for (size_t i = 0; columns_facts(a->columns) == all && i < a->threads.n; i++)
		same_facts(rows_facts(&a->threads, i), rows_facts(&b->threads, i),
			   a->threads.items[i].comm);
}

static void same_cpus(const struct snapshot *a, const struct snapshot *b)
{
	SAME(a->n_cpus, b->n_cpus, "number of CPUs");
	for (size_t i = 0; i < a->n_cpus; i++) {
		const struct snapshot_cpu *left = &a->cpus[i], *right = &b->cpus[i];
		SAME(left->cpu, right->cpu, "CPU");
		SAME(left->socket, right->socket, "socket");
		SAME(left->node, right->node, "node");
		SAME(left->cpus, right->cpus, "CPUs in a CPU");
		same_text(left->type, right->type, "type of a CPU");
		same_tally(a->columns, left->tally, right->tally, "a CPU");
		same_tally(a->columns, left->idle, right->idle, "an idle CPU");
		same_figures(a->columns, left->figures, right->figures, "a CPU");
	}
}

void same_snapshot(const struct snapshot *a, const struct snapshot *b)
{
	SAME(a->sequence, b->sequence, "sequence");
	SAME(a->time_ns, b->time_ns, "time_ns");
	SAME(a->realtime_ns, b->realtime_ns, "realtime_ns");
	SAME(a->interval_ns, b->interval_ns, "interval_ns");
	same_text(a->host, b->host, "host");
	same_text(count_mode_name(a->mode), count_mode_name(b->mode), "mode");
	same_text(a->pmu, b->pmu, "pmu");
	same_columns(a->columns, b->columns);
	same_cpus(a, b);
	same_rows(a, b);
	same_facts_of_columns(a, b);
	same_tally(a->columns, a->totals, b->totals, "totals");
	same_tally(a->columns, a->idle, b->idle, "idle");
	same_tally(a->columns, a->unattributed, b->unattributed, "unattributed");
	same_tally(a->columns, a->others, b->others, "others");
	same_tally(a->columns, a->target, b->target, "target");
	same_figures(a->columns, a->figures, b->figures, "the machine");
	same_figures(a->columns, a->target_figures, b->target_figures, "the target");
	SAME(a->targeted, b->targeted, "targeted");
	SAME(a->ended, b->ended, "ended");
	SAME(a->command_lines, b->command_lines, "command_lines");
	SAME(a->lost_records, b->lost_records, "lost_records");
	SAME(a->tasks, b->tasks, "tasks");
	for (size_t i = 0; i < MACHINE_VALUES; i++) {
		SAME(a->machine.known[i], b->machine.known[i], machine_value_defs[i].name);
		if (a->machine.known[i])
			SAME(a->machine.values[i], b->machine.values[i],
			     machine_value_defs[i].name);
	}
	SAME(a->machine.n_interrupts, b->machine.n_interrupts, "number of interrupts");
	for (size_t i = 0; i < a->machine.n_interrupts; i++) {
		const struct machine_interrupt *left = &a->machine.interrupts[i];
		const struct machine_interrupt *right = &b->machine.interrupts[i];
		SAME(left->cpu, right->cpu, "CPU of an interrupt");
		SAME(left->soft, right->soft, "kind of an interrupt");
		assert_true(left->percent == right->percent);
		same_text(left->name, right->name, "interrupt");
	}
	same_profile(a->code, b->code);
	SAME(a->threads_ran, b->threads_ran, "threads_ran");
	SAME(a->threads_counted, b->threads_counted, "threads_counted");
	SAME(a->n_notes, b->n_notes, "number of notes");
	for (size_t i = 0; i < a->n_notes; i++)
		same_text(a->notes[i], b->notes[i], "note");
}
