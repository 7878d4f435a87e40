"""Messages of disks, networks and the starting system: the part of a boot from /init to the login prompt, without the
NVIDIA driver.

Forms: nvme, md and ext4 as in Ubuntu's kernel 6.8; mlx5_core of MLNX_OFED 24.10 (firmware, bandwidth, port module
events, and the Ethernet and InfiniBand link lines seen in captures); ixgbe of the kernel.
"""

from __future__ import annotations

from engine.control import kernel_image
from engine.control.history.scene import BootScene, MessageLog
from engine.kernel.units import SECOND
from engine.world.inventory import Address, Hca
from engine.world.records import LogEntry, Priority

# Mb/s per lane after encoding, by PCIe generation (drivers/pci: PCIE_SPEED2MBS_ENC).
_LANE = {1: 2000, 2: 4000, 3: 7876, 4: 15753, 5: 31507}
_SPEED = {1: "2.5", 2: "5.0", 3: "8.0", 4: "16.0", 5: "32.0"}


def device_messages(scene: BootScene) -> list[LogEntry]:
    """Disks, networks, and what systemd writes before the journal takes over."""
    log = MessageLog(scene, "devices")
    log.reach(6_200)
    _storage(log)
    for address in scene.node.addresses:
        if address.driver == "ixgbe":
            _ixgbe(log, address)
    _mlx5(log)
    log.reach(10_020)
    device = root_device(scene)
    log.say(f"EXT4-fs ({device}): mounted filesystem {_root(scene)} ro with ordered data mode. Quota mode: none.")
    log.table("boot_system", _words(scene))
    log.reach(12_400)
    _links(log)
    return log.entries


def root_device(scene: BootScene) -> str:
    """The block device of the root file system: a RAID-1 of two drives, or a partition of the only one."""
    boot = [drive for drive in scene.node.drives if drive.purpose == "boot"]
    return "md0" if len(boot) > 1 else f"{boot[0].name if boot else 'nvme0'}n1p2"


def bandwidth(scene: BootScene, address: str) -> str:
    """`504.112 Gb/s available PCIe bandwidth (32.0 GT/s PCIe x16 link)`; where its link or one on the way to the
    root runs below what the function can do, also under which bridge (drivers/pci: __pcie_print_link_status,
    pcie_bandwidth_available).
    """
    device = scene.node.devices[address]
    best = device.generation, device.width
    narrow = {name: (generation, width) for name, generation, width in scene.boot.narrow}
    path = scene.node.path_to_root(address)
    slow = [(narrow[each.address], each.parent or each.address) for each in path if each.address in narrow]
    found, where = min(slow, key=lambda each: _LANE[each[0][0]] * each[0][1], default=(best, ""))
    if _LANE[found[0]] * found[1] >= _LANE[best[0]] * best[1]:
        return f"{_rate(*best)} available PCIe bandwidth ({_link(*best)})"
    limit = f"limited by {_link(*found)} at {where}"
    return f"{_rate(*found)} available PCIe bandwidth, {limit} (capable of {_rate(*best)} with {_link(*best)})"


def _rate(generation: int, width: int) -> str:
    megabits = _LANE[generation] * width
    return f"{megabits // 1000}.{megabits % 1000:03d} Gb/s"


def _link(generation: int, width: int) -> str:
    return f"{_SPEED[generation]} GT/s PCIe x{width} link"


def _root(scene: BootScene) -> str:
    return kernel_image.root_uuid(scene.inventory, scene.host)


def _words(scene: BootScene) -> dict[str, object]:
    epoch = (scene.inventory.start + scene.boot.start) // SECOND
    vendor = ("0016a1", "0001") if scene.node.gpus else ("002a7c", "1b0f")
    return {
        "host": scene.host,
        "root_device": root_device(scene),
        "root_uuid": _root(scene),
        "journald_pid": kernel_image.first_user_pid(scene.node),
        "bmc_vendor": vendor[0],
        "bmc_product": vendor[1],
        "audit_late": f"{epoch + 11}.604",
        "apparmor_pid": kernel_image.first_user_pid(scene.node) + 412,
    }


def _storage(log: MessageLog) -> None:
    drives = [drive for drive in log.scene.node.drives if log.scene.there(drive.address)]
    log.all(f"nvme {drive.name}: pci function {drive.address}" for drive in drives)
    queues = min(kernel_image.cpus(log.scene.node), 128)
    log.all(f"nvme {drive.name}: {queues}/0/0 default/read/poll queues" for drive in drives)
    boot = [drive for drive in drives if drive.purpose == "boot"]
    log.all(f" {drive.name}n1: p1 p2" for drive in boot)
    if len(boot) > 1:
        log.say(f"md/raid1:md0: active with {len(boot)} out of {len(boot)} mirrors")
        log.say(f"md0: detected capacity change from 0 to {boot[0].bytes // 512 - 1_050_624}")
    data = [drive for drive in drives if drive.purpose == "data"]
    if data:
        log.say(f"md/raid0:md1: md_size is {sum(drive.bytes for drive in data) // 512} sectors.")


def _ixgbe(log: MessageLog, address: Address) -> None:
    scene = log.scene
    if address.pci_address is None or not scene.there(address.pci_address):
        return
    name = f"ixgbe {address.pci_address}"
    log.say(f"{name}: Multiqueue Enabled: Rx Queue count = 63, Tx Queue count = 63 XDP Queue count = 0")
    log.say(f"{name}: {bandwidth(scene, address.pci_address)}")
    log.say(f"{name}: MAC: 4, PHY: 0, PBA No: H86377-006")
    log.say(f"{name}: {address.mac}")
    log.say(f"{name}: Intel(R) 10 Gigabit Network Connection")
    log.say(f"{name} {address.interface}: renamed from eth{scene.node.addresses.index(address)}")


def _mlx5(log: MessageLog) -> None:
    hcas = [hca for hca in log.scene.node.hcas if log.scene.there(hca.address)]
    if not hcas:
        return
    log.reach(6_900)
    log.say("mlx_compat: loading out-of-tree module taints kernel.", Priority.WARNING)
    if not log.scene.boot.secure:
        log.say(
            "mlx_compat: module verification failed: signature and/or required key missing - tainting kernel",
            Priority.WARNING,
        )
    log.say(f"Compat-mlnx-ofed backport release: {log.scene.inventory.software.get('ofed', '24.10')}")
    for index, hca in enumerate(hcas):
        log.reach(6_900 + 255 * index)
        _hca(log, index, hca)


def _hca(log: MessageLog, index: int, hca: Hca) -> None:
    name = f"mlx5_core {hca.address}"
    plugged = (
        "Cable plugged" if hca.link_layer == "Ethernet" or hca.port in log.scene.inventory.cables else "Cable unplugged"
    )
    log.say(f"{name}: firmware version: {hca.firmware}")
    log.say(f"{name}: {bandwidth(log.scene, hca.address)}")
    log.say(f"{name}: Rate limit: 127 rates are supported, range: 0Mbps to 195312Mbps")
    log.say(f"{name}: E-Switch: Total vports 2, per vport: max uc(128) max mc(2048)")
    log.say(f"{name}: Port module event: module {hca.address[-1]}, {plugged}")
    log.say(f"{name}: mlx5_pcie_event:301:(pid {612 + index}): PCIe slot advertised sufficient power (75W).")
    if hca.link_layer == "Ethernet":
        log.say(f"{name}: MLX5E: StrdRq(1) RqSz(8) StrdSz(2048) RxCqeCmprss(0 basic)")
        log.say(f"{name} {hca.netdev}: renamed from eth{index}")


def _links(log: MessageLog) -> None:
    """Interfaces come up, bonds form, InfiniBand ports that have a link go through their states."""
    scene = log.scene
    for address in scene.node.addresses:
        if address.members:
            _bond(log, address)
        elif address.pci_address and scene.there(address.pci_address):
            log.say(f"{_name_of(address)}: NIC Link is Up 10 Gbps, Flow Control: None")
    linked = [hca for hca in scene.node.hcas if hca.name in scene.boot.linked and hca.link_layer == "InfiniBand"]
    log.reach(16_900)
    for state in ("INIT", "ACTIVE"):
        for hca in linked:
            log.say(f"mlx5_core {hca.address} {hca.name}: Port: 1 Link {state}")
    log.say("RPC: Registered tcp NFSv4.1 backchannel transport module.")
    if scene.node.role == "head":
        log.say("NFSD: Using nfsdcld client tracking operations.")
        log.say("NFSD: no clients to reclaim, skipping NFSv4 grace period (net f0000000)")
    else:
        log.say("Key type id_resolver registered", Priority.NOTICE)


def _name_of(address: Address) -> str:
    return f"{address.driver} {address.pci_address} {address.interface}"


def _bond(log: MessageLog, bond: Address) -> None:
    hcas = {hca.netdev: hca for hca in log.scene.node.hcas}
    members = [hcas[name] for name in bond.members if name in hcas and log.scene.there(hcas[name].address)]
    for hca in members:
        log.say(f"{bond.interface}: (slave {hca.netdev}): Enslaving as a backup interface with a down link")
    for hca in members:
        log.say(f"mlx5_core {hca.address} {hca.netdev}: Link up")
        log.say(
            f"{bond.interface}: (slave {hca.netdev}): link status definitely up, {hca.rate * 1000} Mbps full duplex"
        )
    if members:
        log.say(f"{bond.interface}: active interface up!")
