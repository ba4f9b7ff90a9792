// SPDX-License-Identifier: MIT
/*
 * The account of a cgroup (struct cgroup_quota_account) is kept as long as a task or a descendant
 * refers to it. An interval without a reading between two others has no part in a growth that
 * matters: no task of the cgroup waited in it.
 */
#include "core/wait/throttling.h"

#include "core/base/util.h"
#include "core/sys/cgroup_stat.h"

#include <errno.h>

enum { QUOTA_INTERVALS = 8, DEPTH_MOST = 64 };

void throttling_fini(struct throttling *throttling)
{
	cgroup_mounts_fini(&throttling->mounts);
	*throttling = (struct throttling){.sys = NULL};
}

static void read_mounts(struct throttling *throttling)
{
	struct cgroup_dir root;
	struct cgroup_quota quota;

	throttling->mounts_read = true;
	cgroup_mounts_read(throttling->sys, &throttling->mounts);
	const struct cgroup_mount *mount = &throttling->mounts.items[CGROUP_CPU];
	throttling->without_quotas =
		mount->version == 1 &&
		cgroup_dir_find(&throttling->mounts, CGROUP_CPU, mount->root, &root) == 0 &&
		cgroup_quota_read(throttling->sys, &root, &quota) == -ENOENT;
}

/* Returns whether a cgroup without a file of a quota is there, and so has none. */
static bool is_without_quota(const struct throttling *throttling, const struct cgroup_dir *dir)
{
	struct cgroup_throttling stat;
	int result = cgroup_throttling_read(throttling->sys, dir, &stat);

	return result == 0 || result == -ENODATA;
}

/*
 * Reads the quota. A cgroup of version 2 without the controller has cpu.stat and no cpu.max, as has
 * the root, of which cpu.stat has the lines of a quota too.
 */
static void read_limit(const struct throttling *throttling, const struct cgroup_dir *dir,
		       struct cgroup_quota_account *account)
{
	struct cgroup_quota quota;
	int result =
		throttling->without_quotas ? 0 : cgroup_quota_read(throttling->sys, dir, &quota);

	account->cpus = 0;
	if (throttling->without_quotas || (result == 0 && !quota.limited) ||
	    (result == -ENOENT && is_without_quota(throttling, dir))) {
		account->limit = CGROUP_UNLIMITED;
	} else if (result == 0) {
		account->limit = CGROUP_LIMITED;
		account->cpus = quota.cpus;
	} else {
		account->limit = CGROUP_LIMIT_UNKNOWN;
	}
}

static void read_throttled(const struct throttling *throttling, const struct cgroup_dir *dir,
			   uint64_t interval, struct cgroup_quota_account *account)
{
	struct cgroup_throttling stat;
	bool read = cgroup_throttling_read(throttling->sys, dir, &stat) == 0;

	account->grown_known = read && account->stat_known &&
			       account->stat_read > throttling->unwanted &&
			       stat.throttled_ns >= account->throttled_ns;
	account->grown_ns = account->grown_known ? stat.throttled_ns - account->throttled_ns : 0;
	account->throttled_ns = read ? stat.throttled_ns : 0;
	account->stat_known = read;
	account->stat_read = interval;
}

/* Reads what is due of one cgroup, once an interval. */
static void read_cgroup(const struct throttling *throttling, struct cgroup *cgroup,
			uint64_t interval)
{
	struct cgroup_quota_account *account = &cgroup->quota;
	bool limit_due = account->limit == CGROUP_LIMIT_UNKNOWN ||
			 interval >= account->limit_read + QUOTA_INTERVALS;
	struct cgroup_dir dir;

	if (account->updated == interval || (!limit_due && account->limit != CGROUP_LIMITED))
		return;
	account->updated = interval;
	if (cgroup_dir_find(&throttling->mounts, CGROUP_CPU, cgroup->path, &dir) < 0) {
		account->limit = CGROUP_OUTSIDE;
		account->limit_read = interval;
		return;
	}
	if (limit_due) {
		read_limit(throttling, &dir, account);
		account->limit_read = interval;
	}
	if (account->limit == CGROUP_LIMITED)
		read_throttled(throttling, &dir, interval, account);
	else
		account->stat_known = false;
}

/* Adds one cgroup, the last or an ancestor, to what is known of a cgroup with its ancestors. */
static void include_cgroup(struct cgroup_quota_account *sum, struct cgroup *cgroup)
{
	const struct cgroup_quota_account *account = &cgroup->quota;

	sum->quota_known &= account->limit != CGROUP_LIMIT_UNKNOWN;
	if (account->limit != CGROUP_LIMITED) {
		sum->known &= account->limit != CGROUP_LIMIT_UNKNOWN;
		return;
	}
	sum->known &= account->grown_known;
	bool lower = sum->least_cpus == 0 || account->cpus < sum->least_cpus;
	if (account->grown_ns > sum->most_ns || (account->grown_ns == sum->most_ns && lower))
		sum->most = cgroup;
	if (account->grown_ns > sum->most_ns)
		sum->most_ns = account->grown_ns;
	if (lower)
		sum->least_cpus = account->cpus;
}

void throttling_evaluate(struct throttling *throttling, struct cgroup *cgroup, uint64_t interval)
{
	struct cgroup_quota_account *sum = &cgroup->quota;

	if (sum->evaluated == interval)
		return;
	if (!throttling->mounts_read)
		read_mounts(throttling);
	sum->evaluated = interval;
	sum->known = sum->quota_known = true;
	sum->most_ns = 0;
	sum->least_cpus = 0;
	sum->most = NULL;
	struct cgroup *at = cgroup;
	for (unsigned depth = 0; at; at = cgroup_parent(at)) {
		read_cgroup(throttling, at, interval);
		if (at->quota.limit == CGROUP_OUTSIDE || depth++ == DEPTH_MOST)
			break;
		include_cgroup(sum, at);
	}
	/* Outside of what is mounted, or too deep. */
	if (at && (at == cgroup || at->quota.limit != CGROUP_OUTSIDE))
		sum->known = sum->quota_known = false;
}

/* A task that waited for less than this part of the interval has no throttled time. */
enum { THROTTLED_PARTS = 200 };

void throttling_estimate(struct throttling *throttling, const struct task *task, uint64_t interval,
			 uint64_t interval_ns, struct wait_values *values)
{
	uint64_t runq_ns = values->counts[WAIT_RUNQ];
	bool waited = runq_ns >= interval_ns / THROTTLED_PARTS;

	if (!task->cpu_cgroup)
		return;
	const struct cgroup_quota_account *quota = &task->cpu_cgroup->quota;
	/* The first reading of a cgroup is the begin of the first growth. */
	if (waited || quota->evaluated == 0)
		throttling_evaluate(throttling, task->cpu_cgroup, interval);
	if (waited && !quota->known)
		return;
	if (waited && interval_ns > 0) {
		uint64_t threads = (values->lifetime_ns + interval_ns / 2) / interval_ns;
		uint64_t most_ns = quota->most_ns * (threads > 1 ? threads : 1);
		values->counts[WAIT_THROTTLED] = most_ns < runq_ns ? most_ns : runq_ns;
	}
	if (quota->evaluated > 0 && quota->known && quota->least_cpus == 0) {
		values->known_ns[WAIT_OF_CGROUPS] = values->lifetime_ns;
		return;
	}
	/* What is known not to be in a run queue is not throttled. */
	uint64_t unsure_ns = u64_min(runq_ns, values->known_ns[WAIT_OF_QUEUES]);
	values->known_ns[WAIT_OF_CGROUPS] = values->known_ns[WAIT_OF_QUEUES] - unsure_ns;
	values->estimated_ns[WAIT_OF_CGROUPS] = values->estimated_ns[WAIT_OF_QUEUES] + unsure_ns;
}
