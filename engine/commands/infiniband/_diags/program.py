"""How the programs of infiniband-diags parse, greet and fail. Modelled on rdma-core 54 (ibdiag_common.c, libibmad).

Wrong options get glibc's line and the whole usage text, status 2. Warnings go to stderr with the program's process
number; a fatal error goes to stdout as `NAME: iberror: failed: ...`, status 255. The bodies of usage texts are
breakfix's own.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from textwrap import wrap

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.options import Option, Parsed, UsageError, parse
from engine.control import packages
from engine.control.package_table import upstream

Main = Callable[[Context, Parsed], int | Awaitable[int]]
FATAL, USAGE = 255, 2
_PACKAGE = "rdma-core"

_COMMON = (
    Option("z", "config", "<config>", help="(not modelled) use this configuration file"),
    Option("C", "Ca", "<ca>", help="the local device to use"),
    Option("P", "Port", "<port>", help="the local port to use"),
    Option("D", "Direct", help="the destination is a direct route"),
    Option("L", "Lid", help="the destination is a LID (the default)"),
    Option("G", "Guid", help="the destination is a port GUID"),
    Option("t", "timeout", "<ms>", help="how long to wait for an answer"),
    Option("s", "sm_port", "<lid>", help="the LID of the subnet manager to ask"),
    Option("K", "show_keys", help="show security keys"),
    Option("y", "m_key", "<key>", help="the management key to use"),
    Option("e", "errors", help="show errors of sending and receiving"),
    Option("v", "verbose", help="say more"),
    Option("d", "debug", help="(not modelled) tell what goes on"),
    Option("h", "help", help="print this text"),
    Option("V", "version", help="print the version"),
)
_NOT_MODELLED = ("config", "debug")
_HELP_COLUMN, _HELP_WIDTH = 24, 74


class Failed(Exception):
    """A fatal error; what the program says of it has been written."""

    def __init__(self, status: int = FATAL) -> None:
        super().__init__(status)
        self.status = status


def warn(context: Context, function: str, text: str) -> None:
    """A warning of the libraries, `function` being the one that gives it."""
    context.error(f"ibwarn: [{process_number(context)}] {function}: {text}")


def told_timeouts(context: Context, routes: Iterable[tuple[int, ...]]) -> None:
    """What libibnetdisc says of direct routes at whose end nobody answered (a run of the real one on a simulator that
    loses the packets of some nodes).
    """
    for route in routes:
        path = f"DR path slid 0; dlid 0; {','.join(map(str, (0, *route)))} Attr 0x11:0"
        context.error(f"./libibnetdisc/query_smp.c:186; umad ({path}) bad status 110; Connection timed out")


def panic(context: Context, text: str) -> Failed:
    """End at once, as the older programs do."""
    context.error(f"ibpanic: [{process_number(context)}] main: {text}")
    return Failed()


def fail(context: Context, text: str) -> Failed:
    """End with the program's own last word."""
    context.line(f"{context.name}: iberror: failed: {text}")
    return Failed()


def checks_of(context: Context, parsed: Parsed, known: Sequence[str], usual: frozenset[str]) -> frozenset[str]:
    """What --diffcheck asks to compare, or the usual. Raises Failed for a word that is not known."""
    if "diffcheck" not in parsed:
        return usual
    words = [word.lower() for word in parsed["diffcheck"].split(",") if word]
    for word in words:
        if word not in known:
            raise UsageError(f"invalid diff check key: {word}\n", USAGE)
    return frozenset(words)


def process_number(context: Context) -> int:
    """The number of the running program's process."""
    return context.world.systems[context.host].next_pid


@dataclass(frozen=True, slots=True)
class Program:
    """A program's own part: options, operands and what it does."""

    name: str
    main: Main
    options: Sequence[Option]
    operands: str
    missing: Sequence[str]
    examples: Sequence[str] = ()
    least: int = 0

    def usage(self) -> str:
        """The text for -h and after mistakes."""
        lines = ["", f"Usage: {self.name} [options] {self.operands}", "", "Options:"]
        lines += [line for option in self.options if option.long or option.short for line in _described(option)]
        if self.examples:
            lines += ["", "Examples:", *(f"  {self.name} {example}" for example in self.examples)]
        return "\n".join((*lines, "", ""))

    async def run(self, context: Context) -> int:
        """Parse, and do it."""
        parsed = parse(self.name, self.options, context.arguments, trailer=self.usage(), status=USAGE)
        if "help" in parsed:
            raise UsageError(self.usage(), USAGE)
        if "version" in parsed:
            context.error(f"{self.name} BUILD VERSION: {_version(context)}")
            return 0
        if len(parsed.operands) < self.least:
            raise UsageError(self.usage(), USAGE)
        lacking = next((name for name in (*self.missing, *_NOT_MODELLED) if name in parsed), None)
        if lacking:
            return context.not_modelled(f"{self.name} {'--' if len(lacking) > 1 else '-'}{lacking}")
        try:
            outcome = self.main(context, parsed)
            return await outcome if inspect.isawaitable(outcome) else outcome
        except Failed as failure:
            return failure.status


def program(
    name: str,
    summary: str,
    main: Main,
    *,
    options: Sequence[Option] = (),
    without: str = "",
    operands: str = "",
    missing: Sequence[str] = (),
    manual: str = "",
    examples: Sequence[str] = (),
    least: int = 0,
) -> Command:
    """The command: its own options, then the common ones but those whose letters are in `without`. With fewer than
    `least` operands it prints its usage.
    """
    every = (*options, *(option for option in _COMMON if (option.short or "") not in without))
    return Command(
        name,
        summary,
        Program(name, main, every, operands, missing, examples, least).run,
        synopsis=f"{name} [options] {operands.partition(chr(10))[0]}".rstrip(),
        options=every,
        manual=manual,
        path="/usr/sbin",
        section=8,
    )


def _described(option: Option) -> list[str]:
    """An option in the usage text: `  --name, -x <value>      what it does`, wrapped."""
    words = f"  --{option.long or option.short}" + (f", -{option.short}" if option.short else "")
    words += f" {option.argument}" if option.argument else ""
    start = f"{words:<{_HELP_COLUMN}}  "
    return wrap(option.help, _HELP_WIDTH, initial_indent=start, subsequent_indent=" " * len(start)) or [start]


def _version(context: Context) -> str:
    package = packages.installed(context.world, context.host).get(_PACKAGE)
    return upstream(package.version) if package else "unknown"
