// SPDX-License-Identifier: MIT
/*
 * hotspots MODE [SECONDS]: functions with known shares of CPU time.
 *
 * A mode has two parts, which run in turns of about 4 ms: always the one that is below its share.
 * The clock of the thread is read around each turn, so the shares are measured, not assumed, and
 * the same in every interval of some tenths of a second. Prints "ready", and after SECONDS or
 * SIGTERM the measured shares as a line of JSON:
 *
 *   {"mode":"split","cpu_s":9.99,"parts":[{"name":"hot_burn","share":0.7,"of":"self"}, ...]}
 *
 * "of": "self", the samples in the function itself; "under", those in what it calls too, such as
 * the kernel. "page_faults" is the share of page faults. The rest is what runs between turns, less
 * than 1 %. Exit status 77: this build or machine does not have the mode.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef HOTSPOTS_LIBRARY
#include "tests/load/library/hotspots_library.h"
#endif

#define NOINLINE __attribute__((noinline))
/* Keeps a call from becoming a jump, and a loop from being computed at once. */
#define KEEP(x) __asm__ volatile("" : "+r"(x))
/* gcc sets no frame pointer in a function that calls nothing, unless it is used. */
#define SET_FRAME_POINTER() __asm__ volatile("" : : "r"(__builtin_frame_address(0)))

#define TURN_NS 4000000
enum { SKIPPED = 77, STEPS_FIRST = 1 << 14, DEPTH = 40 };

typedef uint64_t part_fn(uint64_t steps);

struct part {
	const char *name;
	part_fn *run;
	double share; /* aim */
	const char *of;
	uint64_t steps; /* of a turn */
	uint64_t ns;    /* measured */
	uint64_t faults;
};

struct mode {
	const char *name;
	bool (*prepare)(struct mode *mode); /* false: the machine does not have it; NULL: nothing */
	void (*end)(void);
	struct part parts[2];
};

static volatile sig_atomic_t stop;
static volatile uint64_t sink;

static void on_end(int number)
{
	(void)number;
	stop = 1;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static uint64_t minor_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_minflt;
}

/*
 * A system call without the function of the C library, which sets no frame pointer: the caller of
 * its caller would be shown as the caller of the kernel.
 */
static inline long call_kernel(long number, long a, long b, long c)
{
#if defined(__x86_64__)
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return result;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
	return x0;
#else
	return syscall(number, a, b, c);
#endif
}

/* split: two functions of a program. Different constants, so that they are not merged. */

static NOINLINE uint64_t hot_burn(uint64_t n)
{
	uint64_t x = n;

	SET_FRAME_POINTER();
	while (n-- > 0) {
		x = x * 6364136223846793005u + 1;
		KEEP(x);
	}
	return x;
}

static NOINLINE uint64_t cold_burn(uint64_t n)
{
	uint64_t x = n;

	SET_FRAME_POINTER();
	while (n-- > 0) {
		x = x * 6364136223846793005u + 3;
		KEEP(x);
	}
	return x;
}

/* recursive: each level has its own part of the work. */

static NOINLINE uint64_t recurse(uint64_t n, unsigned depth)
{
	uint64_t x = n, below = 0;

	for (uint64_t i = 0; i < n; i++) {
		x = x * 6364136223846793005u + 7;
		KEEP(x);
	}
	if (depth > 0) {
		below = recurse(n, depth - 1);
		KEEP(below);
	}
	return x + below;
}

static NOINLINE uint64_t call_recurse(uint64_t n)
{
	uint64_t x = recurse(n / DEPTH, DEPTH);

	KEEP(x);
	return x;
}

/* kernel: 64 kB of zeros are written by the kernel, 60 % of the time. */

static int zeros = -1;

static bool open_zeros(struct mode *mode)
{
	(void)mode;
	zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	return zeros >= 0;
}

static NOINLINE uint64_t read_zeros(uint64_t n)
{
	static char buffer[1 << 16];
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n; i += 1 << 14) {
		sum += (uint64_t)call_kernel(SYS_read, zeros, (long)buffer, sizeof(buffer));
		KEEP(sum);
	}
	return sum;
}

/* faults: pages are touched and given back. */

static char *pages;
static size_t page_bytes;
enum { PAGES = 64 };

static bool map_pages(struct mode *mode)
{
	(void)mode;
	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	pages = mmap(NULL, PAGES * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		     -1, 0);
	if (pages == MAP_FAILED)
		return false;
	madvise(pages, PAGES * page_bytes, MADV_NOHUGEPAGE);
	return true;
}

static NOINLINE uint64_t touch_pages(uint64_t n)
{
	uint64_t touched = 0;

	for (uint64_t i = 0; i < n; i += 1 << 16) {
		for (size_t k = 0; k < PAGES; k++, touched++)
			*(volatile char *)(pages + k * page_bytes) = 1;
		call_kernel(SYS_madvise, (long)pages, (long)(PAGES * page_bytes), MADV_DONTNEED);
		KEEP(touched);
	}
	return touched;
}

/*
 * jit: machine code in memory without a file, named by /tmp/perf-PID.map. The loop is written in
 * assembly, so that it can be copied whatever the compiler adds to functions.
 */
#if defined(__x86_64__) || defined(__aarch64__)
/* Without the attribute GNU as 2.40 for arm64 gives both the same place in the GOT. */
extern const unsigned char jit_begin[] __attribute__((visibility("hidden")));
extern const unsigned char jit_end[] __attribute__((visibility("hidden")));
__asm__(".pushsection .rodata\n"
	".balign 16\n"
	"jit_begin:\n"
#if defined(__x86_64__)
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	mov %rdi, %rax\n"
	"1:	imul %rdi, %rax\n"
	"	add $9, %rax\n"
	"	dec %rdi\n"
	"	jnz 1b\n"
	"	pop %rbp\n"
	"	ret\n"
#else
	"	stp x29, x30, [sp, #-16]!\n"
	"	mov x29, sp\n"
	"	mov x1, x0\n"
	"1:	mul x1, x1, x0\n"
	"	add x1, x1, #9\n"
	"	subs x0, x0, #1\n"
	"	b.ne 1b\n"
	"	mov x0, x1\n"
	"	ldp x29, x30, [sp], #16\n"
	"	ret\n"
#endif
	"jit_end:\n"
	".popsection\n");

static char jit_map[64];

static void remove_jit_map(void)
{
	unlink(jit_map);
}

static part_fn *jit_function(char *code)
{
	part_fn *function;

	memcpy(code, jit_begin, (size_t)(jit_end - jit_begin));
	__builtin___clear_cache(code, code + (jit_end - jit_begin));
	memcpy(&function, &code, sizeof(function)); /* ISO C has no such cast */
	return function;
}

static bool write_jit_map(char *const *code, const struct part *parts)
{
	snprintf(jit_map, sizeof(jit_map), "/tmp/perf-%d.map", (int)getpid());
	int fd = open(jit_map, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return false;
	for (int i = 0; i < 2; i++)
		dprintf(fd, "%lx %x %s\n", (unsigned long)(uintptr_t)code[i],
			(unsigned)(jit_end - jit_begin), parts[i].name);
	close(fd);
	return true;
}

static bool compile_jit(struct mode *mode)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return false;
	char *const code[2] = {memory, memory + 1024};
	for (int i = 0; i < 2; i++)
		mode->parts[i].run = jit_function(code[i]);
	if (mprotect(memory, size, PROT_READ | PROT_EXEC))
		return false;
	return write_jit_map(code, mode->parts);
}
#else
static void remove_jit_map(void)
{
}

static bool compile_jit(struct mode *mode)
{
	(void)mode;
	return false;
}
#endif

static struct mode modes[] = {
	{"split",
	 NULL,
	 NULL,
	 {{.name = "hot_burn", .run = hot_burn, .share = 0.7, .of = "self"},
	  {.name = "cold_burn", .run = cold_burn, .share = 0.3, .of = "self"}}},
	{"recursive",
	 NULL,
	 NULL,
	 {{.name = "recurse", .run = call_recurse, .share = 0.8, .of = "self"},
	  {.name = "cold_burn", .run = cold_burn, .share = 0.2, .of = "self"}}},
#ifdef HOTSPOTS_LIBRARY
	{"library",
	 NULL,
	 NULL,
	 {{.name = "library_burn", .run = library_burn, .share = 0.65, .of = "self"},
	  {.name = "hot_burn", .run = hot_burn, .share = 0.35, .of = "self"}}},
#endif
	{"kernel",
	 open_zeros,
	 NULL,
	 {{.name = "read_zeros", .run = read_zeros, .share = 0.6, .of = "under"},
	  {.name = "hot_burn", .run = hot_burn, .share = 0.4, .of = "self"}}},
	{"jit",
	 compile_jit,
	 remove_jit_map,
	 {{.name = "jit_hot", .share = 0.55, .of = "self"},
	  {.name = "jit_cold", .share = 0.45, .of = "self"}}},
	{"faults",
	 map_pages,
	 NULL,
	 {{.name = "touch_pages", .run = touch_pages, .share = 0.5, .of = "under"},
	  {.name = "hot_burn", .run = hot_burn, .share = 0.5, .of = "self"}}},
};

/* Runs a turn, and sets the steps of the next one so that it takes TURN_NS. */
static NOINLINE void run_turn(struct part *part)
{
	uint64_t faults = minor_faults();
	uint64_t from = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	sink += part->run(part->steps);
	uint64_t ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - from;
	part->faults += minor_faults() - faults;
	part->ns += ns;
	double factor = ns > 0 ? (double)TURN_NS / (double)ns : 2;
	factor = factor > 2 ? 2 : factor < 0.5 ? 0.5 : factor;
	part->steps = (uint64_t)((double)part->steps * factor) + 1;
}

static void run_mode(struct mode *mode, double seconds)
{
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + (uint64_t)(seconds * 1e9);
	struct part *parts = mode->parts;

	for (int i = 0; i < 2; i++) {
		parts[i].steps = STEPS_FIRST;
		for (int k = 0; k < 20; k++)
			run_turn(&parts[i]);
		parts[i].ns = parts[i].faults = 0;
	}
	puts("ready");
	fflush(stdout);
	while (!stop && (seconds <= 0 || clock_ns(CLOCK_MONOTONIC) < until)) {
		double all = (double)(parts[0].ns + parts[1].ns);
		bool first = (double)parts[0].ns <= all * parts[0].share;

		run_turn(&parts[!first]);
	}
}

static void print_shares(const struct mode *mode, uint64_t cpu_ns)
{
	const struct part *parts = mode->parts;
	uint64_t faults = parts[0].faults + parts[1].faults;

	printf("{\"mode\":\"%s\",\"cpu_s\":%.6f,\"parts\":[", mode->name, (double)cpu_ns / 1e9);
	for (int i = 0; i < 2; i++) {
		printf("%s{\"name\":\"%s\",\"share\":%.6f,\"of\":\"%s\",\"page_faults\":",
		       i > 0 ? "," : "", parts[i].name, (double)parts[i].ns / (double)cpu_ns,
		       parts[i].of);
		if (faults > 0)
			printf("%.6f}", (double)parts[i].faults / (double)faults);
		else
			printf("null}");
	}
	puts("]}");
	fflush(stdout);
}

static int usage(void)
{
	fputs("usage: hotspots MODE [SECONDS]\nmodes:", stderr);
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		fprintf(stderr, " %s", modes[i].name);
	fputs("\n", stderr);
	return 2;
}

static struct mode *find_mode(const char *name)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(modes[i].name, name) == 0)
			return &modes[i];
	return NULL;
}

int main(int argc, char **argv)
{
	struct mode *mode = argc > 1 ? find_mode(argv[1]) : NULL;

	if (argc < 2 || argc > 3)
		return usage();
	if (!mode && strcmp(argv[1], "library") == 0)
		return SKIPPED; /* a static build */
	if (!mode)
		return usage();
	signal(SIGTERM, on_end);
	signal(SIGINT, on_end);
	if (mode->prepare && !mode->prepare(mode)) {
		fprintf(stderr, "hotspots: %s: %s\n", mode->name, strerror(errno));
		return SKIPPED;
	}
	run_mode(mode, argc > 2 ? strtod(argv[2], NULL) : 0);
	uint64_t cpu_ns = 0;
	for (int i = 0; i < 2; i++)
		cpu_ns += mode->parts[i].ns;
	print_shares(mode, cpu_ns);
	if (mode->end)
		mode->end();
	return 0;
}
