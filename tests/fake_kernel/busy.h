// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FAKE_KERNEL_BUSY_H
#define PMCTOP_FAKE_KERNEL_BUSY_H

#include "tests/fake_kernel/fake_kernel.h"

/*
 * Busy machines for screens. They run for ever, and all that happens depends on the time since
 * their creation only, so that screens can be compared.
 *
 * The server is fk_machine_server, "build-7": 64 CPUs, 2 sockets, 4 nodes, the last CPU offline. It
 * runs a database that waits for memory (CPUs 0-13), Java in a pod (16-29), a compiler in a
 * container that forks and mispredicts branches (32-43), a web server mostly in the kernel (14, 15,
 * 44-47), two tasks that wake each other (30), an efficient computation (48-55), and others: more
 * than 300 tasks, half of them kernel threads.
 *
 * The hybrid has 8 P-cores (0-7), 8 E-cores (8-15) and one socket. It runs a computation on
 * P-cores, and a browser and a compiler on both.
 *
 * The mixed one, "simulated", has 16 CPUs of the server in one socket, and what a machine in use
 * may have: a database that waits for memory, threads of an application that wait for a lock, a web
 * server, a compiler, a computation, a backup that waits for a disk, and daemons that hardly run.
 * Their loads go up and down.
 */
struct busy;

struct busy *busy_server_new(void);
struct busy *busy_hybrid_new(void);
struct busy *busy_mixed_new(void);
void busy_free(struct busy *busy); /* NULL is fine */

struct fk *busy_kernel(struct busy *busy); /* owned by busy */

#endif
