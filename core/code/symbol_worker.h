// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SYMBOL_WORKER_H
#define PMCTOP_SYMBOL_WORKER_H

/*
 * The child process that parses ELF files (symbol_client.h is its other end). It has the files that
 * it was given and one socket. It ends when the socket does.
 *
 * main() calls this before anything else. Returns at once if the program was not started as the
 * child (argv[0] is not SYMBOL_WORKER_NAME). Else it serves requests, and never returns.
 */
void symbol_worker_main(int argc, char **argv);

#endif
