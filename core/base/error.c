// SPDX-License-Identifier: MIT
/*
 * The texts of errno are from strerrordesc_np(), which is English in every locale.
 */
#include "core/base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int error_set(struct error *err, int code, const char *format, ...)
{
	if (!err)
		return code;
	va_list args;
	va_start(args, format);
	err->code = code;
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	return code;
}

bool error_is_absent(int code)
{
	return code == -ENOENT || code == -ENOTDIR || code == -ENAMETOOLONG;
}

const char *error_why(int code)
{
	const char *why = strerrordesc_np(-code);

	return why ? why : "unknown error";
}

const char *error_remedy(int code)
{
	switch (-code) {
	case ENOSPC:
	case EDQUOT:
		return " Make room, or write elsewhere.";
	case EFBIG:
		return " The limit is 'ulimit -f'.";
	case EACCES:
	case EROFS:
	case EPERM:
		return " Write elsewhere.";
	case ENOENT:
	case ENOTDIR:
		return " Make its directory first.";
	case EMFILE:
		return " Raise the limit: ulimit -n";
	case ENFILE:
		return " Raise the limit: sysctl fs.file-max";
	case EIO:
	case ESTALE:
	case ENODEV:
		return " Its device has gone or fails. See dmesg.";
	}
	return "";
}

int error_set_no_descriptor(struct error *err, int code)
{
	return error_set(err, code, "No file descriptor is left.%s", error_remedy(code));
}

/* EAGAIN of a write has another remedy, so error_remedy() has none. */
static const char *remedy_of_start(int code)
{
	switch (-code) {
	case EAGAIN:
		return " Raise the limit: ulimit -u";
	case ENOMEM:
	case ENOBUFS:
		return " Free memory, and try again.";
	}
	return error_remedy(code);
}

int error_set_not_started(struct error *err, int code, const char *what)
{
	return error_set(err, code, "%s cannot be started: %s.%s", what, error_why(code),
			 remedy_of_start(code));
}
