// SPDX-License-Identifier: MIT
/*
 * The ratios of perf stat, to the last digit that it prints, from counts that it printed on real
 * machines (quoted in public bug reports, documentation and source). tests/live/test_metric_perf.c
 * compares with perf stat on this machine.
 *
 * perf prints a multiplexed count scaled up, followed by the share of the time. Here it is
 * converted back to the raw count and the counting time. A rate is left out if perf printed its
 * clock too coarsely (two digits of a millisecond) for the last digit.
 */
#include "tests/unit/shared/perf_ratio.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct line {
	const char *event;
	double count;
	double percent;         /* of the time that it was counted; 0: all */
	const char *printed[2]; /* "2.50 insn per cycle"; NULL: nothing */
};

struct output {
	const char *machine;
	double task_clock_ms, elapsed_s; /* 0: not printed, no ratio needs it */
	struct line lines[16];
};

static const struct output outputs[] = {
	{"Intel, a loop, every level",
	 1987.561576,
	 1.988068021,
	 {
		 {"task-clock", 0, 0, {"1.000 CPUs utilized"}},
		 {"context-switches", 2, 0, {"0.001 K/sec"}},
		 {"page-faults", 39, 0, {"0.020 K/sec"}},
		 {"cycles", 5037506873, 30.71, {"2.535 GHz"}},
		 {"instructions", 20043572014, 38.56, {"3.98 insn per cycle"}},
		 {"branches", 10600102, 38.76, {"5.333 M/sec"}},
		 {"branch-misses", 31028, 38.82, {"0.29% of all branches"}},
		 {"L1-dcache-loads", 21060842, 38.82, {"10.596 M/sec"}},
		 {"L1-dcache-load-misses", 37500, 38.70, {"0.18% of all L1-dcache accesses"}},
		 {"LLC-loads", 7415, 30.65, {"0.004 M/sec"}},
		 {"LLC-load-misses", 4361, 30.59, {"58.81% of all LL-cache accesses"}},
		 {"dTLB-loads", 20842244, 30.59, {"10.486 M/sec"}},
		 {"dTLB-load-misses", 1295, 30.59, {"0.01% of all dTLB cache accesses"}},
	 }},
	{"Intel Xeon, 26 % of the time",
	 1557693.292698,
	 0,
	 {
		 {"context-switches", 74195, 0, {"0.048 K/sec"}},
		 {"page-faults", 3024, 0, {"0.002 K/sec"}},
		 {"cycles", 4656051120402, 26.67, {"2.989 GHz"}},
		 {"stalled-cycles-frontend", 2744277729846, 26.66, {"58.94% frontend cycles idle"}},
		 {"instructions",
		  6167474816150,
		  33.33,
		  {"1.32 insn per cycle", "0.44 stalled frontend cycles per insn"}},
		 {"branches", 825020404638, 33.33, {"529.642 M/sec"}},
		 {"branch-misses", 6905841959, 33.33, {"0.84% of all branches"}},
		 {"L1-dcache-loads", 2084878017360, 26.66, {"1338.439 M/sec"}},
		 {"L1-dcache-load-misses", 49554922723, 13.33, {"2.38% of all L1-dcache accesses"}},
	 }},
	{"AMD Phenom to Bulldozer, dense loops",
	 7763.353834,
	 7.768514309,
	 {
		 {"task-clock", 0, 0, {"0.999 CPUs utilized"}},
		 {"context-switches", 30, 0, {"0.004 K/sec"}},
		 {"page-faults", 262780, 0, {"0.034 M/sec"}},
		 {"cycles", 20762623489, 83.32, {"2.674 GHz"}},
		 {"stalled-cycles-frontend", 2715196375, 83.32, {"13.08% frontend cycles idle"}},
		 {"stalled-cycles-backend", 944555212, 66.64, {"4.55% backend cycles idle"}},
		 {"instructions",
		  56070804002,
		  83.36,
		  {"2.70 insn per cycle", "0.05 stalled cycles per insn"}},
		 {"branches", 835478687, 83.37, {"107.618 M/sec"}},
		 {"branch-misses", 14738790, 83.36, {"1.76% of all branches"}},
	 }},
	{"AMD Zen 2, binary search",
	 646.07,
	 0.647801770,
	 {
		 {"task-clock", 0, 0, {"0.997 CPUs utilized"}},
		 {"cycles", 852125255, 83.35, {"1.319 GHz"}},
		 {"stalled-cycles-frontend", 28475954, 83.30, {"3.34% frontend cycles idle"}},
		 {"stalled-cycles-backend", 10460937, 83.28, {"1.23% backend cycles idle"}},
		 {"instructions",
		  479175388,
		  83.28,
		  {"0.56 insn per cycle", "0.06 stalled cycles per insn"}},
		 {"branches", 122705572, 83.32, {NULL}},
		 {"branch-misses", 19229451, 83.47, {"15.67% of all branches"}},
	 }},
	{"AMD Zen 2, binary search, caches",
	 0,
	 0,
	 {
		 {"cache-references", 91002054, 0, {NULL}},
		 {"cache-misses", 44991746, 0, {"49.440% of all cache refs"}},
	 }},
	{"AMD Zen 3, a third of the time",
	 15779.15,
	 0,
	 {
		 {"context-switches", 45, 0, {"2.852 /sec"}},
		 {"page-faults", 1036, 0, {"65.656 /sec"}},
		 {"cycles", 68073803810, 33.34, {"4.314 GHz"}},
		 {"stalled-cycles-frontend", 45545604, 33.35, {"0.07% frontend cycles idle"}},
		 {"stalled-cycles-backend", 2468310925, 33.35, {"3.63% backend cycles idle"}},
		 {"instructions",
		  313033620392,
		  33.35,
		  {"4.60 insn per cycle", "0.01 stalled cycles per insn"}},
		 {"branches", 82264951313, 33.35, {"5.214 G/sec"}},
		 {"branch-misses", 24416726, 33.34, {"0.03% of all branches"}},
		 {"L1-dcache-loads", 66441914696, 33.33, {"4.211 G/sec"}},
		 {"L1-dcache-load-misses", 257591068, 33.33, {"0.39% of all L1-dcache accesses"}},
		 {"L1-icache-loads", 698109507, 33.33, {"44.243 M/sec"}},
		 {"L1-icache-load-misses", 500054, 33.33, {"0.07% of all L1-icache accesses"}},
	 }},
	{"AMD Zen 4 at 5.5 GHz",
	 5559.52,
	 5.560120045,
	 {
		 {"task-clock", 0, 0, {"1.000 CPUs utilized"}},
		 {"context-switches", 36, 0, {"6.475 /sec"}},
		 {"page-faults", 440144, 0, {"79.169 K/sec"}},
		 {"cycles", 30774636581, 62.44, {"5.535 GHz"}},
		 {"stalled-cycles-frontend", 3859518, 62.44, {"0.01% frontend cycles idle"}},
		 {"stalled-cycles-backend", 123237512, 62.44, {"0.40% backend cycles idle"}},
		 {"instructions",
		  61062557155,
		  62.51,
		  {"1.98 insn per cycle", "0.00 stalled cycles per insn"}},
		 {"branches", 7800759258, 62.58, {"1.403 G/sec"}},
		 {"branch-misses", 4414147, 62.60, {"0.06% of all branches"}},
		 {"L1-dcache-loads", 6421723136, 62.53, {"1.155 G/sec"}},
		 {"L1-dcache-load-misses", 120534495, 62.46, {"1.88% of all L1-dcache accesses"}},
	 }},
	{"AMD Ryzen, a benchmark's build",
	 4486.33,
	 4.482230133,
	 {
		 {"task-clock", 0, 0, {"1.001 CPUs utilized"}},
		 {"context-switches", 678, 0, {"151.126 /sec"}},
		 {"cpu-migrations", 152, 0, {"33.881 /sec"}},
		 {"page-faults", 72849, 0, {"16.238 K/sec"}},
		 {"cycles", 17260463951, 84.07, {"3.847 GHz"}},
		 {"stalled-cycles-frontend", 238723965, 84.13, {"1.38% frontend cycles idle"}},
		 {"stalled-cycles-backend", 11449836029, 83.68, {"66.34% backend cycles idle"}},
		 {"instructions",
		  37087407432,
		  83.83,
		  {"2.15 insn per cycle", "0.31 stalled cycles per insn"}},
		 {"branches", 6130965765, 84.06, {"1.367 G/sec"}},
		 {"branch-misses", 14031568, 84.13, {"0.23% of all branches"}},
	 }},
	{"AMD Ryzen, four threads that wait for memory",
	 1813.48,
	 0.453991307,
	 {
		 {"task-clock", 0, 0, {"3.995 CPUs utilized"}},
		 {"page-faults", 5391, 0, {"2.973 K/sec"}},
		 {"cycles", 5489758361, 62.83, {"3.027 GHz"}},
		 {"stalled-cycles-frontend", 24304631, 63.52, {"0.44% frontend cycles idle"}},
		 {"stalled-cycles-backend", 4919669301, 63.22, {"89.62% backend cycles idle"}},
		 {"instructions",
		  1621028803,
		  62.70,
		  {"0.30 insn per cycle", "3.03 stalled cycles per insn"}},
		 {"branches", 243012678, 62.66, {"134.004 M/sec"}},
		 {"branch-misses", 743881, 62.60, {"0.31% of all branches"}},
		 {"L1-dcache-loads", 885281809, 62.46, {NULL}},
		 {"L1-dcache-load-misses", 15952739, 62.11, {"1.80% of all L1-dcache accesses"}},
	 }},
	{"AMD EPYC, 36 CPUs for ten minutes",
	 23048674.55,
	 642.008618457,
	 {
		 {"task-clock", 0, 0, {"35.901 CPUs utilized"}},
		 {"context-switches", 6627669, 0, {"0.288 K/sec"}},
		 {"page-faults", 119085703, 0, {"0.005 M/sec"}},
		 {"cycles", 91429892293048, 83.33, {"3.967 GHz"}},
		 {"stalled-cycles-frontend",
		  13895432483288,
		  83.33,
		  {"15.20% frontend cycles idle"}},
		 {"stalled-cycles-backend", 3277370121317, 83.33, {"3.58% backend cycles idle"}},
		 {"instructions",
		  16689799241313,
		  83.33,
		  {"0.18 insn per cycle", "0.83 stalled cycles per insn"}},
		 {"branches", 3413731599819, 83.33, {"148.110 M/sec"}},
		 {"branch-misses", 11861890556, 83.34, {"0.35% of all branches"}},
	 }},
	{"AMD, a program with two threads",
	 638548.25,
	 319.302925821,
	 {
		 {"task-clock", 0, 0, {"2.000 CPUs utilized"}},
		 {"page-faults", 14249, 0, {"22.315 /sec"}},
		 {"cycles", 1624700003936, 66.67, {"2.544 GHz"}},
		 {"stalled-cycles-frontend", 42180370259, 66.67, {"2.60% frontend cycles idle"}},
		 {"stalled-cycles-backend", 552418287619, 66.67, {"34.00% backend cycles idle"}},
		 {"instructions",
		  2717021675790,
		  66.67,
		  {"1.67 insn per cycle", "0.20 stalled cycles per insn"}},
		 {"branches", 422866459476, 66.67, {"662.231 M/sec"}},
		 {"branch-misses", 1166795655, 66.67, {"0.28% of all branches"}},
	 }},
	{"Intel, an interpreter",
	 873.57,
	 0.880631859,
	 {
		 {"task-clock", 0, 0, {"0.992 CPUs utilized"}},
		 {"branches", 1775489519, 74.45, {NULL}},
		 {"branch-misses", 3948943, 75.46, {"0.22% of all branches"}},
		 {"cache-references", 8231431, 49.61, {"9.423 M/sec"}},
		 {"cache-misses", 1384995, 50.08, {"16.826% of all cache refs"}},
		 {"cycles", 2703461765, 61.86, {"3.095 GHz"}},
		 {"instructions", 8938232421, 74.55, {"3.31 insn per cycle"}},
		 {"page-faults", 215, 0, {"0.246 K/sec"}},
	 }},
	{"Intel, a reader of market data",
	 18827.141572,
	 18.830887616,
	 {
		 {"task-clock", 0, 0, {"1.000 CPUs utilized"}},
		 {"cycles", 60585157123, 83.33, {"3.218 GHz"}},
		 {"instructions", 151177574158, 83.34, {"2.50 insn per cycle"}},
		 {"cache-references", 388778133, 83.33, {"20.650 M/sec"}},
		 {"cache-misses", 14722783, 83.34, {"3.79% of all cache refs"}},
		 {"branches", 37579466463, 83.33, {"1.996 G/sec"}},
		 {"branch-misses", 192320333, 83.34, {"0.51% of all branches"}},
	 }},
	{"Intel, Java",
	 0,
	 0,
	 {
		 {"cycles", 55119796533, 66.61, {NULL}},
		 {"instructions", 136893417782, 83.30, {"2.48 insn per cycle"}},
		 {"cache-references", 390678706, 83.37, {NULL}},
		 {"cache-misses", 75572218, 83.38, {"19.344% of all cache refs"}},
		 {"branches", 21262585640, 83.36, {NULL}},
		 {"branch-misses", 138715626, 83.40, {"0.65% of all branches"}},
	 }},
	{"Intel Nehalem E5520",
	 0,
	 0,
	 {
		 {"cache-references", 66267785, 49.78, {NULL}},
		 {"cache-misses", 35455940, 49.45, {"53.504% of all cache refs"}},
	 }},
	{"Intel i7-8550U",
	 0,
	 0,
	 {
		 {"cache-references", 55384535, 0, {NULL}},
		 {"cache-misses", 22779399, 0, {"41.13% of all cache refs"}},
	 }},
	{"Intel, the whole machine, nothing multiplexed",
	 0,
	 0,
	 {
		 {"instructions", 25415217, 0, {"0.59 insn per cycle"}},
		 {"cycles", 43439470, 0, {NULL}},
		 {"cache-references", 340938, 0, {NULL}},
		 {"cache-misses", 69277, 0, {"20.320% of all cache refs"}},
	 }},
	{"Intel, a third of the time, every level",
	 0,
	 0,
	 {
		 {"branches", 277515547361, 38.47, {NULL}},
		 {"branch-misses", 2446979868, 38.47, {"0.88% of all branches"}},
		 {"L1-dcache-loads", 652935209234, 38.47, {NULL}},
		 {"L1-dcache-load-misses", 27283190852, 30.78, {"4.18% of all L1-dcache accesses"}},
		 {"LLC-loads", 3240284982, 30.78, {NULL}},
		 {"LLC-load-misses", 2594296464, 30.77, {"80.06% of all LL-cache accesses"}},
		 {"dTLB-loads", 652932689182, 30.76, {NULL}},
		 {"dTLB-load-misses", 239082304, 30.75, {"0.04% of all dTLB cache accesses"}},
		 {"iTLB-loads", 272519199, 30.76, {NULL}},
		 {"iTLB-load-misses", 210660969, 30.77, {"77.30% of all iTLB cache accesses"}},
	 }},
	{"Intel, iTLB misses beyond its loads",
	 0,
	 0,
	 {
		 {"branches", 60313022, 38.89, {NULL}},
		 {"branch-misses", 2766919, 39.26, {"4.59% of all branches"}},
		 {"L1-dcache-loads", 74422951, 39.39, {NULL}},
		 {"L1-dcache-load-misses", 8025568, 39.22, {"10.78% of all L1-dcache accesses"}},
		 {"LLC-loads", 3314995, 30.83, {NULL}},
		 {"LLC-load-misses", 1225619, 30.45, {"36.97% of all LL-cache accesses"}},
		 {"dTLB-loads", 58017947, 30.37, {NULL}},
		 {"dTLB-load-misses", 704677, 30.27, {"1.21% of all dTLB cache accesses"}},
		 {"iTLB-loads", 234225, 30.29, {NULL}},
		 {"iTLB-load-misses", 417166, 30.32, {"178.10% of all iTLB cache accesses"}},
	 }},
	{"Arm Cortex-A76",
	 0,
	 0,
	 {
		 {"instructions", 10002762164, 0, {"0.22 insn per cycle"}},
		 {"cycles", 45157063927, 0, {NULL}},
	 }},
	{"Arm Cortex-A76, stalls",
	 0,
	 0,
	 {
		 {"cycles", 44847565198, 0, {NULL}},
		 {"stalled-cycles-backend", 37845044034, 0, {"84.39% backend cycles idle"}},
		 {"stalled-cycles-frontend", 706422, 0, {"0.00% frontend cycles idle"}},
	 }},
	{"Arm server, copying memory",
	 0,
	 0,
	 {
		 {"LLC-loads", 1643946443, 0, {NULL}},
		 {"LLC-load-misses", 35534262, 0, {"2.16% of all LL-cache accesses"}},
	 }},
	{"Arm server, 7 counters for 10 events",
	 0,
	 0,
	 {
		 {"L1-icache-loads", 580887696, 70.03, {NULL}},
		 {"L1-icache-load-misses", 77855, 70.03, {"0.01% of all L1-icache accesses"}},
	 }},
};

static void as_perf_printed_them(void **state)
{
	unsigned figures = 0, scaled = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(outputs); i++) {
		const struct output *output = &outputs[i];
		struct counted_event events[ARRAY_SIZE(output->lines)];
		struct counted counted;
		size_t n = 0;

		for (; n < ARRAY_SIZE(output->lines) && output->lines[n].event; n++)
			events[n] = (struct counted_event){
				.name = output->lines[n].event,
				.count = output->lines[n].count,
				.share = output->lines[n].percent > 0
						 ? output->lines[n].percent / 100
						 : 1};
		/* If the clock was not printed, no ratio needs it, but shares do. */
		counted_init(&counted,
			     output->task_clock_ms > 0 ? output->task_clock_ms / 1e3 : 1000,
			     output->elapsed_s, events, n);
		for (size_t k = 0; k < n; k++)
			for (size_t p = 0; p < 2 && output->lines[k].printed[p]; p++) {
				struct figure figure =
					perf_ratio_check(&counted, output->machine, events[k].name,
							 output->lines[k].printed[p]);

				figures++;
				scaled += figure.state == FIGURE_SCALED;
				/* Multiplexed counts are SCALED. */
				if (output->lines[k].percent > 0)
					assert_int_equal(figure.state, FIGURE_SCALED);
			}
		counted_fini(&counted);
	}
	print_message("# %u figures, %u of them multiplexed, in %zu outputs\n", figures, scaled,
		      ARRAY_SIZE(outputs));
	assert_true(figures >= 100 && scaled >= 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_perf_printed_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
