// SPDX-License-Identifier: MIT
/*
 * The screens of large busy machines (tests/fake_kernel/busy.h), counted by the real engine on the
 * fake kernel, at all sizes, with and without UTF-8 and colours. Each run has the same digits.
 */
#include "core/metric/preset.h"
#include "tests/fake_kernel/busy.h"
#include "tests/unit/shared/engine_run.h"
#include "tests/unit/shared/send_request.h"
#include "tests/unit/shared/stage.h"

struct server {
	struct busy *busy;
	struct sys sys;
	struct engine *engine;
	uint64_t next_ns; /* when the next interval ends */
};

enum { METRICS_MAX = 16 };

/* Metrics that need more events than there are counters. */
static const char *const server_metrics[] = {
	"cpi",
	"branch_miss_percent",
	"llc_mpki",
	"l1d_mpki",
	"l1i_mpki",
	"dtlb_mpki",
	"itlb_mpki",
	"kernel_percent",
	"turbo_ratio",
	"topdown_retiring",
	"topdown_bad_spec",
	"topdown_frontend",
	"topdown_backend",
	"package_watts",
	"dram_gb_per_s",
	NULL,
};
static_assert(ARRAY_SIZE(server_metrics) <= METRICS_MAX, "server_open() has room");

/* Takes over the machine. NULL ends `metrics`, which are added to the preset; or NULL: none. */
static void server_open(struct server *server, struct busy *busy, const char *preset,
			const char *const *metrics)
{
	static struct engine_column columns[METRICS_MAX];
	struct engine_config config = {.preset = preset_find(preset), .columns = columns};

	for (; metrics && metrics[config.n_columns]; config.n_columns++)
		columns[config.n_columns] =
			(struct engine_column){ENGINE_METRIC, metrics[config.n_columns]};
	server->busy = busy;
	server->sys = fk_sys(busy_kernel(busy));
	server->next_ns = fk_now(busy_kernel(busy)) + NS_PER_S;
	server->engine = open_engine_with(&server->sys, &config);
}

/*
 * The snapshot of the next second, owned by the caller. Intervals end at the same times whatever is
 * counted, so the first one is shorter by the time that opening took.
 */
static struct snapshot *server_next(struct server *server)
{
	struct fk *fk = busy_kernel(server->busy);
	struct snapshot *snapshot = next_snapshot(server->engine, fk, server->next_ns - fk_now(fk));

	server->next_ns += NS_PER_S;
	return snapshot;
}

static void server_close(struct server *server)
{
	engine_free(server->engine);
	busy_free(server->busy);
}

/* The snapshot of the second second. Takes over the machine. */
static struct snapshot *server_snapshot(struct busy *busy, const char *preset,
					const char *const *metrics)
{
	struct server server;

	server_open(&server, busy, preset, metrics);
	snapshot_free(server_next(&server));
	struct snapshot *snapshot = server_next(&server);
	server_close(&server);
	return snapshot;
}

enum machine {
	OVERVIEW, /* the server with its usual columns */
	ALL,      /* with all columns, which need turns */
	TOPDOWN,
	HYBRID,
	MACHINES,
};

static struct snapshot *make_snapshot(enum machine machine)
{
	switch (machine) {
	case OVERVIEW:
		return server_snapshot(busy_server_new(), "overview", NULL);
	case ALL:
		return server_snapshot(busy_server_new(), "overview", server_metrics);
	case TOPDOWN:
		return server_snapshot(busy_server_new(), "topdown", NULL);
	case HYBRID:
		return server_snapshot(busy_hybrid_new(), "overview", NULL);
	case MACHINES:
		break;
	}
	return NULL;
}

static struct snapshot *snapshots[MACHINES];

enum print {
	UTF8,
	ASCII,
	STYLES,
	COLORS, /* 256 CPUs */
	MONO,
};

static char *print_canvas(const struct canvas *canvas, enum print print)
{
	switch (print) {
	case STYLES:
		return canvas_print_styles(canvas);
	case COLORS:
		return canvas_print_looks(canvas, "default", COLOR_DEPTH_256);
	case MONO:
		return canvas_print_looks(canvas, "default", COLOR_DEPTH_MONO);
	case UTF8:
	case ASCII:
		break;
	}
	return canvas_print(canvas);
}

static void test_golden(void **state)
{
	static const struct {
		const char *name;
		enum machine machine;
		unsigned width, height;
		enum print print;
		int keys[16];
	} rows[] = {
		{"server_80x24", OVERVIEW, 80, 24, UTF8, {0}},
		{"server_80x24_ascii", OVERVIEW, 80, 24, ASCII, {0}},
		{"server_80x24_styles", OVERVIEW, 80, 24, STYLES, {0}},
		{"server_80x24_colors", OVERVIEW, 80, 24, COLORS, {0}},
		{"server_80x24_mono", OVERVIEW, 80, 24, MONO, {0}},
		{"server_120x40_colors", OVERVIEW, 120, 40, COLORS, {0}},
		{"server_120x40_mono", OVERVIEW, 120, 40, MONO, {0}},
		{"server_200x50_colors", ALL, 200, 50, COLORS, {0}},
		{"server_200x50_mono", ALL, 200, 50, MONO, {0}},
		{"server_120x40", OVERVIEW, 120, 40, UTF8, {0}},
		{"server_120x40_ascii", OVERVIEW, 120, 40, ASCII, {0}},
		{"server_200x50", OVERVIEW, 200, 50, UTF8, {0}},
		{"server_200x50_ascii", OVERVIEW, 200, 50, ASCII, {0}},
		{"server_200x50_styles", OVERVIEW, 200, 50, STYLES, {0}},
		{"server_all_80x24", ALL, 80, 24, UTF8, {0}},
		{"server_all_120x40", ALL, 120, 40, UTF8, {0}},
		{"server_all_200x50", ALL, 200, 50, UTF8, {0}},
		{"server_topdown_120x40", TOPDOWN, 120, 40, UTF8, {0}},
		{"server_tree_120x40", OVERVIEW, 120, 40, UTF8, {'t', KEYMAP_PAGE_DOWN, 0}},
		{"server_user_80x24", OVERVIEW, 80, 24, UTF8, {'g', 0}},
		{"server_cgroup_120x40", OVERVIEW, 120, 40, UTF8, {'g', 'g', 0}},
		{"server_cpus_80x24", OVERVIEW, 80, 24, UTF8, {'C', 0}},
		{"server_cpus_80x24_unfolded",
		 OVERVIEW,
		 80,
		 24,
		 UTF8,
		 {'C', KEYMAP_DOWN, KEYMAP_ENTER, 0}},
		{"server_cpus_80x24_number", OVERVIEW, 80, 24, UTF8, {'C', 'g', 'g', '<', 0}},
		{"server_cpus_80x24_topdown", TOPDOWN, 80, 24, UTF8, {'C', 0}},
		{"server_cpus_200x50", OVERVIEW, 200, 50, UTF8, {'C', 0}},
		{"server_events_80x24", ALL, 80, 24, UTF8, {KEYMAP_TAB, KEYMAP_TAB, 0}},
		{"server_events_120x40", ALL, 120, 40, UTF8, {KEYMAP_TAB, KEYMAP_TAB, 0}},
		{"server_events_200x50", ALL, 200, 50, UTF8, {KEYMAP_TAB, KEYMAP_TAB, 0}},
		{"hybrid_events_120x40", HYBRID, 120, 40, UTF8, {KEYMAP_TAB, KEYMAP_TAB, 0}},
		{"hybrid_80x24", HYBRID, 80, 24, UTF8, {0}},
		{"hybrid_cpus_80x24", HYBRID, 80, 24, UTF8, {'C', 0}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct stage stage;

		stage_open(&stage, rows[i].width, rows[i].height, rows[i].print == ASCII,
			   snapshots[rows[i].machine]);
		stage_keys(&stage, rows[i].keys);
		check_screen(rows[i].name, print_canvas(&stage.canvas, rows[i].print));
		stage_strike(&stage);
	}
}

static void test_folding(void **state)
{
	enum { SOCKETS = 2, CPUS = 63, OF_FIRST = 32 };
	static const struct {
		const char *name;
		unsigned height;
		int keys[8];
		size_t lines;
	} rows[] = {
		{"a small screen", 24, {'C', 0}, SOCKETS},
		{"a large screen", 50, {'C', 0}, CPUS},
		{"unfolds", 24, {'C', KEYMAP_RIGHT, 0}, SOCKETS + OF_FIRST},
		{"folds", 24, {'C', KEYMAP_ENTER, KEYMAP_LEFT, 0}, SOCKETS},
		{"stays folded", 24, {'C', KEYMAP_LEFT, 0}, SOCKETS},
		{"both sockets",
		 24,
		 {'C', KEYMAP_RIGHT, KEYMAP_END, KEYMAP_RIGHT, 0},
		 SOCKETS + CPUS},
		{"the second socket",
		 24,
		 {'C', KEYMAP_DOWN, KEYMAP_ENTER, 0},
		 SOCKETS + CPUS - OF_FIRST},
		{"nodes", 24, {'C', 'g', 0}, 4},
		{"CPUs by the key g", 24, {'C', 'g', 'g', 0}, CPUS},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct stage stage;

		stage_open(&stage, 80, rows[i].height, false, snapshots[OVERVIEW]);
		stage_keys(&stage, rows[i].keys);
		if (stage.app.cpus.table.n != rows[i].lines)
			fail_msg("%s: %zu lines", rows[i].name, stage.app.cpus.table.n);
		stage_strike(&stage);
	}
}

/* The messages of x on events, and of z on totals. */
static void test_events(void **state)
{
	enum { CYCLES = 2 };
	static const char event[] = "cache-references";
	struct snapshot *snapshot = snapshots[HYBRID];
	struct stage stage;
	struct app *app = &stage.app;

	(void)state;
	stage_open(&stage, 80, 24, false, snapshot);
	stage_keys(&stage, (int[]){KEYMAP_TAB, KEYMAP_TAB, KEYMAP_DOWN, KEYMAP_DOWN, 'x', 0});
	assert_ptr_equal(app->screen, &screen_events);
	assert_string_equal(app->messages.notice,
			    "cycles is counted for the columns ghz ipc: remove these first.");
	assert_int_equal(app_changes(app)->n, 0);
	assert_true(app->events.totals.items[CYCLES].total.value > 0);
	stage_keys(&stage, (int[]){'z', 0});
	assert_true(app->events.totals.items[CYCLES].total.value == 0);
	stage_strike(&stage);

	struct server server;
	server_open(&server, busy_hybrid_new(), "overview", NULL);
	send_request(server.engine, &(struct request){REQUEST_ADD_EVENTS, event, 0});
	snapshot_free(server_next(&server));
	stage_open(&stage, 80, 24, false, server_next(&server));
	stage_keys(&stage, (int[]){KEYMAP_TAB, KEYMAP_TAB, KEYMAP_END, 'x', 0});
	assert_int_equal(app_changes(app)->n, 1);
	assert_int_equal(app_changes(app)->items[0].kind, REQUEST_REMOVE);
	assert_string_equal(app_changes(app)->items[0].text, event);
	stage_close(&stage);
	server_close(&server);
}

/* Drawing at any rate and size changes no digit of the totals. */
static void test_is_the_same_at_every_run(void **state)
{
	struct snapshot *again = make_snapshot(HYBRID);
	const struct snapshot *first = snapshots[HYBRID];

	(void)state;
	assert_int_equal(again->threads.n, first->threads.n);
	assert_memory_equal(again->totals, first->totals,
			    tally_width(&first->columns->plan->shape) * sizeof(*first->totals));
	snapshot_free(again);
}

static int make_snapshots(void **state)
{
	for (enum machine machine = 0; machine < MACHINES; machine++)
		snapshots[machine] = make_snapshot(machine);
	return stage_set_zone(state);
}

static int free_snapshots(void **state)
{
	(void)state;
	for (enum machine machine = 0; machine < MACHINES; machine++)
		snapshot_free(snapshots[machine]);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_folding),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_is_the_same_at_every_run),
	};

	return cmocka_run_group_tests(tests, make_snapshots, free_snapshots);
}
