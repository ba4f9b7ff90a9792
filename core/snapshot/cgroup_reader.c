// SPDX-License-Identifier: MIT
/*
 * A struct cgroup keeps the last reading of its memory files. Ancestors have a struct cgroup, too:
 * many cgroups share them.
 */
#include "core/snapshot/cgroup_reader.h"

#include "core/base/util.h"
#include "core/sys/cgroup_path.h"

#include <stdlib.h>
#include <string.h>

/* A second, less what a refresh may be early. */
#define READ_EVERY_NS (950 * NS_PER_MS)

/* Deeper cgroups have the limits of their nearest ancestors. */
enum { DEPTH_MOST = 64 };

void cgroup_reader_fini(struct cgroup_reader *reader)
{
	cgroup_mounts_fini(&reader->mounts);
	*reader = (struct cgroup_reader){.sys = NULL};
}

static void set_value(struct snapshot_cgroup *limits, enum cgroup_value which, double value)
{
	limits->known[which] = true;
	limits->values[which] = value;
}

static void set_quota_path(struct snapshot_cgroup *limits, const struct cgroup *cgroup)
{
	if (!cgroup || (limits->quota_path && strcmp(limits->quota_path, cgroup->path) == 0))
		return;
	free(limits->quota_path);
	limits->quota_path = xstrdup(cgroup->path);
}

/* Tasks of one path may have several cgroups of the CPU controller: the worst of them. */
static void add_quota(struct snapshot_cgroup *limits, const struct cgroup *cpu_cgroup,
		      uint64_t sequence)
{
	const struct cgroup_quota_account *quota = &cpu_cgroup->quota;
	bool evaluated = quota->evaluated == sequence;
	double throttled_s = evaluated ? (double)quota->most_ns / (double)NS_PER_S : 0;

	if (quota->evaluated == 0 || !quota->quota_known)
		return;
	bool more = throttled_s > limits->values[CGROUP_THROTTLED_S];
	bool lower = quota->least_cpus > 0 && (limits->values[CGROUP_QUOTA] <= 0 ||
					       quota->least_cpus < limits->values[CGROUP_QUOTA]);
	/* If it was not evaluated, no task of it waited. */
	if ((quota->known || !evaluated) && (more || !limits->known[CGROUP_THROTTLED_S]))
		set_value(limits, CGROUP_THROTTLED_S, throttled_s);
	if (lower || !limits->known[CGROUP_QUOTA])
		set_value(limits, CGROUP_QUOTA, quota->least_cpus);
	if (more || (lower && limits->values[CGROUP_THROTTLED_S] <= throttled_s))
		set_quota_path(limits, quota->most);
}

static size_t add_subject(struct cgroup_subjects *subjects, struct snapshot *snapshot,
			  struct cgroup *cgroup)
{
	size_t n = snapshot->n_cgroups + 1;

	subjects->items =
		array_reserve(subjects->items, &subjects->capacity, n, sizeof(*subjects->items));
	snapshot->cgroups =
		array_reserve(snapshot->cgroups, &subjects->paths_capacity, n, sizeof(char *));
	snapshot->cgroup_limits = array_reserve(snapshot->cgroup_limits, &subjects->limits_capacity,
						n, sizeof(*snapshot->cgroup_limits));
	subjects->items[subjects->n++] = (struct cgroup_subject){.cgroup = cgroup_ref(cgroup)};
	snapshot->cgroup_limits[snapshot->n_cgroups] = (struct snapshot_cgroup){.known = {false}};
	snapshot->cgroups[snapshot->n_cgroups] = xstrdup(cgroup->path);
	return snapshot->n_cgroups++;
}

int cgroup_subjects_add_cgroup(struct cgroup_subjects *subjects, struct snapshot *snapshot,
			       struct cgroup *cgroup)
{
	if (!cgroup)
		return -1;
	/* The index of the last snapshot, or stale. */
	if (cgroup->index >= subjects->n || subjects->items[cgroup->index].cgroup != cgroup)
		cgroup->index = add_subject(subjects, snapshot, cgroup);
	return (int)cgroup->index;
}

int cgroup_subjects_add(struct cgroup_subjects *subjects, struct snapshot *snapshot,
			const struct task *task, uint64_t sequence)
{
	struct cgroup *cgroup = task->cgroup;

	if (cgroup_subjects_add_cgroup(subjects, snapshot, cgroup) < 0)
		return -1;
	if (!task->exit_ns && !task->zombie)
		subjects->items[cgroup->index].tid = task->tid;
	if (task->cpu_cgroup)
		add_quota(&snapshot->cgroup_limits[cgroup->index], task->cpu_cgroup, sequence);
	return (int)cgroup->index;
}

static bool is_v1(const struct cgroup_reader *reader)
{
	return reader->mounts.items[CGROUP_MEMORY].version == 1;
}

/* The path for the memory controller, which has a hierarchy of its own in version 1. */
static const char *memory_path(const struct cgroup_reader *reader, const struct cgroup *cgroup)
{
	return is_v1(reader) ? cgroup->memory.path : cgroup->path;
}

static void find_memory_path(const struct cgroup_reader *reader,
			     const struct cgroup_subject *subject)
{
	char path[CGROUP_PATH_MAX];

	if (is_v1(reader) && subject->tid > 0 && !subject->cgroup->memory.path &&
	    cgroup_of_controller(reader->sys, subject->tid, "memory", path, sizeof(path)) == 0)
		subject->cgroup->memory.path = xstrdup(path);
}

static double rate_of(uint64_t before, uint64_t now, uint64_t ns)
{
	return (double)(now - before) * (double)NS_PER_S / (double)ns;
}

/* Reads the files of one cgroup. */
static void read_memory(const struct cgroup_reader *reader, struct cgroup *cgroup, uint64_t now_ns)
{
	struct cgroup_memory_account *account = &cgroup->memory;
	struct cgroup_memory before = account->memory;
	uint64_t ns = account->read_ns > 0 ? now_ns - account->read_ns : 0;
	const char *path = memory_path(reader, cgroup);
	struct cgroup_dir dir;

	account->read_ns = now_ns;
	account->rates_known = 0;
	account->usage_known = path &&
			       cgroup_dir_find(&reader->mounts, CGROUP_MEMORY, path, &dir) == 0 &&
			       cgroup_memory_read(reader->sys, &dir, &account->memory) == 0;
	if (!account->usage_known)
		account->memory = (struct cgroup_memory){.limits_known = false};
	for (unsigned i = 0; i < CGROUP_MEMORY_EVENTS && ns > 0; i++) {
		uint64_t was = before.events[i], is = account->memory.events[i];
		if (!(before.events_known & account->memory.events_known & 1u << i) || is < was)
			continue;
		account->rates_known |= 1u << i;
		account->rates[i] = rate_of(was, is, ns);
	}
}

static void set_pressure(struct cgroup_pressure_account *account, size_t i,
			 const struct pressure_line *before, const struct pressure_line *now,
			 uint64_t ns)
{
	account->known[i] =
		ns > 0 && before->known && now->known && now->total_us >= before->total_us;
	if (account->known[i])
		account->percent[i] = 100 * (double)(now->total_us - before->total_us) *
				      (double)NS_PER_US / (double)ns;
}

/* Reads the pressure of a cgroup of version 2, if that is mounted. */
static void read_pressure(const struct cgroup_reader *reader, struct cgroup *cgroup,
			  uint64_t now_ns)
{
	struct cgroup_pressure_account *account = &cgroup->pressure;
	uint64_t ns = account->read_ns > 0 ? now_ns - account->read_ns : 0;
	struct pressure before = account->last;
	struct cgroup_dir dir;

	account->read_ns = now_ns;
	/* The root beside a hierarchy of version 1 has the pressure of the machine. */
	if ((is_v1(reader) && strcmp(cgroup->path, "/") == 0) ||
	    cgroup_dir_find(&reader->mounts, CGROUP_UNIFIED, cgroup->path, &dir) < 0 ||
	    pressure_read(reader->sys, dir.path, PRESSURE_MEMORY, &account->last) < 0)
		account->last = (struct pressure){0};
	set_pressure(account, 0, &before.some, &account->last.some, ns);
	set_pressure(account, 1, &before.full, &account->last.full, ns);
}

static bool is_due(uint64_t read_ns, uint64_t now_ns)
{
	return read_ns == 0 || now_ns - read_ns >= READ_EVERY_NS;
}

/* Returns the parent, because its limits hold too. Limits of version 1 are not read there. */
static struct cgroup *next_above(const struct cgroup_reader *reader, struct cgroup *cgroup)
{
	return is_v1(reader) ? NULL : cgroup_parent(cgroup);
}

/* Reads a cgroup and its ancestors, as far as they are due and *left allows. */
static void read_subject(const struct cgroup_reader *reader, const struct cgroup_subject *subject,
			 uint64_t now_ns, unsigned *left)
{
	struct cgroup *at = subject->cgroup;

	if (is_due(at->memory.read_ns, now_ns))
		find_memory_path(reader, subject);
	if (is_due(at->pressure.read_ns, now_ns) && *left > 0) {
		--*left;
		read_pressure(reader, at, now_ns);
	}
	for (unsigned depth = 0; at && depth < DEPTH_MOST; depth++, at = next_above(reader, at)) {
		if (!is_due(at->memory.read_ns, now_ns))
			continue;
		if (*left == 0)
			return;
		--*left;
		read_memory(reader, at, now_ns);
	}
}

static bool is_recent(uint64_t read_ns, uint64_t now_ns)
{
	return read_ns > 0 && now_ns - read_ns < CGROUP_VALUES_LAST_NS;
}

static void add_limit(struct snapshot_cgroup *limits, uint64_t bytes)
{
	double before = limits->values[CGROUP_LIMIT];
	double limit = bytes == CGROUP_NO_LIMIT ? 0 : (double)bytes;

	if (!limits->known[CGROUP_LIMIT] || (limit > 0 && (before <= 0 || limit < before)))
		set_value(limits, CGROUP_LIMIT, limit);
}

/* Adds the last reading of a cgroup or of an ancestor. */
static void add_memory(const struct cgroup_memory_account *account, struct snapshot_cgroup *limits)
{
	static const struct {
		enum cgroup_memory_event event;
		enum cgroup_value value;
	} events[] = {
		{CGROUP_MEMORY_HIGH, CGROUP_HIGHS},
		{CGROUP_MEMORY_MAX, CGROUP_MAXES},
		{CGROUP_MEMORY_OOM, CGROUP_OOMS},
		{CGROUP_MEMORY_OOM_KILL, CGROUP_OOM_KILLS},
	};

	if (account->usage_known && account->memory.limits_known) {
		add_limit(limits, account->memory.max_bytes);
		add_limit(limits, account->memory.high_bytes);
	}
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		double rate = account->rates[events[i].event];
		if ((account->rates_known & 1u << events[i].event) &&
		    rate >= limits->values[events[i].value])
			set_value(limits, events[i].value, rate);
	}
}

static void fill_limits(const struct cgroup_reader *reader, struct cgroup *cgroup, uint64_t now_ns,
			struct snapshot_cgroup *limits)
{
	const struct cgroup_pressure_account *pressure = &cgroup->pressure;
	struct cgroup *at = cgroup;

	if (is_recent(cgroup->memory.read_ns, now_ns) && cgroup->memory.usage_known)
		set_value(limits, CGROUP_USAGE, (double)cgroup->memory.memory.current_bytes);
	for (unsigned depth = 0; at && depth < DEPTH_MOST; depth++, at = next_above(reader, at))
		if (is_recent(at->memory.read_ns, now_ns))
			add_memory(&at->memory, limits);
	for (unsigned i = 0; i < 2 && is_recent(pressure->read_ns, now_ns); i++)
		if (pressure->known[i])
			set_value(limits, (enum cgroup_value)(CGROUP_PRESSURE + i),
				  pressure->percent[i] < 100 ? pressure->percent[i] : 100);
}

static void mark_faults(struct cgroup_subjects *subjects, const struct snapshot *snapshot)
{
	const struct columns *columns = snapshot->columns;
	int event = event_set_find(&columns->events, "major-faults");

	for (size_t i = 0; i < snapshot->threads.n && event >= 0; i++) {
		const struct row *row = &snapshot->threads.items[i];
		const uint64_t *tally = rows_tally(columns, &snapshot->threads, i);
		if (row->cgroup >= 0 && plan_count(columns->plan, tally, (size_t)event) > 0)
			subjects->items[row->cgroup].faults = true;
	}
}

static void read_subjects(struct cgroup_subjects *subjects, struct cgroup_reader *reader,
			  uint64_t now_ns, struct snapshot *snapshot)
{
	unsigned left = CGROUP_READINGS;

	if (!reader->mounts_read)
		cgroup_mounts_read(reader->sys, &reader->mounts);
	reader->mounts_read = true;
	mark_faults(subjects, snapshot);
	for (size_t i = 0; i < subjects->n; i++)
		if (subjects->items[i].faults)
			read_subject(reader, &subjects->items[i], now_ns, &left);
	/* The turns go on with a cgroup that may have been read in part. */
	for (size_t n = subjects->n; n > 0 && left > 0; n--) {
		reader->next = reader->next < subjects->n ? reader->next : 0;
		read_subject(reader, &subjects->items[reader->next], now_ns, &left);
		reader->next += left > 0;
	}
	for (size_t i = 0; i < subjects->n; i++)
		fill_limits(reader, subjects->items[i].cgroup, now_ns, &snapshot->cgroup_limits[i]);
}

void cgroup_subjects_end(struct cgroup_subjects *subjects, struct cgroup_reader *reader,
			 uint64_t now_ns, struct snapshot *snapshot)
{
	if (reader && event_set_find(&snapshot->columns->events, "throttled_time") >= 0)
		read_subjects(subjects, reader, now_ns, snapshot);
	for (size_t i = 0; i < subjects->n; i++)
		cgroups_put(subjects->items[i].cgroup->table, subjects->items[i].cgroup);
	free(subjects->items);
	*subjects = (struct cgroup_subjects){.n = 0};
}
