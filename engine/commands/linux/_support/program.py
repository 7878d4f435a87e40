"""How a Linux program greets and fails: `--help`, `--version`, and the lines after a wrong option, by the suite it
comes from.

Texts: GNU coreutils 9.4 (usage, status 1 unless a tool says otherwise), util-linux 2.39.3 (`-h`, `-V`), procps-ng
4.0.4 (the whole usage after an error), systemd 255 (the error line alone). The bodies of the usage texts are
breakfix's own.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.options import Option, Parsed, option_lines, parse

Main = Callable[[Context, Parsed], int | Awaitable[int]]
Complete = Callable[[Context, Sequence[str]], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Suite:
    """A package of programs that fail alike. `trailer` follows an error line, `{usage}` stands for the whole usage
    text.
    """

    version: str
    trailer: str = "Try '{name} --help' for more information."
    status: int = 1
    short_help: bool = False
    short_version: bool = False


COREUTILS = Suite("{name} (GNU coreutils) 9.4")
FINDUTILS = Suite("{name} (GNU findutils) 4.9.0")
UTIL_LINUX = Suite("{name} from util-linux 2.39.3", short_help=True, short_version=True)
PROCPS = Suite("{name} from procps-ng 4.0.4", trailer="\n{usage}", short_help=True, short_version=True)
PSMISC = Suite("{name} (PSmisc) 23.7", trailer="{usage}", short_version=True)
SYSTEMD = Suite("systemd 255 (255.4-1ubuntu8.4)", trailer="", short_help=True)
KMOD = Suite("kmod version 31", trailer="", short_help=True, short_version=True)
PLAIN = Suite("{name} (breakfix)", trailer="{usage}", short_help=True)

_HELP = Option(long="help", help="print this text and end")
_VERSION = Option(long="version", help="print the version and end")


@dataclass(frozen=True, slots=True)
class Program:
    """A command's declaration, as far as greeting and failing need it."""

    name: str
    summary: str
    main: Main
    suite: Suite
    synopsis: str
    options: Sequence[Option]
    permute: bool
    status: int

    def usage(self) -> str:
        """The text of --help."""
        lines = [f"Usage: {self.synopsis}", f"{self.summary[:1].upper()}{self.summary[1:]}.", "", "Options:"]
        return "\n".join([*lines, *option_lines(self.options), "", f"The manual: man {self.name}"]) + "\n"

    def run(self, ctx: Context) -> int | Awaitable[int]:
        """Parse, answer --help and --version, or do the work."""
        trailer = self.suite.trailer.format(name=self.name, usage=self.usage())
        parsed = parse(
            self.name, self.options, ctx.arguments, trailer=trailer, status=self.status, permute=self.permute
        )
        if "help" in parsed:
            ctx.write(self.usage())
            return 0
        if "version" in parsed:
            ctx.line(self.suite.version.format(name=self.name))
            return 0
        return self.main(ctx, parsed)


def program(
    name: str,
    summary: str,
    main: Main,
    *,
    suite: Suite = COREUTILS,
    synopsis: str = "",
    options: Sequence[Option] = (),
    manual: str = "",
    permute: bool = True,
    path: str = "/usr/bin",
    section: int = 1,
    status: int | None = None,
    complete: Complete | None = None,
) -> Command:
    """The command `name`, with --help and --version as its suite has them."""
    everything = [*options, *_standard_options(suite, options)]
    synopsis = synopsis or f"{name} [OPTION]..."
    code = suite.status if status is None else status
    itself = Program(name, summary, main, suite, synopsis, everything, permute, code)
    text = inspect.cleandoc(manual)
    return Command(name, summary, itself.run, synopsis, tuple(everything), text, path, section, complete)


def _standard_options(suite: Suite, options: Sequence[Option]) -> list[Option]:
    """--help and --version, with the short forms that the tool has not given another meaning."""
    taken = {option.short for option in options}
    known = {option.long for option in options}
    short_help = "h" if suite.short_help and "h" not in taken else None
    short_version = "V" if suite.short_version and "V" not in taken else None
    standard = [replace(_HELP, short=short_help), replace(_VERSION, short=short_version)]
    return [option for option in standard if option.long not in known]
