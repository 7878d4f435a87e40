"""kill, pgrep, pkill, killall, pidof: choosing processes and what a signal does to them."""

from __future__ import annotations

import pytest

from engine.control import processes
from engine.world.records import Process


def by_user(simulation, user: str) -> list[Process]:
    return [each for each in processes.processes(simulation.world, "dgx-01") if each.user == user]


@pytest.mark.parametrize(
    ("line", "words", "status"),
    [
        ("kill abc", "abc: arguments must be process or job IDs", 1),
        ("kill -FOO 1", "FOO: invalid signal specification", 1),
        ("kill 99999999", "(99999999) - No such process", 1),
        ("kill -9 1", "(1) - Operation not permitted", 1),
        ("kill -s", "-s: option requires an argument", 1),
        ("kill %7", "%7: no such job", 1),
        ("kill ''", "`': not a pid or valid job spec", 1),
        ("kill -l foo", "foo: invalid signal specification", 1),
    ],
)
def test_kill_refuses_as_bash_does(run, line: str, words: str, status: int) -> None:
    told = run(line)
    assert (told.stderr, told.status) == (f"bash: line 1: kill: {words}\n", status)


def test_kill_lists_signals(run) -> None:
    lines = run("kill -l").lines
    assert lines[0] == " 1) SIGHUP\t 2) SIGINT\t 3) SIGQUIT\t 4) SIGILL\t 5) SIGTRAP"
    assert lines[-1] == "63) SIGRTMAX-1\t64) SIGRTMAX\t"
    assert run("kill -l 9 137 TERM SIGKILL RTMIN+1").lines == ["KILL", "KILL", "15", "9", "35"]


def test_sudo_runs_the_program_not_the_builtin(run) -> None:
    environment = {"SUDO_COMMAND": "/usr/bin/kill 99999999"}
    assert run("kill 99999999", user="root", environment=environment).stderr == "kill: (99999999): No such process\n"


def test_a_signal_ends_what_one_may_end(run, simulation) -> None:
    worker = next(each for each in by_user(simulation, "priya") if each.gpus)
    assert run(f"kill -9 {worker.pid}", host="dgx-01").status == 1
    assert processes.find(simulation.world, "dgx-01", worker.pid)
    assert run(f"kill -0 {worker.pid}", host="dgx-01", user="priya").status == 0
    assert run(f"kill -KILL {worker.pid}", host="dgx-01", user="priya").status == 0
    assert processes.find(simulation.world, "dgx-01", worker.pid) is None


def test_pgrep_finds_what_runs(run, simulation) -> None:
    known = by_user(simulation, "priya")
    assert run("pgrep -u priya", host="dgx-01").lines == [str(each.pid) for each in known]
    assert run("pgrep -c -f train.py", host="dgx-01").stdout == "8\n"
    assert run("pgrep -x slurmd", host="dgx-01").lines == run("pgrep slurmd", host="dgx-01").lines
    assert run("pgrep -l systemd", host="dgx-01").lines[0] == "1 systemd"
    assert run("pgrep -a -x python", host="dgx-01").lines[0].split(" ", 1)[1].startswith("python -u train.py")
    newest, oldest = (int(run(f"pgrep {flag} -u priya", host="dgx-01").stdout) for flag in ("-n", "-o"))
    assert oldest < newest
    assert run("pgrep -d, -u priya", host="dgx-01").stdout.count(",") == len(known) - 1


@pytest.mark.parametrize(
    ("line", "words", "status"),
    [
        ("pgrep", "pgrep: no matching criteria specified\nTry `pgrep --help' for more information.\n", 2),
        ("pgrep a b", "pgrep: only one pattern can be provided\nTry `pgrep --help' for more information.\n", 2),
        ("pgrep -u nosuch", "pgrep: invalid user name: nosuch\n", 2),
        ("pgrep -P x", "pgrep: not a number: x\n", 2),
        ("pgrep '['", "pgrep: regex error: Invalid regular expression\n", 2),
        ("pgrep nosuch", "", 1),
        ("pkill nosuch", "", 1),
        ("killall nosuch", "nosuch: no process found\n", 1),
        ("killall -FOO x", "FOO: unknown signal; killall -l lists signals.\n", 1),
        ("killall -u nosuch", "Cannot find user nosuch\n", 1),
        ("pidof nosuch", "", 1),
    ],
)
def test_refusals(run, line: str, words: str, status: int) -> None:
    told = run(line)
    assert (told.stderr, told.status) == (words, status)


def test_pkill_reaches_only_ones_own(run, simulation) -> None:
    told = run("pkill -9 -f train.py", host="dgx-01")
    assert told.status == 1 and told.stderr.count("failed: Operation not permitted") == 8
    echoed = run("pkill -e -f train.py", host="dgx-01", user="priya")
    assert echoed.status == 0 and all(line.startswith("python killed (pid ") for line in echoed.lines)
    assert not [each for each in by_user(simulation, "priya") if each.gpus]


def test_killall_says_what_it_did(run, simulation) -> None:
    assert run("killall -v -0 python", host="dgx-01", user="priya").stderr.count(" with signal 0\n") == 8
    assert run("killall python", host="dgx-01", user="priya").status == 0
    assert run("pidof python", host="dgx-01").status == 1


def test_pidof_gives_the_newest_first(run) -> None:
    found = [int(word) for word in run("pidof python", host="dgx-01").stdout.split()]
    assert found == sorted(found, reverse=True) and len(found) == 8
    assert run("pidof -s python", host="dgx-01").stdout == f"{found[0]}\n"
    assert run(f"pidof -o {found[0]} python", host="dgx-01").stdout.split() == list(map(str, found[1:]))
