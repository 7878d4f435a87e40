"""Builtins that need the login they are typed in: history, jobs, fg, bg, wait, disown, and `kill %1`.

They are commands only of a login's own bash. `prologue.sh` has the functions that call those whose names begin with
`__`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from engine.shell.jobs import Job

if TYPE_CHECKING:
    from engine.shell.login import Login

Builtin = Callable[["Login", Any], Awaitable[int]]
_SIGTERM_STATUS = 143


async def _print(call: Any, lines: list[str]) -> None:
    if lines:
        await call.stdout.write(("\n".join(lines) + "\n").encode())


async def _complain(call: Any, name: str, text: str) -> int:
    await call.stderr.write(f"bash: line 0: {name}: {text}\n".encode())
    return 1


async def history(login: Login, call: Any) -> int:
    """`history [n]`, `history -c`."""
    words = call.argv
    if words[:1] == ["-c"]:
        login.history.clear()
        return 0
    if words and not words[0].isdigit():
        return await _complain(call, "history", f"{words[0]}: numeric argument required")
    await _print(call, login.history.numbered(int(words[0]) if words else None))
    return 0


async def jobs(login: Login, call: Any) -> int:
    """`jobs [-l]`, `jobs -p`."""
    if "-p" in call.argv:
        await _print(call, [str(job.pid) for job in login.jobs.jobs])
        return 0
    await _print(call, login.jobs.lines(pids="-l" in call.argv))
    return 0


async def owns_jobs(login: Login, call: Any) -> int:
    """Status 0 if the words (or, without words, the login) name background jobs of ours."""
    words = [word for word in call.argv if not word.startswith("-")]
    if not words:
        return 0 if login.jobs.running() else 1
    return 0 if all(login.jobs.find(word) for word in words) else 1


async def wait(login: Login, call: Any) -> int:
    """`wait [job...]`: the status of the last one."""
    words = [word for word in call.argv if not word.startswith("-")]
    chosen = [job for word in words if (job := login.jobs.find(word))] if words else login.jobs.running()
    status = 0
    for job in chosen:
        status = await login.wait_for(job)
        if job in login.jobs.jobs:
            login.jobs.jobs.remove(job)
    return status if words else 0


async def foreground(login: Login, call: Any) -> int:
    """`fg [job]`: print its line and wait for it."""
    job = login.jobs.find(call.argv[0] if call.argv else "%+")
    if job is None:
        return await _complain(call, "fg", f"{call.argv[0] if call.argv else 'current'}: no such job")
    await _print(call, [job.text])
    return await login.wait_for(job)


async def background(login: Login, call: Any) -> int:
    """`bg [job]`: jobs never stop here, so it is in the background already."""
    job: Job | None = login.jobs.find(call.argv[0] if call.argv else "%+")
    if job is None:
        return await _complain(call, "bg", f"{call.argv[0] if call.argv else 'current'}: no such job")
    return await _complain(call, "bg", f"job {job.number} already in background")


async def disown(login: Login, call: Any) -> int:
    """`disown [job]`: forget it; it runs on."""
    job = login.jobs.find(call.argv[-1] if call.argv else "%+")
    if job is None:
        return await _complain(call, "disown", f"{call.argv[-1] if call.argv else 'current'}: no such job")
    login.jobs.jobs.remove(job)
    return 0


async def kill_job(login: Login, call: Any) -> int:
    """`kill [-SIGNAL] %job|pid`: end a background job."""
    status = 0
    for word in [word for word in call.argv if not word.startswith("-")]:
        job = login.jobs.find(word)
        if job is None:
            status = await _complain(call, "kill", f"{word}: no such job")
        else:
            job.execution.cancel()
            await login.wait_for(job)
            job.status = _SIGTERM_STATUS
    return status


async def help_(login: Login, call: Any) -> int:
    """`help`: which shell this is, and where help stands. Summaries of builtins are not modelled."""
    if call.argv:
        return await _complain(call, "help", f"no help topics match `{call.argv[0]}'. Try `man {call.argv[0]}'.")
    lines = [
        "GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)",
        "",
        "A command's own help: COMMAND --help, or man COMMAND.",
        "In a drill, :help tells what goes on beside the commands: diagnosis, notes, hints, handing in.",
    ]
    await _print(call, lines)
    return 0


BUILTINS: dict[str, Builtin] = {
    "__history": history,
    "__owns_jobs": owns_jobs,
    "__wait": wait,
    "__kill_job": kill_job,
    "jobs": jobs,
    "fg": foreground,
    "bg": background,
    "disown": disown,
    "help": help_,
}
