"""devlink of iproute2 6.1: devices, firmware, parameters, ports and health of adapters. Format: iproute2's devlink.c
and the kernel's documentation of mlx5 (6.8).

Parameters are as the driver begins and cannot be set; resources, rates and traps are not modelled; nothing in the model
makes a health reporter speak. Guess: the order of parameters (by their numbers in the kernel, generic ones first).
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.options import Option
from engine.control import adapter_firmware
from engine.world.inventory import Hca

_OBJECTS = ("dev", "port", "sb", "monitor", "dpipe", "resource", "region", "health", "trap", "rate", "linecard")


def run(ctx: Context) -> int:
    """Show objects of one kind."""
    words = list(ctx.arguments)
    if not words or words[0] in ("help", "-h"):
        ctx.stderr.write(b"Usage: devlink [ OPTIONS ] OBJECT { COMMAND | help }\n")
        return 0
    if words[0] == "-V":
        ctx.line("devlink utility, iproute2-6.1.0")
        return 0
    kind = next((each for each in _OBJECTS if each.startswith(words[0])), None)
    if kind is None:
        ctx.error(f'Object "{words[0]}" not found')
        return 1
    rest = words[1:]
    if kind == "dev" and rest[:1] == ["param"]:
        return _parameters(ctx, rest[1:])
    if kind not in _SHOWN or (rest and rest[0] not in ("show", "list", "info")):
        return ctx.not_modelled(f"devlink {' '.join(words[:2])}")
    if rest[:1] == ["info"] and kind != "dev":
        ctx.error(f'Command "{rest[0]}" not found')
        return 1
    show = _info if rest[:1] == ["info"] else _SHOWN[kind]
    wanted = rest[1] if len(rest) > 1 else ""
    found = [hca for hca in ctx.node.hcas if not wanted or wanted.startswith((f"pci/{hca.address}", _port(ctx, hca)))]
    if wanted and not found:
        ctx.error("kernel answers: No such device")
        return 1
    for hca in found:
        for line in show(ctx, hca):
            ctx.line(line)
    return 0


def _parameters(ctx: Context, words: list[str]) -> int:
    """dev param show [DEVICE [name NAME]]."""
    if words[:1] not in ([], ["show"], ["list"]):
        return ctx.not_modelled(f"devlink dev param {words[0]}")
    device, name = words[1] if len(words) > 1 else "", words[3] if len(words) > 3 else ""
    if device and (len(words) == 3 or words[2:3] not in ([], ["name"])):
        ctx.error("Parameter name expected." if words[2] == "name" else f'Unknown option "{words[2]}"')
        return 1
    found = [hca for hca in ctx.node.hcas if device in ("", f"pci/{hca.address}")]
    chosen = [each for each in _PARAMETERS if name in ("", each[0])]
    if not found or not chosen:
        ctx.error(f"kernel answers: {'Invalid argument' if found else 'No such device'}")
        return 1
    for hca in found:
        ctx.line(f"pci/{hca.address}:")
        for each, kind, mode, value in chosen:
            ctx.write(f"  name {each} type {kind}\n    values:\n      cmode {mode} value {value}\n")
    return 0


def _port(ctx: Context, hca: Hca) -> str:
    return f"auxiliary/mlx5_core.eth.{ctx.node.hcas.index(hca)}"


def _device(ctx: Context, hca: Hca) -> Iterator[str]:
    yield f"pci/{hca.address}"


def _ports(ctx: Context, hca: Hca) -> Iterator[str]:
    if hca.link_layer == "Ethernet":
        number = int(hca.address.rpartition(".")[2])
        kind = f"type eth netdev {hca.netdev} flavour physical port {number} splittable false"
        yield f"{_port(ctx, hca)}/65535: {kind}"


def _info(ctx: Context, hca: Hca) -> Iterator[str]:
    running, stored = adapter_firmware.running_version(ctx.world, hca), adapter_firmware.flash_version(ctx.world, hca)
    yield f"pci/{hca.address}:"
    yield from ("  driver mlx5_core", "  versions:", "      fixed:", f"        fw.psid {hca.board_id}")
    for head, version in (("running", running), ("stored", stored)):
        yield from (f"      {head}:", f"        fw.version {version}", f"        fw {version}")


def _health(ctx: Context, hca: Hca) -> Iterator[str]:
    yield f"pci/{hca.address}:"
    yield from ("  reporter fw", "    state healthy error 0 recover 0 auto_dump true")
    yield "  reporter fw_fatal"
    yield "    state healthy error 0 recover 0 grace_period 60000 auto_recover true auto_dump true"
    if hca.link_layer == "Ethernet":
        yield f"{_port(ctx, hca)}/65535:"
        for reporter in ("tx", "rx"):
            yield f"  reporter {reporter}"
            yield "    state healthy error 0 recover 0 grace_period 500 auto_recover true auto_dump true"


_GENERIC, _OWN = "generic", "driver-specific"
_PARAMETERS = (
    ("enable_roce", _GENERIC, "driverinit", "true"),
    ("enable_remote_dev_reset", _GENERIC, "runtime", "true"),
    ("io_eq_size", _GENERIC, "driverinit", "1024"),
    ("event_eq_size", _GENERIC, "driverinit", "4096"),
    ("flow_steering_mode", _OWN, "runtime", "smfs"),
    ("fdb_large_groups", _OWN, "driverinit", "15"),
    ("esw_port_metadata", _OWN, "runtime", "true"),
    ("esw_multiport", _OWN, "runtime", "false"),
)

_SHOWN = {"dev": _device, "port": _ports, "health": _health}

COMMAND = Command(
    "devlink",
    "show devices, ports and health of network adapters",
    run,
    "devlink { dev | port | health } [show | info] [DEVICE] | devlink dev param show [DEVICE [name NAME]]",
    (Option("V", help="print the version"),),
    "devlink dev info shows the firmware that runs and the one in flash; they differ until the next reset.",
    path="/usr/sbin",
    section=8,
    complete=lambda ctx, words: [*_OBJECTS, *(f"pci/{hca.address}" for hca in ctx.node.hcas)],
)
