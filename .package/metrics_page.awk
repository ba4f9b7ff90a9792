# SPDX-License-Identifier: MIT
#
# awk -f c_tables.awk -f metrics_page.awk PAGE.in: prints the manual page with what the tables of metrics,
# presets and events have. tests/program/man_test.py compares the page with the program.
#
# These lines of PAGE.in are replaced: @METRICS@, @MACROS@ (of their formulas), @PRESETS@, @EVENTS@.

BEGIN {
	read_source("core/sys/cpu_kind.c")
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
