// SPDX-License-Identifier: MIT
/* Begins a profile: reads to its first sample, when all events are known. */
#include "core/replay/replay_profile.h"

#include "core/base/util.h"
#include "core/replay/replay_perf.h"

#include <errno.h>

enum { GROW_FIRST = 10000 }; /* samples of the first snapshot of a whole file */

/* Takes over what was read so far, and frees the rest. */
static struct replay_profile *take_over(struct replay_kind *kind)
{
	struct replay_perf *perf = replay_perf_of(kind);
	struct replay_profile *profile = xcalloc(1, sizeof(*profile));

	profile->kind = (struct replay_kind){.ops = &replay_profile_ops, .state = kind->state};
	profile->events = perf->events;
	profile->facts = perf->facts;
	profile->cgroups = perf->cgroups;
	profile->build_ids = perf->build_ids;
	profile->lead = perf->lead;
	profile->why = perf->why_profile;
	perf->events = (struct perfdata_events){0};
	perf->facts = (struct replay_facts){0};
	perf->cgroups = (struct replay_cgroups){0};
	perf->build_ids = (struct perfdata_build_ids){0};
	perf->lead = (struct replay_lead){0};
	kind->ops->free(kind);
	profile->sort = replay_sort_new(REPLAY_SORT_BYTES);
	profile->random = hash_random_odd();
	hash_table_init(&profile->numbers, 0);
	profile->grow_at = GROW_FIRST;
	return profile;
}

static void open_state(struct replay_profile *profile)
{
	struct replay_state *state = profile->kind.state;
	size_t n_cpus = profile->facts.n_cpus;

	/* Numbers of CPUs may be greater than the stated number. */
	if (n_cpus < REPLAY_CPUS_UNSTATED)
		n_cpus = REPLAY_CPUS_UNSTATED;
	replay_state_open_range(state, n_cpus);
	state->mode = COUNT_MODE_SYSTEM;
	state->cpu = profile->facts.cpu;
	text_copy(state->host, sizeof(state->host), profile->facts.host);
	if (state->pmus.n == 0)
		replay_plan_pmus(&profile->events, &profile->facts, &state->pmus);
}

static int refuse_empty(const struct replay_profile *profile, struct error *err)
{
	if (profile->passed_over_aux)
		return error_set(
			err, -EOPNOTSUPP,
			"The recording has AUX data (Intel PT, Arm CoreSight or SPE) and "
			"no samples. Decode it with: perf script, or perf inject --itrace");
	return error_set(err, -EOPNOTSUPP, "The recording has no samples.%s",
			 perfdata_reader_unfinished(profile->kind.state->reader)
				 ? " perf was killed, or still runs."
				 : "");
}

/* Reads to the first sample. A defect behind it is reported after all records before it. */
static int begin_profile(struct replay_profile *profile, struct error *err)
{
	int result = 1;

	while (result > 0 && !profile->found)
		result = replay_profile_read(profile, err);
	if (result > 0)
		return 0;
	return result < 0 ? result : refuse_empty(profile, err);
}

int replay_profile_begin(struct replay_kind **kind, struct error *err)
{
	struct replay_profile *profile;

	if ((*kind)->ops != &replay_profile_ops)
		*kind = &take_over(*kind)->kind;
	profile = replay_profile_of(*kind);
	if (!profile->plan) {
		open_state(profile);
		replay_profile_open_code(profile);
		int result = replay_profile_columns(profile, err);
		if (result < 0)
			return result;
	}
	return begin_profile(profile, err);
}
