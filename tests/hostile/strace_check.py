"""Runs breakfix command lines under strace and checks that nothing real is touched.

    python -m tests.hostile.strace_check [--cases FILE] [--timeout SECONDS] [--keep FOLDER]

FILE holds one command line a line, quoted as in a shell, `#` before a comment; it starts with `breakfix`. Standard
input is empty, or what stands after `<<<` (several give several lines):

    breakfix shell --site dgx-h100-4 -c 'cat /etc/passwd > /tmp/x'
    breakfix shell --site dgx-h100-4 <<< 'curl http://example.com' <<< 'exit'

A line passes where the traced process starts no program and no other process, opens no network socket and connects
to nothing, signals only itself, changes files only in its own data folder, looks only at the files that strace_rules.py
lists (what a Python program needs to run), leaves its working directory alone, ends in time and prints no traceback.
The last line of the output is `N passed, N failed`. Linux only: elsewhere, and where tracing is not permitted, it says
so and passes.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.hostile.strace_judge import breaches_in
from tests.hostile.strace_rules import PROJECT, rules_for

CASES = PROJECT / "tests" / "hostile" / "strace_cases.txt"
STRACE = ("strace", "-ff", "-y", "-qq", "-s", "4096")
TRACED = "%file,%network,%process,kill,tkill,tgkill,pidfd_send_signal,fchdir,fchmod,fchown,ptrace"


@dataclass(frozen=True)
class Case:
    """A command line with what it gets on standard input."""

    line: str
    argv: tuple[str, ...]
    stdin: str = ""


def read_cases(path: Path) -> list[Case]:
    """The cases of a file; a line that is no breakfix command line ends the check with its place."""
    cases = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        try:
            words = shlex.split(line, comments=True)
        except ValueError as error:
            raise SystemExit(f"{path}:{number}: {error}; quote it as in a shell") from None
        if not words:
            continue
        if words[0] != "breakfix":
            raise SystemExit(f"{path}:{number}: a case starts with `breakfix`, not with `{words[0]}`")
        cases.append(case_of(line.strip(), words, f"{path}:{number}"))
    return cases


def case_of(line: str, words: list[str], place: str) -> Case:
    """Takes `<<< text` out of the words as standard input."""
    argv, given = [], []
    rest = iter(words[1:])
    for word in rest:
        if word != "<<<":
            argv.append(word)
            continue
        text = next(rest, None)
        if text is None:
            raise SystemExit(f"{place}: `<<<` needs the text of a line after it")
        given.append(text + "\n")
    return Case(line, tuple(argv), "".join(given))


def environment(home: Path, data: Path) -> dict[str, str]:
    """A person's environment, reduced to what matters, with every folder of theirs inside `home`."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(home),
        "XDG_DATA_HOME": str(data),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def run_case(case: Case, program: Path, timeout: float, keep: Path | None = None) -> list[str]:
    """Runs one case under strace in a home of its own; gives what it did that it must not."""
    with tempfile.TemporaryDirectory(prefix="strace-") as scratch:
        home = Path(scratch).resolve() / "home"
        data, folder, traces = home / "data", home / "work", Path(scratch).resolve() / "traces"
        for place in (data, folder, traces):
            place.mkdir(parents=True)
        command = [*STRACE, "-e", f"trace={TRACED}", "-o", str(traces / "trace"), str(program), *case.argv]
        breaches = run_traced(command, case.stdin, environment(home, data), folder, timeout)
        files = sorted(traces.glob("trace.*"), key=lambda path: int(path.suffix[1:]))
        breaches += breaches_in(files, rules_for(program, home, data, folder))
        if keep:
            shutil.copytree(traces, keep, dirs_exist_ok=True)
    return breaches


def run_traced(command: list[str], stdin: str, env: dict[str, str], folder: Path, timeout: float) -> list[str]:
    """Runs to the end or to the timeout; gives what the output says against the program."""
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
        cwd=folder, env=env, start_new_session=True,
    )  # fmt: skip
    try:
        _, errors = process.communicate(stdin, timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return [f"did not end within {timeout:g} seconds"]
    return [f"prints a traceback:\n{errors}"] if "Traceback (most recent call last)" in errors else []


def why_not_here() -> str | None:
    """Why this machine cannot trace, or None."""
    if not shutil.which("strace"):
        return "strace is not installed"
    probe = subprocess.run(["strace", "-qq", "-e", "trace=none", "true"], capture_output=True, text=True, check=False)
    return None if probe.returncode == 0 else f"strace may not trace here: {probe.stderr.strip()}"


def main(arguments: list[str] | None = None) -> int:
    """Runs the cases and reports; 1 where one failed."""
    parser = argparse.ArgumentParser(description="check under strace that breakfix touches nothing real")
    parser.add_argument("--cases", type=Path, default=CASES, help="file of command lines (default: %(default)s)")
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds for one command line")
    parser.add_argument("--keep", type=Path, help="a folder to keep the traces in, to look at them")
    options = parser.parse_args(arguments)
    reason = why_not_here()
    if reason or not options.cases.exists():
        print(f"strace check skipped: {reason or f'there is no {options.cases}'}")
        return 0
    program = Path(sys.executable).with_name("breakfix")
    failed = 0
    cases = read_cases(options.cases)
    for number, case in enumerate(cases, 1):
        breaches = run_case(case, program, options.timeout, options.keep and options.keep / str(number))
        failed += bool(breaches)
        print(f"{'FAILED' if breaches else 'ok    '} {case.line}", flush=True)
        for breach in breaches:
            print(f"       {breach}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
