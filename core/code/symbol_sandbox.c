// SPDX-License-Identifier: MIT
/*
 * The filter lists what may be called, and answers EPERM to the rest. The list is what glibc needs
 * for memory, and what symbol_worker.c and demangle.c call. There is no open, and no write: a
 * library that prints a message must not write into a file that was received.
 *
 * Raw system calls where glibc would act for all threads (setresuid(2)) or lock.
 */
#include "core/code/symbol_sandbox.h"

#include "core/base/util.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CAPABILITIES_MAX = 64 };

#if defined(__x86_64__) && !defined(__ILP32__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__i386__)
#define ARCHITECTURE AUDIT_ARCH_I386
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__arm__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARCHITECTURE AUDIT_ARCH_ARM
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#elif defined(__powerpc64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARCHITECTURE AUDIT_ARCH_PPC64LE
#endif

int symbol_sandbox_drop(void)
{
	const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	uid_t uid = getuid();
	gid_t gid = getgid();

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	if (syscall(SYS_setresgid, gid, gid, gid) || syscall(SYS_setresuid, uid, uid, uid))
		return -errno;
	/*
	 * Without CAP_SETPCAP the bounding set stays, which has no effect without a permitted one.
	 * Kernels without ambient capabilities have none to drop.
	 */
	for (unsigned capability = 0; capability < CAPABILITIES_MAX; capability++)
		prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	return syscall(SYS_capset, &header, none) ? -errno : 0;
}

/* Root and ordinary users keep over an exec what is in the ambient set. */
int symbol_sandbox_keep(uint64_t rights)
{
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_capget, &header, data))
		return -errno;
	for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		data[i].permitted &= (uint32_t)(rights >> 32 * i);
		data[i].effective = data[i].permitted;
		/* After the bounding set was emptied, others cannot become inheritable. */
		data[i].inheritable &= data[i].permitted;
	}
	if (syscall(SYS_capset, &header, data))
		return -errno;
	for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		data[i].inheritable = data[i].permitted;
	syscall(SYS_capset, &header, data);
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	for (unsigned capability = 0; capability < CAPABILITIES_MAX; capability++)
		if (rights >> capability & 1)
			prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0);
	return 0;
}

void symbol_sandbox_limit(unsigned resource, size_t most)
{
	const struct rlimit limit = {most, most};

	setrlimit((__rlimit_resource_t)resource, &limit);
}

#ifdef ARCHITECTURE

/* Linux since 4.14 has SECCOMP_RET_KILL_PROCESS; before, the same value kills too. */
#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS 0x80000000u
#endif

/* The lower half of an argument. */
#define ARGUMENT_LOW(i)                                     \
	(offsetof(struct seccomp_data, args[0]) + 8 * (i) + \
	 (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0))

/* Calls without conditions. */
static const int allowed[] = {
	/* Files, which the parent has opened, and the socket. */
	SYS_pread64,
	SYS_lseek,
#ifdef SYS__llseek
	SYS__llseek,
#endif
	SYS_close,
	SYS_recvmsg,
	SYS_sendmsg,
	/* Memory. */
	SYS_brk,
	SYS_munmap,
	SYS_mremap,
	SYS_madvise,
	SYS_futex,
	SYS_getrandom,
	/* The timer of demangle.c, and its signal. */
	SYS_timer_settime,
#ifdef SYS_timer_settime64
	SYS_timer_settime64,
#endif
	SYS_rt_sigprocmask,
	SYS_rt_sigreturn,
#ifdef SYS_sigreturn
	SYS_sigreturn,
#endif
	SYS_restart_syscall,
	SYS_exit,
	SYS_exit_group,
#if SANITIZED
	/* Their allocators. Their reports are refused, their exits are not. */
	SYS_sched_yield,
	SYS_gettid,
	SYS_getpid,
	SYS_clock_gettime,
	SYS_sigaltstack,
#endif
};

/* Calls whose third argument is a protection of memory. */
static const int mapping[] = {
#ifdef SYS_mmap2
	SYS_mmap2, /* there, mmap(2) has its arguments in memory */
#else
	SYS_mmap,
#endif
	SYS_mprotect,
};

enum {
	HEAD = 4, /* tests of the architecture */
	TAIL = 4, /* the test of a protection, and the results */
	PROGRAM = HEAD + ARRAY_SIZE(allowed) + ARRAY_SIZE(mapping) + 1 + TAIL,
};

static bool set_filter(void)
{
	struct sock_filter program[PROGRAM];
	/* From behind the list: refuse, test the protection, refuse, allow. */
	const unsigned refuse = PROGRAM - TAIL - 1, test = refuse + 1, allow = PROGRAM - 1;
	unsigned n = 0;

	program[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						    offsetof(struct seccomp_data, arch));
	program[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
	program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	program[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						    offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < ARRAY_SIZE(allowed); i++, n++)
		program[n] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							  (uint32_t)allowed[i],
							  (uint8_t)(allow - n - 1), 0);
	for (size_t i = 0; i < ARRAY_SIZE(mapping); i++, n++)
		program[n] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							  (uint32_t)mapping[i],
							  (uint8_t)(test - n - 1), 0);
	program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	program[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT_LOW(2));
	program[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1);
	program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);

	const struct sock_fprog filter = {.len = (unsigned short)n, .filter = program};
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
}

#else

static bool set_filter(void)
{
	return false;
}

#endif

bool symbol_sandbox_enter(size_t memory, size_t descriptors)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_DUMPABLE, 0);
	symbol_sandbox_limit(RLIMIT_CORE, 0);
	symbol_sandbox_limit(RLIMIT_FSIZE, 0);
	symbol_sandbox_limit(RLIMIT_NPROC, 0);
	symbol_sandbox_limit(RLIMIT_MEMLOCK, 0);
	symbol_sandbox_limit(RLIMIT_NOFILE, descriptors);
	if (!SANITIZED)
		symbol_sandbox_limit(RLIMIT_DATA, memory);
	return set_filter();
}
