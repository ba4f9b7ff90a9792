// SPDX-License-Identifier: MIT
#include "core/base/util.h"
#include "tui/run/rights.h"

#include <linux/capability.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define BIT(capability) (UINT64_C(1) << (capability))
#define COUNTS          (BIT(38) | BIT(CAP_IPC_LOCK)) /* 38 is CAP_PERFMON, which older headers lack */

static void test_wanted(void **state)
{
	static const struct {
		struct rights_need need;
		uint64_t own, lent;
	} rows[] = {
		{{0}, 0, 0},
		{{.counts = true}, COUNTS, COUNTS},
		{{.counts = true, .signals = true}, COUNTS | BIT(CAP_KILL), COUNTS},
		{{.counts = true, .renices = true}, COUNTS | BIT(CAP_SYS_NICE), COUNTS},
		{{.counts = true, .probes = true}, COUNTS | BIT(CAP_SYS_ADMIN), COUNTS},
		{{.counts = true, .looks = true},
		 COUNTS | BIT(CAP_SYS_PTRACE) | BIT(CAP_DAC_READ_SEARCH),
		 COUNTS},
		/* 40 is CAP_CHECKPOINT_RESTORE, which older headers lack. */
		{{.counts = true, .names = true},
		 COUNTS | BIT(CAP_SYS_PTRACE) | BIT(CAP_DAC_READ_SEARCH) | BIT(CAP_SYSLOG) |
			 BIT(40),
		 COUNTS},
		{{.writes = true}, BIT(CAP_DAC_OVERRIDE), 0},
		{{.reads = true}, BIT(CAP_DAC_READ_SEARCH) | BIT(CAP_SYSLOG), 0},
		{{.serves = true}, BIT(CAP_NET_BIND_SERVICE), 0},
		{{.signals = true, .writes = true, .reads = true, .serves = true},
		 BIT(CAP_KILL) | BIT(CAP_DAC_OVERRIDE) | BIT(CAP_DAC_READ_SEARCH) |
			 BIT(CAP_SYSLOG) | BIT(CAP_NET_BIND_SERVICE),
		 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_true(rights_wanted(&rows[i].need, false) == rows[i].own);
		assert_true(rights_wanted(&rows[i].need, true) == rows[i].lent);
	}
}

static void test_need(void **state)
{
	static struct engine_column uprobe = {.kind = ENGINE_EVENTS, .text = "uprobe:/bin/sh:1"};
	static char *command[] = {NULL};
	static const struct {
		const char *name;
		struct options options;
		bool draws;
		struct rights_need need;
	} rows[] = {
		{"-b", {0}, false, {.counts = true, .looks = true}},
		{"a screen",
		 {0},
		 true,
		 {.counts = true, .names = true, .looks = true, .signals = true, .renices = true}},
		{"--readonly",
		 {.readonly = true},
		 true,
		 {.counts = true, .names = true, .looks = true}},
		{"a command",
		 {.command = command},
		 false,
		 {.counts = true, .looks = true, .signals = true}},
		{"-o", {.output = "x"}, false, {.counts = true, .looks = true, .writes = true}},
		{"--record",
		 {.record.path = "x"},
		 false,
		 {.counts = true, .looks = true, .writes = true}},
		{"--record -", {.record.path = "-"}, false, {.counts = true, .looks = true}},
		{"--listen",
		 {.listen = "9105"},
		 false,
		 {.counts = true, .looks = true, .serves = true}},
		{"-e uprobe",
		 {.columns = &uprobe, .n_columns = 1},
		 false,
		 {.counts = true, .looks = true, .probes = true}},
		{"--replay", {.replay = "x"}, true, {.reads = true}},
		{"--list", {.task = OPTIONS_LIST}, false, {.counts = true}},
		{"--doctor", {.task = OPTIONS_DOCTOR}, false, {0}},
		{"--doctor -o", {.task = OPTIONS_DOCTOR, .output = "x"}, false, {.writes = true}},
		{"--help", {.task = OPTIONS_HELP}, false, {0}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rights_need need = rights_need_of(&rows[i].options, rows[i].draws);

		if (memcmp(&need, &rows[i].need, sizeof(need)) != 0)
			fail_msg("%s", rows[i].name);
	}
}

static void test_hides(void **state)
{
	static const struct {
		const char *variable;
		bool hidden;
	} rows[] = {
		{"TERMINFO=/tmp/x", true},   {"TERMINFO_DIRS=/tmp", true}, {"TERMCAP=/tmp/x", true},
		{"TERMPATH=/tmp", true},     {"NCURSES_TRACE=8191", true}, {"LIBPFM_DEBUG=1", true},
		{"LIBPFM_FORCE_PMU=", true}, {"TERM=xterm", false},        {"TERMCAPS=x", false},
		{"HOME=/root", false},       {"PATH=/bin", false},         {"", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rights_hides(rows[i].variable) != rows[i].hidden)
			fail_msg("%s", rows[i].variable);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wanted),
		cmocka_unit_test(test_need),
		cmocka_unit_test(test_hides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
