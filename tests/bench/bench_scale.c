// SPDX-License-Identifier: MIT
/*
 * bench_scale CPUS TASKS BUSY SWITCHES REFRESHES MS: pmctop on a large server. The fake kernel has
 * CPUS and TASKS. BUSY of these take turns on each CPU, SWITCHES times a second. Six hardware
 * events are counted, with a refresh every MS ms. Engine, history and screen are the real ones. The
 * time spent in the fake kernel is subtracted. Its clock stands still while pmctop works, so no
 * records are lost here. Whether a real server would lose some follows from the time to read full
 * rings.
 */
#include "core/base/util.h"
#include "core/engine/engine.h"
#include "tests/bench/measure.h"
#include "tests/fake_kernel/fake_kernel.h"
#include "tui/options/options.h"
#include "tui/run/run.h"
#include "tui/screen/app.h"
#include "tui/term/canvas.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST_TID = 1000, WARM = 1, PAST_BEGINS = 15, WIDTH = 200, HEIGHT = 50 };

static struct sys fake;
static uint64_t kernel_ns;

static uint64_t add_kernel_time(uint64_t began_ns)
{
	return kernel_ns += thread_cpu_ns() - began_ns;
}

static uint64_t waits;
static size_t mapped_bytes;

/* Between two waits pmctop drains rings or ends an interval. */
static int timed_wait(void *ctx, struct pollfd *fds, size_t count, uint64_t deadline_ns)
{
	uint64_t began_ns = thread_cpu_ns();
	int result = fake.ops->wait(ctx, fds, count, deadline_ns);

	add_kernel_time(began_ns);
	waits++;
	return result;
}

static uint64_t timed_now(void *ctx)
{
	uint64_t began_ns = thread_cpu_ns(), now_ns = fake.ops->now_ns(ctx);

	add_kernel_time(began_ns);
	return now_ns;
}

static int timed_ioctl(void *ctx, int fd, unsigned long request, uintptr_t argument)
{
	uint64_t began_ns = thread_cpu_ns();
	int result = fake.ops->perf_ioctl(ctx, fd, request, argument);

	add_kernel_time(began_ns);
	return result;
}

static ssize_t timed_read(void *ctx, int fd, void *buffer, size_t size)
{
	uint64_t began_ns = thread_cpu_ns();
	ssize_t result = fake.ops->perf_read(ctx, fd, buffer, size);

	add_kernel_time(began_ns);
	return result;
}

static ssize_t timed_file_read(void *ctx, const char *path, char *buffer, size_t size)
{
	uint64_t began_ns = thread_cpu_ns();
	ssize_t result = fake.ops->file_read(ctx, path, buffer, size);

	add_kernel_time(began_ns);
	return result;
}

static int timed_file_owner(void *ctx, const char *path, uid_t *owner)
{
	uint64_t began_ns = thread_cpu_ns();
	int result = fake.ops->file_owner(ctx, path, owner);

	add_kernel_time(began_ns);
	return result;
}

static int noted_map(void *ctx, int fd, size_t size, void **address)
{
	mapped_bytes += size;
	return fake.ops->perf_map(ctx, fd, size, address);
}

static int noted_unmap(void *ctx, void *address, size_t size)
{
	mapped_bytes -= size;
	return fake.ops->perf_unmap(ctx, address, size);
}

struct server {
	struct fk *fk;
	unsigned cpus, tasks, busy, turn;
	uint64_t turn_ns, refresh_ns;
};

/* Switches all CPUs to their next task at one moment. Each CPU has its own tasks. */
static void take_turns(struct fk *fk, void *arg)
{
	struct server *server = arg;
	unsigned turn = server->turn++ % server->busy;

	for (unsigned cpu = 0; cpu < server->cpus; cpu++)
		fk_switch(fk, (int)cpu, FIRST_TID + (pid_t)(cpu * server->busy + turn));
	fk_after(fk, server->turn_ns, take_turns, server);
}

static void server_open(struct server *server)
{
	const struct fk_config config = {
		.cpus = server->cpus, .slots = 8, .fd_limit = 1 << 20, .step_ns = 100};

	server->fk = fk_new(&config);
	for (unsigned i = 0; i < server->tasks; i++) {
		char comm[16];

		snprintf(comm, sizeof(comm), "task-%u", i);
		fk_task(server->fk,
			&(struct fk_spec){
				.tid = FIRST_TID + (pid_t)i,
				.uid = i % 50,
				.comm = comm,
				.rates = {[FK_CYCLES] = {2, 1}, [FK_INSTRUCTIONS] = {3, 1}}});
	}
	fk_after(server->fk, server->turn_ns, take_turns, server);
}

/* The heap without the part of the fake kernel. Rings are mapped and not included. */
static double heap_mib(const struct server *server)
{
	struct mallinfo2 info = mallinfo2();

	return (double)(info.uordblks + info.hblkhd - fk_bytes(server->fk)) / (1 << 20);
}

struct costs {
	uint64_t drain_ns, snapshot_ns, screen_ns; /* sums */
	uint64_t most_snapshot_ns, most_screen_ns;
	uint64_t records, lost, waits, interval_ns;
	double first_heap_mib;
};

static void update_most(uint64_t *most, uint64_t value)
{
	if (value > *most)
		*most = value;
}

/* CPU time of this thread without the fake kernel. */
static uint64_t pmctop_ns(void)
{
	return thread_cpu_ns() - kernel_ns;
}

static void refresh(struct server *server, struct engine *engine, struct app *app,
		    struct canvas *canvas, struct costs *costs)
{
	uint64_t deadline_ns = fk_now(server->fk) + server->refresh_ns, began_ns = pmctop_ns();

	waits = 0;
	while (engine_wait(engine, deadline_ns) != 0)
		;
	uint64_t waited_ns = pmctop_ns();
	struct snapshot *snapshot = engine_snapshot(engine);
	uint64_t cut_ns = pmctop_ns();
	costs->records += snapshot->totals[TALLY_SWITCHES];
	costs->lost += snapshot->lost_records;
	costs->interval_ns += snapshot->interval_ns;
	app_snapshot(app, snapshot);
	app_draw(app, canvas);
	uint64_t drawn_ns = pmctop_ns();
	costs->drain_ns += waited_ns - began_ns;
	costs->snapshot_ns += cut_ns - waited_ns;
	costs->screen_ns += drawn_ns - cut_ns;
	update_most(&costs->most_snapshot_ns, cut_ns - waited_ns);
	update_most(&costs->most_screen_ns, drawn_ns - cut_ns);
	costs->waits += waits;
}

static void print_costs(const struct server *server, const struct costs *costs, unsigned n)
{
	double seconds = (double)costs->interval_ns / (double)NS_PER_S;

	print_figure("drain", (double)costs->drain_ns / seconds / 1e6, "ms a second");
	print_figure("record", (double)costs->drain_ns / (double)(costs->records + 1), "ns");
	print_figure("snapshot", (double)costs->snapshot_ns / n / 1e6, "ms");
	print_figure("screen", (double)costs->screen_ns / n / 1e6, "ms");
	print_figure("worst snapshot", (double)costs->most_snapshot_ns / 1e6, "ms");
	print_figure("worst screen", (double)costs->most_screen_ns / 1e6, "ms");
	print_figure("records", (double)costs->records / seconds, "a second");
	print_figure("lost", (double)costs->lost, "records");
	print_figure("drains", (double)costs->waits / seconds, "a second");
	print_figure("descriptors", fk_open_fds(server->fk), "");
	print_figure("rings", (double)mapped_bytes / (1 << 20), "MiB");
	print_figure("heap", heap_mib(server), "MiB");
	print_figure("past", heap_mib(server) - costs->first_heap_mib, "MiB");
}

int main(int argc, char **argv)
{
	if (argc != 7) {
		fputs("usage: bench_scale CPUS TASKS BUSY SWITCHES REFRESHES MS\n", stderr);
		return 2;
	}
	struct server server = {
		.cpus = (unsigned)strtoul(argv[1], NULL, 10),
		.tasks = (unsigned)strtoul(argv[2], NULL, 10),
		.busy = (unsigned)strtoul(argv[3], NULL, 10),
		.turn_ns = NS_PER_S / strtoull(argv[4], NULL, 10),
		.refresh_ns = NS_PER_MS * strtoull(argv[6], NULL, 10),
	};
	unsigned refreshes = (unsigned)strtoul(argv[5], NULL, 10);
	const struct engine_column events = {
		ENGINE_EVENTS,
		"{cycles,instructions,cache-references,cache-misses,branches,branch-misses}",
		false};
	const struct engine_config config = {
		.preset = preset_find("none"), .columns = &events, .n_columns = 1};
	struct engine *engine;
	struct options options;
	struct canvas canvas;
	struct app app;
	struct error err;

	run_prepare();
	server_open(&server);
	fake = fk_sys(server.fk);
	struct sys_ops ops = *fake.ops;
	const struct sys sys = {&ops, fake.ctx};
	ops.wait = timed_wait;
	ops.now_ns = timed_now;
	ops.perf_ioctl = timed_ioctl;
	ops.perf_read = timed_read;
	ops.perf_map = noted_map;
	ops.perf_unmap = noted_unmap;
	ops.file_read = timed_file_read;
	ops.file_owner = timed_file_owner;
	options_init(&options);
	app_init(&app, &options);
	canvas_init(&canvas, false);
	canvas_resize(&canvas, WIDTH, HEIGHT);
	kernel_ns = 0;
	uint64_t began_ns = pmctop_ns();
	if (engine_new(&sys, &config, &engine, &err) < 0) {
		fprintf(stderr, "bench_scale: %s\n", err.text);
		return 1;
	}
	print_figure("start", (double)(pmctop_ns() - began_ns) / 1e6, "ms");

	struct costs warm = {0}, costs = {0};
	for (unsigned i = 0; i < WARM; i++)
		refresh(&server, engine, &app, &canvas, &warm);
	for (unsigned i = 0; i < refreshes; i++) {
		if (i == (refreshes > PAST_BEGINS ? PAST_BEGINS : 0))
			costs.first_heap_mib = heap_mib(&server);
		refresh(&server, engine, &app, &canvas, &costs);
	}
	print_costs(&server, &costs, refreshes);
	canvas_fini(&canvas);
	app_fini(&app);
	options_fini(&options);
	engine_free(engine);
	fk_free(server.fk);
	return 0;
}
