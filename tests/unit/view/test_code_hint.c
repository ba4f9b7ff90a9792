// SPDX-License-Identifier: MIT
/* How functions that lack names get them, by the stacks of their samples. */
#include "core/view/code_hint.h"

#include "core/base/util.h"
#include "core/view/code_together.h"
#include "tests/unit/shared/profile_samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MADE "[unknown]@[anon]!" CODE_WHY_COMPILED

static void names_the_remedy(void **state)
{
	static const struct {
		const char *name;
		const char *stacks[3]; /* 5, 50 and 45 samples */
		const char *want;      /* a part of the hint; NULL: none */
	} rows[] = {
		{"a program with names", {"f@a.out", "g@a.out", "main@a.out"}, NULL},
		{"node",
		 {"f@a.out", MADE ";" MADE ";_start@node", "Builtins_Call@node"},
		 "--perf-basic-prof"},
		{"its library", {"f@a.out", MADE ";Start@libnode.so.108"}, "--perf-basic-prof"},
		{"node with names", {"f@a.out", "JS:~inner@[jit];_start@node", "g@node"}, NULL},
		{"java", {"f@a.out", MADE ";JavaMain@libjvm.so"}, "Compiler.perfmap"},
		{"another compiler", {"f@a.out", MADE ";main@luajit"}, "/tmp/perf-PID.map"},
		{"little of it", {MADE ";_start@node", "f@a.out", "g@a.out"}, NULL},
		{"python",
		 {"f@a.out", "_PyEval@libpython3.11.so.1.0", "malloc@libc.so.6"},
		 "-X perf"},
		{"python in one file", {"f@a.out", "_PyEval@python3.12"}, "-X perf"},
		{"python with names",
		 {"f@a.out", "_PyEval@python3.12;py::inner:/x.py@[jit];_PyEval@python3.12"},
		 NULL},
		{"python that calls a library",
		 {"_PyEval@python3.12", "dgemm@libblas.so;_PyEval@python3.12", "memcpy@libc.so.6"},
		 NULL},
		{"no samples", {NULL}, NULL},
	};
	static const unsigned samples[] = {5, 50, 45};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct profile_samples from[ARRAY_SIZE(samples)];
		const struct code_event events[] = {{.name = "cycles"}, {.name = "faults"}};
		size_t n = 0;

		for (; n < ARRAY_SIZE(samples) && rows[i].stacks[n]; n++)
			from[n] = (struct profile_samples){
				.event = "cycles",
				.stack = rows[i].stacks[n],
				.samples = samples[n],
				.weight = samples[n],
			};
		struct code_profile *profile =
			profile_of_samples(events, ARRAY_SIZE(events), from, n);
		struct code_profile *together = code_together_new(profile);
		const char *hint = code_hint(together ? together : profile, 0);
		if (!hint != !rows[i].want || (hint && !strstr(hint, rows[i].want)))
			fail_msg("%s: %s", rows[i].name, hint ? hint : "no hint");
		assert_true(!hint || strlen(hint) <= 80);
		assert_null(code_hint(together ? together : profile, 1));
		code_together_free(together);
		code_profile_free(profile);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_the_remedy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
