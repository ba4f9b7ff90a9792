# SPDX-License-Identifier: MIT
# bash completion of pmctop, with and without the package bash-completion.
#
# The completions come from the program on the command line: --help has the options and their
# arguments, --list the names. Words are split here, because readline breaks words at ':' and '=',
# which events and options contain.

# The line's words as pmctop would get them, up to the cursor, still quoted: words.
_pmctop_read_words() {
	local line=${COMP_LINE:0:COMP_POINT} blank i
	words=()
	for ((i = 0; i <= COMP_CWORD; i++)); do
		blank=${line%%[![:blank:]]*}
		line=${line#"$blank"}
		if ((i == 0)) || [[ $blank ]]; then
			words+=('')
		fi
		if ((i == COMP_CWORD)); then
			words[-1]+=$line
		else
			words[-1]+=${COMP_WORDS[i]}
			line=${line#"${COMP_WORDS[i]}"}
		fi
	done
}

# options, and what those take that take something: takes[--delay]=SECS, says[--delay]="time ..."
_pmctop_read_options() {
	local line
	local row='^  (-(.),|   ) (--[a-z-]+)( ([A-Z[][^ ]*))? +(.*)$'
	while IFS= read -r line; do
		[[ $line =~ $row ]] || continue
		options+=("${BASH_REMATCH[3]}")
		names[${BASH_REMATCH[3]}]=${BASH_REMATCH[3]}
		if [[ ${BASH_REMATCH[2]} ]]; then
			options+=("-${BASH_REMATCH[2]}")
			names[-${BASH_REMATCH[2]}]=${BASH_REMATCH[3]}
		fi
		takes[${BASH_REMATCH[3]}]=${BASH_REMATCH[5]}
		says[${BASH_REMATCH[3]}]=${BASH_REMATCH[6]}
	done < <("$program" --help 2>/dev/null </dev/null)
}

# The option whose argument a word begins, and how much of the word is before that: option,
# taken. Of -bHe that is -e; the argument is the next word where nothing is behind it.
_pmctop_find_option() {
	local word=$1 i
	option='' taken=0
	if [[ $word == --*=* ]]; then
		option=${word%%=*}
		taken=$((${#option} + 1)) option=${names[$option]-}
	elif [[ $word == --* ]]; then
		option=${names[$word]-} taken=${#word}
	elif [[ $word == -* ]]; then
		for ((i = 1; i < ${#word}; i++)); do
			option=${names[-${word:i:1}]-} taken=$((i + 1))
			[[ $option && ! ${takes[$option]} ]] || break
		done
	fi
	[[ $option && ${takes[$option]} ]] || option=''
}

# The names of a list that begin like this: found. Of metrics in any case if there is none.
_pmctop_list() {
	local name state rest folded=()
	local pattern=("$2*")
	[[ $2 ]] || pattern=() # without a pattern tracepoints are told by the subsystem alone
	while read -r name state rest; do
		if [[ $1 == events && $state == - ]]; then
			[[ $name == *':*' ]] || continue # an example of how they are written
			name=${name%'*'}
		fi
		if [[ $name == "$2"* ]]; then
			found+=("$name")
		elif [[ $1 == metrics && ${name,,} == "${2,,}"* ]]; then
			folded+=("$name")
		fi
	done < <("$program" --list "$1" "${pattern[@]}" 2>/dev/null </dev/null)
	((${#found[@]})) || found=("${folded[@]}")
}

# What follows the last comma of "a,b", but not within the terms of "cpu/event=1,umask=2/", nor
# behind a group that is closed: piece.
_pmctop_last_event() {
	local text=$1 i start=0 terms=''
	for ((i = 0; i < ${#text}; i++)); do
		case ${text:i:1} in
		/) case ${text:start} in
			mem:* | uprobe:* | uretprobe:*) ;;
			*) [[ $terms ]] && terms='' || terms=1 ;;
			esac ;;
		[,{]) [[ $terms ]] || start=$((i + 1)) ;;
		esac
	done
	piece=${text:start}
}

# Cgroups below wherever a hierarchy is mounted; of a path of the file system, directories.
_pmctop_cgroups() {
	local mount path
	for mount in /sys/fs/cgroup{,/unified,/memory}; do
		[[ $piece == /sys/* ]] && mount='' || [[ -e $mount/cgroup.procs ]] || continue
		for path in "$mount$piece"*/; do
			[[ -d $path ]] && path=${path#"$mount"} && found+=("${path%/}")
		done
		[[ $mount ]] || break
	done
}

# What those paths end with, but for a CPU's "cpu", as far as it completes piece.
_pmctop_numbers() {
	local path
	for path in "$@"; do
		path=${path##*/}
		[[ -e $1 && ${path#cpu} == "$piece"* ]] && found+=("${path#cpu}")
	done
}

# What an argument may be, by what --help calls it: found, which complete piece.
_pmctop_values() {
	local text=$1 words
	piece=$text
	case ${takes[$option]}:$option in
	EVENT:*)
		_pmctop_last_event "$text"
		_pmctop_list events "$piece"
		;;
	METRIC:*)
		[[ $text == *=* ]] && return # one's own
		piece=${text##*,}
		_pmctop_list metrics "$piece"
		;;
	COLUMN:*)
		piece=${text#-}
		_pmctop_list columns "$piece"
		[[ help == "$text"* ]] && found+=(help)
		;;
	LIST:--columns)
		piece=${text##*,}
		piece=${piece#-}
		_pmctop_list columns "$piece"
		;;
	LIST:*)
		piece=${text##*[,-]}
		_pmctop_numbers /sys/devices/system/cpu/cpu[0-9]*
		;;
	PRESET:*) _pmctop_list presets "$piece" ;;
	NAME:*) _pmctop_list themes "$piece" ;;
	PID:*)
		piece=${text##*,}
		_pmctop_numbers /proc/[0-9]*
		;;
	TID:*)
		piece=${text##*,}
		_pmctop_numbers /proc/[0-9]*/task/[0-9]*
		;;
	USER:*)
		piece=${text##*,}
		found+=($(compgen -u -- "$piece"))
		;;
	HOST:*) found+=($(compgen -A hostname -- "$piece")) ;;
	PATH:*)
		piece=${text##*,}
		_pmctop_cgroups
		;;
	X:*) found+=($(compgen -W '0.5 2 10 max' -- "$piece")) ;;
	WHAT:--by)
		found+=($(compgen -W 'process thread tree user cgroup command cpu socket node' -- "$piece"))
		;;
	WHAT:--list)
		words='events metrics presets columns themes pmus keys formulas verdicts marks palette'
		found+=($(compgen -W "$words variables" -- "$piece"))
		;;
	*)
		words='^([a-z]+(, [a-z]+)* or [a-z]+)(:|$)'
		[[ ${says[$option]} =~ $words ]] || return
		words=${BASH_REMATCH[1]// or / }
		found+=($(compgen -W "${words//,/}" -- "$piece"))
		;;
	esac
	case ${takes[$option]} in
	EVENT | METRIC | LIST | PID | TID | USER | PATH) compopt -o nospace ;; # a comma may follow
	esac
}

# A word as the shell takes it, where in it each character stands, the quote that is open at its end,
# and how much of it readline leaves alone, up to such a quote, else to its last break: plain, at,
# quote, kept.
_pmctop_unquote() {
	local word=$1 i character
	plain='' at=() quote='' kept=0
	for ((i = 0; i < ${#word}; i++)); do
		character=${word:i:1}
		if [[ $character == "$quote" ]]; then
			quote='' kept=$((i + 1))
			continue
		elif [[ ! $quote && $character == [\'\"] ]]; then
			quote=$character kept=$((i + 1))
			continue
		elif [[ $character == \\ && ($quote == '' || ($quote == \" && ${word:i+1:1} == [\"\\\$\`])) ]]; then
			at+=("$i")
			i=$((i + 1)) character=${word:i:1}
		else
			at+=("$i")
			[[ ! $quote && $character == [:=] && $COMP_WORDBREAKS == *$character* ]] &&
				kept=$((i + 1))
		fi
		plain+=$character
	done
	at+=("${#word}")
}

# A name so that the shell takes it as it is behind that quote, or behind none: quoted. It may be
# anybody's, as cgroups are.
_pmctop_quote() {
	quoted=$1
	case $quote in
	\') quoted=${1//"'"/"'\''"} ;;
	\")
		[[ $1 != *'!'* ]] || return 1 # which nothing quotes there
		quoted=${1//\\/\\\\}
		quoted=${quoted//\"/\\\"}
		quoted=${quoted//\$/\\\$}
		quoted=${quoted//\`/\\\`}
		;;
	*) [[ $1 != *[!A-Za-z0-9_./:=,@%+-]* ]] || printf -v quoted %q "$1" ;;
	esac
}

# found, as what readline puts in the place of what it takes for the word.
_pmctop_reply() {
	local word=$1 name quoted begin
	begin=${at[${#plain} - ${#piece}]}
	for name in "${found[@]}"; do
		_pmctop_quote "$name" || continue
		name=${word:0:begin}$quoted
		[[ ${name:0:kept} == "${word:0:kept}" ]] || continue # it is quoted in the middle
		COMPREPLY+=("${name:kept}")
	done
}

# A command as if it stood alone.
_pmctop_command() {
	local offset=$1
	if declare -F _comp_command_offset >/dev/null; then
		_comp_command_offset "$offset"
	elif declare -F _command_offset >/dev/null; then
		_command_offset "$offset"
	elif ((COMP_CWORD == offset)); then
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -c -- "$2")
	else
		compopt -o default
	fi
}

_pmctop() {
	local IFS=$' \t\n' program=$1 words=() found=() options=() piece='' option='' taken=0 i
	local -A names=() takes=() says=()
	COMPREPLY=()
	program=${program/#\~\//$HOME/}
	for ((i = 1; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then
			_pmctop_command $((i + 1)) "$2"
			return
		fi
	done
	_pmctop_read_words
	_pmctop_read_options

	local word=${words[-1]} before='' plain at quote kept
	_pmctop_unquote "$word"
	((${#words[@]} > 2)) && before=${words[-2]}
	_pmctop_find_option "$before"
	if [[ $option && $taken == "${#before}" && $before != --*= ]]; then
		taken=0
	else
		_pmctop_find_option "$word"
		[[ $word == -? || ($word == --* && $word != *=*) ]] && option=''
	fi
	if [[ $option ]]; then
		local argument=${plain:taken}
		if [[ ${takes[$option]} == FILE && ($taken == 0 || $word == --*) ]]; then
			compopt -o default
		elif [[ ${takes[$option]} == FILE ]]; then
			piece=$argument
			mapfile -t found < <(compgen -f -- "$piece")
			_pmctop_reply "$word"
		else
			[[ ${takes[$option]} == NAME ]] && compopt -o default # a file, too
			_pmctop_values "$argument"
			_pmctop_reply "$word"
		fi
	elif [[ $word == -* ]]; then
		COMPREPLY=($(compgen -W "${options[*]} --" -- "$word"))
	else
		for ((i = 1; i < ${#words[@]} - 1; i++)); do
			[[ ${words[i]} == --list ]] && piece=$plain &&
				_pmctop_list "${words[i + 1]}" "$piece"
			[[ ${words[i]} == --list=* ]] && piece=$plain &&
				_pmctop_list "${words[i]#*=}" "$piece"
		done
		_pmctop_reply "$word"
	fi
}

complete -F _pmctop pmctop
