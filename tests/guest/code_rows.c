// SPDX-License-Identifier: MIT
/*
 * code_rows: counts processes that run a fixed number of steps, one after the other. Of each it
 * prints, as JSON, the counts over its life, the samples of its two functions, and the instructions
 * that it has counted itself. The first is counted without sampling, two with it, and the last with
 * sampling that begins and ends. At the end it prints what was open before, during and after that.
 */
#include "core/base/util.h"
#include "core/code/code_lanes.h"
#include "core/engine/engine.h"
#include "core/view/code_view.h"
#include "tests/unit/shared/send_request.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HZ = 199, ROUNDS = 150, STEPS = 1 << 16, EVENTS_MAX = 8 };
#define INTERVAL_NS (200 * NS_PER_MS)

uint64_t burn_seventy(uint64_t x, uint32_t steps);
uint64_t burn_thirty(uint64_t x, uint32_t steps);

#define BURN                                   \
	for (uint32_t i = 0; i < steps; i++) { \
		x ^= x << 13;                  \
		x ^= x >> 7;                   \
		x ^= x << 17;                  \
	}

__attribute__((noinline)) uint64_t burn_seventy(uint64_t x, uint32_t steps)
{
	BURN return x;
}

__attribute__((noinline)) uint64_t burn_thirty(uint64_t x, uint32_t steps)
{
	BURN return x + 1;
}

/* Counts instructions of this process in user mode, by itself. */
static int open_witness(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/*
 * The child begins when the parent has written. Before it ends, it writes to `witness` what it has
 * counted.
 */
static pid_t start_burner(int *begin, uint64_t *witness)
{
	int ends[2];
	char byte = 0;

	if (pipe(ends) < 0)
		return -1;
	pid_t pid = fork();
	if (pid == 0) {
		uint64_t x = 88172645463325252u;
		int fd = open_witness();
		if (read(ends[0], &byte, 1) != 1)
			_exit(2);
		for (int i = 0; i < ROUNDS; i++) {
			x = burn_seventy(x, 7 * STEPS);
			x = burn_thirty(x, 3 * STEPS);
		}
		if (read(fd, witness, sizeof(*witness)) != sizeof(*witness))
			*witness = 0;
		_exit(x == 0);
	}
	close(ends[0]);
	*begin = ends[1];
	return pid;
}

struct life {
	uint64_t counts[EVENTS_MAX], samples[EVENTS_MAX], seventy[EVENTS_MAX], thirty[EVENTS_MAX];
	const char *names[EVENTS_MAX];
	size_t n_sampled;
};

static const char *const counted[] = {"cycles:u", "instructions:u", "cycles", "instructions"};

static void add_counts(const struct snapshot *snapshot, pid_t pid, struct life *life)
{
	const struct columns *columns = snapshot->columns;

	for (size_t i = 0; i < snapshot->threads.n; i++) {
		if (snapshot->threads.items[i].pid != pid)
			continue;
		for (size_t e = 0; e < ARRAY_SIZE(counted); e++) {
			int index = event_set_find(&columns->events, counted[e]);
			if (index >= 0)
				life->counts[e] += plan_count(
					columns->plan, rows_tally(columns, &snapshot->threads, i),
					(size_t)index);
		}
	}
}

static uint64_t samples_of(const struct code_view *view, const char *name, size_t event)
{
	uint64_t samples = 0;

	for (size_t k = 0; k < view->n; k++)
		if (strcmp(view->lines[k].function->name, name) == 0)
			samples += view->lines[k].events[event].samples;
	return samples;
}

static void add_samples(const struct snapshot *snapshot, pid_t pid, struct life *life)
{
	struct code_index *index = code_index_new(snapshot);
	const struct code_subject subject = {
		.key = {.kind = HISTORY_PROCESS, .number = (uint32_t)pid}};
	struct code_view view;

	if (!index)
		return;
	code_view_init(index, &subject, 0, &view);
	life->n_sampled = size_min(view.profile->n_events, EVENTS_MAX);
	for (size_t e = 0; e < life->n_sampled; e++) {
		life->samples[e] += view.totals[e].samples;
		life->seventy[e] += samples_of(&view, "burn_seventy", e);
		life->thirty[e] += samples_of(&view, "burn_thirty", e);
		if (!life->names[e])
			life->names[e] = xstrdup(view.profile->events[e].name);
	}
	code_view_fini(&view);
	code_index_free(index);
}

static void print_life(const char *sampling, const struct life *life, uint64_t witness)
{
	printf("{\"sampling\":\"%s\",\"counts\":{", sampling);
	for (size_t e = 0; e < ARRAY_SIZE(counted); e++)
		printf("%s\"%s\":%" PRIu64, e ? "," : "", counted[e], life->counts[e]);
	printf("},\"sampled\":[");
	for (size_t e = 0; e < life->n_sampled; e++)
		printf("%s{\"event\":\"%s\",\"samples\":%" PRIu64 ",\"seventy\":%" PRIu64
		       ",\"thirty\":%" PRIu64 "}",
		       e ? "," : "", life->names[e], life->samples[e], life->seventy[e],
		       life->thirty[e]);
	printf("],\"steps\":%d,\"witness\":%" PRIu64 "}\n", ROUNDS * 10 * STEPS, witness);
	fflush(stdout);
}

static void request(struct engine *engine, unsigned hz)
{
	send_request(engine, &(struct request){.kind = REQUEST_CODE, .number = hz});
}

static struct snapshot *run_interval(const struct sys *sys, struct engine *engine)
{
	uint64_t deadline_ns = sys_now_ns(sys) + INTERVAL_NS;

	while (engine_wait(engine, deadline_ns) != 0)
		;
	return engine_snapshot(engine);
}

/* Counts one process. toggle: sampling begins and ends in turns. */
static void count_life(const struct sys *sys, struct engine *engine, const char *sampling, bool on,
		       bool toggle)
{
	struct life life = {.n_sampled = 0};
	int begin = -1;
	uint64_t *witness = mmap(NULL, sizeof(*witness), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (witness == MAP_FAILED)
		exit(1);
	pid_t pid = start_burner(&begin, witness);

	request(engine, on ? HZ : 0);
	snapshot_free(run_interval(sys, engine));
	snapshot_free(run_interval(sys, engine));
	if (write(begin, "", 1) != 1)
		exit(1);
	/* After its end come two more intervals, in the second it does not exist. */
	for (int ended = 0, i = 0; ended < 2; i++) {
		if (toggle && i % 3 == 2)
			request(engine, i % 2 ? HZ : 0);
		struct snapshot *snapshot = run_interval(sys, engine);
		add_counts(snapshot, pid, &life);
		add_samples(snapshot, pid, &life);
		snapshot_free(snapshot);
		ended += ended > 0 || waitpid(pid, NULL, WNOHANG) == pid;
	}
	close(begin);
	print_life(sampling, &life, *witness);
	munmap(witness, sizeof(*witness));
}

static unsigned count_entries(const char *path)
{
	unsigned n = 0;
	DIR *folder = opendir(path);

	while (folder && readdir(folder))
		n++;
	if (folder)
		closedir(folder);
	return n;
}

/* Lines of /proc/self/maps with that text. */
static unsigned count_mappings(const char *text)
{
	char line[512];
	unsigned n = 0;
	FILE *file = fopen("/proc/self/maps", "re");

	while (file && fgets(line, sizeof(line), file))
		n += strstr(line, text) != NULL;
	if (file)
		fclose(file);
	return n;
}

static unsigned count_children(void)
{
	char path[64];
	int pid;
	unsigned n = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	FILE *file = fopen(path, "re");
	while (file && fscanf(file, "%d", &pid) == 1)
		n++;
	if (file)
		fclose(file);
	return n;
}

static void print_open(const char *when)
{
	printf("{\"when\":\"%s\",\"descriptors\":%u,\"rings\":%u,\"children\":%u}\n", when,
	       count_entries("/proc/self/fd"), count_mappings("anon_inode:[perf_event]"),
	       count_children());
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const struct engine_column columns[] = {
		{ENGINE_EVENTS, "cycles,instructions,cycles:u,instructions:u", false}};
	const struct engine_config config = {
		.preset = &preset_none, .columns = columns, .n_columns = 1};
	struct engine *engine;
	struct error err;
	struct sys sys;

	code_lanes_main(argc, argv);
	if (sys_linux_init(&sys) < 0)
		return 1;
	if (engine_new(&sys, &config, &engine, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	count_life(&sys, engine, "off", false, false);
	print_open("before");
	count_life(&sys, engine, "first", true, false); /* names are found meanwhile */
	count_life(&sys, engine, "on", true, false);
	print_open("sampling");
	count_life(&sys, engine, "turns", true, true);
	request(engine, 0);
	snapshot_free(run_interval(&sys, engine));
	print_open("after");
	engine_free(engine);
	sys_linux_fini(&sys);
	return 0;
}
