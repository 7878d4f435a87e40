"""mokutil 0.6 (Ubuntu 24.04): Secure Boot and the keys that the machine's owner trusts. Texts: mokutil.c.

Certificates are shown with what tells them apart (fingerprint, subject); their other fields are left out.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import paths
from engine.commands.linux._support.program import PLAIN, program
from engine.commands.options import Option, Parsed
from engine.control import secure_boot
from engine.control.dkms import machine_key


async def run(ctx: Context, parsed: Parsed) -> int:
    """Answer the one question, or ask the firmware for a key."""
    if "sb_state" in parsed:
        ctx.line(f"SecureBoot {'enabled' if secure_boot.is_on(ctx.world, ctx.host) else 'disabled'}")
        return 0
    if "list_enrolled" in parsed:
        return _keys(ctx, (*secure_boot.IMAGE_KEYS, *ctx.world.systems[ctx.host].enrolled_keys))
    if "list_new" in parsed:
        return _keys(ctx, ctx.world.systems[ctx.host].requested_keys)
    if "test_key" in parsed:
        return _test(ctx, str(parsed["test_key"]))
    if "import" in parsed:
        return await _import(ctx, str(parsed["import"]))
    return ctx.not_modelled("this action of mokutil")


def _keys(ctx: Context, names: tuple[str, ...]) -> int:
    for number, name in enumerate(names, 1):
        lead = "\n" if number > 1 else ""
        ctx.line(f"{lead}[key {number}]")
        ctx.line(f"SHA1 Fingerprint: {secure_boot.fingerprint(ctx.world, name)}")
        ctx.line(f"Certificate:\n    Data:\n        Subject: CN={name}")
    return 0


def _is_key(ctx: Context, file: str) -> bool:
    return paths.absolute(ctx, file) == secure_boot.KEY_FILE


def _test(ctx: Context, file: str) -> int:
    if not _is_key(ctx, file):
        return _no_file(ctx, file)
    known = secure_boot.trusted(ctx.world, ctx.host, machine_key(ctx.host))
    ctx.line(f"{file} is {'already enrolled' if known else 'not enrolled'}")
    return 1 if known else 0


def _no_file(ctx: Context, file: str) -> int:
    if not ctx.files.exists(paths.absolute(ctx, file)):
        ctx.error(f"Failed to get file status, {file}")
        return 255
    return ctx.not_modelled("keys other than the machine's own")


async def _import(ctx: Context, file: str) -> int:
    if not ctx.is_root:
        ctx.error("Failed to enroll new keys\nThis command requires root privilege")
        return 255
    if not _is_key(ctx, file):
        return _no_file(ctx, file)
    if secure_boot.trusted(ctx.world, ctx.host, machine_key(ctx.host)):
        ctx.line(f"SKIP: {file} is already enrolled")
        return 0
    if ctx.terminal is not None:
        first = await ctx.terminal.ask("input password: ")
        second = await ctx.terminal.ask("input password again: ")
        if not first or first != second:
            ctx.error("Passwords don't match" if first else "Abort")
            return 255
    ctx.simulation.apply(secure_boot.RequestKey(ctx.host))
    return 0


COMMAND = program(
    "mokutil",
    "Secure Boot and the machine owner's keys",
    run,
    suite=PLAIN,
    options=(
        Option(None, "sb-state", help="whether Secure Boot is on"),
        Option("l", "list-enrolled", help="the keys that are trusted"),
        Option("N", "list-new", help="the keys that wait for somebody at the console"),
        Option("i", "import", "FILE", help="ask for a key to be trusted"),
        Option("t", "test-key", "FILE", help="whether a key is trusted"),
        Option(None, "disable-validation", help="(not modelled) do without signatures"),
        Option(None, "enable-validation", help="(not modelled) ask for signatures again"),
        Option("d", "delete", "FILE", help="(not modelled) trust a key no more"),
        Option(None, "reset", help="(not modelled) forget all keys"),
    ),
    manual="""
    --import only asks: somebody at the console has to confirm it with the password during the next start (MokManager).
    In this simulator remote hands do that: `hands enrol-key target=NODE`.
    """,
)
