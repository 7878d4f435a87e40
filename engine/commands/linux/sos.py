"""sos of sosreport 4.5.6 (Ubuntu 24.04): `sos report` collects what support asks for into an archive in /tmp.

Texts and the layout of the archive (the host's paths, sos_commands/PLUGIN, sos_reports, sos_logs) follow sos 4; where
the versions of it differ in a word, which one 4.5.6 has is a guess, as is how long it takes. A command that ends with
"command not found", or that breakfix does not model, leaves no file. The archive is stored, not compressed, inside
xz's form.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from hashlib import sha256

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import paths, tape
from engine.commands.linux._support.clock import shown
from engine.commands.linux._support.sos_plugins import PLUGINS, Plugin
from engine.commands.linux._support.tape import Member
from engine.commands.options import Option, Parsed, parse
from engine.commands.streams import Capture, NoInput
from engine.hostfs.tree import FileError, FileKind
from engine.kernel.random import hash64
from engine.kernel.units import SECOND

_VERSION = "4.5.6"
_LETTERS = 7
_EACH_TAKES = 3 * SECOND
_THREADS = 4
_NOTHING_KEPT = (125, 127)
_USAGE = "usage: sos <component> [options]\n\nsos: error: argument component: invalid choice: {given!r} (choose from"
_COMPONENTS = ("report", "rep", "clean", "cleaner", "mask", "help", "collect", "collector")
_OPTIONS = (
    Option(None, "batch", help="ask nothing"),
    Option("a", "alloptions", help="(not modelled) turn on every plugin's options"),
    Option(None, "all-logs", help="collect all logs, whatever their size"),
    Option("o", "only-plugins", "PLUGNAMES", help="run these plugins alone"),
    Option("e", "enable-plugins", "PLUGNAMES", help="run these plugins too"),
    Option("n", "skip-plugins", "PLUGNAMES", help="leave these plugins out"),
    Option("l", "list-plugins", help="list the plugins"),
    Option(None, "case-id", "ID", help="the number of the support case"),
    Option(None, "label", "LABEL", help="a word in the archive's name"),
    Option(None, "tmp-dir", "DIR", help="where the archive is written, instead of /tmp"),
    Option("z", "compression-type", "TYPE", help="auto, xz or gzip"),
    Option("q", "quiet", help="print the archive's name alone"),
    Option("v", "verbose", help="say more"),
    Option(None, "clean", help="(not modelled) hide names and addresses"),
    Option(None, "upload", help="(not modelled) send the archive to the vendor"),
    Option("h", "help", help="print this text"),
)
_BANNER = """\
This command will collect system configuration and diagnostic
information from this Ubuntu system.

For more information on Canonical visit:

  Community Website  : https://www.ubuntu.com/
  Commercial Support : https://www.canonical.com

The generated archive may contain data considered sensitive and its
content should be reviewed by the originating organization before being
passed to any third party.

No changes will be made to system configuration.

"""


@dataclass(slots=True)
class _Collected:
    """What goes into the archive, and for each plugin what was taken and run."""

    root: str
    time: int
    members: dict[str, Member] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)
    log: list[str] = field(default_factory=list)

    def add(self, path: str, content: bytes, mode: int = 0o644, modified: int | None = None) -> None:
        """A file, with the directories above it."""
        parts = f"{self.root}/{path.lstrip('/')}".split("/")
        for depth in range(1, len(parts)):
            above = "/".join(parts[:depth])
            self.members.setdefault(above, Member(above, "d", 0o700 if depth == 1 else 0o755, self.time))
        name = "/".join(parts)
        self.members[name] = Member(name, "-", mode, self.time if modified is None else modified, content)


async def run(ctx: Context) -> int:
    """`sos report`; the other components are not modelled."""
    component, *_ = ctx.arguments or ("",)
    if component in ("-h", "--help", ""):
        ctx.line(
            "usage: sos <component> [options]\n\nAvailable components:\n\treport, rep\tCollect files and command output"
        )
        return 0
    if component in ("report", "rep"):
        return await report(ctx, ctx.arguments[1:])
    if component in _COMPONENTS:
        return ctx.not_modelled(f"sos {component}")
    ctx.error(f"{_USAGE.format(given=component)} {', '.join(map(repr, _COMPONENTS))})")
    return 2


async def report(ctx: Context, arguments: tuple[str, ...]) -> int:
    """`sos report`, also called `sosreport`."""
    parsed = parse("sos report", _OPTIONS, arguments, status=2)
    if "help" in parsed:
        ctx.line("usage: sos report [options]\n\n" + "\n".join(f"  --{one.long}: {one.help}" for one in _OPTIONS))
        return 0
    for key in ("alloptions", "clean", "upload"):
        if key in parsed:
            return ctx.not_modelled(f"sos report --{key}")
    if not ctx.is_root:
        ctx.line("Could not initialize 'report': Component must be run with root privileges")
        return 1
    say = (lambda text="": None) if "quiet" in parsed else ctx.line
    say(f"\nsosreport (version {_VERSION})\n")
    plugins = _active(ctx)
    if "list_plugins" in parsed:
        ctx.line("The following plugins are currently enabled:\n")
        for plugin in plugins:
            ctx.line(f" {plugin.name}")
        return 0
    unknown = _unknown(parsed)
    if unknown:
        ctx.line(f"a non-existing plugin ({unknown}) was specified in the command line.")
        return 1
    if not await _agreed(ctx, parsed):
        return 130
    chosen = _chosen(plugins, parsed)
    if not chosen:
        ctx.line("no valid plugins were enabled")
        return 1
    return await _collect(ctx, parsed, chosen)


def _active(ctx: Context) -> list[Plugin]:
    tree = paths.tree(ctx)
    return [one for one in PLUGINS if not one.needs or any(tree.exists(path) for path in one.needs)]


def _names(parsed: Parsed, key: str) -> list[str]:
    return [name for value in parsed.all(key) for name in value.split(",") if name]


def _unknown(parsed: Parsed) -> str | None:
    known = {plugin.name for plugin in PLUGINS}
    asked = [name for key in ("only_plugins", "enable_plugins", "skip_plugins") for name in _names(parsed, key)]
    return next((name for name in asked if name not in known), None)


def _chosen(plugins: list[Plugin], parsed: Parsed) -> list[Plugin]:
    only, skipped = _names(parsed, "only_plugins"), _names(parsed, "skip_plugins")
    more = _names(parsed, "enable_plugins")
    wanted = [one for one in PLUGINS if one in plugins or one.name in more or one.name in only]
    return [one for one in wanted if (not only or one.name in (*only, *more)) and one.name not in skipped]


async def _agreed(ctx: Context, parsed: Parsed) -> bool:
    """Whether the learner goes on after the banner; without a terminal, or with --batch, nobody is asked."""
    if "quiet" not in parsed:
        ctx.write(_BANNER)
    if "batch" in parsed or ctx.terminal is None:
        return True
    await ctx.flush()
    if await ctx.terminal.ask("Press ENTER to continue, or CTRL-C to quit.\n") is None:
        ctx.line("Exiting on user cancel")
        return False
    if "case_id" not in parsed:
        await ctx.terminal.ask("Optionally, please enter the case id that you are generating this report for []: ")
    return True


async def _collect(ctx: Context, parsed: Parsed, plugins: list[Plugin]) -> int:
    quiet = "quiet" in parsed
    kept = _Collected(_archive_name(ctx, parsed), ctx.epoch)
    if not quiet:
        ctx.line("\n Setting up archive ...\n Setting up plugins ...\n Running plugins. Please wait ...\n")
    names = [plugin.name for plugin in plugins]
    for number, plugin in enumerate(plugins, 1):
        running = names[max(0, number - _THREADS) : number]
        line = f"  Starting {f'{number}/{len(plugins)}':<5} {plugin.name:<15} [Running: {' '.join(running)}]"
        if not quiet:
            ctx.write(f"{line}\n" if "batch" in parsed else f"\r{line:<90}")
        await ctx.sleep(_EACH_TAKES)
        await _run_plugin(ctx, parsed, plugin, kept)
    if not quiet:
        ctx.write("  Finished running plugins\n" if "batch" in parsed else f"\r{'  Finished running plugins':<90}\n")
        ctx.line("Creating compressed archive...")
    return _pack(ctx, parsed, kept)


def _archive_name(ctx: Context, parsed: Parsed) -> str:
    number = hash64("sos report", ctx.world.seed, ctx.host, ctx.now)
    letters = "".join(chr(ord("a") + number // 26**place % 26) for place in range(_LETTERS))
    middle = "".join(f"-{parsed[key]}" for key in ("label", "case_id") if parsed[key])
    return f"sosreport-{ctx.host}{middle}-{shown(ctx, ctx.epoch, '%Y-%m-%d')}-{letters}"


async def _run_plugin(ctx: Context, parsed: Parsed, plugin: Plugin, kept: _Collected) -> None:
    stamp = shown(ctx, ctx.epoch, "%Y-%m-%d %H:%M:%S,000")
    kept.log.append(f"{stamp} INFO: [plugin:{plugin.name}] collecting")
    files, commands = [], []
    for path in [*plugin.files, *plugin.logs, *_older(ctx, parsed, plugin)]:
        if _copy(ctx, path, kept):
            files.append(path)
    for line in plugin.commands:
        content = Capture()
        status = await ctx.runner.script(line, ctx.place, stdin=NoInput(), stdout=content, stderr=content)
        if status not in _NOTHING_KEPT:
            kept.add(f"sos_commands/{plugin.name}/{file_name(line)}", bytes(content.data))
            commands.append(line)
    kept.told.append(_told(plugin.name, files, commands))


def _older(ctx: Context, parsed: Parsed, plugin: Plugin) -> list[str]:
    """The older parts of the plugin's logs, with --all-logs."""
    found = []
    for log in plugin.logs if "all_logs" in parsed else ():
        folder, _, name = log.rpartition("/")
        try:
            entries = paths.tree(ctx).entries(folder)
        except FileError:
            continue
        found += [f"{folder}/{entry}" for entry, _ in entries if entry.startswith(f"{name}.")]
    return found


def _copy(ctx: Context, path: str, kept: _Collected) -> bool:
    tree = paths.tree(ctx)
    try:
        stat = tree.stat(path)
        if stat.kind is not FileKind.FILE:
            return False
        kept.add(path, tree.read(path), stat.mode, stat.modified)
    except FileError:
        return False
    return True


def file_name(line: str) -> str:
    """The file that a command's output lies in: `ip -o addr` is ip_-o_addr."""
    return re.sub(r"[^\w\-./]+", "_", line).replace("/", ".").strip(" ._-")


def _told(name: str, files: list[str], commands: list[str]) -> str:
    """A plugin's part of sos_reports/sos.txt."""
    parts = [f"{name}\n{'=' * len(name)}\n"]
    parts += ["- commands executed:\n" + "".join(f"  * {line}\n" for line in commands)] if commands else []
    parts += ["- files copied:\n" + "".join(f"  * {path}\n" for path in files)] if files else []
    return "\n".join(parts)


def _pack(ctx: Context, parsed: Parsed, kept: _Collected) -> int:
    kept.add("version.txt", f"sosreport: {_VERSION}\n".encode())
    kept.add("sos_logs/sos.log", ("\n".join(kept.log) + "\n").encode())
    kept.add("sos_reports/sos.txt", "\n".join(kept.told).encode())
    form = "gzip" if parsed["compression_type"] == "gzip" else "xz"
    data = tape.packed(tape.archived(list(kept.members.values())), form)
    folder = (parsed["tmp_dir"] or "/tmp").rstrip("/")
    target = f"{folder}/{kept.root}.tar.{'gz' if form == 'gzip' else 'xz'}"
    checksum = sha256(data).hexdigest()
    tree = paths.tree(ctx)
    try:
        for path, content in ((target, data), (f"{target}.sha256", f"{checksum}\n".encode())):
            tree.write(path, content)
            tree.set_mode(path, 0o600)
    except FileError as error:
        ctx.line(f"\n {error.text} while finalizing archive {target}\n")
        return 1
    if "quiet" in parsed:
        ctx.line(f"Your sosreport has been generated and saved in:\n\t{target}\n")
        return 0
    ctx.line(f"\nYour sosreport has been generated and saved in:\n\t{target}\n")
    ctx.line(f" Size\t{_readable(len(data))}\n Owner\troot\n sha256\t{checksum}\n")
    ctx.line("Please send this file to your support representative.\n")
    return 0


def _readable(size: int) -> str:
    """A size as sos words it."""
    for number, unit in enumerate(("B", "KiB", "MiB", "GiB")):
        if size <= 1024 ** (number + 1) or unit == "GiB":
            return f"{size / 1024**number:.2f}{unit}"
    raise AssertionError


COMMAND = Command(
    "sos",
    "collect what support needs",
    run,
    "sos report [OPTION]...",
    _OPTIONS,
    "Needs root. sos report --batch asks nothing; the archive lies in /tmp and tar tf lists what is in it.",
)
