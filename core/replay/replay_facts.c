// SPDX-License-Identifier: MIT
/*
 * Layouts: tools/perf/Documentation/perf.data-file-format.txt, tools/perf/util/header.c
 * (CLOCK_DATA), and tools/lib/perf/include/perf/event.h.
 */
#include "core/replay/replay_facts.h"

#include "core/base/util.h"
#include "core/sys/cpu_kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 256 };

/* The unread bytes of a record. */
struct rest {
	const unsigned char *bytes;
	size_t n;
};

static bool rest_read(struct rest *rest, void *to, size_t n)
{
	if (rest->n < n)
		return false;
	memcpy(to, rest->bytes, n);
	rest->bytes += n;
	rest->n -= n;
	return true;
}

static uint32_t parse_u32(struct rest *rest)
{
	uint32_t number = 0;

	rest_read(rest, &number, sizeof(number));
	return number;
}

static uint64_t parse_u64(struct rest *rest)
{
	uint64_t number = 0;

	rest_read(rest, &number, sizeof(number));
	return number;
}

/* A text: its padded length, the bytes, zeroes. False: there is no more. */
static bool rest_text(struct rest *rest, char *text, size_t size)
{
	size_t bytes = parse_u32(rest);

	if (bytes == 0 || bytes > rest->n)
		return false;
	size_t length = strnlen((const char *)rest->bytes, size_min(bytes, size - 1));
	memcpy(text, rest->bytes, length);
	text[length] = '\0';
	rest->bytes += bytes;
	rest->n -= bytes;
	return true;
}

void replay_facts_fini(struct replay_facts *facts)
{
	free(facts->pmus);
	free(facts->command);
	*facts = (struct replay_facts){0};
}

const char *replay_facts_pmu(const struct replay_facts *facts, uint32_t type)
{
	for (size_t i = 0; i < facts->n_pmus; i++)
		if (facts->pmus[i].type == type)
			return facts->pmus[i].name;
	return NULL;
}

/* Possible and online CPUs. */
static void parse_cpus(struct replay_facts *facts, struct rest *rest)
{
	uint32_t one = parse_u32(rest), other = parse_u32(rest);
	uint32_t n = one > other ? one : other;

	facts->n_cpus = n <= REPLAY_CPUS_MAX ? n : 0;
}

static void parse_pmus(struct replay_facts *facts, struct rest *rest)
{
	size_t capacity = 0;

	free(facts->pmus);
	facts->pmus = NULL;
	facts->n_pmus = 0;
	for (size_t n = parse_u32(rest); facts->n_pmus < n && facts->n_pmus < REPLAY_PMUS_MAX;) {
		struct replay_pmu pmu = {.type = parse_u32(rest)};
		if (!rest_text(rest, pmu.name, sizeof(pmu.name)))
			break;
		facts->pmus = array_reserve(facts->pmus, &capacity, facts->n_pmus + 1,
					    sizeof(*facts->pmus));
		facts->pmus[facts->n_pmus++] = pmu;
	}
}

/*
 * "GenuineIntel,6,143,8" of x86, "0x00000000410fd0c0" (MIDR_EL1) of Arm, as /proc/cpuinfo has it.
 */
static void parse_cpuid(struct replay_facts *facts, struct rest *rest)
{
	char id[TEXT_MAX], vendor[32], text[256];
	unsigned family, model, stepping;

	if (!rest_text(rest, id, sizeof(id)))
		return;
	/* Nine digits at most: sscanf has undefined behaviour on overflow. */
	if (sscanf(id, "%31[^,],%9u,%9u,%9u", vendor, &family, &model, &stepping) == 4) {
		snprintf(text, sizeof(text),
			 "vendor_id\t: %s\ncpu family\t: %u\nmodel\t\t: %u\nstepping\t: %u\n\n",
			 vendor, family, model, stepping);
	} else if (strncmp(id, "0x", 2) == 0) {
		unsigned long midr = strtoul(id, NULL, 16);
		snprintf(text, sizeof(text),
			 "CPU implementer\t: 0x%02lx\nCPU variant\t: 0x%lx\n"
			 "CPU part\t: 0x%03lx\nCPU revision\t: %lu\n\n",
			 midr >> 24 & 0xff, midr >> 20 & 0xf, midr >> 4 & 0xfff, midr & 0xf);
	} else {
		return;
	}
	facts->cpu.kinds = cpu_kind_parse(text);
}

static bool is_option(const char *word, const char *letter, const char *name)
{
	size_t length = strlen(name);

	return strncmp(word, letter, 2) == 0 ||
	       (strncmp(word, name, length) == 0 && (!word[length] || word[length] == '='));
}

static void add_word(struct replay_facts *facts, const char *word)
{
	size_t old = facts->command ? strlen(facts->command) : 0;
	size_t size = old + 1 + strlen(word) + 1;

	if (size > REPLAY_COMMAND_MAX)
		return;
	char *command = xmalloc(size);
	snprintf(command, size, "%s%s%s", old ? facts->command : "", old ? " " : "", word);
	free(facts->command);
	facts->command = command;
}

/* Keeps the whole command. */
static void parse_words(struct replay_facts *facts, struct rest rest)
{
	char word[TEXT_MAX];

	free(facts->command);
	facts->command = NULL;
	for (uint32_t n = parse_u32(&rest); n > 0 && rest_text(&rest, word, sizeof(word)); n--)
		add_word(facts, word);
}

/* Options on the command line of perf or simpleperf, before the recorded command. */
static void parse_command(struct replay_facts *facts, struct rest *rest)
{
	char word[TEXT_MAX];
	bool all = false;

	parse_words(facts, *rest);

	for (uint32_t n = parse_u32(rest); n > 0 && rest_text(rest, word, sizeof(word)); n--) {
		if (strcmp(word, "--") == 0)
			return;
		facts->of_cgroup |= is_option(word, "-G", "--cgroup");
		all |= is_option(word, "-a", "--all-cpus");
		facts->command_of_tasks |=
			!all && (is_option(word, "-p", "--pid") || is_option(word, "-t", "--tid") ||
				 is_option(word, "-u", "--uid") || strcmp(word, "--app") == 0);
	}
}

static void parse_clock(struct replay_facts *facts, struct rest *rest)
{
	uint32_t version = parse_u32(rest);

	parse_u32(rest); /* id of the clock of the records */
	uint64_t realtime_ns = parse_u64(rest), clock_ns = parse_u64(rest);
	if (version != 1 || realtime_ns == 0)
		return;
	facts->realtime_ns = realtime_ns;
	facts->clock_ns = clock_ns;
}

/* A text with its NUL. NULL: there is no more. */
static const char *rest_string(struct rest *rest)
{
	const char *text = (const char *)rest->bytes;
	size_t length = rest->n > 0 ? strnlen(text, rest->n) : 0;

	if (length == rest->n)
		return NULL;
	rest->bytes += length + 1;
	rest->n -= length + 1;
	return text;
}

/* "Google:Pixel 6:oriole": maker, model, product */
static void parse_product(struct replay_facts *facts, const char *text)
{
	size_t maker = strcspn(text, ":"), model = text[maker] ? strcspn(text + maker + 1, ":") : 0;

	if (facts->host[0] || maker + model == 0)
		return;
	snprintf(facts->host, sizeof(facts->host), "%.*s%s%.*s", (int)size_min(maker, TEXT_MAX),
		 text, maker > 0 && model > 0 ? " " : "", (int)size_min(model, TEXT_MAX),
		 model > 0 ? text + maker + 1 : "");
}

static void parse_meta_info(struct replay_facts *facts, struct rest *rest)
{
	const char *key, *value;

	facts->simpleperf = true;
	while ((key = rest_string(rest)) && (value = rest_string(rest))) {
		if (strcmp(key, "simpleperf_version") == 0)
			snprintf(facts->version, sizeof(facts->version), "%s", value);
		else if (strcmp(key, "product_props") == 0)
			parse_product(facts, value);
	}
}

static void parse_feature(struct replay_facts *facts, struct rest *rest)
{
	switch (parse_u64(rest)) {
	case PERFDATA_HOSTNAME:
		rest_text(rest, facts->host, sizeof(facts->host));
		break;
	case PERFDATA_OSRELEASE:
		rest_text(rest, facts->release, sizeof(facts->release));
		break;
	case PERFDATA_VERSION:
		rest_text(rest, facts->version, sizeof(facts->version));
		break;
	case PERFDATA_ARCH:
		rest_text(rest, facts->arch, sizeof(facts->arch));
		break;
	case PERFDATA_META_INFO:
		parse_meta_info(facts, rest);
		break;
	case PERFDATA_NRCPUS:
		parse_cpus(facts, rest);
		break;
	case PERFDATA_CMDLINE:
		parse_command(facts, rest);
		break;
	case PERFDATA_CPUID:
		parse_cpuid(facts, rest);
		break;
	case PERFDATA_PMU_MAPPINGS:
		parse_pmus(facts, rest);
		break;
	case PERFDATA_CLOCK_DATA:
		parse_clock(facts, rest);
		break;
	}
}

/* Thread -1 means all threads. */
static void parse_thread(struct replay_facts *facts, uint64_t tid)
{
	bool all = (int32_t)tid == -1;

	facts->of_all |= all;
	facts->of_tasks |= !all;
}

static void parse_ids(struct replay_facts *facts, struct rest *rest)
{
	struct {
		uint64_t id, index, cpu, tid;
	} entry;

	parse_u64(rest);
	while (rest_read(rest, &entry, sizeof(entry)))
		parse_thread(facts, entry.tid);
}

static void parse_threads(struct replay_facts *facts, struct rest *rest)
{
	struct {
		uint64_t tid;
		char comm[16];
	} entry;

	parse_u64(rest);
	while (rest_read(rest, &entry, sizeof(entry)))
		parse_thread(facts, entry.tid);
}

bool replay_facts_parse(struct replay_facts *facts, const struct perf_event_header *record)
{
	struct rest rest = {(const unsigned char *)(record + 1), record->size - sizeof(*record)};

	switch (record->type) {
	case PERFDATA_FEATURE:
		parse_feature(facts, &rest);
		return true;
	case PERFDATA_ID_INDEX:
		parse_ids(facts, &rest);
		return true;
	case PERFDATA_THREAD_MAP:
		parse_threads(facts, &rest);
		return true;
	}
	return false;
}
