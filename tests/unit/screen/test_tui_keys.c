// SPDX-License-Identifier: MIT
/* Keys of the lists: tags, following, searching, filters, signals. */
#include "tests/unit/shared/screen_snapshot.h"
#include "tests/unit/shared/stage.h"

#include <errno.h>
#include <signal.h>

static const struct row *selected(struct stage *stage)
{
	struct list *list = app_list(&stage->app);

	return view_row(list_view(list, stage->app.display.snapshot), list->table.selected);
}

static struct snapshot *shuffled(struct snapshot *snapshot)
{
	struct rows *rows = &snapshot->threads;
	size_t width = tally_width(&snapshot->columns->plan->shape);

	/* The first row is the last now. */
	for (size_t i = 0; i < width; i++)
		rows->tallies[i] = 0;
	rows->tallies[TALLY_TASK_CLOCK] = 10;
	rows_evaluate(snapshot->columns, snapshot_scope(snapshot), rows);
	snapshot->sequence = 2;
	return snapshot;
}

/* A key for a missing column leaves the setup open and the columns unchanged. */
static void test_setup_without_columns(void **state)
{
	static const int keys[] = {' ', KEYMAP_ENTER, '<', '>', 0};
	struct stage stage;

	(void)state;
	/* Keys that arrive together have no drawing in between. */
	for (const int *key = keys; *key; key++) {
		stage_open(&stage, 80, 24, false, NULL);
		app_key(&stage.app, 'f');
		app_key(&stage.app, *key);
		stage_press(&stage, KEYMAP_HOME);
		stage_check_text(&stage, "Columns: Space shows or hides, < and > move\n\n", true);
		stage_close(&stage);
		stage_open(&stage, 80, 200, false, screen_snapshot(2));
		stage_keys(&stage, (int[]){'f', KEYMAP_END, 0});
		stage_check_text(&stage, "[ ] hottest", true);
		stage.app.setup.selected += 2; /* a previous screen had more columns */
		app_key(&stage.app, *key);
		stage_press(&stage, KEYMAP_END);
		stage_check_text(&stage, "page faults per second\n  [x] verdict ", true);
		stage_check_text(&stage, "[ ] hottest", true);
		stage_close(&stage);
	}
}

/*
 * f lists all metrics: metrics that are no columns below the columns, and metrics that cannot be
 * counted last.
 */
static void test_setup_adds_columns(void **state)
{
	struct stage stage;
	struct reply *reply = xcalloc(1, sizeof(*reply));

	(void)state;
	stage_open(&stage, 80, 200, false, screen_snapshot(2));
	stage_keys(&stage, (int[]){'f', 0});
	for (size_t i = 0; i < metric_table_n; i++) {
		char line[80];

		snprintf(line, sizeof(line), "] %.18s",
			 metric_table[i].name); /* long ones are cut */
		stage_check_text(&stage, line, !metric_table[i].machine);
	}
	reply->kind = REQUEST_METRICS;
	reply->metrics = xcalloc(metric_table_n, sizeof(*reply->metrics));
	for (size_t i = 0; i < metric_table_n; i++)
		if (strcmp(metric_table[i].name, "rss") != 0)
			reply->metrics[i] = (struct catalog_answer){FIGURE_UNSUPPORTED, "No PMU."};
	app_reply(&stage.app, reply);
	stage_keys(&stage, (int[]){0});
	stage_check_text(&stage, "e)\n  [ ] rss ", true);

	/* From the first column over the others, the verdict and hottest. */
	for (size_t i = 0; i < stage.app.display.snapshot->columns->n_shown + 2; i++)
		stage_press(&stage, KEYMAP_DOWN);
	stage_press(&stage, ' ');
	stage_check_request(&stage, REQUEST_ADD_METRIC, "rss", 0);
	stage_check_text(&stage, "Column RES comes with the next refresh.", true);
	stage_keys(&stage, (int[]){KEYMAP_DOWN, ' ', 0});
	stage_check_text(&stage, "No PMU.\n", true);
	assert_int_equal(app_changes(&stage.app)->n, 0);
	stage_close(&stage);
}

/* F2 begins at the options, f at the columns; the heading comes back on the way up. */
static void test_setup_begins(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 80, 16, false, screen_snapshot(2));
	stage_keys(&stage, (int[]){'f', 0});
	stage_check_text(&stage, "\nColumns:", true);
	stage_check_text(&stage, "\nOptions:", false);
	stage_keys(&stage, (int[]){KEYMAP_UP, KEYMAP_UP, 0});
	stage_check_text(&stage, "\nOptions:", true);
	stage_keys(&stage, (int[]){'f', KEYMAP_ESCAPE, KEYMAP_F0 + 2, 0});
	stage_check_text(&stage, "\nOptions:", true);
	stage_close(&stage);
}

static void test_detail_of_an_event(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 80, 24, false, screen_snapshot(2));
	stage_keys(&stage, (int[]){KEYMAP_TAB, KEYMAP_TAB, KEYMAP_ENTER, 0});
	assert_ptr_equal(stage.app.screen, &screen_events);
	stage_close(&stage);
}

/* Columns of events that do not fit are scrolled to, as columns of tasks are. */
static void test_event_columns(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 80, 24, false, screen_snapshot(2));
	stage_keys(&stage, (int[]){KEYMAP_TAB, KEYMAP_TAB, 0});
	stage_check_text(&stage, " »", true);
	stage_check_text(&stage, "FOR", false);
	for (size_t i = 0; i < 12; i++)
		stage_press(&stage, KEYMAP_RIGHT);
	stage_check_text(&stage, "EVENT", true);
	stage_check_text(&stage, "FOR", true);
	stage_check_text(&stage, " »", false);
	stage_close(&stage);
}

static void test_tags(void **state)
{
	struct stage stage;
	struct list *list = &stage.app.tasks;

	(void)state;
	stage_open(&stage, 120, 24, false, screen_snapshot(2));
	stage_keys(&stage, (int[]){' ', ' ', 0});
	assert_int_equal(list->table.selected, 2); /* each tag moved the selection on */
	stage_check_text(&stage, "tagged 2: %CPU 142.6 IPC 0.53", true);
	stage_check_text(&stage, "4121*db", true);
	stage_check_text(&stage, "4122*db", true);
	stage_check_text(&stage, "77 root", true);
	/* Tags stay on their rows in another order and another snapshot. */
	stage_keys(&stage, (int[]){'>', 'R', 0});
	stage_check_text(&stage, "4121*db", true);
	app_snapshot(&stage.app, shuffled(screen_snapshot(2)));
	stage_press(&stage, '<');
	stage_check_text(&stage, "4121*db", true);
	stage_check_text(&stage, "tagged 2: ", true);
	/* Tags of processes hold in a tree, and not for threads. */
	stage_press(&stage, 'H');
	stage_check_text(&stage, "tagged", false);
	stage_check_text(&stage, "*db", false);
	stage_press(&stage, 't');
	stage_check_text(&stage, "tagged 2: ", true);
	stage_check_text(&stage, "4122*postgres", true);
	stage_press(&stage, 't');
	/* A tag of a command is on all processes with that name, in each snapshot. */
	stage_keys(&stage, (int[]){'g', 'g', 'g', KEYMAP_HOME, ' ', 0});
	stage_check_text(&stage, "tagged 1: %CPU 43.0 IPC 1.04", true);
	app_snapshot(&stage.app, shuffled(screen_snapshot(2)));
	stage_press(&stage, 'R');
	stage_check_text(&stage, "tagged 1: %CPU 43.0 IPC 1.04", true);
	stage_keys(&stage, (int[]){'R', 'g', 0});
	/* A row that does not run stays tagged. */
	app_snapshot(&stage.app, screen_snapshot_family(2));
	stage_press(&stage, KEYMAP_HOME);
	stage_check_text(&stage, "tagged 2, 0 shown", true);
	stage_press(&stage, KEYMAP_ESCAPE);
	stage_check_text(&stage, "tagged", false);
	stage_close(&stage);
}

/* U removes all tags. Esc drops the text of the filter, then its user, then the tags. */
static void test_escape_and_untag(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 120, 24, false, screen_snapshot_family(2));
	stage_keys(&stage, (int[]){' ', ' ', 0});
	stage_check_text(&stage, "tagged 2", true);
	stage_press(&stage, 'U');
	stage_check_text(&stage, "tagged", false);
	stage_keys(&stage,
		   (int[]){'u', 'w', 'w', 'w', KEYMAP_ENTER, ' ', '\\', 'w', KEYMAP_ENTER, 0});
	for (int left = 3; left >= 0; left--) {
		stage_check_text(&stage, "filter w", left == 3);
		stage_check_text(&stage, "user www", left >= 2);
		stage_check_text(&stage, "tagged 1", left >= 1);
		stage_press(&stage, KEYMAP_ESCAPE);
	}
	assert_ptr_equal(stage.app.screen, &screen_tasks);
	stage_close(&stage);
}

static void test_untag(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 80, 24, false, screen_snapshot(2));
	stage_keys(&stage, (int[]){' ', KEYMAP_UP, ' ', 0});
	assert_int_equal(stage.app.tasks.tags.n, 0);
	stage_press(&stage, KEYMAP_END);
	stage_press(&stage, ' ');
	assert_int_equal(stage.app.tasks.table.selected, 12);
	assert_int_equal(stage.app.tasks.tags.n, 1);
	/* CPUs have tags of their own. */
	stage_keys(&stage, (int[]){'C', ' ', 0});
	stage_check_text(&stage, "tagged 1: ", true);
	assert_int_equal(stage.app.cpus.tags.n, 1);
	stage_close(&stage);
}

/* The figures of a tree's row include its descendants, which are added only once. */
static void test_tagged_tree(void **state)
{
	struct stage stage;
	struct row_refs_sum *sum = &stage.app.tasks.tagged;

	(void)state;
	stage_open(&stage, 120, 40, false, screen_snapshot_family(2));
	stage_press(&stage, 't');
	for (size_t i = 0; i < 15; i++)
		stage_press(&stage, ' ');
	int percent = columns_metric(stage.app.display.snapshot->columns, "cpu_percent");
	assert_true(sum->n > 10 && sum->here == sum->n);
	assert_true(sum->figures[percent].value > 168.2 && sum->figures[percent].value < 168.4);
	stage_close(&stage);
}

/* A reused pid is not tagged. The tag of an ended process is removed. */
static void test_tags_of_ended(void **state)
{
	struct stage stage;
	struct snapshot *snapshot = screen_snapshot(2);

	(void)state;
	stage_open(&stage, 80, 24, false, snapshot);
	stage_keys(&stage, (int[]){' ', KEYMAP_HOME, KEYMAP_DOWN, ' ', 0});
	snapshot = screen_snapshot(2);
	snapshot->sequence = 2;
	snapshot->threads.items[0].start_ns = snapshot->time_ns + 1;
	snapshot->threads.items[1].flags |= ROW_EXITED;
	app_snapshot(&stage.app, snapshot);
	stage_press(&stage, KEYMAP_HOME);
	stage_check_text(&stage, "4121*", false);
	stage_check_text(&stage, "4122*", true);
	snapshot = screen_snapshot_family(2);
	snapshot->sequence = 3;
	app_snapshot(&stage.app, snapshot);
	stage_press(&stage, KEYMAP_HOME);
	assert_int_equal(stage.app.tasks.tags.n, 1);
	stage_close(&stage);
}

/* A parent with the figures of its only child is on its line. A search finds it there. */
static void test_chains_of_a_tree(void **state)
{
	struct stage stage;
	struct list *list = &stage.app.tasks;

	(void)state;
	stage_open(&stage, 80, 24, false, screen_snapshot_family(2));
	stage_keys(&stage, (int[]){'t', 0});
	stage_check_text(&stage, "    502 ├─+2 bash > make ", true);
	stage_check_text(&stage, "    503 │ ├─cc1 ", true);
	stage_check_text(&stage, "    500 ", false);
	stage_check_text(&stage, "    300 ├─+1 postgres ", true); /* it ran itself */
	stage_keys(&stage, (int[]){'/', 'b', 'a', 's', 'h', KEYMAP_ENTER, 0});
	assert_int_equal(selected(&stage)->pid, 502);
	/* COMMAND stays when the columns are scrolled. */
	stage_keys(&stage, (int[]){KEYMAP_RIGHT, KEYMAP_RIGHT, 0});
	stage_check_text(&stage, "    PID COMMAND                    GHz ", true);
	/* A list of processes has each. */
	stage_keys(&stage, (int[]){'t', 0});
	stage_check_text(&stage, "bash > ", false);
	assert_int_equal(list->spec.by, ROLLUP_PROCESS);
	stage_close(&stage);
}

static void test_listening(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 100, 24, false, screen_snapshot(2));
	stage.app.config.listening = "127.0.0.1:9105";
	stage_press(&stage, 'F');
	stage_check_text(&stage, "listening on 127.0.0.1:9105", true);
	stage_check_text(&stage, "following 4121 postgres", true);
	stage_close(&stage);
}

static void test_follow(void **state)
{
	struct stage stage;
	struct list *list = &stage.app.tasks;
	struct snapshot *snapshot;

	(void)state;
	stage_open(&stage, 100, 24, false, screen_snapshot(2));
	stage_press(&stage, 'F');
	stage_check_text(&stage, "following 4121 postgres", true);
	app_snapshot(&stage.app, shuffled(screen_snapshot(2)));
	stage_press(&stage, 'K');
	assert_int_equal(selected(&stage)->pid, 4121);
	assert_true(list->table.selected > 5);
	stage_press(&stage, 'R');
	assert_int_equal(selected(&stage)->pid, 4121);
	/* The followed process does not run. */
	app_snapshot(&stage.app, screen_snapshot_family(2));
	stage_press(&stage, 'K');
	stage_check_text(&stage, "following 4121 postgres (did not run)", true);
	snapshot = shuffled(screen_snapshot(2));
	snapshot->threads.items[0].flags |= ROW_EXITED;
	app_snapshot(&stage.app, snapshot);
	stage_press(&stage, 'K');
	assert_int_equal(selected(&stage)->pid, 4121);
	app_snapshot(&stage.app, screen_snapshot_family(2));
	app_draw(&stage.app, &stage.canvas);
	stage_check_text(&stage, "4121 postgres has ended and is no longer followed.", true);
	stage_check_text(&stage, "following", false);
	/* No line is then selected. A movement or F ends following. */
	stage_keys(&stage, (int[]){'F', 0});
	assert_false(list->following);
	stage_keys(&stage, (int[]){KEYMAP_DOWN, 'F', 0});
	assert_true(list->following);
	stage_keys(&stage, (int[]){KEYMAP_DOWN, 0});
	assert_false(list->following);
	stage_keys(&stage, (int[]){'F', 'F', 0});
	assert_false(list->following);
	stage_close(&stage);
}

/* Down, Up, a click and a tag aim at a row. What scrolls or orders the list ends that. */
static void test_aims_at_a_row(void **state)
{
	static const struct {
		const char *name;
		int keys[6];
		bool stays;
	} rows[] = {
		{"nothing", {0}, false},
		{"up and down", {KEYMAP_DOWN, KEYMAP_UP, 0}, true},
		{"up alone", {KEYMAP_UP, 0}, true},
		{"columns scrolled", {KEYMAP_UP, KEYMAP_RIGHT, 0}, true},
		{"home", {KEYMAP_DOWN, KEYMAP_HOME, 0}, false},
		{"pages", {KEYMAP_UP, KEYMAP_PAGE_DOWN, KEYMAP_PAGE_UP, 0}, false},
		{"order", {KEYMAP_UP, '<', '>', 0}, false},
		{"filter", {KEYMAP_UP, '\\', 'o', KEYMAP_ESCAPE, 0}, false},
		{"F", {KEYMAP_UP, 'F', '<', '>', 0}, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct stage stage;

		stage_open(&stage, 100, 24, false, screen_snapshot(2));
		stage_keys(&stage, rows[i].keys);
		assert_int_equal(selected(&stage)->pid, 4121);
		app_snapshot(&stage.app, shuffled(screen_snapshot(2)));
		app_draw(&stage.app, &stage.canvas);
		if ((selected(&stage)->pid == 4121) != rows[i].stays)
			fail_msg("%s: %d", rows[i].name, selected(&stage)->pid);
		stage_check_text(&stage, "following", strcmp(rows[i].name, "F") == 0);
		stage_close(&stage);
	}
}

/* A row that did not run is not replaced by another one: Enter shows it, Down goes on there. */
static void test_aims_at_an_idle_row(void **state)
{
	struct stage stage;
	struct list *list = &stage.app.tasks;

	(void)state;
	stage_open(&stage, 100, 24, false, screen_snapshot(2));
	app_draw(&stage.app, &stage.canvas);
	app_click(&stage.app, 20, list->table.place.y + 2, false);
	assert_int_equal(selected(&stage)->pid, 4122);
	app_snapshot(&stage.app, screen_snapshot_family(2));
	stage_press(&stage, 'K');
	assert_int_equal(list->table.selected, TABLE_NO_LINE);
	stage_press(&stage, KEYMAP_ENTER);
	stage_check_text(&stage, "process 4122 postgres", true);
	stage_keys(&stage, (int[]){KEYMAP_ESCAPE, KEYMAP_DOWN, 0});
	assert_int_equal(list->table.selected, 1);
	stage_press(&stage, ' '); /* a tag moves on, and aims there */
	int32_t pid = selected(&stage)->pid;
	app_snapshot(&stage.app, screen_snapshot(2));
	app_snapshot(&stage.app, screen_snapshot_family(2));
	app_draw(&stage.app, &stage.canvas);
	assert_int_equal(selected(&stage)->pid, pid);
	app_wheel(&stage.app, false);
	app_snapshot(&stage.app, screen_snapshot(2));
	app_draw(&stage.app, &stage.canvas);
	assert_int_equal(list->table.selected, 0);
	stage_close(&stage);
}

static void test_search(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 80, 24, false, screen_snapshot(2));
	stage_press(&stage, '/');
	stage_type(&stage, "ana");
	assert_int_equal(selected(&stage)->pid, 5000);
	stage_type(&stage, " sc");
	assert_int_equal(selected(&stage)->pid, 5004);
	stage_press(&stage, 'x');
	stage_check_text(&stage, "no match", true);
	stage_check_text(&stage, "following", false);
	assert_int_equal(selected(&stage)->pid, 5004);
	stage_press(&stage, KEYMAP_ESCAPE);
	assert_int_equal(selected(&stage)->pid, 4121);
	stage_press(&stage, KEYMAP_F0 + 3);
	stage_type(&stage, "POSTGRES");
	assert_int_equal(selected(&stage)->pid, 4121);
	stage_press(&stage, KEYMAP_F0 + 3);
	assert_int_equal(selected(&stage)->pid, 4122);
	stage_press(&stage, KEYMAP_ENTER);
	assert_int_equal(selected(&stage)->pid, 4122);
	stage_press(&stage, 'n');
	assert_int_equal(selected(&stage)->pid, 4121);
	stage_keys(&stage, (int[]){'/', '4', '1', '2', '1', KEYMAP_ENTER, 0});
	stage_check_text(&stage, "following 4121 postgres", true);
	app_snapshot(&stage.app, shuffled(screen_snapshot(2)));
	app_draw(&stage.app, &stage.canvas);
	assert_int_equal(selected(&stage)->pid, 4121);
	stage_press(&stage, KEYMAP_UP);
	stage_check_text(&stage, "following", false);
	/* CPUs match by number. */
	stage_keys(&stage, (int[]){'C', '/', '1', KEYMAP_ENTER, 0});
	const struct list *cpus = &stage.app.cpus;
	assert_int_equal(view_cpu(&cpus->view, cpus->table.selected)->cpu, 1);
	stage_keys(&stage, (int[]){'/', '9', KEYMAP_ENTER, 'n', 0});
	stage_check_text(&stage, "No match for '9'.", true);
	stage_close(&stage);
}

static void test_filter(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 80, 24, false, screen_snapshot(2));
	stage_press(&stage, '\\');
	stage_type(&stage, "post");
	stage_check_text(&stage, "filter post", true);
	stage_check_text(&stage, "kworker", false);
	stage_press(&stage, KEYMAP_ENTER);
	stage_check_text(&stage, "filter post", true);
	stage_keys(&stage, (int[]){KEYMAP_F0 + 4, 'q', 'q', 0});
	stage_check_text(&stage, "no match", true);
	stage_press(&stage, KEYMAP_ESCAPE);
	stage_check_text(&stage, "filter post ", true);
	stage_check_text(&stage, "kworker", false);
	stage_keys(&stage, (int[]){'\\', KEYMAP_CONTROL('U'), 0});
	stage_check_text(&stage, "kworker", true);
	stage_press(&stage, KEYMAP_ENTER);
	stage_check_text(&stage, "filter", false);
	stage_close(&stage);
}

static void paste(struct stage *stage, const char *text)
{
	app_paste_begin(&stage->app);
	for (; *text; text++)
		app_paste(&stage->app, keymap_key_of(*text));
	app_paste_rest(&stage->app);
	app_draw(&stage->app, &stage->canvas);
}

/* Pasted text presses no key. A prompt and a picker take it as a line. */
static void test_paste(void **state)
{
	static char long_text[5000];
	static const struct {
		const char *name;
		int keys[4]; /* before it */
		const char *pasted;
		const char *shows, *hides;
		bool prompt, ignored;
	} rows[] = {
		{"a list", {0}, "ok\rq\003", "Pasted text is ignored", "Record", .ignored = true},
		{"control characters", {0}, "\r\t \033", NULL, "ignored"},
		{"a filter", {'\\', 0}, "post", "filter post", "kworker", .prompt = true},
		{"two lines", {'\\', 0}, " post\r\nwal\r\n", "post wal", NULL, .prompt = true},
		{"a search", {'/', 0}, "jn/q", "jn/q", NULL, .prompt = true},
		{"too long", {'/', 0}, long_text, "no match", NULL, .prompt = true},
		{"a file", {'o', 0}, "my file\r", "my file", "Recording", .prompt = true},
		{"a question", {0}, "y", "Pasted text is ignored", NULL, true, true},
		{"a picker", {'x', 0}, "bran\r", "branch_mpki", "removed"},
		{"a long text in a picker", {'x', 0}, long_text, NULL, "removed"},
		{"help", {'?', 0}, "q", "Marks on figures"},
	};

	(void)state;
	memset(long_text, 'n', sizeof(long_text) - 1);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct stage stage;

		stage_open(&stage, 80, 24, false, screen_snapshot(2));
		stage_keys(&stage, rows[i].keys);
		if (rows[i].prompt && rows[i].ignored)
			prompt_confirm(&stage.app.prompt, "Sure?", NULL);
		paste(&stage, rows[i].pasted);
		if (rows[i].shows)
			stage_check_text(&stage, rows[i].shows, true);
		if (rows[i].hides)
			stage_check_text(&stage, rows[i].hides, false);
		stage_check_text(&stage, "Pasted text is ignored", rows[i].ignored);
		if (stage.app.prompt.active != rows[i].prompt || stage.app.out.quit)
			fail_msg("%s: the prompt is %d", rows[i].name, stage.app.prompt.active);
		stage_close(&stage);
	}
}

/* Command lines are read while a filter or a search needs them. */
static void test_searched_command_lines(void **state)
{
	static const struct {
		const char *name;
		int keys[8];
		int want; /* what is requested; -1: nothing */
	} rows[] = {
		{"a filter is typed", {'\\', 0}, COMMAND_LINES_MATCHED},
		{"it is done", {'p', KEYMAP_ENTER, 0}, -1},
		{"they are shown", {'c', 0}, COMMAND_LINES_SHOWN},
		{"no longer", {'c', 0}, COMMAND_LINES_MATCHED},
		{"without the filter", {KEYMAP_ESCAPE, 0}, COMMAND_LINES_SCREEN},
		{"a filter that is given up", {'\\', 'x', KEYMAP_ESCAPE, 0}, -2},
		{"a search is typed", {'/', 0}, COMMAND_LINES_MATCHED},
		{"it can be repeated", {'p', KEYMAP_ENTER, 'n', 0}, -1},
		{"another, which is given up", {'/', 'x', KEYMAP_ESCAPE, 0}, COMMAND_LINES_SCREEN},
	};
	struct stage stage;

	(void)state;
	stage_open(&stage, 80, 24, false, screen_snapshot(2));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct request_list *commands = &stage.app.out.list;
		int got = -1;

		stage_keys(&stage, rows[i].keys);
		app_changes(&stage.app);
		if (commands->n > 0 &&
		    commands->items[commands->n - 1].kind == REQUEST_COMMAND_LINES)
			got = (int)commands->items[commands->n - 1].number;
		if (rows[i].want >= -1 ? got != rows[i].want : commands->n != 2)
			fail_msg("%s: %d", rows[i].name, got);
		request_list_clear(commands);
	}
	stage_close(&stage);
}

static void test_user(void **state)
{
	struct stage stage;
	struct row_filter_spec *filter = &stage.app.tasks.spec.filter;

	(void)state;
	stage_open(&stage, 80, 24, false, screen_snapshot_family(2));
	stage_press(&stage, 'u');
	stage_check_text(&stage, "all users", true);
	stage_check_text(&stage, "45.0 %CPU, 2 processes", true);
	stage_type(&stage, "www");
	stage_press(&stage, KEYMAP_ENTER);
	assert_true(filter->one_user && filter->uid == 33);
	stage_check_text(&stage, "user www", true);
	stage_check_text(&stage, "walwriter", false);
	stage_press(&stage, 'u');
	stage_press(&stage, KEYMAP_ESCAPE);
	assert_true(filter->one_user);
	stage_keys(&stage, (int[]){'u', KEYMAP_HOME, KEYMAP_ENTER, 0});
	assert_false(filter->one_user);
	stage_check_text(&stage, "walwriter", true);
	stage_close(&stage);
}

static void test_remove(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 80, 24, false, screen_snapshot(2));
	stage_keys(&stage, (int[]){'>', 'x', KEYMAP_ENTER, 0});
	stage_check_request(&stage, REQUEST_REMOVE, "ghz", 0);
	stage_check_text(&stage, "Column GHz is removed.", true);
	stage_press(&stage, 'x');
	stage_type(&stage, "branch");
	stage_press(&stage, KEYMAP_ENTER);
	stage_check_request(&stage, REQUEST_REMOVE, "branch_mpki", 0);
	stage_keys(&stage, (int[]){'x', KEYMAP_ESCAPE, 0});
	assert_int_equal(app_changes(&stage.app)->n, 0);
	stage_close(&stage);
}

struct machine {
	uint64_t start_ticks; /* of 4121 */
	bool reused;          /* at the opening of the picker */
	int sent, open;
};

static ssize_t machine_file(void *ctx, const char *path, char *buffer, size_t size)
{
	struct machine *machine = ctx;
	pid_t pid = strcmp(path, "/proc/4121/stat") == 0   ? 4121
		    : strcmp(path, "/proc/4122/stat") == 0 ? 4122
							   : 0;

	if (!pid)
		return -ENOENT;
	return snprintf(buffer, size,
			"%d (postgres) S 1 1 1 0 -1 4194560 1 0 0 0 1 1 0 0 20 0 1 0 %llu 1 1 1\n",
			pid, (unsigned long long)machine->start_ticks);
}

static uint64_t machine_now(void *ctx)
{
	(void)ctx;
	return 100 * NS_PER_S;
}

static int machine_pidfd_open(void *ctx, pid_t pid)
{
	struct machine *machine = ctx;

	machine->open++;
	if (machine->reused)
		machine->start_ticks++;
	return pid;
}

static int machine_pidfd_signal(void *ctx, int fd, int number)
{
	struct machine *machine = ctx;

	if (fd == 4122)
		return -EPERM;
	machine->sent = number;
	return 0;
}

static int machine_close(void *ctx, int fd)
{
	(void)fd;
	((struct machine *)ctx)->open--;
	return 0;
}

static const struct sys_ops machine_ops = {
	.file_read = machine_file,
	.now_ns = machine_now,
	.boottime_ns = machine_now,
	.pidfd_open = machine_pidfd_open,
	.pidfd_signal = machine_pidfd_signal,
	.close = machine_close,
};

static struct snapshot *seen_at(uint64_t ns)
{
	struct snapshot *snapshot = screen_snapshot(2);

	snapshot->time_ns = ns;
	return snapshot;
}

static void test_kill(void **state)
{
	struct machine machine = {.start_ticks = 10};
	const struct sys sys = {&machine_ops, &machine};
	struct stage stage;

	(void)state;
	stage_open(&stage, 100, 24, false, seen_at(99 * NS_PER_S));
	stage.app.config.sys = &sys;
	stage_press(&stage, 'k');
	stage_check_text(&stage, "Signal to 4121 postgres", true);
	stage_press(&stage, KEYMAP_ENTER);
	stage_check_text(&stage, "Send SIGTERM to 4121 postgres? (y/n)", true);
	stage_press(&stage, 'n');
	assert_int_equal(machine.sent, 0);
	stage_press(&stage, KEYMAP_F0 + 9);
	stage_type(&stage, "kill");
	stage_keys(&stage, (int[]){KEYMAP_ENTER, 'y', 0});
	assert_int_equal(machine.sent, SIGKILL);
	assert_int_equal(machine.open, 0);
	stage_check_text(&stage, "SIGKILL was sent to 4121 postgres.", true);
	/* One of two tagged processes belongs to another user. */
	stage_keys(&stage, (int[]){KEYMAP_HOME, ' ', ' ', 'k', 0});
	stage_check_text(&stage, "Signal to 2 processes: 4121 postgres", true);
	stage_keys(&stage, (int[]){KEYMAP_ENTER, 'y', 0});
	assert_int_equal(machine.sent, SIGTERM);
	stage_check_text(&stage, "SIGTERM was sent to 1 of 2: Process 4122 belongs to another user",
			 true);
	stage_press(&stage, KEYMAP_ESCAPE);
	stage_keys(&stage, (int[]){KEYMAP_HOME, KEYMAP_DOWN, 'k', KEYMAP_ENTER, 'y', 0});
	stage_check_text(&stage, "a signal needs root or CAP_KILL.", true);
	/* Escape in the picker: no question follows. */
	stage_keys(&stage, (int[]){'k', KEYMAP_ESCAPE, 0});
	assert_false(stage.app.prompt.active);
	stage_close(&stage);
}

/* A process with a reused pid gets no signal. */
static void test_kill_reused_pid(void **state)
{
	struct machine machine = {.start_ticks = 9950};
	const struct sys sys = {&machine_ops, &machine};
	struct stage stage;

	(void)state;
	stage_open(&stage, 100, 24, false, seen_at(99 * NS_PER_S));
	stage.app.config.sys = &sys;
	stage_press(&stage, 'k'); /* started half a second after the snapshot */
	stage_check_text(&stage, "Process 4121 has ended.", true);
	machine.start_ticks = 10;
	machine.reused = true;
	stage_keys(&stage, (int[]){'k', KEYMAP_ENTER, 'y', 0});
	stage_check_text(&stage, "Process 4121 has ended.", true);
	assert_int_equal(machine.sent, 0);
	assert_int_equal(machine.open, 0);
	stage_keys(&stage, (int[]){KEYMAP_END, 'k', 0});
	stage_check_text(&stage, "Process 5008 has ended.", true);
	stage_close(&stage);
}

/*
 * After a detach all processes are listed: the question is about the same process, or there is
 * none.
 */
static void test_kill_after_detaching(void **state)
{
	static const struct {
		const char *name;
		pid_t pid;
		int keys[3];
		const char *message, *want;
	} rows[] = {
		{"it is shown", 4122, {0}, "all tasks are counted.", "Signal to 4122 postgres"},
		{"followed", 4122, {'F'}, "all tasks are counted.", "Signal to 4122 postgres"},
		{"it is not", 31, {0}, "The selected task is not shown", "No process is selected."},
		{"followed, not shown", 31, {'F'}, "is not shown", "No process is selected."},
		{"the next move", 31, {0, 0, 1}, "is not shown", "Signal to 4121 postgres"},
	};
	struct machine machine = {.start_ticks = 10};
	const struct sys sys = {&machine_ops, &machine};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sample_row row = screen_row(rows[i].pid, "db", "postgres", 1000000, 1, 1);
		struct snapshot *one = screen_snapshot_new("overview", "armv8_pmuv3", &row, 1, 2);
		struct stage stage;

		one->targeted = true;
		one->time_ns = 98 * NS_PER_S;
		stage_open(&stage, 100, 24, false, one);
		stage.app.config.sys = &sys;
		stage_keys(&stage, rows[i].keys);
		stage_press(&stage, 'D');
		app_snapshot(&stage.app, seen_at(99 * NS_PER_S));
		app_draw(&stage.app, &stage.canvas);
		stage_check_text(&stage, rows[i].message, true);
		if (rows[i].keys[2])
			stage_press(&stage, KEYMAP_DOWN);
		stage_press(&stage, 'k');
		stage_check_text(&stage, rows[i].want, true);
		stage_close(&stage);
	}
}

static void test_kill_refused(void **state)
{
	struct machine machine = {.start_ticks = 10};
	const struct sys sys = {&machine_ops, &machine};
	struct stage stage;

	(void)state;
	stage_open(&stage, 100, 24, false, seen_at(99 * NS_PER_S));
	stage_press(&stage, 'k');
	stage_check_text(&stage, "no signal is sent to the processes of a recording", true);
	stage.app.config.sys = &sys;
	stage_keys(&stage, (int[]){'g', 'k', 0});
	stage_check_text(&stage, "A signal needs a process", true);
	stage_keys(&stage, (int[]){'C', 'k', 0});
	stage_check_text(&stage, "A signal needs a process", true);
	stage.app.config.readonly = true;
	stage_keys(&stage, (int[]){'C', 'H', 'k', 0});
	stage_check_text(&stage, "--readonly: no signal is sent.", true);
	stage_press(&stage, 'o');
	stage_check_text(&stage, "--readonly: nothing is recorded.", true);
	stage_press(&stage, 'W');
	stage_check_text(&stage, "--readonly: nothing is saved.", true);
	assert_false(stage.app.out.save);
	stage_close(&stage);
}

/* Blocked actions are in no list of keys, and the title gives the reason. */
static void test_refused(void **state)
{
	static const char *const refused[] = {"send a signal", "raise the priority",
					      "lower the priority", "recording to a file",
					      "save the conf"};
	struct stage stage;

	(void)state;
	stage_open(&stage, 100, 70, false, seen_at(99 * NS_PER_S));
	stage_check_text(&stage, "READONLY", false);
	stage_press(&stage, '?');
	stage_check_text(&stage, "replay: faster", false);
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		stage_check_text(&stage, refused[i], true);
	stage_press(&stage, 'q');
	stage.app.config.readonly = true;
	stage_press(&stage, '?');
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		stage_check_text(&stage, refused[i], false);
	stage_check_text(&stage, "attach to a process", true);
	stage_press(&stage, 'q');
	stage_check_text(&stage, " READONLY ", true);
	stage_press(&stage, KEYMAP_F0 + 2);
	stage_check_text(&stage, "W Save", false);
	stage.app.config.readonly = false;
	stage_press(&stage, KEYMAP_CONTROL('L'));
	stage_check_text(&stage, "W Save", true);
	stage_close(&stage);
}

/* An empty list names the keys that bring rows. */
static void test_empty_lists(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 60, 20, false, seen_at(99 * NS_PER_S));
	stage_press(&stage, '\\');
	stage_type(&stage, "postgrex");
	stage_press(&stage, KEYMAP_ENTER);
	stage_check_text(&stage, "No task matches 'postgrex'. Esc clears it. i adds idle ones.",
			 true);
	stage_press(&stage, 'i');
	stage_check_text(&stage, "No task matches 'postgrex'. Esc clears it.", true);
	stage_check_text(&stage, "i adds", false);
	stage_press(&stage, KEYMAP_ESCAPE);
	stage_check_text(&stage, "No task matches", false);
	stage.app.tasks.spec.filter = (struct row_filter_spec){.one_user = true, .uid = 31337};
	list_invalidate(&stage.app.tasks);
	stage_press(&stage, 'i');
	stage_check_text(&stage, "No task of this user ran. Esc shows all users. i adds", true);
	stage_press(&stage, KEYMAP_ESCAPE);
	stage_check_text(&stage, "No task of this user", false);
	stage_close(&stage);
}

/* Hints name no action that is blocked. */
static void test_refused_hints(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 100, 24, false, seen_at(99 * NS_PER_S));
	stage_press(&stage, 'r');
	stage_check_text(&stage, "Priority: F7 F8", true);
	stage.app.config.readonly = true;
	stage_press(&stage, 'r');
	stage_check_text(&stage, "--readonly: no priority is changed.", true);
	stage_press(&stage, KEYMAP_DELETE);
	stage_check_text(&stage, "--readonly: no signal is sent.", true);
	stage_press(&stage, ']');
	stage_check_text(&stage, "This key works only in a replay", true);
	stage_check_text(&stage, "F7 F8", false);
	stage_close(&stage);
}

/* Without the right to count whole CPUs, or at all, what needs it is not offered. */
static void test_refused_by_mode(void **state)
{
	static const struct {
		enum count_mode mode;
		bool code, levels, record;
	} rows[] = {
		{COUNT_MODE_SYSTEM, true, true, true},
		{COUNT_MODE_TASK, true, true, false},
		{COUNT_MODE_PROC, false, false, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct snapshot *snapshot = seen_at(99 * NS_PER_S);
		struct stage stage;

		snapshot->mode = rows[i].mode;
		stage_open(&stage, 100, 70, false, snapshot);
		app_draw(&stage.app, &stage.canvas);
		stage_check_text(&stage, "w Code", rows[i].code);
		stage_press(&stage, '?');
		stage_check_text(&stage, "where in the code", rows[i].code);
		stage_check_text(&stage, "recording to a file", rows[i].record);
		stage_press(&stage, 'q');
		stage_press(&stage, 'w');
		stage_check_text(&stage, "No functions: counters are denied.", !rows[i].code);
		stage_keys(&stage, (int[]){KEYMAP_ESCAPE, 'K', 0});
		stage_check_text(&stage, "Counters are denied", !rows[i].levels);
		stage_press(&stage, 'o');
		stage_check_text(&stage, "No recording: whole CPUs are not counted.",
				 !rows[i].record);
		stage_close(&stage);
	}
}

static void open_family(struct stage *stage, const struct sys *sys, unsigned width, unsigned height)
{
	stage_open(stage, width, height, width % 2, screen_snapshot_family(3));
	stage->app.config.sys = sys;
}

/* Pickers and prompts work at all sizes: enlarged, all screens are the same. */
static void test_sizes(void **state)
{
	static const int keys[] = {
		'e',           'c',           KEYMAP_DOWN,  KEYMAP_ESCAPE, 'x',
		KEYMAP_END,    KEYMAP_ESCAPE, 'u',          KEYMAP_DOWN,   KEYMAP_ENTER,
		'k',           KEYMAP_END,    KEYMAP_ENTER, 'n',           '/',
		'p',           KEYMAP_ENTER,  'n',          '\\',          'q',
		KEYMAP_ESCAPE, ' ',           ' ',          'F',           't',
		' ',           'F',           'g',          ' ',           'F',
		'C',           ' ',           'F',          'C',           0};
	struct machine machine = {.start_ticks = 10};
	const struct sys sys = {&machine_ops, &machine};
	char *expected[2];
	struct stage stage;

	(void)state;
	for (unsigned ascii = 0; ascii < 2; ascii++) {
		open_family(&stage, &sys, 80 + ascii, 24);
		stage_keys(&stage, keys);
		expected[ascii] = stage_print_resized(&stage, 80, 24);
		stage_close(&stage);
	}
	for (unsigned height = 1; height <= 30; height += height < 12 ? 1 : 6)
		for (unsigned width = 1; width <= 120; width += width < 40 ? 3 : 40) {
			open_family(&stage, &sys, width, height);
			stage_keys(&stage, keys);

			char *drawn = stage_print_resized(&stage, 80, 24);

			if (strcmp(drawn, expected[width % 2]) != 0)
				fail_msg("%ux%u:\n%s\ninstead of\n%s", width, height, drawn,
					 expected[width % 2]);
			free(drawn);
			stage_close(&stage);
		}
	free(expected[0]);
	free(expected[1]);
}

/* Keys of other programs name the key here each time, other keys the help once in a run. */
static void test_key_without_function(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 80, 24, false, screen_snapshot(2));
	stage_press(&stage, 'E');
	stage_check_text(&stage, "E has no function. ? lists the keys.", true);
	stage_press(&stage, 'X');
	stage_check_text(&stage, "has no function", false);
	for (int again = 0; again < 2; again++) {
		stage_press(&stage, 'j');
		stage_check_text(&stage, "j has no function. Down: Down.", true);
	}
	stage_press(&stage, KEYMAP_DOWN);
	stage_check_text(&stage, "has no function", false);
	/* In a question it is a letter. */
	stage_keys(&stage, (int[]){'/', 'j', 0});
	stage_check_text(&stage, "has no function", false);
	stage_close(&stage);
}

static void test_verdict_line(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 80, 24, false, screen_snapshot(2));
	messages_show(&stage.app.messages, "Something %s.", "happened");
	app_draw(&stage.app, &stage.canvas);
	stage_check_text(&stage, "Something happened.", true);
	for (unsigned i = 0; i < 3; i++)
		app_snapshot(&stage.app, screen_snapshot(2));
	app_draw(&stage.app, &stage.canvas);
	stage_check_text(&stage, "Something happened.", true);
	for (unsigned i = 0; i < 3; i++)
		app_snapshot(&stage.app, screen_snapshot(2));
	app_draw(&stage.app, &stage.canvas);
	stage_check_text(&stage, "Something happened.", false);
	messages_show(&stage.app.messages, "Something %s.", "happened");
	stage_press(&stage, KEYMAP_DOWN);
	stage_check_text(&stage, "Something happened.", false);
	messages_show_lasting(&stage.app.messages, "This lasts.");
	stage_press(&stage, KEYMAP_DOWN);
	stage_check_text(&stage, "This lasts.", true);
	stage_close(&stage);
}

/* The message log has the whole text of a note that is cut. */
static void test_cut_note(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 80, 24, false, screen_snapshot(2));
	messages_show(&stage.app.messages, "Not written: '%060d' is full. Write elsewhere.", 0);
	app_draw(&stage.app, &stage.canvas);
	stage_check_text(&stage, "elsewhere.", true);
	stage_check_text(&stage, "(more: L)", false);
	messages_show(&stage.app.messages,
		      "Not written: '%060d' and '%060d' are full. Write elsewhere.", 0, 0);
	app_draw(&stage.app, &stage.canvas);
	stage_check_text(&stage, "elsewhere.", false);
	stage_check_text(&stage, " (more: L)\n", true);
	stage_press(&stage, 'L');
	stage_check_text(&stage, "elsewhere.", true);
	stage_close(&stage);
}

/* Why the list is empty is wrapped. */
static void test_words_of_empty_list(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 80, 24, false, screen_snapshot(2));
	stage_press(&stage, '\\');
	stage_type(&stage, "a-name-of-forty-columns-that-no-task-has");
	stage_press(&stage, KEYMAP_ENTER);
	stage_check_text(&stage, "Esc clears it. i\nadds idle ones.\n", true);
	stage_close(&stage);
}

/* A note that is cut ends with a word. The number of others takes no place of a note. */
static void test_words_of_note(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 60, 12, false, screen_snapshot_lossy(2));
	app_draw(&stage.app, &stage.canvas);
	stage_check_text(&stage, "\nRecords were lost: the rings are too small for… (+1", true);
	stage_check_text(&stage, " (+1 more: L)\n", true);
	stage_close(&stage);

	stage_open(&stage, 80, 24, false, screen_snapshot_lossy(2));
	messages_show(&stage.app.messages, "%s",
		      "A note of seventy columns is whole though there are others beside it.");
	app_draw(&stage.app, &stage.canvas);
	stage_check_text(&stage, "others beside it.", true);
	stage_check_text(&stage, " (+2 more: L)\n", true);
	stage_close(&stage);
}

/* The lines of findings stay when there is none any more. */
static void test_finding_lines_stay(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 80, 24, false, screen_snapshot_software(2, 20));
	app_draw(&stage.app, &stage.canvas);
	unsigned y = stage.app.tasks.table.place.y;
	struct snapshot *idle = screen_snapshot_software(2, 5);
	idle->idle[TALLY_TASK_CLOCK] = idle->totals[TALLY_TASK_CLOCK];
	app_snapshot(&stage.app, idle);
	app_draw(&stage.app, &stage.canvas);
	stage_check_text(&stage, "idle: less", true);
	assert_int_equal(stage.app.tasks.table.place.y, y + 2);
	app_snapshot(&stage.app, screen_snapshot_software(2, 20));
	app_draw(&stage.app, &stage.canvas);
	stage_check_text(&stage, "idle: less", false);
	assert_int_equal(stage.app.tasks.table.place.y, y + 2);
	stage_close(&stage);
}

/* A sentence that does not fit has the line that no other sentence needs. */
static void test_long_finding(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 66, 24, false, screen_snapshot(2));
	assert_true(stage.app.display.findings.n > 0);
	stage.app.display.findings.n = 1;
	text_copy(
		stage.app.display.findings.items[0].text,
		sizeof(stage.app.display.findings.items[0].text),
		"victim (77) waits for a CPU 98 % of the time: its CPUs ran spinner, and it ends");
	app_draw(&stage.app, &stage.canvas);
	stage_check_text(&stage, " CPUs ran\nspinner, and it ends\n", true);
	stage_close(&stage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_listening),
		cmocka_unit_test(test_long_finding),
		cmocka_unit_test(test_event_columns),
		cmocka_unit_test(test_tags),
		cmocka_unit_test(test_setup_without_columns),
		cmocka_unit_test(test_setup_adds_columns),
		cmocka_unit_test(test_setup_begins),
		cmocka_unit_test(test_detail_of_an_event),
		cmocka_unit_test(test_untag),
		cmocka_unit_test(test_escape_and_untag),
		cmocka_unit_test(test_tagged_tree),
		cmocka_unit_test(test_tags_of_ended),
		cmocka_unit_test(test_chains_of_a_tree),
		cmocka_unit_test(test_follow),
		cmocka_unit_test(test_aims_at_a_row),
		cmocka_unit_test(test_aims_at_an_idle_row),
		cmocka_unit_test(test_search),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_paste),
		cmocka_unit_test(test_searched_command_lines),
		cmocka_unit_test(test_user),
		cmocka_unit_test(test_remove),
		cmocka_unit_test(test_kill),
		cmocka_unit_test(test_kill_reused_pid),
		cmocka_unit_test(test_kill_after_detaching),
		cmocka_unit_test(test_kill_refused),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_refused_hints),
		cmocka_unit_test(test_empty_lists),
		cmocka_unit_test(test_refused_by_mode),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_key_without_function),
		cmocka_unit_test(test_verdict_line),
		cmocka_unit_test(test_cut_note),
		cmocka_unit_test(test_words_of_empty_list),
		cmocka_unit_test(test_words_of_note),
		cmocka_unit_test(test_finding_lines_stay),
	};

	return cmocka_run_group_tests(tests, stage_set_zone, NULL);
}
