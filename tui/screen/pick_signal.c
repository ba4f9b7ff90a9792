// SPDX-License-Identifier: MIT
/*
 * Sends a signal in three steps: the key fixes the targets, the picker chooses the signal, a
 * question confirms it. The list can change meanwhile; the targets do not.
 */
#include "core/base/util.h"
#include "tui/screen/app.h"
#include "tui/screen/pick.h"

#include <signal.h>
#include <stdio.h>

/* As in htop: SIGTERM first, the others by number. */
static const struct {
	int number;
	const char *name, *help;
} signals[] = {
	{SIGTERM, "SIGTERM", "terminate"},
	{SIGHUP, "SIGHUP", "hang up; daemons read their configuration again"},
	{SIGINT, "SIGINT", "as ^C"},
	{SIGQUIT, "SIGQUIT", "as ^\\: terminate with a core dump"},
	{SIGILL, "SIGILL", "illegal instruction"},
	{SIGTRAP, "SIGTRAP", "trace or breakpoint trap"},
	{SIGABRT, "SIGABRT", "abort: terminate with a core dump"},
	{SIGBUS, "SIGBUS", "bus error"},
	{SIGFPE, "SIGFPE", "arithmetic error"},
	{SIGKILL, "SIGKILL", "kill at once, without cleanup"},
	{SIGUSR1, "SIGUSR1", "defined by the program"},
	{SIGSEGV, "SIGSEGV", "invalid memory reference"},
	{SIGUSR2, "SIGUSR2", "defined by the program"},
	{SIGPIPE, "SIGPIPE", "pipe without a reader"},
	{SIGALRM, "SIGALRM", "a timer expired"},
	{SIGCHLD, "SIGCHLD", "a child has stopped or ended"},
	{SIGCONT, "SIGCONT", "continue, if stopped"},
	{SIGSTOP, "SIGSTOP", "stop until SIGCONT"},
	{SIGTSTP, "SIGTSTP", "as ^Z: stop, unless the program ignores it"},
	{SIGTTIN, "SIGTTIN", "background process reads from the terminal"},
	{SIGTTOU, "SIGTTOU", "background process writes to the terminal"},
	{SIGURG, "SIGURG", "urgent data on a socket"},
	{SIGXCPU, "SIGXCPU", "CPU time limit exceeded"},
	{SIGXFSZ, "SIGXFSZ", "file size limit exceeded"},
	{SIGVTALRM, "SIGVTALRM", "a CPU time timer expired"},
	{SIGPROF, "SIGPROF", "a profiling timer expired"},
	{SIGWINCH, "SIGWINCH", "the window size has changed"},
	{SIGIO, "SIGIO", "input or output is possible"},
	{SIGPWR, "SIGPWR", "power failure"},
	{SIGSYS, "SIGSYS", "bad system call"},
};

struct collection {
	const struct sys *sys;
	struct signal_targets *targets;
	struct error *err;
};

static void collect_target(void *arg, pid_t pid, pid_t tid, uint64_t seen_ns)
{
	struct collection *collection = arg;

	(void)tid; /* the signal is for its process */
	signal_targets_add(collection->targets, collection->sys, pid, seen_ns, collection->err);
}

/*
 * Sets the targets: the tagged processes, or the selected one. Ended ones are left out. Returns an
 * error only if none is left.
 */
static int collect_targets(struct list *list, const struct snapshot *snapshot,
			   const struct sys *sys, struct signal_targets *targets, struct error *err)
{
	struct collection collection = {sys, targets, err};

	signal_targets_fini(targets);
	error_set(err, -1, "No process is selected.");
	list_each_chosen(list, snapshot, collect_target, &collection);
	return targets->n > 0 ? 0 : err->code;
}

/* The reason why no signal can be sent; NULL if one can. sys is NULL in a replay. */
static const char *signal_blocked(const struct sys *sys, const struct list *list)
{
	if (!sys)
		return "Replay: no signal is sent to the processes of a recording.";
	if (!list || list->spec.by > ROLLUP_TREE)
		return "A signal needs a process: select one in the list (g, H, t switch the "
		       "list).";
	return NULL;
}

static int send_signal(void *owner, const char *text, struct error *err)
{
	struct app *app = owner;
	struct signal_targets *signal_targets = &app->signal_choice.targets;
	const char *name = signals[app->signal_choice.index].name;
	char targets[80];

	(void)text;
	size_t sent = signal_targets_send(signal_targets, app->config.sys,
					  signals[app->signal_choice.index].number, err);
	signal_targets_describe(signal_targets, targets, sizeof(targets));
	if (sent == signal_targets->n)
		messages_show(&app->messages, "%s was sent to %s.", name, targets);
	else if (signal_targets->n == 1)
		messages_show(&app->messages, "%s", err->text);
	else
		messages_show(&app->messages, "%s was sent to %zu of %zu: %s", name, sent,
			      signal_targets->n, err->text);
	signal_targets_fini(signal_targets);
	return 0;
}

static void signal_item(void *data, size_t index, struct picker_item *item)
{
	static const char *const numbers[] = {
		"0",  "1",  "2",  "3",  "4",  "5",  "6",  "7",  "8",  "9",  "10",
		"11", "12", "13", "14", "15", "16", "17", "18", "19", "20", "21",
		"22", "23", "24", "25", "26", "27", "28", "29", "30", "31",
	};
	int number = signals[index].number;

	(void)data;
	*item = (struct picker_item){.name = signals[index].name,
				     .help = signals[index].help,
				     .mark = number < 32 ? numbers[number] : NULL,
				     .style = STYLE_NAME};
}

static bool signal_choose(void *owner, void *data, size_t index, const char *typed)
{
	struct app *app = owner;
	char targets[72], query[128];

	(void)data;
	(void)typed;
	if (index == SIZE_MAX)
		return false;
	app->signal_choice.index = index;
	signal_targets_describe(&app->signal_choice.targets, targets, sizeof(targets));
	snprintf(query, sizeof(query), "Send %s to %s? (y/n)", signals[index].name, targets);
	prompt_confirm(&app->prompt, query, send_signal);
	return true;
}

void pick_signal(struct app *app)
{
	static const struct picker_ops ops = {.item = signal_item, .choose = signal_choose};
	struct list *list = app_list(app);
	const char *no = signal_blocked(app->config.sys, list);
	struct error err;
	char targets[40], title[64];

	if (no) {
		messages_show(&app->messages, "%s", no);
		return;
	}
	if (!app->display.snapshot)
		return;
	if (collect_targets(list, app->display.snapshot, app->config.sys,
			    &app->signal_choice.targets, &err) < 0) {
		messages_show(&app->messages, "%s", err.text);
		return;
	}
	signal_targets_describe(&app->signal_choice.targets, targets, sizeof(targets));
	snprintf(title, sizeof(title), "Signal to %s", targets);
	picker_open(&app->picker, &ops, title, NULL, ARRAY_SIZE(signals), app);
}
