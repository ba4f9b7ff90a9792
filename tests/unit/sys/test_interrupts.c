// SPDX-License-Identifier: MIT
/* /proc/interrupts and /proc/softirqs: which line grew most on a CPU, and its name. */
#include "core/base/util.h"
#include "core/sys/interrupts.h"
#include "tests/fake_kernel/fake_kernel.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* CPU 1 is offline. */
#define X86                                                                               \
	"           CPU0       CPU2       \n"                                             \
	" 26:          0         14  IO-APIC   4-edge      ttyS0\n"                       \
	" 28:          0          0 PCI-MSIX-0000:00:01.0   0-edge      virtio0-config\n" \
	" 38:          5      33468 PCI-MSI 524288-edge      xhci_hcd, eth0 rx\n"         \
	" 39:          1          2  IO-APIC   9-fasteoi   \n"                            \
	"LOC:   13208734   14332884   Local timer interrupts\n"                           \
	"ERR:          7\n"                                                               \
	"MIS:          0\n"

#define ARM64                                                             \
	"           CPU0       CPU1       \n"                             \
	" 11:      12345          9     GICv3  27 Level     arch_timer\n" \
	"IPI0:         3          4       Rescheduling interrupts\n"      \
	"Err:          0\n"

#define SOFT                                           \
	"                    CPU0       CPU1       \n" \
	"          HI:          0          1\n"        \
	"      NET_RX:        100        200\n"

#define BOTH ((const int[]){0, 2})

static void a_line_has_a_name(void **state)
{
	static const struct {
		const char *text, *id, *name; /* NULL: no such line */
		uint64_t first;
	} rows[] = {
		{X86, "26", "ttyS0", 0},
		{X86, "28", "virtio0-config", 0},
		{X86, "38", "xhci_hcd, eth0 rx", 5},
		{X86, "39", "irq 39", 1},
		{X86, "LOC", "Local timer interrupts", 13208734},
		{X86, "ERR", NULL},
		{X86, "MIS", NULL},
		{ARM64, "11", "arch_timer", 12345},
		{ARM64, "IPI0", "Rescheduling interrupts", 3},
		{ARM64, "Err", NULL},
		{"            CPU0\n  11:       1685  GIC-0   27 Level     arch_timer\n", "11",
		 "arch_timer", 1685}, /* 7.2 */
		{SOFT, "HI", "HI", 0},
		{SOFT, "NET_RX", "NET_RX", 100},
		{"CPU0\n 1: 2\n", "1", "irq 1", 2},
		{"CPU0\n 1: 2 ", "1", NULL},
		{"CPU0\n 1: 18446744073709551616 x\n", "1", NULL},
		{"CPU0\n 1 2 x\n", "1", NULL},
		{"CPU0\n : 2 x\n", "", NULL},
		{"CPU0\n12345678901234567890: 2 x\n", "123456789012345", "x", 2},
		{"CPU0\nA: 2 0123456789012345678901234567890123456789012345678901\n", "A",
		 "01234567890123456789012345678901234567890123456", 2},
		{"CPUs\n 1: 2 x\n", "1", NULL},
		{"none\n 1: 2 x\n", "1", NULL},
		{"CPU0", "1", NULL},
		{"", "1", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct interrupt *line = NULL;
		struct interrupts interrupts;

		interrupts_parse(rows[i].text, BOTH, 2, &interrupts);
		for (size_t k = 0; k < interrupts.n; k++)
			if (strcmp(interrupts.lines[k].id, rows[i].id) == 0)
				line = &interrupts.lines[k];
		if (!line != !rows[i].name)
			fail_msg("row %zu: line %s", i, line ? line->name : "none");
		if (line) {
			assert_string_equal(line->name, rows[i].name);
			assert_int_equal(line->counts[0], rows[i].first);
		}
		interrupts_fini(&interrupts);
	}
}

static void the_line_that_grew_most(void **state)
{
#define HEAD "CPU0 CPU2\n"
	static const struct {
		const char *name, *before, *now;
		int cpu;
		const char *most; /* NULL: none */
		uint64_t times;
	} rows[] = {
		{"nothing came", X86, X86, 0, NULL, 0},
		{"one CPU", HEAD "A: 1 1\nB: 1 1\n", HEAD "A: 3 1\nB: 1 9\n", 0, "A", 2},
		{"another one", HEAD "A: 1 1\nB: 1 1\n", HEAD "A: 3 1\nB: 1 9\n", 2, "B", 8},
		{"a CPU that is offline", HEAD "A: 1 1\n", HEAD "A: 3 1\n", 1, NULL, 0},
		{"a CPU that came online", "CPU0\nA: 1\n", HEAD "A: 3 9\n", 2, NULL, 0},
		{"a CPU that went offline", HEAD "A: 1 5\n", "CPU2\nA: 9\n", 2, "A", 4},
		{"a new line", HEAD "B: 1 1\n", HEAD "A: 5 0\nB: 3 1\n", 0, "A", 5},
		{"a line went", HEAD "A: 9 9\nB: 1 1\n", HEAD "B: 3 1\n", 0, "B", 2},
		{"the end of 32 bits", HEAD "A: 4294967290 0\n", HEAD "A: 4 0\n", 0, "A", 10},
		{"a count that began anew", HEAD "A: 3000000000 0\n", HEAD "A: 4 0\n", 0, NULL, 0},
		{"a small count that began anew", HEAD "A: 5000 0\n", HEAD "A: 4 0\n", 0, NULL, 0},
		{"more than 32 bits", HEAD "A: 4294967300 0\n", HEAD "A: 10 0\n", 0, NULL, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct interrupts before, now;
		uint64_t times = 99;

		print_message("%s\n", rows[i].name);
		interrupts_parse(rows[i].before, BOTH, 2, &before);
		interrupts_parse(rows[i].now, BOTH, 2, &now);
		const struct interrupt *most = interrupts_most(&before, &now, rows[i].cpu, &times);
		assert_int_equal(times, rows[i].times);
		assert_int_equal(most != NULL, rows[i].most != NULL);
		if (most)
			assert_string_equal(most->name, rows[i].most);
		interrupts_fini(&before);
		interrupts_fini(&now);
	}
}

/* A file of 1,000 CPUs and `lines` lines. The last line of CPU 999 has the count `last`. */
static char *large_text(unsigned lines, unsigned last)
{
	char *text;
	size_t size;
	FILE *file = xopen_memstream(&text, &size);

	for (int cpu = 0; cpu < 1000; cpu++)
		fprintf(file, "CPU%-8d", cpu);
	for (unsigned i = 0; i < lines; i++) {
		fprintf(file, "\n%4u:", i);
		for (int cpu = 0; cpu < 999; cpu++)
			fputs("          7", file);
		fprintf(file, " %10u  PCI-MSI %u-edge      queue-%u", i + 1 == lines ? last : 7, i,
			i);
	}
	fputc('\n', file);
	fclose(file);
	return text;
}

static void a_large_machine(void **state)
{
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	struct interrupts readings[2];
	uint64_t times;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		char *text = large_text(2000, 1000 * i);
		fk_file(fk, "/proc/interrupts", text);
		free(text);
		assert_int_equal(interrupts_read(&sys, INTERRUPTS_HARD, (const int[]){5, 999}, 2,
						 &readings[i]),
				 0);
		assert_int_equal(readings[i].n, 2000);
	}
	const struct interrupt *most = interrupts_most(&readings[0], &readings[1], 999, &times);
	assert_non_null(most);
	assert_string_equal(most->name, "queue-1999");
	assert_int_equal(times, 1000);
	assert_null(interrupts_most(&readings[0], &readings[1], 5, &times));
	interrupts_fini(&readings[0]);
	interrupts_fini(&readings[1]);
	fk_free(fk);
}

static void lines_and_cpus_are_bounded(void **state)
{
	int cpus[INTERRUPT_CPUS_MAX + 4];
	struct interrupts interrupts;
	char *text = large_text(INTERRUPT_LINES_MAX + 10, 7);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cpus); i++)
		cpus[i] = (int)i;
	interrupts_parse(text, cpus, ARRAY_SIZE(cpus), &interrupts);
	assert_int_equal(interrupts.n, INTERRUPT_LINES_MAX);
	assert_int_equal(interrupts.n_cpus, INTERRUPT_CPUS_MAX);
	interrupts_fini(&interrupts);
	free(text);
}

static void files_have_errors(void **state)
{
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	struct interrupts interrupts;

	(void)state;
	assert_int_equal(interrupts_read(&sys, INTERRUPTS_SOFT, BOTH, 2, &interrupts), -ENOENT);
	fk_file(fk, "/proc/softirqs", "");
	assert_int_equal(interrupts_read(&sys, INTERRUPTS_SOFT, BOTH, 2, &interrupts), -EBADMSG);
	fk_file(fk, "/proc/softirqs", SOFT);
	assert_int_equal(interrupts_read(&sys, INTERRUPTS_SOFT, BOTH, 2, &interrupts), 0);
	assert_int_equal(interrupts.n, 2);
	interrupts_fini(&interrupts);
	fk_fail(fk, FK_FILE_READ, 1, EIO);
	assert_int_equal(interrupts_read(&sys, INTERRUPTS_SOFT, BOTH, 2, &interrupts), -EIO);
	assert_int_equal(interrupts.n, 0);
	fk_free(fk);
}

/* A file without an end. */
static ssize_t endless_read(void *ctx, const char *path, char *buffer, size_t size)
{
	(void)ctx, (void)path;
	assert_in_range(size, 1, INTERRUPT_BYTES_MAX);
	buffer[0] = '\0';
	return (ssize_t)size - 1;
}

static void a_file_is_bounded(void **state)
{
	static const struct sys_ops ops = {.file_read = endless_read};
	const struct sys sys = {.ops = &ops};
	struct interrupts interrupts;

	(void)state;
	assert_int_equal(interrupts_read(&sys, INTERRUPTS_HARD, BOTH, 2, &interrupts), -EFBIG);
	interrupts_fini(&interrupts);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_has_a_name), cmocka_unit_test(the_line_that_grew_most),
		cmocka_unit_test(a_large_machine),   cmocka_unit_test(lines_and_cpus_are_bounded),
		cmocka_unit_test(files_have_errors), cmocka_unit_test(a_file_is_bounded),
	};

	return cmocka_run_group_tests_name("interrupts", tests, NULL, NULL);
}
