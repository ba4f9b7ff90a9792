// SPDX-License-Identifier: MIT
/*
 * The screen and its legend are a canvas, which is printed in two ways. Both texts are made before
 * a file is.
 */
#include "tui/screen/save_screen.h"

#include "core/base/figure_mark.h"
#include "core/base/safe_path.h"
#include "core/base/util.h"
#include "core/base/version.h"
#include "tui/screen/file_name.h"
#include "tui/term/canvas_ansi.h"
#include "tui/term/canvas_svg.h"
#include "tui/widget/page.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	MARK_WIDTH = 6,    /* of a mark in the legend, with the blanks after it */
	NAMES_MAX = 100,   /* NAME, NAME-2 ... NAME-100 */
	NAME_BYTES = 128,  /* without the ending */
	ABOUT_BYTES = 256, /* host, time, version */
};

/* Whether a word is a figure with the mark of that state, or the mark in place of a figure. */
static bool has_mark(const char *word, enum figure_state state)
{
	const char *mark = figure_mark(state);
	size_t length = strlen(mark);

	if (length == 0)
		return false;
	if (state > FIGURE_LOST)
		return strcmp(word, mark) == 0;
	return strncmp(word, mark, length) == 0 &&
	       (isalnum((unsigned char)word[length]) || word[length] == '+' || word[length] == '-');
}

/* Sets shown[i] if a line of the canvas has the mark i. Words are ASCII. */
static void find_marks(const struct canvas *canvas, unsigned y, bool *shown)
{
	char *line = xmalloc(canvas->width + 1u), *rest = line;

	for (unsigned x = 0; x < canvas->width; x++) {
		const char *text = canvas_at(canvas, x, y)->text;

		line[x] = isgraph((unsigned char)text[0]) ? text[0] : ' ';
	}
	line[canvas->width] = '\0';
	for (const char *word; (word = strsep(&rest, " "));)
		for (size_t i = FIGURE_VALID + 1; i < figure_marks_n; i++)
			shown[i] |= has_mark(word, (enum figure_state)i);
	free(line);
}

/* "box  2026-11-21 20:45:00 +0100  pmctop 1.2", with the time of the figures. */
static void describe(const struct snapshot *snapshot, char *text, size_t size)
{
	time_t seconds = (time_t)(snapshot->realtime_ns / NS_PER_S);
	char date[48] = "time unknown";
	struct tm local;

	if (seconds > 0 && localtime_r(&seconds, &local))
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S %z", &local);
	snprintf(text, size, "%s  %s  pmctop %s", snapshot->host, date, version);
}

static void write_legend(struct pen *pen, const char *about, const bool *shown)
{
	pen->line++; /* a blank line below the screen */
	pen_wrap(pen, 0, STYLE_LABEL, about);
	for (size_t i = FIGURE_VALID + 1; i < figure_marks_n; i++) {
		if (!shown[i])
			continue;
		pen_put(pen, 0, STYLE_LABEL, figure_marks[i].text);
		pen_wrap(pen, MARK_WIDTH, STYLE_LABEL, figure_marks[i].meaning);
	}
}

/* Makes a canvas of the screen and the legend below it. */
static void make_sheet(struct canvas *sheet, const struct canvas *screen, const char *about)
{
	bool *shown = xcalloc(figure_marks_n, sizeof(*shown));
	struct canvas stub = {0};
	struct pen counting = {&stub, {0, 0, screen->width, 0}, 0, 0};

	for (unsigned y = 0; y < screen->height; y++)
		find_marks(screen, y, shown);
	write_legend(&counting, about, shown);
	canvas_init(sheet, screen->ascii);
	canvas_resize(sheet, screen->width, screen->height + counting.line);
	canvas_copy(sheet, (struct rect){0, 0, screen->width, screen->height}, screen, 0);

	struct pen pen = {sheet, {0, screen->height, screen->width, counting.line}, 0, 0};

	write_legend(&pen, about, shown);
	free(shown);
}

/* A file to be made: its contents and, once it exists, its place. */
struct saved_file {
	const char *ending;
	char *text;
	size_t n;
	bool exists;
	struct safe_path place;
	struct stat status; /* of the file that was made */
};

enum { TEXT_FILE, PICTURE_FILE, SAVED_FILES };

static void print_files(struct saved_file *files, const struct canvas *sheet,
			const struct theme *theme, enum color_depth depth, const char *about)
{
	FILE *out = xopen_memstream(&files[TEXT_FILE].text, &files[TEXT_FILE].n);

	canvas_print_ansi(sheet, theme, depth, out);
	fclose(out);
	out = xopen_memstream(&files[PICTURE_FILE].text, &files[PICTURE_FILE].n);
	canvas_print_svg(sheet, theme, depth != COLOR_DEPTH_MONO, about, out);
	fclose(out);
}

static int refuse(const char *path, int code, struct error *err)
{
	/* pmctop gave up CAP_DAC_OVERRIDE after it opened the files named at its start. */
	if (code == -EACCES && geteuid() == 0)
		return error_set(
			err, code,
			"'%.80s' cannot be written: pmctop dropped root's right to write "
			"in other users' directories. Start it in a directory of root (with "
			"--ssh: log in as root).",
			path);
	return safe_path_refuse(path, code, err);
}

/* Returns a descriptor, or -errno; -EEXIST has no sentence. */
static int create_file(struct saved_file *file, const char *path, struct error *err)
{
	int result = safe_path_find(path, false, &file->place, err);

	if (result < 0)
		return result;
	int fd = openat(file->place.directory, file->place.name,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	result = fd < 0 ? -errno : 0;
	file->exists = fd >= 0 && fstat(fd, &file->status) == 0;
	if (result == 0)
		return fd;
	safe_path_fini(&file->place);
	return result == -EEXIST ? result : refuse(path, result, err);
}

/* Closes fd, too. A file system in a network can report a full disk then. */
static int write_file(const struct saved_file *file, int fd, const char *path, struct error *err)
{
	int result = write_all(fd, file->text, file->n, NULL);

	if (close(fd) < 0 && result == 0)
		result = -errno;
	return result < 0 ? refuse(path, result, err) : 0;
}

/* Removes the file unless it is to stay, or has lost its name. */
static void end_file(struct saved_file *file, bool stays)
{
	if (!file->exists)
		return;
	if (!stays && safe_path_is(&file->place, &file->status))
		unlinkat(file->place.directory, file->place.name, 0);
	safe_path_fini(&file->place);
	file->exists = false;
}

/* Makes all files with that name. -EEXIST without a sentence if it is taken. */
static int make_files(struct saved_file *files, const char *name, struct error *err)
{
	char path[NAME_BYTES + 8];
	int result = 0;

	for (size_t i = 0; i < SAVED_FILES && result == 0; i++) {
		snprintf(path, sizeof(path), "%s.%s", name, files[i].ending);
		result = create_file(&files[i], path, err);
		if (result >= 0)
			result = write_file(&files[i], result, path, err);
	}
	for (size_t i = 0; i < SAVED_FILES; i++)
		end_file(&files[i], result == 0);
	return result;
}

/* Sets `name` to the name of the files. */
static int make_numbered(struct saved_file *files, const char *suggested, char name[NAME_BYTES],
			 struct error *err)
{
	int result = -EEXIST;

	for (unsigned i = 1; i <= NAMES_MAX && result == -EEXIST; i++) {
		if (i == 1)
			text_copy(name, NAME_BYTES, suggested);
		else
			snprintf(name, NAME_BYTES, "%s-%u", suggested, i);
		result = make_files(files, name, err);
	}
	return result == -EEXIST ? safe_path_refuse(suggested, result, err) : result;
}

void save_screen(struct app *app, const struct canvas *canvas, const struct theme *theme,
		 enum color_depth depth)
{
	const struct snapshot *snapshot = app->display.snapshot;
	struct saved_file files[SAVED_FILES] = {
		[TEXT_FILE] = {.ending = "ansi"},
		[PICTURE_FILE] = {.ending = "svg"},
	};
	const char *host = app->config.host;
	char about[ABOUT_BYTES], suggested[NAME_BYTES - 8], name[NAME_BYTES], shown[512];
	struct canvas sheet;
	struct error err;

	if (!snapshot) {
		messages_show(&app->messages, "Not saved: there are no figures yet.");
		return;
	}
	describe(snapshot, about, sizeof(about));
	make_sheet(&sheet, canvas, about);
	print_files(files, &sheet, theme, depth, about);
	canvas_fini(&sheet);
	file_name_suggest(snapshot, suggested, sizeof(suggested));
	int result = make_numbered(files, suggested, name, &err);
	file_name_shown(host, name, shown, sizeof(shown));
	if (result)
		messages_show(&app->messages, "%s", err.text);
	else
		messages_show(&app->messages, "Saved %s%s.ansi and .svg%s.",
			      host ? "on the host: " : "", shown,
			      host ? "" : " in the current directory");
	for (size_t i = 0; i < SAVED_FILES; i++)
		free(files[i].text);
}
