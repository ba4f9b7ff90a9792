// SPDX-License-Identifier: MIT
/*
 * The vendors' tables at first use: the built-in one, a user's folder of the size of a large
 * vendor's over it, and what the picker does at a letter with 20,000 events. Beside them libpfm4
 * lists what it has of all CPUs. Medians of CPU time.
 */
#include "core/base/util.h"
#include "core/event/event_table_cache.h"
#include "core/event/pfm_start.h"
#include "core/metric/event_index.h"
#include "tests/bench/measure.h"
#include "tests/fake_kernel/machines.h"
#include "tests/unit/shared/files.h"
#include "tests/unit/shared/machine.h"
#include "tui/term/keymap.h"
#include "tui/widget/widget_picker.h"

#include <perfmon/pfmlib_perf_event.h>
#include <sys/stat.h>

enum { ROUNDS = 9, VENDOR_EVENTS = 4500, PICKED_EVENTS = 20000 };

/* The CPU of fk_machine_intel. */
static const char mapfile[] = "Family-model,Version,Filename,EventType\n"
			      "GenuineIntel-6-5E,V9,/a.json,core\n";

/* Writes a file of Intel's layout; an entry has the members and the length of theirs. */
static void write_events(const char *folder, unsigned n)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/mapfile.csv", folder);
	write_file(path, mapfile);
	snprintf(path, sizeof(path), "%s/a.json", folder);
	file = fopen(path, "w");
	if (!file)
		exit(1);
	fprintf(file, "{\"Header\": {\"Version\": \"9\"},\n\"Events\": [");
	for (unsigned i = 0; i < n; i++)
		fprintf(file,
			"%s\n    {\n      \"EventCode\": \"0x%02X\",\n      \"UMask\": "
			"\"0x%02X\",\n"
			"      \"EventName\": \"UNIT_%u_REQUESTS.KIND_%u\",\n"
			"      \"BriefDescription\": \"Requests of the unit of this kind\",\n"
			"      \"PublicDescription\": \"Requests of the unit of this kind, which "
			"no CPU "
			"has: the sentence is as long as those of a vendor usually are.\",\n"
			"      \"Counter\": \"0,1,2,3\",\n      \"SampleAfterValue\": \"100003\",\n"
			"      \"MSRIndex\": \"0x00\",\n      \"MSRValue\": \"0x00\",\n"
			"      \"CounterMask\": \"0\",\n      \"Invert\": \"0\",\n"
			"      \"EdgeDetect\": \"0\",\n      \"TakenAlone\": \"0\",\n"
			"      \"Data_LA\": \"0\",\n      \"PEBS\": \"0\",\n"
			"      \"Errata\": \"null\",\n      \"Offcore\": \"0\",\n"
			"      \"Deprecated\": \"0\"\n    }",
			i ? "," : "", i & 0xff, i >> 8 & 0xff, i / 40, i);
	fprintf(file, "\n  ]}\n");
	printf("%u events in a folder\t%.6g\tMB\n", n, (double)ftell(file) / 1e6);
	fclose(file);
}

static double first_use_ms(const struct sys *sys, const struct tables_places *places)
{
	struct event_table_cache *cache = event_table_cache_new(sys);
	uint64_t began_ns = thread_cpu_ns();

	event_table_cache_set(cache, places, NULL);
	const struct event_table *table = event_table_cache_get(cache);
	double took_ms = (double)(thread_cpu_ns() - began_ns) / 1e6;
	if (!table || (places->named && table->n_of_files == 0))
		exit(1);
	event_table_cache_free(cache);
	return took_ms;
}

static void measure_first_use(const char *name, const struct sys *sys,
			      const struct tables_places *places)
{
	double values[ROUNDS];

	for (size_t i = 0; i < ROUNDS; i++)
		values[i] = first_use_ms(sys, places);
	print_figure(name, median(values, ROUNDS), "ms");
}

static void item_of_index(void *data, size_t index, struct picker_item *item)
{
	const struct event_index *event_index = data;

	*item = (struct picker_item){.name = event_index->items[index].name,
				     .help = event_index->items[index].help,
				     .mark = "ok"};
}

static bool choose_nothing(void *owner, void *data, size_t index, const char *typed)
{
	(void)owner, (void)data, (void)index, (void)typed;
	return true;
}

/* Types a word, a letter at a time. The slowest letter counts. */
static double slowest_letter_ms(struct event_index *event_index)
{
	static const struct picker_ops ops = {.item = item_of_index, .choose = choose_nothing};
	struct picker picker = {0};
	uint64_t slowest_ns = 0;

	picker_open(&picker, &ops, "Events", event_index, event_index->n, NULL);
	for (const char *letter = "kind_77"; *letter; letter++) {
		uint64_t began_ns = thread_cpu_ns();

		picker_key(&picker, *letter, NULL);
		uint64_t took_ns = thread_cpu_ns() - began_ns;
		slowest_ns = took_ns > slowest_ns ? took_ns : slowest_ns;
	}
	picker_close(&picker, NULL);
	return (double)slowest_ns / 1e6;
}

static void measure_picker(struct machine *machine, const struct tables_places *places)
{
	double values[ROUNDS];

	event_table_cache_set(machine->context.tables, places, NULL);
	struct event_index *event_index = event_index_new(&machine->context, NULL, NULL);
	print_figure("events in the picker", (double)event_index->n, "");
	for (size_t i = 0; i < ROUNDS; i++)
		values[i] = slowest_letter_ms(event_index);
	print_figure("a letter in the picker", median(values, ROUNDS), "ms");
	event_index_unref(event_index);
}

/* All names of a folder of 20,000 events. */
static void measure_resolve(struct machine *machine)
{
	const struct event_table *table = event_table_cache_get(machine->context.tables);
	double values[ROUNDS];

	for (size_t i = 0; i < ROUNDS; i++) {
		uint64_t began_ns = thread_cpu_ns();

		for (size_t k = 0; k < table->n; k++) {
			struct event event;

			if (event_resolve(&machine->context, table->items[k].name, &event, NULL) ==
			    0)
				event_fini(&event);
		}
		values[i] = (double)(thread_cpu_ns() - began_ns) / 1e3 / (double)table->n;
	}
	print_figure("an event is resolved", median(values, ROUNDS), "us");
}

/* The events of all CPUs that libpfm4 has, each with its masks. */
static size_t list_pfm(void)
{
	size_t n = 0;

	for (int i = 0; i < PFM_PMU_MAX; i++) {
		pfm_pmu_info_t pmu = {.size = sizeof(pmu)};

		if (pfm_get_pmu_info((pfm_pmu_t)i, &pmu) != PFM_SUCCESS)
			continue;
		for (int at = pmu.first_event; at != -1; at = pfm_get_event_next(at)) {
			pfm_event_info_t event = {.size = sizeof(event)};

			if (pfm_get_event_info(at, PFM_OS_PERF_EVENT_EXT, &event) != PFM_SUCCESS)
				continue;
			n++;
			for (int k = 0; k < event.nattrs; k++) {
				pfm_event_attr_info_t mask = {.size = sizeof(mask)};

				n += pfm_get_event_attr_info(at, k, PFM_OS_PERF_EVENT_EXT, &mask) ==
					     PFM_SUCCESS &&
				     mask.type == PFM_ATTR_UMASK;
			}
		}
	}
	return n;
}

static void measure_pfm(void)
{
	double values[ROUNDS];
	size_t n = 0;

	if (!pfm_start())
		return;
	for (size_t i = 0; i < ROUNDS; i++) {
		uint64_t began_ns = thread_cpu_ns();

		n = list_pfm();
		values[i] = (double)(thread_cpu_ns() - began_ns) / 1e6;
	}
	print_figure("events of libpfm4", (double)n, "");
	print_figure("libpfm4 lists them", median(values, ROUNDS), "ms");
}

int main(void)
{
	char large[] = "/tmp/pmctop-bench-tables-XXXXXX",
	     many[] = "/tmp/pmctop-bench-tables-XXXXXX";
	struct machine machine;

	if (!mkdtemp(large) || !mkdtemp(many))
		return 1;
	write_events(large, VENDOR_EVENTS);
	write_events(many, PICKED_EVENTS);
	machine_of(&machine, fk_new(&fk_machine_intel));
	measure_first_use("the built-in table at first use", &machine.sys,
			  &(struct tables_places){0});
	measure_first_use("a folder at first use", &machine.sys,
			  &(struct tables_places){.named = large});
	measure_picker(&machine, &(struct tables_places){.named = many});
	measure_resolve(&machine);
	measure_pfm();
	machine_fini(&machine);
	remove_tree(large);
	remove_tree(many);
	return 0;
}
