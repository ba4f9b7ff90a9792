// SPDX-License-Identifier: MIT
#ifndef PMCTOP_HOST_SCRIPT_H
#define PMCTOP_HOST_SCRIPT_H

/* The text of host_setup.sh without comments, which the Makefile makes a C string. */
extern const char host_setup_script[];

#endif
