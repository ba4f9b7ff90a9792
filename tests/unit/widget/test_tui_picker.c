// SPDX-License-Identifier: MIT
#include "core/base/util.h"
#include "tests/unit/shared/golden.h"
#include "tui/term/keymap.h"
#include "tui/widget/widget_picker.h"

#include <stdint.h>
#include <string.h>

static const struct {
	const char *name, *help;
} fruit[] = {
	{"apple", "grows on trees"}, {"pineapple", "does not"},
	{"Apricot", NULL},           {"banana", "a berry, like the grape"},
	{"grape", "on a vine"},      {"crab apple", "small and sour"},
};

struct watch {
	size_t selected, chosen;
	char typed[64];
	unsigned selects, closes;
	bool keeps_open, was_chosen;
	int key;
};

static void item(void *data, size_t index, struct picker_item *out)
{
	(void)data;
	*out = (struct picker_item){.name = fruit[index].name,
				    .help = fruit[index].help,
				    .mark = index % 2 ? "n/a" : "ok",
				    .style = STYLE_NAME};
}

static void about(void *data, size_t index, char *text, size_t size)
{
	(void)data;
	snprintf(text, size, "%s:\nnumber %zu", fruit[index].name, index);
}

static void count_select(void *owner, void *data, size_t index)
{
	struct watch *watch = data;

	assert_string_equal(owner, "owner");
	watch->selected = index;
	watch->selects++;
}

static bool record_choice(void *owner, void *data, size_t index, const char *typed)
{
	struct watch *watch = data;

	(void)owner;
	watch->chosen = index;
	text_copy(watch->typed, sizeof(watch->typed), typed);
	return !watch->keeps_open;
}

static void other_key(void *owner, void *data, size_t index, int key)
{
	(void)owner;
	(void)index;
	((struct watch *)data)->key = key;
}

static void closed(void *owner, void *data, bool chosen)
{
	struct watch *watch = data;

	(void)owner;
	watch->closes++;
	watch->was_chosen = chosen;
}

static const struct picker_ops ops = {
	.item = item,
	.about = about,
	.about_lines = 2,
	.select = count_select,
	.choose = record_choice,
	.key = other_key,
	.close = closed,
};

static char owner[] = "owner";

static void open_fruit(struct picker *picker, struct watch *watch)
{
	*watch = (struct watch){0};
	picker_open(picker, &ops, "Fruit", watch, ARRAY_SIZE(fruit), owner);
}

static void type_text(struct picker *picker, const char *text)
{
	for (; *text; text++)
		picker_key(picker, *text, owner);
}

static void test_matches(void **state)
{
	static const struct {
		const char *typed;
		const char *names[7]; /* in the order of the items */
	} rows[] = {
		{"", {"apple", "pineapple", "Apricot", "banana", "grape", "crab apple"}},
		{"ap", {"apple", "Apricot", "pineapple", "grape", "crab apple", "banana"}},
		{"APP", {"apple", "pineapple", "crab apple"}},
		{"grape", {"grape", "banana"}},
		{"on grow", {"apple"}},
		{" a  crab ", {"crab apple"}},
		{"crab", {"crab apple"}},
		{"x", {NULL}},
	};
	struct picker picker;
	struct watch watch;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		open_fruit(&picker, &watch);
		type_text(&picker, rows[i].typed);
		size_t n = 0;
		for (; rows[i].names[n]; n++) {
			assert_true(n < picker.n_matches);
			assert_string_equal(fruit[picker.matches[n]].name, rows[i].names[n]);
		}
		assert_int_equal(picker.n_matches, n);
		picker_close(&picker, owner);
		assert_int_equal(watch.closes, 1);
		assert_false(watch.was_chosen);
	}
}

static void test_keys(void **state)
{
	struct picker picker;
	struct watch watch;

	(void)state;
	open_fruit(&picker, &watch);
	assert_int_equal(watch.selected, 0);
	picker_key(&picker, KEYMAP_DOWN, owner);
	picker_key(&picker, KEYMAP_DOWN, owner);
	assert_int_equal(watch.selected, 2);
	picker_key(&picker, KEYMAP_END, owner);
	picker_key(&picker, KEYMAP_DOWN, owner);
	assert_int_equal(watch.selected, 5);
	assert_int_equal(watch.selects, 4);
	picker_key(&picker, KEYMAP_TAB, owner);
	assert_int_equal(watch.key, KEYMAP_TAB);
	type_text(&picker, "zz");
	assert_int_equal(picker_selected(&picker), SIZE_MAX);
	watch.keeps_open = true;
	picker_key(&picker, KEYMAP_ENTER, owner);
	assert_int_equal(watch.chosen, SIZE_MAX);
	assert_string_equal(watch.typed, "zz");
	assert_int_equal(watch.closes, 0);
	picker_key(&picker, KEYMAP_CONTROL('U'), owner);
	picker_select(&picker, 4, owner);
	picker_update(&picker, 5, owner);
	assert_int_equal(picker_selected(&picker), 4);
	watch.keeps_open = false;
	picker_key(&picker, KEYMAP_ENTER, owner);
	assert_int_equal(watch.chosen, 4);
	assert_true(watch.was_chosen && watch.closes == 1);
	assert_null(picker.ops);
}

/* The typed text as an item, after the matches or before them. */
static enum picker_typed as_typed(void *data, const char *typed, struct picker_item *out)
{
	struct watch *watch = data;

	text_copy(watch->typed, sizeof(watch->typed), typed);
	*out = (struct picker_item){.name = watch->typed, .help = "as it is"};
	return typed[0] == '{'   ? PICKER_TYPED_FIRST
	       : typed[0] == '?' ? PICKER_TYPED_NOT
				 : PICKER_TYPED_LAST;
}

static void test_as_typed(void **state)
{
	static const struct {
		const char *typed;
		size_t n, at;
	} rows[] = {
		{"", 6, SIZE_MAX}, {"crab", 2, 1}, {"xyz", 1, 0}, {"{a", 1, 0}, {"?", 0, SIZE_MAX},
	};
	struct picker_ops typing = ops;
	struct picker picker;
	struct watch watch;
	struct canvas canvas;

	(void)state;
	typing.as_typed = as_typed;
	typing.about = NULL;
	canvas_init(&canvas, false);
	canvas_resize(&canvas, 80, 24);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		watch = (struct watch){0};
		picker_open(&picker, &typing, "Fruit", &watch, ARRAY_SIZE(fruit), owner);
		type_text(&picker, rows[i].typed);
		picker_draw(&picker, &canvas);
		size_t at = SIZE_MAX;
		for (size_t match = 0; match < picker.n_matches; match++)
			if (picker.matches[match] == PICKER_AS_TYPED)
				at = match;
		if (picker.n_matches != rows[i].n || at != rows[i].at)
			fail_msg("'%s': %zu matches, typed at %zu", rows[i].typed, picker.n_matches,
				 at);
		picker_close(&picker, owner);
	}
	/* Each letter changes the item. */
	open_fruit(&picker, &watch);
	picker.ops = &typing;
	type_text(&picker, "xyz");
	assert_int_equal(watch.selected, PICKER_AS_TYPED);
	assert_int_equal(watch.selects, 4);
	picker_key(&picker, KEYMAP_ENTER, owner);
	assert_int_equal(watch.chosen, PICKER_AS_TYPED);
	canvas_fini(&canvas);
}

/* Number of cells that are not blank. */
static unsigned count_drawn(const struct canvas *canvas, struct rect within)
{
	unsigned n = 0;

	for (unsigned y = within.y; y < within.y + within.height; y++)
		for (unsigned x = within.x; x < within.x + within.width; x++)
			n += strcmp(canvas_at(canvas, x, y)->text, " ") != 0;
	return n;
}

/*
 * At any size, box and list lie within the canvas, the box covers its cells only, and the list
 * shows the selected item.
 */
static void test_sizes(void **state)
{
	struct picker picker;
	struct watch watch;
	struct canvas canvas;

	(void)state;
	open_fruit(&picker, &watch);
	canvas_init(&canvas, false);
	picker_select(&picker, 5, owner);
	for (unsigned width = 1; width < 130; width += 3)
		for (unsigned height = 1; height < 60; height += 2) {
			canvas_resize(&canvas, width, height);
			picker_draw(&picker, &canvas);

			struct rect box = picker.box, list = picker.table.place;

			assert_in_range(box.x + box.width, 1, width);
			assert_in_range(box.y + box.height, 1, height);
			assert_int_equal(count_drawn(&canvas, box),
					 count_drawn(&canvas, (struct rect){0, 0, width, height}));
			if (list.height == 0)
				continue;
			assert_in_range(picker.table.selected, picker.table.top,
					picker.table.top + list.height - 1);
			assert_true(canvas_at(&canvas, list.x,
					      list.y + (unsigned)(picker.table.selected -
								  picker.table.top))
					    ->selected);
		}
	canvas_fini(&canvas);
	picker_close(&picker, owner);
}

/* The box is no higher than its items need, and does not change its size while the user types. */
static void test_height(void **state)
{
	struct picker picker;
	struct watch watch;
	struct canvas canvas;

	(void)state;
	open_fruit(&picker, &watch);
	canvas_init(&canvas, false);
	canvas_resize(&canvas, 80, 60);
	picker_draw(&picker, &canvas);
	unsigned height = picker.box.height;
	assert_in_range(height, ARRAY_SIZE(fruit) + 3, 20);
	type_text(&picker, "zz");
	picker_draw(&picker, &canvas);
	assert_int_equal(picker.box.height, height);
	picker_update(&picker, 1, owner);
	picker_draw(&picker, &canvas);
	assert_int_equal(picker.box.height, height);
	canvas_fini(&canvas);
	picker_close(&picker, owner);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_matches),  cmocka_unit_test(test_keys),
		cmocka_unit_test(test_as_typed), cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_height),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
