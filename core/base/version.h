// SPDX-License-Identifier: MIT
#ifndef PMCTOP_VERSION_H
#define PMCTOP_VERSION_H

/*
 * The version of the program. pmctop is linked with a file that the Makefile writes for each
 * commit, all other programs with core/base/version.c.
 */
extern const char version[];       /* "0.1.0", "0.1.0+12.gda45510": no blanks, no quotes */
extern const char version_build[]; /* "x86_64-linux-gnu, hardened, with libpfm 4.13.0, ..." */

#endif
