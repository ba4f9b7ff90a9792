// SPDX-License-Identifier: MIT
/*
 * A loop over a feed: wait, get a snapshot, print it. Each refresh is formatted in memory and then
 * written with write(2), as a whole: stdio would continue a write that a signal has interrupted.
 * Notes that the format does not print are passed to the caller, each text once.
 */
#include "core/output/batch.h"

#include "core/base/util.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int set_output_error(int code, struct error *err)
{
	if (code == -EPIPE)
		return error_set(err, code, "The reader of the output closed it.");
	return error_set(err, code, "The output is cut short: %s.%s", error_why(code),
			 error_remedy(code));
}

/*
 * Prints the threads, or rows rolled up. The rows of a summary are always processes, with counts.
 */
static void write_view(const struct snapshot *snapshot, const struct batch_options *options,
		       FILE *out)
{
	struct view_spec spec = options->view;
	struct view view;

	if (snapshot->run) {
		spec.by = spec.by == ROLLUP_THREAD ? ROLLUP_PROCESS : spec.by;
		spec.unit = VIEW_UNIT_COUNT;
	}
	view_init(snapshot, &spec, &view);
	options->format->write(options->kept, &view, out);
	view_fini(&view);
}

static void pass_note(const struct batch_options *options, const char *sentence)
{
	if (notes_insert(options->noted, options->noted->n, sentence))
		options->note(sentence);
}

static void pass_notes(const struct snapshot *snapshot, const struct batch_options *options)
{
	if (!options->note)
		return;
	for (size_t i = 0; options->format->leaves_notes && i < snapshot->n_notes; i++)
		pass_note(options, snapshot->notes[i]);
	if (options->code && !snapshot->code)
		pass_note(options, snapshot->replay[0]
					   ? "This recording has no samples of code: no functions. "
					     "Record with --code."
					   : "No code is sampled here: no functions.");
}

/* To the file that each refresh replaces, or else to the descriptor. */
static int write_text(const struct batch_options *options, int fd, const char *text, size_t size,
		      const atomic_int *stop, struct error *err)
{
	if (size == 0)
		return 0;
	unwritten_add(options->unwritten, size);
	int code = options->replaces
			   ? published_file_replace(options->replaces, text, size, stop, err)
			   : write_all(fd, text, size, stop);
	unwritten_take(options->unwritten, size);
	return code;
}

static int print_snapshot(const struct snapshot *snapshot, const struct batch_options *options,
			  int fd, const atomic_int *stop, struct error *err)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = xopen_memstream(&text, &size);
	int code = 0;

	pass_notes(snapshot, options);
	if (options->format->replace)
		options->format->replace(options->kept, snapshot, memory);
	else
		write_view(snapshot, options, memory);
	if (fclose(memory))
		code = -ENOMEM;
	else
		code = write_text(options, fd, text, size, stop, err);
	if (code < 0 && !options->replaces && !(code == -EINTR && *stop))
		set_output_error(code, err);
	free(text);
	return code;
}

/* Sets *over if all processes and threads of the target have ended. */
static int print_refresh(const struct feed *feed, const struct batch_options *options, int fd,
			 const atomic_int *stop, bool *over, struct error *err)
{
	struct snapshot *snapshot = feed_snapshot(feed);
	int code = 0;

	if (options->summary)
		run_summary_add(options->summary, snapshot);
	if (!options->silent)
		code = print_snapshot(snapshot, options, fd, stop, err);
	*over = snapshot->ended || (options->recording && snapshot->recorded_bytes == 0);
	snapshot_free(snapshot);
	return code;
}

int batch_run(const struct feed *feed, const struct batch_options *options, int fd,
	      const atomic_int *stop, struct error *err)
{
	for (uint64_t done = 0; options->iterations == 0 || done < options->iterations; done++) {
		int due = 0;
		bool ended, over;

		do
			ended = options->ended && options->ended(options->arg);
		while (!ended && !*stop && (due = feed_wait(feed, UINT64_MAX, err)) == 0);
		if (*stop && !ended)
			return 0;
		if (due < 0)
			return due == -ENODATA ? 0 : due;
		int code = print_refresh(feed, options, fd, stop, &over, err);
		if (code < 0 && !(code == -EINTR && *stop))
			return code;
		if (ended || code < 0)
			return ended;
		if (over && !options->ended)
			return 0;
	}
	return 0;
}

int batch_print_summary(const struct batch_options *options, const struct snapshot_run *run, int fd,
			const atomic_int *stop, struct error *err)
{
	for (size_t i = 0; i < run_summary_parts(options->summary); i++) {
		struct snapshot *snapshot = run_summary_snapshot(options->summary, i, run);
		int code = print_snapshot(snapshot, options, fd, stop, err);

		snapshot_free(snapshot);
		if (code < 0)
			return code == -EINTR && *stop ? 0 : code;
	}
	return 0;
}

int batch_finish(const struct batch_options *options, int fd, const atomic_int *stop,
		 struct error *err)
{
	char *text = NULL;
	size_t size = 0;

	if (!options->format->finish)
		return 0;
	FILE *memory = xopen_memstream(&text, &size);
	options->format->finish(options->kept, memory);
	int code = fclose(memory) ? -ENOMEM : 0;
	if (!code)
		code = write_text(options, fd, text, size, stop, err);
	free(text);
	if (code == -EINTR && *stop)
		return 0;
	return code < 0 ? set_output_error(code, err) : 0;
}
