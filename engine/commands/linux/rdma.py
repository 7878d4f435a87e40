"""rdma of iproute2 6.1: RDMA devices and their links, as the kernel's netlink interface tells them.

Formats: rdma/dev.c, link.c, stat.c and utils.c of iproute2; counters in the order of mlx5's counters.c. Resources
(`rdma resource`), settings and JSON are not modelled; `rdma system` is as the kernel begins.
"""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.infiniband._diags.devices import Device, devices
from engine.commands.options import Option
from engine.hostfs.views._sys_infiniband import HARDWARE_COUNTERS, colons
from engine.world.records import LogicalState, PhysicalState

_STATES = {
    LogicalState.DOWN: "DOWN", LogicalState.INITIALIZING: "INIT", LogicalState.ARMED: "ARMED",
    LogicalState.ACTIVE: "ACTIVE",
}  # fmt: skip
_PHYSICAL = {
    PhysicalState.POLLING: "POLLING", PhysicalState.DISABLED: "DISABLED",
    PhysicalState.TRAINING: "PORT_CONFIGURATION_TRAINING", PhysicalState.LINK_UP: "LINK_UP",
    PhysicalState.RECOVERY: "LINK_ERROR_RECOVER",
}  # fmt: skip
_OBJECTS = ("dev", "link", "resource", "system", "statistic")
_COUNTERS = (
    "rx_write_requests", "rx_read_requests", "rx_atomic_requests", "rx_dct_connect", "out_of_buffer", "out_of_sequence",
    "duplicate_request", "rnr_nak_retry_err", "packet_seq_err", "implied_nak_seq_err", "local_ack_timeout_err",
    "resp_local_length_error", "resp_cqe_error", "req_cqe_error", "req_remote_invalid_request",
    "req_remote_access_errors", "resp_remote_access_errors", "resp_cqe_flush_error", "req_cqe_flush_error",
    "roce_adp_retrans", "roce_adp_retrans_to", "roce_slow_restart", "roce_slow_restart_cnps", "roce_slow_restart_trans",
)  # fmt: skip
_ROCE_COUNTERS = (
    "rp_cnp_ignored", "rp_cnp_handled", "np_ecn_marked_roce_packets", "np_cnp_sent", "rx_icrc_encapsulated",
)  # fmt: skip
_USAGE = """\
Usage: rdma [ OPTIONS ] OBJECT { COMMAND | help }
where  OBJECT := { dev | link | resource | system | statistic | help }
"""


def run(context: Context) -> int:
    """Show objects of one kind."""
    words = list(context.arguments)
    if not words or words[0] in ("help", "-h", "-help", "--help"):
        context.write(_USAGE)
        return 0
    if words[0] in ("-V", "-Version"):
        context.line("rdma utility, iproute2-6.1.0")
        return 0
    if words[0].startswith("-"):
        return context.not_modelled(f"rdma {words[0]}")
    kind = next((each for each in _OBJECTS if each.startswith(words[0])), None)
    if kind is None:
        context.error(f'Object "{words[0]}" is unknown, try "rdma help".')
        return 1
    rest = words[1:]
    if rest and "show".startswith(rest[0]):
        rest = rest[1:]
    elif rest and rest[0] in ("set", "add", "delete", "unset", "bind", "unbind", "qp", "mode"):
        return context.not_modelled(f"rdma {kind} {rest[0]}")
    if kind == "system" and not rest:
        context.line("netns shared copy-on-fork on")
        return 0
    if kind in ("resource", "system"):
        return context.not_modelled(f"rdma {kind}")
    if kind == "statistic" and rest and "link".startswith(rest[0]):
        rest = rest[1:]
    return _show(context, kind, rest)


def _show(context: Context, kind: str, rest: list[str]) -> int:
    name, _, port = (rest[0] if rest else "").partition("/")
    found = [(index, device) for index, device in enumerate(devices(context)) if name in ("", device.name)]
    if not found or port not in ("", "1"):
        context.error(f"Wrong device {'and port ' if kind != 'dev' else ''}name\n")
        return 1
    for index, device in found:
        if kind == "dev":
            context.line(_device(index, device))
        else:
            context.line(_link(device) if kind == "link" else _counted(context, device))
    return 0


def _device(index: int, device: Device) -> str:
    guids = f"node_guid {colons(device.hca.guid)} sys_image_guid {colons(device.system_guid)}"
    return f"{index}: {device.name}: node_type ca fw {device.hca.firmware} {guids} "


def _link(device: Device) -> str:
    states = f"state {_STATES[device.state]} physical_state {_PHYSICAL[device.physical]}"
    if device.ethernet:
        return f"link {device.name}/1 {states} netdev {device.hca.netdev} "
    lids = f"lid {device.lid} sm_lid {device.manager_lid} lmc 0"
    return f"link {device.name}/1 subnet_prefix fe80:0000:0000:0000 {lids} {states} "


def _counted(context: Context, device: Device) -> str:
    """Requests, transport errors and congestion notifications; those of InfiniBand ports nothing makes."""
    names = [name for name in _COUNTERS if name in HARDWARE_COUNTERS]
    counts: dict[str, int] = {}
    if device.ethernet:
        from engine.control import ethernet_counters

        names += _ROCE_COUNTERS
        counts = ethernet_counters.hardware(context.world, device.hca, context.now)
    shown = (f"{name} {counts.get(name, 0)}" for name in names)
    return f"link {device.name}/1 {' '.join(shown)} "


COMMAND = Command(
    "rdma",
    "show RDMA devices and links",
    run,
    synopsis="rdma OBJECT [show] [DEVICE]",
    options=(Option("h", help="print the usage"), Option("V", help="print the version")),
    manual="rdma dev shows firmware and GUIDs, rdma link states and LIDs (of Ethernet ports the interface),\n"
    "rdma statistic show link counters of the transport.",
    section=8,
)
