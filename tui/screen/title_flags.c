// SPDX-License-Identifier: MIT
/*
 * Pieces of the title for each setting that makes the list differ from all rows in the usual form.
 */
#include "tui/screen/title_flags.h"

#include "core/base/util.h"
#include "tui/screen/app.h"

#include <stdio.h>
#include <string.h>

enum {
	WEIGHT = 96,          /* only host and clock are heavier */
	WEIGHT_OF_FACTS = 55, /* heavier than the number of threads */
};

static void add_flag(struct segments *flags, const char *label, const char *text)
{
	struct segment *segment = segments_add(flags, WEIGHT);

	text_copy(segment->label, sizeof(segment->label), label);
	text_copy(segment->text, sizeof(segment->text), text);
	segment->text_style = STYLE_WARN;
}

static void add_followed(const struct list *list, struct segments *flags)
{
	char text[80];

	snprintf(text, sizeof(text), "%s%s", list->followed.name,
		 list->away ? " (did not run)" : "");
	add_flag(flags, "following", text);
}

/* "3: %CPU 120.3 IPC 0.31", or "3, 2 shown: ..." if one is not in the list. */
static void add_tagged(const struct list *list, const struct snapshot *snapshot,
		       struct segments *flags)
{
	static const char *const shown[] = {"cpu_percent", "ipc"};
	const struct row_refs_sum *sum = &list->tagged;
	char text[80];
	size_t length = (size_t)snprintf(text, sizeof(text), "%zu", sum->n);

	if (sum->here < sum->n)
		length += (size_t)snprintf(text + length, sizeof(text) - length, ", %zu shown",
					   sum->here);
	for (size_t i = 0; sum->figures && i < ARRAY_SIZE(shown); i++) {
		int metric = columns_metric(snapshot->columns, shown[i]);
		struct cell cell;

		if (metric < 0)
			continue;
		figure_format(snapshot->columns->metrics[metric].def, sum->figures[metric], &cell);
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s %s %.10s",
					   i ? "" : ":", snapshot->columns->metrics[metric].title,
					   cell.text);
	}
	add_flag(flags, "tagged", text);
}

/* Listening does not change the list, so it goes before the others. */
static void add_listening(const struct app *app, struct segments *flags)
{
	struct segment *segment = segments_add(flags, WEIGHT_OF_FACTS);

	text_copy(segment->label, sizeof(segment->label), "listening on");
	text_copy(segment->text, sizeof(segment->text), app->config.listening);
}

void title_flags_add(struct app *app, struct segments *flags)
{
	struct list *list = app_list(app);

	if (app->config.readonly)
		add_flag(flags, "", "READONLY");
	if (app->config.listening)
		add_listening(app, flags);
	if (!list || !app->display.snapshot)
		return;

	const struct view *view = list_view(list, app->display.snapshot);
	const struct row_filter_spec *filter = &list->spec.filter;

	if (filter->text[strspn(filter->text, " ")])
		add_flag(flags, "filter", filter->text);
	if (filter->one_user)
		add_flag(flags, "user", app->search.user);
	if (list->following && row_ref_fits(&list->followed, view))
		add_followed(list, flags);
	if (list->tagged.n > 0)
		add_tagged(list, app->display.snapshot, flags);
}
