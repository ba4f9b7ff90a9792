// SPDX-License-Identifier: MIT
/*
 * The user's files of events on a machine: their names are resolved, listed with descriptions and
 * examined by the doctor, and what is wrong with them is a note of a run that needs them.
 */
#include "tests/unit/shared/engine_run.h"
#include "tests/unit/shared/files.h"
#include "tests/unit/shared/machine.h"
#include "tests/unit/shared/two_tasks.h"

#include "core/doctor/doctor.h"
#include "core/event/event_table_cache.h"
#include "core/metric/catalog.h"
#include "tests/fake_kernel/machines.h"

#include <sys/stat.h>

static char folder[] = "/tmp/pmctop-engine-tables-XXXXXX";

/* The CPU of fk_machine_intel is GenuineIntel-6-5E-3. */
static int begin(void **state)
{
	char path[128];

	(void)state;
	memcpy(strrchr(folder, '-'), "-XXXXXX", 7);
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/mapfile.csv", folder);
	write_file(path, "Family-model,Version,Filename,EventType\n"
			 "GenuineIntel-6-(4E|5E),v99,lab,core\n");
	snprintf(path, sizeof(path), "%s/lab", folder);
	mkdir(path, 0700);
	strcat(path, "/a.json");
	write_file(path,
		   "[{\"EventName\": \"NEW.LOADS\", \"EventCode\": \"0xD1\", \"UMask\": \"0x1\","
		   "\"BriefDescription\": \"Loads of the new kind\"},\n"
		   "{\"EventName\": \"INST_RETIRED.PREC_DIST\", \"EventCode\": \"0x77\","
		   "\"BriefDescription\": \"Another code\"},\n"
		   "{\"EventName\": \"CUT");
	return 0;
}

static int end(void **state)
{
	(void)state;
	remove_tree(folder);
	return 0;
}

static void check_code(const struct machine *machine, const char *name, uint64_t config)
{
	struct event event;
	struct error err;

	if (event_resolve(&machine->context, name, &event, &err) != 0)
		fail_msg("%s: %s", name, err.text);
	assert_int_equal(event.n_codes, 1);
	assert_int_equal(event.codes[0].attr.config, config);
	event_fini(&event);
}

struct found {
	unsigned n;
	char help[128];
};

static int find_new(void *arg, const struct catalog_entry *entry)
{
	struct found *found = arg;

	found->n++;
	if (strcmp(entry->name, "NEW.LOADS") == 0)
		snprintf(found->help, sizeof(found->help), "%s, %s", entry->pmu, entry->help);
	return 0;
}

static void test_names(void **state)
{
	struct machine machine;
	struct found found = {0};

	(void)state;
	machine_of(&machine, fk_new(&fk_machine_intel));
	const struct tables_places places = {.named = folder};
	event_table_cache_set(machine.context.tables, &places, NULL);
	assert_int_equal(event_table_cache_notes(machine.context.tables)->n, 0);
	check_code(&machine, "new:loads", 0x1d1);
	check_code(&machine, "INST_RETIRED.PREC_DIST", 0x77);
	check_code(&machine, "MEM_LOAD_RETIRED.L3_MISS", 0x20d1);
	assert_int_equal(event_table_cache_notes(machine.context.tables)->n, 1);
	assert_int_equal(catalog_names(&machine.context, find_new, &found), 0);
	assert_string_equal(found.help, "cpu, Loads of the new kind");
	assert_true(found.n > 500);
	machine_fini(&machine);
}

/* A run that needs no name of the table does not read it. */
static void test_notes(void **state)
{
	static const struct {
		struct engine_column column;
		bool noted;
	} rows[] = {
		{{ENGINE_EVENTS, "cycles", true}, false},
		{{ENGINE_METRIC, "half=cycles / 2"}, false},
		{{ENGINE_EVENTS, "NEW.LOADS", true}, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = two_tasks_new(&fk_machine_intel);
		struct sys sys = fk_sys(fk);
		const struct engine_config config = {
			.preset = &preset_none,
			.columns = &rows[i].column,
			.n_columns = 1,
			.tables = {.named = folder},
		};
		struct engine *engine = open_engine_with(&sys, &config);
		struct snapshot *snapshot = next_snapshot(engine, fk, INTERVAL_NS);

		assert_int_equal(has_note(snapshot, "/lab/a.json:3: the file ends within a string"),
				 rows[i].noted);
		snapshot_free(snapshot);
		close_all(engine, fk);
	}
}

static void check_finding(const struct doctor *doctor, const char *name, const char *part)
{
	for (size_t i = 0; i < doctor->n; i++)
		if (strcmp(doctor->items[i].name, name) == 0 && strstr(doctor->items[i].text, part))
			return;
	fail_msg("no finding '%s' with '%s'", name, part);
}

static void test_doctor(void **state)
{
	struct fk *fk = fk_new(&fk_machine_intel);
	struct sys sys = fk_sys(fk);
	const struct tables_places places = {.named = folder};
	struct doctor doctor;
	char text[256];

	(void)state;
	doctor_examine(&sys, &places, &doctor);
	snprintf(text, sizeof(text),
		 "events, 2 from %s (lab, version v99), others built in (skylake", folder);
	check_finding(&doctor, "events", text);
	check_finding(&doctor, "event tables", "/lab/a.json:3: the file ends within a string");
	doctor_fini(&doctor);
	fk_free(fk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_names, begin, end),
		cmocka_unit_test_setup_teardown(test_notes, begin, end),
		cmocka_unit_test_setup_teardown(test_doctor, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
