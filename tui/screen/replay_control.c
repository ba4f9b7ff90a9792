// SPDX-License-Identifier: MIT
/*
 * The keys of a replay and the times that G accepts. Keys send requests to the player. Its position
 * comes back by replay_control_update(), a moment later.
 */
#include "tui/screen/replay_control.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "tui/options/duration.h"
#include "tui/panel/playback_text.h"
#include "tui/screen/app.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define MINUTE_NS (60 * NS_PER_S)
/* Greatest time that can be typed. */
#define TYPED_MAX_S (100 * 365 * 86400ull)

void replay_control_update(struct replay_control *replay, struct messages *messages,
			   const struct playback *playback)
{
	const struct playback before = replay->playback;

	replay->playback = *playback;
	replay->active = true;
	if (playback->n_texts != before.n_texts)
		messages_show(messages, "%s", playback->text);
	if (playback->broken[0] && playback->ended && !before.ended)
		messages_show_lasting(messages, "%s", playback->broken);
}

/* Parses digits with a point. An exponent, which text_number() accepts, is no time. */
static const char *parse_seconds(const char *text, double *number)
{
	size_t length = strspn(text, "0123456789.");

	return length > 0 && text_number(text, number) == length ? text + length : NULL;
}

/* Parses "90", "1:30" or "14:05:10" into seconds and the number of parts. */
static int parse_parts(const char *text, double *seconds, unsigned *parts)
{
	const char *end = text;
	double number;

	*seconds = 0;
	for (*parts = 1;; (*parts)++, end++) {
		end = parse_seconds(end, &number);
		if (!end || *parts > 3 || (*parts > 1 && number >= 60))
			return -EINVAL;
		*seconds = *seconds * 60 + number;
		if (*end != ':')
			break;
	}
	return *end || !(*seconds <= (double)TYPED_MAX_S) ? -EINVAL : 0;
}

/*
 * The first position at which the clock had that time of day; UINT64_MAX if the recording has no
 * clock time.
 */
static uint64_t position_of_clock(const struct playback *playback, double seconds)
{
	time_t begin_s = (time_t)(playback->begin_real_ns / NS_PER_S);
	uint64_t fraction_ns = playback->begin_real_ns % NS_PER_S;
	struct tm local;

	if (!playback->begin_real_ns || !localtime_r(&begin_s, &local))
		return UINT64_MAX;
	double since = seconds - (local.tm_hour * 3600 + local.tm_min * 60 + local.tm_sec);
	double ns = (since < 0 ? since + 86400 : since) * (double)NS_PER_S - (double)fraction_ns;
	return ns > 0 ? (uint64_t)ns : 0;
}

static int refuse_outside(const struct playback *playback, const char *text, struct error *err)
{
	char length[24];

	duration_format_clock(playback->length_ns, length, sizeof(length));
	return error_set(err, -EINVAL, "%.20s is not in the recording, which is %s long.", text,
			 length);
}

static int parse_time_of_day(const char *text, const struct playback *playback, double seconds,
			     int64_t *ns, struct error *err)
{
	uint64_t there_ns = (uint64_t)(seconds * (double)NS_PER_S);
	uint64_t clock_ns = position_of_clock(playback, seconds);

	if (clock_ns <= playback->length_ns)
		*ns = (int64_t)clock_ns;
	else if (there_ns <= playback->length_ns)
		*ns = (int64_t)there_ns;
	else if (!playback->final && clock_ns != UINT64_MAX)
		*ns = (int64_t)clock_ns; /* the recording is not read that far yet */
	else
		return refuse_outside(playback, text, err);
	return 0;
}

static int parse_percent(const struct playback *playback, double percent, int64_t *ns,
			 struct error *err)
{
	if (percent > 100)
		return error_set(err, -EINVAL, "100%% is the end.");
	if (!playback->final)
		return error_set(err, -EINVAL, "The length of the recording is not known yet.");
	*ns = percent < 100 ? (int64_t)((double)playback->length_ns * percent / 100) : INT64_MAX;
	return 0;
}

int replay_control_parse_goal(const char *typed, const struct playback *playback,
			      enum replay_goal *goal, int64_t *ns, struct error *err)
{
	const char *text = typed + strspn(typed, " ");
	int sign = *text == '-' ? -1 : *text == '+' ? 1 : 0;
	const char *end;
	double number;
	unsigned parts;

	*goal = sign ? REPLAY_GOAL_BY : REPLAY_GOAL_TO;
	*ns = 0;
	text += sign != 0;
	if (!sign && strcasecmp(text, "begin") == 0)
		return 0;
	if (!sign && strcasecmp(text, "end") == 0) {
		*ns = INT64_MAX;
		return 0;
	}
	end = parse_seconds(text, &number);
	if (!sign && end && strcmp(end, "%") == 0)
		return parse_percent(playback, number, ns, err);
	if (parse_parts(text, &number, &parts))
		return error_set(
			err, -EINVAL,
			"Invalid time '%.16s' (examples: +90, -1:30, 14:05:10, 50%%, end).", typed);
	if (!sign && parts == 3)
		return parse_time_of_day(typed, playback, number, ns, err);
	*ns = (int64_t)(number * (double)NS_PER_S) * (sign ? sign : 1);
	return 0;
}

static int accept_goal(void *owner, const char *text, struct error *err)
{
	struct app *app = owner;
	enum replay_goal goal;
	int64_t ns;

	if (replay_control_parse_goal(text, &app->replay.playback, &goal, &ns, err))
		return err->code;
	app_request(app, goal == REPLAY_GOAL_BY ? REQUEST_SEEK_BY : REQUEST_SEEK_TO, NULL, ns);
	return 0;
}

static void prompt_goal(struct prompt *prompt, const struct playback *playback)
{
	char position[64], query[128];

	playback_position_text(playback, position, sizeof(position));
	snprintf(query, sizeof(query), "Go to (now %s):", position);
	prompt_open(prompt, query, accept_goal);
}

/* In thousandths, slowest first; PLAYBACK_SPEED_MAX (0) is the fastest. */
static const uint32_t speeds[] = {
	100,   200,   500,    1000,   2000,   5000,    10000,
	20000, 50000, 100000, 200000, 500000, 1000000, PLAYBACK_SPEED_MAX};

static void change_speed(struct app *app, bool faster)
{
	uint32_t now = app->replay.playback.speed;
	size_t at = 0;
	char text[24];

	/* The first speed that is not below the current one. */
	while (speeds[at] != PLAYBACK_SPEED_MAX && (now == PLAYBACK_SPEED_MAX || speeds[at] < now))
		at++;
	if (faster && at + 1 < ARRAY_SIZE(speeds) && speeds[at] == now)
		at++;
	else if (!faster && at > 0)
		at--;
	/* Keys can come before the player reports the new speed. */
	app->replay.playback.speed = speeds[at];
	app_request(app, REQUEST_SPEED, NULL, (int64_t)speeds[at]);
	playback_speed_text(speeds[at], text, sizeof(text));
	messages_show(&app->messages, "Speed %s%s.", text,
		      speeds[at] == PLAYBACK_SPEED_MAX ? ": as fast as it can be read" : "");
}

static void toggle_replay_pause(struct app *app)
{
	/* A pause at the end would only affect what is replayed next. */
	if (app->replay.playback.ended) {
		messages_show(&app->messages,
			      "End of the recording: , and { go back, G goes to a time.");
		return;
	}
	app->replay.playback.paused = !app->replay.playback.paused;
	app_request(app, REQUEST_PAUSE, NULL, app->replay.playback.paused);
}

/* True for a formula and for the name of a metric, built-in or of the configuration. */
static bool is_metric(const struct app_config *config, const char *text)
{
	bool metric = strchr(text, '=') || metric_def_find(text);

	for (size_t i = 0; i < config->n_user_metrics; i++)
		metric |= strcmp(config->user_metrics[i].name, text) == 0;
	return metric;
}

/* Adds a recorded event, or a metric of such events. */
static int accept_column(void *owner, const char *text, struct error *err)
{
	struct app *app = owner;

	(void)err;
	app_request(app, is_metric(&app->config, text) ? REQUEST_ADD_METRIC : REQUEST_ADD_EVENTS,
		    text, 0);
	return 0;
}

bool replay_control_act(struct app *app, enum action action)
{
	if (!app->replay.active)
		return false;
	if (action == ACTION_PAUSE)
		toggle_replay_pause(app);
	else if (action == ACTION_STEP || action == ACTION_STEP_BACK)
		app_request(app, REQUEST_STEP, NULL, action == ACTION_STEP ? 1 : -1);
	else if (action == ACTION_MINUTE || action == ACTION_MINUTE_BACK)
		app_request(app, REQUEST_SEEK_BY, NULL,
			    action == ACTION_MINUTE ? (int64_t)MINUTE_NS : -(int64_t)MINUTE_NS);
	else if (action == ACTION_SLOWER || action == ACTION_FASTER)
		change_speed(app, action == ACTION_FASTER);
	else if (action == ACTION_GO)
		prompt_goal(&app->prompt, &app->replay.playback);
	else if (action == ACTION_ADD)
		prompt_open(&app->prompt, "Add a metric or a recorded event:", accept_column);
	else
		return false;
	return true;
}
