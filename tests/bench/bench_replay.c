// SPDX-License-Identifier: MIT
/*
 * bench_replay FILE...: the number of records that are replayed in a second of CPU time, skipped
 * without snapshots (as in a seek) and with a snapshot of each interval.
 */
#include "core/base/util.h"
#include "core/replay/replay.h"
#include "core/sys/sys.h"
#include "tests/bench/measure.h"

#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 5 };

/* CPU seconds of the whole replay; < 0: error. */
static double run(const struct sys *sys, const char *path, bool shown, uint64_t *records,
		  unsigned *intervals)
{
	const struct engine_config engine = {0};
	const struct replay_config config = {
		.path = path, .engine = &engine, .interval_ns = NS_PER_S};
	struct replay *replay = NULL;
	struct error err = {0};
	uint64_t began_ns = thread_cpu_ns();
	int result = replay_new(sys, &config, &replay, &err);

	*intervals = 0;
	if (result == 0)
		result = 1;
	while (result > 0) {
		struct snapshot *snapshot = NULL;
		uint64_t time_ns;
		result = shown ? replay_next(replay, &snapshot, &err)
			       : replay_skip(replay, &time_ns, &err);
		*intervals += result > 0;
		snapshot_free(snapshot);
	}
	if (result < 0)
		fprintf(stderr, "%s\n", err.text);
	*records = replay ? replay_records(replay) : 0;
	replay_free(replay);
	return result < 0 ? -1 : (double)(thread_cpu_ns() - began_ns) / 1e9;
}

/* The median of some runs. */
static double measure(const struct sys *sys, const char *path, bool shown, uint64_t *records,
		      unsigned *intervals)
{
	double taken_s[RUNS];

	for (unsigned i = 0; i < RUNS; i++) {
		taken_s[i] = run(sys, path, shown, records, intervals);
		if (taken_s[i] < 0)
			exit(1);
	}
	return median(taken_s, RUNS);
}

int main(int argc, char **argv)
{
	struct sys sys;

	if (sys_linux_init(&sys) < 0)
		return 1;
	for (int i = 1; i < argc; i++) {
		uint64_t records;
		unsigned intervals;
		double skip_s = measure(&sys, argv[i], false, &records, &intervals);
		double show_s = measure(&sys, argv[i], true, &records, &intervals);
		char name[128];

		snprintf(name, sizeof(name), "%.64s skipped", argv[i]);
		print_figure(name, (double)records / skip_s / 1e6, "million records/s");
		snprintf(name, sizeof(name), "%.64s shown", argv[i]);
		print_figure(name, (double)records / show_s / 1e6, "million records/s");
	}
	sys_linux_fini(&sys);
	return 0;
}
