// SPDX-License-Identifier: MIT
#ifndef PMCTOP_APP_H
#define PMCTOP_APP_H

#include "core/attrib/cmdline.h"
#include "core/engine/query.h"
#include "core/engine/request.h"
#include "core/metric/preset.h"
#include "tui/panel/list.h"
#include "tui/panel/messages.h"
#include "tui/screen/display.h"
#include "tui/screen/pick.h"
#include "tui/screen/preferences.h"
#include "tui/screen/replay_control.h"
#include "tui/screen/screen.h"
#include "tui/screen/screen_code.h"
#include "tui/screen/screen_detail.h"
#include "tui/screen/screen_events.h"
#include "tui/screen/screen_setup.h"
#include "tui/screen/search.h"
#include "tui/term/theme_load.h"
#include "tui/widget/key_bar.h"
#include "tui/widget/layout.h"
#include "tui/widget/page.h"
#include "tui/widget/widget_picker.h"
#include "tui/widget/widget_prompt.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Sentences about keys that a run shows once. */
struct key_notes {
	bool themes;      /* T sorts by time */
	bool no_function; /* a key that no program is known to have */
};

/*
 * Facts about the run, set by app_init(), or by its caller before the first key. All borrowed.
 */
struct app_config {
	const struct sys *sys;        /* for the UI thread only; NULL: a recording is shown */
	const struct preset *presets; /* of the configuration, beside the built-in ones */
	size_t n_presets;
	const struct metric_def *user_metrics; /* of the configuration */
	size_t n_user_metrics;
	struct theme_places themes; /* the user's */
	const char *listening;      /* address of the metrics server; NULL: none */
	const char *host;           /* of --ssh or --via, in messages; NULL: this machine */
	char command[32];           /* started by pmctop and still running; "": none */
	uid_t uid;                  /* of pmctop: tasks of other users may not be sampled */
	bool readonly;              /* no signal is sent, no file is written */
	unsigned frequency;         /* samples of code a second, while they are needed */
};

/* What the owner of the app does after each key, as the app itself has no terminal and no engine.
 */
struct app_out {
	struct request_list list;         /* move to the feed */
	struct request_list rested;       /* the same, when no key has come for a moment */
	enum command_lines command_lines; /* as the engine has them after these */
	bool processes;                   /* call pick_process_more() until this is false */
	bool save;                        /* save the configuration, then clear */
	bool save_screen;                 /* call save_screen() before the next key, then clear */
	bool redraw; /* clear the terminal and draw all of it, then clear the flag */
	bool quit;
};

/*
 * The state of the screen: snapshots, replies, keys and clicks come in, a canvas and requests go
 * out. The app has no terminal and no engine. Each part is described in the header of its owner.
 */
struct app {
	struct app_config config;
	struct app_out out; /* for the caller: read after each key */
	struct display display;
	struct preferences preferences;
	struct replay_control replay;
	struct event_replies event_replies;
	struct messages messages;

	const struct screen *screen;       /* shown */
	const struct screen *round_screen; /* of Tab's round: the other screens return to it */
	bool goes_round;            /* the last key or click went to the next or previous one */
	bool has_round_names;       /* in the key bar of the last drawing */
	const struct screen *below; /* help, log or setup: to which Esc returns */
	struct list tasks;
	struct list cpus;
	bool cpus_level_chosen; /* CPUs, sockets or nodes: by a key, not by their number */
	struct events_screen events;
	struct table findings;
	struct rect finding_lines; /* above the list, of the last drawing, for clicks */
	struct watch watch;
	struct code_screen code;
	struct table setup;
	struct page page; /* of the screens that are a text: help, log, detail */
	struct search search;
	struct key_notes key_notes;
	struct signal_choice signal_choice;
	bool recording_ends; /* requested; the snapshots do not show it yet */
	char recording_file[sizeof(((struct prompt *)0)->text)]; /* of the last prompt for one */

	struct keymap keymap;
	struct prompt prompt;
	struct picker picker; /* over the screen, while it is open */
	struct key_bar key_bar;
	struct {
		bool begun;   /* it has had a character */
		bool blank;   /* a blank is due before the next one */
		bool changed; /* a prompt has got characters */
		bool ignored; /* a line has said so */
	} paste;
};

void app_init(struct app *app, const struct options *options);
void app_fini(struct app *app);

/* While paused, the screen does not change; the newest snapshot waits. */
void app_pause(struct app *app, bool paused);
/* Shows the snapshot, or keeps it during a pause. Owned by the app from now on. */
void app_snapshot(struct app *app, struct snapshot *snapshot);
/* Shows a recording, with the history of the index. Call before the first drawing; borrowed. */
void app_set_replay_index(struct app *app, struct replay_index *replay_index);
/* Keeps the reply for pick_event() or the detail page. Owned by the app from now on. */
void app_reply(struct app *app, struct reply *reply);
/* A key of key_table.h. */
void app_key(struct app *app, int key);
/*
 * Pasted text: it begins, has a character (as decoded.pasted), and there is no more for now. A
 * prompt or a picker takes it, as one line. Elsewhere it is ignored, with a line.
 */
void app_paste_begin(struct app *app);
void app_paste(struct app *app, int key);
void app_paste_rest(struct app *app);
/* A click or a step of the wheel at a place of the last drawing. */
void app_click(struct app *app, unsigned x, unsigned y, bool twice);
void app_wheel(struct app *app, bool down);
/* Draws everything; the canvas has the terminal's size. */
void app_draw(struct app *app, struct canvas *canvas);

/* The rest is for the screens and pickers. */

/* Adds a request. The text is copied. */
void app_request(struct app *app, enum request_kind kind, const char *text, int64_t number);

/* Requests the single waits of the watched row from the engine. Does nothing in a replay. */
void app_watch(struct app *app);
/* Does what the key of the action does. */
void app_act(struct app *app, enum action action);
/* Applies preferences.columns to both lists. */
void app_show_columns(struct app *app);
/* The list on the screen; NULL where it has none. */
struct list *app_list(struct app *app);

/* Draws everything around the body and returns the place of the body. */
struct rect app_draw_frame(struct app *app, struct canvas *canvas);
/*
 * Draws a screen of a list and all around it, on a large terminal with the details of the selected
 * row. `empty` stands in place of rows.
 */
void app_draw_list(struct app *app, struct list *list, struct canvas *canvas, const char *empty);
/* Draws the prompt if there is one, else the key bar. */
void app_draw_bottom(struct app *app, struct canvas *canvas, struct rect rect);

#endif
