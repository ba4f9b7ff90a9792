// SPDX-License-Identifier: MIT
/* What W writes: the user's file with the changes in it, or the file as it was. */
#include "core/base/util.h"
#include "tests/unit/shared/files.h"
#include "tests/unit/shared/signals.h"
#include "tui/options/config.h"
#include "tui/options/config_save.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define WORDS_10 "alpha, beta, gamma, delta, epsilon, zeta, eta, theta, iota, kappa"
#define EVENTS \
	"cpu/event=0x3c,umask=0x1,name=one/, cpu/event=0x3c,umask=0x2,name=two/, branches, cycles"

static void test_edit(void **state)
{
	static const struct {
		const char *name, *text;
		struct config_change changes[3];
		const char *expected;
	} rows[] = {
		{"nothing", "x\n[pmctop]\na=1", {{0}}, "x\n[pmctop]\na=1"},
		{"an empty file", "", {{"pmctop", "a", "1"}}, "[pmctop]\na = 1\n"},
		{"another section",
		 "# mine\n[keys]\nquit = Q\n",
		 {{"pmctop", "a", "1"}, {"pmctop", "b", "2"}},
		 "# mine\n[keys]\nquit = Q\n\n[pmctop]\na = 1\nb = 2\n"},
		{"where it stands",
		 "# mine\n[pmctop]\n  a =  1  # why\nb=2\n; c\n",
		 {{"pmctop", "a", "3"}, {"pmctop", "b", "4"}},
		 "# mine\n[pmctop]\n  a =  3  # why\nb=4\n; c\n"},
		{"last in its section",
		 "[pmctop]\na = 1\n# a comment\n\n[presets]\np = ipc\n",
		 {{"pmctop", "b", "2"}},
		 "[pmctop]\na = 1\nb = 2\n# a comment\n\n[presets]\np = ipc\n"},
		{"under a bare heading",
		 "[pmctop]\n# none yet\n[metrics]",
		 {{"pmctop", "b", "2"}, {"metrics", "m", "cycles"}},
		 "[pmctop]\nb = 2\n# none yet\n[metrics]\nm = cycles\n"},
		{"in the last of two sections",
		 "[pmctop]\na=1\n[keys]\n[pmctop]\nb=2\n",
		 {{"pmctop", "c", "3"}},
		 "[pmctop]\na=1\n[keys]\n[pmctop]\nb=2\nc = 3\n"},
		{"a value over lines",
		 "[pmctop]\na = 1,\n   2,\n  # odd\n   3\nb = 2\n",
		 {{"pmctop", "a", "4"}},
		 "[pmctop]\na = 4\n  # odd\nb = 2\n"},
		{"gone",
		 "[pmctop]\na = 1\n  2\nb = 2 # x\n",
		 {{"pmctop", "a", NULL}},
		 "[pmctop]\nb = 2 # x\n"},
		{"gone twice",
		 "[pmctop]\na = 1\na = 2\n  3\nb = 4\n",
		 {{"pmctop", "a", NULL}},
		 "[pmctop]\nb = 4\n"},
		{"gone before", "[pmctop]\n", {{"pmctop", "a", NULL}}, "[pmctop]\n"},
		{"lines that are no good",
		 "what\n[nosuch]\nz=1\n[pmctop]\nhm\na = 1\na = 2\n",
		 {{"pmctop", "a", "3"}},
		 "what\n[nosuch]\nz=1\n[pmctop]\nhm\na = 3\na = 2\n"},
		{"carriage returns",
		 "[pmctop]\r\na = 1 # x\r\n",
		 {{"pmctop", "a", "2"}, {"pmctop", "b", "3"}},
		 "[pmctop]\r\na = 2 # x\r\nb = 3\r\n"},
		{"no newline at the end",
		 "[pmctop]\na = 1",
		 {{"pmctop", "b", "2"}},
		 "[pmctop]\na = 1\nb = 2\n"},
		{"a byte order mark",
		 "\xEF\xBB\xBF[pmctop]\n",
		 {{"pmctop", "b", "2"}},
		 "\xEF\xBB\xBF[pmctop]\nb = 2\n"},
		{"a long value",
		 "",
		 {{"pmctop", "columns", WORDS_10 ", " WORDS_10}},
		 "[pmctop]\ncolumns = alpha, beta, gamma, delta, epsilon, zeta, eta, theta, iota, "
		 "kappa, alpha, beta,\n\tgamma, delta, epsilon, zeta, eta, theta, iota, kappa\n"},
		{"what would begin an entry",
		 "",
		 {{"metrics", "m", WORDS_10 "; title=T; unit=/s; warn=1; bad=5"}},
		 "[metrics]\nm = alpha, beta, gamma, delta, epsilon, zeta, eta, theta, iota,\n"
		 "\tkappa; title=T; unit=/s; warn=1; bad=5\n"},
		{"events",
		 "",
		 {{"pmctop", "event", EVENTS}},
		 "[pmctop]\nevent = cpu/event=0x3c,umask=0x1,name=one/, "
		 "cpu/event=0x3c,umask=0x2,name=two/, branches,\n\tcycles\n"},
		{"a colon", "[pmctop]\na: 1\n", {{"pmctop", "a", "=2"}}, "[pmctop]\na: =2\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct error err;
		size_t n = 0;

		while (n < ARRAY_SIZE(rows[i].changes) && rows[i].changes[n].name)
			n++;
		char *text = config_edit(rows[i].text, rows[i].changes, n, &err);
		if (!text || strcmp(text, rows[i].expected) != 0)
			fail_msg("%s:\n%s", rows[i].name, text ? text : err.text);
		free(text);
	}
}

static void test_edit_refused(void **state)
{
	static const struct config_change changes[] = {
		{"pmctop", "theme", "a #b"},
		{"pmctop", "theme", " a"},
		{"pmctop", "theme", "a\nb"},
		{"pmctop", "theme", "a ;b"},
		{"pmctop", "a=b", "1"},
		{"pmctop", "theme",
		 "012345678901234567890123456789012345678901234567890123456789012345678901234567890"
		 "12345"
		 "678901234567890123456789012345678901234567890123456789012345678901234567890123456"
		 "78901"
		 "23456789012345678901234567890123456789"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		struct error err = {0};

		assert_null(config_edit("[pmctop]\nb = 1\n", &changes[i], 1, &err));
		assert_int_equal(err.code, -EINVAL);
		assert_non_null(strstr(err.text, "cannot be written in a configuration."));
	}
}

/* A new entry is written before a broken header: there is room for it, but not for the last one. */
static void test_edit_before_a_broken_header(void **state)
{
	static const struct config_change more = {"pmctop", "more", "1"};
	char *text = NULL;
	size_t size;

	(void)state;
	for (int first = 1; first < CONFIG_ENTRIES_MAX; first += 100) {
		FILE *file = xopen_memstream(&text, &size);
		struct error err = {0};

		fputs("[pmctop]\n", file);
		for (int i = 1; i <= CONFIG_ENTRIES_MAX; i++)
			fprintf(file, "%sk%d = 1\n", i == first ? "[broken\n" : "", i);
		fclose(file);
		assert_null(config_edit(text, &more, 1, &err));
		assert_int_equal(err.code, -E2BIG);
		free(text);
	}
}

/* Nothing is written past the limits of config.h, where it could not be read. */
static void test_edit_at_limits(void **state)
{
	static const struct config_change more = {"pmctop", "more", "1"},
					  less = {"pmctop", "k1", NULL};
	char *text = NULL;
	struct error err = {0};
	size_t size;
	FILE *file = xopen_memstream(&text, &size);

	(void)state;
	fputs("[pmctop]\n", file);
	for (int i = 1; i <= CONFIG_ENTRIES_MAX; i++)
		fprintf(file, "k%d = 1\n", i);
	fflush(file);
	assert_null(config_edit(text, &more, 1, &err));
	assert_int_equal(err.code, -E2BIG);
	assert_string_equal(err.text, "[pmctop] is full (256 entries). Remove some.");
	char *edited = config_edit(text, &less, 1, &err);
	assert_non_null(edited);
	free(edited);
	fprintf(file, "#%*s", (int)(CONFIG_BYTES_MAX - size - 1), "");
	fclose(file);
	assert_int_equal(size, CONFIG_BYTES_MAX);
	assert_null(config_edit(text, &(struct config_change){"pmctop", "k2", "22"}, 1, &err));
	assert_int_equal(err.code, -E2BIG);
	assert_string_equal(err.text,
			    "The configuration would be longer than 64 KiB. Remove some of it.");
	edited = config_edit(text, &less, 1, &err);
	assert_non_null(edited);
	free(edited);
	free(text);
}

/* A directory for one test, and the path of the configuration in it. */
struct scratch {
	char directory[64];
	char file[128];
};

static void scratch_init(struct scratch *scratch, const char *name)
{
	text_copy(scratch->directory, sizeof(scratch->directory), "/tmp/pmctop-save-XXXXXX");
	assert_non_null(mkdtemp(scratch->directory));
	snprintf(scratch->file, sizeof(scratch->file), "%s/%s", scratch->directory, name);
}

static void write_file_mode(const char *path, const char *text, mode_t mode)
{
	write_file(path, text);
	assert_int_equal(chmod(path, mode), 0);
}

static void assert_file(const char *path, const char *text, mode_t mode)
{
	struct stat status;

	expect_file(path, text);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, mode);
}

static const struct config_change change = {"pmctop", "delay", "2"};

static void test_save(void **state)
{
	struct scratch scratch;
	struct error err = {0};

	(void)state;
	scratch_init(&scratch, "f.conf");
	write_file_mode(scratch.file, "# mine\n[pmctop]\ndelay = 1 # s\n", 0640);
	assert_int_equal(config_save(scratch.file, "/no/such/pattern", &change, 1, &err), 0);
	assert_file(scratch.file, "# mine\n[pmctop]\ndelay = 2 # s\n", 0640);
	assert_int_equal(count_files(scratch.directory), 1);
	remove_tree(scratch.directory);
}

static void test_new_file(void **state)
{
	struct scratch scratch;
	struct error err = {0};
	char pattern[128];

	(void)state;
	scratch_init(&scratch, "a/b/f.conf");
	assert_int_equal(config_save(scratch.file, NULL, &change, 1, &err), 0);
	assert_file(scratch.file, "[pmctop]\ndelay = 2\n", 0600);
	unlink(scratch.file);
	snprintf(pattern, sizeof(pattern), "%s/etc.conf", scratch.directory);
	write_file_mode(pattern, "# the machine's\n[keys]\nquit = Q\n", 0644);
	assert_int_equal(config_save(scratch.file, pattern, &change, 1, &err), 0);
	assert_file(scratch.file, "# the machine's\n[keys]\nquit = Q\n\n[pmctop]\ndelay = 2\n",
		    0600);
	assert_file(pattern, "# the machine's\n[keys]\nquit = Q\n", 0644);
	remove_tree(scratch.directory);
}

/* Without a change nothing is written, and no empty file is made. */
static void test_no_change(void **state)
{
	struct scratch scratch;
	struct error err = {0};

	(void)state;
	scratch_init(&scratch, "a/f.conf");
	assert_int_equal(config_save(scratch.file, NULL, NULL, 0, &err), 1);
	assert_int_equal(count_files(scratch.directory), 0);
	assert_int_equal(config_save(scratch.file, NULL, &change, 1, &err), 0);
	assert_int_equal(config_save(scratch.file, NULL, &change, 1, &err), 1);
	assert_file(scratch.file, "[pmctop]\ndelay = 2\n", 0600);
	remove_tree(scratch.directory);
}

/* The pattern may be removed after it was read, or replaced by a file that others may write. */
static void test_changed_pattern(void **state)
{
	struct scratch scratch;
	struct error err = {0};
	char pattern[128], expected[256];

	(void)state;
	scratch_init(&scratch, "f.conf");
	snprintf(pattern, sizeof(pattern), "%s/etc.conf", scratch.directory);
	assert_int_equal(config_save(scratch.file, pattern, &change, 1, &err), 0);
	assert_file(scratch.file, "[pmctop]\ndelay = 2\n", 0600);
	unlink(scratch.file);
	write_file_mode(pattern, "# of another user\n", 0602);
	assert_int_equal(config_save(scratch.file, pattern, &change, 1, &err), -EPERM);
	snprintf(expected, sizeof(expected),
		 "Not saved: '%s', which was read before, now belongs to another user, or others "
		 "may write to it.",
		 pattern);
	assert_string_equal(err.text, expected);
	assert_int_equal(count_files(scratch.directory), 1);
	remove_tree(scratch.directory);
}

static void test_owner(void **state)
{
	struct scratch scratch;
	struct stat status;
	struct error err = {0};

	(void)state;
	need_chown();
	scratch_init(&scratch, "f.conf");
	write_file_mode(scratch.file, "", 0600);
	assert_int_equal(chown(scratch.file, 12345, 54321), 0);
	assert_int_equal(config_save(scratch.file, NULL, &change, 1, &err), 0);
	assert_int_equal(stat(scratch.file, &status), 0);
	assert_int_equal(status.st_uid, 12345);
	assert_int_equal(status.st_gid, 54321);
	remove_tree(scratch.directory);
}

/* The target of a link is written, unless other users could have made the link. */
static void test_link(void **state)
{
	struct scratch scratch;
	struct error err = {0};
	char link[128], expected[256];
	struct stat status;

	(void)state;
	scratch_init(&scratch, "f.conf");
	snprintf(link, sizeof(link), "%s/link", scratch.directory);
	write_file_mode(scratch.file, "", 0600);
	assert_int_equal(symlink("f.conf", link), 0);
	assert_int_equal(config_save(link, NULL, &change, 1, &err), 0);
	assert_file(scratch.file, "[pmctop]\ndelay = 2\n", 0600);
	assert_int_equal(lstat(link, &status), 0);
	assert_true(S_ISLNK(status.st_mode));

	assert_int_equal(chmod(scratch.directory, 0777), 0);
	write_file_mode(scratch.file, "[pmctop]\n", 0600);
	assert_int_equal(config_save(link, NULL, &change, 1, &err), -ELOOP);
	snprintf(
		expected, sizeof(expected),
		"Not saved: it is a link that another user may have made ('%s'). Name another file "
		"with --config.",
		link);
	assert_string_equal(err.text, expected);
	assert_file(scratch.file, "[pmctop]\n", 0600);
	/* Only links are refused in such a directory. */
	assert_int_equal(config_save(scratch.file, NULL, &change, 1, &err), 0);

	assert_int_equal(chmod(scratch.directory, 0700), 0);
	unlink(scratch.file);
	assert_int_equal(config_save(link, NULL, &change, 1, &err), 0);
	assert_file(scratch.file, "[pmctop]\ndelay = 2\n", 0600);
	assert_int_equal(count_files(scratch.directory), 2);
	remove_tree(scratch.directory);
}

/* Root does not save to files and directories of other users. */
static void test_files_of_others(void **state)
{
	struct scratch scratch;
	struct error err = {0};

	(void)state;
	need_chown();
	scratch_init(&scratch, "f.conf");
	write_file_mode(scratch.file, "", 0600);
	assert_int_equal(chown(scratch.file, 12345, 12345), 0);
	assert_int_equal(chmod(scratch.directory, 01777), 0);
	assert_int_equal(config_save(scratch.file, NULL, &change, 1, &err), -EPERM);
	assert_non_null(strstr(err.text, "it belongs to another user"));
	assert_int_equal(chmod(scratch.directory, 0700), 0);
	assert_int_equal(chown(scratch.directory, 12345, 12345), 0);
	assert_int_equal(config_save(scratch.file, NULL, &change, 1, &err), -EPERM);
	unlink(scratch.file);
	assert_int_equal(config_save(scratch.file, NULL, &change, 1, &err), -EPERM);
	assert_non_null(strstr(err.text, "its directory belongs to another user"));
	assert_int_equal(count_files(scratch.directory), 0);
	remove_tree(scratch.directory);
}

/* Another process saves the file: it holds a write lock. */
static void test_locked(void **state)
{
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
	struct scratch scratch;
	struct error err = {0};

	(void)state;
	scratch_init(&scratch, "f.conf");
	write_file_mode(scratch.file, "[pmctop]\n", 0600);
	int fd = open(scratch.file, O_RDWR | O_CLOEXEC);
	/* A read lock does not matter. */
	assert_int_equal(fcntl(fd, F_OFD_SETLK, &lock), 0);
	assert_int_equal(config_save(scratch.file, NULL, &change, 1, &err), 0);
	close(fd);
	write_file_mode(scratch.file, "[pmctop]\n", 0600);
	fd = open(scratch.file, O_RDWR | O_CLOEXEC);
	lock.l_type = F_WRLCK;
	assert_int_equal(fcntl(fd, F_OFD_SETLK, &lock), 0);
	assert_int_equal(config_save(scratch.file, NULL, &change, 1, &err), -EBUSY);
	assert_non_null(strstr(err.text, "another pmctop is saving it"));
	close(fd);
	assert_file(scratch.file, "[pmctop]\n", 0600);
	assert_int_equal(config_save(scratch.file, NULL, &change, 1, &err), 0);
	remove_tree(scratch.directory);
}

static void test_refused(void **state)
{
	struct scratch scratch;
	struct error err = {0};
	char below[160], expected[256];

	(void)state;
	assert_int_equal(config_save("/dev/null", NULL, &change, 1, &err), -EINVAL);
	assert_string_equal(err.text, "Not saved: it is not a regular file ('/dev/null'). Name "
				      "another file with --config.");
	assert_int_equal(config_save("/proc/f.conf", NULL, &change, 1, &err), -ENOENT);
	assert_string_equal(err.text, "Not saved: No such file or directory ('/proc/f.conf'). "
				      "Make its directory first.");
	scratch_init(&scratch, "f.conf");
	write_file_mode(scratch.file, "x", 0600);
	snprintf(below, sizeof(below), "%s/f.conf", scratch.file);
	assert_int_equal(config_save(below, NULL, &change, 1, &err), -ENOTDIR);
	assert_int_equal(config_save(scratch.directory, NULL, &change, 1, &err), -EINVAL);
	assert_int_equal(truncate(scratch.file, CONFIG_BYTES_MAX + 1), 0);
	assert_int_equal(config_save(scratch.file, NULL, &change, 1, &err), -EINVAL);
	snprintf(expected, sizeof(expected),
		 "Not saved: its present content is not a configuration ('%s'). Name another file "
		 "with --config.",
		 scratch.file);
	assert_string_equal(err.text, expected);
	assert_int_equal(count_files(scratch.directory), 1);
	remove_tree(scratch.directory);
}

/* The file size limit ends the first write early, and the next one fails. */
static void test_full_disk(void **state)
{
	static const rlim_t limits[] = {0, 1, 20, 25};
	static const char text[] = "# mine\n[pmctop]\ndelay = 1 # s\n";
	struct scratch scratch;
	struct rlimit before;

	(void)state;
	scratch_init(&scratch, "f.conf");
	write_file_mode(scratch.file, text, 0600);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		struct rlimit limit = {limits[i], before.rlim_max};
		struct error err = {0};
		char expected[256];

		setrlimit(RLIMIT_FSIZE, &limit);
		int rc = config_save(scratch.file, NULL, &change, 1, &err);
		setrlimit(RLIMIT_FSIZE, &before);
		assert_int_equal(rc, -EFBIG);
		snprintf(expected, sizeof(expected),
			 "Not saved: File too large ('%s'). The limit is 'ulimit -f'.",
			 scratch.file);
		assert_string_equal(err.text, expected);
		assert_file(scratch.file, text, 0600);
		assert_int_equal(count_files(scratch.directory), 1);
	}
	remove_tree(scratch.directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edit),
		cmocka_unit_test(test_edit_refused),
		cmocka_unit_test(test_edit_at_limits),
		cmocka_unit_test(test_edit_before_a_broken_header),
		cmocka_unit_test(test_save),
		cmocka_unit_test(test_new_file),
		cmocka_unit_test(test_owner),
		cmocka_unit_test(test_link),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_files_of_others),
		cmocka_unit_test(test_locked),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_no_change),
		cmocka_unit_test(test_changed_pattern),
	};

	signals_restore();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
