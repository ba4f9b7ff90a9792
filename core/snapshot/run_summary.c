// SPDX-License-Identifier: MIT
/* A plan that comes back goes on with its part. */
#include "core/snapshot/run_summary.h"

#include "core/base/notes.h"
#include "core/base/util.h"
#include "core/snapshot/run_summary_part.h"

#include <stdlib.h>

struct run_summary {
	size_t most;
	struct run_summary_part parts[SUMMARY_PARTS_MAX];
	size_t n_parts;
	struct notes notes;
	uint64_t sequence;
	bool full; /* a part was left out */
};

/* The part that a snapshot belongs to; NULL where there are too many. */
static struct run_summary_part *find_part(struct run_summary *summary,
					  const struct snapshot *snapshot)
{
	for (size_t i = summary->n_parts; i-- > 0;)
		if (run_summary_part_fits(&summary->parts[i], snapshot->columns))
			return &summary->parts[i];
	if (summary->n_parts == SUMMARY_PARTS_MAX) {
		summary->full = true;
		return NULL;
	}
	run_summary_part_init(&summary->parts[summary->n_parts], snapshot);
	return &summary->parts[summary->n_parts++];
}

void run_summary_add(struct run_summary *summary, const struct snapshot *snapshot)
{
	struct run_summary_part *part = find_part(summary, snapshot);

	if (!part)
		return;
	run_summary_part_add(part, snapshot, ++summary->sequence, summary->most);
	for (size_t i = 0; i < snapshot->n_notes; i++)
		notes_add(&summary->notes, "%s", snapshot->notes[i]);
}

static void fill_notes(const struct run_summary *summary, struct snapshot *snapshot)
{
	static const char too_many[] =
		"The events changed too often: what was counted with the latest is left out.";

	snapshot->notes = xcalloc(summary->notes.n + 1, sizeof(char *));
	if (summary->full)
		snapshot->notes[snapshot->n_notes++] = xstrdup(too_many);
	for (size_t i = 0; i < summary->notes.n; i++)
		snapshot->notes[snapshot->n_notes++] = xstrdup(summary->notes.items[i].text);
}

struct snapshot *run_summary_snapshot(const struct run_summary *summary, size_t part,
				      const struct snapshot_run *run)
{
	struct snapshot_run whole = *run;

	whole.part = (unsigned)part + 1;
	whole.parts = (unsigned)summary->n_parts;
	struct snapshot *snapshot = run_summary_part_snapshot(&summary->parts[part], &whole);
	snapshot->sequence = part + 1;
	fill_notes(summary, snapshot);
	return snapshot;
}

size_t run_summary_parts(const struct run_summary *summary)
{
	return summary->n_parts;
}

struct run_summary *run_summary_new(size_t most)
{
	struct run_summary *summary = xcalloc(1, sizeof(*summary));

	summary->most = most;
	return summary;
}

void run_summary_free(struct run_summary *summary)
{
	if (!summary)
		return;
	for (size_t i = 0; i < summary->n_parts; i++)
		run_summary_part_fini(&summary->parts[i]);
	notes_fini(&summary->notes);
	free(summary);
}
