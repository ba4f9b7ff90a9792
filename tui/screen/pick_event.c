// SPDX-License-Identifier: MIT
/*
 * Chooses an event or metric to add: metrics of the configuration, built-in metrics, all events
 * with a name, and the typed text itself. The engine lists the events (REQUEST_EVENTS). When the
 * selection rests, it also previews the effect of counting the selected event (REQUEST_PREVIEW).
 */
#include "core/base/util.h"
#include "tui/screen/app.h"
#include "tui/screen/pick.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* State of the open picker. */
struct event_pick {
	const struct app *app; /* its configuration, replies and columns */
	char typed[128];
	char help[512];   /* of the last item */
	size_t n_metrics; /* when the picker was updated */
};

/* Bytes of a description or formula below the list, so that the answer behind them fits, too. */
enum { TEXT_MAX = 400 };

/* The vendor's metrics; NULL: none, or not known yet. */
static const struct metric_vendor_list *vendor_metrics(const struct app *app)
{
	return app->event_replies.vendor ? app->event_replies.vendor->vendor : NULL;
}

static size_t count_metrics(const struct app *app)
{
	const struct metric_vendor_list *vendor = vendor_metrics(app);

	return app->config.n_user_metrics + metric_table_n + (vendor ? vendor->n : 0);
}

/* The metric at an index; NULL if the index is an event's. */
static const struct metric_def *metric_at(const struct app *app, size_t index)
{
	const struct metric_vendor_list *vendor = vendor_metrics(app);

	if (index < app->config.n_user_metrics)
		return &app->config.user_metrics[index];
	index -= app->config.n_user_metrics;
	if (index < metric_table_n)
		return &metric_table[index];
	index -= metric_table_n;
	return vendor && index < vendor->n ? &vendor->defs[index] : NULL;
}

void pick_metrics_request(struct app *app)
{
	struct event_replies *replies = &app->event_replies;
	const struct snapshot *snapshot = app->display.snapshot;

	if (app->replay.active || (replies->requested_metrics && replies->mode == snapshot->mode &&
				   replies->levels == snapshot->columns->levels))
		return;
	reply_free(replies->metrics); /* it was for another mode */
	replies->metrics = NULL;
	replies->requested_metrics = true;
	app_request(app, REQUEST_METRICS, NULL, 0);
	if (replies->requested_vendor)
		app_request(app, REQUEST_VENDOR, NULL, 0);
	if (replies->vendor) { /* its answers, too */
		free(replies->vendor->metrics);
		replies->vendor->metrics = NULL;
	}
	replies->mode = snapshot->mode;
	replies->levels = snapshot->columns->levels;
}

/* The answer about the metric at an index; NULL: not known yet. */
static const struct catalog_answer *answer_at(const struct app *app, size_t index)
{
	const struct reply *reply = app->event_replies.metrics;
	size_t n = app->config.n_user_metrics + metric_table_n;

	if (index >= n) {
		reply = app->event_replies.vendor;
		index -= n;
	}
	return reply && reply->metrics ? &reply->metrics[index] : NULL;
}

const struct catalog_answer *pick_metric_answer(const struct app *app, const char *name)
{
	const struct metric_def *def;

	for (size_t i = 0; (def = metric_at(app, i)); i++)
		if (strcmp(def->name, name) == 0)
			return answer_at(app, i);
	return NULL;
}

/* Metrics come first, then the events of the reply. */
static size_t count_items(const struct app *app)
{
	const struct reply *events = app->event_replies.events;

	return count_metrics(app) + (events ? events->event_index->n : 0);
}

static const struct event_index_item *event_at(const struct event_pick *pick, size_t index)
{
	const struct app *app = pick->app;

	return &app->event_replies.events->event_index->items[index - count_metrics(app)];
}

/* True for NAME=EXPRESSION, but not for an event with terms. */
static bool is_formula(const char *typed)
{
	return typed[strcspn(typed, "=/{")] == '=';
}

/* True for a raw event: rNNNN. */
static bool is_raw(const char *typed)
{
	return typed[0] == 'r' && isxdigit((unsigned char)typed[1]) &&
	       typed[1 + strspn(typed + 1, "0123456789abcdefABCDEF")] == '\0';
}

/* True if pmu/terms/ or {a,b} is complete. */
static bool is_complete_event(const char *typed)
{
	const char *slash = strchr(typed, '/');

	if (typed[0] == '{')
		return strchr(typed, '}') != NULL;
	return slash && strchr(slash + 1, '/');
}

static enum picker_typed event_typed(void *data, const char *typed, struct picker_item *item)
{
	struct event_pick *pick = data;

	text_copy(pick->typed, sizeof(pick->typed), typed);
	*item = (struct picker_item){
		.name = pick->typed,
		.help = is_formula(typed) ? "your own metric, as typed" : "as typed",
		.mark = "typed",
		.style = STYLE_NAME,
	};
	return is_formula(typed) || is_raw(typed) || is_complete_event(typed) ? PICKER_TYPED_FIRST
									      : PICKER_TYPED_LAST;
}

/* `counted`: the mark of what can be counted. */
static const char *state_mark(enum figure_state state, const char *counted)
{
	switch (state) {
	case FIGURE_VALID:
	case FIGURE_SCALED:
	case FIGURE_LOST:
	case FIGURE_UNDEFINED:
		return counted;
	case FIGURE_DENIED:
		return "denied";
	case FIGURE_NOT_COUNTED:
	case FIGURE_UNSUPPORTED:
		break;
	}
	return "n/a";
}

/* The title is the name, as on the screen; the help begins with the id if that differs. */
static void metric_item(struct event_pick *pick, size_t index, const struct metric_def *def,
			struct picker_item *item)
{
	const struct snapshot *snapshot = pick->app->display.snapshot;
	const struct catalog_answer *answer = answer_at(pick->app, index);
	bool counted = answer ? answer->state == FIGURE_VALID : !def->refused;
	bool shown = counted && snapshot && columns_show(snapshot->columns, def->name);

	*item = (struct picker_item){
		.name = def->title,
		.id = def->name,
		.help = pick->help,
		.mark = shown     ? "shown"
			: answer  ? state_mark(answer->state, "metric")
			: counted ? "metric"
				  : "n/a",
		.style = counted ? STYLE_NAME : STYLE_DIM,
		.place = !counted ? PICKER_LAST
			 : shown  ? PICKER_BEHIND
				  : PICKER_FIRST,
	};
	pick_metric_help(def, pick->help, sizeof(pick->help));
}

static void event_item(void *data, size_t index, struct picker_item *item)
{
	struct event_pick *pick = data;
	const struct app *app = pick->app;
	const struct metric_def *def = metric_at(app, index);

	if (def) {
		metric_item(pick, index, def, item);
		return;
	}

	const struct event_index_item *event = event_at(pick, index);
	const struct reply *events = app->event_replies.events;
	size_t number = index - count_metrics(app);
	enum figure_state state =
		number < events->n_known ? (enum figure_state)events->states[number] : FIGURE_VALID;
	bool refused = !event->example && state != FIGURE_VALID;
	bool shown = !refused && app->display.snapshot &&
		     columns_show(app->display.snapshot->columns, event->name);
	const char *mark = event->example             ? ""
			   : shown                    ? "shown"
			   : number < events->n_known ? state_mark(state, "ok")
						      : "...";

	*item = (struct picker_item){
		.name = event->name,
		.help = event->help,
		.mark = mark,
		.style = event->example || refused ? STYLE_DIM : STYLE_NAME,
		.place = refused ? PICKER_LAST
			 : shown ? PICKER_BEHIND
				 : PICKER_FIRST,
	};
}

/* The event as after -e; NULL if the item is no event. */
static const char *event_text(const struct event_pick *pick, size_t index)
{
	if (index == PICKER_AS_TYPED)
		return is_formula(pick->typed) ? NULL : pick->typed;
	if (metric_at(pick->app, index))
		return NULL;
	const struct event_index_item *event = event_at(pick, index);
	return event->example ? NULL : event->name;
}

/* `answer` may be NULL. */
static void about_metric(const struct snapshot *snapshot, const struct metric_def *def,
			 const struct catalog_answer *answer, char *text, size_t size)
{
	bool shown = snapshot && columns_show(snapshot->columns, def->name);
	const char *why = answer && answer->why[0] ? answer->why : def->refused;

	snprintf(text, size, "%s: %.*s\n%.*s\n%s", def->title, TEXT_MAX, def->help, TEXT_MAX,
		 def->forms[0].expression ? def->forms[0].expression : "",
		 why     ? why
		 : shown ? "already shown"
			 : "");
}

/* The preview may be NULL, or of another event. */
static void about_event(const struct event_preview *preview, const char *name, const char *help,
			char *text, size_t size)
{
	char what[300] = "...";

	if (!preview || strncmp(preview->text, name, sizeof(preview->text) - 1) != 0) {
		snprintf(text, size, "%.*s\n\n...", TEXT_MAX, help);
		return;
	}
	event_preview_describe(preview, what, sizeof(what));
	snprintf(text, size, "%.*s\n%.255s\n%s", TEXT_MAX, help, preview->encoding, what);
}

static void event_about(void *data, size_t index, char *text, size_t size)
{
	const struct event_pick *pick = data;
	const struct reply *reply = pick->app->event_replies.preview;
	const struct event_preview *preview = reply ? reply->preview : NULL;
	const char *name = event_text(pick, index);

	if (index == PICKER_AS_TYPED && name)
		about_event(preview, name, "As typed.", text, size);
	else if (index == PICKER_AS_TYPED)
		snprintf(text, size, "Your own metric: NAME=FORMULA, a formula over events.");
	else if (metric_at(pick->app, index))
		about_metric(pick->app->display.snapshot, metric_at(pick->app, index),
			     answer_at(pick->app, index), text, size);
	else if (name)
		about_event(preview, name, event_at(pick, index)->help, text, size);
	else
		snprintf(text, size, "%s\nThis is an example: type a name of this form.",
			 event_at(pick, index)->help);
}

static void event_select(void *owner, void *data, size_t index)
{
	struct app *app = owner;
	struct request_list *rested = &app->out.rested;
	const char *name = event_text(data, index);

	request_list_clear(rested);
	if (name)
		request_list_add(rested, &(struct request){REQUEST_PREVIEW, name});
}

static bool event_choose(void *owner, void *data, size_t index, const char *typed)
{
	struct app *app = owner;
	const char *name;

	if (index == SIZE_MAX)
		return false;
	name = event_text(data, index);
	if (name)
		app_request(app, REQUEST_ADD_EVENTS, name, 0);
	else if (index == PICKER_AS_TYPED)
		app_request(app, REQUEST_ADD_METRIC, typed, 0);
	else if (metric_at(app, index))
		app_request(app, REQUEST_ADD_METRIC, metric_at(app, index)->name, 0);
	else
		return false;
	return true;
}

static void event_close(void *owner, void *data, bool chosen)
{
	struct app *app = owner;

	(void)chosen;
	request_list_clear(&app->out.rested);
	reply_free(app->event_replies.preview); /* the preview was for the columns of that time */
	app->event_replies.preview = NULL;
	free(data);
}

static const struct picker_ops ops = {
	.item = event_item,
	.as_typed = event_typed,
	.about = event_about,
	.about_lines = 4,
	.select = event_select,
	.choose = event_choose,
	.close = event_close,
};

void pick_event(struct app *app)
{
	struct event_pick *pick = xcalloc(1, sizeof(*pick));

	pick->app = app;
	pick->n_metrics = count_metrics(app);
	app_request(app, REQUEST_EVENTS, NULL, 0);
	if (!app->event_replies.requested_vendor)
		app_request(app, REQUEST_VENDOR, NULL, 0);
	app->event_replies.requested_vendor = true;
	picker_open(&app->picker, &ops, "Add an event or a metric", pick, count_items(app), app);
}

void pick_event_update(struct app *app)
{
	if (app->picker.ops != &ops)
		return;
	struct event_pick *pick = app->picker.data;
	size_t before = picker_selected(&app->picker), n_before = pick->n_metrics;

	pick->n_metrics = count_metrics(app);
	picker_update(&app->picker, count_items(app), app);
	/* The vendor's metrics have come in front of the events. */
	if (before >= n_before && before < PICKER_AS_TYPED)
		picker_select(&app->picker, before + pick->n_metrics - n_before, app);
}
