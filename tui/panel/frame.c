// SPDX-License-Identifier: MIT
/*
 * The title, the totals, the machine, the findings and the note. The first three are segments with
 * a weight: a narrow line leaves out the lightest ones, so each line can list all it has.
 *
 * In the title, what changes the meaning of the list (target, replay, pause, filter, unit) has a
 * brief form and is never left out from 40 columns on; "no PMU" too, as it stands for its note.
 * Then come clock, interval and threads. What another page has too is lightest: the PMU (--doctor),
 * then the preset (p). pmctop's cost is on no other page.
 */
#include "tui/panel/frame.h"

#include "core/base/figure_mark.h"
#include "core/base/text.h"
#include "core/base/util.h"
#include "core/event/event_wait.h"
#include "core/perf/perf_open_error.h"
#include "core/view/machine_items.h"
#include "tui/options/duration.h"
#include "tui/panel/note_lines.h"
#include "tui/panel/playback_text.h"
#include "tui/widget/segments.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	NOTICE_LINES = 2,
	WORDS_FROM = 100, /* columns of a title without abbreviations */
	IDLE_WEIGHT = 97,
	REST_WEIGHT =
		8, /* "idle" is the rest of "CPU": lighter than the error, and than any figure */
	ERROR_WEIGHT = 9,
};

/* A smaller unattributed share is not shown. */
#define UNATTRIBUTED_FROM 0.01

static struct segment *add_clock_segment(struct segments *segments, unsigned weight,
					 uint64_t realtime_ns)
{
	struct segment *segment = segments_add(segments, weight);

	duration_format_time_of_day(realtime_ns, "the start", segment->text, sizeof(segment->text));
	return segment;
}

static void add_words(struct segments *segments, unsigned weight, const char *label,
		      const char *text, enum style style)
{
	struct segment *segment = segments_add(segments, weight);

	text_copy(segment->label, sizeof(segment->label), label);
	text_copy(segment->text, sizeof(segment->text), text);
	segment->text_style = style;
}

/* What changes figures: it has a brief form, so that no title leaves it out. */
static void add_mode(struct segments *segments, unsigned weight, const char *label,
		     const char *text, const char *brief)
{
	add_words(segments, weight, label, text, STYLE_WARN);
	struct segment *segment = &segments->items[segments->n - 1];
	text_copy(segment->brief, sizeof(segment->brief), brief);
}

static const char *brief_unit(enum view_unit unit)
{
	switch (unit) {
	case VIEW_UNIT_COUNT:
		return "counts";
	case VIEW_UNIT_PER_SECOND:
		return "/s";
	case VIEW_UNIT_PER_KI:
		return "/ki"; /* as in titles of columns */
	case VIEW_UNIT_USUAL:
	case VIEW_UNIT_KINDS:
		break;
	}
	return "";
}

/* Baseline and unit change what each cell of the list shows. */
static void add_comparison(struct segments *segments, const struct frame *frame)
{
	if (frame->baseline) {
		struct segment *segment =
			add_clock_segment(segments, 94, frame->baseline->realtime_ns);

		text_copy(segment->label, sizeof(segment->label), "baseline of");
		text_copy(segment->brief, sizeof(segment->brief), "baseline");
		segment->text_style = STYLE_WARN;
	}
	if (frame->unit != VIEW_UNIT_USUAL)
		add_mode(segments, 93, "", view_unit_name(frame->unit), brief_unit(frame->unit));
}

/* Adds the target, if it is not the whole machine. */
static void add_target_name(struct segments *segments, const struct target_text *text)
{
	if (!text->full[0])
		return;
	add_mode(segments, 98, "", text->full, text->brief);
	segments->items[segments->n - 1].text_style = STYLE_NAME;
}

/* Privilege levels and the budget: figures are of a part, or scaled. */
static void add_counting(struct segments *segments, const struct snapshot *snapshot)
{
	const char *levels = event_levels_name(snapshot->columns->levels);
	char text[40];

	if (snapshot->columns->levels != EVENT_LEVELS_ALL) {
		snprintf(text, sizeof(text), "%.20s only", levels);
		add_mode(segments, 92, "", text, text);
	}
	if (snapshot->windowed_cpus > 0) {
		snprintf(text, sizeof(text), "%s%u of %zu CPUs", figure_mark(FIGURE_SCALED),
			 snapshot->windowed_cpus, snapshot->n_cpus);
		add_mode(segments, 92, "budget", text, "budget");
	}
}

/* A narrow title has the count abbreviated, and rather without pmctop's cost than without it. */
static void add_process_count(struct segments *segments, const struct snapshot *snapshot,
			      unsigned width)
{
	char text[24];

	if (!snapshot->machine.known[MACHINE_PROCESSES] || snapshot->target)
		return;
	text_fixed(text, sizeof(text), snapshot->machine.values[MACHINE_PROCESSES], 0);
	add_words(segments, 32, "", text, STYLE_PLAIN);
	struct segment *segment = &segments->items[segments->n - 1];
	size_t length = strlen(segment->text);
	text_copy(segment->text + length, sizeof(segment->text) - length,
		  width < WORDS_FROM ? " procs" : " processes");
}

static void add_thread_count(struct segments *segments, const struct snapshot *snapshot)
{
	struct segment *segment = segments_add(segments, 50);
	static const char format[] = "%u threads, %zu ran";
	size_t ran = snapshot_ran(snapshot);

	/* The machine's number of threads would be wrong for a target. */
	if (snapshot->tasks == 0 || snapshot->target) {
		snprintf(segment->text, sizeof(segment->text), "%zu thread%s %s", ran,
			 ran == 1 ? "" : "s",
			 columns_of_profile(snapshot->columns) ? "sampled" : "ran");
		return;
	}
	/* What follows stays in its place while fewer threads run. */
	segment->text_width = (unsigned)snprintf(segment->text, sizeof(segment->text), format,
						 snapshot->tasks, (size_t)snapshot->tasks);
	snprintf(segment->text, sizeof(segment->text), format, snapshot->tasks, ran);
}

static void add_recording(struct segments *segments, uint64_t bytes)
{
	static const char units[] = "KMGT";
	double size = (double)bytes / 1024;
	size_t unit = 0;
	char text[24];

	while (size >= 1000 && unit + 2 < sizeof(units)) {
		size /= 1024;
		unit++;
	}
	size_t length = text_fixed(text, sizeof(text) - 1, size, size < 10);
	text[length] = units[unit];
	text[length + 1] = '\0';
	add_words(segments, 94, "REC", text, STYLE_WARN);
}

/*
 * "REPLAY run.data  00:01:12 of 00:10:00  x2  PAUSED"; of a profile that is shown as one interval
 * "WHOLE 3.5s". Heavy: a replay must not be taken for live figures.
 */
static void add_playback(struct segments *segments, const struct playback *playback, bool whole)
{
	char text[80];

	add_mode(segments, 99, "REPLAY",
		 strcmp(playback->name, "-") == 0 ? "of a pipe" : playback->name, "REPLAY");
	if (whole) {
		playback_whole_text(playback, text, sizeof(text));
		add_mode(segments, 98, "", text, text);
		return;
	}
	playback_position_text(playback, text, sizeof(text));
	if (text[0])
		add_words(segments, 97, "", text, STYLE_PLAIN);
	playback_speed_text(playback->speed, text, sizeof(text));
	add_words(segments, 96, "", text, STYLE_PLAIN);
	playback_state_text(playback, text, sizeof(text));
	if (text[0])
		add_mode(segments, 98, "", text, text);
}

/* To 10 ms. */
static uint64_t round_10_ms(uint64_t ns)
{
	return (ns + 5 * NS_PER_MS) / (10 * NS_PER_MS) * (10 * NS_PER_MS);
}

/*
 * Why the figures are not of a whole interval: the first moments of a run, less than half of one,
 * or a key whose effect is shown soon. NULL: they are.
 */
static const char *why_short(const struct frame *frame)
{
	const struct snapshot *snapshot = frame->snapshot;

	if (!snapshot || frame->playback)
		return NULL;
	if (snapshot->sequence <= 1 && snapshot->interval_ns < frame->interval_ns / 2)
		return "first";
	return snapshot->cut_short ? "short" : NULL;
}

/*
 * An interval can be late, or the rest of one, so a real interval that differs by more than 10 % is
 * shown too. Rates of so short a time mean little: no title leaves it out.
 */
static void add_interval(struct segments *segments, const struct frame *frame)
{
	uint64_t real_ns = frame->snapshot ? frame->snapshot->interval_ns : frame->interval_ns;
	uint64_t chosen_ns = frame->interval_ns;
	char interval[24], real[24], text[72];

	if (frame->playback)
		chosen_ns = round_10_ms(frame->playback->every_ns ? frame->playback->every_ns
								  : real_ns);
	duration_format(chosen_ns, interval, sizeof(interval));
	duration_format(round_10_ms(real_ns), real, sizeof(real));
	if (round_10_ms(real_ns) ==
	    0) /* the last interval of a recording can be shorter than 5 ms */
		text_copy(real, sizeof(real), "<0.01s");
	bool differs = real_ns < chosen_ns - chosen_ns / 10 || real_ns > chosen_ns + chosen_ns / 10;
	const char *why = why_short(frame);
	if (why) {
		char brief[40];

		snprintf(brief, sizeof(brief), "%s %s", why, real);
		snprintf(text, sizeof(text), "%s, %s", interval, brief);
		add_mode(segments, 93, "every", text, brief);
		return;
	}
	snprintf(text, sizeof(text), "%s%s%s", interval, differs ? ", this one " : "",
		 differs ? real : "");
	add_words(segments, 60, "every", text, STYLE_PLAIN);
}

/* The PMUs of all kinds of CPUs: "cpu_atom+cpu_core". */
static void add_pmu_names(struct segments *segments, const struct snapshot *snapshot)
{
	const struct columns *columns = snapshot->columns;
	const struct plan *plan = columns->plan;
	char text[80] = "";
	size_t length = 0;

	for (unsigned i = 0; i < plan->shape.n_domains; i++) {
		const struct plan_domain *domain = &plan->domains[i];

		if (domain->socket || domain->all_cpus || domain->pmu >= columns->n_pmus)
			continue;
		if (length > 0 && length + 1 < sizeof(text))
			text[length++] = '+';
		length +=
			text_copy(text + length, sizeof(text) - length, columns->pmus[domain->pmu]);
	}
	if (!snapshot->pmu[0])
		add_mode(segments, 91, "", "no PMU", "no PMU");
	else
		add_words(segments, 20, "", length > 0 ? text : snapshot->pmu, STYLE_PLAIN);
}

/* CPU time of pmctop itself, in percent of one CPU. */
static void add_cost(struct segments *segments, const struct snapshot_cost *cost)
{
	char text[24];

	if (cost->cpu_ns == 0 || cost->wall_ns == 0)
		return;
	text_percent(text, sizeof(text), (double)cost->cpu_ns / (double)cost->wall_ns);
	add_words(segments, 30, "pmctop", text, STYLE_DIM);
}

/* What is counted, if not whole CPUs. */
static const char *scope_text(const struct snapshot *snapshot)
{
	if (snapshot->mode == COUNT_MODE_PROC)
		return "/proc only";
	return snapshot->targeted ? "target only" : "your tasks only";
}

void frame_draw_title(const struct frame *frame, struct canvas *canvas, struct rect rect)
{
	const struct snapshot *snapshot = frame->snapshot;
	struct segments segments = {0};

	add_words(&segments, 100, "pmctop", snapshot ? snapshot->host : "", STYLE_TITLE);
	text_copy(segments.items[0].brief, sizeof(segments.items[0].brief), "pmctop");
	if (snapshot)
		add_target_name(&segments, &snapshot->target_text);
	if (snapshot && snapshot->realtime_ns > 0)
		add_clock_segment(&segments, 90, snapshot->realtime_ns);
	if (frame->paused)
		add_mode(&segments, 95, "", "PAUSED", "PAUSED");
	if (frame->playback)
		add_playback(&segments, frame->playback, snapshot && snapshot->whole);
	add_comparison(&segments, frame);
	if (snapshot && snapshot->recorded_bytes > 0)
		add_recording(&segments, snapshot->recorded_bytes);
	for (size_t i = 0; i < frame->flags->n; i++)
		*segments_add(&segments, 0) = frame->flags->items[i];
	if (snapshot)
		add_counting(&segments, snapshot);
	if (!snapshot || !snapshot->whole)
		add_interval(&segments, frame);
	if (snapshot) {
		add_process_count(&segments, snapshot, rect.width);
		add_thread_count(&segments, snapshot);
		if (!columns_of_profile(snapshot->columns)) {
			add_pmu_names(&segments, snapshot);
			add_words(&segments, 25, "", snapshot->columns->preset, STYLE_PLAIN);
		}
		if (snapshot->mode != COUNT_MODE_SYSTEM)
			add_words(&segments, 45, "", scope_text(snapshot), STYLE_PLAIN);
		add_cost(&segments, &snapshot->cost);
	}
	segments_draw(&segments, canvas, rect);
}

/* Weight of a metric: a narrow line keeps the heaviest. */
static unsigned figure_weight(const struct columns *columns, size_t index)
{
	const struct metric_def *def = columns->metrics[index].def;
	static const char *const first[] = {"ipc", "ghz", "cs_per_s", "faults_per_s"};

	if (index >= columns->n_preset)
		return 85;
	for (size_t i = 0; i < ARRAY_SIZE(first); i++)
		if (strcmp(def->name, first[i]) == 0)
			return 80 - (unsigned)i;
	return index < 50 ? 60 - (unsigned)index : 10;
}

bool frame_cpus_have(const struct columns *columns, const struct metric *metric)
{
	unsigned events[METRIC_EVENTS_MAX];
	size_t n = metric_events(metric, events, ARRAY_SIZE(events));

	for (size_t i = 0; i < n && i < ARRAY_SIZE(events); i++) {
		const struct event *event = &columns->events.items[events[i]];
		if (event->kind == EVENT_WAIT && event_wait_of(event) != WAIT_RUNQ)
			return false;
	}
	return true;
}

/*
 * "9.9 tasks wait". Of the machine, each 100 % of a CPU's time is a task that was runnable without
 * a CPU all the time.
 */
static void add_waiting(struct segments *segments, unsigned weight, struct figure figure,
			enum style style)
{
	static const struct metric_def tasks = {.width = 5, .decimals = 1};
	char text[80];
	struct cell cell;

	figure.value /= 100;
	figure_format(&tasks, figure, &cell);
	int length = snprintf(text, sizeof(text), "%.60s tasks wait", cell.text);
	add_words(segments, weight, "", text, style);
	segments->items[segments->n - 1].text_width =
		tasks.width + 1 + (unsigned)length - text_width(cell.text);
}

void frame_add_figures(struct segments *segments, const struct shown_figures *of, bool of_cpu)
{
	const struct columns *columns = of->snapshot->columns;

	for (size_t i = 0; i < columns->n_shown; i++) {
		const struct metric_def *def = columns->metrics[i].def;
		struct cell cell;

		/* Facts are those of tasks. */
		if (strcmp(def->name, "cpu_percent") == 0 || metric_facts(&columns->metrics[i]))
			continue;
		if (of_cpu && !frame_cpus_have(columns, &columns->metrics[i]))
			continue;
		figure_show(of, i, &cell);
		if (!of_cpu && of->figures && figure_known(of->figures[i]) &&
		    strcmp(def->name, "runq_percent") == 0) {
			add_waiting(segments, figure_weight(columns, i),
				    figure_shown(of, i, of->figures[i]), style_of_cell(cell.role));
			continue;
		}
		add_words(segments, figure_weight(columns, i), columns->metrics[i].title, cell.text,
			  style_of_cell(cell.role));
		segments->items[segments->n - 1].text_width = def->width + 1;
	}
}

/* Share of CPU time that was not idle. Returns false if no time was counted. */
static bool busy_share(const uint64_t *tally, const uint64_t *idle, double *share)
{
	uint64_t all = tally[TALLY_TASK_CLOCK], slept = idle ? idle[TALLY_TASK_CLOCK] : 0;

	*share = 0;
	if (all == 0)
		return false;
	*share = slept < all ? (double)(all - slept) / (double)all : 0;
	return true;
}

static void add_percent(struct segments *segments, unsigned weight, const char *label, double share,
			enum style style)
{
	char text[24];

	text_percent(text, sizeof(text), share);
	add_words(segments, weight, label, text, style);
	segments->items[segments->n - 1].text_width = 6;
}

/*
 * The unattributed share of CPU time, which needs no name, or of the event where it is greatest. On
 * a machine that is nearly idle a third of the CPU time is nothing, and reads like a third of it.
 */
static void add_unattributed(struct segments *segments, const struct snapshot *snapshot)
{
	size_t event = 0;
	double share = snapshot_unattributed(snapshot, &event);
	bool alarm = snapshot_rows_too_low(snapshot);
	char percent[24], text[80];

	bool little = event == TALLY_TASK_CLOCK &&
		      snapshot->unattributed[event] <= snapshot->totals[event] / 200;

	if (share < UNATTRIBUTED_FROM || little)
		return;
	text_percent(percent, sizeof(percent), share);
	text_copy(text, sizeof(text), percent);
	if (event != TALLY_TASK_CLOCK)
		snprintf(text, sizeof(text), "%s of %.40s", percent,
			 event_label(&snapshot->columns->events.items[event]));
	add_words(segments,
		  alarm                       ? 101
		  : event == TALLY_TASK_CLOCK ? 95
					      : 70,
		  "unattributed", text, STYLE_WARN);
}

/* How many of the threads that ran had counters, if not all. */
static void add_coverage(struct segments *segments, const struct snapshot *snapshot)
{
	char text[64];

	if (snapshot->threads_counted >= snapshot->threads_ran)
		return;
	snprintf(text, sizeof(text), "%zu of %zu threads", snapshot->threads_counted,
		 snapshot->threads_ran);
	add_words(segments, 93, "counted", text, STYLE_WARN);
}

/* Label and %CPU of the target or of the user's tasks. Their figures follow. */
static void add_target(struct segments *segments, const struct snapshot *snapshot)
{
	int percent = columns_metric(snapshot->columns, "cpu_percent");
	struct cell cell = {.text = ""};

	if (percent >= 0) {
		figure_format(snapshot->columns->metrics[percent].def,
			      snapshot->target_figures[percent], &cell);
		text_copy(cell.text + strlen(cell.text), sizeof(cell.text) - strlen(cell.text),
			  "%");
	}
	add_words(segments, 92, snapshot->targeted ? "target" : "your tasks",
		  snapshot->ended ? "ended" : cell.text, STYLE_PLAIN);
	segments->items[segments->n - 1].text_width = 7;
}

/* Memory and swap, on a screen without a line of the machine: only CPU is heavier than memory. */
static void add_memory(struct segments *segments, const struct snapshot_machine *machine)
{
	struct machine_item items[MACHINE_ITEMS];
	size_t n = machine_items(machine, items);

	for (size_t i = 0; i < n; i++)
		if (items[i].kept)
			add_words(segments, items[i].weight + 8, items[i].label, items[i].text,
				  items[i].warns ? STYLE_WARN : STYLE_PLAIN);
}

void frame_draw_totals(const struct frame *frame, struct canvas *canvas, struct rect rect)
{
	const struct snapshot *snapshot = frame->snapshot;
	struct segments segments = {0};
	char sharing[64], error[16];
	double busy;

	if (!snapshot) {
		add_words(&segments, 1, "", "counting ...", STYLE_DIM);
		segments_draw(&segments, canvas, rect);
		return;
	}
	if (snapshot_rows_too_low(snapshot))
		add_unattributed(&segments, snapshot);
	if (busy_share(snapshot->totals, snapshot->idle, &busy)) {
		add_percent(&segments, 100, "CPU", busy, STYLE_PLAIN);
		add_percent(&segments, frame->has_small_errors ? REST_WEIGHT : IDLE_WEIGHT, "idle",
			    1 - busy, STYLE_PLAIN);
	}
	if (!snapshot_rows_too_low(snapshot))
		add_unattributed(&segments, snapshot);
	if (snapshot_sharing(snapshot, sharing, sizeof(sharing)))
		add_words(&segments, 94, "counters", sharing, STYLE_PLAIN);
	if (snapshot->lost_records > 0) {
		char text[32];

		snprintf(text, sizeof(text), "%" PRIu64 " records", snapshot->lost_records);
		add_words(&segments, 96, "lost", text, STYLE_WARN);
	}
	add_coverage(&segments, snapshot);
	if (frame->no_machine_line)
		add_memory(&segments, &snapshot->machine);
	if (snapshot->target)
		add_target(&segments, snapshot);
	frame_add_figures(
		&segments,
		&(struct shown_figures){
			.snapshot = snapshot,
			.figures = snapshot->target ? snapshot->target_figures : snapshot->figures,
			.tally = snapshot->target ? snapshot->target : snapshot->totals,
		},
		false);
	if (frame->has_small_errors) {
		snprintf(error, sizeof(error), "<%d%%", 100 / METRIC_CLOSE_PARTS);
		add_words(&segments, ERROR_WEIGHT, "error", error, STYLE_DIM);
	}
	segments_draw(&segments, canvas, rect);
}

void frame_draw_machine(const struct frame *frame, struct canvas *canvas, struct rect rect)
{
	struct machine_item items[MACHINE_ITEMS];
	struct segments segments = {0};
	size_t n = frame->snapshot ? machine_items(&frame->snapshot->machine, items) : 0;

	for (size_t i = 0; i < n; i++)
		if (items[i].speaks || rect.width >= LAYOUT_WIDE || items[i].usual)
			add_words(&segments,
				  items[i].weight + (items[i].speaks || items[i].kept ? 100 : 0),
				  items[i].label, items[i].text,
				  items[i].warns ? STYLE_WARN : STYLE_PLAIN);
	segments_draw(&segments, canvas, rect);
}

enum style frame_finding_style(const struct finding *finding)
{
	if (finding->kind == FINDING_OF_GAPS)
		return STYLE_BAD;
	return verdict_is_loss(finding->verdict) || finding->kind == FINDING_OF_MACHINE
		       ? STYLE_WARN
		       : STYLE_PLAIN;
}

void frame_draw_findings(const struct frame *frame, struct canvas *canvas, struct rect rect)
{
	const size_t n = frame->findings->n;
	/* Lines without a sentence of their own: for one that does not fit. */
	unsigned y = 0, spare = rect.height > n ? rect.height - (unsigned)n : 0;

	for (size_t i = 0; i < n && y < rect.height; i++) {
		const struct finding *finding = &frame->findings->items[i];
		const enum style style = frame_finding_style(finding);
		const char *text = finding->text;

		for (; spare > 0 && text_width(text) > rect.width; spare--) {
			size_t length = text_first_line(text, rect.width);
			char *line = xstrndup(text, length);
			canvas_text(canvas, rect.x, rect.y + y++, rect.width, style, line);
			free(line);
			text += length + strspn(text + length, " ");
		}
		canvas_text_ellipsis(canvas, rect.x, rect.y + y++, rect.width, style, text);
	}
}

/* "no PMU" in the title stands for that note as long as pmctop runs. */
static bool is_tag(const struct snapshot *snapshot, const char *note)
{
	return !snapshot->pmu[0] && strcmp(note, PERF_OPEN_NO_PMU) == 0;
}

/* Returns the note to show (NULL: none) and the number of notes. */
static const char *first_note(const struct frame *frame, size_t *n)
{
	const struct snapshot *snapshot = frame->snapshot;
	const char *first = frame->notice[0] ? frame->notice : NULL;

	*n = first != NULL;
	for (size_t i = 0; snapshot && i < snapshot->n_notes; i++) {
		if (is_tag(snapshot, snapshot->notes[i]))
			continue;
		first = first ? first : snapshot->notes[i];
		(*n)++;
	}
	return first;
}

void frame_draw_banner(const struct frame *frame, struct canvas *canvas, struct rect rect)
{
	size_t n;
	const char *note = first_note(frame, &n);

	if (!note || rect.height == 0)
		return;
	rect.height = note_lines(note, n - 1, rect.width, frame->notice[0] ? NOTICE_LINES : 1);
	if (rect.y > 1)
		rect.y -= rect.height - 1;
	canvas_fill(canvas, rect, STYLE_PLAIN);
	note_lines_draw(note, n - 1, canvas, rect);
}
