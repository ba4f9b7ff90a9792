// SPDX-License-Identifier: MIT
#ifndef PMCTOP_COMMAND_TEXT_H
#define PMCTOP_COMMAND_TEXT_H

#include <stddef.h>

/* A command line for the screen. Its bytes come from outside: they are not printable yet. */
struct command_text {
	char text[320];    /* the end of a long one is cut */
	size_t begin, end; /* of the name in it */
};

/* The whole line. The name is that of the program's file, without its folder. */
void command_text_whole(const char *line, struct command_text *command);
/*
 * The line without folders, and without the options of an interpreter in front of its script, class
 * or jar: "python3 srv.py --port 80", "java x.jar". The name has the script: "python3 srv.py".
 * `comm` is the task's name; where neither the file nor the script has it, it stands in front.
 */
void command_text_short(const char *line, const char *comm, struct command_text *command);

#endif
