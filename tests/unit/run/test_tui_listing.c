// SPDX-License-Identifier: MIT
/* The lists of --list on a terminal and in a pipe, and the remark below them. */
#include "core/base/text.h"
#include "core/base/util.h"
#include "tests/fake_kernel/fake_kernel.h"
#include "tui/run/listing.h"
#include "tui/term/theme_load.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const own_preset_metrics[] = {"ipc", "mine", NULL};
static const struct preset own_preset = {"p", "of the configuration", own_preset_metrics, false};
static const struct metric_def own_metric = {
	.name = "mine",
	.title = "MINE",
	.unit = "/s",
	.help = "cycles a second\x1b[31m",
	.forms = {{0, NULL, "cycles / interval_s"}},
};
static const struct engine_column own_column = {ENGINE_EVENTS, "cycles,bus-cycles"};
static const struct engine_config own_engine = {
	.columns = &own_column,
	.n_columns = 1,
	.user_metrics = &own_metric,
	.n_user_metrics = 1,
};

static char *print(const struct fk_config *config, enum options_list list, const char *pattern,
		   unsigned width, int *printed, struct error *remark)
{
	struct keymap keymap;
	const struct listing listing = {
		.list = list,
		.themes = &(const struct theme_places){0},
		.keymap = &keymap,
		.pattern = pattern,
		.engine = &own_engine,
		.presets = &own_preset,
		.n_presets = 1,
		.width = width,
	};
	struct notes notes = {0};
	struct fk *fk = fk_new(config);
	struct sys sys = fk_sys(fk);
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	keymap_init(&keymap);
	*printed = listing_print(&listing, &sys, file, &notes, remark);
	notes_fini(&notes);
	fclose(file);
	fk_free(fk);
	return text;
}

static void test_print(void **state)
{
	static const struct fk_config sane = {.cpus = 4};
	static const struct fk_config guest = {.no_pmu = true};
	static const struct fk_config denied = {.denied = EACCES, .paranoid = 3};
	static const struct {
		const char *name;
		const struct fk_config *config;
		enum options_list list;
		const char *pattern;
		unsigned width;
		int printed;
		const char *text, *remark;
	} rows[] = {
		{"an event in a pipe", &sane, OPTIONS_LIST_EVENTS, "bus-cycles", 0, 1,
		 "bus-cycles                               ok       cpu          cycles of the "
		 "bus\n",
		 ""},
		{"events on a terminal", &sane, OPTIONS_LIST_EVENTS, "*or-faults", 80, 2,
		 "software:\n"
		 "  minor-faults                   ok       page faults without reading from a\n"
		 "                                          disk\n"
		 "  major-faults                   ok       page faults that read from a disk\n",
		 ""},
		{"a long name", &sane, OPTIONS_LIST_EVENTS, "uretprobe:", 60, 1,
		 "uprobe:\n"
		 "  uretprobe:/bin/bash:0x31000    -        returns from a\n"
		 "                                          function of a\n"
		 "                                          program\n",
		 ""},
		{"denied", &denied, OPTIONS_LIST_EVENTS, "bus-cycles", 80, 1,
		 "cpu:\n  bus-cycles                     denied   cycles of the bus\n",
		 "perf_event_paranoid=3 denies all counters. To count: sudo pmctop"},
		{"nothing", &sane, OPTIONS_LIST_EVENTS, "no such", 80, 0, "",
		 "No match for 'no such'."},
		{"an own metric", &sane, OPTIONS_LIST_METRICS, "mine", 0, 1,
		 "mine                                     ok       own          MINE: cycles a "
		 "second\xEF\xBF\xBD[31m (/s) = cycles / interval_s\n",
		 ""},
		{"an own preset", &sane, OPTIONS_LIST_PRESETS, "p", 0, -1,
		 "p                                        ok       of the configuration: ipc, "
		 "mine\n",
		 ""},
		{"no preset", &sane, OPTIONS_LIST_PRESETS, "none", 0, 1,
		 "none                                     ok       only what -e and -m name\n",
		 ""},
		{"a preset without figures", &guest, OPTIONS_LIST_PRESETS, "of both TLBs", 0, 1,
		 "tlb                                      n/a      misses of both TLBs and of the "
		 "instruction cache: cpu_percent, ipc, dtlb_mpki, itlb_mpki, l1i_mpki\n",
		 ""},
		{"a preset with some", &guest, OPTIONS_LIST_PRESETS, "IPC of user", 0, 1,
		 "kernel                                   partly   share of the kernel, and IPC "
		 "of "
		 "user and kernel mode: cpu_percent, kernel_percent, ipc, ipc_user, ipc_kernel, "
		 "cs_per_s, faults_per_s\n",
		 ""},
		{"columns", &sane, OPTIONS_LIST_COLUMNS, "bus-*", 0, 1,
		 "bus-cycles                               the event\n", ""},
		{"a theme", &sane, OPTIONS_LIST_THEMES, "nord", 0, 1,
		 "nord                                     Cold and quiet, after the palette of "
		 "Nord\n",
		 ""},
		{"a key", &sane, OPTIONS_LIST_KEYS, "quit", 0, 1,
		 "quit                                     q F10 ^C: quit, or leave the page\n",
		 ""},
		{"own formulas", &sane, OPTIONS_LIST_FORMULAS, "mine", 0, 1,
		 "mine                                     MINE     any: cycles / interval_s\n",
		 ""},
		{"formulas of other CPUs", &sane, OPTIONS_LIST_FORMULAS, "cache_mpki", 80, 5,
		 "  cache_mpki                     caMPKI   Intel (as LLCMPKI): 1000 *\n"
		 "                                          cache-misses / instructions\n",
		 ""},
		{"a verdict", &sane, OPTIONS_LIST_VERDICTS, "kernel-heavy", 0, 1,
		 "kernel                                   tier 6   kernel-heavy: cpu_percent >= "
		 "50 per CPU "
		 "and kernel_percent >= 30, no kernel thread\n",
		 ""},
		{"a mark", &sane, OPTIONS_LIST_MARKS, "n/a", 0, 1,
		 "n/a                                      unsupported: this CPU has no such "
		 "event\n",
		 ""},
		{"a theme's key", &sane, OPTIONS_LIST_PALETTE, "hi_fg", 0, 1,
		 "hi_fg                                    keys, tagged rows\n", ""},
		{"a variable", &sane, OPTIONS_LIST_VARIABLES, "ESC*", 0, 1,
		 "ESCDELAY                                 milliseconds to wait for what follows "
		 "Esc\n",
		 ""},
		{"no variable", &sane, OPTIONS_LIST_VARIABLES, "PMCTOP_X", 0, 0, "",
		 "No match for 'PMCTOP_X'."},
		{"PMUs", &sane, OPTIONS_LIST_PMUS, "cpu", 80, 1,
		 "  cpu                            core     type 4, 0 events, CPUs 0-3, 6 "
		 "counters\n",
		 ""},
		{"denied PMUs", &denied, OPTIONS_LIST_PMUS, "cpu", 80, 1,
		 "  cpu                            core     type 4, 0 events, CPUs 0, denied\n",
		 NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct error remark;
		int printed;
		char *text = print(rows[i].config, rows[i].list, rows[i].pattern, rows[i].width,
				   &printed, &remark);

		if (strncmp(text, rows[i].text, strlen(rows[i].text)) != 0)
			fail_msg("%s:\n%s", rows[i].name, text);
		if (rows[i].remark && strcmp(remark.text, rows[i].remark) != 0)
			fail_msg("%s: %s", rows[i].name, remark.text);
		if (rows[i].printed >= 0)
			assert_int_equal(printed, rows[i].printed);
		free(text);
	}
}

/* No line is wider than the terminal, and in a pipe an entry is a line. */
static void test_widths(void **state)
{
	static const enum options_list lists[] = {
		OPTIONS_LIST_EVENTS,  OPTIONS_LIST_METRICS,  OPTIONS_LIST_PRESETS,
		OPTIONS_LIST_COLUMNS, OPTIONS_LIST_THEMES,   OPTIONS_LIST_PMUS,
		OPTIONS_LIST_KEYS,    OPTIONS_LIST_FORMULAS, OPTIONS_LIST_VERDICTS,
		OPTIONS_LIST_MARKS,   OPTIONS_LIST_PALETTE,  OPTIONS_LIST_VARIABLES,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		struct fk_config no_pmu = {.no_pmu = true};
		struct error remark;
		int printed, lines = 0;
		char *text = print(&no_pmu, lists[i], NULL, 80, &printed, &remark);
		char *rest = NULL;

		assert_true(printed > 0);
		for (char *line = strtok_r(text, "\n", &rest); line;
		     line = strtok_r(NULL, "\n", &rest))
			if (text_width(line) > 80 && strchr(line + 42, ' '))
				fail_msg("too wide: %s", line);
		free(text);
		text = print(&no_pmu, lists[i], NULL, 0, &printed, &remark);
		for (const char *c = text; *c; c++)
			lines += *c == '\n';
		assert_int_equal(lines, printed);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_print),
		cmocka_unit_test(test_widths),
	};

	setenv("LIBPFM_FORCE_PMU", "skl", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
