// SPDX-License-Identifier: MIT
/*
 * A line has blanks between its words, and words may have blanks, too: what is cut off in such a
 * line may be less or more than a word, but never changes the order of what is left.
 */
#include "core/view/command_text.h"

#include "core/base/text.h"
#include "core/base/util.h"

#include <stdbool.h>
#include <string.h>

enum { COMM_MOST = 15 };

/* Programs that run a script. Other options than these have no argument, or have it in their word.
 */
static const struct interpreter {
	const char *name;   /* a version may follow: "python3.11" */
	const char *code;   /* letters of options whose argument is the program: -c, -lc */
	const char *valued; /* options whose argument is the next word: " -W -X " */
	bool classes;       /* "org.example.Main" is shortened to its last part */
} interpreters[] = {
	{"python", "cm", " -W -X ", false},
	{"pypy", "cm", " -W -X ", false},
	{"perl", "eE", " -I ", false},
	{"ruby", "e", " -r -I ", false},
	{"node", "ep", " -r --require --import --loader ", false},
	{"nodejs", "ep", " -r --require --import --loader ", false},
	{"php", "r", " -d -c ", false},
	{"lua", "e", " -l ", false},
	{"sh", "c", " -o -O +o ", false},
	{"bash", "c", " -o -O +o --rcfile --init-file ", false},
	{"dash", "c", " -o +o ", false},
	{"ksh", "c", " -o +o ", false},
	{"zsh", "c", " -o +o ", false},
	{"java", "",
	 " -cp -classpath --class-path -p --module-path --add-modules --add-opens --add-exports "
	 "--add-reads --upgrade-module-path ",
	 true},
	{"mono", "", " ", false},
	{"dotnet", "", " ", false},
};

/* Bytes up to the next blank. */
static size_t word_length(const char *text)
{
	return strcspn(text, " ");
}

/* The part of a word behind its last '/'. A word that ends with one is whole. */
static const char *last_part(const char *word, size_t length)
{
	const char *slash = memrchr(word, '/', length);

	return slash && slash + 1 < word + length ? slash + 1 : word;
}

static const struct interpreter *find_interpreter(const char *name, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(interpreters); i++) {
		size_t known = strlen(interpreters[i].name);

		if (length >= known && memcmp(name, interpreters[i].name, known) == 0 &&
		    strspn(name + known, "0123456789.") >= length - known)
			return &interpreters[i];
	}
	return NULL;
}

static bool takes_word(const struct interpreter *interpreter, const char *word, size_t length)
{
	char padded[32] = " ";

	if (length + 3 > sizeof(padded))
		return false;
	memcpy(padded + 1, word, length);
	memcpy(padded + 1 + length, " ", 2);
	return strstr(interpreter->valued, padded) != NULL;
}

/* Returns the word of the script, class or jar; NULL: code of the line itself, or none. */
static const char *find_script(const struct interpreter *interpreter, const char *word)
{
	while (*word == ' ')
		word++;
	while (*word == '-' || *word == '+') {
		size_t length = word_length(word);

		/* "-": the program is the standard input. */
		if (length == 1 || (word[1] != '-' && strchr(interpreter->code, word[length - 1])))
			return NULL;
		bool skips = takes_word(interpreter, word, length);
		word += length + strspn(word + length, " ");
		if (skips)
			word += word_length(word);
		word += strspn(word, " ");
	}
	return *word ? word : NULL;
}

static void append(struct command_text *command, const char *text, size_t length)
{
	size_t used = strlen(command->text);

	length = size_min(length, sizeof(command->text) - 1 - used);
	memcpy(command->text + used, text, length);
	command->text[used + length] = '\0';
}

/*
 * Whether a word is the name of a task, of which the kernel keeps COMM_MOST bytes: "bash" of
 * "-bash", "nginx" of "nginx: worker process", but not "pong" of "pingpong".
 */
static bool is_named(const char *word, size_t length, const char *comm)
{
	size_t comm_length = strlen(comm), dash = length > 0 && word[0] == '-' && comm[0] != '-';

	word += dash;
	length -= dash;
	return length >= comm_length && memcmp(word, comm, comm_length) == 0 &&
	       (length == comm_length || comm_length == COMM_MOST ||
		(length == comm_length + 1 && strchr(":/", word[comm_length])));
}

/* "org.example.Main" is "Main", but "x.jar" is whole. */
static const char *last_name(const char *word, size_t *length)
{
	const char *dot = memrchr(word, '.', *length);

	if (!dot || dot + 1 == word + *length ||
	    (*length > 4 && memcmp(word + *length - 4, ".jar", 4) == 0))
		return word;
	*length -= (size_t)(dot + 1 - word);
	return dot + 1;
}

void command_text_whole(const char *line, struct command_text *command)
{
	size_t length = word_length(line);

	text_copy(command->text, sizeof(command->text), line);
	command->end = size_min(length, strlen(command->text));
	command->begin = (size_t)(last_part(line, length) - line);
	if (command->begin > command->end)
		command->begin = 0;
}

void command_text_short(const char *line, const char *comm, struct command_text *command)
{
	size_t length = word_length(line);
	const char *name = last_part(line, length), *rest = line + length;
	size_t name_length = length - (size_t)(name - line), comm_length = strlen(comm);
	const struct interpreter *interpreter = find_interpreter(name, name_length);
	const char *script = interpreter ? find_script(interpreter, rest) : NULL;

	*command = (struct command_text){.text = ""};
	/* "tmux: server", a name that the program has given itself, has its file's name in it. */
	bool longer = comm_length > name_length && memcmp(comm, name, name_length) == 0;
	bool seen = longer || comm_length == 0 || is_named(name, name_length, comm);
	append(command, longer ? comm : name, longer ? comm_length : name_length);
	if (script) {
		length = word_length(script);
		rest = script + length;
		script = last_part(script, length);
		length = (size_t)(rest - script);
		if (interpreter->classes)
			script = last_name(script, &length);
		seen = seen || is_named(script, length, comm);
		append(command, " ", 1);
		append(command, script, length);
	}
	if (!seen) {
		struct command_text named = {.text = ""};

		append(&named, comm, comm_length);
		append(&named, " ", 1);
		append(&named, command->text, strlen(command->text));
		*command = named;
	}
	command->end = strlen(command->text);
	append(command, rest, strlen(rest));
}
