# SPDX-License-Identifier: MIT
#
# fish completion of pmctop. Names come from `pmctop --list`, of the very program that stands on the
# line; tests/program/completion_test.py compares the options with --help. To fish a word that
# begins with a dash is an option: what reverses the order is completed in --sort=-COLUMN alone.

function __pmctop_program
    set -l words (commandline -opc)
    string replace -r '^~/' "$HOME/" -- $words[1]
end

# The argument that the cursor is in, as far as it is written: what stands before it in the same
# word, --event= or -e, fish puts back itself.
function __pmctop_argument
    commandline -ct | string replace -r -- '^--[a-z-]+=' '' |
        string replace -r -- '^-[a-zA-Z]*?[dnoSemptuGCs](?=.)' '' | string replace -ra '[\'"\\\\]' ''
end

# What a list has, with what it says of each: WHAT [PREFIX]. Examples of how events are written are
# no names, but for the subsystems of tracepoints, which are told without a prefix alone.
function __pmctop_list --argument-names what prefix
    set -l pattern
    test -n "$prefix"; and set pattern "$prefix*"
    set -l program (__pmctop_program)
    set -l lines ($program --list $what $pattern </dev/null 2>/dev/null)
    if test "$what" = events
        set lines (string replace -r '^(\S+:)\* +- ' '$1 ' -- $lines | string match -rv '^\S+ +- ')
    end
    string replace -r '^(\S+) *' '$1\t' -- $lines | string replace -ra '  +' ' '
end

# Each of a list behind what is before it in the argument.
function __pmctop_behind --argument-names head
    set -q head[1]; or set head ''
    while read -l line
        echo -- $head$line
    end
end

# Behind the last comma of "a,b", but not within the terms of "cpu/event=1,umask=2/", nor behind a
# group that is closed.
function __pmctop_events
    set -l text (__pmctop_argument)
    set -l start 0
    set -l terms 0
    set -l at 0
    for character in (string split '' -- "$text")
        set at (math $at + 1)
        switch $character
            case /
                string match -rq '^(mem|uprobe|uretprobe):' -- (string sub -s (math $start + 1) -- $text)
                or set terms (math 1 - $terms)
            case , '{'
                test $terms = 1; or set start $at
        end
    end
    set -l head ''
    test $start -gt 0; and set head (string sub -l $start -- $text)
    set -l piece (string sub -s (math $start + 1) -- "$text")
    __pmctop_list events "$piece" | __pmctop_behind "$head"
end

# What is before the last comma of the argument.
function __pmctop_head --argument-names separators
    test -n "$separators"; or set separators ,
    string match -r "^.*[$separators]" -- (__pmctop_argument)
end

# One's own has a formula.
function __pmctop_metrics
    string match -q '*=*' -- (__pmctop_argument); and return
    __pmctop_list metrics | __pmctop_behind (__pmctop_head)
end

function __pmctop_sorts
    echo help
    __pmctop_list columns
    __pmctop_list columns | __pmctop_behind -
end

function __pmctop_columns
    set -l head (__pmctop_head)
    __pmctop_list columns | __pmctop_behind "$head"
    __pmctop_list columns | __pmctop_behind "$head-"
end

function __pmctop_cpus
    string replace -r '.*/cpu' '' -- /sys/devices/system/cpu/cpu* | string match -r '^[0-9]+$' |
        __pmctop_behind (__pmctop_head ',-')
end

function __pmctop_pids
    __fish_complete_pids | __pmctop_behind (__pmctop_head)
end

function __pmctop_threads
    for path in /proc/*/task/*
        string replace -r '.*/' '' -- $path
    end | string match -r '^[0-9]+$' | __pmctop_behind (__pmctop_head)
end

function __pmctop_users
    __fish_complete_users | __pmctop_behind (__pmctop_head)
end

# Below wherever a hierarchy is mounted; of a path of the file system, directories.
function __pmctop_cgroups
    set -l piece (string replace -r '^.*,' '' -- (__pmctop_argument))
    set -l mounts /sys/fs/cgroup{,/unified,/memory}
    string match -q '/sys/*' -- $piece; and set mounts ''
    for mount in $mounts
        test -z "$mount" -o -e $mount/cgroup.procs; or continue
        for path in $mount$piece*/
            string sub -s (math (string length -- "$mount") + 1) -- (string trim -rc / -- $path)
        end
    end | __pmctop_behind (__pmctop_head)
end

# What stands behind --, as if it stood alone.
function __pmctop_has_command
    contains -- -- (commandline -opc)
end

function __pmctop_command
    set -l words (commandline -opc)
    set -l at (contains -i -- -- $words)
    set -l own (string escape -- $words[(math $at + 1)..-1])
    test $at = (count $words); and set own
    complete -C (string join ' ' -- $own (commandline -ct))
end

function __pmctop_listed
    set -l words (commandline -opc)
    set -l at (contains -i -- --list $words)
    and set -q words[(math $at + 1)]
    and echo $words[(math $at + 1)]
end

complete -c pmctop -f
complete -c pmctop -n __pmctop_has_command -f -k -a '(__pmctop_command)'
complete -c pmctop -n '__pmctop_listed >/dev/null' -f -a '(__pmctop_list (__pmctop_listed))'
complete -c pmctop -s d -l delay -x -d 'time between refreshes: 2, 0.5, 500ms; at least 0.1 (1)'
complete -c pmctop -s n -l iterations -x -d 'stop after N refreshes'
complete -c pmctop -s b -l batch -d 'print, do not draw; the default without a terminal'
complete -c pmctop -l format -x -a 'text csv json folded openmetrics prometheus' -d 'implies -b'
complete -c pmctop -l code -d 'functions in which tasks spend their time; implies -b'
complete -c pmctop -s o -l output -r -F -d 'batch output to a file; implies -b'
complete -c pmctop -l top -x -d 'only the first N tasks; openmetrics: the busiest (50)'
complete -c pmctop -l record -r -F -d 'write a recording (perf.data); -: to a pipe'
complete -c pmctop -l switch-output -x -d 'start a new file every 100M, 1G, 30m, 1d'
complete -c pmctop -l switch-max-files -x -d 'keep only the newest N of these files'
complete -c pmctop -l listen -x -d 'serve counters to Prometheus, at /metrics'
complete -c pmctop -l listen-name -x -d 'accept this host name in requests to the loopback'
complete -c pmctop -l replay -r -F -d 'show a recording of pmctop or perf; -: from a pipe'
complete -c pmctop -l symfs -x -a '(__fish_complete_directories)' -d 'programs and libraries of the recording are below DIR'
complete -c pmctop -l speed -x -a '0.5 2 10 max' -d 'speed of the replay: 0.5, 2, 10, max (1; printed: max)'
complete -c pmctop -l ssh -x -a '(__fish_print_hostnames)' -d 'run on that host, which needs no pmctop'
complete -c pmctop -l ssh-option -x -d 'a word of ssh\'s command line, such as -p2222'
complete -c pmctop -l ssh-sudo -d 'run there with sudo'
complete -c pmctop -l via -x -d 'run where that runs a command, as \'docker exec -it web\''
complete -c pmctop -l static -r -F -d 'the static program to copy there'
complete -c pmctop -s S -l preset -x -a '(__pmctop_list presets)' -d 'metrics to count and show; none: only -e and -m'
complete -c pmctop -s e -l event -x -a '(__pmctop_events)' -d 'add columns: EVENT[,EVENT...], {EVENT,EVENT} together'
complete -c pmctop -s m -l metric -x -a '(__pmctop_metrics)' -d 'add a column: a name, or your own \'NAME=EXPR\''
complete -c pmctop -s p -l pid -x -a '(__pmctop_pids)' -d 'only these processes and their children: PID[,PID...]'
complete -c pmctop -s t -l tid -x -a '(__pmctop_threads)' -d 'only these threads: TID[,TID...]'
complete -c pmctop -s u -l user -x -a '(__pmctop_users)' -d 'only processes of these users (names or numbers)'
complete -c pmctop -s G -l cgroup -x -a '(__pmctop_cgroups)' -d 'only these cgroups or containers, and those below'
complete -c pmctop -s C -l cpu -x -a '(__pmctop_cpus)' -d 'only what runs on these CPUs: 0-3,8'
complete -c pmctop -l count -x -a 'all user kernel' -d 'privilege levels to count'
complete -c pmctop -l budget -x -d 'limit of counting, per CPU; 0: none (3; a command: 0)'
complete -c pmctop -l frequency -x -d 'samples of code a second, while they are needed (199)'
complete -c pmctop -s s -l sort -x -a '(__pmctop_sorts)' -d 'sort by COLUMN; \'-s help\' lists all, -COLUMN reverses'
complete -c pmctop -l columns -x -a '(__pmctop_columns)' -d 'order of columns on the screen; -NAME hides one'
complete -c pmctop -l filter -x -d 'tasks with these words in pid, user, command, cgroup'
complete -c pmctop -s H -l threads -d 'threads instead of processes: --by thread'
complete -c pmctop -s i -l idle -d 'also tasks that did not run'
complete -c pmctop -s c -l command-lines -d 'whole command lines instead of names'
complete -c pmctop -l by -x -a 'process thread tree user cgroup command cpu socket node' -d 'group by process, thread, user, cgroup, command ...'
complete -c pmctop -l list -x -a 'events metrics presets columns themes pmus keys formulas verdicts marks palette variables' -d 'list events, metrics, presets, keys ...'
complete -c pmctop -l event-tables -r -F -d 'the vendor\'s newer files of events and metrics'
complete -c pmctop -l cpu-model -x -d 'list what another CPU has (GenuineIntel-6-AD-1)'
complete -c pmctop -l doctor -d 'report what can be counted here, and how to get more'
complete -c pmctop -l config -r -F -d 'read this configuration'
complete -c pmctop -l color -x -a 'auto always never' -d 'when to use colours'
complete -c pmctop -l unit -x -a 'usual count second ki' -d 'unit of event counts'
complete -c pmctop -l ascii -d 'draw with ASCII characters only'
complete -c pmctop -l no-mouse -d 'leave the mouse to the terminal'
complete -c pmctop -l theme -r -F -a '(__pmctop_list themes)' -d 'a theme\'s name, or a file in btop\'s format'
complete -c pmctop -l readonly -d 'send no signal; renice, write and start nothing'
complete -c pmctop -s h -l help -d 'this text'
complete -c pmctop -s V -l version -d 'the version'
