"""Tab: completions of the word before the cursor, from what this host and this user have.

Commands (ours, the interpreter's, aliases), a command's options, host names where a command takes hosts, files, and
whatever a command's own
`complete` adds (GPUs, devices, units, job ids). As with bash-completion, a single candidate is completed with a space,
a directory with `/`.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.commands.command import Command, commands_of, installed, load_command
from engine.commands.context import Context
from engine.commands.streams import Capture, NoInput
from engine.hostfs.tree import FileError, FileKind
from engine.shell.wiring import Wiring

if TYPE_CHECKING:
    from engine.shell.login import Login

_TAKE_HOSTS = {"ssh", "scp", "ping", "clush", "pdsh"}
_PREFIX_COMMANDS = {"sudo", "watch", "time", "timeout", "nohup", "xargs", "env", "exec", "command", "nice"}
_BUILTINS = (
    "alias", "awk", "basename", "bg", "break", "cat", "cd", "column", "comm", "command", "continue", "cp", "cut",
    "declare", "diff", "dirname", "echo", "env", "eval", "exit", "export", "false", "fg", "for", "getopts",
    "grep", "gzip", "head", "history", "if", "jobs", "join", "jq", "local", "mkdir", "mv", "nl", "nohup", "od",
    "paste", "printf", "pwd", "read", "readlink", "realpath", "rev", "rm", "rmdir", "sed", "seq", "set", "shift",
    "shopt", "sort", "source", "tac", "tar", "test", "time", "tr", "trap", "true", "type", "ulimit", "umask",
    "unalias", "uniq", "unset", "wait", "wc", "which", "while", "xargs", "xxd", "yes",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Completion:
    """What Tab can do: replace the `length` characters before the cursor by one of `candidates`."""

    length: int
    candidates: tuple[str, ...]

    @property
    def common(self) -> str:
        """What all candidates begin with."""
        first, last = min(self.candidates, default=""), max(self.candidates, default="")
        return first[
            : next(
                (index for index, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]),
                min(len(first), len(last)),
            )
        ]


def complete(login: Login, line: str, cursor: int) -> Completion:
    """Completions at `cursor` of `line`."""
    before = line[:cursor]
    words, word = _words(before)
    candidates = sorted(set(_candidates(login, words, word)))
    return Completion(len(word), tuple(candidates))


def _words(before: str) -> tuple[list[str], str]:
    """The words of the last simple command before the cursor, and the one being typed."""
    start = max(before.rfind(separator) for separator in ("|", ";", "&", "(", "`", "\n")) + 1
    segment = before[start:]
    word = (segment[len(segment.rstrip()) :] and "") or (segment.split(" ")[-1] if segment.strip() else "")
    typed = segment[: len(segment) - len(word)]
    try:
        words = shlex.split(typed)
    except ValueError:
        words = typed.split()
    while words and (words[0] in _PREFIX_COMMANDS or "=" in words[0]):
        words.pop(0)
        while words and words[0].startswith("-"):
            words.pop(0)
    return words, word


def _candidates(login: Login, words: Sequence[str], word: str) -> Iterable[str]:
    if "$" in word:
        return _variables(login, word)
    if not words:
        if "/" in word:
            return _files(login, word)
        return (name + " " for name in _command_names(login) if name.startswith(word))
    command = _command(login, words[0])
    found = [option + " " for option in _options(command) if word.startswith("-") and option.startswith(word)]
    if command and command.complete:
        found += [
            value + " "
            for value in command.complete(_context(login, words), [*words[1:], word])
            if value.startswith(word)
        ]
    if words[0] in _TAKE_HOSTS:
        found += [name + " " for name in login.shell.simulation.world.inventory.host_names if name.startswith(word)]
    return found or _files(login, word) or _names(login, word)


def _names(login: Login, word: str) -> list[str]:
    """Names that mean something to most commands here: hosts, RDMA devices and interfaces of this host, accounts."""
    inventory = login.shell.simulation.world.inventory
    node = inventory.node(login.place.host)
    devices = [name for hca in node.hcas for name in (hca.name, hca.netdev)]
    interfaces = [address.interface for address in node.addresses]
    people = [user.name for user in inventory.users]
    known = [*inventory.host_names, *inventory.switches, *devices, *interfaces, *people]
    return [f"{name} " for name in known if word and name.startswith(word)]


def _variables(login: Login, word: str) -> list[str]:
    start, _, name = word.rpartition("$")
    return [f"{start}${known}" for known in login.bash.variables if known.startswith(name) and known[:1] != "_"]


def _command_names(login: Login) -> Iterable[str]:
    inventory = login.shell.simulation.world.inventory
    return [*commands_of(inventory, login.place.host), *_BUILTINS, *login.bash.aliases]


_PATH = ("/usr/bin", "/usr/sbin", "/usr/local/bin")


def knows_command(login: Login, name: str) -> bool:
    """Whether a name where a command stands means something to the login's shell."""
    if name in _BUILTINS or name in login.bash.aliases:
        return True
    if installed(login.shell.simulation.world.inventory, login.place.host, name):
        return True
    tree = login.shell.tree(login.place)
    return any(tree.exists(f"{folder}/{name}") for folder in _PATH)


def _command(login: Login, name: str) -> Command | None:
    return load_command(name) if installed(login.shell.simulation.world.inventory, login.place.host, name) else None


def _options(command: Command | None) -> Iterable[str]:
    for option in command.options if command else ():
        if option.long:
            yield f"--{option.long}"
        if option.short:
            yield f"-{option.short}"


def _files(login: Login, word: str) -> list[str]:
    folder, slash, start = word.rpartition("/")
    base = folder + slash
    directory = (
        (login.place.identity.home + folder[1:])
        if folder.startswith("~")
        else base
        if base.startswith("/")
        else f"{login.directory}/{folder}"
    )
    try:
        entries = login.shell.tree(login.place).entries(_normal(directory))
    except FileError:
        return []
    shown = [
        (name, stat)
        for name, stat in entries
        if name.startswith(start) and (start.startswith(".") or not name.startswith("."))
    ]
    return [base + name + ("/" if stat.kind is FileKind.DIRECTORY else " ") for name, stat in shown]


def _normal(path: str) -> str:
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)


def _context(login: Login, words: Sequence[str]) -> Context:
    wiring = Wiring(NoInput(), Capture(), Capture())
    return login.shell.context(words[0], words[1:], login.place, login.execution, wiring)
