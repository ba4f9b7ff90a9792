// SPDX-License-Identifier: MIT
/*
 * The machines of machines.h: the groups of events that open on them, the groups that run, with
 * the NMI watchdog and without, and the text of their files.
 */
#include "tests/fake_kernel/machines.h"
#include "tests/unit/shared/two_tasks.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

/*
 * Events of a group, a letter each: c cycles, i instructions, r ref-cycles, b branches, m
 * branch-misses, a cache-references, e cache-misses, l L1D misses, s a software event, and other
 * capitals raw ones.
 */
static struct perf_event_attr letter_attr(char letter)
{
	static const struct {
		char letter;
		uint32_t type;
		uint64_t config;
	} rows[] = {
		{'c', PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
		{'i', PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
		{'r', PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
		{'b', PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
		{'m', PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
		{'a', PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
		{'e', PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
		{'l', PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_RESULT_MISS << 16},
		{'s', PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].letter == letter)
			return attr_counting(rows[i].type, rows[i].config);
	return attr_counting(PERF_TYPE_RAW, 0x100u + (unsigned char)letter);
}

struct letters {
	int fds[16];
	size_t n;
	int error; /* of the first that did not open */
};

/* After a '-' the event is disabled. */
static struct letters open_letters(const struct sys *sys, int cpu, const char *group)
{
	struct letters letters = {.n = 0};

	for (const char *letter = group; *letter && !letters.error; letter++) {
		bool disabled = *letter == '-';
		struct perf_event_attr attr = letter_attr(*(letter += disabled));
		attr.disabled = disabled;
		int fd = sys_perf_open(sys, &attr, -1, cpu, letters.n ? letters.fds[0] : -1, 0);

		if (fd < 0)
			letters.error = fd;
		else
			letters.fds[letters.n++] = fd;
	}
	return letters;
}

static void close_letters(const struct sys *sys, struct letters *letters)
{
	while (letters->n)
		sys_close(sys, letters->fds[--letters->n]);
}

enum fate { REFUSED, WAITS, RUNS };

static void groups_open_and_run_where_they_fit(void **state)
{
	(void)state;
	const struct fk_config *intel = &fk_machine_intel, *zen = &fk_machine_zen;
	const struct fk_config *arm = &fk_machine_neoverse, *hybrid = &fk_machine_hybrid;
	static const struct fk_pmu picky = {.name = "cpu",
					    .type = PERF_TYPE_RAW,
					    .last_cpu = FK_LAST_CPU,
					    .events = FK_ALL_HARDWARE,
					    .runs_at_most = 3};
	static const struct fk_config never = {.pmus = &picky, .n_pmus = 1};
	const struct {
		const char *name;
		const struct fk_config *config;
		const char *group;
		int cpu;
		enum fate quiet, watched; /* without and with the NMI watchdog */
	} rows[] = {
		{"intel 4 general", intel, "ABCD", 0, RUNS, RUNS},
		{"intel 4 general and software", intel, "ABCDss", 0, RUNS, RUNS},
		{"intel 5 general", intel, "ABCDE", 0, REFUSED, REFUSED},
		{"intel 4 general, 3 fixed", intel, "ABCDcir", 0, RUNS, WAITS},
		{"intel 4 general, cycles", intel, "ABCDc", 0, RUNS, WAITS},
		{"intel cycles first", intel, "cABCD", 0, RUNS, WAITS},
		{"intel 3 general, cycles", intel, "ABCc", 0, RUNS, RUNS},
		{"intel 4 general, instructions", intel, "ABCDi", 0, RUNS, RUNS},
		{"intel 4 general, ref-cycles", intel, "ABCDr", 0, RUNS, RUNS},
		{"intel cycles twice", intel, "ABCcc", 0, RUNS, WAITS},
		{"intel cycles twice too many", intel, "ABCDcc", 0, REFUSED, REFUSED},
		{"intel ref-cycles twice", intel, "rr", 0, REFUSED, REFUSED},
		{"intel cycles alone", intel, "c", 0, RUNS, RUNS},
		{"zen 6", zen, "ciABCD", 0, RUNS, WAITS},
		{"zen 5", zen, "ciABC", 0, RUNS, RUNS},
		{"zen 7", zen, "ciABCDE", 0, REFUSED, REFUSED},
		{"zen cycles twice", zen, "cciABC", 0, RUNS, WAITS},
		{"arm 6 general", arm, "ABCDEF", 0, RUNS, RUNS},
		{"arm 6 general, cycles", arm, "ABCDEFc", 0, RUNS, WAITS},
		{"arm instructions are general", arm, "ABCDEFi", 0, REFUSED, REFUSED},
		{"arm without cycles", arm, "iABCDE", 0, RUNS, RUNS},
		{"arm branches", arm, "b", 0, REFUSED, REFUSED},
		{"core 6 general, 3 fixed", hybrid, "ABCDEFcir", 1, RUNS, WAITS},
		{"atom 6 general, 3 fixed", hybrid, "cirbmaec", 3, RUNS, RUNS},
		{"atom L1D misses", hybrid, "cl", 3, REFUSED, REFUSED},
		{"core L1D misses", hybrid, "cl", 1, RUNS, RUNS},
		{"arm 7, leader disabled", arm, "-ABCDEFG", 0, WAITS, WAITS},
		{"arm 8, leader disabled", arm, "-ABCDEFGH", 0, REFUSED, REFUSED},
		{"arm cycles and 6, leader disabled", arm, "-cABCDEF", 0, RUNS, WAITS},
		{"arm cycles and 7, leader disabled", arm, "-cABCDEFG", 0, REFUSED, REFUSED},
		{"arm cycles twice, leader disabled", arm, "-ABCDEFcc", 0, WAITS, WAITS},
		{"arm 8, all disabled", arm, "-A-B-C-D-E-F-G-H", 0, WAITS, WAITS},
		{"intel 5, leader disabled", intel, "-ABCDE", 0, REFUSED, REFUSED},
		{"intel 5, siblings disabled", intel, "A-B-C-D-E", 0, WAITS, WAITS},
		{"as many as run", &never, "cis", 0, RUNS, RUNS},
		{"one more than runs", &never, "ciABs", 0, WAITS, WAITS},
		{"more than open", &never, "ciABCDE", 0, REFUSED, REFUSED},
	};

	for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		bool watched = i % 2;
		enum fate expected = watched ? rows[i / 2].watched : rows[i / 2].quiet;
		struct fk *fk = fk_new(rows[i / 2].config);
		struct sys sys = fk_sys(fk);
		enum fate fate = REFUSED;

		fk_watchdog(fk, watched);
		struct letters letters = open_letters(&sys, rows[i / 2].cpu, rows[i / 2].group);
		if (!letters.error) {
			sys_perf_ioctl(&sys, letters.fds[0], PERF_EVENT_IOC_ENABLE,
				       PERF_IOC_FLAG_GROUP);
			fk_advance(fk, 1000);
			struct reading reading = reading_take(&sys, letters.fds[0]);
			assert_int_equal(reading.nr, letters.n);
			assert_int_equal(reading.enabled_ns, 1000);
			fate = reading.running_ns == 1000 ? RUNS : WAITS;
			assert_int_equal(reading.running_ns, fate == RUNS ? 1000 : 0);
		}
		if (fate != expected)
			fail_msg("%s, %s: %d (error %d)", rows[i / 2].name,
				 watched ? "watched" : "not watched", fate, letters.error);
		close_letters(&sys, &letters);
		finish(fk);
	}
}

/* The number of free counters changes while groups wait. */
static void groups_wait_for_the_watchdog(void **state)
{
	(void)state;
	struct fk *fk = fk_new(&fk_machine_intel);
	struct sys sys = fk_sys(fk);
	struct letters letters = open_letters(&sys, 2, "cABCD");
	char text[16];
	static const struct {
		const char *name;
		bool watchdog;
		unsigned hold;
		uint64_t running_ns; /* of 100 */
	} rows[] = {
		{"free", false, 0, 100},
		{"watched", true, 0, 0},
		{"free again", false, 0, 100},
		{"one held", false, 1, 0},
		{"all held", false, FK_HOLD_ALL, 0},
		{"all held and watched", true, FK_HOLD_ALL, 0},
		{"free in the end", false, 0, 100},
	};
	uint64_t running_ns = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		fk_watchdog(fk, rows[i].watchdog);
		fk_hold(fk, 2, rows[i].hold);
		fk_advance(fk, 100);
		running_ns += rows[i].running_ns;
		struct reading reading = reading_take(&sys, letters.fds[0]);
		assert_int_equal(reading.enabled_ns, 100 * (i + 1));
		if (reading.running_ns != running_ns)
			fail_msg("%s: %llu", rows[i].name, (unsigned long long)reading.running_ns);
		sys_file_read(&sys, "/proc/sys/kernel/nmi_watchdog", text, sizeof(text));
		assert_string_equal(text, rows[i].watchdog ? "1\n" : "0\n");
	}
	close_letters(&sys, &letters);
	finish(fk);
}

/* Two groups, and the counters that the first leaves to the second. */
static void groups_share_what_is_free(void **state)
{
	(void)state;
	static const struct {
		const char *name, *first, *second;
		bool second_runs;
	} rows[] = {
		{"half and half", "cAB", "iCD", true},
		{"cycles twice, one general", "cAB", "cC", true},
		{"cycles twice, none general", "cABC", "cD", false},
		{"one too many", "cAB", "iCDE", false},
		{"fixed only", "ABCD", "cir", true},
		{"ref-cycles twice", "r", "r", false},
		{"software only", "ABCDcir", "ss", true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = fk_new(&fk_machine_intel);
		struct sys sys = fk_sys(fk);
		struct letters first = open_letters(&sys, 0, rows[i].first);
		struct letters second = open_letters(&sys, 0, rows[i].second);

		assert_int_equal(first.error, 0);
		assert_int_equal(second.error, 0);
		fk_advance(fk, 100);
		assert_int_equal(reading_take(&sys, first.fds[0]).running_ns, 100);
		uint64_t shared_ns = reading_take(&sys, second.fds[0]).running_ns;
		if (shared_ns != (rows[i].second_runs ? 100 : 0))
			fail_msg("%s: %llu", rows[i].name, (unsigned long long)shared_ns);
		/* Disabling the leader disables its group. The other can use all counters. */
		sys_perf_ioctl(&sys, first.fds[0], PERF_EVENT_IOC_DISABLE, 0);
		sys_perf_ioctl(&sys, second.fds[0], PERF_EVENT_IOC_DISABLE, 0);
		sys_perf_ioctl(&sys, second.fds[0], PERF_EVENT_IOC_ENABLE, 0);
		fk_advance(fk, 100);
		assert_int_equal(reading_take(&sys, first.fds[0]).running_ns, 100);
		assert_int_equal(reading_take(&sys, first.fds[0]).enabled_ns, 100);
		assert_int_equal(reading_take(&sys, second.fds[0]).running_ns, shared_ns + 100);
		assert_int_equal(reading_take(&sys, second.fds[0]).enabled_ns, 200);
		close_letters(&sys, &second);
		close_letters(&sys, &first);
		finish(fk);
	}
}

/* A waiting group gets free counters only at an enable or when the timer fires. */
static void waiting_groups_start_only_when_tried(void **state)
{
	(void)state;
	static const struct {
		const char *name, *first, *second;
		const char *actions; /* +1 enables the first, -1 disables it, c closes it; t waits
					until the timer fires */
		bool first_runs, second_runs;
	} rows[] = {
		{"first come", "ABCD", "iE", "+1+2", true, false},
		{"the second still waits", "ABCD", "iE", "+1+2-1", false, false},
		{"still after the first is closed", "ABCD", "iE", "+1+2c", false, false},
		{"the second's turn", "ABCD", "iE", "+1+2t", false, true},
		{"the first's turn", "ABCD", "iE", "+1+2tt", true, false},
		{"after the timer", "ABCD", "iE", "+1+2-1t", false, true},
		{"disabled before", "ABCD", "iE", "+1-1+2", false, true},
		{"disabled after, enabled again", "ABCD", "iE", "+1+2-1-2+2", false, true},
		{"enabled again", "ABCD", "iE", "+1+2-1+1", true, false},
		{"both fit", "AB", "iE", "+1+2tt", true, true},
		{"one that never fits blocks others", "ABCDc", "iE", "+1+2", false, false},
		{"for one turn", "ABCDc", "iE", "+1+2t", false, true},
		{"of two", "ABCDc", "iE", "+1+2tt", false, false},
		{"software never waits", "ABCD", "ss", "+1+2", true, true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = fk_new(&fk_machine_intel);
		struct sys sys = fk_sys(fk);
		struct letters groups[2];
		const char *group_names[] = {rows[i].first, rows[i].second};
		uint64_t running_ns[2];

		fk_watchdog(fk, true);
		for (int g = 0; g < 2; g++) {
			groups[g] = open_letters(&sys, 0, group_names[g]);
			assert_int_equal(groups[g].error, 0);
			sys_perf_ioctl(&sys, groups[g].fds[0], PERF_EVENT_IOC_DISABLE, 0);
		}
		for (const char *action = rows[i].actions; *action; action++) {
			if (*action == 't') {
				fk_advance(fk, FK_ROTATE_NS);
			} else if (*action == 'c') {
				close_letters(&sys, &groups[0]);
			} else {
				unsigned long request = *action == '+' ? PERF_EVENT_IOC_ENABLE
								       : PERF_EVENT_IOC_DISABLE;
				action++;
				sys_perf_ioctl(&sys, groups[*action - '1'].fds[0], request, 0);
			}
		}
		for (int g = 0; g < 2; g++)
			running_ns[g] =
				groups[g].n ? reading_take(&sys, groups[g].fds[0]).running_ns : 0;
		fk_advance(fk, 1000);
		for (int g = 0; g < 2; g++) {
			uint64_t runs_ns =
				groups[g].n ? reading_take(&sys, groups[g].fds[0]).running_ns : 0;
			bool runs = g ? rows[i].second_runs : rows[i].first_runs;

			if (runs_ns - running_ns[g] != (runs ? 1000 : 0))
				fail_msg("%s: group %d", rows[i].name, g + 1);
			close_letters(&sys, &groups[g]);
		}
		finish(fk);
	}
}

/*
 * Two groups with counters in turns and a group of software events write to one ring. The enabled
 * group and the third write records, with the id of the group that was enabled last (on old
 * kernels, with their own).
 */
static void hardware_groups_take_turns_beside_a_software_group(void **state)
{
	struct fk_config config = fk_machine_intel;

	config.own_samples = *state != NULL;
	struct fk *fk = two_tasks_new(&config);
	struct sys sys = fk_sys(fk);
	const struct perf_event_attr first[] = {letter_attr('c'), letter_attr('i'),
						letter_attr('A'), letter_attr('B'),
						letter_attr('C'), letter_attr('D')};
	const struct perf_event_attr second[] = {letter_attr('c'), letter_attr('b'),
						 letter_attr('m')};
	const struct perf_event_attr clock =
		attr_counting(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	enum { FIRST, SECOND, THIRD };
	struct perf_group groups[3];

	perf_group_open(&groups[FIRST], &sys, 0, 4, first, ARRAY_SIZE(first));
	perf_group_join(&groups[SECOND], &groups[FIRST], 0, second, ARRAY_SIZE(second));
	perf_group_join(&groups[THIRD], &groups[FIRST], 0, &clock, 1);
	perf_group_enable(&groups[THIRD]);
	fk_switch(fk, 0, 7);
	reader_all(groups[FIRST].page, NULL, 0);
	for (unsigned turn = 0; turn < 10; turn++) {
		const struct perf_group *on = &groups[turn % 2 ? SECOND : FIRST];
		const struct perf_group *order[] = {on, &groups[THIRD]};
		struct reading before = reading_take(&sys, on->fds[0]);
		struct reader_record record;

		perf_group_enable(on);
		fk_advance(fk, 100);
		fk_switch(fk, 0, turn % 2 ? 7 : 8);
		fk_advance(fk, 50);
		perf_group_disable(on);
		struct reading after = reading_take(&sys, on->fds[0]);
		fk_advance(fk, 25);
		for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
			assert_true(reader_next(groups[FIRST].page, &record));
			assert_int_equal(record.nr, order[i]->n);
			const struct perf_group *named = config.own_samples ? order[i] : on;
			assert_int_equal(record.id, named->ids[named->switches]);
			assert_int_equal(record.tid, turn % 2 ? 8 : 7);
			if (order[i] != on) {
				assert_int_equal(record.values[order[i]->switches], turn + 2);
				assert_int_equal(record.enabled_ns, 175 * turn + 100);
				continue;
			}
			/* Two cycles a ns of task 7, one of task 8. */
			assert_int_equal(record.values[0],
					 before.values[0] + (turn % 2 ? 100 : 200));
			assert_int_equal(record.values[on->switches], turn / 2 + 1);
			assert_int_equal(record.enabled_ns, turn / 2 * 150 + 100);
			assert_int_equal(record.running_ns, record.enabled_ns);
		}
		assert_false(reader_next(groups[FIRST].page, &record));
		assert_int_equal(after.values[0], before.values[0] + (turn % 2 ? 200 : 250));
		assert_int_equal(after.values[on->switches], turn / 2 + 1);
		assert_int_equal(after.enabled_ns, before.enabled_ns + 150);
	}
	perf_group_close(&groups[THIRD]);
	perf_group_close(&groups[SECOND]);
	perf_group_close(&groups[FIRST]);
	finish(fk);
}

static void machines_have_their_files(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		const struct fk_config *config;
		const char *path, *part; /* NULL: ENOENT */
	} rows[] = {
		{"intel", &fk_machine_intel, "/proc/cpuinfo",
		 "processor\t: 3\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 94\n"},
		{"zen", &fk_machine_zen, "/proc/cpuinfo",
		 "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 97\n"},
		{"neoverse", &fk_machine_neoverse, "/proc/cpuinfo",
		 "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\n"
		 "CPU part\t: 0xd0c\nCPU revision\t: 1\n\n"},
		{"hybrid", &fk_machine_hybrid, "/proc/cpuinfo", "model\t\t: 151\n"},
		{"core", &fk_machine_hybrid, "/sys/bus/event_source/devices/cpu_core/cpus",
		 "0-1\n"},
		{"atom", &fk_machine_hybrid, "/sys/bus/event_source/devices/cpu_atom/cpus",
		 "2-3\n"},
		{"atom's type", &fk_machine_hybrid, "/sys/bus/event_source/devices/cpu_atom/type",
		 "10\n"},
		{"no cpu", &fk_machine_hybrid, "/sys/bus/event_source/devices/cpu/type", NULL},
		{"intel's type", &fk_machine_intel, "/sys/bus/event_source/devices/cpu/type",
		 "4\n"},
		{"intel has no list", &fk_machine_intel, "/sys/bus/event_source/devices/cpu/cpus",
		 NULL},
		{"arm", &fk_machine_neoverse, "/sys/bus/event_source/devices/armv8_pmuv3_0/cpus",
		 "0-3\n"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = fk_new(rows[i].config);
		struct sys sys = fk_sys(fk);
		char text[4096];
		ssize_t length = sys_file_read(&sys, rows[i].path, text, sizeof(text));

		if (rows[i].part ? length < 0 || !strstr(text, rows[i].part) : length != -ENOENT)
			fail_msg("%s: %zd %s", rows[i].name, length, length < 0 ? "" : text);
		finish(fk);
	}
}

/* A copy with more CPUs. Offline CPUs are not in /proc/cpuinfo. */
static void machines_can_be_changed(void **state)
{
	(void)state;
	struct fk_config config = fk_machine_zen;
	char text[8192];

	config.cpus = 8;
	struct fk *fk = fk_new(&config);
	struct sys sys = fk_sys(fk);
	fk_cpu_offline(fk, 3);
	assert_true(sys_file_read(&sys, "/proc/cpuinfo", text, sizeof(text)) > 0);
	assert_non_null(strstr(text, "processor\t: 7\n"));
	assert_null(strstr(text, "processor\t: 3\n"));
	struct letters letters = open_letters(&sys, 7, "ci");
	assert_int_equal(letters.error, 0);
	close_letters(&sys, &letters);
	finish(fk);
}

int main(void)
{
	static bool own_samples = true;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_open_and_run_where_they_fit),
		cmocka_unit_test(groups_wait_for_the_watchdog),
		cmocka_unit_test(groups_share_what_is_free),
		cmocka_unit_test(waiting_groups_start_only_when_tried),
		cmocka_unit_test(hardware_groups_take_turns_beside_a_software_group),
		cmocka_unit_test_prestate(hardware_groups_take_turns_beside_a_software_group,
					  &own_samples),
		cmocka_unit_test(machines_have_their_files),
		cmocka_unit_test(machines_can_be_changed),
	};

	return cmocka_run_group_tests_name("fake kernel: machines", tests, NULL, NULL);
}
