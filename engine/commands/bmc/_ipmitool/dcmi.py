"""`ipmitool dcmi`: what the whole machine draws (ipmi_dcmi.c of 1.8.19).

Least, most and mean are those of the last second, which is the period that the figures are read over here.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.commands.bmc._ipmitool.session import Session
from engine.control.bmc import clock
from engine.kernel.units import MILLISECOND, SECOND
from engine.physics.power import EFFICIENCY, node_draw

_COMMANDS = (
    ("discover", "Used to discover supported DCMI capabilities"),
    ("power", "Platform power limit command options"),
    ("sensors", "Prints the available DCMI sensors"),
    ("asset_tag", "Prints the platform's asset tag"),
    ("set_asset_tag", "Sets the platform's asset tag"),
    ("get_mc_id_string", "Get management controller ID string"),
    ("set_mc_id_string", "Set management controller ID string"),
    ("thermalpolicy", "Thermal policy get/set"),
    ("get_temp_reading", "Get Temperature Readings"),
    ("get_conf_param", "Get DCMI Config Parameters"),
    ("set_conf_param", "Set DCMI Config Parameters"),
    ("oob_discover", "Ping/Pong Message for DCMI Discovery"),
)
_POWER = (
    ("reading", "Get power related readings from the system"),
    ("get_limit", "Get the configured power limits"),
    ("set_limit", "Set a power limit option"),
    ("activate", "Activate the set power limit"),
    ("deactivate", "Deactivate the set power limit"),
)
_STEPS = 8


def dcmi(session: Session, arguments: Sequence[str]) -> int:
    """The command: `power reading` alone is there."""
    word, *rest = arguments or ("help",)
    if word == "power" and rest[:1] == ["reading"] and len(rest) == 1:
        return _reading(session)
    if word == "power" and not rest:
        _usage(session, "power <command>", _POWER)
        return 1
    if word in dict(_COMMANDS):
        return session.context.not_modelled(f"ipmitool dcmi {' '.join(arguments)}")
    _usage(session, "Data Center Management Interface commands", _COMMANDS)
    return int(word != "help")


def _usage(session: Session, title: str, rows: Sequence[tuple[str, str]]) -> None:
    session.context.error(f"\n{title}")
    for name, text in rows:
        session.context.error(f"    {name}    {text}")


def _reading(session: Session) -> int:
    world, host, now = session.world, session.host, session.context.now
    draws = [
        node_draw(world, host, max(0, now - step * SECOND // _STEPS)) * 1000 // EFFICIENCY for step in range(_STEPS)
    ]
    watts = [(draw + 500) // 1000 for draw in draws]
    rows = (
        ("Instantaneous power reading:", watts[0]),
        ("Minimum during sampling period:", min(watts)),
        ("Maximum during sampling period:", max(watts)),
        ("Average power reading over sample period:", sum(watts) // _STEPS),
    )
    session.line()
    for title, value in rows:
        session.line(f"    {title:<41} {value:8d} Watts")
    stamp = session.moment(clock(world, host, now))
    session.line(
        f"    {'IPMI timestamp:':<41} {stamp}    {'Sampling period:':<41} {SECOND // MILLISECOND // 1000:08d} Seconds."
    )
    session.line(f"    {'Power reading state is:':<41} activated\n")
    session.line()
    return 0
