// SPDX-License-Identifier: MIT
/*
 * Functions in recordings: a replay shows the same functions as the live run, and the file has the
 * samples and mappings that perf needs to find them itself.
 *
 * "seed FILE" writes a recording with functions: tests/fuzz/corpus/replay/own_code.
 */
#include "core/perf/code_record.h"
#include "core/perfdata/native_record.h"
#include "core/perfdata/perfdata_events.h"
#include "core/view/code_view.h"
#include "tests/unit/shared/recorded_scene.h"
#include "tests/unit/shared/recording_reader.h"
#include "tests/unit/shared/same_profile.h"
#include "tests/unit/shared/send_request.h"

#include <fcntl.h>

enum { TASK = 50, OTHER = 51, HZ = 997, N = 5 };

#define KERNEL       0xffffffff81000000u
#define PROGRAM      0x555555554000u
#define LIBRARY      0x7f0000001000u
#define MAPPING_SIZE 0x1000

static const uint64_t chain[] = {LIBRARY + 0x90, PROGRAM + 0x50};
static const uint64_t crossing[] = {KERNEL + 0x120, PERF_CONTEXT_USER, LIBRARY + 0x70,
				    PROGRAM + 0x50};
static const struct fk_place places[] = {
	{.ip = PROGRAM + 0x40, .weight = 5},
	{.ip = LIBRARY + 0x80, .weight = 3, .chain = chain, .n_chain = ARRAY_SIZE(chain)},
	{.ip = KERNEL + 0x10, .weight = 2, .chain = crossing, .n_chain = ARRAY_SIZE(crossing)},
	{.ip = 0x1234, .weight = 1}, /* in no mapping */
};

static struct fk *machine(const struct fk_config *config)
{
	struct fk *fk = fk_new(config);

	fk_file(fk, "/proc/kallsyms",
		"ffffffff81000000 T _text\nffffffff81000000 T first\nffffffff81000100 T second\n"
		"ffffffff81000200 T _etext\nffffffffc0000000 t of_module\t[ext4]\n");
	fk_file(fk, "/proc/modules",
		"ext4 4096 1 - Live 0xffffffffc0000000\nbroken\nold 1 1 - Live 0x0\n");
	for (pid_t tid = TASK; tid <= OTHER; tid++) {
		char path[32];
		snprintf(path, sizeof(path), "/proc/%d/maps", (int)tid);
		fk_task(fk, &(struct fk_spec){.tid = tid, .comm = "worker", .rates = HALF_IPC});
		fk_file(fk, path,
			"555555554000-555555555000 r-xp 00002000 08:01 42 /usr/bin/a program\n"
			"7f0000001000-7f0000002000 r-xp 00000000 08:01 43 /usr/lib/libfoo.so\n");
		fk_places(fk, tid, places, ARRAY_SIZE(places));
	}
	fk_switch(fk, 0, TASK);
	fk_ping_pong(fk, 1, OTHER, 0, 731 * NS_PER_US, 1000000);
	return fk;
}

/* Records N intervals. The samples begin in the interval `from`, and end in `to`. */
static void record_code(const struct fk_config *config, const char *path, uint64_t switch_bytes,
			size_t from, size_t to, struct seen *seen)
{
	struct fk *fk = machine(config);
	struct sys sys = fk_sys(fk);
	struct engine *engine = open_engine_with(
		&sys, &(struct engine_config){.code_hz = from == 0 ? HZ : 0,
					      .recorder = open_recorder(path, switch_bytes)});

	for (size_t i = 0; i < N; i++) {
		if (from > 0 && i + 1 == from)
			send_request(engine, &(struct request){.kind = REQUEST_CODE, .number = HZ});
		if (i + 1 == to)
			send_request(engine, &(struct request){.kind = REQUEST_CODE});
		seen->items[seen->n++] = next_snapshot(engine, fk, INTERVAL_NS);
	}
	engine_wait(engine, fk_now(fk) + INTERVAL_NS / 3);
	close_all(engine, fk);
}

static const struct fk_config with_pmu = {.cpus = 2, .slots = 4};
static const struct fk_config without_pmu = {.cpus = 2, .no_pmu = true};

static void replays_show_the_functions_of_the_live_run(void **state)
{
	static const struct {
		const struct fk_config *config;
		size_t from, to;
	} rows[] = {
		{&with_pmu, 0, N + 1},
		{&without_pmu, 0, N + 1},
		{&with_pmu, 2, 4},
		{&without_pmu, 1, 3},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct seen seen = {0};
		uint64_t samples = 0;
		record_code(rows[i].config, path_of("code"), 0, rows[i].from, rows[i].to, &seen);
		for (size_t k = 0; k < N; k++) {
			const struct code_profile *profile = seen.items[k]->code;
			assert_int_equal(profile != NULL, k >= rows[i].from && k < rows[i].to);
			for (size_t e = 0; profile && e < profile->n_entries; e++)
				samples += profile->entries[e].samples;
		}
		assert_true(samples > 50);
		struct replay *replay = must_open(path_of("code"), NULL);
		check_replay(replay, &seen);
		/* From the beginning, and where intervals were skipped. */
		struct error err;
		uint64_t time_ns;
		assert_int_equal(replay_rewind(replay, &err), 0);
		for (size_t k = 0; k < 3; k++)
			assert_int_equal(replay_skip(replay, &time_ns, &err), 1);
		struct snapshot *snapshot = must_show(replay);
		same_profile(seen.items[3]->code, snapshot->code);
		snapshot_free(snapshot);
		replay_free(replay);
		seen_fini(&seen);
	}
}

/* What perf finds in a file. */
struct found {
	struct perfdata_events events;
	uint64_t samples, weight, mappings, kernel, modules;
	uint64_t first_ns[2];  /* of the samples of a task */
	uint64_t mapped_ns[2]; /* of its last mapping */
};

static void note_mapping(struct found *found, const struct perf_event_header *header)
{
	struct code_record record;

	assert_int_equal(code_record_decode(header, &record), 0);
	assert_int_equal(record.kind, CODE_RECORD_MMAP);
	const struct proc_mapping *mapping = &record.mmap.mapping;
	bool library = mapping->start == LIBRARY;
	assert_true(library || mapping->start == PROGRAM);
	assert_int_equal(mapping->end - mapping->start, MAPPING_SIZE);
	assert_int_equal(mapping->offset, library ? 0 : 0x2000);
	assert_int_equal(mapping->inode, library ? 43 : 42);
	assert_string_equal(mapping->name, library ? "/usr/lib/libfoo.so" : "/usr/bin/a program");
	assert_true(mapping->executable);
	assert_non_null(perfdata_events_find(&found->events, record.id));
	assert_true(record.pid == TASK || record.pid == OTHER);
	uint64_t *mapped_ns = &found->mapped_ns[record.pid - TASK];
	if (record.time_ns > *mapped_ns)
		*mapped_ns = record.time_ns;
	found->mappings++;
}

static void note_kernel(struct found *found, const struct perf_event_header *header)
{
	const struct {
		struct perf_event_header header;
		int32_t pid, tid;
		uint64_t start, length, offset;
		char name[];
	} *record = (const void *)header;

	assert_int_equal(record->pid, -1);
	if (strcmp(record->name, "[kernel.kallsyms]_text") == 0) {
		assert_int_equal(record->start, KERNEL);
		assert_int_equal(record->length, 0x200);
		assert_int_equal(record->offset, KERNEL);
		found->kernel++;
	} else {
		assert_string_equal(record->name, "[ext4]");
		assert_int_equal(record->start, 0xffffffffc0000000u);
		assert_int_equal(record->length, 4096);
		found->modules++;
	}
}

static void note_sample(struct found *found, const struct perf_event_header *header)
{
	struct code_sample sample;
	uint64_t id = code_record_id(header);
	const struct perfdata_event *event = perfdata_events_find(&found->events, id);

	assert_non_null(event);
	if (event->attr.sample_type & PERF_SAMPLE_READ)
		return; /* of a switch */
	assert_int_equal(event->attr.sample_type, CODE_SAMPLE_TYPE);
	assert_int_equal(strncmp(event->name, "code:", 5), 0);
	assert_int_equal(code_sample_decode(header, true, &sample), 0);
	assert_true(sample.tid == TASK || sample.tid == OTHER);
	assert_true(sample.weight > 0 && sample.n_chain > 0);
	assert_int_equal(sample.kernel, sample.ip >= KERNEL);
	uint64_t *first_ns = &found->first_ns[sample.tid - TASK];
	if (*first_ns == 0 || sample.time_ns < *first_ns)
		*first_ns = sample.time_ns;
	found->samples++;
	found->weight += sample.weight;
}

static ssize_t read_file(void *arg, uint64_t at, void *bytes, size_t n)
{
	ssize_t got = pread(*(int *)arg, bytes, n, (off_t)at);

	return got < 0 ? -errno : got;
}

static void find_records(const char *path, struct found *found)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const struct perfdata_input input = {.read = read_file, .arg = &fd};
	struct perfdata_reader *reader = perfdata_reader_new(&input);
	const struct perf_event_header *header;
	struct error err;
	int result;

	assert_true(fd >= 0);
	*found = (struct found){.samples = 0};
	while ((result = perfdata_reader_next(reader, &header, &err)) > 0) {
		assert_int_equal(perfdata_events_add(&found->events, header), 0);
		if (header->type == PERF_RECORD_MMAP2)
			note_mapping(found, header);
		else if (header->type == PERF_RECORD_MMAP)
			note_kernel(found, header);
		else if (header->type == PERF_RECORD_SAMPLE)
			note_sample(found, header);
	}
	assert_int_equal(result, 0);
	perfdata_reader_free(reader);
	close(fd);
}

/* The samples of a file are the samples of its profiles, with what their addresses belong to. */
static void check_file(const char *path, struct snapshot *const *snapshots, size_t n)
{
	struct found found;
	uint64_t samples = 0, weight = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; snapshots[i]->code && k < snapshots[i]->code->n_entries; k++) {
			samples += snapshots[i]->code->entries[k].samples;
			weight += snapshots[i]->code->entries[k].weight;
		}
	find_records(path, &found);
	assert_true(samples > 0);
	assert_int_equal(found.samples, samples);
	assert_int_equal(found.weight, weight);
	assert_int_equal(found.mappings, 4); /* of each process once */
	/* perf sorts by time. */
	for (size_t i = 0; i < ARRAY_SIZE(found.first_ns); i++)
		assert_true(found.mapped_ns[i] > 0 && found.mapped_ns[i] < found.first_ns[i]);
	assert_int_equal(found.kernel, 1);
	assert_int_equal(found.modules, 1);
	/* The code ids are in the range of the recorder alone. */
	for (size_t i = 0; i < found.events.n; i++) {
		const struct perfdata_event *event = &found.events.items[i];
		bool code = strncmp(event->name, "code:", 5) == 0;
		for (size_t k = 0; k < event->n_ids; k++)
			assert_int_equal(event->ids[k] >= PERFDATA_CODE_ID, code);
	}
	perfdata_events_fini(&found.events);
}

static void perf_finds_samples_and_mappings(void **state)
{
	static const struct fk_config *const configs[] = {&with_pmu, &without_pmu};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(configs); i++) {
		struct seen seen = {0};
		record_code(configs[i], path_of("raw"), 0, i, N + 1, &seen);
		check_file(path_of("raw"), seen.items, seen.n);
		seen_fini(&seen);
	}
}

/* Each file has the attrs and mappings again. */
static void each_file_stands_alone(void **state)
{
	struct seen seen = {0};
	struct dirent **names;
	size_t files = 0;

	(void)state;
	record_code(&with_pmu, path_of("turned"), 1, 0, N + 1, &seen);
	int n = scandir(recorded_directory, &names, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		if (strncmp(names[i]->d_name, "turned.", 7) == 0) {
			const struct seen one = {{seen.items[files]}, 1};
			struct replay *replay = must_open(path_of(names[i]->d_name), NULL);
			check_replay(replay, &one);
			replay_free(replay);
			check_file(path_of(names[i]->d_name), &seen.items[files++], 1);
		}
		free(names[i]);
	}
	free(names);
	assert_int_equal(files, N);
	seen_fini(&seen);
}

/* A recording in memory. */
struct recorded {
	uint8_t *bytes;
	size_t n;
};

static struct recorded read_recording(const char *path)
{
	struct recorded recorded = {0};
	FILE *file = fopen(path, "re");

	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	recorded.n = (size_t)ftell(file);
	rewind(file);
	recorded.bytes = xmalloc(recorded.n);
	assert_int_equal(fread(recorded.bytes, 1, recorded.n, file), recorded.n);
	fclose(file);
	return recorded;
}

/* Returns the words of the first stack of the first record of stacks. */
static uint64_t *first_stack(const struct recorded *recorded)
{
	size_t at, end;

	recording_reader_span((const char *)recorded->bytes, recorded->n, &at, &end);
	while (at < end) {
		const struct perf_event_header *header = (const void *)(recorded->bytes + at);
		struct native_words words;
		uint64_t kind;

		if (native_open(header, &kind, &words) && kind == NATIVE_CODE_STACKS) {
			native_word(&words); /* their number */
			return (uint64_t *)(uintptr_t)words.at;
		}
		at += header->size;
	}
	fail_msg("no stacks");
	return NULL;
}

static void write_recording(const struct recorded *recorded, const char *path)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(recorded->bytes, 1, recorded->n, file), recorded->n);
	fclose(file);
}

/* Shares of each function and of its callers are numbers from 0 to 1. */
static void check_shares(const struct snapshot *snapshot)
{
	struct code_index *index = code_index_new(snapshot);
	const struct code_subject subject = {.key = history_key_of_all(HISTORY_MACHINE)};
	struct code_view view;
	struct code_edges edges;

	code_view_init(index, &subject, 0, &view);
	for (size_t i = 0; i < view.n; i++)
		for (size_t e = 0; e < snapshot->code->n_events; e++) {
			const struct code_share *share = &view.lines[i].events[e];

			assert_true(share->share >= 0 && share->share <= 1);
			assert_true(share->error >= 0 && share->error <= 1);
			code_edges_init(&view, view.lines[i].id, (unsigned)e, &edges);
			for (size_t k = 0; k < edges.n_callers; k++)
				assert_true(edges.callers[k].share.share >= 0 &&
					    edges.callers[k].share.share <= 1);
			code_edges_fini(&edges);
		}
	code_view_fini(&view);
	code_index_free(index);
}

/* Replays a file. Returns how many intervals have functions; *result is the result of the last
 * call. */
static unsigned replay_all(const char *path, int *result)
{
	struct replay *replay = NULL;
	struct snapshot *snapshot;
	struct error err = {0};
	unsigned n = 0;

	*result = replay_new(&recorded_sys, &(struct replay_config){.path = path}, &replay, &err);
	while (*result >= 0 && (*result = replay_next(replay, &snapshot, &err)) > 0) {
		if (snapshot->code)
			check_shares(snapshot);
		n += snapshot->code != NULL;
		snapshot_free(snapshot);
	}
	replay_free(replay);
	assert_true(*result >= 0 || err.text[0]);
	return n;
}

/* Words of a stack, in the order of NATIVE_CODE_STACKS. */
enum { IDS, START, EVENT, CPU, SAMPLES, WEIGHT, SQUARES, DEPTH, FUNCTIONS };

/* Squares are the bits of a double. */
static const struct hostile {
	const char *name;
	unsigned word;
	uint64_t value;
	bool accepted;
} hostiles[] = {
	{"another start", START, 0x9e3779b97f4a7c15u, true},
	{"a pid that is none", IDS, 0x7fffffff, false},
	{"a tid that is none", IDS, 0x8000000000000000u, false},
	{"an event that is none", EVENT, 64, false},
	{"any event", EVENT, UINT64_MAX, false},
	{"a CPU below -1", CPU, (uint64_t)-2, false},
	{"a CPU beyond int", CPU, 1ull << 32, false},
	{"no samples", SAMPLES, 0, false},
	{"too many samples", SAMPLES, 1ull << 32, false},
	{"the largest weight", WEIGHT, INT64_MAX, true},
	{"a weight beyond", WEIGHT, 1ull << 63, false},
	{"a weight below its squares", WEIGHT, 1, false},
	{"no weight", WEIGHT, 0, false},
	{"squares below 0", SQUARES, 0xbff0000000000000u, false},
	{"squares that are no number", SQUARES, 0x7ff8000000000000u, false},
	{"infinite squares", SQUARES, 0x7ff0000000000000u, false},
	{"squares beyond the square", SQUARES, 0x7e37e43c8800759cu, false},
	{"no functions", DEPTH, 0, false},
	{"too many functions", DEPTH, 128, false},
	{"functions behind the record", DEPTH, UINT64_MAX, false},
	{"a function that is none", FUNCTIONS, UINT32_MAX, false},
};

static void hostile_stacks_are_refused(void **state)
{
	struct seen seen = {0};
	int result;

	(void)state;
	record_code(&without_pmu, path_of("code"), 0, 0, N + 1, &seen);
	seen_fini(&seen);
	struct recorded recorded = read_recording(path_of("code"));
	uint64_t *stack = first_stack(&recorded);
	assert_int_equal(replay_all(path_of("code"), &result), N);
	assert_int_equal(result, 0);
	for (size_t i = 0; i < ARRAY_SIZE(hostiles); i++) {
		uint64_t before = stack[hostiles[i].word];

		print_message("%s\n", hostiles[i].name);
		stack[hostiles[i].word] = hostiles[i].value;
		write_recording(&recorded, path_of("hostile"));
		unsigned n = replay_all(path_of("hostile"), &result);
		if (hostiles[i].accepted)
			assert_int_equal(n, N);
		else
			assert_true(result < 0 || n < N);
		stack[hostiles[i].word] = before;
	}
	free(recorded.bytes);
}

/* A short recording with functions, for tests/fuzz/corpus/replay. */
static int write_seed(const char *path)
{
	enum { SEED_HZ = 30, SEED_NS = 20 * NS_PER_MS, INTERVALS = 2 };

	if (recorded_scenes_setup(NULL))
		return 1;
	struct fk *fk = machine(&without_pmu);
	struct sys sys = fk_sys(fk);
	struct engine *engine =
		open_engine_with(&sys, &(struct engine_config){.code_hz = SEED_HZ,
							       .recorder = open_recorder(path, 0)});
	for (size_t i = 0; i < INTERVALS; i++)
		snapshot_free(next_snapshot(engine, fk, i ? SEED_NS : 4 * SEED_NS));
	close_all(engine, fk);
	return recorded_scenes_teardown(NULL);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(replays_show_the_functions_of_the_live_run),
		cmocka_unit_test(perf_finds_samples_and_mappings),
		cmocka_unit_test(each_file_stands_alone),
		cmocka_unit_test(hostile_stacks_are_refused),
	};

	if (argc == 3 && strcmp(argv[1], "seed") == 0)
		return write_seed(argv[2]);
	return cmocka_run_group_tests_name("replay: functions", tests, recorded_scenes_setup,
					   recorded_scenes_teardown);
}
