// SPDX-License-Identifier: MIT
/*
 * Facts of tasks from /proc, through the engine and the view: of threads and processes, summed up,
 * of tasks that end, and what cannot be read.
 */
#include "tests/unit/shared/engine_run.h"

#include "core/base/figure_mark.h"
#include "core/output/out_csv.h"
#include "core/output/out_json.h"
#include "core/snapshot/detail.h"
#include "core/sys/proc.h"
#include "core/view/view_internal.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/send_request.h"

#include <stdio.h>
#include <unistd.h>

/* Bytes of an interval are exact; bytes per second depend on its length. */
static const struct metric_def own[] = {
	{.name = "read",
	 .title = "read",
	 .group = "user",
	 .forms = {{.expression = "read_bytes"}},
	 .unit = "",
	 .help = "",
	 .width = 5},
	{.name = "written",
	 .title = "written",
	 .group = "user",
	 .forms = {{.expression = "write_bytes"}},
	 .unit = "",
	 .help = "",
	 .width = 5},
};
static const struct preset preset = {
	.name = "facts",
	.metrics =
		(const char *const[]){"state", "total_time", "nice", "last_cpu", "thread_count",
				      "read", "written", "rss", "mem_percent", "read_per_s", NULL},
};
static const struct engine_config config = {
	.preset = &preset, .user_metrics = own, .n_user_metrics = ARRAY_SIZE(own)};

#define DENIED_IO "/proc/70/io"

struct scene {
	struct fk *fk;
	struct sys_ops ops;
	struct sys sys; /* the fake's, except for one file */
	struct engine *engine;
};

static ssize_t read_unless_denied(void *fk, const char *path, char *buffer, size_t size)
{
	const struct sys fake = fk_sys(fk);

	return strcmp(path, DENIED_IO) == 0 ? -EACCES : sys_file_read(&fake, path, buffer, size);
}

/* A line of /proc/PID/stat. */
struct stat_line {
	const char *path;
	pid_t pid;
	char state;
	unsigned ticks;
	int nice;
	unsigned threads, rss_pages;
	int cpu;
};

static void set_stat(struct fk *fk, const struct stat_line *line)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "%d (c) %c 1 %d %d 0 -1 0 0 0 0 0 %u 0 0 0 20 %d %u 0 0 4096000 %u 0 0 0 0 0 0 0 "
		 "0 0 0 0 0 0 17 %d 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
		 line->pid, line->state, line->pid, line->pid, line->ticks, line->nice,
		 line->threads, line->rss_pages, line->cpu);
	fk_file(fk, line->path, text);
}

static void set_io(struct fk *fk, const char *path, unsigned read, unsigned write)
{
	char text[128];

	snprintf(text, sizeof(text), "rchar: 1\nread_bytes: %u\nwrite_bytes: %u\n", read, write);
	fk_file(fk, path, text);
}

/* Process 50 has thread 51. Processes 60 and 70 have one thread, and 70 keeps its I/O secret. */
static void scene_open(struct scene *scene)
{
	static const struct stat_line lines[] = {
		{"/proc/1/stat", 1, 'S', 100, 0, 1, 10, 0},
		{"/proc/50/stat", 50, 'S', 6000, 5, 2, 1000, 1},
		{"/proc/50/task/50/stat", 50, 'S', 1000, 5, 2, 1000, 1},
		{"/proc/50/task/51/stat", 51, 'R', 2000, -3, 2, 1000, 0},
		{"/proc/60/stat", 60, 'D', 720000, 0, 1, 2000, 0},
		{"/proc/70/stat", 70, 'S', 12345, 19, 1, 0, -1},
	};

	scene->fk = fk_new(
		&(struct fk_config){.cpus = 2, .no_pmu = true, .tracefs = FK_TRACEFS_SWITCHES});
	scene->sys = fk_sys(scene->fk);
	scene->ops = *scene->sys.ops;
	scene->ops.file_read = read_unless_denied;
	scene->sys.ops = &scene->ops;
	fk_file(scene->fk, "/etc/passwd", "root:x:0:0::/:\nann:x:1000:1000::/:\n");
	fk_task(scene->fk, &(struct fk_spec){.tid = 1, .comm = "init"});
	fk_task(scene->fk, &(struct fk_spec){.tid = 50, .uid = 1000, .ppid = 1, .comm = "c"});
	fk_task(scene->fk, &(struct fk_spec){.tid = 51, .pid = 50, .uid = 1000, .comm = "c"});
	fk_task(scene->fk, &(struct fk_spec){.tid = 60, .uid = 1000, .ppid = 1, .comm = "c"});
	fk_task(scene->fk, &(struct fk_spec){.tid = 70, .ppid = 1, .comm = "c"});
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		set_stat(scene->fk, &lines[i]);
	set_io(scene->fk, "/proc/1/io", 7, 7);
	set_io(scene->fk, "/proc/50/io", 1000, 2000);
	set_io(scene->fk, "/proc/50/task/50/io", 500, 2000);
	set_io(scene->fk, "/proc/50/task/51/io", 500, 0);
	set_io(scene->fk, "/proc/60/io", 0, 0);
	scene->engine = open_engine_with(&scene->sys, &config);
}

static void scene_close(struct scene *scene)
{
	close_all(scene->engine, scene->fk);
}

/* The snapshot of an interval in which 50, 51, 60 and 70 run. */
static struct snapshot *run_all(struct scene *scene)
{
	static const pid_t tids[] = {50, 51, 60, 70, 0};

	for (size_t i = 0; i < ARRAY_SIZE(tids); i++)
		fk_script(scene->fk,
			  &(struct fk_step){.at_ns = (1 + i) * 10 * NS_PER_MS,
					    .action = FK_SWITCH,
					    .tid = tids[i]},
			  1);
	return next_snapshot(scene->engine, scene->fk, INTERVAL_NS);
}

/* "S TIME+ NI CPU thr read written|" of each line, by pid; a blank cell is "-". RES depends on the
 * size of pages. */
static void check_lines(const struct snapshot *snapshot, enum rollup by, const char *want)
{
	char text[1024] = "";
	struct view_spec spec = {.by = by};
	struct view view;

	strcpy(spec.sort, by == ROLLUP_USER ? "user" : "pid");
	view_init(snapshot, &spec, &view);
	for (size_t line = 0; line < view.n; line++)
		for (size_t i = 0; i < 7; i++) {
			struct cell cell;
			int column = view_find_column(&view, preset.metrics[i]);

			assert_true(column >= 0);
			view_cell(&view, line, (size_t)column, &cell);
			strcat(text, cell.text[0] ? cell.text : "-");
			strcat(text, i < 6 ? " " : "|");
		}
	view_fini(&view);
	if (strcmp(text, want) != 0)
		fail_msg("by %s:\n%s\nnot\n%s", rollup_name(by), text, want);
}

static const struct grouping_case {
	const char *name;
	enum rollup by;
	const char *first, *second; /* the lines of two refreshes */
} groupings[] = {
	{"by thread", ROLLUP_THREAD,
	 "S 0:10.00 5 1 2 - -|R 0:20.00 -3 0 2 - -|D 2h00:00 0 0 1 - -|S 2:03.45 19 - 1 ! !|",
	 "S 0:10.00 5 1 2 0 0|R 0:20.00 -3 0 2 500 0|D 2h00:00 0 0 1 1000 100|S 2:03.45 19 - 1 ! "
	 "!|"},
	{"by process", ROLLUP_PROCESS,
	 "R 1:00.00 5 1 2 - -|D 2h00:00 0 0 1 - -|S 2:03.45 19 - 1 ! !|",
	 "R 1:00.00 5 1 2 2000 50|D 2h00:00 0 0 1 1000 100|S 2:03.45 19 - 1 ! !|"},
	{"by tree", ROLLUP_TREE,
	 "R 2h03:04 0 0 5 ! !|R 1:00.00 5 1 2 - -|D 2h00:00 0 0 1 - -|S 2:03.45 19 - 1 ! !|",
	 "R 2h03:04 0 0 5 ?3000 ?150|R 1:00.00 5 1 2 2000 50|D 2h00:00 0 0 1 1000 100|"
	 "S 2:03.45 19 - 1 ! !|"},
	{"by user", ROLLUP_USER, "R 2h01:00 - - 3 - -|S 2:03.45 - - 1 ! !|",
	 "R 2h01:00 - - 3 3000 150|S 2:03.45 - - 1 ! !|"},
	{"by command", ROLLUP_COMMAND, "R 2h03:03 - - 4 ! !|", "R 2h03:03 - - 4 ?3000 ?150|"},
	{"by cgroup", ROLLUP_CGROUP, "R 2h03:03 - - 4 ! !|", "R 2h03:03 - - 4 ?3000 ?150|"},
};

static void run_grouping(void **state)
{
	const struct grouping_case *this = *state;
	struct scene scene;

	scene_open(&scene);
	struct snapshot *snapshot = run_all(&scene);
	check_lines(snapshot, this->by, this->first);
	snapshot_free(snapshot);
	set_io(scene.fk, "/proc/50/io", 3000, 2050);
	set_io(scene.fk, "/proc/50/task/51/io", 1000, 0);
	set_io(scene.fk, "/proc/60/io", 1000, 100);
	snapshot = run_all(&scene);
	check_lines(snapshot, this->by, this->second);
	snapshot_free(snapshot);
	scene_close(&scene);
}

/* A file that changes between two refreshes, and what process 60 has then. */
static const struct change_case {
	const char *name, *path, *text, *want;
} changes[] = {
	{"it ends while it is read", "/proc/60/stat", NULL, "- - - - - 0 0|"},
	{"an unknown state", "/proc/60/stat",
	 "60 (c) ~ 1 60 60 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
	 "17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
	 "- 0:00.00 0 0 1 0 0|"},
	{"no I/O in this kernel", "/proc/60/io", NULL, "D 2h00:00 0 0 1 - -|"},
	{"I/O without numbers", "/proc/60/io", "rchar: 1\n", "D 2h00:00 0 0 1 - -|"},
	{"reads go backwards", "/proc/60/io", "read_bytes: 99\nwrite_bytes: 200\n",
	 "D 2h00:00 0 0 1 - 100|"},
};

static void run_change(void **state)
{
	const struct change_case *this = *state;
	struct scene scene;
	char want[256];

	scene_open(&scene);
	set_io(scene.fk, "/proc/60/io", 100, 100);
	snapshot_free(run_all(&scene));
	fk_file(scene.fk, this->path, this->text);
	struct snapshot *snapshot = run_all(&scene);
	snprintf(want, sizeof(want), "R 1:00.00 5 1 2 0 0|%sS 2:03.45 19 - 1 ! !|", this->want);
	check_lines(snapshot, ROLLUP_PROCESS, want);
	snapshot_free(snapshot);
	scene_close(&scene);
}

/* Its last facts are gone with it, and a sum leaves it out. */
static void test_an_ended_process(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene);
	snapshot_free(run_all(&scene));
	fk_script(scene.fk,
		  (const struct fk_step[]){
			  {.at_ns = 35 * NS_PER_MS, .action = FK_EXIT, .tid = 60},
		  },
		  1);
	struct snapshot *snapshot = run_all(&scene);
	check_lines(snapshot, ROLLUP_PROCESS,
		    "R 1:00.00 5 1 2 0 0|- - - - - - -|S 2:03.45 19 - 1 ! !|");
	check_lines(snapshot, ROLLUP_USER, "R 1:00.00 - - 2 0 0|S 2:03.45 - - 1 ! !|");
	snapshot_free(snapshot);
	scene_close(&scene);
}

/* A process that starts while columns of I/O are shown had no I/O before. */
static void test_a_new_process(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene);
	snapshot_free(run_all(&scene));
	set_stat(scene.fk, &(struct stat_line){"/proc/80/stat", 80, 'S', 0, 0, 1, 1, 0});
	set_io(scene.fk, "/proc/80/io", 300, 400);
	fk_script(scene.fk,
		  (const struct fk_step[]){
			  {.at_ns = 1 * NS_PER_MS, .action = FK_SWITCH, .tid = 60},
			  {.at_ns = 2 * NS_PER_MS, .action = FK_FORK, .tid = 60, .child = 80},
			  {.at_ns = 3 * NS_PER_MS, .action = FK_SWITCH, .tid = 80},
			  {.at_ns = 4 * NS_PER_MS, .action = FK_SWITCH, .tid = 0},
		  },
		  4);
	struct snapshot *snapshot = next_snapshot(scene.engine, scene.fk, INTERVAL_NS);
	/* /proc has process 50 as runnable: it waits for a CPU. */
	check_lines(snapshot, ROLLUP_PROCESS,
		    "R 1:00.00 5 1 2 0 0|D 2h00:00 0 0 1 0 0|S 0:00.00 0 0 1 300 400|");
	snapshot_free(snapshot);
	scene_close(&scene);
}

static void test_memory(void **state)
{
	double page = (double)sysconf(_SC_PAGESIZE), memory = 8388608.0 * 1024;
	struct scene scene;

	(void)state;
	scene_open(&scene);
	struct snapshot *snapshot = run_all(&scene);
	/* A thread has the memory of its process. */
	assert_true(task_figure(snapshot, 51, "rss").value == 1000 * page);
	assert_true(task_figure(snapshot, 60, "rss").value == 2000 * page);
	assert_true(task_figure(snapshot, 60, "mem_percent").value == 100 * 2000 * page / memory);
	struct rows groups;
	rollup_tallies(snapshot, ROLLUP_CGROUP, &groups);
	assert_int_equal(groups.n, 1);
	assert_true(rows_facts(&groups, 0)[FACT_RSS_BYTES].value == 3000 * page);
	rows_fini(&groups);
	snapshot_free(snapshot);
	scene_close(&scene);
}

/* The details of a row have what the row has in the list: state, TIME+ and threads. */
static void test_details(void **state)
{
	static const struct {
		enum rollup by;
		pid_t tid;
		double numbers[3];
	} rows[] = {
		{ROLLUP_THREAD, 51, {8, 20, 2}},
		{ROLLUP_PROCESS, 50, {8, 60, 2}},
		{ROLLUP_USER, 50, {8, 7260, 3}},
	};
	struct scene scene;

	(void)state;
	scene_open(&scene);
	struct snapshot *snapshot = run_all(&scene);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct history_key key =
			history_key_of_row(snapshot, rows[i].by, row_of(snapshot, rows[i].tid));
		struct detail detail;

		detail_init(snapshot, &key, &detail);
		const struct figure *facts = rows_facts(&detail.sum, 0);
		assert_true(facts[FACT_STATE].value == rows[i].numbers[0]);
		assert_true(facts[FACT_TOTAL_TIME_S].value == rows[i].numbers[1]);
		assert_true(facts[FACT_THREAD_COUNT].value == rows[i].numbers[2]);
		detail_fini(&detail);
	}
	snapshot_free(snapshot);
	scene_close(&scene);
}

static void test_bytes_per_second(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene);
	snapshot_free(run_all(&scene));
	set_io(scene.fk, "/proc/60/io", 1000, 0);
	struct snapshot *snapshot = run_all(&scene);
	assert_true(task_figure(snapshot, 60, "read_per_s").value ==
		    1000 / snapshot_interval_s(snapshot).value);
	snapshot_free(snapshot);
	scene_close(&scene);
}

/* What happens in the second of four intervals. Process 60 reads 1000 bytes in each of them. */
enum io_event {
	IO_NOTHING,
	IO_REFUSED, /* its file cannot be read */
	IO_HIDDEN,  /* the columns of I/O are not shown */
	IO_NO_ROW,  /* it does not run, and reads nothing */
	IO_LOST,    /* records are lost, and its slice is among them */
	IO_OUTSIDE, /* it is not in the target until then */
};

static const struct io_case {
	const char *name;
	enum io_event event;
	const char *wants[4]; /* bytes read in each interval */
} io_cases[] = {
	{"in each interval", IO_NOTHING, {"-", "10", "10", "10"}},
	{"after a refusal", IO_REFUSED, {"-", "-", "-", "10"}},
	{"after hidden columns", IO_HIDDEN, {"-", NULL, "-", "10"}},
	{"after an interval without a row", IO_NO_ROW, {"-", NULL, "10", "10"}},
	{"after lost records", IO_LOST, {"-", NULL, "~10", "10"}},
	{"after it joined the target", IO_OUTSIDE, {NULL, NULL, "-", "10"}},
};

static bool refuse_io;

static ssize_t read_unless_refused(void *fk, const char *path, char *buffer, size_t size)
{
	const struct sys fake = fk_sys(fk);

	return refuse_io && strcmp(path, "/proc/60/io") == 0
		       ? -EIO
		       : sys_file_read(&fake, path, buffer, size);
}

/* Before that interval. */
static void begin_io_event(struct scene *scene, enum io_event event, unsigned interval)
{
	refuse_io = event == IO_REFUSED && interval == 1;
	if (event == IO_LOST && interval == 1)
		fk_lose(scene->fk, 0, 4);
}

static void do_commands_of(struct scene *scene, enum io_event event, unsigned interval)
{
	static const char *const columns[] = {"read", "written", "read_per_s"};

	for (size_t i = 0; event == IO_HIDDEN && i < ARRAY_SIZE(columns); i++)
		if (interval < 2)
			send_request(scene->engine,
				     &(struct request){.kind = interval == 0 ? REQUEST_REMOVE
									     : REQUEST_ADD_METRIC,
						       .text = columns[i]});
	if (event == IO_OUTSIDE && interval == 1)
		send_request(scene->engine, &(struct request){.kind = REQUEST_DISMISS});
}

/* The snapshot of an interval in which 50 runs, too. */
static struct snapshot *run_others(struct scene *scene)
{
	const struct fk_step steps[] = {
		{.at_ns = 10 * NS_PER_MS, .action = FK_SWITCH, .tid = 50},
		{.at_ns = 20 * NS_PER_MS, .action = FK_SWITCH, .tid = 0},
		{.at_ns = 60 * NS_PER_MS, .action = FK_SWITCH, .tid = 0},
	};

	fk_script(scene->fk, steps, ARRAY_SIZE(steps));
	return next_snapshot(scene->engine, scene->fk, INTERVAL_NS);
}

/* In hundreds of bytes. want NULL: process 60 has no row, or no column. */
static void check_read(const struct snapshot *snapshot, const char *name, unsigned interval,
		       const char *want)
{
	char text[32];

	if (!want)
		return;
	struct figure figure = task_figure(snapshot, 60, "read");
	if (figure_known(figure))
		snprintf(text, sizeof(text), "%s%.0f", figure.state == FIGURE_SCALED ? "~" : "",
			 figure.value / 100);
	else
		snprintf(text, sizeof(text), "%s", figure_mark(figure.state));
	if (strcmp(text, want) != 0)
		fail_msg("%s, interval %u: %s, not %s", name, interval, text, want);
}

static void run_io(void **state)
{
	const struct io_case *this = *state;
	static const pid_t other[] = {50};
	struct engine_config targeted = config;
	struct scene scene;

	scene_open(&scene);
	engine_free(scene.engine);
	scene.ops.file_read = read_unless_refused;
	targeted.target.pids = other;
	targeted.target.n_pids = this->event == IO_OUTSIDE;
	scene.engine = open_engine_with(&scene.sys, &targeted);
	for (unsigned i = 0, bytes = 1000; i < ARRAY_SIZE(this->wants); i++) {
		bool sleeps = this->event == IO_NO_ROW && i == 1;
		const struct fk_step step = {
			.at_ns = 50 * NS_PER_MS, .action = FK_SWITCH, .tid = 60};

		begin_io_event(&scene, this->event, i);
		do_commands_of(&scene, this->event, i);
		bytes += sleeps ? 0 : 1000;
		set_io(scene.fk, "/proc/60/io", bytes, 0);
		fk_script(scene.fk, &step, !sleeps);
		struct snapshot *snapshot = run_others(&scene);
		check_read(snapshot, this->name, i, this->wants[i]);
		snapshot_free(snapshot);
	}
	refuse_io = false;
	scene_close(&scene);
}

/* A state is a letter in json and csv. */
static void test_outputs(void **state)
{
	static const char *const wants[] = {
		"\"state\":\"R\",\"total_time\":60,\"nice\":5,", /* of process 50 */
		"\"metrics\":{\"state\":null,",                  /* of a CPU */
		",R,60,5,1,2,",
	};
	struct scene scene;
	struct csv *csv = csv_new();
	struct view view;
	char *text = NULL;
	size_t size = 0;

	(void)state;
	scene_open(&scene);
	struct snapshot *snapshot = run_all(&scene);
	FILE *out = open_memstream(&text, &size);
	view_init(snapshot, &(struct view_spec){0}, &view);
	out_json(&view, out);
	out_csv(csv, &view, out);
	assert_int_equal(fclose(out), 0);
	for (size_t i = 0; i < ARRAY_SIZE(wants); i++)
		if (!strstr(text, wants[i]))
			fail_msg("no %s in %s", wants[i], text);
	view_fini(&view);
	csv_free(csv);
	free(text);
	snapshot_free(snapshot);
	scene_close(&scene);
}

/* CPUs have no column of a fact. */
static void test_cpus(void **state)
{
	struct scene scene;
	struct view view;

	(void)state;
	scene_open(&scene);
	struct snapshot *snapshot = run_all(&scene);
	view_init(snapshot, &(struct view_spec){.by = ROLLUP_CPU}, &view);
	for (size_t i = 0; preset.metrics[i]; i++)
		assert_int_equal(view_find_column(&view, preset.metrics[i]), -ENOENT);
	view_fini(&view);
	snapshot_free(snapshot);
	scene_close(&scene);
}

/* Tasks that did not run have facts of their own, and so figures of their own. */
static void test_tasks_that_did_not_run(void **state)
{
	struct engine_config idle = config;
	struct scene scene;

	(void)state;
	scene_open(&scene);
	engine_free(scene.engine);
	idle.idle = true;
	scene.engine = open_engine_with(&scene.sys, &idle);
	snapshot_free(next_snapshot(scene.engine, scene.fk, INTERVAL_NS));
	struct snapshot *snapshot = next_snapshot(scene.engine, scene.fk, INTERVAL_NS);
	check_lines(snapshot, ROLLUP_THREAD,
		    "S 0:01.00 0 0 1 0 0|S 0:10.00 5 1 2 0 0|R 0:20.00 -3 0 2 0 0|"
		    "D 2h00:00 0 0 1 0 0|S 2:03.45 19 - 1 ! !|");
	check_lines(snapshot, ROLLUP_PROCESS,
		    "S 0:01.00 0 0 1 0 0|R 1:00.00 5 1 2 0 0|D 2h00:00 0 0 1 0 0|"
		    "S 2:03.45 19 - 1 ! !|");
	snapshot_free(snapshot);
	scene_close(&scene);
}

static const struct preset other = {
	.name = "other",
	.metrics = (const char *const[]){"cs_per_s", NULL},
};

/* Without a column of facts no file is read for them. */
static void test_nothing_is_read_without_a_column(void **state)
{
	static const struct {
		struct engine_config config;
		bool has_facts;
	} rows[] = {
		{{.preset = &preset, .user_metrics = own, .n_user_metrics = ARRAY_SIZE(own)}, true},
		{{.preset = &other}, false}};
	unsigned calls[ARRAY_SIZE(rows)];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scene scene;

		scene_open(&scene);
		engine_free(scene.engine);
		scene.engine = open_engine_with(&scene.sys, &rows[i].config);
		snapshot_free(run_all(&scene));
		calls[i] = fk_calls(scene.fk, FK_FILE_READ);
		struct snapshot *snapshot = run_all(&scene);
		calls[i] = fk_calls(scene.fk, FK_FILE_READ) - calls[i];
		assert_int_equal(snapshot->threads.facts != NULL, rows[i].has_facts);
		assert_int_equal(snapshot->n_processes > 0, rows[i].has_facts);
		snapshot_free(snapshot);
		scene_close(&scene);
	}
	/* stat and io of 1, 50, 51, 60, stat of 70 (its io does not reach the fake), meminfo. */
	assert_int_equal(calls[0] - calls[1], 12);
}

/* The most active state of a process: none is more active than running. */
static void test_the_most_active_state(void **state)
{
	static const struct {
		char a, b, most;
		enum figure_state a_state, b_state, sum;
	} rows[] = {
		{'S', 'D', 'D', FIGURE_VALID, FIGURE_VALID, FIGURE_VALID},
		{'S', 'D', 'D', FIGURE_SCALED, FIGURE_VALID, FIGURE_SCALED},
		{'S', 'R', 'R', FIGURE_SCALED, FIGURE_VALID, FIGURE_VALID},
		{'R', 'S', 'R', FIGURE_SCALED, FIGURE_VALID, FIGURE_SCALED},
		{'R', 'S', 'R', FIGURE_VALID, FIGURE_NOT_COUNTED, FIGURE_VALID},
		{'D', 'S', 'D', FIGURE_VALID, FIGURE_NOT_COUNTED, FIGURE_LOST},
		{'D', 'S', 'D', FIGURE_SCALED, FIGURE_LOST, FIGURE_LOST},
	};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		struct figure a[FACTS], b[FACTS];

		facts_clear(a, FIGURE_UNDEFINED);
		facts_clear(b, FIGURE_UNDEFINED);
		a[FACT_STATE] =
			(struct figure){proc_state_activity(rows[i / 2].a), 1, rows[i / 2].a_state};
		b[FACT_STATE] =
			(struct figure){proc_state_activity(rows[i / 2].b), 1, rows[i / 2].b_state};
		struct figure *to = i % 2 ? a : b;
		facts_add(to, i % 2 ? b : a);
		assert_int_equal(proc_state_letter(to[FACT_STATE].value), rows[i / 2].most);
		assert_int_equal(to[FACT_STATE].state, rows[i / 2].sum);
	}
}

static const struct preset state_alone = {
	.name = "state",
	.metrics = (const char *const[]){"state", NULL},
};

/* Returns how many states are of this interval. The others must be marked as older. */
static unsigned new_states(const struct snapshot *snapshot)
{
	unsigned n = 0;

	for (size_t i = 0; i < snapshot->threads.n; i++) {
		const struct figure *facts = rows_facts(&snapshot->threads, i);
		const struct figure state = facts ? facts[FACT_STATE] : figure_exact(-1);

		assert_int_equal(proc_state_letter(state.value), 'S');
		n += state.state == FIGURE_VALID;
		if (state.state != FIGURE_VALID)
			assert_int_equal(state.state, FIGURE_SCALED);
	}
	return n;
}

/*
 * Of tasks that did not run few states are read again, and all of them in the end. The older ones
 * are marked.
 */
static void test_states_of_tasks_that_do_not_run(void **state)
{
	enum { N = 2000, FIRST = 1000, REFRESHES = 20 };
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	unsigned most = 0, all = 0, new = 0;

	(void)state;
	for (pid_t tid = FIRST; tid < FIRST + N; tid++)
		fk_task(fk, &(struct fk_spec){.tid = tid, .rates = HALF_IPC});
	struct engine *engine = open_engine_with(
		&sys, &(struct engine_config){.preset = &state_alone, .idle = true});
	struct snapshot *snapshot = nth_snapshot(engine, fk, 3);
	assert_int_equal(snapshot->threads.n, N);
	snapshot_free(snapshot);
	for (unsigned i = 0; i < REFRESHES; i++) {
		unsigned before = fk_calls(fk, FK_FILE_READ);
		snapshot = next_snapshot(engine, fk, NS_PER_S);
		unsigned reads = fk_calls(fk, FK_FILE_READ) - before;
		new += new_states(snapshot);
		snapshot_free(snapshot);
		most = reads > most ? reads : most;
		all += reads;
	}
	assert_in_range(most, 1, N / 3);
	assert_in_range(all, N, 4 * N);
	assert_in_range(new, N, all);
	close_all(engine, fk);
}

/* Returns how many files a refresh reads in which all tasks leave their CPU in this state. */
static unsigned files_read(const struct preset *chosen, enum fk_state leaves, const char *states)
{
	static const pid_t tids[] = {50, 51, 60, 70};
	const struct stat_line runnable = {"/proc/50/task/50/stat", 50, 'R', 1000, 5, 2, 1000, 1};
	const struct engine_config state_config = {.preset = chosen};
	struct scene scene;
	char seen[8] = "";

	scene_open(&scene);
	engine_free(scene.engine);
	scene.engine = open_engine_with(&scene.sys, &state_config);
	snapshot_free(run_all(&scene));
	if (leaves == FK_PREEMPTED)
		set_stat(scene.fk, &runnable);
	unsigned before = fk_calls(scene.fk, FK_FILE_READ);
	for (size_t i = 0; i < ARRAY_SIZE(tids); i++)
		fk_script(scene.fk,
			  &(struct fk_step){.at_ns = (1 + i) * 10 * NS_PER_MS + NS_PER_MS,
					    .action = FK_BLOCK,
					    .tid = tids[i],
					    .n = leaves},
			  1);
	struct snapshot *snapshot = run_all(&scene);
	unsigned calls = fk_calls(scene.fk, FK_FILE_READ) - before;
	for (size_t i = 0; states && i < snapshot_ran(snapshot); i++) {
		const struct figure *facts = rows_facts(&snapshot->threads, i);
		seen[i] = facts ? proc_state_letter(facts[FACT_STATE].value) : '-';
	}
	assert_string_equal(seen, states ? states : "");
	snapshot_free(snapshot);
	scene_close(&scene);
	return calls;
}

static void test_a_runnable_task_is_not_read_for_its_state(void **state)
{
	(void)state;
	unsigned none = files_read(&other, FK_PREEMPTED, NULL);
	/* Process 1, which did not run, is read. */
	assert_int_equal(files_read(&state_alone, FK_PREEMPTED, "RRRR") - none, 1);
	assert_int_equal(files_read(&state_alone, FK_SLEEPING, "SRDS") -
				 files_read(&other, FK_SLEEPING, NULL),
			 5);
}

int main(void)
{
	const struct cases tables[] = {
		CASES(run_grouping, groupings),
		CASES(run_change, changes),
		CASES(run_io, io_cases),
	};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_ended_process),
		cmocka_unit_test(test_a_new_process),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_details),
		cmocka_unit_test(test_bytes_per_second),
		cmocka_unit_test(test_outputs),
		cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_tasks_that_did_not_run),
		cmocka_unit_test(test_nothing_is_read_without_a_column),
		cmocka_unit_test(test_the_most_active_state),
		cmocka_unit_test(test_states_of_tasks_that_do_not_run),
		cmocka_unit_test(test_a_runnable_task_is_not_read_for_its_state),
	};

	return cases_run("facts", tables, ARRAY_SIZE(tables), tests, ARRAY_SIZE(tests));
}
