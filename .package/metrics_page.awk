# SPDX-License-Identifier: MIT
#
# awk -f metrics_page.awk PAGE.in: prints the manual page with what the tables of metrics, presets and
# events have. It reads the C sources of the tables, because the program may be built for another
# machine. tests/program/man_test.py compares the page with the program.
#
# These lines of PAGE.in are replaced: @METRICS@, @MACROS@ (of their formulas), @PRESETS@, @EVENTS@.

BEGIN {
	read_source("core/sys/cpu_model.c")
	read_source("core/metric/metric_def.c")
	read_source("core/metric/preset.c")
	read_source("core/metric/catalog_generic.c")
	for (i = 0; ("sets." i ".0") in value; i++)
		name_of_cpus[value["sets." i ".0"]] = value["sets." i ".1"]
}

$0 == "@METRICS@" { print_metrics(); next }
$0 == "@MACROS@" { print_macros(); next }
$0 == "@PRESETS@" { print_presets(); next }
$0 == "@EVENTS@" { print_events(); next }
{ print }

## Reading: value[PATH] is the text of an initializer. PATH is the name of a table, then positions from
## 0 and names of members: value["metric_table.3.forms.0.expression"]. A macro is a value, too. Macros
## within texts stay names.

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
	else if (token == ",")
		key[depth] = ++place[depth]
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

## Printing: at most 80 bytes a line.

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

function cpus_of(form, is_first,    where, parts, n, i, text) {
	where = value[form ".0"]
	if (where == "" || where == "0")
		return is_first ? "" : "else"
	if (where in name_of_cpus)
		return name_of_cpus[where]
	n = split(where, parts, "|")
	for (i = 1; i <= n; i++)
		text = text (i > 1 ? ", " : "") name_of_cpus[parts[i]]
	return text
}

function print_form(form, is_first,    title, expression, cpus) {
	title = value[form ".1"]
	expression = value[form ".2"] value[form ".expression"]
	cpus = cpus_of(form, is_first) (title == "" || title == "NULL" ? "" : " (as " title ")")
	print_words(cpus (cpus == "" ? "" : ": ") expression, 66, "    ")
}

function print_metric(metric,    text, unit, i) {
	print ".It Cm " value[metric ".name"] " Pq " escaped(value[metric ".title"])
	text = value[metric ".help"]
	unit = value[metric ".unit"]
	if (unit != "" && unit != "/s" && unit != "x")
		text = text ", in " unit
	if ((metric ".warn") in value)
		text = text sprintf("; warn %g, bad %g", value[metric ".warn"], value[metric ".bad"])
	print_words(text ".", 78, "")
	print ".Bd -literal -compact"
	for (i = 0; (metric ".forms." i ".2") in value || (metric ".forms." i ".expression") in value; i++)
		print_form(metric ".forms." i, i == 0)
	print ".Ed"
}

function print_metrics(    i) {
	for (i = 0; ("metric_table." i ".name") in value; i++)
		print_metric("metric_table." i)
}

function print_macros(    i) {
	for (i = 1; i <= n_macros; i++)
		print_words(macros[i] " = " value["macro." macros[i]], 72, "    ")
}

function print_preset(preset,    i, list, text) {
	print ".It Cm " value[preset ".name"]
	list = value[preset ".metrics"]
	text = value[preset ".help"]
	for (i = 0; value[list "." i] != "" && value[list "." i] != "NULL"; i++)
		text = text (i == 0 ? ": " : ", ") value[list "." i]
	print_words(text ".", 78, "")
}

function print_presets(    i) {
	for (i = 0; ("preset_table." i ".name") in value; i++)
		print_preset("preset_table." i)
	print_preset("preset_none")
}

function print_event(name, help) {
	print ".It Li " escaped(name)
	print_words(help ".", 78, "")
}

function print_events(    i, k, cache) {
	for (i = 0; ("generics." i ".0") in value; i++)
		print_event(value["generics." i ".0"], value["generics." i ".1"])
	for (i = 0; ("caches." i ".0") in value; i++)
		for (k = 0; k < value["caches." i ".2"]; k++) {
			cache = value["caches." i ".0"] "-"
			print_event(cache value["verbs." k ".0"], value["verbs." k ".2"] " " value["caches." i ".1"])
			print_event(cache value["verbs." k ".1"], value["verbs." k ".3"] " " value["caches." i ".1"])
		}
}
