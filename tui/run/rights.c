// SPDX-License-Identifier: MIT
/*
 * System calls without libcap, which would add a library for two calls.
 *
 * rights_wanted() has what is kept, and why. If a file's capabilities or owner lent the rights,
 * exec has set the permitted and effective sets only. The command gets neither: an exec by an
 * ordinary user clears both.
 */
#include "tui/run/rights.h"

#include "core/base/util.h"
#include "core/code/opener_client.h"
#include "core/perf/perf_access.h"
#include "core/sys/sys.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

#ifndef CAP_CHECKPOINT_RESTORE
#define CAP_CHECKPOINT_RESTORE 40
#endif

#define BIT(capability) (UINT64_C(1) << (capability))

enum { PROCESSES_SEEN = 64 };

struct capabilities {
	uint64_t effective, permitted, inheritable;
};

static int capabilities_read(struct capabilities *have)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, data))
		return -errno;
	*have = (struct capabilities){
		.effective = data[0].effective | (uint64_t)data[1].effective << 32,
		.permitted = data[0].permitted | (uint64_t)data[1].permitted << 32,
		.inheritable = data[0].inheritable | (uint64_t)data[1].inheritable << 32,
	};
	return 0;
}

static int capabilities_set(const struct capabilities *want)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	for (unsigned i = 0; i < ARRAY_SIZE(data); i++)
		data[i] = (struct __user_cap_data_struct){
			.effective = (uint32_t)(want->effective >> 32 * i),
			.permitted = (uint32_t)(want->permitted >> 32 * i),
			.inheritable = (uint32_t)(want->inheritable >> 32 * i),
		};
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

bool rights_hides(const char *variable)
{
	/* The variables that choose files and sizes for ncurses, and settings of libpfm4. */
	static const char *const beginnings[] = {"TERMINFO", "TERMCAP=", "TERMPATH=", "NCURSES_",
						 "LIBPFM_"};

	for (size_t i = 0; i < ARRAY_SIZE(beginnings); i++)
		if (strncmp(variable, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return false;
}

static char **copy_unhidden(char **variables)
{
	size_t n = 0;

	while (variables && variables[n])
		n++;
	char **kept = xcalloc(n + 1, sizeof(*kept));
	for (size_t i = 0, k = 0; i < n; i++)
		if (!rights_hides(variables[i]))
			kept[k++] = variables[i];
	return kept;
}

/* Keeps the rights to count, and CAP_SYS_ADMIN if it was lent without CAP_PERFMON. */
static int become_user(void)
{
	struct capabilities have;
	uid_t uid = getuid();
	gid_t gid = getgid();
	int rc = capabilities_read(&have);

	if (rc)
		return rc;
	uint64_t kept = have.permitted & (BIT(CAP_PERFMON) | BIT(CAP_IPC_LOCK));
	if (!(kept & BIT(CAP_PERFMON)))
		kept |= have.permitted & BIT(CAP_SYS_ADMIN);
	if (prctl(PR_SET_KEEPCAPS, 1) || setresgid(gid, gid, gid) || setresuid(uid, uid, uid) ||
	    prctl(PR_SET_KEEPCAPS, 0) || prctl(PR_SET_DUMPABLE, 0))
		return -errno;
	have.effective = have.permitted = kept;
	return capabilities_set(&have);
}

int rights_enter(struct rights *rights, struct error *err)
{
	*rights = (struct rights){.environment = environ};
	/* AT_SECURE may be set for root's own programs too, by a security module. */
	rights->lent = getuid() != geteuid() || getgid() != getegid() ||
		       (getauxval(AT_SECURE) && getuid() != 0);
	if (!rights->lent)
		return 0;
	environ = copy_unhidden(environ);
	int rc = become_user();
	return rc ? error_set(err, rc,
			      "The privileges of this program's file cannot be dropped: %s.",
			      error_why(rc))
		  : 0;
}

int rights_return(const struct rights *rights)
{
	struct capabilities have;
	int rc = 0;

	if (rights->lent) {
		rc = capabilities_read(&have);
		have.effective = have.permitted = 0;
		rc = rc ? rc : capabilities_set(&have);
	}
	/* Last: a tracer would have the rights that are left. */
	return rc ? rc : prctl(PR_SET_DUMPABLE, 1) ? -errno : 0;
}

/* Breakpoints may be in the kernel, and probes need CAP_SYS_ADMIN. */
static const char *const probes[] = {"mem:", "uprobe", "kprobe", NULL};
/* Whether -e or -m has one of these words. */
static bool has_column_with(const struct options *options, const char *const *words)
{
	for (size_t i = 0; i < options->n_columns; i++)
		for (const char *const *word = words; *word; word++)
			if (strstr(options->columns[i].text, *word))
				return true;
	return false;
}

struct rights_need rights_need_of(const struct options *options, bool draws)
{
	const char *record = options->record.path;
	bool acts = draws && !options->readonly && !options->replay;

	switch (options->task) {
	case OPTIONS_HELP:
	case OPTIONS_VERSION:
		return (struct rights_need){0};
	case OPTIONS_LIST: /* tests which events the kernel counts */
		return (struct rights_need){.counts = true};
	case OPTIONS_DOCTOR: /* doctor_examine() has run before */
		return (struct rights_need){.writes = options->output != NULL};
	case OPTIONS_RUN:
		break;
	}
	return (struct rights_need){
		.counts = !options->replay,
		.probes = has_column_with(options, probes),
		/* For --code, and on a screen, where a page of functions may be opened. */
		.names = (draws || options->code) && !options->replay,
		.looks = !options->replay,
		.signals = options->command || acts,
		.renices = acts,
		.writes = options->output ||
			  (record && strcmp(record, "-") != 0 && !options->record.pipe),
		.reads = options->replay != NULL,
		.serves = options->listen != NULL,
	};
}

uint64_t rights_wanted(const struct rights_need *need, bool lent)
{
	uint64_t wanted = 0;

	if (need->counts)
		wanted |= BIT(CAP_PERFMON) | BIT(CAP_IPC_LOCK);
	/* Lent rights are for counting only, not for what the user may not do. */
	if (lent)
		return wanted;
	if (need->probes)
		wanted |= BIT(CAP_SYS_ADMIN);
	/* /proc/PID/io and wchan; of other users' processes syscall too (core/sys/blocked.h). */
	if (need->looks)
		wanted |= BIT(CAP_SYS_PTRACE) | BIT(CAP_DAC_READ_SEARCH);
	/*
	 * The mapped files of other users' processes, addresses in /proc/kallsyms, and files below
	 * /proc/PID/map_files, which may be deleted (core/engine/engine_code.h). Without
	 * CAP_CHECKPOINT_RESTORE (before Linux 5.9) the last need CAP_SYS_ADMIN, which is too much
	 * for that.
	 */
	if (need->names)
		wanted |= BIT(CAP_SYS_PTRACE) | BIT(CAP_DAC_READ_SEARCH) | BIT(CAP_SYSLOG) |
			  BIT(CAP_CHECKPOINT_RESTORE);
	if (need->signals)
		wanted |= BIT(CAP_KILL);
	if (need->renices)
		wanted |= BIT(CAP_SYS_NICE);
	if (need->writes)
		wanted |= BIT(CAP_DAC_OVERRIDE);
	/* A recording of this very kernel has the addresses of /proc/kallsyms. */
	if (need->reads)
		wanted |= BIT(CAP_DAC_READ_SEARCH) | BIT(CAP_SYSLOG);
	if (need->serves)
		wanted |= BIT(CAP_NET_BIND_SERVICE);
	return wanted;
}

static enum perf_access_level probe_counting(const struct sys *sys)
{
	struct perf_access access;

	perf_access_probe(sys, &access);
	return access.level;
}

/*
 * A sample of processes of all users. The first are kernel threads, which root's user does not own
 * either.
 */
struct sight {
	const struct sys *sys;
	char pids[PROCESSES_SEEN][16];
	unsigned n;
};

static int sight_add_pid(void *arg, const char *name)
{
	struct sight *sight = arg;

	if (name[0] < '1' || name[0] > '9')
		return 0;
	text_copy(sight->pids[sight->n++], sizeof(sight->pids[0]), name);
	return sight->n == PROCESSES_SEEN;
}

/*
 * Keeps the pids with a readable (`readable`) or unreadable status file, which the kernel lets
 * through whatever the process does. Returns their number.
 */
static unsigned sight_filter(struct sight *sight, bool readable)
{
	unsigned n = 0;

	for (unsigned i = 0; i < sight->n; i++) {
		char path[40], text[64];

		snprintf(path, sizeof(path), "/proc/%s/status", sight->pids[i]);
		bool can = sys_file_read(sight->sys, path, text, sizeof(text)) > 0;
		if (can == readable && n++ < i)
			memmove(sight->pids[n - 1], sight->pids[i], sizeof(sight->pids[0]));
	}
	return sight->n = n;
}

/* A set of capabilities for a trial; trial_set() changes the effective ones. */
struct trial {
	const struct sys *sys;
	struct capabilities with; /* the process's capabilities; .permitted stays */
};

static int trial_set(struct trial *trial, uint64_t effective)
{
	trial->with.effective = effective & trial->with.permitted;
	return capabilities_set(&trial->with);
}

/* Kernels before 5.8, and some of distributions, count only with CAP_SYS_ADMIN. */
static bool counts_only_as_admin(struct trial *trial, uint64_t wanted)
{
	if (trial_set(trial, wanted))
		return true;
	enum perf_access_level level = probe_counting(trial->sys);
	return level < PERF_ACCESS_SYSTEM && trial_set(trial, wanted | BIT(CAP_SYS_ADMIN)) == 0 &&
	       probe_counting(trial->sys) > level;
}

/* hidepid: CAP_SYS_PTRACE makes processes visible. */
static bool sees_only_as_tracer(struct trial *trial, uint64_t wanted)
{
	struct sight sight = {.sys = trial->sys};

	if (trial_set(trial, wanted | BIT(CAP_SYS_PTRACE)))
		return false;
	sys_dir_each(trial->sys, "/proc", sight_add_pid, &sight);
	if (trial_set(trial, wanted))
		return true;
	return sight_filter(&sight, false) > 0 &&
	       trial_set(trial, wanted | BIT(CAP_SYS_PTRACE)) == 0 &&
	       sight_filter(&sight, true) > 0;
}

/*
 * In a user namespace root may not count whole CPUs. To count a process of its user, pmctop needs
 * every right that the process has, or CAP_SYS_PTRACE.
 */
static bool counts_own_as_tracer(struct trial *trial, uint64_t wanted)
{
	if (trial_set(trial, wanted))
		return false;
	enum perf_access_level level = probe_counting(trial->sys);
	return level > PERF_ACCESS_NONE && level < PERF_ACCESS_SYSTEM &&
	       (trial->with.permitted & ~(wanted | BIT(CAP_SYS_PTRACE)));
}

static int add_by_trial(struct capabilities *have, uint64_t *wanted)
{
	struct trial trial = {.with = *have};
	struct sys sys;
	int rc = sys_linux_init(&sys);

	if (rc)
		return rc;
	trial.sys = &sys;
	if ((have->permitted & BIT(CAP_SYS_ADMIN)) && counts_only_as_admin(&trial, *wanted))
		*wanted |= BIT(CAP_SYS_ADMIN);
	if ((have->permitted & BIT(CAP_SYS_PTRACE)) &&
	    (sees_only_as_tracer(&trial, *wanted) || counts_own_as_tracer(&trial, *wanted)))
		*wanted |= BIT(CAP_SYS_PTRACE);
	sys_linux_fini(&sys);
	return trial_set(&trial, have->effective);
}

/* Needs CAP_SETPCAP. Without it, no_new_privs has the same effect. */
static void empty_bounding_set(void)
{
	for (unsigned long i = 0; prctl(PR_CAPBSET_READ, i, 0, 0, 0) >= 0; i++)
		if (prctl(PR_CAPBSET_DROP, i, 0, 0, 0))
			return;
}

static int drop_rights(const struct rights_need *need, bool lent)
{
	uint64_t wanted = rights_wanted(need, lent);
	struct capabilities have;
	int rc = capabilities_read(&have);

	if (!rc && need->counts)
		rc = add_by_trial(&have, &wanted);
	if (rc)
		return rc;
	/* For the process that opens files. A capability outside the bounding set cannot be added.
	 */
	have.inheritable =
		have.permitted & wanted & (need->names || need->reads ? OPENER_RIGHTS : 0);
	rc = capabilities_set(&have);
	if (rc)
		return rc;
	empty_bounding_set();
	/* Kernels before 4.3 have no ambient set. */
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	have.permitted &= wanted;
	have.effective = have.permitted;
	rc = capabilities_set(&have);
	return rc ? rc : prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : 0;
}

int rights_drop(const struct rights *rights, const struct rights_need *need, struct error *err)
{
	int rc = drop_rights(need, rights->lent);

	/* ncurses would also search a terminal description there. */
	if (rights->lent)
		unsetenv("HOME");
	return rc ? error_set(err, rc, "Unneeded privileges cannot be dropped: %s.", error_why(rc))
		  : 0;
}
