// SPDX-License-Identifier: MIT
/*
 * The life of the child process. The children are this program.
 *
 * Some tests need a child that behaves badly. It is this program by another path (a symbolic link
 * named after the behaviour), because the child gets no other argument.
 */
#include "core/base/util.h"
#include "core/code/symbol_client.h"
#include "core/code/symbol_message.h"
#include "core/code/symbol_worker.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/elf_image.h"
#include "tests/unit/shared/files.h"
#include "tests/unit/shared/helper_end.h"
#include "tests/unit/shared/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CODE ELF_IMAGE_CODE

enum {
	KEY = 7,
	OTHER = 8,
	LONG_NAME = 5000,
};

/* Long enough for any machine: no test waits for it. */
#define PATIENT (monotonic_ns() + 120 * NS_PER_S)

struct scene {
	char program[512], directory[64], link[128];
	struct symbol_client *client;
	int file; /* of an ELF file with "f" at CODE and "g" at CODE + 16 */
};

static int open_elf(const char *first)
{
	const struct elf_image_symbol symbols[] = {
		{first, CODE, 16, STT_FUNC, STB_GLOBAL},
		{"_ZN1g3runEv", CODE + 16, 16, STT_FUNC, STB_GLOBAL},
	};
	struct elf_image image;

	elf_image_init(&image);
	elf_image_symbols(&image, SHT_SYMTAB, symbols, ARRAY_SIZE(symbols));
	elf_image_end(&image);
	int fd = elf_image_open(image.bytes, image.size);
	elf_image_fini(&image);
	return fd;
}

static int scene_init(void **state)
{
	static struct scene scene;
	ssize_t n = readlink("/proc/self/exe", scene.program, sizeof(scene.program) - 1);

	if (n <= 0)
		return -1;
	scene.program[n] = '\0';
	strcpy(scene.directory, "/tmp/pmctop-symbols-XXXXXX");
	if (!mkdtemp(scene.directory))
		return -1;
	scene.link[0] = '\0';
	scene.client = NULL;
	scene.file = open_elf("f");
	*state = &scene;
	return 0;
}

static int scene_fini(void **state)
{
	struct scene *scene = *state;

	symbol_client_end(scene->client);
	close(scene->file);
	remove_tree(scene->directory);
	return 0;
}

/* A path of this program; the behaviour "" is how the product behaves. */
static const char *program_path(struct scene *scene, const char *behaviour)
{
	if (behaviour[0] == '\0')
		return scene->program;
	snprintf(scene->link, sizeof(scene->link), "%s/%s", scene->directory, behaviour);
	if (access(scene->link, F_OK))
		assert_int_equal(symlink(scene->program, scene->link), 0);
	return scene->link;
}

static struct symbol_client *new_client(struct scene *scene, const char *behaviour)
{
	const struct symbol_client_config config = {
		.executable = program_path(scene, behaviour),
		.patience_ns = NS_PER_MS,
		.pause_ns = 1,
	};

	scene->client = symbol_client_new(&config);
	return scene->client;
}

/* As the process that opens files. 0 or -errno. */
static int give_file(struct symbol_client *client, uint64_t key, int binary, int debug)
{
	unsigned number;
	int rc = symbol_client_socket(client, &number);

	rc = rc < 0 ? rc : symbol_message_give(rc, key, binary, debug);
	if (rc == 0)
		symbol_client_given(client, key);
	return rc;
}

/* Gives the file, also if there must be a pause first. */
static void add_file(struct symbol_client *client, uint64_t key, int file)
{
	int rc;

	while ((rc = give_file(client, key, file, -1)) == -EAGAIN)
		sched_yield();
	assert_int_equal(rc, 0);
	assert_int_equal(symbol_client_file(client, key), SYMBOL_FILE_GIVEN);
}

struct found {
	size_t n;
	bool named;
	char name[SYMBOL_NAME_BYTES];
	uint64_t address;
	bool bounded;
	uint64_t start, end;
	bool unsure, nameless;
	size_t query;
};

static void keep_symbol(void *arg, size_t query, const struct symbol *symbol)
{
	struct found *found = arg;

	found->n++;
	found->query = query;
	found->named = symbol->name != NULL;
	text_copy(found->name, sizeof(found->name), symbol->name ? symbol->name : "");
	found->address = symbol->address;
	found->bounded = symbol->bounded;
	found->start = symbol->start;
	found->end = symbol->end;
	found->unsure = symbol->unsure;
	found->nameless = symbol->nameless;
}

static size_t find(struct symbol_client *client, uint64_t key, uint64_t address,
		   struct found *found)
{
	const struct symbol_query query = {key, elf_image_offset(address)};

	*found = (struct found){0};
	return symbol_client_find(client, &query, 1, PATIENT, keep_symbol, found);
}

static void expect_works(struct symbol_client *client, uint64_t key)
{
	struct found found;

	assert_int_equal(find(client, key, CODE + 1, &found), 1);
	assert_string_equal(found.name, "f");
	assert_int_equal(found.address, CODE);
	assert_true(found.bounded);
	assert_int_equal(found.start, elf_image_offset(CODE));
	assert_int_equal(found.end, elf_image_offset(CODE + 16));
}

static struct symbol_status status_of(const struct symbol_client *client)
{
	struct symbol_status status;

	symbol_client_status(client, &status);
	return status;
}

static void test_names(void **state)
{
	struct scene *scene = *state;
	struct symbol_client *client = new_client(scene, "");
	const struct symbol_query queries[] = {
		{KEY, elf_image_offset(CODE + 15)}, {KEY, elf_image_offset(CODE + 16)},
		{KEY, elf_image_offset(CODE + 99)}, {OTHER, elf_image_offset(CODE)},
		{KEY, elf_image_offset(CODE + 17)},
	};
	struct found found = {0};

	assert_int_equal(status_of(client).state, SYMBOL_IDLE);
	assert_int_equal(symbol_client_file(client, KEY), SYMBOL_FILE_WANTED);
	assert_int_equal(symbol_client_find(client, queries, 5, PATIENT, keep_symbol, &found), 0);
	add_file(client, KEY, scene->file);
	assert_int_equal(symbol_client_find(client, queries, 5, PATIENT, keep_symbol, &found), 4);
	assert_int_equal(found.n, 4);
	assert_int_equal(found.query, 4);
	assert_string_equal(found.name, "g::run");
	assert_int_equal(found.address, CODE + 16);
	assert_int_equal(find(client, KEY, CODE + 99, &found), 1);
	assert_false(found.named);
	assert_false(found.bounded);
	assert_int_equal(found.address, CODE + 99);
	assert_int_equal(found.end, 0);
	assert_int_equal(status_of(client).state, SYMBOL_RUNNING);
	assert_int_equal(status_of(client).restarts, 0);
}

/* Why a name, or none, is what it is. */
static void test_doubts(void **state)
{
	static const struct {
		const char *name;
		struct elf_image_symbol symbol; /* of .dynsym; name NULL: none */
		const char *want;
		bool unsure, nameless;
	} rows[] = {
		{"named", {"f", CODE, 0x10, STT_FUNC, STB_GLOBAL}, "f", false, false},
		{"no size", {"_Z1fv", CODE, 0, STT_FUNC, STB_GLOBAL}, "f+0x8?", true, false},
		{"another place", {"f", CODE + 0x10, 8, STT_FUNC, STB_GLOBAL}, "", false, false},
		{"no symbols", {NULL}, "", false, true},
	};
	struct symbol_client *client = new_client(*state, "");

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct elf_image image;
		struct found found;

		print_message("%s\n", rows[i].name);
		elf_image_init(&image);
		if (rows[i].symbol.name)
			elf_image_symbols(&image, SHT_DYNSYM, &rows[i].symbol, 1);
		elf_image_end(&image);
		int file = elf_image_open(image.bytes, image.size);
		add_file(client, KEY + i, file);
		assert_int_equal(find(client, KEY + i, CODE + 8, &found), 1);
		assert_string_equal(found.name, rows[i].want);
		assert_int_equal(found.unsure, rows[i].unsure);
		assert_int_equal(found.nameless, rows[i].nameless);
		close(file);
		elf_image_fini(&image);
	}
}

static void test_debug_file(void **state)
{
	struct scene *scene = *state;
	struct symbol_client *client = new_client(scene, "");
	struct elf_image image;
	struct found found;

	elf_image_init(&image);
	elf_image_end(&image);
	int binary = elf_image_open(image.bytes, image.size);
	assert_int_equal(give_file(client, KEY, binary, scene->file), 0);
	assert_int_equal(find(client, KEY, CODE, &found), 1);
	assert_string_equal(found.name, "f");
	elf_image_fini(&image);
	close(binary);
}

/* More files than the child keeps, and more questions than one request has. */
static void test_many(void **state)
{
	enum { FILES = 300, QUERIES = 1000 };
	static struct symbol_query queries[QUERIES];
	struct scene *scene = *state;
	struct symbol_client *client = new_client(scene, "");
	struct found found = {0};
	unsigned wanted = 0;

	for (unsigned i = 0; i < FILES; i++) {
		add_file(client, i, scene->file);
		expect_works(client, i);
	}
	for (unsigned i = 0; i < FILES; i++)
		wanted += symbol_client_file(client, i) == SYMBOL_FILE_WANTED;
	assert_int_equal(wanted, FILES - 256);
	assert_int_equal(symbol_client_file(client, 0), SYMBOL_FILE_WANTED);
	for (unsigned i = 0; i < QUERIES; i++)
		queries[i] = (struct symbol_query){FILES - 1 - i / 500, elf_image_offset(CODE)};
	assert_int_equal(symbol_client_find(client, queries, QUERIES, PATIENT, keep_symbol, &found),
			 QUERIES);
	assert_int_equal(found.n, QUERIES);
	assert_int_equal(status_of(client).restarts, 0);
}

/* Names are printable and bounded, whatever the file has. */
static void test_hostile_names(void **state)
{
	static const struct {
		const char *name, *want;
	} rows[] = {
		{"\33[2Jevil", "\xef\xbf\xbd[2Jevil"},
		{"a\nb", "a\xef\xbf\xbd"
			 "b"},
		{"\xff\xfe", "\xef\xbf\xbd\xef\xbf\xbd"},
		{"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"},
	};
	struct scene *scene = *state;
	struct symbol_client *client = new_client(scene, "");
	char name[LONG_NAME + 1];
	struct found found;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int file = open_elf(rows[i].name);

		add_file(client, 100 + i, file);
		close(file);
		assert_int_equal(find(client, 100 + i, CODE, &found), 1);
		assert_string_equal(found.name, rows[i].want);
	}
	memset(name, '\1', LONG_NAME);
	name[LONG_NAME] = '\0';
	int file = open_elf(name);
	add_file(client, KEY, file);
	close(file);
	assert_int_equal(find(client, KEY, CODE, &found), 1);
	assert_in_range(strlen(found.name), SYMBOL_NAME_BYTES - 4, SYMBOL_NAME_BYTES - 1);
	assert_int_equal(status_of(client).restarts, 0);
}

/* Files with a few wrong bytes in their headers and tables: the child answers, and lives. */
static void test_mutated(void **state)
{
	enum { FILES = 300, BYTES = 12 };
	const struct elf_image_symbol symbol = {"f", CODE, 16, STT_FUNC, STB_GLOBAL};
	const struct elf_image_range range = {CODE + 16, CODE + 32};
	struct scene *scene = *state;
	struct symbol_client *client = new_client(scene, "");
	uint64_t random = 88172645463325252;
	struct found found;

	for (unsigned i = 0; i < FILES; i++) {
		struct elf_image image;

		elf_image_init(&image);
		elf_image_symbols(&image, SHT_SYMTAB, &symbol, 1);
		elf_image_symbols(&image, SHT_DYNSYM, &symbol, 1);
		elf_image_plt(&image, CODE + 256, 1);
		elf_image_unwind(&image, &range, 1);
		elf_image_end(&image);
		/* Behind the magic, without the code. */
		for (unsigned k = 0; k < BYTES; k++) {
			size_t half = k % 2 ? ELF_IMAGE_CODE_OFFSET + ELF_IMAGE_CODE_BYTES : 16;
			size_t end = k % 2 ? image.size : ELF_IMAGE_UNWIND_OFFSET + 64;

			image.bytes[half + u64_random(&random) % (end - half)] =
				(uint8_t)u64_random(&random);
		}
		int file = elf_image_open(image.bytes, image.size);
		elf_image_fini(&image);
		add_file(client, i, file);
		close(file);
		assert_int_equal(find(client, i, CODE, &found), 1);
		assert_int_equal(find(client, i, CODE + 20, &found), 1);
		assert_int_equal(find(client, i, CODE + 272, &found), 1);
	}
	assert_int_equal(status_of(client).restarts, 0);
}

static void test_refused_descriptors(void **state)
{
	struct scene *scene = *state;
	struct symbol_client *client = new_client(scene, "");
	int ends[2], writable = open(scene->directory, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(give_file(client, KEY, -1, -1), -EINVAL);
	assert_int_equal(give_file(client, KEY, ends[0], -1), -EINVAL);
	assert_int_equal(give_file(client, KEY, scene->file, ends[0]), -EINVAL);
	if (writable >= 0) {
		assert_int_equal(give_file(client, KEY, writable, -1), -EINVAL);
		close(writable);
	}
	close(ends[0]);
	close(ends[1]);
}

/* Kills a child, which stays a zombie for the client. */
static void kill_and_wait(int pid)
{
	siginfo_t info;

	kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
}

/* The child is killed between two questions: no file is suspected, and the next child works. */
static void test_killed(void **state)
{
	struct scene *scene = *state;
	struct symbol_client *client = new_client(scene, "");
	struct found found;

	for (unsigned i = 0; i < 4; i++) {
		add_file(client, KEY, scene->file);
		expect_works(client, KEY);
		assert_int_equal(status_of(client).restarts, i);
		kill_and_wait(status_of(client).pid);
		assert_int_equal(find(client, KEY, CODE, &found), 0);
		assert_int_equal(symbol_client_file(client, KEY), SYMBOL_FILE_WANTED);
		assert_int_equal(status_of(client).state, SYMBOL_WAITING);
		assert_int_equal(status_of(client).pid, 0);
		assert_int_equal(status_of(client).wait_status, SIGKILL);
		assert_int_equal(status_of(client).refused, 0);
	}
}

/* Children are killed from outside while one should answer: the file is not the cause. */
static void test_killed_while_it_parses(void **state)
{
	struct scene *scene = *state;
	const struct symbol_client_config config = {.executable = program_path(scene, "stands"),
						    .pause_ns = 1};
	const struct symbol_query query = {KEY, elf_image_offset(CODE)};
	struct found found = {0};

	scene->client = symbol_client_new(&config);
	for (unsigned i = 0; i < 4; i++) {
		add_file(scene->client, KEY, scene->file);
		assert_int_equal(symbol_client_find(scene->client, &query, 1,
						    monotonic_ns() + NS_PER_MS, keep_symbol,
						    &found),
				 0);
		kill_and_wait(status_of(scene->client).pid);
		assert_int_equal(find(scene->client, KEY, CODE, &found), 0);
		assert_int_equal(symbol_client_file(scene->client, KEY), SYMBOL_FILE_WANTED);
		assert_int_equal(status_of(scene->client).restarts, i);
	}
	assert_int_equal(status_of(scene->client).refused, 0);
}

/* The second child starts after a pause, and each later pause is longer. */
static void test_pause(void **state)
{
	struct scene *scene = *state;
	const struct symbol_client_config config = {
		.executable = scene->program,
		.pause_ns = 1000 * NS_PER_S,
	};
	struct found found;

	scene->client = symbol_client_new(&config);
	add_file(scene->client, KEY, scene->file);
	expect_works(scene->client, KEY);
	kill_and_wait(status_of(scene->client).pid);
	assert_int_equal(find(scene->client, KEY, CODE, &found), 0);
	assert_int_equal(give_file(scene->client, KEY, scene->file, -1), -EAGAIN);
	assert_int_equal(status_of(scene->client).state, SYMBOL_WAITING);
}

/* A stopped child does not answer; it is replaced when several calls have waited. */
static void test_stopped(void **state)
{
	struct scene *scene = *state;
	struct symbol_client *client = new_client(scene, "");
	const struct symbol_query query = {KEY, elf_image_offset(CODE)};
	struct found found = {0};
	unsigned calls = 0;

	add_file(client, KEY, scene->file);
	expect_works(client, KEY);
	int stopped = status_of(client).pid;
	kill(stopped, SIGSTOP);
	assert_int_equal(status_of(client).waits, 0);
	for (; symbol_client_file(client, KEY) == SYMBOL_FILE_GIVEN; calls++)
		assert_int_equal(symbol_client_find(client, &query, 1, monotonic_ns() + NS_PER_MS,
						    keep_symbol, &found),
				 0);
	assert_in_range(calls, 3, 1000000);
	assert_int_equal(status_of(client).waits, 0);
	add_file(client, KEY, scene->file);
	expect_works(client, KEY);
	assert_int_not_equal(status_of(client).pid, stopped);
	assert_int_equal(status_of(client).restarts, 1);
	assert_int_equal(status_of(client).wait_status, SIGKILL);
	assert_int_equal(symbol_client_file(client, KEY), SYMBOL_FILE_GIVEN);
}

/* Asks a child that is stopped, and lets it go on. The call has no answer. */
static void ask_stopped(struct scene *scene, struct found *found)
{
	const struct symbol_client_config config = {.executable = scene->program};
	const struct symbol_query query = {KEY, elf_image_offset(CODE + 16)};

	scene->client = symbol_client_new(&config);
	add_file(scene->client, KEY, scene->file);
	expect_works(scene->client, KEY);
	kill(status_of(scene->client).pid, SIGSTOP);
	assert_int_equal(symbol_client_find(scene->client, &query, 1, monotonic_ns() + NS_PER_MS,
					    keep_symbol, found),
			 0);
	assert_int_equal(status_of(scene->client).waits, 1);
	kill(status_of(scene->client).pid, SIGCONT);
}

/* A late answer of a child that goes on is not taken as the answer to the next question. */
static void test_late_answer(void **state)
{
	struct scene *scene = *state;
	struct found found = {0};

	ask_stopped(scene, &found);
	expect_works(scene->client, KEY);
	assert_int_equal(status_of(scene->client).waits, 0);
	assert_int_equal(found.n, 0);
}

/* A child does not stand still while its answer waits in the socket. */
static void test_answer_after_the_call(void **state)
{
	struct scene *scene = *state;
	struct found found = {0};
	struct sys sys;
	uint64_t key;

	assert_int_equal(sys_linux_init(&sys), 0);
	ask_stopped(scene, &found);
	while (status_of(scene->client).waits > 0)
		assert_true(symbol_client_stands_ns(scene->client, &sys, &key) < 20 * NS_PER_S);
	assert_int_equal(symbol_client_stands_ns(scene->client, &sys, &key), 0);
	sys_linux_fini(&sys);
}

/* Behaviours at a question for KEY; questions for OTHER are answered. */
static const struct bad {
	const char *name, *behaviour;
	size_t answers; /* of a child that may be passed on before the fault */
} bads[] = {
	{"crashes", "crashes"},
	{"stands still", "stands"},
	{"sends nonsense", "nonsense"},
	{"answers another question", "another"},
	{"sends a name that is cut", "cut"},
	{"answers a question that was not asked", "index"},
	{"answers each question again and again", "again", 1},
	{"answers without an answer", "empty"},
	{"sends its first message again", "failed"},
	{"closes its socket", "closes"},
};

static void test_bad(void **state)
{
	static struct scene *scene;
	const struct bad *row = *state;
	void *made;
	struct found found = {0};
	const struct symbol_query query = {KEY, elf_image_offset(CODE)};

	assert_int_equal(scene_init(&made), 0);
	scene = made;
	struct symbol_client *client = new_client(scene, row->behaviour);
	for (unsigned children = 0; children < 2; children++) {
		assert_int_equal(status_of(client).refused, 0);
		add_file(client, KEY, scene->file);
		while (symbol_client_file(client, KEY) == SYMBOL_FILE_GIVEN)
			symbol_client_find(client, &query, 1, monotonic_ns() + NS_PER_MS,
					   keep_symbol, &found);
	}
	assert_int_equal(symbol_client_file(client, KEY), SYMBOL_FILE_REFUSED);
	symbol_client_given(client, KEY);
	assert_int_equal(symbol_client_file(client, KEY), SYMBOL_FILE_REFUSED);
	assert_int_equal(status_of(client).refused, 1);
	assert_int_equal(status_of(client).error, 0);
	/* The call may have returned before the answer came. */
	assert_in_range(found.n, 0, 2 * row->answers);
	/* Another file is not affected. */
	add_file(client, OTHER, scene->file);
	assert_int_equal(find(client, OTHER, CODE, &found), 1);
	assert_int_equal(found.start, 0); /* a range without the place */
	assert_int_equal(found.end, 0);
	assert_int_equal(status_of(client).restarts, 2);
	made = scene;
	scene_fini(&made);
}

static void test_cannot_start(void **state)
{
	static const struct {
		const char *name, *path;
		int error;
	} rows[] = {
		{"no such file", "/nonexistent/program", -ENOENT},
		{"not a program", "/dev/null", -EACCES},
	};
	struct scene *scene = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct symbol_client_config config = {.executable = rows[i].path,
							    .pause_ns = 1};
		struct symbol_client *client = symbol_client_new(&config);
		struct found found;

		print_message("%s\n", rows[i].name);
		int rc = give_file(client, KEY, scene->file, -1);
		assert_int_equal(rc, rc == 0 || rc == -EAGAIN ? rc : rows[i].error);
		while (status_of(client).state != SYMBOL_FAILED) {
			find(client, KEY, CODE, &found);
			give_file(client, KEY, scene->file, -1);
		}
		assert_int_equal(status_of(client).error, rows[i].error);
		assert_int_equal(status_of(client).refused, 0);
		symbol_client_end(client);
	}
}

/* A child without memory ends, and the next one has it again. */
static void test_out_of_memory(void **state)
{
	const struct rlimit none = {0, 0};
	struct scene *scene = *state;
	struct symbol_client *client = new_client(scene, "");
	struct elf_image_symbol symbol = {"f", CODE, 16, STT_FUNC, STB_GLOBAL};
	enum { MANY = 50000 };
	struct elf_image_symbol *symbols = xcalloc(MANY, sizeof(*symbols));
	struct elf_image image;
	struct found found;

	for (unsigned i = 0; i < MANY; i++) {
		symbols[i] = symbol;
		symbols[i].address = CODE + i % 512 * 16;
	}
	elf_image_init(&image);
	elf_image_symbols(&image, SHT_SYMTAB, symbols, MANY);
	elf_image_end(&image);
	int large = elf_image_open(image.bytes, image.size);
	free(symbols);
	elf_image_fini(&image);
	add_file(client, KEY, scene->file);
	expect_works(client, KEY);
	assert_int_equal(prlimit(status_of(client).pid, RLIMIT_DATA, &none, NULL), 0);
	assert_int_equal(prlimit(status_of(client).pid, RLIMIT_AS, &none, NULL), 0);
	add_file(client, OTHER, large);
	assert_int_equal(find(client, OTHER, CODE, &found), 0);
	assert_int_equal(status_of(client).state, SYMBOL_WAITING);
	add_file(client, OTHER, large);
	expect_works(client, OTHER);
	assert_int_equal(status_of(client).restarts, 1);
	assert_int_equal(status_of(client).refused, 0);
	close(large);
}

/* Requests that the child does not read fill its queue. */
static void test_queue(void **state)
{
	struct scene *scene = *state;
	const struct symbol_client_config config = {.executable = scene->program};
	struct found found;
	int rc = 0;
	unsigned n = 0;

	scene->client = symbol_client_new(&config);
	add_file(scene->client, KEY, scene->file);
	expect_works(scene->client, KEY);
	kill(status_of(scene->client).pid, SIGSTOP);
	for (; n < 1000 && rc == 0; n++)
		rc = give_file(scene->client, 100 + n, scene->file, -1);
	assert_int_equal(rc, -EAGAIN);
	assert_int_equal(symbol_client_file(scene->client, 100 + n - 1), SYMBOL_FILE_WANTED);
	kill(status_of(scene->client).pid, SIGCONT);
	while (find(scene->client, 100 + n - 2, CODE, &found) == 0)
		sched_yield(); /* the queue is still full */
	expect_works(scene->client, 100 + n - 2);
	assert_int_equal(status_of(scene->client).restarts, 0);
}

/* No descriptor and no process is left. */
static void test_nothing_left(void **state)
{
	struct scene *scene = *state;
	unsigned before = count_files("/proc/self/fd");
	struct symbol_client *client = new_client(scene, "");

	add_file(client, KEY, scene->file);
	expect_works(client, KEY);
	int pid = status_of(client).pid;
	kill_and_wait(pid);
	add_file(client, KEY, scene->file);
	expect_works(client, KEY);
	pid = status_of(client).pid;
	symbol_client_end(client);
	scene->client = NULL;
	assert_int_equal(kill(pid, 0), -1);
	assert_int_equal(errno, ESRCH);
	assert_int_equal(count_files("/proc/self/fd"), before);
}

/* The child ends with the thread that started it. */
static void *start_and_leave(void *arg)
{
	struct scene *scene = arg;
	struct symbol_client *client = new_client(scene, "");

	add_file(client, KEY, scene->file);
	expect_works(client, KEY);
	return NULL;
}

static void test_end_of_thread(void **state)
{
	struct scene *scene = *state;
	pthread_t thread;
	int wait_status;

	assert_int_equal(pthread_create(&thread, NULL, start_and_leave, scene), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	int pid = status_of(scene->client).pid;
	assert_int_equal(waitpid(pid, &wait_status, 0), pid);
	assert_int_equal(WTERMSIG(wait_status), SIGKILL);
}

static void reply(const struct symbol_request *request, uint32_t kind, bool last,
		  const void *answer, uint32_t n, size_t bytes)
{
	struct {
		struct symbol_reply head;
		uint8_t bytes[64];
	} message = {.head = {.kind = kind, .id = request->id, .key = request->key, .n = n}};

	message.head.last = last;
	if (bytes > 0)
		memcpy(message.bytes, answer, bytes);
	send(HELPER_SOCKET, &message, sizeof(message.head) + bytes, MSG_NOSIGNAL);
}

static void send_hello(void)
{
	const struct helper_hello hello = {HELPER_READY, 0};

	send(HELPER_SOCKET, &hello, sizeof(hello), MSG_NOSIGNAL);
}

static void misbehave(const char *behaviour, struct symbol_request *request)
{
	struct symbol_answer answer = {.address = CODE};

	if (strcmp(behaviour, "crashes") == 0) {
		prctl(PR_SET_DUMPABLE, 0); /* no core file */
		__builtin_trap();
	}
	if (strcmp(behaviour, "stands") == 0)
		pause();
	if (strcmp(behaviour, "nonsense") == 0)
		send(HELPER_SOCKET, "nonsense", 8, MSG_NOSIGNAL);
	if (strcmp(behaviour, "closes") == 0)
		close(HELPER_SOCKET);
	if (strcmp(behaviour, "another") == 0)
		request->id++;
	if (strcmp(behaviour, "cut") == 0)
		answer.name_bytes = 4000;
	if (strcmp(behaviour, "index") == 0)
		answer.query = 1;
	if (strcmp(behaviour, "failed") == 0)
		send_hello();
	if (strcmp(behaviour, "again") == 0)
		reply(request, SYMBOL_FOUND, false, &answer, 1, sizeof(answer));
	if (strcmp(behaviour, "empty") == 0)
		reply(request, SYMBOL_FOUND, false, NULL, 0, 0);
	reply(request, SYMBOL_FOUND, true, &answer, 1, sizeof(answer));
	while (recv(HELPER_SOCKET, request, sizeof(*request), 0) > 0)
		;
	pause();
}

/* A child with a fault: it answers requests without parsing anything. */
static _Noreturn void run_badly(const char *behaviour)
{
	const struct symbol_answer answer = {.address = CODE, .start = 1, .end = 2};
	static struct symbol_request request;

	send_hello();
	while (recv(HELPER_SOCKET, &request, sizeof(request), 0) > 0) {
		if (request.kind == SYMBOL_ADD)
			continue;
		if (request.key == KEY)
			misbehave(behaviour, &request);
		else
			reply(&request, SYMBOL_FOUND, true, &answer, 1, sizeof(answer));
	}
	_exit(0);
}

/* If this is the child, it behaves as the path states by which it was executed. */
static void run_child(int argc, char **argv)
{
	const char *path = (const char *)getauxval(AT_EXECFN);
	const char *behaviour = path ? strrchr(path, '/') : NULL;

	behaviour = behaviour ? behaviour + 1 : "";
	for (size_t i = 0; i < ARRAY_SIZE(bads); i++)
		if (strcmp(behaviour, bads[i].behaviour) == 0 &&
		    helper_process_enter(argc, argv, SYMBOL_WORKER_NAME)) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			run_badly(behaviour);
		}
	symbol_worker_main(argc, argv);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, scene_init, scene_fini)

static void test_locate(void **state)
{
	struct scene *scene = *state;
	struct symbol_client *client = new_client(scene, "");
	char long_name[LONG_NAME];
	uint64_t address = 0;

	assert_int_equal(symbol_client_locate(client, KEY, "f", PATIENT, &address), -EAGAIN);
	add_file(client, KEY, scene->file);
	assert_int_equal(symbol_client_locate(client, KEY, "f", PATIENT, &address), 0);
	assert_int_equal(address, CODE);
	assert_int_equal(symbol_client_locate(client, KEY, "_ZN1g3runEv", PATIENT, &address), 0);
	assert_int_equal(address, CODE + 16);
	assert_int_equal(symbol_client_locate(client, KEY, "h", PATIENT, &address), -ENOENT);
	assert_int_equal(symbol_client_locate(client, KEY, "", PATIENT, &address), -ENOENT);
	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	assert_int_equal(symbol_client_locate(client, KEY, long_name, PATIENT, &address), -ENOENT);
	long_name[SYMBOL_TEXT_BYTES] = '\0';
	assert_int_equal(symbol_client_locate(client, KEY, long_name, PATIENT, &address), -ENOENT);
	assert_int_equal(symbol_client_locate(client, OTHER, "f", PATIENT, &address), -EAGAIN);
}

static void test_demangle(void **state)
{
	static const struct {
		const char *mangled, *want;
	} rows[] = {
		{"_ZN1g3runEv", "g::run"},
		{"plain", "plain"},
		{"", ""},
		{"_Zwrong", "_Zwrong"},
		{"a\nb\xff", "a\xef\xbf\xbd"
			     "b\xef\xbf\xbd"},
	};
	struct scene *scene = *state;
	struct symbol_client *client = new_client(scene, "");
	char name[SYMBOL_NAME_BYTES], long_name[LONG_NAME];
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		while ((rc = symbol_client_demangle(client, rows[i].mangled, PATIENT, name)) ==
		       -EAGAIN)
			sched_yield();
		assert_int_equal(rc, 0);
		assert_string_equal(name, rows[i].want);
	}
	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	assert_int_equal(symbol_client_demangle(client, long_name, PATIENT, name), -ENOENT);
	long_name[SYMBOL_TEXT_BYTES] = '\0';
	assert_int_equal(symbol_client_demangle(client, long_name, PATIENT, name), 0);
	assert_string_equal(name, long_name);
	/* The child has files beside it. */
	add_file(client, KEY, scene->file);
	uint64_t address;
	assert_int_equal(symbol_client_locate(client, KEY, "f", PATIENT, &address), 0);
}

int main(int argc, char **argv)
{
	const struct cases tables[] = {CASES(test_bad, bads)};
	const struct CMUnitTest tests[] = {
		TEST(test_names),         TEST(test_locate),
		TEST(test_doubts),        TEST(test_locate),
		TEST(test_demangle),      TEST(test_debug_file),
		TEST(test_many),          TEST(test_hostile_names),
		TEST(test_mutated),       TEST(test_refused_descriptors),
		TEST(test_killed),        TEST(test_killed_while_it_parses),
		TEST(test_pause),         TEST(test_stopped),
		TEST(test_late_answer),   TEST(test_answer_after_the_call),
		TEST(test_cannot_start),  TEST(test_out_of_memory),
		TEST(test_queue),         TEST(test_nothing_left),
		TEST(test_end_of_thread),
	};

	run_child(argc, argv);
	signals_restore();
	return cases_run("symbol_client", tables, ARRAY_SIZE(tables), tests, ARRAY_SIZE(tests));
}
