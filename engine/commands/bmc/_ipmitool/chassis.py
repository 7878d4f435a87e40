"""`ipmitool chassis` and `power` (ipmi_chassis.c of 1.8.19)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.commands.bmc._ipmitool.session import Session
from engine.control.bmc import POLICIES, SetPolicy, ShineLight, chassis_status
from engine.control.boot import ChassisPower
from engine.kernel.units import DAY, SECOND

_POWER_HELP = "chassis power Commands: status, on, off, cycle, reset, diag, soft"
_CHASSIS_HELP = """\
Chassis Commands:
  status, power, policy, restart_cause
  poh, identify, selftest,
  bootdev, bootparam, bootmbox"""
_IDENTIFY_HELP = """\
chassis identify <interval>
                 default is 15 seconds
                 0 to turn off
                 force to turn on indefinitely"""
_POLICY_HELP = """\
chassis policy <state>
   list        : return supported policies
   always-on   : turn on when power is restored
   previous    : return to previous state when power is restored
   always-off  : stay off after power is restored"""
_ELSEWHERE = ("poh", "bootdev", "bootparam", "bootmbox")
_RESTART_CAUSES = {
    0: "unknown",
    1: "chassis power control command",
    2: "reset via pushbutton",
    3: "power-up via pushbutton",
    4: "watchdog expired",
    5: "OEM",
    6: "power-up due to always-restore power policy",
    7: "power-up due to restore-previous power policy",
    8: "reset via PEF",
    9: "power-cycle via PEF",
    10: "soft reset",
    11: "power-up via RTC wakeup",
}
"""What Get System Restart Cause answers (IPMI 2.0, table 28-11), in ipmitool's words as far as they are known here."""

_FOR_EVER = 10**6 * DAY


@dataclass(frozen=True, slots=True)
class _Order:
    """A power order: the verb of the chassis, and how the tool names it."""

    verb: str
    name: str


_ORDERS = {
    "on": _Order("on", "Up/On"),
    "up": _Order("on", "Up/On"),
    "off": _Order("off", "Down/Off"),
    "down": _Order("off", "Down/Off"),
    "cycle": _Order("cycle", "Cycle"),
    "reset": _Order("reset", "Reset"),
    "soft": _Order("soft", "Soft"),
    "acpi": _Order("soft", "Soft"),
}


def chassis(session: Session, arguments: Sequence[str]) -> int:
    """The command."""
    word, *rest = arguments or ("",)
    if word in ("", "help"):
        session.context.error(_CHASSIS_HELP)
        return 1
    if word == "status":
        return _status(session)
    if word == "power":
        return power(session, rest)
    if word == "identify":
        return _identify(session, rest)
    if word == "policy":
        return _policy(session, rest)
    if word == "restart_cause":
        cause = session.world.bmcs[session.host].restart_cause
        session.line(f"System restart cause: {_RESTART_CAUSES[cause]}")
        return 0
    if word == "selftest":
        session.line("Self Test Results    : passed")
        return 0
    if word in _ELSEWHERE:
        return session.context.not_modelled(f"ipmitool chassis {word}")
    raise session.refuse(f"Invalid chassis command: {word}")


def power(session: Session, arguments: Sequence[str]) -> int:
    """`power` and `chassis power`."""
    word = arguments[0] if arguments else "help"
    if word == "help":
        session.context.error(_POWER_HELP)
        return 0
    if word == "status":
        on = chassis_status(session.world, session.host, session.context.now).power_on
        session.line(f"Chassis Power is {'on' if on else 'off'}")
        return 0
    if word == "diag":
        return session.context.not_modelled("ipmitool chassis power diag")
    if word not in _ORDERS:
        raise session.refuse(f"Invalid chassis power command: {word}")
    return _order(session, _ORDERS[word])


def _order(session: Session, order: _Order) -> int:
    context = session.context
    if session.privilege in ("CALLBACK", "USER"):
        raise session.refuse(f"Set Chassis Power Control to {order.name} failed: Insufficient privilege level")
    refusal = context.simulation.apply(ChassisPower(session.host, order.verb, _operator(session)))
    if refusal:
        raise session.refuse(f"Set Chassis Power Control to {order.name} failed: {refusal}")
    session.line(f"Chassis Power Control: {order.name}")
    return 0


def _status(session: Session) -> int:
    status = chassis_status(session.world, session.host, session.context.now)
    rows = (
        ("System Power", "on" if status.power_on else "off"),
        ("Power Overload", "false"),
        ("Power Interlock", "inactive"),
        ("Main Power Fault", str(status.power_fault).lower()),
        ("Power Control Fault", "false"),
        ("Power Restore Policy", status.policy),
        ("Last Power Event", "ac-failed " if status.last_power_event == "ac-failed" else status.last_power_event),
        ("Chassis Intrusion", "inactive"),
        ("Front-Panel Lockout", "inactive"),
        ("Drive Fault", "false"),
        ("Cooling/Fan Fault", str(status.cooling_fault).lower()),
    )
    for name, value in rows:
        session.line(f"{name:<21}: {value}")
    return 0


def _policy(session: Session, rest: Sequence[str]) -> int:
    word = rest[0] if rest else "help"
    if word == "help":
        session.context.error(_POLICY_HELP)
        return 0
    if word == "list":
        session.line("Supported chassis power policy:  always-off always-on previous")
        return 0
    if word not in POLICIES:
        raise session.refuse(f"Invalid chassis policy: {word}")
    session.context.simulation.apply(SetPolicy(session.host, word, _operator(session)))
    session.line(f"Set chassis power restore policy to {word}")
    return 0


def _operator(session: Session) -> str:
    context = session.context
    return context.environment.get("SUDO_USER") or context.identity.name


def _shine(session: Session, duration: int) -> None:
    session.context.simulation.apply(ShineLight(session.host, duration, _operator(session)))


def _identify(session: Session, rest: Sequence[str]) -> int:
    """The blue light, for whoever stands at the racks."""
    word = rest[0] if rest else ""
    if word == "help":
        session.context.error(_IDENTIFY_HELP)
        return 1
    if word in ("", "force"):
        _shine(session, _FOR_EVER if word else 15 * SECOND)
        session.line(f"Chassis identify interval: {'indefinite' if word else 'default (15 seconds)'}")
        return 0
    if not word.isdecimal():
        raise session.refuse("Invalid interval given.")
    if int(word) > 255:
        raise session.refuse("Given interval is too big.")
    _shine(session, int(word) * SECOND)
    session.line(f"Chassis identify interval: {f'{int(word)} seconds' if int(word) else 'off'}")
    return 0
