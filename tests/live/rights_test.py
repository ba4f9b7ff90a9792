#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The rights that pmctop keeps while it runs, for each way to start it, and the rights of its command.

Prints TAP. BUILD is the build directory. Most checks need root, to start pmctop as other users.
"""
import contextlib
import ctypes
import json
import os
import pwd
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from frames import check, finish, frames_of, skip  # noqa: E402
from programs import BUILD, PMCTOP, alive  # noqa: E402
from ptys import OnPty  # noqa: E402
from served import until  # noqa: E402

NOBODY = pwd.getpwnam("nobody").pw_uid
PATIENCE_S = 120
CAPS = {name: 1 << bit for name, bit in (("DAC_OVERRIDE", 1), ("DAC_READ_SEARCH", 2), ("KILL", 5),
                                         ("NET_BIND_SERVICE", 10), ("IPC_LOCK", 14),
                                         ("SYS_PTRACE", 19), ("SYS_ADMIN", 21), ("SYS_NICE", 23),
                                         ("SYSLOG", 34),
                                         ("PERFMON", 38), ("CHECKPOINT_RESTORE", 40))}
COUNTS = CAPS["PERFMON"] | CAPS["IPC_LOCK"]
LOOKS = CAPS["SYS_PTRACE"] | CAPS["DAC_READ_SEARCH"]  # why tasks are blocked
NAMES = CAPS["SYSLOG"] | CAPS["CHECKPOINT_RESTORE"]  # functions, which a screen may show
OPENER_RIGHTS = LOOKS | CAPS["CHECKPOINT_RESTORE"]
ACTS = CAPS["KILL"] | CAPS["SYS_NICE"]  # of the keys k, F7 and F8
# setpriv starts it as an ordinary user does.
AS_NOBODY = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]

# A python that every user may run.
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable

# Prints the state of a started command.
STATE = r"""
import ctypes, json, os, resource, signal, sys
status = dict(line.rstrip('\n').split(':\t', 1) for line in open('/proc/self/status') if ':\t' in line)
libc = ctypes.CDLL(None)
subreaper = ctypes.c_int()
libc.prctl(37, ctypes.byref(subreaper), 0, 0, 0)
fds = {fd: os.readlink('/proc/self/fd/' + fd) for fd in os.listdir('/proc/self/fd')
       if os.path.lexists('/proc/self/fd/' + fd)}
json.dump({
    'status': {name: status[name] for name in sorted(status)
               if name[:3] in ('Cap', 'Sig', 'Shd') and name != 'SigQ' or name in
               ('Uid', 'Gid', 'Groups', 'Umask', 'NoNewPrivs', 'Seccomp', 'Cpus_allowed',
                'Mems_allowed')},
    'descriptors': sorted(fds, key=int),
    'nice': os.getpriority(os.PRIO_PROCESS, 0),
    'scheduler': os.sched_getscheduler(0),
    'limits': {name: resource.getrlimit(getattr(resource, name)) for name in dir(resource)
               if name.startswith('RLIMIT_')},
    'oom': open('/proc/self/oom_score_adj').read(),
    'dumpable': libc.prctl(3, 0, 0, 0, 0), 'keepcaps': libc.prctl(7, 0, 0, 0, 0),
    'securebits': libc.prctl(27, 0, 0, 0, 0), 'pdeathsig': libc.prctl(2, ctypes.byref(ctypes.c_int())),
    'subreaper': subreaper.value,
    'environment': dict(os.environ), 'directory': os.getcwd(),
}, open(sys.argv[1], 'w'))
"""


def run(*command, **options):
    options.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, **options)


def status_of(path):
    with open(os.path.join(path, "status"), encoding="utf-8", errors="replace") as file:
        return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)


def threads_of(pid):
    """{tid: its status}, or {} if the process has ended."""
    try:
        return {tid: status_of(f"/proc/{pid}/task/{tid}") for tid in os.listdir(f"/proc/{pid}/task")}
    except OSError:
        return {}


def current_capabilities():
    return int(status_of("/proc/self")["CapPrm"], 16)


def names_of(bits):
    return {n for n in range(64) if bits >> n & 1}


@contextlib.contextmanager
def running(*command, **environment):
    """pmctop on a terminal, after its first screen, or None if it ended."""
    screen = OnPty(command, **environment)
    try:
        drawn = screen.read_until(lambda: b"PID" in screen.output or screen.process.poll() is not None)
        yield screen if drawn and screen.process.poll() is None else None
    finally:
        if screen.process.poll() is None:
            screen.write(b"q")
            screen.wait(5)
        screen.close()


@contextlib.contextmanager
def printing(*command, **options):
    """A batch run after its first line, or None if it ended."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, **options)
    try:
        yield process if process.stdout.readline() else None
    finally:
        process.kill()
        process.communicate()


@contextlib.contextmanager
def stuck(*arguments):
    """pmctop in the middle of its output: its pipe is full and not read."""
    reader, writer = os.pipe2(os.O_NONBLOCK)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(writer, bytes(4096))
    os.set_blocking(writer, True)
    with subprocess.Popen([PMCTOP, *arguments], stdin=subprocess.DEVNULL, stdout=writer) as process:
        os.close(writer)
        until(lambda: status_of(f"/proc/{process.pid}")["NoNewPrivs"] == "1", 20)
        yield process
        process.kill()
    os.close(reader)


def check_threads(name, pid, permitted, lent=False, uid=0):
    """Each thread has these capabilities alone, and cannot get more by an exec."""
    threads = threads_of(pid)
    seen = {status["CapPrm"] for status in threads.values()}
    check(f"{name}: {sorted(names_of(permitted))} alone",
          threads and seen == {f"{permitted:016x}"}
          and all(s["CapEff"] == s["CapPrm"] for s in threads.values()), seen)
    # The process that opens files gets them by the ambient set, from the inheritable one.
    check(f"{name}: none to inherit but those to open files, and none by an exec",
          threads and all(int(s["CapInh"], 16) & ~OPENER_RIGHTS == int(s["CapAmb"], 16) == 0
                          and s["NoNewPrivs"] == "1" for s in threads.values())
          and (lent or all(int(s["CapBnd"], 16) == 0 for s in threads.values())), threads)
    check(f"{name}: is uid {uid}", threads and all(
        s["Uid"].split() == [str(uid)] * 4 for s in threads.values()), threads)


def pid_of(screen):
    """setsid and setpriv exec the command: its pid is theirs."""
    return screen.process.pid


def started_by_root():
    have = current_capabilities()
    listing = have & COUNTS
    system = listing | have & LOOKS
    for name, arguments, needed in (
        ("root", [], ACTS),
        ("root --readonly", ["--readonly"], 0),
        ("root, serving", ["--listen", "0"], ACTS | CAPS["NET_BIND_SERVICE"]),
    ):
        if name.endswith("serving") and "without HTTP" in run(PMCTOP, "--version").stdout:
            continue
        with running(PMCTOP, *arguments) as screen:
            check(f"{name}: draws", screen)
            if screen:
                check_threads(name, pid_of(screen), have & (system | NAMES | needed))
                check(f"{name}: several threads", len(threads_of(pid_of(screen))) > 1)
    with printing(PMCTOP, "-b", "-d", "0.1") as pmctop:
        check_threads("root, printing", pmctop.pid, system)
    for event in ("mem:0xffffffff81000000:w", "uprobe:/bin/sh:0x4210"):
        with printing(PMCTOP, "-b", "-d", "0.1", "-S", "none", "-e", event) as pmctop:
            check_threads(f"root, with {event}", pmctop.pid,
                          have & (system | CAPS["SYS_ADMIN"]))
    with stuck("--list", "metrics") as pmctop:
        check_threads("root, listing", pmctop.pid, listing)
    with stuck("--doctor") as pmctop:
        check_threads("root's doctor, while it prints", pmctop.pid, 0)
    with tempfile.TemporaryDirectory() as directory:
        os.chown(directory, NOBODY, NOBODY)
        os.chmod(directory, 0o700)
        record = os.path.join(directory, "run.data")
        with printing(PMCTOP, "-b", "-d", "0.1", "--record", record) as pmctop:
            check_threads("root, recording", pmctop.pid, have & (system | CAPS["DAC_OVERRIDE"]))
            pmctop.send_signal(signal.SIGTERM)
            pmctop.wait(PATIENCE_S)
        check("root records to the path of the command line, in another user's directory",
              os.path.exists(record))
        metrics = os.path.join(directory, "x.prom")
        result = run(PMCTOP, "-n", "3", "-d", "0.1", "-o", metrics)
        check("and replaces metrics there", result.returncode == 0 and os.path.getsize(metrics), result)
        result = run(PMCTOP, "--replay", record, "--format", "json")
        check("and replays from there", result.returncode == 0 and frames_of(result.stdout), result)
        with running(PMCTOP, "--replay", record) as screen:
            check("root, replaying: draws", screen)
            if screen:
                # SYSLOG: a recording of this very kernel has its addresses in /proc/kallsyms.
                check_threads("root, replaying", pid_of(screen),
                              have & (CAPS["DAC_READ_SEARCH"] | CAPS["SYSLOG"]))
        with running(PMCTOP) as screen:
            other = os.path.join(directory, "later.data")
            # ^L draws the page of messages again: else the terminal gets changed characters only.
            screen.write(b"o\x15" + other.encode() + b"\rL\x0c")
            check("a recording begun on the screen is refused there, with a sentence",
                  screen.read_until(lambda: b"dropped root's right" in screen.output, 20)
                  and not os.path.exists(other), screen.output[-500:])
        config = os.path.join(directory, "pmctop.conf")
        with open(config, "w", encoding="ascii"):
            pass
        with running(PMCTOP, "--config", config) as screen:
            screen.write(b"WL\x0c")
            check("and so is a configuration",
                  screen.read_until(lambda: b"its directory belongs to another user" in screen.output, 20)
                  and not os.path.getsize(config), screen.output[-500:])
    # As in a container, or a unit with AmbientCapabilities.
    ambient = ["--inh-caps=+perfmon,+ipc_lock,+kill,+chown",
               "--ambient-caps=+perfmon,+ipc_lock,+kill,+chown"]
    if run(*AS_NOBODY, *ambient, "true").returncode == 0:
        with running(*AS_NOBODY, *ambient, PMCTOP) as screen:
            check("ambient: draws", screen)
            if screen:
                check_threads("ambient", pid_of(screen), COUNTS | CAPS["KILL"], True, NOBODY)
    else:
        skip("ambient capabilities", "refused here")


def plain_user():
    with printing(*AS_NOBODY, PMCTOP, "-b", "-d", "0.1") as pmctop:
        check_threads("an ordinary user", pmctop.pid, 0, True, NOBODY)


def hidden_processes():
    """CAP_SYS_PTRACE shows the processes that /proc hides (hidepid)."""
    # gid= names a group that sees all processes. By default it is root's: so another one is named.
    mount = ["unshare", "-m", "sh", "-c", 'mount -t proc -o hidepid=2,gid=54321 proc /proc && exec "$@"', "-"]
    blind = ["setpriv", "--bounding-set=-sys_ptrace", "--inh-caps=-sys_ptrace"]
    if run(*mount, *blind, "true").returncode:
        skip("hidepid", "cannot be mounted")
        return
    frame = [PMCTOP, "-b", "-n", "1", "-d", "0.1", "-i", "--format", "json"]
    with printing(*mount, PMCTOP, "-b", "-d", "0.1") as pmctop:
        check_threads("root, where /proc hides processes", pmctop.pid,
                      current_capabilities() & (COUNTS | LOOKS))
    sleeper = subprocess.Popen(AS_NOBODY + ["sleep", "1000"])
    seen = {name: {task["pid"] for task in frames_of(run(*mount, *prefix, *frame).stdout)[-1]["tasks"]}
            for name, prefix in (("all", []), ("blind", blind))}
    sleeper.kill()
    sleeper.wait()
    check("it shows other users' processes there, and cannot without the capability",
          sleeper.pid in seen["all"] - seen["blind"], (sleeper.pid, seen))


def user_namespace():
    """Root of a user namespace may not count CPUs. pmctop gives up its other rights."""
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as file:
        level = int(file.read())
    if level not in (1, 2) or run("unshare", "-r", "true").returncode:
        skip("a user namespace", f"not allowed, or paranoid {level}")
        return
    done = run("unshare", "-r", PMCTOP, "-b", "--", "sh", "-c", "exit 7")
    check("root of a user namespace counts its command", done.returncode == 7, done)
    with printing("unshare", "-r", PMCTOP, "-b", "-d", "0.1") as pmctop:
        check_threads("root of a user namespace", pmctop.pid, COUNTS | LOOKS,
                      uid=os.getuid())


@contextlib.contextmanager
def installed(*arguments):
    with tempfile.TemporaryDirectory() as prefix:
        os.chmod(prefix, 0o755)
        result = run("make", "--no-print-directory", "-C", os.path.join(HERE, "..", ".."),
                     "-o", PMCTOP, "install-caps", f"BUILD={BUILD}", f"PREFIX={prefix}", *arguments)
        yield os.path.join(prefix, "bin", "pmctop"), result


def lends(program):
    """Whether file capabilities work: not on every file system, and not with nosuid."""
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        copy = os.path.join(directory, "grep")
        shutil.copy(shutil.which("grep"), copy)
        if run("setcap", program, copy).returncode:
            return False
        seen = run(*AS_NOBODY, copy, "CapPrm", "/proc/self/status").stdout
        return int(seen.split()[1], 16) != 0 if seen else False


def may_start(program, groups):
    """Without setpriv, which has root's rights when it starts a program."""
    try:
        return run(program, "--version", user=NOBODY, group=NOBODY,
                   extra_groups=groups).returncode == 0
    except PermissionError:
        return False


def not_installed():
    """Messages of an incomplete installation."""
    with installed("GROUP=no-such-group") as (program, result):
        check("install-caps for a missing group: the message has the command that adds it",
              result.returncode != 0 and "groupadd no-such-group" in result.stderr
              and not os.path.exists(program), result)
    with tempfile.TemporaryDirectory() as tools:
        failing = os.path.join(tools, "setcap")
        with open(failing, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\nexit 1\n")
        os.chmod(failing, 0o755)
        with installed(f"PATH={tools}:{os.environ['PATH']}") as (program, result):
            check("a setcap that fails: the message has the program that was installed",
                  result.returncode != 0 and f"{program} is there, but" in result.stderr
                  and os.path.exists(program), result)


def install_caps():
    with installed() as (program, result):
        check("make install-caps", result.returncode == 0, result)
        given = run("getcap", program).stdout
        check("the program has CAP_PERFMON and CAP_IPC_LOCK, no more",
              sorted(re.findall(r"cap_\w+", given)) == ["cap_ipc_lock", "cap_perfmon"]
              and given.rstrip().endswith("ep"), given)
        check("every user may run it", stat.S_IMODE(os.stat(program).st_mode) == 0o755)
        result = run(*AS_NOBODY, program, "--format", "json", "-n", "2", "-d", "0.2")
        frame = frames_of(result.stdout)[-1]
        users = {task["user"] for task in frame["tasks"]}
        check("an ordinary user counts the whole system with it",
              frame["mode"] == "system" and "root" in users, (frame["mode"], users))
        with printing(*AS_NOBODY, program, "-b", "-d", "0.1") as pmctop:
            check_threads("file capabilities", pmctop.pid, COUNTS, True, NOBODY)
            maps = run(*AS_NOBODY, "cat", f"/proc/{pmctop.pid}/maps")
            check("and another process cannot read its memory", maps.returncode != 0, maps)
        by_caps(program)
        # Each capability is needed: without it this is missing.
        shutil.copy(program, program + "-one")
        for caps, small in (("cap_perfmon=ep", True), ("cap_perfmon,cap_ipc_lock=ep", False)):
            run("setcap", caps, program + "-one")
            result = run("prlimit", "--memlock=0", *AS_NOBODY, program + "-one", "-b", "-n", "1",
                         "-d", "0.1")
            check(f"{caps}: " + ("rings are small under a limit of locked memory" if small
                                 else "rings have their full size"),
                  ("perf_event_mlock_kb" in result.stdout) == small, result.stdout[:500])
        run("setcap", "cap_ipc_lock=ep", program + "-one")
        result = run(*AS_NOBODY, program + "-one", "--format", "json", "-n", "1", "-d", "0.1")
        check("cap_ipc_lock=ep alone cannot count the whole system",
              frames_of(result.stdout)[-1]["mode"] != "system", result.stdout)
        # Other capabilities of the file are given up.
        run("setcap", "cap_perfmon,cap_ipc_lock,cap_kill,cap_dac_override,cap_sys_admin=ep",
            program + "-one")
        with printing(*AS_NOBODY, program + "-one", "-b", "-d", "0.1") as pmctop:
            check_threads("file capabilities, too many", pmctop.pid, COUNTS, True, NOBODY)
    with installed("GROUP=daemon") as (program, result):
        check("GROUP= allows its members, and no other user, to start it",
              result.returncode == 0 and stat.S_IMODE(os.stat(program).st_mode) == 0o750
              and not may_start(program, []) and may_start(program, ["daemon"]), result)


def by_caps(program):
    secret = "do-not-print-this = 1"
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o777)
        path = os.path.join(directory, "root.conf")
        with open(path, "w", encoding="ascii") as file:
            file.write(f"[pmctop]\n{secret}\n")
        os.chmod(path, 0o600)
        for start in ([program], [made_setuid(program)]):
            for arguments, environment in ((["--config", path], {}), ([], {"PMCTOPRC": path}),
                                           (["--theme", path], {}), (["--replay", path], {})):
                result = run(*AS_NOBODY, *start, *arguments, "-b", "-n", "1", "-d", "0.1",
                             env=dict(os.environ, **environment))
                check(f"{os.path.basename(start[0])} {arguments[:1]} {list(environment)}: a file that"
                      " the user cannot read is not read",
                      "do-not-print" not in result.stdout + result.stderr
                      and (environment or "ermission denied" in result.stderr), result)
            target = os.path.join(directory, "out")
            result = run(*AS_NOBODY, *start, "--format", "json", "-n", "1", "-d", "0.1", "-o", target)
            check(f"{os.path.basename(start[0])}: a file that it writes is the user's",
                  result.returncode == 0 and os.stat(target).st_uid == NOBODY, result)
            os.unlink(target)
            result = run(*AS_NOBODY, *start, "-b", "-n", "1", "-d", "0.1", "-o", path)
            with open(path, encoding="ascii") as file:
                check(f"{os.path.basename(start[0])}: a file that the user cannot write is unchanged",
                      result.returncode == 1 and secret in file.read(), result)
        with printing(*AS_NOBODY, made_setuid(program), "-b", "-d", "0.1") as pmctop:
            check_threads("set-user-ID root", pmctop.pid, COUNTS, True, NOBODY)
    terminal_descriptions(program)


def made_setuid(program):
    path = program + "-setuid"
    if not os.path.exists(path):
        shutil.copy(program, path)
        os.chmod(path, 0o4755)
    return path


def terminal_descriptions(program):
    """With more rights than its user, ncurses reads no terminal description of that user."""
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        source = run("infocmp", "-1", "xterm-256color").stdout
        source = re.sub(r"^xterm-256color\|[^,]*,", "xterm-256color|a trap,", source, flags=re.M)
        source = re.sub(r"^\tsmcup=", r"\tsmcup=TRAP", source, flags=re.M)
        place = os.path.join(directory, ".terminfo")
        made = run("tic", "-x", "-o", place, "-", input=source, stdin=None) if source else None
        if not made or made.returncode:
            skip("a user's terminal description", "no tic")
            return
        for name, environment in (("TERMINFO", {"TERMINFO": place}),
                                  ("TERMINFO_DIRS", {"TERMINFO_DIRS": place}),
                                  ("HOME", {"HOME": directory})):
            for path, trapped in ((PMCTOP, True), (program, False), (made_setuid(program), False)):
                with running(*AS_NOBODY, path, **environment) as screen:
                    if path == PMCTOP and not (screen and b"TRAP" in screen.output):
                        skip(f"{name}", "this ncurses does not read it")
                        break
                    check(f"{os.path.basename(path)} {'reads' if trapped else 'does not read'} {name}",
                          screen and (b"TRAP" in screen.output) == trapped)


def prepare_oddly():
    """Sets what a shell may have set for its commands."""
    os.umask(0o027)
    os.nice(3)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 200), hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2, signal.SIGWINCH])


def state_of(*prefix, trouble=prepare_oddly):
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o777)
        path = os.path.join(directory, "state")
        result = run(*prefix, PYTHON, "-S", "-c", STATE, path, preexec_fn=trouble, cwd="/",
                     env={"PATH": os.environ["PATH"], "TERMINFO": "/x", "LIBPFM_X": "y", "HOME": "/"})
        try:
            with open(path, encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError):
            return {"failed": result.stderr}


def differences(bare, seen):
    """The keys with different values, also those below "status"."""
    both = ({**bare, **bare.get("status", {})}, {**seen, **seen.get("status", {})})
    return {key: tuple(state.get(key) for state in both) for key in {*both[0], *both[1]} - {"status"}
            if both[0].get(key) != both[1].get(key)}


def compare_states(name, prefix, program):
    bare, seen = state_of(*prefix), state_of(*prefix, program, "-b", "--")
    different = differences(bare, seen)
    check(f"{name}: a command has the state that it has without pmctop: {', '.join(sorted(bare))}",
          "failed" not in bare and not different, different)


def command():
    compare_states("root" if os.geteuid() == 0 else "user", [], PMCTOP)
    state = state_of(PMCTOP, "-b", "--")
    check("the standard descriptors are open, the one of its own listing, and no more",
          state.get("descriptors") in (["0", "1", "2"], ["0", "1", "2", "3"]),
          state.get("descriptors"))
    if os.geteuid() != 0:
        return
    compare_states("an ordinary user", AS_NOBODY, PMCTOP)
    ambient = [*AS_NOBODY, "--inh-caps=+kill", "--ambient-caps=+kill"]
    if run(*ambient, "true").returncode == 0:
        compare_states("with ambient capabilities", ambient, PMCTOP)
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        program = os.path.join(directory, "pmctop")
        shutil.copy(PMCTOP, program)
        if run("setcap", "cap_perfmon,cap_ipc_lock=ep", program).returncode == 0:
            compare_states("with file capabilities", AS_NOBODY, program)
        compare_states("set-user-ID", AS_NOBODY, made_setuid(program))


def lent_rights():
    """A command is counted, whatever the program's file lends and /proc hides. Its process waits for
    its exec without rights."""
    hidden = ["unshare", "-m", "sh", "-c", 'mount -t proc -o hidepid=2 proc /proc && exec "$@"', "-"]
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        program = os.path.join(directory, "pmctop")
        for name, caps, group, owner, mode in (
            ("CAP_PERFMON", "cap_perfmon,cap_ipc_lock=ep", 0, 0, 0o755),
            ("CAP_IPC_LOCK alone", "cap_ipc_lock=ep", 0, 0, 0o755),
            ("set-user-ID", None, 0, 0, 0o4755),
            ("set-user-ID to an ordinary user", None, 0, NOBODY - 1, 0o4755),
            ("set-group-ID", None, NOBODY - 1, 0, 0o2755),
        ):
            shutil.copy(PMCTOP, program)
            os.chown(program, owner, group)
            os.chmod(program, mode)
            if caps and run("setcap", caps, program).returncode:
                continue
            for place, prefix in (("", []), (", where /proc hides processes", hidden)):
                if prefix and run(*prefix, "true").returncode:
                    skip("hidepid", "cannot be mounted")
                    continue
                done = run(*prefix, *AS_NOBODY, program, "-b", "--", "sh", "-c", "exit 7")
                check(f"{name}{place}: the command is counted", done.returncode == 7, done)
            waiting_command(name, program)
            os.unlink(program)


def waiting_command(name, program):
    """pmctop waits for a reader of its output, and the command for pmctop."""
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        fifo = os.path.join(directory, "fifo")
        os.mkfifo(fifo)
        os.chown(fifo, NOBODY, NOBODY)
        with subprocess.Popen([*AS_NOBODY, program, "-b", "-o", fifo, "--", "true"],
                              stdin=subprocess.DEVNULL) as pmctop:
            children = f"/proc/{pmctop.pid}/task/{pmctop.pid}/children"

            def child():
                with contextlib.suppress(OSError), open(children, encoding="ascii") as file:
                    return file.read().strip()
                return ""

            def can_read(pid):
                return run(*AS_NOBODY, "cat", f"/proc/{pid}/maps").returncode == 0

            until(lambda: pmctop.poll() is not None or (child() and can_read(child())), 20)
            pid = child()
            if not pid:
                check(f"{name}: the command waits", False)
                return
            check(f"{name}: the user can trace the waiting command, and not pmctop",
                  can_read(pid) and not can_read(pmctop.pid))
            status = status_of(f"/proc/{pid}")
            check(f"{name}: it has no rights and the user's numbers",
                  int(status["CapPrm"], 16) == int(status["CapEff"], 16) == int(status["CapAmb"], 16) == 0
                  and all(status[of].split() == [str(NOBODY)] * 4 for of in ("Uid", "Gid")), status)
            files = {fd: os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")}
            check(f"{name}: it has the standard descriptors and one socket to pmctop",
                  len(files) == 4 and {"0", "1", "2"} < set(files)
                  and sum(path.startswith("socket:") for path in files.values()) == 1, files)
            with open(fifo, encoding="utf-8") as file:
                check(f"{name}: and starts then", "status 0" in file.read())
        check(f"{name}: its status is returned", pmctop.returncode == 0, pmctop.returncode)


def live_command():
    """On the screen the command also has a session of its own, and no terminal."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "state")
        bare = state_of(trouble=None)
        screen = OnPty([PMCTOP, "--", PYTHON, "-S", "-c", STATE, path])
        screen.read_until(lambda: os.path.exists(path) and os.path.getsize(path) > 0)
        screen.read_until(lambda: b"ended with status" in screen.output)
        screen.write(b"q")
        screen.wait()
        screen.close()
        with open(path, encoding="utf-8") as file:
            seen = json.load(file)
        different = differences(bare, seen)
        check("live: the command has the state that it has without pmctop, but environment and directory",
              not {*different} - {"environment", "directory"}, different)


def killed():
    pmctop = subprocess.Popen([PMCTOP, "-b", "--", "sh", "-c", "echo $$ >&2; exec sleep 1000"],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)
    pid = int(pmctop.stderr.readline())
    pmctop.kill()
    pmctop.wait(PATIENCE_S)
    pmctop.stderr.close()
    time.sleep(0.2)
    check("kill -9 of pmctop does not end the command", alive(pid))
    os.kill(pid, signal.SIGKILL)


def other_users_files():
    """Root with another user's environment: sudo -E, sudo that keeps HOME, su."""
    with tempfile.TemporaryDirectory() as home:
        place = os.path.join(home, ".config", "pmctop")
        os.makedirs(os.path.join(place, "themes"))
        config = os.path.join(place, "pmctop.conf")
        for name, text in ((config, "[pmctop]\nstranger = 1\n"),
                           (os.path.join(place, "themes", "his.theme"), 'theme[main_fg]="#010203"\n')):
            with open(name, "w", encoding="ascii") as file:
                file.write(text)
        for path, directories, files in os.walk(home):
            for name in (path, *(os.path.join(path, n) for n in directories + files)):
                os.chown(name, NOBODY, NOBODY)
        frame = ["-b", "-n", "1", "-d", "0.1"]
        for environment in ({"HOME": home}, {"PMCTOPRC": config},
                            {"XDG_CONFIG_HOME": os.path.join(home, ".config")}):
            variables = {**os.environ, **environment}
            result = run(PMCTOP, *frame, env=variables)
            check(f"{list(environment)[0]}: another user's configuration is ignored, with one line",
                  result.returncode == 0 and result.stderr.count("\n") == 1
                  and "is ignored" in result.stderr and "stranger" not in result.stderr, result)
            if "PMCTOPRC" not in environment:
                result = run(PMCTOP, *frame, "--theme", "his", env=variables)
                check(f"{list(environment)[0]}: and so is that user's theme",
                      result.returncode == 2 and "Theme" in result.stderr, result)
                result = run(PMCTOP, "--list", "themes", env=variables)
                check("a theme that is not listed",
                      "his" not in result.stdout.split(), result.stdout)
            result = run(*AS_NOBODY, PMCTOP, *frame, env=variables)
            check(f"{list(environment)[0]}: it is read for that user",
                  "stranger" in result.stderr, result)
        result = run(PMCTOP, *frame, "--config", config)
        check("--config reads it for root too", "stranger" in result.stderr, result)


def readonly():
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "file")
        for arguments, word in ((["-o", path], "forbids files"),
                                (["--record", path], "forbids files"),
                                (["--", "touch", path], "forbids commands")):
            result = run(PMCTOP, "--readonly", *arguments)
            check(f"--readonly refuses {arguments[0]}",
                  result.returncode == 2 and word in result.stderr
                  and result.stderr.count("\n") == 1 and not os.path.exists(path), result)
        with running(PMCTOP, "--readonly", HOME=directory) as screen:
            # These keys open no question that q would answer. Units check their messages.
            screen.write(b"oWkq")
            check("nor do o, W and k write or end anything",
                  screen.wait() == 0, screen.output[-300:])
        check("and no file is written", not os.listdir(directory), os.listdir(directory))


def main():
    readonly()
    command()
    live_command()
    killed()
    user_namespace()
    if os.geteuid() != 0 or not current_capabilities() & CAPS["PERFMON"]:
        skip("capabilities that are given up", "needs root with CAP_PERFMON")
        return
    other_users_files()
    plain_user()
    started_by_root()
    hidden_processes()
    lent_rights()
    if lends("cap_perfmon,cap_ipc_lock=ep"):
        not_installed()
        install_caps()
    else:
        skip("file capabilities", "this file system has none")


main()
finish()
