# SPDX-License-Identifier: MIT
#
# awk -f c_tables.awk -f option_texts.awk FILE.in: prints a page of the manual, or a shell's completion,
# with the names, arguments and words of option_rows[] (tui/options/option_table.c).
# tests/program/man_test.py and completion_test.py compare the results with the program.
#
# In the manual these lines are replaced:
#
#	@OPTION NAME@		the heading of the option's paragraph. Each option must have one
#	@WORDS NAME END@	the words of its argument, "a, b or c", and a punctuation mark
#	@SETTINGS@		the names of all settings
#	@SAVED@			the names of the settings that W saves
#
# In a completion, @OPTIONS@ is replaced by a line for each option, and @LETTERS@ in a line by the
# letters of options with an argument.

BEGIN {
	read_source("tui/options/option_table.c")
	read_source("core/output/batch_format.c")
	read_source("core/event/event_modifier.c")
	read_source("core/snapshot/rollup.c")
	for (n_rows = 0; ("option_rows." n_rows ".0") in value; n_rows++)
		read_row(n_rows, "option_rows." n_rows)
	shell = ARGV[1] ~ /fish/ ? "fish" : ARGV[1] ~ /bash/ ? "bash" : "zsh"
}

{ gsub(/@LETTERS@/, letters) }
match($0, /^(_|function __)pmctop_[A-Z]+/) {
	found = substr($0, RSTART, RLENGTH)
	sub(/.*_/, "", found)
	has_function[found] = 1
}
$1 == "@OPTION" { print_heading(named(substr($2, 1, length($2) - 1))); next }
$1 == "@WORDS" { print_words_of(named($2), substr($3, 1, length($3) - 1)); next }
$0 == "@SETTINGS@" { print_names(setting); next }
$0 == "@SAVED@" { print_names(saved); next }
$0 == "@OPTIONS@" { print_options(); next }
{ print }

END {
	for (i = 0; n_headings > 0 && i < n_rows; i++)
		if (!(i in has_heading))
			fail("--" name[i] " has no paragraph")
	exit failed
}

function fail(why) {
	print ARGV[1] ": " why > "/dev/stderr"
	failed = 1
}

function read_row(i, row,    denied) {
	letter[i] = value[row ".0"] == "0" ? "" : value[row ".0"]
	name[i] = value[row ".1"]
	argument[i] = value[row ".2"] == "NULL" ? "" : value[row ".2"]
	help[i] = value[row ".3"]
	words[i] = read_words(value[row ".5"] value[row ".word"])
	denied = value[row ".denies"]
	if (denied != "" || value[row ".setting"] == "true")
		setting[i] = denied != "" ? denied : name[i]
	if (value[row ".saved"] == "true")
		saved[i] = setting[i]
	if (argument[i] != "")
		letters = letters letter[i]
}

# The words of rollup_name() are in the table rollup_names.
function read_words(function_name,    i, text) {
	for (i = 0; function_name == "format_word" && ("batch_formats." i ".name") in value; i++)
		text = text (i ? " " : "") value["batch_formats." i ".name"]
	for (i = 0; (function_name "s." i) in value && value[function_name "s." i] != ""; i++)
		text = text (i ? " " : "") value[function_name "s." i]
	if (function_name != "" && text == "")
		fail(function_name "() has no table")
	return text
}

function named(option,    i) {
	for (i = 0; i < n_rows; i++)
		if (name[i] == option)
			return i
	fail("--" option " is no option")
	return -1
}

## The manual

function heading_argument(text) {
	if (text == "")
		return ""
	if (match(text, /^\[[A-Z]+\]:/))
		return " Oo Ar " substr(text, 2, RLENGTH - 3) " Oc : Ns Ar " substr(text, RLENGTH + 1)
	return " Ar " text
}

function print_heading(i) {
	has_heading[i] = 1
	n_headings++
	print ".It " (letter[i] == "" ? "" : "Fl " letter[i] heading_argument(argument[i]) " , ") \
		"Fl Fl " name[i] heading_argument(argument[i])
}

function print_words_of(i, end,    parts, n, k) {
	n = split(words[i], parts, " ")
	for (k = 1; k < n; k++)
		list_name(parts[k], k < n - 1 ? "," : "")
	end_names()
	print "or"
	print ".Cm " parts[n] " " end
}

# Prints the members of a list by the index of their options, "a , b" and ".Cm c ." at the end.
function print_names(list,    i, last) {
	for (i = 0; i < n_rows; i++)
		if (i in list)
			last = i
	for (i = 0; i < last; i++)
		if (i in list)
			list_name(list[i], i == last ? "" : ",")
	end_names()
	print "and"
	print ".Cm " list[last] " ."
}

# Names in lines of at most 80 bytes, of which each but the last ends with a comma.
function list_name(text, comma,    more) {
	more = (names == "" ? ".Cm " : " ") text (comma == "" ? "" : " " comma)
	if (length(names more) > 80) {
		print names
		names = ""
		more = ".Cm " substr(more, 2)
	}
	names = names more
}

function end_names() {
	sub(/ ,$/, "", names)
	if (names != "")
		print names
	names = ""
}

## Completions

function print_options(    i) {
	for (i = 0; i < n_rows; i++)
		print shell == "fish" ? fish_line(i) : shell == "bash" ? bash_line(i) : zsh_line(i)
}

function bash_line(i) {
	return sprintf("\t_pmctop_option '%s' %s '%s' '%s'", letter[i], name[i], argument[i], words[i])
}

function fish_line(i,    text, kind, action) {
	text = help[i]
	gsub(/'/, "\\'", text)
	kind = argument[i] == "" ? "" : argument[i] ~ /^(FILE|DIR|THEME)$/ ? " -r -F" : " -x"
	action = words[i] != "" ? words[i] : argument[i] in has_function ? "(__pmctop_" argument[i] ")" : ""
	return "complete -c pmctop" (letter[i] == "" ? "" : " -s " letter[i]) " -l " name[i] kind \
		(action == "" ? "" : " -a '" action "'") " -d '" text "'"
}

# An option that adds up is offered again.
function zsh_line(i,    text, what, action, once, spelled) {
	text = help[i]
	gsub(/'/, "'\\''", text)
	gsub(/\[/, "\\[", text)
	gsub(/\]/, "\\]", text)
	what = argument[i]
	gsub(/:/, "\\:", what)
	action = words[i] != "" ? "(" words[i] ")" : argument[i] in has_function ? "_pmctop_" argument[i] : " "
	once = argument[i] ~ /^(SIZE|NAME|WORD|EVENT|METRIC|PID|TID)$/ ? "*" : \
		name[i] ~ /^(help|version)$/ ? "(- *)" : \
		"(" (letter[i] == "" ? "" : "-" letter[i] " ") "--" name[i] ")"
	spelled = "--" name[i] (what == "" ? "" : "=")
	if (letter[i] != "")
		spelled = "'{-" letter[i] (what == "" ? "" : "+") "," spelled "}'"
	return "\t\t'" once spelled "[" text "]" (what == "" ? "" : ":" what ":" action) "' \\"
}
