// SPDX-License-Identifier: MIT
/*
 * The layouts of folders, and files that are wrong: what is used of them, and the sentence with the
 * file and line.
 */
#include "tests/unit/shared/files.h"

#include "core/base/util.h"
#include "core/tables/tables.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define INTEL "GenuineIntel-6-F0-1"
#define ARM   "ARM-41-DFF-0-1"

static char root[] = "/tmp/pmctop-tables-XXXXXX";

/* A file below the root; its folders are made. */
struct file {
	const char *name, *text;
};

static void make_file(const struct file *file)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", root, file->name);
	for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	write_file(path, file->text);
}

static int begin(void **state)
{
	(void)state;
	memcpy(strrchr(root, '-'), "-XXXXXX", 7);
	return mkdtemp(root) ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	remove_tree(root);
	return 0;
}

/* The notes, a line each, with the root left out. */
static char *text_of_notes(const struct notes *notes)
{
	char *text = xcalloc(1, 8192);

	for (size_t i = 0; i < notes->n; i++) {
		const char *note = notes->items[i].text, *found;

		while ((found = strstr(note, root))) {
			strncat(text, note, (size_t)(found - note));
			note = found + strlen(root);
		}
		strcat(strcat(text, note), "\n");
	}
	return text;
}

/* Reads the root, or a file in it. Checks the lines and the notes. Either may be "". */
static void check_tables(const char *name, const char *cpu_id, const char *lines, const char *notes)
{
	char path[512];
	struct tables_text found;
	struct notes said = {0};

	snprintf(path, sizeof(path), "%s%s%s", root, name[0] ? "/" : "", name);
	int result = tables_read(&(struct tables_places){.named = path}, cpu_id, &found, &said);
	char *text = text_of_notes(&said);
	if (strcmp(result == 0 ? found.text : "", lines) != 0 || strcmp(text, notes) != 0)
		fail_msg("%d:\n%s\ninstead of\n%s\n%s\ninstead of\n%s", result,
			 result == 0 ? found.text : "", lines, text, notes);
	assert_int_equal(result, lines[0] ? 0 : -ESRCH);
	if (result == 0)
		assert_string_equal(found.folder, path);
	free(text);
	notes_fini(&said);
	tables_text_fini(&found);
}

/* The same with files that are made before. */
static void check_files(const struct file *files, size_t n, const char *cpu_id, const char *lines,
			const char *notes)
{
	for (size_t i = 0; i < n; i++)
		make_file(&files[i]);
	check_tables("", cpu_id, lines, notes);
}

#define MAPFILE "Family-model,Version,Filename,EventType,Core Role Name\n"

static void test_intel(void **state)
{
	static const struct file files[] = {
		{"mapfile.csv",
		 MAPFILE "GenuineIntel-6-EF,V1,/OLD/old.json,core,\n"
			 "GenuineIntel-6-F0,V2,/LAB/lab_core.json,hybridcore,Core\n"
			 "GenuineIntel-6-F0,V2,/LAB/lab_offcore.json,offcore,\n"
			 "GenuineIntel-6-F0,V2,/LAB/lab_metrics.json,metrics,Core\n"},
		{"LAB/lab_core.json",
		 "{\"Header\": {\"Version\": \"2.0\", \"DatePublished\": \"02/29/2024\"},\n"
		 "\"Events\": [{\"EventName\": \"LOADS.SLOW\", \"EventCode\": \"0XCD, 0xCE\","
		 "\"UMask\": \"0x01 \", \"MSRIndex\": \"0x3F6\", \"MSRValue\": \"0x80\","
		 "\"TakenAlone\": \"1\", \"Deprecated\": \"0\", \"Counter\": \"1,2\","
		 "\"BriefDescription\": \"Loads\\tthat   take\\n long \\u00e9.\"}]}"},
		{"LAB/lab_metrics.json",
		 "{\"Metrics\": [{\"MetricName\": \"Slow\", \"LegacyName\": \"metric_Slow(%)\","
		 "\"UnitOfMeasure\": \"percent\", \"Formula\": \"100 * ( a / b )  if c > = 1\","
		 "\"Events\": [{\"Alias\": \"a\", \"Name\": \"LOADS.SLOW\"}],"
		 "\"Constants\": [{\"Alias\": \"b\", \"Name\": \"A B\"}],"
		 "\"Threshold\": {\"Formula\": \"a >0.20 && Other > 5\","
		 "\"ThresholdMetrics\": [{\"Alias\": \"a\", \"Value\": \"metric_Slow(%)\"}]},"
		 "\"BriefDescription\": \"Slow ones\"}]}"},
	};

	(void)state;
	check_files(files, ARRAY_SIZE(files), INTEL,
		    "lab\t2.0\t2024-02-29\n@cpu_core\n"
		    "LOADS.SLOW\tevent=0xcd,umask=0x1,ldlat=0x80\t6\ta\tLoads that take long "
		    "\xC3\xA9.\n"
		    "+Slow\tpercent\t\t\t100 * ( a / b ) if c >= 1\ta=LOADS.SLOW\tb=A_B\t"
		    "Slow >20 & Other > 5\tSlow ones\n",
		    "");
	check_tables("", "GenuineIntel-6-F1-1", "",
		     ": no events for GenuineIntel-6-F1-1. The built-in tables are used.\n");
	check_tables(
		"", "", "",
		": no events for these CPUs, of which the kind is unknown. The built-in tables "
		"are used.\n");
	/* A folder of one CPU. Its files do not have the name of the PMU. */
	check_tables("LAB", "AuthenticAMD-26-2-1", "",
		     "/LAB: no events for AuthenticAMD-26-2-1. The built-in tables are used.\n");
	make_file(&(struct file){"LAB/small_core.json", "{}"});
	check_tables(
		"LAB", INTEL,
		"LAB\t\t\n@cpu\n+Slow\tpercent\t\t\t100 * ( a / b ) if c >= 1\ta=LOADS.SLOW\t"
		"b=A_B\tSlow >20 & Other > 5\tSlow ones\n",
		"/LAB/lab_core.json: for one of several kinds of cores. Give the folder that has "
		"mapfile.csv.\n"
		"/LAB/small_core.json: for one of several kinds of cores. Give the folder that "
		"has mapfile.csv.\n");
}

#define PRODUCT(minor)                                                                            \
	"{\"document\": {\"timestamp\": \"08 Aug 10:54:04 2025\"},"                               \
	"\"product_configuration\": {\"product_name\": \"Neo T\", \"implementer\": \"0x41\","     \
	"\"part_num\": \"0xdff\", \"major_revision\": \"0\", \"minor_revision\": \"" minor "\"}," \
	"\"events\": {\"SW_INCR\": {\"code\": \"0x000" minor "\", \"title\": \"T\"}},"            \
	"\"metrics\": {\"m\": {\"formula\": \"SW_INCR * 2\", \"units\": \"u\","                   \
	"\"events\": [\"SW_INCR\"], \"description\": \"D\"}}}"

static void test_arm(void **state)
{
	static const struct file files[] = {
		{"data/pmu/cpu/neo/a.json", PRODUCT("1")},
		{"data/pmu/cpu/neo/b.json", PRODUCT("3")},
		{"data/pmu/cpu/neo/c.json", "{\"product_configuration\": {\"part_num\": \"0x1\"}}"},
	};

	(void)state;
	check_files(files, ARRAY_SIZE(files), ARM,
		    "neo-t\tr0p1\t2025-08-08\n@cpu\nSW_INCR\tevent=0x1\t\t\tT\n"
		    "+m\tu\t\t\tSW_INCR * 2\tSW_INCR=SW_INCR\t\t\tD\n",
		    "");
	static const char newest[] = "neo-t\tr0p3\t2025-08-08\n@cpu\nSW_INCR\tevent=0x3\t\t\tT\n"
				     "+m\tu\t\t\tSW_INCR * 2\tSW_INCR=SW_INCR\t\t\tD\n";
	check_tables("data/pmu/cpu/neo", "ARM-41-DFF-0-2", newest, "");
	check_tables("", "ARM-41-DFF-1-0", newest, "");
	check_tables("", "ARM-41-DFF", newest, "");
	check_tables(
		"data/pmu/cpu/neo/b.json", "ARM-41-DFE-0-1", "",
		"/data/pmu/cpu/neo/b.json: no events for ARM-41-DFE-0-1. The built-in tables are "
		"used.\n");
	make_file(&(struct file){"late.json", "{\"events\": {\"A\": {\"code\": \"1\"}}}"});
	check_tables("late.json", ARM, "",
		     "/late.json:1: no CPU (product_configuration) in front. What is right in the "
		     "file is used.\n"
		     "/late.json: no events for " ARM ". The built-in tables are used.\n");
}

/* The search for the file of a CPU reads no more than all files may have. */
static void test_arm_bytes(void **state)
{
	char name[64], path[512];

	(void)state;
	for (char c = 'a'; c <= 'e'; c++) {
		snprintf(name, sizeof(name), "data/pmu/cpu/neo/%c.json", c);
		make_file(&(struct file){name, PRODUCT("1")});
		snprintf(path, sizeof(path), "%s/%s", root, name);
		assert_int_equal(truncate(path, 15 << 20), 0);
	}
	check_tables("", "ARM-41-D0C-3-1", "",
		     "/data/pmu/cpu/neo/e.json: the folder has more than 256 files or 64 MiB. The "
		     "file is not used.\n"
		     ": no events for ARM-41-D0C-3-1. The built-in tables are used.\n");
}

static void test_linux(void **state)
{
	static const struct file files[] = {
		{"x86/mapfile.csv", "Family-model,Version,Filename,EventType\n"
				    "GenuineIntel-6-(E[0-9]|F0),v7,labrador,core\n"},
		{"x86/labrador/cache.json",
		 "[{\"EventName\": \"l3.miss\", \"EventCode\": \"0x104\", \"UMask\": \"0x01\","
		 "\"SampleAfterValue\": \"1000\", \"Unit\": \"L3PMC\", \"SliceId\": \"0x3\","
		 "\"BriefDescription\": \"Misses\"},\n"
		 "{\"EventName\": \"CPU_CLK_UNHALTED.THREAD\", \"UMask\": \"0x2\"},\n"
		 "{\"EventName\": \"tor\", \"EventCode\": \"0x35\", \"Unit\": \"CHA\","
		 "\"Filter\": \"config1=0x40433\", \"ExtSel\": \"1\"},\n"
		 "{\"EventName\": \"odd\", \"EventCode\": \"0x35\", \"Filter\": \"x y\"}]"},
		{"x86/labrador/metrics.json",
		 "[{\"MetricName\": \"tma_slow\", \"MetricExpr\": \"tma_info_a / cycles\","
		 "\"ScaleUnit\": \"100%\", \"MetricThreshold\": \"tma_slow > 0.1\","
		 "\"BriefDescription\": \"Slow\"}]"},
		{"arm64/mapfile.csv", "# comment\n#Family-model,Version,Filename,EventType\n"
				      "0x00000000410fdff0,v1,arm/neo,core\n"},
		{"arm64/common.json", "[{\"EventName\": \"SW_INCR\", \"EventCode\": \"0x00\","
				      "\"BriefDescription\": \"Common\"},"
				      "{\"EventName\": \"LATER\", \"EventCode\": \"0x12\","
				      "\"BriefDescription\": \"Later\"}]"},
		{"arm64/arm/neo/a.json",
		 "[{\"ArchStdEvent\": \"SW_INCR\", \"BriefDescription\": \"Own\"},\n"
		 "{\"ArchStdEvent\": \"later\"},\n{\"ArchStdEvent\": \"NONE\"}]"},
	};

	(void)state;
	check_files(files, ARRAY_SIZE(files), INTEL,
		    "labrador\tv7\t\n@amd_l3\n"
		    "l3.miss\tevent=0x104,umask=0x1,sliceid=0x3\t\t\tMisses\n@cpu\n"
		    "CPU_CLK_UNHALTED.THREAD\tevent=0x3c\n@uncore_cha\n"
		    "tor\tevent=0x135,config1=0x40433\n@cpu\n"
		    "+slow\t100%\t\t\t=tma_info_a / cycles\t\t\ttma_slow > 0.1\tSlow\n",
		    "/x86/labrador/cache.json:4: an event has an unknown Filter. What is right in "
		    "the file is used.\n");
	check_tables("", ARM,
		     "neo\tv1\t\n@cpu\nSW_INCR\tevent=0x0\t\t\tOwn\nLATER\tevent=0x12\t\t\t"
		     "Later\n",
		     "/arm64/arm/neo/a.json:3: 'NONE' is in no file beside mapfile.csv. What is "
		     "right in the file is used.\n");
	check_tables("arm64", "ARM-41-DF0-0-1", "",
		     "/arm64: no events for ARM-41-DF0-0-1. The built-in tables are used.\n");
}

static void test_perf_list(void **state)
{
	static const struct file file = {
		"perf.json",
		"[{\"Unit\": \"cpu\", \"EventName\": \"l1d.replacement\","
		"\"EventType\": \"Kernel PMU event\", \"BriefDescription\": \"Lines\","
		"\"Encoding\": \"cpu/event=0x51,period=0x186a3,umask=0x1/\"},\n"
		"{\"EventName\": \"unc_m_reads\", \"Encoding\": \"uncore_imc_0/event=0x4/\"},\n"
		"{\"EventName\": \"cpu/cycles/\", \"Encoding\": \"cpu/event=0x3c/\"},\n"
		"{\"EventName\": \"sched:sched_switch\", \"EventType\": \"Tracepoint event\"},\n"
		"{\"EventName\": \"odd\", \"Encoding\": \"cpu/sym='a b'/\"},\n"
		"{\"EventName\": \"open\", \"Encoding\": \"cpu/event=1\"},\n"
		"{\"MetricGroup\": \"G\", \"MetricName\": \"ipc\","
		"\"MetricExpr\": \"instructions / cycles\"}]"};

	(void)state;
	make_file(&file);
	check_tables(
		"perf.json", "AuthenticAMD-26-2-1",
		"perf.json\t\t\n@cpu\nl1d.replacement\tevent=0x51,umask=0x1\t\t\tLines\n"
		"@uncore_imc\nunc_m_reads\tevent=0x4\n@cpu\n"
		"+ipc\t\t\t\t=instructions / cycles\n",
		"/perf.json:5: an event has an unusual name or terms. What is right in the file "
		"is used.\n"
		"/perf.json: 1 more faults.\n");
}

/* An entry of Intel's with a wrong member. The event behind it is used. */
static void test_wrong_entries(void **state)
{
	static const struct {
		const char *entry, *why;
	} rows[] = {
		{"{\"EventCode\": \"0x1\"}", "an event has no EventName"},
		{"{\"EventName\": \"A\"}", "an event has no EventCode"},
		{"{\"EventName\": \"A\", \"EventCode\": \"0x12345678901234567\"}",
		 "'EventCode' is not a number of 64 bits"},
		{"{\"EventName\": \"A\", \"EventCode\": \"99999999999999999999\"}",
		 "'EventCode' is not a number of 64 bits"},
		{"{\"EventName\": \"A\", \"EventCode\": -1}",
		 "'EventCode' is not a number of 64 bits"},
		{"{\"EventName\": \"A\", \"EventCode\": \"1\", \"UMask\": \"one\"}",
		 "'UMask' is not a number of 64 bits"},
		{"{\"EventName\": \"A\", \"EventCode\": \"1\", \"MSRIndex\": \"0x3E0\"}",
		 "an event needs register 0x3e0, for which Linux has no term"},
		{"{\"EventName\": \"A B\", \"EventCode\": \"1\"}",
		 "an event has an unusual name or terms"},
		{"{\"EventName\": \"@cpu\", \"EventCode\": \"1\"}",
		 "an event has an unusual name or terms"},
		{"{\"EventName\": \"A\", \"EventCode\": \"1\", \"Unit\": 3}",
		 "an event has an unknown unit"},
		{"{\"EventName\": \"A\", \"Unit\": \"M2M\", \"CounterType\": \"FREERUN\"}",
		 "a counter that always runs has an unknown name"},
		{"7", "an entry is not an object"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char text[512], notes[256];

		snprintf(text, sizeof(text),
			 "{\"Events\": [\n%s,\n{\"EventName\": \"B\", \"EventCode\": 2}]}",
			 rows[i].entry);
		make_file(&(struct file){"x.json", text});
		snprintf(notes, sizeof(notes),
			 "/x.json:2: %s. What is right in the file is used.\n", rows[i].why);
		check_tables("x.json", INTEL, "x.json\t\t\n@cpu\nB\tevent=0x2\n", notes);
	}
}

/* Half a download, an invalid byte, equal names: what was good is used. */
static void test_damaged(void **state)
{
	(void)state;
	make_file(&(struct file){"x.json",
				 "{\"Events\": [{\"EventName\": \"A\", \"EventCode\": 1},\n"
				 "{\"EventName\": \"B\", \"Eve"});
	check_tables(
		"x.json", INTEL, "x.json\t\t\n@cpu\nA\tevent=0x1\n",
		"/x.json:2: the file ends within a string. What is right in the file is used.\n");
	make_file(&(struct file){"x.json", "{\"Events\": [{\"EventName\": \"\xFF\x1b[\"},\n"
					   "{\"EventName\": \"A\", \"EventCode\": 1}]}"});
	struct tables_text found;
	struct notes notes = {0};
	char path[512];
	snprintf(path, sizeof(path), "%s/x.json", root);
	assert_int_equal(tables_read(&(struct tables_places){.named = path}, INTEL, &found, &notes),
			 0);
	assert_string_equal(found.text, "x.json\t\t\n@cpu\nA\tevent=0x1\n");
	assert_int_equal(notes.n, 1);
	assert_non_null(strstr(notes.items[0].text, "x.json:1: unable to decode byte 0xff"));
	assert_null(strchr(notes.items[0].text, '\x1b'));
	notes_fini(&notes);
	tables_text_fini(&found);
}

/* A file of legal size whose thresholds would be compared for minutes. */
static void test_many_names(void **state)
{
	enum { METRICS = 9000, NAMES = 200 };
	char path[512];
	struct tables_text found;
	struct notes notes = {0};

	(void)state;
	snprintf(path, sizeof(path), "%s/many.json", root);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "{\"Metrics\": [");
	for (int i = 0; i < METRICS; i++) {
		fprintf(file,
			"%s{\"MetricName\": \"m%d\", \"LegacyName\": \"a%d\", \"Formula\": \"b\","
			"\"Threshold\": {\"Formula\": \"",
			i ? ",\n" : "", i, i);
		for (int k = 0; k < NAMES; k++)
			fprintf(file, "a ");
		fprintf(file, "> a0\"}}");
	}
	fprintf(file, "]}");
	fclose(file);
	assert_int_equal(tables_read(&(struct tables_places){.named = path}, INTEL, &found, &notes),
			 0);
	/* The first fault, the number of the others, and the number of metrics that are not used.
	 */
	assert_int_equal(notes.n, 3);
	assert_non_null(strstr(notes.items[0].text, "the thresholds have too many names"));
	notes_fini(&notes);
	tables_text_fini(&found);
}

/* A text so many times, in front of `end`. The caller frees it. */
static char *repeat(const char *begin, const char *text, size_t n, const char *end)
{
	size_t length = strlen(text), at = strlen(begin);
	char *all = xmalloc(at + n * length + strlen(end) + 1);

	memcpy(all, begin, at);
	for (size_t i = 0; i < n; i++, at += length)
		memcpy(all + at, text, length);
	memcpy(all + at, end, strlen(end) + 1);
	return all;
}

/* An empty object of 3 bytes needs a hundred times the memory. */
static void test_many_values(void **state)
{
	char *text = repeat("[{\"EventName\": \"a\", \"EventCode\": \"1\", \"x\": [", "{},", 20000,
			    "{}]},\n{\"EventName\": \"b\", \"EventCode\": \"1\"}]");

	(void)state;
	make_file(&(struct file){"x.json", text});
	check_tables("x.json", INTEL, "x.json\t\t\n@cpu\nb\tevent=0x1\n",
		     "/x.json:1: an entry has too many values. What is right in the file is "
		     "used.\n");
	free(text);
}

/* Of the metrics of a file, which are kept until its end. */
static void test_many_metrics(void **state)
{
	char *entry = repeat("{\"MetricName\": \"m\", \"x\": [", "1,", 9990, "1]},");
	char *text = repeat("{\"Metrics\": [", entry, 60, "{}]}");
	struct tables_text found;
	struct notes notes = {0};
	char path[512];

	(void)state;
	make_file(&(struct file){"x.json", text});
	snprintf(path, sizeof(path), "%s/x.json", root);
	assert_int_equal(tables_read(&(struct tables_places){.named = path}, INTEL, &found, &notes),
			 -ESRCH);
	assert_non_null(strstr(notes.items[0].text, "too many metrics are in front of it"));
	notes_fini(&notes);
	free(text);
	free(entry);
}

/* More metrics than are used, and a wrong one. */
static void test_most_metrics(void **state)
{
	char *text = repeat("[", "{\"MetricName\": \"m\", \"MetricExpr\": \"a\"},", 4098,
			    "{\"MetricName\": \"m\"}, {\"EventName\": \"A\", \"EventCode\": 1}]");
	char *lines = repeat("x.json\t\t\n@cpu\n", "+m\t\t\t\t=a\n", 4096, "A\tevent=0x1\n");

	(void)state;
	make_file(&(struct file){"x.json", text});
	check_tables(
		"x.json", INTEL, lines,
		"/x.json:1: a metric has an unusual name or no MetricExpr. What is right in the "
		"file is used.\n"
		"/x.json: more than 100000 events, 4096 metrics or 32 MiB of them. The other 2 are "
		"not used.\n");
	free(text);
	free(lines);
}

/* A letter of a latency that is empty, and so is in no formula. */
static void test_empty_letter(void **state)
{
	(void)state;
	make_file(&(struct file){"x.json",
				 "{\"Metrics\": [{\"MetricName\": \"M\", \"Formula\": \"a\","
				 "\"Events\": [{\"Alias\": \"\", \"Name\": \"B:retire_latency\"},"
				 "{\"Alias\": \"\", \"Name\": \"C\"},"
				 "{\"Alias\": \"a\", \"Name\": \"D\"}]}]}"});
	check_tables("x.json", INTEL, "x.json\t\t\n@cpu\n+M\t\t\t\ta\ta=D\n", "");
}

/* More lines and files than any vendor has: the first are used. */
static void test_many_lines(void **state)
{
	char *patterns = repeat(MAPFILE, ".*.*.*.*.*.*x,V1,/x.json,core,\n", 20000,
				INTEL ",V1,/x.json,core,\n");
	char *rows =
		repeat(MAPFILE INTEL ",V1,/x.json,core,\n", INTEL ",V1,/empty,core,\n", 400, "");
	char path[512];
	struct tables_text found;
	struct notes notes = {0};

	(void)state;
	make_file(&(struct file){"x.json", "{\"Events\": [{\"EventName\": \"A\","
					   "\"EventCode\": 1}]}"});
	snprintf(path, sizeof(path), "%s/empty", root);
	assert_int_equal(mkdir(path, 0700), 0);
	make_file(&(struct file){"mapfile.csv", rows});
	check_tables("", INTEL, "x\tV1\t\n@cpu\nA\tevent=0x1\n",
		     "/mapfile.csv:258: too many lines are in front of it. The rest is not "
		     "used.\n");
	make_file(&(struct file){"mapfile.csv", patterns});
	assert_int_equal(tables_read(&(struct tables_places){.named = root}, INTEL, &found, &notes),
			 -ESRCH);
	assert_int_equal(notes.n, 2);
	assert_non_null(strstr(notes.items[0].text, "too many lines are in front of it"));
	notes_fini(&notes);
	free(patterns);
	free(rows);
}

static void test_many_files(void **state)
{
	char path[512];
	struct tables_text found;
	struct notes notes = {0};

	(void)state;
	for (int i = 0; i <= TABLES_FILES_MAX; i++) {
		char name[32];

		snprintf(name, sizeof(name), "sub/%d.json", i);
		make_file(&(struct file){name, "[]"});
	}
	snprintf(path, sizeof(path), "%s/sub", root);
	assert_int_equal(tables_read(&(struct tables_places){.named = path}, INTEL, &found, &notes),
			 -ESRCH);
	assert_int_equal(notes.n, 2);
	assert_non_null(strstr(notes.items[0].text, "the folder has more than 256 files"));
	notes_fini(&notes);
}

static void test_large(void **state)
{
	char path[512];

	(void)state;
	make_file(&(struct file){"sub/large.json", "["});
	snprintf(path, sizeof(path), "%s/sub/large.json", root);
	assert_int_equal(truncate(path, 1 << 30), 0);
	make_file(
		&(struct file){"sub/small.json", "[{\"EventName\": \"a\", \"EventCode\": \"1\"}]"});
	/* A link is not followed. */
	make_file(&(struct file){"b.json", "[{\"EventName\": \"b\", \"EventCode\": \"1\"}]"});
	snprintf(path, sizeof(path), "%s/sub/b.json", root);
	assert_int_equal(symlink("../b.json", path), 0);
	check_tables("sub", INTEL, "sub\t\t\n@cpu\na\tevent=0x1\n",
		     "/sub/large.json: larger than 16 MiB. The file is not used.\n");
}

static void test_mapfile(void **state)
{
	static const struct file files[] = {
		{"mapfile.csv", MAPFILE "(a*)*b,V1,/x.json,core,\n"
					"((,V1,/x.json,core,\n"
					"GenuineIntel-6-F0,V1,/absent.json,core,\n"
					"GenuineIntel-6-F0,V1,/../../etc/x.json,core,\n"
					"GenuineIntel-6-F0,V1,/fifo.json,core,\n"
					"GenuineIntel-6-F0\n"
					"GenuineIntel-6-F0,V1,/x.json,core,,,,,,,,,,\r\n"},
		{"x.json", "{\"Events\": [{\"EventName\": \"A\", \"EventCode\": 1}]}"},
	};
	char path[512];

	(void)state;
	snprintf(path, sizeof(path), "%s/fifo.json", root);
	assert_int_equal(mkfifo(path, 0600), 0);
	check_files(files, ARRAY_SIZE(files), INTEL, "absent\t\t\n@cpu\nA\tevent=0x1\n",
		    "/mapfile.csv:2: a pattern is not understood. The line is not used.\n"
		    "/absent.json: No such file or directory. The file is not used.\n"
		    "/mapfile.csv:5: a path leaves the folder. It is not used.\n"
		    "/fifo.json: not a regular file. The file is not used.\n");
	/* A FIFO does not block. */
	check_tables("fifo.json", INTEL, "",
		     "/fifo.json: not a regular file. The file is not used.\n"
		     "/fifo.json: no events for " INTEL ". The built-in tables are used.\n");
}

static void test_places(void **state)
{
	char path[512], user[512], system[512];
	struct tables_text found;
	struct notes notes = {0};
	struct tables_places places = {.user = user, .system = system};

	(void)state;
	check_tables("absent", INTEL, "",
		     "/absent: No such file or directory. The built-in tables are used.\n");
	snprintf(user, sizeof(user), "%s/user", root);
	snprintf(system, sizeof(system), "%s/system", root);
	assert_int_equal(tables_read(&places, INTEL, &found, &notes), -ENOENT);
	assert_int_equal(notes.n, 0);
	make_file(
		&(struct file){"system/a.json", "[{\"EventName\": \"s\", \"EventCode\": \"1\"}]"});
	assert_int_equal(tables_read(&places, INTEL, &found, &notes), 0);
	assert_string_equal(found.folder, system);
	tables_text_fini(&found);
	make_file(&(struct file){"user/a.json", "[{\"EventName\": \"u\", \"EventCode\": \"1\"}]"});
	assert_int_equal(tables_read(&places, INTEL, &found, &notes), 0);
	assert_string_equal(found.folder, user);
	tables_text_fini(&found);
	/* A file that other users may write. */
	snprintf(path, sizeof(path), "%s/user/a.json", root);
	assert_int_equal(chmod(path, 0666), 0);
	assert_int_equal(tables_read(&places, INTEL, &found, &notes), -ESRCH);
	assert_int_equal(notes.n, 2);
	assert_non_null(strstr(notes.items[0].text, "other users may have made it"));
	notes_fini(&notes);
}

/* What was read on another machine is used alone, also if that is nothing. */
static void test_read_elsewhere(void **state)
{
	static char folder[] = "/home/me/events", text[] = "a\t\t\n", none[] = "";
	const struct tables_text read = {.folder = folder, .text = text},
				 nothing = {.folder = none};
	struct tables_text found;
	struct notes notes = {0};

	(void)state;
	make_file(&(struct file){"a.json", "[{\"EventName\": \"s\", \"EventCode\": \"1\"}]"});
	assert_int_equal(tables_read(&(struct tables_places){.read = &read, .named = root}, INTEL,
				     &found, &notes),
			 0);
	assert_string_equal(found.folder, folder);
	assert_string_equal(found.text, text);
	tables_text_fini(&found);
	assert_int_equal(tables_read(&(struct tables_places){.read = &nothing, .system = root},
				     INTEL, &found, &notes),
			 -ESRCH);
	assert_null(found.text);
	assert_int_equal(notes.n, 1);
	notes_fini(&notes);
}

/* As a user without rights: root reads any folder. Returns whether the notes are right. */
static bool notes_of_unreadable(void)
{
	struct tables_text found;
	struct notes notes = {0};

	int result = tables_read(&(struct tables_places){.named = root}, INTEL, &found, &notes);
	return result == -ESRCH && notes.n == 2 &&
	       strstr(notes.items[0].text, ": Permission denied.") &&
	       strstr(notes.items[1].text, ": no events for " INTEL);
}

static void test_unreadable(void **state)
{
	int status;

	(void)state;
	if (geteuid() == 0)
		need_chown();
	assert_int_equal(chmod(root, 0), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0)
		_exit(geteuid() == 0 && setuid(12345) != 0 ? 2 : !notes_of_unreadable());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(chmod(root, 0700), 0);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_intel, begin, end),
		cmocka_unit_test_setup_teardown(test_arm, begin, end),
		cmocka_unit_test_setup_teardown(test_arm_bytes, begin, end),
		cmocka_unit_test_setup_teardown(test_linux, begin, end),
		cmocka_unit_test_setup_teardown(test_perf_list, begin, end),
		cmocka_unit_test_setup_teardown(test_wrong_entries, begin, end),
		cmocka_unit_test_setup_teardown(test_damaged, begin, end),
		cmocka_unit_test_setup_teardown(test_many_names, begin, end),
		cmocka_unit_test_setup_teardown(test_many_values, begin, end),
		cmocka_unit_test_setup_teardown(test_many_metrics, begin, end),
		cmocka_unit_test_setup_teardown(test_most_metrics, begin, end),
		cmocka_unit_test_setup_teardown(test_empty_letter, begin, end),
		cmocka_unit_test_setup_teardown(test_many_lines, begin, end),
		cmocka_unit_test_setup_teardown(test_many_files, begin, end),
		cmocka_unit_test_setup_teardown(test_large, begin, end),
		cmocka_unit_test_setup_teardown(test_mapfile, begin, end),
		cmocka_unit_test_setup_teardown(test_places, begin, end),
		cmocka_unit_test_setup_teardown(test_read_elsewhere, begin, end),
		cmocka_unit_test_setup_teardown(test_unreadable, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
