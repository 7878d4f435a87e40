"""What a command's file declares, and how commands are found: `engine/commands/<family>/<name>.py` with `COMMAND`.

The file bears the command's name with `-` as `_` and `_` as `__` (a Python word gets a trailing `_`): `nvidia_smi.py`,
`show__gids.py`. Files that begin with `_` are helpers. The family's `__init__.py` says with `available(inventory,
host)` on which hosts its commands are installed. A module is imported when its command is
first used.
"""

from __future__ import annotations

import importlib
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from importlib.resources import files
from types import ModuleType

from engine.commands.context import Context
from engine.commands.options import Option
from engine.kernel.quick_dataclass import dataclass
from engine.world.inventory import Inventory

Run = Callable[[Context], int | Awaitable[int]]


@dataclass(frozen=True, slots=True)
class Command:
    """A command: what it is (the NAME line of its man page), its synopsis, options and manual, and what it does.

    `complete(context, words)` gives completions of the last word beyond options, hosts and files; `path` is where it is
    installed.
    """

    name: str
    summary: str
    run: Run
    synopsis: str = ""
    options: Sequence[Option] = ()
    manual: str = ""
    path: str = "/usr/bin"
    section: int = 1
    complete: Callable[[Context, Sequence[str]], Sequence[str]] | None = None


@cache
def command_modules() -> dict[str, str]:
    """Module name by command name, from the listing of the package alone."""
    found = {}
    for family in sorted(files("engine.commands").iterdir(), key=lambda entry: entry.name):
        if not family.is_dir() or family.name.startswith("_"):
            continue
        for entry in sorted(family.iterdir(), key=lambda item: item.name):
            stem = entry.name.removesuffix(".py")
            if entry.name.endswith(".py") and not stem.startswith("_"):
                name = stem.rstrip("_").replace("_dot_", ".").replace("__", "\0").replace("_", "-").replace("\0", "_")
                found[name] = f"engine.commands.{family.name}.{stem}"
    return found


@cache
def load_command(name: str) -> Command:
    """The command `name`, importing its module. Raises KeyError if there is none."""
    command: Command = importlib.import_module(command_modules()[name]).COMMAND
    return command


def commands_of(inventory: Inventory, host: str) -> list[str]:
    """Names of the commands that are installed on `host`."""
    return inventory.once(("commands", host), lambda: _commands_of(inventory, host))


def _commands_of(inventory: Inventory, host: str) -> list[str]:
    return [name for name, module in command_modules().items() if _family(module).available(inventory, host)]


def installed(inventory: Inventory, host: str, name: str) -> bool:
    """Whether `host` has the command `name`."""
    module = command_modules().get(name)
    return module is not None and bool(_family(module).available(inventory, host))


def _family(module: str) -> ModuleType:
    return importlib.import_module(module.rpartition(".")[0])
