# SPDX-License-Identifier: MIT
#
# Functions of the awk programs that make texts of C tables. They read the sources, because the program
# may be built for another machine.
#
# value[PATH] is the text of an initializer. PATH is the name of a table, then positions from 0 and names
# of members: value["metric_table.3.forms.0.expression"]. A macro is a value, too. Macros within texts
# stay names.


function read_source(file,    line, more) {
	while ((getline line < file) > 0) {
		while (line ~ /\\$/ && (getline more < file) > 0)
			line = substr(line, 1, length(line) - 1) more
		if (line ~ /^#include ".*\.def"/)
			read_source(substr(line, 11, length(line) - 11))
		else if (file ~ /\.def$/ && line ~ /^#define /)
			read_macro(line)
		else if (line !~ /^#/)
			read_line(line)
	}
	close(file)
}

function read_macro(line) {
	sub(/^#define /, "", line)
	macros[++n_macros] = line
	sub(/ .*/, "", macros[n_macros])
	path[++depth] = "macro"
	key[depth] = macros[n_macros]
	sub(/^[A-Z0-9_]+ /, "", line)
	read_line(line)
	depth--
}

function read_line(line,    token) {
	for (; line != ""; line = substr(line, RLENGTH + 1)) {
		if (in_comment) {
			if (!match(line, /\*\//))
				return
			line = substr(line, RSTART)
			RLENGTH = 2
			in_comment = 0
		} else if (match(line, /^\/\*/))
			in_comment = 1
		else if (match(line, /^([ \t]+|\/\/.*)/))
			;
		else if (depth > 0 && match(line, /^\[[A-Z0-9_]+\] *=/))
			; # the tables that are read have their designators in order
		else if (match(line, /^"[^"]*"/))
			add_text(substr(line, 2, RLENGTH - 2))
		else if (match(line, /^\.[a-z_]+/))
			key[depth] = substr(line, 2, RLENGTH - 1)
		else {
			if (!match(line, /^[A-Za-z0-9_.]+/))
				RLENGTH = 1
			token = substr(line, 1, RLENGTH)
			read_token(token)
			RLENGTH = length(token)
		}
	}
}

function read_token(token) {
	if (token == "{") {
		path[depth + 1] = assigned && key[depth] ~ /^[0-9]*$/ ? table : path[depth] "." key[depth]
		key[++depth] = place[depth] = 0
	} else if (token == "}")
		depth--
	else if (token == "(" || token == ")")
		parentheses += token == "(" ? 1 : -1
	else if (token == ",") {
		if (parentheses == 0)
			key[depth] = ++place[depth]
	}
	else if (token == "[" || token == "=")
		table = last
	else if (token ~ /^[A-Za-z0-9_.|]/)
		add_text(token)
	assigned = token == "="
	if (token ~ /^[A-Za-z_]/)
		last = token
}

function add_text(text) {
	value[path[depth] "." key[depth]] = value[path[depth] "." key[depth]] text
}

## Of the manual: at most 80 bytes a line.

function escaped(text) {
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	gsub(/'/, "\\(aq", text)
	return text
}

# Prints words, in lines of at most `width` bytes. Lines after the first begin with `indent`.
function print_words(text, width, indent,    words, n, i, line) {
	n = split(text, words, " ")
	line = words[1]
	for (i = 2; i <= n; i++) {
		if (length(escaped(line " " words[i])) > width) {
			print escaped(line)
			line = indent words[i]
		} else
			line = line " " words[i]
	}
	print escaped(line)
}
