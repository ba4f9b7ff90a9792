// SPDX-License-Identifier: MIT
#include "figure.h"

const char *figure_state_sign(enum figure_state state)
{
	switch (state) {
	case FIGURE_VALID:
	case FIGURE_SCALED:
	case FIGURE_LOST:
		return "";
	case FIGURE_UNDEFINED:
	case FIGURE_NOT_COUNTED:
		return "-";
	case FIGURE_UNSUPPORTED:
		return "n/a";
	case FIGURE_DENIED:
		return "!";
	}
	return "";
}

const char *figure_state_name(enum figure_state state)
{
	switch (state) {
	case FIGURE_VALID:
		return "valid";
	case FIGURE_SCALED:
		return "scaled";
	case FIGURE_UNDEFINED:
		return "undefined";
	case FIGURE_NOT_COUNTED:
		return "not_counted";
	case FIGURE_UNSUPPORTED:
		return "unsupported";
	case FIGURE_DENIED:
		return "denied";
	case FIGURE_LOST:
		return "lost";
	}
	return "unknown";
}
