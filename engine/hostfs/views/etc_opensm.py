"""/etc/opensm on the host that runs the subnet manager: the settings of opensm.conf that people change, with
opensm's defaults.
"""

from __future__ import annotations

from engine.control.subnet_manager.configuration import DEFAULT_PRIORITY
from engine.control.subnet_manager.lids import host_of_manager
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, directory, file

# Names and defaults: opensm 5.21 (`opensm -c` writes them all); the priority is the site's.
SETTINGS = (
    ("guid", "{guid}"),
    ("m_key", "0x0000000000000000"),
    ("sm_key", "0x0000000000000001"),
    ("subnet_prefix", "0xfe80000000000000"),
    ("lmc", "0"),
    ("max_op_vls", "5"),
    ("routing_engine", "(null)"),
    ("use_ucast_cache", "FALSE"),
    ("sweep_interval", "10"),
    ("sm_priority", str(DEFAULT_PRIORITY)),
    ("sminfo_polling_timeout", "10000"),
    ("polling_retry_number", "4"),
    ("log_file", "/var/log/opensm.log"),
    ("log_flags", "0x03"),
    ("log_max_size", "4096"),
    ("dump_files_dir", "/var/log/"),
    ("honor_guid2lid_file", "FALSE"),
    ("daemon", "FALSE"),
    ("qos", "FALSE"),
)


def present(machine: Machine) -> bool:
    """Whether the host runs a subnet manager."""
    hca = host_of_manager(machine.inventory)
    return hca is not None and hca.node == machine.host


def settings(machine: Machine) -> str:
    """opensm.conf."""
    hca = host_of_manager(machine.inventory)
    guid = f"0x{hca.port_guid:016x}" if hca else "0x0"
    return "# See opensm(8).\n" + "".join(f"{name} {value.format(guid=guid)}\n" for name, value in SETTINGS)


def _table(_machine: Machine) -> Children:
    return {"opensm.conf": file(settings), "partitions.conf": file("Default=0x7fff, ipoib : ALL=full;\n")}


DIRECTORY = directory(_table, fixed=True)
