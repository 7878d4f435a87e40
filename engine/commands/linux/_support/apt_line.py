"""The command lines of apt, apt-get, apt-cache and apt-mark (apt 2.7), read and refused as apt 2.6 does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.commands.context import Context
from engine.commands.linux._support import dpkg_database
from engine.commands.options import Option, UsageError, option_lines

WRONG = 100
_WITH_VALUE = {"o": "option", "option": "option", "c": "config-file", "config-file": "config-file", "t": "release",
               "target-release": "release", "default-release": "release", "a": "host-architecture"}  # fmt: skip
_FLAGS = {
    "y": "yes", "yes": "yes", "assume-yes": "yes", "assume-no": "no", "q": "quiet", "quiet": "quiet", "s": "simulate",
    "simulate": "simulate", "dry-run": "simulate", "just-print": "simulate", "recon": "simulate", "no-act": "simulate",
    "V": "versions", "verbose-versions": "versions", "f": "fix", "fix-broken": "fix", "m": "missing",
    "fix-missing": "missing", "d": "download", "download-only": "download", "u": "upgraded",
    "allow-downgrades": "downgrades",
    "allow-change-held-packages": "held", "only-upgrade": "only_upgrade", "no-install-recommends": "recommends",
    "install-recommends": "recommends", "reinstall": "reinstall", "purge": "purge", "no-upgrade": "no_upgrade",
    "autoremove": "autoremove", "auto-remove": "autoremove", "force-yes": "yes", "allow-unauthenticated": "trust",
    "with-new-pkgs": "new", "installed": "installed", "upgradable": "upgradable", "upgradeable": "upgradable",
    "all-versions": "all", "manual-installed": "manual", "names-only": "names", "n": "names", "full": "full",
    "no-all-versions": "one", "show-progress": "progress", "no-show-progress": "progress", "qq": "quiet",
}  # fmt: skip


@dataclass(slots=True)
class Line:
    """What was typed: the verb, its words, and flags that were given."""

    verb: str = ""
    words: list[str] = field(default_factory=list)
    flags: set[str] = field(default_factory=set)

    def __contains__(self, flag: str) -> bool:
        return flag in self.flags


def read(ctx: Context, extra: Mapping[str, str] | None = None) -> Line:
    """The line; `extra` gives a tool's own meaning of letters. Raises UsageError."""
    line, queue, flags = Line(), list(ctx.arguments), {**_FLAGS, **(extra or {})}
    while queue:
        word = queue.pop(0)
        if not word.startswith("-") or word == "-":
            if line.verb:
                line.words.append(word)
            else:
                line.verb = word
        elif word.startswith("--"):
            _long(line, word[2:], queue, flags)
        else:
            _short(line, word, queue, flags)
    return line


def _long(line: Line, text: str, queue: list[str], flags: Mapping[str, str]) -> None:
    name, equals, _ = text.partition("=")
    if name in ("help", "version"):
        line.flags.add(name)
    elif name in _WITH_VALUE:
        if not equals and not queue:
            raise refuse(f"Option --{name} requires an argument.")
        del queue[: 0 if equals else 1]
    elif name in flags and len(name) > 1:
        line.flags.add(flags[name])
    else:
        raise refuse(f"Command line option --{name} is not understood in combination with the other options")


def _short(line: Line, word: str, queue: list[str], flags: Mapping[str, str]) -> None:
    letters = word[1:]
    while letters:
        letter, letters = letters[0], letters[1:]
        if letter in ("h", "v"):
            line.flags.add("help" if letter == "h" else "version")
        elif letter in flags:
            line.flags.add(flags[letter])
        elif letter in _WITH_VALUE:
            if not letters and not queue:
                raise refuse(f"Option -{letter} requires an argument.")
            del queue[: 0 if letters else 1]
            return
        else:
            text = (
                f"Command line option '{letter}' [from {word}] is not understood in combination with the other options."
            )
            raise refuse(text)


def refuse(*texts: str) -> UsageError:
    """`E: ...` lines and status 100."""
    return UsageError("".join(f"E: {text}\n" for text in texts), WRONG)


def greet(ctx: Context, line: Line, verbs: Mapping[str, str], options: tuple[Option, ...]) -> int | None:
    """Answer --help and --version, and a line without a verb. None: there is something to do."""
    if "version" in line:
        ctx.line(_version(ctx))
        return 0
    if line.verb in verbs and "help" not in line:
        return None
    if line.verb and line.verb != "help" and "help" not in line:
        raise refuse(f"Invalid operation {line.verb}")
    width = max(map(len, verbs))
    ctx.line(_version(ctx))
    ctx.line(f"Usage: {ctx.name} [OPTION]... COMMAND [PACKAGE]...\n\nCommands:")
    for name, summary in verbs.items():
        ctx.line(f"  {name:<{width}}  {summary}")
    ctx.line("\n".join(["\nOptions:", *option_lines(options), "", f"The manual: man {ctx.name}"]))
    return 0 if line.verb == "help" or "help" in line else 1


async def warn_unstable(ctx: Context) -> None:
    """What apt says before anything else whenever its output does not go to a terminal."""
    if ctx.terminal is None:
        ctx.error("\nWARNING: apt does not have a stable CLI interface. Use with caution in scripts.\n")
        await ctx.flush()


def done(ctx: Context) -> str:
    """What stands after a finished step; only terminals get to see it."""
    return " Done" if ctx.terminal else ""


def _version(ctx: Context) -> str:
    version = dpkg_database.installed(ctx)["apt"].version.partition("build")[0]
    return f"apt {version} (amd64)"
