// SPDX-License-Identifier: MIT
#include "tests/unit/shared/stage.h"

char *canvas_print(const struct canvas *canvas)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	for (unsigned y = 0; y < canvas->height; y++) {
		unsigned end = canvas->width;

		while (end > 0 && strcmp(canvas_at(canvas, end - 1, y)->text, " ") == 0)
			end--;
		for (unsigned x = 0; x < end; x++)
			fputs(canvas_at(canvas, x, y)->text, out);
		fputc('\n', out);
	}
	fclose(out);
	return text;
}

char *canvas_print_styles(const struct canvas *canvas)
{
	static const char letters[] = ".inDWBsTLhHSNklmMEe123t";
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	static_assert(sizeof(letters) - 1 == STYLE_COUNT, "a letter a style");
	for (unsigned y = 0; y < canvas->height; y++) {
		for (unsigned x = 0; x < canvas->width; x++) {
			const struct canvas_cell *cell = canvas_at(canvas, x, y);

			fputc(cell->selected ? '*' : letters[cell->style], out);
		}
		fputc('\n', out);
	}
	fclose(out);
	return text;
}

char *canvas_print_looks(const struct canvas *canvas, const char *name, enum color_depth depth)
{
	enum { PAINTS_MAX = 52 };
	struct paint paints[PAINTS_MAX];
	struct notes notes = {0};
	struct theme theme;
	struct error err;
	char *text = NULL;
	size_t size = 0, n = 0;
	FILE *out = open_memstream(&text, &size);

	if (theme_parse(name, theme_builtin_find(name), &theme, &notes, &err) || notes.n > 0)
		fail_msg("%s is broken", name);
	for (unsigned y = 0; y < canvas->height; y++) {
		for (unsigned x = 0; x < canvas->width; x++) {
			const struct canvas_cell *cell = canvas_at(canvas, x, y);
			struct paint paint =
				theme_paint(&theme, cell->style, cell->selected, depth);
			size_t i = 0;

			while (i < n && memcmp(&paints[i], &paint, sizeof(paint)) != 0)
				i++;
			assert_true(i < PAINTS_MAX);
			if (i == n)
				paints[n++] = paint;
			fputc(i < 26 ? 'a' + (int)i : 'A' + (int)i - 26, out);
		}
		fputc('\n', out);
	}
	for (size_t i = 0; i < n; i++) {
		static const char *const attributes[] = {"bold", "underline", "dim", "reverse"};

		fprintf(out, "%c %d on %d", i < 26 ? 'a' + (int)i : 'A' + (int)i - 26,
			paints[i].foreground, paints[i].background);
		for (unsigned bit = 0; bit < ARRAY_SIZE(attributes); bit++)
			if (paints[i].attributes & 1u << bit)
				fprintf(out, " %s", attributes[bit]);
		fputc('\n', out);
	}
	fclose(out);
	return text;
}

void check_screen(const char *name, char *drawn)
{
	char path[128];

	snprintf(path, sizeof(path), "tests/golden/screen_%s.txt", name);
	golden_check(path, drawn);
	free(drawn);
}

void stage_open(struct stage *stage, unsigned width, unsigned height, bool ascii,
		struct snapshot *snapshot)
{
	struct options options = {
		.interval_ns = NS_PER_S, .sort = "", .filter = "", .frequency = OPTIONS_FREQUENCY};

	app_init(&stage->app, &options);
	canvas_init(&stage->canvas, ascii);
	canvas_resize(&stage->canvas, width, height);
	if (snapshot)
		app_snapshot(&stage->app, snapshot);
}

void stage_close(struct stage *stage)
{
	app_fini(&stage->app);
	canvas_fini(&stage->canvas);
}

void stage_keys(struct stage *stage, const int *keys)
{
	for (; *keys; keys++) {
		app_draw(&stage->app, &stage->canvas);
		app_key(&stage->app, *keys);
	}
	app_draw(&stage->app, &stage->canvas);
}

void stage_press(struct stage *stage, int key)
{
	stage_keys(stage, (const int[]){key, 0});
}

void stage_type(struct stage *stage, const char *text)
{
	for (; *text; text++)
		stage_press(stage, (unsigned char)*text);
}

void stage_check_text(const struct stage *stage, const char *text, bool there)
{
	char *drawn = canvas_print(&stage->canvas);

	if (!strstr(drawn, text) == there)
		fail_msg("'%s' is %son the screen:\n%s", text, there ? "not " : "", drawn);
	free(drawn);
}

static bool list_has(const struct request_list *list, enum request_kind kind)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->items[i].kind == kind)
			return true;
	return false;
}

bool app_requests(const struct app *app, enum request_kind kind)
{
	return list_has(&app->out.list, kind) || list_has(&app->out.rested, kind);
}

struct request_list *app_changes(struct app *app)
{
	struct request_list *list = &app->out.list;
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		if (list->items[i].kind < REQUEST_METRICS)
			list->items[n++] = list->items[i];
		else
			xfree(list->items[i].text);
	list->n = n;
	return list;
}

void stage_check_request(struct stage *stage, enum request_kind kind, const char *text,
			 int64_t number)
{
	struct request_list *commands = app_changes(&stage->app);

	assert_int_equal(commands->n, 1);
	assert_int_equal(commands->items[0].kind, kind);
	if (text)
		assert_string_equal(commands->items[0].text, text);
	assert_int_equal(commands->items[0].number, number);
	request_list_clear(commands);
}

char *stage_print_resized(struct stage *stage, unsigned width, unsigned height)
{
	canvas_resize(&stage->canvas, width, height);
	app_draw(&stage->app, &stage->canvas);
	return canvas_print(&stage->canvas);
}

struct snapshot *stage_strike(struct stage *stage)
{
	struct snapshot *snapshot = stage->app.display.snapshot;

	list_invalidate(&stage->app.tasks);
	list_invalidate(&stage->app.cpus);
	stage->app.display.snapshot = NULL;
	stage_close(stage);
	return snapshot;
}

int stage_set_zone(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	return 0;
}
