#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Other users attack the folders of --ssh and --via (folder_attack.py).

    [RACES=600] ssh_folders_test.py [NAME...]     only these tests

A race is one run of pmctop that is attacked. Prints TAP, and how often the attackers found, moved and
replaced something. BUILD is the build directory. Needs root. It runs in a mount namespace of its own,
with an empty /tmp and /dev/shm.
"""
import contextlib
import glob
import os
import random
import signal
import stat
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skip_reason  # noqa: E402
from folder_attack import NEW_PIDS, PATIENCE_S, attackers, scene_of_test  # noqa: E402
from frames import check, finish, skip_all  # noqa: E402
from programs import PMCTOP, state_of  # noqa: E402
from ssh_hosts import check_static, wait_until  # noqa: E402

RACES = int(os.environ.get("RACES", "96"))
ENTERED = "PMCTOP_TEST_ENTERED"


def marks():
    return subprocess.run([PMCTOP, "--list", "marks"], capture_output=True, text=True,
                          check=True).stdout


@contextlib.contextmanager
def unsafe_places():
    """Others may replace what is in /tmp and /dev/shm."""
    for path in ("/tmp", "/dev/shm"):
        os.chmod(path, 0o777)
    yield
    for path in ("/tmp", "/dev/shm"):
        os.chmod(path, 0o1777)


def test_places():
    """TMPDIR is hostile, here and there; /tmp is not."""
    wanted, races = marks(), RACES // 2
    with scene_of_test() as scene:
        places = [*scene.bad_places(), *scene.long_places(), "/tmp/../tmp", "/tmp/../../var/../tmp/."]
        failed = []
        with attackers(scene):
            for i in range(races):
                place = places[i // 2 % len(places)]
                status, output, said = scene.race(i, "--ssh", "box", TMPDIR=place)
                if status or output != wanted:
                    failed.append((i, place[:200], status, said))
        check(f"{races} runs with a hostile TMPDIR: a safe place is used", not failed,
              (len(failed), failed))
        scene.check_unharmed("hostile TMPDIR")
        scene.check_nothing_left("hostile TMPDIR")


def test_other_variables():
    """Only the last, or the last but one, of the places is safe."""
    wanted, races = marks(), RACES // 8
    with scene_of_test() as scene, unsafe_places():
        bad = [*scene.bad_places()[:-2], *scene.long_places()]
        failed = []
        with attackers(scene):
            for i in range(races):
                places = [bad[(i // 2 + shift) % len(bad)] for shift in range(3)]
                places[1 + i % 2] = scene.file(("good", "sticky")[i // 4 % 2])
                variables = dict(zip(("TMPDIR", "XDG_RUNTIME_DIR", "HOME"), places))
                status, output, said = scene.race(i // 2 + i % 2 * 2, "--via", "env", **variables)
                if status or output != wanted:
                    failed.append((i, variables, status, said))
        check(f"{races} runs with one safe place: it is used", not failed, (len(failed), failed))
        scene.check_unharmed("one safe place", is_found=False)
        scene.check_nothing_left("one safe place")


def test_no_place():
    """All places are hostile."""
    races = RACES // 4
    with scene_of_test() as scene, unsafe_places():
        bad = [*scene.bad_places()[:-1], *scene.long_places()]
        odd = []
        with attackers(scene):
            for i in range(races):
                places = [bad[(i // 2 + shift) % len(bad)] for shift in range(3)]
                variables = dict(zip(("TMPDIR", "XDG_RUNTIME_DIR", "HOME"), places))
                way = ("--ssh", "box") if i % 4 == 3 else ("--via", "env")
                status, _, said = scene.race(i, *way, **variables)
                refused = status == 1 and ("copied to no place" in said
                                           or "another user may replace /tmp." in said)
                # The link may lead to a safe place at the moment.
                if not refused and (status or scene.file("theirs/link") not in places):
                    odd.append((i, places, status, said))
        check(f"{races} runs without a safe place: a sentence", not odd, (len(odd), odd))
        scene.check_unharmed("no safe place", is_found=False)
        scene.check_nothing_left("no safe place")


@contextlib.contextmanager
def held_run(scene, before, **variables):
    """A run that has made its folders on both sides, and does not start its program until the end.
    Yields them."""
    old = folders_of(scene)
    scene.write("hold", "")
    run = scene.start("--ssh", "box", "--list", "marks", before=before, HOLD=scene.file("hold"),
                      **variables)

    def made():
        new = folders_of(scene) - old
        return new if {"control", "ssh"} <= {name(path) for path in new if is_held(path)} else None

    def name(path):
        return os.path.basename(path).split("-")[1]

    def is_held(path):
        return os.path.exists(f"{path}/alive") and (name(path) == "control"
                                                    or os.path.exists(f"{path}/parcel"))

    try:
        yield run, wait_until(made) or set()
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(scene.file("hold"))
        if run.poll() is None:
            run.kill()
        run.communicate()


def folders_of(scene):
    return {path for place in ("good", "sticky")
            for path in glob.glob(scene.file(f"{place}/pmctop-*"))
            if os.lstat(path).st_uid == 0}


def test_live():
    """Runs of one user in one place do not remove the folders of each other, nor the folder of a
    run that stands still. Other users have folders in that place too."""
    wanted, rounds = marks(), -(-RACES // 32)
    with scene_of_test() as scene:
        place, failed, removed = scene.file("sticky"), [], []
        with held_run(scene, NEW_PIDS, TMPDIR=place) as (held, folders):
            check("a run in a pid namespace holds its folders", len(folders) == 2, folders)
            with attackers(scene):
                for i in range(rounds):
                    with scene.program(i):
                        runs = [scene.start("--ssh", "box", "--list", "marks", before=before, TMPDIR=place)
                                for before in (NEW_PIDS, NEW_PIDS, (), NEW_PIDS)]
                        for run in runs:
                            status, output, said = scene.wait(run)
                            if status or output != wanted:
                                failed.append((i, status, said))
                    removed += [path for path in folders if not os.path.exists(f"{path}/alive")]
                os.unlink(scene.file("hold"))
                status, output, said = scene.wait(held)
        check(f"{rounds * 4} runs, four at once: no live folder is removed", not failed and not removed,
              (failed, removed))
        check("the run that stood still has its program", status == 0 and output == wanted, (status, said))
        scene.check_unharmed("four at once")
        scene.check_nothing_left("four at once")


def stop_processes_in(folders):
    """Stops the shell of a set-up, which would remove its folder when its input ends. A stopped
    process can be killed. Returns whether it stands still."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if os.readlink(f"/proc/{pid}/cwd") in folders:
                os.kill(int(pid), signal.SIGSTOP)
                found.append(state_of(pid))
    return found and set(found) == {"T"}


def test_shared_home():
    """Another host with the same files: here it is not known whether its folders are stale."""
    wanted = marks()
    with scene_of_test() as scene:
        other, place = scene.other_host(), scene.file("good")

        def run(before):
            return scene.wait(scene.start("--ssh", "box", "--list", "marks", before=before, TMPDIR=place))

        with held_run(scene, other, TMPDIR=place) as (held, folders):
            stopped = wait_until(lambda: stop_processes_in(folders))
            held.kill()
            held.communicate()
        check("a run on another host was killed, and has left its folders", stopped
              and len(folders) == 2 and folders_of(scene) == folders, (stopped, folders, folders_of(scene)))
        failed = [done for before in ((), NEW_PIDS) if (done := run(before))[:2] != (0, wanted)]
        left = folders_of(scene)
        check("runs here work", not failed, failed)
        check("they remove no folder of another host", left == folders, (left, folders))
        done = run(other)
        check("the next run there removes what was left", done[:2] == (0, wanted) and not folders_of(scene),
              (done, folders_of(scene)))
        scene.check_nothing_left("shared HOME")


def is_in_the_making(path):
    return stat.S_ISDIR(os.lstat(path).st_mode) and not os.path.lexists(f"{path}/alive")


def test_killed():
    """Both sides are killed at any moment. The next run removes what is left."""
    with scene_of_test() as scene:
        good = scene.file("good")
        for _ in range(RACES // 8):
            run = scene.start("--ssh", "box", "-b", "3600", before=NEW_PIDS, TMPDIR=good)
            time.sleep(random.uniform(0, 0.4))
            run.kill()
            run.communicate()
        left = glob.glob(f"{good}/pmctop-*")
        print(f"# {len(left)} folders are left after {RACES // 8} killed runs")
        for path in filter(is_in_the_making, left):
            os.utime(path, (0, 0))

        def is_tidy():
            scene.wait(scene.start("--ssh", "box", "--list", "marks", TMPDIR=good))
            return not glob.glob(f"{good}/pmctop-*")

        check("what killed runs have left is removed by the next", wait_until(is_tidy, PATIENCE_S),
              glob.glob(f"{good}/*/*"))
        scene.check_nothing_left("killed")


def main():
    if why := skip_reason.mounts():
        skip_all(why)
    if ENTERED not in os.environ:
        os.environ[ENTERED] = "yes"
        script = ("mount -t tmpfs -o mode=1777 tmpfs /tmp && mount -t tmpfs -o mode=1777 tmpfs /dev/shm && "
                  'exec "$@"')
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh",
                              sys.executable, *sys.argv])
    check_static()
    for name, test in list(globals().items()):
        if name.startswith("test_") and (not sys.argv[1:] or name[5:] in sys.argv[1:]):
            test()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
