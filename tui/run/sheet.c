// SPDX-License-Identifier: MIT
#include "tui/run/sheet.h"

#include "core/base/output_file.h"
#include "core/base/util.h"

#include <stdlib.h>

void sheet_open(struct sheet *sheet)
{
	*sheet = (struct sheet){0};
	sheet->file = xopen_memstream(&sheet->text, &sheet->size);
}

int sheet_print(struct sheet *sheet, const char *path, struct error *err)
{
	fclose(sheet->file);
	int rc = output_print(path, sheet->text, sheet->size, err);
	free(sheet->text);
	*sheet = (struct sheet){0};
	return rc;
}
