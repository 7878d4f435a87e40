"""The checker itself: it lets a well-behaved program pass and names what a misbehaving one does."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.hostile.strace_check import Case, case_of, main, read_cases, run_case, why_not_here
from tests.hostile.strace_trace import parse_call

needs_strace = pytest.mark.skipif(why_not_here() is not None, reason=str(why_not_here()))

WELL_BEHAVED = """
import json, os, socket, sys, threading
folder = os.path.join(os.environ["XDG_DATA_HOME"], "breakfix")
os.mkdir(folder)
with open(os.path.join(folder, "draft ü"), "w") as file:
    file.write(sys.stdin.read())
os.replace(os.path.join(folder, "draft ü"), os.path.join(folder, "kept"))
threads = [threading.Thread(target=print, args=(os.listdir(folder),)) for _ in range(3)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
socket.socketpair()
open(os.devnull, "w").write("gone")
os.kill(os.getpid(), 0)
"""

MISBEHAVING = {
    "import os; os.system('true')": "starts a process",
    "import os, sys; os.execv(sys.executable, [sys.executable, '-V'])": "starts a program",
    "import os; os.fork()": "starts a process",
    "import socket; socket.socket()": "opens a socket",
    "import socket; socket.socket(socket.AF_UNIX).connect('/run/nowhere')": "connects",
    "import os; os.kill(os.getppid(), 0)": "signals another process",
    "open('/etc/hostname').read()": "reads /etc/hostname",
    "open('/etc/os-release').read()": "reads /usr/lib/os-release",
    "open('../../nothing')": "tries to open",
    "open('/proc/self/environ').read()": "reads /proc/self/environ",
    "import os; os.path.exists('/etc/shadow')": "looks at /etc/shadow",
    "import os; os.listdir('/etc')": "reads /etc",
    "open('here', 'w')": "opens for writing",
    "import os; os.mkdir('new folder')": "changes",
    "import os; d = os.open('.', os.O_RDONLY); os.mkdir('new', dir_fd=d)": "/home/work/new (mkdir",
    "import os; os.symlink('/etc/passwd', 'link')": "changes",
    "import os; os.chdir('/')": "changes the real working directory",
    "import threading as t\nt = t.Thread(target=open, args=('/etc/group',))\nt.start()\nt.join()": "reads /etc/group",
    "1 / 0": "prints a traceback",
    "while True: pass": "did not end within",
}


def program_of(folder: Path, body: str) -> Path:
    program = folder / "program"
    program.write_text(f"#!{sys.executable}\n{body}\n", "utf-8")
    program.chmod(0o755)
    return program


@needs_strace
def test_a_well_behaved_program_passes(tmp_path: Path) -> None:
    assert run_case(Case("case", (), "text"), program_of(tmp_path, WELL_BEHAVED), timeout=60) == []


@needs_strace
@pytest.mark.parametrize("body", MISBEHAVING)
def test_a_misbehaving_program_is_caught(body: str, tmp_path: Path) -> None:
    timeout = 2 if body.startswith("while") else 60
    breaches = run_case(Case("case", ()), program_of(tmp_path, body), timeout)
    assert any(MISBEHAVING[body] in breach for breach in breaches), breaches


@needs_strace
def test_a_program_that_is_not_there_fails(tmp_path: Path) -> None:
    assert "the program did not start" in run_case(Case("case", ()), tmp_path / "absent", timeout=60)


@pytest.mark.parametrize(
    ("line", "paths", "opened"),
    [
        ('openat(AT_FDCWD</w>, "a", O_RDONLY) = 3</w/a>', ("/w/a",), "/w/a"),
        ('openat(5</w/x>, "../b", O_RDONLY) = -1 ENOENT (No such file or directory)', ("/w/b",), None),
        ('rename("/a\\"b", "c \\303\\274") = 0', ('/a"b', "/start/c ü"), None),
        ('readlink("/proc/self/exe", "/usr/bin/python3", 4096) = 16', ("/proc/self/exe",), None),
        ('openat(AT_FDCWD</w>, "/proc/7/environ", O_RDONLY) = 3</proc/7/environ>', ("/proc/self/environ",),
         "/proc/self/environ"),
        ('openat(AT_FDCWD</w>, "/proc/8/environ", O_RDONLY) = 3</proc/8/environ>', ("/proc/8/environ",),
         "/proc/8/environ"),
        ('unlink("half" <unfinished ...>', ("/start/half",), None),
        ("exit_group(0) = ?", (), None),
    ],
)  # fmt: skip
def test_calls_are_parsed(line: str, paths: tuple[str, ...], opened: str | None) -> None:
    call = parse_call(line, "/start", {"7"})
    assert call is not None
    assert (call.paths, call.opened) == (paths, opened)


def test_signals_in_a_trace_are_no_calls() -> None:
    assert parse_call("--- SIGCHLD {si_signo=SIGCHLD} ---", "/", set()) is None
    assert parse_call("+++ exited with 0 +++", "/", set()) is None


def test_cases_are_read(tmp_path: Path) -> None:
    file = tmp_path / "cases.txt"
    file.write_text("# a comment\n\nbreakfix shell -c 'cat \"a b\"'\nbreakfix drill <<< one <<< 'two 2'\n", "utf-8")
    assert [(case.argv, case.stdin) for case in read_cases(file)] == [
        (("shell", "-c", 'cat "a b"'), ""),
        (("drill",), "one\ntwo 2\n"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [("ls /\n", "cases.txt:1: a case starts with"), ("\nbreakfix 'x\n", "cases.txt:2: No closing quotation")],
)
def test_a_broken_case_file_says_where(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "cases.txt"
    file.write_text(text, "utf-8")
    with pytest.raises(SystemExit, match=message):
        read_cases(file)


def test_a_here_string_without_text_says_so() -> None:
    with pytest.raises(SystemExit, match="needs the text"):
        case_of("breakfix <<<", ["breakfix", "<<<"], "cases.txt:1")


def test_without_cases_it_passes_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--cases", str(tmp_path / "absent")]) == 0
    assert "strace check skipped" in capsys.readouterr().out
