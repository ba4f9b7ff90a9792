// SPDX-License-Identifier: MIT
/*
 * A palette has the colours that a theme file may set; palette_complete() derives colours that a
 * btop theme does not have. palette_apply() turns them into the roles of style.h.
 */
#include "tui/term/theme.h"

#include "core/base/util.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The keys that are understood: btop's, then pmctop's own. */
struct palette {
	struct color main_bg, main_fg, title, hi_fg, selected_bg, selected_fg, inactive_fg,
		proc_misc, div_line, cpu_start, cpu_mid, cpu_end;
	struct color label_fg, warn_fg, bad_fg, scaled_fg, banner_fg, header_fg, header_bg;
};

#define THEME_KEY(key, meaning)                              \
	{                                                    \
#key, meaning, offsetof(struct palette, key) \
	}

const struct theme_key theme_keys[] = {
	THEME_KEY(main_bg, "background"),
	THEME_KEY(main_fg, "text"),
	THEME_KEY(title, "headings; default: main_fg"),
	THEME_KEY(hi_fg, "keys, tagged rows"),
	THEME_KEY(selected_bg, "background of the selected row"),
	THEME_KEY(selected_fg, "text of the selected row, title of the sort column"),
	THEME_KEY(inactive_fg, "figures that are 0 or unknown"),
	THEME_KEY(proc_misc, "process ids"),
	THEME_KEY(div_line, "empty part of a meter, borders; default: inactive_fg"),
	THEME_KEY(cpu_start, "low part of a meter"),
	THEME_KEY(cpu_mid, "middle of a meter; default: between cpu_start and cpu_end"),
	THEME_KEY(cpu_end, "high part of a meter; default: cpu_mid"),
	THEME_KEY(label_fg, "labels of figures and keys; default: proc_misc"),
	THEME_KEY(warn_fg, "figures beyond warn; default: cpu_mid"),
	THEME_KEY(bad_fg, "figures beyond bad; default: cpu_end"),
	THEME_KEY(scaled_fg, "scaled figures; default: proc_misc"),
	THEME_KEY(banner_fg, "notes; default: warn_fg"),
	THEME_KEY(header_fg, "titles of columns; default: title"),
	THEME_KEY(header_bg, "background of titles of columns; default: main_bg"),
};

const size_t theme_keys_n = ARRAY_SIZE(theme_keys);

static struct color *palette_at(struct palette *palette, const char *key, size_t length)
{
	for (size_t i = 0; i < theme_keys_n; i++)
		if (strlen(theme_keys[i].name) == length &&
		    memcmp(theme_keys[i].name, key, length) == 0)
			return (struct color *)(void *)((char *)palette + theme_keys[i].offset);
	return NULL;
}

static struct color color_or(struct color color, struct color other)
{
	return color.set ? color : other;
}

/* Derives the colours that a btop theme does not set. */
static void palette_complete(struct palette *p)
{
	if (!p->cpu_end.set)
		p->cpu_end = color_or(p->cpu_mid, p->cpu_start);
	if (!p->cpu_mid.set)
		p->cpu_mid = color_mix(p->cpu_start, p->cpu_end);
	p->title = color_or(p->title, p->main_fg);
	p->label_fg = color_or(p->label_fg, p->proc_misc);
	p->warn_fg = color_or(p->warn_fg, p->cpu_mid);
	p->bad_fg = color_or(p->bad_fg, p->cpu_end);
	p->scaled_fg = color_or(p->scaled_fg, p->proc_misc);
	p->banner_fg = color_or(p->banner_fg, p->warn_fg);
	p->header_fg = color_or(p->header_fg, p->title);
	p->header_bg = color_or(p->header_bg, p->main_bg);
	p->div_line = color_or(p->div_line, p->inactive_fg);
}

static void palette_apply(const struct palette *p, struct theme *theme)
{
	struct color background = p->main_bg;

	*theme = (struct theme){
		.styles =
			{
				[STYLE_PLAIN] = {p->main_fg, background, 0},
				[STYLE_ID] = {p->proc_misc, background, 0},
				[STYLE_NAME] = {p->main_fg, background, 0},
				[STYLE_DIM] = {p->inactive_fg, background, ATTRIBUTE_DIM},
				[STYLE_WARN] = {p->warn_fg, background, ATTRIBUTE_UNDERLINE},
				[STYLE_BAD] = {p->bad_fg, background, ATTRIBUTE_BOLD},
				[STYLE_SCALED] = {p->scaled_fg, background, 0},
				[STYLE_TITLE] = {p->title, background, ATTRIBUTE_BOLD},
				[STYLE_LABEL] = {p->label_fg, background, 0},
				[STYLE_HEADER] = {p->header_fg, p->header_bg, ATTRIBUTE_REVERSE},
				[STYLE_HEADER_SORT] = {p->selected_fg, p->selected_bg,
						       ATTRIBUTE_BOLD},
				[STYLE_SELECTED] = {p->selected_fg, p->selected_bg,
						    ATTRIBUTE_REVERSE},
				[STYLE_BANNER] = {p->banner_fg, background, ATTRIBUTE_BOLD},
				[STYLE_KEY] = {p->hi_fg, background, ATTRIBUTE_BOLD},
				[STYLE_KEY_LABEL] = {p->label_fg, background, 0},
				[STYLE_METER_LOW] = {p->cpu_start, background, 0},
				[STYLE_METER_MID] = {p->cpu_mid, background, 0},
				[STYLE_METER_HIGH] = {p->cpu_end, background, 0},
				[STYLE_METER_EMPTY] = {p->div_line, background, 0},
				[STYLE_METER_LOW_FIGURE] = {p->cpu_start, background,
							    ATTRIBUTE_REVERSE},
				[STYLE_METER_MID_FIGURE] = {p->cpu_mid, background,
							    ATTRIBUTE_REVERSE},
				[STYLE_METER_HIGH_FIGURE] = {p->cpu_end, background,
							     ATTRIBUTE_REVERSE},
				[STYLE_TAGGED] = {p->hi_fg, background, ATTRIBUTE_BOLD},
			},
	};
}

/* Splits theme[key]="value". Returns false for other lines. */
static bool split_line(const char *line, size_t length, const char **key, size_t *key_length,
		       char *value, size_t size)
{
	static const char prefix[] = "theme[";
	const char *end = line + length;

	if (length < sizeof(prefix) - 1 || memcmp(line, prefix, sizeof(prefix) - 1) != 0)
		return false;
	*key = line + sizeof(prefix) - 1;

	const char *bracket = memchr(*key, ']', (size_t)(end - *key));

	if (!bracket)
		return false;
	*key_length = (size_t)(bracket - *key);

	const char *equals = bracket + 1;

	if (equals == end || *equals != '=')
		return false;

	const char *from = equals + 1, *quote = NULL;

	if (from < end && (*from == '"' || *from == '\'')) {
		quote = memchr(from + 1, *from, (size_t)(end - from - 1));
		from++;
	}
	while (!quote && end > from && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;

	size_t value_length = (size_t)((quote ? quote : end) - from);

	value_length = size_min(value_length, size - 1);
	memcpy(value, from, value_length);
	value[value_length] = '\0';
	return true;
}

/* Parses a line into the palette. Returns whether it set a colour; errors are noted. */
static bool read_line(const char *name, unsigned number, const char *line, size_t length,
		      struct palette *palette, struct notes *notes)
{
	char value[64];
	const char *key;
	size_t key_length;
	struct error why;

	if (length == 0 || line[0] == '#' || line[0] == '\r')
		return false;
	if (!split_line(line, length, &key, &key_length, value, sizeof(value))) {
		notes_add(notes, "%.160s:%u: Neither theme[KEY]=\"COLOUR\" nor a # comment.", name,
			  number);
		return false;
	}

	struct color *color = palette_at(palette, key, key_length);

	if (color && color_parse(value, color, &why)) {
		notes_add(notes, "%.160s:%u: %s.", name, number, why.text);
		return false;
	}
	return color != NULL;
}

int theme_parse(const char *name, const char *text, struct theme *theme, struct notes *notes,
		struct error *err)
{
	struct palette palette = {0};
	struct notes found = {0};
	unsigned number = 0, n_set = 0;

	for (const char *line = text; *line;) {
		size_t length = strcspn(line, "\n"), blanks = size_min(strspn(line, " \t"), length);

		n_set +=
			read_line(name, ++number, line + blanks, length - blanks, &palette, &found);
		line += length + (line[length] == '\n');
	}
	if (n_set)
		notes_add_all(notes, &found);
	notes_fini(&found);
	if (!n_set)
		return error_set(err, -EINVAL,
				 "'%.120s' is no theme: it has no line like "
				 "theme[main_fg]=\"#cccccc\".",
				 name);
	palette_complete(&palette);
	palette_apply(&palette, theme);
	return 0;
}

void theme_about(const char *text, char *about, size_t size)
{
	while (*text == '#' || *text == ' ' || *text == '\t')
		text++;
	size_t length = strcspn(text, "\r\n");
	text_copy(about, size_min(size, length + 1), text);
}

struct paint theme_paint(const struct theme *theme, enum style style, bool selected,
			 enum color_depth depth)
{
	const struct theme_style *plain = &theme->styles[STYLE_PLAIN];
	const struct theme_style *own = &theme->styles[style];
	const struct theme_style *colors = selected ? &theme->styles[STYLE_SELECTED] : own;
	struct paint paint = {
		.foreground = color_index_on(colors->foreground, colors->background, depth),
		.background = color_index(colors->background, depth),
		.attributes = own->attributes & ATTRIBUTE_BOLD,
	};
	int text = color_index_on(plain->foreground, plain->background, depth);
	int ground = color_index(plain->background, depth);
	unsigned reverse = selected ? ATTRIBUTE_REVERSE : own->attributes & ATTRIBUTE_REVERSE;

	if (selected)
		paint.attributes |= own->attributes & ATTRIBUTE_UNDERLINE;
	else if (paint.foreground == text)
		paint.attributes |= own->attributes & (ATTRIBUTE_UNDERLINE | ATTRIBUTE_DIM);
	if (paint.background == ground)
		paint.attributes |= reverse;
	return paint;
}

struct paints theme_paints(const struct theme *theme, enum color_depth depth)
{
	struct paints paints;

	for (enum style style = 0; style < STYLE_COUNT; style++) {
		paints.of[style][false] = theme_paint(theme, style, false, depth);
		paints.of[style][true] = theme_paint(theme, style, true, depth);
	}
	return paints;
}

const char *theme_builtin_find(const char *name)
{
	for (const struct theme_builtin *t = theme_builtins; t->name; t++)
		if (strcmp(t->name, name) == 0)
			return t->text;
	return NULL;
}
