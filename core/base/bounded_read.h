// SPDX-License-Identifier: MIT
#ifndef PMCTOP_BOUNDED_READ_H
#define PMCTOP_BOUNDED_READ_H

#include <stddef.h>
#include <stdint.h>

/*
 * Reads the first `most` bytes of a file that another user may have made. To detect a longer file,
 * a caller asks for one byte more than it accepts.
 *
 * With patience_ns 0 only a regular file is read, others are -EINVAL. With more, any file but a
 * directory is read, such as a pipe (<(...) of a shell). It is -ETIMEDOUT if, that long after the
 * call, neither the end nor more bytes are there. A directory is -EISDIR.
 *
 * 0 or -errno. The caller frees *text, which has a NUL after its *length bytes.
 */
int bounded_read(const char *path, uint64_t patience_ns, size_t most, char **text, size_t *length);
/*
 * The same for a path from the environment instead of the command line: sudo and su may keep the
 * $HOME of another user. -EPERM if the file belongs to neither the user nor root, if other users
 * may write it, or if they may have made the file or a link on its path (core/base/safe_path.h).
 * Of devices only /dev/null is opened, others and sockets are -EINVAL.
 */
int bounded_read_trusted(const char *path, uint64_t patience_ns, size_t most, char **text,
			 size_t *length);

#endif
