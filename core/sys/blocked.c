// SPDX-License-Identifier: MIT
/*
 * A const table names kernel functions in which threads wait. wchan is the innermost function of
 * the stack that is not the scheduler's. The functions that are known to do the waiting in the
 * kernel's source (schedule(), io_schedule(), mutex_lock(), down_read(), wait_for_completion()) are
 * marked __sched, and neither wchan nor stack has them (kernel/stacktrace.c): the table has their
 * callers. A thread that waits for a kernel mutex is therefore BLOCKED_UNKNOWN.
 *
 * The names are from Linux 5.10 to 7.x. "[run]" were seen on at least one of 5.10, 6.1, 6.12
 * and 7.2 (arm64) and 6.18 (x86-64), the others are from the source.
 */
#include "core/sys/blocked.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/sys/credentials.h"
#include "core/sys/proc.h"
#include "core/sys/syscall_name.h"

#include <asm/unistd.h>
#include <ctype.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_BYTES = 8192, TRACE_TRIES = 4 };

static const char *const names[BLOCKED_REASONS] = {
	[BLOCKED_UNKNOWN] = "unknown", [BLOCKED_NOT] = "not blocked", [BLOCKED_LOCK] = "lock",
	[BLOCKED_FUTEX] = "futex",     [BLOCKED_DISK] = "disk",       [BLOCKED_PAGE] = "page",
	[BLOCKED_SLEEP] = "sleep",     [BLOCKED_VFORK] = "vfork",     [BLOCKED_STOPPED] = "stopped",
	[BLOCKED_TRACED] = "traced",   [BLOCKED_FREEZER] = "frozen",  [BLOCKED_IDLE] = "idle",
};

const char *blocked_reason_name(enum blocked_reason reason)
{
	return names[reason];
}

/*
 * BLOCKED_PAGE in state D: the page is read or written back, which is BLOCKED_DISK if it is not for
 * a page fault. A function has a reason in one state only: a frozen thread keeps its function
 * and is D (from 6.1), and a pipe's function is D while it waits for a mutex.
 */
struct function {
	const char *name;
	char state;
	enum blocked_reason reason;
};

static const struct function functions[] = {
	/* futexes: 5.10, 5.16 to 6.14, later; with priority inheritance */
	{"futex_wait_queue_me", 'S', BLOCKED_FUTEX}, /* [run] */
	{"futex_wait_queue", 'S', BLOCKED_FUTEX},    /* [run] */
	{"futex_do_wait", 'S', BLOCKED_FUTEX},       /* [run] */
	{"futex_wait_multiple", 'S', BLOCKED_FUTEX}, /* [run] */
	{"futex_sleep_multiple", 'S', BLOCKED_FUTEX},
	{"futex_lock_pi", 'S', BLOCKED_LOCK},            /* [run] */
	{"rt_mutex_wait_proxy_lock", 'S', BLOCKED_LOCK}, /* [run] */
	{"rt_mutex_schedule", 'S', BLOCKED_LOCK},        /* [run] */
	{"futex_wait_requeue_pi", 'S', BLOCKED_FUTEX},
	/* file locks; semaphores, which are signals as often as locks */
	{"locks_lock_inode_wait", 'S', BLOCKED_LOCK}, /* [run] */
	{"flock_lock_inode_wait", 'S', BLOCKED_LOCK},
	{"posix_lock_inode_wait", 'S', BLOCKED_LOCK},
	{"fcntl_setlk", 'S', BLOCKED_LOCK}, /* [run] */
	{"fcntl_setlk64", 'S', BLOCKED_LOCK},
	{"do_lock_file_wait", 'S', BLOCKED_LOCK},
	{"do_semtimedop", 'S', BLOCKED_SLEEP},   /* [run] */
	{"__do_semtimedop", 'S', BLOCKED_SLEEP}, /* [run] */

	{"kernel_clone", 'D', BLOCKED_VFORK}, /* [run] */
	{"wait_for_vfork_done", 'D', BLOCKED_VFORK},

	{"__refrigerator", 'D', BLOCKED_FREEZER},
	{"do_freezer_trap", 'S', BLOCKED_FREEZER},
	{"get_signal", 'S', BLOCKED_FREEZER}, /* with do_freezer_trap() inlined [run] */

	/* pages: up to 5.15, later */
	{"wait_on_page_bit_common", 'D', BLOCKED_PAGE},
	{"wait_on_page_bit", 'D', BLOCKED_PAGE},
	{"wait_on_page_bit_killable", 'D', BLOCKED_PAGE},
	{"put_and_wait_on_page_locked", 'D', BLOCKED_PAGE},
	{"__lock_page", 'D', BLOCKED_PAGE},
	{"__lock_page_killable", 'D', BLOCKED_PAGE},
	{"__lock_page_or_retry", 'D', BLOCKED_PAGE},
	{"folio_wait_bit_common", 'D', BLOCKED_PAGE}, /* [run] */
	{"folio_wait_bit", 'D', BLOCKED_PAGE},        /* [run] */
	{"folio_wait_bit_killable", 'D', BLOCKED_PAGE},
	{"folio_put_wait_locked", 'D', BLOCKED_PAGE},
	{"__folio_lock", 'D', BLOCKED_PAGE},
	{"__folio_lock_killable", 'D', BLOCKED_PAGE},
	{"__folio_lock_or_retry", 'D', BLOCKED_PAGE},
	{"migration_entry_wait_on_locked", 'D', BLOCKED_PAGE},
	{"swap_readpage", 'D', BLOCKED_PAGE},
	{"swap_read_folio", 'D', BLOCKED_PAGE},

	/* block devices, with io_schedule() or a wait for blocks */
	{"submit_bio_wait", 'D', BLOCKED_DISK}, /* [run] */
	{"blkdev_issue_flush", 'D', BLOCKED_DISK},
	{"bio_await", 'D', BLOCKED_DISK},
	{"blk_mq_get_tag", 'D', BLOCKED_DISK},
	{"rq_qos_wait", 'D', BLOCKED_DISK},
	{"__wait_on_buffer", 'D', BLOCKED_DISK},
	{"__sync_dirty_buffer", 'D', BLOCKED_DISK}, /* [run] */
	{"do_blockdev_direct_IO", 'D', BLOCKED_DISK},
	{"__blockdev_direct_IO", 'D', BLOCKED_DISK},
	{"__blkdev_direct_IO", 'D', BLOCKED_DISK},
	{"__blkdev_direct_IO_simple", 'D', BLOCKED_DISK},
	{"blkdev_direct_IO", 'D', BLOCKED_DISK},
	{"__iomap_dio_rw", 'D', BLOCKED_DISK}, /* [run] */
	{"iomap_dio_rw", 'D', BLOCKED_DISK},
	{"balance_dirty_pages", 'D', BLOCKED_DISK},
	{"balance_dirty_pages_ratelimited", 'D', BLOCKED_DISK},
	{"balance_dirty_pages_ratelimited_flags", 'D', BLOCKED_DISK},
	{"jbd2_log_wait_commit", 'D', BLOCKED_DISK},
	{"jbd2_journal_commit_transaction", 'D', BLOCKED_DISK},
	{"wait_transaction_locked", 'D', BLOCKED_DISK},
	{"do_get_write_access", 'D', BLOCKED_DISK},
	{"xfs_buf_iowait", 'D', BLOCKED_DISK},
	{"xfs_log_force_seq", 'D', BLOCKED_DISK},
	{"xfs_log_force_lsn", 'D', BLOCKED_DISK},
	{"xlog_wait_on_iclog", 'D', BLOCKED_DISK},
	{"xlog_grant_head_wait", 'D', BLOCKED_DISK},
	{"btrfs_commit_transaction", 'D', BLOCKED_DISK},
	{"wait_current_trans", 'D', BLOCKED_DISK},
	{"wait_log_commit", 'D', BLOCKED_DISK},
	{"btrfs_sync_log", 'D', BLOCKED_DISK},

	/* polling, time, signals, children */
	{"ep_poll", 'S', BLOCKED_SLEEP},
	{"do_epoll_wait", 'S', BLOCKED_SLEEP},         /* [run] */
	{"poll_schedule_timeout", 'S', BLOCKED_SLEEP}, /* [run] */
	{"do_sys_poll", 'S', BLOCKED_SLEEP},           /* [run] */
	{"do_select", 'S', BLOCKED_SLEEP},             /* [run] */
	{"hrtimer_nanosleep", 'S', BLOCKED_SLEEP},     /* [run] */
	{"do_nanosleep", 'S', BLOCKED_SLEEP},
	{"msleep_interruptible", 'S', BLOCKED_SLEEP},
	{"sigsuspend", 'S', BLOCKED_SLEEP},      /* [run] */
	{"do_sigtimedwait", 'S', BLOCKED_SLEEP}, /* [run] */
	{"__do_sys_pause", 'S', BLOCKED_SLEEP},  /* [run] */
	{"__x64_sys_pause", 'S', BLOCKED_SLEEP},
	{"do_wait", 'S', BLOCKED_SLEEP}, /* [run] */
	/* pipes, sockets, terminals, messages, events */
	{"pipe_read", 'S', BLOCKED_SLEEP},       /* [run] */
	{"pipe_write", 'S', BLOCKED_SLEEP},      /* [run] */
	{"anon_pipe_read", 'S', BLOCKED_SLEEP},  /* [run] */
	{"anon_pipe_write", 'S', BLOCKED_SLEEP}, /* [run] */
	{"fifo_open", 'S', BLOCKED_SLEEP},
	{"wait_for_partner", 'S', BLOCKED_SLEEP}, /* [run] */
	{"wait_woken", 'S', BLOCKED_SLEEP},       /* [run] */
	{"sk_wait_data", 'S', BLOCKED_SLEEP},
	{"sk_stream_wait_memory", 'S', BLOCKED_SLEEP},
	{"sk_stream_wait_connect", 'S', BLOCKED_SLEEP},
	{"inet_csk_accept", 'S', BLOCKED_SLEEP}, /* [run] */
	{"inet_csk_wait_for_connect", 'S', BLOCKED_SLEEP},
	{"__inet_stream_connect", 'S', BLOCKED_SLEEP},
	{"__skb_wait_for_more_packets", 'S', BLOCKED_SLEEP}, /* [run] */
	{"unix_stream_read_generic", 'S', BLOCKED_SLEEP},    /* [run] */
	{"unix_stream_data_wait", 'S', BLOCKED_SLEEP},
	{"unix_wait_for_peer", 'S', BLOCKED_SLEEP},
	{"sock_alloc_send_pskb", 'S', BLOCKED_SLEEP}, /* [run] */
	{"n_tty_read", 'S', BLOCKED_SLEEP},
	{"n_tty_write", 'S', BLOCKED_SLEEP},
	{"do_msgrcv", 'S', BLOCKED_SLEEP}, /* [run] */
	{"do_msgsnd", 'S', BLOCKED_SLEEP},
	{"wq_sleep", 'S', BLOCKED_SLEEP},
	{"eventfd_read", 'S', BLOCKED_SLEEP}, /* [run] */
	{"do_wait_intr", 'S', BLOCKED_SLEEP},
	{"do_wait_intr_irq", 'S', BLOCKED_SLEEP}, /* [run] */
	{"timerfd_read", 'S', BLOCKED_SLEEP},
	{"timerfd_read_iter", 'S', BLOCKED_SLEEP},
	{"signalfd_dequeue", 'S', BLOCKED_SLEEP},
	{"signalfd_read", 'S', BLOCKED_SLEEP},      /* [run] */
	{"signalfd_read_iter", 'S', BLOCKED_SLEEP}, /* [run] */
	{"inotify_read", 'S', BLOCKED_SLEEP},
	{"fanotify_read", 'S', BLOCKED_SLEEP},
	{"read_events", 'S', BLOCKED_SLEEP},
	{"io_cqring_wait", 'S', BLOCKED_SLEEP},
	{"do_syslog", 'S', BLOCKED_SLEEP},    /* [run] */
	{"syslog_print", 'S', BLOCKED_SLEEP}, /* [run] */
	{"devkmsg_read", 'S', BLOCKED_SLEEP},
	{"fuse_dev_do_read", 'S', BLOCKED_SLEEP},
	{"kvm_vcpu_block", 'S', BLOCKED_SLEEP},
	/* kernel threads without work */
	{"kthreadd", 'S', BLOCKED_SLEEP}, /* [run] */
	{"worker_thread", 'S', BLOCKED_SLEEP},
	{"io_wq_worker", 'S', BLOCKED_SLEEP},
	{"io_wqe_worker", 'S', BLOCKED_SLEEP},
	{"io_sq_thread", 'S', BLOCKED_SLEEP},
	{"kthread_worker_fn", 'S', BLOCKED_SLEEP}, /* [run] */
	{"smpboot_thread_fn", 'S', BLOCKED_SLEEP}, /* [run] */
	{"irq_thread", 'S', BLOCKED_SLEEP},
	{"kswapd_try_to_sleep", 'S', BLOCKED_SLEEP},
	{"kswapd", 'S', BLOCKED_SLEEP},    /* [run] */
	{"kcompactd", 'S', BLOCKED_SLEEP}, /* [run] */
	{"khugepaged", 'S', BLOCKED_SLEEP},
	{"ksm_scan_thread", 'S', BLOCKED_SLEEP}, /* [run] */
	{"kjournald2", 'S', BLOCKED_SLEEP},
	{"kauditd_thread", 'S', BLOCKED_SLEEP}, /* [run] */
	{"oom_reaper", 'S', BLOCKED_SLEEP},     /* [run] */
	{"vhost_task_fn", 'S', BLOCKED_SLEEP},
	{"rcu_tasks_kthread", 'S', BLOCKED_SLEEP},  /* [run] */
	{"devtmpfsd", 'S', BLOCKED_SLEEP},          /* [run] */
	{"devtmpfs_work_loop", 'S', BLOCKED_SLEEP}, /* [run] */
	{"watchdog", 'S', BLOCKED_SLEEP},           /* [run] */
	{"nbcon_kthread_func", 'S', BLOCKED_SLEEP}, /* [run] */
};

/* Functions of file systems that wait for a network or a daemon begin so. */
static const char *const remote[] = {"nfs", "rpc_",  "cifs", "smb",   "ceph",  "fuse_",
				     "p9_", "v9fs_", "afs_", "netfs", "ocfs2", "gfs2"};

/* All page faults of user space, and of system calls that copy from or to it. */
static const char *const faults[] = {"handle_mm_fault", "__handle_mm_fault"};

static bool is_function(const char *text, const char *name)
{
	size_t length = strlen(name);

	/* Compilers append ".isra.0", ".constprop.0". */
	return strncmp(text, name, length) == 0 && (text[length] == '\0' || text[length] == '.');
}

static const struct function *find_function(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (is_function(text, functions[i].name))
			return &functions[i];
	return NULL;
}

static enum blocked_reason reason_of_function(const char *text, char state)
{
	const struct function *function = find_function(text);

	return function && function->state == state ? function->reason : BLOCKED_UNKNOWN;
}

static bool stack_has(const struct blocked_stack *stack, const char *function)
{
	for (size_t i = 0; i < stack->n; i++)
		if (strcmp(stack->functions[i], function) == 0)
			return true;
	return false;
}

/* How many functions of the stack are of the wait that wchan shows. */
static size_t stack_depth(const struct blocked *blocked)
{
	bool same = !blocked->wchan[0] || stack_has(&blocked->stack, blocked->wchan);

	return same ? blocked->stack.n : 0;
}

/* The reason by wchan, or by the innermost function of the stack that has one. */
static enum blocked_reason reason_of_functions(const struct blocked *blocked)
{
	enum blocked_reason reason = reason_of_function(blocked->wchan, blocked->state);

	for (size_t i = 0; reason == BLOCKED_UNKNOWN && i < stack_depth(blocked); i++)
		reason = reason_of_function(blocked->stack.functions[i], blocked->state);
	return reason;
}

static bool has_function(const struct blocked *blocked, const char *const *beginnings, size_t n)
{
	for (size_t i = 0; i < stack_depth(blocked); i++)
		for (size_t k = 0; k < n; k++)
			if (strncmp(blocked->stack.functions[i], beginnings[k],
				    strlen(beginnings[k])) == 0)
				return true;
	return false;
}

static bool in_call(const struct blocked *blocked, enum syscall_kind kind)
{
	return blocked->syscall_result == 0 && blocked->syscall.kind == BLOCKED_CALL &&
	       syscall_kind(blocked->syscall.number) == kind;
}

/* In state D, a wait for a page or a block device. */
static enum blocked_reason reason_of_io(const struct blocked *blocked, enum blocked_reason reason)
{
	if (has_function(blocked, remote, ARRAY_SIZE(remote)))
		return BLOCKED_UNKNOWN;
	if (reason != BLOCKED_PAGE)
		return reason;
	if (stack_depth(blocked) > 0)
		return has_function(blocked, faults, ARRAY_SIZE(faults)) ? BLOCKED_PAGE
									 : BLOCKED_DISK;
	bool file = blocked->kernel || in_call(blocked, SYSCALL_FILE);
	return blocked->local && file ? BLOCKED_DISK : BLOCKED_PAGE;
}

/* Returns whether the expected value of a wait for a futex shows a lock: see blocked.h. */
static bool is_lock_word(uint32_t word)
{
	return word == 2 ||
	       ((word & FUTEX_WAITERS) && !(word & FUTEX_OWNER_DIED) && (word & FUTEX_TID_MASK));
}

static enum blocked_reason reason_of_futex(const struct blocked *blocked)
{
	/* The word, the operation, the value, the timeout. */
	const uint64_t *arguments = blocked->syscall.arguments;
	bool lock = false;

	if (!in_call(blocked, SYSCALL_FUTEX) || blocked->syscall.number != __NR_futex)
		return BLOCKED_FUTEX;
	switch (arguments[1] & ~(uint64_t)FUTEX_PRIVATE_FLAG) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		lock = is_lock_word((uint32_t)arguments[2]) && arguments[3] == 0;
		break;
	case FUTEX_LOCK_PI:
		lock = true;
		break;
	}
	return lock ? BLOCKED_LOCK : BLOCKED_FUTEX;
}

/* In state S without a function of the table: the reason by system call. */
static enum blocked_reason reason_of_call(const struct blocked *blocked)
{
	if (blocked->state != 'S')
		return BLOCKED_UNKNOWN;
	if (in_call(blocked, SYSCALL_FUTEX))
		return reason_of_futex(blocked);
	if (in_call(blocked, SYSCALL_LOCK))
		return BLOCKED_LOCK;
	/* A wait for a disk is not interruptible. */
	return in_call(blocked, SYSCALL_WAIT) || in_call(blocked, SYSCALL_FILE) ? BLOCKED_SLEEP
										: BLOCKED_UNKNOWN;
}

enum blocked_reason blocked_classify(const struct blocked *blocked)
{
	switch (blocked->state) {
	case 'R':
	case 'X':
	case 'Z':
		return BLOCKED_NOT;
	case 'T':
		return BLOCKED_STOPPED;
	case 't':
		return BLOCKED_TRACED;
	case 'I':
		return BLOCKED_IDLE;
	}
	enum blocked_reason reason = reason_of_functions(blocked);
	if (reason == BLOCKED_UNKNOWN)
		return reason_of_call(blocked);
	if (reason == BLOCKED_FUTEX)
		return reason_of_futex(blocked);
	if (reason == BLOCKED_PAGE || reason == BLOCKED_DISK)
		return reason_of_io(blocked, reason);
	return reason;
}

bool blocked_is_settled(const struct blocked *blocked)
{
	enum blocked_reason reason = blocked_classify(blocked);

	if (reason == BLOCKED_FUTEX)
		return in_call(blocked, SYSCALL_FUTEX);
	if (reason == BLOCKED_PAGE)
		return stack_depth(blocked) > 0 ||
		       (!blocked->kernel && blocked->syscall_result == 0 &&
			blocked->syscall.kind == BLOCKED_CALL_NONE);
	/* Any function may wait for the disk on behalf of its callers. */
	return reason != BLOCKED_UNKNOWN || blocked->state != 'D' || blocked->stack_result == 0;
}

/* "running", "-1 SP PC" or "NUMBER 0xARGUMENT... SP PC". */
int blocked_syscall_parse(const char *text, struct blocked_syscall *call)
{
	uint64_t number;
	size_t length = text_u64(text, &number);

	*call = (struct blocked_syscall){.kind = BLOCKED_CALL_RUNNING, .number = -1};
	if (strcmp(text, "running\n") == 0)
		return 0;
	call->kind = BLOCKED_CALL_NONE;
	if (strncmp(text, "-1 ", 3) == 0)
		return 0;
	if (length == 0 || number > INT32_MAX)
		return -EBADMSG;
	for (size_t i = 0; i < BLOCKED_ARGUMENTS; i++) {
		char *end;
		text += length;
		if (strncmp(text, " 0x", 3) != 0 || !isxdigit((unsigned char)text[3]))
			return -EBADMSG;
		call->arguments[i] = strtoull(text + 1, &end, 16);
		length = (size_t)(end - text);
	}
	call->kind = BLOCKED_CALL;
	call->number = (long)number;
	return text[length] == ' ' ? 0 : -EBADMSG;
}

void blocked_stack_parse(const char *text, struct blocked_stack *stack)
{
	stack->n = 0;
	for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		const char *name = memmem(line, (size_t)(end - line), "] ", 2);
		size_t length = name ? strcspn(name + 2, "+ \n") : 0;
		if (*line != '[' || length == 0 || name[2 + length] != '+')
			continue;
		if (stack->n == BLOCKED_STACK)
			return;
		snprintf(stack->functions[stack->n++], BLOCKED_FUNCTION, "%.*s", (int)length,
			 name + 2);
	}
}

static ssize_t read_thread_file(const struct sys *sys, pid_t pid, pid_t tid, const char *name,
				char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", pid, tid, name);
	return sys_file_read(sys, path, text, size);
}

/* Types of file systems begin as their functions do: fuse, nfs4, smb3 ... */
static bool is_remote_type(const char *type)
{
	static const char *const others[] = {"9p", "virtiofs", "lustre", "beegfs", "gpfs"};

	if (strncmp(type, "fusectl", strlen("fusectl")) == 0)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (strncmp(type, others[i], strlen(others[i])) == 0)
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(remote); i++)
		if (strncmp(type, remote[i], strcspn(remote[i], "_")) == 0)
			return true;
	return false;
}

/* By the type of each mount, the word behind " - " in /proc/self/mountinfo. */
static bool all_mounts_are_local(const struct sys *sys)
{
	int code;
	char *text = proc_long_text(sys, "/proc/self/mountinfo", &code);
	bool local = text && *text;

	for (const char *at = text; local && (at = strstr(at, " - ")); at += 3)
		local = !is_remote_type(at + 3);
	free(text);
	return local;
}

void blocked_rights_init(struct blocked_rights *rights, const struct sys *sys)
{
	struct credentials credentials;

	credentials_read(sys, &credentials);
	*rights = (struct blocked_rights){.uid_known = credentials.known,
					  .uid = credentials.uid,
					  .local = all_mounts_are_local(sys)};
}

/*
 * Returns whether the wchan of a thread belongs to this user, which gives the right. If a program
 * is not dumpable, its wchan belongs to root, so it may be refused for root too.
 */
static bool is_own(const struct sys *sys, const struct blocked_rights *rights, pid_t pid)
{
	char path[32];
	uid_t owner;

	snprintf(path, sizeof(path), "/proc/%d/wchan", pid);
	return rights->uid_known && rights->uid != 0 && sys_file_owner(sys, path, &owner) == 0 &&
	       owner == rights->uid;
}

/*
 * Tries the right on kthreadd, whose rights no process exceeds, or on the first process if it is
 * another user's. It stays untried if neither sleeps here.
 */
static void try_right(const struct sys *sys, struct blocked_rights *rights)
{
	static const pid_t sleepers[] = {2, 1};
	struct proc_stat stat;
	char text[BLOCKED_FUNCTION];

	for (size_t i = 0; i < ARRAY_SIZE(sleepers); i++) {
		pid_t pid = sleepers[i];
		if (proc_stat_read(sys, pid, &stat) < 0 || stat.state != 'S' ||
		    (!stat.kernel && is_own(sys, rights, pid)) ||
		    read_thread_file(sys, pid, pid, "wchan", text, sizeof(text)) <= 0)
			continue;
		if (strcmp(text, "0") != 0) {
			rights->wchan = BLOCKED_RIGHT_GRANTED;
			return;
		}
		rights->wchan = BLOCKED_RIGHT_REFUSED;
	}
}

/* What a "0" means. */
static int explain_zero(const struct sys *sys, struct blocked_rights *rights, pid_t pid)
{
	if (is_own(sys, rights, pid))
		return -ENODATA;
	if (rights->wchan == BLOCKED_RIGHT_UNTRIED)
		try_right(sys, rights);
	switch (rights->wchan) {
	case BLOCKED_RIGHT_GRANTED:
		return -ENODATA;
	case BLOCKED_RIGHT_REFUSED:
		return -EACCES;
	case BLOCKED_RIGHT_UNTRIED:
		break;
	}
	return -EAGAIN;
}

static int read_wchan(const struct sys *sys, struct blocked_rights *rights, pid_t pid, pid_t tid,
		      char wchan[BLOCKED_FUNCTION])
{
	ssize_t length = read_thread_file(sys, pid, tid, "wchan", wchan, BLOCKED_FUNCTION);

	if (length > 0 && strcmp(wchan, "0") != 0) {
		if (rights->wchan != BLOCKED_RIGHT_GRANTED && !is_own(sys, rights, pid))
			rights->wchan = BLOCKED_RIGHT_GRANTED;
		return 0;
	}
	wchan[0] = '\0';
	if (length < 0)
		return (int)length;
	return length == 0 ? -ENODATA : explain_zero(sys, rights, pid);
}

static int read_syscall(const struct sys *sys, pid_t pid, pid_t tid, struct blocked_syscall *call)
{
	char text[256];
	ssize_t length = read_thread_file(sys, pid, tid, "syscall", text, sizeof(text));

	return length < 0 ? (int)length : blocked_syscall_parse(text, call);
}

static int read_stack(const struct sys *sys, pid_t pid, pid_t tid, struct blocked_stack *stack)
{
	char text[STACK_BYTES];
	ssize_t length = read_thread_file(sys, pid, tid, "stack", text, sizeof(text));

	if (length < 0)
		return (int)length;
	blocked_stack_parse(text, stack);
	return stack->n > 0 ? 0 : -ENODATA;
}

/* 0, or why syscall and stack are not read. See blocked.h about locks. */
static int refuse_trace(const struct proc_stat *stat)
{
	if (stat->kernel)
		return 0;
	return stat->start_code == 0 ? -EBUSY : stat->start_code == 1 ? -EACCES : 0;
}

static void blocked_clear(const struct blocked_rights *rights, struct blocked *blocked)
{
	*blocked = (struct blocked){
		.local = rights->local,
		.wchan_result = -ENODATA,
		.syscall_result = -ENODATA,
		.stack_result = -ENODATA,
		.syscall = {.kind = BLOCKED_CALL_NONE, .number = -1},
	};
}

int blocked_read(const struct sys *sys, struct blocked_rights *rights, pid_t pid, pid_t tid,
		 struct blocked *blocked)
{
	struct proc_stat stat;
	int held = proc_thread_stat(sys, pid, tid, &stat);
	int result = held == -ETIMEDOUT ? proc_thread_brief(sys, pid, tid, &stat) : held;

	blocked_clear(rights, blocked);
	if (result < 0)
		return result;
	blocked->state = stat.state;
	blocked->kernel = stat.kernel;
	if (blocked_classify(blocked) == BLOCKED_NOT)
		return 0;
	if (held == -ETIMEDOUT) {
		blocked->wchan_result = blocked->syscall_result = blocked->stack_result = held;
		return 0;
	}
	blocked->wchan_result = read_wchan(sys, rights, pid, tid, blocked->wchan);
	result = refuse_trace(&stat);
	/* A kernel thread is in no system call, but the file has the number 0. */
	blocked->syscall_result = result;
	if (result == 0 && !stat.kernel)
		blocked->syscall_result = read_syscall(sys, pid, tid, &blocked->syscall);
	blocked->stack_result = result ? result : read_stack(sys, pid, tid, &blocked->stack);
	return 0;
}

/* In state D, what shows why. A thread that waits for one page after the other may run briefly. */
static void sample_trace(const struct sys *sys, pid_t pid, pid_t tid, struct blocked *blocked)
{
	bool page = reason_of_functions(blocked) == BLOCKED_PAGE;

	for (int i = 0; page && !blocked->kernel && i < TRACE_TRIES && !blocked_is_settled(blocked);
	     i++) {
		blocked->syscall_result = read_syscall(sys, pid, tid, &blocked->syscall);
		if (blocked->syscall_result < 0 || blocked->syscall.kind == BLOCKED_CALL)
			break;
	}
	for (int i = 0; i < TRACE_TRIES && !blocked_is_settled(blocked); i++) {
		blocked->stack_result = read_stack(sys, pid, tid, &blocked->stack);
		if (blocked->stack_result < 0 && blocked->stack_result != -ENODATA)
			break;
	}
}

/* Without the right to read wchan: whether it is blocked, and in which state. */
static int sample_state(const struct sys *sys, pid_t pid, pid_t tid, struct blocked *blocked)
{
	struct proc_stat stat;
	int result = proc_thread_stat(sys, pid, tid, &stat);

	if (result < 0)
		return result;
	blocked->state = stat.state;
	return blocked_classify(blocked) == BLOCKED_NOT ? -ENODATA : blocked->wchan_result;
}

int blocked_sample(const struct sys *sys, struct blocked_rights *rights, pid_t pid, pid_t tid,
		   struct blocked *blocked)
{
	struct proc_stat stat;

	blocked_clear(rights, blocked);
	blocked->wchan_result = read_wchan(sys, rights, pid, tid, blocked->wchan);
	if (blocked->wchan_result == -EACCES || blocked->wchan_result == -EAGAIN)
		return sample_state(sys, pid, tid, blocked);
	if (blocked->wchan_result < 0)
		return blocked->wchan_result;
	const struct function *function = find_function(blocked->wchan);
	if (function && function->reason != BLOCKED_PAGE) {
		blocked->state = function->state;
		if (function->reason == BLOCKED_FUTEX)
			blocked->syscall_result = read_syscall(sys, pid, tid, &blocked->syscall);
		return 0;
	}
	int result = proc_thread_stat(sys, pid, tid, &stat);
	if (result < 0)
		return result;
	/* By now it may wait for a CPU, or for something else. */
	blocked->state = function ? function->state : stat.state;
	blocked->kernel = stat.kernel;
	result = refuse_trace(&stat);
	if (result < 0)
		blocked->syscall_result = blocked->stack_result = result;
	else if (blocked->state == 'D')
		sample_trace(sys, pid, tid, blocked);
	return 0;
}
