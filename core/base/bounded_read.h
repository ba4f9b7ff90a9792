// SPDX-License-Identifier: MIT
#ifndef PMCTOP_BOUNDED_READ_H
#define PMCTOP_BOUNDED_READ_H

#include <stddef.h>
#include <stdint.h>

/*
 * What stands in a file that somebody else may have put there: never more than `most` bytes are
 * read, and nobody is waited for longer than patience_ns. With 0 only an ordinary file is read:
 * anything else is -EINVAL; with more a pipe is, too (<(...) of a shell), and -ETIMEDOUT where its
 * writer says neither anything nor that this was all. A directory is -EISDIR.
 *
 * *text is the caller's, with a NUL behind its *length bytes. Or -errno.
 */
int bounded_read(const char *path, uint64_t patience_ns, size_t most, char **text, size_t *length);
/*
 * The same of a file that nobody named, but the environment led to: sudo and su may keep another
 * user's $HOME. -EPERM where it is neither the user's own nor root's, where others may write it, or
 * where they may have put it, or a link on the way to it, there (core/base/safe_path.h).
 */
int bounded_read_trusted(const char *path, uint64_t patience_ns, size_t most, char **text,
			 size_t *length);

#endif
