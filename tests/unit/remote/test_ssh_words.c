// SPDX-License-Identifier: MIT
#include "core/base/util.h"
#include "tui/remote/cksum.h"
#include "tui/remote/ssh_words.h"
#include "tui/remote/static_program.h"

#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static size_t index_of(const char *const *words, const char *word)
{
	size_t i = 0;

	while (words[i] && strcmp(words[i], word) != 0)
		i++;
	return i;
}

/* The shared connection's options precede the user's, which precede the defaults. */
static void test_order(void **state)
{
	static const char *const options[] = {"-p2222", "-oServerAliveInterval=60"};
	const struct ssh_target target = {"me@box", options, ARRAY_SIZE(options)};

	(void)state;
	for (enum ssh_role role = SSH_MASTER; role <= SSH_SCREEN; role++) {
		const char **words = ssh_words(&target, role, "/tmp/d/s", "exec /bin/sh");
		size_t control = index_of(words, "/tmp/d/s"), user = index_of(words, "-p2222"),
		       fallback = index_of(words, "ServerAliveInterval=5"),
		       end = index_of(words, "--");

		assert_string_equal(words[0], "ssh");
		assert_true(control < user && user < fallback && fallback < end);
		assert_true(index_of(words, role == SSH_MASTER ? "ControlMaster=yes"
							       : "ControlMaster=no") < user);
		assert_true(index_of(words, role == SSH_SCREEN ? "-tt" : "-T") < end);
		assert_string_equal(words[end + 1], "me@box");
		assert_string_equal(words[end + 2], "exec /bin/sh");
		assert_null(words[end + 3]);
		free(words);
	}
}

static void test_host(void **state)
{
	struct error err;

	(void)state;
	assert_int_equal(ssh_target_check(&(struct ssh_target){.host = "root@box"}, &err), 0);
	assert_int_equal(ssh_target_check(&(struct ssh_target){.host = "-oProxyCommand=x"}, &err),
			 -EINVAL);
	assert_int_equal(ssh_target_check(&(struct ssh_target){.host = ""}, &err), -EINVAL);
}

static void test_shown(void **state)
{
	static const char *const options[] = {"-p2222", "-oProxyCommand=a 'b'"};
	const struct ssh_target target = {"box", options, ARRAY_SIZE(options)};
	char text[80], cut[12];

	(void)state;
	ssh_words_shown(&target, text, sizeof(text));
	assert_string_equal(text, "ssh -p2222 '-oProxyCommand=a '\\''b'\\''' box");
	ssh_words_shown(&target, cut, sizeof(cut));
	assert_string_equal(cut, "ssh -p2222 ");
}

/* The sums are those of GNU's cksum. */
static void test_cksum(void **state)
{
	static const struct {
		const char *text;
		uint32_t sum;
	} rows[] = {{"", 4294967295}, {"a", 1220704766}, {"123456789", 930766865}};
	char long_text[300];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(cksum(rows[i].text, strlen(rows[i].text)), rows[i].sum);
	memset(long_text, 'x', sizeof(long_text));
	assert_int_equal(cksum(long_text, sizeof(long_text)), 3786917833);
}

struct image {
	Elf64_Ehdr header;
	Elf64_Phdr segments[2];
};

static struct image image_of(uint16_t machine, uint32_t segment)
{
	return (struct image){
		.header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64},
			   .e_machine = machine,
			   .e_phoff = sizeof(Elf64_Ehdr),
			   .e_phentsize = sizeof(Elf64_Phdr),
			   .e_phnum = 2},
		.segments = {{.p_type = PT_LOAD}, {.p_type = segment}},
	};
}

static bool is_for(const struct image *image, size_t n, const char *machine)
{
	return static_program_is_for((const char *)image, n, machine);
}

static void test_program(void **state)
{
	struct image fits = image_of(EM_AARCH64, PT_NOTE);
	struct image dynamic = image_of(EM_AARCH64, PT_INTERP);
	struct image outside = fits;

	(void)state;
	outside.header.e_phoff = UINT64_MAX - 8;
	assert_true(is_for(&fits, sizeof(fits), "aarch64"));
	assert_false(is_for(&fits, sizeof(fits), "x86_64"));
	assert_false(is_for(&fits, sizeof(fits), "unknown"));
	assert_false(is_for(&dynamic, sizeof(dynamic), "aarch64"));
	assert_false(is_for(&outside, sizeof(outside), "aarch64"));
	for (size_t n = 0; n < sizeof(fits); n++)
		assert_false(is_for(&fits, n, "aarch64"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),   cmocka_unit_test(test_host),
		cmocka_unit_test(test_shown),   cmocka_unit_test(test_cksum),
		cmocka_unit_test(test_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
