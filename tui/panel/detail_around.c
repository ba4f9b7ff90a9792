// SPDX-License-Identifier: MIT
/*
 * What is around a row: the limits of its cgroup, and the processes that ran on its CPUs while it
 * waited for one.
 */
#include "tui/panel/detail_internal.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/snapshot/competitors.h"
#include "core/snapshot/lifetime.h"
#include "core/snapshot/snapshot_cgroup.h"
#include "core/sys/cgroup_name.h"
#include "tui/widget/segments.h"

#include <stdio.h>
#include <string.h>

/* Others are named from so much run-queue wait on: this share of the lifetime. */
#define RUNQ_LEAST 0.02

/* A known value above 0, or 0. */
static double value_of(const struct snapshot_cgroup *cgroup, enum cgroup_value value)
{
	return cgroup->known[value] ? cgroup->values[value] : 0;
}

static void add_quota(const struct detail_pen *pen, const struct snapshot_cgroup *cgroup,
		      struct segments *segments)
{
	double seconds = (double)pen->page->snapshot->interval_ns / (double)NS_PER_S;
	double throttled = value_of(cgroup, CGROUP_THROTTLED_S) / seconds;
	char text[64], name[64], number[32];

	if (value_of(cgroup, CGROUP_QUOTA) > 0) {
		size_t length =
			text_trimmed(text, sizeof(text) - 8, cgroup->values[CGROUP_QUOTA], 2);
		text_copy(text + length, sizeof(text) - length, " CPUs");
		detail_add_segment(segments, 9, "quota", text);
		if (cgroup->quota_path) {
			cgroup_name(cgroup->quota_path, name, sizeof(name));
			detail_add_segment(segments, 6, "of", name)->text_style = STYLE_NAME;
		}
	}
	if (throttled > 0) {
		text_percent(number, sizeof(number), throttled);
		snprintf(text, sizeof(text), "%s of a CPU's time", number);
		detail_add_segment(segments, 8, "throttled", text)->text_style = STYLE_BAD;
	}
}

static void format_mib(double bytes, char *text, size_t size)
{
	size_t length = text_fixed(text, size, bytes / (1 << 20), bytes < 100 << 20 ? 1 : 0);

	text_copy(text + length, size - length, "M");
}

static void add_memory(const struct snapshot_cgroup *cgroup, struct segments *segments)
{
	static const struct {
		enum cgroup_value value;
		const char *label;
	} growths[] = {
		{CGROUP_MAXES, "limit hit"},
		{CGROUP_HIGHS, "slowed down"},
		{CGROUP_OOMS, "out of memory"},
		{CGROUP_OOM_KILLS, "killed"},
	};
	char usage[32], limit[32], text[80];

	if (cgroup->known[CGROUP_USAGE] && value_of(cgroup, CGROUP_LIMIT) > 0) {
		format_mib(cgroup->values[CGROUP_USAGE], usage, sizeof(usage));
		format_mib(cgroup->values[CGROUP_LIMIT], limit, sizeof(limit));
		snprintf(text, sizeof(text), "%s of %s", usage, limit);
		detail_add_segment(segments, 7, "memory", text);
	}
	for (size_t i = 0; i < ARRAY_SIZE(growths); i++) {
		double value = value_of(cgroup, growths[i].value);

		if (value <= 0)
			continue;
		size_t length = text_fixed(text, sizeof(text) - 4, value, value < 10 ? 1 : 0);
		text_copy(text + length, sizeof(text) - length, "/s");
		detail_add_segment(segments, 5, growths[i].label, text)->text_style = STYLE_WARN;
	}
	if (cgroup->known[CGROUP_PRESSURE] && cgroup->values[CGROUP_PRESSURE] >= 0.05) {
		text_percent(text, sizeof(text), cgroup->values[CGROUP_PRESSURE] / 100);
		detail_add_segment(segments, 6, "memory pressure", text)->text_style = STYLE_WARN;
	}
}

void detail_draw_cgroup(struct detail_pen *pen)
{
	const struct detail_page *page = pen->page;
	const struct snapshot_cgroup *cgroup =
		snapshot_cgroup_limits(page->snapshot, &page->subject->row);
	struct segments segments = {0};

	if (!cgroup || page->subject->ended ||
	    (!detail_subject_is_of_tasks(page->subject) &&
	     page->subject->key.kind != HISTORY_CGROUP))
		return;
	add_quota(pen, cgroup, &segments);
	add_memory(cgroup, &segments);
	if (segments.n == 0)
		return;
	detail_pen_heading(pen, "Cgroup", "the limits that hold for it");
	segments_draw(&segments, pen->canvas,
		      (struct rect){pen->rect.x, pen->y++, pen->rect.width, 1});
	pen->y++;
}

static bool waits_for_a_cpu(const struct detail_page *page)
{
	struct lifetime lifetime;

	if (!lifetime_read(page->snapshot, page->detail, &lifetime))
		return false;
	struct figure runq = lifetime.parts[LIFETIME_RUNQ];
	return figure_known(runq) && runq.value >= RUNQ_LEAST * lifetime.ns;
}

static void describe_cpus(const struct competitors *competitors, char *text, size_t size)
{
	switch (competitors->cpus) {
	case COMPETITORS_ON_ITS_CPUS:
		snprintf(text, size, "on the CPUs where it ran");
		break;
	case COMPETITORS_ON_LAST_CPU:
		snprintf(text, size, "on its last CPU");
		break;
	case COMPETITORS_EVERYWHERE:
		snprintf(text, size, "on all CPUs: it did not run");
		break;
	case COMPETITORS_UNKNOWN:
		snprintf(text, size, "unknown: threads are counted one by one, not by CPU");
		break;
	}
}

void detail_draw_competitors(struct detail_pen *pen)
{
	const struct detail_page *page = pen->page;
	struct competitors competitors;
	struct segments segments = {0};
	char text[96], number[24];

	if (!waits_for_a_cpu(page))
		return;
	competitors_find(page->snapshot, page->detail, &competitors);
	if (competitors.n == 0 && page->snapshot->targeted)
		text_copy(text, sizeof(text), "unknown: only the chosen tasks have rows");
	else if (competitors.n == 0 && competitors.cpus != COMPETITORS_UNKNOWN)
		text_copy(text, sizeof(text), "no other task");
	else
		describe_cpus(&competitors, text, sizeof(text));
	detail_pen_heading(pen, "Ran meanwhile", text);
	for (size_t i = 0; i < competitors.n; i++) {
		const struct competitor *item = &competitors.items[i];

		text_percent(number, sizeof(number),
			     (double)item->ns / (double)page->snapshot->interval_ns);
		snprintf(text, sizeof(text), "(%d) %s", (int)item->row->pid, number);
		struct segment *segment =
			detail_add_segment(&segments, 20 - (unsigned)i, item->row->comm, text);
		segment->label_style = STYLE_NAME;
	}
	if (competitors.n > 0)
		segments_draw(&segments, pen->canvas,
			      (struct rect){pen->rect.x, pen->y++, pen->rect.width, 1});
	pen->y++;
}
