// SPDX-License-Identifier: MIT
#include "core/sys/syscall_name.h"

#include "core/base/util.h"

#include <asm/unistd.h>

/* Of kernels newer than the headers; the same on every architecture. */
#ifndef __NR_epoll_pwait2
#define __NR_epoll_pwait2 441
#endif
#ifndef __NR_futex_waitv
#define __NR_futex_waitv 449
#endif
#ifndef __NR_futex_wait
#define __NR_futex_wait 455
#endif

static const struct call {
	long number;
	const char *name;
	enum syscall_kind kind;
	int path; /* the argument that is a path, from 1 on; 0: none */
} calls[] = {
	{__NR_read, "read", SYSCALL_FILE},
	{__NR_write, "write", SYSCALL_FILE},
	{__NR_readv, "readv", SYSCALL_FILE},
	{__NR_writev, "writev", SYSCALL_FILE},
	{__NR_pread64, "pread64", SYSCALL_FILE},
	{__NR_pwrite64, "pwrite64", SYSCALL_FILE},
	{__NR_preadv, "preadv", SYSCALL_FILE},
	{__NR_pwritev, "pwritev", SYSCALL_FILE},
	{__NR_preadv2, "preadv2", SYSCALL_FILE},
	{__NR_pwritev2, "pwritev2", SYSCALL_FILE},
	{__NR_fsync, "fsync", SYSCALL_FILE},
	{__NR_fdatasync, "fdatasync", SYSCALL_FILE},
	{__NR_sync, "sync", SYSCALL_FILE},
	{__NR_syncfs, "syncfs", SYSCALL_FILE},
	{__NR_sync_file_range, "sync_file_range", SYSCALL_FILE},
	{__NR_msync, "msync", SYSCALL_FILE},
	{__NR_openat, "openat", SYSCALL_FILE, 2},
	{__NR_openat2, "openat2", SYSCALL_FILE, 2},
	{__NR_close, "close", SYSCALL_FILE},
	{__NR_getdents64, "getdents64", SYSCALL_FILE},
	{__NR_fstat, "fstat", SYSCALL_FILE},
	{__NR_newfstatat, "newfstatat", SYSCALL_FILE, 2},
	{__NR_statx, "statx", SYSCALL_FILE, 2},
	{__NR_faccessat, "faccessat", SYSCALL_FILE, 2},
	{__NR_faccessat2, "faccessat2", SYSCALL_FILE, 2},
	{__NR_readlinkat, "readlinkat", SYSCALL_FILE, 2},
	{__NR_truncate, "truncate", SYSCALL_FILE, 1},
	{__NR_ftruncate, "ftruncate", SYSCALL_FILE},
	{__NR_fallocate, "fallocate", SYSCALL_FILE},
	{__NR_fadvise64, "fadvise64", SYSCALL_FILE},
	{__NR_readahead, "readahead", SYSCALL_FILE},
	{__NR_sendfile, "sendfile", SYSCALL_FILE},
	{__NR_splice, "splice", SYSCALL_FILE},
	{__NR_tee, "tee", SYSCALL_FILE},
	{__NR_vmsplice, "vmsplice", SYSCALL_FILE},
	{__NR_copy_file_range, "copy_file_range", SYSCALL_FILE},
	{__NR_renameat, "renameat", SYSCALL_FILE, 2},
	{__NR_renameat2, "renameat2", SYSCALL_FILE, 2},
	{__NR_linkat, "linkat", SYSCALL_FILE, 2},
	{__NR_symlinkat, "symlinkat", SYSCALL_FILE},
	{__NR_unlinkat, "unlinkat", SYSCALL_FILE, 2},
	{__NR_mkdirat, "mkdirat", SYSCALL_FILE, 2},
	{__NR_mknodat, "mknodat", SYSCALL_FILE, 2},
	{__NR_fchmod, "fchmod", SYSCALL_FILE},
	{__NR_fchmodat, "fchmodat", SYSCALL_FILE, 2},
	{__NR_fchown, "fchown", SYSCALL_FILE},
	{__NR_fchownat, "fchownat", SYSCALL_FILE, 2},
	{__NR_utimensat, "utimensat", SYSCALL_FILE, 2},
	{__NR_statfs, "statfs", SYSCALL_FILE, 1},
	{__NR_fstatfs, "fstatfs", SYSCALL_FILE},
	{__NR_mount, "mount", SYSCALL_FILE},
	{__NR_umount2, "umount2", SYSCALL_FILE, 1},
	{__NR_execve, "execve", SYSCALL_FILE, 1},
	{__NR_execveat, "execveat", SYSCALL_FILE, 2},
	{__NR_ioctl, "ioctl", SYSCALL_FILE},
	{__NR_io_submit, "io_submit", SYSCALL_FILE},
	{__NR_futex, "futex", SYSCALL_FUTEX},
	{__NR_futex_wait, "futex_wait", SYSCALL_FUTEX},
	{__NR_futex_waitv, "futex_waitv", SYSCALL_FUTEX},
	{__NR_flock, "flock", SYSCALL_LOCK},
	{__NR_fcntl, "fcntl", SYSCALL_LOCK},
	{__NR_semop, "semop", SYSCALL_WAIT},
	{__NR_semtimedop, "semtimedop", SYSCALL_WAIT},
	{__NR_ppoll, "ppoll", SYSCALL_WAIT},
	{__NR_pselect6, "pselect6", SYSCALL_WAIT},
	{__NR_epoll_pwait, "epoll_pwait", SYSCALL_WAIT},
	{__NR_epoll_pwait2, "epoll_pwait2", SYSCALL_WAIT},
	{__NR_nanosleep, "nanosleep", SYSCALL_WAIT},
	{__NR_clock_nanosleep, "clock_nanosleep", SYSCALL_WAIT},
	{__NR_rt_sigsuspend, "rt_sigsuspend", SYSCALL_WAIT},
	{__NR_rt_sigtimedwait, "rt_sigtimedwait", SYSCALL_WAIT},
	{__NR_wait4, "wait4", SYSCALL_WAIT},
	{__NR_waitid, "waitid", SYSCALL_WAIT},
	{__NR_accept, "accept", SYSCALL_WAIT},
	{__NR_accept4, "accept4", SYSCALL_WAIT},
	{__NR_connect, "connect", SYSCALL_WAIT},
	{__NR_recvfrom, "recvfrom", SYSCALL_WAIT},
	{__NR_recvmsg, "recvmsg", SYSCALL_WAIT},
	{__NR_recvmmsg, "recvmmsg", SYSCALL_WAIT},
	{__NR_sendto, "sendto", SYSCALL_WAIT},
	{__NR_sendmsg, "sendmsg", SYSCALL_WAIT},
	{__NR_sendmmsg, "sendmmsg", SYSCALL_WAIT},
	{__NR_msgrcv, "msgrcv", SYSCALL_WAIT},
	{__NR_msgsnd, "msgsnd", SYSCALL_WAIT},
	{__NR_mq_timedreceive, "mq_timedreceive", SYSCALL_WAIT},
	{__NR_mq_timedsend, "mq_timedsend", SYSCALL_WAIT},
	{__NR_io_getevents, "io_getevents", SYSCALL_WAIT},
	{__NR_io_pgetevents, "io_pgetevents", SYSCALL_WAIT},
	{__NR_io_uring_enter, "io_uring_enter", SYSCALL_WAIT},
	{__NR_ptrace, "ptrace", SYSCALL_WAIT},
	{__NR_restart_syscall, "restart_syscall", SYSCALL_WAIT},
	{__NR_mmap, "mmap", SYSCALL_OTHER},
	{__NR_munmap, "munmap", SYSCALL_OTHER},
	{__NR_mremap, "mremap", SYSCALL_OTHER},
	{__NR_madvise, "madvise", SYSCALL_OTHER},
	{__NR_mprotect, "mprotect", SYSCALL_OTHER},
	{__NR_brk, "brk", SYSCALL_OTHER},
	{__NR_clone, "clone", SYSCALL_OTHER},
	{__NR_clone3, "clone3", SYSCALL_OTHER},
	{__NR_exit, "exit", SYSCALL_OTHER},
	{__NR_exit_group, "exit_group", SYSCALL_OTHER},
	{__NR_sched_yield, "sched_yield", SYSCALL_OTHER},
	{__NR_kill, "kill", SYSCALL_OTHER},
	{__NR_tgkill, "tgkill", SYSCALL_OTHER},
#ifdef __NR_open /* x86-64 has these too, newer architectures have only their successors */
	{__NR_open, "open", SYSCALL_FILE, 1},
	{__NR_creat, "creat", SYSCALL_FILE, 1},
	{__NR_getdents, "getdents", SYSCALL_FILE},
	{__NR_stat, "stat", SYSCALL_FILE, 1},
	{__NR_lstat, "lstat", SYSCALL_FILE, 1},
	{__NR_access, "access", SYSCALL_FILE, 1},
	{__NR_readlink, "readlink", SYSCALL_FILE, 1},
	{__NR_rename, "rename", SYSCALL_FILE, 1},
	{__NR_link, "link", SYSCALL_FILE, 1},
	{__NR_symlink, "symlink", SYSCALL_FILE},
	{__NR_unlink, "unlink", SYSCALL_FILE, 1},
	{__NR_mkdir, "mkdir", SYSCALL_FILE, 1},
	{__NR_rmdir, "rmdir", SYSCALL_FILE, 1},
	{__NR_mknod, "mknod", SYSCALL_FILE, 1},
	{__NR_chmod, "chmod", SYSCALL_FILE, 1},
	{__NR_chown, "chown", SYSCALL_FILE, 1},
	{__NR_lchown, "lchown", SYSCALL_FILE, 1},
	{__NR_poll, "poll", SYSCALL_WAIT},
	{__NR_select, "select", SYSCALL_WAIT},
	{__NR_epoll_wait, "epoll_wait", SYSCALL_WAIT},
	{__NR_pause, "pause", SYSCALL_WAIT},
	{__NR_fork, "fork", SYSCALL_OTHER},
	{__NR_vfork, "vfork", SYSCALL_OTHER},
#endif
};

static const struct call *find_call(long number)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (calls[i].number == number)
			return &calls[i];
	return NULL;
}

const char *syscall_name(long number)
{
	const struct call *call = find_call(number);

	return call ? call->name : NULL;
}

enum syscall_kind syscall_kind(long number)
{
	const struct call *call = find_call(number);

	return call ? call->kind : SYSCALL_OTHER;
}

int syscall_path(long number)
{
	const struct call *call = find_call(number);

	return call ? call->path - 1 : -1;
}
