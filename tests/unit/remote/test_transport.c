// SPDX-License-Identifier: MIT
#include "core/base/util.h"
#include "tui/remote/cksum.h"
#include "tui/remote/static_program.h"
#include "tui/remote/transport.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const shell[] = {"/bin/sh", NULL};

static size_t index_of(const char *const *words, const char *word)
{
	size_t i = 0;

	while (words[i] && strcmp(words[i], word) != 0)
		i++;
	return i;
}

static void assert_words(const char *const *words, const char *const *expected)
{
	size_t i = 0;

	for (; expected[i]; i++)
		assert_string_equal(words[i], expected[i]);
	assert_null(words[i]);
}

/* The shared connection's options precede the user's, which precede the defaults. */
static void test_ssh(void **state)
{
	static const char *const options[] = {"-p2222", "-oServerAliveInterval=60"};
	static const char *const last[] = {"me@box", "exec", "/bin/sh", NULL};
	const struct transport transport = {
		.host = "me@box", .options = options, .n_options = ARRAY_SIZE(options)};

	(void)state;
	for (enum channel_role role = CHANNEL_SETUP; role <= CHANNEL_SCREEN; role++) {
		const char **words = transport_words(&transport, role, "/tmp/d/s", shell);
		size_t control = index_of(words, "/tmp/d/s"), user = index_of(words, "-p2222"),
		       fallback = index_of(words, "ServerAliveInterval=5"),
		       end = index_of(words, "--");

		assert_string_equal(words[0], "ssh");
		assert_true(control < user && user < fallback && fallback < end);
		assert_true(index_of(words, role == CHANNEL_SETUP ? "ControlMaster=yes"
								  : "ControlMaster=no") < user);
		assert_true(index_of(words, role == CHANNEL_SCREEN ? "-tt" : "-T") < end);
		assert_words(words + end + 1, last);
		free(words);
	}
}

/* A channel without a terminal requests none of docker, podman and kubectl. */
static void test_via(void **state)
{
	static const struct {
		const char *via;
		enum channel_role role;
		const char *words[10];
	} rows[] = {
		{"docker exec -it web",
		 CHANNEL_SCREEN,
		 {"docker", "exec", "-it", "web", "/bin/sh"}},
		{"docker exec -it web", CHANNEL_SETUP, {"docker", "exec", "-i", "web", "/bin/sh"}},
		{" kubectl\texec  -ti pod -- ",
		 CHANNEL_STREAM,
		 {"kubectl", "exec", "-i", "pod", "--", "/bin/sh"}},
		{"nsenter -t 7 -a", CHANNEL_STREAM, {"nsenter", "-t", "7", "-a", "/bin/sh"}},
		{"x", CHANNEL_STREAM, {"x", "/bin/sh"}},
		{"a b c", CHANNEL_STREAM, {"a", "b", "c", "/bin/sh"}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct transport transport = {.via = rows[i].via};
		const char **words = transport_words(&transport, rows[i].role, "", shell);

		assert_words(words, rows[i].words);
		free(words);
	}
}

static void test_shown(void **state)
{
	static const char *const options[] = {"-p2222", "-oProxyCommand=a 'b'"};
	const struct transport ssh = {.host = "box", .options = options, .n_options = 2},
			       via = {.via = "docker exec -it $web"};
	char text[80], cut[12], name[TRANSPORT_NAME_BYTES], word[200];

	(void)state;
	transport_shown(&ssh, text, sizeof(text));
	assert_string_equal(text, "ssh -p2222 '-oProxyCommand=a '\\''b'\\''' box");
	transport_shown(&ssh, cut, sizeof(cut));
	assert_string_equal(cut, "ssh -p2222 ");
	transport_shown(&via, text, sizeof(text));
	assert_string_equal(text, "docker exec -i '$web'");
	transport_name(&ssh, name);
	assert_string_equal(name, "box");
	transport_name(&via, name);
	assert_string_equal(name, "'docker exec -it $web'");
	memset(word, 'x', sizeof(word));
	word[sizeof(word) - 1] = '\0';
	transport_name(&(struct transport){.via = word}, name);
	assert_int_equal(strlen(name), TRANSPORT_NAME_BYTES - 2);
}

/* The sums are what GNU's cksum prints. */
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
		cmocka_unit_test(test_ssh),     cmocka_unit_test(test_via),
		cmocka_unit_test(test_shown),   cmocka_unit_test(test_cksum),
		cmocka_unit_test(test_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
