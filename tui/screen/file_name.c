// SPDX-License-Identifier: MIT
#include "tui/screen/file_name.h"

#include "core/base/util.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void file_name_suggest(const struct snapshot *snapshot, char *text, size_t size)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789.-_";
	time_t seconds = (time_t)(snapshot->realtime_ns / NS_PER_S);
	char host[sizeof(snapshot->host)], date[32] = "";
	struct tm local;

	text_copy(host, sizeof(host), snapshot->host);
	for (char *at = host; *(at += strspn(at, safe));)
		*at = '_';
	if (seconds > 0 && localtime_r(&seconds, &local))
		strftime(date, sizeof(date), "-%Y%m%d-%H%M%S", &local);
	snprintf(text, size, "pmctop-%s%s", host, date);
}

void file_name_shown(const char *host, const char *name, char *text, size_t size)
{
	char directory[PATH_MAX];

	if (!host)
		text_copy(text, size, name);
	else if (name[0] == '/' || !getcwd(directory, sizeof(directory)))
		snprintf(text, size, "%s:%s", host, name);
	else
		snprintf(text, size, "%s:%s/%s", host, strcmp(directory, "/") == 0 ? "" : directory,
			 name);
}
