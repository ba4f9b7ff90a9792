// SPDX-License-Identifier: MIT
#ifndef PMCTOP_OPENER_WORKER_H
#define PMCTOP_OPENER_WORKER_H

/*
 * The process that opens, reads and closes the files of others (opener_client.h is its other end).
 * Such a file may be on a mount that does not answer: then this process hangs, and pmctop goes on.
 * It passes descriptors to the parser, never to pmctop.
 *
 * It has the user and the rights of pmctop to read files (OPENER_RIGHTS), but no terminal, perf
 * event or other descriptor of it. It ends with the thread that started it, or at the end of the
 * socket.
 *
 * main() calls this before anything else. Returns at once if the program was not started as the
 * opener. Else it serves requests, and never returns.
 */
void opener_worker_main(int argc, char **argv);

#endif
