// SPDX-License-Identifier: MIT
/* Screens as text: tests/golden/screen_NAME.txt. GOLDEN_UPDATE=1 rewrites them; read the diff. */
#include "core/base/text.h"
#include "core/base/util.h"
#include "tests/unit/shared/screen_snapshot.h"
#include "tests/unit/shared/stage.h"

static void test_golden(void **state)
{
	enum { MACHINE, LOSSY, SICK, SOFTWARE, NOTHING, FAMILY };
	static const struct {
		const char *name;
		unsigned width, height;
		bool ascii;
		int snapshot;
		size_t n_cpus;
		int keys[16];
	} rows[] = {
		{"tasks_80x24", 80, 24, false, MACHINE, 2, {0}},
		{"tasks_80x24_ascii", 80, 24, true, MACHINE, 2, {0}},
		{"tasks_80x24_lossy", 80, 24, false, LOSSY, 64, {0}},
		{"tasks_200x50", 200, 50, false, LOSSY, 64, {0}},
		{"sick_80x24", 80, 24, false, SICK, 2, {0}},
		{"sick_200x50", 200, 50, false, SICK, 2, {0}},
		{"tasks_20x5", 20, 5, false, MACHINE, 2, {0}},
		{"tasks_40x12", 40, 12, false, LOSSY, 1, {0}},
		{"software_80x24", 80, 24, false, SOFTWARE, 1, {KEYMAP_PAGE_DOWN, 0}},
		{"software_80x24_ascii", 80, 24, true, SOFTWARE, 4, {'>', 'R', KEYMAP_END, 0}},
		{"cpus_80x24", 80, 24, false, MACHINE, 64, {KEYMAP_TAB, KEYMAP_END, 0}},
		{"findings_80x24", 80, 24, false, SICK, 2, {'!', 0}},
		{"findings_200x50", 200, 50, false, SICK, 2, {'!', KEYMAP_DOWN, 0}},
		{"help_80x24", 80, 24, false, LOSSY, 2, {'?', 0}},
		{"help_120x40", 120, 40, false, MACHINE, 2, {'?', 0}},
		{"help_40x12_ascii", 40, 12, true, MACHINE, 2, {'?', KEYMAP_PAGE_DOWN, 0}},
		{"prompt_80x24",
		 80,
		 24,
		 false,
		 MACHINE,
		 2,
		 {'s', '0', '.', '0', '1', KEYMAP_ENTER, 0}},
		{"scrolled_40x12", 40, 12, false, MACHINE, 2, {KEYMAP_RIGHT, KEYMAP_RIGHT, 0}},
		{"tree_80x24", 80, 24, false, FAMILY, 4, {'t', 0}},
		{"tree_80x24_ascii", 80, 24, true, FAMILY, 4, {KEYMAP_F0 + 5, 'R', 0}},
		{"tree_200x50", 200, 50, false, FAMILY, 4, {'t', 0}},
		{"user_80x24", 80, 24, false, FAMILY, 4, {'g', 0}},
		{"cgroup_80x24", 80, 24, false, FAMILY, 4, {'g', 'g', 0}},
		{"cgroup_200x50", 200, 50, false, FAMILY, 4, {'g', 'g', 0}},
		{"command_80x24", 80, 24, false, FAMILY, 4, {'g', 'g', 'g', 0}},
		{"socket_80x24", 80, 24, false, FAMILY, 4, {'C', 'g', 0}},
		{"node_80x24", 80, 24, false, FAMILY, 4, {'C', 'g', 'g', 0}},
		{"theme_80x24",
		 80,
		 24,
		 false,
		 MACHINE,
		 2,
		 {KEYMAP_F0 + 2, KEYMAP_DOWN, KEYMAP_ENTER, KEYMAP_DOWN, 0}},
		{"theme_120x40",
		 120,
		 40,
		 true,
		 MACHINE,
		 2,
		 {KEYMAP_F0 + 2, KEYMAP_DOWN, KEYMAP_ENTER, 'd', 'a', 'r', 'k', 0}},
		{"preset_80x24", 80, 24, false, MACHINE, 2, {'p', KEYMAP_DOWN, 0}},
		{"setup_80x24", 80, 24, false, MACHINE, 2, {KEYMAP_F0 + 2, KEYMAP_DOWN, 0}},
		{"setup_120x40",
		 120,
		 40,
		 true,
		 LOSSY,
		 4,
		 {'f', ' ', '>', '>', KEYMAP_DOWN, ' ', 0}},
		{"columns_80x24",
		 80,
		 24,
		 false,
		 MACHINE,
		 2,
		 {'f', KEYMAP_DOWN, ' ', KEYMAP_DOWN, '<', '<', KEYMAP_ESCAPE, 0}},
		{"paused_80x24", 80, 24, false, NOTHING, 0, {'Z', 0}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct snapshot *snapshot = NULL;
		struct stage stage;

		if (rows[i].snapshot == MACHINE)
			snapshot = screen_snapshot(rows[i].n_cpus);
		else if (rows[i].snapshot == LOSSY)
			snapshot = screen_snapshot_lossy(rows[i].n_cpus);
		else if (rows[i].snapshot == SICK)
			snapshot = screen_snapshot_sick(rows[i].n_cpus);
		else if (rows[i].snapshot == SOFTWARE)
			snapshot = screen_snapshot_software(rows[i].n_cpus, 200);
		else if (rows[i].snapshot == FAMILY)
			snapshot = screen_snapshot_family(rows[i].n_cpus);
		stage_open(&stage, rows[i].width, rows[i].height, rows[i].ascii, snapshot);
		stage_keys(&stage, rows[i].keys);
		check_screen(rows[i].name, canvas_print(&stage.canvas));
		stage_close(&stage);
	}
}

static void test_golden_styles(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 80, 24, false, screen_snapshot_lossy(2));
	stage_keys(&stage, (int[]){0});
	check_screen("styles_80x24", canvas_print_styles(&stage.canvas));
	stage_close(&stage);
}

/* A snapshot of a machine with that load on two CPUs. */
static struct snapshot *loaded_snapshot(double load)
{
	struct snapshot *snapshot = screen_snapshot(2);

	machine_set(&snapshot->machine, MACHINE_CPUS, 2);
	machine_set(&snapshot->machine, MACHINE_LOAD_1M, load);
	machine_set(&snapshot->machine, MACHINE_STEAL, 1);
	return snapshot;
}

/* The line of the machine has its load, and on a wide screen all values. */
static void test_machine_line(void **state)
{
	static const struct {
		unsigned width, height;
		double load;
		bool line, steal; /* there is a line; it has the value that does not speak */
	} rows[] = {
		{80, 24, 1, true, false},
		{80, 24, 2, true, false},
		{80, 21, 2, false, false},
		{200, 24, 1, true, true},
	};
	struct stage stage;

	(void)state;
	stage_open(&stage, 80, 24, false, screen_snapshot(2));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		app_snapshot(&stage.app, loaded_snapshot(rows[i].load));
		free(stage_print_resized(&stage, rows[i].width, rows[i].height));
		stage_check_text(&stage, rows[i].load < 2 ? "load 1.00" : "load 2.00",
				 rows[i].line);
		stage_check_text(&stage, "steal 1.0%", rows[i].steal);
	}
	stage_close(&stage);
	stage_open(&stage, 200, 24, false, loaded_snapshot(1));
	stage_keys(&stage, (int[]){0});
	stage_check_text(&stage, "load 1.00", true);
	stage_close(&stage);
}

/* Memory is on every screen, whatever else says something, and swap from 80 columns on. */
static void test_memory(void **state)
{
	static const unsigned sizes[][2] = {{200, 50}, {120, 40}, {80, 24}, {80, 21},
					    {80, 14},  {60, 10},  {40, 12}};
	struct snapshot *snapshot = loaded_snapshot(9);
	static const enum machine_value speaking[] = {MACHINE_RUNNABLE, MACHINE_CPU_PRESSURE,
						      MACHINE_IO_PRESSURE, MACHINE_FORKS};
	const double gib = 1024.0 * 1024 * 1024;
	struct stage stage;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(speaking); i++)
		machine_set(&snapshot->machine, speaking[i], 99);
	machine_set(&snapshot->machine, MACHINE_MEMORY, 8 * gib);
	machine_set(&snapshot->machine, MACHINE_MEMORY_AVAILABLE, 5.5 * gib);
	machine_set(&snapshot->machine, MACHINE_SWAP, 2 * gib);
	machine_set(&snapshot->machine, MACHINE_SWAP_FREE, 1.5 * gib);
	stage_open(&stage, 80, 24, false, snapshot);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		free(stage_print_resized(&stage, sizes[i][0], sizes[i][1]));
		stage_check_text(&stage, "memory 2.5G of 8.0G", true);
		stage_check_text(&stage, "swap 512M of 2.0G", sizes[i][0] >= 80);
	}
	stage_close(&stage);
}

/* Long event names leave room for the state beside them. */
static void test_setup_of_long_names(void **state)
{
	struct snapshot *snapshot = screen_snapshot(2);
	struct metric_def *def = &snapshot->columns->defs[0];
	const char *name = def->name;
	struct stage stage;

	(void)state;
	def->name = "amd64_fam19h_zen4::L1_DTLB_MISS";
	stage_open(&stage, 80, 24, false, snapshot);
	stage_keys(&stage, (int[]){'f', 0});
	stage_check_text(&stage, "  [x] amd64_fam19h_zen4::L… time on a CPU", true);
	def->name = name;
	stage_close(&stage);
}

/* The title has what is counted, the totals the event that is unattributed most. */
static void test_texts_of_frame(void **state)
{
	static const struct {
		const char *name;
		enum count_mode mode;
		bool targeted;
		unsigned unattributed; /* counter; a tenth of its total */
		const char *text;
	} rows[] = {
		{"tasks", COUNT_MODE_TASK, false, TALLY_SWITCHES, "overview  your tasks only\n"},
		{"target", COUNT_MODE_TASK, true, TALLY_SWITCHES, "overview  target only\n"},
		{"/proc", COUNT_MODE_PROC, false, TALLY_SWITCHES, "overview  /proc only\n"},
		{"CPU time", COUNT_MODE_SYSTEM, false, TALLY_TASK_CLOCK, "unattributed 40.8%  "},
		{"event", COUNT_MODE_SYSTEM, false, SAMPLE_CYCLES, "unattributed 10.0% of cycles"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct snapshot *snapshot = screen_snapshot(2);
		struct stage stage;

		snapshot->mode = rows[i].mode;
		snapshot->targeted = rows[i].targeted;
		snapshot->unattributed[rows[i].unattributed] =
			snapshot->totals[rows[i].unattributed] / 10;
		stage_open(&stage, 200, 24, false, snapshot);
		app_draw(&stage.app, &stage.canvas);
		stage_check_text(&stage, rows[i].text, true);
		stage_close(&stage);
	}
	/* Of a machine that is nearly idle a large share of little is nothing. */
	struct snapshot *idle = screen_snapshot(2);
	struct stage stage;
	uint64_t *totals = idle->totals, used_ns = totals[TALLY_TASK_CLOCK] / 100;
	idle->idle[TALLY_TASK_CLOCK] = totals[TALLY_TASK_CLOCK] - used_ns;
	idle->unattributed[TALLY_TASK_CLOCK] = used_ns / 3;
	stage_open(&stage, 200, 24, false, idle);
	stage_check_text(&stage, "unattributed", false);
	stage_close(&stage);
}

/* Without counters the title has a tag, and the help and the log the sentence. */
static void test_tag(void **state)
{
	static const unsigned sizes[][2] = {{40, 12}, {80, 24}, {200, 50}};
	static const char sentence[] = "No hardware counters (in a VM: enable vPMU).";
	struct stage stage;

	(void)state;
	stage_open(&stage, 80, 24, false, screen_snapshot_software(2, 5));
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		free(stage_print_resized(&stage, sizes[i][0], sizes[i][1]));
		stage_check_text(&stage, "  no PMU", true);
		stage_check_text(&stage, "No hardware", false);
	}
	messages_show(&stage.app.messages, "Seen.");
	app_draw(&stage.app, &stage.canvas);
	stage_check_text(&stage, "(+1 more: L)", false);
	stage_press(&stage, 'L');
	stage_check_text(&stage, sentence, true);
	stage_keys(&stage, (int[]){KEYMAP_ESCAPE, '?', 0});
	stage_check_text(&stage, sentence, true);
	stage_close(&stage);
}

/* The line that has the text; 0: none. */
static size_t line_of(const struct stage *stage, const char *text)
{
	char *screen = canvas_print(&stage->canvas), *at = strstr(screen, text);
	size_t line = at != NULL;

	while (at && at-- > screen)
		line += *at == '\n';
	free(screen);
	return line;
}

/* A note or notice comes and goes, of one line or two, and each line of the body stays. */
static void test_notes_move_nothing(void **state)
{
	static const unsigned sizes[][2] = {{40, 12}, {80, 14}, {80, 24}, {200, 50}};
	static const struct {
		const char *name, *text;
		int keys[2];
	} screens[] = {
		{"tasks", " PID ", {KEYMAP_HOME}},
		{"CPUs", " CPU stall", {KEYMAP_TAB}},
		{"details", "\nTime  in", {KEYMAP_ENTER}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes) * ARRAY_SIZE(screens); i++) {
		const unsigned *size = sizes[i % ARRAY_SIZE(sizes)];
		const char *text = screens[i / ARRAY_SIZE(sizes)].text;
		struct stage stage;

		stage_open(&stage, size[0], size[1], false, screen_snapshot(2));
		stage_keys(&stage, screens[i / ARRAY_SIZE(sizes)].keys);
		size_t line = line_of(&stage, text);
		if (line == 0)
			fail_msg("%s at %ux%u", screens[i / ARRAY_SIZE(sizes)].name, size[0],
				 size[1]);
		for (unsigned n = 0; n < 3; n++) {
			if (n == 0)
				app_snapshot(&stage.app, screen_snapshot_lossy(2));
			else
				messages_show(
					&stage.app.messages, "%.*s", (int)(n * 60),
					"This is the notice. It has one line, and then so many "
					"words that it is the notice of two.  The end is here.");
			app_draw(&stage.app, &stage.canvas);
			stage_check_text(&stage, n ? "This is the notice" : "Records were", true);
			if (line_of(&stage, text) != line)
				fail_msg("%s at %ux%u: %zu, not %zu",
					 screens[i / ARRAY_SIZE(sizes)].name, size[0], size[1],
					 line_of(&stage, text), line);
		}
		if (size[0] == 80)
			stage_check_text(&stage, "The end is here", true);
		stage_close(&stage);
	}
}

/* A command line where there is room for it, its name stressed, and the whole one by a key. */
static void test_command_lines(void **state)
{
	static const struct {
		unsigned width;
		bool whole;
		const char *line, *text;
	} rows[] = {
		{80, false, "/usr/bin/python3 -u /opt/srv.py --port 80", " python3 srv…\n"},
		{80, false, "/usr/lib/postgres -D /srv", " postgres\n"},
		{80, false, "pg -D /srv", " postgres pg\n"},
		{80, true, "/usr/lib/postgres -D /srv", " /usr/lib/po…\n"},
		{100, false, "/usr/lib/postgres -D /srv", " postgres -D /srv\n"},
		{105, false, "/usr/lib/postgres -D /srv/of/any/length",
		 " postgres -D /srv/of/an…\n"},
		{105, true, "/usr/lib/postgres -D /srv", " /usr/lib/postgres -D /…\n"},
		{119, true, "/usr/lib/postgres -D /srv\033[31m",
		 " /usr/lib/postgres -D /srv\xef\xbf\xbd[31m\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct snapshot *snapshot = screen_snapshot(2);
		struct stage stage;

		if (strstr(rows[i].line, "python"))
			text_copy(snapshot->threads.items[0].comm,
				  sizeof(snapshot->threads.items[0].comm), "python3");
		snapshot->threads.items[0].cmdline = rows[i].line;
		stage_open(&stage, rows[i].width, 24, false, snapshot);
		stage_press(&stage, rows[i].whole ? 'c' : KEYMAP_HOME);
		stage_check_text(&stage, rows[i].text, true);
		stage_close(&stage);
	}
}

/* In a tree the ancestors on a line are left out before its command line is. */
static void test_command_lines_of_a_tree(void **state)
{
	(void)state;
	for (unsigned width = 20; width < 130; width++) {
		struct snapshot *snapshot = screen_snapshot_family(4);
		struct stage stage;

		for (size_t i = 0; i < snapshot->threads.n; i++)
			if (strcmp(snapshot->threads.items[i].comm, "make") == 0)
				snapshot->threads.items[i].cmdline =
					"make -j8 all of/these/many/files and/some/more";
		stage_open(&stage, width, 24, false, snapshot);
		stage_keys(&stage, (int[]){'t', 0});
		stage_check_text(&stage, "bash > make -j8", false);
		if (width >= 80)
			stage_check_text(&stage, "… > make", true);
		stage_keys(&stage, (int[]){'c', 0});
		stage_close(&stage);
	}
}

/* A name that does not fit is cut behind its branches. */
static void test_long_names_of_a_tree(void **state)
{
	struct snapshot *snapshot = screen_snapshot_family(4);
	struct stage stage;

	(void)state;
	for (size_t i = 0; i < snapshot->threads.n; i++)
		if (strcmp(snapshot->threads.items[i].comm, "postgres") == 0) {
			strcpy(snapshot->threads.items[i].comm, "postgres-with-a");
			snapshot->threads.items[i].cmdline =
				"postgres-with-a-long-name-of-its-file -D /srv/db";
		}
	stage_open(&stage, 80, 24, false, snapshot);
	stage_keys(&stage, (int[]){'t', 0});
	stage_check_text(&stage, "├─+1 postgres-", true);
	stage_close(&stage);
}

/* Around the name of a command line is what matters less. */
static void test_stress(void **state)
{
	struct snapshot *snapshot = screen_snapshot(2);
	struct stage stage;

	(void)state;
	snapshot->threads.items[0].cmdline = "/usr/lib/postgres -D /srv";
	stage_open(&stage, 119, 24, false, snapshot);
	for (unsigned whole = 0; whole < 2; whole++) {
		stage_press(&stage, whole ? 'c' : KEYMAP_HOME);
		size_t name = strlen("/usr/lib/") * whole;
		unsigned y = 0, x = 0;

		while (strcmp(canvas_at(&stage.canvas, 3, y)->text, "4") != 0)
			y++;
		while (strcmp(canvas_at(&stage.canvas, x, y)->text, whole ? "/" : "p") != 0)
			x++;
		for (unsigned k = 0; k < strlen("/usr/lib/") * whole + strlen("postgres -D /srv");
		     k++)
			assert_int_equal(canvas_at(&stage.canvas, x + k, y)->style,
					 k >= name && k < name + strlen("postgres") ? STYLE_NAME
										    : STYLE_DIM);
	}
	stage_close(&stage);
}

/* Figures of the first moments are marked, in the narrowest title too. */
static void test_first_interval(void **state)
{
	static const struct {
		uint64_t sequence, this_ns;
		unsigned width;
		const char *text;
	} rows[] = {
		{0, 20 * NS_PER_MS, 200, "every 1.0s, first 0.02s  "},
		{1, 250 * NS_PER_MS, 200, "every 1.0s, first 0.25s  "},
		{1, 250 * NS_PER_MS, 60, "every 1.0s, first 0.25s"},
		{1, NS_PER_S, 200, "every 1.0s  "},
		{2, 250 * NS_PER_MS, 200, "every 1.0s, this one 0.25s  "},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct snapshot *snapshot = screen_snapshot(2);
		struct stage stage;

		snapshot->sequence = rows[i].sequence;
		snapshot->interval_ns = rows[i].this_ns;
		stage_open(&stage, rows[i].width, 24, false, snapshot);
		app_draw(&stage.app, &stage.canvas);
		stage_check_text(&stage, rows[i].text, true);
		stage_close(&stage);
	}
}

/* A narrow title gives up the PMU first, then the preset, then pmctop's cost. */
static void test_narrow_title(void **state)
{
	static const struct {
		unsigned width;
		const char *end;
	} rows[] = {
		{100, " 13 ran  armv8_pmuv3  overview  pmctop 0.2%\n"},
		{90, " 13 ran  overview  pmctop 0.2%\n"},
		{80, " 13 ran  pmctop 0.2%\n"},
		{70, " 13 ran  overview\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct snapshot *snapshot = screen_snapshot(2);
		struct stage stage;

		snapshot->cost = (struct snapshot_cost){.cpu_ns = 2, .wall_ns = 1000};
		stage_open(&stage, rows[i].width, 24, false, snapshot);
		app_draw(&stage.app, &stage.canvas);

		char *text = canvas_print(&stage.canvas);

		if (!strstr(text, rows[i].end))
			fail_msg("%u columns: no '%s' in\n%.200s", rows[i].width, rows[i].end,
				 text);
		free(text);
		stage_close(&stage);
	}
}

/* A count can be scaled without turns. */
static void test_scaled_events(void **state)
{
	struct snapshot *snapshot = screen_snapshot(2);
	const struct plan *plan = snapshot->columns->plan;
	struct stage stage;

	(void)state;
	for (unsigned domain = 0; domain < plan->shape.n_domains; domain++)
		snapshot->totals[tally_domain(&plan->shape, domain)] *= 2;
	stage_open(&stage, 80, 24, false, snapshot);
	stage_keys(&stage, (int[]){KEYMAP_TAB, KEYMAP_TAB, 0});
	stage_check_text(&stage, " scaled", true);
	stage_check_text(&stage, "in turns", false);
	stage_close(&stage);
}

/*
 * The screen in a window of the size 80x24, sorted by IPC: the sort keys depend on the columns that
 * fit.
 */
static char *print_enlarged(struct stage *stage)
{
	text_copy(stage->app.tasks.spec.sort, sizeof(stage->app.tasks.spec.sort), "ipc");
	list_invalidate(&stage->app.tasks);
	return stage_print_resized(stage, 80, 24);
}

/* Keys work the same at all sizes: enlarged, each window shows the 80x24 one. */
static void test_every_size(void **state)
{
	static const int keys[] = {KEYMAP_DOWN,
				   KEYMAP_PAGE_DOWN,
				   KEYMAP_END,
				   KEYMAP_RIGHT,
				   KEYMAP_RIGHT,
				   '>',
				   KEYMAP_TAB,
				   KEYMAP_END,
				   '<',
				   '?',
				   KEYMAP_END,
				   KEYMAP_ESCAPE,
				   KEYMAP_TAB,
				   's',
				   'x',
				   KEYMAP_ENTER,
				   KEYMAP_ESCAPE,
				   'H',
				   't',
				   'g',
				   'g',
				   'g',
				   'C',
				   'g',
				   'g',
				   'C',
				   'f',
				   ' ',
				   '>',
				   KEYMAP_END,
				   ' ',
				   KEYMAP_HOME,
				   KEYMAP_DOWN,
				   KEYMAP_DOWN,
				   KEYMAP_DOWN,
				   KEYMAP_ENTER,
				   KEYMAP_ESCAPE,
				   KEYMAP_F0 + 2,
				   KEYMAP_HOME,
				   KEYMAP_DOWN,
				   KEYMAP_ENTER,
				   'z',
				   KEYMAP_ESCAPE,
				   KEYMAP_ESCAPE,
				   'p',
				   KEYMAP_ENTER,
				   'Z',
				   KEYMAP_HOME,
				   KEYMAP_PAGE_UP,
				   0};

	char *expected[2];

	(void)state;
	for (unsigned ascii = 0; ascii < 2; ascii++) {
		struct stage stage;

		stage_open(&stage, 80, 24, ascii, screen_snapshot_lossy(3));
		stage_keys(&stage, keys);
		expected[ascii] = print_enlarged(&stage);
		stage_close(&stage);
	}
	for (unsigned height = 1; height <= 40; height++)
		for (unsigned width = 1; width <= 40; width++) {
			struct stage stage;

			stage_open(&stage, width, height, width % 2, screen_snapshot_lossy(3));
			stage_keys(&stage, keys);

			char *drawn = print_enlarged(&stage);

			if (strcmp(drawn, expected[width % 2]) != 0)
				fail_msg("%ux%u:\n%s\ninstead of\n%s", width, height, drawn,
					 expected[width % 2]);
			free(drawn);
			stage_close(&stage);
		}
	free(expected[0]);
	free(expected[1]);
}

/* One state, drawn at all sizes one after the other. */
static void test_resizing(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 80, 24, false, screen_snapshot_software(2, 100));
	stage_keys(&stage, (int[]){KEYMAP_END, KEYMAP_RIGHT, 0});
	for (unsigned i = 0; i < 400; i++) {
		canvas_resize(&stage.canvas, 1 + i * 37 % 120, 1 + i * 23 % 60);
		stage_keys(&stage, (int[]){i % 3 ? KEYMAP_PAGE_UP : KEYMAP_PAGE_DOWN, 0});
	}
	assert_true(stage.app.tasks.table.selected < 100);
	stage_close(&stage);
}

/* No row, one row, and no metric for the header. */
static void test_empty(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 80, 24, false, NULL);
	stage_keys(&stage, (int[]){KEYMAP_DOWN, '>', 'R', 'H', KEYMAP_TAB, '?', KEYMAP_TAB, 0});
	app_snapshot(&stage.app, screen_snapshot_software(0, 0));
	stage_keys(&stage, (int[]){KEYMAP_DOWN, KEYMAP_END, '>', KEYMAP_TAB, '<', KEYMAP_TAB, 0});
	assert_int_equal(stage.app.tasks.table.selected, 0);
	stage_close(&stage);
}

static void test_selection_stays(void **state)
{
	struct stage stage;
	struct table *table = &stage.app.tasks.table;

	(void)state;
	stage_open(&stage, 80, 24, false, screen_snapshot_software(2, 100));
	stage_keys(&stage, (int[]){KEYMAP_DOWN, KEYMAP_DOWN, KEYMAP_DOWN, 0});
	assert_int_equal(table->selected, 3);
	app_snapshot(&stage.app, screen_snapshot_software(2, 60));
	stage_keys(&stage, (int[]){0});
	assert_int_equal(table->selected, 3);
	stage_keys(&stage, (int[]){KEYMAP_END, 0});
	assert_int_equal(table->selected, 59);
	app_snapshot(&stage.app, screen_snapshot_software(2, 80));
	stage_keys(&stage, (int[]){0});
	assert_int_equal(table->selected, 79); /* the selection stays at the end */
	app_snapshot(&stage.app, screen_snapshot_software(2, 2));
	stage_keys(&stage, (int[]){KEYMAP_UP, 0});
	assert_int_equal(table->selected, 0);
	stage_close(&stage);
}

/* Of the rows on the first screen, at most a third is held while others ran. */
static void test_held_rows(void **state)
{
	enum { ALL = 60 };
	struct sample_row rows[ALL];
	struct stage stage;
	size_t n = 0;

	(void)state;
	for (pid_t i = 0; i < ALL; i++) {
		bool zombie = i % 3 == 0;

		rows[i] = screen_row(1000 + i, "ana", zombie ? "child" : "idles",
				     zombie ? 0 : 100 * NS_PER_US, 1, 0);
		rows[i].row.held_ms = zombie ? 60000 : 0;
		rows[i].row.flags = zombie ? ROW_EXITED | ROW_ZOMBIE : 0;
	}
	stage_open(&stage, 80, 24, false, screen_snapshot_new("software", "", rows, ALL, 2));
	stage_keys(&stage, (int[]){0});
	const struct list *list = &stage.app.tasks;
	for (size_t line = 0; line < list->table.page; line++)
		n += (view_row(&list->view, line)->flags & ROW_ZOMBIE) != 0;
	assert_in_range(n, list->table.page / 4, (list->table.page + 2) / 3);
	assert_int_equal(list->view.n, ALL);
	stage_close(&stage);
}

static void test_sorting(void **state)
{
	struct stage stage;
	struct view_spec *spec = &stage.app.tasks.spec;

	(void)state;
	stage_open(&stage, 80, 24, false, screen_snapshot_software(2, 10));
	stage_keys(&stage, (int[]){'>', 0});
	assert_string_equal(spec->sort, "cs_per_s");
	stage_keys(&stage, (int[]){'R', 0});
	assert_true(spec->reverse);
	stage_keys(&stage, (int[]){'<', '<', '<', 0});
	assert_string_equal(spec->sort, "pid");
	assert_false(spec->reverse);
	stage_keys(&stage, (int[]){'<', 0});
	assert_string_equal(spec->sort, "command");
	/* The list of columns begins at the sort column. */
	stage_keys(&stage, (int[]){KEYMAP_F0 + 6, KEYMAP_UP, KEYMAP_UP, KEYMAP_ENTER, 0});
	assert_string_equal(spec->sort, "migrations_per_s");
	stage_keys(&stage, (int[]){KEYMAP_F0 + 6, 'f', 'l', 't', KEYMAP_ENTER, 0});
	assert_string_equal(spec->sort, "faults_per_s");
	assert_string_equal(stage.app.messages.notice, "Sorted by flt/s.");
	stage_keys(&stage, (int[]){KEYMAP_F0 + 6, KEYMAP_HOME, KEYMAP_ESCAPE, 0});
	assert_string_equal(spec->sort, "faults_per_s");
	stage_close(&stage);
}

/* An error that does not fit beside the text of a prompt stands below it in the box, whole. */
static void test_long_error_of_a_prompt(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 80, 24, false, screen_snapshot(2));
	stage_press(&stage, 's');
	for (unsigned i = 0; i < 50; i++)
		stage_press(&stage, 'x');
	stage_press(&stage, KEYMAP_ENTER);
	const char *error = stage.app.prompt.error.text;
	enum { INSIDE = 72 }; /* columns of the box */
	size_t length = text_first_line(error, INSIDE);
	char line[300];
	assert_true(text_width(error) > INSIDE && text_width(error) < 2 * INSIDE);
	snprintf(line, sizeof(line), "│ %.*s", (int)length, error);
	stage_check_text(&stage, line, true);
	snprintf(line, sizeof(line), "│ %s", error + length + 1);
	stage_check_text(&stage, line, true);
	stage_press(&stage, KEYMAP_ESCAPE);
	stage_check_text(&stage, "Invalid", false);
	stage_close(&stage);
}

/* What is missing is said on the page of details, too. */
static void test_notes_of_details(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 80, 24, false, screen_snapshot_lossy(2));
	stage_press(&stage, KEYMAP_ENTER);
	assert_ptr_equal(stage.app.screen, &screen_detail);
	stage_check_text(&stage, "Records were lost: the rings are too small for this many", true);
	stage_check_text(&stage, "(+1 more: L)", true);
	text_copy(stage.app.messages.notice, sizeof(stage.app.messages.notice), "A notice.");
	stage_press(&stage, KEYMAP_DOWN);
	stage_check_text(&stage, "\nA notice. ", true);
	stage_close(&stage);
}

/* A prompt is in the middle of the screen; with an effect while it is typed, in the last line. */
static void test_place_of_a_prompt(void **state)
{
	struct stage stage;
	char *drawn;

	(void)state;
	stage_open(&stage, 80, 24, false, screen_snapshot(2));
	stage_press(&stage, 'o');
	stage_check_text(&stage, "│ Record to file: pmctop-build-7-", true);
	stage_check_text(&stage, "Help", false);
	for (unsigned i = 0; i < 90; i++)
		stage_press(&stage, '0' + i % 10);
	stage_check_text(&stage, "6789  │\n", true); /* the end of a long text */
	stage_keys(&stage, (int[]){KEYMAP_ESCAPE, '\\', 'p', 0});
	stage_check_text(&stage, "\nFilter: p ", true);
	stage_keys(&stage, (int[]){KEYMAP_ESCAPE, 's', 0});
	stage_check_text(&stage, "│ Interval (now 1.0s):", true);
	drawn = stage_print_resized(&stage, 39, 24);
	assert_non_null(strstr(drawn, "\nInterval (now 1.0s):"));
	free(drawn);
	stage_close(&stage);
}

static void test_interval_prompt(void **state)
{
	struct stage stage;
	struct app *app = &stage.app;

	(void)state;
	stage_open(&stage, 80, 24, false, screen_snapshot(2));
	stage_keys(&stage, (int[]){'s', 'x', KEYMAP_ENTER, 0});
	assert_true(app->prompt.active);
	assert_string_equal(app->prompt.error.text, "Invalid delay 'x' (examples: 1, 0.5, 500ms)");
	stage_keys(&stage, (int[]){KEYMAP_BACKSPACE, '5', '0', '0', 'm', 's', KEYMAP_ENTER, 0});
	assert_false(app->prompt.active);
	assert_true(app->preferences.interval_ns == 500 * NS_PER_MS);
	stage_keys(&stage, (int[]){'d', '9', KEYMAP_ESCAPE, 0});
	assert_false(app->prompt.active);
	assert_true(app->preferences.interval_ns == 500 * NS_PER_MS);
	stage_keys(&stage, (int[]){'s', KEYMAP_ENTER, 0}); /* empty: no change */
	assert_false(app->prompt.active);
	stage_keys(&stage, (int[]){'s', 'q', KEYMAP_CONTROL('U'), '2', KEYMAP_ENTER, 0});
	assert_true(app->preferences.interval_ns == 2 * NS_PER_S);
	assert_false(app->out.quit);
	stage_close(&stage);
}

static void test_screens(void **state)
{
	struct stage stage;
	struct app *app = &stage.app;

	(void)state;
	stage_open(&stage, 80, 24, false, screen_snapshot(2));
	stage_keys(&stage, (int[]){KEYMAP_TAB, 0});
	assert_ptr_equal(app->screen, &screen_cpus);
	stage_keys(&stage, (int[]){KEYMAP_SHIFT_TAB, 0});
	assert_ptr_equal(app->screen, &screen_tasks);
	stage_keys(&stage, (int[]){'C', '?', 0});
	assert_ptr_equal(app->screen, &screen_help);
	stage_keys(&stage, (int[]){'q', 0}); /* q leaves the help, not the program */
	assert_ptr_equal(app->screen, &screen_cpus);
	assert_false(app->out.quit);
	stage_keys(&stage, (int[]){KEYMAP_F0 + 1, KEYMAP_ENTER, 'C', 0});
	assert_ptr_equal(app->screen, &screen_tasks);
	stage_keys(&stage, (int[]){'j', 'k', 'r', KEYMAP_ALT | 'j', 0});
	assert_int_equal(app->tasks.table.selected, 1); /* j, k and r alone have no effect */
	stage_keys(&stage, (int[]){KEYMAP_CONTROL('L'), KEYMAP_F0 + 10, 0});
	assert_true(app->out.redraw);
	assert_true(app->out.quit);
	stage_close(&stage);
}

/* The key bar has the names of the round: while Tab is used, and on wide screens always. */
static void test_names_of_the_round(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 80, 24, false, screen_snapshot(2));
	stage_press(&stage, KEYMAP_UP);
	stage_check_text(&stage, "Tab Page", true);
	stage_press(&stage, KEYMAP_TAB);
	stage_check_text(&stage, "Tab Tasks [CPUs] Events", true);
	stage_press(&stage, KEYMAP_TAB);
	stage_check_text(&stage, "Tab Tasks CPUs [Events]", true);
	stage_press(&stage, KEYMAP_DOWN);
	stage_check_text(&stage, "Tab Page", true);
	stage_press(&stage, KEYMAP_SHIFT_TAB);
	stage_check_text(&stage, "Tab Tasks [CPUs] Events", true);
	stage_press(&stage, 'L');
	stage_check_text(&stage, "Events", false);
	stage_close(&stage);
	stage_open(&stage, 100, 24, false, screen_snapshot(2));
	stage_press(&stage, KEYMAP_UP);
	stage_check_text(&stage, "Tab [Tasks] CPUs Events Findings  H Threads  t Tree", true);
	stage_close(&stage);
	/* At 80 columns the keys of the list are there, too. */
	stage_open(&stage, 80, 24, false, screen_snapshot(2));
	stage_press(&stage, KEYMAP_UP);
	stage_check_text(&stage, "H Threads  t Tree  \\ Filter  e Add  q Quit", true);
	stage_close(&stage);
}

/* Lines that the events leave free have the processes with the most of the selected one. */
static void test_rows_of_an_event(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 80, 30, false, screen_snapshot_software(2, 4));
	stage_keys(&stage, (int[]){KEYMAP_TAB, KEYMAP_TAB, KEYMAP_UP, 0});
	stage_check_text(&stage, "\n\ntask-clock by process\n", true);
	stage_keys(&stage, (int[]){KEYMAP_DOWN, 0});
	stage_check_text(&stage, "\n\ncontext-switches by process\n", true);
	stage_check_text(&stage, "%  task-", true);
	char *drawn = stage_print_resized(&stage, 80, 16);
	assert_null(strstr(drawn, "by process"));
	free(drawn);
	stage_close(&stage);
}

/* Without counters no CPU has a verdict, and the column is not shown. */
static void test_cpus_without_verdicts(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 120, 24, false, screen_snapshot_software(2, 4));
	stage_press(&stage, 'C');
	stage_check_text(&stage, "VERDICT", false);
	app_snapshot(&stage.app, screen_snapshot(64));
	stage_press(&stage, KEYMAP_UP);
	stage_check_text(&stage, "VERDICT", true);
	app_snapshot(&stage.app, screen_snapshot_software(2, 4)); /* it stays, as others do */
	stage_press(&stage, KEYMAP_UP);
	stage_check_text(&stage, "VERDICT", true);
	stage_close(&stage);
}

/* The name of the row is in one place; beside it is the history. */
static void test_title_of_details(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 250, 70, false, screen_snapshot(2));
	stage_press(&stage, KEYMAP_UP);
	char *drawn = canvas_print(&stage.canvas);
	char *first = strstr(drawn, "process 4121 postgres");
	assert_non_null(first);
	assert_null(strstr(first + 1, "process 4121 postgres"));
	free(drawn);
	stage_close(&stage);
}

/* The roll-up after each key; each begins at its first line. */
static void test_rolling_up(void **state)
{
	static const struct {
		const char *name;
		int keys[6];
		enum rollup tasks, cpus;
	} rows[] = {
		{"nothing", {0}, ROLLUP_PROCESS, ROLLUP_CPU},
		{"threads", {'H', 0}, ROLLUP_THREAD, ROLLUP_CPU},
		{"and back", {'H', 'H', 0}, ROLLUP_PROCESS, ROLLUP_CPU},
		{"tree", {'t', 0}, ROLLUP_TREE, ROLLUP_CPU},
		{"from threads to the tree", {'H', KEYMAP_F0 + 5, 0}, ROLLUP_TREE, ROLLUP_CPU},
		{"tree and back", {'t', 't', 0}, ROLLUP_PROCESS, ROLLUP_CPU},
		{"users", {'g', 0}, ROLLUP_USER, ROLLUP_CPU},
		{"users from the tree", {'t', 'g', 0}, ROLLUP_USER, ROLLUP_CPU},
		{"cgroups", {'g', 'g', 0}, ROLLUP_CGROUP, ROLLUP_CPU},
		{"commands", {'g', 'g', 'g', 0}, ROLLUP_COMMAND, ROLLUP_CPU},
		{"round to processes", {'g', 'g', 'g', 'g', 0}, ROLLUP_PROCESS, ROLLUP_CPU},
		{"threads from users", {'g', 'H', 0}, ROLLUP_THREAD, ROLLUP_CPU},
		{"sockets", {'C', 'g', 0}, ROLLUP_PROCESS, ROLLUP_SOCKET},
		{"nodes", {'C', 'g', 'g', 0}, ROLLUP_PROCESS, ROLLUP_NODE},
		{"round to CPUs", {'C', 'g', 'g', 'g', 0}, ROLLUP_PROCESS, ROLLUP_CPU},
		{"no tree of CPUs", {'C', 't', 'H', 0}, ROLLUP_PROCESS, ROLLUP_CPU},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct stage stage;
		bool changes = rows[i].tasks != ROLLUP_PROCESS;

		stage_open(&stage, 80, 24, false, screen_snapshot_family(4));
		stage_keys(&stage, (int[]){KEYMAP_DOWN, 0});
		stage_keys(&stage, rows[i].keys);
		if (stage.app.tasks.spec.by != rows[i].tasks ||
		    stage.app.cpus.spec.by != rows[i].cpus ||
		    (changes && stage.app.tasks.table.selected != 0))
			fail_msg("%s", rows[i].name);
		stage_close(&stage);
	}
}

/* --by sets the first screen, and -s applies to it. */
static void test_begins_rolled_up(void **state)
{
	(void)state;
	for (enum rollup by = ROLLUP_PROCESS; by <= ROLLUP_NODE; by++) {
		struct options options = {
			.interval_ns = NS_PER_S, .sort = "ipc", .filter = "", .by = by};
		struct app app;

		app_init(&app, &options);
		struct list *list = rollup_is_of_cpus(by) ? &app.cpus : &app.tasks;
		assert_ptr_equal(app.screen, rollup_is_of_cpus(by) ? &screen_cpus : &screen_tasks);
		assert_int_equal(list->spec.by, by);
		assert_string_equal(list->spec.sort, "ipc");
		app_fini(&app);
	}
}

/* A running command is ended only after a question. */
static void test_quitting_with_a_command(void **state)
{
	static const struct {
		const char *name, *command;
		int keys[4];
		bool quits;
	} rows[] = {
		{"no command", "", {'q'}, true},
		{"a question", "make", {'q'}, false},
		{"yes", "make", {'q', 'y'}, true},
		{"no", "make", {'q', 'n'}, false},
		{"^C and ^C", "make", {KEYMAP_CONTROL('C'), KEYMAP_CONTROL('C')}, true},
		{"not so soon", "make", {'q', KEYMAP_ESCAPE, 'q'}, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct stage stage;

		stage_open(&stage, 80, 24, false, screen_snapshot(2));
		text_copy(stage.app.config.command, sizeof(stage.app.config.command),
			  rows[i].command);
		stage_keys(&stage, rows[i].keys);
		if (stage.app.out.quit != rows[i].quits)
			fail_msg("%s", rows[i].name);
		stage_close(&stage);
	}
}

static void test_detach_without_target(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 80, 24, false, screen_snapshot(2));
	stage_keys(&stage, (int[]){'D', 0});
	assert_int_equal(app_changes(&stage.app)->n, 0);
	assert_true(stage.app.messages.notice[0] != '\0');
	stage.app.display.snapshot->targeted = true;
	stage_keys(&stage, (int[]){'D', 0});
	assert_int_equal(app_changes(&stage.app)->n, 1);
	stage_close(&stage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_golden_styles),
		cmocka_unit_test(test_machine_line),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_setup_of_long_names),
		cmocka_unit_test(test_texts_of_frame),
		cmocka_unit_test(test_tag),
		cmocka_unit_test(test_notes_move_nothing),
		cmocka_unit_test(test_command_lines),
		cmocka_unit_test(test_command_lines_of_a_tree),
		cmocka_unit_test(test_long_names_of_a_tree),
		cmocka_unit_test(test_stress),
		cmocka_unit_test(test_first_interval),
		cmocka_unit_test(test_narrow_title),
		cmocka_unit_test(test_scaled_events),
		cmocka_unit_test(test_every_size),
		cmocka_unit_test(test_resizing),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_selection_stays),
		cmocka_unit_test(test_held_rows),
		cmocka_unit_test(test_sorting),
		cmocka_unit_test(test_long_error_of_a_prompt),
		cmocka_unit_test(test_notes_of_details),
		cmocka_unit_test(test_place_of_a_prompt),
		cmocka_unit_test(test_interval_prompt),
		cmocka_unit_test(test_screens),
		cmocka_unit_test(test_names_of_the_round),
		cmocka_unit_test(test_rows_of_an_event),
		cmocka_unit_test(test_cpus_without_verdicts),
		cmocka_unit_test(test_title_of_details),
		cmocka_unit_test(test_rolling_up),
		cmocka_unit_test(test_begins_rolled_up),
		cmocka_unit_test(test_quitting_with_a_command),
		cmocka_unit_test(test_detach_without_target),
	};

	return cmocka_run_group_tests(tests, stage_set_zone, NULL);
}
