// SPDX-License-Identifier: MIT
/*
 * Hostile files through the client and its child, as pmctop reads them. Small programs of this
 * machine with wrong bytes: each question is answered, and no child ends. With sanitizers a wrong
 * access ends it. Files that ask for memory or time: the child is bounded, and the next file works.
 *
 * MUTATIONS is the number of files (10000), MUTATION_SEED their beginning. A file at which a child
 * ended is kept.
 */
#include "core/base/util.h"
#include "core/code/symbol_client.h"
#include "core/code/symbol_message.h"
#include "tests/unit/shared/elf_image.h"
#include "tests/unit/shared/helper_end.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define CODE    ELF_IMAGE_CODE
#define PATIENT (monotonic_ns() + 120 * NS_PER_S)

enum {
	MUTATIONS = 10000,
	SEEDS_MAX = 200,
	SEED_BYTES_MIN = 4096,
	SEED_BYTES_MAX = 100 << 10,
	QUESTIONS = 16,
	CHANGES_MAX = 24,
	/* The limit of its data, its program and libraries. */
	CHILD_KIB_MAX = (80 + 24) << 10,
	ZEROES = 256 << 20,
};

struct bytes {
	uint8_t *bytes;
	size_t n;
};

static struct symbol_client *new_client(void)
{
	const struct symbol_client_config config = {.pause_ns = 1};

	return symbol_client_new(&config);
}

static struct symbol_status status_of(const struct symbol_client *client)
{
	struct symbol_status status;

	symbol_client_status(client, &status);
	return status;
}

static void add_file(struct symbol_client *client, uint64_t key, int file)
{
	unsigned number;
	int rc;

	while ((rc = symbol_client_socket(client, &number)) == -EAGAIN ||
	       (rc >= 0 && (rc = symbol_message_give(rc, key, file, -1)) == -EAGAIN))
		sched_yield();
	assert_int_equal(rc, 0);
	symbol_client_given(client, key);
}

static void ignore_symbol(void *arg, size_t query, const struct symbol *symbol)
{
	(void)arg;
	(void)query;
	(void)symbol;
}

/* Mutations */

/* Reads a file, if it is an ELF file of a few pages. */
static bool read_seed(const char *path, struct bytes *seed)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return false;
	*seed = (struct bytes){0};
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > SEED_BYTES_MIN &&
	    status.st_size < SEED_BYTES_MAX) {
		seed->bytes = xmalloc((size_t)status.st_size);
		seed->n = (size_t)status.st_size;
	}
	bool whole = seed->n > 0 && pread(fd, seed->bytes, seed->n, 0) == (ssize_t)seed->n &&
		     memcmp(seed->bytes, ELFMAG, SELFMAG) == 0;
	if (!whole)
		free(seed->bytes);
	close(fd);
	return whole;
}

static size_t read_seeds(const char *folder, struct bytes *seeds, size_t n)
{
	DIR *directory = opendir(folder);
	struct dirent *entry;
	char path[512];

	while (directory && n < SEEDS_MAX && (entry = readdir(directory))) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		n += read_seed(path, &seeds[n]);
	}
	if (directory)
		closedir(directory);
	return n;
}

/* An ELF file with all that is parsed. */
static void make_seed(struct bytes *seed, bool is_32, bool is_big)
{
	const struct elf_image_symbol symbols[] = {
		{"f", CODE, 16, STT_FUNC, STB_GLOBAL},
		{"_ZN1g3runEv", CODE + 16, 16, STT_FUNC, STB_WEAK}};
	const struct elf_image_range ranges[] = {{CODE + 64, CODE + 96}, {CODE + 128, CODE + 132}};
	struct elf_image image;

	elf_image_init(&image);
	image.is_32 = is_32;
	image.is_big = is_big;
	elf_image_symbols(&image, SHT_SYMTAB, symbols, ARRAY_SIZE(symbols));
	elf_image_symbols(&image, SHT_DYNSYM, symbols, ARRAY_SIZE(symbols));
	elf_image_plt(&image, CODE + 256, 2);
	elf_image_unwind(&image, ranges, ARRAY_SIZE(ranges));
	elf_image_end(&image);
	*seed = (struct bytes){xmalloc(image.size), image.size};
	memcpy(seed->bytes, image.bytes, image.size);
	elf_image_fini(&image);
}

/* A place where wrong bytes matter: the headers at both ends, or anywhere. */
static size_t place_in(size_t n, uint64_t *random)
{
	enum { ENDS = 2048 };
	uint64_t part = u64_random(random) % 4, at = u64_random(random);

	return part == 0   ? at % size_min(n, 256)
	       : part == 1 ? at % size_min(n, ENDS)
	       : part == 2 ? n - 1 - at % size_min(n, ENDS)
			   : at % n;
}

/* Returns the new length. */
static size_t mutate(uint8_t *bytes, size_t n, uint64_t *random)
{
	static const uint64_t special[] = {0,          1,          0x7f,       0xff,
					   0xffff,     INT32_MAX,  UINT32_MAX, (uint64_t)INT64_MAX,
					   UINT64_MAX, 1ull << 32, 1ull << 40, 1ull << 63};
	unsigned changes = 1 + (unsigned)(u64_random(random) % CHANGES_MAX);

	for (unsigned i = 0; i < changes; i++) {
		size_t at = place_in(n, random), width = (size_t)1 << u64_random(random) % 4;
		uint64_t value = u64_random(random) % 2
					 ? u64_random(random)
					 : special[u64_random(random) % ARRAY_SIZE(special)];

		at = at / width * width; /* as members are aligned */
		memcpy(bytes + at, &value, size_min(width, n - at));
	}
	return u64_random(random) % 8 ? n : 64 + u64_random(random) % (n - 64);
}

static void keep_file(const struct bytes *file, unsigned number)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/pmctop-mutation-%u", number);
	FILE *to = fopen(path, "we");
	if (to) {
		fwrite(file->bytes, 1, file->n, to);
		fclose(to);
	}
	print_message("# a child ended at %s\n", path);
}

static size_t ask(struct symbol_client *client, uint64_t key, size_t n, uint64_t *random)
{
	struct symbol_query queries[QUESTIONS];

	for (unsigned i = 0; i < QUESTIONS; i++)
		queries[i] = (struct symbol_query){key, i == 0 ? UINT64_MAX
							       : u64_random(random) % (2 * n)};
	return symbol_client_find(client, queries, QUESTIONS, PATIENT, ignore_symbol, NULL);
}

static unsigned long number_of(const char *name, unsigned long other)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 0) : other;
}

static void test_mutated(void **state)
{
	static struct bytes seeds[SEEDS_MAX];
	size_t n = 0, n_files = number_of("MUTATIONS", MUTATIONS), answers = 0;
	uint64_t random = number_of("MUTATION_SEED", 88172645463325252) | 1;
	struct symbol_client *client = new_client();
	struct bytes file = {xmalloc(SEED_BYTES_MAX + 4096), 0};
	unsigned ends = 0;

	(void)state;
	for (; n < 4; n++)
		make_seed(&seeds[n], n & 1, n & 2);
	n = read_seeds("/usr/bin", seeds, n);
	for (unsigned i = 0; i < n_files; i++) {
		const struct bytes *seed = &seeds[u64_random(&random) % n];

		memcpy(file.bytes, seed->bytes, seed->n);
		file.n = mutate(file.bytes, seed->n, &random);
		int fd = elf_image_open(file.bytes, file.n);
		add_file(client, i, fd);
		close(fd);
		answers += ask(client, i, file.n, &random);
		if (status_of(client).state != SYMBOL_RUNNING) {
			keep_file(&file, i);
			ends++;
		}
	}
	print_message("# %zu files of %zu programs, %zu answers\n", n_files, n, answers);
	for (size_t i = 0; i < n; i++)
		free(seeds[i].bytes);
	free(file.bytes);
	assert_int_equal(ends, 0);
	assert_int_equal(answers, n_files * QUESTIONS);
	assert_int_equal(status_of(client).restarts, 0);
	symbol_client_end(client);
}

/* Bombs */

/* The xz form of that many zeroes, with a dictionary of that size. */
static struct bytes make_xz(size_t zeroes, uint32_t dictionary)
{
	static const uint8_t zero[1 << 20];
	lzma_options_lzma options;
	const lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, NULL}};
	lzma_stream stream = LZMA_STREAM_INIT;
	struct bytes made = {xmalloc(1 << 20), 0};
	lzma_ret rc = LZMA_OK;

	assert_false(lzma_lzma_preset(&options, 0));
	options.dict_size = dictionary;
	assert_int_equal(lzma_stream_encoder(&stream, filters, LZMA_CHECK_CRC32), LZMA_OK);
	stream.next_out = made.bytes;
	stream.avail_out = 1 << 20;
	while (rc == LZMA_OK) {
		if (stream.avail_in == 0 && zeroes > 0) {
			stream.next_in = zero;
			stream.avail_in = size_min(zeroes, sizeof(zero));
			zeroes -= stream.avail_in;
		}
		rc = lzma_code(&stream, zeroes > 0 ? LZMA_RUN : LZMA_FINISH);
	}
	assert_int_equal(rc, LZMA_STREAM_END);
	made.n = (1 << 20) - stream.avail_out;
	lzma_end(&stream);
	return made;
}

static int open_with(const char *name, uint32_t type, uint64_t flags, struct bytes data)
{
	struct elf_image image;

	elf_image_init(&image);
	unsigned section = elf_image_section(&image, name, type, 0, data.bytes, data.n);
	image.sections[section].flags = flags;
	elf_image_end(&image);
	int fd = elf_image_open(image.bytes, image.size);
	elf_image_fini(&image);
	free(data.bytes);
	return fd;
}

static int make_xz_bomb(void)
{
	return open_with(".gnu_debugdata", SHT_PROGBITS, 0, make_xz(ZEROES, 1 << 20));
}

static int make_dictionary_bomb(void)
{
	struct bytes xz = make_xz(1 << 10, 1 << 20);
	size_t at = 0;

	/* The filter LZMA2 has one byte of properties: a dictionary of almost 4 GiB. */
	while (at + 2 < xz.n && !(xz.bytes[at] == 0x21 && xz.bytes[at + 1] == 0x01))
		at++;
	assert_true(at + 2 < xz.n);
	xz.bytes[at + 2] = 39;
	/* The header of the block is 12 bytes, its check is in the last 4 of them. */
	uint32_t check = lzma_crc32(xz.bytes + 12, 8, 0);
	memcpy(xz.bytes + 20, &check, sizeof(check));
	return open_with(".gnu_debugdata", SHT_PROGBITS, 0, xz);
}

/* A table of symbols that claims to inflate to a TiB. */
static int make_compressed_bomb(void)
{
	const Elf64_Chdr header = {.ch_type = ELFCOMPRESS_ZLIB, .ch_size = 1ull << 40};
	struct bytes data = {xcalloc(1, 1 << 20), 1 << 20};

	memcpy(data.bytes, &header, sizeof(header));
	return open_with(".symtab", SHT_SYMTAB, SHF_COMPRESSED, data);
}

/* More functions than fit into the child's memory with what it has. */
static int make_functions(size_t n)
{
	struct elf_image_symbol *symbols = xcalloc(n, sizeof(*symbols));
	struct elf_image image;

	for (size_t i = 0; i < n; i++)
		symbols[i] = (struct elf_image_symbol){"f", CODE + i % 512 * 16, 16, STT_FUNC,
						       STB_GLOBAL};
	elf_image_init(&image);
	elf_image_symbols(&image, SHT_SYMTAB, symbols, n);
	elf_image_end(&image);
	int fd = elf_image_open(image.bytes, image.size);
	elf_image_fini(&image);
	free(symbols);
	return fd;
}

static int make_many_functions(void)
{
	return make_functions(4 << 20);
}

/* A sparse table, as far as one is read. */
static int make_sparse(void)
{
	enum { SYMBOLS = 32 << 20 };
	const struct elf_image_symbol symbol = {"f", CODE, 16, STT_FUNC, STB_GLOBAL};
	struct elf_image image;
	char path[64];

	elf_image_init(&image);
	unsigned section = elf_image_symbols(&image, SHT_SYMTAB, &symbol, 1);
	image.sections[section].offset = 1 << 20;
	image.sections[section].size = (uint64_t)SYMBOLS * sizeof(Elf64_Sym);
	elf_image_end(&image);
	int fd = memfd_create("sparse", MFD_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, image.bytes, image.size), image.size);
	assert_int_equal(ftruncate(fd, (1 << 20) + (off_t)SYMBOLS * (off_t)sizeof(Elf64_Sym)), 0);
	elf_image_fini(&image);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	int readable = open(path, O_RDONLY | O_CLOEXEC);
	close(fd);
	return readable;
}

/* Names in which each part is twice as long as the part before it. */
static int make_mangled_bomb(void)
{
	enum { SYMBOLS = 500, DOUBLINGS = 30 };
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	static char names[SYMBOLS][600];
	struct elf_image_symbol symbols[SYMBOLS];
	struct elf_image image;

	for (unsigned i = 0; i < SYMBOLS; i++) {
		size_t n = (size_t)snprintf(names[i], sizeof(names[i]), "_Z4f%03uI1aIiiE", i);

		/* a<X, X>, where X is what is before it: S1_, S2_ ... */
		for (unsigned k = 1; k <= DOUBLINGS; k++)
			n += (size_t)snprintf(names[i] + n, sizeof(names[i]) - n, "S0_IS%c_S%c_E",
					      digits[k], digits[k]);
		snprintf(names[i] + n, sizeof(names[i]) - n, "Evv");
		symbols[i] = (struct elf_image_symbol){names[i], CODE + 16 * (uint64_t)i, 16,
						       STT_FUNC, STB_GLOBAL};
	}
	elf_image_init(&image);
	elf_image_symbols(&image, SHT_SYMTAB, symbols, SYMBOLS);
	elf_image_end(&image);
	int fd = elf_image_open(image.bytes, image.size);
	elf_image_fini(&image);
	return fd;
}

static const struct bomb {
	const char *name;
	int (*make)(void);
} bombs[] = {
	{"xz of 256 MiB of zeroes", make_xz_bomb},
	{"xz with a dictionary of 3 GiB", make_dictionary_bomb},
	{"a compressed table of a TiB", make_compressed_bomb},
	{"4 million functions", make_many_functions},
	{"a sparse table of 768 MiB", make_sparse},
	{"names that double 30 times", make_mangled_bomb},
};

/* The most memory that the process had, in KiB. */
static long child_peak_kib(int pid)
{
	char path[64], line[256];
	long kib = -1;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	FILE *file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "VmHWM: %ld", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib;
}

static void test_bombs(void **state)
{
	enum { GOOD = 1, BAD, OFFSETS = 500 };
	struct symbol_query queries[OFFSETS];
	int good = make_functions(1);

	(void)state;
	for (unsigned i = 0; i < OFFSETS; i++)
		queries[i] = (struct symbol_query){BAD, elf_image_offset(CODE + 16 * (uint64_t)i)};
	for (size_t i = 0; i < ARRAY_SIZE(bombs); i++) {
		struct symbol_client *client = new_client();
		int bad = bombs[i].make();

		add_file(client, BAD, bad);
		uint64_t begin_ns = monotonic_ns();
		size_t answers =
			symbol_client_find(client, queries, OFFSETS, PATIENT, ignore_symbol, NULL);
		uint64_t ns = monotonic_ns() - begin_ns;
		const struct symbol_status status = status_of(client);
		long kib = status.pid > 0 ? child_peak_kib(status.pid) : 0;
		print_message("# %s: %zu answers after %.3f s, child %ld KiB\n", bombs[i].name,
			      answers, (double)ns / NS_PER_S, kib);
		assert_int_equal(answers, status.state == SYMBOL_RUNNING ? OFFSETS : 0);
		if (!SANITIZED)
			assert_in_range(kib, 0, CHILD_KIB_MAX);
		add_file(client, GOOD, good);
		assert_int_equal(
			symbol_client_find(client,
					   &(struct symbol_query){GOOD, elf_image_offset(CODE)}, 1,
					   PATIENT, ignore_symbol, NULL),
			1);
		symbol_client_end(client);
		close(bad);
	}
	close(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bombs),
		cmocka_unit_test(test_mutated),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("symbol_files", tests, NULL, NULL);
}
