// SPDX-License-Identifier: MIT
/*
 * Formats the text and role of a cell: figures with their marks, ids, names, the branches of a
 * tree. All text from outside becomes printable here.
 */
#include "core/base/figure_mark.h"
#include "core/view/view_internal.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/event/event_modifier.h"
#include "core/sys/proc.h"
#include "core/view/code_name.h"
#include "core/view/command_text.h"
#include "core/view/cpu_stall.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	TIME_MAX_S = 10000 * 86400, /* longer times are numbers */
	BRANCHES_MAX = 16,          /* deeper in the tree, the outermost are left out */
	CHAIN_MAX = 8,              /* the same for ancestors on a line */
	NAME_BYTES = 3 * 17 + 4,    /* of a name with its brackets */
};

/* "12.3k", "456M": three significant digits, fewer if there is no room. */
static bool format_compact(double value, unsigned width, char *text, size_t size)
{
	static const char units[] = "kMGTPE";
	double scaled = fabs(value);
	size_t unit = 0;

	for (scaled /= 1000; scaled >= 999.5; scaled /= 1000)
		if (++unit == sizeof(units) - 1)
			return false;
	unsigned decimals = scaled < 9.995 ? 2 : scaled < 99.95 ? 1 : 0;
	for (;; decimals--) {
		size_t length = text_fixed(text, size - 1, copysign(scaled, value), decimals);

		if (length + 1 <= width) {
			memcpy(text + length, (char[]){units[unit], '\0'}, 2);
			return true;
		}
		if (decimals == 0)
			return false;
	}
}

/* "1:02.34", "99h59:59", "123d04h": at most eight columns. */
static void format_time(double seconds, char *text, size_t size)
{
	uint64_t hundredths = (uint64_t)(seconds * 100 + 0.5), whole = hundredths / 100;

	if (whole < 100 * 60)
		snprintf(text, size, "%" PRIu64 ":%02" PRIu64 ".%02" PRIu64, whole / 60, whole % 60,
			 hundredths % 100);
	else if (whole < 100 * 3600)
		snprintf(text, size, "%" PRIu64 "h%02" PRIu64 ":%02" PRIu64, whole / 3600,
			 whole / 60 % 60, whole % 60);
	else
		snprintf(text, size, "%" PRIu64 "d%02" PRIu64 "h", whole / 86400,
			 whole / 3600 % 24);
}

/*
 * Uses def->decimals, or fewer if they do not fit. Whole numbers (rates) are compact from ten
 * thousand on: the last digits of 1234567 do not matter.
 */
static void format_number(const struct metric_def *def, double value, char *text, size_t size)
{
	switch (def->format) {
	case METRIC_FORMAT_LETTER:
		snprintf(text, size, "%c", proc_state_letter(value));
		return;
	case METRIC_FORMAT_TIME:
		if (value < 0 || value >= TIME_MAX_S)
			break;
		format_time(value, text, size);
		return;
	case METRIC_FORMAT_NUMBER:
		break;
	}
	if (fabs(value) < 9999.5 || def->decimals > 0)
		for (unsigned decimals = def->decimals;; decimals--) {
			if (text_fixed(text, size, value, decimals) <= def->width)
				return;
			if (decimals == 0)
				break;
		}
	if (format_compact(value, def->width, text, size))
		return;
	size_t width = size_min(def->width, size - 1); /* a number that no column can hold */
	memset(text, '#', width);
	text[width] = '\0';
}

static bool shows_zero(const char *text)
{
	return text[strcspn(text, "123456789#")] == '\0';
}

void figure_format(const struct metric_def *def, struct figure figure, struct cell *cell)
{
	bool marked = figure.state != FIGURE_VALID;

	cell->role = CELL_DIM;
	if (!figure_known(figure)) {
		text_copy(cell->text, sizeof(cell->text), figure_mark(figure.state));
		return;
	}
	size_t length = text_copy(cell->text, sizeof(cell->text), figure_mark(figure.state));
	format_number(def, figure.value, cell->text + length, sizeof(cell->text) - length);
	/* A lower bound of 0 means nothing, and would be read as a 0. */
	if (figure.state == FIGURE_LOST && def->format != METRIC_FORMAT_LETTER &&
	    shows_zero(cell->text + length)) {
		cell->text[length] = '\0';
		return;
	}
	switch (metric_level(def, figure)) {
	case METRIC_BAD:
		cell->role = CELL_BAD;
		break;
	case METRIC_WARN:
		cell->role = CELL_WARN;
		break;
	case METRIC_PLAIN:
		if (marked)
			cell->role = CELL_SCALED;
		else if (def->format == METRIC_FORMAT_LETTER
				 ? figure.value >= proc_state_activity('D')
				 : !shows_zero(cell->text))
			cell->role = CELL_PLAIN;
		break;
	}
}

static bool is_worse(const struct metric_def *def, double difference)
{
	return (def->better == METRIC_LOWER && difference > 0) ||
	       (def->better == METRIC_HIGHER && difference < 0);
}

void figure_format_difference(const struct metric_def *def, struct figure difference, double now,
			      struct cell *cell)
{
	bool marked = difference.state != FIGURE_VALID;
	double then = now - difference.value;
	struct figure is = {.value = now, .share = 1, .state = FIGURE_VALID};
	char *text = cell->text;

	cell->role = CELL_DIM;
	if (!figure_known(difference)) {
		text_copy(text, sizeof(cell->text), figure_mark(difference.state));
		return;
	}
	text += text_copy(text, sizeof(cell->text), figure_mark(difference.state));
	format_number(def, fabs(difference.value), text + 1, sizeof(cell->text) - 2);
	if (shows_zero(text + 1)) { /* 0 has no sign */
		memmove(text, text + 1, strlen(text + 1) + 1);
		return;
	}
	*text = difference.value < 0 ? '-' : '+';
	cell->role = marked ? CELL_SCALED : CELL_PLAIN;
	if (is_worse(def, difference.value) && fabs(difference.value) >= fabs(then) / 10)
		cell->role = metric_level(def, is) == METRIC_BAD ? CELL_BAD : CELL_WARN;
}

/* Formats a metric in its column's unit. Thresholds apply to the metric's own unit alone. */
static void cell_metric(const struct view *view, size_t index, const struct view_column *column,
			struct cell *cell)
{
	struct metric_def def = *view->snapshot->columns->metrics[column->metric].def;
	enum view_unit unit = view->spec.unit;
	const struct shown_figures of = view_shown_figures(view, index);
	struct figure now = view_now(view, index, column), value = now;
	bool differs = view->baseline && def.format != METRIC_FORMAT_LETTER;
	bool usual = unit == VIEW_UNIT_USUAL || def.kind == METRIC_FORMULA ||
		     (unit == VIEW_UNIT_COUNT && def.kind == METRIC_COUNT) ||
		     (unit == VIEW_UNIT_PER_SECOND && def.kind == METRIC_RATE);

	if (!usual)
		def.warn = def.bad =
			def.better == METRIC_LOWER ? (double)INFINITY : -(double)INFINITY;
	if (!usual && unit == VIEW_UNIT_PER_KI)
		def.decimals = 2;
	if (differs)
		value = view_value(view, index, column);
	else if (view->spec.screen)
		value = now = figure_shown(&of, (size_t)column->metric, now);
	if (differs)
		figure_format_difference(&def, value, now.value, cell);
	else
		figure_format(&def, value, cell);
	if (view->spec.screen)
		cell->role = figure_role(&of, &def, now, cell->role);
	if (differs && value.state == FIGURE_UNDEFINED && view_is_new(view, index)) {
		cell->role = CELL_PLAIN;
		text_copy(cell->text, sizeof(cell->text), "new");
	}
}

/* Formats a text. A text that does not fit ends in '+', as in top and ps. */
static void cell_text(struct cell *cell, const char *text, unsigned width)
{
	text_printable(cell->text, sizeof(cell->text), text, width);
	if (text_width(text) <= width)
		return;
	size_t length = text_printable(cell->text, sizeof(cell->text) - 1, text, width - 1);
	memcpy(cell->text + length, "+", 2);
}

static void cell_user(struct cell *cell, const struct row *row, unsigned width)
{
	cell->role = row->user[0] ? CELL_PLAIN : CELL_DIM;
	cell_text(cell, row->user[0] ? row->user : "-", width);
}

/* Writes "| |-", from the outermost ancestor to the row. Returns the length. */
static size_t write_branches(const struct view *view, size_t index, char *text, size_t size)
{
	const char *const on = view->spec.ascii ? "| " : "│ ";
	const char *const here = view->spec.ascii ? "|-" : "├─";
	const char *const end = view->spec.ascii ? "`-" : "└─";
	const char *parts[BRANCHES_MAX];
	size_t n = 0, length = 0;

	for (size_t at = index; n < BRANCHES_MAX && view->rolled.parents[at] != SIZE_MAX;
	     at = view->rolled.parents[at], n++)
		parts[n] = n == 0 ? (view->last[at] ? end : here) : (view->last[at] ? "  " : on);
	text[0] = '\0';
	while (n-- > 0)
		length += text_copy(text + length, size - length, parts[n]);
	return length;
}

/* Groups have no command line of their own. A thread's name is more than its process's line. */
static enum view_command command_of(const struct view *view, const struct row *row)
{
	enum rollup by = view->spec.by;
	enum view_command command = row->cmdline ? view->spec.command : VIEW_COMMAND_NAME;

	if (command != VIEW_COMMAND_SHORT || by == ROLLUP_PROCESS || by == ROLLUP_TREE ||
	    (by == ROLLUP_THREAD && row->tid == row->pid))
		return command;
	return VIEW_COMMAND_NAME;
}

/* Appends a command line, with a bracket, which may be "", behind a whole one or a short one's
 * name. */
static void append_command(struct cell *cell, const struct row *row, bool whole,
			   const char *bracket)
{
	struct command_text command;
	size_t length = strlen(cell->text), size = sizeof(cell->text) - 1, piece[4];

	if (whole)
		command_text_whole(row->cmdline, &command);
	else
		command_text_short(row->cmdline, row->comm, &command);
	piece[0] = 0;
	piece[1] = command.begin;
	piece[2] = command.end;
	piece[3] = strlen(command.text);
	for (size_t i = 0; i < 3; i++) {
		char text[sizeof(command.text)];

		snprintf(text, sizeof(text), "%.*s", (int)(piece[i + 1] - piece[i]),
			 command.text + piece[i]);
		/* A script as an argument has lines. */
		for (char *at = text; (at = strpbrk(at, "\n\t"));)
			*at = ' ';
		if (length < size)
			length += text_printable(cell->text + length, size - length, text,
						 sizeof(cell->text));
		if (i == 0) /* with a bracket in front of it, which a folder parts from it */
			cell->stressed_begin = (unsigned)(piece[1] > 0 ? length : cell->name);
		if (i == (whole ? 2 : 1))
			length += text_copy(cell->text + length, sizeof(cell->text) - length,
					    bracket);
		if (i == 1)
			cell->stressed_end = (unsigned)length;
	}
}

/* Writes "bash > make > " of the ancestors on the line of a row. Returns the length. */
static size_t write_chain(const struct view *view, size_t index, char *text, size_t size)
{
	size_t chain[CHAIN_MAX] = {0}, n = 0, length = 0;

	for (size_t at = view->above[index]; n < CHAIN_MAX && at != SIZE_MAX; at = view->above[at])
		chain[n++] = at;
	while (n-- > 0) {
		const struct row *row = &view->rows->items[chain[n]];

		length += text_printable(text + length, size - length, row->comm,
					 sizeof(row->comm) - 1);
		length += text_copy(text + length, size - length, " > ");
	}
	return length;
}

static void cell_command(const struct view *view, size_t index, struct cell *cell)
{
	const struct row *row = &view->rows->items[index];
	/* In a summary nearly all tasks have ended. */
	bool exited = (row->flags & ROW_EXITED) && !view->snapshot->run;
	bool bracketed = exited || (row->flags & ROW_KERNEL);
	size_t length = 0;
	char comm[sizeof(row->comm) + 1];
	enum view_command command = command_of(view, row);

	if (row->comm[0])
		text_copy(comm, sizeof(comm), row->comm);
	else if (row->tid > 0) /* perf's notation for a task without a name */
		snprintf(comm, sizeof(comm), ":%d", row->tid);
	else
		text_copy(comm, sizeof(comm), "-");
	cell->role = exited || !row->comm[0] || (row->flags & ROW_ABOVE) ? CELL_DIM : CELL_NAME;
	if (view->rolled.parents)
		length = write_branches(view, index, cell->text, sizeof(cell->text));
	if (view->below && view->below[index] > 0)
		length += (size_t)snprintf(cell->text + length, sizeof(cell->text) - length,
					   "+%zu ", view->below[index]);
	size_t room = sizeof(cell->text) - NAME_BYTES;
	cell->chain = length;
	if (view->above && length < room)
		length += write_chain(view, index, cell->text + length, room - length);
	cell->name = length;
	if (view_is_new(view, index))
		cell->text[length++] = '+';
	if (bracketed)
		cell->text[length++] = exited ? '(' : '[';
	/* 15 bytes of comm, in the worst case each replaced by a character of 3 bytes */
	static_assert(sizeof(cell->text) > 4 * BRANCHES_MAX + NAME_BYTES + 32,
		      "branches and a name fit");
	const char *bracket = !bracketed ? "" : exited ? ")" : "]";
	cell->text[length] = '\0';
	if (command != VIEW_COMMAND_NAME) {
		append_command(cell, row, command == VIEW_COMMAND_WHOLE, bracket);
		return;
	}
	length += text_printable(cell->text + length, sizeof(cell->text) - length - bracketed, comm,
				 sizeof(row->comm) - 1);
	text_copy(cell->text + length, sizeof(cell->text) - length, bracket);
}

static void cell_cgroup(const struct view *view, size_t index, struct cell *cell)
{
	const char *name = view->names[index];

	cell->role = name ? CELL_NAME : CELL_DIM;
	text_printable(cell->text, sizeof(cell->text), name ? name : "-", sizeof(cell->text));
}

/*
 * On the screen, a verdict has no mark if a lower bound beyond the limit proves it. It does not if
 * the row's CPU time is a lower bound too, which the wait is compared with, or if other bounds are
 * subtracted from it.
 */
static enum figure_state verdict_state(const struct view *view, size_t index,
				       const struct judgement *judgement)
{
	bool proven = view->spec.screen && view->rows && judgement->state == FIGURE_LOST &&
		      !(view->rows->items[index].flags & ROW_LOST) &&
		      judgement->verdict != VERDICT_BLOCKED;

	return proven ? FIGURE_VALID : judgement->state;
}

/* A loss is a warning, and bad from twice the limit on. Without a verdict the cell is blank. */
static void cell_verdict(const struct view *view, size_t index, struct cell *cell)
{
	struct judgement judgement = view_verdict(view, index);
	/* The label of an unknown verdict is a mark itself. */
	const char *mark = judgement.verdict == VERDICT_UNKNOWN
				   ? ""
				   : figure_mark(verdict_state(view, index, &judgement));

	cell->role = !verdict_is_loss(judgement.verdict) ? CELL_DIM
		     : judgement.severity >= 2           ? CELL_BAD
							 : CELL_WARN;
	snprintf(cell->text, sizeof(cell->text), "%s%s", mark,
		 judgement.verdict == VERDICT_NONE ? "" : verdict_label(judgement.verdict));
}

/*
 * The modifiers of an event's name, with the colon; "": none. Other names have colons too, and
 * those of recordings may be any text.
 */
static const char *modifiers_of(const struct code_event *event)
{
	enum { LENGTH_MAX = 8 };
	const char *colon = strrchr(event->name, ':');
	size_t length = colon ? strlen(colon + 1) : 0;

	return length <= LENGTH_MAX && length > 0 && event_is_modifier(colon + 1, length) ? colon
											  : "";
}

/* "~62% hash_lookup"; "~62%:u hash_lookup" of the time in user mode alone */
static void cell_hottest(const struct view *view, size_t index, unsigned width, struct cell *cell)
{
	struct code_hottest hottest;
	char share[16];

	cell->role = CELL_DIM;
	text_copy(cell->text, sizeof(cell->text), "-");
	if (!view_hottest(view, index, &hottest) || hottest.total < CODE_HOTTEST_LEAST)
		return;
	if (hottest.function->kind == CODE_USER || hottest.function->kind == CODE_KERNEL)
		cell->role = CELL_NAME;
	snprintf(share, sizeof(share), "%s%.0f%%", figure_mark(FIGURE_SCALED),
		 100 * hottest.share.share);
	unsigned length = (unsigned)snprintf(cell->text, sizeof(cell->text), "%5s%s ", /* "~100%" */
					     share, modifiers_of(hottest.event));
	code_name(hottest.function->name, width > length ? width - length : 0, cell->text + length,
		  sizeof(cell->text) - length);
}

static void cell_id(struct cell *cell, int id)
{
	cell->role = id < 0 ? CELL_DIM : CELL_ID;
	if (id < 0)
		text_copy(cell->text, sizeof(cell->text), "-");
	else
		snprintf(cell->text, sizeof(cell->text), "%d", id);
}

static void cell_cpu(const struct view *view, size_t line, struct cell *cell)
{
	const struct snapshot_cpu *cpu = view_cpu(view, line);

	cell_id(cell, cpu->cpu);
	if (view->spec.folds && view_is_unit(view, line) && cpu->cpu >= 0)
		snprintf(cell->text, sizeof(cell->text), "%c %d",
			 view_is_unfolded(&view->spec, cpu->cpu) ? '-' : '+', cpu->cpu);
}

static void cell_number(struct cell *cell, unsigned number)
{
	cell->role = CELL_PLAIN;
	snprintf(cell->text, sizeof(cell->text), "%u", number);
}

void view_cell(const struct view *view, size_t line, size_t column, struct cell *cell)
{
	const struct view_column *what = &view->columns[column];
	size_t index = view->order[line];
	const struct row *row = view_row(view, line);

	cell->stressed_begin = cell->stressed_end = 0;
	switch (what->field) {
	case FIELD_METRIC:
		cell_metric(view, index, what, cell);
		return;
	case FIELD_PID:
		cell_id(cell, row->pid ? row->pid : -1); /* "N more" of a summary */
		return;
	case FIELD_TID:
		cell_id(cell, row->tid);
		return;
	case FIELD_USER:
		cell_user(cell, row, what->width);
		return;
	case FIELD_PROCESSES:
		cell_number(cell, row->processes);
		return;
	case FIELD_THREADS:
		cell_number(cell, row->threads);
		return;
	case FIELD_COMMAND:
		cell_command(view, index, cell);
		return;
	case FIELD_CGROUP:
		cell_cgroup(view, index, cell);
		return;
	case FIELD_CPU:
		cell_cpu(view, line, cell);
		return;
	case FIELD_CPUS:
		cell_number(cell, view->cpus[index].cpus);
		return;
	case FIELD_STALL:
		figure_format(&cpu_stall_def, view_stall(view, index), cell);
		return;
	case FIELD_GHZ:
		figure_format(metric_def_find("ghz"),
			      view_ghz(view->snapshot->columns, &view->cpus[index]), cell);
		return;
	case FIELD_TYPE:
		cell->role = CELL_PLAIN;
		text_copy(cell->text, sizeof(cell->text), view->cpus[index].type);
		return;
	case FIELD_VERDICT:
		cell_verdict(view, index, cell);
		return;
	case FIELD_HOTTEST:
		cell_hottest(view, index, what->width, cell);
		return;
	}
}
