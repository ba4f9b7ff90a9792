// SPDX-License-Identifier: MIT
/* Pickers of events and metrics, and of processes to attach to. */
#include "tests/unit/shared/screen_snapshot.h"
#include "tests/unit/shared/stage.h"
#include "tui/screen/pick.h"

#include <errno.h>

/* n events, the first n_known with a state: one can be counted, the next cannot. */
static struct reply *events(size_t n, size_t n_known)
{
	struct reply *answer = xcalloc(1, sizeof(*answer));
	struct event_index *event_index = xcalloc(1, sizeof(*event_index));
	size_t size = 0;
	FILE *texts = open_memstream(&event_index->texts, &size);

	for (size_t i = 0; i < n; i++)
		fprintf(texts,
			"icl::EVENT_%05zu%cIntel Icelake: counts the %zuth of what such "
			"events count, while a demand load misses the cache%c",
			i, 0, i, 0);
	fclose(texts);
	event_index->items = xcalloc(n, sizeof(*event_index->items));
	event_index->references = 1;
	const char *at = event_index->texts;
	for (; event_index->n < n; event_index->n++) {
		struct event_index_item *item = &event_index->items[event_index->n];

		item->name = at;
		item->help = at + strlen(at) + 1;
		item->pmu = "icl";
		item->example = event_index->n == 3;
		at = item->help + strlen(item->help) + 1;
	}
	*answer = (struct reply){
		.kind = REQUEST_EVENTS,
		.event_index = event_index,
		.states = xcalloc(n, sizeof(*answer->states)),
		.n_known = n_known,
	};
	for (size_t i = 0; i < n_known; i++)
		answer->states[i] = i % 2 ? FIGURE_UNSUPPORTED : FIGURE_VALID;
	return answer;
}

static struct reply *preview(const char *name)
{
	struct reply *answer = xcalloc(1, sizeof(*answer));

	answer->kind = REQUEST_PREVIEW;
	answer->preview = xcalloc(1, sizeof(*answer->preview));
	*answer->preview = (struct event_preview){.state = FIGURE_VALID,
						  .kind = EVENT_HARDWARE,
						  .encoding = "cpu/config=0x412e/",
						  .turns_before = 1,
						  .turns_after = 3};
	text_copy(answer->preview->text, sizeof(answer->preview->text), name);
	return answer;
}

static void test_event(void **state)
{
	struct stage stage;
	struct app *app = &stage.app;

	(void)state;
	stage_open(&stage, 100, 30, false, screen_snapshot(2));
	stage_press(&stage, 'e');
	assert_true(app_requests(app, REQUEST_EVENTS));
	assert_false(app_requests(app, REQUEST_PREVIEW)); /* a metric has no preview */
	stage_check_text(&stage, "metric CPI       cycles per instruction", true);
	stage_type(&stage, "icl 00004");
	stage_check_text(&stage, "EVENT_00004", false);
	app_reply(app, events(6, 2)); /* a match as soon as the list has it */
	app_draw(app, &stage.canvas);
	stage_check_text(&stage, "...    icl::EVENT_00004", true);
	assert_true(app_requests(app, REQUEST_PREVIEW));
	assert_string_equal(app->out.rested.items[0].text, "icl::EVENT_00004");
	app_reply(app, events(6, 6));
	app_reply(app, preview("icl::EVENT_00004"));
	app_draw(app, &stage.canvas);
	stage_check_text(&stage, "ok     icl::EVENT_00004", true);
	stage_check_text(&stage, "cpu/config=0x412e/", true);
	stage_check_text(&stage, "takes turns: one of 3 then, counted for 33% of the time", true);
	stage_press(&stage, KEYMAP_ENTER);
	stage_check_request(&stage, REQUEST_ADD_EVENTS, "icl::EVENT_00004", 0);
	assert_null(app->picker.ops);
	/* A preview is shown for its event only. An example cannot be chosen. */
	stage_press(&stage, 'e');
	stage_type(&stage, "00005");
	stage_check_text(&stage, "n/a    icl::EVENT_00005", true);
	stage_check_text(&stage, "takes turns", false);
	stage_keys(&stage, (int[]){KEYMAP_BACKSPACE, '3', KEYMAP_ENTER, 0});
	stage_check_text(&stage, "This is an example", true);
	assert_int_equal(app_changes(app)->n, 0);
	stage_press(&stage, KEYMAP_ESCAPE);
	assert_false(app_requests(app, REQUEST_PREVIEW));
	stage_close(&stage);
}

/* Top to bottom. */
static void check_order(const struct stage *stage, const char *const *texts)
{
	char *screen = canvas_print(&stage->canvas);
	const char *at = screen;

	for (; *texts; texts++) {
		at = strstr(at, *texts);
		if (!at)
			fail_msg("no %s there:\n%s", *texts, screen);
	}
	free(screen);
}

static void test_metric(void **state)
{
	static const struct metric_def own = {.name = "mine",
					      .title = "MINE",
					      .unit = "",
					      .help = "what I need",
					      .forms = {{.expression = "a / b"}}};
	struct stage stage;

	(void)state;
	stage_open(&stage, 100, 30, false, screen_snapshot(2));
	stage.app.config.user_metrics = &own;
	stage.app.config.n_user_metrics = 1;
	stage_press(&stage, 'e');
	stage_check_text(&stage, "a / b", true);
	stage_press(&stage, KEYMAP_ENTER);
	stage_check_request(&stage, REQUEST_ADD_METRIC, "mine", 0);
	stage_press(&stage, 'e');
	/* What is not shown comes first. A title, an id and a description find a metric. */
	check_order(&stage, (const char *[]){"metric MINE", "metric CPI", NULL});
	stage_type(&stage, "RES");
	check_order(&stage, (const char *[]){"metric RES ", "rss: memory of the process", NULL});
	stage_press(&stage, KEYMAP_ENTER);
	stage_check_request(&stage, REQUEST_ADD_METRIC, "rss", 0);
	stage_press(&stage, 'e');
	stage_type(&stage, "rss");
	check_order(&stage, (const char *[]){"> rss", "metric RES ", NULL});
	stage_press(&stage, KEYMAP_CONTROL('U'));
	stage_type(&stage, "memory in RAM");
	stage_check_text(&stage, "metric RES ", true);
	stage_press(&stage, KEYMAP_CONTROL('U'));
	stage_type(&stage, "ipc");
	stage_check_text(&stage, "already shown", true);
	stage_press(&stage, KEYMAP_CONTROL('U'));
	stage_type(&stage, "turbo");
	stage_press(&stage, KEYMAP_ENTER);
	stage_check_request(&stage, REQUEST_ADD_METRIC, "turbo_ratio", 0);
	stage_close(&stage);
}

/* The title of a column finds it before all names that contain the letters. */
static void test_title(void **state)
{
	static const char *const rows[][2] = {
		{"RES", "rss"}, {"res", "rss"},          {"%CPU", "cpu_percent"},
		{"S", "state"}, {"TIME+", "total_time"}, {"ipc", "ipc"},
	};
	struct stage stage;

	(void)state;
	stage_open(&stage, 100, 30, false, screen_snapshot(2));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		stage_press(&stage, 'e');
		stage_type(&stage, rows[i][0]);
		stage_press(&stage, KEYMAP_ENTER);
		stage_check_request(&stage, REQUEST_ADD_METRIC, rows[i][1], 0);
	}
	stage_close(&stage);
}

/* The answers of a machine without counters: metrics of the group "kernel" can be counted. */
static struct reply *metrics_without_counters(void)
{
	struct reply *answer = xcalloc(1, sizeof(*answer));

	answer->kind = REQUEST_METRICS;
	answer->metrics = xcalloc(metric_table_n, sizeof(*answer->metrics));
	for (size_t i = 0; i < metric_table_n; i++) {
		bool counted = strcmp(metric_table[i].group, "kernel") == 0 ||
			       strcmp(metric_table[i].name, "cpu_percent") == 0;
		answer->metrics[i].state = counted ? FIGURE_VALID : FIGURE_UNSUPPORTED;
		if (!counted)
			text_copy(answer->metrics[i].why, sizeof(answer->metrics[i].why),
				  "No hardware counters.");
	}
	return answer;
}

/* What cannot be counted is marked, with the reason, and comes last. */
static void test_metrics_without_counters(void **state)
{
	struct stage stage;
	struct app *app = &stage.app;

	(void)state;
	stage_open(&stage, 100, 40, false, screen_snapshot(2));
	assert_true(app_requests(app, REQUEST_METRICS));
	stage_press(&stage, 'e');
	stage_check_text(&stage, "metric CPI", true);
	app_reply(app, metrics_without_counters());
	app_draw(app, &stage.canvas);
	check_order(&stage, (const char *[]){"metric kernel%", "metric migr/s", "shown  %CPU",
					     "shown  cs/s", "n/a    GHz", "n/a    IPC", NULL});
	stage_type(&stage, "ipc");
	stage_check_text(&stage, "n/a    IPC", true);
	stage_check_text(&stage, "No hardware counters.", true);
	stage_press(&stage, KEYMAP_ESCAPE);
	/* Other levels have other answers. The same ones are not requested again. */
	request_list_clear(&app->out.list);
	app_snapshot(app, screen_snapshot(2));
	assert_false(app_requests(app, REQUEST_METRICS));
	struct snapshot *snapshot = screen_snapshot(2);
	snapshot->mode = COUNT_MODE_TASK;
	app_snapshot(app, snapshot);
	assert_true(app_requests(app, REQUEST_METRICS));
	stage_close(&stage);
}

/* "+ whelk + whelk": longer than all that a picker shows below its list. */
static char *long_text(void)
{
	static const char word[] = "+ whelk ";
	char *text = xcalloc(1, 500 * strlen(word) + 1);

	for (size_t i = 0; i < 500; i++)
		memcpy(text + i * strlen(word), word, strlen(word));
	return text;
}

/* The list with a metric that is counted, one that is refused, and one that cannot be counted. */
static struct reply *vendor_metrics(bool answered)
{
	static const char *const names[] = {"Whelk_Bound", "Whelk_Latency", "Whelk_Time"};
	struct reply *reply = xcalloc(1, sizeof(*reply));

	reply->kind = REQUEST_VENDOR;
	reply->vendor = xcalloc(1, sizeof(*reply->vendor));
	*reply->vendor = (struct metric_vendor_list){
		.defs = xcalloc(3, sizeof(*reply->vendor->defs)), .n = 3, .references = 1};
	for (size_t i = 0; i < 3; i++)
		reply->vendor->defs[i] = (struct metric_def){
			.name = xstrdup(names[i]),
			.title = xstrdup("whelk"),
			.help = i < 2 ? xstrdup("share of Slots") : long_text(),
		};
	reply->vendor->defs[1].refused = xstrdup("Not counted.");
	reply->vendor->defs[2].forms[0].expression = long_text();
	if (!answered)
		return reply;
	reply->metrics = xcalloc(3, sizeof(*reply->metrics));
	reply->metrics[2].state = FIGURE_UNSUPPORTED;
	text_copy(reply->metrics[2].why, sizeof(reply->metrics[2].why), "No whelks.");
	reply->metrics[1].state = FIGURE_UNSUPPORTED;
	text_copy(reply->metrics[1].why, sizeof(reply->metrics[1].why), "Not counted.");
	return reply;
}

/* The vendor's metrics are asked for when the picker is opened, and come before the events. */
static void test_vendor_metrics(void **state)
{
	struct stage stage;
	struct app *app = &stage.app;

	(void)state;
	stage_open(&stage, 100, 40, false, screen_snapshot(2));
	assert_false(app_requests(app, REQUEST_VENDOR));
	stage_press(&stage, 'e');
	assert_true(app_requests(app, REQUEST_VENDOR));
	stage_type(&stage, "whelk");
	stage_check_text(&stage, "Whelk_Bound", false);
	app_reply(app, vendor_metrics(false));
	app_draw(app, &stage.canvas);
	check_order(&stage, (const char *[]){
				    "metric whelk     Whelk_Bound:", "metric whelk     Whelk_Time:",
				    "n/a    whelk     Whelk_Latency:", NULL});
	app_reply(app, vendor_metrics(true));
	app_draw(app, &stage.canvas);
	check_order(&stage, (const char *[]){"metric whelk     Whelk_Bound:",
					     "n/a    whelk     Whelk_Latency:",
					     "n/a    whelk     Whelk_Time:", NULL});
	stage_press(&stage, KEYMAP_DOWN);
	stage_check_text(&stage, "Not counted.", true);
	stage_press(&stage, KEYMAP_DOWN);
	stage_check_text(&stage, "No whelks.", true);
	stage_press(&stage, KEYMAP_UP);
	stage_press(&stage, KEYMAP_UP);
	stage_press(&stage, KEYMAP_ENTER);
	stage_check_request(&stage, REQUEST_ADD_METRIC, "Whelk_Bound", 0);
	stage_close(&stage);
}

static void test_presets_without_counters(void **state)
{
	struct stage stage;
	struct app *app = &stage.app;

	(void)state;
	stage_open(&stage, 100, 38, false, screen_snapshot(2));
	stage_press(&stage, '3');
	stage_check_text(&stage, "Preset cache.", true);
	request_list_clear(&app->out.list);
	stage_press(&stage, 'p');
	stage_check_text(&stage, " n/a  branch", false);
	app_reply(app, metrics_without_counters());
	app_draw(app, &stage.canvas);
	check_order(&stage,
		    (const char *[]){"1      overview", "6      kernel", "7      software",
				     "2 n/a  branch", "3 n/a  cache", "5 n/a  topdown", NULL});
	stage_check_text(&stage, "cpu_percent, cs_per_s, faults_per_s", true);
	stage_check_text(&stage, "n/a: ghz, ipc, mips, branch_mpki, cache_mpki", true);
	stage_type(&stage, "cache");
	stage_press(&stage, KEYMAP_ENTER);
	stage_check_request(&stage, REQUEST_PRESET, "cache", 0);
	stage_check_text(&stage, "Preset cache is n/a here. No hardware counters.", true);
	stage_press(&stage, '6');
	stage_check_text(&stage, "Preset kernel.", true);
	stage_close(&stage);
}

/* Typed text without a match, and text that is an item itself although it matches others. */
static void test_typed(void **state)
{
	static const struct {
		const char *typed;
		enum request_kind kind;
		const char *text; /* NULL: as typed */
	} rows[] = {
		{"r01c2", REQUEST_ADD_EVENTS, NULL},
		{"cpu/event=0x3c,umask=1/u", REQUEST_ADD_EVENTS, NULL},
		{"{cycles,instructions}", REQUEST_ADD_EVENTS, NULL},
		{"zzz", REQUEST_ADD_EVENTS, NULL},
		{"cycles:u", REQUEST_ADD_EVENTS, NULL},
		{"r00000", REQUEST_ADD_EVENTS, NULL},
		{"mine=cycles / instructions", REQUEST_ADD_METRIC, NULL},
		{"EVENT_00001", REQUEST_ADD_EVENTS, "icl::EVENT_00001"},
		{"EVENT:", REQUEST_ADD_EVENTS, NULL},
	};
	struct stage stage;

	(void)state;
	stage_open(&stage, 100, 30, false, screen_snapshot(2));
	app_reply(&stage.app, events(6, 6));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		stage_press(&stage, 'e');
		stage_type(&stage, rows[i].typed);
		if (rows[i].kind == REQUEST_ADD_EVENTS)
			assert_true(app_requests(&stage.app, REQUEST_PREVIEW));
		stage_press(&stage, KEYMAP_ENTER);
		stage_check_request(&stage, rows[i].kind,
				    rows[i].text ? rows[i].text : rows[i].typed, 0);
	}
	stage_close(&stage);
}

static int machine_dir(void *ctx, const char *path, int (*fn)(void *arg, const char *name),
		       void *arg)
{
	static const char *const names[] = {"2", "400", "1", "self", "77", "4121", "4999", "300"};

	(void)ctx;
	assert_string_equal(path, "/proc");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		fn(arg, names[i]);
	return 0;
}

static ssize_t machine_file(void *ctx, const char *path, char *buffer, size_t size)
{
	static const struct {
		const char *path, *text;
	} files[] = {
		{"/proc/1/stat", "1 (init) S 0 1 1 0 -1 4194560 1 0 0 0 1 1 0 0 20 0 1 0 7 1 1"},
		{"/proc/2/stat", "2 (aa) S 0 0 0 0 -1 2097152 1 0 0 0 1 1 0 0 20 0 1 0 7 1 1"},
		{"/proc/400/stat", "400 (zz) S 1 4 4 0 -1 4194560 1 0 0 0 1 1 0 0 20 0 1 0 7 1 1"},
		{"/proc/77/stat", "77 (kw) S 2 0 0 0 -1 2097152 1 0 0 0 1 1 0 0 20 0 1 0 7 1 1"},
		{"/proc/4121/stat", "4121 (no) S 1 1 1 0 -1 0 1 0 0 0 1 1 0 0 20 0 1 0 7 1 1"},
		{"/proc/300/stat", "300 (ended) Z 1 1 1 0 -1 0 1 0 0 0 1 1 0 0 20 0 1 0 7 1 1"},
		{"/etc/passwd", "root:x:0:0::/root:/bin/sh\n"},
	};

	(void)ctx;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (strcmp(files[i].path, path) == 0)
			return snprintf(buffer, size, "%s", files[i].text);
	return -ENOENT;
}

static int machine_owner(void *ctx, const char *path, uid_t *owner)
{
	(void)ctx;
	(void)path;
	*owner = 0;
	return 0;
}

/* The clock advances by 1 ms per reading. */
static uint64_t machine_now(void *ctx)
{
	return *(uint64_t *)ctx += NS_PER_MS;
}

static const struct sys_ops machine_ops = {
	.dir_each = machine_dir,
	.file_read = machine_file,
	.file_owner = machine_owner,
	.now_ns = machine_now,
};

/* The command, between the requests for command lines and their end. */
static void check_attach(struct stage *stage, pid_t pid)
{
	const struct request_list *changes = app_changes(&stage->app);
	const struct request *items = changes->items;
	size_t n = changes->n;

	assert_true(n >= 2);
	assert_int_equal(items[n - 2].kind, REQUEST_ATTACH);
	assert_int_equal(items[n - 2].number, pid);
	assert_int_equal(items[n - 1].kind, REQUEST_COMMAND_LINES);
	assert_int_equal(items[n - 1].number, COMMAND_LINES_SCREEN);
	request_list_clear(&stage->app.out.list);
}

static void test_process(void **state)
{
	uint64_t now_ns = 0;
	const struct sys sys = {&machine_ops, &now_ns};
	struct stage stage;
	struct app *app = &stage.app;
	struct snapshot *snapshot;
	unsigned bits = 0;

	(void)state;
	stage_open(&stage, 100, 30, false, screen_snapshot(2));
	stage_press(&stage, 'a');
	stage_check_text(&stage, "cannot be attached", true);
	app->config.sys = &sys;
	stage_press(&stage, 'a');
	stage_check_text(&stage, "  99.6 4121    postgres", true);
	stage_check_text(&stage, "init", false);
	for (; app->out.processes; bits++)
		pick_process_more(app);
	assert_int_equal(bits, 2); /* a few processes per call */
	app_draw(app, &stage.canvas);
	stage_check_text(&stage, "       1       init", true);
	stage_check_text(&stage, "77      [kworker/0:1-mm_]", true);
	check_order(&stage, (const char *const[]){"postgres", "init", "zz", "[aa]", NULL});
	stage_check_text(&stage, "ended", false);
	stage_check_text(&stage, "(gone)", false);
	stage_check_text(&stage, "4121 no", false);
	/* The list, its order and its figures stay. */
	stage_check_request(&stage, REQUEST_COMMAND_LINES, NULL, true);
	snapshot = screen_snapshot_family(2);
	snapshot->threads.items[0].pid = snapshot->threads.items[0].tid = 1;
	snapshot->threads.items[0].cmdline = "/sbin/init splash";
	app_snapshot(app, snapshot);
	app_draw(app, &stage.canvas);
	stage_check_text(&stage, "  99.6 4121    postgres", true);
	stage_check_text(&stage, "root      /sbin/init splash", true);
	stage_type(&stage, "splash");
	stage_press(&stage, KEYMAP_ENTER);
	check_attach(&stage, 1);
	stage_press(&stage, 'a');
	stage_type(&stage, "50"); /* typed as a pid, while other items match too */
	stage_check_text(&stage, "pid    50 ", true);
	stage_press(&stage, KEYMAP_ENTER);
	check_attach(&stage, 50);
	stage_press(&stage, 'a');
	stage_type(&stage, "503");
	stage_press(&stage, KEYMAP_ENTER);
	check_attach(&stage, 503);
	stage_keys(&stage, (int[]){'a', 'x', 'x', KEYMAP_ENTER, KEYMAP_ESCAPE, 0});
	assert_int_equal(app_changes(app)->n, 2);
	assert_false(app->out.processes);
	stage_close(&stage);
}

/* As many names as a large machine has events. */
static void test_many(void **state)
{
	struct stage stage;

	(void)state;
	stage_open(&stage, 200, 50, false, screen_snapshot(2));
	app_reply(&stage.app, events(18000, 18000));
	stage_press(&stage, 'e');
	stage_type(&stage, "icl cache 17xyz");
	stage_check_text(&stage, "as typed", true);
	stage_press(&stage, KEYMAP_CONTROL('U'));
	stage_type(&stage, "event_17999");
	stage_check_text(&stage, "n/a    icl::EVENT_17999", true);
	stage_close(&stage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_event),
		cmocka_unit_test(test_metric),
		cmocka_unit_test(test_title),
		cmocka_unit_test(test_typed),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_process),
		cmocka_unit_test(test_metrics_without_counters),
		cmocka_unit_test(test_vendor_metrics),
		cmocka_unit_test(test_presets_without_counters),
	};

	return cmocka_run_group_tests(tests, stage_set_zone, NULL);
}
