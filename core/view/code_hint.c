// SPDX-License-Identifier: MIT
/*
 * Code that a program makes while it runs has no file. The files of its callers show which runtime
 * has made it. An interpreter has symbols, but of itself, not of the functions that it runs.
 */
#include "core/view/code_hint.h"

#include "core/base/util.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A hint needs so much of the samples. */
#define HINT_SHARE 0.1

enum runtime {
	RUNTIME_ANY,
	RUNTIME_NODE,
	RUNTIME_JAVA,
	RUNTIME_PYTHON,
	RUNTIMES,
};

static const char *const hints[RUNTIMES] = {
	[RUNTIME_ANY] = "[unknown] has names if the program writes /tmp/perf-PID.map.",
	[RUNTIME_NODE] = "Functions of JavaScript have names with node --perf-basic-prof.",
	[RUNTIME_JAVA] = "Functions of Java have names after jcmd PID Compiler.perfmap (Java 17).",
	[RUNTIME_PYTHON] =
		"Functions of Python are callers with python3 -X perf (3.12, frame pointers).",
};

/* What a function says of the code that it calls or is. */
enum trait {
	TRAIT_NONE,
	TRAIT_MADE, /* without a name, as it was made while the program runs */
	TRAIT_NODE,
	TRAIT_JAVA,
	TRAIT_PYTHON,
	TRAIT_PYTHON_NAMED,
};

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static enum trait find_trait(const struct code_function *function)
{
	const char *module = function->module;

	if (function->kind == CODE_UNNAMED && strstr(function->name, CODE_WHY_COMPILED))
		return TRAIT_MADE;
	if (begins(function->name, "py::"))
		return TRAIT_PYTHON_NAMED;
	if (begins(module, "python") || begins(module, "libpython"))
		return TRAIT_PYTHON;
	if (begins(module, "libnode.") || strcmp(module, "node") == 0 ||
	    strcmp(module, "nodejs") == 0)
		return TRAIT_NODE;
	return begins(module, "libjvm.") ? TRAIT_JAVA : TRAIT_NONE;
}

/* Returns the runtime whose functions lack names in the stack; RUNTIMES: none. */
static enum runtime find_runtime(const unsigned char *traits, const uint32_t *frames, size_t depth)
{
	const enum trait innermost = traits[frames[0]];
	enum runtime runtime = innermost == TRAIT_MADE     ? RUNTIME_ANY
			       : innermost == TRAIT_PYTHON ? RUNTIME_PYTHON
							   : RUNTIMES;

	for (size_t i = 1; i < depth && runtime < RUNTIMES; i++) {
		const enum trait trait = traits[frames[i]];

		if (runtime == RUNTIME_PYTHON && trait == TRAIT_PYTHON_NAMED)
			return RUNTIMES;
		if (runtime == RUNTIME_ANY && trait == TRAIT_NODE)
			return RUNTIME_NODE;
		if (runtime == RUNTIME_ANY && trait == TRAIT_JAVA)
			return RUNTIME_JAVA;
	}
	return runtime;
}

const char *code_hint(const struct code_profile *profile, unsigned event)
{
	unsigned char *traits = xcalloc(profile->n_functions, sizeof(*traits));
	double weights[RUNTIMES + 1] = {0}, all = 0;
	enum runtime most = RUNTIME_ANY;

	for (size_t i = 0; i < profile->n_functions; i++)
		traits[i] = (unsigned char)find_trait(&profile->functions[i]);
	for (size_t i = 0; i < profile->n_entries; i++) {
		const struct code_entry *entry = &profile->entries[i];

		if (entry->event != event)
			continue;
		all += (double)entry->weight;
		weights[find_runtime(traits, profile->frames + entry->frame, entry->depth)] +=
			(double)entry->weight;
	}
	free(traits);
	for (enum runtime i = RUNTIME_ANY; i < RUNTIMES; i++)
		if (weights[i] > weights[most])
			most = i;
	return weights[most] > 0 && weights[most] >= HINT_SHARE * all ? hints[most] : NULL;
}
