// SPDX-License-Identifier: MIT
#include "tui/screen/file_name.h"

#include "core/base/util.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

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
