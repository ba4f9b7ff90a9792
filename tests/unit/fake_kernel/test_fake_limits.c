// SPDX-License-Identifier: MIT
/*
 * The machines of limited_machines.h: the groups that open on them and run, with the NMI watchdog
 * and without, counts that depend on the code alone, and whether their files select the built-in
 * table of their CPU.
 */
#include "tests/fake_kernel/limited_machines.h"

#include "core/event/event_table_cache.h"
#include "core/sys/cpu_kind.h"
#include "core/sys/topology.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/two_tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

enum { ME = 50 };

struct members {
	int fds[16];
	size_t n;
	int error; /* of the first that did not open */
};

/* The next of "3c 1b7/10001": a raw code, and config1 behind a slash, in hexadecimal. */
static struct perf_event_attr next_code(const char **codes)
{
	struct perf_event_attr attr = attr_counting(PERF_TYPE_RAW, 0);
	char *end;

	attr.config = strtoull(*codes, &end, 16);
	if (*end == '/')
		attr.config1 = strtoull(end + 1, &end, 16);
	*codes = end + strspn(end, " ");
	return attr;
}

/* Opens them as a group. h before a number: a generic event, H: one of a cache. */
static struct members open_codes(const struct fk_config *config, const struct sys *sys, int cpu,
				 const char *codes)
{
	struct members members = {.n = 0};

	while (*codes && !members.error) {
		char letter = *codes == 'h' || *codes == 'H' ? *codes++ : 0;
		struct perf_event_attr attr = next_code(&codes);

		for (size_t i = 0; i < config->n_pmus; i++)
			if (cpu >= config->pmus[i].first_cpu && cpu <= config->pmus[i].last_cpu)
				attr.type = config->pmus[i].type;
		if (letter)
			attr.type = letter == 'h' ? PERF_TYPE_HARDWARE : PERF_TYPE_HW_CACHE;
		int fd = sys_perf_open(sys, &attr, -1, cpu, members.n ? members.fds[0] : -1, 0);

		if (fd < 0)
			members.error = fd;
		else
			members.fds[members.n++] = fd;
	}
	return members;
}

static void close_members(const struct sys *sys, struct members *members)
{
	while (members->n)
		sys_close(sys, members->fds[--members->n]);
}

enum fate { REFUSED, WAITS, RUNS };

static const struct group_case {
	const char *name;
	const struct fk_config *config;
	const char *codes;
	int cpu;
	enum fate quiet, watched;
} groups[] = {
	{"skylake 4 and 3 fixed", &fk_skylake_sp, "10e 19c 2c2 d1 3c c0 300", 0, RUNS, WAITS},
	{"skylake 5 general", &fk_skylake_sp, "10e 19c 2c2 d1 d2", 0, REFUSED, REFUSED},
	{"skylake cycles with cmask", &fk_skylake_sp, "100003c 10e 19c 2c2", 0, RUNS, RUNS},
	{"skylake cycles with cmask are not fixed", &fk_skylake_sp, "100003c 10e 19c 2c2 d1", 0,
	 REFUSED, REFUSED},
	{"skylake counter 1", &fk_skylake_sp, "1c0 10e 19c 2c2", 0, RUNS, RUNS},
	{"skylake counter 1 twice", &fk_skylake_sp, "1c0 10001c0", 0, REFUSED, REFUSED},
	{"skylake no slots", &fk_skylake_sp, "8000", 0, RUNS, RUNS},
	{"two offcore values", &fk_skylake_sp, "1b7/1 1b7/2", 0, RUNS, RUNS},
	{"three offcore values", &fk_skylake_sp, "1b7/1 1b7/2 1b7/4", 0, REFUSED, REFUSED},
	{"an offcore value twice", &fk_skylake_sp, "1b7/1 1b7/2 1b7/2", 0, RUNS, RUNS},
	{"LLC-loads need it too", &fk_skylake_sp, "H2 1b7/1 1b7/2", 0, REFUSED, REFUSED},
	{"an offcore value that does not exist", &fk_skylake_sp, "1b7/8000000000", 0, REFUSED,
	 REFUSED},
	{"two frontend values", &fk_skylake_sp, "1c6/11 1c6/12", 0, REFUSED, REFUSED},
	{"a frontend value twice", &fk_skylake_sp, "1c6/11 1c6/11", 0, RUNS, RUNS},
	{"two latencies", &fk_skylake_sp, "1cd/80 1cd/100", 0, REFUSED, REFUSED},
	{"one of each register", &fk_skylake_sp, "1cd/80 1c6/11 1b7/1 1b7/2", 0, RUNS, RUNS},
	{"skylake 8, one thread", &fk_skylake_sp_single, "10e 19c 2c2 d1 d2 60 48 a3 3c c0 300", 0,
	 RUNS, WAITS},
	{"skylake 5 of the first 4", &fk_skylake_sp_single, "d0 d1 d2 1cd/80 1c6/11", 0, REFUSED,
	 REFUSED},
	{"ice lake 8 and 4 fixed", &fk_ice_lake_sp, "400 3c c0 300 1a6 1c2 c4 c5 48 60 a3 d1", 0,
	 RUNS, WAITS},
	{"ice lake 5 of the first 4", &fk_ice_lake_sp, "48 60 a3 d1 d2", 0, REFUSED, REFUSED},
	{"ice lake STALLS_TOTAL is on all", &fk_ice_lake_sp, "48 60 4a3 d1 d2", 0, RUNS, RUNS},
	{"ice lake metrics", &fk_ice_lake_sp, "400 8000 8100 8200 8300", 0, RUNS, RUNS},
	{"metrics without slots", &fk_ice_lake_sp, "8000", 0, REFUSED, REFUSED},
	{"metrics before slots", &fk_ice_lake_sp, "3c 400 8000", 0, REFUSED, REFUSED},
	{"the same metric twice", &fk_ice_lake_sp, "400 8000 8000", 0, REFUSED, REFUSED},
	{"slots twice", &fk_ice_lake_sp, "400 400", 0, REFUSED, REFUSED},
	{"ice lake second level", &fk_ice_lake_sp, "400 8400", 0, RUNS, RUNS},
	{"sapphire rapids metrics", &fk_sapphire_rapids,
	 "400 8000 8100 8200 8300 8400 8500 8600 8700 3c c0 300 48 60 11 d1", 0, RUNS, RUNS},
	{"sapphire rapids 5 below 90", &fk_sapphire_rapids, "48 60 11 12 13", 0, REFUSED, REFUSED},
	{"sapphire rapids 2e is on all", &fk_sapphire_rapids, "48 60 11 12 412e", 0, RUNS, RUNS},
	{"sapphire rapids counter 0 twice", &fk_sapphire_rapids, "4a4 8a4", 0, REFUSED, REFUSED},
	{"sapphire rapids counter 0", &fk_sapphire_rapids, "4a4 48 60 11", 0, RUNS, RUNS},
	{"sapphire rapids counter 0 is taken", &fk_sapphire_rapids, "4a4 48 60 11 12", 0, REFUSED,
	 REFUSED},
	{"ref-cycles twice", &fk_sapphire_rapids, "h9 13c", 0, RUNS, RUNS},
	{"microcode needs the frontend register", &fk_sapphire_rapids, "4c2/8 1c6/11", 0, REFUSED,
	 REFUSED},
	{"granite rapids frontend", &fk_granite_rapids, "3c6/11 3c6/11", 0, RUNS, RUNS},
	{"granite rapids other frontend", &fk_granite_rapids, "2c6/9 3c6/11", 0, REFUSED, REFUSED},
	{"P-core 8", &fk_alder_lake, "400 8000 c0 3c 1a6 1c2 c4 c5 48 60 11 d1", 1, RUNS, WAITS},
	{"E-core 6 and 3 fixed", &fk_alder_lake, "c0 3c 300 73 74 71 c2 c4 c5", 5, RUNS, WAITS},
	{"E-core 7", &fk_alder_lake, "73 74 71 c2 c4 c5 30", 5, REFUSED, REFUSED},
	{"E-core offcore", &fk_alder_lake, "1b7/1 1b7/2 1b7/4", 5, REFUSED, REFUSED},
	{"E-core has no metrics", &fk_alder_lake, "400 8000", 5, RUNS, RUNS},
	{"zen 6", &fk_zen4, "76 c0 c2 c3 aa 64", 0, RUNS, WAITS},
	{"zen 5 with watchdog", &fk_zen5, "76 c0 c2 c3 aa", 0, RUNS, RUNS},
	{"zen 7", &fk_zen5, "76 c0 c2 c3 aa 64 29", 0, REFUSED, REFUSED},
	{"arm 6 and cycles", &fk_neoverse_n2, "11 8 3 4 5 10 24", 0, RUNS, WAITS},
	{"arm 7", &fk_neoverse_v2, "8 3 4 5 10 24 23", 0, REFUSED, REFUSED},
	{"arm branches", &fk_neoverse_v2, "h4", 0, REFUSED, REFUSED},
};

static enum fate group_fate(const struct group_case *this, bool watched, int *error)
{
	struct fk *fk = fk_new(this->config);
	struct sys sys = fk_sys(fk);
	enum fate fate = REFUSED;

	fk_watchdog(fk, watched);
	struct members members = open_codes(this->config, &sys, this->cpu, this->codes);
	*error = members.error;
	if (!members.error) {
		fk_advance(fk, 1000);
		struct reading reading = reading_take(&sys, members.fds[0]);
		assert_int_equal(reading.enabled_ns, 1000);
		fate = reading.running_ns == 1000 ? RUNS : WAITS;
	}
	close_members(&sys, &members);
	finish(fk);
	return fate;
}

static void test_group(void **state)
{
	const struct group_case *this = *state;
	int error;
	enum fate quiet = group_fate(this, false, &error);

	if (quiet != this->quiet)
		fail_msg("not watched: %d (error %d)", quiet, error);
	enum fate watched = group_fate(this, true, &error);
	if (watched != this->watched)
		fail_msg("watched: %d (error %d)", watched, error);
	if (quiet == REFUSED)
		assert_true(error == -EINVAL || error == -ENOENT);
}

/* What a task with a seed counts, by the code. */
static const struct count_case {
	const char *name;
	const struct fk_config *config;
	const char *codes;
	unsigned times; /* what the last event counts, over its truth */
} counts[] = {
	{"skylake", &fk_skylake_sp, "3c c0 10e 1b7/1 20003c 1c2", 1},
	{"metrics", &fk_sapphire_rapids, "400 8000 8100 8200 8300 8400 8500 8600 8700", 1},
	{"zen", &fk_zen5, "76 c0 7aa 1000001a0", 1},
	{"arm", &fk_neoverse_n2, "11 8 3d/1 3f", 1},
	{"alone", &fk_granite_rapids, "3c 3c6/11", 1},
	{"not alone", &fk_granite_rapids, "1c2 3c6/11", 2},
};

/* The truths of the codes so far; returns how many. */
static size_t read_truths(struct fk *fk, const struct count_case *this, uint64_t *truths)
{
	size_t n = 0;

	for (const char *codes = this->codes; *codes; n++) {
		struct perf_event_attr attr = next_code(&codes);

		truths[n] = fk_truth_code(fk, ME, this->config->pmus[0].name, attr.config,
					  attr.config1);
	}
	return n;
}

static void test_count(void **state)
{
	const struct count_case *this = *state;
	struct fk *fk = fk_new(this->config);
	struct sys sys = fk_sys(fk);
	uint64_t before[16], after[16];

	fk_task(fk, &(struct fk_spec){.tid = ME,
				      .rates = {[FK_CYCLES] = {3, 1}, [FK_INSTRUCTIONS] = {2, 1}},
				      .seed = 7});
	fk_switch(fk, 0, ME);
	fk_advance(fk, 12345);
	size_t n = read_truths(fk, this, before);
	struct members members = open_codes(this->config, &sys, 0, this->codes);
	assert_int_equal(members.n, n);
	fk_advance(fk, 1000000);
	read_truths(fk, this, after);
	struct reading reading = reading_take(&sys, members.fds[0]);
	for (size_t i = 0; i < n; i++) {
		assert_true(after[i] > before[i]);
		assert_int_equal(reading.values[i],
				 (after[i] - before[i]) * (i + 1 == n ? this->times : 1));
	}
	close_members(&sys, &members);
	finish(fk);
}

/* The four metrics of the first level are all slots, but for the rounding. */
static void test_metrics_are_all_slots(void **state)
{
	(void)state;
	static const struct count_case metrics = {
		.config = &fk_ice_lake_sp,
		.codes = "400 8000 8100 8200 8300",
	};
	struct fk *fk = fk_new(metrics.config);
	uint64_t truths[16];

	fk_task(fk, &(struct fk_spec){.tid = ME, .rates = {[FK_CYCLES] = {3, 1}}, .seed = 7});
	fk_switch(fk, 0, ME);
	fk_advance(fk, 1000);
	assert_int_equal(read_truths(fk, &metrics, truths), 5);
	assert_int_equal(truths[0], 15000);
	uint64_t sum = truths[1] + truths[2] + truths[3] + truths[4];
	assert_true(sum <= truths[0] && sum + 4 > truths[0]);
	finish(fk);
}

static const struct machine_case {
	const char *name;
	const struct fk_config *config;
	const char *table; /* NULL: there is none */
	int sockets;
} machines[] = {
	{"skylake", &fk_skylake_sp, "skylakex", 2},
	{"skylake, one thread", &fk_skylake_sp_single, "skylakex", 2},
	{"ice lake", &fk_ice_lake_sp, "icelakex", 2},
	{"sapphire rapids", &fk_sapphire_rapids, "sapphirerapids", 2},
	{"granite rapids", &fk_granite_rapids, "graniterapids", 2},
	{"alder lake", &fk_alder_lake, "alderlake", 1},
	{"zen 4", &fk_zen4, NULL, 2},
	{"zen 5", &fk_zen5, "zen5", 2},
	{"neoverse n2", &fk_neoverse_n2, "neoverse-n2", 1},
	{"neoverse v2", &fk_neoverse_v2, "neoverse-v2", 1},
};

static void test_machine(void **state)
{
	const struct machine_case *this = *state;
	struct fk *fk = fk_new(this->config);
	struct sys sys = fk_sys(fk);
	struct event_table_cache *cache = event_table_cache_new(&sys);
	const struct event_table *table = event_table_cache_get(cache);
	struct topology topology;

	if (this->table)
		assert_string_equal(table ? table->cpu : "", this->table);
	else
		assert_null(table);
	topology_init(&topology, &sys);
	assert_int_equal(topology_find(&topology, 0, true).socket, 0);
	assert_int_equal(topology_find(&topology, 7, true).socket, this->sockets - 1);
	assert_int_equal(topology_find(&topology, 7, true).node, this->sockets - 1);
	topology_fini(&topology);
	event_table_cache_free(cache);
	finish(fk);
}

int main(void)
{
	static const struct cases tables[] = {CASES(test_group, groups), CASES(test_count, counts),
					      CASES(test_machine, machines)};

	static const struct CMUnitTest others[] = {cmocka_unit_test(test_metrics_are_all_slots)};

	return cases_run("fake limits", tables, ARRAY_SIZE(tables), others, ARRAY_SIZE(others));
}
