// SPDX-License-Identifier: MIT
/*
 * Scaled figures against the fake kernel's truth, over hundreds of refreshes: loads whose rate
 * changes within a refresh, in groups that take turns and in windows. The stated error must hold,
 * and no load may be off in one direction.
 */
#include "core/snapshot/sums.h"
#include "tests/unit/shared/engine_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { REFRESHES = 500, SETTLE = 8 };

/* In each period the rate is high for on_ns: at its start, or anywhere in it where it is wild. */
struct load {
	const char *name;
	uint64_t period_ns, on_ns;
	bool wild;
	struct fk_rate low, high; /* of branch-misses, of the tasks on CPU 0 */
};

static const struct load steady = {"steady", NS_PER_S, NS_PER_S, false, {1, 20}, {1, 20}};
static const struct load phases_20_ms = {"phases of 20 ms", 40 * NS_PER_MS, 20 * NS_PER_MS, false,
					 {1, 100},          {1, 10}};
static const struct load phases_150_ms = {
	"phases of 150 ms", 300 * NS_PER_MS, 150 * NS_PER_MS, false, {1, 100}, {1, 10}};
static const struct load burst = {
	"a burst a second", NS_PER_S, 5 * NS_PER_MS, true, {0, 1}, {1, 1}};

#define MANY                                                                                   \
	"cycles,instructions,branches,branch-misses,cache-references,cache-misses,bus-cycles," \
	"ref-cycles,stalled-cycles-backend,stalled-cycles-frontend"

/* CPU 1 is idle, and counted in full by software and by one group. */
struct way {
	const char *name;
	unsigned slots;
	double budget_percent; /* 0: none. One of 0.0006 counts a quarter of the time */
	const char *events;
};

static const struct way two_groups = {"two groups", 6, 0, MANY};
static const struct way four_groups = {"four groups", 3, 0, MANY};
static const struct way windows = {"windows", 6, 0.0006, "cycles,branch-misses"};
static const struct way windows_groups = {"windows, two groups", 6, 0.0012, MANY};

/*
 * The true value is to be within the stated error in 95 % of the refreshes, and the median of the
 * stated errors at most three times that of the true ones. With other random numbers, as after
 * changes elsewhere, 500 refreshes differ by about 1 %, and the medians by 0.1.
 */
#define WITHIN_LEAST 0.94
#define TIMES_MOST   3.2
/* Of the truth: intervals end so far from where it was read. */
#define NEAR 0.001

struct error_case {
	const char *name;
	const struct way *way;
	const struct load *load;
};

static const struct error_case error_cases[] = {
	{"two groups, steady", &two_groups, &steady},
	{"two groups, phases of 20 ms", &two_groups, &phases_20_ms},
	{"two groups, phases of 150 ms", &two_groups, &phases_150_ms},
	{"two groups, a burst a second", &two_groups, &burst},
	{"four groups, steady", &four_groups, &steady},
	{"four groups, phases of 20 ms", &four_groups, &phases_20_ms},
	{"four groups, phases of 150 ms", &four_groups, &phases_150_ms},
	{"four groups, a burst a second", &four_groups, &burst},
	{"windows, steady", &windows, &steady},
	{"windows, phases of 20 ms", &windows, &phases_20_ms},
	{"windows, phases of 150 ms", &windows, &phases_150_ms},
	{"windows, a burst a second", &windows, &burst},
	{"windows and groups, phases of 150 ms", &windows_groups, &phases_150_ms},
};

struct generator {
	const struct load *load;
	uint64_t random;
	uint64_t rest_ns; /* of the period, after the high rate */
};

static uint64_t draw(struct generator *generator, uint64_t most)
{
	generator->random = generator->random * 6364136223846793005u + 1442695040888963407u;
	return (generator->random >> 33) % (most + 1);
}

static void set_rate(struct fk *fk, struct fk_rate rate)
{
	fk_rate(fk, 50, FK_BRANCH_MISSES, rate);
	fk_rate(fk, 51, FK_BRANCH_MISSES, rate);
}

static void begin_period(struct fk *fk, void *arg);

static void end_high(struct fk *fk, void *arg)
{
	struct generator *generator = arg;

	set_rate(fk, generator->load->low);
	fk_after(fk, generator->rest_ns, begin_period, arg);
}

static void begin_high(struct fk *fk, void *arg)
{
	struct generator *generator = arg;

	set_rate(fk, generator->load->high);
	fk_after(fk, generator->load->on_ns, end_high, arg);
}

static void begin_period(struct fk *fk, void *arg)
{
	struct generator *generator = arg;
	const struct load *load = generator->load;
	uint64_t free_ns = load->period_ns - load->on_ns;
	uint64_t wait_ns = load->wild ? draw(generator, free_ns) : 0;

	generator->rest_ns = free_ns - wait_ns;
	fk_after(fk, wait_ns, begin_high, arg);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), ascending);
	return n ? values[n / 2] : 0;
}

/* Two tasks that switch, so that CPU 0 can be counted in windows, and nothing on CPU 1. */
static struct fk *new_machine(unsigned slots, uint64_t switch_ns)
{
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 2, .slots = slots});

	fk_task(fk, &(struct fk_spec){.tid = 50, .comm = "ping", .rates = HALF_IPC});
	fk_task(fk, &(struct fk_spec){.tid = 51, .comm = "pong", .rates = HALF_IPC});
	fk_ping_pong(fk, 0, 50, 51, switch_ns, UINT32_MAX);
	return fk;
}

static struct engine *open_way(const struct sys *sys, const struct way *way)
{
	/* Borrowed for the engine's life. */
	static struct engine_column column;
	static struct engine_config config;

	column = (struct engine_column){ENGINE_EVENTS, way->events};
	config = (struct engine_config){
		.preset = &preset_none,
		.columns = &column,
		.n_columns = 1,
		.budget_percent = way->budget_percent,
	};
	return open_engine_with(sys, &config);
}

static struct figure machine_figure(const struct snapshot *snapshot, const char *event)
{
	const struct metric_input input = sums_input(snapshot);

	return metric_read_one(
		&snapshot->columns->event_readings.items[event_index(snapshot, event)], &input);
}

static void test_stated_error(void **state)
{
	const struct error_case *this = *state;
	struct fk *fk = new_machine(this->way->slots,
				    (this->way->budget_percent > 0 ? 10 : 50) * NS_PER_MS);
	struct sys sys = fk_sys(fk);
	struct generator generator = {.load = this->load, .random = 1};
	struct sums sums = {0};
	double stated[REFRESHES], happened[REFRESHES], truths = 0;
	size_t n = 0, within = 0;

	begin_period(fk, &generator);
	struct engine *engine = open_way(&sys, this->way);
	for (size_t i = 0; i < SETTLE + REFRESHES; i++) {
		uint64_t before = fk_truth_cpu(fk, 0, FK_BRANCH_MISSES);
		struct snapshot *snapshot = next_snapshot(engine, fk, NS_PER_S);
		double truth = (double)(fk_truth_cpu(fk, 0, FK_BRANCH_MISSES) - before);
		struct figure figure = machine_figure(snapshot, "branch-misses");
		if (i >= SETTLE)
			assert_int_equal(figure.state, FIGURE_SCALED);
		sums_add(&sums, snapshot);
		double error =
			event_sum_error(sums_find(&sums, "branch-misses"), (double)figure.share);
		snapshot_free(snapshot);
		if (i < SETTLE)
			continue;
		truths += truth;
		if (isnan(error)) { /* only where no turn has seen anything */
			assert_true(figure.value < 1);
			continue;
		}
		stated[n] = error * figure.value;
		happened[n] = fabs(figure.value - truth);
		within += happened[n] <= fmax(stated[n], NEAR * truth);
		n++;
	}
	double share = (double)within / (double)n, near = NEAR * truths / REFRESHES;
	double times = median(stated, n) / fmax(median(happened, n), near);
	if (share < WITHIN_LEAST || times > TIMES_MOST)
		fail_msg("within it in %.1f %%, %.2f times as large", 100 * share, times);
	sums_fini(&sums);
	close_all(engine, fk);
}

/* ---- no load is off in one direction */

enum { FAULTS_EVERY_US = 20, BIAS_REFRESHES = 80 };

struct bias_case {
	const char *name;
	int faults_on; /* a CPU; 0 is counted in windows, 1 in full */
	double tolerance;
};

static const struct bias_case bias_cases[] = {
	{"faults on the CPU in windows", 0, 0.15},
	{"faults on the CPU beside it", 1, 0.01},
};

struct bursts {
	const struct bias_case *this;
	uint64_t random;
	uint64_t until_ns; /* of the last burst */
	uint64_t truth;
};

static void fault(struct fk *fk, void *arg)
{
	struct bursts *bursts = arg;

	fk_fault(fk, bursts->this->faults_on, false);
	bursts->truth++;
	if (fk_now(fk) < bursts->until_ns)
		fk_after(fk, FAULTS_EVERY_US * NS_PER_US, fault, arg);
}

/* One of 5 ms in each 100 ms, anywhere in them. */
static void begin_burst(struct fk *fk, void *arg)
{
	struct bursts *bursts = arg;
	uint64_t in_ns = u64_random(&bursts->random) % (95 * NS_PER_MS);

	bursts->until_ns = fk_now(fk) + in_ns + 5 * NS_PER_MS;
	fk_after(fk, in_ns, fault, arg);
	fk_after(fk, 100 * NS_PER_MS, begin_burst, arg);
}

static void test_no_bias(void **state)
{
	const struct bias_case *this = *state;
	static const struct way way = {"", 6, 0.003, "cycles,page-faults"};
	struct fk *fk = new_machine(6, 2 * NS_PER_MS);
	struct sys sys = fk_sys(fk);
	struct bursts bursts = {.this = this, .random = 3};
	double told = 0;

	begin_burst(fk, &bursts);
	struct engine *engine = open_way(&sys, &way);
	snapshot_free(next_snapshot(engine, fk, NS_PER_S));
	snapshot_free(next_snapshot(engine, fk, NS_PER_S));
	bursts.truth = 0;
	for (size_t i = 0; i < BIAS_REFRESHES; i++) {
		struct snapshot *snapshot = next_snapshot(engine, fk, NS_PER_S);
		assert_true(has_note(snapshot, "Counted in windows"));
		struct figure faults = machine_figure(snapshot, "page-faults");
		assert_int_equal(faults.state, FIGURE_SCALED);
		told += faults.value;
		snapshot_free(snapshot);
	}
	double off = told / (double)bursts.truth - 1;
	if (fabs(off) > this->tolerance)
		fail_msg("off by %+.1f %%", 100 * off);
	close_all(engine, fk);
}

int main(void)
{
	struct CMUnitTest tests[ARRAY_SIZE(error_cases) + ARRAY_SIZE(bias_cases)];
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(error_cases); i++)
		tests[n++] =
			(struct CMUnitTest){.name = error_cases[i].name,
					    .test_func = test_stated_error,
					    .initial_state = (void *)(uintptr_t)&error_cases[i]};
	for (size_t i = 0; i < ARRAY_SIZE(bias_cases); i++)
		tests[n++] =
			(struct CMUnitTest){.name = bias_cases[i].name,
					    .test_func = test_no_bias,
					    .initial_state = (void *)(uintptr_t)&bias_cases[i]};
	return cmocka_run_group_tests_name("estimates", tests, NULL, NULL);
}
