// SPDX-License-Identifier: MIT
#ifndef PMCTOP_VERSION_H
#define PMCTOP_VERSION_H

/*
 * What program this is. pmctop is linked with what the Makefile wrote down, which is another one at
 * each commit; core/base/version.c stands for it in all other programs.
 */
extern const char version[];       /* "0.1.0", "0.1.0+12.gda45510": no blanks, no quotes */
extern const char version_build[]; /* "x86_64-linux-gnu, hardened, with libpfm 4.13.0, ..." */

#endif
