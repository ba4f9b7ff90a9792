// SPDX-License-Identifier: MIT
/* Configuration files: their entries, and the notes on invalid lines. */
#include "core/base/util.h"
#include "tests/unit/shared/files.h"
#include "tui/options/config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* One line an entry: "SECTION:LINE NAME=VALUE". */
static void write_entries(FILE *file, const char *section, const struct config_section *entries)
{
	for (size_t i = 0; i < entries->n; i++)
		fprintf(file, "%s:%u %s=%s\n", section, entries->items[i].line,
			entries->items[i].name, entries->items[i].value);
}

static char *describe(const struct config *config)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	write_entries(file, "set", &config->settings);
	write_entries(file, "metric", &config->metrics_as_written);
	for (size_t i = 0; i < config->n_presets; i++) {
		fprintf(file, "preset %s", config->presets[i].name);
		for (const char *const *name = config->presets[i].metrics; *name; name++)
			fprintf(file, " %s", *name);
		fputc('\n', file);
	}
	for (size_t i = 0; i < config->notes.n; i++)
		fprintf(file, "%s\n", config->notes.items[i].text);
	fclose(file);
	return text;
}

#define LONG_50 "12345678901234567890123456789012345678901234567890"

static void test_parse(void **state)
{
	static const struct {
		const char *name, *text, *expected;
	} rows[] = {
		{"nothing", "", ""},
		{"comments", "# a\n ; b\n\n", ""},
		{"settings", "[pmctop]\ndelay = 0.5\nsort: -ipc # by this\n",
		 "set:2 delay=0.5\nset:3 sort=-ipc\n"},
		{"a byte order mark", "\xEF\xBB\xBF[pmctop]\ndelay=1\n", "set:2 delay=1\n"},
		{"carriage returns", "[pmctop]\r\ndelay = 2\r\n\r\n", "set:2 delay=2\n"},
		{"no newline at the end", "[pmctop]\ndelay=1", "set:2 delay=1\n"},
		{"indented", "  [pmctop]\n  delay = 1\n  sort = ipc\n\tthreads = yes\n",
		 "set:2 delay=1\nset:3 sort=ipc\nset:4 threads=yes\n"},
		{"a long value", "[metrics]\nx = cycles\n  / instructions # y\n\n  == 2\n",
		 "metric:2 x=cycles / instructions == 2\n"},
		{"a section twice", "[pmctop]\na=1\n[metrics]\n[pmctop]\nb=2\n",
		 "set:2 a=1\nset:5 b=2\n"},
		{"a metric's settings", "[metrics]\nx = a ; unit=/s  ;title=X#1 # y\n",
		 "metric:2 x=a; unit=/s;title=X#1\n"},
		{"a wrong metric", "[metrics]\nx = a +\nipc = 1\ny = a\n",
		 "metric:2 x=a +\nmetric:3 ipc=1\nmetric:4 y=a\n"
		 "f:2: Metric x, position 4: expected a number, an event or '(', found the end\n"
		 "f:3: Metric ipc: 'ipc' is a built-in metric. Choose another name.\n"},
		{"a preset of the user's metrics", "[presets]\np = ipc, x\n[metrics]\nx = cycles\n",
		 "metric:4 x=cycles\npreset p ipc x\n"},
		{"presets", "[presets]\nmine = ipc, ghz,mips\n", "preset mine ipc ghz mips\n"},
		{"a preset over lines", "[presets]\nmine = ipc,\n  ghz\nb=cpi",
		 "preset mine ipc ghz\npreset b cpi\n"},

		{"no section", "delay = 1\nsort=x\n",
		 "f:1: Line before the first [section]. Write [pmctop] above it.\n"},
		{"a section's name", "[pmtcop]\na=1\nb=2\n[pmctop]\nc=3\n",
		 "set:5 c=3\nf:2: Unknown section [pmtcop] (did you mean 'pmctop'?), ignored.\n"},
		{"another section", "[nonsense]\na=1\n",
		 "f:2: Unknown section [nonsense] (sections: [pmctop], [keys], [metrics], "
		 "[presets]), ignored.\n"},
		{"no bracket", "[pmctop]\na=1\n[metrics\nb=1",
		 "set:2 a=1\nset:4 b=1\nf:3: Section heading without ']'. Write [NAME].\n"},
		{"no entry", "[pmctop]\nwhat\na=1\nthis",
		 "set:3 a=1\nf:2: Neither NAME = VALUE nor a [section]. Begin comments with #.\n"
		 "f:4: Neither NAME = VALUE nor a [section]. Begin comments with #.\n"},
		{"continues a skipped line", "[pmctop]\na=1\nwhat\n  2\nb=2\n",
		 "set:2 a=1\nset:5 b=2\nf:3: Neither NAME = VALUE nor a [section]. Begin comments "
		 "with #.\n"},
		{"continues nothing", "[pmctop]\n  what\n  this\n",
		 "f:2: Neither NAME = VALUE nor a [section]. Begin comments with #.\n"},
		{"no name", "[pmctop]\n= 1\na=2",
		 "set:3 a=2\nf:2: No name before '='. Write NAME = VALUE.\n"},
		{"twice", "[pmctop]\na=1\na=2\n 3\n",
		 "set:2 a=1\nf:3: 'a' is set in line 2 already. Remove one.\n"},
		{"too long", "[pmctop]\na=1\nb=" LONG_50 LONG_50 LONG_50 LONG_50 "\nc=3\n",
		 "set:2 a=1\nset:4 c=3\n"
		 "f:3: Line longer than 198 bytes. Continue it on the next line, after a blank.\n"},
		{"a long comment", "[pmctop]\n# " LONG_50 LONG_50 LONG_50 LONG_50 "\nc=3\n",
		 "set:3 c=3\n"},
		{"a long heading", "[pmctop] " LONG_50 LONG_50 LONG_50 LONG_50 "\nc=3\n",
		 "set:2 c=3\n"},
		{"an unknown metric", "[presets]\na = ipc, gzh\nb=ipc",
		 "preset b ipc\nf:2: Unknown metric 'gzh' (did you mean 'ghz'?). See 'pmctop "
		 "--list metrics'.\n"},
		{"a metric of a vendor, near a built-in one",
		 "[presets]\na = ipc, vendor_itlb_mpi, tma_MITE",
		 "preset a ipc vendor_itlb_mpi tma_MITE\n"},
		{"events in a preset",
		 "[presets]\np = ipc, cycles:u,{faults,cs}:k , cpu/event=1,umask=2/\n",
		 "preset p ipc cycles:u {faults:k,cs:k} cpu/event=1,umask=2/\n"},
		{"a preset with a gap", "[presets]\na = ipc,,ghz\nb = ipc\n",
		 "preset b ipc\nf:2: Events, position 5: expected the name of an event, at "
		 "',ghz'.\n"},
		{"an empty preset", "[presets]\na = ,\n",
		 "f:2: Preset without metrics. Write NAME = METRIC, EVENT.\n"},
		{"a preset's name", "[presets]\na b = ipc\nnone=ipc\n",
		 "f:2: Invalid preset name. Use letters, digits, _ and -, and not 'none'.\n"
		 "f:3: Invalid preset name. Use letters, digits, _ and -, and not 'none'.\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct config config = {0};

		config_parse("f", rows[i].text, &config);
		char *text = describe(&config);
		if (strcmp(text, rows[i].expected) != 0)
			fail_msg("%s:\n%s", rows[i].name, text);
		free(text);
		config_fini(&config);
	}
}

/* A section with more entries than are allowed. */
static void test_full(void **state)
{
	struct config config = {0};
	char *text = NULL;
	size_t size;
	FILE *file = xopen_memstream(&text, &size);

	(void)state;
	fputs("[keys]\n", file);
	for (int i = 1; i <= 3 * CONFIG_ENTRIES_MAX; i++)
		fprintf(file, "k%d = %d\n  more\n", i, i);
	fputs("[pmctop]\ndelay = 1\n", file);
	fclose(file);
	config_parse("f", text, &config);
	assert_int_equal(config.keys.n, CONFIG_ENTRIES_MAX);
	assert_string_equal(config.keys.items[CONFIG_ENTRIES_MAX - 1].value, "256 more");
	assert_int_equal(config.settings.n, 1);
	assert_int_equal(config.notes.n, 1);
	assert_string_equal(config.notes.items[0].text,
			    "f:514: Too many entries (at most 256 per section). The rest of the "
			    "section is ignored.");
	config_fini(&config);
	free(text);
}

static char *make_file(const char *text, size_t length)
{
	static char path[64];

	text_copy(path, sizeof(path), "/tmp/pmctop-config-XXXXXX");
	int fd = mkstemp(path);
	FILE *file = fdopen(fd, "w");

	assert_non_null(file);
	fwrite(text, 1, length, file);
	fclose(file);
	return path;
}

/* --config <(...) is read to its end. A FIFO without a writer is empty. */
static void test_load_pipes(void)
{
	struct config config = {0};
	struct error err = {0};
	char path[] = "/tmp/pmctop-config-XXXXXX", name[64];
	int pipes[2];

	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(write(pipes[1], "[pmctop]\na=b\n", 13), 13);
	close(pipes[1]);
	snprintf(name, sizeof(name), "/dev/fd/%d", pipes[0]);
	assert_int_equal(config_load(name, &config, &err), 0);
	assert_int_equal(config.settings.n, 1);
	config_fini(&config);
	close(pipes[0]);

	assert_non_null(mkdtemp(path));
	snprintf(name, sizeof(name), "%s/fifo", path);
	assert_int_equal(mkfifo(name, 0600), 0);
	assert_int_equal(config_load(name, &config, &err), 0);
	assert_int_equal(config.settings.n, 0);
	config_fini(&config);
	remove_tree(path);
}

/* The owner of a link counts, not the owner of the file. */
static void test_load_own_link(const char *path)
{
	struct config config = {0};
	struct error err;
	char link[] = "/tmp/pmctop-XXXXXX", *name = mkdtemp(link);
	char at[64];

	assert_non_null(name);
	snprintf(at, sizeof(at), "%s/link", name);
	assert_int_equal(chown(path, getuid(), getgid()), 0);
	assert_int_equal(symlink(path, at), 0);
	assert_int_equal(config_load_own(at, &config, &err), 0);
	config_fini(&config);
	if (lchown(at, 12345, 12345) == 0)
		assert_int_equal(config_load_own(at, &config, &err), -EPERM);
	remove_tree(name);
}

/* A file is refused if a group may write to it, or to its directory. */
static void test_load_own_group(const char *path)
{
	static const struct {
		gid_t group;
		mode_t mode, directory;
		int expected;
	} rows[] = {
		{0, 0660, 0700, 0},          {54321, 0640, 0750, 0},  {54321, 0660, 0700, -EPERM},
		{54321, 0640, 0770, -EPERM}, {54321, 0640, 01770, 0}, {0, 0600, 0777, -EPERM},
		{0, 0600, 01777, 0},
	};
	char directory[] = "/tmp/pmctop-group-XXXXXX", at[64];

	if (!may_chown())
		return;
	assert_non_null(mkdtemp(directory));
	snprintf(at, sizeof(at), "%s/file", directory);
	assert_int_equal(rename(path, at), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct config config = {0};
		struct error err;

		assert_int_equal(chown(at, 0, rows[i].group), 0);
		assert_int_equal(chown(directory, 0, rows[i].group), 0);
		assert_int_equal(chmod(at, rows[i].mode), 0);
		assert_int_equal(chmod(directory, rows[i].directory), 0);
		if (config_load_own(at, &config, &err) != rows[i].expected)
			fail_msg("%o in %o", rows[i].mode, rows[i].directory);
		config_fini(&config);
	}
	assert_int_equal(rename(at, path), 0);
	rmdir(directory);
}

static void test_load(void **state)
{
	struct config config = {0};
	struct error err = {0};

	(void)state;
	assert_int_equal(config_load("/no/such/file", &config, &err), -ENOENT);
	assert_string_equal(err.text, "");
	assert_int_equal(config_load("/etc/passwd/file", &config, &err), -ENOENT);
	assert_int_equal(config_load("/tmp", &config, &err), -EISDIR);
	assert_string_equal(err.text, "'/tmp' cannot be read: Is a directory.");
	assert_int_equal(config_load("/dev/zero", &config, &err), -EFBIG);
	assert_string_equal(err.text,
			    "'/dev/zero' is not a configuration: it is longer than 64 KiB.");
	assert_null(config.path);
	test_load_pipes();

	char *path = make_file("[pmctop]\n\0", 10);
	assert_int_equal(config_load(path, &config, &err), -EINVAL);
	assert_null(config.path);
	remove(path);

	path = make_file("[pmctop]\na=b\n", 13);
	assert_int_equal(config_load(path, &config, &err), 0);
	assert_int_equal(config.settings.n, 1);
	assert_string_equal(config.path, path);
	config_fini(&config);

	/* config_load_own() is for paths from the environment. */
	assert_int_equal(config_load_own(path, &config, &err), 0);
	config_fini(&config);
	assert_int_equal(chmod(path, 0602), 0);
	assert_int_equal(config_load_own(path, &config, &err), -EPERM);
	assert_non_null(strstr(err.text, "is ignored"));
	assert_null(config.path);
	assert_int_equal(chmod(path, 0604), 0);
	if (chown(path, 12345, 12345) == 0) {
		assert_int_equal(config_load_own(path, &config, &err), -EPERM);
		assert_int_equal(config_load(path, &config, &err), 0);
		config_fini(&config);
	}
	assert_int_equal(config_load_own("/dev/null", &config, &err), 0);
	config_fini(&config);
	assert_int_equal(config_load_own("/dev/zero", &config, &err), -EINVAL);
	test_load_own_link(path);
	test_load_own_group(path);
	remove(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
