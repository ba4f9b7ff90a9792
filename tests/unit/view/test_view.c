// SPDX-License-Identifier: MIT
/* Columns, order, cells and widths of a view. */
#include "tests/unit/shared/sample.h"

#include "core/base/text.h"
#include "core/view/view.h"
#include "core/view/view_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define TASK(p, t, name, owner, ...)                                                        \
	{                                                                                   \
		.row = {.pid = (p), .tid = (t), .threads = 1, .comm = name, .user = owner}, \
		.counts = {__VA_ARGS__},                                                    \
	}

#define CPU_MS(ms) [TALLY_TASK_CLOCK] = (ms)*NS_PER_MS

/* Task 40 has no cycles, so no IPC; 30 and 31 are one process; 20 and 50 tie. */
static const struct sample_row tasks[] = {
	TASK(30, 31, "worker", "db",
	     CPU_MS(100), [SAMPLE_CYCLES] = 100, [SAMPLE_INSTRUCTIONS] = 300),
	TASK(50, 50, "beta", "ann",
	     CPU_MS(200), [SAMPLE_CYCLES] = 100, [SAMPLE_INSTRUCTIONS] = 100),
	TASK(20, 20, "gamma", "", CPU_MS(200), [SAMPLE_CYCLES] = 100, [SAMPLE_INSTRUCTIONS] = 100),
	TASK(40, 40, "", "zoe", CPU_MS(0)),
	TASK(30, 30, "alpha", "db", CPU_MS(300), [SAMPLE_CYCLES] = 100, [SAMPLE_INSTRUCTIONS] = 50),
};

static struct snapshot *sample(const char *preset)
{
	return sample_snapshot(sample_columns(preset), tasks, ARRAY_SIZE(tasks));
}

/* Appends the titles of the columns that have a width (NULL: of all), each with a blank. */
static void append_titles(const struct view *view, const unsigned *widths, char *text)
{
	for (size_t c = 0; c < view->n_columns; c++)
		if (!widths || widths[c])
			strcat(strcat(text, view->columns[c].title), " ");
}

static void has_columns(void **state)
{
	static const struct {
		const char *name, *preset;
		struct view_spec spec;
		const char *want;
	} rows[] = {
		{"processes",
		 "overview",
		 {.by = ROLLUP_PROCESS},
		 "PID USER %CPU GHz IPC MIPS brMPKI caMPKI cs/s flt/s VERDICT COMMAND "},
		{"threads",
		 "overview",
		 {.by = ROLLUP_THREAD},
		 "PID TID USER %CPU GHz IPC MIPS brMPKI caMPKI cs/s flt/s VERDICT COMMAND "},
		{"CPUs",
		 "overview",
		 {.by = ROLLUP_CPU},
		 "CPU stall% %CPU GHz IPC MIPS brMPKI caMPKI cs/s flt/s VERDICT "},
		{"a tree",
		 "overview",
		 {.by = ROLLUP_TREE},
		 "PID USER %CPU GHz IPC MIPS brMPKI caMPKI cs/s flt/s VERDICT COMMAND "},
		{"users",
		 "overview",
		 {.by = ROLLUP_USER},
		 "USER NPROC NTHR %CPU GHz IPC MIPS brMPKI caMPKI cs/s flt/s VERDICT "},
		{"cgroups",
		 "overview",
		 {.by = ROLLUP_CGROUP},
		 "NPROC NTHR %CPU GHz IPC MIPS brMPKI caMPKI cs/s flt/s VERDICT CGROUP "},
		{"commands",
		 "overview",
		 {.by = ROLLUP_COMMAND},
		 "NPROC NTHR %CPU GHz IPC MIPS brMPKI caMPKI cs/s flt/s VERDICT COMMAND "},
		{"sockets",
		 "software",
		 {.by = ROLLUP_SOCKET},
		 "SOCKET CPUS GHz %CPU cs/s flt/s migr/s VERDICT "},
		{"nodes",
		 "software",
		 {.by = ROLLUP_NODE},
		 "NODE CPUS GHz %CPU cs/s flt/s migr/s VERDICT "},
		{"software",
		 "software",
		 {.by = ROLLUP_PROCESS},
		 "PID USER %CPU cs/s flt/s migr/s VERDICT COMMAND "},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct snapshot *snapshot = sample(rows[i].preset);
		struct view view;
		char titles[256] = "";

		view_init(snapshot, &rows[i].spec, &view);
		append_titles(&view, NULL, titles);
		for (size_t c = 0; c < view.n_columns; c++)
			assert_true(text_width(view.columns[c].title) <= view.columns[c].width);
		if (strcmp(titles, rows[i].want) != 0)
			fail_msg("%s: %s", rows[i].name, titles);
		view_fini(&view);
		snapshot_free(snapshot);
	}
}

static void sorts(void **state)
{
	static const struct {
		const char *name;
		struct view_spec spec;
		const char *want; /* tids, or CPUs */
	} rows[] = {
		{"by %CPU by default", {.by = ROLLUP_PROCESS}, "30 20 50 40 "},
		{"reversed", {.by = ROLLUP_PROCESS, .reverse = true}, "40 20 50 30 "},
		{"threads", {.by = ROLLUP_THREAD}, "30 20 50 31 40 "},
		{"threads reversed", {.by = ROLLUP_THREAD, .reverse = true}, "40 31 20 50 30 "},
		{"IPC, unknown last", {.sort = "ipc", .by = ROLLUP_THREAD}, "31 20 50 30 40 "},
		{"IPC reversed, unknown last again",
		 {.sort = "ipc", .by = ROLLUP_THREAD, .reverse = true},
		 "30 20 50 31 40 "},
		{"pids go up", {.sort = "pid"}, "20 30 40 50 "},
		{"pids reversed", {.sort = "pid", .reverse = true}, "50 40 30 20 "},
		{"pids of threads: ties by tid",
		 {.sort = "pid", .by = ROLLUP_THREAD},
		 "20 30 31 40 50 "},
		{"tids", {.sort = "tid", .by = ROLLUP_THREAD, .reverse = true}, "50 40 31 30 20 "},
		{"users, unknown last", {.sort = "user"}, "50 30 40 20 "},
		{"users reversed, unknown last", {.sort = "user", .reverse = true}, "40 30 50 20 "},
		{"commands, unknown last", {.sort = "command"}, "30 50 20 40 "},
		{"commands reversed, unknown last",
		 {.sort = "command", .reverse = true},
		 "20 50 30 40 "},
		{"an unknown column", {.sort = "nonsense"}, "30 20 50 40 "},
		{"a column of threads only", {.sort = "tid"}, "30 20 50 40 "},
		{"a metric of another preset", {.sort = "migrations_per_s"}, "30 20 50 40 "},
		{"CPUs", {.by = ROLLUP_CPU}, "0 1 2 "},
		{"CPUs reversed", {.by = ROLLUP_CPU, .reverse = true}, "2 1 0 "},
		{"CPUs by a metric, offline last",
		 {.by = ROLLUP_CPU, .sort = "cpu_percent"},
		 "0 1 2 "},
		{"CPUs by a metric reversed, offline last",
		 {.by = ROLLUP_CPU, .sort = "cpu_percent", .reverse = true},
		 "1 0 2 "},
		{"CPUs by a column of tasks", {.by = ROLLUP_CPU, .sort = "user"}, "0 1 2 "},
	};
	struct snapshot *snapshot = sample("overview");

	(void)state;
	snapshot->cpus = xreallocarray(snapshot->cpus, 3, sizeof(*snapshot->cpus));
	snapshot->cpus[snapshot->n_cpus++] = (struct snapshot_cpu){.cpu = 2};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct view view;
		char order[128] = "";

		view_init(snapshot, &rows[i].spec, &view);
		for (size_t line = 0; line < view.n; line++) {
			const struct row *row = view_row(&view, line);
			int id = row ? row->tid : snapshot->cpus[view.order[line]].cpu;

			snprintf(order + strlen(order), sizeof(order) - strlen(order), "%d ", id);
		}
		if (strcmp(order, rows[i].want) != 0)
			fail_msg("%s: %s", rows[i].name, order);
		view_fini(&view);
	}
	snapshot_free(snapshot);
}

/* Parent, user and cgroup of a task. */
#define KIN(p, parent, owner, group, name, ms) \
	SAMPLE_TASK(p, p, parent, owner, group, name, (ms)*NS_PER_MS)

static const struct sample_row kin[] = {
	KIN(9, 5, 7, 1, "d", 10), KIN(5, 1, 7, 1, "b", 20),  KIN(4, 1, 7, 0, "c", 25),
	KIN(8, 5, 3, 0, "e", 30), KIN(1, 0, 3, -1, "a", 40), KIN(2, 0, 3, 2, "f", 500),
	KIN(3, 2, 3, 2, "g", 1),
};

static void assert_order(const struct sample_row *rows, size_t n, const struct view_spec *spec,
			 const char *pids_wanted)
{
	struct snapshot *snapshot = sample_snapshot(sample_columns("software"), rows, n);
	struct view view;
	char pids[64] = "";

	view_init(snapshot, spec, &view);
	for (size_t line = 0; line < view.n; line++)
		snprintf(pids + strlen(pids), sizeof(pids) - strlen(pids), "%d ",
			 view_row(&view, line)->pid);
	assert_string_equal(pids, pids_wanted);
	view_fini(&view);
	snapshot_free(snapshot);
}

/* What is held stands behind what used 0.05 % of a CPU, in the default order alone. */
static void sorts_held_tasks(void **state)
{
	struct sample_row held[] = {
		TASK(10, 10, "first", "", [TALLY_TASK_CLOCK] = 400 * NS_PER_US),
		TASK(20, 20, "stopped", "", CPU_MS(0)),
		TASK(30, 30, "zombie", "", CPU_MS(0)),
		TASK(40, 40, "shown", "", [TALLY_TASK_CLOCK] = 500 * NS_PER_US),
		TASK(50, 50, "sleeper", "", CPU_MS(0)),
		TASK(60, 60, "spin", "", CPU_MS(900)),
		TASK(70, 70, "main", "", CPU_MS(0)),
		TASK(70, 71, "in D", "", CPU_MS(0)),
		TASK(80, 80, "zombie", "", CPU_MS(0)),
	};
	static const struct {
		struct view_spec spec;
		const char *want; /* pids */
	} rows[] = {
		{{.by = ROLLUP_PROCESS}, "60 40 70 20 30 80 10 50 "},
		{{.by = ROLLUP_THREAD}, "60 40 70 20 30 80 10 50 70 "},
		{{.by = ROLLUP_PROCESS, .most_held = 3}, "60 40 70 20 30 10 50 80 "},
		{{.by = ROLLUP_THREAD, .most_held = 1}, "60 40 70 10 50 70 20 30 80 "},
		{{.by = ROLLUP_TREE, .most_held = 1}, "60 40 70 10 50 20 30 80 "},
		{{.by = ROLLUP_PROCESS, .sort = "cpu_percent", .most_held = 1},
		 "60 40 10 20 30 50 70 80 "},
		{{.by = ROLLUP_PROCESS, .reverse = true, .most_held = 1},
		 "20 30 50 70 80 10 40 60 "},
		{{.by = ROLLUP_PROCESS, .sort = "pid", .most_held = 1}, "10 20 30 40 50 60 70 80 "},
	};

	(void)state;
	held[1].row.held_ms = 5000;
	held[2].row.held_ms = 86400 * 1000;
	held[2].row.flags = ROW_EXITED | ROW_ZOMBIE;
	held[3].row.held_ms = 86400 * 1000;
	held[7].row.held_ms = 86401 * 1000;
	held[8].row.held_ms = 3600 * 1000;
	held[8].row.flags = ROW_EXITED | ROW_ZOMBIE;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_order(held, ARRAY_SIZE(held), &rows[i].spec, rows[i].want);
}

static void keeps_lines_of_tasks_that_hardly_run(void **state)
{
	static const struct sample_row few[] = {
		TASK(10, 10, "a", "", [TALLY_TASK_CLOCK] = 100 * NS_PER_US),
		TASK(20, 20, "b", "", [TALLY_TASK_CLOCK] = 400 * NS_PER_US),
		TASK(30, 30, "c", "", [TALLY_TASK_CLOCK] = 600 * NS_PER_US),
	};
	static const struct {
		struct view_spec spec;
		const char *want; /* pids */
	} rows[] = {
		{{.by = ROLLUP_PROCESS, .screen = true}, "30 10 20 "},
		{{.by = ROLLUP_PROCESS}, "30 20 10 "},
		{{.by = ROLLUP_PROCESS, .screen = true, .sort = "cpu_percent"}, "30 20 10 "},
		{{.by = ROLLUP_PROCESS, .screen = true, .reverse = true}, "10 20 30 "},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_order(few, ARRAY_SIZE(few), &rows[i].spec, rows[i].want);
}

static void sorts_rolled_up(void **state)
{
	static const struct {
		const char *name;
		struct view_spec spec;
		const char *want; /* the first cell and the last */
	} rows[] = {
		{"a tree by %CPU of all below",
		 {.by = ROLLUP_TREE},
		 "2:+1 f 3:`-g 1:+4 a 5:|-+2 b 8:| |-e 9:| `-d 4:`-c "},
		{"a tree reversed",
		 {.by = ROLLUP_TREE, .reverse = true},
		 "1:+4 a 4:|-c 5:`-+2 b 9:  |-d 8:  `-e 2:+1 f 3:`-g "},
		{"a tree by command",
		 {.by = ROLLUP_TREE, .sort = "command"},
		 "1:+4 a 5:|-+2 b 9:| |-d 8:| `-e 4:`-c 2:+1 f 3:`-g "},
		{"users", {.by = ROLLUP_USER}, "3:- 7:- "},
		{"users by name reversed",
		 {.by = ROLLUP_USER, .sort = "user", .reverse = true},
		 "7:- 3:- "},
		{"users, the most processes first",
		 {.by = ROLLUP_USER, .sort = "processes"},
		 "3:- 7:- "},
		{"the fewest threads first",
		 {.by = ROLLUP_USER, .sort = "threads", .reverse = true},
		 "7:- 3:- "},
		{"users by a column of tasks", {.by = ROLLUP_USER, .sort = "command"}, "3:- 7:- "},
		{"cgroups",
		 {.by = ROLLUP_CGROUP},
		 "2:docker:0123456789ab 2:b.service 1:- 2:a.service "},
		{"cgroups by name, unknown last",
		 {.by = ROLLUP_CGROUP, .sort = "cgroup"},
		 "2:a.service 2:b.service 2:docker:0123456789ab 1:- "},
		{"commands, equals by name",
		 {.by = ROLLUP_COMMAND, .sort = "processes"},
		 "1:a 1:b 1:c 1:d 1:e 1:f 1:g "},
		{"sockets by the most CPUs", {.by = ROLLUP_SOCKET, .sort = "cpus"}, "0:- 1:- "},
		{"sockets, unknown last", {.by = ROLLUP_SOCKET, .reverse = true}, "1:- 0:- "},
		{"nodes", {.by = ROLLUP_NODE}, "0:- -:- "},
	};
	static const char *const cgroups[] = {"/system.slice/b.service", "/system.slice/a.service",
					      "/docker/0123456789abcdef"};
	struct snapshot *snapshot =
		sample_snapshot(sample_columns("overview"), kin, ARRAY_SIZE(kin));

	(void)state;
	sample_cgroups(snapshot, cgroups, ARRAY_SIZE(cgroups));
	snapshot->cpus[1].socket = 1;
	snapshot->cpus[1].node = -1;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct view_spec spec = rows[i].spec;
		struct view view;
		char got[1024] = "";

		spec.ascii = true;
		view_init(snapshot, &spec, &view);
		for (size_t line = 0; line < view.n; line++) {
			const struct view_column *last = &view.columns[view.n_columns - 1];
			struct cell first, cell = {.text = "-"};

			view_cell(&view, line, 0, &first);
			if (last->left && last->field != FIELD_VERDICT)
				view_cell(&view, line, view.n_columns - 1, &cell);
			sprintf(got + strlen(got), "%s:%s ", first.text, cell.text);
		}
		if (strcmp(got, rows[i].want) != 0)
			fail_msg("%s: %s", rows[i].name, got);
		view_fini(&view);
	}
	snapshot_free(snapshot);
}

/* At any depth, the text fits into the cell, and the name into the text. */
static void shows_deep_trees(void **state)
{
	enum { DEPTH = 60 };
	struct sample_row deep[DEPTH] = {{.counts = {0}}};
	struct snapshot *snapshot;

	(void)state;
	for (pid_t i = 0; i < DEPTH; i++) {
		deep[i].row = (struct row){
			.pid = i + 1, .tid = i + 1, .ppid = i, .threads = 1, .flags = ROW_EXITED};
		memset(deep[i].row.comm, '\001', sizeof(deep[i].row.comm) - 1);
	}
	snapshot = sample_snapshot(sample_columns("software"), deep, DEPTH);
	for (int ascii = 0; ascii < 2; ascii++) {
		struct view view;

		view_init(snapshot, &(struct view_spec){.by = ROLLUP_TREE, .ascii = ascii}, &view);
		for (size_t line = 0; line < DEPTH; line++) {
			struct cell cell;

			view_cell(&view, line, view.n_columns - 1, &cell);
			/* "+59 ", "+9 ", and the last has none below it */
			size_t below = line + 1 == DEPTH   ? 0
				       : line + 10 < DEPTH ? strlen("+59 ")
							   : strlen("+9 ");
			assert_int_equal(text_width(cell.text),
					 2 * (line < 16 ? line : 16) + below + strlen("()") + 15);
			assert_int_equal(cell.text[strlen(cell.text) - 1], ')');
		}
		view_fini(&view);
	}
	snapshot_free(snapshot);
}

static void formats_figures(void **state)
{
	static const struct metric_def one = {.title = "t", .width = 5, .decimals = 1};
	static const struct metric_def two = {.title = "t", .width = 4, .decimals = 2};
	static const struct metric_def rate = {.title = "t", .width = 5, .decimals = 0};
	static const struct metric_def letter = {.width = 1, .format = METRIC_FORMAT_LETTER};
	static const struct metric_def time = {.width = 8, .format = METRIC_FORMAT_TIME};
	static const struct metric_def low = {.title = "t",
					      .width = 4,
					      .decimals = 2,
					      .better = METRIC_HIGHER,
					      .warn = 1,
					      .bad = 0.5};
	static const struct {
		const char *name;
		const struct metric_def *def;
		struct figure figure;
		const char *want;
		enum cell_role role;
	} rows[] = {
		{"zero", &one, {0, 1, FIGURE_VALID}, "0.0", CELL_DIM},
		{"rounds to zero", &one, {0.04, 1, FIGURE_VALID}, "0.0", CELL_DIM},
		{"no minus zero", &one, {-0.04, 1, FIGURE_VALID}, "0.0", CELL_DIM},
		{"plain", &one, {12.34, 1, FIGURE_VALID}, "12.3", CELL_PLAIN},
		{"above a hundred", &one, {723.4, 1, FIGURE_VALID}, "723.4", CELL_PLAIN},
		{"rounds up into the next digit",
		 &one,
		 {999.96, 1, FIGURE_VALID},
		 "1000",
		 CELL_PLAIN},
		{"decimals go when there is no room",
		 &one,
		 {12345.6, 1, FIGURE_VALID},
		 "12346",
		 CELL_PLAIN},
		{"then it is compact", &one, {123456, 1, FIGURE_VALID}, "123k", CELL_PLAIN},
		{"negative", &one, {-3.25, 1, FIGURE_VALID}, "-3.3", CELL_PLAIN},
		{"negative and large", &one, {-54321, 1, FIGURE_VALID}, "-54k", CELL_PLAIN},
		{"two decimals", &two, {3.149, 1, FIGURE_VALID}, "3.15", CELL_PLAIN},
		{"two decimals, no room", &two, {31.49, 1, FIGURE_VALID}, "31.5", CELL_PLAIN},
		{"narrow and compact", &two, {12345, 1, FIGURE_VALID}, "12k", CELL_PLAIN},
		{"rate", &rate, {9999.4, 1, FIGURE_VALID}, "9999", CELL_PLAIN},
		{"rate turns compact", &rate, {9999.6, 1, FIGURE_VALID}, "10.0k", CELL_PLAIN},
		{"rate in tens of thousands", &rate, {12345, 1, FIGURE_VALID}, "12.3k", CELL_PLAIN},
		{"rate in hundreds of thousands",
		 &rate,
		 {123456, 1, FIGURE_VALID},
		 "123k",
		 CELL_PLAIN},
		{"rate on the edge", &rate, {999499, 1, FIGURE_VALID}, "999k", CELL_PLAIN},
		{"rate over the edge", &rate, {999500, 1, FIGURE_VALID}, "1.00M", CELL_PLAIN},
		{"rate in millions", &rate, {4.5e6, 1, FIGURE_VALID}, "4.50M", CELL_PLAIN},
		{"9.995 has three digits", &rate, {9.995e6, 1, FIGURE_VALID}, "10.0M", CELL_PLAIN},
		{"the largest unit", &rate, {1.5e18, 1, FIGURE_VALID}, "1.50E", CELL_PLAIN},
		{"beyond units", &rate, {1e30, 1, FIGURE_VALID}, "#####", CELL_PLAIN},
		{"scaled", &one, {12.34, 0.5, FIGURE_SCALED}, "~12.3", CELL_SCALED},
		{"scaled at full width", &one, {123.4, 0.5, FIGURE_SCALED}, "~123.4", CELL_SCALED},
		{"low", &low, {0.9, 1, FIGURE_VALID}, "0.90", CELL_WARN},
		{"very low", &low, {0.25, 1, FIGURE_VALID}, "0.25", CELL_BAD},
		{"zero may be bad", &low, {0, 1, FIGURE_VALID}, "0.00", CELL_BAD},
		{"a state that waits", &letter, {6, 1, FIGURE_VALID}, "S", CELL_DIM},
		{"a state that runs", &letter, {8, 1, FIGURE_VALID}, "R", CELL_PLAIN},
		{"no state", &letter, {9, 1, FIGURE_VALID}, "?", CELL_PLAIN},
		{"a short time", &time, {0.05, 1, FIGURE_VALID}, "0:00.05", CELL_PLAIN},
		{"minutes", &time, {5999.99, 1, FIGURE_VALID}, "99:59.99", CELL_PLAIN},
		{"hours", &time, {6000, 1, FIGURE_VALID}, "1h40:00", CELL_PLAIN},
		{"many hours", &time, {359999, 1, FIGURE_VALID}, "99h59:59", CELL_PLAIN},
		{"days", &time, {360000, 1, FIGURE_VALID}, "4d04h", CELL_PLAIN},
		{"many days", &time, {863999999, 1, FIGURE_VALID}, "9999d23h", CELL_PLAIN},
		{"beyond days", &time, {864000000, 1, FIGURE_VALID}, "864M", CELL_PLAIN},
		{"a time of some tasks", &time, {60, 1, FIGURE_LOST}, "?1:00.00", CELL_SCALED},
		{"scaled and low", &low, {0.9, 0.5, FIGURE_SCALED}, "~0.90", CELL_WARN},
		{"undefined", &low, {0, 0, FIGURE_UNDEFINED}, "", CELL_DIM},
		{"not counted", &low, {0, 0, FIGURE_NOT_COUNTED}, "-", CELL_DIM},
		{"unsupported", &low, {0, 0, FIGURE_UNSUPPORTED}, "n/a", CELL_DIM},
		{"denied", &low, {0, 0, FIGURE_DENIED}, "!", CELL_DIM},
		{"lost", &low, {1.25, 1, FIGURE_LOST}, "?1.25", CELL_SCALED},
		{"all of it lost", &low, {0, 1, FIGURE_LOST}, "?", CELL_DIM},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct cell cell;

		figure_format(rows[i].def, rows[i].figure, &cell);
		if (strcmp(cell.text, rows[i].want) != 0 || cell.role != rows[i].role)
			fail_msg("%s: \"%s\" role %d, not \"%s\" role %d", rows[i].name, cell.text,
				 cell.role, rows[i].want, rows[i].role);
	}
}

/* No number is wider than its column. */
static void figures_stay_in_their_columns(void **state)
{
	static const double mantissas[] = {1, 1.5, 4.9999, 5, 9.4999, 9.5, 9.949, 9.995, 9.9999};

	(void)state;
	for (size_t i = 0; i < metric_table_n; i++)
		for (int exponent = -320; exponent <= 307; exponent++)
			for (size_t m = 0; m < 2 * ARRAY_SIZE(mantissas); m++) {
				double value = mantissas[m / 2] * (m % 2 ? -1 : 1);
				struct cell cell;

				for (int e = 0; e < abs(exponent); e++)
					value = exponent < 0 ? value / 10 : value * 10;
				figure_format(&metric_table[i],
					      (struct figure){value, 0.5, FIGURE_SCALED}, &cell);
				if (text_width(cell.text) > metric_table[i].width + 1)
					fail_msg("%s: %g is \"%s\"", metric_table[i].name, value,
						 cell.text);
			}
}

static void shows_tasks(void **state)
{
	static const struct {
		const char *name;
		struct row row;
		const char *column, *want;
		enum cell_role role;
	} rows[] = {
		{"pid", {.pid = 4194304, .tid = 4194304}, "pid", "4194304", CELL_ID},
		{"tid", {.pid = 7, .tid = 12}, "tid", "12", CELL_ID},
		{"user", {.pid = 7, .user = "db"}, "user", "db", CELL_PLAIN},
		{"user of eight", {.pid = 7, .user = "postgres"}, "user", "postgres", CELL_PLAIN},
		{"a long user", {.pid = 7, .user = "postgresql"}, "user", "postgre+", CELL_PLAIN},
		{"no user", {.pid = 7}, "user", "-", CELL_DIM},
		{"a hostile user",
		 {.pid = 7, .user = "\x1b[2J"},
		 "user",
		 "\xef\xbf\xbd[2J",
		 CELL_PLAIN},
		{"command", {.pid = 7, .comm = "postgres"}, "command", "postgres", CELL_NAME},
		{"kernel thread",
		 {.pid = 2, .comm = "kthreadd", .flags = ROW_KERNEL},
		 "command",
		 "[kthreadd]",
		 CELL_NAME},
		{"exited",
		 {.pid = 7, .comm = "cc1", .flags = ROW_EXITED},
		 "command",
		 "(cc1)",
		 CELL_DIM},
		{"an exited kernel thread",
		 {.pid = 7, .comm = "kworker", .flags = ROW_EXITED | ROW_KERNEL},
		 "command",
		 "(kworker)",
		 CELL_DIM},
		{"no command", {.pid = 7, .tid = 12}, "command", ":12", CELL_DIM},
		{"no command, largest tid",
		 {.pid = 7, .tid = INT32_MAX, .flags = ROW_KERNEL},
		 "command",
		 "[:2147483647]",
		 CELL_DIM},
		{"an escape sequence",
		 {.pid = 7, .comm = "a\x1b[31mb\r\n"},
		 "command",
		 "a\xef\xbf\xbd[31mb\xef\xbf\xbd\xef\xbf\xbd",
		 CELL_NAME},
		{"the longest that can come out",
		 {.pid = 7,
		  .flags = ROW_KERNEL,
		  .comm = "\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01"},
		 "command",
		 "[\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf"
		 "\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef"
		 "\xbf\xbd\xef\xbf\xbd]",
		 CELL_NAME},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sample_row from = {.row = rows[i].row};
		struct snapshot *snapshot = sample_snapshot(sample_columns("software"), &from, 1);
		struct view view;
		struct cell cell;
		size_t column = 0;

		view_init(snapshot, &(struct view_spec){.by = ROLLUP_THREAD}, &view);
		while (strcmp(view.columns[column].name, rows[i].column) != 0)
			column++;
		view_cell(&view, 0, column, &cell);
		if (strcmp(cell.text, rows[i].want) != 0 || cell.role != rows[i].role)
			fail_msg("%s: \"%s\" role %d", rows[i].name, cell.text, cell.role);
		if (text_width(cell.text) > view.columns[column].width)
			fail_msg("%s: too wide", rows[i].name);
		view_fini(&view);
		snapshot_free(snapshot);
	}
}

static void shows_command_lines(void **state)
{
	static const struct {
		struct row row;
		const char *want[3];     /* by enum view_command */
		const char *stressed[3]; /* of that text */
		enum cell_role role;
	} rows[] = {
		{{.pid = 7, .tid = 7, .comm = "sh", .cmdline = "/bin/sh -c x\ny"},
		 {"sh", "sh -c x y", "/bin/sh -c x y"},
		 {"", "sh", "sh"},
		 CELL_NAME},
		{{.pid = 7, .tid = 7, .comm = "sh", .cmdline = "sh -c x", .flags = ROW_EXITED},
		 {"(sh)", "(sh) -c x", "(sh -c x)"},
		 {"", "(sh)", "(sh"},
		 CELL_DIM},
		{{.pid = 7, .tid = 7, .comm = "\x1b[2J", .cmdline = "/usr/bin/\x1b[2J/\x80 \x07"},
		 {"\xef\xbf\xbd[2J", "\xef\xbf\xbd[2J \xef\xbf\xbd \xef\xbf\xbd",
		  "/usr/bin/\xef\xbf\xbd[2J/\xef\xbf\xbd \xef\xbf\xbd"},
		 {"", "\xef\xbf\xbd[2J \xef\xbf\xbd", "\xef\xbf\xbd"},
		 CELL_NAME},
		{{.pid = 2, .tid = 2, .comm = "kthreadd", .flags = ROW_KERNEL},
		 {"[kthreadd]", "[kthreadd]", "[kthreadd]"},
		 {"", "", ""},
		 CELL_NAME},
	};
	char longest[CMDLINE_BYTES + 1];

	(void)state;
	for (size_t i = 0; i <= ARRAY_SIZE(rows); i++) {
		bool last = i == ARRAY_SIZE(rows);
		struct sample_row from = {.row = rows[last ? 1 : i].row};
		memset(longest, '\1', CMDLINE_BYTES);
		longest[CMDLINE_BYTES] = '\0';
		if (last)
			from.row.cmdline = longest;
		struct snapshot *snapshot = sample_snapshot(sample_columns("software"), &from, 1);
		for (enum view_command command = 0; command <= VIEW_COMMAND_WHOLE; command++) {
			struct view view;
			struct cell cell;
			view_init(snapshot,
				  &(struct view_spec){.by = ROLLUP_TREE, .command = command},
				  &view);
			view_cell(&view, 0, view.n_columns - 1, &cell);
			assert_int_equal(cell.role, rows[last ? 1 : i].role);
			if (last) {
				assert_int_equal(cell.text[strlen(cell.text) - 1], ')');
			} else {
				assert_string_equal(cell.text, rows[i].want[command]);
				cell.text[cell.stressed_end] = '\0';
				assert_string_equal(cell.text + cell.stressed_begin,
						    rows[i].stressed[command]);
			}
			view_fini(&view);
		}
		snapshot_free(snapshot);
	}
}

/* Of threads the main one has the line of the process, and groups have none. */
static void shows_whose_command_line(void **state)
{
	static const struct {
		enum rollup by;
		const char *want[2];
	} rows[] = {
		{ROLLUP_PROCESS, {"java x.jar", NULL}},
		{ROLLUP_THREAD, {"java x.jar", "GC Thread#0"}},
		{ROLLUP_COMMAND, {"GC Thread#0", "java"}},
	};
	static const struct sample_row threads[] = {
		{.row = {.pid = 7, .tid = 7, .comm = "java", .cmdline = "java -jar /opt/x.jar"}},
		{.row = {.pid = 7, .tid = 8, .comm = "GC Thread#0", .cmdline = "java -jar x.jar"}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct snapshot *snapshot =
			sample_snapshot(sample_columns("software"), threads, ARRAY_SIZE(threads));
		struct view view;

		view_init(snapshot,
			  &(struct view_spec){.by = rows[i].by,
					      .command = VIEW_COMMAND_SHORT,
					      .sort = "command"},
			  &view);
		for (size_t line = 0; line < view.n; line++) {
			struct cell cell;

			view_cell(&view, line, view.n_columns - 1, &cell);
			bool known = rows[i].want[0] && strcmp(cell.text, rows[i].want[0]) == 0;
			known |= rows[i].want[1] && strcmp(cell.text, rows[i].want[1]) == 0;
			if (!known)
				fail_msg("%s: %s", rollup_name(rows[i].by), cell.text);
		}
		view_fini(&view);
		snapshot_free(snapshot);
	}
}

static void shows_cpus(void **state)
{
	static const struct {
		const char *name;
		size_t line, column;
		const char *want;
	} rows[] = {
		{"a CPU's number", 0, 0, "0"},
		{"its busy time", 0, 2, "80.0"},
		{"its stalls", 0, 1, "0.0"},
		{"an idle CPU", 1, 2, "0.0"},
		{"an idle CPU's IPC", 1, 4, ""},
		{"an idle CPU does not stall", 1, 1, "0.0"},
		{"a CPU without records", 2, 0, "2"},
		{"its figures", 2, 2, "-"},
		{"its stalls are unknown, too", 2, 1, "-"},
	};
	struct snapshot *snapshot = sample("overview");
	struct view view;

	(void)state;
	snapshot->cpus = xreallocarray(snapshot->cpus, 3, sizeof(*snapshot->cpus));
	snapshot->cpus[snapshot->n_cpus++] = (struct snapshot_cpu){.cpu = 2};
	view_init(snapshot, &(struct view_spec){.by = ROLLUP_CPU}, &view);
	assert_null(view_row(&view, 0));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct cell cell;

		view_cell(&view, rows[i].line, rows[i].column, &cell);
		if (strcmp(cell.text, rows[i].want) != 0)
			fail_msg("%s: \"%s\"", rows[i].name, cell.text);
	}
	view_fini(&view);
	snapshot_free(snapshot);
}

/* The columns at a width, for tasks in the preset overview. */
static void fits(void **state)
{
	static const struct {
		const char *name, *sort;
		unsigned width;
		const char *want;
		unsigned command;
	} rows[] = {
		{"wide", "", 200,
		 "PID USER %CPU GHz IPC MIPS brMPKI caMPKI cs/s flt/s VERDICT COMMAND ", 119},
		{"eighty columns", "", 80,
		 "PID USER %CPU GHz IPC MIPS brMPKI caMPKI VERDICT COMMAND ", 13},
		{"what is sorted by stays", "faults_per_s", 80,
		 "PID USER %CPU GHz IPC MIPS brMPKI flt/s VERDICT COMMAND ", 13},
		{"sixty", "", 60, "PID USER %CPU GHz IPC VERDICT COMMAND ", 14},
		{"forty", "", 40, "PID %CPU GHz IPC COMMAND ", 13},
		{"narrow", "", 30, "PID %CPU COMMAND ", 15},
		{"too narrow for what must stay", "", 20, "PID %CPU COMMAND ", 5},
		{"no room for a command", "", 14, "PID %CPU ", 0},
		{"five columns", "", 5, "PID ", 0},
		{"none", "", 0, "", 0},
	};
	struct snapshot *snapshot = sample("overview");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct view_spec spec = {.by = ROLLUP_PROCESS};
		struct view view;
		unsigned widths[16];
		char left[128] = "";

		text_copy(spec.sort, sizeof(spec.sort), rows[i].sort);
		view_init(snapshot, &spec, &view);
		view_fit(view.columns, view.n_columns, view.sort_column, rows[i].width, widths);
		append_titles(&view, widths, left);
		if (strcmp(left, rows[i].want) != 0 ||
		    widths[view.n_columns - 1] != rows[i].command)
			fail_msg("%s: %s, COMMAND %u", rows[i].name, left,
				 widths[view.n_columns - 1]);
		view_fini(&view);
	}
	snapshot_free(snapshot);
}

/* Columns chosen by the user, in their order. */
static void shows_chosen_columns(void **state)
{
	static const struct {
		const char *name;
		const char *shown[8];
		const char *want;
	} rows[] = {
		{"in their order",
		 {"verdict", "ipc", "cpu_percent"},
		 "PID USER VERDICT IPC %CPU COMMAND "},
		{"each once", {"ipc", "mips", "ipc"}, "PID USER IPC MIPS COMMAND "},
		{"others are ignored", {"command", "ipc", "dtlb_mpki"}, "PID USER IPC COMMAND "},
		{"no metric of this preset: all",
		 {"verdict", "dtlb_mpki"},
		 "PID USER %CPU GHz IPC MIPS brMPKI caMPKI cs/s flt/s VERDICT COMMAND "},
		{"none: all",
		 {NULL},
		 "PID USER %CPU GHz IPC MIPS brMPKI caMPKI cs/s flt/s VERDICT COMMAND "},
	};
	struct snapshot *snapshot = sample("overview");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct view view;
		char titles[256] = "";

		view_init(snapshot, &(struct view_spec){.shown = rows[i].shown}, &view);
		append_titles(&view, NULL, titles);
		if (strcmp(titles, rows[i].want) != 0)
			fail_msg("%s: %s", rows[i].name, titles);
		view_fini(&view);
	}
	snapshot_free(snapshot);
}

/* A column that no CPU can fill is dropped first, unless the user added it. */
static void drops_empty_columns_first(void **state)
{
	static const struct {
		size_t n_preset;
		const char *want;
	} rows[] = {
		{8, "PID USER %CPU GHz IPC MIPS caMPKI cs/s VERDICT COMMAND "},
		{4, "PID %CPU GHz IPC brMPKI caMPKI cs/s flt/s VERDICT COMMAND "},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct snapshot *snapshot = sample("overview");
		unsigned widths[16];
		char left[128] = "";
		struct view view;

		snapshot->columns->events.items[SAMPLE_BRANCH_MISSES].state = FIGURE_UNSUPPORTED;
		snapshot->columns->n_preset = rows[i].n_preset;
		view_init(snapshot, &(struct view_spec){.by = ROLLUP_PROCESS}, &view);
		view_fit(view.columns, view.n_columns, view.sort_column, 80, widths);
		append_titles(&view, widths, left);
		if (strcmp(left, rows[i].want) != 0)
			fail_msg("%zu: %s", rows[i].n_preset, left);
		view_fini(&view);
		snapshot_free(snapshot);
	}
}

/* At every width: never wider than the screen, and columns are whole unless cut. */
static void fits_every_width(void **state)
{
	static const struct view_spec specs[] = {
		{.by = ROLLUP_PROCESS}, {.by = ROLLUP_THREAD},
		{.by = ROLLUP_TREE},    {.by = ROLLUP_USER},
		{.by = ROLLUP_CGROUP},  {.by = ROLLUP_CPU},
		{.by = ROLLUP_SOCKET},  {.by = ROLLUP_PROCESS, .sort = "faults_per_s"},
	};
	struct snapshot *snapshot = sample("overview");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
		struct view view;
		unsigned before = 0;

		view_init(snapshot, &specs[i], &view);
		for (unsigned width = 0; width < 300; width++) {
			unsigned widths[16], used = 0, shown = 0;

			view_fit(view.columns, view.n_columns, view.sort_column, width, widths);
			for (size_t c = 0; c < view.n_columns; c++) {
				used += widths[c] + (widths[c] && used);
				shown += widths[c] > 0;
			}
			if (used > width)
				fail_msg("%u columns of %u", used, width);
			if (width > 40 && !widths[view.sort_column])
				fail_msg("the sort column is missing at %u", width);
			if (shown < before)
				fail_msg("fewer columns at %u than before", width);
			before = shown;
		}
		assert_int_equal(before, view.n_columns);
		view_fini(&view);
	}
	snapshot_free(snapshot);
}

static void views_of_nothing(void **state)
{
	struct snapshot *snapshot = sample_snapshot(sample_columns("overview"), NULL, 0);
	struct view view;

	(void)state;
	view_init(snapshot, &(struct view_spec){.by = ROLLUP_PROCESS}, &view);
	assert_int_equal(view.n, 0);
	assert_int_equal(view.n_columns, 12);
	view_fini(&view);
	view_fini(&view);
	snapshot_free(snapshot);
}

static void a_row_without_a_verdict_is_blank(void **state)
{
	struct sample_row row = SAMPLE_TASK(7, 7, 1, 0, -1, "hardly runs", NS_PER_S / 100);
	struct snapshot *snapshot = sample_snapshot(sample_columns("overview"), &row, 1);
	struct view view;
	struct cell cell;

	(void)state;
	view_init(snapshot, &(struct view_spec){.by = ROLLUP_PROCESS}, &view);
	view_cell(&view, 0, (size_t)view_find_column(&view, "verdict"), &cell);
	assert_string_equal(cell.text, "");
	view_fini(&view);
	snapshot_free(snapshot);
}

/* Its label says that it is unknown, so it has no mark beside that. */
static void marks_an_unknown_verdict_once(void **state)
{
	struct sample_row row = SAMPLE_TASK(7, 7, 1, 0, -1, "lost", NS_PER_S / 2);
	struct view view;
	struct cell cell;

	(void)state;
	row.row.flags = ROW_LOST;
	struct snapshot *snapshot = sample_snapshot(sample_columns("overview"), &row, 1);
	view_init(snapshot, &(struct view_spec){.by = ROLLUP_PROCESS}, &view);
	view_cell(&view, 0, (size_t)view_find_column(&view, "verdict"), &cell);
	assert_string_equal(cell.text, "?");
	view_fini(&view);
	snapshot_free(snapshot);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_columns),
		cmocka_unit_test(sorts),
		cmocka_unit_test(sorts_held_tasks),
		cmocka_unit_test(keeps_lines_of_tasks_that_hardly_run),
		cmocka_unit_test(sorts_rolled_up),
		cmocka_unit_test(shows_deep_trees),
		cmocka_unit_test(formats_figures),
		cmocka_unit_test(figures_stay_in_their_columns),
		cmocka_unit_test(shows_tasks),
		cmocka_unit_test(shows_command_lines),
		cmocka_unit_test(shows_whose_command_line),
		cmocka_unit_test(shows_cpus),
		cmocka_unit_test(fits),
		cmocka_unit_test(shows_chosen_columns),
		cmocka_unit_test(drops_empty_columns_first),
		cmocka_unit_test(fits_every_width),
		cmocka_unit_test(views_of_nothing),
		cmocka_unit_test(a_row_without_a_verdict_is_blank),
		cmocka_unit_test(marks_an_unknown_verdict_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
