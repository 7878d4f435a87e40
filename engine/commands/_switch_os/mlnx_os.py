"""MLNX-OS, the operating system of managed InfiniBand switches: modes, and the commands that concern their subnet
manager, ports, sensors (`chassis`) and log.

Sources: NVIDIA's user manual of MLNX-OS 3.10 to 3.12 (SM commands: `show ib sm` answers `enable` or `disable`; modes
and prompts; fields of a port) and a published output of `show version`. Guesses: columns of `show interfaces ib
status`, the release, which follows the firmware, and log lines, which are syslog's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.commands._switch_os import chassis
from engine.commands._switch_os.words import CONFIG, ENABLE, STANDARD, Act, Entry
from engine.commands.context import Context
from engine.control import journald
from engine.control.subnet_manager.on_switches import SetSwitchManager
from engine.kernel.calendar import local
from engine.physics import links, port_counters
from engine.world.inventory import Switch

GREETING = ("", "NVIDIA MLNX-OS Switch Management", "")
_RELEASE, _BUILT = "3.12.1002", "2024-05-22 16:54:08"
_PROMPTS = {STANDARD: ">", ENABLE: "#", CONFIG: "(config) #"}
_HIGHEST_PRIORITY = 15
_COUNTERS = (
    ("RX bytes", "port_rcv_data"), ("RX packets", "port_rcv_packets"), ("RX errors", "port_rcv_errors"),
    ("Symbol errors", "symbol_error"), ("VL15 dropped packets", "VL15_dropped"),
    ("TX bytes", "port_xmit_data"), ("TX packets", "port_xmit_packets"), ("TX wait", "port_xmit_wait"),
    ("TX discarded packets", "port_xmit_discards"),
)  # fmt: skip


@dataclass(slots=True)
class Shell:
    """A session: on which switch, in which mode, and whether it is over."""

    ctx: Context
    name: str
    mode: int = STANDARD
    over: bool = False

    @property
    def switch(self) -> Switch:
        """The switch that the session is on."""
        return self.ctx.inventory.switches[self.name]

    @property
    def prompt(self) -> str:
        """What stands before the next line."""
        return f"{self.name} {_PROMPTS[self.mode]} "


def _to(mode: int) -> Act:
    def change(shell: Shell, _: list[str]) -> None:
        shell.mode = mode

    return change


def _exit(shell: Shell, _: list[str]) -> None:
    if shell.mode == CONFIG:
        shell.mode = ENABLE
    else:
        shell.over = True


def _show_manager(shell: Shell, _: list[str]) -> None:
    shell.ctx.line("enable" if shell.ctx.world.managers[shell.name].enabled else "disable")


def _show_priority(shell: Shell, _: list[str]) -> None:
    shell.ctx.line(str(shell.ctx.world.managers[shell.name].priority))


def _manager_on(shell: Shell, _: list[str]) -> None:
    shell.ctx.simulation.apply(SetSwitchManager(shell.name, enabled=True))


def _manager_off(shell: Shell, _: list[str]) -> None:
    shell.ctx.simulation.apply(SetSwitchManager(shell.name, enabled=False))


def _set_priority(shell: Shell, values: list[str]) -> None:
    if not values[0].isdigit() or int(values[0]) > _HIGHEST_PRIORITY:
        shell.ctx.line(f"% Invalid priority: {values[0]}")
        return
    shell.ctx.simulation.apply(SetSwitchManager(shell.name, priority=int(values[0])))


def _no_priority(shell: Shell, _: list[str]) -> None:
    shell.ctx.simulation.apply(SetSwitchManager(shell.name, priority=0))


def _show_version(shell: Shell, _: list[str]) -> None:
    host = f"{shell.switch.guid >> 16 & 0xFFFFFFFFFFFF:012X}"
    values = {
        "Product name": "MLNX-OS",
        "Product release": _RELEASE,
        "Build ID": "#1-dev",
        "Build date": _BUILT,
        "Target arch": "x86_64",
        "Target hw": "x86_64",
        "Built by": "sw-r2d2-bot@f1a6dc83f2f5",
        "Version summary": f"X86_64 {_RELEASE} {_BUILT} x86_64",
        "": "",
        "Product model": "x86onie",
        "Host ID": host,
    }
    for name, value in values.items():
        shell.ctx.line(f"{name + ':':<18} {value}" if name else "")
    shell.ctx.line()
    shell.ctx.line(f"{'Uptime:':<18} {chassis.span(shell.ctx.now + chassis.UP_BEFORE)}")


def _show_uptime(shell: Shell, _: list[str]) -> None:
    shell.ctx.line(chassis.span(shell.ctx.now + chassis.UP_BEFORE))


def _parts(look: Callable[[str, int], list[str]]) -> Act:
    def show(shell: Shell, _: list[str]) -> None:
        for line in look(shell.name, shell.ctx.now):
            shell.ctx.line(line)

    return show


def _label(number: int) -> str:
    """A port as MLNX-OS names it on a switch with two ports in a cage: 1/cage/port."""
    return f"IB1/{(number + 1) // 2}/{2 - number % 2}"


def _port_number(label: str) -> int | None:
    parts = label.upper().removeprefix("IB").split("/")
    if len(parts) != 3 or not all(part.isdigit() for part in parts) or parts[0] != "1" or parts[2] not in ("1", "2"):
        return None
    return int(parts[1]) * 2 - 2 + int(parts[2])


def _show_ports(shell: Shell, _: list[str]) -> None:
    world = shell.ctx.world
    row = "{:<14}{:<22}{:<10}{:<20}{:<22}{}"
    heads = ("Interface", "Description", "Speed", "Current line rate", "Logical port state", "Physical port state")
    shell.ctx.line(row.format(*heads))
    shell.ctx.line(row.format(*("-" * len(head) for head in heads)))
    for number in range(1, shell.switch.outer_ports + 1):
        port = f"{shell.name}/{number}"
        up = links.link_up(world, port)
        speed = links.generation(world, port).name.lower() if up else "-"
        rate = f"{links.rate(world, port)}.0 Gbps" if up else "-"
        states = links.logical_state(world, port).value[1], links.physical_state(world, port).value[1]
        shell.ctx.line(row.format(_label(number), "", speed, rate, *states))


def _show_port(shell: Shell, values: list[str]) -> None:
    number, world = _port_number(values[0]), shell.ctx.world
    if number is None or not 1 <= number <= shell.switch.outer_ports:
        shell.ctx.line(f"% Invalid interface: {values[0]}")
        return
    port = f"{shell.name}/{number}"
    up = links.link_up(world, port)
    shell.ctx.line(f"{_label(number)} state:")
    fields = {
        "Logical port state": links.logical_state(world, port).value[1],
        "Physical port state": links.physical_state(world, port).value[1],
        "Current line rate": f"{links.rate(world, port)}.0 Gbps" if up else "-",
        "Speed": links.generation(world, port).name.lower() if up else "-",
        "Width": f"{links.lanes(world, port)}X" if up else "-",
        "MTU": str(links.mtu(world, port)),
    }
    for name, counter in _COUNTERS:
        total = port_counters.value(world, port, counter, shell.ctx.now)
        fields[name] = str(total * 4 if name.endswith("bytes") else total)
    for name, value in fields.items():
        shell.ctx.line(f"  {name:<22}: {value}")


def _show_log(shell: Shell, _: list[str]) -> None:
    inventory = shell.ctx.inventory
    for entry in journald.written(shell.ctx.world, shell.name):
        stamp = f"{local(inventory.timezone, inventory.start + entry.time):%b %d %H:%M:%S}"
        for line in entry.text.splitlines():
            shell.ctx.line(f"{stamp} {shell.name} opensm: {line.strip()}")


def _gap(what: str) -> Act:
    def tell(shell: Shell, _: list[str]) -> None:
        shell.ctx.not_modelled(f"{what} of a switch")

    return tell


COMMANDS = (
    Entry("enable", _to(ENABLE), "Enter enable mode"),
    Entry("disable", _to(STANDARD), "Leave enable mode", ENABLE),
    Entry("configure terminal", _to(CONFIG), "Enter configuration mode", ENABLE),
    Entry("exit", _exit, "Leave this mode, or log out"),
    Entry("quit", _exit, "Leave this mode, or log out"),
    Entry("show version", _show_version, "Display version information"),
    Entry("show ib sm", _show_manager, "Display whether the subnet manager is enabled", ENABLE),
    Entry("show ib sm sm-priority", _show_priority, "Display the subnet manager's priority", ENABLE),
    Entry("show interfaces ib status", _show_ports, "Display the state of all ports"),
    Entry("show interfaces ib <port>", _show_port, "Display a port, such as 1/1/1"),
    Entry("show log", _show_log, "Display the event log", ENABLE),
    Entry("show inventory", _gap("the inventory"), "Display parts"),
    Entry("show fan", _parts(chassis.fans), "Display fans"),
    Entry("show temperature", _parts(chassis.temperatures), "Display temperatures"),
    Entry("show power", _parts(chassis.supplies), "Display power supplies"),
    Entry("show uptime", _show_uptime, "Display how long the switch has been up"),
    Entry("show running-config", _gap("the configuration"), "Display the configuration", ENABLE),
    Entry("ib sm", _manager_on, "Enable the subnet manager on this node", CONFIG),
    Entry("no ib sm", _manager_off, "Disable the subnet manager on this node", CONFIG),
    Entry("ib sm sm-priority <priority>", _set_priority, "Set the subnet manager's priority, 0 to 15", CONFIG),
    Entry("no ib sm sm-priority", _no_priority, "Set the priority to its default", CONFIG),
    Entry("configuration write", lambda _, __: None, "Save the configuration", ENABLE),
    Entry("write memory", lambda _, __: None, "Save the configuration", ENABLE),
)
