// SPDX-License-Identifier: MIT
/* Each column of each table as the sort column: two titles never touch, and no column moves. The
 * title of HISTORY. */
#include "tests/unit/shared/screen_snapshot.h"
#include "tests/unit/shared/stage.h"
#include "tui/panel/list.h"

enum { HEIGHT = 4, METRICS_MAX = 200 };

/* Fails unless the line of titles has these, a blank or more between two, one with the mark. */
static void check_titles(const char *where, const struct view *view, const unsigned *widths,
			 const struct canvas *canvas)
{
	static const char *const marks[2][2] = {{"▼", "▲"}, {"v", "^"}};
	char *screen = canvas_print(canvas), *rest = NULL;
	const char *word = strtok_r(screen, " \n", &rest);

	for (size_t c = 0; c < view->n_columns; c++) {
		const struct view_column *column = &view->columns[c];
		bool sorts = c == view->sort_column, up = column->down == view->spec.reverse;
		char title[80];

		if (widths[c] == 0)
			continue;
		snprintf(title, sizeof(title), "%s%s", column->title,
			 sorts ? marks[canvas->ascii][up] : "");
		if (!word || strcmp(word, title) != 0)
			fail_msg("%s, sorted by %s: '%s' instead of '%s'", where,
				 view->columns[view->sort_column].name, word ? word : "", title);
		word = strtok_r(NULL, " \n", &rest);
	}
	free(screen);
}

/* Sorts by each column of the list, up and down. */
static void check_list(const char *where, struct list *list, const struct snapshot *snapshot,
		       struct canvas *canvas)
{
	struct rect rect = {0, 0, canvas->width, canvas->height};
	size_t n = list_view(list, snapshot)->n_columns;
	unsigned *widths = xcalloc(n, sizeof(*widths)), *first = xcalloc(n, sizeof(*first));

	struct table_rows rows = list_rows(list, snapshot);
	table_fit(&list->table, &rows, canvas->width, first);
	for (size_t i = 0; i < 2 * n; i++) {
		list_sort(list, list_view(list, snapshot)->columns[i / 2].name);
		list->spec.reverse = i % 2;
		canvas_clear(canvas);
		list_draw(list, snapshot, canvas, rect, "");

		const struct view *view = list_view(list, snapshot);

		assert_int_equal(view->sort_column, i / 2);
		rows = list_rows(list, snapshot);
		table_fit(&list->table, &rows, canvas->width, widths);
		/* A dropped column is shown while it is the sort column. */
		if (first[i / 2])
			assert_memory_equal(widths, first, n * sizeof(*widths));
		check_titles(where, view, widths, canvas);
	}
	free(widths);
	free(first);
}

/* The longest title of the metric's forms, borrowed from def. */
static const char *longest_title(const struct metric_def *def)
{
	const char *longest = def->title;

	for (size_t i = 0; i < METRIC_FORMS_MAX; i++)
		if (def->forms[i].title && strlen(def->forms[i].title) > strlen(longest))
			longest = def->forms[i].title;
	return longest;
}

/* Columns with the titles of these metrics. Their figures are IPC, which the sample can count. */
static struct columns *titled_columns(const char *const *names)
{
	const char *ipc[METRICS_MAX + 1] = {NULL};
	size_t n = 0;

	for (; names[n] && n < METRICS_MAX; n++)
		ipc[n] = "ipc";
	assert_null(names[n]);

	struct columns *columns = sample_columns_of("titles", ipc);

	for (size_t i = 0; i < n; i++) {
		struct metric_def *def = &columns->defs[i];

		metric_def_fini(def);
		metric_def_copy(def, metric_def_find(names[i]));
		def->machine = false;
		columns->metrics[i].title = longest_title(def);
	}
	return columns;
}

static void test_titles(void **state)
{
	static const unsigned screens[] = {80, 120, 200, 320, 2000};
	const char *all[METRICS_MAX + 1] = {NULL};
	size_t n_tables = 0;

	(void)state;
	assert_true(metric_table_n <= METRICS_MAX);
	for (size_t i = 0; i < metric_table_n; i++)
		all[i] = metric_table[i].name;
	for (size_t p = 0; p <= preset_table_n; p++) {
		struct sample_row row = screen_row(4121, "db", "postgres", 1000000, 1, 1);
		const char *const *names = p < preset_table_n ? preset_table[p].metrics : all;
		struct snapshot *snapshot = sample_snapshot(titled_columns(names), &row, 1);

		for (enum rollup by = 0; rollup_name(by); by++)
			for (size_t s = 0; s < 2 * ARRAY_SIZE(screens); s++) {
				struct canvas canvas = {0};
				struct list list;
				char where[80];

				canvas_init(&canvas, s % 2);
				canvas_resize(&canvas, screens[s / 2], HEIGHT);
				list_init(&list, by);
				snprintf(where, sizeof(where), "%s by %s, %u%s",
					 p < preset_table_n ? preset_table[p].name : "all metrics",
					 rollup_name(by), screens[s / 2], s % 2 ? ", ASCII" : "");
				check_list(where, &list, snapshot, &canvas);
				list_fini(&list);
				canvas_fini(&canvas);
				n_tables++;
			}
		snapshot_free(snapshot);
	}
	assert_true(n_tables > 100);
}

/* One scale for all rows: half of the value has half of the height. */
static void test_history(void **state)
{
	const struct sample_row rows[] = {
		screen_row(4121, "db", "postgres", 1000000000, 1, 1),
		screen_row(4122, "db", "writer", 500000000, 1, 1),
	};
	struct stage stage;

	(void)state;
	stage_open(&stage, 180, 24, false,
		   sample_snapshot(sample_columns("overview"), rows, ARRAY_SIZE(rows)));
	stage_keys(&stage, (int[]){0});
	stage_check_text(&stage, "HISTORY %CPU 0-100.0 ", true);
	stage_check_text(&stage, "█ postgres", true);
	stage_check_text(&stage, "▄ writer", true);
	stage_close(&stage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_titles),
					   cmocka_unit_test(test_history)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
