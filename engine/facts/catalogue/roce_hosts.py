"""RoCE on hosts: settings of adapters, their addresses, and the tables of the kernel behind them."""

from __future__ import annotations

from engine.control import neighbours as table
from engine.control import network, roce_gids, sysctl_files
from engine.facts.fact import View, fact
from engine.facts.kinds import Hca, Host
from engine.physics import host_interfaces

_SETTINGS = ("trust", "pause_sent", "pause_obeyed", "classes")


@fact("roce.set_up")
def set_up(view: View, hca: Hca) -> bool:
    """Whether trust, PFC, traffic class and congestion control of an adapter are those that the site gives it."""
    port = view.world.inventory.hca(hca).port
    usual, now = view.world.plan.first_qos(port), view.world.port_qos[port]
    same = all(
        getattr(now, name) == getattr(usual, name) for name in ("trust", "pause_sent", "pause_obeyed", "classes")
    )
    return same and view.world.roce[port] == view.world.plan.first_roce


@fact("roce.trusts_dscp")
def trusts_dscp(view: View, hca: Hca) -> bool:
    """Whether an adapter takes the priority of packets from their DSCP."""
    return view.world.port_qos[view.world.inventory.hca(hca).port].trust == "dscp"


@fact("roce.class_set")
def class_set(view: View, hca: Hca) -> bool:
    """Whether the host gives all RDMA packets of an adapter the site's traffic class."""
    return view.world.roce[view.world.inventory.hca(hca).port].traffic_class == view.world.plan.first_roce.traffic_class


@fact("roce.gid_index")
def gid_index(view: View, hca: Hca) -> int:
    """The index of the first entry for RoCE v2 with an IPv4 address in an adapter's GID table; -1 if there is none."""
    found = roce_gids.table(view.world, view.world.inventory.hca(hca))
    return next((each.index for each in found if each.version == roce_gids.V2 and each.is_ipv4), -1)


@fact("roce.address_alone")
def address_alone(view: View, hca: Hca) -> bool:
    """Whether no other host holds one of the IPv4 addresses of an adapter's interface."""
    adapter = view.world.inventory.hca(hca)
    entries = roce_gids.table(view.world, adapter)
    addresses = {each.address for each in entries if each.is_ipv4}
    return all(host == adapter.node for address in addresses for host, _ in table.holders(view.world, address))


@fact("interface.mtu")
def interface_mtu(view: View, hca: Hca) -> int:
    """The MTU of an adapter's interface in bytes."""
    return host_interfaces.port_mtu(view.world, view.world.inventory.hca(hca))


@fact("host.neighbours_fit")
def neighbours_fit(view: View, host: Host) -> bool:
    """Whether its neighbour table has room for all hosts that it exchanges RDMA with."""
    return not table.overflows(view.world, host)


@fact("host.neighbours_fit_at_boot")
def neighbours_fit_at_boot(view: View, host: Host) -> bool:
    """Whether the files that are read at boot leave that room too."""
    values = dict(sysctl_files.assignments(view.world, host))
    limit = values.get(table.LIMIT, "")
    return not limit.isdigit() or int(limit) >= len(table.needed(view.world, host))


@fact("bond.whole")
def bond_whole(view: View, host: Host) -> bool:
    """Whether all members of its bonds are up."""
    found = network.interfaces(view.world, host)
    return all(each.up and each.carrier for each in found if each.master)
