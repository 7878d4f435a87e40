"""opensm.conf as it stands on a host before anybody changes it: settings that people change, with opensm's defaults."""

from __future__ import annotations

from engine.control.subnet_manager.configuration import DEFAULT_PRIORITY, PARTITIONS
from engine.control.subnet_manager.lids import host_of_manager
from engine.world.inventory import Inventory

# Names and defaults: opensm 5.21 (`opensm -c` writes them all); the priority is the site's.
SETTINGS = (
    ("guid", "{guid}"),
    ("m_key", "0x0000000000000000"),
    ("sm_key", "0x0000000000000001"),
    ("subnet_prefix", "0xfe80000000000000"),
    ("lmc", "0"),
    ("max_op_vls", "5"),
    ("routing_engine", "(null)"),
    ("lfts_file", "(null)"),
    ("root_guid_file", "(null)"),
    ("use_ucast_cache", "FALSE"),
    ("sweep_interval", "10"),
    ("sm_priority", str(DEFAULT_PRIORITY)),
    ("sminfo_polling_timeout", "10000"),
    ("polling_retry_number", "4"),
    ("partition_config_file", PARTITIONS),
    ("log_file", "/var/log/opensm.log"),
    ("log_flags", "0x03"),
    ("log_max_size", "4096"),
    ("dump_files_dir", "/var/log/"),
    ("honor_guid2lid_file", "FALSE"),
    ("reassign_lids", "FALSE"),
    ("daemon", "FALSE"),
    ("qos", "FALSE"),
)


def text(inventory: Inventory, host: str) -> str:
    """The file: on the host that the site's fabric is managed from with the port that it is managed through, elsewhere
    as it comes.
    """
    hca = host_of_manager(inventory)
    guid = f"0x{hca.port_guid if hca and hca.node == host else 0:016x}"
    return "# See opensm(8).\n" + "".join(f"{name} {value.format(guid=guid)}\n" for name, value in SETTINGS)
