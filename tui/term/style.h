// SPDX-License-Identifier: MIT
#ifndef PMCTOP_STYLE_H
#define PMCTOP_STYLE_H

#include "core/view/view.h"

/*
 * The meaning of a cell. Screens and widgets use these roles only. The theme gives each role
 * colours and attributes, and term.c shows what the terminal supports of them.
 */
enum style {
	STYLE_PLAIN,
	STYLE_ID,
	STYLE_NAME,
	STYLE_DIM,
	STYLE_WARN,
	STYLE_BAD,
	STYLE_SCALED,
	STYLE_TITLE,       /* the program's and the host's name, headings */
	STYLE_LABEL,       /* "IPC" before its figure */
	STYLE_HEADER,      /* the table's header line */
	STYLE_HEADER_SORT, /* the sort column in it */
	STYLE_SELECTED,    /* the selected row */
	STYLE_BANNER,      /* a note to the user */
	STYLE_KEY,         /* a key in the key bar and in the help */
	STYLE_KEY_LABEL,
	STYLE_METER_LOW,
	STYLE_METER_MID,
	STYLE_METER_HIGH,
	STYLE_METER_EMPTY,
	/* A figure on each part of a meter, in reverse video. */
	STYLE_METER_LOW_FIGURE,
	STYLE_METER_MID_FIGURE,
	STYLE_METER_HIGH_FIGURE,
	STYLE_TAGGED, /* a row that the user tagged */
	STYLE_COUNT,
};

static inline enum style style_of_cell(enum cell_role role)
{
	switch (role) {
	case CELL_PLAIN:
		return STYLE_PLAIN;
	case CELL_ID:
		return STYLE_ID;
	case CELL_NAME:
		return STYLE_NAME;
	case CELL_DIM:
		return STYLE_DIM;
	case CELL_WARN:
		return STYLE_WARN;
	case CELL_BAD:
		return STYLE_BAD;
	case CELL_SCALED:
		return STYLE_SCALED;
	}
	return STYLE_PLAIN;
}

#endif
