// SPDX-License-Identifier: MIT
/* The order, the number and the end of notes. */
#include "core/base/notes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* "a b c": the texts in their order. */
static void assert_texts(const struct notes *notes, const char *texts)
{
	char all[512] = "";

	for (size_t i = 0; i < notes->n; i++) {
		strcat(all, i > 0 ? " " : "");
		strcat(all, notes->items[i].text);
	}
	assert_string_equal(all, texts);
}

static void urgent_notes_stand_first_and_each_text_once(void **state)
{
	struct notes notes = {0};

	(void)state;
	notes_add(&notes, "a");
	notes_add(&notes, "b");
	notes_add_urgent(&notes, "c");
	notes_add_urgent(&notes, "d");
	notes_add_urgent(&notes, "c");
	notes_add(&notes, "d");
	assert_texts(&notes, "d c a b");
	notes_fini(&notes);
}

static void an_id_removes_all_its_notes(void **state)
{
	struct notes notes = {0};

	(void)state;
	notes_add_as(&notes, NOTE_COLUMNS, "a");
	notes_add_as(&notes, NOTE_LEVELS, "ab");
	notes_add_urgent_as(&notes, NOTE_COLUMNS, "c");
	notes_add(&notes, "d");
	notes_remove(&notes, NOTE_COLUMNS);
	assert_texts(&notes, "ab d");
	notes_fini(&notes);
}

static void an_urgent_note_displaces_the_last_of_a_full_list(void **state)
{
	struct notes notes = {0};

	(void)state;
	for (int i = 0; i < NOTES_MAX; i++)
		notes_add(&notes, "%d", i);
	notes_add(&notes, "late");
	assert_string_equal(notes.items[NOTES_MAX - 1].text, "31");
	notes_add_urgent(&notes, "urgent");
	assert_int_equal(notes.n, NOTES_MAX);
	assert_string_equal(notes.items[0].text, "urgent");
	assert_string_equal(notes.items[NOTES_MAX - 1].text, "30");
	notes_fini(&notes);
}

static void a_transient_note_moves_up_and_expires(void **state)
{
	struct notes notes = {0};

	(void)state;
	notes_add_transient(&notes, "a");
	notes_add_urgent(&notes, "stays");
	for (unsigned i = 1; i < NOTES_TRANSIENT_INTERVALS; i++)
		notes_expire(&notes);
	assert_texts(&notes, "stays a");
	notes_add_transient(&notes, "a");
	notes_expire(&notes);
	assert_texts(&notes, "a stays");
	for (unsigned i = 1; i < NOTES_TRANSIENT_INTERVALS; i++)
		notes_expire(&notes);
	assert_texts(&notes, "stays");
	notes_fini(&notes);
}

static void the_oldest_transient_note_gives_way(void **state)
{
	struct notes notes = {0};
	static const char *const texts[] = {"a", "b", "c", "d"};

	(void)state;
	notes_add_urgent(&notes, "stays");
	for (unsigned i = 0; i < NOTES_TRANSIENT; i++)
		notes_add_transient(&notes, texts[i]);
	notes_add_transient(&notes, "a");
	notes_add_transient(&notes, "e");
	assert_texts(&notes, "e a d c stays");
	notes_expire(&notes);
	notes_add_transient(&notes, "f");
	assert_texts(&notes, "f e a d stays");
	notes_fini(&notes);
}

static void all_notes_of_another_list_stay(void **state)
{
	struct notes notes = {0}, others = {0};

	(void)state;
	notes_add(&notes, "a");
	notes_add(&others, "a");
	notes_add_transient(&others, "%d");
	notes_add_all(&notes, &others);
	notes_fini(&others);
	for (unsigned i = 0; i < NOTES_TRANSIENT_INTERVALS; i++)
		notes_expire(&notes);
	assert_texts(&notes, "a %d");
	notes_fini(&notes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(urgent_notes_stand_first_and_each_text_once),
		cmocka_unit_test(an_id_removes_all_its_notes),
		cmocka_unit_test(an_urgent_note_displaces_the_last_of_a_full_list),
		cmocka_unit_test(a_transient_note_moves_up_and_expires),
		cmocka_unit_test(the_oldest_transient_note_gives_way),
		cmocka_unit_test(all_notes_of_another_list_stay),
	};

	return cmocka_run_group_tests_name("notes", tests, NULL, NULL);
}
