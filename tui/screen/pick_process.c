// SPDX-License-Identifier: MIT
/*
 * Chooses a process to attach to: processes that ran, the busiest first, then all others of /proc
 * by name, kernel threads last, or a typed pid. Reading thousands of processes takes long, so
 * pick_process_more() reads a few at a time. Order and figures stay as they were at the opening, so
 * that a line does not move under the selection. Command lines are added when a snapshot has them.
 */
#include "core/base/text.h"
#include "core/base/util.h"
#include "core/sys/proc.h"
#include "core/sys/users.h"
#include "tui/screen/app.h"
#include "tui/screen/pick.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Time for one call of pick_process_more(): a key waits for its end. */
#define BIT_NS (5 * NS_PER_MS)

struct process_entry {
	pid_t pid;
	bool kernel;
	char comm[48];
	char name[64]; /* "4121    postgres": typing finds pid and name */
	char user[24];
	char help[256]; /* user, and command line if known */
	char percent[8];
};

struct process_pick {
	const struct sys *sys;
	struct users *users;
	struct process_entry *items;
	size_t n, capacity;
	size_t n_ran; /* number of items that ran before the opening; they come first */
	pid_t *pids;  /* pids of /proc */
	size_t n_pids, pids_capacity;
	size_t next;    /* index of the next pid to read */
	char typed[12]; /* a pid */
};

static void add_process_entry(struct process_pick *pick, pid_t pid, const char *comm, bool kernel,
			      const char *user)
{
	struct process_entry *entry;

	pick->items =
		array_reserve(pick->items, &pick->capacity, pick->n + 1, sizeof(*pick->items));
	entry = &pick->items[pick->n++];
	*entry = (struct process_entry){.pid = pid, .kernel = kernel};
	text_printable(entry->comm, sizeof(entry->comm), comm, UINT_MAX);
	snprintf(entry->name, sizeof(entry->name), kernel ? "%-7d [%s]" : "%-7d %s", pid,
		 entry->comm);
	text_printable(entry->user, sizeof(entry->user), user, UINT_MAX);
	text_copy(entry->help, sizeof(entry->help), entry->user);
}

/* Adds a process of /proc, unless it has ended. */
static void add_from_proc(struct process_pick *pick, pid_t pid)
{
	struct proc_stat stat;
	char path[32], user[24];
	uid_t uid;

	int result = proc_stat_read(pick->sys, pid, &stat);
	if (result == -ETIMEDOUT)
		result = proc_thread_brief(pick->sys, pid, pid, &stat);
	if (result < 0 || proc_has_ended(&stat))
		return;
	snprintf(path, sizeof(path), "/proc/%d", pid);
	if (sys_file_owner(pick->sys, path, &uid) < 0)
		uid = (uid_t)-1;
	users_name(pick->users, uid, user, sizeof(user));
	add_process_entry(pick, pid, stat.comm, stat.kernel, user);
}

static void set_percent(const struct view *view, size_t line, struct process_entry *entry)
{
	const struct columns *columns = view->snapshot->columns;
	int metric = columns_metric(columns, "cpu_percent");
	struct cell cell;

	if (metric < 0)
		return;
	figure_format(columns->metrics[metric].def, view_figure(view, view->order[line], metric),
		      &cell);
	snprintf(entry->percent, sizeof(entry->percent), "%*.*s", PICKER_MARK, PICKER_MARK,
		 cell.text);
}

static void add_ran_processes(struct process_pick *pick, const struct snapshot *snapshot)
{
	const struct view_spec by_process = {.by = ROLLUP_PROCESS};
	struct view view;

	view_init(snapshot, &by_process, &view);
	for (size_t line = 0; line < view.n; line++) {
		const struct row *row = view_row(&view, line);

		if (row->flags & ROW_EXITED || row->pid <= 0)
			continue;
		add_process_entry(pick, row->pid, row->comm, row->flags & ROW_KERNEL, row->user);
		set_percent(&view, line, &pick->items[pick->n - 1]);
	}
	view_fini(&view);
}

static int compare_process_name(const void *a, const void *b)
{
	const struct process_entry *entry_a = a, *entry_b = b;
	int order = strcmp(entry_a->comm, entry_b->comm);

	if (entry_a->kernel != entry_b->kernel)
		return entry_a->kernel ? 1 : -1;
	return order ? order : (entry_a->pid > entry_b->pid) - (entry_a->pid < entry_b->pid);
}

/* Sorts the processes that did not run. The selection stays on its process. */
static void sort_rest(struct process_pick *pick, struct app *app)
{
	size_t selected = picker_selected(&app->picker);
	pid_t pid = selected < pick->n ? pick->items[selected].pid : 0;

	qsort(pick->items + pick->n_ran, pick->n - pick->n_ran, sizeof(*pick->items),
	      compare_process_name);
	picker_update(&app->picker, pick->n, app);
	for (size_t i = 0; i < pick->n; i++)
		if (pick->items[i].pid == pid)
			picker_select(&app->picker, i, app);
}

static int add_pid(void *arg, const char *name)
{
	struct process_pick *pick = arg;
	pid_t pid = proc_pid(name);

	if (!pid)
		return 0;
	pick->pids = array_reserve(pick->pids, &pick->pids_capacity, pick->n_pids + 1,
				   sizeof(*pick->pids));
	pick->pids[pick->n_pids++] = pid;
	return 0;
}

static bool ran_at_opening(const struct process_pick *pick, pid_t pid)
{
	for (size_t i = 0; i < pick->n_ran; i++)
		if (pick->items[i].pid == pid)
			return true;
	return false;
}

static int compare_pid(const void *a, const void *b)
{
	const struct process_entry *const *entry_a = a, *const *entry_b = b;

	return ((*entry_a)->pid > (*entry_b)->pid) - ((*entry_a)->pid < (*entry_b)->pid);
}

static void set_command_line(const struct row *row, struct process_entry *entry)
{
	size_t length = (size_t)snprintf(entry->help, sizeof(entry->help), "%-9s ", entry->user);

	text_printable(entry->help + length, sizeof(entry->help) - length, row->cmdline, UINT_MAX);
}

/* Adds command lines from the newest snapshot to all items. */
static void update_command_lines(struct process_pick *pick, const struct snapshot *snapshot)
{
	const struct view_spec by_process = {.by = ROLLUP_PROCESS};
	struct process_entry **by_pid = xcalloc(pick->n, sizeof(*by_pid));
	struct view view;

	for (size_t i = 0; i < pick->n; i++)
		by_pid[i] = &pick->items[i];
	qsort(by_pid, pick->n, sizeof(*by_pid), compare_pid);
	view_init(snapshot, &by_process, &view);
	for (size_t line = 0; line < view.n; line++) {
		const struct row *row = view_row(&view, line);
		const struct process_entry wanted = {.pid = row->pid};
		const struct process_entry *key = &wanted;
		struct process_entry **found =
			bsearch(&key, by_pid, pick->n, sizeof(*by_pid), compare_pid);

		if (found && row->cmdline)
			set_command_line(row, *found);
	}
	view_fini(&view);
	free(by_pid);
}

static void process_item(void *data, size_t index, struct picker_item *item)
{
	const struct process_pick *pick = data;
	const struct process_entry *entry = &pick->items[index];

	*item = (struct picker_item){entry->name, entry->help, entry->percent, STYLE_NAME};
}

/* A typed number is an item if no listed process has that pid. */
static enum picker_typed process_typed(void *data, const char *typed, struct picker_item *item)
{
	struct process_pick *pick = data;
	size_t digits = strspn(typed, "0123456789");

	if (typed[digits] || digits > 9)
		return PICKER_TYPED_NOT;
	for (size_t i = 0; i < pick->n; i++)
		if (pick->items[i].pid == atoi(typed))
			return PICKER_TYPED_NOT;
	text_copy(pick->typed, sizeof(pick->typed), typed);
	*item = (struct picker_item){pick->typed, "as typed", "pid", STYLE_NAME};
	return PICKER_TYPED_FIRST;
}

static bool process_choose(void *owner, void *data, size_t index, const char *typed)
{
	const struct process_pick *pick = data;
	struct app *app = owner;
	char key[24];

	if (index == SIZE_MAX)
		return false;
	long pid = index == PICKER_AS_TYPED ? atol(typed) : pick->items[index].pid;
	app_request(app, REQUEST_ATTACH, NULL, pid);
	keymap_first_key(&app->keymap, ACTION_DETACH, key, sizeof(key));
	if (key[0])
		messages_show(&app->messages, "Attaching to %ld. %s detaches.", pid, key);
	return true;
}

static void process_close(void *owner, void *data, bool chosen)
{
	struct process_pick *pick = data;
	struct app *app = owner;

	(void)chosen;
	app->out.processes = false;
	users_free(pick->users);
	free(pick->pids);
	free(pick->items);
	free(pick);
}

static const struct picker_ops ops = {
	.item = process_item,
	.as_typed = process_typed,
	.choose = process_choose,
	.close = process_close,
};

/* Names of users that are not in /etc/passwd come from the engine. */
static void learn_users(struct process_pick *pick, const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->threads.n; i++) {
		const struct row *row = &snapshot->threads.items[i];

		if (row->uid != (uid_t)-1 && row->user[strspn(row->user, "0123456789")])
			users_learn(pick->users, row->uid, row->user);
	}
}

void pick_process(struct app *app)
{
	struct process_pick *pick;

	if (!app->config.sys) {
		messages_show(&app->messages,
			      "Replay: a recording's processes cannot be attached.");
		return;
	}
	pick = xcalloc(1, sizeof(*pick));
	pick->sys = app->config.sys;
	pick->users = users_new(app->config.sys);
	if (app->display.snapshot) {
		learn_users(pick, app->display.snapshot);
		add_ran_processes(pick, app->display.snapshot);
		update_command_lines(pick, app->display.snapshot);
	}
	pick->n_ran = pick->n;
	sys_dir_each(app->config.sys, "/proc", add_pid, pick);
	app->out.processes = true;
	picker_open(&app->picker, &ops, "Attach to a process: %CPU, PID, command, user", pick,
		    pick->n, app);
}

bool pick_process_is_open(const struct app *app)
{
	return app->picker.ops == &ops;
}

void pick_process_more(struct app *app)
{
	struct process_pick *pick = app->picker.data;
	uint64_t until_ns = sys_now_ns(app->config.sys) + BIT_NS;

	if (app->picker.ops != &ops)
		return;
	for (; pick->next < pick->n_pids && sys_now_ns(app->config.sys) < until_ns; pick->next++)
		if (!ran_at_opening(pick, pick->pids[pick->next]))
			add_from_proc(pick, pick->pids[pick->next]);
	app->out.processes = pick->next < pick->n_pids;
	if (app->out.processes)
		picker_update(&app->picker, pick->n, app);
	else
		sort_rest(pick, app);
}

void pick_process_update(struct app *app)
{
	if (app->picker.ops == &ops)
		update_command_lines(app->picker.data, app->display.snapshot);
}
