// SPDX-License-Identifier: MIT
#ifndef PMCTOP_APP_H
#define PMCTOP_APP_H

#include "core/engine/command.h"
#include "core/engine/playback.h"
#include "core/engine/query.h"
#include "core/replay/replay_index.h"
#include "core/snapshot/event_totals.h"
#include "core/snapshot/history.h"
#include "core/snapshot/snapshot.h"
#include "tui/options/column_choice.h"
#include "tui/options/options.h"
#include "tui/panel/graph_range.h"
#include "tui/panel/list.h"
#include "tui/panel/messages.h"
#include "tui/screen/pick.h"
#include "tui/screen/screen.h"
#include "tui/screen/screen_detail.h"
#include "tui/screen/screen_setup.h"
#include "tui/screen/search.h"
#include "tui/screen/signal_target.h"
#include "tui/term/canvas.h"
#include "tui/term/keymap.h"
#include "tui/widget/key_bar.h"
#include "tui/widget/layout.h"
#include "tui/widget/page.h"
#include "tui/widget/widget_picker.h"
#include "tui/widget/widget_prompt.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The state of the screen: snapshots and keys go in, a canvas comes out. It knows neither the
 * terminal nor the collector: whoever runs it looks at `commands`, `interval_ns`, `theme`, `ascii`,
 * `save`, `quit` and `redraw` after each key.
 */
struct app {
	const struct screen *screen;
	const struct screen *before; /* of Tab's round: where the other screens go back to */
	struct snapshot *snapshot;   /* shown; NULL before the first; owned */
	struct snapshot *waiting;    /* came while paused; owned */
	struct snapshot *baseline;   /* to compare with; NULL: none; owned */
	char sentence[256];          /* about the snapshot; "": nothing is to be said */
	bool spoken;          /* there was one: its line stays, so that the list does not jump */
	enum verdict verdict; /* what that says */
	struct commands commands; /* for the collector; whoever passes them on takes them */
	struct keymap keymap;
	struct pending_queries pending_queries;
	struct reply *catalog, *preview;       /* the last answers; owned; NULL: none */
	const struct metric_def *user_metrics; /* borrowed */
	size_t n_user_metrics;
	enum event_levels levels;     /* asked for last ... */
	bool idle;                    /* ... as is this */
	const struct preset *presets; /* the user's own, borrowed */
	size_t n_presets;
	char preset[64];       /* chosen last; "": the engine's choice */
	struct commands asked; /* columns that were added, in their order; some may be gone */
	struct column_choice column_choice;
	const char **shown; /* what that makes of the columns of the snapshot; owned */
	struct setup setup;
	char theme[256];       /* name or file of what is to be seen; "": the default */
	bool ascii;            /* drawn with ASCII alone, whatever the terminal takes */
	const char *theme_dir; /* the user's themes; may be NULL */
	bool save;             /* the configuration is to be saved */
	uint64_t interval_ns;
	bool paused;
	bool readonly;    /* no signal is sent, no file written */
	bool record_ends; /* was asked for; the snapshots do not show it yet */
	bool quit;
	bool redraw; /* the terminal's content is not to be trusted; whoever redraws clears it */
	struct list tasks;
	struct list cpus;
	bool cpus_chosen;      /* by what CPUs are shown; else it depends on how many there are */
	struct page page;      /* of the screens that are a text: help, log, detail */
	char command[32];      /* that was started and still runs: quitting ends it; "": none */
	const char *listening; /* where counters are served; borrowed; NULL: nowhere */
	struct messages messages;
	struct table events;
	struct event_totals sums;
	const struct sys
		*sys; /* borrowed, for this thread alone; NULL: what is shown is not here */
	struct signal_targets signal_targets; /* of the signal that is about to be sent */
	size_t signal;                        /* which of those that can be chosen */
	struct search search;
	char user[24];                  /* who is shown alone; of the tasks' filter */
	struct history *history;        /* of all snapshots that came, paused or not; owned */
	struct graph_range graph_range; /* what of it, or of the survey's, is drawn */
	struct replay_index
		*replay_index; /* of the recording that is shown, which knows its past; borrowed */
	struct playback playback; /* where that is, while `replays` */
	bool replays;
	struct watch watch; /* of the detail */
	struct prompt prompt;
	struct picker picker;   /* over the screen, while it is open */
	char notice[320];       /* stands before the notes of snapshots; "": nothing */
	uint64_t notice_ns;     /* how long it still stands; 0: until something else is said */
	struct key_bar key_bar; /* as drawn last */
};

void app_init(struct app *app, const struct options *options);
void app_fini(struct app *app);

/* Whether the screen stands still; what comes meanwhile is kept. */
void app_pause(struct app *app, bool paused);
/* Takes the snapshot over. */
void app_snapshot(struct app *app, struct snapshot *snapshot);
/* Of a recording, instead of a history of its own. Before anything is drawn; borrowed. */
void app_set_replay_index(struct app *app, struct replay_index *replay_index);
/* Takes the answer over. */
void app_reply(struct app *app, struct reply *answer);
/* A key of keymap.h. */
void app_key(struct app *app, int key);
/* What the mouse did at a place of the last drawing. */
void app_click(struct app *app, unsigned x, unsigned y, bool twice);
void app_wheel(struct app *app, bool down);
/* Draws everything; the canvas has the terminal's size. */
void app_draw(struct app *app, struct canvas *canvas);

/* For the screens and pickers: asks the collector for something. */
void app_command(struct app *app, enum command_kind kind, const char *text, int64_t number);

/* For the screens and pickers: says what has just happened, until the next key or some seconds. */
void app_show_message(struct app *app, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* For the app: whatever app_show_message said is over. */
void app_clear_message(struct app *app);
/* As app_show_message, until something else is said. */
void app_show_lasting_message(struct app *app, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* For the screens: does what a key would. */
void app_act(struct app *app, enum action action);
/* For the setup: other columns were chosen. */
void app_show_columns(struct app *app);
/* For the screens: back to the one of Tab's round that was left last. */
void app_leave(struct app *app);
/* The one of Tab's round that is shown, or that what is shown goes back to. */
const struct screen *app_round_screen(const struct app *app);
/* The list on the screen; NULL where it has none. */
struct list *app_list(struct app *app);

/* For the screens: everything around the body, whose place is returned. */
struct rect app_draw_frame(struct app *app, struct canvas *canvas);
/* The same for a screen that has more to show than a list, where there is room for it. */
struct layout app_draw_large_frame(struct app *app, struct canvas *canvas);
/* Key bar or prompt. */
void app_draw_bottom(struct app *app, struct canvas *canvas, struct rect rect);

#endif
