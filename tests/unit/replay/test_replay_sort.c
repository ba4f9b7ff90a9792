// SPDX-License-Identifier: MIT
/* Records in the order of time: what is complete at the end of a round, and the limit of memory. */
#include "core/replay/replay_sort.h"

#include "core/base/util.h"
#include "tests/unit/shared/cases.h"

#include <stdio.h>
#include <string.h>

/* A record with a letter. */
struct lettered {
	struct perf_event_header header;
	uint64_t letter;
};

static void add_letter(struct replay_sort *sort, char letter, uint64_t time_ns)
{
	const struct lettered record = {{.type = PERF_RECORD_SAMPLE, .size = sizeof(record)},
					(uint64_t)letter};

	replay_sort_add(sort, &record.header, time_ns);
}

/* Appends the letters of all complete records to the text. */
static void drain(struct replay_sort *sort, char *text)
{
	const struct perf_event_header *header;
	uint64_t time_ns;

	while ((header = replay_sort_first(sort, &time_ns))) {
		const struct lettered *record = (const void *)header;

		assert_int_equal(header->size, sizeof(*record));
		sprintf(text + strlen(text), "%c%d", (char)record->letter, (int)time_ns);
		replay_sort_drop(sort);
	}
}

struct sort_case {
	const char *name;
	/* "a3": record a of time 3; "R": the end of a round; "E": the end of all */
	const char *steps;
	/* The records that are complete after each step; '.' is behind those before a round's end
	 * or the end of all */
	const char *want;
	uint64_t late;
	size_t records_max; /* in memory; 0: many */
};

static const struct sort_case sorts[] = {
	{"one round completes nothing", "a1 b2 R", "."},
	{"the end of the next round completes the records of the one before", "a3 b1 R c5 R",
	 "..b1a3"},
	{"of two CPUs", "a1 b4 c2 d3 R e6 f5 R R", "..a1c2d3b4.f5e6"},
	{"of four CPUs, of which some have no records in a round",
	 "a1 b5 c2 d6 e3 f4 R g7 h8 i7 R j9 k9 R R", "..a1c2e3f4b5d6.g7i7h8.j9k9"},
	{"falling times, then rising ones", "a9 b8 c7 d1 e2 f3 R R g9 h8 E", "..d1e2f3c7b8a9g9h8.",
	 .late = 1},
	{"a record of the next round that is older than some of the one before",
	 "a1 b4 R c3 d7 R e8 E", "..a1c3b4.d7e8"},
	{"records of one time keep their order", "a2 b2 c1 d2 e2 R R", "..c1a2b2d2e2"},
	{"without rounds all are complete at the end", "a3 b2 c1 E", ".c1b2a3"},
	{"more records after the end", "a1 E b2 c3 E", ".a1.b2c3"},
	{"rounds without records", "R R a1 R R",
	 "...."
	 "a1"},
	{"a late record is next", "a5 R R b2 c9 E", "..a5b2.c9", .late = 1},
	{"a record of the same time is not late", "a5 R R b5", "..a5b5"},
	{"beyond the limit the older half is complete", "a5 b4 c3 d2 e1 f9 E", "e1d2c3.b4a5f9",
	 .records_max = 4},
	{"and what comes later is late", "a5 b4 c3 d2 e1 f2 g9 E", "e1d2c3f2.b4a5g9", .late = 1,
	 .records_max = 4},
	{"records of one time beyond the limit", "a5 b5 c5 d5 e5 E", "a5b5c5d5e5.",
	 .records_max = 4},
	{"a limit of one record", "a2 b1 c3 E", "b1a2.c3", .records_max = 1},
};

static void sorts_records(void **state)
{
	const struct sort_case *row = *state;
	size_t n = row->records_max ? row->records_max : 100;
	struct replay_sort *sort = replay_sort_new(n * sizeof(struct lettered));
	char text[256] = "";

	for (const char *at = row->steps; *at; at++) {
		if (*at == ' ')
			continue;
		if (*at == 'R' || *at == 'E')
			strcat(text, ".");
		if (*at == 'R')
			replay_sort_round(sort);
		else if (*at == 'E')
			replay_sort_end(sort);
		else
			add_letter(sort, at[0], (uint64_t)(at[1] - '0'));
		at += *at >= 'a';
		drain(sort, text);
	}
	assert_string_equal(text, row->want);
	assert_int_equal(replay_sort_late(sort), row->late);
	replay_sort_free(sort);
}

/* In no order, many of one time, some of the greatest time. */
static void sorts_many(void **state)
{
	enum { MANY = 20000 };
	struct replay_sort *sort = replay_sort_new(REPLAY_SORT_BYTES);
	uint64_t random = 1, last_ns = 0, last_number = 0, time_ns;

	(void)state;
	for (uint64_t i = 0; i < MANY; i++) {
		struct lettered record = {{.size = sizeof(record)}, i};

		random = random * 6364136223846793005u + 1442695040888963407u;
		time_ns = i % 1000 == 0 ? UINT64_MAX : 1 + (random >> 52);
		replay_sort_add(sort, &record.header, time_ns);
	}
	assert_null(replay_sort_first(sort, &time_ns));
	replay_sort_end(sort);
	for (uint64_t i = 0; i < MANY; i++) {
		const struct lettered *record = (const void *)replay_sort_first(sort, &time_ns);

		assert_non_null(record);
		assert_true(time_ns > last_ns ||
			    (time_ns == last_ns && (i == 0 || record->letter > last_number)));
		last_ns = time_ns;
		last_number = record->letter;
		replay_sort_drop(sort);
	}
	assert_null(replay_sort_first(sort, &time_ns));
	replay_sort_free(sort);
}

static void frees_what_is_left(void **state)
{
	struct replay_sort *sort = replay_sort_new(REPLAY_SORT_BYTES);

	(void)state;
	add_letter(sort, 'a', 3);
	add_letter(sort, 'b', 2);
	replay_sort_free(sort);
	replay_sort_free(NULL);
}

int main(void)
{
	static const struct cases tables[] = {CASES(sorts_records, sorts)};
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(sorts_many),
		cmocka_unit_test(frees_what_is_left),
	};

	return cases_run("replay_sort", tables, ARRAY_SIZE(tables), others, ARRAY_SIZE(others));
}
