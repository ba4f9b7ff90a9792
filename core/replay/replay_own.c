// SPDX-License-Identifier: MIT
/*
 * The calls that a collector made, made again in their order: what they are is told by records of
 * our own (core/perfdata/perfdata.h) that stand among the kernel's. Figures are not read but found
 * again, by core/attrib, and held against those that were written down at each cut.
 */
#include "core/replay/replay_own.h"

#include "core/base/util.h"
#include "core/sys/cpus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PMUS_MAX = 4096 };

#define BROKEN "The recording is broken: record %llu makes no sense."

static struct replay_own *own_of(struct replay_kind *kind)
{
	return (struct replay_own *)kind;
}

/* ---- the beginning */

static const char *known_mode(const char *text)
{
	static const char *const modes[] = {"system", "task", "proc"};

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		if (strcmp(text, modes[i]) == 0)
			return modes[i];
	return modes[0];
}

static bool take_cpus(struct own_words *words, struct cpu_list *cpus)
{
	char *text = own_text(words);
	bool fine = !text[0] || cpu_list_parse(text, cpus) == 0;

	free(text);
	return fine;
}

static int take_begin(struct replay_own *own, struct own_words *words, struct error *err)
{
	struct replay_part *part = own->part;
	uint64_t version = own_word(words);
	struct cpu_list cpus = {0};

	if (version != PERFDATA_OWN_VERSION && version != PERFDATA_OWN_VERSION_PLAIN)
		return error_set(err, -EINVAL,
				 "The recording is of another version of pmctop (format %llu, this "
				 "one reads %d and %d): replay it with that one.",
				 (unsigned long long)version, PERFDATA_OWN_VERSION_PLAIN,
				 PERFDATA_OWN_VERSION);
	own->raw = version == PERFDATA_OWN_VERSION;
	own->begin_ns = own_word(words);
	own->realtime_off_ns = own_word(words) - own->begin_ns;
	part->cpu.slots_per_cycle = (unsigned)own_number(words, UINT8_MAX);
	part->cpu.kinds = (unsigned)own_number(words, UINT32_MAX);
	own->pmus_left = own_number(words, PMUS_MAX);
	part->pmus.n_core = own_number(words, own->pmus_left);
	part->pmus.items = xcalloc(own->pmus_left, sizeof(*part->pmus.items));
	char *mode = own_text(words);
	part->mode = known_mode(mode);
	free(mode);
	own_text_to(words, part->host, sizeof(part->host));
	own_text_to(words, part->pmu, sizeof(part->pmu));
	bool fine = take_cpus(words, &cpus) && cpus.n > 0 && !words->broken;
	if (fine) {
		replay_part_open(part, cpus.numbers, cpus.n);
		for (size_t i = 0; i < cpus.n; i++)
			own->index_of_cpu[cpus.numbers[i]] = (int)i;
	}
	cpu_list_fini(&cpus);
	return fine ? 0 : error_set(err, -EBADMSG, BROKEN, 1ull);
}

static int take_pmu(struct replay_own *own, struct own_words *words)
{
	struct pmu_set *pmus = &own->part->pmus;

	if (own->pmus_left == 0)
		return -EBADMSG;
	own->pmus_left--;
	struct pmu *pmu = &pmus->items[pmus->n++];
	pmu->type = (uint32_t)own_number(words, UINT32_MAX);
	pmu->kind = (enum pmu_kind)own_number(words, PMU_OTHER);
	own_text_to(words, pmu->name, sizeof(pmu->name));
	return take_cpus(words, &pmu->cpus) && !words->broken ? 0 : -EBADMSG;
}

/* ---- all of them */

/* What counts does so before the cut, or in the next interval. */
static bool is_counting(enum own_kind kind)
{
	return kind == OWN_OPEN || kind == OWN_CLOSE || kind == OWN_PAUSE || kind == OWN_RESUME ||
	       kind == OWN_AHEAD || kind == OWN_GONE;
}

static int take_own(struct replay_own *own, const struct perf_event_header *header)
{
	struct own_words words;
	uint64_t kind;

	if (!own_open(header, &kind, &words))
		return 0; /* of a perf that is older than most machines */
	if (kind >= OWN_KINDS)
		return 0; /* there will be others */
	if (own->cut && is_counting((enum own_kind)kind))
		return -EBADMSG;
	switch ((enum own_kind)kind) {
	case OWN_PLAN:
		return own_take_plan(own, &words);
	case OWN_EVENT:
		return own_take_event(own, &words);
	case OWN_GROUP:
		return own_take_group(own, &words);
	case OWN_COLUMN:
		return own_take_column(own, &words);
	case OWN_OPEN:
		return own_take_open(own, &words);
	case OWN_CLOSE:
		return own_take_close(own, &words);
	case OWN_PAUSE:
		return own_take_pause(own, &words);
	case OWN_RESUME:
		return own_take_resume(own, &words);
	case OWN_AHEAD:
		return own_take_ahead(own, &words);
	case OWN_GONE:
		return own_take_gone(own, &words);
	case OWN_CUT:
		return own_take_cut(own, &words);
	case OWN_TALLY:
		return own_take_tally(own, &words);
	case OWN_TASK:
		return own_take_task(own, &words);
	case OWN_NOTES:
		return own_take_notes(own, &words);
	case OWN_PMU:
		return take_pmu(own, &words);
	case OWN_TARGET:
		return own_take_target(own, &words);
	case OWN_ROWS:
		return own_take_rows(own, &words);
	case OWN_END:
		own->ended = true;
		return 0;
	case OWN_BEGIN:
	case OWN_ROOM:
	case OWN_KINDS:
		break;
	}
	return -EBADMSG;
}

static int take_record(struct replay_own *own, const struct perf_event_header *header,
		       struct error *err)
{
	int result = 0;

	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		result = own->cut ? -EBADMSG : own_take_sample(own, header);
		break;
	case PERFDATA_OWN:
		result = take_own(own, header);
		break;
	case PERFDATA_ROUND:
		if (own->cut)
			own_end_cut(own);
		break;
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_SWITCH_CPU_WIDE:
	case PERF_RECORD_LOST:
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		result = own_take_told(own, header);
		break;
	}
	if (result == 0)
		return 0;
	return error_set(err, result, BROKEN, (unsigned long long)own->part->records);
}

/* ---- the kind */

static void own_free(struct replay_kind *kind)
{
	struct replay_own *own = own_of(kind);

	own_plan_fini(&own->plan);
	for (size_t i = 0; i < ARRAY_SIZE(own->listed); i++)
		free(own->listed[i].items);
	free(own->still);
	free(own->roots);
	free(own->ids);
	free(own->index_of_cpu);
	free(own->reading);
	free(own->apart);
	free(own->found);
	free(own->found_counted);
	free(own);
}

static int own_open_kind(struct replay_part *part, const struct perf_event_header *record,
			 struct replay_kind **kind, struct error *err)
{
	struct replay_own *own = xcalloc(1, sizeof(*own));
	struct own_words words;
	uint64_t number;

	own->base = (struct replay_kind){&replay_own_ops, part};
	own->part = part;
	own->index_of_cpu = xreallocarray(NULL, CPUS_MAX, sizeof(int));
	for (size_t i = 0; i < CPUS_MAX; i++)
		own->index_of_cpu[i] = -1;
	own_renew_ids(own, SIZE_MAX);
	own_open(record, &number, &words);
	*kind = &own->base;
	return take_begin(own, &words, err);
}

static int cut_off(const struct replay_own *own, struct error *err)
{
	return error_set(err, -ENODATA,
			 "The recording is cut off after %llu complete interval%s: pmctop was "
			 "killed, or still records.",
			 (unsigned long long)own->n_whole, own->n_whole == 1 ? "" : "s");
}

/* The next record and all that follows from it: as replay_part_read, but 0 is the end. */
static int step(struct replay_own *own, struct error *err)
{
	const struct perf_event_header *header;
	int result = own->ended ? 0 : replay_part_read(own->part, &header, err);

	if ((result == 0 && !own->ended) || result == -ENODATA)
		return cut_off(own, err);
	if (result <= 0)
		return result;
	result = take_record(own, header, err);
	if (result < 0)
		return result;
	if (own->plan.plan && header->type == PERFDATA_OWN)
		result = own_end_plan(own, err);
	return result < 0 ? result : 1;
}

static int own_begin(struct replay_kind *kind, struct error *err)
{
	struct replay_own *own = own_of(kind);
	int result = 1;

	while (!own->part->columns && result > 0)
		result = step(own, err);
	return result > 0 ? 0
	       : result   ? result
			  : error_set(err, -ENODATA, "The recording is empty.");
}

static void begin_interval(struct replay_own *own)
{
	struct replay_part *part = own->part;

	interval_reset(&part->interval);
	tasks_forget(part->tasks, own->begin_ns);
	own->begin_ns = part->time_ns;
	own->whole = false;
}

static int own_advance(struct replay_kind *kind, struct error *err)
{
	struct replay_own *own = own_of(kind);
	int result = own->broken;

	if (own->whole)
		begin_interval(own);
	if (result < 0) {
		*err = own->error;
		return result;
	}
	do
		result = step(own, err);
	while (result > 0 && !own->whole);
	if (result < 0 && result != -EAGAIN) {
		own->broken = result;
		own->error = *err;
	}
	return result;
}

const struct replay_kind_ops replay_own_ops = {
	.open = own_open_kind,
	.begin = own_begin,
	.advance = own_advance,
	.free = own_free,
};
