// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FIBER_H
#define PMCTOP_FIBER_H

#include <stddef.h>
#include <stdint.h>

/*
 * Code on a stack of its own, which goes on when a system call does not return: another thread
 * continues it. For system calls that wait killably for what a foreign process holds (core/sys): no
 * signal but SIGKILL of all threads ends such a wait.
 *
 * One thread carries the code. For a call that may hang (fiber_call()) it leaves the fiber's stack,
 * and makes the call on its own stack, with memory of its own. A second thread watches. If the call
 * does not return in time, the second thread carries the code on, with -ETIMEDOUT as the result.
 * The first one is left in its call. It watches when the call returns.
 *
 * So a call costs two changes of the stack, less than a microsecond, and no change of the thread.
 *
 * What holds for the code: fiber_call() may return on another thread. So it holds no mutex at that
 * time, keeps no address of a thread-local variable (errno), and compares no CPU times of its
 * thread: fiber_cpu_ns() has them.
 */
struct fiber;

enum { FIBER_STUCK_MOST = 64 }; /* threads in calls that do not return */

/*
 * Runs run(arg) as a fiber, with THREAD_STACK_BYTES of stack (core/base/thread.h) and the signal
 * mask of the caller. Its calls have the mask of thread_start(). 0, or -errno without a fiber. With
 * one thread for it, but not a second one, its calls wait.
 */
int fiber_start(struct fiber **fiber, void (*run)(void *arg), void *arg);
/* Waits until run() has returned, and frees the fiber. NULL is fine. */
void fiber_join(struct fiber *fiber);

/*
 * The fiber that the caller runs on; NULL: it runs on the stack of a thread. With a sanitizer,
 * which knows one stack of a thread, a fiber runs there too.
 */
struct fiber *fiber_current(void);

/*
 * Memory of the present thread, with at least `size` bytes, for the arguments and the results of
 * the next call. It is lost if the call does not return.
 */
void *fiber_memory(struct fiber *fiber, size_t size);

/*
 * Returns run(memory), which makes the system calls. -ETIMEDOUT if it does not return in time,
 * which is patience_ns and 0.1 to 0.2 s, or at once while an earlier call with this key has not
 * returned, FIBER_STUCK_MOST have not, or one has not and no thread can be started to watch. If it
 * returns later, undo(memory, result) is called (NULL: nothing is undone), on the thread of the
 * call. These two functions use `memory` alone.
 */
int64_t fiber_call(struct fiber *fiber, uint64_t key, uint64_t patience_ns,
		   int64_t (*run)(void *memory), void (*undo)(void *memory, int64_t result));

/* CPU time of the threads that carried the fiber, while they did. For the fiber's code. */
uint64_t fiber_cpu_ns(const struct fiber *fiber);

/* Copies at most `most` keys of calls that have not returned, each one once. Returns how many. */
size_t fiber_stuck(struct fiber *fiber, uint64_t *keys, size_t most);

#endif
