"""systemctl of systemd 255 (Ubuntu 24.04): looking at units, and starting, stopping and enabling them.

Who is not root is refused by polkit, which asks nobody here: people log in over ssh with keys and have no password to
give.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from engine.commands.context import Context
from engine.commands.linux._support import unit_drop_ins, unit_status, unit_tree, unit_verbs
from engine.commands.linux._support.power import Going, go_down
from engine.commands.linux._support.program import SYSTEMD, program
from engine.commands.linux._support.unit_verbs import found_units, state_of
from engine.commands.options import Option, Parsed
from engine.control import processes, systemd
from engine.control.containers import device_cgroup
from engine.control.systemd import Refusal, full_name
from engine.kernel.actions import Action
from engine.kernel.units import MILLISECOND

Verb = Callable[[Context, Parsed, list[str]], Awaitable[int]]


async def run(ctx: Context, parsed: Parsed) -> int:
    """Do what the verb says; without one, list the units."""
    verb, *names = parsed.operands or ["list-units"]
    if verb in _UNMODELLED:
        return ctx.not_modelled(f"systemctl {verb}")
    action = _VERBS.get(verb)
    if action is None:
        ctx.error(f"Unknown command verb {verb}.")
        return 1
    if verb in _NEED_UNITS and not names:
        ctx.error("Too few arguments.")
        return 1
    return await action(ctx, parsed, names)


# How soon a program that cannot run says so, in ms: a guess.
_UNTIL_REFUSED = 300


def _acting(verb: str, make: Callable[[Context, str], Action], *, waits: bool = True) -> Verb:
    """A verb that changes units."""

    async def act(ctx: Context, parsed: Parsed, names: list[str]) -> int:
        status = 0
        for name in names:
            if not ctx.is_root:
                status = _refuse(ctx, verb, full_name(name))
                continue
            refusal: Refusal | None = ctx.simulation.apply(make(ctx, name))
            unit = systemd.find(ctx.world, ctx.host, name)
            if unit and waits and "no_block" not in parsed:
                await ctx.sleep((_UNTIL_REFUSED if refusal else unit.takes) * MILLISECOND)
            if refusal:
                ctx.error(refusal.text)
                status = refusal.status
        return status

    return act


def _refuse(ctx: Context, verb: str, name: str) -> int:
    """polkit's refusal."""
    if verb in ("enable", "disable", "revert"):
        ctx.error(f"Failed to {verb} unit: Interactive authentication required.")
    elif verb in ("daemon-reload", "reset-failed"):
        what = "reload daemon" if verb == "daemon-reload" else "reset failed state"
        ctx.error(f"Failed to {what}: Interactive authentication required.")
    else:
        ctx.error(f"Failed to {verb} {name}: Interactive authentication required.")
        ctx.error(f"See system logs and 'systemctl status {name}' for details.")
    return 1


def _by(ctx: Context) -> str:
    return ctx.environment.get("SUDO_USER") or ctx.identity.name


_start = _acting("start", lambda ctx, name: systemd.StartUnit(ctx.host, name, _by(ctx)))
_stop = _acting("stop", lambda ctx, name: systemd.StopUnit(ctx.host, name, _by(ctx)))
_restart = _acting("restart", lambda ctx, name: systemd.RestartUnit(ctx.host, name, _by(ctx)))
_enable_files = _acting("enable", lambda ctx, name: systemd.EnableUnit(ctx.host, name, _by(ctx)), waits=False)
_disable_files = _acting("disable", lambda ctx, name: systemd.DisableUnit(ctx.host, name, _by(ctx)), waits=False)


async def _enable(ctx: Context, parsed: Parsed, names: list[str]) -> int:
    before = {name: systemd.find(ctx.world, ctx.host, name) for name in names}
    new = [unit for unit in before.values() if unit and not unit.static and not state_of(ctx, unit).enabled]
    status = await _enable_files(ctx, parsed, names)
    for unit in new if status == 0 else []:
        link = f"/etc/systemd/system/{unit.wanted_by}.wants/{unit.name}"
        ctx.error(f"Created symlink {link} → {unit.folder}/{unit.name}.")
    return await _start(ctx, parsed, names) if status == 0 and "now" in parsed else status


async def _disable(ctx: Context, parsed: Parsed, names: list[str]) -> int:
    old = [unit for name in names if (unit := systemd.find(ctx.world, ctx.host, name)) and state_of(ctx, unit).enabled]
    status = await _disable_files(ctx, parsed, names)
    for unit in old if status == 0 else []:
        if not unit.static:
            ctx.error(f'Removed "/etc/systemd/system/{unit.wanted_by}.wants/{unit.name}".')
    return await _stop(ctx, parsed, names) if status == 0 and "now" in parsed else status


async def _try_restart(ctx: Context, parsed: Parsed, names: list[str]) -> int:
    running = [name for name in names if systemd.is_active(ctx.world, ctx.host, name)]
    return await _restart(ctx, parsed, running)


async def _reload(ctx: Context, parsed: Parsed, names: list[str]) -> int:
    for name in names:
        if not ctx.is_root:
            return _refuse(ctx, "reload", full_name(name))
        if systemd.find(ctx.world, ctx.host, name) is None:
            ctx.error(f"Failed to reload {full_name(name)}: Unit {full_name(name)} not found.")
            return 5
    return ctx.not_modelled(
        "systemctl reload: programs here read their configuration when it is needed, or at a restart"
    )


async def _daemon_reload(ctx: Context, parsed: Parsed, names: list[str]) -> int:
    if not ctx.is_root:
        return _refuse(ctx, "daemon-reload", "")
    ctx.simulation.apply(device_cgroup.ReloadManager(ctx.host, ctx.world.systems[ctx.host].next_pid))
    return 0


async def _reset_failed(ctx: Context, parsed: Parsed, names: list[str]) -> int:
    if not ctx.is_root:
        return _refuse(ctx, "reset-failed", "")
    status = 0
    for name in names or [""]:
        refusal: Refusal | None = ctx.simulation.apply(systemd.ResetFailed(ctx.host, full_name(name) if name else ""))
        if refusal:
            ctx.error(refusal.text)
            status = refusal.status
    return status


async def _kill(ctx: Context, parsed: Parsed, names: list[str]) -> int:
    from engine.commands.linux._support.signals import signal_number

    number = signal_number(parsed["signal"] or "TERM")
    if number is None:
        ctx.error(f"Failed to parse signal string {parsed['signal']}.")
        return 1
    for name in names:
        if not ctx.is_root:
            return _refuse(ctx, "kill", full_name(name))
        for unit in found_units(ctx, name):
            for process in unit_status.unit_processes(ctx, unit):
                ctx.simulation.apply(processes.Kill(ctx.host, process.pid, number, "root"))
    return 0


async def _revert(ctx: Context, parsed: Parsed, names: list[str]) -> int:
    if not ctx.is_root:
        return _refuse(ctx, "revert", full_name(names[0]))
    return unit_drop_ins.revert(ctx, names)


async def _get_default(ctx: Context, parsed: Parsed, names: list[str]) -> int:
    ctx.line("graphical.target")
    return 0


async def _system_running(ctx: Context, parsed: Parsed, names: list[str]) -> int:
    state = unit_status.system_state(ctx)
    ctx.line(state)
    return 0 if state == "running" else 1


async def _list_jobs(ctx: Context, parsed: Parsed, names: list[str]) -> int:
    ctx.line("No jobs running.")
    return 0


def _going(how: Going) -> Verb:
    async def act(ctx: Context, parsed: Parsed, names: list[str]) -> int:
        return await go_down(ctx, how)

    return act


_VERBS: dict[str, Verb] = {
    "status": unit_verbs.status, "is-active": unit_verbs.is_active, "is-failed": unit_verbs.is_failed,
    "is-enabled": unit_verbs.is_enabled,
    "show": unit_verbs.show_properties, "cat": unit_verbs.cat, "list-units": unit_verbs.list_units,
    "list-unit-files": unit_verbs.list_unit_files, "list-dependencies": unit_tree.list_dependencies,
    "start": _start, "stop": _stop, "restart": _restart, "try-restart": _try_restart, "condrestart": _try_restart,
    "reload": _reload, "reload-or-restart": _restart, "enable": _enable, "disable": _disable,
    "daemon-reload": _daemon_reload, "daemon-reexec": _daemon_reload, "reset-failed": _reset_failed, "kill": _kill,
    "revert": _revert, "get-default": _get_default, "is-system-running": _system_running, "list-jobs": _list_jobs,
    "reboot": _going(Going.REBOOT), "poweroff": _going(Going.POWER_OFF), "halt": _going(Going.POWER_OFF),
}  # fmt: skip
_NEED_UNITS = ("is-active", "is-enabled", "cat", "start", "stop", "restart", "try-restart", "condrestart", "reload",
               "reload-or-restart", "enable", "disable", "kill", "revert")  # fmt: skip
_UNMODELLED = (
    "mask", "unmask", "edit", "link", "preset", "set-property", "isolate", "rescue", "emergency",
    "set-default", "list-timers", "list-sockets", "list-machines", "suspend", "hibernate",
    "freeze", "thaw", "clean", "import-environment", "show-environment", "set-environment", "log-level",
    "kexec", "soft-reboot", "switch-root", "add-wants", "add-requires", "reenable", "list-paths",
    "list-automounts", "help", "cancel",
)  # fmt: skip

OPTIONS = (
    Option("a", "all", help="inactive units too"),
    Option("t", "type", "TYPE", help="only units of this type"),
    Option(None, "state", "STATE", help="only units in this state"),
    Option(None, "failed", help="only failed units"),
    Option("p", "property", "NAME", help="only this property"),
    Option(None, "value", help="with -p, only the values"),
    Option("l", "full", help="do not shorten"),
    Option("n", "lines", "N", help="with status, the last N journal entries, 10 if not given"),
    Option("o", "output", "MODE", help="with status, how entries are shown"),
    Option("q", "quiet", help="no output"),
    Option(None, "reverse", help="with list-dependencies, who pulls a unit in"),
    Option(None, "after", help="with list-dependencies, what a unit waits for"),
    Option(None, "no-pager", help="not through a pager"),
    Option(None, "no-legend", help="no header and footer"),
    Option(None, "plain", help="lists without signs"),
    Option(None, "no-block", help="do not wait until it is done"),
    Option(None, "now", help="with enable and disable, start or stop too"),
    Option("s", "signal", "SIGNAL", help="with kill, which signal"),
    Option(None, "kill-whom", "WHOM", help="with kill, which processes"),
    Option("f", "force", help="whatever stands against it"),
    Option("i", None, name="ignore_inhibitors", help="with reboot, do not ask others"),
    Option(None, "system", help="the system's manager, as is usual"),
    Option(None, "no-wall", help="tell nobody"),
    Option(None, "no-ask-password", help="do not ask for passwords"),
    Option("r", "recursive", help="with containers"),
    Option("H", "host", "HOST", help="on another host"),
)


def _complete(ctx: Context, words: Sequence[str]) -> Sequence[str]:
    """Verbs first, then units."""
    plain = [word for word in words[:-1] if not word.startswith("-")]
    return systemd.units(ctx.world, ctx.host) if plain else list(_VERBS)


COMMAND = program(
    "systemctl",
    "look at and control the system's services",
    run,
    suite=SYSTEMD,
    synopsis="systemctl [OPTION]... COMMAND [UNIT]...",
    options=OPTIONS,
    complete=_complete,
    manual="""
    COMMAND: status, is-active, is-enabled, is-failed, show, cat, list-units, list-unit-files, list-dependencies;
    start, stop, restart,
    enable, disable, kill, reset-failed, daemon-reload; reboot, poweroff. A UNIT without a suffix is a service.
    Changing anything needs root: use sudo.

    status returns 0 for a running unit, 3 for one that does not run, 4 for one that is not there.
    """,
)
