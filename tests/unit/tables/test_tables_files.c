// SPDX-License-Identifier: MIT
/*
 * The vendors' files give the lines that core/event/tables/make_tables.py gives for the same files.
 * The gate compares small files. `make event-files` compares all that the vendors have: EVENT_FILES
 * is their folder, EVENT_LINES the script's text.
 */
#include "core/base/bounded_read.h"
#include "core/base/util.h"
#include "core/tables/tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/*
 * Lines that the script has repaired (overrides.tsv), so they differ from the files. So do metrics
 * with typical latencies, which are in a file of their own.
 */
static const struct {
	const char *cpu, *name; /* the begin of both */
} repaired[] = {
	{"", "UNC_CLOCK.SOCKET"},
	{"", "WRONG.CODE"},
	{"", "+cpu_cstate_c"},
	{"", "+Info_System_MEM_DRAM_Read_Latency"},
	{"", "+Info_System_UPI_Data_Transmit_BW"},
	{"skylakex\t", "FP_ARITH_INST_RETIRED.8_FLOPS"},
	{"cascadelakex\t", "FP_ARITH_INST_RETIRED.8_FLOPS"},
	{"icelakex\t", "+MEM_"},
	{"emeraldrapids\t", "+Bottleneck_Data_Cache_Memory_"},
	{"sierraforest\t", "+Info_System_CPU_Utilization"},
	{"grandridge\t", "+Info_System_CPU_Utilization"},
};

struct row {
	char *key, *line; /* "PMU\tNAME"; without a description */
	size_t order;
};

struct rows {
	struct row *items;
	size_t n, capacity;
};

static int compare_rows(const void *a, const void *b)
{
	const struct row *left = a, *right = b;
	int order = strcmp(left->key, right->key);

	return order ? order : left->order < right->order ? -1 : left->order > right->order;
}

static void add_row(struct rows *rows, const char *pmu, char *line)
{
	size_t fields = line[0] == '+' ? 8 : 4;
	char key[400];
	char *end = line;

	for (size_t i = 0; i < fields && *end; i++)
		end += strcspn(end, "\t") + (i + 1 < fields && end[strcspn(end, "\t")]);
	*end = '\0';
	while (end > line && (end[-1] == '\t' || (end[-1] == '0' && end[-2] == '\t')))
		*--end = '\0'; /* no counters are known */
	snprintf(key, sizeof(key), "%s\t%.*s", pmu, (int)strcspn(line, "\t"), line);
	rows->items =
		array_reserve(rows->items, &rows->capacity, rows->n + 1, sizeof(*rows->items));
	rows->items[rows->n] = (struct row){xstrdup(key), xstrdup(line), rows->n};
	rows->n++;
}

/* Reads the lines of a CPU, of which the first of equal names counts. Changes the text. */
static void read_rows(struct rows *rows, char *text)
{
	const char *pmu = "";
	size_t n = 0;

	*rows = (struct rows){0};
	for (char *line; (line = strsep(&text, "\n"));) {
		if (line[0] == '@')
			pmu = line + 1;
		else if (line[0])
			add_row(rows, pmu, line);
	}
	if (rows->n > 0)
		qsort(rows->items, rows->n, sizeof(*rows->items), compare_rows);
	for (size_t i = 0; i < rows->n; i++) {
		if (n > 0 && strcmp(rows->items[n - 1].key, rows->items[i].key) == 0) {
			free(rows->items[i].key);
			free(rows->items[i].line);
			continue;
		}
		rows->items[n++] = rows->items[i];
	}
	rows->n = n;
}

static void free_rows(struct rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		free(rows->items[i].key);
		free(rows->items[i].line);
	}
	free(rows->items);
}

static bool is_repaired(const char *cpu, const char *key, const char *line)
{
	const char *name = strchr(key, '\t') + 1;

	if (strstr(line, "=~"))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(repaired); i++)
		if (strncmp(cpu, repaired[i].cpu, strlen(repaired[i].cpu)) == 0 &&
		    strncmp(name, repaired[i].name, strlen(repaired[i].name)) == 0)
			return true;
	return false;
}

struct sums {
	size_t cpus, lines, repaired, wrong;
};

static void note_difference(struct sums *sums, const char *cpu, const struct row *row,
			    const char *which, const char *of_script)
{
	if (is_repaired(cpu, row->key, of_script)) {
		sums->repaired++;
		return;
	}
	sums->wrong++;
	print_message("# %s, only %s: %s\n", cpu, which, row->line);
}

static void compare_tables(const char *cpu, const struct rows *of_script, const struct rows *found,
			   struct sums *sums)
{
	size_t i = 0, k = 0;

	while (i < of_script->n || k < found->n) {
		int order = i == of_script->n ? 1
			    : k == found->n   ? -1
					    : strcmp(of_script->items[i].key, found->items[k].key);

		if (order == 0 && strcmp(of_script->items[i].line, found->items[k].line) == 0) {
			sums->lines++;
		} else if (order <= 0) {
			const char *line = of_script->items[i].line;
			note_difference(sums, cpu, &of_script->items[i], "by the script", line);
			if (order == 0)
				note_difference(sums, cpu, &found->items[k], "here", line);
		} else {
			note_difference(sums, cpu, &found->items[k], "here", "");
		}
		i += order <= 0;
		k += order >= 0;
	}
}

/* The id of a CPU that the first pattern matches. */
static void id_of(const char *pattern, char *id, size_t size)
{
	size_t n = 0;

	for (const char *at = pattern; *at && *at != '\t' && n + 1 < size; at++) {
		if (*at == '[') { /* the last of a set */
			const char *end = strchr(at, ']');

			id[n++] = end[-1];
			at = end;
		} else {
			id[n++] = *at == '?' ? '1' : *at;
		}
	}
	id[n] = '\0';
}

/* `lines` begin behind the "=" of a CPU. */
static void compare_cpu(const char *folder, char *lines, struct sums *sums)
{
	char id[64], path[4096], *rest = lines + strcspn(lines, "\n");
	const char *pattern = lines;
	struct tables_text text;
	struct notes notes = {0};
	struct rows of_script, found;

	*rest = '\0';
	for (size_t i = 0; i < 3; i++)
		pattern += strcspn(pattern, "\t") + 1;
	id_of(pattern, id, sizeof(id));
	if (strncmp(id, "AuthenticAMD", 12) == 0) /* of C files */
		return;
	if (strstr(id, "-HBM")) /* not in mapfile.csv */
		return;
	snprintf(path, sizeof(path), "%s/%s", folder,
		 strncmp(id, "ARM", 3) == 0 ? "xinydev/telemetry-solution" : "intel/perfmon");
	if (tables_read(&(struct tables_places){.named = path}, id, &text, &notes) != 0)
		fail_msg("%s: %s", id, notes.n ? notes.items[0].text : "");
	for (size_t i = 0; i < notes.n; i++)
		print_message("# %s\n", notes.items[i].text);
	size_t origin = strcspn(text.text, "\n");
	text.text[origin] = '\0';
	if (strncmp(lines, text.text, strlen(text.text)) != 0)
		fail_msg("'%s' instead of '%.40s'", text.text, lines);
	read_rows(&of_script, rest + 1);
	read_rows(&found, text.text + origin + 1);
	compare_tables(lines, &of_script, &found, sums);
	sums->cpus++;
	free_rows(&of_script);
	free_rows(&found);
	notes_fini(&notes);
	tables_text_fini(&text);
}

static void test_lines(void **state)
{
	const char *folder = getenv("EVENT_FILES"), *path = getenv("EVENT_LINES");
	char *text;
	size_t length;
	struct sums sums = {0};

	(void)state;
	assert_int_equal(bounded_read(path ? path : "tests/golden/event_tables.txt", 0, 64 << 20,
				      &text, &length),
			 0);
	for (char *at = strstr(text, "\n="), *next; at; at = next) {
		next = strstr(at + 1, "\n=");
		if (next)
			*next = '\0';
		compare_cpu(folder ? folder : "tests/fixtures/event_tables", at + 2, &sums);
	}
	free(text);
	print_message("# %zu kinds of CPUs, %zu lines equal, %zu of overrides.tsv, %zu differ\n",
		      sums.cpus, sums.lines, sums.repaired, sums.wrong);
	assert_int_equal(sums.wrong, 0);
	assert_true(sums.cpus >= 3 && sums.lines >= 25);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
