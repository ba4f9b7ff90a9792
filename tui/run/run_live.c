// SPDX-License-Identifier: MIT
/*
 * The UI thread. It sleeps until a key, a signal or a snapshot arrives. It draws if something has
 * changed and the terminal takes output. The feed thread does not depend on it.
 *
 * A command execs when the terminal is open. Its output is shown after the terminal has been
 * restored.
 */
#include "tui/run/run.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/engine/feed_thread.h"
#include "tui/options/settings.h"
#include "tui/options/user_files.h"
#include "tui/run/ending.h"
#include "tui/run/launch.h"
#include "tui/screen/app.h"
#include "tui/screen/app_options.h"
#include "tui/screen/pick.h"
#include "tui/screen/replay_control.h"
#include "tui/screen/save_screen.h"
#include "tui/term/input.h"
#include "tui/term/signals.h"
#include "tui/term/term.h"
#include "tui/term/term_restore.h"
#include "tui/term/theme_load.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Time for a command to end by SIGTERM when the user quits. */
#define LIVE_PATIENCE_NS (1 * NS_PER_S)

/* Idle time before the preview of an event is requested. */
#define LIVE_REST_MS 60

/* Time between two looks at why a thread is blocked. */
#define LIVE_LOOK_NS (250 * NS_PER_MS)

/* Keys handled before the screen is drawn. */
enum { LIVE_KEYS_MAX = 256 };

/* What the loop of the UI thread has while it draws. */
struct live_screen {
	struct app app;
	struct canvas canvas;
	struct input input;
	struct term *term;
	struct feed_thread *feed_thread;
	struct launch *launch;             /* the command; NULL: none */
	struct replay_index *replay_index; /* index of a recording; NULL: live */
	struct snapshot *glimpse; /* shown before the first snapshot; NULL: none, or shown */
	int signals_fd;
	struct sys sys;        /* sys of this thread */
	uint64_t looked_ns;    /* time of the last look at the watched thread */
	uint64_t collected_ns; /* interval that the feed thread has */
	uint64_t refreshes;
	bool utf8; /* the terminal takes UTF-8 */
	bool dirty;
	bool quit;
	bool reported; /* the end of the command was reported */
	bool hold;     /* pause at the next snapshot, the command's last interval */
	char theme[sizeof(((struct preferences *)0)->theme)]; /* theme that was last chosen */
	struct theme shown_theme;                             /* on the terminal */
};

static void measure_terminal(struct live_screen *live)
{
	unsigned width, height;

	term_measure(live->term, &width, &height);
	if (width != live->canvas.width || height != live->canvas.height)
		canvas_resize(&live->canvas, width, height);
	live->dirty = true;
}

/* Resumes drawing when this process is in the foreground. */
static void resume_terminal(struct live_screen *live)
{
	if (!signals_await_terminal()) {
		live->quit = true;
		return;
	}
	term_resume(live->term);
	measure_terminal(live);
}

static void read_signals(struct live_screen *live)
{
	for (int number; (number = signals_next(live->signals_fd)) != 0;) {
		if (signals_is_end(number)) {
			live->quit = true;
		} else if (number == SIGTSTP) {
			term_suspend(live->term);
			signals_stop();
			resume_terminal(live);
		} else if (number == SIGCONT) {
			resume_terminal(live);
		} else if (number == SIGWINCH) {
			measure_terminal(live);
		}
	}
}

/* Saves what the terminal shows, or will show when it takes output again. */
static void save_shown_screen(struct live_screen *live)
{
	if (!live->app.out.save_screen)
		return;
	live->app.out.save_screen = false;
	if (live->dirty)
		app_draw(&live->app, &live->canvas);
	save_screen(&live->app, &live->canvas, &live->shown_theme, term_depth(live->term));
}

static void handle_key(struct live_screen *live, const struct decoded *event)
{
	if (event->key == INPUT_CLICK || event->key == INPUT_DOUBLE_CLICK)
		app_click(&live->app, event->x, event->y, event->key == INPUT_DOUBLE_CLICK);
	else if (event->key == INPUT_PASTE)
		app_paste_begin(&live->app);
	else if (event->pasted)
		app_paste(&live->app, event->key);
	else if (event->key == INPUT_PASTE_END)
		app_paste_rest(&live->app);
	else if (event->key == INPUT_WHEEL_UP || event->key == INPUT_WHEEL_DOWN)
		app_wheel(&live->app, event->key == INPUT_WHEEL_DOWN);
	else
		app_key(&live->app, event->key);
	save_shown_screen(live);
	live->dirty = true;
}

static void read_keys(struct live_screen *live)
{
	struct decoded event;

	for (unsigned n = 0; input_next(&live->input, &event); n++) {
		if (event.key == INPUT_MODE)
			term_set_mode(live->term, event.x, event.y);
		else if (event.key == INPUT_STATUS)
			term_set_shown(live->term);
		else
			handle_key(live, &event);
		if (n >= LIVE_KEYS_MAX && live->input.n == 0)
			break; /* the rest remains in the input */
	}
	app_paste_rest(&live->app);
	if (live->app.out.redraw) {
		live->app.out.redraw = false;
		term_forget(live->term);
	}
	if (live->app.out.quit || live->input.gone)
		live->quit = true;
}

static void send_interval(struct live_screen *live)
{
	if (live->collected_ns != live->app.preferences.interval_ns) {
		live->collected_ns = live->app.preferences.interval_ns;
		feed_thread_set_interval(live->feed_thread, live->collected_ns);
	}
}

/* Shows the chosen theme. A theme that cannot be read changes nothing. */
static void show_theme(struct live_screen *live, const struct theme_places *themes)
{
	const char *name = live->app.preferences.theme;
	struct notes notes = {0};
	struct theme theme;
	struct error err;

	if (strcmp(live->theme, name) == 0)
		return;
	text_copy(live->theme, sizeof(live->theme), name);
	if (theme_load(name[0] ? name : NULL, themes, &theme, &notes, &err)) {
		messages_show(&live->app.messages, "%s", err.text);
	} else {
		term_set_theme(live->term, &theme);
		live->shown_theme = theme;
		if (notes.n > 0)
			messages_show(&live->app.messages, "%s", notes.items[0].text);
	}
	notes_fini(&notes);
}

static void save_settings(struct live_screen *live, const struct run_config *config)
{
	struct options now;
	struct error err;

	if (!live->app.out.save)
		return;
	live->app.out.save = false;
	if (config->host) {
		messages_show(&live->app.messages,
			      "Not saved: a host may not write your files. "
			      "Press W in a pmctop that runs on your machine.");
		return;
	}
	if (!config->save_path) {
		messages_show(&live->app.messages,
			      "Not saved: no file is known. Set $HOME, or use --config.");
		return;
	}
	app_options(&live->app, config->options, &now);
	int result = settings_save(config->save_path, config->save_pattern, &now, &err);
	if (result < 0)
		messages_show(&live->app.messages, "%s", err.text);
	else if (result > 0)
		messages_show(&live->app.messages,
			      "Nothing to save: the configuration has these settings already.");
	else
		messages_show(&live->app.messages, "Saved in %s.", config->save_path);
	options_fini(&now);
}

/* Whether the shown page looks at a thread. */
static bool looks_at_thread(const struct app *app)
{
	return app->watch.on && app->watch.looks.tid && !app->replay.active && !app->display.paused;
}

static void request_look(struct live_screen *live)
{
	struct app *app = &live->app;
	uint64_t now_ns = sys_now_ns(&live->sys);

	if (!looks_at_thread(app) || now_ns - live->looked_ns < LIVE_LOOK_NS)
		return;
	live->looked_ns = now_ns;
	request_list_add(&app->out.list, &(struct request){.kind = REQUEST_BLOCKED,
							   .number = app->watch.looks.pid,
							   .tid = app->watch.looks.tid});
}

/* `rested`: nothing happened for LIVE_REST_MS. */
static void send_requests(struct live_screen *live, bool rested)
{
	struct app_out *out = &live->app.out;

	request_look(live);
	if (rested)
		request_list_move(&out->list, &out->rested);
	if (out->list.n > 0)
		feed_thread_request(live->feed_thread, &out->list);
}

/* "pmctop HOST" and the target, or the recording. */
static void show_title(struct live_screen *live, const struct options *options)
{
	const struct snapshot *snapshot = display_newest(&live->app.display);
	char text[512];

	if (!snapshot)
		return;
	const char *target = options->replay ? options->replay : snapshot->target_text.full;
	snprintf(text, sizeof(text), "pmctop %s%s%s%s", snapshot->host, target[0] ? "  " : "",
		 options->replay ? "replay " : "", target);
	term_set_title(live->term, text, live->canvas.ascii);
}

static void receive_replies(struct live_screen *live)
{
	for (struct reply *answer; (answer = feed_thread_pop_reply(live->feed_thread));) {
		app_reply(&live->app, answer);
		live->dirty = true;
	}
}

static void receive_snapshot(struct live_screen *live)
{
	struct snapshot *snapshot = feed_thread_pop(live->feed_thread);
	struct playback playback;

	receive_replies(live);
	if (feed_thread_playback(live->feed_thread, &playback)) {
		replay_control_update(&live->app.replay, &live->app.messages, &playback);
		live->dirty = true;
	}
	if (!snapshot)
		return;
	app_snapshot(&live->app, snapshot);
	if (live->hold) { /* Z continues */
		live->hold = false;
		app_pause(&live->app, true);
	}
	live->refreshes += !snapshot->cut_short;
	live->dirty = true;
}

static void report_command_end(struct live_screen *live)
{
	struct launch *launch = live->launch;
	char how[48], seconds[24];

	if (!launch || live->reported || !launch_reap(launch))
		return;
	live->reported = live->hold = live->dirty = true;
	live->app.config.command[0] = '\0';
	launch_report(launch, how, sizeof(how));
	text_fixed(seconds, sizeof(seconds),
		   (double)(launch->ended_ns - launch->began_ns) / (double)NS_PER_S, 1);
	messages_show_lasting(&live->app.messages,
			      "The command %s after %s s. q quits, Z continues.", how, seconds);
}

/* Draws what has changed, if the terminal takes output. */
static void draw(struct live_screen *live)
{
	if (!live->dirty || !term_writable(live->term))
		return;
	live->canvas.ascii = live->app.preferences.ascii || !live->utf8;
	app_draw(&live->app, &live->canvas);
	term_draw(live->term, &live->canvas);
	live->dirty = false;
}

/*
 * The time to wait in ms; -1: no limit. 0 if work is left, short if a preview is to be requested,
 * or a thread is looked at.
 */
static int wait_ms(const struct app *app)
{
	if (app->out.processes)
		return 0;
	if (app->out.rested.n > 0)
		return LIVE_REST_MS;
	return looks_at_thread(app) ? (int)(LIVE_LOOK_NS / NS_PER_MS) : -1;
}

/* The shorter of two times to wait; -1: no limit. */
static int shorter_ms(int a, int b)
{
	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	return a < b ? a : b;
}

static void run_loop(struct live_screen *live, const struct run_config *config)
{
	uint64_t iterations = config->options->iterations;

	while (!live->quit && (iterations == 0 || live->refreshes < iterations)) {
		/* While earlier drawings are on their way, keys and snapshots change the next. */
		int held_ms = live->dirty ? term_wait_ms(live->term) : 0;

		if (held_ms == 0)
			draw(live);

		struct pollfd fds[] = {
			{.fd = live->input.fd, .events = POLLIN},
			{.fd = feed_thread_fd(live->feed_thread), .events = POLLIN},
			{.fd = live->signals_fd, .events = POLLIN},
			{.fd = live->replay_index ? replay_index_fd(live->replay_index) : -1,
			 .events = POLLIN},
			/* Only while a drawing waits for a terminal that takes no output. */
			{.fd = live->dirty && held_ms == 0 ? STDOUT_FILENO : -1, .events = POLLOUT},
		};

		int ready = poll(fds, ARRAY_SIZE(fds),
				 shorter_ms(wait_ms(&live->app), held_ms > 0 ? held_ms : -1));
		if (ready < 0)
			fds[0].revents = fds[1].revents = fds[3].revents = 0; /* a signal */
		read_signals(live);
		if (fds[0].revents && !live->quit)
			read_keys(live);
		if (fds[1].revents)
			receive_snapshot(live);
		if (fds[3].revents) {
			replay_index_clear_event(live->replay_index);
			live->dirty = true;
		}
		send_interval(live);
		show_theme(live, config->themes);
		show_title(live, config->options);
		save_settings(live, config);
		send_requests(live, ready == 0);
		if (live->app.out.processes) {
			pick_process_more(&live->app);
			live->dirty = true;
		}
		report_command_end(live);
	}
	if (live->quit)
		ending_begin(config->ending);
	else /* the last refresh of -n */
		draw(live);
}

static int run_on_terminal(const struct run_config *config, struct live_screen *live,
			   struct error *err)
{
	struct term_config term_config = {
		.theme = config->theme,
		.type = config->terminal,
		.color = config->color,
		.direct_color = config->direct_color,
		.mouse = config->options->mouse,
	};

	/* If pmctop was started in the background, it waits until it is in the foreground. */
	if (!signals_await_terminal())
		return RUN_OK;
	if (term_open(&term_config, &live->term, err))
		return RUN_NO_TERMINAL;
	if (live->launch && launch_go(live->launch, LAUNCH_HIDDEN, err)) {
		term_close(live->term);
		return live->launch->status;
	}
	input_init(&live->input, term_input_fd(live->term));
	app_init(&live->app, config->options);
	live->app.keymap = *config->keymap;
	live->app.config.presets = config->engine->presets;
	live->app.config.n_presets = config->engine->n_presets;
	live->app.config.host = config->host;
	live->app.config.themes = *config->themes;
	text_copy(live->theme, sizeof(live->theme), live->app.preferences.theme);
	live->shown_theme = *config->theme;
	if (live->launch)
		text_copy(live->app.config.command, sizeof(live->app.config.command),
			  config->options->command[0]);
	live->app.config.sys = &live->sys;
	live->app.config.uid = geteuid();
	if (live->replay_index)
		app_set_replay_index(&live->app, live->replay_index);
	live->app.config.user_metrics = config->engine->user_metrics;
	live->app.config.n_user_metrics = config->engine->n_user_metrics;
	if (config->serve->export)
		live->app.config.listening = config->serve->where;
	if (config->notes->n > 0)
		messages_show(&live->app.messages, "%s", config->notes->items[0].text);
	canvas_init(&live->canvas, false);
	live->utf8 = config->utf8;
	if (live->glimpse)
		app_snapshot(&live->app, live->glimpse);
	live->glimpse = NULL;
	measure_terminal(live);
	run_loop(live, config);
	app_fini(&live->app);
	canvas_fini(&live->canvas);
	term_close(live->term);
	return RUN_OK;
}

/*
 * Called after the terminal was restored: ends the command if it still runs. Returns the exit
 * status.
 */
static int end_command(const struct run_config *config, struct error *err)
{
	struct launch *launch = config->launch;

	if (!launch->gone)
		return LAUNCH_KILLED + SIGTERM; /* before the exec */
	if (!launch_reap(launch)) {
		launch_terminate(launch);
		ending_allow(config->ending, LIVE_PATIENCE_NS);
		if (!launch_wait(launch, LIVE_PATIENCE_NS))
			launch_explain_alive(launch, err);
		ending_allow(config->ending, 0);
	}
	return launch->terminated ? LAUNCH_KILLED + SIGTERM : launch->status;
}

static int collect_and_run(const struct run_config *config, struct live_screen *live,
			   struct error *err)
{
	struct engine_config engine = *config->engine;
	char cache[PATH_MAX];
	const struct replay_config replay = {
		.path = config->options->replay,
		.engine = &engine,
		.interval_ns = config->options->interval_ns,
		.interval_given = config->options->delays,
		.symfs = config->options->symfs,
		.build_id_cache = user_files_build_id_cache(cache),
		.whole = !config->options->delays,
		.grows = true,
	};
	struct error recording = {0};
	struct feed feed = {0};
	int status;

	engine.notes = config->notes;
	engine.patient = true;
	engine.recording = &recording;
	engine.unwritten = ending_unwritten(config->ending, ENDING_RECORDING);
	if (live->launch)
		engine.target.command = live->launch->pid;
	else
		engine.glimpse = &live->glimpse;
	if (feed_thread_new(&live->feed_thread, err))
		return RUN_FAILED;
	xalloc_set_hook(term_restore);
	if (config->options->replay) {
		live->replay_index = replay_index_new();
		status = run_open_replay(config->options, &replay, true, live->replay_index,
					 feed_thread_sys(live->feed_thread), &feed, err);
	} else {
		status = run_open_machine(config->options, &engine, true,
					  feed_thread_sys(live->feed_thread), &feed, err);
	}
	if (status == RUN_OK)
		serve_feed(config->serve, &feed);
	if (status == RUN_OK && feed_thread_start(live->feed_thread, &feed, err))
		status = RUN_FAILED;
	if (status == RUN_OK)
		status = run_on_terminal(config, live, err);
	/* Before the feed thread is awaited, which may hang. */
	if (status == RUN_OK && live->launch)
		status = end_command(config, err);
	feed_thread_free(live->feed_thread);
	snapshot_free(live->glimpse);
	replay_index_free(live->replay_index); /* after the feed thread, which notifies it */
	xalloc_set_hook(NULL);
	if (!recording.code || err->text[0])
		return status;
	*err = recording;
	return status == RUN_OK && !live->launch && recording.code != -EPIPE ? RUN_FAILED : status;
}

/* Whether a signal requests the end while the output is shown. */
static bool is_end_requested(void *arg)
{
	const struct live_screen *live = arg;

	for (int number; (number = signals_next(live->signals_fd)) != 0;)
		if (signals_is_end(number))
			return true;
	return false;
}

int run_live(const struct run_config *config, struct error *err)
{
	struct live_screen *live = xcalloc(1, sizeof(*live)); /* 66 KB */

	live->launch = config->launch;
	live->collected_ns = config->options->interval_ns;
	live->signals_fd = signals_open();
	int status = RUN_FAILED;
	if (live->signals_fd < 0 || sys_linux_init(&live->sys) < 0)
		error_set_no_descriptor(err, -EMFILE);
	else
		status = collect_and_run(config, live, err);
	ending_over(config->ending);
	if (live->launch)
		launch_show(live->launch, STDOUT_FILENO, is_end_requested, live);
	if (live->signals_fd >= 0)
		signals_close(live->signals_fd);
	sys_linux_fini(&live->sys);
	free(live);
	return status;
}
