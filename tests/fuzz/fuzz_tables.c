// SPDX-License-Identifier: MIT
/*
 * The vendors' files of events. The input is an id of a CPU, a NUL, a mapfile.csv, a NUL, and a
 * file of JSON, which is the only file of the folder. What is read is a table of events, in which
 * each name is found.
 */
#include "tests/fuzz/fuzz.h"

#include "core/event/event_table.h"
#include "core/tables/tables.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

static void write_bytes(const char *path, const void *bytes, size_t n)
{
	FILE *file = fopen(path, "w");

	if (!file || fwrite(bytes, 1, n, file) != n || fclose(file) != 0)
		abort();
}

static void check_found(const char *id, const struct tables_text *files)
{
	static const char nothing[] = "pmctop-event-tables 1\n";
	char frame[128]; /* unpacking the built-in one takes milliseconds */
	size_t size = ZSTD_compress(frame, sizeof(frame), nothing, strlen(nothing), 1);
	struct event_table table;
	struct error err;

	fuzz_check(files->folder && files->text && strchr(files->text, '\n'), "lines");
	fuzz_check(event_table_read_over(frame, size, id, files, &table, &err) == 0,
		   "the lines are a table");
	fuzz_check(table.n + table.n_metrics > 0, "it has something");
	for (size_t i = 0; i < table.n; i++) {
		size_t n;

		fuzz_check(table.items[i].pmu[0] && table.items[i].terms[0],
			   "an item has a PMU and terms");
		event_table_find(&table, table.items[i].name, strlen(table.items[i].name), &n);
		fuzz_check(n > 0, "each name is found");
	}
	event_table_fini(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	char folder[] = "/tmp/pmctop-fuzz-tables-XXXXXX", mapfile[64], json[64];
	char *id = fuzz_text(&bytes), *map = fuzz_text(&bytes);
	struct tables_text files;
	struct notes notes = {0};

	if (!mkdtemp(folder))
		abort();
	snprintf(mapfile, sizeof(mapfile), "%s/mapfile.csv", folder);
	snprintf(json, sizeof(json), "%s/a.json", folder);
	if (map[0])
		write_bytes(mapfile, map, strlen(map));
	write_bytes(json, bytes.at ? bytes.at : (const uint8_t *)"", bytes.left);
	int result = tables_read(&(struct tables_places){.named = folder}, id, &files, &notes);

	fuzz_check(result == 0 || (result == -ESRCH && notes.n > 0), "a result of the header");
	for (size_t i = 0; i < notes.n; i++)
		fuzz_check(fuzz_is_printable(notes.items[i].text), "notes are printable");
	if (result == 0)
		check_found(id, &files);
	notes_fini(&notes);
	tables_text_fini(&files);
	unlink(mapfile);
	unlink(json);
	rmdir(folder);
	free(id);
	free(map);
	return 0;
}
