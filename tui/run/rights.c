// SPDX-License-Identifier: MIT
/*
 * The bare system calls: libcap would be one more library, on two architectures, for two of them.
 *
 * What is kept, and why it is not less, is in rights_wanted(). Where a file's capabilities or its
 * owner's lent the rights, exec has changed what is permitted and effective alone, and the command
 * gets neither from us: an exec by an ordinary user takes both away.
 */
#include "tui/run/rights.h"

#include "core/base/util.h"
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

/* ---- lent rights */

bool rights_hides(const char *variable)
{
	/* Files and sizes that ncurses takes from whoever started it, and libpfm4's switches. */
	static const char *const beginnings[] = {"TERMINFO", "TERMCAP=", "TERMPATH=", "NCURSES_",
						 "LIBPFM_"};

	for (size_t i = 0; i < ARRAY_SIZE(beginnings); i++)
		if (strncmp(variable, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return false;
}

static char **without_hidden(char **variables)
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

/* The rights to count stay, and CAP_SYS_ADMIN where that is how they were lent. */
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
	/* A security module may say the same of root's own programs. */
	rights->lent = getuid() != geteuid() || getgid() != getegid() ||
		       (getauxval(AT_SECURE) && getuid() != 0);
	if (!rights->lent)
		return 0;
	environ = without_hidden(environ);
	int rc = become_user();
	return rc ? error_set(err, rc,
			      "The privileges of this program's file cannot be dropped: %s.",
			      error_why(rc))
		  : 0;
}

/* ---- what is needed */

uint64_t rights_wanted(const struct rights_need *need, bool lent)
{
	uint64_t wanted = 0;

	if (need->counts)
		wanted |= BIT(CAP_PERFMON) | BIT(CAP_IPC_LOCK);
	/* For counting, not for what its user may not do. */
	if (lent)
		return wanted;
	if (need->probes)
		wanted |= BIT(CAP_SYS_ADMIN);
	if (need->signals)
		wanted |= BIT(CAP_KILL);
	if (need->writes)
		wanted |= BIT(CAP_DAC_OVERRIDE);
	if (need->reads)
		wanted |= BIT(CAP_DAC_READ_SEARCH);
	if (need->serves)
		wanted |= BIT(CAP_NET_BIND_SERVICE);
	return wanted;
}

static enum perf_access_level counting(const struct sys *sys)
{
	struct perf_access access;

	perf_access_probe(sys, &access);
	return access.level;
}

/* Some processes, whoever's; the first are the kernel's own, which root does not own either. */
struct sight {
	const struct sys *sys;
	char pids[PROCESSES_SEEN][16];
	unsigned n;
};

static int sight_add(void *arg, const char *name)
{
	struct sight *sight = arg;

	if (name[0] < '1' || name[0] > '9')
		return 0;
	text_copy(sight->pids[sight->n++], sizeof(sight->pids[0]), name);
	return sight->n == PROCESSES_SEEN;
}

/* Keeps those of which it is so that they can be looked at, and says how many. */
static unsigned sight_keep(struct sight *sight, bool so)
{
	unsigned n = 0;

	for (unsigned i = 0; i < sight->n; i++) {
		char path[40], text[64];

		snprintf(path, sizeof(path), "/proc/%s/stat", sight->pids[i]);
		bool can = sys_file_read(sight->sys, path, text, sizeof(text)) > 0;
		if (can == so && n++ < i)
			memmove(sight->pids[n - 1], sight->pids[i], sizeof(sight->pids[0]));
	}
	return sight->n = n;
}

/* What is tried is done with these capabilities, and with one more. */
struct trial {
	const struct sys *sys;
	struct capabilities with; /* and .permitted whatever there is */
};

static int trial_set(struct trial *trial, uint64_t effective)
{
	trial->with.effective = effective & trial->with.permitted;
	return capabilities_set(&trial->with);
}

/* On kernels before 5.8, and on some of distributions, nothing else lets count. */
static bool counts_as_admin_alone(struct trial *trial, uint64_t wanted)
{
	if (trial_set(trial, wanted))
		return true;
	enum perf_access_level level = counting(trial->sys);
	return level < PERF_ACCESS_SYSTEM && trial_set(trial, wanted | BIT(CAP_SYS_ADMIN)) == 0 &&
	       counting(trial->sys) > level;
}

/* hidepid: some that cannot be looked at without, can with it. */
static bool sees_as_tracer_alone(struct trial *trial, uint64_t wanted)
{
	struct sight sight = {.sys = trial->sys};

	if (trial_set(trial, wanted | BIT(CAP_SYS_PTRACE)))
		return false;
	sys_dir_each(trial->sys, "/proc", sight_add, &sight);
	if (trial_set(trial, wanted))
		return true;
	return sight_keep(&sight, false) > 0 &&
	       trial_set(trial, wanted | BIT(CAP_SYS_PTRACE)) == 0 && sight_keep(&sight, true) > 0;
}

/*
 * In a user namespace root may not count whole CPUs. It may count processes of its user only if
 * they have no right that pmctop has given up, or as a tracer.
 */
static bool counts_own_as_tracer(struct trial *trial, uint64_t wanted)
{
	if (trial_set(trial, wanted))
		return false;
	enum perf_access_level level = counting(trial->sys);
	return level > PERF_ACCESS_NONE && level < PERF_ACCESS_SYSTEM &&
	       (trial->with.permitted & ~(wanted | BIT(CAP_SYS_PTRACE)));
}

static int add_what_is_tried(struct capabilities *have, uint64_t *wanted)
{
	struct trial trial = {.with = *have};
	struct sys sys;
	int rc = sys_linux_init(&sys);

	if (rc)
		return rc;
	trial.sys = &sys;
	if ((have->permitted & BIT(CAP_SYS_ADMIN)) && counts_as_admin_alone(&trial, *wanted))
		*wanted |= BIT(CAP_SYS_ADMIN);
	if ((have->permitted & BIT(CAP_SYS_PTRACE)) &&
	    (sees_as_tracer_alone(&trial, *wanted) || counts_own_as_tracer(&trial, *wanted)))
		*wanted |= BIT(CAP_SYS_PTRACE);
	sys_linux_fini(&sys);
	return trial_set(&trial, have->effective);
}

/* Only who has CAP_SETPCAP can, and for all others no_new_privs says the same. */
static void empty_bounding_set(void)
{
	for (unsigned long i = 0; prctl(PR_CAPBSET_READ, i, 0, 0, 0) >= 0; i++)
		if (prctl(PR_CAPBSET_DROP, i, 0, 0, 0))
			return;
}

static int drop(const struct rights_need *need, bool lent)
{
	uint64_t wanted = rights_wanted(need, lent);
	struct capabilities have;
	int rc = capabilities_read(&have);

	if (!rc && need->counts)
		rc = add_what_is_tried(&have, &wanted);
	if (rc)
		return rc;
	empty_bounding_set();
	/* Kernels before 4.3 know no ambient set. */
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	have.permitted &= wanted;
	have.effective = have.permitted;
	have.inheritable = 0;
	rc = capabilities_set(&have);
	return rc ? rc : prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : 0;
}

int rights_drop(const struct rights *rights, const struct rights_need *need, struct error *err)
{
	int rc = drop(need, rights->lent);

	/* Where ncurses would look for a terminal's description, too. */
	if (rights->lent)
		unsetenv("HOME");
	return rc ? error_set(err, rc, "Unneeded privileges cannot be dropped: %s.", error_why(rc))
		  : 0;
}
