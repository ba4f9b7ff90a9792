// SPDX-License-Identifier: MIT
/*
 * Tables of events: the built-in one is well-formed for every CPU that it lists, and small tables
 * are read as core/tables/README.md describes.
 */
#include "core/base/util.h"
#include "core/event/event_table_cache.h"
#include "core/sys/cpu_kind.h"
#include "tests/fake_kernel/machines.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include <cmocka.h>

/* Reads a table from a text, which is packed here, and files. Either may be NULL. */
static int read_both(const char *text, const struct tables_text *files, const char *id,
		     struct event_table *table)
{
	size_t length = strlen(text), bound = ZSTD_compressBound(length);
	void *frame = xmalloc(bound);
	size_t size = ZSTD_compress(frame, bound, text, length, 1);
	struct error err = {.text = ""};
	int result = event_table_read_over(frame, size, id, files, table, &err);

	assert_true(result == -EBADMSG ? err.text[0] != '\0' : err.text[0] == '\0');
	free(frame);
	return result;
}

static int read_text(const char *text, const char *id, struct event_table *table)
{
	return read_both(text, NULL, id, table);
}

static const char small[] =
	"pmctop-event-tables 1\n"
	"=first\t1.0\t2024-01-31\tGenuineIntel-6-55-[01234]\tGenuineIntel-6-9A\n"
	"@cpu\n"
	"INST.ANY\tevent=0xc0\t100000000\n"
	"OLD.NAME\tevent=0x1,umask=0x2\tf\tao\n"
	"+Ratio\tpercent\tTop\tSlots\ta / b\ta=INST.ANY b=OLD.NAME\tc=20\tRatio > 1\n"
	"+4K_Aliasing\t\t\t\ta\ta=INST.ANY\n"
	"+no_formula\tpercent\n"
	"@uncore_cha\n"
	"UNC_CHA.READS\tevent=0x50\tf\n"
	"Inst.Any\tevent=0x51\n"
	"no terms\n"
	"=second\t2\t2024-02-01\tAuthenticAMD-26-[12]?\tARM-41-D49-0-[0-2]\n"
	"NO.PMU\tevent=0x1\n"
	"=third\t3\t2024-03-01\tARM-41-D49\n"
	"@cpu\n"
	"CYCLES\tevent=0x11\n";

static void test_cpu(void **state)
{
	static const struct {
		const char *id, *cpu; /* NULL: none */
	} rows[] = {
		{"GenuineIntel-6-55-4", "first"},
		{"GenuineIntel-6-55-5", NULL},
		{"GenuineIntel-6-9A-3", "first"},
		{"GenuineIntel-6-9-A", NULL},
		{"GenuineIntel-6-9AB-3", NULL},
		{"AuthenticAMD-26-24-0", "second"},
		{"AuthenticAMD-26-2-0", NULL},
		{"AuthenticAMD-26-44-0", NULL},
		{"ARM-41-D49-0-1", "second"},
		{"ARM-41-D49-0-3", "third"},
		{"ARM-41-D49-1-0", "third"},
		{"ARM-41-D4-9-0", NULL},
		{"", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct event_table table;
		int result = read_text(small, rows[i].id, &table);

		if (result != (rows[i].cpu ? 0 : -ENOENT) ||
		    (rows[i].cpu && strcmp(table.cpu, rows[i].cpu) != 0))
			fail_msg("%s: %d", rows[i].id, result);
		event_table_fini(&table);
	}
}

static void test_items(void **state)
{
	struct event_table table;
	size_t n;

	(void)state;
	assert_int_equal(read_text(small, "GenuineIntel-6-9A-1", &table), 0);
	assert_string_equal(table.version, "1.0");
	assert_string_equal(table.date, "2024-01-31");
	assert_int_equal(table.n, 4);
	const struct event_table_item *item = event_table_find(&table, "inst:any:u", 8, &n);
	assert_int_equal(n, 2);
	assert_string_equal(item[0].name, "INST.ANY");
	assert_string_equal(item[0].pmu, "cpu");
	assert_string_equal(item[0].terms, "event=0xc0");
	assert_string_equal(item[1].name, "Inst.Any");
	assert_string_equal(item[1].pmu, "uncore_cha");
	item = event_table_find(&table, "old.name", 8, &n);
	assert_int_equal(n, 1);
	assert_true(item->deprecated && item->alone);
	assert_int_equal(item->counters, 0xf);
	assert_string_equal(item->terms, "event=0x1,umask=0x2");
	item = event_table_find(&table, "UNC_CHA.READS", 13, &n);
	assert_true(n == 1 && !item->deprecated);
	static const char *const absent[] = {"Ratio",     "no terms", "INST.AN",
					     "INST.ANY2", "",         "ZZZ"};
	for (size_t i = 0; i < ARRAY_SIZE(absent); i++) {
		event_table_find(&table, absent[i], strlen(absent[i]), &n);
		assert_int_equal(n, 0);
	}
	event_table_fini(&table);
}

static void test_metrics(void **state)
{
	struct event_table table;
	size_t n;

	(void)state;
	assert_int_equal(read_text(small, "GenuineIntel-6-9A-1", &table), 0);
	assert_int_equal(table.n_metrics, 2);
	const struct event_table_metric *metric =
		event_table_find_metric(&table, "tma_ratio + 1", 9, &n);
	assert_int_equal(n, 1);
	assert_string_equal(metric->name, "Ratio");
	assert_string_equal(metric->pmu, "cpu");
	assert_string_equal(metric->unit, "percent");
	assert_string_equal(metric->parent, "Top");
	assert_string_equal(metric->domain, "Slots");
	assert_string_equal(metric->formula, "a / b");
	assert_string_equal(metric->events, "a=INST.ANY b=OLD.NAME");
	assert_string_equal(metric->constants, "c=20");
	assert_string_equal(metric->threshold, "Ratio > 1");
	metric = event_table_find_metric(&table, "4K_Aliasing", 11, &n);
	assert_int_equal(n, 1);
	assert_string_equal(metric->constants, "");
	assert_null(event_table_find_metric(&table, "tma_", 4, &n));
	assert_null(event_table_find_metric(&table, "INST.ANY", 8, &n));
	event_table_fini(&table);
}

/* "NAME PMU TERMS HELP" of each item, and "+NAME FORMULA HELP" of each metric, a line each. */
static void check_merged(const char *built_in, const char *files, const char *id, const char *lines)
{
	char folder[] = "/tables", text[1024] = "", copy[1024];
	struct event_table table;
	size_t length = 0;

	text_copy(copy, sizeof(copy), files);
	assert_int_equal(read_both(built_in, &(struct tables_text){folder, copy}, id, &table), 0);
	for (size_t i = 0; i < table.n; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s %s %s %s\n",
					   table.items[i].name, table.items[i].pmu,
					   table.items[i].terms,
					   table.items[i].help ? table.items[i].help : "-");
	for (size_t i = 0; i < table.n_metrics; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "+%s %s %s\n",
					   table.metrics[i].name, table.metrics[i].formula,
					   table.metrics[i].help ? table.metrics[i].help : "-");
	assert_string_equal(text, lines);
	assert_string_equal(table.folder, "/tables");
	event_table_fini(&table);
}

/* The user's files over the built-in table. */
static void test_merged(void **state)
{
	static const char files[] = "lab\t2.0\t2025-01-31\n"
				    "@cpu\n"
				    "inst.any\tevent=0xc1\t0\t\tNew words\n"
				    "inst.any\tevent=0xc2\n"
				    "MORE\tevent=0x7\n"
				    "+Ratio\tpercent\t\t\t2 * a\ta=MORE\t\t\tShare\n"
				    "+Other\tpercent\t\t\ta\ta=MORE\n"
				    "+Slow\t100%\t\t\t=MORE\n"
				    "@uncore_new\n"
				    "MORE\tevent=0x8\n";

	(void)state;
	check_merged(small, files, "GenuineIntel-6-9A-1",
		     "inst.any cpu event=0xc1 New words\n"
		     "MORE cpu event=0x7 -\n"
		     "MORE uncore_new event=0x8 -\n"
		     "OLD.NAME cpu event=0x1,umask=0x2 -\n"
		     "UNC_CHA.READS uncore_cha event=0x50 -\n"
		     "+4K_Aliasing a -\n"
		     "+Other a -\n"
		     "+Ratio a / b Share\n");
	/* A CPU that is not built in. */
	check_merged(small, files, "GenuineIntel-6-FF-1",
		     "inst.any cpu event=0xc1 New words\n"
		     "MORE cpu event=0x7 -\n"
		     "MORE uncore_new event=0x8 -\n"
		     "+Other a -\n"
		     "+Ratio 2 * a Share\n"
		     "+Slow =MORE -\n");
	/* The first of equal metrics of each PMU, in any order of PMUs. */
	check_merged(small,
		     "lab\n@cpu_core\n+M\t\t\t\ta\n@cpu_atom\n+M\t\t\t\tb\n@cpu_core\n"
		     "+M\t\t\t\tc\n@cpu_atom\n+M\t\t\t\td\n",
		     "GenuineIntel-6-FF-1", "+M a -\n+M b -\n");
	struct event_table table;
	char folder[] = "/tables", copy[] = "lab\t2.0\t2025-01-31\n@cpu\nINST.ANY\tevent=0x1\n";
	struct tables_text text = {folder, copy};
	assert_int_equal(read_both(small, &text, "GenuineIntel-6-9A-1", &table), 0);
	assert_string_equal(table.cpu, "first");
	assert_string_equal(table.files_cpu, "lab");
	assert_string_equal(table.files_version, "2.0");
	assert_string_equal(table.files_date, "2025-01-31");
	assert_int_equal(table.n_of_files, 1);
	event_table_fini(&table);
	assert_int_equal(read_both(small, &text, "GenuineIntel-6-FF-1", &table), 0);
	assert_string_equal(table.cpu, "lab");
	event_table_fini(&table);
}

/* An event on thousands of PMUs: each is compared with the others, so few are kept. */
static void test_twins(void **state)
{
	enum { PMUS = 50000 };
	char *lines = NULL;
	size_t size;
	FILE *out = xopen_memstream(&lines, &size);
	struct event_table table;

	(void)state;
	fprintf(out, "lab\t1\t\n");
	for (int i = 0; i < PMUS; i++)
		fprintf(out, "@uncore_%d\nSAME\tevent=0x1\n+SAME\t\t\t\ta\n", i);
	fprintf(out, "@cpu\nTHE_NEXT\tevent=0x2\n");
	fclose(out);
	char folder[] = "/tables";
	struct tables_text text = {folder, lines};
	assert_int_equal(read_both(small, &text, "GenuineIntel-6-FF-1", &table), 0);
	assert_int_equal(table.n, 256 + 1);
	event_table_fini(&table);
	free(lines);
}

/* The counters of a PMU are the counters of all its lines, for the first PMUs. */
static void test_counters(void **state)
{
	char *lines = NULL;
	size_t size;
	FILE *out = xopen_memstream(&lines, &size);
	struct event_table table;

	(void)state;
	fprintf(out, "lab\t1\t\n@cpu\nINST.ANY\tevent=0x1\t30\n");
	for (int i = 0; i < EVENT_TABLE_PMUS_MAX; i++)
		fprintf(out, "@uncore_%d\nOTHER\tevent=0x1\tf\n", i);
	fclose(out);
	char folder[] = "/tables";
	struct tables_text text = {folder, lines};
	assert_int_equal(read_both(small, &text, "GenuineIntel-6-9A-1", &table), 0);
	assert_int_equal(event_table_counters(&table, "cpu"), 0x10000003f);
	assert_int_equal(event_table_counters(&table, "uncore_62"), 0xf);
	assert_int_equal(event_table_counters(&table, "uncore_63"), 0);
	assert_int_equal(event_table_counters(&table, "cpu_core"), 0);
	event_table_fini(&table);
	free(lines);
}

static void test_damaged(void **state)
{
	struct event_table table;
	struct error err;

	(void)state;
	assert_int_equal(read_text("", "X", &table), -EBADMSG);
	assert_int_equal(read_text("pmctop-event-tables 2\n", "X", &table), -EBADMSG);
	assert_int_equal(event_table_read("text", 4, "X", &table, &err), -EBADMSG);
	size_t size = event_table_frame_bytes;
	assert_int_equal(event_table_read(event_table_frame, size - 1, "X", &table, &err),
			 -EBADMSG);
}

/* Checks a table of the built-in frame. */
static void check_table(const char *id, const struct event_table *table)
{
	size_t n;

	if (table->n < 50)
		fail_msg("%s has %zu events", id, table->n);
	assert_int_equal(strlen(table->date), 10);
	for (size_t i = 0; i < table->n; i++) {
		const struct event_table_item *item = &table->items[i];

		event_table_find(table, item->name, strlen(item->name), &n);
		if (n == 0 || strspn(item->name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrs"
						 "tuvwxyz0123456789_.") != strlen(item->name))
			fail_msg("%s: '%s'", id, item->name);
		if (strncmp(item->terms, "event=0x", 8) != 0)
			fail_msg("%s: %s is '%s'", id, item->name, item->terms);
	}
}

static void test_built_in(void **state)
{
	static const struct {
		const char *id, *cpu, *name, *pmu, *terms;
	} rows[] = {
		{"GenuineIntel-6-55-4", "skylakex", "MEM_LOAD_RETIRED.L3_MISS", "cpu",
		 "event=0xd1,umask=0x20"},
		{"GenuineIntel-6-55-7", "cascadelakex", "mem_load_retired.l3_miss", "cpu",
		 "event=0xd1,umask=0x20"},
		{"GenuineIntel-6-6A-6", "icelakex", "OCR.READS_TO_CORE.LOCAL_DRAM", "cpu",
		 "event=0xb7,umask=0x1,offcore_rsp=0x104000477"},
		{"GenuineIntel-6-8F-8", "sapphirerapids", "UNC_CHA_CLOCKTICKS", "uncore_cha",
		 "event=0x1"},
		{"GenuineIntel-6-CF-2", "emeraldrapids", "INST_RETIRED.ANY", "cpu", "event=0xc0"},
		{"GenuineIntel-6-AD-1", "graniterapids", "UNC_M_CAS_COUNT_SCH0.RD", "uncore_imc",
		 "event=0x5,umask=0xcf"},
		{"GenuineIntel-6-B7-1", "alderlake", "UOPS_RETIRED.ALL", "cpu_atom", "event=0xc2"},
		{"GenuineIntel-6-C5-2", "arrowlake", "INST_RETIRED.ANY_P", "cpu_atom",
		 "event=0xc0"},
		{"AuthenticAMD-26-2-1", "zen5", "UNC_L3_REQUESTS:L3_MISS", "amd_l3",
		 "event=0x4,umask=0x1"},
		{"ARM-41-D49-0-0", "neoverse-n2", "STALL_SLOT_BACKEND", "cpu", "event=0x3d"},
		{"ARM-41-D4F-0-1", "neoverse-v2", "INST_RETIRED", "cpu", "event=0x8"},
	};
	size_t size = event_table_frame_bytes;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct event_table table;
		struct error err;
		size_t n;

		assert_int_equal(
			event_table_read(event_table_frame, size, rows[i].id, &table, &err), 0);
		check_table(rows[i].id, &table);
		const struct event_table_item *item =
			event_table_find(&table, rows[i].name, strlen(rows[i].name), &n);
		if (n == 0 || strcmp(table.cpu, rows[i].cpu) != 0 ||
		    strcmp(item->pmu, rows[i].pmu) != 0 || strcmp(item->terms, rows[i].terms) != 0)
			fail_msg("%s of %s is not in %s, %s on %s", rows[i].name, rows[i].id,
				 table.cpu, n ? item->terms : "", n ? item->pmu : "");
		event_table_fini(&table);
	}
}

/* Every CPU that the frame lists has events. */
static void test_all_cpus(void **state)
{
	size_t size = event_table_frame_bytes, n = 0;
	size_t length = (size_t)ZSTD_getFrameContentSize(event_table_frame, size);
	char *text = xmalloc(length + 1);

	(void)state;
	assert_int_equal(ZSTD_decompress(text, length, event_table_frame, size), length);
	text[length] = '\0';
	for (char *at = text; (at = strstr(at, "\n=")); n++) {
		char id[64];
		struct event_table table;
		struct error err;

		at += 2;
		for (size_t tab = 0; tab < 3; tab++)
			at += strcspn(at, "\t") + 1;
		/* The first pattern, with the first of its set: "V-6-55-[01234]" is "V-6-55-0". */
		snprintf(id, sizeof(id), "%.*s", (int)strcspn(at, "\t\n"), at);
		char *set = strchr(id, '[');
		if (set)
			memmove(set, set + 1, strlen(set));
		if (set)
			memmove(set + 1, strchr(set, ']') + 1, strlen(strchr(set, ']')));
		if (strchr(id, '?'))
			*strchr(id, '?') = '1';
		if (event_table_read(event_table_frame, size, id, &table, &err) != 0)
			fail_msg("%s", id);
		check_table(id, &table);
		event_table_fini(&table);
	}
	assert_in_range(n, 45, 1000);
	free(text);
}

static void check_id(const struct fk_config *config, const char *id, const char *cpu)
{
	struct fk *fk = fk_new(config);
	struct sys sys = fk_sys(fk);
	char text[64];

	cpu_kind_id(&sys, text, sizeof(text));
	assert_string_equal(text, id);
	struct event_table_cache *cache = event_table_cache_new(&sys);
	const struct event_table *table = event_table_cache_get(cache);
	assert_ptr_equal(table, event_table_cache_get(cache));
	assert_true(cpu ? table && strcmp(table->cpu, cpu) == 0 : !table);
	event_table_cache_free(cache);
	event_table_cache_free(NULL);
	fk_free(fk);
}

static void test_of_machine(void **state)
{
	(void)state;
	check_id(&fk_machine_intel, "GenuineIntel-6-5E-3", "skylake");
	check_id(&fk_machine_server, "GenuineIntel-6-6A-6", "icelakex");
	check_id(&fk_machine_hybrid, "GenuineIntel-6-97-2", "alderlake");
	check_id(&fk_machine_zen, "AuthenticAMD-25-61-2", NULL); /* Zen 4: libpfm4 has it */
	check_id(&fk_machine_neoverse, "ARM-41-D0C-3-1", "neoverse-n1");
	check_id(&fk_machine_guest, "", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpu),        cmocka_unit_test(test_items),
		cmocka_unit_test(test_metrics),    cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_built_in),   cmocka_unit_test(test_all_cpus),
		cmocka_unit_test(test_of_machine), cmocka_unit_test(test_merged),
		cmocka_unit_test(test_twins),      cmocka_unit_test(test_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
