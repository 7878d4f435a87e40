"""One bash: the language and the text utilities of bashkit, with our commands, our file tree and our variables.

bashkit forgets `$?` and the options of `set` between two calls of its `execute`, and runs `&` jobs before it returns. A
`Bash` therefore puts
a prompt line between a prologue (status, options and clock of now) and an epilogue (a command of ours that is told
status and options).
`prologue.sh` beside this file holds the functions that stand in for what the library lacks or would take from the real
world.
"""

from __future__ import annotations

import os
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from types import ModuleType
from typing import Any

from engine.commands.context import Input, Place
from engine.control.containers import CONTAINER
from engine.hostfs.bridge import mount_tree
from engine.hostfs.tree import FileTree
from engine.shell.streams import Sink
from engine.shell.texts import SYNTAX_ERROR, is_syntax_error, rewrite

# Names of the library's own that no Ubuntu host has.
FOREIGN_NAMES = (
    "assert", "busybox", "csv", "dotenv", "glob", "http", "json", "log", "parallel", "retry", "rg", "semver",
    "template", "tomlq", "verify", "yq",
)  # fmt: skip

# A line that does more than this ends with a sentence instead of never.
LOOP_LIMIT, COMMAND_LIMIT = 1_000_000, 2_000_000

TIME_MARK = b"\x01breakfix-time\n"
_OPTIONS = ("allexport", "errexit", "noclobber", "noglob", "nounset", "pipefail", "verbose", "xtrace")

_LINK_TEST = re.compile(r"\[\[\s+(!\s+)?-[Lh]\s+([^\s\]]+)\s+\]\]")

# What is kept as it is (quoted by ' or a backslash), or else `$$`.
_OWN_PID = re.compile(r"('[^']*'|\\.)|\$\$", re.DOTALL)

Callback = Callable[[Any], Awaitable[int]]


@dataclass(frozen=True, slots=True)
class Moment:
    """What a line takes from the world: `$EPOCHSECONDS`, `$SECONDS`, a seed for `$RANDOM`, and the shell's own `$$`."""

    epoch_seconds: int
    seconds: int
    seed: int
    pid: int = 1


@dataclass(slots=True)
class LineEnd:
    """How a line ended: its status, whether the shell goes with it (`exit`, `exec`, or an error under `set -e`), and
    whether an error (an unset variable under `set -u`, `${x?}`) ended it early.
    """

    status: int
    leaves: bool = False
    aborted: bool = False


@dataclass
class _Told:
    """What a running line has told us. The interpreter holds this object and nothing that holds the interpreter: such
    a circle would never be collected, and an interpreter keeps threads and file descriptors.
    """

    ended: bool = False
    leaving: bool = False
    status: int = 0
    options: tuple[str, ...] = ()
    errors: bytearray = field(default_factory=bytearray)

    def begin(self) -> None:
        """Another line."""
        self.ended = self.leaving = False
        self.errors = bytearray()

    async def epilogue(self, context: Any) -> int:
        """A line has come to its end: its status, and the options of `set`."""
        self.ended = True
        self.status = int(context.argv[0]) & 0xFF
        given = context.argv[1].split(":")
        self.options = tuple(name for name in _OPTIONS if name in given)
        return self.status

    async def leave(self, context: Any) -> int:
        """`exit` or `logout`."""
        self.leaving = True
        return 0


@dataclass(frozen=True)
class _GoneState:
    """What a shell that is gone would say."""

    cwd: str = "/"
    variables: Mapping[str, str] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)


class _Gone:
    """Stands where an interpreter was, once it was closed."""

    def shell_state(self) -> _GoneState:
        return _GoneState()

    def cancel(self) -> None:
        return

    def clear_cancel(self) -> None:
        return


class Bash:
    """A bash process at a place.

    `callbacks` are our commands by name; `prefix` starts its error lines (None: as `bash -c` does).
    """

    def __init__(
        self,
        place: Place,
        tree: FileTree,
        callbacks: Mapping[str, Callback],
        prefix: str | None,
        note: Callable[[], None],
    ) -> None:
        self.place = place
        self._note = note
        self.prefix = prefix
        self.status = 0
        self.options: tuple[str, ...] = ()
        self._told = _Told()
        self._new = True
        self._interpreter: Any = _interpreter(place)
        self._interpreter.mount("/", mount_tree(tree))
        foreign: dict[str, Callback] = dict.fromkeys(FOREIGN_NAMES, _not_found)
        own = {"__epilogue": self._told.epilogue, "__leaving": self._told.leave, **foreign}
        for name, callback in {**own, **callbacks}.items():
            self._interpreter.add_command(name, callback)

    @property
    def directory(self) -> str:
        """The current directory."""
        return str(self._interpreter.shell_state().cwd)

    @property
    def variables(self) -> Mapping[str, str]:
        """Shell variables."""
        variables: Mapping[str, str] = self._interpreter.shell_state().variables
        return variables

    @property
    def exported(self) -> Mapping[str, str]:
        """Exported variables: what a child process inherits."""
        exported: Mapping[str, str] = self._interpreter.shell_state().env
        return exported

    @property
    def aliases(self) -> Mapping[str, str]:
        """Aliases."""
        aliases: Mapping[str, str] = self._interpreter.shell_state().aliases
        return aliases

    async def execute(self, text: str, moment: Moment, stdout: Sink, stderr: Sink) -> LineEnd:
        """Run one complete prompt line; `$?` and the options of `set` go on from the line before."""
        await self._begin()
        self._told.begin()
        framed, before = self._framed(text, moment)
        words = self._words(stderr, before)
        self._note()
        result = await self._interpreter.execute(framed, stdout=stdout, stderr=words)
        self._note()
        await self._say_rest(result, words)
        return self._line_end(text, int(result.exit_code))

    async def run(self, text: str, moment: Moment, stdin: Input | None, stdout: Sink, stderr: Sink) -> int:
        """Run a script to its end, as `bash -c` does. Returns its status."""
        await self._begin()
        self._told.begin()
        before = 1
        if stdin is not None and stdin.attached:
            self._interpreter.add_command("__stdin", _feeder(stdin))
            text, before = "__stdin | {\n" + text + "\n}", 2
        words = self._words(stderr, before)
        self._note()
        result = await self._interpreter.execute(
            _clock(moment) + self._mended(text, moment.pid), stdout=stdout, stderr=words
        )
        self._note()
        await self._say_rest(result, words)
        return SYNTAX_ERROR if is_syntax_error(bytes(self._told.errors)) else int(result.exit_code) & 0xFF

    def cancel(self) -> None:
        """Stop what runs; `recover` makes it usable again."""
        self._interpreter.cancel()

    def close(self) -> None:
        """Give the interpreter back. Whoever still waits for a line of it gets that line's end."""
        self._interpreter = _Gone()

    def recover(self) -> None:
        """Be usable again after `cancel`, with the status of Ctrl-C."""
        self._interpreter.clear_cancel()
        self.status = 130

    def snapshot(self) -> bytes:
        """Variables, functions, aliases and directory. Only between lines: while one runs it would wait for it."""
        return bytes(self._interpreter.snapshot(exclude_filesystem=True))

    def restore(self, data: bytes) -> None:
        """Take over a snapshot; it may be of a shell that had not begun, so the prologue is read again."""
        self._interpreter.restore_snapshot(data)
        self._new = True

    async def _begin(self) -> None:
        if self._new:
            self._new = False
            self._note()
            await self._interpreter.execute(_prologue())
            self._note()

    async def _say_rest(self, result: Any, words: Sink) -> None:
        """Refusals of a whole line (syntax errors, limits) come in the result only, not through the sink."""
        if result.stderr and not self._told.errors:
            await words(result.stderr.encode())

    def analyze(self, text: str) -> Any:
        """The interpreter's parse of `text`; raises for text that it can't parse."""
        return self._interpreter.analyze(text)

    @staticmethod
    def _mended(text: str, pid: int) -> str:
        """`[[ -L f ]]` in its plain form: the interpreter holds everything for a link there, `test` asks the tree. And
        `$$` as the number that it stands for: the interpreter has another idea of it.
        """
        text = _OWN_PID.sub(lambda match: match[1] or str(pid), text) if "$$" in text else text
        return _LINK_TEST.sub(lambda match: f"{match[1] or ''}test -L {_quoted(match[2])}", text)

    def _framed(self, text: str, moment: Moment) -> tuple[str, int]:
        """The text with what goes before and after it, and how many lines go before."""
        options = "".join(f"set -o {name}\n" for name in self.options)
        # A status other than 0 can't meet errexit: the shell would have ended with it.
        status = f"(builtin exit {self.status})\n" if self.status and "errexit" not in self.options else ""
        before = f"{_clock(moment)}{options}{status}"
        return f'{before}{self._mended(text, moment.pid)}\n__epilogue $? "$SHELLOPTS"', before.count("\n")

    def _words(self, stderr: Sink, before: int) -> Sink:
        async def sink(data: bytes) -> None:
            self._told.errors += data
            words = rewrite(data, self.prefix, before)
            if words and not words.endswith(b"\n") and is_syntax_error(data):
                words += b"\n"
            if words:
                await stderr(words)

        return sink

    def _line_end(self, text: str, status: int) -> LineEnd:
        told = self._told
        if told.ended:
            self.status, self.options = told.status, told.options
            return LineEnd(self.status)
        if is_syntax_error(bytes(told.errors)):
            self.status = SYNTAX_ERROR
            return LineEnd(self.status)
        self.status = status & 0xFF
        left = told.leaving or "errexit" in self.options or ("exec " in text and not told.errors)
        return LineEnd(self.status, leaves=left, aborted=True)


def _quoted(word: str) -> str:
    return f'"{word}"' if word.startswith("$") else word


def _library() -> ModuleType:
    """bashkit, imported when first needed.

    One worker thread makes the interpreters' work an ordered queue, in which a round trip is a barrier (see
    scheduler.py). It has to be said before the library starts its threads, and tells nothing about the host.
    """
    os.environ.setdefault("TOKIO_WORKER_THREADS", "1")
    import bashkit

    return bashkit


def spare_interpreter() -> Any:
    """An interpreter that only answers; a round trip through it orders whatever the others do."""
    return _library().Bash()


def _interpreter(place: Place) -> Any:
    library = _library()
    variables = {name: value for name, value in place.environment.items() if name != CONTAINER}
    uid = str(place.identity.uid)
    return library.Bash(
        username=place.identity.name,
        hostname=place.host,
        cwd=place.directory,
        profile=library.ExecutionProfile.Interactive,
        max_loop_iterations=LOOP_LIMIT,
        max_commands=COMMAND_LIMIT,
        env={"TIMEFORMAT": TIME_MARK.decode().rstrip("\n"), **variables, "UID": uid, "EUID": uid},
    )


def _clock(moment: Moment) -> str:
    return f"EPOCHSECONDS={moment.epoch_seconds} SECONDS={moment.seconds} RANDOM={moment.seed}\n"


@cache
def _prologue() -> str:
    return "shopt -s expand_aliases\n" + files("engine.shell").joinpath("prologue.sh").read_text(encoding="utf-8")


def _feeder(source: Input) -> Callback:
    async def feed(context: Any) -> int:
        try:
            async for line in source.lines():
                await context.stdout.write(line)
        except BrokenPipeError:
            return 141
        return 0

    return feed


async def _not_found(context: Any) -> int:
    await context.stderr.write(f"bash: line 0: {context.name}: command not found\n".encode())
    return 127
