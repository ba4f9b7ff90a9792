// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FAKE_KERNEL_BUSY_H
#define PMCTOP_FAKE_KERNEL_BUSY_H

#include "tests/fake_kernel/fake_kernel.h"

/*
 * Machines at work, to look at: they go on for ever, and what happens at which moment depends on
 * nothing but the time since they were made, so that screens of them can be compared.
 *
 * The server is fk_machine_server, "build-7": 64 CPUs, 2 sockets, 4 nodes, the last CPU offline. A
 * database that waits for memory (CPUs 0-13), Java in a pod (16-29), a compiler in a container that
 * forks and mispredicts branches (32-43), a web server that is mostly in the kernel (14, 15,
 * 44-47), two that wake each other (30), a computation that runs well (48-55), and odds and ends.
 * More than 300 tasks, half of them the kernel's.
 *
 * The hybrid has 8 P-cores (0-7) and 8 E-cores (8-15) and one socket: a computation on P-cores, a
 * browser and a compiler on both.
 */
struct busy;

struct busy *busy_server_new(void);
struct busy *busy_hybrid_new(void);
void busy_free(struct busy *busy); /* NULL is fine */

struct fk *busy_kernel(struct busy *busy); /* lives as long as it does */

#endif
