// SPDX-License-Identifier: MIT
/* What a large screen has beside and below a list. */
#include "tests/unit/shared/screen_snapshot.h"
#include "tests/unit/shared/stage.h"

enum { CPUS = 4, LINES_MAX = 10 };

/* Makes parents of the family: of all rows the same, or of make and its child each other. */
enum parents { REAL, ALL_OF_INIT, RING };

static struct snapshot *family_snapshot(enum parents parents)
{
	struct snapshot *snapshot = screen_snapshot_family(CPUS);

	for (size_t i = 0; i < snapshot->threads.n; i++) {
		struct row *row = &snapshot->threads.items[i];

		if (parents == ALL_OF_INIT)
			row->ppid = 1;
		else if (parents == RING && row->pid == 502)
			row->ppid = 503;
	}
	return snapshot;
}

/* The lines below "Processes" of the page of the row with that pid. */
static void test_tree(void **state)
{
	static const struct {
		const char *name;
		enum parents parents;
		pid_t pid;
		bool ascii;
		const char *lines[LINES_MAX];
	} rows[] = {
		{"in the middle",
		 REAL,
		 502,
		 false,
		 {"1 systemd", "└─ 500 bash", "   └─ 502 make", "      ├─ 503 cc1  34.0%",
		  "      └─ 504 as  6.0%", ""}},
		{"in ASCII",
		 REAL,
		 502,
		 true,
		 {"1 systemd", "`- 500 bash", "   `- 502 make", "      |- 503 cc1  34.0%",
		  "      `- 504 as  6.0%", ""}},
		{"an unknown parent", REAL, 600, false, {NULL}},
		{"one child",
		 REAL,
		 300,
		 false,
		 {"1 systemd", "└─ 300 postgres", "   └─ 301 walwriter  0.2%", ""}},
		{"many children",
		 ALL_OF_INIT,
		 1,
		 false,
		 {"1 systemd", "├─ 300 postgres  56.0%", "├─ 201 nginx  42.0%", "├─ 503 cc1  34.0%",
		  "├─ 400 server  25.0%", "├─ 504 as  6.0%", "├─ 200 nginx  3.0%", "   and 5 more",
		  ""}},
		{"a ring",
		 RING,
		 503,
		 false,
		 {"502 make", "└─ 503 cc1", "   └─ 502 make  0.9%", ""}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct snapshot *snapshot = family_snapshot(rows[i].parents);
		struct stage stage;
		size_t line = 0;

		stage_open(&stage, 200, 50, rows[i].ascii, snapshot);
		stage_press(&stage, 't');
		const struct view *view = list_view(&stage.app.tasks, snapshot);
		while (line < view->n && view_row(view, line)->pid != rows[i].pid)
			line++;
		list_select(&stage.app.tasks, line);
		stage_press(&stage, KEYMAP_ENTER);
		char *drawn = canvas_print(&stage.canvas);
		char *at = strstr(drawn, "Processes");

		if (!at != !rows[i].lines[0])
			fail_msg("%s:\n%s", rows[i].name, drawn);
		for (size_t k = 0; at && rows[i].lines[k]; k++) {
			at = strchr(at, '\n') + 1;
			const char *want = rows[i].lines[k];
			char *end = strchr(at, '\n');

			/* The left column, which is the history, has no such texts. */
			*end = '\0';
			const char *found = strstr(at, want);
			if (*want && (!found || strcmp(found, want) != 0))
				fail_msg("%s: line %zu is %s", rows[i].name, k, at);
			if (!*want && strchr(at, '%'))
				fail_msg("%s: more lines: %s", rows[i].name, at);
			*end = '\n';
		}
		free(drawn);
		stage_close(&stage);
	}
}

/* Rows that come and go do not move what is below the list. */
static void test_list_lines(void **state)
{
	static const struct {
		size_t rows;
		unsigned lines;
	} rows[] = {{20, 21}, {15, 21}, {30, 31}, {24, 31}, {23, 31}, {22, 23}, {22, 23}, {1, 2}};
	struct list list;

	(void)state;
	list_init(&list, ROLLUP_PROCESS);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct snapshot *snapshot = screen_snapshot_software(CPUS, rows[i].rows);
		unsigned lines = list_lines(&list, snapshot);

		if (lines != rows[i].lines)
			fail_msg("step %zu: %u lines", i, lines);
		list_invalidate(&list);
		snapshot_free(snapshot);
	}
	list_fini(&list);
}

/* The details of the first row, of 4 CPUs and 13 rows, by the size of the screen. */
static void test_parts(void **state)
{
	static const struct {
		unsigned width, height;
		int key;
		const char *title; /* of the details */
		bool beside, below;
	} rows[] = {
		{80, 24, 0, "process 4121 postgres", false, false},
		{200, 39, 0, "process 4121 postgres", false, false},
		{120, 39, 0, "process 4121 postgres", false, false},
		{120, 40, 0, "process 4121 postgres", false, true},
		{160, 40, 0, "process 4121 postgres", true, true},
		{200, 50, 0, "process 4121 postgres", true, true},
		{120, 24, 'C', "CPU 1", false, false},
		{120, 40, 'C', "CPU 1", false, true},
		{200, 50, 'C', "CPU 1", true, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char below[64], beside[64];
		struct stage stage;

		snprintf(below, sizeof(below), "\n%s", rows[i].title);
		snprintf(beside, sizeof(beside), " %s\n", rows[i].title);
		stage_open(&stage, rows[i].width, rows[i].height, false, screen_snapshot(CPUS));
		stage_keys(&stage, (const int[]){rows[i].key, 0});
		/* Its history has no name again. */
		stage_check_text(&stage, below, rows[i].below && !rows[i].beside);
		stage_check_text(&stage, beside, rows[i].beside);
		stage_check_text(&stage, "\nHistory", rows[i].below);
		stage_close(&stage);
	}
}

/* The pane of a list names the key that shows more about a verdict; the page itself does not. */
static void test_hint(void **state)
{
	static const char hint[] = "w: the functions where that happens";
	struct stage stage;

	(void)state;
	stage_open(&stage, 200, 50, false, screen_snapshot(CPUS)); /* a stalled row */
	app_draw(&stage.app, &stage.canvas);
	stage_check_text(&stage, hint, true);
	stage_press(&stage, KEYMAP_ENTER);
	stage_check_text(&stage, hint, false);
	stage_close(&stage);
	stage_open(&stage, 200, 50, false, screen_snapshot(CPUS));
	stage_keys(&stage, (const int[]){KEYMAP_END, KEYMAP_UP, 0}); /* a row without a verdict */
	stage_check_text(&stage, hint, false);
	stage_close(&stage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_list_lines),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_hint),
	};

	return cmocka_run_group_tests(tests, stage_set_zone, NULL);
}
