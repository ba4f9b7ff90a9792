// SPDX-License-Identifier: MIT
/*
 * The kernel's names of events that most machines can count: PERF_TYPE_HARDWARE, PERF_TYPE_SOFTWARE
 * and PERF_TYPE_HW_CACHE. The config of the last is cache | operation << 8 | result << 16, and its
 * names have up to three words: L1-dcache-load-misses. As in libpfm4, case does not count.
 */
#include "core/base/util.h"
#include "core/event/event_resolver.h"

#include <errno.h>
#include <string.h>

static const struct generic {
	const char *names[2];
	uint32_t type;
	uint64_t config;
} generics[] = {
	{{"cycles", "cpu-cycles"}, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{{"instructions"}, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	{{"cache-references"}, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
	{{"cache-misses"}, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
	{{"branches", "branch-instructions"},
	 PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{{"branch-misses"}, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
	{{"bus-cycles"}, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
	{{"stalled-cycles-frontend", "idle-cycles-frontend"},
	 PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
	{{"stalled-cycles-backend", "idle-cycles-backend"},
	 PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
	{{"ref-cycles"}, PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
	{{"cpu-clock"}, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
	{{"task-clock"}, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
	{{"page-faults", "faults"}, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
	{{"context-switches", "cs"}, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
	{{"cpu-migrations", "migrations"}, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
	{{"minor-faults"}, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
	{{"major-faults"}, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
	{{"alignment-faults"}, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
	{{"emulation-faults"}, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
	{{"dummy"}, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY},
	{{"bpf-output"}, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT},
	{{"cgroup-switches"}, PERF_TYPE_SOFTWARE, 11}, /* in headers since 5.13 */
};

/* A word comes before its prefixes: "loads" before "load". */
#define BIT(op) (1u << (PERF_COUNT_HW_CACHE_OP_##op))
static const struct cache {
	const char *names[5];
	unsigned ops; /* operations that the kernel defines for it */
} caches[] = {
	[PERF_COUNT_HW_CACHE_L1D] = {{"L1-dcache", "l1-d", "l1d", "L1-data"},
				     BIT(READ) | BIT(WRITE) | BIT(PREFETCH)},
	[PERF_COUNT_HW_CACHE_L1I] = {{"L1-icache", "l1-i", "l1i", "L1-instruction"},
				     BIT(READ) | BIT(PREFETCH)},
	[PERF_COUNT_HW_CACHE_LL] = {{"LLC", "LL", "L2"}, BIT(READ) | BIT(WRITE) | BIT(PREFETCH)},
	[PERF_COUNT_HW_CACHE_DTLB] = {{"dTLB", "d-tlb", "Data-TLB"},
				      BIT(READ) | BIT(WRITE) | BIT(PREFETCH)},
	[PERF_COUNT_HW_CACHE_ITLB] = {{"iTLB", "i-tlb", "Instruction-TLB"}, BIT(READ)},
	[PERF_COUNT_HW_CACHE_BPU] = {{"branches", "branch", "bpu", "btb", "bpc"}, BIT(READ)},
	[PERF_COUNT_HW_CACHE_NODE] = {{"node"}, BIT(READ) | BIT(WRITE) | BIT(PREFETCH)},
};
static const char *const ops[][5] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = {"loads", "load", "read"},
	[PERF_COUNT_HW_CACHE_OP_WRITE] = {"stores", "store", "write"},
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = {"prefetches", "prefetch", "speculative-read",
					     "speculative-load"},
};
static const char *const results[][5] = {
	[PERF_COUNT_HW_CACHE_RESULT_ACCESS] = {"refs", "Reference", "ops", "access"},
	[PERF_COUNT_HW_CACHE_RESULT_MISS] = {"misses", "miss"},
};

/* The length of the name at the front of a text, before a dash or the end; 0: none. */
static size_t word_at(const char *text, size_t length, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n && names[i]; i++) {
		size_t word = strlen(names[i]);

		if (word <= length && event_same_name(text, word, names[i]) &&
		    (word == length || text[word] == '-'))
			return word;
	}
	return 0;
}

static const struct generic *find_generic(const char *name, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(generics); i++)
		for (size_t k = 0; k < ARRAY_SIZE(generics[i].names); k++)
			if (generics[i].names[k] &&
			    event_same_name(name, length, generics[i].names[k]))
				return &generics[i];
	return NULL;
}

/* An operation and a result, each at most once and in any order, as in perf. */
static bool parse_cache_words(const char *text, size_t length, int *op, int *result)
{
	for (size_t at = 0; at < length;) {
		size_t word = 0;

		if (text[at++] != '-')
			return false;
		for (size_t i = 0; *op < 0 && !word && i < ARRAY_SIZE(ops); i++) {
			word = word_at(text + at, length - at, ops[i], ARRAY_SIZE(ops[i]));
			*op = word ? (int)i : -1;
		}
		for (size_t i = 0; *result < 0 && !word && i < ARRAY_SIZE(results); i++) {
			word = word_at(text + at, length - at, results[i], ARRAY_SIZE(results[i]));
			*result = word ? (int)i : -1;
		}
		if (!word)
			return false;
		at += word;
	}
	return true;
}

static int resolve_cache(const struct event_context *context, const char *name, size_t length,
			 struct event *event, struct error *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(caches); i++) {
		size_t word = word_at(name, length, caches[i].names, ARRAY_SIZE(caches[i].names));
		int op = -1, result = -1;

		if (!word || !parse_cache_words(name + word, length - word, &op, &result))
			continue;
		/* L1-dcache-misses is L1-dcache-load-misses. */
		op = op < 0 ? PERF_COUNT_HW_CACHE_OP_READ : op;
		result = result < 0 ? PERF_COUNT_HW_CACHE_RESULT_ACCESS : result;
		if (!(caches[i].ops & 1u << op))
			return error_set(err, -EINVAL, "The %s cache has no %s: '%s'.",
					 caches[i].names[0], ops[op][0],
					 event_quote(name, length).text);
		event->kind = EVENT_HARDWARE;
		event_add_generic(context, event, PERF_TYPE_HW_CACHE,
				  (uint64_t)i | (uint64_t)op << 8 | (uint64_t)result << 16);
		return 0;
	}
	return EVENT_NOT_MINE;
}

int event_generic_resolve(const struct event_context *context, const char *name,
			  struct event *event, const char **rest, struct error *err)
{
	size_t length = strcspn(name, ":");
	const struct generic *generic = find_generic(name, length);

	*rest = name + length;
	if (name[length] == ':' && name[length + 1] == ':') /* skl::cycles */
		return EVENT_NOT_MINE;
	if (!generic)
		return resolve_cache(context, name, length, event, err);
	event->kind = generic->type == PERF_TYPE_SOFTWARE ? EVENT_SOFTWARE : EVENT_HARDWARE;
	if (generic->type == PERF_TYPE_SOFTWARE && generic->config <= PERF_COUNT_SW_TASK_CLOCK)
		memcpy(event->unit, "ns", sizeof("ns"));
	event_add_generic(context, event, generic->type, generic->config);
	return 0;
}

/* user_time and system_time: no event of the kernel has them, so core/collect reads /proc. */
int event_proc_resolve(const struct event_context *context, const char *name, struct event *event,
		       const char **rest, struct error *err)
{
	(void)err;
	if (!context->sys ||
	    (strcmp(name, EVENT_USER_TIME) != 0 && strcmp(name, EVENT_SYSTEM_TIME) != 0))
		return EVENT_NOT_MINE;
	event->kind = EVENT_PROC;
	text_copy(event->unit, sizeof(event->unit), "ns");
	*rest = name + strlen(name);
	return 0;
}

const char *event_generic_title(const char *name)
{
	const struct generic *generic = find_generic(name, strlen(name));

	return generic ? generic->names[0] : NULL;
}

const char *event_generic_name(uint32_t type, uint64_t config)
{
	for (size_t i = 0; i < ARRAY_SIZE(generics); i++)
		if (generics[i].type == type && generics[i].config == config)
			return generics[i].names[0];
	return NULL;
}

void event_generic_suggest(struct suggest *suggest)
{
	/* The common names of cache events, as in perf list. */
	static const char *const spelled[] = {
		"L1-dcache-loads",
		"L1-dcache-load-misses",
		"L1-dcache-stores",
		"L1-dcache-store-misses",
		"L1-dcache-prefetches",
		"L1-icache-loads",
		"L1-icache-load-misses",
		"LLC-loads",
		"LLC-load-misses",
		"LLC-stores",
		"LLC-store-misses",
		"LLC-prefetches",
		"dTLB-loads",
		"dTLB-load-misses",
		"dTLB-stores",
		"dTLB-store-misses",
		"iTLB-loads",
		"iTLB-load-misses",
		"branch-loads",
		"branch-load-misses",
		"node-loads",
		"node-load-misses",
		"node-stores",
		"node-store-misses",
	};

	for (size_t i = 0; i < ARRAY_SIZE(generics); i++)
		for (size_t k = 0; k < ARRAY_SIZE(generics[i].names); k++)
			if (generics[i].names[k])
				suggest_offer(suggest, generics[i].names[k]);
	for (size_t i = 0; i < ARRAY_SIZE(spelled); i++)
		suggest_offer(suggest, spelled[i]);
}
