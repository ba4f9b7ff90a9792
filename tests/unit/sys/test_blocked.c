// SPDX-License-Identifier: MIT
/* Why a thread is blocked: by state, kernel function and system call, and the rights to see them.
 */
#include "core/base/util.h"
#include "core/sys/blocked.h"
#include "core/sys/syscall_name.h"
#include "tests/fake_kernel/fake_kernel.h"

#include <asm/unistd.h>
#include <errno.h>
#include <linux/futex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DENIED = -2, NONE = -1 }; /* in place of a system call's number */

/* A stack of these functions, innermost first. */
static void set_stack(struct blocked *blocked, const char *functions)
{
	char *list = xstrdup(functions), *rest = list, *name;

	while ((name = strsep(&rest, " ")))
		text_copy(blocked->stack.functions[blocked->stack.n++], BLOCKED_FUNCTION, name);
	free(list);
}

/* Stacks and functions are from real kernels. */
static void a_reason_is_found(void **state)
{
	static const struct {
		const char *name;
		char letter;
		const char *wchan; /* "": not known */
		long call;
		const char *stack; /* NULL: denied */
		enum blocked_reason want;
	} rows[] = {
		{"runs", 'R', "", NONE, NULL, BLOCKED_NOT},
		{"runs again", 'R', "do_epoll_wait", __NR_epoll_pwait, NULL, BLOCKED_NOT},
		{"zombie", 'Z', "do_exit", NONE, NULL, BLOCKED_NOT},
		{"stopped", 'T', "do_signal_stop", __NR_kill, NULL, BLOCKED_STOPPED},
		{"traced", 't', "ptrace_stop", __NR_read, NULL, BLOCKED_TRACED},
		{"idle kernel thread", 'I', "worker_thread", NONE, NULL, BLOCKED_IDLE},

		{"futex, 5.10", 'S', "futex_wait_queue_me", __NR_futex, NULL, BLOCKED_FUTEX},
		{"futex, 6.1", 'S', "futex_wait_queue", DENIED, NULL, BLOCKED_FUTEX},
		{"futex, 6.18", 'S', "futex_do_wait", DENIED, NULL, BLOCKED_FUTEX},
		{"futex, wchan is 0", 'S', "", __NR_futex, NULL, BLOCKED_FUTEX},
		{"several futexes", 'S', "", 449, NULL, BLOCKED_FUTEX},
		{"futex in the stack alone", 'S', "", DENIED,
		 "futex_do_wait __futex_wait futex_wait do_futex __x64_sys_futex", BLOCKED_FUTEX},
		{"condition variable with priority inheritance", 'S', "futex_wait_requeue_pi",
		 DENIED, NULL, BLOCKED_FUTEX},
		{"futex with priority inheritance, 5.10", 'S', "rt_mutex_wait_proxy_lock", DENIED,
		 "__switch_to rt_mutex_wait_proxy_lock futex_lock_pi do_futex", BLOCKED_LOCK},
		{"futex with priority inheritance, 7.2", 'S', "rt_mutex_schedule", DENIED, NULL,
		 BLOCKED_LOCK},
		{"flock", 'S', "locks_lock_inode_wait", __NR_flock, NULL, BLOCKED_LOCK},
		{"fcntl", 'S', "fcntl_setlk", __NR_fcntl, NULL, BLOCKED_LOCK},
		{"semop", 'S', "__do_semtimedop", __NR_semop, NULL, BLOCKED_SLEEP},
		{"frozen in a futex", 'D', "futex_do_wait", __NR_futex, NULL, BLOCKED_UNKNOWN},

		{"fsync, device, 6.18", 'D', "submit_bio_wait", __NR_fsync,
		 "submit_bio_wait blkdev_issue_flush ext4_sync_file do_fsync __x64_sys_fsync",
		 BLOCKED_DISK},
		{"fsync, wchan alone", 'D', "submit_bio_wait", DENIED, NULL, BLOCKED_DISK},
		{"fsync, inode", 'D', "__sync_dirty_buffer", __NR_fsync, NULL, BLOCKED_DISK},
		{"fsync, journal", 'D', "jbd2_log_wait_commit", __NR_fsync,
		 "jbd2_log_wait_commit jbd2_complete_transaction ext4_sync_file", BLOCKED_DISK},
		{"fsync, pages, 5.10", 'D', "wait_on_page_bit", __NR_fsync,
		 "wait_on_page_bit wait_on_page_writeback __filemap_fdatawait_range", BLOCKED_DISK},
		{"fsync, pages, 6.18", 'D', "folio_wait_bit", __NR_fsync,
		 "folio_wait_bit folio_wait_writeback __filemap_fdatawait_range ext4_sync_file",
		 BLOCKED_DISK},
		{"read", 'D', "folio_wait_bit_common", __NR_pread64,
		 "folio_wait_bit_common filemap_get_pages filemap_read vfs_read", BLOCKED_DISK},
		{"read, no right to the stack", 'D', "folio_wait_bit_common", __NR_pread64, NULL,
		 BLOCKED_PAGE},
		{"read of NFS", 'D', "folio_wait_bit_common", __NR_read,
		 "folio_wait_bit_common filemap_get_pages filemap_read nfs_file_read vfs_read",
		 BLOCKED_UNKNOWN},
		{"RPC", 'D', "rpc_wait_bit_killable", __NR_fsync,
		 "rpc_wait_bit_killable __rpc_execute nfs4_do_call_sync", BLOCKED_UNKNOWN},
		{"direct I/O", 'D', "__iomap_dio_rw", __NR_pwrite64, NULL, BLOCKED_DISK},
		{"page fault", 'D', "folio_wait_bit_common", NONE,
		 "folio_wait_bit_common filemap_fault __do_fault handle_mm_fault exc_page_fault",
		 BLOCKED_PAGE},
		{"page fault in a system call", 'D', "folio_wait_bit_common", __NR_write,
		 "folio_wait_bit_common filemap_fault handle_mm_fault exc_page_fault vfs_write",
		 BLOCKED_PAGE},
		{"kernel thread that writes pages", 'D', "folio_wait_bit", NONE,
		 "folio_wait_bit folio_wait_writeback ext4_writepages wb_workfn kthread",
		 BLOCKED_DISK},
		{"swap, 5.10", 'D', "__lock_page_or_retry", NONE,
		 "__lock_page_or_retry do_swap_page handle_mm_fault", BLOCKED_PAGE},

		{"vfork", 'D', "kernel_clone", __NR_clone, "kernel_clone __do_sys_vfork",
		 BLOCKED_VFORK},
		{"vfork, rights for wchan alone", 'D', "kernel_clone", DENIED, NULL, BLOCKED_VFORK},
		{"frozen, version 1", 'D', "__refrigerator", __NR_read, NULL, BLOCKED_FREEZER},
		{"frozen, version 2", 'S', "get_signal", NONE, NULL, BLOCKED_FREEZER},
		{"kernel mutex", 'D', "ext4_file_write_iter", __NR_write,
		 "ext4_file_write_iter vfs_write ksys_write", BLOCKED_UNKNOWN},
		{"mutex of a pipe", 'D', "anon_pipe_read", __NR_read, NULL, BLOCKED_UNKNOWN},
		{"D without rights", 'D', "", DENIED, NULL, BLOCKED_UNKNOWN},

		{"epoll", 'S', "do_epoll_wait", __NR_epoll_pwait, NULL, BLOCKED_SLEEP},
		{"epoll, wchan is 0", 'S', "", __NR_epoll_pwait, NULL, BLOCKED_SLEEP},
		{"poll", 'S', "poll_schedule_timeout.constprop.0", DENIED, NULL, BLOCKED_SLEEP},
		{"a name that begins like one", 'S', "do_epoll_wait_x", DENIED, NULL,
		 BLOCKED_UNKNOWN},
		{"nanosleep", 'S', "hrtimer_nanosleep", __NR_clock_nanosleep, NULL, BLOCKED_SLEEP},
		{"pipe, 6.1", 'S', "pipe_read", __NR_read, NULL, BLOCKED_SLEEP},
		{"socket", 'S', "wait_woken", __NR_recvfrom,
		 "wait_woken sk_wait_data tcp_recvmsg_locked tcp_recvmsg", BLOCKED_SLEEP},
		{"read of a device", 'S', "some_driver_read", __NR_read, NULL, BLOCKED_SLEEP},
		{"child", 'S', "do_wait", __NR_wait4, NULL, BLOCKED_SLEEP},
		{"signal", 'S', "do_sigtimedwait.isra.0", DENIED, NULL, BLOCKED_SLEEP},
		{"kernel thread", 'S', "kthreadd", NONE, NULL, BLOCKED_SLEEP},
		{"a driver's kernel thread", 'S', "some_thread", NONE, "some_thread kthread",
		 BLOCKED_UNKNOWN},
		{"a call by number", 'S', "", 9999, NULL, BLOCKED_UNKNOWN},
		{"S without rights", 'S', "", DENIED, NULL, BLOCKED_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct blocked blocked = {.state = rows[i].letter};

		text_copy(blocked.wchan, sizeof(blocked.wchan), rows[i].wchan);
		blocked.syscall_result = rows[i].call == DENIED ? -EPERM : 0;
		blocked.syscall.kind = rows[i].call >= 0 ? BLOCKED_CALL : BLOCKED_CALL_NONE;
		blocked.syscall.number = rows[i].call;
		blocked.stack_result = rows[i].stack ? 0 : -EPERM;
		if (rows[i].stack)
			set_stack(&blocked, rows[i].stack);
		enum blocked_reason got = blocked_classify(&blocked);
		if (got != rows[i].want)
			fail_msg("%s: %s, not %s", rows[i].name, blocked_reason_name(got),
				 blocked_reason_name(rows[i].want));
	}
}

/* The arguments of what the libraries do, as strace shows them. */
static void a_futex_is_a_lock_by_its_arguments(void **state)
{
	enum { NO_TIMEOUT = 0, TIMEOUT = 0x7ffc1000, OWNER = 1234 };
	static const struct {
		const char *name;
		uint64_t operation, value, timeout;
		enum blocked_reason want;
	} rows[] = {
		{"mutex of glibc and Go", FUTEX_WAIT_PRIVATE, 2, NO_TIMEOUT, BLOCKED_LOCK},
		{"shared mutex of glibc", FUTEX_WAIT, 2, NO_TIMEOUT, BLOCKED_LOCK},
		{"mutex of Rust", FUTEX_WAIT_BITSET_PRIVATE, 2, NO_TIMEOUT, BLOCKED_LOCK},
		{"mutex of musl", FUTEX_WAIT_PRIVATE, FUTEX_WAITERS | EBUSY, NO_TIMEOUT,
		 BLOCKED_LOCK},
		{"robust mutex of glibc", FUTEX_WAIT_PRIVATE,
		 0xffffffff00000000 | FUTEX_WAITERS | OWNER, NO_TIMEOUT, BLOCKED_LOCK},
		{"priority inheritance", FUTEX_LOCK_PI_PRIVATE, 0, NO_TIMEOUT, BLOCKED_LOCK},
		{"condition variable of glibc", FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, 0,
		 NO_TIMEOUT, BLOCKED_FUTEX},
		{"condition variable of glibc 2.41",
		 FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, 2, NO_TIMEOUT, BLOCKED_FUTEX},
		{"condition variable of Rust", FUTEX_WAIT_BITSET_PRIVATE, 17, NO_TIMEOUT,
		 BLOCKED_FUTEX},
		{"condition variable, until a time", FUTEX_WAIT_BITSET_PRIVATE, 2, TIMEOUT,
		 BLOCKED_FUTEX},
		{"thread::park() of Rust", FUTEX_WAIT_BITSET_PRIVATE, UINT32_MAX, NO_TIMEOUT,
		 BLOCKED_FUTEX},
		{"idle thread of Go", FUTEX_WAIT_PRIVATE, 0, NO_TIMEOUT, BLOCKED_FUTEX},
		{"semaphore of musl", FUTEX_WAIT_PRIVATE, FUTEX_WAITERS, NO_TIMEOUT, BLOCKED_FUTEX},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct blocked blocked = {
			.state = 'S',
			.wchan = "futex_do_wait",
			.syscall = {.kind = BLOCKED_CALL,
				    .number = __NR_futex,
				    .arguments = {0x1000, rows[i].operation, rows[i].value,
						  rows[i].timeout}},
		};
		enum blocked_reason got = blocked_classify(&blocked);
		if (got != rows[i].want)
			fail_msg("%s: %s", rows[i].name, blocked_reason_name(got));
	}
}

static void a_call_is_parsed(void **state)
{
#define ARGUMENTS " 0x1 0x2 0xffffffffffffffff 0x0 0x5 0x6"
	static const struct {
		const char *text;
		int result;
		enum blocked_call kind;
		long number;
	} rows[] = {
		{"running\n", 0, BLOCKED_CALL_RUNNING, -1},
		{"-1 0x7ffc26bda428 0x7f9f163572ad\n", 0, BLOCKED_CALL_NONE, -1},
		{"202" ARGUMENTS " 0x7ffc26bda428 0x7f9f163572ad\n", 0, BLOCKED_CALL, 202},
		{"0" ARGUMENTS " 0x7 0x8\n", 0, BLOCKED_CALL, 0},
		{"202 0x1 0x2 0x3 0x4 0x5\n", -EBADMSG},
		{"202" ARGUMENTS, -EBADMSG},
		{"202 1 2 3 4 5 6 0x7 0x8\n", -EBADMSG},
		{"202 0x 0x2 0x3 0x4 0x5 0x6 0x7\n", -EBADMSG},
		{"4294967296" ARGUMENTS " 0x7 0x8\n", -EBADMSG},
		{"-2" ARGUMENTS " 0x7 0x8\n", -EBADMSG},
		{"run", -EBADMSG},
		{"", -EBADMSG},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct blocked_syscall call;

		assert_int_equal(blocked_syscall_parse(rows[i].text, &call), rows[i].result);
		if (rows[i].result < 0)
			continue;
		assert_int_equal(call.kind, rows[i].kind);
		assert_int_equal(call.number, rows[i].number);
		if (call.kind == BLOCKED_CALL) {
			assert_int_equal(call.arguments[1], 2);
			assert_int_equal(call.arguments[2], UINT64_MAX);
		}
	}
}

static void a_stack_is_parsed(void **state)
{
	static const struct {
		const char *text;
		size_t n;
		const char *first, *last;
	} rows[] = {
		{"[<0>] do_wait+0x5b/0x130\n[<0>] kernel_wait4+0x9c/0x150\n"
		 "[<0>] do_syscall_64+0x71/0x280\n",
		 3, "do_wait", "do_syscall_64"},
		{"[<0>] nfs_file_read+0x8f/0x130 [nfs]\n", 1, "nfs_file_read", "nfs_file_read"},
		{"[<0>] do_sigtimedwait.isra.0+0x1/0x2\n", 1, "do_sigtimedwait.isra.0",
		 "do_sigtimedwait.isra.0"},
		{"[<0>] 0xffffffffffffffff\n[<0>] a+0x1/0x2\nb+0x1/0x2\n[<0>] +0x1\n[<0>] c", 1,
		 "a", "a"},
		{"", 0},
	};
	struct blocked_stack stack;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		blocked_stack_parse(rows[i].text, &stack);
		assert_int_equal(stack.n, rows[i].n);
		if (stack.n == 0)
			continue;
		assert_string_equal(stack.functions[0], rows[i].first);
		assert_string_equal(stack.functions[stack.n - 1], rows[i].last);
	}
	char deep[100 * 16 + 1] = "", name[100] = "[<0>] ";
	for (int i = 0; i < 100; i++)
		strcat(deep, "[<0>] f+0x1/0x2\n");
	blocked_stack_parse(deep, &stack);
	assert_int_equal(stack.n, BLOCKED_STACK);
	memset(name + 6, 'x', 80);
	strcpy(name + 86, "+0x1/0x2\n");
	blocked_stack_parse(name, &stack);
	assert_int_equal(strlen(stack.functions[0]), BLOCKED_FUNCTION - 1);
}

static void calls_have_names(void **state)
{
	static const struct {
		long number;
		const char *name; /* NULL: by number alone */
		enum syscall_kind kind;
	} rows[] = {
		{__NR_read, "read", SYSCALL_FILE},
		{__NR_fsync, "fsync", SYSCALL_FILE},
		{__NR_futex, "futex", SYSCALL_FUTEX},
		{455, "futex_wait", SYSCALL_FUTEX},
		{__NR_epoll_pwait, "epoll_pwait", SYSCALL_WAIT},
		{__NR_clone3, "clone3", SYSCALL_OTHER},
		{9999, NULL, SYSCALL_OTHER},
		{-1, NULL, SYSCALL_OTHER},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *name = syscall_name(rows[i].number);

		assert_int_equal(syscall_kind(rows[i].number), rows[i].kind);
		assert_int_equal(name != NULL, rows[i].name != NULL);
		if (name)
			assert_string_equal(name, rows[i].name);
	}
}

#define STAT(pid, letter, flags) \
#pid " (t) " letter " 0 1 1 0 -1 " flags " 0 0 0 0 0 0 0 0 20 0 1 0 7 0 0\n"
#define USER_TASK(pid, letter) STAT(pid, letter, "0")
#define KTHREAD(pid, letter)   STAT(pid, letter, "2129984")

/* User 1000 looks at 7, which sleeps. Files that no task has belong to root. */
static void a_refused_wchan_is_unknown(void **state)
{
	static const struct {
		const char *name;
		uid_t owner;
		const char *wchan;                     /* of 7 */
		const char *init, *init_wchan;         /* of 1; NULL: not visible */
		const char *kthreadd, *kthreadd_wchan; /* of 2 */
		int result;
	} rows[] = {
		{"own, in a function", 1000, "do_wait", NULL, NULL, NULL, NULL, 0},
		{"own, at no function", 1000, "0", NULL, NULL, NULL, NULL, -ENODATA},
		{"own, empty", 1000, "", NULL, NULL, NULL, NULL, -ENODATA},
		{"of another user, permitted", 0, "do_wait", NULL, NULL, NULL, NULL, 0},
		{"refused for kthreadd too", 0, "0", NULL, NULL, KTHREAD(2, "S"), "0", -EACCES},
		{"permitted for kthreadd", 0, "0", NULL, NULL, KTHREAD(2, "S"), "kthreadd",
		 -ENODATA},
		{"kthreadd runs, refused for the first process", 0, "0", USER_TASK(1, "S"), "0",
		 KTHREAD(2, "R"), "0", -EACCES},
		{"permitted for the first process", 0, "0", USER_TASK(1, "S"), "do_epoll_wait",
		 NULL, NULL, -ENODATA},
		{"no thread is known to sleep", 0, "0", USER_TASK(1, "R"), "0", NULL, NULL,
		 -EAGAIN},
		{"hidepid", 0, "0", NULL, NULL, NULL, NULL, -EAGAIN},
		{"no such file", 0, NULL, NULL, NULL, NULL, NULL, -ENOENT},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = fk_new(NULL);
		struct sys sys = fk_sys(fk);
		struct blocked_rights rights;
		struct blocked blocked;

		print_message("%s\n", rows[i].name);
		fk_task(fk, &(struct fk_spec){.tid = 7, .uid = rows[i].owner});
		fk_file(fk, "/proc/self/status", "Uid:\t1000\t1000\t1000\t1000\nCapEff:\t0\n");
		fk_file(fk, "/proc/7/task/7/wchan", rows[i].wchan);
		fk_file(fk, "/proc/1/stat", rows[i].init);
		fk_file(fk, "/proc/1/task/1/wchan", rows[i].init_wchan);
		fk_file(fk, "/proc/2/stat", rows[i].kthreadd);
		fk_file(fk, "/proc/2/task/2/wchan", rows[i].kthreadd_wchan);
		blocked_rights_init(&rights, &sys);
		assert_int_equal(blocked_read(&sys, &rights, 7, 7, &blocked), 0);
		assert_int_equal(blocked.wchan_result, rows[i].result);
		assert_string_equal(blocked.wchan, rows[i].result ? "" : rows[i].wchan);
		fk_free(fk);
	}
}

/* A right that was refused by mistake, because the sleeper just woke, is granted by proof. */
static void the_right_is_remembered(void **state)
{
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	struct blocked_rights rights;
	struct blocked blocked;

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = 7});
	fk_file(fk, "/proc/self/status", "Uid:\t1000\t1000\t1000\t1000\nCapEff:\t0\n");
	fk_file(fk, "/proc/7/task/7/wchan", "0");
	fk_file(fk, "/proc/2/stat", KTHREAD(2, "S"));
	fk_file(fk, "/proc/2/task/2/wchan", "0");
	blocked_rights_init(&rights, &sys);
	blocked_read(&sys, &rights, 7, 7, &blocked);
	assert_int_equal(rights.wchan, BLOCKED_RIGHT_REFUSED);
	unsigned calls = fk_calls(fk, FK_FILE_READ);
	blocked_read(&sys, &rights, 7, 7, &blocked);
	assert_int_equal(fk_calls(fk, FK_FILE_READ) - calls, 4); /* stat, wchan, syscall, stack */
	fk_file(fk, "/proc/7/task/7/wchan", "do_wait");
	blocked_read(&sys, &rights, 7, 7, &blocked);
	assert_int_equal(blocked.wchan_result, 0);
	assert_int_equal(rights.wchan, BLOCKED_RIGHT_GRANTED);
	fk_free(fk);
}

/* Files of programs that are not dumpable are root's, but refused for root without capabilities. */
static void root_may_be_refused(void **state)
{
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	struct blocked_rights rights;
	struct blocked blocked;

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = 7});
	fk_file(fk, "/proc/self/status", "Uid:\t0\t0\t0\t0\nCapEff:\t0\n");
	fk_file(fk, "/proc/7/task/7/wchan", "0");
	fk_file(fk, "/proc/2/stat", KTHREAD(2, "S"));
	fk_file(fk, "/proc/2/task/2/wchan", "0");
	blocked_rights_init(&rights, &sys);
	blocked_read(&sys, &rights, 7, 7, &blocked);
	assert_int_equal(blocked.wchan_result, -EACCES);
	fk_free(fk);
}

static void a_thread_is_read(void **state)
{
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	struct blocked_rights rights;
	struct blocked blocked;

	(void)state;
	blocked_rights_init(&rights, &sys);
	fk_task(fk, &(struct fk_spec){.tid = 7, .uid = 5});
	fk_file(fk, "/proc/7/task/7/wchan", NULL);
	fk_file(fk, "/proc/7/task/7/syscall", NULL);
	fk_file(fk, "/proc/7/task/7/stack", NULL);
	assert_int_equal(blocked_read(&sys, &rights, 7, 8, &blocked), -ENOENT);
	assert_int_equal(blocked_read(&sys, &rights, 7, 7, &blocked), 0);
	assert_int_equal(blocked.state, 'S');
	assert_int_equal(blocked.wchan_result, -ENOENT);
	assert_int_equal(blocked.syscall_result, -ENOENT);
	assert_int_equal(blocked.stack_result, -ENOENT);
	assert_int_equal(blocked_classify(&blocked), BLOCKED_UNKNOWN);
	fk_file(fk, "/proc/7/task/7/wchan", "folio_wait_bit_common");
	fk_file(fk, "/proc/7/task/7/syscall", "running\n");
	fk_file(fk, "/proc/7/task/7/stack", "[<0>] folio_wait_bit_common+0x1/0x2\n");
	fk_fail(fk, FK_FILE_READ, 3, EPERM);
	assert_int_equal(blocked_read(&sys, &rights, 7, 7, &blocked), 0);
	assert_string_equal(blocked.wchan, "folio_wait_bit_common");
	assert_int_equal(blocked.syscall_result, -EPERM);
	assert_int_equal(blocked.stack.n, 1);
	fk_file(fk, "/proc/7/task/7/stack", "");
	blocked_read(&sys, &rights, 7, 7, &blocked);
	assert_int_equal(blocked.syscall.kind, BLOCKED_CALL_RUNNING);
	assert_int_equal(blocked.stack_result, -ENODATA);
	/* Of a running thread only the state is read. */
	fk_switch(fk, 0, 7);
	unsigned calls = fk_calls(fk, FK_FILE_READ);
	assert_int_equal(blocked_read(&sys, &rights, 7, 7, &blocked), 0);
	assert_int_equal(fk_calls(fk, FK_FILE_READ) - calls, 1);
	assert_int_equal(blocked.wchan_result, -ENODATA);
	fk_free(fk);
}

#define EXECS           "7 (t) S 0 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 7 0 0 0 0 0\n"
#define UNKNOWN         "driver_wait"
#define TEXT_OF(number) #number
#define TEXT(number)    TEXT_OF(number)
#define PAGE            "folio_wait_bit"
#define FRAME(function) "[<0>] " function "+0x1/0x2\n"
#define NO_CALL         "-1 0x7 0x8\n"
#define IN_READ         TEXT(__NR_read) " 0x3 0x1000 0x1000 0x0 0x0 0x0 0x7 0x8\n"
#define IN_FUTEX        TEXT(__NR_futex) " 0x1000 0x80 0x2 0x0 0x0 0x0 0x7 0x8\n"

/* A sample reads no more files than its reason needs. */
static void a_sample_is_cheap(void **state)
{
	static const struct {
		const char *name;
		enum fk_state leaves;
		const char *stat; /* NULL: of the state */
		const char *wchan, *syscall, *stack;
		int result;
		enum blocked_reason want;
		bool settled;
		unsigned reads;
		bool local, refused;
	} rows[] = {
		{"sleeps", FK_SLEEPING, NULL, "do_epoll_wait", NULL, NULL, 0, BLOCKED_SLEEP, true,
		 1},
		{"runs", FK_SLEEPING, NULL, "0", NULL, NULL, -ENODATA, BLOCKED_UNKNOWN, true, 1},
		{"ended", FK_SLEEPING, NULL, NULL, NULL, NULL, -ENOENT, BLOCKED_UNKNOWN, true, 1},
		{"lock", FK_SLEEPING, NULL, "futex_do_wait", IN_FUTEX, NULL, 0, BLOCKED_LOCK, true,
		 2},
		{"woke up since", FK_SLEEPING, NULL, "futex_do_wait", "running\n", NULL, 0,
		 BLOCKED_FUTEX, false, 2},
		{"no right to syscall", FK_SLEEPING, NULL, "futex_do_wait", NULL, NULL, 0,
		 BLOCKED_FUTEX, false, 2},
		{"device", FK_UNINTERRUPTIBLE, NULL, "submit_bio_wait", NULL, NULL, 0, BLOCKED_DISK,
		 true, 1},
		{"vfork", FK_UNINTERRUPTIBLE, NULL, "kernel_clone", NULL, NULL, 0, BLOCKED_VFORK,
		 true, 1},
		{"page", FK_UNINTERRUPTIBLE, NULL, PAGE, NO_CALL, NULL, 0, BLOCKED_PAGE, true, 3},
		{"local file", FK_UNINTERRUPTIBLE, NULL, PAGE, IN_READ, NULL, 0, BLOCKED_DISK, true,
		 3, true},
		{"file", FK_UNINTERRUPTIBLE, NULL, PAGE, IN_READ, FRAME(PAGE) FRAME("vfs_read"), 0,
		 BLOCKED_DISK, true, 4},
		{"file of a network", FK_UNINTERRUPTIBLE, NULL, PAGE, IN_READ,
		 FRAME(PAGE) FRAME("nfs_file_read"), 0, BLOCKED_UNKNOWN, true, 4},
		{"file, no right to the stack", FK_UNINTERRUPTIBLE, NULL, PAGE, IN_READ, NULL, 0,
		 BLOCKED_PAGE, false, 4},
		{"page, no right to syscall", FK_UNINTERRUPTIBLE, NULL, PAGE, NULL,
		 FRAME(PAGE) FRAME("handle_mm_fault"), 0, BLOCKED_PAGE, true, 4},
		{"page, woke up since", FK_UNINTERRUPTIBLE, NULL, PAGE, "running\n", "", 0,
		 BLOCKED_PAGE, false, 10},
		{"in another wait since", FK_UNINTERRUPTIBLE, NULL, PAGE, NULL,
		 FRAME("submit_bio_wait"), 0, BLOCKED_PAGE, false, 7},
		{"no right to either", FK_UNINTERRUPTIBLE, NULL, PAGE, NULL, NULL, 0, BLOCKED_PAGE,
		 false, 4, true},
		{"page, execs", FK_UNINTERRUPTIBLE, EXECS, PAGE, NULL, NULL, 0, BLOCKED_PAGE, false,
		 2},
		{"kernel thread", FK_UNINTERRUPTIBLE, KTHREAD(7, "D"), PAGE, NULL, NULL, 0,
		 BLOCKED_DISK, true, 2, true},
		{"unknown function", FK_UNINTERRUPTIBLE, NULL, UNKNOWN, NULL,
		 FRAME(UNKNOWN) FRAME("jbd2_log_wait_commit"), 0, BLOCKED_DISK, true, 3},
		{"unknown function, no right to the stack", FK_UNINTERRUPTIBLE, NULL, UNKNOWN, NULL,
		 NULL, 0, BLOCKED_UNKNOWN, false, 3},
		{"sleeps in an unknown function", FK_SLEEPING, NULL, UNKNOWN, NULL, NULL, 0,
		 BLOCKED_UNKNOWN, true, 2},
		{"stopped", FK_STOPPED, NULL, "do_signal_stop", NULL, NULL, 0, BLOCKED_STOPPED,
		 true, 2},
		{"no right to wchan", FK_UNINTERRUPTIBLE, NULL, "0", NULL, NULL, -EACCES,
		 BLOCKED_UNKNOWN, false, 2, .refused = true},
		{"no right to wchan, runs", FK_PREEMPTED, NULL, "0", NULL, NULL, -ENODATA,
		 BLOCKED_NOT, true, 2, .refused = true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = fk_new(NULL);
		struct sys sys = fk_sys(fk);
		struct blocked_rights rights;
		struct blocked blocked;

		print_message("%s\n", rows[i].name);
		fk_task(fk, &(struct fk_spec){.tid = 7});
		fk_switch(fk, 0, 7);
		fk_block(fk, 7, rows[i].leaves);
		fk_switch(fk, 0, 0);
		if (rows[i].stat)
			fk_file(fk, "/proc/7/task/7/stat", rows[i].stat);
		fk_file(fk, "/proc/7/task/7/wchan", rows[i].wchan);
		fk_file(fk, "/proc/7/task/7/syscall", rows[i].syscall);
		fk_file(fk, "/proc/7/task/7/stack", rows[i].stack);
		blocked_rights_init(&rights, &sys);
		rights.wchan = rows[i].refused ? BLOCKED_RIGHT_REFUSED : BLOCKED_RIGHT_GRANTED;
		rights.local = rows[i].local;
		unsigned calls = fk_calls(fk, FK_FILE_READ);
		assert_int_equal(blocked_sample(&sys, &rights, 7, 7, &blocked), rows[i].result);
		assert_int_equal(fk_calls(fk, FK_FILE_READ) - calls, rows[i].reads);
		if (rows[i].result == 0 || rows[i].refused) {
			assert_string_equal(blocked_reason_name(blocked_classify(&blocked)),
					    blocked_reason_name(rows[i].want));
			assert_int_equal(blocked_is_settled(&blocked), rows[i].settled);
		}
		fk_free(fk);
	}
}

static void mounts_of_a_network_are_found(void **state)
{
#define ROOT "29 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
	static const struct {
		const char *text;
		bool local;
	} rows[] = {
		{ROOT, true},
		{ROOT "30 29 0:5 / /sys/fs/fuse/connections rw - fusectl fusectl rw\n", true},
		{ROOT "31 29 0:6 / /data rw - nfs4 server:/data rw\n", false},
		{ROOT "32 29 0:7 / /home rw - fuse.sshfs me@server: rw\n", false},
		{ROOT "33 29 0:8 / /share rw - 9p share rw\n", false},
		{"34 29 0:9 / /nfs rw - tmpfs nfs rw\n", true},
		{"", false},
		{NULL, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fk *fk = fk_new(NULL);
		struct sys sys = fk_sys(fk);
		struct blocked_rights rights;

		fk_file(fk, "/proc/self/mountinfo", rows[i].text);
		blocked_rights_init(&rights, &sys);
		assert_int_equal(rights.local, rows[i].local);
		fk_free(fk);
	}
}

/* syscall and stack of a process that gets new memory may take long. */
static void an_exec_is_not_waited_for(void **state)
{
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	struct blocked_rights rights;
	struct blocked blocked;

	(void)state;
	fk_task(fk, &(struct fk_spec){.tid = 7});
	fk_file(fk, "/proc/7/task/7/stat", EXECS);
	fk_file(fk, "/proc/7/task/7/wchan", "do_epoll_wait");
	blocked_rights_init(&rights, &sys);
	unsigned calls = fk_calls(fk, FK_FILE_READ);
	assert_int_equal(blocked_read(&sys, &rights, 7, 7, &blocked), 0);
	assert_int_equal(fk_calls(fk, FK_FILE_READ) - calls, 2); /* stat, wchan */
	assert_int_equal(blocked.syscall_result, -EBUSY);
	assert_int_equal(blocked.stack_result, -EBUSY);
	fk_free(fk);
}

/* The file of a kernel thread has the number of a call, which on x86-64 is read. */
static void a_kernel_thread_is_in_no_call(void **state)
{
	struct fk *fk = fk_new(NULL);
	struct sys sys = fk_sys(fk);
	struct blocked_rights rights;
	struct blocked blocked;

	(void)state;
	blocked_rights_init(&rights, &sys);
	fk_task(fk, &(struct fk_spec){.tid = 7, .kernel = true});
	fk_file(fk, "/proc/7/task/7/wchan", "some_thread");
	fk_file(fk, "/proc/7/task/7/syscall", "0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0\n");
	assert_int_equal(blocked_read(&sys, &rights, 7, 7, &blocked), 0);
	assert_int_equal(blocked.syscall_result, 0);
	assert_int_equal(blocked.syscall.kind, BLOCKED_CALL_NONE);
	assert_int_equal(blocked_classify(&blocked), BLOCKED_UNKNOWN);
	fk_free(fk);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reason_is_found),
		cmocka_unit_test(a_futex_is_a_lock_by_its_arguments),
		cmocka_unit_test(a_call_is_parsed),
		cmocka_unit_test(a_stack_is_parsed),
		cmocka_unit_test(calls_have_names),
		cmocka_unit_test(a_refused_wchan_is_unknown),
		cmocka_unit_test(the_right_is_remembered),
		cmocka_unit_test(root_may_be_refused),
		cmocka_unit_test(a_sample_is_cheap),
		cmocka_unit_test(an_exec_is_not_waited_for),
		cmocka_unit_test(mounts_of_a_network_are_found),
		cmocka_unit_test(a_kernel_thread_is_in_no_call),
		cmocka_unit_test(a_thread_is_read),
	};

	return cmocka_run_group_tests_name("blocked", tests, NULL, NULL);
}
