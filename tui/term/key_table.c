// SPDX-License-Identifier: MIT
/*
 * One table has each action: its name in the configuration, its default keys, its help text and its
 * label in the key bar. The help screen, the key bar, --list keys and the manual follow it.
 */
#include "tui/term/key_table.h"

#include "core/base/util.h"

#define ALT(key) ((key) | KEYMAP_ALT)
#define F(n)     (KEYMAP_F0 + (n))

const struct key_row key_table[] = {
	{ACTION_HELP, "help", {'?', 'h', F(1)}, "this help", "Help"},
	{ACTION_UP, "up", {KEYMAP_UP, ALT('k')}, "up", NULL},
	{ACTION_DOWN, "down", {KEYMAP_DOWN, ALT('j')}, "down", NULL},
	{ACTION_LEFT, "left", {KEYMAP_LEFT, ALT('h')}, "scroll the columns left", NULL},
	{ACTION_RIGHT, "right", {KEYMAP_RIGHT, ALT('l')}, "scroll the columns right", NULL},
	{ACTION_PAGE_UP, "page-up", {KEYMAP_PAGE_UP}, "a page up", NULL},
	{ACTION_PAGE_DOWN, "page-down", {KEYMAP_PAGE_DOWN}, "a page down", "Scroll"},
	{ACTION_HOME, "home", {KEYMAP_HOME}, "to the first line", NULL},
	{ACTION_END, "end", {KEYMAP_END}, "to the last line", NULL},
	{ACTION_NEXT_SCREEN, "next-screen", {KEYMAP_TAB}, "next screen", "Page"},
	{ACTION_PREVIOUS_SCREEN, "previous-screen", {KEYMAP_SHIFT_TAB}, "previous screen", NULL},
	{ACTION_DETAIL, "detail", {KEYMAP_ENTER}, "details of the row", "Open"},
	{ACTION_CODE, "code", {'w'}, "where in the code the row runs", "Code"},
	{ACTION_CPUS, "cpus", {'C'}, "list of CPUs, and back", NULL},
	{ACTION_SETUP, "setup", {F(2)}, "setup: columns, presets, options, theme", "Setup"},
	{ACTION_LOG, "log", {'L'}, "message log", NULL},
	{ACTION_FINDINGS, "findings", {'!'}, "all findings, and back", NULL},
	{ACTION_LEAVE, "leave", {KEYMAP_ESCAPE}, "leave the page, or drop filter and tags", "Back"},
	{ACTION_SORT_PREVIOUS, "sort-previous", {'<'}, "sort by the column to the left", NULL},
	{ACTION_SORT_NEXT, "sort-next", {'>'}, "sort by the column to the right", "Sort"},
	{ACTION_SORT_CHOOSE, "sort-choose", {F(6)}, "choose the column to sort by", NULL},
	{ACTION_SORT_CPU, "sort-cpu", {'P'}, "sort by %CPU", NULL},
	{ACTION_SORT_MEMORY, "sort-memory", {'M'}, "sort by memory (RES)", NULL},
	{ACTION_SORT_TIME, "sort-time", {'T'}, "sort by time (TIME+)", NULL},
	{ACTION_REVERSE, "reverse", {'R', 'I'}, "reverse the order", "Reverse"},
	{ACTION_COLUMNS, "columns", {'f'}, "choose the columns", "Columns"},
	{ACTION_PRESET, "preset", {'p'}, "choose a preset", "Preset"},
	{ACTION_PRESET_NUMBER,
	 "preset-number",
	 {'1', '2', '3', '4', '5', '6', '7', '8', '9'},
	 "preset 1, preset 2 ...",
	 NULL},
	{ACTION_UNIT, "unit", {'m'}, "events as counts, per second, per 1000 instructions", NULL},
	{ACTION_COUNT, "count", {'K'}, "count user mode, the kernel or both", NULL},
	{ACTION_ADD, "add", {'e'}, "add an event or a metric", "Add"},
	{ACTION_REMOVE, "remove", {'x'}, "remove an event or a metric", "Remove"},
	{ACTION_FILTER, "filter", {'\\', F(4)}, "show only rows that contain a text", "Filter"},
	{ACTION_SEARCH, "search", {'/', F(3)}, "search", "Search"},
	{ACTION_SEARCH_NEXT, "search-next", {'n'}, "next match", NULL},
	{ACTION_USER, "user", {'u'}, "show tasks of one user", NULL},
	{ACTION_THREADS, "threads", {'H'}, "show threads or processes", "Threads"},
	{ACTION_TREE, "tree", {'t', F(5)}, "show a tree or a list of processes", "Tree"},
	{ACTION_ROLL_UP,
	 "roll-up",
	 {'g'},
	 "group by process, user, cgroup, command; CPUs: socket, node",
	 "Group"},
	{ACTION_IDLE, "idle", {'i'}, "show or hide tasks that did not run", NULL},
	{ACTION_COMMAND_LINE, "command-line", {'c'}, "whole command lines, or short ones", NULL},
	{ACTION_FOLLOW, "follow", {'F'}, "follow the row when it moves", NULL},
	{ACTION_TAG, "tag", {' '}, "tag the row", NULL},
	{ACTION_UNTAG, "untag", {'U'}, "untag all rows", NULL},
	{ACTION_RAISE_PRIORITY, "raise-priority", {F(7)}, "raise the priority (nice -1)", NULL},
	{ACTION_LOWER_PRIORITY, "lower-priority", {F(8)}, "lower the priority (nice +1)", NULL},
	{ACTION_KILL, "kill", {'k', F(9)}, "send a signal (asks first)", "Kill"},
	{ACTION_ATTACH, "attach", {'a'}, "attach to a process", "Attach"},
	{ACTION_DETACH, "detach", {'D'}, "dismiss ended tasks, or detach", NULL},
	{ACTION_BASELINE, "baseline", {'B'}, "set a baseline: show the change since now", NULL},
	{ACTION_ZERO, "zero", {'z'}, "set the totals to zero", NULL},
	{ACTION_PAUSE, "pause", {'Z'}, "pause the screen, or the replay", "Pause"},
	{ACTION_STEP_BACK, "step-back", {','}, "replay: an interval back", "Back"},
	{ACTION_STEP, "step", {'.'}, "replay: an interval forward", "Step"},
	{ACTION_MINUTE_BACK, "minute-back", {'{'}, "replay: a minute back", NULL},
	{ACTION_MINUTE, "minute", {'}'}, "replay: a minute forward", "Minute"},
	{ACTION_GO, "go", {'G'}, "replay: go to a time: +90, -1:30, 90, 14:05:10, 50%", "Go to"},
	{ACTION_SLOWER, "slower", {'['}, "replay: slower", "Slower"},
	{ACTION_FASTER, "faster", {']'}, "replay: faster", "Faster"},
	{ACTION_INTERVAL, "interval", {'s', 'd'}, "refresh interval", "Interval"},
	{ACTION_RECORD, "record", {'o'}, "start or stop recording to a file", NULL},
	{ACTION_SAVE_SCREEN, "save-screen", {'S'}, "save the screen as text and picture", NULL},
	{ACTION_THEME, "theme", {0}, "choose a theme (also in the setup)", NULL},
	{ACTION_SAVE, "save", {'W'}, "save the configuration", "Save"},
	{ACTION_REDRAW, "redraw", {KEYMAP_CONTROL('L')}, "redraw the screen", NULL},
	{ACTION_QUIT, "quit", {'q', F(10), KEYMAP_CONTROL('C')}, "quit, or leave the page", "Quit"},
};

const size_t key_table_n = ARRAY_SIZE(key_table);

const struct key_row *key_row(enum action action)
{
	size_t i = 0;

	while (key_table[i].action != action)
		i++;
	return &key_table[i];
}
