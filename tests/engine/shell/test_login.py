"""A login at its prompt: what goes on from line to line, history, jobs, Ctrl-C, errors in bash's words."""

from __future__ import annotations

import asyncio

import pytest

from engine.kernel.units import SECOND
from engine.shell.play import Play
from tests.support.sessions import last, screen, type_lines
from tests.support.worlds import bare_simulation


@pytest.mark.parametrize(
    ("lines", "printed"),
    [
        (["false", "echo $?"], "1\n"),
        (["nosuch", "echo $?"], "127\n"),
        (["set -o pipefail", "false | true", "echo $?"], "1\n"),
        (["set -o pipefail", "set +o pipefail", "false | true; echo $?"], "0\n"),
        (["set -u", "echo a$nope", "echo still"], "still\n"),
        (["cd /tmp", "pwd"], "/tmp\n"),
        (["x=5", "f() { echo f$x; }", "f"], "f5\n"),
        (["alias hi='echo hi'", "hi"], "hi\n"),
        (["shopt -s nullglob", "echo nomatch*"], "\n"),
        (["export A=1", "bash -c 'echo $A'"], "1\n"),
        (["echo one", "!!"], "echo one\none\n"),
        (["echo one two", "echo !$"], "echo two\ntwo\n"),
        (["echo one", "^one^two"], "echo two\ntwo\n"),
        (["echo 'it!!s'"], "it!!s\n"),
        (
            [
                "cd /tmp; ln -s x l; touch f",
                "for p in l f gone; do [[ -L $p ]] && echo $p; [[ ! -L $p ]] || echo no; done",
            ],
            "l\nno\n",
        ),
        (["cd /tmp; ln -s x l; touch f", "[ -L l ]; echo $?; test -h f; echo $?; [ -L /tmp ] || echo d"], "0\n1\nd\n"),
        (["a=(1 2)", 'echo "${!a[@]}"'], "0 1\n"),
        (["for i in 1 2", "do echo $i", "done"], "1\n2\n"),
        (["cat <<E", "x", "E"], "x\n"),
        (["echo a \\", "b"], "a b\n"),
        (["true &&", "echo yes"], "yes\n"),
        (["echo 'a", "b'"], "a\nb\n"),
    ],
)
def test_what_goes_on_from_line_to_line(lines: list[str], printed: str) -> None:
    assert last(bare_simulation(), lines) == printed


@pytest.mark.parametrize(
    ("line", "words", "status"),
    [
        ("nosuch", "-bash: nosuch: command not found\n", 127),
        ("lss", "-bash: lss: command not found\n", 127),
        ("semver 1", "-bash: semver: command not found\n", 127),
        ("echo (", "-bash: syntax error near unexpected token", 2),
        ("cd /nosuch", "-bash: cd: /nosuch: No such file or directory\n", 1),
        ("cd /root", "-bash: cd: /root: Permission denied\n", 1),
        ("echo x > /root/x", "-bash: /root/x: Permission denied\n", 1),
        ("/tmp", "-bash: /tmp: Is a directory\n", 126),
        ("echo $((1/0))", '-bash: 1/0: division by 0 (error token is "0")\n', 1),
        ("!nosuch", "-bash: !nosuch: event not found\n", 1),
        ("fg", "-bash: fg: current: no such job\n", 1),
    ],
)
def test_errors_in_bashs_words(line: str, words: str, status: int) -> None:
    result = type_lines(bare_simulation(), [line])[0]
    assert result.output.decode().startswith(words)
    assert result.status == status


@pytest.mark.parametrize("lines", [["exit 3"], ["f() { exit 3; }", "f"], ["set -e", "(exit 3)", "echo not reached"]])
def test_leaving(lines: list[str]) -> None:
    results = type_lines(bare_simulation(), lines)
    assert results[-1].status == 3
    assert b"not reached" not in results[-1].output


@pytest.mark.parametrize(
    "line", ["(exit 4); echo on", "echo $(exit 4)on", "bash -c 'exit 4'; echo on", "true | exit 4; echo on"]
)
def test_not_leaving(line: str) -> None:
    assert last(bare_simulation(), [line]).endswith("on\n")


def test_prompt_follows_directory_and_host() -> None:
    async def prompts() -> list[str]:
        play = Play(bare_simulation())
        terminal = play.open_terminal("head-01", "alex")
        shown = [terminal.prompt]
        for line in ("cd /tmp", "PS1='\\h:\\W> '", "echo 'open"):
            await play.run_line(terminal, line)
            shown.append(terminal.prompt)
        play.close()
        return shown

    assert asyncio.run(prompts()) == ["alex@head-01:~$ ", "alex@head-01:/tmp$ ", "head-01:tmp> ", "> "]


def test_background_jobs_are_not_waited_for() -> None:
    lines = ["sleep 30 & echo at once", "jobs", "wait", "date +%s; jobs"]
    first, jobs, _, after = type_lines(bare_simulation(), lines, interactive=True)
    assert first.output.decode().endswith("at once\n") and first.ended - first.started < SECOND
    assert "[1]+  Running                 sleep 30 &" in jobs.output.decode()
    assert after.ended >= 30 * SECOND


def test_kill_ends_a_job() -> None:
    lines = ["sleep 1000 &", "kill %1", "jobs", "echo $?"]
    results = type_lines(bare_simulation(), lines)
    assert results[-1].ended < SECOND
    assert b"Running" not in results[2].output


def test_a_job_has_its_shells_variables_and_does_not_change_them() -> None:
    lines = ["x=1", "{ x=2; echo job $x; } &", "wait", "echo shell $x"]
    assert screen(bare_simulation(), lines) == "job 2\nshell 1\n"


def test_ctrl_c_ends_a_line_with_130_and_the_shell_goes_on() -> None:
    async def interrupt(line: str) -> tuple[int, bytes]:
        play = Play(bare_simulation())
        terminal = play.open_terminal("head-01", "alex")
        asyncio.get_running_loop().call_later(0.3, terminal.interrupt)
        status = (await asyncio.wait_for(play.run_line(terminal, line), 20)).status
        after = await play.run_line(terminal, "echo $?")
        play.close()
        return status, after.output

    for line in ("while :; do :; done", "while true; do echo x; done | cat > /dev/null"):
        assert asyncio.run(interrupt(line)) == (130, b"130\n")


def test_history_numbers_and_clears() -> None:
    lines = ["echo a", "echo b", " echo hidden", "echo b", "history", "history 1", "history -c", "history"]
    results = type_lines(bare_simulation(), lines)
    assert results[4].output.decode() == "    1  echo a\n    2  echo b\n    3  history\n"
    assert results[5].output.decode() == "    4  history 1\n"
    assert results[7].output.decode() == "    1  history\n"


def test_the_real_world_does_not_leak() -> None:
    lines = [
        "echo $RANDOM $RANDOM $EPOCHSECONDS $SECONDS $PPID $UID $HOSTNAME",
        "awk 'BEGIN{srand(); print int(rand()*1e6), systime()}'",
    ]
    first = screen(bare_simulation(), lines)
    assert first == screen(bare_simulation(), lines)
    start = bare_simulation().world.inventory.start // SECOND
    assert f" {start} 0 " in first and "head-01" in first and f"{start}" in first.splitlines()[1]
    assert first != screen(bare_simulation(seed=2), lines)
